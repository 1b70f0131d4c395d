/* Options, compiling, running, sessions, import, passes, engines. */
#include "ge/cancel.h"
#include "ge/serialize.h"
#include "ge/variables.h"
#include "tests/capi/every/fixture.h"

STATUS(GeOptionsCreate, "R", ALLOCATES, 0, GeOptionsCreate(O(1, w->out_options)))
DO(GeOptionsDestroy, "N", NEVER, NEED_OPTIONS, {
  GeOptionsDestroy(P(1, w->options));
  if (!null) w->options = NULL;
  return GE_SUCCESS;
})
STATUS(GeOptionsSet, "RRR", ALLOCATES, NEED_OPTIONS,
       GeOptionsSet(P(1, w->options), P(2, "dump_dir"), P(3, "/tmp/a folder with a long name")))
STATUS(GeOptionsSetOrWarn, "RRR", ALLOCATES, NEED_OPTIONS,
       GeOptionsSetOrWarn(P(1, w->options), P(2, "dump_dir"), P(3, "/tmp/a folder with a long name")))
VALUE(GeOptionCount, "", NEVER, 0, GeOptionCount() > 5)
DO(GeOptionAt, "NNNNN", NEVER, 0, {
  const char *key, *values, *fallback, *effect, *doc;
  return GeOptionAt(0, P(1, &key), P(2, &values), P(3, &fallback), P(4, &effect), P(5, &doc));
})

static int32_t GoOn(void *user) {
  (void)user;
  return 0;
}

/* ---- compile ---- */

STATUS(GeCompile, "RNR", ALLOCATES, NEED_NET | NEED_OPTIONS,
       GeCompile(P(1, w->net), P(2, w->options), O(3, w->out_model)))
STATUS(GeCompileFile, "RNR", ALLOCATES, NEED_ONNX | NEED_OPTIONS,
       GeCompileFile(P(1, Temp("small.onnx")), P(2, w->options), O(3, w->out_model)))
STATUS(GeCompileBuffer, "RNNR", ALLOCATES, NEED_OPTIONS,
       GeCompileBuffer(P(1, kSmallOnnx), kSmallOnnxSize, P(2, "/tmp"), P(3, w->options), O(4, w->out_model)))
DO(GeModelDestroy, "N", NEVER, NEED_MODEL, {
  GeModelDestroy(P(1, w->model));
  if (!null) w->model = NULL;
  return GE_SUCCESS;
})
VALUE(GeModelInputCount, "N", NEVER, NEED_MODEL, GeModelInputCount(P(1, w->model)) == (null ? 0 : 1))
VALUE(GeModelOutputCount, "N", NEVER, NEED_MODEL, GeModelOutputCount(P(1, w->model)) == (null ? 0 : 1))
DO(GeModelGetInput, "RNN", NEVER, NEED_MODEL, {
  const char *name;
  GeTensorData desc;
  return GeModelGetInput(P(1, w->model), 0, P(2, &name), P(3, &desc));
})
DO(GeModelGetOutput, "RNN", NEVER, NEED_MODEL, {
  const char *name;
  GeTensorData desc;
  return GeModelGetOutput(P(1, w->model), 0, P(2, &name), P(3, &desc));
})
VALUE(GeModelOverridableCount, "N", NEVER, NEED_MODEL, GeModelOverridableCount(P(1, w->model)) == 0)
DO(GeModelGetOverridable, "RNN", ALLOCATES, NEED_MODEL, {
  const char *name;
  GeTensorData desc;
  GeStatus status = GeModelGetOverridable(P(1, w->model), 0, P(2, &name), P(3, &desc));
  /* The model has none, which is said about the index. */
  return status == GE_PARAM_INVALID && null != 1 ? GE_SUCCESS : status;
})
DO(GeModelPlacementCount, "N", ALLOCATES, NEED_MODEL, {
  size_t count = GeModelPlacementCount(P(1, w->model));
  if (null) return count ? GE_FAILED : GE_SUCCESS;
  return count ? GE_SUCCESS : GeLastErrorCode();
})
DO(GeModelGetPlacement, "RR", ALLOCATES, NEED_MODEL, {
  GePlacement placement = {.struct_size = sizeof placement};
  return GeModelGetPlacement(P(1, w->model), 0, P(2, &placement));
})
STATUS(GeModelCloneGraph, "RR", ALLOCATES, NEED_MODEL, GeModelCloneGraph(P(1, w->model), O(2, w->out_graph)))
STATUS(GeModelClonePlacedGraph, "RR", ALLOCATES, NEED_MODEL,
       GeModelClonePlacedGraph(P(1, w->model), O(2, w->out_graph)))
