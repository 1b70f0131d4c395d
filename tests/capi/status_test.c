#include "helpers.h"

#include <pthread.h>

#include "ge/version.h"

static void NamesOfCodes(void **state) {
  (void)state;
  assert_string_equal(GeStatusName(GE_SUCCESS), "GE_SUCCESS");
  assert_string_equal(GeStatusName(GE_MODEL_INVALID), "GE_MODEL_INVALID");
  assert_string_equal(GeStatusName(12345), "unknown status");
}

static void LastErrorIsKept(void **state) {
  (void)state;
  GeClearLastError();
  assert_int_equal(GeLastErrorCode(), GE_SUCCESS);
  assert_string_equal(GeLastErrorMessage(), "");
  assert_int_equal(GeSetLastError(GE_BAD_STATE, "first things first"), GE_BAD_STATE);
  assert_int_equal(GeLastErrorCode(), GE_BAD_STATE);
  assert_string_equal(GeLastErrorMessage(), "first things first");
  assert_int_equal(GeLastErrorContextCount(), 0);
  assert_null(GeLastErrorContext(0));
  /* A call that succeeds leaves it alone. */
  GeGraph *graph = NULL;
  OK(GeGraphCreate("g", &graph));
  assert_string_equal(GeLastErrorMessage(), "first things first");
  GeGraphDestroy(graph);
  assert_int_equal(GeSetLastError(GE_FAILED, NULL), GE_FAILED);
  assert_string_equal(GeLastErrorMessage(), "");
  assert_int_equal(GeSetLastError(GE_SUCCESS, "no error"), GE_SUCCESS);
  assert_int_equal(GeLastErrorCode(), GE_SUCCESS);
}

static void *OtherThread(void *arg) {
  *(GeStatus *)arg = GeLastErrorCode();
  GeSetLastError(GE_NOT_FOUND, "of the other thread");
  return NULL;
}

static void LastErrorBelongsToTheThread(void **state) {
  (void)state;
  GeSetLastError(GE_BAD_STATE, "mine");
  GeStatus seen = GE_FAILED;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, OtherThread, &seen), 0);
  pthread_join(thread, NULL);
  assert_int_equal(seen, GE_SUCCESS);
  assert_string_equal(GeLastErrorMessage(), "mine");
}

typedef struct Lines {
  int count;
  int32_t level;
  char text[256];
} Lines;

static void Collect(void *user, int32_t level, const char *message) {
  Lines *lines = user;
  lines->count++;
  lines->level = level;
  snprintf(lines->text, sizeof lines->text, "%s", message);
}

static void FailuresOfBuildersAreLogged(void **state) {
  (void)state;
  Lines lines = {0};
  GeSetLogCallback(Collect, &lines, GE_LOG_ERROR);
  assert_null(EsCreateGraphInput(NULL, 0));
  assert_int_equal(lines.count, 1);
  assert_int_equal(lines.level, GE_LOG_ERROR);
  assert_non_null(strstr(lines.text, "graph is null"));
  GeSetLogCallback(Collect, &lines, GE_LOG_OFF);
  assert_null(EsCreateGraphInput(NULL, 0));
  assert_int_equal(lines.count, 1);
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
}

static void Versions(void **state) {
  (void)state;
  assert_string_equal(GeVersionString(), GE_VERSION_STRING);
  assert_int_equal(GeAbiVersion(), GE_ABI_VERSION);
}

