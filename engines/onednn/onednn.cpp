#include "onednn.h"

#include <omp.h>
#include <algorithm>

#include <cstring>

#include "dnnl_library.h"
#include "kernels.h"

namespace onednn {

namespace {

// The instructions that oneDNN may use. It reads its cap once, before its first use: a second engine in the process
// keeps the first one's.
dnnl_cpu_isa_t DnnlCap(uint64_t features) {
  if (HasAmx(features)) return dnnl_cpu_isa_avx512_core_amx;
  const bool vnni = features & GE_CPU_AVX512_VNNI, bf16 = features & GE_CPU_AVX512_BF16;
  if (HasAvx512(features))
    return !vnni ? dnnl_cpu_isa_avx512_core : bf16 ? dnnl_cpu_isa_avx512_core_bf16 : dnnl_cpu_isa_avx512_core_vnni;
  return features & GE_CPU_AVX_VNNI ? dnnl_cpu_isa_avx2_vnni : dnnl_cpu_isa_avx2;
}

}  // namespace

void NeedLibrary(uint64_t features) {
  if (*OpenedLibrary()) return;
  if (const std::string problem = OpenLibrary(DnnlCap(features)); !problem.empty())
    Refuse("oneDNN cannot be loaded: ", problem);
}

const dnnl::engine &CpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

struct Program::Set {
  dnnl::stream stream{CpuEngine()};
  std::vector<std::vector<dnnl::memory>> memories;  // per step
  std::vector<std::vector<dnnl_exec_arg_t>> args;   // the same as oneDNN wants them
};

Program::Program() = default;
Program::~Program() {
  for (auto &set : sets_) delete set.load();
}

void Program::Add(const dnnl::primitive &primitive, std::vector<Arg> args) {
  Step step;
  step.primitive = primitive;
  for (Arg &arg : args)
    if (arg.id) step.args.push_back(std::move(arg));
  steps_.push_back(std::move(step));
}

void Program::Add(std::function<void(const GeKernelArgs &)> function) {
  Step step;
  step.function = std::move(function);
  steps_.push_back(std::move(step));
}

void Program::AddReorder(const dnnl::memory::desc &from, Operand source, const dnnl::memory::desc &to, Operand target) {
  dnnl::reorder::primitive_desc pd(CpuEngine(), from, CpuEngine(), to, PlainAttributes());
  Add(dnnl::reorder(pd), {{DNNL_ARG_FROM, from, source}, {DNNL_ARG_TO, to, target}, Scratchpad(pd.scratchpad_desc())});
}

Program::Arg Program::Scratchpad(const dnnl::memory::desc &desc) {
  uint64_t bytes = desc.get_size();
  if (!bytes) return {0, desc, {}};
  scratchpad_bytes_ = std::max(scratchpad_bytes_, bytes);
  return {DNNL_ARG_SCRATCHPAD, desc, {}};
}

void Program::AddToOutput(const GeKernelEnv *env, int port, uint64_t bytes) {
  aliases.push_back({GE_ALIAS_IN_PLACE, port, 0, 0, 0});
  Add([=](const GeKernelArgs &args) {
    const char *from = static_cast<const char *>(args.inputs[port]);
    char *to = static_cast<char *>(args.outputs[0]);
    if (from == to) return;
    ge::kit::Parallel(*env, int64_t(bytes / 64 + 1), 2048, [&](int64_t begin, int64_t end) {
      uint64_t a = uint64_t(begin) * 64, b = std::min(bytes, uint64_t(end) * 64);
      if (a < b) memcpy(to + a, from + a, b - a);
    });
  });
}

void Program::Finish() {
  uint64_t scratchpad = scratchpad_bytes_ ? Reserve(scratchpad_bytes_) : 0;
  for (Step &step : steps_)
    for (Arg &arg : step.args)
      if (arg.id == DNNL_ARG_SCRATCHPAD) arg.operand = Operand::Workspace(scratchpad);
  sets_[0] = NewSet();
}

Program::Set *Program::NewSet() const {
  auto set = std::make_unique<Set>();
  set->memories.resize(steps_.size());
  set->args.resize(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i)
    for (const Arg &arg : steps_[i].args) {
      void *handle = arg.operand.kind == Operand::kConstant ? const_cast<void *>(arg.operand.constant) : nullptr;
      set->memories[i].emplace_back(arg.desc, CpuEngine(), handle);
      set->args[i].push_back({arg.id, set->memories[i].back().get()});
    }
  return set.release();
}

Program::Set *Program::Take() const {
  for (auto &slot : sets_)
    if (slot.load(std::memory_order_relaxed))
      if (Set *set = slot.exchange(nullptr, std::memory_order_acquire)) return set;
  return NewSet();
}

void Program::Give(Set *set) const {
  for (auto &slot : sets_) {
    Set *empty = nullptr;
    if (!slot.load(std::memory_order_relaxed) && slot.compare_exchange_strong(empty, set, std::memory_order_release))
      return;
  }
  delete set;
}

GeStatus Program::Run(const GeKernelArgs &args) const {
  Set *set = Take();
  dnnl_status_t status = dnnl_success;
  for (size_t i = 0; i < steps_.size() && status == dnnl_success; ++i) {
    const Step &step = steps_[i];
    if (step.function) {
      step.function(args);
      continue;
    }
    for (size_t k = 0; k < step.args.size(); ++k)
      if (step.args[k].operand.kind != Operand::kConstant)
        dnnl_memory_set_data_handle(set->args[i][k].memory, step.args[k].operand.address(args));
    status =
        dnnl_primitive_execute(step.primitive.get(), set->stream.get(), int(set->args[i].size()), set->args[i].data());
  }
  Give(set);
  // Its products pack operands into memory of their own.
  if (status == dnnl_out_of_memory) Fail(GE_OUT_OF_MEMORY, "out of memory in a primitive of oneDNN");
  if (status != dnnl_success) Fail(GE_FAILED, "oneDNN could not run a primitive, status ", int(status));
  return GE_SUCCESS;
}

dnnl::primitive_attr PlainAttributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return attr;
}

