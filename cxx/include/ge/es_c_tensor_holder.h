// The C++ face of the C tensor handle, for hand-written wrappers.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_EAGER_STYLE_GRAPH_BUILDER_ESC_TENSOR_HOLDER_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_EAGER_STYLE_GRAPH_BUILDER_ESC_TENSOR_HOLDER_H_

#include <cstdint>

#include "es_c_graph_builder.h"
#include "esb_funcs.h"
#include "graph/gnode.h"
#include "graph/tensor.h"

/// Never constructed here: every member works on a handle that a builder owns.
struct EsCTensorHolder {
  EsCTensorHolder() = delete;
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
  ge::GNode &GetProducer() { return *static_cast<ge::GNode *>(static_cast<void *>(EsGetProducer(this))); }
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
};

#endif
