#include "core/serialize/node_names.h"

namespace gec {

NodeNames::NodeNames(const Graph &graph) {
  if (!graph.has_repeated_names()) return;
  std::unordered_map<std::string_view, size_t> count;
  for (const Node *node : graph.Nodes()) {
    if (graph.Find(node->name()) == node) continue;
    size_t &n = count[node->name()];
    if (n == 0) n = 1;
    std::string name;
    do {
      name = Str(node->name(), '#', ++n);
    } while (graph.Find(name));
    others_.emplace(node, std::move(name));
  }
}

const std::string &NodeNames::operator()(const Node &node) const {
  if (others_.empty()) return node.name();
  auto found = others_.find(&node);
  return found == others_.end() ? node.name() : found->second;
}

std::string NodeNames::operator()(Endpoint e) const { return e ? Str((*this)(*e.node), ":", e.port) : std::string(); }

}  // namespace gec
