#include "helpers.h"

#include <unistd.h>

static const int64_t kDims[] = {2, 3};
static const float kValues[] = {1, 2, 3, 4, 5, 6};

static GeTensorData Filled(void) {
  GeTensorData d = FloatDesc(kDims, 2);
  d.data = (void *)kValues;
  d.size = sizeof kValues;
  return d;
}

static void CreateCopies(void **state) {
  (void)state;
  float values[6];
  memcpy(values, kValues, sizeof values);
  GeTensorData desc = Filled();
  desc.data = values;
  GeTensor *tensor = NULL;
  OK(GeTensorCreate(&desc, &tensor));
  values[0] = 99;
  GeTensorData got;
  OK(GeTensorGetData(tensor, &got));
  assert_true(got.data != values);
  assert_memory_equal(got.data, kValues, sizeof kValues);
  assert_int_equal(got.size, sizeof kValues);
  assert_int_equal(got.rank, 2);
  assert_int_equal(got.dims[1], 3);
  assert_int_equal(got.origin_dims[0], 2);
  GeTensorDestroy(tensor);
}

static void CreateWithoutDataIsZero(void **state) {
  (void)state;
  GeTensorData desc = FloatDesc(kDims, 2);
  GeTensor *tensor = NULL;
  OK(GeTensorCreate(&desc, &tensor));
  GeTensorData got;
  OK(GeTensorGetData(tensor, &got));
  for (int i = 0; i < 6; ++i) assert_true(((float *)got.data)[i] == 0.0f);
  assert_int_equal((uintptr_t)got.data % 64, 0);
  GeTensorDestroy(tensor);
}

static void ScalarsAndEmptyTensors(void **state) {
  (void)state;
  GeTensorData desc = FloatDesc(NULL, 0);
  GeTensor *tensor = NULL;
  OK(GeTensorCreate(&desc, &tensor));
  GeTensorData got;
  OK(GeTensorGetData(tensor, &got));
  assert_int_equal(got.size, 4);
  GeTensorDestroy(tensor);
  int64_t none[] = {1000000, 0, 1000000};
  desc = FloatDesc(none, 3);
  OK(GeTensorCreate(&desc, &tensor));
  OK(GeTensorGetData(tensor, &got));
  assert_int_equal(got.size, 0);
  GeTensorDestroy(tensor);
  int64_t five[] = {5};
  desc = FloatDesc(five, 1);
  desc.data_type = C_DT_INT4;
  OK(GeTensorCreate(&desc, &tensor));
  OK(GeTensorGetData(tensor, &got));
  assert_int_equal(got.size, 3);
  GeTensorDestroy(tensor);
}

static void CreateRefuses(void **state) {
  (void)state;
  GeTensor *tensor = (GeTensor *)&tensor;
  GeTensorData desc = Filled();
  REFUSED(GE_PARAM_INVALID, "desc is null", GeTensorCreate(NULL, &tensor));
  assert_null(tensor);
  REFUSED(GE_PARAM_INVALID, "out is null", GeTensorCreate(&desc, NULL));
  desc.size = 23;
  REFUSED(GE_PARAM_INVALID, "23 bytes", GeTensorCreate(&desc, &tensor));
  desc = Filled();
  desc.data_type = 5;
  REFUSED(GE_PARAM_INVALID, "data type 5", GeTensorCreate(&desc, &tensor));
  desc = Filled();
  desc.data_type = C_DT_STRING;
  REFUSED(GE_PARAM_INVALID, "no fixed size", GeTensorCreate(&desc, &tensor));
  desc = Filled();
  desc.format = 99;
  REFUSED(GE_PARAM_INVALID, "format 99", GeTensorCreate(&desc, &tensor));
  desc = Filled();
  desc.rank = 17;
  REFUSED(GE_PARAM_INVALID, "17", GeTensorCreate(&desc, &tensor));
  desc = Filled();
  desc.dims = NULL;
  REFUSED(GE_PARAM_INVALID, "dims are null", GeTensorCreate(&desc, &tensor));
  int64_t bad[] = {2, -3}, unknown[] = {2, -1}, huge[] = {INT64_MAX, 3}, large[] = {1 << 20, 1 << 20, 4};
  desc = FloatDesc(bad, 2);
  REFUSED(GE_PARAM_INVALID, "-3", GeTensorCreate(&desc, &tensor));
  desc = FloatDesc(unknown, 2);
  REFUSED(GE_PARAM_INVALID, "unknown", GeTensorCreate(&desc, &tensor));
  desc = FloatDesc(huge, 2);
  REFUSED(GE_PARAM_INVALID, "64 bits", GeTensorCreate(&desc, &tensor));
  desc = FloatDesc(large, 3);
  REFUSED(GE_PARAM_INVALID, "exceeds the limit", GeTensorCreate(&desc, &tensor));
  assert_null(tensor);
}

