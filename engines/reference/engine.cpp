// The engine's table: portable reference kernels for every operator. It is the fallback, the constant folder and the
// oracle of the other engines.
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "registry.h"

namespace reference {
namespace {

class FunctionKernel : public ge::kit::Kernel {
 public:
  FunctionKernel(reference::Kernel made, const GeKernelEnv *env) : run_(std::move(made.run)), env_(env) {
    implementation = "reference:reference";
    workspace_bytes = made.workspace;
    flags = made.flags;
    flops = made.flops;
    aliases = std::move(made.aliases);
    output_bytes = std::move(made.output_bytes);
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    run_(Call{&args, env_});
    return GE_SUCCESS;
  }

 private:
  std::function<void(const Call &)> run_;
  const GeKernelEnv *env_;
};

void CheckTensor(const Node &node, const GeTensorData &t, const char *what, int port) {
  if (t.data_type == C_DT_UNDEFINED) return;
  if (!((kMovable | kPacked) & TypeBit(t.data_type)))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for %s %d", node.label().c_str(), DataTypeName(t.data_type), what,
         port);
  if (!ge::kit::IsPlain(t.format) && std::string_view(node.type()) != "TransData")
    Fail(GE_UNSUPPORTED, "%s: the blocked format %d is not supported for %s %d", node.label().c_str(), t.format, what,
         port);
  if (t.rank > GE_MAX_RANK)
    Fail(GE_UNSUPPORTED, "%s: rank %d of %s %d is over the limit of %d", node.label().c_str(), t.rank, what, port,
         GE_MAX_RANK);
}

const OpEntry &CheckNode(const Node &node) {
  const OpEntry *entry = FindOp(node.op());
  if (!entry) Fail(GE_UNSUPPORTED, "%s: there is no reference kernel for this operator", node.label().c_str());
  for (int i = 0; i < node.inputs(); ++i) CheckTensor(node, node.op().inputs[i], "input", i);
  for (int i = 0; i < node.outputs(); ++i) CheckTensor(node, node.op().outputs[i], "output", i);
  int port = node.inputs() == 0 ? -1 : entry->value_port;
  if (port < node.inputs() && (port >= 0 || node.outputs() > 0)) {
    int32_t type = port < 0 ? node.out_type(0) : node.op().inputs[port].data_type;
    if (!(entry->types & TypeBit(type)))
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for %s %d", node.label().c_str(), DataTypeName(type),
           port < 0 ? "output" : "input", port < 0 ? 0 : port);
  }
  if (entry->check) entry->check(node);
  return *entry;
}

class Engine {
 public:
  explicit Engine(const GeEngineHost &) {}
  void Check(const GeOpDesc &op) const { CheckNode(Node(&op)); }
  std::unique_ptr<ge::kit::Kernel> Create(const GeOpDesc &op, const GeKernelEnv &env) const {
    Node node(&op);
    const OpEntry &entry = CheckNode(node);
    return std::make_unique<FunctionKernel>(entry.create(node, entry), &env);
  }
};

constexpr GeEngineTable kTable = ge::kit::TableOf<Engine>("DNN_VM_HOST_CPU", GE_VERSION_STRING, 10, GE_ENGINE_FUSIBLE);

}  // namespace
}  // namespace reference

extern "C" {

// For programs that link the engine instead of loading it.
GE_API const GeEngineTable *GeHostCpuEngineTable(void) { return &reference::kTable; }

// Operator types the engine has kernels of their own for (views have one for all), by index; null after the last. Tests
// use it to miss none.
GE_API const char *GeHostCpuOperatorAt(size_t index) {
  for (const reference::OpTable &table : reference::AllOps()) {
    if (index < table.count) return table.entries[index].type;
    index -= table.count;
  }
  return nullptr;
}
}
