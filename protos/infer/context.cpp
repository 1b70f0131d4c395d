#include "protos/infer/context.h"
#include "ge/own_data_types.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/ops/symbolic_dims.h"

namespace gec::infer {
namespace {

template <class T, class To>
void Read(const void *data, size_t count, std::vector<To> &out) {
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, static_cast<const char *>(data) + i * sizeof(T), sizeof(T));
    out[i] = static_cast<To>(value);
  }
}

/// False for a type that holds no integers.
template <class To>
bool ReadIntegers(const GeTensorData &tensor, size_t count, std::vector<To> &out) {
  switch (tensor.data_type) {
    case C_DT_INT64:
      Read<int64_t>(tensor.data, count, out);
      return true;
    case C_DT_INT32:
      Read<int32_t>(tensor.data, count, out);
      return true;
    case C_DT_INT16:
      Read<int16_t>(tensor.data, count, out);
      return true;
    case C_DT_INT8:
      Read<int8_t>(tensor.data, count, out);
      return true;
    case C_DT_UINT64:
      Read<uint64_t>(tensor.data, count, out);
      return true;
    case C_DT_UINT32:
      Read<uint32_t>(tensor.data, count, out);
      return true;
    case C_DT_UINT16:
      Read<uint16_t>(tensor.data, count, out);
      return true;
    case C_DT_UINT8:
    case C_DT_BOOL:
      Read<uint8_t>(tensor.data, count, out);
      return true;
    default:
      return false;
  }
}

Shape DimsOf(const GeTensorData &tensor) {
  if (tensor.rank < 0) return Shape::Unknown();
  if (tensor.rank == 0) return Shape();
  return Shape(std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank));
}

/// Elements of a tensor whose bytes are at hand; -1 when there are none or they are fewer than the shape says.
int64_t ReadableElements(const GeTensorData &tensor) {
  if (!tensor.data) return -1;
  int64_t count = DimsOf(tensor).elements();
  uint64_t bits = GeDataTypeBits(tensor.data_type);
  if (count < 0 || bits == 0 || static_cast<uint64_t>(count) > tensor.size * 8 / bits) return -1;
  return count;
}

}  // namespace

bool IsInteger(int32_t type) {
  switch (type) {
    case C_DT_INT64:
    case C_DT_INT32:
    case C_DT_INT16:
    case C_DT_INT8:
    case C_DT_UINT64:
    case C_DT_UINT32:
    case C_DT_UINT16:
    case C_DT_UINT8:
    case C_DT_BOOL:
      return true;
    default:
      return false;
  }
}

bool Shape::known() const {
  for (int64_t dim : dims_)
    if (dim < 0) return false;
  return has_rank_;
}

int64_t Shape::elements() const {
  if (!has_rank_) return -1;
  bool unknown = false;
  int64_t product = 1;
  for (int64_t dim : dims_) {
    if (dim == 0) return 0;
    if (dim < 0) unknown = true;
    else if (__builtin_mul_overflow(product, dim, &product)) unknown = true, product = 1;
  }
  return unknown ? -1 : product;
}

std::string Shape::str() const {
  if (!has_rank_) return "[?]";
  std::string text = "[";
  for (size_t i = 0; i < dims_.size(); ++i) text += (i ? ", " : "") + std::to_string(dims_[i]);
  return text + "]";
}

void Part::AppendTo(std::string &out) const {
  char text[32];
  switch (kind_) {
    case kText:
      out += text_;
      break;
    case kChar:
      out += static_cast<char>(integer_);
      break;
    case kInteger:
      out += std::to_string(integer_);
      break;
    case kNumber:
      std::snprintf(text, sizeof text, "%g", number_);
      out += text;
      break;
  }
}

void Context::FailWith(std::initializer_list<Part> parts) const {
  std::string text;
  for (const Part &part : parts) part.AppendTo(text);
  throw Refusal(text);
}

Context::Context(const GeInferContext &raw) : raw_(raw), op_(*raw.op) {}