static int released;
static void Release(void *user) {
  assert_ptr_equal(user, kValues);
  ++released;
}

static void BorrowedIsReleasedOnce(void **state) {
  (void)state;
  released = 0;
  GeTensorData desc = Filled();
  GeTensor *tensor = NULL, *second = NULL;
  OK(GeTensorCreateBorrowed(&desc, Release, (void *)kValues, &tensor));
  GeTensorData got;
  OK(GeTensorGetData(tensor, &got));
  assert_ptr_equal(got.data, kValues);
  OK(GeTensorRetain(tensor, &second));
  GeTensorDestroy(tensor);
  assert_int_equal(released, 0);
  GeTensorDestroy(second);
  assert_int_equal(released, 1);

  REFUSED(GE_PARAM_INVALID, "desc is null", GeTensorCreateBorrowed(NULL, Release, NULL, &tensor));
  REFUSED(GE_PARAM_INVALID, "out is null", GeTensorCreateBorrowed(&desc, Release, NULL, NULL));
  desc.data = NULL;
  REFUSED(GE_PARAM_INVALID, "data is null", GeTensorCreateBorrowed(&desc, Release, NULL, &tensor));
  desc = Filled();
  desc.size = 1;
  REFUSED(GE_PARAM_INVALID, "1 bytes", GeTensorCreateBorrowed(&desc, Release, NULL, &tensor));
  assert_int_equal(released, 1);
}

static void Files(void **state) {
  (void)state;
  char path[] = "/tmp/ge_tensor_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, kValues, sizeof kValues), sizeof kValues);
  assert_int_equal(write(fd, "more", 4), 4);
  close(fd);
  GeTensorData desc = FloatDesc(kDims, 2), got;
  GeTensor *tensor = NULL;
  OK(GeTensorCreateFromFile(path, &desc, &tensor));
  OK(GeTensorGetData(tensor, &got));
  assert_memory_equal(got.data, kValues, sizeof kValues);
  GeTensorDestroy(tensor);
  int64_t more[] = {8};
  desc = FloatDesc(more, 1);
  REFUSED(GE_PATH_INVALID, "has 28 bytes, the tensor needs 32", GeTensorCreateFromFile(path, &desc, &tensor));
  assert_null(tensor);
  assert_int_equal(truncate(path, 0), 0);
  int64_t zero[] = {0};
  desc = FloatDesc(zero, 1);
  REFUSED(GE_PATH_INVALID, "empty", GeTensorCreateFromFile(path, &desc, &tensor));
  unlink(path);
  REFUSED(GE_PATH_INVALID, path, GeTensorCreateFromFile(path, &desc, &tensor));
  REFUSED(GE_PARAM_INVALID, "path is null", GeTensorCreateFromFile(NULL, &desc, &tensor));
  REFUSED(GE_PARAM_INVALID, "desc is null", GeTensorCreateFromFile(path, NULL, &tensor));
  REFUSED(GE_PARAM_INVALID, "out is null", GeTensorCreateFromFile(path, &desc, NULL));
}

static void CloneIsIndependent(void **state) {
  (void)state;
  GeTensorData desc = Filled(), a, b;
  GeTensor *tensor = NULL, *copy = NULL;
  OK(GeTensorCreate(&desc, &tensor));
  OK(GeTensorClone(tensor, &copy));
  OK(GeTensorGetData(tensor, &a));
  OK(GeTensorGetData(copy, &b));
  assert_true(a.data != b.data);
  ((float *)a.data)[0] = 7;
  assert_true(((float *)b.data)[0] == 1);
  GeTensorDestroy(copy);
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeTensorClone(NULL, &copy));
  REFUSED(GE_PARAM_INVALID, "out is null", GeTensorClone(tensor, NULL));
  assert_null(copy);
  OK(GeTensorClone(tensor, &copy));
  GeTensorDestroy(copy);
  GeTensorDestroy(tensor);
}

static void Relabel(void **state) {
  (void)state;
  GeTensorData desc = Filled(), got;
  GeTensor *tensor = NULL;
  OK(GeTensorCreate(&desc, &tensor));
  int64_t six[] = {6}, five[] = {5};
  GeTensorData flat = FloatDesc(six, 1);
  flat.data_type = C_DT_INT32;
  OK(GeTensorSetDesc(tensor, &flat));
  OK(GeTensorGetData(tensor, &got));
  assert_int_equal(got.data_type, C_DT_INT32);
  assert_int_equal(got.rank, 1);
  flat = FloatDesc(five, 1);
  REFUSED(GE_PARAM_INVALID, "20 bytes", GeTensorSetDesc(tensor, &flat));
  REFUSED(GE_PARAM_INVALID, "desc is null", GeTensorSetDesc(tensor, NULL));
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeTensorSetDesc(NULL, &flat));
  GeTensorDestroy(tensor);
}

