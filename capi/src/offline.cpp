#include "ge/offline.h"

#include <algorithm>
#include <string_view>

#include "capi/src/handles.h"
#include "capi/src/malloc_bytes.h"
#include "capi/src/model_handles.h"
#include "capi/src/session_graph.h"
#include "core/model/air.h"
#include "core/model/offline_file.h"

using namespace gec;
using namespace gec::api;

namespace {

void Build(const Graph &graph, const Options &options, void **data, size_t *size) {
  static constexpr std::string_view kLeftOut[] = {"dump_dir", "engines.path", "ge.inputShape", "progress"};
  ContextScope scope("building offline model of graph", graph.name());
  OfflineModel model;
  model.graph = Model::OptimizeOffline(graph, options);
  for (const auto &[key, value] : options.all())
    if (std::find(std::begin(kLeftOut), std::end(kLeftOut), key) == std::end(kLeftOut)) model.options[key] = value;
  MallocBytes(OfflineBytes(model), data, size);
}

}  // namespace

extern "C" GeStatus GeOfflineBuild(const GeGraph *graph, const GeOptions *options, void **data, size_t *size) {
  return Guard([&] {
    if (data) *data = nullptr;
    if (size) *size = 0;
    GE_CHECK_ARG(GeOfflineBuild, data);
    GE_CHECK_ARG(GeOfflineBuild, size);
    Build(GraphOf(graph, "GeOfflineBuild"), OptionsOf(options, "GeOfflineBuild"), data, size);
  });
}

extern "C" GeStatus GeSessionOfflineBuild(GeSessionHandle *session, uint32_t id, void **data, size_t *size) {
  return Guard([&] {
    if (data) *data = nullptr;
    if (size) *size = 0;
    LivingOf(session, "GeSessionOfflineBuild", "session");
    GE_CHECK_ARG(GeSessionOfflineBuild, data);
    GE_CHECK_ARG(GeSessionOfflineBuild, size);
    SessionGraphPtr graph = FindGraph(*session, id, "GeSessionOfflineBuild");
    {
      std::lock_guard lock(graph->mutex);
      if (!graph->model) Fail(GE_BAD_STATE, "GeSessionOfflineBuild: graph ", id, " is not compiled yet");
    }
    Build(*graph->graph, graph->options, data, size);
  });
}

extern "C" GeStatus GeOfflineSave(const char *path, const void *data, size_t size) {
  return Guard([&] {
    GE_CHECK_ARG(GeOfflineSave, path);
    GE_CHECK_ARG(GeOfflineSave, data);
    CheckOffline(data, size);
    FileWriter file(path);
    file.Write(data, size);
    file.Commit();
  });
}
