/* The memory of a run, as ge/model.h and ge/data.h tell it: what outputs say before it, how long what they say after it
 * lasts, which addresses buffers may have. Each with a graph that has a plan and with one that is run node by node. */
#include "tests/capi/small_graphs.h"

typedef struct Run {
  GeModel *model;
  GeRunContext *context;
  size_t outputs;
} Run;

static Run Open(int data_dependent) {
  Run run = {ReverseModel(data_dependent, data_dependent ? "islands" : "max_plans", data_dependent ? "0" : "1"), NULL,
             data_dependent ? 2 : 1};
  OK(GeRunContextCreate(run.model, &run.context));
  return run;
}

static void Close(Run *run) {
  GeRunContextDestroy(run->context);
  GeModelDestroy(run->model);
}

static void Fill(float *values, int64_t length) {
  for (int64_t i = 0; i < length; ++i) values[i] = (float)(i + 1);
}

/* The description is that of a float vector of this length, and the content 1, 2 … reversed. */
static void Expect(const GeTensorData *output, int64_t length) {
  assert_int_equal(output->data_type, C_DT_FLOAT);
  assert_int_equal(output->rank, 1);
  assert_int_equal(output->origin_rank, 1);
  assert_int_equal(output->dims[0], length);
  assert_int_equal(output->origin_dims[0], length);
  assert_int_equal(output->size, (uint64_t)length * sizeof(float));
  assert_int_equal(output->reserved, 0);
  for (int64_t i = 0; i < length; ++i) {
    float value;
    memcpy(&value, (const char *)output->data + i * (int64_t)sizeof value, sizeof value);
    if (value != (float)(length - i)) fail_msg("element %d of %d is %g", (int)i, (int)length, (double)value);
  }
}

/* Of an output only data and size are read, size only with data. */
static void OutputsSayDataAndSize(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    const int64_t three = 3;
    float in[3], out[8];
    Fill(in, 3);
    GeTensorData input = Floats(in, &three), outputs[2];
    memset(outputs, 0xa5, sizeof outputs);
    outputs[0].data = out;
    outputs[0].size = sizeof out; /* more than is needed: what is needed is told */
    outputs[1].data = NULL;
    OK(GeRun(run.context, &input, 1, outputs, run.outputs));
    Expect(&outputs[0], 3);
    assert_ptr_equal(outputs[0].data, out);
    memset(outputs, 0xa5, sizeof outputs);
    outputs[0].data = outputs[1].data = NULL;
    OK(GeRun(run.context, &input, 1, outputs, run.outputs));
    Expect(&outputs[0], 3);
    assert_non_null(outputs[0].data);
    Close(&run);
  }
}

/* A run that fails leaves the descriptions as they were. */
static void OutputsStayWhereARunFails(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    const int64_t three = 3;
    float in[3], out[3];
    int64_t few[1];
    Fill(in, 3);
    GeTensorData input = Floats(in, &three), outputs[2], before[2];
    memset(outputs, 0xa5, sizeof outputs);
    outputs[0].data = out;
    outputs[0].size = dependent ? sizeof out : sizeof out - 1; /* the last output is too small */
    outputs[1].data = few;
    outputs[1].size = sizeof few;
    memcpy(before, outputs, sizeof before);
    REFUSED(GE_DATA_MISMATCH, dependent ? "has a buffer of 8 bytes" : "has a buffer of 11 bytes",
            GeRun(run.context, &input, 1, outputs, run.outputs));
    assert_memory_equal(before, outputs, sizeof before);
    Close(&run);
  }
}

/* dims and content live until the next call of the context, whatever becomes of the model's handle, of other contexts
 * and of the inputs. */
