#include <strings.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "capi/src/engine_hooks.h"
#include "capi/src/handles.h"
#include "capi/src/model_handles.h"
#include "core/compile/exec_plan.h"
#include "core/serialize/offline_file.h"
#include "core/support/memory.h"
#include "parsers/onnx/importer.h"
#include "parsers/options.h"
#include "parsers/tensorflow/importer.h"
#include "runtime/model_memory.h"
#include "runtime/weight_store_place.h"

using namespace gec;
using namespace gec::api;

namespace {

[[maybe_unused]] const bool g_models_have_hooks = OfferGraphHandles();

Model &ModelOf(const GeModel *handle, const char *function) { return *ValidOf(handle, function, "model").model; }

GeModel *NewModel(ModelPtr model) {
  auto handle = std::make_unique<GeModel>();
  handle->model = std::move(model);
  return handle.release();
}

void GetPort(const std::vector<ModelPort> &ports, const char *function, const char *what, size_t index,
             const char **name, GeTensorData *desc) {
  if (index >= ports.size()) {
    Fail(GE_PARAM_INVALID, function, ": index is ", index, ", the model has ", ports.size(), " ", what);
  }
  if (name) *name = ports[index].name.c_str();
  if (desc) *desc = ports[index].desc.View();
}

/// Brings the placement texts of a handle up to date with the newest plan; its mutex is held.
void Refresh(GeModel *self) {
  PlanPtr newest = self->model->NewestPlan();
  if (self->filled && self->described.lock() == newest) return;
  self->placement = self->model->Placement();
  self->described = newest;
  self->filled = true;
}

/// A path that leads to no file is the first thing to say.
void CheckFile(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) Fail(GE_PATH_INVALID, "cannot open '", path, "': ", std::strerror(errno));
  if (S_ISDIR(info.st_mode)) Fail(GE_PATH_INVALID, "'", path, "' is a directory, expected a model file");
  if (!S_ISREG(info.st_mode))
    Fail(GE_PATH_INVALID, "'", path, "' is not a regular file");  // a pipe would be waited for
}

bool EndsWith(const char *path, const char *suffix) {
  const size_t length = std::strlen(path), tail = std::strlen(suffix);
  return length >= tail && strcasecmp(path + length - tail, suffix) == 0;
}

}  // namespace

extern "C" GeStatus GeCompile(const GeGraph *graph, const GeOptions *options, GeModel **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeCompile, out);
    *out = nullptr;
    Graph &g = GraphOf(graph, "GeCompile");
    const std::string name = g.name();
    ContextScope scope("compiling graph", name);
    const Options &given = OptionsOf(options, "GeCompile");
    GraphPtr copy = Model::CopyToCompile(g, given);
    Visit::LeaveAll();  // other threads may use the graph while its copy is compiled
    *out = NewModel(Model::CompileCopy(std::move(copy), given));
  });
}

namespace {

/// The names of option input_initializers. Names may hold commas: then they stand in lines.
std::vector<std::string> InputInitializers(const Options &options) {
  const std::string text = options.Get("input_initializers");
  const char separator = text.find('\n') != std::string::npos ? '\n' : ',';
  std::vector<std::string> names;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

onnx::ImportOptions ImportOptionsOf(const Options &options) {
  const uint64_t megabytes = std::strtoull(options.Get("import_limit").c_str(), nullptr, 10);
  // A compile ends with all constants read; one whose engines may be given up leaves threads behind that still read.
  return {InputInitializers(options), megabytes << 20, EngineTimeLimit(options) == 0};
}

GeModel *CompileImported(GraphPtr graph, const Options &options) {
  std::vector<ModelPort> overridable;
  for (onnx::Overridable &each : onnx::OverridableOf(*graph))
    overridable.push_back({std::move(each.name), std::move(each.desc), {}});
  return NewModel(Model::CompileOwned(std::move(graph), options, std::move(overridable)));
}

/// Which outputs are meant, and what shapes the inputs have, is asked while a TensorFlow graph is imported.
tensorflow::ParserOptions TensorFlowOptions(const Options &options) {
  tensorflow::ParserOptions list;
  if (std::string value = options.Get("ge.outputNodeName"); !value.empty())
    list.emplace_back("ge.outputNodeName", value);
  if (std::string value = options.Get("ge.inputShape"); !value.empty()) list.emplace_back("input_shape", value);
  if (std::string value = options.Get("input_shape_range"); !value.empty()) {
    for (char bracket : {'[', ']'}) value.erase(std::remove(value.begin(), value.end(), bracket), value.end());
    list.emplace_back("input_shape", value);
  }
  return list;
}

void ChooseOutputs(Graph &graph, const Options &options) {
  if (std::string value = options.Get("ge.outputNodeName"); !value.empty())
    ApplyParserOption(graph, "ge.outputNodeName", value);
}

/// The options given now win over those the model was built with.
GeModel *CompileOffline(const void *data, size_t size, const Options &given) {
  OfflineModel offline = ReadOffline(data, size);
  Options options;
  for (const auto &[key, value] : offline.options) options.Set(key, value);
  options.Merge(given);
  RefuseFileOptions(options);
  return NewModel(Model::CompileOwned(std::move(offline.graph), options));
}

std::string FileContent(const char *path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) Fail(GE_PATH_INVALID, "cannot read '", path, "': ", std::strerror(errno));
  CheckMemory(static_cast<uint64_t>(size), "a model file");
  std::string bytes(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size)) Fail(GE_PATH_INVALID, "cannot read '", path, "': ", std::strerror(errno));
  return bytes;
}

}  // namespace