DO(GeModelGetMemory, "RR", NEVER, NEED_MODEL, {
  GeModelMemory memory = {.struct_size = sizeof memory};
  return GeModelGetMemory(P(1, w->model), P(2, &memory));
})
#define DESCRIBE(what)                                                                      \
  VARIANT(GeModelDescribe, what, #what, "RRN", ALLOCATES, NEED_MODEL, {                     \
    int user = 0;                                                                           \
    return GeModelDescribe(P(1, w->model), GE_MODEL_##what, P(2, IgnoreText), P(3, &user)); \
  })
DESCRIBE(REPORT)
DESCRIBE(GRAPH)
DESCRIBE(GRAPH_DOT)
DESCRIBE(GRAPH_SVG)
DESCRIBE(MEMORY_JSON)
DESCRIBE(MEMORY_SVG)
DESCRIBE(VALUES)

/* ---- run ---- */

STATUS(GeRunContextCreate, "RR", ALLOCATES, NEED_MODEL, GeRunContextCreate(P(1, w->model), O(2, w->out_context)))
DO(GeRunContextDestroy, "N", NEVER, NEED_CONTEXT, {
  GeRunContextDestroy(P(1, w->context));
  if (!null) w->context = NULL;
  return GE_SUCCESS;
})
static _Alignas(64) char g_allocator[4096]; /* memory that runs may use */
STATUS(GeRunContextSetMemory, "RR", NEVER, NEED_CONTEXT,
       GeRunContextSetMemory(P(1, w->context), P(2, g_allocator), sizeof g_allocator))
DO(GeRunContextCancel, "N", NEVER, NEED_CONTEXT, {
  GeRunContextCancel(P(1, w->context));
  return GE_SUCCESS;
})
STATUS(GeRunContextSetTimeLimit, "R", NEVER, NEED_CONTEXT, GeRunContextSetTimeLimit(P(1, w->context), 1000))
DO(GeSetInterruptCheck, "NN", NEVER, 0, {
  GeSetInterruptCheck(P(1, GoOn), P(2, &null));
  GeSetInterruptCheck(NULL, NULL);
  return GE_SUCCESS;
})
DO(GeRunContextPrepare, "RRR+R", ALLOCATES, NEED_CONTEXT, {
  GeTensorData in = FloatData(), out = {0};
  if (null == 4) in.dims = NULL;
  return GeRunContextPrepare(P(1, w->context), P(2, &in), 1, P(3, &out), 1);
})
DO(GeRun, "RRR+SRN", ALLOCATES, NEED_CONTEXT, {
  float result[6];
  GeTensorData in = FloatData(), out = {0};
  if (null == 4) in.data = NULL;
  if (null == 5) in.dims = NULL;
  out.data = P(6, result); /* null: memory of the context */
  out.size = sizeof result;
  GeStatus status = GeRun(P(1, w->context), P(2, &in), 1, P(3, &out), 1);
  if (status == GE_SUCCESS) CheckRelu(&out);
  return status;
})
DO(GeRunProfiled, "RRRRN+S", ALLOCATES, NEED_CONTEXT, {
  float result[6];
  int user = 0;
  GeTensorData in = FloatData(), out = {.data = result, .size = sizeof result};
  if (null == 6) in.data = NULL;
  GeStatus status = GeRunProfiled(P(1, w->context), P(2, &in), 1, P(3, &out), 1, P(4, IgnoreText), P(5, &user));
  if (status == GE_SUCCESS) CheckRelu(&out);
  return status;
})
DO(GeRunReport, "RRRRN+S", ALLOCATES, NEED_CONTEXT, {
  float result[6];
  int user = 0;
  GeTensorData in = FloatData(), out = {.data = result, .size = sizeof result};
  if (null == 6) in.data = NULL;
  GeStatus status = GeRunReport(P(1, w->context), P(2, &in), 1, P(3, &out), 1, P(4, IgnoreText), P(5, &user));
  if (status == GE_SUCCESS) CheckRelu(&out);
  return status;
})