void AppendActivation(dnnl::post_ops *ops, const Activation &activation) {
  using dnnl::algorithm;
  auto append = [&](algorithm kind, float alpha = 0, float beta = 0) { ops->append_eltwise(1.f, kind, alpha, beta); };
  switch (activation.kind) {
    case Act::kNone:
      break;
    case Act::kRelu:
      append(algorithm::eltwise_relu);
      break;
    case Act::kLeakyRelu:
      append(algorithm::eltwise_relu, activation.alpha);
      break;
    case Act::kClip:
      append(algorithm::eltwise_clip, activation.alpha, activation.beta);
      break;
    case Act::kSigmoid:
      append(algorithm::eltwise_logistic);
      break;
    case Act::kTanh:
      append(algorithm::eltwise_tanh);
      break;
    case Act::kSwish:
      append(algorithm::eltwise_swish, 1.f);
      break;
    case Act::kGeluErf:
      append(algorithm::eltwise_gelu_erf);
      break;
    case Act::kGeluTanh:
      append(algorithm::eltwise_gelu_tanh);
      break;
    case Act::kHardSwish:
      append(algorithm::eltwise_hardswish);
      break;
    case Act::kHardSigmoid:
      append(algorithm::eltwise_linear, activation.alpha, activation.beta);
      append(algorithm::eltwise_clip, 0.f, 1.f);
      break;
    case Act::kElu:
      append(algorithm::eltwise_elu, activation.alpha);
      break;
  }
}

namespace {
uint64_t Hash(const void *data, size_t bytes, uint64_t h) {
  const unsigned char *p = static_cast<const unsigned char *>(data);
  for (size_t i = 0; i < bytes; ++i) h = (h ^ p[i]) * 1099511628211ull;
  return h;
}

/// A layout of nothing but its elements, without rows or columns that fill blocks up.
bool IsFull(const dnnl::memory::desc &layout) {
  using dnnl::memory;
  const memory::data_type type = layout.data_type();
  uint64_t bytes = type == memory::data_type::f32 ? 4 : type == memory::data_type::bf16 ? 2 : 0;
  for (int64_t extent : layout.dims()) bytes *= static_cast<uint64_t>(extent);
  return bytes && layout.get_size() == bytes;
}
}  // namespace

const void *PackedReorder(const GeKernelEnv *env, const void *data, const dnnl::memory::desc &from,
                          const dnnl::memory::desc &to, const std::string &how,
                          const std::function<void(const void *, void *)> &prepare) {
  if (from == to && !prepare) return data;
  uint64_t a = 14695981039346656037ull, b = 0x9e3779b97f4a7c15ull;
  for (const dnnl::memory::desc *md : {&from, &to}) {
    a = Hash(&md->data, sizeof(md->data), a);
    b = Hash(&md->data, sizeof(md->data), b);
  }
  std::string key = Text("onednn:reorder:", a, ":", b, ":", how);
  return Packed(*env, data, key, to.get_size(), [&](const void *content, void *packed) {
    std::vector<uint64_t> prepared;
    void *source = const_cast<void *>(content);
    if (prepare) {
      prepared.assign((from.get_size() + sizeof(uint64_t) - 1) / sizeof(uint64_t), 0);
      prepare(content, prepared.data());
      source = prepared.data();
    }
    dnnl::stream stream(CpuEngine());
    if (!IsFull(to)) memset(packed, 0, to.get_size());  // else every byte is written anyway
    dnnl::memory source_memory(from, CpuEngine(), source), target_memory(to, CpuEngine(), packed);
    dnnl::reorder(source_memory, target_memory).execute(stream, source_memory, target_memory);
    stream.wait();
  });
}

ThreadsDuringCreation::ThreadsDuringCreation(int threads) : before_(omp_get_max_threads()) {
  omp_set_num_threads(std::clamp(threads, 1, before_));
}
ThreadsDuringCreation::~ThreadsDuringCreation() { omp_set_num_threads(before_); }

}  // namespace onednn
