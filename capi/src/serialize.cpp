// Graphs as bytes.
#include "ge/serialize.h"

#include "capi/src/air_bytes.h"
#include "capi/src/handles.h"

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GeGraphToBytes(const GeGraph *graph, void **data, size_t *size) {
  return Guard([&] {
    if (data) *data = nullptr;
    if (size) *size = 0;
    GE_CHECK_ARG(GeGraphToBytes, data);
    GE_CHECK_ARG(GeGraphToBytes, size);
    BytesOf(GraphOf(graph, "GeGraphToBytes"), data, size);
  });
}

GeStatus GeGraphFromBytes(GeGraph *graph, const void *data, size_t size) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphFromBytes");
    GE_CHECK_ARG(GeGraphFromBytes, data);
    LoadAirBytes(g, data, size);
  });
}

void GeBytesDestroy(void *data) { std::free(data); }

}  // extern "C"
