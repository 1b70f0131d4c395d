// The C++ face of the C builder handle, for hand-written wrappers.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ESC_GRAPH_BUILDER_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ESC_GRAPH_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "esb_funcs.h"
#include "ge/detail/es_c_tensor.h"
#include "ge/es_node.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/detail/language.h"
#include "graph/graph.h"

/// A builder that a C++ program makes itself is the handle that C functions take: its address. Moving keeps tensors
/// valid; they follow the builder to its new address.
struct EsCGraphBuilder {
  EsCGraphBuilder() : EsCGraphBuilder(nullptr) {}
  /// Null: "graph".
  explicit EsCGraphBuilder(const char *name) { (void)GeEsBuilderInit(this, sizeof *this, name); }
  EsCGraphBuilder(EsCGraphBuilder &&other) noexcept { GeEsBuilderMove(&other, this); }
  EsCGraphBuilder &operator=(EsCGraphBuilder &&other) noexcept {
    if (this != &other) {
      GeEsBuilderDestroy(this);
      GeEsBuilderMove(&other, this);
    }
    return *this;
  }
  ~EsCGraphBuilder() { GeEsBuilderDestroy(this); }
  EsCGraphBuilder(const EsCGraphBuilder &) = delete;
  EsCGraphBuilder &operator=(const EsCGraphBuilder &) = delete;

  /// Builder-owned holder; null for an input node.
  EsCTensorHolder *GetTensorHolderFromNode(const ge::GNode &node, int32_t output_index) {
    const char *type = GeNodeType(node.handle());
    for (const char *input : {"Data", "RefData", "AippData", "AnyData"})
      if (std::strcmp(type, input) == 0) return nullptr;
    EsCTensorHolder *holder = nullptr;
    return GeEsHolderFromNode(this, node.handle(), output_index, &holder) == GE_SUCCESS ? holder : nullptr;
  }
  std::vector<EsCTensorHolder *> *CreateDynamicTensorHolderFromNode(const ge::GNode &node, int32_t start_idx,
                                                                    int32_t output_num) {
    auto holders = ge::detail::MakeUnique<std::vector<EsCTensorHolder *>>();
    for (int32_t i = 0; i < output_num; ++i) holders->push_back(GetTensorHolderFromNode(node, start_idx + i));
    return AddResource(std::move(holders));
  }
  /// The graph under construction; null after build. Owned by the builder.
  ge::Graph *GetGraph() {
    GeGraph *graph = nullptr;
    if (GeEsBuilderRetainGraph(this, &graph) != GE_SUCCESS) return nullptr;
    return AddResource(std::unique_ptr<ge::Graph>(new ge::Graph(ge::Graph::Adopt(graph))));
  }
  ge::AscendString GenerateNodeName(const char *node_type) {
    char name[256];
    return GeEsBuilderNextName(this, node_type, name, sizeof name) == GE_SUCCESS ? ge::AscendString(name)
                                                                                 : ge::AscendString("");
  }
  EsCTensorHolder *AddGraphInput(int32_t index, const char *name = nullptr, const char *type = nullptr,
                                 C_DataType data_type = C_DT_FLOAT, C_Format format = C_FORMAT_ND,
                                 const int64_t *dims = nullptr, int64_t dim_num = 0) {
    return EsCreateGraphInputWithDetails(this, index, name, type, data_type, format, dims, dim_num);
  }
  EsCTensorHolder *AppendGraphInput(const char *name = nullptr, const char *type = nullptr) {
    return AddGraphInput(static_cast<int32_t>(GeEsBuilderInputCount(this)), name, type);
  }
  ge::Status SetGraphOutput(EsCTensorHolder *tensor, int64_t index) { return EsSetGraphOutput(tensor, index); }
  std::unique_ptr<ge::Graph> BuildGraphAndReset() {
    return std::unique_ptr<ge::Graph>(static_cast<ge::Graph *>(static_cast<void *>(EsBuildGraphAndReset(this))));
  }

  template <class T>
  static void DefaultDeleter(void *object) {
    delete static_cast<T *>(object);
  }
  /// Hands an object to the builder, which deletes it at its own end.
  template <class T>
  T *AddResource(std::unique_ptr<T> value, std::function<void(void *)> deleter = DefaultDeleter<T>) {
    struct Holder {
      void *object;
      std::function<void(void *)> deleter;
    };
    T *raw = value.get();
    auto holder = ge::detail::MakeUnique<Holder>(Holder{raw, std::move(deleter)});
    auto release = [](void *self) {
      std::unique_ptr<Holder> owned(static_cast<Holder *>(self));
      owned->deleter(owned->object);
    };
    if (GeEsBuilderAddResource(this, holder.get(), release) != GE_SUCCESS) return nullptr;
    (void)holder.release();
    (void)value.release();
    return raw;
  }

 private:
  // The library's; the numbers are part of the C interface.
  uint64_t magic_ = 0;
  void *body_ = nullptr;
};
static_assert(sizeof(EsCGraphBuilder) == GE_ES_BUILDER_BYTES, "the library's builder handle");

#endif
