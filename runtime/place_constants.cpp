#include "runtime/place_constants.h"

#include <cstring>
#include <map>

#include "runtime/input_copies.h"

namespace gec {
namespace {

template <class Change>
void ForEachConstant(Graph &root, Change &&change) {
  static const Symbol kValue = "value";
  auto in = [&](Graph &graph) {
    for (Node *node : graph.Nodes()) {
      if (!IsConstType(node->type())) continue;
      const TensorPtr tensor = ConstantOf({node, 0});
      if (!tensor || !tensor->buffer || tensor->buffer->size() == 0) continue;
      std::shared_ptr<Buffer> there = change(*tensor);
      if (there) graph.SetAttr(node, kValue, AttrValue(TensorPtr(std::make_shared<Tensor>(tensor->desc, there))));
    }
  };
  in(root);
  for (const GraphPtr &sub : root.subgraphs()) in(*sub);
}

}  // namespace

void PlaceConstants(Graph &root, ConstantMemory &memory) {
  std::map<const Buffer *, std::shared_ptr<Buffer>> placed;
  ForEachConstant(root, [&](const Tensor &tensor) {
    std::shared_ptr<Buffer> &there = placed[tensor.buffer.get()];
    if (!there) {
      there = memory.Take(tensor.bytes());
      std::memcpy(there->data(), tensor.data(), tensor.bytes());
    }
    return there;
  });
}

void AlignConstants(Graph &root) {
  ForEachConstant(root, [](const Tensor &tensor) -> std::shared_ptr<Buffer> {
    if (!tensor.buffer || AlignedFor(tensor.desc.dtype, tensor.buffer->address())) return nullptr;
    return Buffer::Copy(tensor.data(), tensor.bytes());
  });
}

}  // namespace gec
