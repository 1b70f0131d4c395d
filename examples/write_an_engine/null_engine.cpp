// The engine of null_engine.c in C++, with the engine kit: made to be copied and renamed.
//
// Kernels are objects, refusals and errors are exceptions, and the kit keeps them from crossing into the library, which
// is told a status and a message instead. To make it yours: change the name and the cost in the table, widen Check, and
// add kernels beside Relu.
//
//   c++ -std=c++17 -shared -fPIC -fvisibility=hidden -I<prefix>/include null_engine.cpp -o libge_engine_null.so
#include <ge/engine_kit.hpp>

#include <algorithm>
#include <memory>

namespace {

using ge::kit::Kernel;
using ge::kit::Node;
using ge::kit::Refuse;

// Run is called by several threads at the same time, so it must not change the object; it does not allocate or lock.
class Relu final : public Kernel {
 public:
  explicit Relu(const Node &node) : elements_(node.in(0).elements()) {
    implementation = "null:relu";
    flops = static_cast<double>(elements_);
    // The output may lie where the input was, when nobody needs the input any more.
    aliases = {{GE_ALIAS_IN_PLACE, 0, 0, 0, 0}};
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const float *x = static_cast<const float *>(args.inputs[0]);
    float *y = static_cast<float *>(args.outputs[0]);
    Parallel(elements_, 16384, [&](int64_t begin, int64_t end) {
      std::transform(x + begin, x + end, y + begin, [](float v) { return v > 0 ? v : 0; });
    });
    return GE_SUCCESS;
  }

 private:
  int64_t elements_;
};

// One per loaded engine, from open to close.
class Engine {
 public:
  explicit Engine(const GeEngineHost &) {}

  // Returns when this engine runs the node. Else the reason is shown to users: name what stands in the way. Dimensions
  // may still be unknown: answer for the operator then.
  void Check(const GeOpDesc &op) const {
    const Node node(&op);
    if (!node.is("Relu")) Refuse("takes Relu only, not ", node.type());
    RequireFloat(node.in(0), "x");
  }

  // The kernel of a node that Check accepted; now every shape is known. `op` dies with this call.
  std::unique_ptr<Kernel> Create(const GeOpDesc &op, const GeKernelEnv &) const {
    return std::make_unique<Relu>(Node(&op));
  }
};

// Cost 0: asked before every engine of a higher cost.
constexpr GeEngineTable kTable = ge::kit::TableOf<Engine>("NullEngine", "1", 0, GE_ENGINE_ATOMIC);

}  // namespace

// A host that is too old for this engine gets null, and tells its user both versions.
extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &kTable : nullptr;
}