/* ---- sessions ---- */

STATUS(GeSessionCreate, "NR", ALLOCATES, NEED_OPTIONS, GeSessionCreate(P(1, w->options), O(2, w->out_session)))
DO(GeSessionDestroy, "N", NEVER, NEED_SESSION, {
  GeSessionDestroy(P(1, w->session));
  if (!null) w->session = NULL;
  return GE_SUCCESS;
})
STATUS(GeSessionAddGraph, "RRN", ALLOCATES, NEED_SESSION,
       GeSessionAddGraph(P(1, w->session), 3, P(2, w->net), P(3, w->options)))
STATUS(GeSessionRemoveGraph, "R", NEVER, NEED_SESSION, GeSessionRemoveGraph(P(1, w->session), 1))
STATUS(GeSessionCompileGraph, "R", ALLOCATES, NEED_SESSION, GeSessionCompileGraph(P(1, w->session), 2))
STATUS(GeSessionRetainModel, "RR", ALLOCATES, NEED_SESSION,
       GeSessionRetainModel(P(1, w->session), 1, O(2, w->out_model)))
STATUS(GeSessionSetGraphMemory, "RR", ALLOCATES, NEED_SESSION,
       GeSessionSetGraphMemory(P(1, w->session), 1, P(2, g_allocator), sizeof g_allocator))
STATUS(GeSessionSetConstMemory, "RR", ALLOCATES, NEED_SESSION,
       GeSessionSetConstMemory(P(1, w->session), 1, P(2, g_allocator), sizeof g_allocator))
DO(GeSessionVariableCount, "RR", NEVER, NEED_SESSION, {
  size_t count = 0;
  GeStatus status = GeSessionVariableCount(P(1, w->session), P(2, &count));
  if (status == GE_SUCCESS) assert_int_equal(count, 1);
  return status;
})
DO(GeSessionVariableName, "RR", NEVER, NEED_SESSION, {
  const char *name = NULL;
  GeStatus status = GeSessionVariableName(P(1, w->session), 0, P(2, &name));
  if (status == GE_SUCCESS) assert_string_equal(name, "v");
  return status;
})
DO(GeSessionCloneVariables, "RRR+R", ALLOCATES, NEED_SESSION, {
  const char *names[] = {P(4, "v")};
  return GeSessionCloneVariables(P(1, w->session), P(2, names), 1, O(3, w->out_tensor));
})
DO(GeSessionSetVariables, "RRR+RR", ALLOCATES, NEED_SESSION, {
  const char *names[] = {"v", P(4, "fresh")};
  const GeTensor *values[] = {w->tensor, P(5, w->tensor)};
  GeStatus status = GeSessionSetVariables(P(1, w->session), P(2, names), P(3, values), 2);
  size_t count = 0;
  if (null != 1) OK(GeSessionVariableCount(w->session, &count)); /* all of them or none */
  if (null != 1) assert_int_equal(count, status == GE_SUCCESS ? 2 : 1);
  return status;
})
DO(GeSessionRunGraph, "RRRR+R", ALLOCATES, NEED_SESSION, {
  const GeTensor *inputs[] = {P(5, w->tensor)};
  GeTensor *outputs[1] = {NULL};
  size_t count = 1;
  GeStatus status = GeSessionRunGraph(P(1, w->session), 1, P(2, inputs), 1, P(3, outputs), P(4, &count));
  if (status != GE_SUCCESS) {
    assert_null(outputs[0]);
    return status;
  }
  GeTensorData out;
  OK(GeTensorGetData(outputs[0], &out));
  CheckRelu(&out);
  GeTensorDestroy(outputs[0]);
  return status;
})
STATUS(GeInitialize, "N", ALLOCATES, NEED_OPTIONS, GeInitialize(P(1, w->options)))
STATUS(GeFinalize, "", NEVER, 0, GeFinalize())

