#include "core/passes/pass_report.h"

#include "core/support/error.h"
#include "core/support/json_text.h"

namespace gec {

PassRun::Rule PassRun::Total() const {
  Rule total;
  for (const auto &[name, rule] : rules) {
    total.tried += rule.tried;
    total.applied += rule.applied;
    total.declined += rule.declined;
  }
  return total;
}

std::string PassReportJson(const PassReport &report) {
  auto counts = [](const PassRun::Rule &r) {
    return Str("\"tried\":", r.tried, ",\"applied\":", r.applied, ",\"declined\":", r.declined);
  };
  std::string text = "[";
  for (const PassRun &run : report) {
    if (text.size() > 1) text += ",";
    text += Str("\n{\"name\":", JsonText(run.name), ",\"stage\":", run.stage,
                ",\"changed\":", run.changed ? "true" : "false", ",\"ms\":", run.ms, ",", counts(run.Total()),
                ",\"rules\":{");
    bool first = true;
    for (const auto &[name, rule] : run.rules) {
      text += Str(first ? "" : ",", JsonText(name), ":{", counts(rule));
      if (!rule.last_refusal.empty()) text += Str(",\"last_refusal\":", JsonText(rule.last_refusal));
      text += "}";
      first = false;
    }
    text += "}}";
  }
  return text + "]";
}

}  // namespace gec
