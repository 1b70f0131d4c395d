#include "core/pattern/constraint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/ir/types.h"
#include "core/ops/registry.h"
#include "core/support/error.h"
#include "core/support/float16.h"

namespace gec {
namespace {

/// Prototype attributes by name, defaults included. The registered prototype counts: a program may have been generated
/// from another version of it.
bool SameIrAttrs(const Node &a, const Node &b) {
  auto ir_of = [](const Node &node) {
    const OpEntry *installed = OpRegistry::Instance().Find(node.type());
    return installed ? installed->ir : &node.ir();
  };
  const IrDef &ia = *ir_of(a), &ib = *ir_of(b);
  if (ia.attrs.size() != ib.attrs.size()) return false;
  auto value_of = [](const Node &node, const IrAttr &attr) -> const AttrValue & {
    const AttrValue *set = node.attrs().Find(attr.name);
    return set ? *set : attr.fallback;
  };
  return std::all_of(ia.attrs.begin(), ia.attrs.end(), [&](const IrAttr &attr) {
    const IrAttr *other = ib.FindAttr(attr.name);
    return other && value_of(a, attr) == value_of(b, *other);
  });
}

/// A pattern's constant without a value matches any.
bool SameConstant(const Node &pattern, const Node &target) {
  static const Symbol value("value");
  const TensorPtr a = pattern.attrs().GetTensor(value), b = target.attrs().GetTensor(value);
  if (!a || !a->buffer || (a->buffer->size() == 0 && a->desc.bytes() != 0)) return true;
  if (!b || !b->buffer) return false;
  return a->desc.dtype == b->desc.dtype && a->desc.shape == b->desc.shape && a->buffer->size() == b->buffer->size() &&
         std::memcmp(a->buffer->data(), b->buffer->data(), a->buffer->size()) == 0;
}

/// Element `i`, or NaN for a type whose values are no numbers.
double ElementOf(const Tensor &tensor, size_t i) {
  switch (tensor.desc.dtype) {
    case C_DT_FLOAT:
      return tensor.as<float>()[i];
    case C_DT_DOUBLE:
      return tensor.as<double>()[i];
    case C_DT_FLOAT16:
      return FromHalfBits(tensor.as<uint16_t>()[i]);
    case C_DT_BF16:
      return FromBf16Bits(tensor.as<uint16_t>()[i]);
    case C_DT_INT8:
      return tensor.as<int8_t>()[i];
    case C_DT_UINT8:
      return tensor.as<uint8_t>()[i];
    case C_DT_INT16:
      return tensor.as<int16_t>()[i];
    case C_DT_UINT16:
      return tensor.as<uint16_t>()[i];
    case C_DT_INT32:
      return tensor.as<int32_t>()[i];
    case C_DT_UINT32:
      return tensor.as<uint32_t>()[i];
    case C_DT_INT64:
      return static_cast<double>(tensor.as<int64_t>()[i]);
    case C_DT_UINT64:
      return static_cast<double>(tensor.as<uint64_t>()[i]);
    case C_DT_BOOL:
      return tensor.as<uint8_t>()[i] != 0;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

/// The first element that is too far away; -1: none; -2: there is no constant with elements.
int64_t FirstFar(const MatchConstraint &test, const TensorPtr &tensor) {
  if (!tensor || !tensor->desc.known() || tensor->desc.shape.elements() < 1) return -2;
  const auto count = static_cast<size_t>(tensor->desc.shape.elements());
  if (tensor->bytes() < ByteSize(tensor->desc.dtype, static_cast<int64_t>(count))) return -2;
  for (size_t i = 0; i < count; ++i) {
    const double value = ElementOf(*tensor, i);
    // Nothing but itself is near an infinity.
    const bool near = value == test.wanted ||
                      (std::isfinite(test.wanted) &&
                       std::abs(value - test.wanted) <= test.tolerance * std::max(1.0, std::abs(test.wanted)));
    if (!near) return static_cast<int64_t>(i);
  }
  return -1;
}

const TensorDesc *DescAt(const MatchConstraint &test, Endpoint at) {
  const int32_t port = test.output < 0 ? at.port : test.output;
  return static_cast<size_t>(port) < at.node->output_count() ? &at.node->output_desc(static_cast<size_t>(port))
                                                             : nullptr;
}

bool ShapeFits(const std::vector<int64_t> &wanted, const Shape &shape) {
  if (!shape.has_rank() || static_cast<size_t>(shape.rank()) != wanted.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] >= 0 && shape.dims()[i] != wanted[i]) return false;
  return true;
}

std::string TextOf(const AttrValue *value) {
  if (!value) return "not set";
  if (const auto *text = value->get_if<std::string>()) return "'" + *text + "'";
  if (const auto *number = value->get_if<int64_t>()) return std::to_string(*number);
  if (const auto *number = value->get_if<float>()) return std::to_string(*number);
  if (const auto *flag = value->get_if<bool>()) return *flag ? "true" : "false";
  if (const auto *list = value->get_if<AttrValue::ListInt>()) {
    std::string text;
    for (int64_t v : *list) text += (text.empty() ? "[" : ", ") + std::to_string(v);
    return text.empty() ? "[]" : text + "]";
  }
  return "another value";
}

/// "Const 'c', float32 [2] of 1, 2"; the first elements of many.
std::string ConstantText(Endpoint at) {
  const std::string label = at.node->Label();
  const TensorPtr tensor = ConstantOf(at);
  if (!tensor || !tensor->desc.known()) return label;
  std::string text = Str(label, ", ", GeDataTypeName(tensor->desc.dtype), " ", tensor->desc.shape.str());
  constexpr int64_t kShown = 4;
  const int64_t count = tensor->desc.shape.elements();
  if (count == 0 || tensor->bytes() < ByteSize(tensor->desc.dtype, count)) return text;
  text += " of ";
  for (int64_t i = 0; i < std::min(count, kShown); ++i)
    text += Str(i == 0 ? "" : ", ", ElementOf(*tensor, static_cast<size_t>(i)));
  return count > kShown ? text + ", …" : text;
}

}  // namespace

bool ConstraintHolds(const MatchConstraint &test, Endpoint at) {
  switch (test.test) {
    case MatchConstraint::kPredicate:
      return test.predicate(at);
    case MatchConstraint::kDtypes: {
      const TensorDesc *desc = DescAt(test, at);
      return desc && std::find(test.numbers.begin(), test.numbers.end(), desc->dtype) != test.numbers.end();
    }
    case MatchConstraint::kShape: {
      const TensorDesc *desc = DescAt(test, at);
      return desc && ShapeFits(test.numbers, desc->shape);
    }
    case MatchConstraint::kAttr: {
      const AttrValue *value = at.node->attr(test.name);
      return value && *value == test.value;
    }
    case MatchConstraint::kNear:
      return FirstFar(test, ConstantOf(at)) == -1;
    case MatchConstraint::kSameValue:
      return SameConstant(*test.like, *at.node);
    case MatchConstraint::kSameIrAttrs:
      return SameIrAttrs(*test.like, *at.node);
  }
  return false;
}

Mismatch MismatchOf(const MatchConstraint &test) {
  switch (test.test) {
    case MatchConstraint::kPredicate:
      return test.kind;
    case MatchConstraint::kDtypes:
      return Mismatch::kDtype;
    case MatchConstraint::kShape:
      return Mismatch::kShape;
    case MatchConstraint::kAttr:
    case MatchConstraint::kSameIrAttrs:
      return Mismatch::kAttribute;
    case MatchConstraint::kNear:
    case MatchConstraint::kSameValue:
      return Mismatch::kConstant;
  }
  return Mismatch::kPredicate;
}

std::string ExpectedOf(const MatchConstraint &test) {
  std::string text;
  switch (test.test) {
    case MatchConstraint::kPredicate:
      return test.what;
    case MatchConstraint::kDtypes:
      for (int64_t type : test.numbers)
        text += (text.empty() ? "" : " or ") + std::string(DataTypeName(static_cast<int32_t>(type)));
      return text;
    case MatchConstraint::kShape:
      for (int64_t extent : test.numbers)
        text += (text.empty() ? "[" : ", ") + (extent < 0 ? "any" : std::to_string(extent));
      return text.empty() ? "[]" : text + "]";
    case MatchConstraint::kAttr:
      return Str(test.name.view(), " = ", TextOf(&test.value));
    case MatchConstraint::kNear:
      return Str("a constant within ", test.tolerance, " of ", test.wanted);
    case MatchConstraint::kSameValue:
      return "the value of " + ConstantText({const_cast<Node *>(test.like), 0});
    case MatchConstraint::kSameIrAttrs:
      return "the attributes of " + test.like->Label();
  }
  return text;
}

std::string ActualOf(const MatchConstraint &test, Endpoint at) {
  const TensorDesc *desc = DescAt(test, at);
  switch (test.test) {
    case MatchConstraint::kDtypes:
      return desc ? DataTypeName(desc->dtype) : "no such output";
    case MatchConstraint::kShape:
      return desc ? desc->shape.str() : "no such output";
    case MatchConstraint::kAttr:
      return TextOf(at.node->attr(test.name));
    case MatchConstraint::kNear: {
      const TensorPtr tensor = ConstantOf(at);
      const int64_t far = FirstFar(test, tensor);
      if (far < 0) return at.node->Label();
      return Str("element ", far, " is ", ElementOf(*tensor, static_cast<size_t>(far)));
    }
    case MatchConstraint::kSameValue:
      return ConstantText(at);
    case MatchConstraint::kPredicate:
      return test.kind == Mismatch::kConstant ? ConstantText(at) : at.node->Label() + ": returned False";
    case MatchConstraint::kSameIrAttrs:
      return at.node->Label();
  }
  return "";
}

}  // namespace gec
