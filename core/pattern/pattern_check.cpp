// Refuses patterns that cannot be used: by their graph, or by what rules say of its nodes. The graph may have changed
// since they were set.
#include <algorithm>
#include <set>

#include "core/pattern/graph_match.h"
#include "core/support/error.h"

namespace gec {
namespace {

class PatternCheck {
 public:
  explicit PatternCheck(const GraphPattern &pattern) : pattern_(pattern), graph_(*pattern.graph) {}

  void Run() const {
    Outputs();
    Nodes();
    graph_.TopologicalOrder();
    if (pattern_.rules.empty()) return;
    for (const Node *node : graph_.Nodes())
      if (const PatternNodeRule *rule = pattern_.RuleOf(node)) Rule(*node, *rule);
    Circles();
  }

 private:
  template <class... Why>
  [[noreturn]] void Refuse(const Why &...why) const {
    Fail(GE_GRAPH_INVALID, "pattern '", graph_.name(), "': ", why...);
  }

  void Outputs() const {
    const std::vector<Endpoint> outputs = graph_.Outputs();
    if (outputs.empty()) Refuse("it has no output");
    if (std::all_of(outputs.begin(), outputs.end(), [](Endpoint e) { return e && IsDataType(e.node->type()); }))
      Refuse("its output is its input ", outputs.front().node->Label(),
             ", so it has no operator that could be matched");
    for (Endpoint e : outputs) {
      if (!e) Refuse("one of its outputs is not connected");
      const PatternNodeRule *rule = pattern_.RuleOf(e.node);
      if (rule && rule->optional_input >= 0)
        Refuse(e.node->Label(), " is an output of the pattern and cannot be optional");
    }
  }

  void Nodes() const {
    static const Symbol net_output("NetOutput"), index("index");
    std::set<int64_t> indexes;
    for (const Node *node : graph_.Nodes()) {
      if (node->type() == net_output) continue;
      if (!node->control_inputs().empty() || !node->control_outputs().empty())
        Refuse(node->Label(), " has control edges, which patterns cannot have");
      if (!node->subgraphs().empty()) Refuse(node->Label(), " has subgraphs, which patterns cannot have");
      const PatternNodeRule *rule = pattern_.RuleOf(node);
      if ((node->ir().dynamic_inputs || node->ir().dynamic_outputs) && !(rule && rule->dynamic))
        Refuse(node->Label(), " is of a type with dynamic inputs or outputs, which patterns cannot have");
      if (IsDataType(node->type()) && !indexes.insert(node->Int(index)).second)
        Refuse(node->Label(), " has index ", node->Int(index), ", which another input has");
    }
  }

  void Rule(const Node &node, const PatternNodeRule &rule) const {
    if (rule.optional_input >= 0) {
      const auto input = static_cast<size_t>(rule.optional_input);
      if (input >= node.input_count() || !node.input(input))
        Refuse(node.Label(), " may be missing, but its input ", input, ", which is read then, is not connected");
    }
    for (Endpoint e : rule.alternatives) {
      if (!e.node || e.node->removed() || &e.node->graph() != &graph_)
        Refuse("an alternative of ", node.Label(), e.node ? ", " + e.node->Label() + "," : std::string(),
               " is no node of the pattern");
      if (e.port < 0 || static_cast<size_t>(e.port) >= e.node->output_count())
        Refuse(e.node->Label(), ", an alternative of ", node.Label(), ", has no output ", e.port, ", it has ",
               e.node->output_count());
    }
    for (const MatchConstraint &test : rule.constraints)
      if (test.output >= 0 && static_cast<size_t>(test.output) >= node.output_count())
        Refuse("something is required of output ", test.output, " of ", node.Label(), ", which has ",
               node.output_count());
  }

  /// The nodes that may stand for a tensor where `node` does.
  std::vector<const Node *> InPlaceOf(const Node &node) const {
    std::vector<const Node *> others;
    const PatternNodeRule *rule = pattern_.RuleOf(&node);
    if (!rule) return others;
    for (Endpoint e : rule->alternatives) others.push_back(e.node);
    if (rule->optional_input >= 0) others.push_back(node.input(static_cast<size_t>(rule->optional_input)).node);
    return others;
  }

  /// A tensor that nodes stand for only because the others do would be matched by nothing.
  void Circles() const {
    struct Step {
      const Node *node;
      std::vector<const Node *> others;
      size_t next = 0;
    };
    std::set<const Node *> done;
    for (const Node *start : graph_.Nodes()) {
      std::vector<Step> path{{start, InPlaceOf(*start)}};
      while (!path.empty()) {
        Step &step = path.back();
        if (done.count(step.node) || step.next == step.others.size()) {
          done.insert(step.node);
          path.pop_back();
          continue;
        }
        const Node *other = step.others[step.next++];
        auto again = std::find_if(path.begin(), path.end(), [&](const Step &s) { return s.node == other; });
        if (again != path.end()) {
          std::string circle;
          for (; again != path.end(); ++again) circle += again->node->Label() + ", ";
          Refuse("alternatives and nodes that may be missing lead round in a circle: ", circle, other->Label());
        }
        path.push_back({other, InPlaceOf(*other)});
      }
    }
  }

  const GraphPattern &pattern_;
  const Graph &graph_;
};

}  // namespace

void GraphPattern::Check() const { PatternCheck(*this).Run(); }

const PatternNodeRule *GraphPattern::RuleOf(const Node *node) const {
  if (rules.empty()) return nullptr;
  auto at = rules.find(node);
  return at == rules.end() ? nullptr : &at->second;
}

}  // namespace gec
