/* The consequence of each status that a function of an engine returns, and the addresses that kernels get, as
 * ge/engine.h tells them. The engine of these tests fills outputs with 7, so a result tells who computed it. */
#include "ge/engine.h"
#include "tests/capi/small_graphs.h"

enum { kOther = 4242 }; /* a status of the engine's own */

/* The answer of each function, and how often it was asked. */
static struct Script {
  GeStatus open, check, create_kernel, create_open_kernel, claim, create_region, optimize, workspace_for, run;
  int takes; /* claim takes all nodes */
  int opens, regions, kernels, open_kernels;
} script;

static GeEngineHost host_copy;

static GeStatus Open(const GeEngineHost *host, const char *path, const char *options, void **engine) {
  (void)path;
  (void)options;
  *engine = NULL;
  host_copy = *host;
  ++script.opens;
  return script.open ? (host->fail)(script.open, "open says so") : GE_SUCCESS;
}

static GeStatus Check(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  (void)engine;
  snprintf(reason, capacity, "check says so");
  return strcmp(op->type, "Relu") != 0 ? GE_UNSUPPORTED : script.check;
}

static int64_t Elements(const int64_t *dims, int32_t rank) {
  int64_t n = 1;
  for (int32_t d = 0; d < rank; ++d) n *= dims[d];
  return n;
}

typedef struct State {
  int64_t elements; /* -1: the run's arguments tell them */
} State;

static GeStatus Run(void *state, const GeKernelArgs *args) {
  const State *self = state;
  const int64_t n = self->elements >= 0 ? self->elements : args->output_dims[0][0];
  for (int64_t i = 0; i < n; ++i) ((float *)args->outputs[0])[i] = 7;
  return script.run ? (host_copy.fail)(script.run, "run says so") : GE_SUCCESS;
}

static GeStatus WorkspaceFor(void *state, const int64_t *const *in, const int64_t *const *out, uint64_t *bytes) {
  (void)state;
  (void)in;
  (void)out;
  *bytes = 64;
  return script.workspace_for ? (host_copy.fail)(script.workspace_for, "workspace_for says so") : GE_SUCCESS;
}

static void Make(GeKernel *out, int64_t elements) {
  State *state = malloc(sizeof *state);
  state->elements = elements;
  out->run = Run;
  out->state = state;
  out->destroy = free;
  out->implementation = "sevens";
  ++script.kernels;
}

static GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  (void)engine;
  if (script.create_kernel) return (env->fail)(script.create_kernel, "create_kernel says so");
  Make(out, Elements(op->outputs[0].dims, op->outputs[0].rank));
  return GE_SUCCESS;
}

static GeStatus CreateOpenKernel(void *engine, const GeOpDesc *op, const GeOpenExtents *extents, const GeKernelEnv *env,
                                 GeKernel *out) {
  (void)engine;
  (void)op;
  (void)extents;
  if (script.create_open_kernel) return (env->fail)(script.create_open_kernel, "create_open_kernel says so");
  Make(out, -1);
  ++script.open_kernels;
  out->workspace_for = WorkspaceFor;
  return GE_SUCCESS;
}

static GeStatus Claim(void *engine, const GeGraphView *graph, const GeClaims *claims) {
  (void)engine;
  for (int32_t k = 0; script.takes && k < (int32_t)graph->node_count; ++k) claims->take(claims->host, &k, 1);
  return script.claim ? (host_copy.fail)(script.claim, "claim says so") : GE_SUCCESS;
}

static GeStatus CreateRegion(void *engine, const GeRegion *region, const GeKernelEnv *env, GeKernel *out) {
  (void)engine;
  ++script.regions;
  if (script.create_region) return (env->fail)(script.create_region, "create_region says so");
  Make(out, Elements(region->outputs[0].dims, region->outputs[0].rank));
  return GE_SUCCESS;
}

static GeStatus Optimize(void *engine, GeGraph *graph, int32_t hook) {
  (void)engine;
  (void)graph;
  (void)hook;
  return script.optimize == GE_NOT_CHANGED || !script.optimize ? GE_NOT_CHANGED
                                                               : (host_copy.fail)(script.optimize, "optimize says so");
}

