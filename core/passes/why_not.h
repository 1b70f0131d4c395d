// Why rules did not match: for each rule the candidates that came nearest, with what kept them from matching.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
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
  /// Matches of the rule in this graph begin at nodes of these types; `pattern` is what they stand for.
  void Begins(std::string_view rule, Graph &graph, const Node &pattern, const std::vector<Symbol> &types);
  /// The candidate that is tried from here on.
  void Begin(std::string_view rule, const Node *root);
  /// It matched: where it had ended before, in another order, is no miss.
  void Matched();
  void Failed(size_t slot, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
              const std::string &actual, size_t depth) override;
  void Declined(std::string_view rule, const Node *root, const std::string &why);
  /// A rule that could not be tried: no node has the types that it needs.
  void Impossible(std::string_view rule, const std::string &types);
  void Applied(std::string_view rule);

  /// The misses, those first where most had matched. `node`: only those that were tried at a node of this name, or
  /// ended there, and rules of which no match begins at a node of its type; empty: of each rule the best few.
  std::vector<NearMiss> Misses(std::string_view node) const;
  /// A JSON object: applied (by rule), misses.
  std::string Json(std::string_view node) const;

 private:
  /// A graph as it was when it was first seen.
  struct Seen {
    struct At {
      Symbol type;
      std::string label;
    };
    GraphPtr graph;
    std::unordered_map<std::string, At> nodes;  // by name
  };
  struct Start {
    std::string rule, pattern_node;
    size_t graph;  // number in seen_
    std::vector<Symbol> types;
  };
  void Add(NearMiss miss);
  void AddOtherTypes(const std::string &node, std::vector<NearMiss> *misses) const;
  std::string rule_, root_;
  size_t begun_ = 0;  // misses before the candidate
  std::vector<NearMiss> misses_;
  std::vector<Seen> seen_;
  std::vector<Start> starts_;
  std::map<std::string, int64_t> applied_;
};

}  // namespace gec
