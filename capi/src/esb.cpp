// Functions that a program with a frozen builder needs beside it. They are part of libge.so too, so that it can be
// linked either way.
#include "esb.h"

#include "capi/src/air_bytes.h"
#include "capi/src/es_builder.h"
#include "ge/version.h"

using namespace gec;
using namespace gec::api;

namespace {

const Graph &GraphIn(EsCGraph *graph, const char *function) {
  if (!graph) NullArgument(function, "graph");
  return GraphOf(graph->graph, function);
}

}  // namespace

extern "C" {

const char *esb_version(void) { return GE_VERSION_STRING; }

uint32_t esb_graph_save(EsCGraph *graph, const char *path) {
  return EsGuard([&] {
    const Graph &g = GraphIn(graph, "esb_graph_save");
    GE_CHECK_ARG(esb_graph_save, path);
    SaveAir(g, path);
  });
}

uint32_t esb_graph_to_bytes(EsCGraph *graph, void **data, size_t *size) {
  return EsGuard([&] {
    if (data) *data = nullptr;
    if (size) *size = 0;
    GE_CHECK_ARG(esb_graph_to_bytes, data);
    GE_CHECK_ARG(esb_graph_to_bytes, size);
    BytesOf(GraphIn(graph, "esb_graph_to_bytes"), data, size);
  });
}

void esb_bytes_destroy(void *data) { std::free(data); }

void esb_graph_destroy(EsCGraph *graph) { GeEsGraphDestroy(graph); }

void esb_tensor_destroy(EsCTensor *tensor) { GeEsTensorDestroy(tensor); }

const char *esb_last_error(void) { return GeLastErrorMessage(); }

void esb_set_log(void (*fn)(void *user, int32_t level, const char *message), void *user, int32_t min_level) {
  GeSetLogCallback(fn, user, min_level);
}

}  // extern "C"
