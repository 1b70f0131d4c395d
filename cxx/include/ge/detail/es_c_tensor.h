// EsCTensorHolder: what es_c_tensor_holder.h and es_c_graph_builder.h share, so that each brings both.
#ifndef INC_GE_DETAIL_ES_C_TENSOR_H_
#define INC_GE_DETAIL_ES_C_TENSOR_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "esb_funcs.h"
#include "ge/es_node.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/detail/language.h"
#include "graph/gnode.h"
#include "graph/tensor.h"

/// One output of a node of a builder's graph. The builder makes and owns those that its functions return; a program may
/// make more.
struct EsCTensorHolder {
  EsCTensorHolder(EsCGraphBuilder &owner_graph_builder, const ge::GNode &producer, int32_t index) {
    (void)GeEsHolderInit(this, sizeof *this, &owner_graph_builder, producer.handle(), index);
  }
  EsCTensorHolder(EsCTensorHolder &&other) noexcept { Take(other); }
  EsCTensorHolder &operator=(EsCTensorHolder &&other) noexcept {
    if (this != &other) {
      GeEsHolderDestroy(this);
      Take(other);
    }
    return *this;
  }
  ~EsCTensorHolder() { GeEsHolderDestroy(this); }
  EsCTensorHolder(const EsCTensorHolder &) = delete;
  EsCTensorHolder &operator=(const EsCTensorHolder &) = delete;

  ge::Status SetDataType(ge::DataType data_type) { return EsSetDataType(this, static_cast<C_DataType>(data_type)); }
  ge::Status SetFormat(ge::Format format) { return EsSetFormat(this, static_cast<C_Format>(format)); }
  ge::Status SetOriginFormat(ge::Format format) {
    return Change([&](ge::TensorDesc &desc) { desc.SetOriginFormat(format); });
  }
  ge::Status SetStorageFormat(ge::Format format) {
    return Change([&](ge::TensorDesc &desc) { desc.SetFormat(format); });
  }
  ge::Status SetShape(const ge::Shape &shape) {
    std::vector<int64_t> dims = shape.GetDims();
    return EsSetShape(this, dims.data(), static_cast<int64_t>(dims.size()));
  }
  ge::Status SetOriginShape(const ge::Shape &shape) {
    return Change([&](ge::TensorDesc &desc) { desc.SetOriginShape(shape); });
  }
  ge::Status SetStorageShape(const ge::Shape &shape) {
    return Change([&](ge::TensorDesc &desc) { desc.SetShape(shape); });
  }
  ge::Status SetOriginSymbolShape(const char *const *shape, int64_t dim_num) {
    return EsSetOriginSymbolShape(this, shape, dim_num);
  }
  ge::GNode &GetProducer() {
    static thread_local ge::GNode none;  // of a holder that could not be made, or whose builder is gone
    EsCNode *node = EsGetProducer(this);
    return node == nullptr ? none : *static_cast<ge::GNode *>(static_cast<void *>(node));
  }
  int32_t GetOutIndex() const { return GeEsHolderIndex(this); }
  EsCGraphBuilder &GetOwnerBuilder() { return *EsGetOwnerBuilder(this); }

 private:
  template <class F>
  ge::Status Change(F &&change) {
    ge::TensorDesc desc;
    ge::Status status = GetProducer().GetOutputDesc(GetOutIndex(), desc);
    if (status != ge::SUCCESS) return status;
    change(desc);
    return GetProducer().UpdateOutputDesc(GetOutIndex(), desc);
  }
  void Take(EsCTensorHolder &other) noexcept {
    node_ = ge::detail::Exchange(other.node_, nullptr);
    index_ = other.index_;
    retained_ = ge::detail::Exchange(other.retained_, 0);
    builder_ = ge::detail::Exchange(other.builder_, nullptr);
  }
  // The library's; the members are part of the C interface.
  GeNode *node_ = nullptr;
  int32_t index_ = 0;
  uint32_t retained_ = 0;
  void *builder_ = nullptr;
};
static_assert(sizeof(EsCTensorHolder) == GE_ES_HOLDER_BYTES, "the library's tensor handle");

#endif
