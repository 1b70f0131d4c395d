// The objects behind the handles of esb_funcs.h.
//
// EsCGraph, EsCTensor and EsCNode hold one pointer each: C++ code casts them to ge::Graph, ge::Tensor and ge::GNode,
// which hold exactly that pointer, and deletes them there.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capi/src/es_holders.h"
#include "capi/src/handles.h"
#include "esb_funcs.h"
#include "ge/es_node.h"

// GE programs delete boxes as ge::Graph and ge::Tensor, and hand over ones that they made: both sides use malloc and
// free.
struct EsBox {
  static void *operator new(size_t size) {
    void *memory = std::malloc(size);
    if (!memory) throw std::bad_alloc();
    return memory;
  }
  static void operator delete(void *memory) noexcept { std::free(memory); }
};
struct EsCGraph : EsBox {
  explicit EsCGraph(GeGraph *g) : graph(g) {}
  GeGraph *graph;
};
struct EsCTensor : EsBox {
  explicit EsCTensor(GeTensor *t) : tensor(t) {}
  GeTensor *tensor;
};
struct EsCNode {
  GeNode *node;
};

namespace gec::api {

/// The object behind a builder's handle.
struct EsBuilder {
  static constexpr uint64_t kMagic = 0x4573426f64794765 ^ GE_HANDLE_SALT;
  EsBuilder(EsCGraphBuilder *handle, const char *name) : box(handle), graph(Graph::Create(name ? name : "graph")) {}
  ~EsBuilder();
  EsBuilder(const EsBuilder &) = delete;
  EsBuilder &operator=(const EsBuilder &) = delete;

  struct Resource {
    void *object;
    void (*deleter)(void *object);
  };

  std::string What() const { return "graph builder '" + graph->NameFromOutside() + "'"; }

  uint64_t magic = kMagic;
  ThreadOwner owner;     // of the builder; its graph has one too, which outlives it
  EsCGraphBuilder *box;  // the handle, which C++ programs may move
  GraphPtr graph;        // kept after the build, so that holders stay usable
  bool built = false;
  uint64_t next_name = 0;
  std::string clash;  // why the graph cannot be built: a subgraph's name that occurs twice
  std::map<int64_t, Node *> inputs;
  std::map<int64_t, Endpoint> outputs;
  EsHolders holders;
  std::vector<std::unique_ptr<EsCTensorHolder *[]>> arrays;
  std::vector<Resource> resources;
};

}  // namespace gec::api

// C++ programs make holders of their own (es_c_tensor_holder.h), with these members in this order.
struct EsCTensorHolder {
  EsCNode producer{nullptr};
  int32_t index = 0;      // -1: an operator without outputs
  uint32_t retained = 0;  // the producer was handed out, as a ge::GNode: it holds the node's handle
  gec::api::EsBuilder *builder = nullptr;
};

// C++ programs make builders of their own too (es_c_graph_builder.h), with these members in this order.
struct EsCGraphBuilder : EsBox {
  static constexpr uint64_t kMagic = 0x45734275696c6465 ^ GE_HANDLE_SALT;
  explicit EsCGraphBuilder(const char *name) : body(new gec::api::EsBuilder(this, name)) {}
  ~EsCGraphBuilder() {
    *static_cast<volatile uint64_t *>(&magic) = 0;
    delete body;
  }
  EsCGraphBuilder(const EsCGraphBuilder &) = delete;
  EsCGraphBuilder &operator=(const EsCGraphBuilder &) = delete;

  uint64_t magic = kMagic;
  gec::api::EsBuilder *body;
};

namespace gec::api {

/// As Guard and GuardValue; failures are also logged.
GeStatus LogFailure(GeStatus status) noexcept;
template <class Body>
GeStatus EsGuard(Body &&body, const char *function = __builtin_FUNCTION()) noexcept {
  GeStatus status = Guard(std::forward<Body>(body), function);
  return status == GE_SUCCESS ? status : LogFailure(status);
}
/// For functions of esb_funcs.h: what they refuse has one number, as in GE; the last error keeps its own code.
template <class Body>
uint32_t EsStatus(Body &&body, const char *function = __builtin_FUNCTION()) noexcept {
  GeStatus status = EsGuard(std::forward<Body>(body), function);
  return status == GE_BAD_STATE ? GE_PARAM_INVALID : status;
}
template <class T, class Body>
T *EsGuardPointer(Body &&body, const char *function = __builtin_FUNCTION()) noexcept {
  T *result = nullptr;
  EsGuard([&] { result = body(); }, function);
  return result;
}

/// A holder has no magic word of its own; its builder has. A builder in a holder's place is told by its first word.
inline bool IsValid(const EsCTensorHolder *holder) noexcept {
  if (!holder || reinterpret_cast<uintptr_t>(holder) % alignof(EsCTensorHolder) != 0) return false;
  uint64_t first;
  std::memcpy(&first, holder, sizeof first);
  return first != EsCGraphBuilder::kMagic && IsValid(holder->builder);
}
/// Enters a builder and its graph.
EsBuilder &Enter(EsBuilder &builder, const char *function);
/// Enters the builder; `argument` is what the function calls the handle.
EsBuilder &BuilderOf(EsCGraphBuilder *builder, const char *function, const char *argument);
/// Enters a builder, and refuses one whose graph is built.
EsBuilder &StillOpen(EsBuilder &builder, const char *function);
EsBuilder &OpenBuilder(EsCGraphBuilder *builder, const char *function, const char *argument);
EsCTensorHolder &HolderOf(EsCTensorHolder *holder, const char *function, const char *argument = "tensor");
Node &ProducerOf(const EsCTensorHolder &holder, const char *function);

/// "<type>_<n>" with the builder's counter.
std::string NextName(EsBuilder &builder, std::string_view type);
EsCTensorHolder *NewHolder(EsBuilder &builder, Node *node, int32_t index);
EsCTensorHolder *AddConstNode(EsBuilder &builder, TensorPtr value);

/// The number behind an enum that a C caller passes: any value may come, also ones that the enum does not have.
template <class Enum>
int32_t Number(const Enum &value) {
  int32_t number;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

/// Dimensions as ES functions take them: null or {} is a scalar; GE_UNKNOWN_RANK of them, or {-2}, an unknown rank.
Shape EsShape(const int64_t *dims, int64_t dim_num, const char *function);

/// The registered prototype when there is one, else ES's own minimal one. Types: the data types, Variable, Const.
const IrDef *BaseIr(std::string_view type);
/// The prototype that this library knows for one of those types, or null.
const IrDef *InstalledIr(std::string_view type);
const IrDef *NetOutputIr();

EsCTensor *NewBox(GeTensor *tensor);
EsCGraph *NewBox(GeGraph *graph);

}  // namespace gec::api
