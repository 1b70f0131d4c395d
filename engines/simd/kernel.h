// Code that the kernel families of this engine share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ge/engine.h"
#include "simd.h"

namespace vec {

/// A reason to refuse a node; turned into GE_UNSUPPORTED with its text.
struct Refusal {
  std::string reason;
};
[[noreturn]] inline void Refuse(std::string reason) { throw Refusal{std::move(reason)}; }

/// One kernel: the state behind a GeKernel.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual GeStatus Run(const GeKernelArgs *args) const = 0;
  /// A function that is called with the Kernel as its state instead of Run, or null.
  virtual GeKernelRunFn direct() const { return nullptr; }
  uint64_t workspace_bytes = 0;
  std::string implementation;
  std::vector<GeAlias> aliases;
  double flops = 0;
  bool view = false;  // nothing to do when every alias is honoured

 protected:
  explicit Kernel(const GeKernelEnv *env) : env_(*env) {}
  template <class F>
  void Parallel(int64_t n, int64_t grain, F &&f) const {
    if (n <= grain || env_.threads <= 1) {
      f(int64_t{0}, n);
      return;
    }
    env_.parallel_for(
        env_.host, n, grain, [](void *arg, int64_t begin, int64_t end) { (*static_cast<F *>(arg))(begin, end); }, &f);
  }
  GeKernelEnv env_;
};

using Dims = std::vector<int64_t>;
inline Dims DimsOf(const GeTensorData &t) { return t.rank > 0 ? Dims(t.dims, t.dims + t.rank) : Dims(); }
inline int64_t Count(const Dims &dims, size_t from = 0, size_t to = SIZE_MAX) {
  int64_t n = 1;
  for (size_t i = from; i < dims.size() && i < to; ++i) n *= dims[i];
  return n;
}
inline bool Present(const GeTensorData &t) { return t.data_type != C_DT_UNDEFINED; }
std::string TypeText(int32_t data_type);
/// Bytes of an element of the types that this engine moves; 0 for any other.
int64_t ElementBytes(int32_t data_type);
/// Refuses unless the tensor is float32.
void NeedFloat(const GeTensorData &t, const char *what);
/// The value of a constant integer input, flattened; refuses when it is not known.
std::vector<int64_t> ConstantInts(const GeTensorData &t, const char *what);
int64_t NormalAxis(int64_t axis, int64_t rank);

/// A kernel family: check throws Refusal; create is called for known shapes only.
struct Family {
  void (*check)(const GeOpDesc &op);
  std::unique_ptr<Kernel> (*create)(const GeOpDesc &op, const GeKernelEnv *env, const Table *table);
};
/// The family of an operator, or null.
const Family *FindFamily(const GeOpDesc &op);

const Family &ElementwiseFamily();
bool IsElementwise(const char *type);  // of that family
const Family &SoftmaxFamily();
const Family &NormFamily();
const Family &ReduceFamily();
const Family &TransposeFamily();
const Family &CopyFamily();
const Family &GatherFamily();
const Family &ArgFamily();
/// Casts, comparisons, logic, selection, and arithmetic of integers.
bool IsTyped(const GeOpDesc &op);
const Family &TypedFamily();

}  // namespace vec
