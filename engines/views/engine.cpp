// DNN_VM_GE_LOCAL: operators without work. A node that is a view of its inputs gets a kernel that says so; where the
// planner cannot place it, the kernel copies.
#include "ge/engine.h"

#include <cstring>
#include <memory>
#include <new>

#include "tensor_math.h"
#include "views.h"

namespace {

struct State {
  struct Copy {
    int32_t input, output;
    uint64_t in_offset, out_offset, bytes;
  };
  std::vector<GeAlias> aliases;
  std::vector<Copy> copies;
  const GeKernelEnv *env;
};

struct Span {
  char *to;
  const char *from;
};
void CopyRange(void *arg, int64_t begin, int64_t end) {
  const Span &span = *static_cast<const Span *>(arg);
  std::memcpy(span.to + begin, span.from + begin, static_cast<size_t>(end - begin));
}

GeStatus Run(void *opaque, const GeKernelArgs *args) {
  constexpr int64_t kGrain = 1 << 19;  // bytes; less is not worth a second thread
  const State &state = *static_cast<const State *>(opaque);
  for (const State::Copy &copy : state.copies) {
    Span span{static_cast<char *>(args->outputs[copy.output]) + copy.out_offset,
              static_cast<const char *>(args->inputs[copy.input]) + copy.in_offset};
    if (span.to == span.from) continue;  // placed by the planner
    state.env->parallel_for(state.env->host, static_cast<int64_t>(copy.bytes), kGrain, &CopyRange, &span);
  }
  return GE_SUCCESS;
}

GeStatus Open(const GeEngineHost *, const char *, const char *, void **engine) {
  *engine = nullptr;
  return GE_SUCCESS;
}

GeStatus Check(void *, const GeOpDesc *op, char *reason, size_t capacity) {
  try {
    std::string why = views::Examine(*op, nullptr);
    if (why.empty()) return GE_SUCCESS;
    if (reason && capacity) {
      std::strncpy(reason, why.c_str(), capacity - 1);
      reason[capacity - 1] = '\0';
    }
    return GE_UNSUPPORTED;
  } catch (const std::bad_alloc &) {
    return GE_OUT_OF_MEMORY;
  }
}

GeStatus CreateKernel(void *, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  try {
    auto state = std::make_unique<State>();
    state->env = env;
    std::string why = views::Examine(*op, &state->aliases);
    if (!why.empty()) return env->fail(GE_UNSUPPORTED, why.c_str());
    for (const GeAlias &a : state->aliases) {
      if (a.kind == GE_ALIAS_OUTPUT_IN_INPUT) {
        uint64_t bytes = static_cast<uint64_t>(views::Bytes(op->outputs[a.output]));
        if (bytes) state->copies.push_back({a.input, a.output, a.offset, 0, bytes});
      } else {
        uint64_t bytes = static_cast<uint64_t>(views::Bytes(op->inputs[a.input]));
        if (bytes) state->copies.push_back({a.input, a.output, 0, a.offset, bytes});
      }
    }
    out->struct_size = sizeof *out;
    out->run = &Run;
    out->destroy = [](void *s) { delete static_cast<State *>(s); };
    out->implementation = "views:copy";
    out->flags = GE_KERNEL_VIEW;
    out->alias_count = static_cast<uint32_t>(state->aliases.size());
    out->aliases = state->aliases.data();
    out->state = state.release();
    return GE_SUCCESS;
  } catch (const std::bad_alloc &) {
    return env->fail(GE_OUT_OF_MEMORY, "out of memory");
  }
}

const GeEngineTable kTable = {GE_ENGINE_ABI_VERSION,
                              0,
                              sizeof(GeEngineTable),
                              "DNN_VM_GE_LOCAL",
                              GE_VERSION_STRING,
                              9,
                              GE_ENGINE_VIEWS | GE_ENGINE_FUSIBLE,
                              &Open,
                              nullptr,
                              &Check,
                              &CreateKernel,
                              nullptr,
                              nullptr};  // it takes single nodes only

}  // namespace

extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &kTable : nullptr;
}
