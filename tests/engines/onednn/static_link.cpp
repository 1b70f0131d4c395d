// The engine inside a program that does not link oneDNN: it works when the library can be loaded and says so when not.
#include <omp.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "ge/engine.h"

extern "C" const GeEngineTable *GeAicoreEngineTable(void);

namespace {
std::string message;
GeStatus Fail(GeStatus code, const char *text) {
  message = text;
  return code;
}
int Expect(bool ok, const char *what) {
  if (!ok) printf("failed: %s (%s)\n", what, message.c_str());
  return ok ? 0 : 1;
}
std::string logged;
}  // namespace

int main(int argc, char **) {
  GeEngineHost host{};
  host.struct_size = sizeof(host);
  host.engine_abi = GE_ENGINE_ABI_VERSION;
  host.cpu_features = GE_CPU_X86_64_V3;
  host.fail = &Fail;
  host.log = [](int32_t, const char *text) { logged += text; };
  void *engine = nullptr;
  const GeEngineTable *table = GeAicoreEngineTable();
  GeStatus status = table->open(&host, "", "", &engine);
  if (Expect(status == GE_SUCCESS, "open")) return 1;
  const char *opened = nullptr;
  if (Expect(table->libraries(engine, 0, &opened) == GE_SUCCESS && !*opened, "nothing is opened before it is needed"))
    return 1;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // oneDNN's memory is kept from the heap here, too, or the engine would have said why not.
  if (Expect(logged.empty(), logged.c_str())) return 1;
#endif

  // Capped to scalar code the engine is there but takes nothing.
  host.cpu_features = 0;
  void *scalar = nullptr;
  if (Expect(table->open(&host, "", "", &scalar) == GE_SUCCESS, "open without AVX2")) return 1;
  GeOpDesc any{};
  any.struct_size = sizeof(any);
  any.type = "MatMulV2", any.name = "node";
  char why[200] = "";
  if (Expect(table->check(scalar, &any, why, sizeof(why)) == GE_UNSUPPORTED && strstr(why, "AVX2"), "scalar refusal"))
    return 1;
  table->close(scalar);

  // A 2x2 average pool over 8 channels of constant planes, channels last: oneDNN does it.
  std::vector<float> x(4 * 4 * 8), y(2 * 2 * 8);
  for (int p = 0; p < 16; ++p)
    for (int c = 0; c < 8; ++c) x[p * 8 + c] = float(c);
  int64_t in[] = {1, 4, 4, 8}, out[] = {1, 2, 2, 8}, two[] = {1, 2, 2, 1};
  GeTensorData tensors[2]{};
  for (GeTensorData &t : tensors) t.format = t.origin_format = C_FORMAT_NHWC, t.rank = t.origin_rank = 4;
  tensors[0].dims = tensors[0].origin_dims = in, tensors[1].dims = tensors[1].origin_dims = out;
  GeAttrData attrs[3]{};
  const char *names[] = {"data_format", "ksize", "strides"};
  attrs[0].name = names[0], attrs[0].type = C_VT_STRING, attrs[0].s = "NHWC", attrs[0].count = 4;
  for (int i = 1; i < 3; ++i)
    attrs[i].name = names[i], attrs[i].type = C_VT_LIST_INT, attrs[i].list = two, attrs[i].count = 4;
  GeOpDesc op{};
  op.struct_size = sizeof(op);
  op.type = "AvgPoolV2", op.name = "pool";
  op.inputs = tensors, op.input_count = 1, op.outputs = tensors + 1, op.output_count = 1, op.attrs = attrs,
  op.attr_count = 3;
  char reason[200] = "";
  status = table->check(engine, &op, reason, sizeof(reason));
  if (argc > 1) {
    if (Expect(status == GE_UNSUPPORTED && strstr(reason, "libdnnl_missing.so"), "refusal of the node")) return 1;
    message.clear();
    if (Expect(table->libraries(engine, 1, &opened) == GE_UNSUPPORTED &&
                   message.find("libdnnl_missing.so") != std::string::npos,
               "refusal to open"))
      return 1;
    table->close(engine);
    return 0;
  }
  if (Expect(status == GE_SUCCESS, reason)) return 1;
  GeKernelEnv env{};
  env.struct_size = sizeof(env);
  env.threads = 1, env.cpu_features = GE_CPU_X86_64_V3, env.fail = &Fail;
  GeKernel kernel{};
  status = table->create_kernel(engine, &op, &env, &kernel);
  if (Expect(status == GE_SUCCESS, "create_kernel")) return 1;
  if (Expect(table->libraries(engine, 0, &opened) == GE_SUCCESS && strncmp(opened, "libdnnl", 7) == 0, "opened"))
    return 1;
  if (Expect(strncmp(kernel.implementation, "onednn:", 7) == 0, kernel.implementation)) return 1;
  std::vector<char> workspace(kernel.workspace_bytes + 64);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  GeKernelArgs args{};
  args.struct_size = sizeof args;
  args.inputs = inputs;
  args.outputs = outputs;
  args.workspace = workspace.data();
  if (Expect(kernel.run(kernel.state, &args) == GE_SUCCESS, "run")) return 1;
  for (int i = 0; i < 32; ++i)
    if (Expect(y[i] == float(i % 8), "values")) return 1;
  kernel.destroy(kernel.state);
  table->close(engine);
  return 0;
}