static const GeEngineTable kTable = {.abi_version = GE_ENGINE_ABI_VERSION,
                                     .struct_size = sizeof kTable,
                                     .name = "StatusEngine",
                                     .version = "1",
                                     .cost = -100,
                                     .open = Open,
                                     .check = Check,
                                     .create_kernel = CreateKernel,
                                     .claim = Claim,
                                     .create_region = CreateRegion,
                                     .optimize = Optimize,
                                     .create_open_kernel = CreateOpenKernel};

static char logged[2048];

static void Note(void *user, int32_t level, const char *message) {
  (void)user;
  (void)level;
  snprintf(logged, sizeof logged, "%s", message);
}

/* y = relu(x), x of four elements or of any number. */
static GeGraph *ReluGraph(int open) {
  GeGraph *graph = NULL;
  const int32_t port = 0;
  OK(GeGraphCreate("g", &graph));
  GeNode *x = AddInput(graph, "x", 0, C_DT_FLOAT), *y = AddUnary(graph, "Relu", "y", x);
  const int64_t four = 4;
  const GeTensorData desc = FloatDesc(&four, 1);
  if (!open) OK(GeNodeSetOutputDesc(x, 0, &desc));
  OK(GeGraphSetOutputs(graph, &y, &port, 1));
  return graph;
}

static GeStatus Compile(int open, GeModel **model) {
  GeGraph *graph = ReluGraph(open);
  const GeStatus status = GeCompile(graph, NULL, model);
  GeGraphDestroy(graph);
  return status;
}

/* The first element of relu(-1 …): 7 where the engine of these tests computed it, else 0. */
static GeStatus First(GeModel *model, int64_t length, float *first) {
  float in[64];
  for (int i = 0; i < 64; ++i) in[i] = -1;
  GeRunContext *context = NULL;
  GeTensorData input = Floats(in, &length), output = {0};
  OK(GeRunContextCreate(model, &context));
  const GeStatus status = GeRun(context, &input, 1, &output, 1);
  if (status == GE_SUCCESS) *first = ((const float *)output.data)[0];
  GeRunContextDestroy(context);
  return status;
}

#define EXPECT_FIRST(want, model, length) \
  do {                                    \
    float first_ = -1;                    \
    OK(First(model, length, &first_));    \
    assert_true(first_ == (want));        \
  } while (0)

/* Compiling succeeds, and the engine computes y or another one does. */
static void ExpectCompiled(float want) {
  GeModel *model = NULL;
  OK(Compile(0, &model));
  EXPECT_FIRST(want, model, 4);
  GeModelDestroy(model);
}

#define EXPECT_COMPILE_FAILS(status, text)           \
  do {                                               \
    GeModel *model_ = NULL;                          \
    REFUSED_WITH(status, text, Compile(0, &model_)); \
    assert_null(model_);                             \
  } while (0)
/* As REFUSED, for statuses that have no name, too. */
#define REFUSED_WITH(status, text, call)                                                                  \
  do {                                                                                                    \
    GeClearLastError();                                                                                   \
    assert_int_equal(call, status);                                                                       \
    assert_int_equal(GeLastErrorCode(), status);                                                          \
    if (!strstr(GeLastErrorMessage(), text)) fail_msg("message is '%s'", GeLastErrorMessage());           \
    if (!strstr(GeLastErrorMessage(), "StatusEngine")) fail_msg("message is '%s'", GeLastErrorMessage()); \
  } while (0)

static int Begin(void **state) {
  (void)state;
  memset(&script, 0, sizeof script);
  logged[0] = '\0';
  return GeEngineRegister(&kTable, NULL) == GE_SUCCESS ? 0 : -1;
}

static int End(void **state) {
  (void)state;
  return GeEngineUnload("StatusEngine") == GE_SUCCESS ? 0 : -1;
}

static const GeStatus kFailures[] = {GE_FAILED, GE_PARAM_INVALID, GE_NOT_FOUND, kOther};
enum { kFailureCount = sizeof kFailures / sizeof *kFailures };

