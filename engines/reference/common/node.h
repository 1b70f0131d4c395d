// The input of a kernel family (the node, its shapes and attributes) and its result (a kernel).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/convert.h"
#include "common/small_types.h"
#include "common/types.h"
#include "ge/engine_kit.hpp"

namespace reference {

// Throws what the kit's barrier turns into a status; may be called while a node is checked, a kernel is created or run.
[[noreturn]] void Fail(GeStatus code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A short list of integers without allocation: dimensions, strides, axes.
struct Dims {
  static constexpr int kCapacity = 2 * GE_MAX_RANK;
  int n = 0;
  int64_t d[kCapacity] = {};

  Dims() = default;
  Dims(std::initializer_list<int64_t> list) {
    for (int64_t v : list) push(v);
  }
  Dims(const int64_t *values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) push(values[i]);
  }
  void push(int64_t v) {
    if (n == kCapacity) Fail(GE_UNSUPPORTED, "list of more than %d integers", kCapacity);
    d[n++] = v;
  }
  int64_t &operator[](int i) { return d[i]; }
  int64_t operator[](int i) const { return d[i]; }
  const int64_t *begin() const { return d; }
  const int64_t *end() const { return d + n; }
  // Product of elements [from, to).
  int64_t count(int from, int to) const {
    int64_t c = 1;
    for (int i = from; i < to; ++i) c *= d[i];
    return c;
  }
  int64_t count() const { return count(0, n); }
  bool operator==(const Dims &o) const {
    if (n != o.n) return false;
    for (int i = 0; i < n; ++i)
      if (d[i] != o.d[i]) return false;
    return true;
  }
};

Dims RowMajorStrides(const Dims &dims);
std::string ToText(const Dims &dims);

// Steps a row-major index over dims; false after the last.
inline bool Next(const Dims &dims, int64_t *index) {
  for (int i = dims.n - 1; i >= 0; --i) {
    if (++index[i] < dims.d[i]) return true;
    index[i] = 0;
  }
  return false;
}

// One call of a kernel.
struct Call {
  const GeKernelArgs *args;
  const GeKernelEnv *env;

  const void *in(size_t i) const { return args->inputs[i]; }
  void *out(size_t i) const { return args->outputs[i]; }
  template <class T>
  const T *in(size_t i) const {
    return static_cast<const T *>(args->inputs[i]);
  }
  template <class T>
  T *out(size_t i) const {
    return static_cast<T *>(args->outputs[i]);
  }
  template <class T>
  T *workspace(uint64_t offset = 0) const {
    return reinterpret_cast<T *>(static_cast<char *>(args->workspace) + offset);
  }

  // Splits [0, n) over the model's threads. fn(begin, end) must not throw.
  template <class F>
  void Parallel(int64_t n, int64_t grain, const F &fn) const {
    ge::kit::Parallel(*env, n, grain, fn);
  }
  // The same, in ranges that begin where elements of every type begin a byte.
  template <class F>
  void ParallelBytes(int64_t n, int64_t grain, const F &fn) const {
    Parallel((n + kByteElements - 1) / kByteElements, grain / kByteElements + 1, [&](int64_t begin, int64_t end) {
      fn(begin * kByteElements, end * kByteElements < n ? end * kByteElements : n);
    });
  }
};

struct Kernel {
  std::function<void(const Call &)> run;
  uint64_t workspace = 0;
  uint32_t flags = 0;
  double flops = 0;
  std::vector<GeAlias> aliases;
  std::vector<uint64_t> output_bytes;  // GE_KERNEL_DATA_DEPENDENT only
};

// Integers that are known now (constant input) or when the kernel runs.
class IntsInput {
 public:
  IntsInput() = default;
  bool connected() const { return port_ >= 0; }
  bool known() const { return known_; }
  Dims Read(const Call &call) const;
  int64_t ReadOne(const Call &call) const;
  const Dims &values() const { return values_; }  // when known

 private:
  friend class Node;
  int port_ = -1;
  int32_t type_ = C_DT_UNDEFINED;
  int64_t count_ = 0;
  bool known_ = false;
  Dims values_;
};

class Node : public ge::kit::Attributes {
 public:
  explicit Node(const GeOpDesc *op) : Attributes(op) {}

  const GeOpDesc &op() const { return *op_; }
  const char *type() const { return op_->type; }
  // "Conv2D 'conv1'": how messages call this node.
  std::string label() const;

  int inputs() const { return int(op_->input_count); }
  int outputs() const { return int(op_->output_count); }
  using Attributes::has;
  bool has(int i) const { return i < inputs() && op_->inputs[i].data_type != C_DT_UNDEFINED; }
  // Outputs nobody reads may have no buffer description; then kernels skip them.
  bool has_out(int i) const { return i < outputs() && op_->outputs[i].data_type != C_DT_UNDEFINED; }
  const GeTensorData &in(int i) const;
  const GeTensorData &out(int i) const;
  int32_t in_type(int i) const { return in(i).data_type; }
  int32_t out_type(int i) const { return out(i).data_type; }
  Dims in_dims(int i) const;
  Dims out_dims(int i) const;
  int64_t in_count(int i) const { return in_dims(i).count(); }
  int64_t out_count(int i) const { return out_dims(i).count(); }

  Dims Ints(const char *name) const;
  // Lists that may be longer than Dims holds.
  std::vector<int64_t> LongInts(const char *name) const { return Attributes::Ints(name); }

  // Index input: known when the input is constant. Absent optional inputs give a source with connected() == false.
  IntsInput IntsOf(int i) const;
};

// -1 counts from the end. Fails naming the node.
int NormalAxis(const Node &node, int64_t axis, int rank);
int NormalAxis(const std::string &label, int64_t axis, int rank);

// Says that output 0 is input 0 with some elements replaced.
void AddState(const Node &node, Kernel *kernel);
// In-place hints for inputs that have the size of output 0.
void AddInPlace(const Node &node, Kernel *kernel, int inputs);

struct OpEntry {
  const char *type;
  TypeSet types;  // data types of the first input (of output 0 when there is no input) that the kernel handles
  Kernel (*create)(const Node &node, const OpEntry &entry);
  void (*check)(const Node &node) = nullptr;  // throws Failure when the node is not supported; shapes may be unknown
  const void *detail = nullptr;               // what create needs to know about this operator
  int value_port = 0;                         // the input `types` is about; -1: output 0
};

struct OpTable {
  const OpEntry *entries;
  size_t count;
};

template <size_t N>
constexpr OpTable TableOf(const OpEntry (&entries)[N]) {
  return {entries, N};
}

}  // namespace reference