size_t Context::Instances(size_t ir) const {
  if (!op_.ir_input_counts) return ir < op_.input_count ? 1 : 0;
  return ir < op_.ir_input_total ? static_cast<size_t>(op_.ir_input_counts[ir]) : 0;
}

const GeTensorData &Context::In(size_t ir, size_t k) const {
  size_t port = k;
  if (op_.ir_input_counts)
    for (size_t i = 0; i < ir && i < op_.ir_input_total; ++i) port += static_cast<size_t>(op_.ir_input_counts[i]);
  else port += ir;
  if (k >= Instances(ir) || port >= op_.input_count) Fail("input ", port, " is missing; there are ", op_.input_count);
  return op_.inputs[port];
}

bool Context::Has(size_t ir) const { return Instances(ir) > 0 && In(ir).data_type != C_DT_UNDEFINED; }

Shape Context::Dims(size_t ir, size_t k) const { return DimsOf(In(ir, k)); }

Shape Context::DimsOfRank(size_t ir, int64_t rank, const char *name) const {
  Shape shape = Dims(ir);
  if (!shape.has_rank()) return Shape::OfRank(rank);
  if (shape.rank() != rank) Fail(name, " has shape ", shape.str(), ", expected ", rank, " dimensions");
  return shape;
}

std::optional<Values> Context::Ints(size_t ir, size_t k) const {
  std::optional<Values> values = SymbolicInts(ir, k);
  if (values) std::replace_if(values->begin(), values->end(), IsSymbolic, kUnknown);
  return values;
}

std::optional<Values> Context::SymbolicInts(size_t ir, size_t k) const {
  std::optional<Values> values = ReadInts(ir, k);
  // The least number is known, too, and as far from any extent as its neighbour.
  if (values && ReadableElements(In(ir, k)) >= 0) std::replace(values->begin(), values->end(), kUnknown, kUnknown + 1);
  return values;
}

std::optional<Values> Context::ReadInts(size_t ir, size_t k) const {
  const GeTensorData &tensor = In(ir, k);
  if (tensor.data_type != C_DT_UNDEFINED && !IsInteger(tensor.data_type))
    Fail("input ", ir, " has data type ", GeDataTypeName(tensor.data_type), ", expected integers");
  int64_t count = DimsOf(tensor).elements();
  if (count < 0) return std::nullopt;
  if (ReadableElements(tensor) >= 0) {
    if (static_cast<size_t>(count) > 4 * kMaxValues) return std::nullopt;
    Values values(static_cast<size_t>(count));
    if (!ReadIntegers(tensor, values.size(), values)) return std::nullopt;
    return values;
  }
  if (static_cast<size_t>(count) > kMaxValues) return std::nullopt;
  if (tensor.partial) return Values(tensor.partial, tensor.partial + count);
  return Values(static_cast<size_t>(count), kUnknown);
}

std::optional<Values> Context::KnownInts(size_t ir, size_t k) const {
  std::optional<Values> values = Ints(ir, k);
  if (values)
    for (int64_t value : *values)
      if (value == kUnknown) return std::nullopt;
  return values;
}

std::optional<int64_t> Context::Int(size_t ir, const char *name) const {
  std::optional<Values> values = Ints(ir);
  if (!values) return std::nullopt;
  if (values->size() != 1) Fail(name, " has ", values->size(), " values, expected 1");
  if ((*values)[0] == kUnknown) return std::nullopt;
  return (*values)[0];
}

namespace {

/// binary16 and bfloat16: the same parts of different widths.
void ReadShortFloats(const GeTensorData &tensor, std::vector<double> &values) {
  const int fraction = tensor.data_type == C_DT_BF16 ? 7 : 10, exponent_mask = (1 << (15 - fraction)) - 1;
  const int bias = exponent_mask / 2;
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t bits;
    std::memcpy(&bits, static_cast<const char *>(tensor.data) + i * sizeof bits, sizeof bits);
    const int exponent = (bits >> fraction) & exponent_mask, rest = bits & ((1 << fraction) - 1);
    double value;
    if (exponent == exponent_mask) value = rest ? std::nan("") : HUGE_VAL;
    else if (exponent == 0) value = std::ldexp(rest, 1 - bias - fraction);
    else value = std::ldexp(rest + (1 << fraction), exponent - bias - fraction);
    values[i] = bits & 0x8000 ? -value : value;
  }
}

}  // namespace

