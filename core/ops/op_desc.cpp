#include "core/ops/op_desc.h"

#include <algorithm>
#include <cstring>

#include "core/ir/symbolic_dim.h"
#include "core/ops/traits.h"

namespace gec {

/// The last dims and the last list of tensors for each of a number of hashes: what a graph repeats is found again.
struct OpDescs::Seen {
  static constexpr size_t kSize = 256;
  struct Dims {
    const int64_t *values = nullptr;
    int32_t rank = 0;
  };
  struct Tensors {
    const GeTensorData *list = nullptr;
    size_t count = 0;
  };
  Dims dims[kSize];
  Tensors tensors[kSize];

  static size_t Mix(size_t hash, uint64_t value) { return (hash ^ value) * 0x9E3779B97F4A7C15u; }
  static size_t Slot(size_t hash) { return hash >> (64 - 8); }

  const int64_t *Same(const int64_t *values, int32_t rank) {
    if (rank <= 0) return values;
    size_t hash = static_cast<size_t>(rank);
    for (int32_t d = 0; d < rank; ++d) hash = Mix(hash, static_cast<uint64_t>(values[d]));
    Dims &known = dims[Slot(hash)];
    if (known.rank != rank || !std::equal(values, values + rank, known.values)) known = {values, rank};
    return known.values;
  }
  /// The list, or an equal one.
  const GeTensorData *Same(const GeTensorData *list, size_t count) {
    size_t hash = count;
    for (size_t i = 0; i < count; ++i) {
      hash = Mix(hash, reinterpret_cast<uintptr_t>(list[i].dims));
      hash = Mix(hash, reinterpret_cast<uintptr_t>(list[i].data) + static_cast<uint32_t>(list[i].data_type));
    }
    static_assert(sizeof(GeTensorData) == 80, "compared as bytes: there must be no padding");
    Tensors &known = tensors[Slot(hash)];
    if (known.count != count || std::memcmp(known.list, list, count * sizeof *list) != 0) known = {list, count};
    return known.list;
  }
};

OpDescs::OpDescs(bool shared) : seen_(shared ? std::make_unique<Seen>() : nullptr) {}
OpDescs::~OpDescs() = default;

template <class T>
T *OpDescs::Room(size_t count) {
  constexpr size_t kFirst = 1024, kLargest = size_t{1} << 20;
  const size_t bytes = (count * sizeof(T) + 7) / 8 * 8;
  static_assert(alignof(T) <= 8);
  while (block_ < blocks_.size() && blocks_[block_].size - used_ < bytes) ++block_, used_ = 0;
  if (block_ == blocks_.size()) {
    const size_t next = blocks_.empty() ? kFirst : std::min(kLargest, 2 * blocks_.back().size);
    const size_t size = std::max(bytes, next);
    blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});
  }
  std::byte *at = blocks_[block_].data.get() + used_;
  used_ += bytes;
  return reinterpret_cast<T *>(at);
}

void OpDescs::Clear() {
  block_ = used_ = 0;
  arena_.Clear();
  keep_.clear();
  plain_.clear();
  layouts_.clear();
  if (seen_) *seen_ = Seen();
}

const int64_t *OpDescs::Plain(const int64_t *values, size_t count, int64_t unknown) {
  if (!values || std::none_of(values, values + count, IsSymbolic)) return values;
  std::vector<int64_t> &plain = plain_.emplace_back(values, values + count);
  std::replace_if(plain.begin(), plain.end(), IsSymbolic, unknown);
  return plain.data();
}

void FillConstants(const GeOpDesc &op) {
  for (size_t i = 0; i < op.input_count; ++i) {
    if ((op.inputs[i].flags & GE_TENSOR_DEFERRED) == 0) continue;
    if (const std::shared_ptr<Buffer> buffer = Buffer::DeferredAt(op.inputs[i].data)) buffer->data();
  }
}

void OpDescs::HideSymbolic(GeTensorData &tensor) {
  if (tensor.partial) {
    int64_t count = 1;
    for (int32_t d = 0; d < tensor.rank; ++d) count *= std::max<int64_t>(tensor.dims[d], 0);
    tensor.partial = Plain(tensor.partial, static_cast<size_t>(count), INT64_MIN);
  }
  if (tensor.rank > 0) tensor.dims = Plain(tensor.dims, static_cast<size_t>(tensor.rank), GE_UNKNOWN_DIM);
  if (tensor.origin_rank > 0)
    tensor.origin_dims = Plain(tensor.origin_dims, static_cast<size_t>(tensor.origin_rank), GE_UNKNOWN_DIM);
}

void OpDescs::AddLayout(const TensorDesc &desc, GeTensorData *port) {
  if (!desc.attrs) return;
  QuantizationView &view = layouts_.emplace_back();
  if (view.Reset(desc)) port->layout = view.get();
}