extern "C" GeStatus GeCompileFile(const char *path, const GeOptions *options, GeModel **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeCompileFile, out);
    *out = nullptr;
    GE_CHECK_ARG(GeCompileFile, path);
    CheckFile(path);
    if (IsOfflineFile(path)) {
      const std::string bytes = FileContent(path);
      ContextScope scope("loading file", path);
      *out = CompileOffline(bytes.data(), bytes.size(), OptionsOf(options, "GeCompileFile"));
      return;
    }
    const Options &given = OptionsOf(options, "GeCompileFile");
    if (!EndsWith(path, ".onnx") && !onnx::IsModelFile(path)) {
      if (!EndsWith(path, ".pbtxt") && !tensorflow::IsGraphFile(path))
        Fail(GE_UNSUPPORTED, "GeCompileFile: '", path,
             "' holds neither an ONNX model, nor a TensorFlow graph, nor an offline model (.om)");
      GraphPtr graph = tensorflow::ImportFile(path, TensorFlowOptions(given));  // names the file itself
      ContextScope scope("compiling file", path);
      *out = CompileImported(std::move(graph), given);
      return;
    }
    GraphPtr graph = onnx::ImportFile(path, nullptr, ImportOptionsOf(given));  // names the file itself
    if (!given.Get("weights.store").empty()) graph->SetGraphAttr(kModelFileAttr, AttrValue(std::string(path)));
    ChooseOutputs(*graph, given);
    ContextScope scope("compiling file", path);
    *out = CompileImported(std::move(graph), given);
  });
}

extern "C" GeStatus GeCompileBuffer(const void *data, size_t size, const char *base_dir, const GeOptions *options,
                                    GeModel **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeCompileBuffer, out);
    *out = nullptr;
    GE_CHECK_ARG(GeCompileBuffer, data);
    const Options &given = OptionsOf(options, "GeCompileBuffer");
    if (IsOffline(data, size)) {
      *out = CompileOffline(data, size, given);
      return;
    }
    GraphPtr graph;
    if (tensorflow::IsGraph(data, size) && !onnx::IsModel(data, size)) {
      graph = tensorflow::ImportBuffer(data, size, TensorFlowOptions(given));
    } else {
      graph = onnx::ImportBuffer(data, size, base_dir ? base_dir : "", nullptr, ImportOptionsOf(given));
      ChooseOutputs(*graph, given);
    }
    const std::string name = graph->name();  // the graph may be gone when an error leaves the scope
    ContextScope scope("compiling graph", name);
    *out = CompileImported(std::move(graph), given);
  });
}

extern "C" void GeModelDestroy(GeModel *model) {
  if (IsValid(model)) Invalidate(model);
}

extern "C" size_t GeModelInputCount(const GeModel *model) {
  return GuardValue<size_t>(0, [&] { return ModelOf(model, "GeModelInputCount").inputs().size(); });
}
extern "C" size_t GeModelOutputCount(const GeModel *model) {
  return GuardValue<size_t>(0, [&] { return ModelOf(model, "GeModelOutputCount").outputs().size(); });
}

extern "C" GeStatus GeModelGetInput(const GeModel *model, size_t index, const char **name, GeTensorData *desc) {
  return Guard(
      [&] { GetPort(ModelOf(model, "GeModelGetInput").inputs(), "GeModelGetInput", "inputs", index, name, desc); });
}
extern "C" GeStatus GeModelGetOutput(const GeModel *model, size_t index, const char **name, GeTensorData *desc) {
  return Guard(
      [&] { GetPort(ModelOf(model, "GeModelGetOutput").outputs(), "GeModelGetOutput", "outputs", index, name, desc); });
}

