// Inference by functions that take contexts of gert: those of IMPL_OP, and ShapeInferOp of custom operators.
#ifndef INC_GRAPH_DETAIL_CONTEXT_INFER_H_
#define INC_GRAPH_DETAIL_CONTEXT_INFER_H_

#include <cctype>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "graph/ct_infer_shape_context.h"
#include "graph/detail/compute_node.h"
#include "graph/operator_factory.h"

namespace ge {
namespace detail {

using ShapeByContext = std::function<graphStatus(gert::InferShapeContext *)>;
using TypeByContext = std::function<graphStatus(gert::InferDataTypeContext *)>;

/// Types of outputs that the prototype fixes: by the one type an output may have, by the symbol it shares with an input
/// or an attribute, or by the one type of the symbol.
class DeclaredTypes {
 public:
  DeclaredTypes(const GeOpDesc &op, const GeOpSchema &schema) : op_(op), schema_(schema) {}
  /// DT_UNDEFINED when nothing fixes it.
  DataType Of(size_t ir_output) const {
    if (ir_output >= schema_.output_count || schema_.outputs[ir_output].data_types == nullptr) return DT_UNDEFINED;
    const std::string text = Bare(schema_.outputs[ir_output].data_types);
    if (text.find('(') != std::string::npos) return OnlyOne(text);
    size_t port = 0;
    for (size_t ir = 0; ir < schema_.input_count; ++ir) {
      const int32_t count = op_.ir_input_counts != nullptr && ir < op_.ir_input_total ? op_.ir_input_counts[ir] : 1;
      const char *symbol = schema_.inputs[ir].data_types;
      for (int32_t i = 0; i < count && port < op_.input_count; ++i, ++port)
        if (symbol != nullptr && Bare(symbol) == text && op_.inputs[port].data_type != C_DT_UNDEFINED)
          return static_cast<DataType>(op_.inputs[port].data_type);
    }
    const GeAttrData *attr = GeOpAttr(&op_, text.c_str());
    if (attr != nullptr && (attr->type == C_VT_INT || attr->type == C_VT_DATA_TYPE))
      return static_cast<DataType>(attr->i);
    for (size_t i = 0; i < schema_.symbol_count; ++i)
      if (text == schema_.symbols[i].name) return OnlyOne(schema_.symbols[i].range);
    return DT_UNDEFINED;
  }

 private:
  static std::string Bare(std::string text) {
    return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
  }
  // The type that a text such as "TensorType({DT_INT64})" names, if it names one.
  static DataType OnlyOne(const std::string &text) {
    const size_t begin = text.find("DT_");
    if (begin == std::string::npos || text.find("DT_", begin + 3) != std::string::npos) return DT_UNDEFINED;
    size_t end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    return static_cast<DataType>(GeDataTypeFromName(text.substr(begin, end - begin).c_str()));
  }
  const GeOpDesc &op_;
  const GeOpSchema &schema_;
};

/// What a program has for a type. Either function may be empty.
struct ContextFunctions {
  ShapeByContext shape;
  TypeByContext type;
};

class ContextInfer {
 public:
  ContextInfer(const GeInferContext &context, const ContextFunctions &functions)
      : context_(context), functions_(functions), node_(*context.op) {}

  GeStatus Run() {
    if (!node_.problem.empty()) return context_.fail(GE_INFER_FAILED, node_.problem.c_str());
    GeStatus status = Types();
    return status != GE_SUCCESS || !functions_.shape ? status : Shapes();
  }

 private:
  GeStatus Types() {
    if (!functions_.type) {
      const GeOpSchema *schema = nullptr;
      if (GeOpFind(context_.op->type, &schema) != GE_SUCCESS) return GE_SUCCESS;
      const DeclaredTypes declared(*context_.op, *schema);
      for (size_t ir = 0; ir < node_.info.GetIrOutputsNum(); ++ir) {
        const gert::AnchorInstanceInfo &info = *node_.info.GetOutputInstanceInfo(ir);
        const DataType type = declared.Of(ir);
        for (size_t i = 0; type != DT_UNDEFINED && i < info.GetInstanceNum(); ++i)
          context_.outputs[info.GetInstanceStart() + i].data_type = type;
      }
      return GE_SUCCESS;
    }
    std::vector<DataType> in, out;
    for (size_t port : node_.inputs) in.push_back(static_cast<DataType>(context_.op->inputs[port].data_type));
    for (size_t i = 0; i < context_.output_count; ++i)
      out.push_back(static_cast<DataType>(context_.outputs[i].data_type));
    gert::detail::KernelFrame frame;
    frame.node = &node_.info;
    for (DataType &type : in) frame.inputs.push_back(&type);
    for (DataType &type : out) frame.outputs.push_back(&type);
    gert::InferDataTypeContext types(&frame);
    if (functions_.type(&types) != GRAPH_SUCCESS)
      return context_.fail(GE_INFER_FAILED, "the operator's function for data types failed");
    for (size_t i = 0; i < out.size(); ++i) context_.outputs[i].data_type = out[i];
    return GE_SUCCESS;
  }