/* ---- offline models ---- */

DO(GeOfflineBuild, "RNRR", ALLOCATES, NEED_NET | NEED_OPTIONS, {
  void *data = NULL;
  size_t size = 0;
  GeStatus status = GeOfflineBuild(P(1, w->net), P(2, w->options), P(3, &data), P(4, &size));
  assert_int_equal(status == GE_SUCCESS, data != NULL);
  assert_int_equal(status == GE_SUCCESS, size != 0);
  GeBytesDestroy(data);
  return status;
})
DO(GeSessionOfflineBuild, "RRR", ALLOCATES, NEED_SESSION, {
  void *data = NULL;
  size_t size = 0;
  GeStatus status = GeSessionOfflineBuild(P(1, w->session), 1, P(2, &data), P(3, &size));
  assert_int_equal(status == GE_SUCCESS, data != NULL);
  assert_int_equal(status == GE_SUCCESS, size != 0);
  GeBytesDestroy(data);
  return status;
})
DO(GeOfflineBundle, "RRRR+R", ALLOCATES, NEED_OFFLINE, {
  const void *models[] = {w->offline, P(5, w->offline)};
  const size_t sizes[] = {w->offline_size, w->offline_size};
  void *data = NULL;
  size_t size = 0;
  GeStatus status = GeOfflineBundle(P(1, models), P(2, sizes), 2, P(3, &data), P(4, &size));
  assert_int_equal(status == GE_SUCCESS, data != NULL);
  assert_int_equal(status == GE_SUCCESS, size > 2 * w->offline_size);
  GeBytesDestroy(data);
  return status;
})
DO(GeOfflineBundleCount, "RR", ALLOCATES, NEED_OFFLINE, {
  size_t count = 7;
  GeStatus status = GeOfflineBundleCount(P(1, w->offline), w->offline_size, P(2, &count));
  if (status == GE_SUCCESS) assert_int_equal(count, 0); /* it is a single model */
  return status;
})
DO(GeOfflineBundleGet, "RRR", ALLOCATES, NEED_OFFLINE, {
  void *bundle = NULL;
  size_t size = 0;
  size_t got_size = 7;
  const void *got = NULL;
  const void *models[] = {w->offline};
  FaultDisarmed(OK(GeOfflineBundle(models, &w->offline_size, 1, &bundle, &size)));
  GeStatus status = GeOfflineBundleGet(P(1, bundle), size, 0, P(2, &got), P(3, &got_size));
  if (status == GE_SUCCESS) {
    assert_int_equal(got_size, w->offline_size);
    assert_memory_equal(got, w->offline, got_size);
  }
  GeBytesDestroy(bundle);
  return status;
})
STATUS(GeOfflineSave, "RR", ALLOCATES, NEED_OFFLINE,
       GeOfflineSave(P(1, Temp("small.om")), P(2, w->offline), w->offline_size))
VARIANT(GeCompileBuffer, offline, "of an offline model", "RNNR", ALLOCATES, NEED_OFFLINE | NEED_OPTIONS, {
  return GeCompileBuffer(P(1, w->offline), w->offline_size, P(2, "/tmp"), P(3, w->options), O(4, w->out_model));
})

/* ---- import ---- */