GeTensorData OpDescs::Input(const Node &node, size_t i, const ValueMap *values) {
  GeTensorData data = node.input_desc(i).View();
  AddLayout(node.input_desc(i), &data);
  Endpoint e = node.input(i);
  if (!e) {
    data.data_type = C_DT_UNDEFINED;  // absent
  } else if (TensorPtr constant = ConstantOf(e)) {
    data.data = constant->buffer ? constant->buffer->address() : nullptr;
    data.size = constant->bytes();
    data.flags = GE_TENSOR_CONSTANT;
    if (constant->buffer && constant->buffer->deferred()) data.flags |= GE_TENSOR_DEFERRED;
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
  return data;
}

/// Two lists sorted by name are merged: what is set on the node, and the prototype's defaults.
size_t OpDescs::FillAttrs(const Node &node, GeAttrData *out) {
  GeAttrData *const begin = out;
  const IrDef &ir = node.ir();
  auto set = node.attrs().begin(), set_end = node.attrs().end();
  for (uint32_t index : ir.attr_order) {
    const IrAttr &attr = ir.attrs[index];
    while (set != set_end && set->first != attr.name && set->first.view() < attr.name.view()) {
      *out++ = arena_.View(set->first.c_str(), set->second);
      ++set;
    }
    if (set != set_end && set->first == attr.name) {
      *out++ = arena_.View(set->first.c_str(), set->second);
      ++set;
    } else if (!attr.required) {
      *out++ = ir.schema->attrs[index].value;
    }
  }
  for (; set != set_end; ++set) *out++ = arena_.View(set->first.c_str(), set->second);
  return static_cast<size_t>(out - begin);
}

GeOpDesc *OpDescs::Add(const Node &node, const ValueMap *values) {
  GeOpDesc *desc = AddWithSymbolic(node, values);
  for (size_t i = 0; i < desc->input_count; ++i) HideSymbolic(const_cast<GeTensorData &>(desc->inputs[i]));
  for (size_t i = 0; i < desc->output_count; ++i) HideSymbolic(const_cast<GeTensorData &>(desc->outputs[i]));
  if (seen_) ShareTensors(desc);
  return desc;
}

void OpDescs::ShareTensors(GeOpDesc *desc) {
  const size_t count = desc->input_count + desc->output_count;
  if (count == 0) return;
  for (size_t i = 0; i < count; ++i) {
    GeTensorData &tensor = const_cast<GeTensorData &>(desc->inputs[i]);
    tensor.dims = seen_->Same(tensor.dims, tensor.rank);
    tensor.origin_dims = seen_->Same(tensor.origin_dims, tensor.origin_rank);
  }
  const GeTensorData *same = seen_->Same(desc->inputs, count);
  if (same == desc->inputs) return;
  used_ -= count * sizeof *same;  // the tensors lie last
  desc->inputs = same;
  desc->outputs = same + desc->input_count;
}

const int32_t *OpDescs::Counts(const std::vector<IrPort> &ports, const InlineVec<int32_t, 2> &dynamic) {
  int32_t *counts = Room<int32_t>(ports.size());
  size_t next = 0;
  for (size_t i = 0; i < ports.size(); ++i) counts[i] = ports[i].kind == GE_IR_DYNAMIC ? dynamic[next++] : 1;
  return counts;
}

GeOpDesc *OpDescs::AddWithSymbolic(const Node &node, const ValueMap *values) {
  const IrDef &ir = node.ir();
  GeOpDesc *desc = Room<GeOpDesc>(1);
  GeAttrData *attrs = Room<GeAttrData>(ir.attrs.size() + node.attrs().size());
  const int32_t *in_counts = ir.dynamic_inputs ? Counts(ir.inputs, node.dynamic_input_counts()) : ir.ones.data();
  const int32_t *out_counts = ir.dynamic_outputs ? Counts(ir.outputs, node.dynamic_output_counts()) : ir.ones.data();
  GeTensorData *inputs = Room<GeTensorData>(node.input_count() + node.output_count());
  GeTensorData *outputs = inputs + node.input_count();
  for (size_t i = 0; i < node.input_count(); ++i) inputs[i] = Input(node, i, values);
  for (size_t i = 0; i < node.output_count(); ++i) {
    outputs[i] = node.output_desc(i).View();
    AddLayout(node.output_desc(i), &outputs[i]);
  }

  *desc = {};
  desc->struct_size = sizeof(GeOpDesc);
  desc->type = node.type().c_str();
  desc->name = node.name().c_str();
  desc->inputs = inputs;
  desc->input_count = node.input_count();
  desc->outputs = outputs;
  desc->output_count = node.output_count();
  desc->attrs = attrs;
  desc->attr_count = FillAttrs(node, attrs);
  desc->ir_input_counts = in_counts;
  desc->ir_input_total = ir.inputs.size();
  desc->ir_output_counts = out_counts;
  desc->ir_output_total = ir.outputs.size();
  desc->traits = &TraitsOf(node);
  return desc;
}

}  // namespace gec
