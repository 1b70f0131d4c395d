// Inference by functions that take contexts of gert: those of IMPL_OP, and ShapeInferOp of custom operators.
#ifndef INC_GRAPH_DETAIL_CONTEXT_INFER_H_
#define INC_GRAPH_DETAIL_CONTEXT_INFER_H_

#include <cctype>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "ge/infer_details.h"
#include "graph/ct_infer_shape_context.h"
#include "graph/ct_infer_shape_range_context.h"
#include "graph/detail/compute_node.h"
#include "graph/detail/impl_ops.h"
#include "graph/infer_format_context.h"
#include "graph/operator_factory.h"

namespace ge {
namespace detail {

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

class ContextInfer {
 public:
  ContextInfer(const GeInferContext &context, ContextFunctions functions)
      : context_(context), functions_(std::move(functions)), node_(*context.op) {}

  GeStatus Run() {
    if (!node_.problem.empty()) return context_.fail(GE_INFER_FAILED, node_.problem.c_str());
    GeStatus status = Types();
    if (status == GE_SUCCESS && functions_.shape) status = Shapes();
    const GeInferDetails *details = context_.details;
    if (status == GE_SUCCESS && details != nullptr && functions_.format != nullptr) status = Formats(*details);
    if (status == GE_SUCCESS && details != nullptr && functions_.range != nullptr) status = Ranges(*details);
    return status;
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
    const std::vector<gert::Tensor> in = Inputs();
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

  GeStatus Formats(const GeInferDetails &details) {
    const std::vector<gert::Tensor> in = Inputs();
    std::vector<gert::StorageFormat> formats(context_.output_count);
    for (size_t i = 0; i < formats.size() && i < context_.op->output_count; ++i)
      formats[i] = Plain(context_.op->outputs[i].origin_format);
    const std::vector<gert::StorageFormat> before = formats;
    for (size_t port : node_.inputs) formats.push_back(Plain(details.input_format(&details, port)));
    gert::detail::KernelFrame frame;
    frame.node = &node_.info;
    for (const gert::Tensor &tensor : in) frame.inputs.push_back(&tensor);
    for (gert::StorageFormat &format : formats) frame.outputs.push_back(&format);
    gert::InferFormatContext context(&frame);
    if (functions_.format(&context) != GRAPH_SUCCESS)
      return context_.fail(GE_INFER_FAILED, "the operator's function for formats failed");
    for (size_t i = 0; i < before.size(); ++i)
      if (formats[i].GetOriginFormat() != before[i].GetOriginFormat())
        details.set_output_format(&details, i, formats[i].GetOriginFormat());
    return GE_SUCCESS;
  }

  GeStatus Ranges(const GeInferDetails &details) {
    bool wanted = false;
    for (size_t i = 0; i < context_.output_count; ++i)
      for (int32_t d = 0; d < context_.outputs[i].rank; ++d) wanted = wanted || context_.outputs[i].dims[d] < 0;
    if (!wanted) return GE_SUCCESS;
    std::vector<gert::Tensor> low = Inputs(), high = Inputs();
    std::list<gert::detail::InputRange> in;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      int64_t least[GE_MAX_RANK], most[GE_MAX_RANK];
      const int32_t rank = details.input_bounds(&details, node_.inputs[i], least, most);
      if (rank < 0) return GE_SUCCESS;  // nothing follows from it
      Bound(low[i], least, rank);
      Bound(high[i], most, rank);
      in.emplace_back(gert::TensorRange(&low[i], &high[i]));
    }
    std::vector<gert::Shape> least(context_.output_count), most(context_.output_count);
    std::vector<gert::Range<gert::Shape>> out;
    const std::unique_ptr<InferenceContext> shared = InferenceContext::Create();
    gert::detail::KernelFrame frame;
    frame.node = &node_.info;
    for (const gert::detail::InputRange &range : in) frame.inputs.push_back(&range);
    frame.inputs.push_back(nullptr);  // the function itself
    frame.inputs.push_back(shared.get());
    for (size_t i = 0; i < context_.output_count; ++i) {
      least[i] = most[i] = GertShape(context_.outputs[i].dims, context_.outputs[i].rank);
      out.emplace_back(&least[i], &most[i]);
    }
    for (gert::Range<gert::Shape> &range : out) frame.outputs.push_back(&range);
    gert::CtInferShapeRangeContext context(&frame);
    if (functions_.range(&context) != GRAPH_SUCCESS)
      return context_.fail(GE_INFER_FAILED, "the operator's function for ranges of shapes failed");
    for (size_t i = 0; i < out.size(); ++i) {
      const gert::Shape *min = out[i].GetMin(), *max = out[i].GetMax();
      if (min == nullptr || max == nullptr || min->GetDimNum() != max->GetDimNum()) continue;
      std::vector<int64_t> from, to;
      for (size_t d = 0; d < min->GetDimNum(); ++d) {
        from.push_back(min->GetDim(d));
        to.push_back(max->GetDim(d));
      }
      details.set_output_bounds(&details, i, static_cast<int32_t>(from.size()), from.data(), to.data());
    }
    return GE_SUCCESS;
  }

  // Present ones, with the values that are known.
  std::vector<gert::Tensor> Inputs() const {
    std::vector<gert::Tensor> in;
    for (size_t port : node_.inputs) {
      const GeTensorData &data = context_.op->inputs[port];
      in.push_back(GertTensor(data));
      if (data.data != nullptr)
        in.back().SetData(gert::TensorData(data.data, nullptr, static_cast<size_t>(data.size), gert::kOnHost));
    }
    return in;
  }
  static gert::StorageFormat Plain(int32_t format) {
    return gert::StorageFormat(static_cast<Format>(format), static_cast<Format>(format), {});
  }
  static void Bound(gert::Tensor &tensor, const int64_t *dims, int32_t rank) {
    tensor.MutableOriginShape() = tensor.MutableStorageShape() = GertShape(dims, rank);
  }

  const GeInferContext &context_;
  const ContextFunctions functions_;
  ComputeNode node_;
};

/// The inference function of a type that IMPL_OP or a custom operator has functions for.
inline GeStatus InferByContext(const GeInferContext *context) {
  return ContextInfer(*context, ImplOps::Of(context->op->type)).Run();
}
inline void ImplOps::Use(const std::string &type) {
  FactoryTable::Add(&FactoryTable::infer_by_context, type.c_str(), NodeInferFunc(&InferByContext));
  Hook(type.c_str());
}

}  // namespace detail
}  // namespace ge

#endif