static void EmptyAndBytes(void **state) {
  (void)state;
  GeTensor *tensor = NULL, *taken = NULL;
  OK(GeTensorCreateEmpty(&tensor));
  GeTensorData got, desc = FloatDesc(kDims, 2);
  OK(GeTensorGetData(tensor, &got));
  assert_null(got.data);
  assert_int_equal(got.size, 0);
  OK(GeTensorSetDesc(tensor, &desc));
  OK(GeTensorSetBytes(tensor, kValues, sizeof kValues));
  OK(GeTensorGetData(tensor, &got));
  assert_memory_equal(got.data, kValues, sizeof kValues);
  OK(GeTensorCreateMoved(tensor, &taken));
  OK(GeTensorGetData(tensor, &got));
  assert_null(got.data);
  OK(GeTensorGetData(taken, &got));
  assert_memory_equal(got.data, kValues, sizeof kValues);
  GeTensorDestroy(taken);
  released = 0;
  OK(GeTensorSetBorrowedBytes(tensor, (void *)kValues, 8, Release, (void *)kValues));
  OK(GeTensorGetData(tensor, &got));
  assert_ptr_equal(got.data, kValues);
  assert_int_equal(got.size, 8);
  OK(GeTensorSetBytes(tensor, NULL, 0));
  assert_int_equal(released, 1);
  REFUSED(GE_PARAM_INVALID, "data is null", GeTensorSetBytes(tensor, NULL, 4));
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeTensorSetBytes(NULL, kValues, 4));
  REFUSED(GE_PARAM_INVALID, "data is null", GeTensorSetBorrowedBytes(tensor, NULL, 4, Release, NULL));
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeTensorSetBorrowedBytes(NULL, (void *)kValues, 4, Release, NULL));
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeTensorCreateMoved(NULL, &taken));
  assert_int_equal(released, 1);
  assert_null(taken);
  REFUSED(GE_PARAM_INVALID, "out is null", GeTensorCreateEmpty(NULL));
  GeTensorDestroy(tensor);
}

static void GraphMakesItImmutable(void **state) {
  (void)state;
  GeTensorData desc = Filled(), got;
  GeTensor *tensor = NULL, *again = NULL;
  OK(GeTensorCreate(&desc, &tensor));
  GeGraph *graph = NULL;
  OK(GeGraphCreate("g", &graph));
  GeNode *node = AddNode(graph, &kTestUnary, "n", -1, -1);
  OK(GeNodeSetAttrTensor(node, "value", tensor));
  REFUSED(GE_BAD_STATE, "holds the tensor", GeTensorSetDesc(tensor, &desc));
  REFUSED(GE_BAD_STATE, "holds the tensor", GeTensorSetBytes(tensor, kValues, 24));
  REFUSED(GE_BAD_STATE, "holds the tensor", GeTensorSetBorrowedBytes(tensor, (void *)kValues, 24, NULL, NULL));
  GeTensor *taken = NULL;
  REFUSED(GE_BAD_STATE, "holds the tensor", GeTensorCreateMoved(tensor, &taken));
  OK(GeNodeRetainAttrTensor(node, "value", &again));
  GeTensorData other;
  OK(GeTensorGetData(tensor, &got));
  OK(GeTensorGetData(again, &other));
  assert_ptr_equal(got.data, other.data);
  REFUSED(GE_BAD_STATE, "holds the tensor", GeTensorSetDesc(again, &desc));
  GeGraphDestroy(graph);
  GeTensorDestroy(again);
  OK(GeTensorSetDesc(tensor, &desc));
  GeTensorDestroy(tensor);
}

static void Nulls(void **state) {
  (void)state;
  GeTensor *out = NULL;
  GeTensorData got;
  GeTensorDestroy(NULL);
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeTensorRetain(NULL, &out));
  REFUSED(GE_PARAM_INVALID, "tensor is null", GeTensorGetData(NULL, &got));
  OK(GeTensorCreateEmpty(&out));
  REFUSED(GE_PARAM_INVALID, "out is null", GeTensorRetain(out, NULL));
  REFUSED(GE_PARAM_INVALID, "out is null", GeTensorGetData(out, NULL));
  GeTensorDestroy(out);
  uint64_t foreign[8] = {0};
  REFUSED(GE_PARAM_INVALID, "not a valid handle", GeTensorGetData((GeTensor *)foreign, &got));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(CreateCopies),
      cmocka_unit_test(CreateWithoutDataIsZero),
      cmocka_unit_test(ScalarsAndEmptyTensors),
      cmocka_unit_test(CreateRefuses),
      cmocka_unit_test(BorrowedIsReleasedOnce),
      cmocka_unit_test(Files),
      cmocka_unit_test(CloneIsIndependent),
      cmocka_unit_test(Relabel),
      cmocka_unit_test(EmptyAndBytes),
      cmocka_unit_test(GraphMakesItImmutable),
      cmocka_unit_test(Nulls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
