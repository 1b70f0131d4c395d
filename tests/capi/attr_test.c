#include "helpers.h"

static const int64_t kInts[] = {1, -2, INT64_MAX}, kRow0[] = {1, 2}, kRow2[] = {3};
static const float kFloats[] = {0.5f, -0.0f, 3e38f}, kFloatRow[] = {1.5f};
static const uint8_t kBools[] = {1, 0, 7}, kRaw[] = {0, 255, 3};
static const int32_t kTypes[] = {C_DT_FLOAT, C_DT_BF16};
static const char *const kTexts[] = {"a", "", "a longer text that does not fit into the string object itself"};
static const int64_t *const kRows[] = {kRow0, NULL, kRow2};
static const float *const kFloatRows[] = {kFloatRow};
static const int64_t kRowCounts[] = {2, 0, 1}, kFloatCounts[] = {1};
static const float kValues[] = {1, 2};
static const int64_t kDims[] = {2};
static const GeTensorData kTensor = {.data_type = C_DT_FLOAT,
                                     .format = C_FORMAT_ND,
                                     .origin_format = C_FORMAT_ND,
                                     .rank = 1,
                                     .origin_rank = 1,
                                     .dims = kDims,
                                     .origin_dims = kDims,
                                     .data = (void *)kValues,
                                     .size = 8};
static const GeTensorData *const kTensors[] = {&kTensor, &kTensor};

static const GeAttrData kEvery[] = {
    {.name = "int", .type = C_VT_INT, .i = INT64_MIN},
    {.name = "bool", .type = C_VT_BOOL, .i = 1},
    {.name = "type", .type = C_VT_DATA_TYPE, .i = C_DT_INT8},
    {.name = "float", .type = C_VT_FLOAT, .f = 0.25},
    {.name = "string", .type = C_VT_STRING, .s = "text", .count = 4},
    {.name = "bytes", .type = C_VT_BYTES, .list = kRaw, .count = 3},
    {.name = "tensor", .type = C_VT_TENSOR, .tensor = &kTensor},
    {.name = "ints", .type = C_VT_LIST_INT, .list = kInts, .count = 3},
    {.name = "floats", .type = C_VT_LIST_FLOAT, .list = kFloats, .count = 3},
    {.name = "bools", .type = C_VT_LIST_BOOL, .list = kBools, .count = 3},
    {.name = "types", .type = C_VT_LIST_DATA_TYPE, .list = kTypes, .count = 2},
    {.name = "strings", .type = C_VT_LIST_STRING, .list = kTexts, .count = 3},
    {.name = "tensors", .type = C_VT_LIST_TENSOR, .list = kTensors, .count = 2},
    {.name = "int_lists", .type = C_VT_LIST_LIST_INT, .list = kRows, .count = 3, .inner_counts = kRowCounts},
    {.name = "float_lists", .type = C_VT_LIST_LIST_FLOAT, .list = kFloatRows, .count = 1, .inner_counts = kFloatCounts},
    {.name = "empty", .type = C_VT_LIST_INT},
    {.name = "no_texts", .type = C_VT_LIST_STRING},
};
enum { kCount = sizeof kEvery / sizeof kEvery[0] };

static void CheckTensor(const GeTensorData *t) {
  assert_non_null(t);
  assert_int_equal(t->rank, 1);
  assert_int_equal(t->dims[0], 2);
  assert_int_equal(t->size, 8);
  assert_memory_equal(t->data, kValues, 8);
}

