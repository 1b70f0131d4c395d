#include "trial.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>

namespace onednn {

namespace {

class Memory {
 public:
  explicit Memory(uint64_t bytes) : at_(std::aligned_alloc(64, (bytes / 64 + 1) * 64)) {
    if (!at_) throw std::bad_alloc();
    // Pages of zeros would all be the same one, and kernels that meet no other numbers would be too fast.
    float *values = static_cast<float *>(at_);
    for (uint64_t i = 0; i < bytes / sizeof(float); ++i) values[i] = 0.5f;
  }
  ~Memory() { std::free(at_); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  void *get() const { return at_; }

 private:
  void *at_;
};

/// The services of the model, but for packed constants, which live as long as the trial.
class TrialEnv {
 public:
  explicit TrialEnv(const GeKernelEnv &real) : real_(real) {
    memcpy(&env_, &real, std::min(real.struct_size, sizeof env_));
    env_.struct_size = std::min(real.struct_size, sizeof env_);
    env_.host = this;
    env_.parallel_for = [](void *host, int64_t n, int64_t grain, GeParallelFn fn, void *arg) {
      const GeKernelEnv &real = static_cast<TrialEnv *>(host)->real_;
      real.parallel_for(real.host, n, grain, fn, arg);
    };
    env_.packed_constant = [](void *host, const void *data, const char *key, uint64_t bytes, GePackFn pack, void *arg,
                              const void **out) {
      return static_cast<TrialEnv *>(host)->Pack(data, key, bytes, out, [&](void *to) { return pack(arg, to); });
    };
    env_.pack_constant = [](void *host, const void *data, const char *key, uint64_t bytes, GePackFromFn pack, void *arg,
                            const void **out) {
      return static_cast<TrialEnv *>(host)->Pack(data, key, bytes, out, [&](void *to) { return pack(arg, data, to); });
    };
  }
  const GeKernelEnv *get() const { return &env_; }

 private:
  template <class F>
  GeStatus Pack(const void *data, const char *key, uint64_t bytes, const void **out, const F &fill) {
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto &known = packed_[{data, key}];
      if (!known) {
        auto memory = std::make_unique<Memory>(bytes);
        if (const GeStatus status = fill(memory->get()); status != GE_SUCCESS) return status;
        known = std::move(memory);
      }
      *out = known->get();
      return GE_SUCCESS;
    } catch (const std::bad_alloc &) {
      return real_.fail(GE_OUT_OF_MEMORY, "there is no memory for a kernel that is measured");
    }
  }

  const GeKernelEnv &real_;
  GeKernelEnv env_{};
  std::mutex mutex_;
  std::map<std::pair<const void *, std::string>, std::unique_ptr<Memory>> packed_;
};

struct Handed {
  GeKernel kernel{};
  ~Handed() {
    if (kernel.destroy) kernel.destroy(kernel.state);
  }
};

// Seconds of the quickest of some runs.
double Measure(const Context &context, const MakeKernel &make) {
  const Node &node = context.node;
  TrialEnv env(*context.env);
  Handed made;
  ge::kit::HandOver(make({node, env.get(), context.features}), env.get(), &made.kernel);
  std::vector<std::unique_ptr<Memory>> memory;
  const auto buffer = [&](uint64_t bytes) {
    memory.push_back(std::make_unique<Memory>(bytes));
    return memory.back()->get();
  };
  std::vector<const void *> inputs(node.inputs());
  std::vector<void *> outputs(node.outputs());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const Tensor t = node.in(i); t.present())
      inputs[i] = t.constant() ? t.content() : buffer(static_cast<uint64_t>(t.bytes()));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (const Tensor t = node.out(i); t.present()) outputs[i] = buffer(static_cast<uint64_t>(t.bytes()));
  GeKernelArgs args{};
  args.struct_size = sizeof args;
  args.inputs = inputs.data(), args.outputs = outputs.data();
  args.workspace = buffer(made.kernel.workspace_bytes);
  using Clock = std::chrono::steady_clock;
  constexpr int kMostRuns = 10;
  constexpr double kEnough = 0.02;  // seconds
  double best = std::numeric_limits<double>::infinity(), total = 0;
  for (int run = 0; run <= kMostRuns && (run < 3 || total < kEnough); ++run) {
    const Clock::time_point start = Clock::now();
    if (made.kernel.run(made.kernel.state, &args) != GE_SUCCESS) return std::numeric_limits<double>::infinity();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (run == 0) continue;  // it fills caches
    total += seconds;
    best = std::min(best, seconds);
  }
  return best;
}

}  // namespace

bool Tunes(const Context &context) { return GE_HAS(context.env, GeKernelEnv, tune) && context.env->tune != 0; }

size_t Fastest(const Context &context, const std::vector<MakeKernel> &ways) {
  for (size_t i = 0; i < context.node.inputs(); ++i)
    if (const Tensor t = context.node.in(i); t.constant()) t.content();
  size_t fastest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < ways.size(); ++i) {
    double seconds = std::numeric_limits<double>::infinity();
    try {
      seconds = Measure(context, ways[i]);
    } catch (const ge::kit::Failure &) {  // it cannot be made for this shape
    } catch (const std::exception &) {    // nor measured, for want of memory
    }
    if (seconds < least) least = seconds, fastest = i;
  }
  return fastest;
}

}  // namespace onednn
