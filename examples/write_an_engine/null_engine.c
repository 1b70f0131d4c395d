/* An engine that does next to nothing: made to be copied and renamed.
 *
 * It is a shared library that includes only ge/engine.h and exports one symbol, GeEngineQuery. It takes one operator,
 * Relu on float tensors, and says why it takes nothing else. To make it yours: change the name and the cost in the
 * table, widen Check, and return your own kernels from CreateKernel.
 *
 *   cc -shared -fPIC -I<prefix>/include null_engine.c -o libge_engine_null.so
 *
 * The library finds it in the folder GE_ENGINE_DIR names, in a folder of the option engines.path, or by
 * GeEngineLoad(path). */
#include <ge/engine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kept from open to close: one per loaded engine. */
typedef struct NullEngine {
  const GeEngineHost *host;
} NullEngine;

/* Everything run() needs. It is made once and read by several threads at the same time, so run() must not change it. */
typedef struct ReluKernel {
  const GeKernelEnv *env;
  int64_t elements;
} ReluKernel;

typedef struct ReluRange {
  const float *x;
  float *y;
} ReluRange;

static void ReluPart(void *arg, int64_t begin, int64_t end) {
  const ReluRange *range = arg;
  for (int64_t i = begin; i < end; ++i) range->y[i] = range->x[i] > 0 ? range->x[i] : 0;
}

/* Called for every run of every node. No allocation, no lock; threads only through parallel_for. */
static GeStatus ReluRun(void *state, const GeKernelArgs *args) {
  const ReluKernel *kernel = state;
  ReluRange range = {args->inputs[0], args->outputs[0]};
  kernel->env->parallel_for(kernel->env->host, kernel->elements, 16384, ReluPart, &range);
  return GE_SUCCESS;
}

static GeStatus Refuse(char *reason, size_t capacity, const char *why, const char *what) {
  if (reason && capacity) snprintf(reason, capacity, "%s%s", why, what);
  return GE_UNSUPPORTED;
}

/* May this engine run the node? The reason for a refusal is shown to users, so name what stands in the way. Dimensions
 * may still be -1: answer for the operator then. */
static GeStatus Check(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
  (void)engine;
  if (strcmp(op->type, "Relu") != 0) return Refuse(reason, capacity, "takes Relu only, not ", op->type);
  if (op->inputs[0].data_type != C_DT_FLOAT) return Refuse(reason, capacity, "takes DT_FLOAT only", "");
  return GE_SUCCESS;
}

/* Makes the kernel of a node that Check accepted; now every shape is known. `op` dies with this call: copy what run()
 * needs. */
static GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  /* The output may lie where the input was, when nobody needs the input any more. */
  static const GeAlias in_place = {GE_ALIAS_IN_PLACE, 0, 0, 0, 0};
  (void)engine;
  ReluKernel *kernel = malloc(sizeof *kernel);
  if (!kernel) return env->fail(GE_OUT_OF_MEMORY, "null engine: out of memory");
  kernel->env = env;
  kernel->elements = 1;
  for (int32_t d = 0; d < op->inputs[0].rank; ++d) kernel->elements *= op->inputs[0].dims[d];
  out->struct_size = sizeof *out; /* as far as this engine's headers know it */
  out->run = ReluRun;
  out->state = kernel;
  out->destroy = free;
  out->implementation = "null:relu";
  out->aliases = &in_place;
  out->alias_count = 1;
  out->flops = (double)kernel->elements;
  return GE_SUCCESS;
}

static GeStatus Open(const GeEngineHost *host, const char *path, const char *options, void **engine) {
  (void)path;
  (void)options;
  NullEngine *self = malloc(sizeof *self);
  if (!self) return host->fail(GE_OUT_OF_MEMORY, "null engine: out of memory");
  self->host = host;
  *engine = self;
  return GE_SUCCESS;
}

static void Close(void *engine) { free(engine); }

static const GeEngineTable kTable = {
    .abi_version = GE_ENGINE_ABI_VERSION,
    .struct_size = sizeof(GeEngineTable),
    .name = "NullEngine",
    .version = "1",
    .cost = 0, /* asked before every engine of a higher cost */
    .flags = GE_ENGINE_ATOMIC,
    .open = Open,
    .close = Close,
    .check = Check,
    .create_kernel = CreateKernel,
};

/* A host that is too old for this engine gets null, and tells its user both versions. */
GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &kTable : NULL;
}
