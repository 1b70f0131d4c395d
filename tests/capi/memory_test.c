/* Runs that ask for more memory than there is: refused with the inputs' names and shapes and both numbers of bytes. */
#include "ge/model.h"
#include "tests/capi/helpers.h"

static GeNode *Add(GeGraph *graph, const char *type, const char *name) {
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = type, .name = name};
  GeNode *node = NULL;
  OK(GeGraphAddNode(graph, &spec, &node));
  return node;
}

/* y = relu(x), x of any length */
static GeModel *OpenModel(void) {
  GeGraph *graph = NULL;
  OK(GeGraphCreate("open", &graph));
  GeNode *x = Add(graph, "Data", "x"), *y = Add(graph, "Relu", "y");
  const int64_t dims[] = {GE_UNKNOWN_DIM};
  const int32_t port = 0;
  GeTensorData desc = FloatDesc(dims, 1);
  OK(GeNodeSetOutputDesc(x, 0, &desc));
  OK(GeGraphAddDataEdge(graph, x, 0, y, 0));
  OK(GeGraphSetOutputs(graph, &y, &port, 1));
  GeModel *model = NULL;
  OK(GeCompile(graph, NULL, &model));
  GeGraphDestroy(graph);
  return model;
}

static void RunBeyondMemory(void **state) {
  (void)state;
  GeModel *model = OpenModel();
  GeRunContext *context = NULL;
  OK(GeRunContextCreate(model, &context));
  float few[4] = {-1, 2, -3, 4};
  const int64_t many[] = {(int64_t)1 << 37};
  GeTensorData in = FloatDesc(many, 1), out = {0};
  in.data = few; /* never read: the output comes first */
  in.size = (uint64_t)1 << 39;
  REFUSED(GE_OUT_OF_MEMORY, "'x' DT_FLOAT[137438953472]", GeRun(context, &in, 1, &out, 1));
  assert_non_null(strstr(GeLastErrorMessage(), "549755813888 bytes"));
  assert_non_null(strstr(GeLastErrorMessage(), "bytes are available"));
  /* The context works as before. */
  const int64_t four[] = {4};
  in.dims = in.origin_dims = four;
  in.size = sizeof few;
  memset(&out, 0, sizeof out);
  OK(GeRun(context, &in, 1, &out, 1));
  assert_int_equal(out.size, sizeof few);
  const float want[] = {0, 2, 0, 4};
  assert_memory_equal(out.data, want, sizeof want);
  GeRunContextDestroy(context);
  GeModelDestroy(model);
}

static void TensorBeyondMemory(void **state) {
  (void)state;
  const int64_t many[] = {(int64_t)1 << 37}, absurd[] = {(int64_t)1 << 50}, endless[] = {(int64_t)1 << 62, 8},
                negative[] = {2, -3};
  GeTensor *tensor = NULL;
  GeTensorData d = FloatDesc(many, 1);
  REFUSED(GE_OUT_OF_MEMORY, "549755813888 bytes for a tensor", GeTensorCreate(&d, &tensor));
  assert_non_null(strstr(GeLastErrorMessage(), "bytes are available"));
  d = FloatDesc(absurd, 1);
  REFUSED(GE_PARAM_INVALID, "1125899906842624 elements of DT_FLOAT has 4503599627370496 bytes",
          GeTensorCreate(&d, &tensor));
  d = FloatDesc(endless, 2);
  REFUSED(GE_PARAM_INVALID, "more elements than 64 bits can count", GeTensorCreate(&d, &tensor));
  d = FloatDesc(negative, 2);
  REFUSED(GE_PARAM_INVALID, "-3", GeTensorCreate(&d, &tensor));
  assert_null(tensor);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(RunBeyondMemory),
      cmocka_unit_test(TensorBeyondMemory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