  GeStatus Shapes() {
    std::vector<gert::Tensor> in;
    for (size_t port : node_.inputs) {
      const GeTensorData &data = context_.op->inputs[port];
      in.push_back(GertTensor(data));
      if (data.data != nullptr)
        in.back().SetData(gert::TensorData(data.data, nullptr, static_cast<size_t>(data.size), gert::kOnHost));
    }
    std::vector<gert::Shape> out(context_.output_count);
    const std::unique_ptr<InferenceContext> shared = InferenceContext::Create();
    gert::detail::KernelFrame frame;
    frame.node = &node_.info;
    for (const gert::Tensor &tensor : in) frame.inputs.push_back(&tensor);
    frame.inputs.push_back(nullptr);  // the function itself
    frame.inputs.push_back(shared.get());
    for (gert::Shape &shape : out) frame.outputs.push_back(&shape);
    gert::CtInferShapeContext shapes(&frame);
    if (functions_.shape(&shapes) != GRAPH_SUCCESS)
      return context_.fail(GE_INFER_FAILED, "the operator's function for shapes failed");
    for (size_t i = 0; i < out.size(); ++i) {
      GeInferOutput &result = context_.outputs[i];
      result.rank = static_cast<int32_t>(out[i].GetDimNum());
      if (result.rank > GE_MAX_RANK)
        return context_.fail(GE_INFER_FAILED, "the inferred rank is above the limit of 16");
      for (int32_t d = 0; d < result.rank; ++d) {
        result.dims[d] = out[i].GetDim(static_cast<size_t>(d));
        if (result.dims[d] == UNKNOWN_DIM_NUM) result.rank = GE_UNKNOWN_RANK;
      }
    }
    return GE_SUCCESS;
  }

  const GeInferContext &context_;
  const ContextFunctions &functions_;
  ComputeNode node_;
};

/// What IMPL_OP registered, by type.
class ImplOps {
 public:
  static void Set(const std::string &type, const ShapeByContext &shape, const TypeByContext &of_type) {
    {
      std::lock_guard<std::mutex> lock(Instance().mutex_);
      ContextFunctions &functions = Instance().functions_[type];
      if (shape) functions.shape = shape;
      if (of_type) functions.type = of_type;
    }
    Use(type);
  }
  static ContextFunctions Of(const std::string &type) {
    std::lock_guard<std::mutex> lock(Instance().mutex_);
    auto found = Instance().functions_.find(type);
    return found == Instance().functions_.end() ? ContextFunctions() : found->second;
  }
  /// Functions for types that IMPL_OP has none for: of custom operators.
  using OtherFunctions = ContextFunctions (*)(const std::string &type);
  static void SetOther(OtherFunctions other) { Other() = other; }
  /// From now on the library asks for functions of this type.
  static void Use(const std::string &type) {
    FactoryTable::Add(&FactoryTable::infer_by_context, type.c_str(), NodeInferFunc([](const GeInferContext *context) {
      ContextFunctions functions = Of(context->op->type);
      if ((!functions.shape || !functions.type) && Other() != nullptr) {
        const ContextFunctions other = Other()(context->op->type);
        if (!functions.shape) functions.shape = other.shape;
        if (!functions.type) functions.type = other.type;
      }
      return ContextInfer(*context, functions).Run();
    }));
    Hook(type.c_str());
  }

 private:
  static ImplOps &Instance() {
    static auto *all = new ImplOps;
    return *all;
  }
  static OtherFunctions &Other() {
    static OtherFunctions other = nullptr;
    return other;
  }
  std::mutex mutex_;
  std::map<std::string, ContextFunctions> functions_;
};

}  // namespace detail
}  // namespace ge

#endif
