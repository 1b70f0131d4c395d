#include "core/ops/attribute_forms.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/ir/types.h"
#include "core/ops/builtin_ops.h"
#include "core/ops/registry.h"
#include "core/support/error.h"
#include "core/support/float16.h"

namespace gec {
namespace {

/// What the operator calls an input that its sibling calls `name`.
std::string_view OwnName(const char *renamed, std::string_view name) {
  const std::string_view text(renamed);
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size()), equals = text.find('=', start);
    if (text.substr(equals + 1, end - equals - 1) == name) return text.substr(start, equals - start);
    start = end + 1;
  }
  return name;
}

/// Positions and extents are integers; an input that takes other numbers has the type of what it is used with.
int32_t TypeOfConstant(const std::string &types) {
  const auto has = [&](const char *text) { return types.find(text) != std::string::npos; };
  if (has("IndexNumberType")) return C_DT_INT64;
  if (has("DT_FLOAT") || !(has("DT_INT32") || has("DT_INT64"))) return C_DT_UNDEFINED;
  return has("DT_INT64") ? C_DT_INT64 : C_DT_INT32;
}

std::unique_ptr<AttributeForm> Resolve(const BuiltinAttributeForm &row) {
  const OpEntry *own = OpRegistry::Instance().Find(Symbol(row.type));
  const OpEntry *sibling = OpRegistry::Instance().Find(Symbol(row.sibling));
  if (!own || !sibling) return nullptr;
  auto form = std::make_unique<AttributeForm>();
  form->own = own->ir;
  form->sibling = sibling->ir;
  form->infer = sibling->infer;
  for (const IrPort &port : sibling->ir->inputs) {
    const Symbol name = OwnName(row.renamed, port.name.view());
    AttributeForm::Input &input = form->inputs.emplace_back();
    input.own = own->ir->FindInput(name);
    if (input.own >= 0 || !own->ir->FindAttr(name)) continue;
    input.attr = name;
    input.data_type = TypeOfConstant(port.data_types);
  }
  return form;
}

template <class T, class V>
bool Fits(V value) {
  if constexpr (!std::is_integral_v<T>) {
    return true;
  } else if constexpr (std::is_integral_v<V>) {
    return std::in_range<T>(value);
  } else {
    constexpr double kExact = 0x1p53;
    return value == std::floor(value) && std::abs(value) <= kExact && std::in_range<T>(static_cast<int64_t>(value));
  }
}

template <class T, class V>
TensorPtr Numbers(const char *name, int32_t type, Shape shape, const std::vector<V> &values) {
  std::vector<T> out;
  out.reserve(values.size());
  for (const V value : values) {
    if (!Fits<T>(value))
      Fail(GE_INFER_FAILED, "attribute ", name, " holds ", value, ", which ", DataTypeName(type), " does not");
    out.push_back(static_cast<T>(value));
  }
  return Tensor::Of(type, std::move(shape), out);
}

template <class V>
TensorPtr Halves(int32_t type, Shape shape, const std::vector<V> &values) {
  std::vector<uint16_t> out;
  for (const V value : values) {
    const auto number = static_cast<float>(value);
    out.push_back(type == C_DT_FLOAT16 ? ToHalfBits(number) : ToBf16Bits(number));
  }
  return Tensor::Of(type, std::move(shape), out);
}

template <class V>
TensorPtr Encode(const char *name, int32_t type, Shape shape, const std::vector<V> &values) {
  switch (type) {
    case C_DT_INT64:
      return Numbers<int64_t>(name, type, std::move(shape), values);
    case C_DT_INT32:
      return Numbers<int32_t>(name, type, std::move(shape), values);
    case C_DT_INT16:
      return Numbers<int16_t>(name, type, std::move(shape), values);
    case C_DT_INT8:
      return Numbers<int8_t>(name, type, std::move(shape), values);
    case C_DT_UINT64:
      return Numbers<uint64_t>(name, type, std::move(shape), values);
    case C_DT_UINT32:
      return Numbers<uint32_t>(name, type, std::move(shape), values);
    case C_DT_UINT16:
      return Numbers<uint16_t>(name, type, std::move(shape), values);
    case C_DT_UINT8:
      return Numbers<uint8_t>(name, type, std::move(shape), values);
    case C_DT_FLOAT:
      return Numbers<float>(name, type, std::move(shape), values);
    case C_DT_DOUBLE:
      return Numbers<double>(name, type, std::move(shape), values);
    case C_DT_FLOAT16:
    case C_DT_BF16:
      return Halves(type, std::move(shape), values);
    default:
      Fail(GE_INFER_FAILED, "attribute ", name, " cannot be a tensor of data type ", DataTypeName(type));
  }
}

TensorPtr Matrix(const GeAttrData &attr, int32_t type) {
  const auto *rows = static_cast<const int64_t *const *>(attr.list);
  std::vector<int64_t> values;
  const int64_t columns = attr.count ? attr.inner_counts[0] : 0;
  for (uint64_t i = 0; i < attr.count; ++i) {
    if (attr.inner_counts[i] != columns)
      Fail(GE_INFER_FAILED, "attribute ", attr.name, " has ", attr.inner_counts[i], " numbers in list ", i, " and ",
           columns, " in list 0");
    values.insert(values.end(), rows[i], rows[i] + columns);
  }
  return Encode(attr.name, type, Shape{static_cast<int64_t>(attr.count), columns}, values);
}

