// oneDNN primitives as kernels: a program of steps that run one after the other on the kernel's buffers.
#pragma once

#include <atomic>
#include <dnnl.hpp>
#include <functional>

#include "activation.h"
#include "support.h"

namespace onednn {

/// Opens oneDNN unless it is open, for a processor with these GE_CPU_*; throws what Refuse throws where it cannot be
/// opened. Comes before every other use of it.
void NeedLibrary(uint64_t features);
const dnnl::engine &CpuEngine();
inline dnnl::memory::data_type FloatOf(bool bf16) {
  return bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

// Where a buffer of a step lives.
struct Operand {
  enum Kind { kInput, kOutput, kWorkspace, kConstant } kind = kWorkspace;
  int port = 0;
  uint64_t offset = 0;
  const void *constant = nullptr;

  static Operand Input(int port) { return {kInput, port, 0, nullptr}; }
  static Operand Output(int port) { return {kOutput, port, 0, nullptr}; }
  static Operand Workspace(uint64_t offset) { return {kWorkspace, 0, offset, nullptr}; }
  static Operand Constant(const void *data) { return {kConstant, 0, 0, data}; }
  void *address(const GeKernelArgs &args) const {
    switch (kind) {
      case kInput:
        return const_cast<void *>(args.inputs[port]);
      case kOutput:
        return args.outputs[port];
      case kWorkspace:
        return static_cast<char *>(args.workspace) + offset;
      default:
        return const_cast<void *>(constant);
    }
  }
};

// A kernel made of oneDNN primitives and small functions. Memory objects of oneDNN carry the addresses of a call, so
// each concurrent call needs its own set; sets are kept and handed out without a lock.
class Program : public Kernel {
 public:
  struct Arg {
    int id;
    dnnl::memory::desc desc;
    Operand operand;
  };
  Program();
  ~Program() override;

  void Add(const dnnl::primitive &primitive, std::vector<Arg> args);
  void Add(std::function<void(const GeKernelArgs &)> function);
  // Adds a reorder.
  void AddReorder(const dnnl::memory::desc &from, Operand source, const dnnl::memory::desc &to, Operand target);
  Operand Temporary(uint64_t bytes) { return Operand::Workspace(Reserve(bytes)); }
  // Scratchpad of all primitives is shared: they run one after the other.
  Arg Scratchpad(const dnnl::memory::desc &desc);
  // A sum post-op adds to what output 0 holds: input `port` goes there first, in place when the planner put it there.
  void AddToOutput(const GeKernelEnv *env, int port, uint64_t bytes);
  // Call once, after the last Add.
  void Finish();

  GeStatus Run(const GeKernelArgs &args) const override;

 private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<Arg> args;
    std::function<void(const GeKernelArgs &)> function;
  };
  struct Set;
  Set *Take() const;
  void Give(Set *set) const;
  Set *NewSet() const;

  std::vector<Step> steps_;
  uint64_t scratchpad_bytes_ = 0;
  static constexpr int kSets = 16;
  mutable std::atomic<Set *> sets_[kSets] = {};
};

// Attributes every primitive is made with: scratchpad from the workspace, float32 arithmetic.
dnnl::primitive_attr PlainAttributes();
void AppendActivation(dnnl::post_ops *ops, const Activation &activation);

// A constant reordered into `to`; `prepare`, when given, makes the content of `from` of the constant's (a padded or
// scaled copy, after zeros) and `how` says in the key what it does.
const void *PackedReorder(const GeKernelEnv *env, const void *data, const dnnl::memory::desc &from,
                          const dnnl::memory::desc &to, const std::string &how = "",
                          const std::function<void(const void *, void *)> &prepare = nullptr);

// oneDNN takes the number of threads a primitive is made for from the calling thread. There are never more than that
// has: where no more can be started, the host has set it to one.
class ThreadsDuringCreation {
 public:
  explicit ThreadsDuringCreation(int threads);
  ~ThreadsDuringCreation();

 private:
  int before_;
};

}  // namespace onednn
