// The opaque handles of the C ABI, and the one place that maps them to objects.
//
// Every handle begins with a magic word of its kind, so that a stale or foreign pointer is refused while that can still
// be told; GeGraph and GeTensor count their references. A GeNode is the node itself.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "capi/src/guard.h"
#include "core/ir/enter_graph.h"
#include "core/support/abi_sizes.h"
#include "ge/es_node.h"
#include "ge/graph.h"

// Another copy of the builder in the same process (libesb.a) has other magic words: its handles are refused here.
#ifndef GE_HANDLE_SALT
#define GE_HANDLE_SALT 0
#endif

struct GeGraph {
  static constexpr uint64_t kMagic = 0x4772617048616e64 ^ GE_HANDLE_SALT;
  uint64_t magic = kMagic;
  std::atomic<uint32_t> refs{1};
  gec::GraphPtr graph;
};

/* The content of a tensor changes under its own lock: readers of one tensor may share it. */
struct GeTensor {
  static constexpr uint64_t kMagic = 0x54656e73486e646c ^ GE_HANDLE_SALT;
  uint64_t magic = kMagic;
  std::atomic<uint32_t> refs{1};
  std::shared_ptr<gec::Tensor> tensor;  // others that hold it make it immutable
  mutable gec::AttrViewCache views;     // of attributes that were read
  std::string refused;                  // why the last description was not accepted; constructors cannot say it
  mutable std::mutex mutex;
};

namespace gec::api {

/// Says, where it can be told, what `pointer` is instead.
[[noreturn]] void BadHandle(const char *function, const char *argument, const void *pointer);
[[noreturn]] void BadNode(const char *function, const char *argument, const gec::Node *node);

template <class Handle>
bool IsValid(const Handle *handle) noexcept {
  return handle && reinterpret_cast<uintptr_t>(handle) % alignof(Handle) == 0 && handle->magic == Handle::kMagic;
}
/// Enters an object that one thread at a time uses.
template <class H>
requires requires(H *handle) { handle->owner; }
void EnterHandle(H *handle, const char *function) {
  Visit::Enter(handle->owner, function, [handle] { return handle->What(); });
}
/// The object behind a handle; `function` and `argument` are for the message.
template <class H>
H &ValidOf(H *handle, const char *function, const char *argument) {
  if (!handle) NullArgument(function, argument);
  if (!IsValid(handle)) BadHandle(function, argument, handle);
  if constexpr (requires { handle->owner; }) EnterHandle(handle, function);
  return *handle;
}
/// Frees a handle that nobody may use any more.
template <class H>
void Invalidate(H *handle) noexcept {
  *static_cast<volatile uint64_t *>(&handle->magic) = 0;  // volatile: the store must happen
  delete handle;
}
/// Frees what one thread at a time uses, unless another one is inside: then it stays, and the last error says so.
template <class H>
void DestroyEntered(H *handle, const char *function) noexcept {
  if (!IsValid(handle)) return;
  Guard([&] {
    EnterHandle(handle, function);
    Invalidate(handle);
  });
}
inline Graph &GraphOf(const GeGraph *handle, const char *function, const char *argument = "graph") {
  return Enter(*ValidOf(handle, function, argument).graph, function);
}
inline Tensor &TensorOf(const GeTensor *handle, const char *function, const char *argument = "tensor") {
  return *ValidOf(handle, function, argument).tensor;
}
inline Node *Raw(const GeNode *node) { return reinterpret_cast<Node *>(const_cast<GeNode *>(node)); }
inline GeNode *Handle(const Node *node) { return reinterpret_cast<GeNode *>(const_cast<Node *>(node)); }
inline bool LooksValid(const Node *node) noexcept {
  return reinterpret_cast<uintptr_t>(node) % alignof(Node) == 0 && node->valid();
}
/// A valid node of any graph.
inline Node &NodeOf(const GeNode *handle, const char *function, const char *argument = "node") {
  Node *node = Raw(handle);
  if (!node) NullArgument(function, argument);
  if (!LooksValid(node)) BadNode(function, argument, node);
  Enter(node->graph(), function);
  if (node->removed()) BadNode(function, argument, node);
  return *node;
}
/// For functions without a status: read(node) of a valid node, else `none`.
template <class Value, class Read>
Value ReadNode(const GeNode *handle, const char *function, Value none, Read &&read) noexcept {
  return GuardValue<Value>(
      none,
      [&]() -> Value {
        const Node *node = Raw(handle);
        if (!node || !LooksValid(node)) return none;
        Enter(node->graph(), function);
        return node->removed() ? none : read(*node);
      },
      function);
}
/// GE_TENSOR_HAS_DETAILS where it applies.
inline uint32_t DetailsFlag(const TensorDesc &desc) {
  static const Symbol details(GE_TENSOR_DETAILS);
  return desc.attrs && desc.attrs->Has(details) ? GE_TENSOR_HAS_DETAILS : 0u;
}
/// A handle of a node that was handed out may outlive its graph; see GeNodeHandleRetain.
inline bool HoldNode(GeNode *handle) noexcept {
  if (!handle || !LooksValid(Raw(handle))) return false;
  Raw(handle)->home().HoldNodes();
  return true;
}
inline void DropNodeReference(GeNode *handle) noexcept {
  if (handle && LooksValid(Raw(handle))) Raw(handle)->home().DropNodes();
}
/// The same for graphs.
template <class Value, class Read>
Value ReadGraph(const GeGraph *handle, const char *function, Value none, Read &&read) noexcept {
  return GuardValue<Value>(
      none, [&]() -> Value { return IsValid(handle) ? read(Enter(*handle->graph, function)) : none; }, function);
}

GeGraph *NewHandle(GraphPtr graph);
GeTensor *NewHandle(std::shared_ptr<Tensor> tensor);
/// Drops one reference.
template <class H>
void Drop(H *handle) noexcept {
  if (!IsValid(handle)) return;
  if (handle->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) Invalidate(handle);
}

}  // namespace gec::api