static void OfOpen(void **state) {
  (void)state;
  const GeStatus statuses[] = {GE_UNSUPPORTED, GE_OUT_OF_MEMORY, GE_FAILED, kOther};
  for (int i = 0; i < 4; ++i) {
    script.open = statuses[i];
    script.opens = 0;
    REFUSED_WITH(statuses[i], "open says so", GeEngineRegister(&kTable, NULL));
    assert_int_equal(script.opens, statuses[i] == GE_OUT_OF_MEMORY ? 2 : 1);
  }
  script.open = GE_SUCCESS;
  OK(GeEngineRegister(&kTable, NULL));
}

static void OfCheck(void **state) {
  (void)state;
  ExpectCompiled(7);
  script.check = GE_UNSUPPORTED;
  ExpectCompiled(0);
  for (int i = 0; i < kFailureCount; ++i) {
    script.check = kFailures[i];
    ExpectCompiled(0);
  }
  script.check = GE_OUT_OF_MEMORY;
  GeModel *model = NULL;
  assert_int_equal(Compile(0, &model), GE_OUT_OF_MEMORY);
}

static void OfCreateKernel(void **state) {
  (void)state;
  script.create_kernel = GE_UNSUPPORTED;
  ExpectCompiled(0);
  script.create_kernel = GE_OUT_OF_MEMORY;
  EXPECT_COMPILE_FAILS(GE_OUT_OF_MEMORY, "create_kernel says so");
  for (int i = 0; i < kFailureCount; ++i) {
    script.create_kernel = kFailures[i];
    EXPECT_COMPILE_FAILS(kFailures[i], "create_kernel says so");
  }
}

static void OfClaim(void **state) {
  (void)state;
  for (script.takes = 0; script.takes < 2; ++script.takes) {
    script.regions = 0;
    script.claim = GE_SUCCESS;
    ExpectCompiled(7); /* as a region, or as a node */
    assert_int_equal(script.regions, script.takes);
    script.claim = GE_UNSUPPORTED;
    EXPECT_COMPILE_FAILS(GE_UNSUPPORTED, "claim says so");
    script.claim = GE_OUT_OF_MEMORY;
    EXPECT_COMPILE_FAILS(GE_OUT_OF_MEMORY, "claim says so");
    for (int i = 0; i < kFailureCount; ++i) {
      script.claim = kFailures[i];
      EXPECT_COMPILE_FAILS(kFailures[i], "claim says so");
    }
  }
}

static void OfCreateRegion(void **state) {
  (void)state;
  script.takes = 1;
  script.check = script.create_region = GE_UNSUPPORTED;
  ExpectCompiled(0); /* its nodes are placed like others */
  assert_int_equal(script.regions, 1);
  script.check = GE_SUCCESS;
  ExpectCompiled(7); /* by this engine as well, one by one */
  assert_int_equal(script.kernels, 1);
  script.create_region = GE_OUT_OF_MEMORY;
  EXPECT_COMPILE_FAILS(GE_OUT_OF_MEMORY, "create_region says so");
  for (int i = 0; i < kFailureCount; ++i) {
    script.create_region = kFailures[i];
    EXPECT_COMPILE_FAILS(kFailures[i], "create_region says so");
  }
  /* Sizes that a run tells: the run fails, and the next one asks again. */
  GeModel *model = NULL;
  float first = -1;
  OK(Compile(1, &model));
  REFUSED_WITH(kOther, "create_region says so", First(model, 3, &first));
  script.create_region = GE_SUCCESS;
  EXPECT_FIRST(7, model, 3);
  GeModelDestroy(model);
}

static void OfOptimize(void **state) {
  (void)state;
  script.optimize = GE_NOT_CHANGED;
  ExpectCompiled(7);
  script.optimize = GE_UNSUPPORTED;
  ExpectCompiled(7);
  script.optimize = GE_OUT_OF_MEMORY;
  EXPECT_COMPILE_FAILS(GE_OUT_OF_MEMORY, "optimize says so");
  for (int i = 0; i < kFailureCount; ++i) {
    script.optimize = kFailures[i];
    EXPECT_COMPILE_FAILS(kFailures[i], "optimize says so");
  }
}

