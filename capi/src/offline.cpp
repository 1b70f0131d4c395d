#include "ge/offline.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "capi/src/handles.h"
#include "capi/src/malloc_bytes.h"
#include "capi/src/model_handles.h"
#include "core/serialize/air.h"
#include "core/serialize/offline_file.h"

using namespace gec;
using namespace gec::api;

namespace {

void Build(const Graph &graph, const Options &options, const VariableStorePtr &variables, void **data, size_t *size) {
  static constexpr std::string_view kLeftOut[] = {"dump_dir",      "engine_time_limit", "engines.path",
                                                  "ge.inputShape", "input_shape_range", "progress",
                                                  "python.library"};
  ContextScope scope("building offline model of graph", graph.name());
  OfflineModel model;
  model.graph = Model::OptimizeOffline(graph, options, variables);
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
    Build(GraphOf(graph, "GeOfflineBuild"), OptionsOf(options, "GeOfflineBuild"), nullptr, data, size);
  });
}

extern "C" GeStatus GeSessionOfflineBuild(GeSessionHandle *session, uint32_t id, void **data, size_t *size) {
  return Guard([&] {
    if (data) *data = nullptr;
    if (size) *size = 0;
    Session &target = SessionOf(session, "GeSessionOfflineBuild");
    GE_CHECK_ARG(GeSessionOfflineBuild, data);
    GE_CHECK_ARG(GeSessionOfflineBuild, size);
    const SessionGraphPtr graph = target.Find(id, "GetCompiledModel");
    (void)graph->ModelOrFail("GeSessionOfflineBuild");
    Build(*graph->graph(), graph->options(), graph->variables(), data, size);
  });
}

extern "C" GeStatus GeOfflineBundle(const void *const *models, const size_t *sizes, size_t count, void **data,
                                    size_t *size) {
  return Guard([&] {
    if (data) *data = nullptr;
    if (size) *size = 0;
    GE_CHECK_ARG(GeOfflineBundle, models);
    GE_CHECK_ARG(GeOfflineBundle, sizes);
    GE_CHECK_ARG(GeOfflineBundle, data);
    GE_CHECK_ARG(GeOfflineBundle, size);
    std::vector<std::string_view> views;
    for (size_t i = 0; i < count; ++i) {
      if (!models[i]) NullArgument("GeOfflineBundle", Str("models[", i, "]").c_str());
      views.emplace_back(static_cast<const char *>(models[i]), sizes[i]);
    }
    MallocBytes(BundleBytes(views), data, size);
  });
}

extern "C" GeStatus GeOfflineBundleCount(const void *data, size_t size, size_t *count) {
  return Guard([&] {
    GE_CHECK_ARG(GeOfflineBundleCount, count);
    *count = 0;
    GE_CHECK_ARG(GeOfflineBundleCount, data);
    *count = BundleMembers(data, size).size();
  });
}

extern "C" GeStatus GeOfflineBundleGet(const void *data, size_t size, size_t index, const void **model,
                                       size_t *model_size) {
  return Guard([&] {
    if (model) *model = nullptr;
    if (model_size) *model_size = 0;
    GE_CHECK_ARG(GeOfflineBundleGet, data);
    GE_CHECK_ARG(GeOfflineBundleGet, model);
    GE_CHECK_ARG(GeOfflineBundleGet, model_size);
    const std::vector<std::string_view> members = BundleMembers(data, size);
    if (index >= members.size())
      Fail(GE_PARAM_INVALID, "GeOfflineBundleGet: index is ", index, ", the bundle has ", members.size(), " models");
    *model = members[index].data();
    *model_size = members[index].size();
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
