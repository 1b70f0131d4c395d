#include "core/passes/why_not.h"

#include <algorithm>

#include "core/ir/graph.h"
#include "core/support/error.h"
#include "core/support/json_text.h"

namespace gec {
namespace {
constexpr size_t kMostPerRule = 5;  // of what is told without a node
/// A miss writes nodes "Type 'name'".
bool Speaks(const std::string &label, std::string_view name) {
  return label.find("'" + std::string(name) + "'") != std::string::npos;
}
}  // namespace

void WhyNot::Begin(std::string_view rule, const Node *root) {
  rule_ = rule;
  root_ = root->Label();
}

void WhyNot::Add(NearMiss miss) {
  // Of one candidate the place that most had matched before; later ones win, as other orders are tried later.
  if (!misses_.empty() && misses_.back().rule == miss.rule && misses_.back().root == miss.root) {
    if (misses_.back().matched > miss.matched) return;
    misses_.back() = std::move(miss);
  } else {
    misses_.push_back(std::move(miss));
  }
}

void WhyNot::Failed(size_t slot, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
                    const std::string &actual, size_t depth) {
  NearMiss miss{rule_, root_, NameOf(kind), "", at ? at->Label() : "", expected, actual, depth};
  miss.pattern_node = pattern ? pattern->Label() : "part " + std::to_string(slot);
  Add(std::move(miss));
}

void WhyNot::Declined(std::string_view rule, const Node *root, const std::string &why) {
  NearMiss miss{std::string(rule), root->Label(), "declined", "", root->Label(), "", why, SIZE_MAX};
  Add(std::move(miss));
}

void WhyNot::Impossible(std::string_view rule, const std::string &types) {
  misses_.push_back({std::string(rule), "", "operator", "", "", types, "the graph has none", 0});
}

std::vector<NearMiss> WhyNot::Misses(std::string_view node) const {
  std::vector<NearMiss> found;
  for (const NearMiss &miss : misses_)
    if (node.empty() || Speaks(miss.root, node) || Speaks(miss.node, node)) found.push_back(miss);
  std::stable_sort(found.begin(), found.end(),
                   [](const NearMiss &a, const NearMiss &b) { return a.matched > b.matched; });
  if (!node.empty()) return found;
  std::map<std::string, size_t> told;
  std::vector<NearMiss> best;
  for (NearMiss &miss : found)
    if (told[miss.rule]++ < kMostPerRule) best.push_back(std::move(miss));
  return best;
}

std::string WhyNot::Json(std::string_view node) const {
  std::string text = "{\"applied\":{";
  bool first = true;
  for (const auto &[rule, count] : applied_) {
    text += Str(first ? "" : ",", JsonText(rule), ":", count);
    first = false;
  }
  text += "},\"misses\":[";
  first = true;
  for (const NearMiss &m : Misses(node)) {
    text += Str(first ? "" : ",", "{\"rule\":", JsonText(m.rule), ",\"root\":", JsonText(m.root),
                ",\"constraint\":", JsonText(m.constraint), ",\"pattern_node\":", JsonText(m.pattern_node),
                ",\"node\":", JsonText(m.node), ",\"expected\":", JsonText(m.expected),
                ",\"actual\":", JsonText(m.actual), "}");
    first = false;
  }
  return text + "]}";
}

}  // namespace gec
