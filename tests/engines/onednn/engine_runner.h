// Runs one operator on an engine plug-in loaded from its file, with a host of the test's own.
#pragma once

#include <dlfcn.h>
#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "ge/engine.h"

namespace engine_test {

using Dims = std::vector<int64_t>;

inline int64_t Count(const Dims &d) { return std::accumulate(d.begin(), d.end(), int64_t(1), std::multiplies<>()); }

inline uint64_t HostFeatures() {
#ifdef GE_EMULATE_AVX512
  const bool avx512 = true;
#else
  const bool avx512 = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
  const char *cap = getenv("GE_MAX_ISA");
  const std::string name = cap ? cap : "";
  if (name == "scalar" || !__builtin_cpu_supports("avx2")) return 0;
  return avx512 && name != "avx2" ? GE_CPU_X86_64_V4 : GE_CPU_X86_64_V3;
}
inline bool HasAvx512() { return HostFeatures() == GE_CPU_X86_64_V4; }

inline std::string &LastMessage() {
  static std::string message;
  return message;
}
inline GeStatus SetMessage(GeStatus code, const char *message) {
  LastMessage() = message;
  return code;
}

class Engine {
 public:
  Engine() {
    void *library = dlopen(ONEDNN_ENGINE, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    auto query = reinterpret_cast<GeEngineQueryFn>(dlsym(library, GE_ENGINE_QUERY_SYMBOL));
    table = query(GE_ENGINE_ABI_VERSION);
    static GeEngineHost host{};
    host.struct_size = sizeof(host);
    host.engine_abi = GE_ENGINE_ABI_VERSION;
    host.cpu_features = HostFeatures();
    host.fail = &SetMessage;
    host.log = [](int32_t, const char *) {};
    host.get_proc = [](const char *) -> void * { return nullptr; };
    if (table->open(&host, ONEDNN_ENGINE, "", &engine) != GE_SUCCESS) throw std::runtime_error(LastMessage());
  }
  static Engine &Get() {
    static Engine engine;
    return engine;
  }
  const GeEngineTable *table;
  void *engine = nullptr;
};

// The model's side of the host: threads and packed constants.
class Model {
 public:
  explicit Model(int threads) {
    env.struct_size = sizeof(env);
    env.host = this;
    env.threads = threads;
    env.cpu_features = HostFeatures();
    env.fail = &SetMessage;
    env.parallel_for = [](void *host, int64_t n, int64_t grain, GeParallelFn fn, void *arg) {
      ++static_cast<Model *>(host)->loops;
      int64_t pieces = std::min<int64_t>(static_cast<Model *>(host)->env.threads, (n + grain - 1) / grain);
      if (pieces <= 1) return fn(arg, 0, n);
#pragma omp parallel for num_threads(int(pieces)) schedule(static, 1)
      for (int64_t i = 0; i < pieces; ++i) fn(arg, n * i / pieces, n * (i + 1) / pieces);
    };
    env.packed_constant = [](void *host, const void *data, const char *key, uint64_t bytes, GePackFn pack, void *arg,
                             const void **out) -> GeStatus {
      auto &slot = static_cast<Model *>(host)->packed_[{data, key}];
      if (!slot) {
        slot.reset(static_cast<char *>(aligned_alloc(64, (bytes + 63) / 64 * 64)));
        if (GeStatus status = pack(arg, slot.get()); status != GE_SUCCESS) return status;
      }
      *out = slot.get();
      return GE_SUCCESS;
    };
    omp_set_num_threads(threads);
  }
  GeKernelEnv env{};
  std::atomic<int64_t> loops = 0;  // calls of parallel_for
  size_t packed() const { return packed_.size(); }

