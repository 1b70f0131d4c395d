/* A chain of additions that all read one input, and a clock: what the benchmarks in C measure with. */
#ifndef GE_BENCHMARKS_CHAIN_H_
#define GE_BENCHMARKS_CHAIN_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "esb_funcs.h"
#include "ge/es_node.h"

enum { kChainValues = 4 * 4 }; /* of its input and of each result */
static const int64_t kChainDims[] = {4, 4};

static const GeIrPort kAddInputs[] = {{"x1", GE_IR_REQUIRED, 0, "T"}, {"x2", GE_IR_REQUIRED, 0, "T"}};
static const GeIrPort kAddOutputs[] = {{"y", GE_IR_REQUIRED, 0, "T"}};
static const GeOpSchema kAdd = {.struct_size = sizeof(GeOpSchema),
                                .type = "Add",
                                .inputs = kAddInputs,
                                .input_count = 2,
                                .outputs = kAddOutputs,
                                .output_count = 1};

/* In microseconds. */
static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void Check(GeStatus status) {
  if (status == GE_SUCCESS) return;
  fprintf(stderr, "%s\n", GeLastErrorMessage());
  exit(1);
}

static EsCGraphBuilder *Chain(int64_t nodes) {
  EsCGraphBuilder *builder = EsCreateGraphBuilder("chain");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(builder, 0, "x", "Data", C_DT_FLOAT, C_FORMAT_ND, kChainDims, 2);
  EsCTensorHolder *last = x;
  for (int64_t i = 0; i < nodes; ++i) {
    const GeEsInput inputs[] = {{last, NULL, 0}, {x, NULL, 0}};
    const GeEsCall call = {.struct_size = sizeof(GeEsCall), .schema = &kAdd, .inputs = inputs};
    Check(GeEsAddNode(&call, &last, NULL));
  }
  EsSetGraphOutput(last, 0);
  return builder;
}

#endif
