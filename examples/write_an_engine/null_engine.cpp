// The engine of null_engine.c in C++: made to be copied and renamed.
//
// The differences from C: kernels are objects, and one function keeps exceptions from crossing into the library, which
// is told a status and a message instead. To make it yours: change the name and the cost in the table, widen
// Engine::Check, and add kernels beside Relu.
//
//   c++ -std=c++17 -shared -fPIC -fvisibility=hidden -I<prefix>/include null_engine.cpp -o libge_engine_null.so
#include <ge/engine.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>

namespace {

// The base of every kernel of this engine. Run is called by several threads at the same time, so it must not change the
// object; it does not allocate or lock.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void Run(const GeKernelArgs &args) const = 0;
};

class Relu final : public Kernel {
 public:
  Relu(const GeOpDesc &op, const GeKernelEnv &env) : env_(env) {
    for (int32_t d = 0; d < op.inputs[0].rank; ++d) elements_ *= op.inputs[0].dims[d];
  }
  int64_t elements() const { return elements_; }
  void Run(const GeKernelArgs &args) const override {
    Range range{static_cast<const float *>(args.inputs[0]), static_cast<float *>(args.outputs[0])};
    env_.parallel_for(env_.host, elements_, 16384, &Part, &range);
  }

 private:
  struct Range {
    const float *x;
    float *y;
  };
  static void Part(void *arg, int64_t begin, int64_t end) {
    const Range &range = *static_cast<Range *>(arg);
    std::transform(range.x + begin, range.x + end, range.y + begin, [](float v) { return v > 0 ? v : 0; });
  }
  const GeKernelEnv &env_;  // lives as long as the kernel
  int64_t elements_ = 1;
};

// One per loaded engine, from open to close.
class Engine {
 public:
  // Empty when this engine runs the node. Else the reason, which is shown to users: name what stands in the way.
  // Dimensions may still be -1: answer for the operator then.
  std::string Check(const GeOpDesc &op) const {
    if (op.type != std::string("Relu")) return std::string("takes Relu only, not ") + op.type;
    if (op.inputs[0].data_type != C_DT_FLOAT) return "takes DT_FLOAT only";
    return "";
  }

  // The kernel of a node that Check accepted; now every shape is known. `op` dies with this call.
  void Create(const GeOpDesc &op, const GeKernelEnv &env, GeKernel *out) const {
    // The output may lie where the input was, when nobody needs the input any more.
    static constexpr GeAlias kInPlace = {GE_ALIAS_IN_PLACE, 0, 0, 0, 0};
    auto kernel = std::make_unique<Relu>(op, env);
    out->implementation = "null:relu";
    out->aliases = &kInPlace;
    out->alias_count = 1;
    out->flops = static_cast<double>(kernel->elements());
    out->struct_size = sizeof *out;  // as far as this engine's headers know it
    out->run = [](void *state, const GeKernelArgs *args) -> GeStatus {
      static_cast<const Kernel *>(state)->Run(*args);
      return GE_SUCCESS;
    };
    out->destroy = [](void *state) { delete static_cast<Kernel *>(state); };
    out->state = static_cast<Kernel *>(kernel.release());
  }
};

// Nothing thrown crosses the edge.
template <class Body>
GeStatus Guarded(GeStatus (*fail)(GeStatus, const char *), Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(GE_OUT_OF_MEMORY, "null engine: out of memory");
  } catch (const std::exception &e) {
    return fail(GE_FAILED, e.what());
  }
}

const GeEngineHost *host = nullptr;

GeStatus Open(const GeEngineHost *given, const char *, const char *, void **engine) {
  host = given;
  return Guarded(host->fail, [&] {
    *engine = new Engine;
    return GE_SUCCESS;
  });
}

void Close(void *engine) { delete static_cast<Engine *>(engine); }

GeStatus Check(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  return Guarded(host->fail, [&] {
    std::string why = static_cast<Engine *>(engine)->Check(*op);
    if (why.empty()) return GE_SUCCESS;
    if (reason && capacity) std::snprintf(reason, capacity, "%s", why.c_str());
    return GE_UNSUPPORTED;
  });
}

GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  return Guarded(env->fail, [&] {
    static_cast<Engine *>(engine)->Create(*op, *env, out);
    return GE_SUCCESS;
  });
}

GeEngineTable Table() {
  GeEngineTable table{};
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof table;
  table.name = "NullEngine";
  table.version = "1";
  table.cost = 0;  // asked before every engine of a higher cost
  table.flags = GE_ENGINE_ATOMIC;
  table.open = Open;
  table.close = Close;
  table.check = Check;
  table.create_kernel = CreateKernel;
  return table;
}

}  // namespace

// A host that is too old for this engine gets null, and tells its user both versions.
extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  static const GeEngineTable table = Table();
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &table : nullptr;
}
