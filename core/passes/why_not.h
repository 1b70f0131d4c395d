// Why rules did not match: for each rule the candidates that came nearest, with what kept them from matching.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/pattern/match_program.h"

namespace gec {

/// A candidate that did not match, or matched and was declined.
struct NearMiss {
  std::string rule, root;          // root: the node at which the match was tried
  std::string constraint;          // what failed: NameOf(Mismatch), or "declined"
  std::string pattern_node, node;  // where; pattern_node is empty where the library's own pattern has no names
  std::string expected, actual;
  size_t matched = 0;  // parts that had matched
};

/// Listens while a pass runs on a graph that is thrown away afterwards. One thread.
class WhyNot : public MatchObserver {
 public:
  /// The candidate that is tried from here on.
  void Begin(std::string_view rule, const Node *root);
  void Failed(size_t slot, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
              const std::string &actual, size_t depth) override;
  void Declined(std::string_view rule, const Node *root, const std::string &why);
  /// A rule that could not be tried: no node has the types that it needs.
  void Impossible(std::string_view rule, const std::string &types);
  void Applied(std::string_view rule) { ++applied_[std::string(rule)]; }

  /// The misses, those first where most had matched. `node`: only those that were tried at a node of this name, or
  /// ended there; empty: of each rule the best few.
  std::vector<NearMiss> Misses(std::string_view node) const;
  /// A JSON object: applied (by rule), misses.
  std::string Json(std::string_view node) const;

 private:
  void Add(NearMiss miss);
  std::string rule_, root_;
  std::vector<NearMiss> misses_;
  std::map<std::string, int64_t> applied_;
};

}  // namespace gec
