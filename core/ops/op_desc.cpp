#include "core/ops/op_desc.h"

#include <algorithm>

#include "core/ir/symbolic_dim.h"
#include "core/ops/traits.h"

namespace gec {

const int64_t *OpDescView::Plain(const int64_t *values, size_t count, int64_t unknown) {
  if (!values || std::none_of(values, values + count, IsSymbolic)) return values;
  std::vector<int64_t> &plain = plain_.emplace_back(values, values + count);
  std::replace_if(plain.begin(), plain.end(), IsSymbolic, unknown);
  return plain.data();
}

void OpDescView::HideSymbolic() {
  const auto hide = [&](GeTensorData &tensor) {
    if (tensor.partial) {
      int64_t count = 1;
      for (int32_t d = 0; d < tensor.rank; ++d) count *= std::max<int64_t>(tensor.dims[d], 0);
      tensor.partial = Plain(tensor.partial, static_cast<size_t>(count), INT64_MIN);
    }
    if (tensor.rank > 0) tensor.dims = Plain(tensor.dims, static_cast<size_t>(tensor.rank), GE_UNKNOWN_DIM);
    if (tensor.origin_rank > 0)
      tensor.origin_dims = Plain(tensor.origin_dims, static_cast<size_t>(tensor.origin_rank), GE_UNKNOWN_DIM);
  };
  for (GeTensorData &tensor : inputs_) hide(tensor);
  for (GeTensorData &tensor : outputs_) hide(tensor);
}

void OpDescView::ResetWithSymbolic(const Node &node, const ValueMap *values) {
  plain_.clear();
  inputs_.clear();
  outputs_.clear();
  attrs_.clear();
  in_counts_.clear();
  out_counts_.clear();
  keep_.clear();
  arena_.Clear();

  inputs_.reserve(node.input_count());
  for (size_t i = 0; i < node.input_count(); ++i) {
    GeTensorData data = node.input_desc(i).View();
    Endpoint e = node.input(i);
    if (!e) data.data_type = C_DT_UNDEFINED;  // absent
    else if (TensorPtr constant = ConstantOf(e)) {
      data.data = const_cast<void *>(constant->data());
      data.size = constant->bytes();
      data.flags = GE_TENSOR_CONSTANT;
      keep_.push_back(std::move(constant));
    } else if (values) {
      if (TensorPtr value = values->Value(e)) {
        data.data = const_cast<void *>(value->data());
        data.size = value->bytes();
        keep_.push_back(std::move(value));
      } else if (const std::vector<int64_t> *partial = values->Partial(e)) {
        data.partial = partial->data();
      }
    }
    inputs_.push_back(data);
  }
  outputs_.reserve(node.output_count());
  for (size_t i = 0; i < node.output_count(); ++i) outputs_.push_back(node.output_desc(i).View());

  // Two lists sorted by name are merged: what is set on the node, and the prototype's defaults.
  const IrDef &ir = node.ir();
  attrs_.reserve(ir.attrs.size() + node.attrs().size());
  auto set = node.attrs().begin(), set_end = node.attrs().end();
  for (uint32_t index : ir.attr_order) {
    const IrAttr &attr = ir.attrs[index];
    while (set != set_end && set->first != attr.name && set->first.view() < attr.name.view()) {
      attrs_.push_back(arena_.View(set->first.c_str(), set->second));
      ++set;
    }
    if (set != set_end && set->first == attr.name) {
      attrs_.push_back(arena_.View(set->first.c_str(), set->second));
      ++set;
    } else if (!attr.required) {
      attrs_.push_back(ir.schema->attrs[index].value);
    }
  }
  for (; set != set_end; ++set) attrs_.push_back(arena_.View(set->first.c_str(), set->second));

  size_t dynamic = 0;
  for (const IrPort &port : ir.inputs)
    in_counts_.push_back(port.kind == GE_IR_DYNAMIC ? node.dynamic_input_counts()[dynamic++] : 1);
  dynamic = 0;
  for (const IrPort &port : ir.outputs)
    out_counts_.push_back(port.kind == GE_IR_DYNAMIC ? node.dynamic_output_counts()[dynamic++] : 1);

  desc_.struct_size = sizeof(GeOpDesc);
  desc_.type = node.type().c_str();
  desc_.name = node.name().c_str();
  desc_.inputs = inputs_.data();
  desc_.input_count = inputs_.size();
  desc_.outputs = outputs_.data();
  desc_.output_count = outputs_.size();
  desc_.attrs = attrs_.data();
  desc_.attr_count = attrs_.size();
  desc_.ir_input_counts = in_counts_.data();
  desc_.ir_input_total = in_counts_.size();
  desc_.ir_output_counts = out_counts_.data();
  desc_.ir_output_total = out_counts_.size();
  desc_.traits = &TraitsOf(node);
}

}  // namespace gec
