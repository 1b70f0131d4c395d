// Why rules did not match: for each rule the candidates that came nearest, with what kept them from matching.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/pattern/match_program.h"
#include "core/pattern/refusal.h"

namespace gec {

struct PassEntry;

/// A candidate that did not match, or matched and was declined; or a pass that was not let run.
struct NearMiss {
  std::string rule, root;          // root: the node at which the match was tried
  std::string constraint;          // what failed: NameOf(Mismatch), or "gate"
  std::string pattern_node, node;  // where
  std::string expected, actual;
  std::string traceback;  // of an exception, where there is one
  size_t matched = 0;     // parts that had matched
  /// Equal for misses that say the same.
  std::string Key() const {
    std::string key = std::to_string(matched);
    for (const std::string *part : {&rule, &root, &constraint, &pattern_node, &node, &expected, &actual, &traceback})
      key.append(1, '\0').append(*part);
    return key;
  }
};

/// Listens while a pass runs on a graph that is thrown away afterwards. One thread.
class WhyNot : public MatchObserver {
 public:
  /// Matches of the rule in this graph begin at nodes of these types; `pattern` is what they stand for.
  void Begins(std::string_view rule, Graph &graph, const std::string &pattern, const std::vector<Symbol> &types);
  /// The candidate that is tried from here on; `pattern` is the part that it is to stand for.
  void Begin(std::string_view rule, const Node *root, std::string pattern);
  /// The same for a pattern whose parts have numbers instead of names.
  void Begin(std::string_view rule, const Node *root, const MatchProgram &program);
  /// It matched: where it had ended before, in another order, is no miss.
  void Matched();
  void Failed(size_t slot, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
              const std::string &actual, size_t depth) override;
  void Declined(std::string_view rule, const Node *root, const Refusal &why);
  /// Code that recognises its candidates by itself: where it ended, and how many nodes had fitted.
  void Missed(std::string_view rule, const Node *root, const Refusal &why, size_t matched);
  /// A rule that could not be tried: no node has the types that it needs.
  void Impossible(std::string_view rule, const std::string &types);
  /// `node`: that is being looked at; may be null.
  void Applied(std::string_view rule, const Node *node);

  // Code that answers for a pass.
  /// A hook is asked about the candidate: what is told from here on is why it will say no.
  void Asks() { told_.reset(), asking_ = true; }
  /// It said yes: what it told before is of no account.
  void Agreed() { told_.reset(), asking_ = false; }
  /// The hook's reason, `by_itself` where it told nothing; together where functions that it called told of them.
  Refusal Answer(const Refusal &by_itself);
  /// Code of a pass says why it refuses. Inside a hook that is kept until the hook's answer; `own`: it is the answer.
  void Tell(std::string_view pass, const Node *root, const Refusal &why, bool own);

  // Passes.
  /// The pass may not run, or not on some graph.
  void Closed(std::string_view pass, const Refusal &gate);
  /// Makes the graph ready for a pass as a compile would; empty: it is ready.
  std::function<void(const PassEntry &, Graph &)> prepare;
  /// The pass has run. `untouched`: the node that was asked for is there as it was, or nothing has changed. Where
  /// nothing was told then, that is said.
  void Ended(std::string_view pass, std::string_view node, const Node *untouched);

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
  std::string rule_, root_, root_name_, pattern_;
  const MatchProgram *program_ = nullptr;  // of the candidate, where its parts have numbers
  size_t begun_ = 0;                       // misses before the candidate
  bool asking_ = false;                    // a hook is running
  std::optional<Refusal> told_;            // by it
  bool told_own_ = false;                  // as its answer
  std::vector<NearMiss> misses_;
  std::vector<Seen> seen_;
  std::vector<Start> starts_;
  std::map<std::string, int64_t> applied_;
  std::set<std::string> applied_at_;  // names of nodes
};

}  // namespace gec
