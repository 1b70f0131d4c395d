// Texts as kernels find and leave them (op_proto/text_ops.h).
#pragma once

#include <cstring>
#include <string_view>

#include "common/real_shape.h"
#include "registry.h"

namespace reference {

constexpr int64_t kLengthBytes = 8;

/// The texts of one input: its places and the bytes behind them. What a place says is checked before it is read.
class TextInput {
 public:
  TextInput() = default;
  TextInput(const Node &node, int port)
      : label_(node.label()), port_(size_t(port)), dims_(node.in_dims(port)), size_(node.in_count(port + 1)) {
    if (node.in_type(port) != C_DT_INT64 || node.in_type(port + 1) != C_DT_UINT8)
      Fail(GE_PARAM_INVALID, "%s: places and bytes of texts are of %s and %s, expected DT_INT64 and DT_UINT8",
           label_.c_str(), DataTypeName(node.in_type(port)), DataTypeName(node.in_type(port + 1)));
  }

  const Dims &dims() const { return dims_; }
  int64_t count() const { return dims_.count(); }
  std::string_view Read(const Call &call, int64_t i) const {
    const int64_t at = call.in<int64_t>(port_)[i];
    const char *bytes = call.in<char>(port_ + 1);
    int64_t length = -1;
    if (at >= 0 && at <= size_ - kLengthBytes) memcpy(&length, bytes + at, sizeof length);
    if (length < 0 || length > size_ - kLengthBytes - at)
      Fail(GE_PARAM_INVALID, "%s: text %lld is at byte %lld with %lld bytes, there are %lld", label_.c_str(),
           (long long)i, (long long)at, (long long)length, (long long)size_);
    return {bytes + at + kLengthBytes, size_t(length)};
  }

 private:
  std::string label_;
  size_t port_ = 0;
  Dims dims_;
  int64_t size_ = 0;
};

/// A kernel that makes texts, whose sizes are known when it runs.
inline Kernel TextKernel(const Node &node, const Dims &dims, int outputs) {
  if (dims.n > kMostReported)
    Fail(GE_UNSUPPORTED, "%s: texts of rank %d are not supported, at most %d", node.label().c_str(), dims.n,
         kMostReported);
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT | GE_KERNEL_ALLOCATES_OUTPUTS;
  kernel.workspace = uint64_t(outputs) * kShapeBytes;
  return kernel;
}

inline void *Allocate(const Call &call, const std::string &label, int output, uint64_t bytes) {
  void *memory = call.args->allocator->allocate(call.args->allocator->host, output, bytes);
  if (!memory) Fail(GE_OUT_OF_MEMORY, "%s: no memory for %llu bytes", label.c_str(), (unsigned long long)bytes);
  return memory;
}

/// Writes texts into outputs 0 (places) and 1 (bytes): `length(i)` tells how long text i is, `write(i, to)` writes it.
template <class Length, class Write>
void WriteTexts(const Call &call, const std::string &label, const Dims &dims, const Length &length,
                const Write &write) {
  const int64_t count = dims.count();
  int64_t total = 0;
  for (int64_t i = 0; i < count; ++i) total += kLengthBytes + length(i);
  auto *places = static_cast<int64_t *>(Allocate(call, label, 0, uint64_t(count) * sizeof(int64_t)));
  auto *bytes = static_cast<char *>(Allocate(call, label, 1, uint64_t(total)));
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t size = length(i);
    places[i] = at;
    memcpy(bytes + at, &size, sizeof size);
    write(i, bytes + at + kLengthBytes);
    at += kLengthBytes + size;
  }
  ReportShape(call, 0, dims);
  ReportShape(call, 1, {total});
}

}  // namespace reference
