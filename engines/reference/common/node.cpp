#include "common/node.h"

#include <cstdarg>
#include <cstdio>

namespace reference {

void Fail(GeStatus code, const char *format, ...) {
  char message[600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  throw ge::kit::Failure{code, message};
}

Dims RowMajorStrides(const Dims &dims) {
  Dims strides = dims;
  int64_t step = 1;
  for (int i = dims.n - 1; i >= 0; --i) {
    strides[i] = step;
    step *= dims[i];
  }
  return strides;
}

std::string ToText(const Dims &dims) {
  std::string text(1, '[');
  for (int i = 0; i < dims.n; ++i) {
    if (i) text.push_back(',');
    text.append(std::to_string(dims[i]));
  }
  text.push_back(']');
  return text;
}

Dims IntsInput::Read(const Call &call) const {
  if (known_) return values_;
  Dims values;
  if (port_ < 0) return values;
  const void *data = call.in(size_t(port_));
  for (int64_t i = 0; i < count_; ++i)
    values.push(type_ == C_DT_INT32 ? static_cast<const int32_t *>(data)[i] : static_cast<const int64_t *>(data)[i]);
  return values;
}

int64_t IntsInput::ReadOne(const Call &call) const {
  if (known_) return values_.n ? values_[0] : 0;
  const void *data = call.in(size_t(port_));
  return type_ == C_DT_INT32 ? *static_cast<const int32_t *>(data) : *static_cast<const int64_t *>(data);
}

std::string Node::label() const {
  // The library adds the name of the node at hand; a name read here would be that of the first node to share the
  // kernel.
  return op_->type;
}

const GeTensorData &Node::in(int i) const {
  if (!has(i)) Fail(GE_PARAM_INVALID, "%s: input %d is not connected", label().c_str(), i);
  return op_->inputs[i];
}

const GeTensorData &Node::out(int i) const {
  if (i >= outputs()) Fail(GE_PARAM_INVALID, "%s: there is no output %d", label().c_str(), i);
  return op_->outputs[i];
}

namespace {
Dims ShapeOf(const Node &node, const GeTensorData &t, const char *what, int port) {
  if (t.rank == 0) return {};
  if (t.rank < 0 || t.rank > GE_MAX_RANK)
    Fail(GE_PARAM_INVALID, "%s: rank of %s %d is %d, expected 0 to %d", node.label().c_str(), what, port, t.rank,
         GE_MAX_RANK);
  Dims dims(t.dims, t.rank);
  for (int64_t v : dims)
    if (v < 0)
      Fail(GE_PARAM_INVALID, "%s: shape %s of %s %d is not fully known", node.label().c_str(), ToText(dims).c_str(),
           what, port);
  return dims;
}
}  // namespace

Dims Node::in_dims(int i) const { return ShapeOf(*this, in(i), "input", i); }
Dims Node::out_dims(int i) const { return ShapeOf(*this, out(i), "output", i); }

Dims Node::Ints(const char *name) const {
  size_t count = 0;
  const int64_t *values = GeOpAttrInts(op_, name, &count);
  return Dims(values, int64_t(count));
}

IntsInput Node::IntsOf(int i) const {
  IntsInput source;
  if (!has(i)) return source;
  const GeTensorData &t = op_->inputs[i];
  if (t.data_type != C_DT_INT32 && t.data_type != C_DT_INT64)
    Fail(GE_UNSUPPORTED, "%s: input %d has type %s, expected DT_INT32 or DT_INT64", label().c_str(), i,
         DataTypeName(t.data_type));
  source.port_ = i;
  source.type_ = t.data_type;
  source.count_ = in_count(i);
  if (t.data && source.count_ <= Dims::kCapacity) {
    GeKernelArgs args{};
    const void *pointer = t.data;
    args.inputs = &pointer;
    source.port_ = 0;
    source.values_ = source.Read(Call{&args, nullptr});
    source.port_ = i;
    source.known_ = true;
  }
  return source;
}

int NormalAxis(const std::string &label, int64_t axis, int rank) {
  int64_t a = axis < 0 ? axis + rank : axis;
  if (a < 0 || a >= rank)
    Fail(GE_PARAM_INVALID, "%s: axis %lld is out of range for rank %d", label.c_str(), (long long)axis, rank);
  return int(a);
}
int NormalAxis(const Node &node, int64_t axis, int rank) { return NormalAxis(node.label(), axis, rank); }

void AddState(const Node &node, Kernel *kernel) {
  if (node.in_dims(0) == node.out_dims(0) && node.in_type(0) == node.out_type(0))
    kernel->aliases.push_back({GE_ALIAS_STATE, 0, 0, 0, 0});
}

void AddInPlace(const Node &node, Kernel *kernel, int inputs) {
  Dims out = node.out_dims(0);
  for (int i = 0; i < inputs; ++i)
    if (node.has(i) && node.in_dims(i) == out &&
        ge::kit::DataTypeBits(node.in_type(i)) == ge::kit::DataTypeBits(node.out_type(0)))
      kernel->aliases.push_back({GE_ALIAS_IN_PLACE, i, 0, 0, 0});
}

}  // namespace reference