static void OfRun(void **state) {
  (void)state;
  GeModel *model = NULL;
  float first = -1;
  OK(Compile(0, &model));
  const GeStatus statuses[] = {GE_UNSUPPORTED, GE_OUT_OF_MEMORY, GE_NOT_CHANGED, GE_FAILED, kOther};
  for (int i = 0; i < 5; ++i) {
    script.run = statuses[i];
    REFUSED_WITH(statuses[i], "run says so", First(model, 4, &first));
    assert_non_null(strstr(GeLastErrorMessage(), "Relu 'y'"));
  }
  script.run = GE_SUCCESS;
  EXPECT_FIRST(7, model, 4);
  GeModelDestroy(model);
}

/* A kernel for open sizes is made when two sizes have been asked for, so each case runs several. */
static GeStatus RunSizes(float want) {
  GeModel *model = NULL;
  OK(Compile(1, &model));
  GeStatus status = GE_SUCCESS;
  for (int64_t length = 2; length < 8 && status == GE_SUCCESS; ++length) {
    float first = -1;
    status = First(model, length, &first);
    if (status == GE_SUCCESS) assert_true(first == want);
  }
  GeModelDestroy(model);
  return status;
}

static void OfOpenKernels(void **state) {
  (void)state;
  GeEngineTable table = kTable;
  table.claim = NULL; /* with an engine that takes or changes parts of graphs each size has kernels of its own */
  table.create_region = NULL;
  table.optimize = NULL;
  OK(GeEngineRegister(&table, NULL));
  GeSetLogCallback(Note, NULL, GE_LOG_WARNING);
  OK(RunSizes(7));
  assert_true(script.open_kernels > 0);
  script.create_open_kernel = GE_UNSUPPORTED;
  OK(RunSizes(7));
  assert_string_equal(logged, "");
  for (int i = 0; i < kFailureCount; ++i) {
    logged[0] = '\0';
    script.create_open_kernel = kFailures[i];
    OK(RunSizes(7));
    if (!strstr(logged, "create_open_kernel says so")) fail_msg("logged is '%s'", logged);
  }
  script.create_open_kernel = GE_OUT_OF_MEMORY;
  REFUSED_WITH(GE_OUT_OF_MEMORY, "create_open_kernel says so", RunSizes(7));
  script.create_open_kernel = GE_SUCCESS;
  for (int i = 0; i < kFailureCount; ++i) {
    script.workspace_for = kFailures[i];
    OK(RunSizes(7));
  }
  script.workspace_for = GE_OUT_OF_MEMORY;
  REFUSED_WITH(GE_OUT_OF_MEMORY, "workspace_for says so", RunSizes(7));
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
}

/* ---- addresses that kernels get: y = x + c with elements of each size ---- */

static const GeIrPort kSumIn[] = {{"x", GE_IR_REQUIRED, 0, "T"}, {"c", GE_IR_REQUIRED, 0, "T"}};
static const GeOpSchema kSum = {TEST_SCHEMA("AddressSum", kSumIn, kY)};
static size_t element_size;
static int runs_of_sum;

static GeStatus InferSum(const GeInferContext *ctx) {
  const GeTensorData *x = &ctx->op->inputs[0];
  ctx->outputs[0].rank = x->rank;
  for (int32_t d = 0; d < x->rank; ++d) ctx->outputs[0].dims[d] = x->dims[d];
  return GE_SUCCESS;
}
static GeStatus CheckSum(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  (void)engine;
  snprintf(reason, capacity, "not a sum");
  return strcmp(op->type, "AddressSum") ? GE_UNSUPPORTED : GE_SUCCESS;
}
static GeStatus RunSum(void *state, const GeKernelArgs *args) {
  const int64_t n = ((const State *)state)->elements;
  const void *buffers[] = {args->inputs[0], args->inputs[1], args->outputs[0]};
  for (int i = 0; i < 3; ++i)
    if ((uintptr_t)buffers[i] % (element_size > 8 ? 8 : element_size)) return GE_FAILED;
  ++runs_of_sum;
  for (int64_t i = 0; i < n; ++i) {
    if (element_size == 4) ((float *)buffers[2])[i] = ((const float *)buffers[0])[i] + ((const float *)buffers[1])[i];
    else ((double *)buffers[2])[i] = ((const double *)buffers[0])[i] + ((const double *)buffers[1])[i];
  }
  return GE_SUCCESS;
}
static GeStatus CreateSum(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  (void)engine;
  (void)env;
  Make(out, Elements(op->outputs[0].dims, op->outputs[0].rank));
  out->run = RunSum;
  return GE_SUCCESS;
}