std::optional<std::vector<double>> Context::Numbers(size_t ir) const {
  const GeTensorData &tensor = In(ir);
  int64_t count = ReadableElements(tensor);
  if (count >= 0 && static_cast<size_t>(count) <= kMaxValues) {
    std::vector<double> values(static_cast<size_t>(count));
    if (tensor.data_type == C_DT_FLOAT) Read<float>(tensor.data, values.size(), values);
    else if (tensor.data_type == C_DT_DOUBLE) Read<double>(tensor.data, values.size(), values);
    else if (tensor.data_type == C_DT_FLOAT16 || tensor.data_type == C_DT_BF16) ReadShortFloats(tensor, values);
    else if (!ReadIntegers(tensor, values.size(), values)) return std::nullopt;
    return values;
  }
  std::optional<Values> ints = IsInteger(tensor.data_type) ? KnownInts(ir) : std::nullopt;
  if (!ints) return std::nullopt;
  return std::vector<double>(ints->begin(), ints->end());
}

std::optional<Values> Context::Partial(size_t ir, size_t k) const {
  if (!IsInteger(Type(ir, k))) return std::nullopt;
  std::optional<Values> values = ReadInts(ir, k);
  if (!values || values->size() > kMaxValues) return std::nullopt;
  for (int64_t value : *values)
    if (value != kUnknown) return values;
  return std::nullopt;
}

int32_t Context::TypeAttr(const char *name, int32_t fallback) const {
  int64_t value = IntAttr(name, C_DT_UNDEFINED);
  if (value < 0 || value >= GE_DATA_TYPE_END)
    Fail(name, " is ", value, ", expected a data type from 0 to ", C_DT_MAX - 1);
  return value == C_DT_UNDEFINED ? fallback : static_cast<int32_t>(value);
}

Values Context::IntsAttr(const char *name) const {
  size_t count = 0;
  const int64_t *values = GeOpAttrInts(&op_, name, &count);
  return Values(values, values + count);
}

std::vector<float> Context::FloatsAttr(const char *name) const {
  const GeAttrData *attr = GeOpAttr(&op_, name);
  if (!attr || attr->type != C_VT_LIST_FLOAT) return {};
  const float *values = static_cast<const float *>(attr->list);
  return std::vector<float>(values, values + attr->count);
}

Values Context::IntsAttr(const char *name, size_t count) const {
  Values values = IntsAttr(name);
  if (values.size() != count) Fail(name, " has ", values.size(), " values, expected ", count);
  return values;
}

void Context::Out(size_t port, int32_t data_type, const Shape &shape) {
  if (port >= raw_.output_count) return;  // the node does not have that output
  GeInferOutput &out = raw_.outputs[port];
  out.data_type = data_type;
  if (!shape.has_rank()) {
    out.rank = GE_UNKNOWN_RANK;
    return;
  }
  if (shape.rank() > GE_MAX_RANK)
    Fail("output ", port, " has ", shape.rank(), " dimensions, at most ", GE_MAX_RANK, " are supported");
  int64_t bits = GeDataTypeBits(data_type);
  int64_t size = bits ? bits : 8;
  bool empty = false;
  for (int64_t dim : shape.dims()) {
    if (dim < -1 && !NearSymbolic(dim)) Fail("output ", port, " has the impossible shape ", shape.str());
    if (dim == 0) empty = true;
  }
  if (!empty)
    for (int64_t dim : shape.dims())
      if (dim > 0 && (__builtin_mul_overflow(size, dim, &size) || size / 8 > kMaxBytes))
        Fail("output ", port, " of shape ", shape.str(), " is larger than the limit of ", kMaxBytes, " bytes");
  out.rank = static_cast<int32_t>(shape.rank());
  for (int64_t i = 0; i < shape.rank(); ++i) out.dims[i] = shape[i];
}

