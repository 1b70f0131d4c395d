// The reason of code that refuses something that matched.
#pragma once

#include <string>
#include <utility>

#include "core/pattern/match_program.h"

namespace gec {

struct Refusal {
  Refusal() = default;
  Refusal(const char *actual_) : actual(actual_) {}
  Refusal(std::string actual_, std::string expected_ = {}, Mismatch kind_ = Mismatch::kPredicate)
      : expected(std::move(expected_)), actual(std::move(actual_)), kind(kind_) {}
  std::string expected;   // what the condition is called, or asks for; empty: nobody says
  std::string actual;     // what it got instead
  std::string traceback;  // of an exception, where there is one
  Mismatch kind = Mismatch::kPredicate;
  std::string node, pattern_node;  // labels; empty: of the root
  /// For a line of a report: "Abs 'a' is also read by Relu 'r'".
  std::string Text() const { return node.empty() ? actual : node + " " + actual; }
};

}  // namespace gec
