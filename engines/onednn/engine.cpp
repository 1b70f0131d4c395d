// AIcoreEngine: convolutions, matrix products, recurrences and what belongs to their layout, on the processor's matrix
// units.
#include <cstring>

#include "attention.h"
#include "conv.h"
#include "conv_pool.h"
#include "dense_layers.h"
#include "dnnl_library.h"
#include "float_types.h"
#include "kernels.h"
#include "layout.h"
#include "low_bit.h"
#include "matmul.h"
#include "onednn.h"
#include "pool.h"
#include "pool_volume.h"
#include "quantized.h"
#include "recurrent.h"
#include "separable.h"
#include "taps.h"
#include "transposed.h"

namespace onednn {
namespace {

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

struct OpEntry {
  const char *type;
  void (*check)(const Node &node);
  std::unique_ptr<Kernel> (*create)(const Context &context);
  std::unique_ptr<Kernel> (*create_open)(const Context &context) = nullptr;  // of kernels that serve all sizes
  // Some of its kernels are oneDNN's, and take a layout that other engines do not: whether the library can be opened
  // has to be known before the layout is chosen.
  bool needs_library = false;
};

const OpEntry kOps[] = {
    {"Conv2D", &CheckConv, &CreateConv, &CreateOpenConv, true},
    {"Conv2DV2", &CheckConv, &CreateConv, &CreateOpenConv, true},
    {"FusedConv2D", &CheckConv, &CreateConv, &CreateOpenConv, true},
    {"FusedConvPool2D", &CheckConvPool, &CreateConvPool, &CreateOpenConvPool},
    {"FusedSeparableConv2D", &CheckSeparable, &CreateSeparable, &CreateOpenSeparable},
    {"Conv3D", &CheckTaps, &CreateTaps, &CreateOpenTaps},
    {"Conv3DV2", &CheckTaps, &CreateTaps, &CreateOpenTaps},
    {"FusedConv3D", &CheckTaps, &CreateTaps, &CreateOpenTaps},
    {"Conv2DTranspose", &CheckTaps, &CreateTransposed, &CreateOpenTransposed},
    {"Conv3DTranspose", &CheckTaps, &CreateTaps, &CreateOpenTaps},
    {"Conv3DTransposeV2", &CheckTaps, &CreateTaps, &CreateOpenTaps},
    {"FusedConvTranspose", &CheckTaps, &CreateTransposed, &CreateOpenTransposed},
    {"MaxPoolV3", &CheckPool, &CreatePool, &CreateOpenPool, true},
    {"AvgPoolV2", &CheckPool, &CreatePool, &CreateOpenPool, true},
    {"MaxPool3D", &CheckPoolVolume, &CreatePoolVolume, &CreateOpenPoolVolume},
    {"AvgPool3D", &CheckPoolVolume, &CreatePoolVolume, &CreateOpenPoolVolume},
    {"MaxPool", &CheckPool, &CreatePool, &CreateOpenPool, true},
    {"AvgPool", &CheckPool, &CreatePool, &CreateOpenPool, true},
    {"Pooling", &CheckPool, &CreatePool, &CreateOpenPool, true},
    {"GlobalAveragePool", &CheckGlobalAveragePool, &CreateGlobalAveragePool, &CreateOpenGlobalAveragePool},
    {"MatMul", &CheckMatMul, &CreateMatMul, &CreateOpenMatMul},
    {"MatMulV2", &CheckMatMul, &CreateMatMul, &CreateOpenMatMul},
    {"BatchMatMul", &CheckMatMul, &CreateMatMul, &CreateOpenMatMul},
    {"BatchMatMulV2", &CheckMatMul, &CreateMatMul, &CreateOpenMatMul},
    {"FusedMatMulV2", &CheckMatMul, &CreateMatMul, &CreateOpenMatMul},
    {"FusedDenseLayers", &CheckDenseLayers, &CreateDenseLayers},
    {"GEMM", &CheckMatMul, &CreateMatMul},
    {"QuantizedMatMul", &CheckQuantizedMatMul, &CreateQuantizedMatMul, &CreateOpenQuantizedMatMul},
    {"QuantizedConv2D", &CheckQuantizedConv, &CreateQuantizedConv, &CreateOpenQuantizedConv},
    {"WeightOnlyQuantizedMatMul", &CheckLowBit, &CreateLowBit},
    {"ScaledDotProductAttention", &CheckAttention, &CreateAttention, &CreateOpenAttention},
    {"CommonLSTM", &CheckRecurrent, &CreateRecurrent, &CreateOpenRecurrent},
    {"CommonGRU", &CheckRecurrent, &CreateRecurrent, &CreateOpenRecurrent},
    {"TransData", &CheckTransData, &CreateTransData, &CreateOpenTransData},
};

// oneDNN's errors as ours.
template <class Body>
auto Translated(const Body &body) {
  try {
    return body();
  } catch (const dnnl::error &error) {
    Fail(error.status == dnnl_out_of_memory ? GE_OUT_OF_MEMORY : GE_FAILED, error.what());
  }
}

class Engine {
 public:
  explicit Engine(const GeEngineHost &host) : features_(host.cpu_features) {}

