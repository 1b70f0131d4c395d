#include "capi/src/handles.h"

#include "capi/src/es_builder.h"
#include "capi/src/model_handles.h"

namespace gec::api {
namespace {

// Reads the word at an aligned pointer to readable memory.
const char *KindOf(const void *pointer) {
  if (reinterpret_cast<uintptr_t>(pointer) % alignof(uint64_t) != 0) return nullptr;
  uint64_t magic;
  std::memcpy(&magic, pointer, sizeof magic);
  switch (magic) {
    case GeGraph::kMagic:
      return "graph";
    case GeTensor::kMagic:
      return "tensor";
    case GeModel::kMagic:
      return "model";
    case GeRunContext::kMagic:
      return "run context";
    case GeState::kMagic:
      return "state";
    case GeOptions::kMagic:
      return "set of options";
    case GeSessionHandle::kMagic:
      return "session";
    case EsCGraphBuilder::kMagic:
      return "graph builder";
    default:
      return static_cast<const Node *>(pointer)->valid() ? "node" : nullptr;
  }
}

}  // namespace

void BadHandle(const char *function, const char *argument, const void *pointer) {
  if (const char *kind = KindOf(pointer))
    Fail(GE_PARAM_INVALID, function, ": ", argument, " is a handle of another kind: a ", kind);
  Fail(GE_PARAM_INVALID, function, ": ", argument, " is not a valid handle (destroyed, or never one)");
}

void BadNode(const char *function, const char *argument, const gec::Node *node) {
  if (!LooksValid(node)) BadHandle(function, argument, node);
  if (node->graph().gone())
    Fail(GE_BAD_STATE, function, ": ", argument, " ", node->Label(), ": its graph '", node->graph().name(),
         "' was destroyed");
  Fail(GE_BAD_STATE, function, ": ", argument, " ", node->Label(), " was removed from its graph");
}

GeGraph *NewHandle(GraphPtr graph) {
  auto handle = std::make_unique<GeGraph>();
  handle->graph = std::move(graph);
  return handle.release();
}

GeTensor *NewHandle(std::shared_ptr<Tensor> tensor) {
  auto handle = std::make_unique<GeTensor>();
  handle->tensor = std::move(tensor);
  return handle.release();
}

}  // namespace gec::api
