/* Status, versions, plain data, tensors, prototypes. */
#include "tests/capi/every/fixture.h"

STATUS(GeLastErrorCode, "", NEVER, 0, GeLastErrorCode())
VALUE(GeLastErrorMessage, "", NEVER, 0, GeLastErrorMessage() != NULL)
VALUE(GeLastErrorContextCount, "", NEVER, 0, GeLastErrorContextCount() == 0)
VALUE(GeLastErrorContext, "", NEVER, 0, GeLastErrorContext(0) == NULL)
VOID(GeClearLastError, "", NEVER, 0, GeClearLastError())
DO(GeSetLastError, "N", TOLERATES, 0, {
  GeStatus status = GeSetLastError(GE_BAD_STATE, P(1, "a message that is too long to be kept inside an object"));
  assert_int_equal(status, GE_BAD_STATE);
  assert_int_equal(GeLastErrorCode(), GE_BAD_STATE);
  if (null) assert_string_equal(GeLastErrorMessage(), "");
  GeClearLastError();
  return GE_SUCCESS;
})
VALUE(GeStatusName, "", NEVER, 0, strcmp(GeStatusName(GE_FAILED), "GE_FAILED") == 0)
static void IgnoreLog(void *user, int32_t level, const char *message) {
  (void)user;
  (void)level;
  (void)message;
}
static int32_t NotBusy(void *user, uint32_t attempt) {
  (void)user;
  return attempt < 3;
}
DO(GeSetBusyHandler, "NN", NEVER, 0, {
  int user = 0;
  GeSetBusyHandler(P(1, NotBusy), P(2, &user));
  GeSetBusyHandler(NULL, NULL);
  return GE_SUCCESS;
})
DO(GeSetLogCallback, "NN", NEVER, 0, {
  int user = 0;
  GeSetLogCallback(P(1, IgnoreLog), P(2, &user), GE_LOG_OFF);
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  return GE_SUCCESS;
})
DO(GeLogMessage, "N", NEVER, 0, {
  GeLogMessage(GE_LOG_DEBUG, P(1, "dropped"));
  return GE_SUCCESS;
})
VALUE(GeAbiVersion, "", NEVER, 0, GeAbiVersion() == GE_ABI_VERSION)
VALUE(GeVersionString, "", NEVER, 0, strcmp(GeVersionString(), GE_VERSION_STRING) == 0)
VALUE(GeDataTypeBits, "", NEVER, 0, GeDataTypeBits(C_DT_FLOAT) == 32)
VALUE(GeDataTypeName, "", NEVER, 0, strcmp(GeDataTypeName(C_DT_FLOAT), "DT_FLOAT") == 0)
VALUE(GeFormatName, "", NEVER, 0, strcmp(GeFormatName(C_FORMAT_NCHW), "NCHW") == 0)
VALUE(GeDataTypeFromName, "N", NEVER, 0,
      GeDataTypeFromName(P(1, "DT_FLOAT")) == (null ? (int32_t)C_DT_UNDEFINED : (int32_t)C_DT_FLOAT))
VALUE(GePromoteDataTypes, "", NEVER, 0, GePromoteDataTypes(C_DT_INT8, C_DT_UINT8) == C_DT_INT16)
VALUE(GeFormatFromName, "N", NEVER, 0,
      GeFormatFromName(P(1, "NCHW")) == (null ? (int32_t)C_FORMAT_RESERVED : (int32_t)C_FORMAT_NCHW))

/* ---- tensors ---- */

static int released;
static void Release(void *user) {
  (void)user;
  ++released;
}