  std::string Check(const GeOpDesc &op) const {
    if (!Runs(features_)) RefuseProcessor(features_);
    const OpEntry *entry = Find(op);
    if (!entry) return Unsupported(op);
    CheckArithmetic(op, features_);
    entry->check(Node(&op));
    if (entry->needs_library) Translated([&] { NeedLibrary(features_); });
    return "";
  }

  std::unique_ptr<ge::kit::Kernel> Create(const GeOpDesc &op, const GeKernelEnv &env) const {
    if (!Node(&op).known()) Fail(GE_PARAM_INVALID, "a kernel needs known shapes");
    const OpEntry *entry = Find(op);
    if (!entry) Refuse(Unsupported(op));
    return Make(entry->create, op, env);
  }

  std::unique_ptr<ge::kit::Kernel> CreateOpen(const GeOpDesc &op, const GeOpenExtents &, const GeKernelEnv &env) const {
    const OpEntry *entry = Find(op);
    if (!entry || !entry->create_open) Refuse("a kernel of ", op.type, " serves one size");
    return Make(entry->create_open, op, env);
  }

  const char *Libraries(bool open) const {
    if (open && Runs(features_)) Translated([&] { NeedLibrary(features_); });
    return OpenedLibrary();
  }

  // The lanes of a vector of floats: what oneDNN's convolutions have as the innermost dimension.
  int32_t ChannelBlock(uint64_t features) const {
    const auto offers = [&](uint64_t needed) { return (features & features_ & needed) == needed; };
    return offers(GE_CPU_X86_64_V4) ? 16 : offers(GE_CPU_X86_64_V3) ? 8 : 0;
  }

 private:
  std::unique_ptr<ge::kit::Kernel> Make(std::unique_ptr<Kernel> (*create)(const Context &), const GeOpDesc &op,
                                        const GeKernelEnv &env) const {
    ThreadsDuringCreation threads(env.threads);
    const Node node(&op);
    std::unique_ptr<Kernel> kernel = Translated([&] {
      return create(Context{node, &env, features_ & env.cpu_features});
    });
    if (!kernel->reads_originals) kernel->flags |= GE_KERNEL_READS_PACKED;
    return kernel;
  }
  static const OpEntry *Find(const GeOpDesc &op) {
    for (const OpEntry &entry : kOps)
      if (!strcmp(entry.type, op.type)) return &entry;
    return nullptr;
  }
  static std::string Unsupported(const GeOpDesc &op) { return Text("operator ", op.type, " is not supported"); }

  uint64_t features_;  // GE_CPU_* that the host offers
};

constexpr GeEngineTable kTable =
    ge::kit::TableOf<Engine>("AIcoreEngine", GE_VERSION_STRING, 1, GE_ENGINE_FUSIBLE | GE_ENGINE_DEFERS_CONSTANTS);

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
