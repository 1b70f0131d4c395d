// The work of passes: one entry per pass that ran.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/passes/pass_info.h"

namespace gec {

/// The statistics of one pass on a graph and its subgraphs.
struct PassRun {
  struct Rule {
    int64_t tried = 0, applied = 0, declined = 0;
    std::string last_refusal;  // why the newest candidate was left alone
  };
  std::string name;
  int32_t stage = 0;
  PassKind kind = PassKind::kPlain;
  bool changed = false;
  int64_t changes = 0;  // at least 1 where it changed; a sequence's are those of its passes
  double ms = 0;
  std::map<std::string, Rule> rules;
  Rule Total() const;
};
using PassReport = std::vector<PassRun>;
/// A JSON array: name, stage, changed, ms, tried, applied, declined, rules.
std::string PassReportJson(const PassReport &report);

}  // namespace gec
