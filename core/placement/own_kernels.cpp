#include "core/placement/own_kernels.h"

#include <unordered_map>

#include "core/ops/traits.h"

namespace gec {
namespace {

class Marker {
 public:
  explicit Marker(const KernelFactory &kernels) : kernels_(kernels) {}

  void Mark(Graph &graph) {
    for (Node *node : graph.Nodes()) {
      if (node->ir().own_kernel || !NeedsKernel(*node) || !Builtin(node->type())) continue;
      const OpDescView view(*node);
      if (kernels_.WouldRunOwn(*node, *view.get())) graph.SetOwnKernel(node);
    }
  }

 private:
  bool Builtin(Symbol type) {
    auto [it, fresh] = builtin_.try_emplace(type, false);
    if (fresh) it->second = IsBuiltinType(type);
    return it->second;
  }
  const KernelFactory &kernels_;
  std::unordered_map<Symbol, bool> builtin_;
};

}  // namespace

void MarkOwnKernels(Graph &root, const KernelFactory &kernels) {
  if (!kernels.has_own_engines()) return;
  Marker marker(kernels);
  marker.Mark(root);
  for (const GraphPtr &graph : root.subgraphs()) marker.Mark(*graph);
}

}  // namespace gec