void Context::OutPartial(size_t port, const Values &values) {
  if (!WantsPartial(port)) return;
  GeInferOutput &out = raw_.outputs[port];
  if (values.size() > static_cast<size_t>(out.partial_capacity)) return;
  // A value that was read as the neighbour of the least number (SymbolicInts) may be that number: a kernel has to tell.
  for (size_t i = 0; i < values.size(); ++i) out.partial[i] = values[i] == kUnknown + 1 ? kUnknown : values[i];
  out.partial_count = static_cast<int32_t>(values.size());
}

int64_t Context::Sum(int64_t a, int64_t b) const {
  int64_t result;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (SymbolicDims *symbolic = CurrentSymbolicDims()) return symbolic->Add(a, b);
  return __builtin_add_overflow(a, b, &result) ? kUnknown : result;
}

int64_t Context::Difference(int64_t a, int64_t b) const {
  int64_t result;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (SymbolicDims *symbolic = CurrentSymbolicDims()) return symbolic->Subtract(a, b);
  return __builtin_sub_overflow(a, b, &result) ? kUnknown : result;
}

int64_t Context::Product(int64_t a, int64_t b) const {
  int64_t result;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (SymbolicDims *symbolic = CurrentSymbolicDims()) return symbolic->Multiply(a, b);
  return __builtin_mul_overflow(a, b, &result) ? kUnknown : result;
}

int64_t Context::Quotient(int64_t a, int64_t b) const {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (SymbolicDims *symbolic = CurrentSymbolicDims()) return symbolic->Divide(a, b);
  return b <= 0 ? kUnknown : a / b - (a % b < 0 ? 1 : 0);
}

std::optional<bool> Context::AtMost(int64_t a, int64_t b) const {
  if (a == kUnknown || b == kUnknown) return std::nullopt;
  if (SymbolicDims *symbolic = CurrentSymbolicDims()) return symbolic->LessEqual(a, b);
  return a <= b;
}

std::optional<bool> Context::Same(int64_t a, int64_t b) const {
  if (a == kUnknown || b == kUnknown) return std::nullopt;
  if (SymbolicDims *symbolic = CurrentSymbolicDims()) return symbolic->Equal(a, b);
  return a == b;
}

bool Context::Differ(int64_t a, int64_t b) const { return !Same(ValueOf(a), ValueOf(b)).value_or(true); }

bool Context::NoMultiple(int64_t extent, int64_t of) const {
  return !Same(Product(Quotient(ValueOf(extent), of), of), ValueOf(extent)).value_or(true);
}

bool Context::CannotSpread(const Shape &x, const Shape &to) const {
  if (!x.has_rank() || !to.has_rank()) return false;
  if (x.rank() > to.rank()) return true;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const int64_t extent = x[i], wanted = to[to.rank() - x.rank() + i];
    if (extent != 1 && Differ(extent, wanted) && Differ(extent, 1)) return true;
  }
  return false;
}

int64_t Context::Axis(int64_t axis, int64_t rank, const char *name) const {
  if (axis < -rank || axis >= rank) Fail(name, " is ", axis, ", expected a value from ", -rank, " to ", rank - 1);
  return axis < 0 ? axis + rank : axis;
}

Shape Context::Permuted(const Shape &x, const Values &perm, const char *name) const {
  int64_t rank = static_cast<int64_t>(perm.size());
  Shape y = Shape::OfRank(rank);
  if (x.has_rank() && x.rank() != rank)
    Fail(name, " has ", rank, " values, expected ", x.rank(), " for x of shape ", x.str());
  std::vector<bool> seen(perm.size());
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = perm[static_cast<size_t>(i)];
    if (from == kUnknown) continue;
    from = Axis(from, rank, name);
    if (seen[static_cast<size_t>(from)]) Fail(name, " names axis ", from, " twice");
    seen[static_cast<size_t>(from)] = true;
    if (x.has_rank()) y[i] = x[from];
  }
  return y;
}