DO(GeOnnxImport, "RNNR", ALLOCATES, NEED_ONNX, {
  int user = 0;
  return GeOnnxImport(P(1, Temp("small.onnx")), P(2, IgnoreText), P(3, &user), O(4, w->out_graph));
})
DO(GeOnnxImportBuffer, "RNNNR", ALLOCATES, 0, {
  int user = 0;
  return GeOnnxImportBuffer(P(1, kSmallOnnx), kSmallOnnxSize, P(2, "/tmp"), P(3, IgnoreText), P(4, &user),
                            O(5, w->out_graph));
})
DO(GeTensorFlowImport, "RNNNR", ALLOCATES, NEED_ONNX, {
  int user = 0;
  const GeParserOption name = {"output", "net"};
  return GeTensorFlowImport(P(1, Temp("small.pbtxt")), P(2, &name), null == 2 ? 0 : 1, P(3, IgnoreText), P(4, &user),
                            O(5, w->out_graph));
})
DO(GeTensorFlowImportBuffer, "RRNNR", ALLOCATES, 0, {
  int user = 0;
  const GeParserOption name = {"output", "net"};
  return GeTensorFlowImportBuffer(P(1, kSmallTensorFlow), kSmallTensorFlowSize, P(2, &name), 1, P(3, IgnoreText),
                                  P(4, &user), O(5, w->out_graph));
})
DO(GeTensorFlowDescribe, "RN", ALLOCATES, 0, {
  int user = 0;
  return GeTensorFlowDescribe(P(1, IgnoreText), P(2, &user));
})
STATUS(GeGraphApplyParserOption, "RRR", ALLOCATES, NEED_NET,
       GeGraphApplyParserOption(P(1, w->net), P(2, "input_shape"), P(3, "in:4,3")))
DO(GeOnnxDescribe, "RN", ALLOCATES, 0, {
  int user = 0;
  return GeOnnxDescribe(P(1, IgnoreText), P(2, &user));
})
DO(GeDoctor, "RN", ALLOCATES, 0, {
  int user = 0;
  return GeDoctor(P(1, IgnoreText), P(2, &user));
})

/* ---- passes ---- */

DO(GePassRegister, "R+RRNN", ALLOCATES, 0, {
  GePassTable table = kTestPass;
  if (null == 2) table.name = NULL;
  if (null == 3) table.run = NULL;
  if (null == 4) table.destroy = NULL;
  if (null == 5) table.user = NULL;
  int destroyed = *(int *)kTestPass.user;
  GeStatus status = GePassRegister(P(1, &table));
  /* Called once, also when registering fails. */
  int expected = status == GE_SUCCESS || null == 1 ? destroyed : destroyed + 1;
  assert_int_equal(*(int *)kTestPass.user, expected);
  return status;
})
STATUS(GePassUnregister, "R", NEVER, NEED_PASS, GePassUnregister(P(1, "TestPass")))
DO(GePassCount, "", ALLOCATES, 0, return GePassCount() ? GE_SUCCESS : GeLastErrorCode();)
DO(GePassAt, "R", ALLOCATES, 0, {
  GePassInfo info = {.struct_size = sizeof info};
  return GePassAt(0, P(1, &info));
})
STATUS(GePassRun, "RR", ALLOCATES, NEED_PASS, GePassRun(P(1, "TestPass"), P(2, w->graph)))

/* ---- engines ---- */

