// VectorEngine: fused elementwise chains, reductions, normalisations, softmax and data movement, with SIMD chosen at
// run time.
#include <cstring>
#include <memory>
#include <string>

#include "kernel.h"

namespace vec {

const Family *FindFamily(const GeOpDesc &op) {
  const char *type = op.type;
  if (IsTyped(op)) return &TypedFamily();
  if (IsElementwise(type)) return &ElementwiseFamily();
  static const struct {
    const char *type;
    const Family &(*family)();
  } kRows[] = {
      {"SoftmaxV2", &SoftmaxFamily},
      {"LogSoftmaxV2", &SoftmaxFamily},
      {"LayerNorm", &NormFamily},
      {"LayerNormV3", &NormFamily},
      {"LayerNormV4", &NormFamily},
      {"RmsNorm", &NormFamily},
      {"GroupNorm", &GroupNormFamily},
      {"InstanceNorm", &GroupNormFamily},
      {"LRN", &LrnFamily},
      {"Fill", &FillFamily},
      {"UniqueWithCountsExt2", &UniqueFamily},
      {"GridSample", &GridSampleFamily},
      {"ROIAlign", &RoiAlignFamily},
      {"NonMaxSuppressionV6", &NonMaxSuppressionFamily},
      {"TopK", &TopKFamily},
      {"TopKV2", &TopKFamily},
      {"Cumsum", &CumsumFamily},
      {"GatherElements", &GatherElementsFamily},
      {"GatherNd", &GatherNdFamily},
      {"ScatterElements", &ScatterElementsFamily},
      {"Resize", &ResizeFamily},
      {"DepthToSpace", &BlocksFamily},
      {"SpaceToDepth", &BlocksFamily},
      {"ReduceSum", &ReduceFamily},
      {"ReduceMean", &ReduceFamily},
      {"ReduceMax", &ReduceFamily},
      {"ReduceMin", &ReduceFamily},
      {"ReduceProd", &ReduceFamily},
      {"Transpose", &TransposeFamily},
      {"TransposeD", &TransposeFamily},
      {"ConcatV2", &CopyFamily},
      {"Concat", &CopyFamily},
      {"ConcatD", &CopyFamily},
      {"SplitV", &CopyFamily},
      {"Split", &CopyFamily},
      {"SplitD", &CopyFamily},
      {"StridedSliceV2", &CopyFamily},
      {"Slice", &CopyFamily},
      {"SliceWithAxes", &CopyFamily},
      {"Expand", &CopyFamily},
      {"BroadcastTo", &CopyFamily},
      {"PadV3", &PadFamily},
      {"Pad", &PadFamily},
      {"MirrorPad", &PadFamily},
      {"Tile", &CopyFamily},
      {"MaxPoolV3", &PoolBytesFamily},
      {"ArgMaxV2", &ArgFamily},
      {"GatherV2", &GatherFamily},
      {"Gather", &GatherFamily},
      {"QuantizeLinear", &QuantizeFamily},
      {"DequantizeLinear", &QuantizeFamily},
      {"DynamicQuantizeLinear", &QuantizeFamily},
  };
  for (const auto &row : kRows)
    if (std::strcmp(row.type, type) == 0) return &row.family();
  return nullptr;
}

bool HasShapeOfOutput(const GeOpDesc &op, size_t input, const GeOpenExtents *open) {
  const GeTensorData &in = op.inputs[input], &out = op.outputs[0];
  if (in.rank != out.rank) return false;
  for (int32_t d = 0; d < in.rank; ++d) {
    if (in.dims[d] != out.dims[d]) return false;
    if (in.dims[d] < 0 && (!open || open->inputs[input][d].symbol != open->outputs[0][d].symbol)) return false;
  }
  return true;
}

namespace {

class Engine {
 public:
  explicit Engine(const GeEngineHost &host) : features_(host.cpu_features) {}

  std::string Check(const GeOpDesc &op) const {
    if (SelectTable(features_) && !FindFamily(op)) return kNoKernel;
    FamilyOf(op, features_).check(op);
    return "";
  }

  std::unique_ptr<Kernel> Create(const GeOpDesc &op, const GeKernelEnv &env) const {
    const uint64_t features = features_ & env.cpu_features;
    const Family &family = FamilyOf(op, features);
    const Table *table = SelectTable(features);
    return Named(family.create(op, table), *table);
  }

  std::unique_ptr<Kernel> CreateOpen(const GeOpDesc &op, const GeOpenExtents &extents, const GeKernelEnv &env) const {
    const uint64_t features = features_ & env.cpu_features;
    const Family &family = FamilyOf(op, features);
    if (!family.create_open) Refuse(std::string("a kernel of ") + op.type + " serves one size");
    const Table *table = SelectTable(features);
    return Named(family.create_open(op, extents, table), *table);
  }

 private:
  static std::unique_ptr<Kernel> Named(std::unique_ptr<Kernel> kernel, const Table &table) {
    if (kernel->implementation.empty()) kernel->implementation = "vector";
    kernel->implementation += std::string(":") + table.name;
    return kernel;
  }
  static constexpr const char *kNoKernel = "no kernel for this operator";
  static const Family &FamilyOf(const GeOpDesc &op, uint64_t features) {
    if (!SelectTable(features)) Refuse("needs x86-64-v3, which the processor or GE_MAX_ISA does not offer");
    const Family *family = FindFamily(op);
    if (!family) Refuse(kNoKernel);
    for (size_t i = 0; i < op.input_count; ++i)
      if (Present(op.inputs[i]) && op.inputs[i].rank > 8) Refuse("rank above 8");
    // The families read constants where they lie: by now it is known that one of them may want to.
    for (size_t i = 0; i < op.input_count; ++i) (void)ge::kit::Tensor(op.inputs[i]).content();
    return *family;
  }

  uint64_t features_;  // GE_CPU_* that the host offers
};

constexpr GeEngineTable kTable =
    ge::kit::TableOf<Engine>("VectorEngine", GE_VERSION_STRING, 2, GE_ENGINE_FUSIBLE | GE_ENGINE_DEFERS_CONSTANTS);

}  // namespace
}  // namespace vec

extern "C" GE_API const GeEngineTable *GeVectorEngineTable(void) { return &vec::kTable; }
#ifndef GE_STATIC_ENGINES
extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &vec::kTable : nullptr;
}
#endif