static void DataTypesAndFormats(void **state) {
  (void)state;
  assert_int_equal(GeDataTypeBits(C_DT_FLOAT), 32);
  assert_int_equal(GeDataTypeBits(C_DT_INT4), 4);
  assert_int_equal(GeDataTypeBits(C_DT_COMPLEX128), 128);
  assert_int_equal(GeDataTypeBits(C_DT_STRING), 0);
  assert_int_equal(GeDataTypeBits(5), 0);
  assert_int_equal(GeDataTypeBits(-1), 0);
  assert_int_equal(GeDataTypeBits(C_DT_MAX), 0);
  assert_string_equal(GeDataTypeName(C_DT_BF16), "DT_BF16");
  assert_string_equal(GeDataTypeName(5), "UNKNOWN");
  assert_string_equal(GeFormatName(C_FORMAT_NC1HWC0), "NC1HWC0");
  assert_string_equal(GeFormatName(C_FORMAT_C1HWNCoC0), "C1HWNCoC0");
  assert_string_equal(GeFormatName(C_FORMAT_END), "UNKNOWN");
  for (int32_t t = 0; t < C_DT_MAX; ++t) {
    if (t != 5) assert_int_equal(GeDataTypeFromName(GeDataTypeName(t)), t);
  }
  for (int32_t f = 0; f < C_FORMAT_END; ++f) assert_int_equal(GeFormatFromName(GeFormatName(f)), f);
  assert_int_equal(GeDataTypeFromName("FLOAT"), C_DT_UNDEFINED);
  assert_int_equal(GeDataTypeFromName(NULL), C_DT_UNDEFINED);
  assert_int_equal(GeFormatFromName("nchw"), C_FORMAT_RESERVED);
  assert_int_equal(GeFormatFromName(NULL), C_FORMAT_RESERVED);
}

static GeStatus NoInference(const GeInferContext *ctx) {
  (void)ctx;
  return GE_SUCCESS;
}

static GeStatus OtherInference(const GeInferContext *ctx) {
  (void)ctx;
  return GE_SUCCESS;
}

static void Prototypes(void **state) {
  (void)state;
  GeOpSchema schema = kTestMix;
  schema.type = "TestRegistered";
  size_t before = GeOpCount();
  OK(GeOpRegister(&schema, NoInference));
  OK(GeOpRegister(&schema, NULL));
  assert_int_equal(GeOpCount(), before + 1);
  const GeOpSchema *found = NULL;
  OK(GeOpFind("TestRegistered", &found));
  assert_true(found != &schema);
  assert_int_equal(found->input_count, 3);
  assert_string_equal(found->inputs[1].name, "v");
  assert_int_equal(found->inputs[1].kind, GE_IR_DYNAMIC);
  assert_int_equal(found->attr_count, 3);
  assert_int_equal(found->attrs[0].required, 1);
  assert_string_equal(found->attrs[2].value.s, "fast");
  int seen = 0;
  for (size_t i = 0; i < GeOpCount(); ++i) {
    seen += strcmp(GeOpAt(i)->type, "TestRegistered") == 0;
    if (i > 0) assert_true(strcmp(GeOpAt(i - 1)->type, GeOpAt(i)->type) < 0);
  }
  assert_int_equal(seen, 1);
  assert_null(GeOpAt(GeOpCount()));

  GeOpSchema other = schema;
  other.input_count = 2;
  REFUSED(GE_PARAM_INVALID, "different prototype", GeOpRegister(&other, NULL));
  REFUSED(GE_PARAM_INVALID, "inference function", GeOpRegister(&schema, OtherInference));
  REFUSED(GE_PARAM_INVALID, "schema is null", GeOpRegister(NULL, NULL));
  other = schema;
  other.struct_size = 8;
  REFUSED(GE_ABI_MISMATCH, "8", GeOpRegister(&other, NULL));
  other = schema;
  other.type = NULL;
  REFUSED(GE_PARAM_INVALID, "operator type", GeOpRegister(&other, NULL));
  other = schema;
  other.type = "TestBroken";
  other.inputs = NULL;
  REFUSED(GE_PARAM_INVALID, "inputs is null", GeOpRegister(&other, NULL));
  REFUSED(GE_NOT_FOUND, "TestRegistered", GeOpFind("TestRegisterd", &found));
  assert_null(found);
  REFUSED(GE_PARAM_INVALID, "type is null", GeOpFind(NULL, &found));
  REFUSED(GE_PARAM_INVALID, "out is null", GeOpFind("Add", NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(NamesOfCodes),
      cmocka_unit_test(LastErrorIsKept),
      cmocka_unit_test(LastErrorBelongsToTheThread),
      cmocka_unit_test(FailuresOfBuildersAreLogged),
      cmocka_unit_test(Versions),
      cmocka_unit_test(DataTypesAndFormats),
      cmocka_unit_test(Prototypes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