DO(GeEngineLoad, "RN", ALLOCATES, 0, {
  char path[512];
  const char *folder = getenv("GE_ENGINE_DIR");
  assert_non_null(folder);
  snprintf(path, sizeof path, "%s/libge_engine_reference.so", folder);
  return GeEngineLoad(P(1, path), P(2, "key=value"));
})
STATUS(GeEngineRegister, "RN", ALLOCATES, 0, GeEngineRegister(P(1, &kTestEngine), P(2, "key=value")))
VARIANT(GeEngineRegister, table, "table", "RN+SNSS", ALLOCATES, 0, {
  GeEngineTable table = kTestEngine;
  if (null == 3) table.name = NULL;
  if (null == 4) table.open = NULL;
  if (null == 5) table.check = NULL;
  if (null == 6) table.create_kernel = NULL;
  static GeEngineTable kept; /* an engine keeps its table's address */
  kept = table;
  return GeEngineRegister(P(1, &kept), P(2, "key=value"));
})
STATUS(GeEngineUnload, "R", NEVER, NEED_ENGINE, GeEngineUnload(P(1, "TestEngine")))
DO(GeEngineCount, "", ALLOCATES, 0, return GeEngineCount() ? GE_SUCCESS : GeLastErrorCode();)
DO(GeEngineAt, "R", ALLOCATES, 0, {
  GeEngineInfo info = {.struct_size = sizeof info};
  return GeEngineAt(0, P(1, &info));
})
DO(GeEngineCheck, "RR+RRR", ALLOCATES, 0, {
  GeTensorData in = FloatDesc(kDims, 2);
  GeTensorData out = FloatDesc(kDims, 2);
  GeOpDesc op = {.struct_size = sizeof op,
                 .type = P(3, "Relu"),
                 .name = "relu",
                 .inputs = P(4, &in),
                 .input_count = 1,
                 .outputs = P(5, &out),
                 .output_count = 1};
  return GeEngineCheck(P(1, "DNN_VM_HOST_CPU"), P(2, &op));
})

/* ---- profiling by the process ---- */

/* Closed again whatever happens, so that the next case finds nothing open. */
static GeStatus Profiled(int start, int stop) {
  GeStatus status = GeProfilerOpen(Temp("profile")), closed;
  if (status != GE_SUCCESS) return status;
  if (start) status = GeProfilerStart(GE_PROFILE_OPERATORS);
  if (stop && status == GE_SUCCESS) status = GeProfilerStop();
  closed = GeProfilerClose();
  return status != GE_SUCCESS ? status : closed;
}
DO(GeProfilerOpen, "R", ALLOCATES, 0, {
  if (null) return GeProfilerOpen(P(1, "nowhere"));
  return Profiled(0, 0);
})
STATUS(GeProfilerStart, "", ALLOCATES, 0, Profiled(1, 0))
STATUS(GeProfilerStop, "", ALLOCATES, 0, Profiled(1, 1))
STATUS(GeProfilerClose, "", ALLOCATES, 0, Profiled(1, 0))
DO(GeMeasureMachine, "R", NEVER, 0, { /* once it has measured */
                                      GeMachineRates rates = {.struct_size = sizeof rates};
                                      return GeMeasureMachine(1, P(1, &rates));
})
/* ---- front-end plug-ins ---- */

static GeStatus ParseNode(void *user, const GeFrontNode *node, GeGraph *graph, GeNode **made) {
  return user && node && graph && made ? GE_SUCCESS : GE_FAILED;
}
static GeStatus MakeGraph(void *user, const GeFrontNode *node, GeNode *made, GeGraph **out) {
  return user && node && made && out ? GE_SUCCESS : GE_FAILED;
}
static GeStatus FinishSubgraph(void *user, const char *name, GeGraph *subgraph) {
  return user && name && subgraph ? GE_SUCCESS : GE_FAILED;
}
static int plugins_destroyed;
static void DestroyPlugin(void *user) { ++*(int *)user; }
DO(GeParserPluginRegister, "RN+RRRRNNNRRR", ALLOCATES, 0, {
  static const int32_t order[] = {1, 0};
  const char *keys[] = {"every.domain::1::Operator", "every.domain::2::Operator"};
  GeInputEdit edits[] = {{GE_INPUT_DROP_IF_ATTR, 0, "name", 1, 0, NULL, 0},
                         {GE_INPUT_REORDER, 0, NULL, 0, 0, order, 2}};
  GeParserPlugin plugin = {
      sizeof plugin, GE_FRAMEWORK_ONNX, 0, "Relu", keys, 2, edits, 2, ParseNode, MakeGraph, FinishSubgraph,
      DestroyPlugin, &plugins_destroyed};
  uint64_t token = 1;
  int before = plugins_destroyed;
  if (null == 2) keys[0] = keys[1] = "every.domain::3::Stays"; /* nobody can take it back */
  if (null == 3) plugin.type = NULL;
  if (null == 4) plugin.origin_types = NULL;
  if (null == 5) keys[1] = NULL;
  if (null == 6) plugin.parse = NULL;
  if (null == 7) plugin.to_graph = NULL;
  if (null == 8) plugin.finish_subgraph = NULL;
  if (null == 9) plugin.destroy = NULL;
  if (null == 10) plugin.edits = NULL;
  if (null == 11) edits[0].name = NULL;
  if (null == 12) edits[1].order = NULL;
  GeStatus status = GeParserPluginRegister(P(1, &plugin), P(2, &token));
  if (null == 2) return status;
  assert_int_equal(token != 0, status == GE_SUCCESS);
  if (status == GE_SUCCESS) GeParserPluginUnregister(token);
  assert_int_equal(plugins_destroyed, before + (null == 1 || null == 9 ? 0 : 1));
  return status;
})
DO(GeParserPluginUnregister, "", NEVER, 0, {
  GeParserPluginUnregister(0);
  GeParserPluginUnregister(UINT64_MAX);
  return GE_SUCCESS;
})

