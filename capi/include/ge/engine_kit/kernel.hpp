// Kernels as objects, loops on the model's threads, and constants in another form.
#ifndef GE_ENGINE_KIT_KERNEL_HPP_
#define GE_ENGINE_KIT_KERNEL_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ge/engine.h"
#include "ge/engine_kit/failure.hpp"
#include "ge/engine_kit/shares.hpp"

GE_ENGINE_KIT_BEGIN

/// Splits [0, n) over the model's threads in ranges of at least `grain`; fn(begin, end) must not throw.
template <class F>
void Parallel(const GeKernelEnv &env, int64_t n, int64_t grain, const F &fn) {
  if (n <= 0) return;
  if (n <= grain || env.threads <= 1) {
    fn(int64_t{0}, n);
    return;
  }
  env.parallel_for(
      env.host, n, grain, [](void *arg, int64_t begin, int64_t end) { (*static_cast<const F *>(arg))(begin, end); },
      const_cast<F *>(&fn));
}

/// Calls fn(piece, worker) once for each of [0, pieces), shared by `workers` workers that run side by side: a worker
/// has one piece at a time, so memory may belong to it, and most of its pieces follow one another. fn must not throw.
template <class F>
void ParallelPieces(const GeKernelEnv &env, int64_t pieces, int64_t workers, const F &fn) {
  Shares shares(pieces, pieces, workers);
  Parallel(env, workers, 1, [&](int64_t first, int64_t last) {
    for (int64_t worker = first; worker < last; ++worker)
      for (int64_t begin, end; shares.Next(worker, &begin, &end);)
        for (int64_t piece = begin; piece < end; ++piece) fn(piece, worker);
  });
}

/// A kernel: its state, and what the library wants to know about it. Run is called by several threads at once and must
/// neither change the object nor allocate nor lock; it may throw Failure.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual GeStatus Run(const GeKernelArgs &args) const = 0;
  /// A function to be called instead of Run, with the Kernel as its state: for kernels of which a virtual call and the
  /// barrier would be a part that one can measure. Nothing may be thrown through it.
  virtual GeKernelRunFn direct() const { return nullptr; }
  /// Of a kernel for open extents whose workspace depends on them: the bytes that a run with these needs. Such a kernel
  /// sets `sizes_workspace`.
  virtual uint64_t WorkspaceFor(const int64_t *const *, const int64_t *const *) const { return workspace_bytes; }

  std::string implementation;  // for profiles
  uint64_t workspace_bytes = 0;
  uint32_t flags = 0;  // GE_KERNEL_*
  bool sizes_workspace = false;
  double flops = 0;
  int32_t flops_type = C_DT_FLOAT;  // GeKernel.flops_type
  std::vector<GeAlias> aliases;
  uint64_t strided_inputs = 0;         // GeKernel.strided_inputs
  std::vector<uint64_t> output_bytes;  // with GE_KERNEL_DATA_DEPENDENT

  /// Sets `bytes` of the workspace aside; returns their offset, a multiple of 64.
  uint64_t Reserve(uint64_t bytes) {
    const uint64_t at = workspace_bytes;
    workspace_bytes += (bytes + 63) / 64 * 64;
    return at;
  }
  /// The services of the model that the kernel belongs to; null until the kernel is handed over.
  const GeKernelEnv *env() const { return env_; }

 protected:
  /// For Run: a loop on the model's threads.
  template <class F>
  void Parallel(int64_t n, int64_t grain, const F &fn) const {
    kit::Parallel(*env_, n, grain, fn);
  }
  /// For Run: as kit::ParallelPieces.
  template <class F>
  void ParallelPieces(int64_t pieces, int64_t workers, const F &fn) const {
    kit::ParallelPieces(*env_, pieces, workers, fn);
  }

 private:
  friend void HandOver(std::unique_ptr<Kernel> kernel, const GeKernelEnv *env, GeKernel *out);
  const GeKernelEnv *env_ = nullptr;
};

/// Gives the kernel to the library, which destroys it when it is not needed any more.
inline void HandOver(std::unique_ptr<Kernel> kernel, const GeKernelEnv *env, GeKernel *out) {
  if (!kernel) Fail(GE_FAILED, "no kernel was made");
  kernel->env_ = env;
  *out = GeKernel{};
  out->struct_size = sizeof(GeKernel);
  out->run = kernel->direct();
  if (!out->run)
    out->run = [](void *state, const GeKernelArgs *args) -> GeStatus {
      const Kernel &self = *static_cast<const Kernel *>(state);
      GeStatus status = GE_SUCCESS;
      const GeStatus thrown = Guard(self.env()->fail, [&] { status = self.Run(*args); });
      return thrown == GE_SUCCESS ? status : thrown;
    };
  if (kernel->sizes_workspace)
    out->workspace_for = [](void *state, const int64_t *const *input_dims, const int64_t *const *output_dims,
                            uint64_t *bytes) -> GeStatus {
      const Kernel &self = *static_cast<const Kernel *>(state);
      return Guard(self.env()->fail, [&] { *bytes = self.WorkspaceFor(input_dims, output_dims); });
    };
  out->destroy = [](void *state) { delete static_cast<Kernel *>(state); };
  out->implementation = kernel->implementation.c_str();
  out->workspace_bytes = kernel->workspace_bytes;
  out->flags = kernel->flags;
  out->alias_count = static_cast<uint32_t>(kernel->aliases.size());
  out->aliases = kernel->aliases.data();
  out->flops = kernel->flops;
  out->flops_type = kernel->flops_type;
  out->strided_inputs = kernel->strided_inputs;
  out->output_bytes = kernel->output_bytes.empty() ? nullptr : kernel->output_bytes.data();
  out->state = kernel.release();
}

/// A constant in another form, made once per model: fill(source, buffer) runs for the first kernel that asks for `key`.
/// The content is at `source`, which need not be `data` (GeKernelEnv.pack_constant). The buffer is aligned to 64 bytes
/// and lives as long as the model.
template <class F>
const void *Packed(const GeKernelEnv &env, const void *data, const std::string &key, uint64_t bytes, const F &fill) {
  struct Call {
    const F *fill;
    const void *data;
    std::string error;
    GeStatus Run(const void *source, void *packed) {
      return Guard(
          [&](GeStatus code, const char *message) {
            error = message;
            return code;
          },
          [&] {
            if constexpr (std::is_invocable_v<const F &, const void *, void *>) (*fill)(source, packed);
            else (*fill)(packed);
          });
    }
  } call{&fill, data, {}};
  const void *out = nullptr;
  GeStatus status;
  if (std::is_invocable_v<const F &, const void *, void *> && GE_HAS(&env, GeKernelEnv, pack_constant) &&
      env.pack_constant) {
    status = env.pack_constant(
        env.host, data, key.c_str(), bytes,
        [](void *arg, const void *source, void *packed) { return static_cast<Call *>(arg)->Run(source, packed); },
        &call, &out);
  } else {
    status = env.packed_constant(
        env.host, data, key.c_str(), bytes,
        [](void *arg, void *packed) {
          Call &self = *static_cast<Call *>(arg);
          return self.Run(self.data, packed);
        },
        &call, &out);
  }
  if (status != GE_SUCCESS) Fail(status, "packing a constant failed", call.error.empty() ? "" : ": ", call.error);
  return out;
}

GE_ENGINE_KIT_END

#endif
