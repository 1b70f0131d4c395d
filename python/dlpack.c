/* Tensors as DLPack capsules, so that other libraries read and write their content without a copy.
 *
 * The structs are those of the DLPack standard, version 1 and the one before it; capsules of both are asked for. What a
 * capsule holds keeps a reference to the tensor, and nothing of Python: it may be freed on any thread, and after the
 * interpreter has ended. */
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

#include "ge/tensor.h"

typedef struct {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t rank;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } element;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} View;

typedef struct Plain {
  View view;
  void *context;
  void (*deleter)(struct Plain *);
} Plain;

typedef struct Versioned {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct Versioned *);
  uint64_t flags;
  View view;
} Versioned;

/* A consumer gets a pointer to the head of this. */
typedef struct {
  union {
    Plain plain;
    Versioned versioned;
  } head;
  GeTensor *tensor;
  int64_t dims[]; /* sizes, then strides */
} Export;

static const char kName[] = "dltensor", kVersionedName[] = "dltensor_versioned";

static void release(Export *export) {
  GeTensorDestroy(export->tensor);
  free(export);
}
static void delete_plain(Plain *plain) { release((Export *)plain); }
static void delete_versioned(Versioned *versioned) { release((Export *)versioned); }

static void fill(View *view, const GeTensorData *data, Export *export, uint8_t code, uint8_t bits) {
  int64_t stride = 1;
  view->data = data->data;
  view->device.type = 1; /* the host */
  view->rank = data->rank;
  view->element.code = code;
  view->element.bits = bits;
  view->element.lanes = 1;
  view->shape = export->dims;
  view->strides = export->dims + data->rank;
  for (int32_t i = data->rank; i-- > 0;) {
    view->shape[i] = data->dims[i];
    view->strides[i] = stride;
    stride *= data->dims[i];
  }
}

/* The content of a capsule, for a tensor whose shape is known; null when memory ends. */
void *ge_py_dlpack_make(GeTensor *tensor, uint8_t code, uint8_t bits, int32_t versioned, uint64_t flags) {
  GeTensorData data;
  if (GeTensorGetData(tensor, &data) != GE_SUCCESS || data.rank < 0) return NULL;
  Export *export = calloc(1, sizeof *export + 2 * (size_t)data.rank * sizeof(int64_t));
  if (!export) return NULL;
  if (GeTensorRetain(tensor, &export->tensor) != GE_SUCCESS) {
    free(export);
    return NULL;
  }
  if (versioned) {
    export->head.versioned.version.major = 1;
    export->head.versioned.deleter = delete_versioned;
    export->head.versioned.flags = flags;
    fill(&export->head.versioned.view, &data, export, code, bits);
  } else {
    export->head.plain.deleter = delete_plain;
    fill(&export->head.plain.view, &data, export, code, bits);
  }
  return export;
}

static void drop_plain(void *taken) {
  Plain *plain = taken;
  if (plain->deleter) plain->deleter(plain);
}
static void drop_versioned(void *taken) {
  Versioned *versioned = taken;
  if (versioned->deleter) versioned->deleter(versioned);
}

/* Gives a tensor the content of a capsule, which is the tensor's from then on; a status. */
int32_t ge_py_dlpack_take(GeTensor *tensor, void *held, int32_t versioned, void *data, uint64_t size) {
  return GeTensorSetBorrowedBytes(tensor, data, size, versioned ? drop_versioned : drop_plain, held);
}

const char *ge_py_dlpack_name(int32_t versioned) { return versioned ? kVersionedName : kName; }

/* Destructor of the capsule: a consumer that took the content has renamed it. */
void ge_py_dlpack_free(void *capsule) {
  for (int versioned = 0; versioned < 2; ++versioned) {
    const char *name = ge_py_dlpack_name(versioned);
    if (PyCapsule_IsValid(capsule, name)) release(PyCapsule_GetPointer(capsule, name));
  }
}