DO(GeTensorCreate, "RR+N", ALLOCATES, 0, {
  GeTensorData d = FloatData();
  if (null == 3) d.data = NULL; /* zeros */
  return GeTensorCreate(P(1, &d), O(2, w->out_tensor));
})
DO(GeTensorCreateBorrowed, "RNNR+R", ALLOCATES, 0, {
  GeTensorData d = FloatData();
  if (null == 5) d.data = NULL;
  int before = released;
  GeStatus status = GeTensorCreateBorrowed(P(1, &d), P(2, Release), P(3, &released), O(4, w->out_tensor));
  assert_int_equal(released, before); /* neither yet nor when it failed */
  return status;
})
DO(GeTensorCreateFromFile, "RRR", ALLOCATES, NEED_ONNX, {
  GeTensorData d = FloatDesc(kDims, 2);
  return GeTensorCreateFromFile(P(1, Temp("bytes.bin")), P(2, &d), O(3, w->out_tensor));
})
STATUS(GeTensorRetain, "RR", NEVER, 0, GeTensorRetain(P(1, w->tensor), O(2, w->out_tensor)))
DO(GeTensorDestroy, "N", NEVER, 0, {
  GeTensorDestroy(P(1, w->tensor));
  if (!null) {
    GeTensorData d = FloatData();
    FaultDisarmed(OK(GeTensorCreate(&d, &w->tensor)));
  }
  return GE_SUCCESS;
})
STATUS(GeTensorClone, "RR", ALLOCATES, 0, GeTensorClone(P(1, w->tensor), O(2, w->out_tensor)))
DO(GeTensorGetData, "RR", NEVER, 0, {
  GeTensorData d;
  return GeTensorGetData(P(1, w->tensor), P(2, &d));
})
DO(GeTensorSetDesc, "RR", ALLOCATES, 0, {
  int64_t dims[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
  GeTensorData d = FloatDesc(dims, 11);
  return GeTensorSetDesc(P(1, w->tensor), P(2, &d));
})
STATUS(GeTensorCreateEmpty, "R", ALLOCATES, 0, GeTensorCreateEmpty(O(1, w->out_tensor)))
STATUS(GeTensorSetBytes, "RR", ALLOCATES, 0, GeTensorSetBytes(P(1, w->tensor), P(2, kValues), 8))
DO(GeTensorSetBorrowedBytes, "RRNN", ALLOCATES, 0, {
  int before = released;
  GeStatus status =
      GeTensorSetBorrowedBytes(P(1, w->tensor), P(2, (void *)(intptr_t)kValues), 8, P(3, Release), P(4, &released));
  assert_int_equal(released, before);
  return status;
})
STATUS(GeTensorCreateMoved, "RR", ALLOCATES, 0, GeTensorCreateMoved(P(1, w->tensor), O(2, w->out_tensor)))

DO(GeTensorSetAttr, "RR+R", ALLOCATES, 0, {
  GeAttrData value = {.name = P(3, "an attribute"), .type = C_VT_INT, .i = 7};
  return GeTensorSetAttr(P(1, w->tensor), P(2, &value));
})
DO(GeTensorGetAttr, "RRR", ALLOCATES, 0, {
  GeAttrData value = {.name = "an attribute", .type = C_VT_INT, .i = 7};
  FaultDisarmed(OK(GeTensorSetAttr(w->tensor, &value)));
  return GeTensorGetAttr(P(1, w->tensor), P(2, "an attribute"), P(3, &value));
})

/* ---- prototypes ---- */

static GeStatus NoInference(const GeInferContext *context) {
  (void)context;
  return GE_SUCCESS;
}
DO(GeOpRegister, "RN+S", ALLOCATES, KEEPS, {
  static int n;
  static char names[8192][24];
  GeOpSchema schema = kTestMix;
  snprintf(names[n % 8192], sizeof names[0], "TestNew%d", n);
  schema.type = P(3, names[n % 8192]);
  ++n;
  return GeOpRegister(P(1, &schema), P(2, NoInference));
})
DO(GeOpSetTraits, "RR", ALLOCATES, KEEPS, {
  static int n;
  char name[24];
  snprintf(name, sizeof name, "TestTraits%d", n++);
  GeOpTraits traits = {sizeof traits, GE_TRAIT_PURE, GE_CONTROL_FLOW_NONE, 0};
  return GeOpSetTraits(P(1, name), P(2, &traits));
})
STATUS(GeOpFindTraits, "RR", ALLOCATES, 0, GeOpFindTraits(P(1, "Relu"), O(2, w->out_traits)))
STATUS(GeOpFind, "RR", NEVER, 0, GeOpFind(P(1, "Relu"), O(2, w->out_schema)))
VALUE(GeOpCount, "", NEVER, 0, GeOpCount() > 100)
DO(GeOpAt, "", ALLOCATES, NEED_PROTOTYPE, {
  assert_null(GeOpAt((size_t)-1));
  return PointerStatus(GeOpAt(0));
})
