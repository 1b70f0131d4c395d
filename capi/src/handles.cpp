#include "capi/src/handles.h"

namespace gec::api {

void BadHandle(const char *function, const char *argument) {
  Fail(GE_PARAM_INVALID, function, ": ", argument, " is not a living handle");
}

void BadNode(const char *function, const char *argument, const gec::Node *node) {
  if (!node->valid()) BadHandle(function, argument);
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

void CheckStruct(const char *function, const char *name, size_t given, size_t expected) {
  if (given != expected)
    Fail(GE_ABI_MISMATCH, function, ": ", name, ".struct_size is ", given, ", this library has ", expected);
}

}  // namespace gec::api
