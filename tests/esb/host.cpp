// Two plug-ins with a builder frozen into each, and libge.so, in one process: host PLUGIN_1 PLUGIN_2 PLUGIN_3.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "esb.h"
#include "ge/es_node.h"
#include "ge/model.h"
#include "ge/serialize.h"
#include "plugin.h"

namespace {

void Check(bool ok, const std::string &what) {
  if (!ok) throw std::runtime_error(what + ": " + GeLastErrorMessage());
}

struct Plugin {
  // Global: were a name exported, the other plug-in and this program would see it.
  explicit Plugin(const char *path) : library(dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
    if (!library) throw std::runtime_error(dlerror());
    Load(graph, "plugin_graph");
    Load(bytes, "plugin_bytes");
    Load(failure, "plugin_failure");
    Load(free, "plugin_free");
    Load(destroy, "plugin_destroy");
  }
  template <class Function>
  void Load(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function) throw std::runtime_error(dlerror());
  }
  void *library;
  decltype(&plugin_graph) graph;
  decltype(&plugin_bytes) bytes;
  decltype(&plugin_failure) failure;
  decltype(&plugin_free) free;
  decltype(&plugin_destroy) destroy;
};

std::vector<float> Run(GeGraph *graph) {
  GeModel *model;
  GeOptions *options;
  Check(GeOptionsCreate(&options) == GE_SUCCESS && GeOptionsSet(options, "threads", "1") == GE_SUCCESS, "options");
  const GeStatus status = GeCompile(graph, options, &model);
  GeOptionsDestroy(options);
  Check(status == GE_SUCCESS, "compile");
  GeRunContext *context;
  Check(GeRunContextCreate(model, &context) == GE_SUCCESS, "context");
  const int64_t dims[] = {3};
  float values[] = {-1.0f, 2.0f, 4.0f};
  GeTensorData in{}, out{};
  in.format = in.origin_format = C_FORMAT_ND;
  in.rank = in.origin_rank = 1;
  in.dims = in.origin_dims = dims;
  in.data = values;
  in.size = sizeof values;
  Check(GeRun(context, &in, 1, &out, 1) == GE_SUCCESS, "run");
  const float *result = static_cast<const float *>(out.data);
  std::vector<float> copy(result, result + out.size / sizeof(float));
  GeRunContextDestroy(context);
  GeModelDestroy(model);
  return copy;
}

std::vector<float> RunBytes(const Plugin &plugin, float factor) {
  void *data;
  size_t size;
  Check(plugin.bytes(factor, &data, &size) == 0, "bytes");
  GeGraph *graph;
  Check(GeGraphCreate("host", &graph) == GE_SUCCESS, "graph");
  const GeStatus status = GeGraphFromBytes(graph, data, size);
  plugin.free(data);
  Check(status == GE_SUCCESS, "from bytes");
  try {
    std::vector<float> result = Run(graph);
    GeGraphDestroy(graph);
    return result;
  } catch (...) {
    GeGraphDestroy(graph);
    throw;
  }
}

// The host's own graph, with the builder of libge.so.
std::vector<float> RunOwn(float bias) {
  const int64_t dims[] = {3};
  EsCGraphBuilder *b = EsCreateGraphBuilder("own");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, "x", nullptr, C_DT_FLOAT, C_FORMAT_ND, dims, 1);
  Check(EsSetGraphOutput(x, 0) == 0 && EsSetGraphOutput(EsCreateScalarFloat(b, bias), 1) == 0, "outputs");
  EsDestroyGraphBuilder(b);
  return {bias};
}

void Interleave(const Plugin &first, const Plugin &second) {
  for (int i = 1; i <= 10; ++i) {
    const float f = static_cast<float>(i);
    Check(RunBytes(first, f) == std::vector<float>({0.0f, 2 * f, 4 * f}), "first plug-in");
    Check(RunOwn(f) == std::vector<float>({f}), "own graph");
    Check(RunBytes(second, -f) == std::vector<float>({-0.0f, -2 * f, -4 * f}), "second plug-in");
    try {  // exceptions of this program, unwound by the shared C++ library
      throw std::logic_error("mine");
    } catch (const std::logic_error &e) {
      Check(std::strcmp(e.what(), "mine") == 0, "own exception");
    }
    Check(std::strstr(first.failure(), "input 'x' is null") != nullptr, "first plug-in's error");
    Check(std::strstr(second.failure(), "input 'x' is null") != nullptr, "second plug-in's error");
    Check(first.failure() != second.failure(), "each has an error of its own");
  }
}

}  // namespace

int main(int argc, char **argv) try {
  if (argc != 4) return 2;
  GeSetLogCallback(nullptr, nullptr, GE_LOG_OFF);
  Plugin first(argv[1]), second(argv[2]), third(argv[3]);
  Interleave(first, second);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { Interleave(first, second); });
  for (std::thread &t : threads) t.join();

  // A program that uses what only its later release has is told so.
  try {
    RunBytes(third, 1.0f);
    Check(false, "the third plug-in's graph was accepted");
  } catch (const std::runtime_error &e) {
    Check(std::strstr(e.what(), "Relu 'Relu_0'") && std::strstr(e.what(), "optional attribute 'level' is set"),
          e.what());
  }

  // A handle of one copy in the hands of another is refused, not used.
  EsCGraph *foreign = first.graph(1.0f);
  GeGraph *stolen = nullptr;
  Check(GeEsGraphRetainGraph(foreign, &stolen) != GE_SUCCESS && !stolen, "a foreign graph");
  Check(std::strstr(GeLastErrorMessage(), "not a valid handle") != nullptr, "its message");
  Check(esb_graph_save(foreign, "/dev/null") != 0, "saving a foreign graph");
  first.destroy(foreign);

  dlclose(first.library);
  Check(RunBytes(second, 2.0f) == std::vector<float>({0.0f, 4.0f, 8.0f}), "second plug-in, without the first");
  std::puts("ok");
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "host: %s\n", e.what());
  return 1;
}
