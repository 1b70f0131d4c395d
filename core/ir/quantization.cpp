#include "core/ir/quantization.h"

#include <cmath>

#include "core/ir/attr.h"
#include "core/ir/types.h"

namespace gec {
namespace {

struct Names {
  Symbol scheme{"_quant_scheme"}, axis{"_quant_axis"}, block{"_quant_block"}, scales{"_quant_scales"},
      zero_points{"_quant_zero_points"};
};
const Names &NamesOfAttrs() {
  static const Names names;
  return names;
}

template <class... Text>
[[noreturn]] void Refuse(const Text &...text) {
  Fail(GE_PARAM_INVALID, "layout of a GeTensorData: ", text...);
}

/// The number of scales that the scheme asks for, or -1 where the shape does not tell.
int64_t ScaleCount(const TensorDesc &desc, const GeTensorLayout &layout) {
  if (layout.quant_scheme == GE_QUANT_PER_TENSOR) return 1;
  const Shape &shape = desc.shape;
  if (!shape.has_rank()) return -1;
  if (layout.quant_axis < 0 || layout.quant_axis >= shape.rank())
    Refuse("quant_axis is ", layout.quant_axis, ", the tensor has shape ", shape.str());
  const int64_t along = shape[layout.quant_axis];
  if (layout.quant_scheme == GE_QUANT_PER_AXIS) return along;
  if (layout.quant_block < 1) Refuse("quant_block is ", layout.quant_block, ", expected at least 1");
  if (!shape.known() || along == 0) return -1;
  return shape.elements() / along * ((along + layout.quant_block - 1) / layout.quant_block);
}

}  // namespace

void SetQuantization(TensorDesc *desc, const GeTensorLayout &layout) {
  const Names &names = NamesOfAttrs();
  auto attrs = std::make_shared<AttrMap>(desc->attrs ? *desc->attrs : AttrMap());
  for (Symbol name : {names.scheme, names.axis, names.block, names.scales, names.zero_points}) attrs->Remove(name);
  if (layout.quant_scheme != GE_QUANT_NONE) {
    if (layout.quant_scheme < 0 || layout.quant_scheme > GE_QUANT_PER_BLOCK)
      Refuse("quant_scheme is ", layout.quant_scheme, ", allowed: 0 to ", GE_QUANT_PER_BLOCK);
    if (!IsIntegerType(desc->dtype) && desc->dtype != C_DT_INT4)
      Refuse("a tensor of ", GeDataTypeName(desc->dtype), " cannot be quantised");
    if (!layout.scales || layout.scale_count == 0) Refuse("there are no scales");
    const int64_t count = ScaleCount(*desc, layout);
    if (count >= 0 && static_cast<uint64_t>(count) != layout.scale_count)
      Refuse(layout.scale_count, " scales are given, scheme ", layout.quant_scheme, " of shape ", desc->shape.str(),
             " has ", count);
    for (size_t i = 0; i < layout.scale_count; ++i)
      if (!std::isfinite(layout.scales[i])) Refuse("scale ", i, " is not finite");
    attrs->Set(names.scheme, AttrValue(static_cast<int64_t>(layout.quant_scheme)));
    attrs->Set(names.scales, AttrValue(AttrValue::ListFloat(layout.scales, layout.scales + layout.scale_count)));
    if (layout.quant_scheme != GE_QUANT_PER_TENSOR)
      attrs->Set(names.axis, AttrValue(static_cast<int64_t>(layout.quant_axis)));
    if (layout.quant_scheme == GE_QUANT_PER_BLOCK) attrs->Set(names.block, AttrValue(layout.quant_block));
    if (layout.zero_points)
      attrs->Set(names.zero_points,
                 AttrValue(AttrValue::ListInt(layout.zero_points, layout.zero_points + layout.scale_count)));
  }
  desc->attrs = attrs->empty() ? nullptr : std::move(attrs);
}

void KeepOnlyQuantization(TensorDesc *desc) {
  if (!desc->attrs) return;
  const TensorDesc whole = *desc;
  desc->attrs = nullptr;
  QuantizationView view;
  if (view.Reset(whole)) SetQuantization(desc, *view.get());
}

bool QuantizationView::Reset(const TensorDesc &desc) {
  layout_ = {};
  zero_points_.clear();
  if (!desc.attrs) return false;
  const Names &names = NamesOfAttrs();
  const AttrValue *scales = desc.attrs->Find(names.scales);
  const AttrValue::ListFloat *list = scales ? scales->get_if<AttrValue::ListFloat>() : nullptr;
  if (!list) return false;
  layout_.struct_size = sizeof layout_;
  layout_.quant_scheme = static_cast<int32_t>(desc.attrs->Int(names.scheme, GE_QUANT_NONE));
  layout_.quant_axis = static_cast<int32_t>(desc.attrs->Int(names.axis, 0));
  layout_.quant_block = desc.attrs->Int(names.block, 0);
  layout_.scales = list->data();
  layout_.scale_count = list->size();
  for (int64_t point : desc.attrs->Ints(names.zero_points)) zero_points_.push_back(static_cast<int32_t>(point));
  if (zero_points_.size() == list->size()) layout_.zero_points = zero_points_.data();
  return layout_.quant_scheme != GE_QUANT_NONE;
}

}  // namespace gec
