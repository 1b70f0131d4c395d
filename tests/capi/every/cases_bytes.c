/* Graphs as bytes, and the names that a program which froze libesb.a finds in libge.so too. */
#include <fcntl.h>
#include <unistd.h>

#include "esb.h"
#include "ge/serialize.h"
#include "tests/capi/every/fixture.h"

static void IgnoreLog(void *user, int32_t level, const char *message) {
  (void)user;
  (void)level;
  (void)message;
}

DO(GeGraphToBytes, "RRR", ALLOCATES, 0, {
  void *data = NULL;
  size_t size = 0;
  GeStatus status = GeGraphToBytes(P(1, w->graph), P(2, &data), P(3, &size));
  if (status != GE_SUCCESS) {
    assert_null(data);
    return status;
  }
  assert_true(size > 0);
  GeBytesDestroy(data);
  return status;
})
DO(GeGraphFromBytes, "RR", ALLOCATES, NEED_AIR, {
  static char bytes[1 << 16];
  int file = open(Temp("small.air"), O_RDONLY);
  ssize_t size = read(file, bytes, sizeof bytes);
  close(file);
  assert_true(size > 0 && size < (ssize_t)sizeof bytes);
  return GeGraphFromBytes(P(1, w->sub), P(2, bytes), (size_t)size);
})
DO(GeGraphRecoverIr, "RN", ALLOCATES, 0, {
  int32_t changed = 7;
  GeStatus status = GeGraphRecoverIr(P(1, w->graph), P(2, &changed));
  if (status == GE_SUCCESS && !null) assert_int_equal(changed, 0); /* its prototypes are the registered ones */
  return status;
})
DO(GeBytesDestroy, "N", NEVER, 0, {
  void *data = NULL;
  size_t size;
  FaultDisarmed(OK(GeGraphToBytes(w->graph, &data, &size)));
  GeBytesDestroy(P(1, data));
  if (null) GeBytesDestroy(data);
  return GE_SUCCESS;
})

VALUE(esb_version, "", NEVER, 0, strcmp(esb_version(), GE_VERSION_STRING) == 0)
VALUE(esb_last_error, "", NEVER, 0, esb_last_error() != NULL)
STATUS(esb_graph_save, "RR", ALLOCATES, NEED_BOX, esb_graph_save(P(1, w->box), P(2, Temp("saved.air"))))
DO(esb_graph_to_bytes, "RRR", ALLOCATES, NEED_BOX, {
  void *data = NULL;
  size_t size = 0;
  uint32_t status = esb_graph_to_bytes(P(1, w->box), P(2, &data), P(3, &size));
  if (status != 0) {
    assert_null(data);
    return status;
  }
  assert_true(size > 0);
  esb_bytes_destroy(data);
  return status;
})
DO(esb_bytes_destroy, "N", NEVER, NEED_BOX, {
  void *data = NULL;
  size_t size;
  FaultDisarmed(OK(esb_graph_to_bytes(w->box, &data, &size)));
  esb_bytes_destroy(P(1, data));
  if (null) esb_bytes_destroy(data);
  return GE_SUCCESS;
})
DO(esb_graph_destroy, "N", NEVER, NEED_BOX, {
  esb_graph_destroy(P(1, w->box));
  if (!null) w->box = NULL;
  return GE_SUCCESS;
})
DO(esb_tensor_destroy, "N", NEVER, 0, {
  EsCTensor *box;
  FaultDisarmed(OK(GeEsTensorCreate(w->tensor, &box)));
  esb_tensor_destroy(P(1, box));
  if (null) esb_tensor_destroy(box);
  return GE_SUCCESS;
})
DO(esb_set_log, "NN", NEVER, 0, {
  int user = 0;
  esb_set_log(P(1, IgnoreLog), P(2, &user), 3);
  esb_set_log(NULL, NULL, GE_LOG_OFF);
  return GE_SUCCESS;
})
