// EsGraphBuilder: builds a graph in functional style.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_GRAPH_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_GRAPH_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "compliant_node_builder.h"
#include "es_c_graph_builder.h"
#include "es_tensor_holder.h"
#include "graph/attr_value.h"
#include "graph/graph.h"

namespace ge {
namespace es {

/// The C functions refuse null, which the data of an empty vector may be. Where `dims` ask for no element either, this
/// is some address.
template <class T>
const T *EsDataOf(const std::vector<T> &value, const std::vector<int64_t> &dims) {
  static const T none{};
  return value.empty() && std::find(dims.begin(), dims.end(), 0) != dims.end() ? &none : value.data();
}

/// A tensor of `dims` (null or dim_num <= 0: a scalar) that copies `value`.
template <class T>
std::unique_ptr<Tensor> CreateTensor(const T *value, const int64_t *dims, int64_t dim_num, DataType dt,
                                     Format format = FORMAT_ND) {
  if (value == nullptr) return nullptr;
  std::vector<int64_t> shape;
  if (dims != nullptr && dim_num > 0) shape.assign(dims, dims + dim_num);
  int64_t count = 1;
  for (int64_t dim : shape)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return nullptr;
  TensorDesc desc{Shape(shape), format, dt};
  desc.SetOriginShape(Shape(shape));
  desc.SetOriginFormat(format);
  return std::unique_ptr<Tensor>(new (std::nothrow) Tensor(desc, reinterpret_cast<const uint8_t *>(value),
                                                           static_cast<size_t>(count) * sizeof(T)));
}

template <class T>
std::unique_ptr<Tensor> CreateTensorFromFile(const char *data_file_path, const std::vector<int64_t> &dims, DataType dt,
                                             Format format = FORMAT_ND) {
  return std::unique_ptr<Tensor>(static_cast<Tensor *>(
      static_cast<void *>(EsCreateEsCTensorFromFile(data_file_path, dims.data(), static_cast<int64_t>(dims.size()),
                                                    static_cast<C_DataType>(dt), static_cast<C_Format>(format)))));
}

/// A Const node for any element type.
template <class T>
EsCTensorHolder *EsCreateConstV2(EsCGraphBuilder *graph, const T *value, const int64_t *dims, int64_t dim_num,
                                 ge::DataType dt, ge::Format format = FORMAT_ND) {
  std::unique_ptr<Tensor> tensor = CreateTensor<T>(value, dims, dim_num, dt, format);
  if (graph == nullptr || tensor == nullptr) return nullptr;
  Graph *ge_graph = graph->GetGraph();
  if (ge_graph == nullptr) return nullptr;
  AscendString name = graph->GenerateNodeName("Const");
  GNode node = CompliantNodeBuilder(ge_graph)
                   .OpType("Const")
                   .Name(name.GetString())
                   .IrDefOutputsV2({{"y", CompliantNodeBuilder::kEsIrOutputRequired, ""}})
                   .IrDefAttrsV2({{"value", CompliantNodeBuilder::kEsAttrOptional, "Tensor", CreateFrom(*tensor)}})
                   .Build();
  TensorDesc desc = tensor->GetTensorDesc();
  (void)node.UpdateOutputDesc(0, desc);
  return graph->GetTensorHolderFromNode(node, 0);
}
template <class T>
EsCTensorHolder *EsCreateConst(EsCGraphBuilder *graph, const T *value, const int64_t *dims, int64_t dim_num,
                               ge::DataType dt, ge::Format format = FORMAT_ND) {
  return EsCreateConstV2<T>(graph, value, dims, dim_num, dt, format);
}

inline std::vector<EsCTensorHolder *> TensorsToEsCTensorHolders(const std::vector<EsTensorHolder> &tensors) {
  std::vector<EsCTensorHolder *> out;
  out.reserve(tensors.size());
  for (const EsTensorHolder &tensor : tensors) out.push_back(tensor.GetCTensorHolder());
  return out;
}
inline std::vector<C_DataType> DataTypesToEsCDataTypes(const std::vector<ge::DataType> &types) {
  std::vector<C_DataType> out;
  out.reserve(types.size());
  for (ge::DataType type : types) out.push_back(static_cast<C_DataType>(type));
  return out;
}
template <class T>
std::pair<std::vector<const T *>, std::vector<int64_t>> ListListTypeToPtrAndCounts(
    const std::vector<std::vector<T>> &rows) {
  std::pair<std::vector<const T *>, std::vector<int64_t>> out;
  for (const std::vector<T> &row : rows) {
    out.first.push_back(row.data());
    out.second.push_back(static_cast<int64_t>(row.size()));
  }
  return out;
}
inline std::vector<EsCGraph *> GeGraphsToEsCGraphs(std::vector<std::unique_ptr<ge::Graph>> graphs) {
  std::vector<EsCGraph *> out;
  for (std::unique_ptr<ge::Graph> &graph : graphs)
    out.push_back(static_cast<EsCGraph *>(static_cast<void *>(graph.release())));
  return out;
}

class EsGraphBuilder {
 public:
  explicit EsGraphBuilder(const char *name) : builder_(EsCreateGraphBuilder(name), &EsDestroyGraphBuilder) {}
  EsGraphBuilder(EsGraphBuilder &&) noexcept = default;
  EsGraphBuilder &operator=(EsGraphBuilder &&) noexcept = default;

