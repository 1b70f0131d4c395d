// The engine's table: portable reference kernels for every operator. It is the fallback, the constant folder and the
// oracle of the other engines.
#include "ge/engine.h"

#include <cstdio>
#include <memory>
#include <new>

#include "registry.h"

namespace reference {
namespace {

// One barrier for every entry point: no exception leaves the engine.
template <class Report, class Body>
GeStatus Guard(const Report &report, const Body &body) noexcept {
  try {
    body();
    return GE_SUCCESS;
  } catch (const Failure &failure) {
    return report(failure.code, failure.message);
  } catch (const std::bad_alloc &) {
    return report(GE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return report(GE_FAILED, error.what());
  } catch (...) {
    return report(GE_FAILED, "unknown exception");
  }
}

struct State {
  Kernel kernel;
  const GeKernelEnv *env;
};

GeStatus Open(const GeEngineHost *, const char *, const char *, void **engine) {
  *engine = nullptr;
  return GE_SUCCESS;
}
void Close(void *) {}

bool IsPlain(int32_t format) {
  switch (format) {
    case C_FORMAT_NC1HWC0:
    case C_FORMAT_FRACTAL_Z:
    case C_FORMAT_NC1C0HWPAD:
    case C_FORMAT_NHWC1C0:
    case C_FORMAT_C1HWNC0:
    case C_FORMAT_NC1HWC0_C04:
    case C_FORMAT_FRACTAL_Z_C04:
    case C_FORMAT_FRACTAL_NZ:
    case C_FORMAT_NDC1HWC0:
    case C_FORMAT_FRACTAL_Z_3D:
      return false;
    default:
      return true;
  }
}

void CheckTensor(const Node &node, const GeTensorData &t, const char *what, int port) {
  if (t.data_type == C_DT_UNDEFINED) return;
  if (!(kMovable & TypeBit(t.data_type)))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for %s %d", node.label().c_str(), TypeName(t.data_type), what, port);
  if (!IsPlain(t.format) && std::string_view(node.type()) != "TransData")
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
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for %s %d", node.label().c_str(), TypeName(type),
           port < 0 ? "output" : "input", port < 0 ? 0 : port);
  }
  if (entry->check) entry->check(node);
  return *entry;
}

GeStatus Check(void *, const GeOpDesc *op, char *reason, size_t capacity) {
  auto report = [&](GeStatus code, const char *message) {
    if (reason && capacity) snprintf(reason, capacity, "%s", message);
    return code == GE_OUT_OF_MEMORY ? code : GeStatus(GE_UNSUPPORTED);
  };
  return Guard(report, [&] { CheckNode(Node(op, nullptr)); });
}

GeStatus Run(void *state, const GeKernelArgs *args) {
  const State *s = static_cast<const State *>(state);
  return Guard(s->env->fail, [&] { s->kernel.run(Call{args, s->env}); });
}

GeStatus CreateKernel(void *, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  return Guard(env->fail, [&] {
    Node node(op, env);
    const OpEntry &entry = CheckNode(node);
    auto state = std::make_unique<State>(State{entry.create(node, entry), env});
    out->struct_size = sizeof(GeKernel);
    out->run = &Run;
    out->destroy = [](void *s) { delete static_cast<State *>(s); };
    out->implementation = "reference:reference";
    out->workspace_bytes = state->kernel.workspace;
    out->flags = state->kernel.flags;
    out->alias_count = uint32_t(state->kernel.aliases.size());
    out->aliases = state->kernel.aliases.data();
    out->flops = state->kernel.flops;
    out->output_bytes = state->kernel.output_bytes.empty() ? nullptr : state->kernel.output_bytes.data();
    out->state = state.release();
  });
}

const GeEngineTable kTable = {
    GE_ENGINE_ABI_VERSION,
    0,
    sizeof(GeEngineTable),
    "DNN_VM_HOST_CPU",
    GE_VERSION_STRING,
    10,
    GE_ENGINE_FUSIBLE,
    &Open,
    &Close,
    &Check,
    &CreateKernel,
    nullptr,
    nullptr,  // it takes single nodes only
};

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
