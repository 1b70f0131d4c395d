#include "core/passes/fold.h"
#include "core/ops/make_node.h"

#include <algorithm>
#include <vector>

#include "core/ops/traits.h"

namespace gec {

size_t FoldKnownValues(Graph &graph, const std::unordered_map<uint64_t, TensorPtr> &values) {
  static const Symbol kMaker = "FoldKnownValues";
  std::vector<uint64_t> keys;
  keys.reserve(values.size());
  for (const auto &[key, value] : values) keys.push_back(key);
  std::sort(keys.begin(), keys.end());  // the same graph gives the same result every time
  std::vector<Endpoint> outputs = graph.Outputs();
  size_t folded = 0;
  for (uint64_t key : keys) {
    Node *node = graph.node(static_cast<uint32_t>(key >> 32));
    const int32_t port = static_cast<int32_t>(key & 0xffffffffu);
    if (node->removed() || IsConstType(node->type()) || IsDataType(node->type())) continue;
    const Endpoint from{node, port};
    if (node->uses(static_cast<size_t>(port)).empty() &&
        std::find(outputs.begin(), outputs.end(), from) == outputs.end())
      continue;
    const TensorPtr &value = values.at(key);
    if (!value || !value->buffer) continue;
    Node *made = MakeConst(graph, value, node->name());
    graph.InheritOrigins(made, {node}, kMaker);
    graph.ReplaceUses(from, {made, 0});
    ++folded;
  }
  return folded;
}

size_t RemoveDeadNodes(Graph &graph) {
  std::vector<uint8_t> output(graph.id_limit(), 0);
  for (Endpoint e : graph.Outputs()) {
    if (e) output[e.node->id()] = 1;
  }
  std::vector<Node *> pending = graph.Nodes();
  std::reverse(pending.begin(), pending.end());
  size_t removed = 0;
  for (size_t i = 0; i < pending.size(); ++i) {
    Node *node = pending[i];
    if (node->removed() || output[node->id()] || IsDataType(node->type()) || HasEffect(*node) ||
        node->total_uses() != 0 || !node->control_outputs().empty()) {
      continue;
    }
    std::vector<Node *> sources;
    for (size_t k = 0; k < node->input_count(); ++k) {
      if (Endpoint e = node->input(k)) sources.push_back(e.node);
    }
    for (Node *c : node->control_inputs()) sources.push_back(c);
    graph.RemoveNode(node);
    ++removed;
    pending.insert(pending.end(), sources.begin(), sources.end());
  }
  return removed;
}

}  // namespace gec