/// Of two extents that are not 1 as far as they are known: what they are broadcast to, -1 where that is not known.
/// Nothing where they do not fit.
static std::optional<int64_t> WiderOf(const Context &c, int64_t a, int64_t b) {
  const std::optional<bool> same = c.Same(c.ValueOf(a), c.ValueOf(b));
  if (!same) return a < 0 && b < 0 ? -1 : std::max(a, b);  // the number: the other must be this extent or 1
  if (*same) return a < 0 ? b : a;
  if (a < 0 && c.Same(a, 1).value_or(false)) return b;
  if (b < 0 && c.Same(b, 1).value_or(false)) return a;
  return std::nullopt;
}

Shape Context::Broadcast(const Shape &a, const Shape &b, const char *a_name, const char *b_name) const {
  if (!a.has_rank() || !b.has_rank()) return Shape::Unknown();
  int64_t rank = std::max(a.rank(), b.rank());
  Shape out = Shape::OfRank(rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    int64_t x = ia < 0 ? 1 : a[ia], y = ib < 0 ? 1 : b[ib];
    if (x == y) out[i] = x;
    else if (x == 1) out[i] = y;
    else if (y == 1) out[i] = x;
    else if (const std::optional<int64_t> wider = WiderOf(*this, x, y)) out[i] = *wider;
    else Fail(a_name, " of shape ", a.str(), " and ", b_name, " of shape ", b.str(), " cannot be broadcast");
  }
  return out;
}

int64_t Context::SameDim(int64_t a, int64_t b, const char *what) const {
  if (Differ(a, b)) Fail(what, " differs: ", a, " and ", b);
  return a < 0 && b != -1 ? b : a;
}

int32_t Context::SameType(std::initializer_list<size_t> irs, std::initializer_list<const char *> names) const {
  int32_t type = C_DT_UNDEFINED;
  const char *first = "";
  auto name = names.begin();
  for (size_t ir : irs) {
    int32_t t = Type(ir);
    if (type == C_DT_UNDEFINED) {
      type = t;
      first = *name;
    } else if (t != C_DT_UNDEFINED && t != type) {
      Fail(*name, " has data type ", GeDataTypeName(t), ", expected ", GeDataTypeName(type), " like ", first);
    }
    ++name;
  }
  return type;
}

int32_t Context::CommonType(std::initializer_list<size_t> irs, std::initializer_list<const char *> names) const {
  int32_t type = C_DT_UNDEFINED;
  const char *decides = "";
  auto name = names.begin();
  for (size_t ir : irs) {
    const int32_t next = Instances(ir) ? Type(ir) : C_DT_UNDEFINED, both = GePromoteDataTypes(type, next);
    if (both == C_DT_UNDEFINED && next != C_DT_UNDEFINED)
      Fail(*name, " has data type ", GeDataTypeName(next), " and ", decides, " ", GeDataTypeName(type),
           ": no type holds both");
    if (both != type) decides = *name;
    type = both;
    ++name;
  }
  return type;
}

void Context::NeedBool(size_t ir, const char *name) const {
  int32_t type = Type(ir);
  if (type != C_DT_BOOL && type != C_DT_UNDEFINED)
    Fail(name, " has data type ", GeDataTypeName(type), ", expected DT_BOOL");
}

void Context::NeedIntegers(size_t ir, const char *name) const {
  int32_t type = Type(ir);
  if (!IsInteger(type) && type != C_DT_UNDEFINED)
    Fail(name, " has data type ", GeDataTypeName(type), ", expected integers");
}

int64_t Context::CheckedMul(int64_t a, int64_t b, const char *what) const {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) Fail(what, " overflows: ", a, " * ", b);
  return result;
}

int64_t Context::CheckedAdd(int64_t a, int64_t b, const char *what) const {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) Fail(what, " overflows: ", a, " + ", b);
  return result;
}

}  // namespace gec::infer