/// The sibling's view of a node of the operator.
class SiblingDesc {
 public:
  SiblingDesc(const AttributeForm &form, const GeOpDesc &op) : desc_(op) {
    desc_.type = form.sibling->type.c_str();
    AddInputs(form, op);
    AddAttrs(form, op);
    desc_.inputs = inputs_.data();
    desc_.input_count = inputs_.size();
    desc_.ir_input_counts = counts_.data();
    desc_.ir_input_total = counts_.size();
    desc_.attrs = attrs_.data();
    desc_.attr_count = attrs_.size();
    desc_.traits = nullptr;
  }
  const GeOpDesc *get() const { return &desc_; }

 private:
  void AddInputs(const AttributeForm &form, const GeOpDesc &op) {
    const int32_t first_type = op.input_count ? op.inputs[0].data_type : static_cast<int32_t>(C_DT_UNDEFINED);
    for (const AttributeForm::Input &input : form.inputs) {
      GeTensorData port{};
      port.data_type = C_DT_UNDEFINED;
      port.rank = port.origin_rank = GE_UNKNOWN_RANK;
      if (input.own >= 0) {
        size_t at = 0;
        for (int i = 0; i < input.own; ++i) at += Ports(op, static_cast<size_t>(i));
        const size_t count = Ports(op, static_cast<size_t>(input.own));
        inputs_.insert(inputs_.end(), op.inputs + at, op.inputs + at + count);
        counts_.push_back(static_cast<int32_t>(count));
        continue;
      }
      if (!input.attr.empty()) AddConstant(input, op, first_type, &port);
      inputs_.push_back(port);
      counts_.push_back(1);
    }
  }
  void AddConstant(const AttributeForm::Input &input, const GeOpDesc &op, int32_t first_type, GeTensorData *port) {
    const GeAttrData *attr = GeOpAttr(&op, input.attr.c_str());
    if (!attr) Fail(GE_INFER_FAILED, "attribute ", input.attr.view(), " is missing");
    const int32_t type = input.data_type == C_DT_UNDEFINED ? first_type : input.data_type;
    if (type == C_DT_UNDEFINED) {  // the number counts once its type is known
      port->rank = port->origin_rank = 0;
      return;
    }
    constants_.push_back(AttributeTensor(*attr, type));
    *port = constants_.back()->View();
  }
  void AddAttrs(const AttributeForm &form, const GeOpDesc &op) {
    attrs_.assign(op.attrs, op.attrs + op.attr_count);
    const GeOpSchema &schema = *form.sibling->schema;
    for (size_t i = 0; i < schema.attr_count; ++i) {
      const GeIrAttr &attr = schema.attrs[i];
      if (!attr.required && !GeOpAttr(&op, attr.value.name)) attrs_.push_back(attr.value);
    }
    std::sort(attrs_.begin(), attrs_.end(),
              [](const GeAttrData &a, const GeAttrData &b) { return std::strcmp(a.name, b.name) < 0; });
  }
  static size_t Ports(const GeOpDesc &op, size_t ir) {
    return op.ir_input_counts ? static_cast<size_t>(op.ir_input_counts[ir]) : 1;
  }

  GeOpDesc desc_;
  std::vector<GeTensorData> inputs_;
  std::vector<int32_t> counts_;
  std::vector<GeAttrData> attrs_;
  std::vector<TensorPtr> constants_;
};

}  // namespace

const AttributeForm *FindAttributeForm(Symbol type) {
  const BuiltinAttributeForm *row = FindBuiltinAttributeForm(type.c_str());
  if (!row) return nullptr;
  static std::mutex mutex;
  static auto *forms = new std::unordered_map<Symbol, std::unique_ptr<AttributeForm>>;
  {
    std::lock_guard lock(mutex);
    if (auto it = forms->find(type); it != forms->end()) return it->second.get();
  }
  std::unique_ptr<AttributeForm> form = Resolve(*row);
  if (!form) return nullptr;
  std::lock_guard lock(mutex);
  return forms->emplace(type, std::move(form)).first->second.get();
}

TensorPtr AttributeTensor(const GeAttrData &attr, int32_t data_type) {
  const auto count = static_cast<int64_t>(attr.count);
  switch (attr.type) {
    case C_VT_INT:
    case C_VT_BOOL:
      return Encode(attr.name, data_type, Shape(), std::vector<int64_t>{attr.i});
    case C_VT_FLOAT:
      return Encode(attr.name, data_type, Shape(), std::vector<double>{attr.f});
    case C_VT_LIST_INT: {
      const auto *values = static_cast<const int64_t *>(attr.list);
      return Encode(attr.name, data_type, Shape{count}, std::vector<int64_t>(values, values + count));
    }
    case C_VT_LIST_LIST_INT:
      return Matrix(attr, data_type);
    default:
      Fail(GE_INFER_FAILED, "attribute ", attr.name, " holds no numbers");
  }
}

GeStatus InferAttributeForm(const GeInferContext *raw) {
  try {
    const AttributeForm *form = FindAttributeForm(Symbol(raw->op->type));
    if (!form || !form->infer) return GE_SUCCESS;
    const SiblingDesc sibling(*form, *raw->op);
    GeInferContext context = *raw;
    context.op = sibling.get();
    return form->infer(&context);
  } catch (const Error &error) {
    return raw->fail(error.code(), error.what());
  }
}

}  // namespace gec
