// Dumps and AIR files at the C edge.
#include <string>

#include "capi/src/handles.h"
#include "core/dump/dump.h"
#include "core/serialize/air.h"
#include "ge/graph.h"

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GeGraphDump(const GeGraph *graph, int32_t format, GeTextFn write, void *user) {
  return Guard([&] {
    const Graph &g = GraphOf(graph, "GeGraphDump");
    GE_CHECK_ARG(GeGraphDump, write);
    std::string text = Dump(g, format);
    write(user, text.data(), text.size());
  });
}

GeStatus GeGraphDumpToFile(const GeGraph *graph, int32_t format, const char *suffix, GeTextFn write_path, void *user) {
  return Guard([&] {
    const Graph &g = GraphOf(graph, "GeGraphDumpToFile");
    std::string path = DumpToFile(g, format, suffix ? suffix : "");
    if (write_path) write_path(user, path.data(), path.size());
  });
}

GeStatus GeGraphSave(const GeGraph *graph, const char *path) {
  return Guard([&] {
    const Graph &g = GraphOf(graph, "GeGraphSave");
    GE_CHECK_ARG(GeGraphSave, path);
    SaveAir(g, path);
  });
}

GeStatus GeGraphLoad(GeGraph *graph, const char *path) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphLoad");
    GE_CHECK_ARG(GeGraphLoad, path);
    LoadAir(g, path);
  });
}

}  // extern "C"