static void DescriptionsLastUntilTheNextCall(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    int64_t *length = malloc(sizeof *length);
    float *in = malloc(3 * sizeof *in);
    *length = 3;
    Fill(in, 3);
    GeTensorData input = Floats(in, length), outputs[2] = {{0}};
    OK(GeRun(run.context, &input, 1, outputs, run.outputs));
    memset(in, 0, 3 * sizeof *in);
    free(in);
    *length = 99;
    free(length);
    for (int64_t other = 4; other < 24; ++other) { /* the model keeps one plan only */
      float values[24];
      GeTensorData more = Floats(values, &other), theirs[2] = {{0}};
      GeRunContext *context = NULL;
      Fill(values, other);
      OK(GeRunContextCreate(run.model, &context));
      OK(GeRun(context, &more, 1, theirs, run.outputs));
      Expect(&theirs[0], other);
      GeRunContextDestroy(context);
    }
    GeModelDestroy(run.model);
    run.model = NULL;
    Expect(&outputs[0], 3);
    if (dependent) assert_int_equal(outputs[1].dims[0], 3);
    GeRunContextDestroy(run.context);
  }
}

/* Descriptions of GeRunContextPrepare: data null, the size that a buffer needs; open extents where a run decides. */
static void PrepareTellsWhatBuffersNeed(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    const int64_t three = 3;
    GeTensorData input = Floats(NULL, &three), outputs[2];
    memset(outputs, 0xa5, sizeof outputs);
    OK(GeRunContextPrepare(run.context, &input, 1, outputs, run.outputs));
    for (size_t j = 0; j < run.outputs; ++j) assert_null(outputs[j].data);
    if (!dependent) {
      assert_int_equal(outputs[0].dims[0], 3);
      assert_int_equal(outputs[0].size, 12);
    } else {
      assert_int_equal(outputs[1].dims[0], GE_UNKNOWN_DIM);
      assert_int_equal(outputs[1].size, 0);
    }
    Close(&run);
  }
}

/* An array of outputs may be used for run after run: data that points to memory of the context asks for it again. */
static void AnArrayOfOutputsIsUsedAgain(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    float in[64];
    GeTensorData outputs[2] = {{0}};
    Fill(in, 64);
    for (int round = 0; round < 40; ++round) {
      const int64_t length = 1 + (round * 29) % 64;
      GeTensorData input = Floats(in, &length);
      OK(GeRun(run.context, &input, 1, outputs, run.outputs));
      Expect(&outputs[0], length);
      for (int64_t i = 0; dependent && i < length; ++i) assert_int_equal(((const int64_t *)outputs[1].data)[i], i);
    }
    Close(&run);
  }
}

/* An output in memory of the context may be an input of its next run. */
static void AnOutputIsFedBack(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    const int64_t length = 1000;
    float in[1000];
    Fill(in, length);
    GeTensorData outputs[2] = {{0}}, input = Floats(in, &length);
    for (int round = 1; round <= 5; ++round) {
      OK(GeRun(run.context, &input, 1, outputs, run.outputs));
      for (int64_t i = 0; i < length; ++i) {
        const float want = round % 2 ? (float)(length - i) : (float)(i + 1);
        const float got = ((const float *)outputs[0].data)[i];
        if (got != want) fail_msg("round %d, element %d: %g, expected %g", round, (int)i, (double)got, (double)want);
      }
      input = outputs[0];
      outputs[0].data = NULL;
    }
    Close(&run);
  }
}

/* Any address will do, for inputs and for outputs. */
static void BuffersLieAnywhere(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    const int64_t length = 37;
    float values[37];
    Fill(values, length);
    for (size_t offset = 0; offset < 8; ++offset) {
      char *in = malloc(sizeof values + offset), *out = malloc(sizeof values + offset);
      memcpy(in + offset, values, sizeof values);
      GeTensorData input = FloatDesc(&length, 1), outputs[2] = {{0}};
      input.data = in + offset;
      input.size = sizeof values;
      outputs[0].data = out + offset;
      outputs[0].size = sizeof values;
      OK(GeRun(run.context, &input, 1, outputs, run.outputs));
      Expect(&outputs[0], length);
      assert_ptr_equal(outputs[0].data, out + offset);
      free(in);
      free(out);
    }
    Close(&run);
  }
}