 private:
  struct Free {
    void operator()(char *p) const { free(p); }
  };
  std::map<std::pair<const void *, std::string>, std::unique_ptr<char, Free>> packed_;
};

struct Tensor {
  Dims dims, origin;
  std::vector<float> data;
  int32_t format = C_FORMAT_ND, type = C_DT_FLOAT;
  bool constant = false, absent = false;
};

inline Tensor Plain(const Dims &dims, std::vector<float> data = {}, int32_t format = C_FORMAT_ND) {
  Tensor t;
  t.dims = t.origin = dims;
  t.format = format;
  t.data = std::move(data);
  t.data.resize(Count(dims));
  return t;
}
inline Tensor Random(const Dims &dims, unsigned seed, float scale = 1, int32_t format = C_FORMAT_ND) {
  Tensor t = Plain(dims, {}, format);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-scale, scale);
  for (float &v : t.data) v = values(generator);
  return t;
}
inline Tensor Constant(Tensor t) {
  t.constant = true;
  return t;
}
inline Tensor Absent() {
  Tensor t;
  t.absent = true;
  return t;
}

// NCHW to NC1HWC0 and back, element by element.
inline Tensor Blocked(const Tensor &nchw, int64_t c0) {
  Tensor t;
  t.origin = nchw.dims;
  int64_t n = t.origin[0], c = t.origin[1], h = t.origin[2], w = t.origin[3], c1 = (c + c0 - 1) / c0;
  t.dims = {n, c1, h, w, c0};
  t.format = C_FORMAT_NC1HWC0;
  t.data.assign(Count(t.dims), 0.f);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < c; ++j)
      for (int64_t p = 0; p < h * w; ++p)
        t.data[((i * c1 + j / c0) * h * w + p) * c0 + j % c0] = nchw.data[(i * c + j) * h * w + p];
  return t;
}
inline std::vector<float> Unblocked(const Tensor &t, bool *padding_is_zero) {
  if (t.format != C_FORMAT_NC1HWC0) return t.data;
  int64_t n = t.origin[0], c = t.origin[1], hw = t.origin[2] * t.origin[3], c1 = t.dims[1], c0 = t.dims[4];
  std::vector<float> out(n * c * hw);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < c1 * c0; ++j)
      for (int64_t p = 0; p < hw; ++p) {
        float v = t.data[((i * c1 + j / c0) * hw + p) * c0 + j % c0];
        if (j < c) out[(i * c + j) * hw + p] = v;
        else if (v != 0) *padding_is_zero = false;
      }
  return out;
}

class Op {
 public:
  explicit Op(const char *type) : type_(type) {}
  Op &In(Tensor t) {
    inputs.push_back(std::move(t));
    return *this;
  }
  Op &Out(const Dims &dims, int64_t c0 = 0, int32_t format = C_FORMAT_ND) {
    Tensor t = Plain(dims, {}, format);
    outputs.push_back(c0 ? Blocked(t, c0) : t);
    return *this;
  }
  Op &OutTensor(Tensor t) {
    outputs.push_back(std::move(t));
    return *this;
  }
  Op &Int(const char *name, int64_t v, int32_t type = C_VT_INT) {
    GeAttrData &a = Attr(name, type);
    a.i = v;
    return *this;
  }
  Op &Bool(const char *name, bool v) { return Int(name, v, C_VT_BOOL); }
  Op &Float(const char *name, double v) {
    Attr(name, C_VT_FLOAT).f = v;
    return *this;
  }
  Op &String(const char *name, const std::string &v) {
    texts_[name] = v;
    GeAttrData &a = Attr(name, C_VT_STRING);
    a.s = texts_[name].c_str();
    a.count = v.size();
    return *this;
  }
  Op &Ints(const char *name, const Dims &v) {
    lists_[name] = v;
    GeAttrData &a = Attr(name, C_VT_LIST_INT);
    a.list = lists_[name].data();
    a.count = v.size();
    return *this;
  }
  Op &Strings(const char *name, const std::vector<const char *> &v) {
    names_[name] = v;
    GeAttrData &a = Attr(name, C_VT_LIST_STRING);
    a.list = names_[name].data();
    a.count = v.size();
    return *this;
  }

  // "" when the engine takes the operator, else its reason.
  std::string Check() {
    Describe();
    char reason[512] = "";
    Engine &e = Engine::Get();
    return e.table->check(e.engine, &desc_, reason, sizeof(reason)) == GE_SUCCESS ? "" : reason;
  }

