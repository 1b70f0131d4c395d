#include "core/placement/kernel_key.h"

#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gec {
namespace {

/// Appends values so that different sequences give different bytes: everything of variable length has its length first.
class KeyWriter {
 public:
  explicit KeyWriter(std::string &key) : key_(key) {}
  void Finish() {
    key_.append(waiting_, used_);
    used_ = 0;
  }

  template <class T>
  void Value(const T &value) {
    static_assert(std::is_arithmetic_v<T> || std::is_pointer_v<T>, "a structure may have padding");
    Bytes(&value, sizeof value);
  }
  void Text(const char *text) {
    Value(text != nullptr);
    if (text) Text(std::string_view(text));
  }
  void Text(std::string_view text) {
    Value(text.size());
    Bytes(text.data(), text.size());
  }
  template <class T>
  void List(const T *values, size_t count) {
    Value(values != nullptr);
    Value(count);
    if (values) Bytes(values, count * sizeof(T));
  }

  // The structured bindings below name every member: a new one is a compile error until it has its place here.

  // Numbers go in as one block without gaps: a graph has a key for every node.

  void Tensor(const GeTensorData &tensor) {
    const auto &[data_type, format, origin_format, rank, origin_rank, flags, dims, origin_dims, data, size, partial,
                 layout, reserved] = tensor;
    const struct {
      int32_t data_type, format, origin_format, rank, origin_rank;
      uint32_t flags, has_dims, has_partial;
      const void *data;
      uint64_t size, has_layout, reserved;
    } head{data_type,
           format,
           origin_format,
           rank,
           origin_rank,
           flags & ~GE_TENSOR_DEFERRED,
           (dims != nullptr) + 2u * (origin_dims != nullptr),
           partial != nullptr,
           data,
           size,
           layout != nullptr,
           reserved};
    static_assert(sizeof head == 64);
    Bytes(&head, sizeof head);
    if (dims && rank > 0) Bytes(dims, static_cast<size_t>(rank) * sizeof *dims);
    // In a blocked format the dims say how many blocks there are, the origin's dims how full the last one is.
    if (origin_dims && origin_rank > 0) Bytes(origin_dims, static_cast<size_t>(origin_rank) * sizeof *origin_dims);
    if (layout) Layout(*layout, rank);
    if (!partial) return;
    int64_t known = 1;
    for (int32_t i = 0; i < rank; ++i) known *= dims[i] > 0 ? dims[i] : 0;
    Bytes(partial, static_cast<size_t>(known) * sizeof *partial);
  }

  void Layout(const GeTensorLayout &layout, int32_t rank) {
    const auto &[struct_size, strides, quant_scheme, quant_axis, quant_block, scales, zero_points, scale_count] =
        layout;
    const uint64_t head[] = {strides != nullptr,
                             static_cast<uint64_t>(quant_scheme),
                             static_cast<uint64_t>(quant_axis),
                             static_cast<uint64_t>(quant_block),
                             zero_points != nullptr,
                             scale_count};
    Bytes(head, sizeof head);
    if (strides && rank > 0) Bytes(strides, static_cast<size_t>(rank) * sizeof *strides);
    if (scales) Bytes(scales, scale_count * sizeof *scales);
    if (zero_points) Bytes(zero_points, scale_count * sizeof *zero_points);
  }

  void Attr(const GeAttrData &attr) {
    const auto &[name, type, reserved, i, f, s, tensor, list, count, inner_counts] = attr;
    const std::string_view label = name ? name : "";
    const struct {
      int32_t type;
      uint32_t reserved, name_size, has;
      int64_t i;
      double f;
    } head{type,
           reserved,
           static_cast<uint32_t>(label.size()),
           (s != nullptr) + 2u * (tensor != nullptr) + 4u * (name != nullptr),
           i,
           f};
    static_assert(sizeof head == 32);
    Bytes(&head, sizeof head);
    Bytes(label.data(), label.size());
    if (s) Text(std::string_view(s, count));
    if (tensor) Tensor(*tensor);
    Elements(type, list, count, inner_counts);
  }

  void Traits(const GeOpTraits *traits) {
    Value(traits != nullptr);
    if (!traits) return;
    const auto &[struct_size, flags, control_flow, fused_opcode] = *traits;
    Value(struct_size);
    Value(flags);
    Value(control_flow);
    Value(fused_opcode);
  }

 private:
  /// A key is made of many small pieces: they go to the text together.
  void Bytes(const void *data, size_t bytes) {
    if (bytes > sizeof waiting_ - used_) Finish();
    if (bytes > sizeof waiting_) {
      key_.append(static_cast<const char *>(data), bytes);
      return;
    }
    if (bytes > 0) std::memcpy(waiting_ + used_, data, bytes);
    used_ += bytes;
  }

  void Elements(int32_t type, const void *list, uint64_t count, const int64_t *inner_counts) {
    Value(count);
    Value(list != nullptr);
    if (!list) return;
    switch (type) {
      case C_VT_BYTES:
      case C_VT_LIST_BOOL:
        return Bytes(list, count);
      case C_VT_LIST_INT:
        return Bytes(list, count * sizeof(int64_t));
      case C_VT_LIST_FLOAT:
        return Bytes(list, count * sizeof(float));
      case C_VT_LIST_DATA_TYPE:
        return Bytes(list, count * sizeof(int32_t));
      case C_VT_LIST_STRING:
        for (uint64_t k = 0; k < count; ++k) Text(static_cast<const char *const *>(list)[k]);
        return;
      case C_VT_LIST_TENSOR:
        for (uint64_t k = 0; k < count; ++k) Tensor(*static_cast<const GeTensorData *const *>(list)[k]);
        return;
      case C_VT_LIST_LIST_INT:
      case C_VT_LIST_LIST_FLOAT: {
        const size_t element = type == C_VT_LIST_LIST_INT ? sizeof(int64_t) : sizeof(float);
        for (uint64_t k = 0; k < count; ++k) {
          Value(inner_counts[k]);
          Bytes(static_cast<const void *const *>(list)[k], element * static_cast<size_t>(inner_counts[k]));
        }
        return;
      }
      default:
        Value(list);  // a kind of list that is not known here: only the very same one is equal
    }
  }

  std::string &key_;
  char waiting_[1024];
  size_t used_ = 0;
};

}  // namespace

std::string KernelKey(const GeOpDesc &op, bool own_kernel) {
  std::string key;
  key.reserve(512);
  AppendKernelKey(key, op, own_kernel);
  return key;
}

void AppendKernelKey(std::string &text, const GeOpDesc &op, bool own_kernel) {
  const auto &[struct_size, type, name, inputs, input_count, outputs, output_count, attrs, attr_count, ir_input_counts,
               ir_input_total, ir_output_counts, ir_output_total, traits] = op;
  KeyWriter key(text);
  key.Value(own_kernel);
  key.Value(struct_size);
  key.Text(type);
  key.Text(name);
  key.Value(input_count);
  for (size_t i = 0; i < input_count; ++i) key.Tensor(inputs[i]);
  key.Value(output_count);
  for (size_t i = 0; i < output_count; ++i) key.Tensor(outputs[i]);
  key.Value(attr_count);
  for (size_t i = 0; i < attr_count; ++i) key.Attr(attrs[i]);
  key.List(ir_input_counts, ir_input_total);
  key.List(ir_output_counts, ir_output_total);
  key.Traits(traits);
  key.Finish();
}

}  // namespace gec