/* An output without elements has an address and no bytes. */
static void AnEmptyOutputHasAnAddress(void **state) {
  (void)state;
  for (int dependent = 0; dependent < 2; ++dependent) {
    Run run = Open(dependent);
    const int64_t none = 0;
    GeTensorData input = Floats(NULL, &none), outputs[2] = {{0}};
    OK(GeRun(run.context, &input, 1, outputs, run.outputs));
    for (size_t j = 0; j < run.outputs; ++j) {
      assert_int_equal(outputs[j].size, 0);
      assert_non_null(outputs[j].data);
    }
    Close(&run);
  }
}

/* An input that is handed through as an output lies in memory of the context, too. */
static void AnInputThatIsAnOutputIsCopied(void **state) {
  (void)state;
  GeGraph *graph = NULL;
  const int32_t port = 0;
  OK(GeGraphCreate("through", &graph));
  GeNode *x = AddInput(graph, "x", 0, C_DT_FLOAT);
  OK(GeGraphSetOutputs(graph, &x, &port, 1));
  Run run = {CompileAndDestroy(graph, NULL, NULL), NULL, 1};
  OK(GeRunContextCreate(run.model, &run.context));
  const int64_t three = 3;
  float in[] = {3, 2, 1};
  GeTensorData input = Floats(in, &three), output = {0};
  OK(GeRun(run.context, &input, 1, &output, 1));
  memset(in, 0, sizeof in);
  Expect(&output, 3);
  Close(&run);
}

/* An input that the graph changes: wherever it lies, it is changed there; memory that the context lent cannot be it. */
static void ChangedInputsLieAnywhere(void **state) {
  (void)state;
  GeGraph *graph = NULL;
  const int32_t port = 0;
  const int64_t three = 3;
  OK(GeGraphCreate("add to", &graph));
  GeNode *x = AddOp(graph, "RefData", "x"), *v = AddInput(graph, "v", 1, C_DT_FLOAT);
  GeNode *sum = AddOp(graph, "AssignAdd", "sum");
  const GeAttrData index = {.name = "index", .type = C_VT_INT, .i = 0};
  const GeTensorData desc = FloatDesc(&three, 1);
  OK(GeNodeSetAttr(x, &index));
  OK(GeNodeSetOutputDesc(x, 0, &desc));
  OK(GeNodeSetOutputDesc(v, 0, &desc));
  OK(GeGraphAddDataEdge(graph, x, 0, sum, 0));
  OK(GeGraphAddDataEdge(graph, v, 0, sum, 1));
  OK(GeGraphSetOutputs(graph, &sum, &port, 1));
  Run run = {CompileAndDestroy(graph, NULL, NULL), NULL, 1};
  OK(GeRunContextCreate(run.model, &run.context));
  float add[] = {1, 2, 3};
  char memory[sizeof add + 8];
  for (size_t offset = 0; offset < 8; ++offset) {
    const float zeros[3] = {0}, twice[] = {2, 4, 6};
    memcpy(memory + offset, zeros, sizeof zeros);
    for (int round = 0; round < 2; ++round) {
      GeTensorData inputs[] = {desc, Floats(add, &three)}, output = {0};
      inputs[0].data = memory + offset;
      inputs[0].size = sizeof add;
      OK(GeRun(run.context, inputs, 2, &output, 1));
      assert_memory_equal(output.data, memory + offset, sizeof add);
    }
    assert_memory_equal(memory + offset, twice, sizeof twice);
  }
  Close(&run);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(OutputsSayDataAndSize),
      cmocka_unit_test(OutputsStayWhereARunFails),
      cmocka_unit_test(DescriptionsLastUntilTheNextCall),
      cmocka_unit_test(PrepareTellsWhatBuffersNeed),
      cmocka_unit_test(AnArrayOfOutputsIsUsedAgain),
      cmocka_unit_test(AnOutputIsFedBack),
      cmocka_unit_test(BuffersLieAnywhere),
      cmocka_unit_test(AnEmptyOutputHasAnAddress),
      cmocka_unit_test(AnInputThatIsAnOutputIsCopied),
      cmocka_unit_test(ChangedInputsLieAnywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