static void Check(const GeAttrData *want, const GeAttrData *got) {
  assert_string_equal(want->name, got->name);
  assert_int_equal(want->type, got->type);
  switch (want->type) {
    case C_VT_INT:
    case C_VT_BOOL:
    case C_VT_DATA_TYPE:
      assert_true(want->i == got->i);
      break;
    case C_VT_FLOAT:
      assert_true(want->f == got->f);
      break;
    case C_VT_STRING:
      assert_string_equal(want->s, got->s);
      assert_int_equal(got->count, strlen(want->s));
      break;
    case C_VT_TENSOR:
      CheckTensor(got->tensor);
      break;
    default:
      assert_int_equal(want->count, got->count);
      break;
  }
  for (uint64_t i = 0; i < want->count; ++i) {
    switch (want->type) {
      case C_VT_BYTES:
        assert_int_equal(((const uint8_t *)got->list)[i], kRaw[i]);
        break;
      case C_VT_LIST_INT:
        assert_true(((const int64_t *)got->list)[i] == kInts[i]);
        break;
      case C_VT_LIST_FLOAT:
        assert_memory_equal((const float *)got->list + i, kFloats + i, 4);
        break;
      case C_VT_LIST_BOOL:
        assert_int_equal(((const uint8_t *)got->list)[i], kBools[i] != 0);
        break;
      case C_VT_LIST_DATA_TYPE:
        assert_int_equal(((const int32_t *)got->list)[i], kTypes[i]);
        break;
      case C_VT_LIST_STRING:
        assert_string_equal(((const char *const *)got->list)[i], kTexts[i]);
        break;
      case C_VT_LIST_TENSOR:
        CheckTensor(((const GeTensorData *const *)got->list)[i]);
        break;
      case C_VT_LIST_LIST_INT:
        assert_int_equal(got->inner_counts[i], kRowCounts[i]);
        for (int64_t k = 0; k < kRowCounts[i]; ++k)
          assert_true(((const int64_t *const *)got->list)[i][k] == kRows[i][k]);
        break;
      case C_VT_LIST_LIST_FLOAT:
        assert_int_equal(got->inner_counts[i], 1);
        assert_true(((const float *const *)got->list)[i][0] == 1.5f);
        break;
      default:
        break;
    }
  }
}

typedef struct Fixture {
  GeGraph *graph;
  GeNode *node;
} Fixture;

static Fixture Make(void) {
  Fixture f = {0};
  OK(GeGraphCreate("g", &f.graph));
  f.node = AddNode(f.graph, &kTestMix, "mix", 1, 1);
  return f;
}

static void EveryTypeRoundTrips(void **state) {
  (void)state;
  Fixture f = Make();
  GeAttrData got;
  for (int i = 0; i < kCount; ++i) {
    OK(GeNodeSetAttr(f.node, &kEvery[i]));
    OK(GeGraphSetAttr(f.graph, &kEvery[i]));
    OK(GeNodeSetInputAttr(f.node, 1, &kEvery[i]));
    OK(GeNodeSetOutputAttr(f.node, 1, &kEvery[i]));
  }
  for (int i = 0; i < kCount; ++i) {
    OK(GeNodeGetAttr(f.node, kEvery[i].name, &got));
    Check(&kEvery[i], &got);
    OK(GeGraphGetAttr(f.graph, kEvery[i].name, &got));
    Check(&kEvery[i], &got);
    OK(GeNodeGetInputAttr(f.node, 1, kEvery[i].name, &got));
    Check(&kEvery[i], &got);
    OK(GeNodeGetOutputAttr(f.node, 1, kEvery[i].name, &got));
    Check(&kEvery[i], &got);
  }
  assert_int_equal(GeNodeAttrCount(f.node), kCount);
  for (size_t i = 0; i < kCount; ++i) {
    GeAttrData before;
    OK(GeNodeGetAttrAt(f.node, i, &got));
    if (i > 0) {
      OK(GeNodeGetAttrAt(f.node, i - 1, &before));
      assert_true(strcmp(before.name, got.name) < 0);
    }
  }
  GeGraphDestroy(f.graph);
}

static void ViewsStayUntilAChange(void **state) {
  (void)state;
  Fixture f = Make();
  for (int i = 0; i < kCount; ++i) OK(GeNodeSetAttr(f.node, &kEvery[i]));
  GeAttrData first[kCount], again;
  for (int i = 0; i < kCount; ++i) OK(GeNodeGetAttr(f.node, kEvery[i].name, &first[i]));
  for (int i = 0; i < kCount; ++i) {
    OK(GeNodeGetAttr(f.node, kEvery[i].name, &again));
    assert_ptr_equal(again.list, first[i].list);
    assert_ptr_equal(again.tensor, first[i].tensor);
    Check(&kEvery[i], &first[i]);
  }
  /* A new value shows, whatever was handed out before. */
  const char *const other[] = {"x", "y"};
  GeAttrData texts = {.name = "strings", .type = C_VT_LIST_STRING, .list = other, .count = 2};
  OK(GeNodeSetAttr(f.node, &texts));
  OK(GeNodeGetAttr(f.node, "strings", &again));
  assert_int_equal(again.count, 2);
  assert_string_equal(((const char *const *)again.list)[1], "y");
  GeGraphDestroy(f.graph);
}

