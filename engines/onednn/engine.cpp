// AIcoreEngine: convolutions, matrix products, recurrences and what belongs to their layout, on the processor's matrix
// units.
#include "ge/engine.h"

#include <cstdio>
#include <cstring>
#include <new>

#include "conv.h"
#include "kernels.h"
#include "layout.h"
#include "matmul.h"
#include "onednn.h"
#include "pool.h"
#include "recurrent.h"

// Linked in where oneDNN is loaded at run time: null, or why it cannot be.
extern "C" __attribute__((weak, visibility("hidden"))) const char *ge_aicore_load_dnnl();

namespace onednn {
namespace {

struct Engine {
  uint64_t features;
};

struct FeatureName {
  uint64_t feature;
  const char *name;
};
constexpr FeatureName kNeeded[] = {
    {GE_CPU_AVX2, "AVX2"}, {GE_CPU_FMA, "FMA"}, {GE_CPU_F16C, "F16C"}, {GE_CPU_BMI2, "BMI2"}};

bool Runs(uint64_t features) { return (features & kAvx2Features) == kAvx2Features; }

[[noreturn]] void RefuseProcessor(uint64_t features) {
  std::string missing;
  for (const FeatureName &each : kNeeded)
    if (!(features & each.feature)) missing += (missing.empty() ? "" : ", ") + std::string(each.name);
  Refuse("needs x86-64-v3; the processor or GE_MAX_ISA does not offer ", missing.empty() ? "all of it" : missing);
}

// What oneDNN may use. It reads its cap once, before its first use: a second engine in the process keeps the first
// one's.
dnnl_cpu_isa_t DnnlCap(uint64_t features) {
  const bool vnni = features & GE_CPU_AVX512_VNNI, bf16 = features & GE_CPU_AVX512_BF16;
  if (HasAvx512(features))
    return !vnni ? dnnl_cpu_isa_avx512_core : bf16 ? dnnl_cpu_isa_avx512_core_bf16 : dnnl_cpu_isa_avx512_core_vnni;
  return features & GE_CPU_AVX_VNNI ? dnnl_cpu_isa_avx2_vnni : dnnl_cpu_isa_avx2;
}

struct OpEntry {
  const char *type;
  void (*check)(const Node &node);
  std::unique_ptr<Kernel> (*create)(const Context &context);
};

const OpEntry kOps[] = {
    {"Conv2D", &CheckConv, &CreateConv},
    {"Conv2DV2", &CheckConv, &CreateConv},
    {"FusedConv2D", &CheckConv, &CreateConv},
    {"MaxPoolV3", &CheckPool, &CreatePool},
    {"AvgPoolV2", &CheckPool, &CreatePool},
    {"MaxPool", &CheckPool, &CreatePool},
    {"AvgPool", &CheckPool, &CreatePool},
    {"Pooling", &CheckPool, &CreatePool},
    {"GlobalAveragePool", &CheckGlobalAveragePool, &CreateGlobalAveragePool},
    {"MatMul", &CheckMatMul, &CreateMatMul},
    {"MatMulV2", &CheckMatMul, &CreateMatMul},
    {"BatchMatMul", &CheckMatMul, &CreateMatMul},
    {"BatchMatMulV2", &CheckMatMul, &CreateMatMul},
    {"FusedMatMulV2", &CheckMatMul, &CreateMatMul},
    {"GEMM", &CheckMatMul, &CreateMatMul},
    {"CommonLSTM", &CheckRecurrent, &CreateRecurrent},
    {"CommonGRU", &CheckRecurrent, &CreateRecurrent},
    {"Resize", &CheckResize, &CreateResize},
    {"TransData", &CheckTransData, &CreateTransData},
};

// One barrier for every entry point: no exception leaves the engine.
template <class Report, class Body>
GeStatus Guard(const Report &report, const Body &body) noexcept {
  try {
    body();
    return GE_SUCCESS;
  } catch (const Failure &failure) {
    return report(failure.code, failure.message.c_str());
  } catch (const std::bad_alloc &) {
    return report(GE_OUT_OF_MEMORY, "out of memory");
  } catch (const dnnl::error &error) {
    return report(error.status == dnnl_out_of_memory ? GE_OUT_OF_MEMORY : GE_FAILED, error.what());
  } catch (const std::exception &error) {
    return report(GE_FAILED, error.what());
  } catch (...) {
    return report(GE_FAILED, "unknown exception");
  }
}

const OpEntry &Find(const Engine &engine, const GeOpDesc *op) {
  if (!Runs(engine.features)) RefuseProcessor(engine.features);
  for (const OpEntry &entry : kOps)
    if (!strcmp(entry.type, op->type)) return entry;
  Refuse("operator ", op->type, " is not supported");
}

GeStatus Open(const GeEngineHost *host, const char *, const char *, void **engine) {
  *engine = nullptr;
  auto report = [&](GeStatus code, const char *message) { return host->fail(code, message); };
  return Guard(report, [&] {
    if (ge_aicore_load_dnnl)
      if (const char *problem = ge_aicore_load_dnnl()) Fail(GE_UNSUPPORTED, "oneDNN cannot be loaded: ", problem);
    // The library reads its cap once, before its first use; a second engine in the process keeps the first one's.
    if (Runs(host->cpu_features)) {
      dnnl_set_max_cpu_isa(DnnlCap(host->cpu_features));
      CpuEngine();
    }
    *engine = new Engine{host->cpu_features};
  });
}

void Close(void *engine) { delete static_cast<Engine *>(engine); }

GeStatus Check(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  const Engine &e = *static_cast<Engine *>(engine);
  auto report = [&](GeStatus code, const char *message) {
    if (reason && capacity) snprintf(reason, capacity, "%s", message);
    return code == GE_OUT_OF_MEMORY ? code : GeStatus(GE_UNSUPPORTED);
  };
  return Guard(report, [&] { Find(e, op).check(Node(op, e.features)); });
}

GeStatus RunKernel(void *state, const GeKernelArgs *args) {
  auto report = [](GeStatus code, const char *) { return code; };
  GeStatus status = GE_SUCCESS;
  GeStatus thrown = Guard(report, [&] { status = static_cast<Kernel *>(state)->Run(*args); });
  return thrown == GE_SUCCESS ? status : thrown;
}

GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  const Engine &e = *static_cast<Engine *>(engine);
  auto report = [&](GeStatus code, const char *message) { return env->fail(code, message); };
  return Guard(report, [&] {
    ThreadsDuringCreation threads(env->threads);
    Node node(op, e.features & env->cpu_features);
    if (!node.known()) Fail(GE_PARAM_INVALID, "a kernel needs known shapes");
    std::unique_ptr<Kernel> kernel = Find(e, op).create(Context{node, env});
    *out = GeKernel{};
    out->struct_size = sizeof(GeKernel);
    out->run = &RunKernel;
    out->destroy = [](void *state) { delete static_cast<Kernel *>(state); };
    out->implementation = kernel->implementation.c_str();
    out->workspace_bytes = kernel->workspace_bytes;
    out->flags = kernel->reads_originals ? 0u : GE_KERNEL_READS_PACKED;
    out->alias_count = uint32_t(kernel->aliases.size());
    out->aliases = kernel->aliases.data();
    out->flops = kernel->flops;
    out->state = kernel.release();
  });
}

const GeEngineTable kTable = {
    GE_ENGINE_ABI_VERSION,
    0,
    sizeof(GeEngineTable),
    "AIcoreEngine",
    GE_VERSION_STRING,
    1,
    GE_ENGINE_FUSIBLE,
    &Open,
    &Close,
    &Check,
    &CreateKernel,
    nullptr,
    nullptr,  // it takes single nodes only
};

}  // namespace
}  // namespace onednn

extern "C" {

// For programs that link the engine instead of loading it.
GE_API const GeEngineTable *GeAicoreEngineTable(void) { return &onednn::kTable; }

// Weak: a program that links several engines has several of these.
__attribute__((weak)) GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &onednn::kTable : nullptr;
}
}
