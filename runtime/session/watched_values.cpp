#include "runtime/session/watched_values.h"

#include <algorithm>

namespace gec {
namespace {

const Symbol kSummary("Summary"), kSave("Save");

bool IsWatcher(const Node &node) { return node.type() == kSummary || node.type() == kSave; }
/// Hands on the variable that it reads.
bool HandsOn(const Node &node) {
  static const Symbol types[] = {Symbol("Identity"), Symbol("ReadVariableOp"), Symbol("TransData"), Symbol("Cast"),
                                 Symbol("Assign"),   Symbol("AssignAdd"),      Symbol("AssignSub")};
  for (Symbol type : types)
    if (node.type() == type) return true;
  return false;
}

/// The variable's name; that of the node where the value does not come from a variable.
std::string NameOfSaved(const Node &node) {
  static const Symbol shared_name("shared_name"), plain("Variable");  // the one without a shared name
  const Node *at = &node;
  while (!IsVariableType(at->type())) {
    const Node *source = HandsOn(*at) && at->input_count() > 0 ? at->input(0).node : nullptr;
    if (!source) return node.name();
    at = source;
  }
  const std::string shared = at->type() == plain ? "" : at->String(shared_name);
  return shared.empty() ? at->name() : shared;
}

}  // namespace

bool HasWatchedValues(const Graph &graph) { return graph.HasAny({kSummary, kSave}); }
bool HasVariables(const Graph &graph) {
  const std::vector<Symbol> types = graph.Types();
  return std::any_of(types.begin(), types.end(), IsVariableType);
}

WatchedValues WatchedValuesToOutputs(Graph &graph) {
  WatchedValues watched;
  std::vector<Node *> watchers;
  std::vector<Endpoint> outputs, saved;
  for (const Endpoint &output : graph.Outputs())
    if (output && !IsWatcher(*output.node)) outputs.push_back(output);
  for (Node *node : graph.Nodes()) {
    if (!IsWatcher(*node)) continue;
    watchers.push_back(node);
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Endpoint source = node->input(i);
      if (!source) continue;
      if (node->type() == kSummary) {
        outputs.push_back(source);
        watched.summaries.push_back(node->name());
        break;  // of one value
      }
      saved.push_back(source);
      watched.saved.push_back(NameOfSaved(*source.node));
    }
  }
  outputs.insert(outputs.end(), saved.begin(), saved.end());
  graph.SetOutputs(std::move(outputs));
  for (Node *node : watchers) graph.RemoveNode(node);
  return watched;
}

}  // namespace gec