static GeStatus RunScopes(void *user, const GeFrontNode *const *nodes, size_t count, GeGraph *graph,
                          GeStatus (*replace)(void *sink, const GeScopeFusion *fusion), void *sink) {
  return user && nodes && count && graph && replace && sink ? GE_SUCCESS : GE_FAILED;
}
DO(GeScopePassRegister, "RN+RRN", ALLOCATES, 0, {
  GeScopePass pass = {sizeof pass, "EveryPass", 0, 0, RunScopes, DestroyPlugin, &plugins_destroyed};
  uint64_t token = 1;
  int before = plugins_destroyed;
  if (null == 2) pass.name = "EveryPassThatStays"; /* nobody can take it back */
  if (null == 3) pass.name = NULL;
  if (null == 4) pass.run = NULL;
  if (null == 5) pass.destroy = NULL;
  GeStatus status = GeScopePassRegister(P(1, &pass), P(2, &token));
  if (null == 2) return status;
  assert_int_equal(token != 0, status == GE_SUCCESS);
  if (status == GE_SUCCESS) GeScopeFusionUnregister(token);
  assert_int_equal(plugins_destroyed, before + (null == 1 || null == 5 ? 0 : 1));
  return status;
})
static GeStatus ParseFused(void *user, const char *name, const GeFrontNode *const *nodes, size_t count, GeGraph *graph,
                           GeNode **made) {
  return user && name && nodes && count && graph && made ? GE_SUCCESS : GE_FAILED;
}
DO(GeFusionParserRegister, "RN+RRRRN", ALLOCATES, 0, {
  const char *keys[] = {"EveryFused", "EveryOtherFused"};
  GeFusionParser parser = {sizeof parser, "Relu", keys, 2, ParseFused, DestroyPlugin, &plugins_destroyed};
  uint64_t token = 1;
  int before = plugins_destroyed;
  if (null == 2) keys[0] = keys[1] = "EveryFusedThatStays"; /* nobody can take it back */
  if (null == 3) parser.type = NULL;
  if (null == 4) parser.origin_types = NULL;
  if (null == 5) keys[1] = NULL;
  if (null == 6) parser.parse = NULL;
  if (null == 7) parser.destroy = NULL;
  GeStatus status = GeFusionParserRegister(P(1, &parser), P(2, &token));
  if (null == 2) return status;
  assert_int_equal(token != 0, status == GE_SUCCESS);
  if (status == GE_SUCCESS) GeScopeFusionUnregister(token);
  assert_int_equal(plugins_destroyed, before + (null == 1 || null == 7 ? 0 : 1));
  return status;
})
DO(GeScopeFusionUnregister, "", NEVER, 0, {
  GeScopeFusionUnregister(0);
  GeScopeFusionUnregister(UINT64_MAX);
  return GE_SUCCESS;
})