static void PutElement(char *at, size_t size, double value) {
  const float narrow = (float)value;
  memcpy(at, size == 4 ? (const void *)&narrow : (const void *)&value, size);
}

static void AddressesSuitElements(void **state) {
  (void)state;
  enum { kN = 5 };
  const GeEngineTable table = {.abi_version = GE_ENGINE_ABI_VERSION,
                               .struct_size = sizeof table,
                               .name = "AddressEngine",
                               .version = "1",
                               .check = CheckSum,
                               .create_kernel = CreateSum};
  OK(GeEngineRegister(&table, NULL));
  OK(GeOpRegister(&kSum, InferSum));
  for (int wide = 0; wide < 2; ++wide) {
    for (size_t offset = 0; offset < 16; ++offset) {
      element_size = wide ? 8 : 4;
      const int64_t length = kN;
      char constant[kN * 8 + 16], x[kN * 8 + 16], y[kN * 8 + 16];
      for (size_t i = 0; i < kN; ++i) {
        PutElement(constant + offset + i * element_size, element_size, 100);
        PutElement(x + offset + i * element_size, element_size, (double)i);
      }
      GeTensorData desc = FloatDesc(&length, 1), content;
      desc.data_type = wide ? C_DT_DOUBLE : C_DT_FLOAT;
      content = desc;
      content.data = constant + offset;
      content.size = kN * element_size;
      GeTensor *borrowed = NULL;
      GeGraph *graph = NULL;
      const int32_t port = 0;
      OK(GeTensorCreateBorrowed(&content, NULL, NULL, &borrowed));
      OK(GeGraphCreate("sum", &graph));
      GeNode *in = AddInput(graph, "x", 0, desc.data_type), *c = AddOp(graph, "Const", "c");
      GeNode *sum = AddNode(graph, &kSum, "sum", -1, -1);
      OK(GeNodeSetOutputDesc(in, 0, &desc));
      OK(GeNodeSetOutputDesc(c, 0, &desc));
      OK(GeNodeSetAttrTensor(c, "value", borrowed));
      OK(GeGraphAddDataEdge(graph, in, 0, sum, 0));
      OK(GeGraphAddDataEdge(graph, c, 0, sum, 1));
      OK(GeGraphSetOutputs(graph, &sum, &port, 1));
      GeModel *model = CompileAndDestroy(graph, NULL, NULL);
      GeTensorDestroy(borrowed);
      GeRunContext *context = NULL;
      OK(GeRunContextCreate(model, &context));
      GeTensorData input = desc, output = {.data = y + offset, .size = kN * element_size};
      input.data = x + offset;
      input.size = kN * element_size;
      OK(GeRun(context, &input, 1, &output, 1));
      for (size_t i = 0; i < kN; ++i) {
        char want[8];
        PutElement(want, element_size, 100 + (double)i);
        assert_memory_equal(y + offset + i * element_size, want, element_size);
      }
      GeRunContextDestroy(context);
      GeModelDestroy(model);
    }
  }
  assert_int_equal(runs_of_sum, 32);
  OK(GeEngineUnload("AddressEngine"));
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
#define CASE(function) cmocka_unit_test_setup_teardown(function, Begin, End)
  const struct CMUnitTest tests[] = {
      CASE(OfOpen),  CASE(OfCheck),        CASE(OfCreateKernel),
      CASE(OfClaim), CASE(OfCreateRegion), CASE(OfOptimize),
      CASE(OfRun),   CASE(OfOpenKernels),  cmocka_unit_test(AddressesSuitElements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
