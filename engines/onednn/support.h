// Code that every kernel family of this engine uses: failures, the node as it was handed in, and the kernel it becomes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ge/engine.h"

namespace onednn {

// Thrown while a node is checked or a kernel is created; the entry points turn it into a status.
struct Failure {
  GeStatus code;
  std::string message;
};

inline void AppendText(std::string *out, const char *text) { *out += text; }
inline void AppendText(std::string *out, const std::string &text) { *out += text; }
inline void AppendText(std::string *out, int64_t value) { *out += std::to_string(value); }
inline void AppendText(std::string *out, int value) { *out += std::to_string(value); }
inline void AppendText(std::string *out, uint64_t value) { *out += std::to_string(value); }

template <class... Parts>
std::string Text(const Parts &...parts) {
  std::string text;
  (AppendText(&text, parts), ...);
  return text;
}
template <class... Parts>
[[noreturn]] void Fail(GeStatus code, const Parts &...parts) {
  throw Failure{code, Text(parts...)};
}
template <class... Parts>
[[noreturn]] void Refuse(const Parts &...parts) {
  throw Failure{GE_UNSUPPORTED, Text(parts...)};
}

using Dims = std::vector<int64_t>;
int64_t Count(const Dims &dims, size_t from = 0);
std::string ToText(const Dims &dims);
inline int64_t RoundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// One tensor of the node.
class Tensor {
 public:
  explicit Tensor(const GeTensorData *data) : data_(data) {}
  bool present() const { return data_ && data_->data_type != C_DT_UNDEFINED; }
  int32_t type() const { return data_->data_type; }
  int32_t format() const { return data_->format; }
  bool blocked() const { return data_->format == C_FORMAT_NC1HWC0; }
  bool ranked() const { return data_->rank >= 0; }
  int rank() const { return data_->rank; }
  // Every dimension is known.
  bool known() const;
  bool constant() const { return (data_->flags & GE_TENSOR_CONSTANT) && data_->data; }
  const void *content() const { return data_->data; }
  Dims dims() const;
  // Dimensions as the operator means them: of a blocked tensor those of the NCHW tensor it stands for.
  Dims logical() const;
  // Channels per block of a blocked tensor.
  int64_t c0() const { return data_->dims[4]; }

 private:
  const GeTensorData *data_;
};

// The node with typed readers. Ports that do not exist are absent tensors.
class Node {
 public:
  Node(const GeOpDesc *op, uint64_t features) : op_(op), features_(features) {}
  const char *type() const { return op_->type; }
  bool is(const char *type) const;
  Tensor in(size_t i) const { return Tensor(i < op_->input_count ? &op_->inputs[i] : nullptr); }
  Tensor out(size_t i) const { return Tensor(i < op_->output_count ? &op_->outputs[i] : nullptr); }
  size_t inputs() const { return op_->input_count; }
  size_t outputs() const { return op_->output_count; }
  // All inputs and outputs that are present have known dimensions.
  bool known() const;
  bool has(const char *name) const { return GeOpAttr(op_, name) != nullptr; }
  int64_t Int(const char *name, int64_t fallback) const { return GeOpAttrInt(op_, name, fallback); }
  bool Bool(const char *name, bool fallback) const { return GeOpAttrInt(op_, name, fallback) != 0; }
  float Float(const char *name, double fallback) const { return float(GeOpAttrFloat(op_, name, fallback)); }
  std::string String(const char *name, const char *fallback) const { return GeOpAttrString(op_, name, fallback); }
  Dims Ints(const char *name) const;
  std::vector<std::string> Strings(const char *name) const;
  // GE_CPU_* bits that its kernel may use.
  uint64_t features() const { return features_; }

 private:
  const GeOpDesc *op_;
  uint64_t features_;
};

// Refuses anything but float32; `what` names the port.
void RequireFloat(const Tensor &tensor, const char *what);
// Refuses unless the tensor is dense and row major.
void RequirePlain(const Tensor &tensor, const char *what);

// A kernel: its state and what the host wants to know about it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual GeStatus Run(const GeKernelArgs &args) const = 0;

  std::string implementation;
  bool reads_originals = false;  // run reads a constant as it is although some form of it was packed
  uint64_t workspace_bytes = 0;
  double flops = 0;
  std::vector<GeAlias> aliases;

  // Room for `bytes` in the workspace; returns its offset.
  uint64_t Reserve(uint64_t bytes) {
    uint64_t at = workspace_bytes;
    workspace_bytes += (bytes + 63) / 64 * 64;
    return at;
  }
};

// The arguments of a kernel's creation.
struct Context {
  const Node &node;
  const GeKernelEnv *env;
};

// Splits [0, n) over the model's threads; fn(begin, end) must not throw.
template <class F>
void Parallel(const GeKernelEnv *env, int64_t n, int64_t grain, const F &fn) {
  if (n <= grain || env->threads <= 1) {
    if (n > 0) fn(int64_t(0), n);
    return;
  }
  env->parallel_for(
      env->host, n, grain, [](void *arg, int64_t begin, int64_t end) { (*static_cast<const F *>(arg))(begin, end); },
      const_cast<F *>(&fn));
}

// A constant in another form, made once per model: fill(buffer) runs for the first kernel that asks.
template <class F>
const void *Packed(const GeKernelEnv *env, const void *data, const std::string &key, uint64_t bytes, const F &fill) {
  const void *out = nullptr;
  struct Call {
    const F *fill;
    std::string error;
  } call{&fill, {}};
  GeStatus status = env->packed_constant(
      env->host, data, key.c_str(), bytes,
      [](void *arg, void *packed) -> GeStatus {
        auto *c = static_cast<Call *>(arg);
        try {
          (*c->fill)(packed);
          return GE_SUCCESS;
        } catch (const Failure &failure) {
          c->error = failure.message;
        } catch (const std::exception &error) {
          c->error = error.what();
        }
        return GE_FAILED;
      },
      &call, &out);
  if (status != GE_SUCCESS) Fail(status, "packing a constant failed", call.error.empty() ? "" : ": ", call.error);
  return out;
}

}  // namespace onednn