static void DefaultsAreNotSet(void **state) {
  (void)state;
  Fixture f = Make();
  GeAttrData got;
  REFUSED(GE_NOT_FOUND, "'scale' set: its prototype's default holds", GeNodeGetAttr(f.node, "scale", &got));
  REFUSED(GE_NOT_FOUND, "'mode'", GeNodeGetAttr(f.node, "mode", &got));
  assert_int_equal(got.type, C_VT_NONE);
  assert_int_equal(GeNodeAttrCount(f.node), 0);
  REFUSED(GE_NOT_FOUND, "'need'", GeNodeGetAttr(f.node, "need", &got));
  GeAttrData scale = {.name = "scale", .type = C_VT_FLOAT, .f = 2};
  OK(GeNodeSetAttr(f.node, &scale));
  OK(GeNodeGetAttr(f.node, "scale", &got));
  assert_true(got.f == 2);
  OK(GeNodeRemoveAttr(f.node, "scale"));
  REFUSED(GE_NOT_FOUND, "'scale'", GeNodeGetAttr(f.node, "scale", &got));
  REFUSED(GE_NOT_FOUND, "'scale' is not set", GeNodeRemoveAttr(f.node, "scale"));
  GeGraphDestroy(f.graph);
}

static void Refusals(void **state) {
  (void)state;
  Fixture f = Make();
  GeAttrData got, bad = {.name = "k", .type = 77};
  REFUSED(GE_PARAM_INVALID, "'k': attribute type 77", GeNodeSetAttr(f.node, &bad));
  bad.type = C_VT_STRING;
  REFUSED(GE_PARAM_INVALID, "text is null", GeNodeSetAttr(f.node, &bad));
  bad = (GeAttrData){.name = "k", .type = C_VT_DATA_TYPE, .i = 9999};
  REFUSED(GE_PARAM_INVALID, "'k': attribute value 9999 is no data type", GeNodeSetAttr(f.node, &bad));
  bad.i = (int64_t)C_DT_INT8 + (INT64_C(1) << 32);
  REFUSED(GE_PARAM_INVALID, "'k': attribute value 4294967298 is no data type", GeNodeSetAttr(f.node, &bad));
  const int32_t types[] = {C_DT_INT8, 9999};
  bad = (GeAttrData){.name = "k", .type = C_VT_LIST_DATA_TYPE, .list = types, .count = 2};
  REFUSED(GE_PARAM_INVALID, "'k': attribute value 9999 is no data type", GeNodeSetAttr(f.node, &bad));
  bad = (GeAttrData){.name = "k", .type = C_VT_LIST_INT, .count = 2};
  REFUSED(GE_PARAM_INVALID, "2 values is null", GeNodeSetAttr(f.node, &bad));
  bad.count = (uint64_t)-1;
  bad.list = kInts;
  REFUSED(GE_PARAM_INVALID, "attribute list has -1 values, expected 0 to ", GeNodeSetAttr(f.node, &bad));
  const char *const holes[] = {"a", NULL};
  bad = (GeAttrData){.name = "k", .type = C_VT_LIST_STRING, .list = holes, .count = 2};
  REFUSED(GE_PARAM_INVALID, "text 1", GeNodeSetAttr(f.node, &bad));
  bad = (GeAttrData){.name = "k", .type = C_VT_LIST_LIST_INT, .list = kRows, .count = 3};
  REFUSED(GE_PARAM_INVALID, "inner counts", GeNodeSetAttr(f.node, &bad));
  const int64_t minus[] = {-1, 0, 0};
  bad.inner_counts = minus;
  REFUSED(GE_PARAM_INVALID, "row 0", GeNodeSetAttr(f.node, &bad));
  GeTensorData wrong = kTensor;
  wrong.size = 7;
  bad = (GeAttrData){.name = "k", .type = C_VT_TENSOR, .tensor = &wrong};
  REFUSED(GE_PARAM_INVALID, "7 bytes", GeNodeSetAttr(f.node, &bad));
  const GeTensorData *const gap[] = {NULL};
  bad = (GeAttrData){.name = "k", .type = C_VT_LIST_TENSOR, .list = gap, .count = 1};
  REFUSED(GE_PARAM_INVALID, "tensor 0", GeNodeSetAttr(f.node, &bad));
  bad = (GeAttrData){.type = C_VT_INT};
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeSetAttr(f.node, &bad));
  assert_int_equal(GeNodeAttrCount(f.node), 0);

  const GeAttrData *good = &kEvery[0];
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeSetAttr(NULL, good));
  REFUSED(GE_PARAM_INVALID, "value is null", GeNodeSetAttr(f.node, NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphSetAttr(NULL, good));
  REFUSED(GE_PARAM_INVALID, "value is null", GeGraphSetAttr(f.graph, NULL));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeSetInputAttr(NULL, 0, good));
  REFUSED(GE_PARAM_INVALID, "value is null", GeNodeSetInputAttr(f.node, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "port 9", GeNodeSetInputAttr(f.node, 9, good));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeSetOutputAttr(NULL, 0, good));
  REFUSED(GE_PARAM_INVALID, "value is null", GeNodeSetOutputAttr(f.node, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "port -1", GeNodeSetOutputAttr(f.node, -1, good));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetAttr(NULL, "k", &got));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeGetAttr(f.node, NULL, &got));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetAttr(f.node, "k", NULL));
  REFUSED(GE_NOT_FOUND, "'k'", GeNodeGetAttr(f.node, "k", &got));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphGetAttr(NULL, "k", &got));
  REFUSED(GE_PARAM_INVALID, "name is null", GeGraphGetAttr(f.graph, NULL, &got));
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphGetAttr(f.graph, "k", NULL));
  REFUSED(GE_NOT_FOUND, "'k'", GeGraphGetAttr(f.graph, "k", &got));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetInputAttr(NULL, 0, "k", &got));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeGetInputAttr(f.node, 0, NULL, &got));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetInputAttr(f.node, 0, "k", NULL));
  REFUSED(GE_NOT_FOUND, "'k'", GeNodeGetInputAttr(f.node, 0, "k", &got));
  REFUSED(GE_PARAM_INVALID, "port 9", GeNodeGetInputAttr(f.node, 9, "k", &got));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetOutputAttr(NULL, 0, "k", &got));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeGetOutputAttr(f.node, 0, NULL, &got));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetOutputAttr(f.node, 0, "k", NULL));
  REFUSED(GE_NOT_FOUND, "'k'", GeNodeGetOutputAttr(f.node, 0, "k", &got));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetAttrAt(NULL, 0, &got));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetAttrAt(f.node, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "index 0", GeNodeGetAttrAt(f.node, 0, &got));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeRemoveAttr(NULL, "k"));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeRemoveAttr(f.node, NULL));
  assert_int_equal(GeNodeAttrCount(NULL), 0);
  GeTensor *tensor = NULL;
  REFUSED(GE_NOT_FOUND, "'k'", GeNodeRetainAttrTensor(f.node, "k", &tensor));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeRetainAttrTensor(NULL, "k", &tensor));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeRetainAttrTensor(f.node, NULL, &tensor));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeRetainAttrTensor(f.node, "k", NULL));
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeNodeSetAttrTensor(f.node, "k", NULL));
  OK(GeTensorCreateEmpty(&tensor));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeSetAttrTensor(NULL, "k", tensor));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeSetAttrTensor(f.node, NULL, tensor));
  GeTensorDestroy(tensor);
  GeGraphDestroy(f.graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(EveryTypeRoundTrips),
      cmocka_unit_test(ViewsStayUntilAChange),
      cmocka_unit_test(DefaultsAreNotSet),
      cmocka_unit_test(Refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