  // Makes the kernel; Run may follow any number of times.
  void Create(Model &model) {
    if (std::string reason = Check(); !reason.empty()) throw std::runtime_error("refused: " + reason);
    Engine &e = Engine::Get();
    kernel = GeKernel{};
    if (e.table->create_kernel(e.engine, &desc_, &model.env, &kernel) != GE_SUCCESS)
      throw std::runtime_error(LastMessage());
    implementation = kernel.implementation;
    state_.reset(kernel.state, [destroy = kernel.destroy](void *s) { destroy(s); });
    // Workspace and outputs are dirty, as an arena is.
    workspace_.reset(static_cast<char *>(aligned_alloc(64, kernel.workspace_bytes + 64 - kernel.workspace_bytes % 64)));
    memset(workspace_.get(), 0xff, kernel.workspace_bytes);
    buffers_.clear();
    ins_.clear();
    outs_.clear();
    for (Tensor &t : inputs) ins_.push_back(t.absent ? nullptr : t.constant ? t.data.data() : Buffer(t));
    for (Tensor &t : outputs) outs_.push_back(t.absent ? nullptr : Buffer(t));
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outs_[i]) memset(outs_[i], 0xff, outputs[i].data.size() * sizeof(float));
    for (uint32_t i = 0; i < kernel.alias_count; ++i) {
      const GeAlias &alias = kernel.aliases[i];
      if (honour_aliases && (alias.kind == GE_ALIAS_IN_PLACE || alias.kind == GE_ALIAS_STATE) &&
          !inputs[alias.input].constant)
        outs_[alias.output] = const_cast<void *>(ins_[alias.input]);
    }
  }
  GeStatus RunOnce() {
    GeKernelArgs args{};
    args.struct_size = sizeof args;
    args.inputs = ins_.data();
    args.outputs = outs_.data();
    args.workspace = workspace_.get();
    return kernel.run(kernel.state, &args);
  }
  void Run(int threads = 2) {
    Model model(threads);
    Run(model);
  }
  void Run(Model &model) {
    Create(model);
    if (RunOnce() != GE_SUCCESS) throw std::runtime_error("run failed");
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outs_[i]) memcpy(outputs[i].data.data(), outs_[i], outputs[i].data.size() * sizeof(float));
    state_.reset();
  }

  std::vector<Tensor> inputs, outputs;
  GeKernel kernel{};
  bool honour_aliases = false;
  std::string implementation;  // of the kernel made last
  const void *&in_pointer(size_t i) { return ins_[i]; }
  void *&out_pointer(size_t i) { return outs_[i]; }

 private:
  GeAttrData &Attr(const char *name, int32_t type) {
    GeAttrData &a = attrs_[name];
    a = GeAttrData{};
    a.type = type;
    return a;
  }
  void *Buffer(Tensor &t) {
    size_t bytes = (t.data.size() * sizeof(float) + 127) / 64 * 64;
    buffers_.emplace_back(static_cast<char *>(aligned_alloc(64, bytes)), &free);
    memcpy(buffers_.back().get(), t.data.data(), t.data.size() * sizeof(float));
    return buffers_.back().get();
  }
  void Describe() {
    ports_in_.clear();
    ports_out_.clear();
    attr_list_.clear();
    auto describe = [](Tensor &t, bool input) {
      GeTensorData d{};
      d.data_type = t.absent ? int32_t(C_DT_UNDEFINED) : t.type;
      d.format = t.format;
      d.origin_format = t.format == C_FORMAT_NC1HWC0 ? int32_t(C_FORMAT_NCHW) : t.format;
      d.rank = int32_t(t.dims.size());
      d.origin_rank = int32_t(t.origin.size());
      d.dims = t.dims.data();
      d.origin_dims = t.origin.data();
      if (input && t.constant) {
        d.flags = GE_TENSOR_CONSTANT;
        d.data = t.data.data();
        d.size = t.data.size() * sizeof(float);
      }
      return d;
    };
    for (Tensor &t : inputs) ports_in_.push_back(describe(t, true));
    for (Tensor &t : outputs) ports_out_.push_back(describe(t, false));
    for (auto &[name, a] : attrs_) {
      a.name = name.c_str();
      attr_list_.push_back(a);
    }
    desc_ = GeOpDesc{};
    desc_.struct_size = sizeof(desc_);
    desc_.type = type_.c_str();
    desc_.name = "node";
    desc_.inputs = ports_in_.data();
    desc_.input_count = ports_in_.size();
    desc_.outputs = ports_out_.data();
    desc_.output_count = ports_out_.size();
    desc_.attrs = attr_list_.data();
    desc_.attr_count = attr_list_.size();
  }

  std::string type_;
  std::map<std::string, GeAttrData> attrs_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, Dims> lists_;
  std::map<std::string, std::vector<const char *>> names_;
  std::vector<GeTensorData> ports_in_, ports_out_;
  std::vector<GeAttrData> attr_list_;
  GeOpDesc desc_{};
  std::shared_ptr<void> state_;
  std::unique_ptr<char, void (*)(void *)> workspace_{nullptr, &free};
  std::vector<std::unique_ptr<char, void (*)(void *)>> buffers_;
  std::vector<const void *> ins_;
  std::vector<void *> outs_;
};

// Activation names as the operators have them, in double precision.
inline double Activate(const std::string &name, double x, double alpha, double beta) {
  auto clamp = [](double v, double low, double high) { return std::min(std::max(v, low), high); };
  if (name == "relu") return std::max(x, 0.0);
  if (name == "clip") return clamp(x, alpha, beta);
  if (name == "sigmoid") return 1 / (1 + std::exp(-x));
  if (name == "tanh") return std::tanh(x);
  if (name == "swish") return x / (1 + std::exp(-x));
  if (name == "gelu_erf") return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  if (name == "gelu_tanh") return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  if (name == "leaky_relu") return x > 0 ? x : alpha * x;
  if (name == "hard_swish") return x * clamp(x / 6 + 0.5, 0, 1);
  if (name == "hard_sigmoid") return clamp(alpha * x + beta, 0, 1);
  if (name == "elu") return x > 0 ? x : alpha * (std::exp(x) - 1);
  return x;
}

}  // namespace engine_test
