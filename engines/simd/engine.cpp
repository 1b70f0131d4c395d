// VectorEngine: fused elementwise chains, reductions, normalisations, softmax and data movement, with SIMD chosen at
// run time.
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <string>

#include "kernel.h"

namespace vec {

int64_t ElementBytes(int32_t data_type) {
  switch (data_type) {
    case C_DT_BOOL:
    case C_DT_INT8:
    case C_DT_UINT8:
      return 1;
    case C_DT_FLOAT16:
    case C_DT_BF16:
    case C_DT_INT16:
    case C_DT_UINT16:
      return 2;
    case C_DT_FLOAT:
    case C_DT_INT32:
    case C_DT_UINT32:
      return 4;
    case C_DT_DOUBLE:
    case C_DT_INT64:
    case C_DT_UINT64:
      return 8;
    default:
      return 0;
  }
}

std::string TypeText(int32_t data_type) {
  switch (data_type) {
    case C_DT_FLOAT:
      return "DT_FLOAT";
    case C_DT_FLOAT16:
      return "DT_FLOAT16";
    case C_DT_BF16:
      return "DT_BF16";
    case C_DT_DOUBLE:
      return "DT_DOUBLE";
    case C_DT_INT8:
      return "DT_INT8";
    case C_DT_INT32:
      return "DT_INT32";
    case C_DT_INT64:
      return "DT_INT64";
    case C_DT_BOOL:
      return "DT_BOOL";
    default:
      return "data type " + std::to_string(data_type);
  }
}

void NeedFloat(const GeTensorData &t, const char *what) {
  if (t.data_type != C_DT_FLOAT) Refuse(TypeText(t.data_type) + " is not supported for " + what);
}

std::vector<int64_t> ConstantInts(const GeTensorData &t, const char *what) {
  if (!t.data) Refuse(std::string(what) + " is not constant");
  int64_t n = 1;
  for (int32_t i = 0; i < t.rank; ++i) n *= t.dims[i];
  std::vector<int64_t> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    if (t.data_type == C_DT_INT64) values[i] = static_cast<const int64_t *>(t.data)[i];
    else if (t.data_type == C_DT_INT32) values[i] = static_cast<const int32_t *>(t.data)[i];
    else Refuse(TypeText(t.data_type) + " is not supported for " + what);
  }
  return values;
}

int64_t NormalAxis(int64_t axis, int64_t rank) {
  int64_t normal = axis < 0 ? axis + rank : axis;
  if (normal < 0 || normal >= rank)
    Refuse("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  return normal;
}

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
      {"PadV3", &CopyFamily},
      {"Pad", &CopyFamily},
      {"Tile", &CopyFamily},
      {"ArgMaxV2", &ArgFamily},
      {"GatherV2", &GatherFamily},
      {"Gather", &GatherFamily},
  };
  for (const auto &row : kRows)
    if (std::strcmp(row.type, type) == 0) return &row.family();
  return nullptr;
}

namespace {

struct Engine {
  const GeEngineHost *host;
  const Table *table;  // null: the host offers less than AVX2
};

GeStatus Open(const GeEngineHost *host, const char *, const char *, void **engine) {
  auto *self = new (std::nothrow) Engine{host, SelectTable(host->cpu_features)};
  if (!self) return host->fail(GE_OUT_OF_MEMORY, "VectorEngine: out of memory");
  *engine = self;
  return GE_SUCCESS;
}

void Close(void *engine) { delete static_cast<Engine *>(engine); }

void Write(const std::string &text, char *reason, size_t capacity) {
  if (capacity) std::snprintf(reason, capacity, "%s", text.c_str());
}

GeStatus Check(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  auto *self = static_cast<Engine *>(engine);
  try {
    if (!self->table) Refuse("needs x86-64-v3, which the processor or GE_MAX_ISA does not offer");
    const Family *family = FindFamily(*op);
    if (!family) Refuse("no kernel for this operator");
    for (size_t i = 0; i < op->input_count; ++i)
      if (Present(op->inputs[i]) && op->inputs[i].rank > 8) Refuse("rank above 8");
    family->check(*op);
    return GE_SUCCESS;
  } catch (const Refusal &r) {
    Write(r.reason, reason, capacity);
  } catch (const std::bad_alloc &) {
    Write("out of memory", reason, capacity);
  }
  return GE_UNSUPPORTED;
}

GeStatus RunKernel(void *state, const GeKernelArgs *args) { return static_cast<const Kernel *>(state)->Run(args); }

GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  auto *self = static_cast<Engine *>(engine);
  try {
    const Family *family = FindFamily(*op);
    const Table *table = SelectTable(self->host->cpu_features & env->cpu_features);
    if (!family || !table) Refuse("no kernel for this operator");
    std::unique_ptr<Kernel> kernel = family->create(*op, env, table);
    if (kernel->implementation.empty()) kernel->implementation = "vector";
    kernel->implementation += std::string(":") + table->name;
    *out = GeKernel{};
    out->struct_size = sizeof(GeKernel);
    out->run = kernel->direct() ? kernel->direct() : &RunKernel;
    out->destroy = [](void *state) { delete static_cast<Kernel *>(state); };
    out->implementation = kernel->implementation.c_str();
    out->workspace_bytes = kernel->workspace_bytes;
    out->flags = kernel->view ? GE_KERNEL_VIEW : 0u;
    out->alias_count = static_cast<uint32_t>(kernel->aliases.size());
    out->aliases = kernel->aliases.data();
    out->flops = kernel->flops;
    out->state = kernel.release();
    return GE_SUCCESS;
  } catch (const Refusal &r) {
    return env->fail(GE_UNSUPPORTED, r.reason.c_str());
  } catch (const std::bad_alloc &) {
    return env->fail(GE_OUT_OF_MEMORY, "VectorEngine: out of memory");
  }
}

const GeEngineTable kTable = {GE_ENGINE_ABI_VERSION,
                              0,
                              sizeof(GeEngineTable),
                              "VectorEngine",
                              GE_VERSION_STRING,
                              2,
                              GE_ENGINE_FUSIBLE,
                              &Open,
                              &Close,
                              &Check,
                              &CreateKernel,
                              nullptr,
                              nullptr};  // it takes single nodes only

}  // namespace
}  // namespace vec

extern "C" GE_API const GeEngineTable *GeVectorEngineTable(void) { return &vec::kTable; }
#ifndef GE_STATIC_ENGINES
extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &vec::kTable : nullptr;
}
#endif