  EsTensorHolder CreateInput(int64_t index) { return EsCreateGraphInput(get(), index); }
  EsTensorHolder CreateInput(int64_t index, const char *name) { return CreateInput(index, name, nullptr); }
  EsTensorHolder CreateInput(int64_t index, const char *name, const char *type) {
    return EsCreateGraphInputWithDetails(get(), index, name, type, C_DT_FLOAT, C_FORMAT_ND, nullptr, 0);
  }
  EsTensorHolder CreateInput(int64_t index, const char *name, ge::DataType data_type, ge::Format format,
                             const std::vector<int64_t> &shape) {
    return EsCreateGraphInputWithDetails(get(), index, name, nullptr, static_cast<C_DataType>(data_type),
                                         static_cast<C_Format>(format), shape.data(),
                                         static_cast<int64_t>(shape.size()));
  }
  template <size_t N>
  std::array<EsTensorHolder, N> CreateInputs(size_t start_index = 0) {
    std::array<EsTensorHolder, N> inputs;
    for (size_t i = 0; i < N; ++i) inputs[i] = CreateInput(static_cast<int64_t>(start_index + i));
    return inputs;
  }
  std::vector<EsTensorHolder> CreateInputs(size_t inputs_num, size_t start_index = 0) {
    std::vector<EsTensorHolder> inputs;
    for (size_t i = 0; i < inputs_num; ++i) inputs.push_back(CreateInput(static_cast<int64_t>(start_index + i)));
    return inputs;
  }

#define GE_ES_CONSTANTS(T, Name)                                                                              \
  EsTensorHolder CreateConst(const std::vector<T> &value, const std::vector<int64_t> dims) {                  \
    return EsCreateConst##Name(get(), EsDataOf(value, dims), dims.data(), static_cast<int64_t>(dims.size())); \
  }                                                                                                           \
  EsTensorHolder CreateVector(const std::vector<T> &value) {                                                  \
    const int64_t count = static_cast<int64_t>(value.size());                                                 \
    return EsCreateVector##Name(get(), EsDataOf(value, {count}), count);                                      \
  }                                                                                                           \
  EsTensorHolder CreateScalar(T value) { return EsCreateScalar##Name(get(), value); }
  GE_ES_CONSTANTS(int64_t, Int64)
  GE_ES_CONSTANTS(int32_t, Int32)
  GE_ES_CONSTANTS(uint64_t, UInt64)
  GE_ES_CONSTANTS(uint32_t, UInt32)
  GE_ES_CONSTANTS(float, Float)
#undef GE_ES_CONSTANTS

  template <class T>
  EsTensorHolder CreateConst(const std::vector<T> &value, const std::vector<int64_t> &dims, ge::DataType dt,
                             ge::Format format = FORMAT_ND) {
    return EsCreateConstV2<T>(get(), value.data(), dims.data(), static_cast<int64_t>(dims.size()), dt, format);
  }
  template <class T>
  EsTensorHolder CreateConstV2(const std::vector<T> &value, const std::vector<int64_t> &dims, ge::DataType dt,
                               ge::Format format = FORMAT_ND) {
    return CreateConst<T>(value, dims, dt, format);
  }
  EsTensorHolder CreateVariable(int32_t index, const char *name) { return EsCreateVariable(get(), index, name); }

  template <class T>
  std::unique_ptr<Tensor> CreateTensor(const std::vector<T> &value, const std::vector<int64_t> &dims, DataType dt,
                                       Format format = FORMAT_ND) {
    return std::unique_ptr<Tensor>(static_cast<Tensor *>(
        static_cast<void *>(EsCreateEsCTensor(value.data(), dims.data(), static_cast<int64_t>(dims.size()),
                                              static_cast<C_DataType>(dt), static_cast<C_Format>(format)))));
  }
  std::unique_ptr<Tensor> CreateBoolTensor(const std::vector<bool> &value, const std::vector<int64_t> &dims,
                                           Format format = FORMAT_ND) {
    std::vector<uint8_t> bytes(value.begin(), value.end());
    return CreateTensor<uint8_t>(bytes, dims, DT_BOOL, format);
  }

  Status SetAttr(const char *attr_name, int64_t value) { return EsSetInt64AttrForGraph(get(), attr_name, value); }
  Status SetAttr(const char *attr_name, const char *value) { return EsSetStringAttrForGraph(get(), attr_name, value); }
  Status SetAttr(const char *attr_name, bool value) { return EsSetBoolAttrForGraph(get(), attr_name, value); }
  static int64_t SetOutput(const EsTensorHolder &tensor, int64_t index) {
    return static_cast<int64_t>(EsSetGraphOutput(tensor.GetCTensorHolder(), index));
  }
  std::unique_ptr<Graph> BuildAndReset() const {
    return std::unique_ptr<Graph>(static_cast<Graph *>(static_cast<void *>(EsBuildGraphAndReset(get()))));
  }
  std::unique_ptr<Graph> BuildAndReset(const std::vector<EsTensorHolder> &outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) (void)SetOutput(outputs[i], static_cast<int64_t>(i));
    return BuildAndReset();
  }
  EsCGraphBuilder *GetCGraphBuilder() const { return get(); }

 private:
  EsCGraphBuilder *get() const { return builder_.get(); }
  std::unique_ptr<EsCGraphBuilder, decltype(&EsDestroyGraphBuilder)> builder_;
};

}  // namespace es
}  // namespace ge

#endif