extern "C" size_t GeModelOverridableCount(const GeModel *model) {
  return GuardValue<size_t>(0, [&] { return ModelOf(model, "GeModelOverridableCount").overridable().size(); });
}
extern "C" GeStatus GeModelGetOverridable(const GeModel *model, size_t index, const char **name, GeTensorData *desc) {
  return Guard([&] {
    GetPort(ModelOf(model, "GeModelGetOverridable").overridable(), "GeModelGetOverridable", "overridable initializers",
            index, name, desc);
  });
}

extern "C" size_t GeModelPlacementCount(const GeModel *model) {
  return GuardValue<size_t>(0, [&] {
    ModelOf(model, "GeModelPlacementCount");
    GeModel *self = const_cast<GeModel *>(model);
    std::lock_guard lock(self->mutex);
    Refresh(self);
    return self->placement.size();
  });
}

extern "C" GeStatus GeModelGetPlacement(const GeModel *model, size_t index, GePlacement *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeModelGetPlacement, out);
    WriteStruct(GePlacement{}, out, "GeModelGetPlacement");
    ModelOf(model, "GeModelGetPlacement");
    GeModel *self = const_cast<GeModel *>(model);
    std::lock_guard lock(self->mutex);
    if (!self->filled) Refresh(self);  // not in the middle of a walk over a count that was read before
    if (index >= self->placement.size()) {
      Fail(GE_PARAM_INVALID, "GeModelGetPlacement: index is ", index, ", the model has ", self->placement.size(),
           " placed nodes");
    }
    const PlacementInfo &p = self->placement[index];
    WriteStruct(GePlacement{0, p.node.c_str(), p.type.c_str(), p.origins.c_str(), p.engine.c_str(),
                            p.implementation.c_str(), p.refusals.c_str(), p.flops},
                out, "GeModelGetPlacement");
  });
}

extern "C" GeStatus GeModelGetMemory(const GeModel *model, GeModelMemory *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeModelGetMemory, out);
    GeModelMemory memory{};
    WriteStruct(memory, out, "GeModelGetMemory");
    Model &m = ModelOf(model, "GeModelGetMemory");
    const ModelMemory needed = MemoryOf(m);
    memory.packed_bytes = needed.packed_bytes;
    memory.has_plan = needed.has_plan;
    memory.is_static = needed.is_static;
    memory.constant_bytes = needed.constant_bytes;
    memory.arena_bytes = needed.arena_bytes;
    memory.live_peak_bytes = needed.live_peak_bytes;
    WriteStruct(memory, out, "GeModelGetMemory");
  });
}

extern "C" GeStatus GeModelCloneGraph(const GeModel *model, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeModelCloneGraph, out);
    *out = nullptr;
    Model &m = ModelOf(model, "GeModelCloneGraph");
    PlanPtr plan = m.NewestPlan();
    *out = NewHandle(plan && plan->graph ? plan->graph->Clone() : m.CopyGraph(""));
  });
}

extern "C" GeStatus GeModelClonePlacedGraph(const GeModel *model, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeModelClonePlacedGraph, out);
    *out = nullptr;
    *out = NewHandle(ModelOf(model, "GeModelClonePlacedGraph").PlacedGraph());
  });
}

extern "C" GeStatus GeModelDescribe(const GeModel *model, int32_t what, GeTextFn write, void *user) {
  return Guard([&]() -> GeStatus {
    GE_CHECK_ARG(GeModelDescribe, write);
    Model &m = ModelOf(model, "GeModelDescribe");
    PlanPtr plan = m.NewestPlan();
    const Graph &graph = plan ? *plan->graph : m.graph();
    auto dump = [&](int32_t format) {
      GeGraph handle;
      handle.graph = const_cast<Graph &>(graph).shared_from_this();
      return GeGraphDump(&handle, format, write, user);
    };
    switch (what) {
      case GE_MODEL_REPORT:
        Write(write, user, m.ReportJson());
        return GE_SUCCESS;
      case GE_MODEL_GRAPH:
        return dump(GE_DUMP_READABLE);
      case GE_MODEL_GRAPH_DOT:
        return dump(GE_DUMP_DOT);
      case GE_MODEL_GRAPH_SVG:
        return dump(GE_DUMP_SVG);
      case GE_MODEL_MEMORY_SVG:
      case GE_MODEL_MEMORY_JSON:
        if (!plan) {
          Fail(GE_BAD_STATE,
               "GeModelDescribe: there is no memory plan yet; shapes are dynamic, so run or prepare the model first");
        }
        Write(write, user, what == GE_MODEL_MEMORY_SVG ? MemorySvg(*plan) : MemoryJson(*plan));
        return GE_SUCCESS;
      case GE_MODEL_VALUES:
        Write(write, user, onnx::ValuesOf(m.graph()));
        return GE_SUCCESS;
      default:
        Fail(GE_PARAM_INVALID, "GeModelDescribe: what is ", what, ", allowed: 0 to ", GE_MODEL_VALUES);
    }
  });
}
