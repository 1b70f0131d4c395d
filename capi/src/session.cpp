// Sessions: graphs by id. What they do is in runtime/session.
#include "ge/session.h"

#include <cstring>
#include "capi/src/engine_hooks.h"
#include "capi/src/handles.h"
#include "capi/src/model_handles.h"
#include "capi/src/process_options.h"
#include "core/support/context.h"
#include "core/support/warnings.h"
#include "runtime/current_options.h"

using namespace gec;
using namespace gec::api;

namespace {

[[maybe_unused]] const bool g_sessions_have_hooks = OfferGraphHandles();

/// Null where nobody set the option: a default is nobody's wish.
const char *TextOf(const Options &options, const char *key) {
  const std::string *value = options.Find(key);
  return value ? value->c_str() : nullptr;
}

}  // namespace

extern "C" {

GeStatus GeSessionCreate(const GeOptions *options, GeSessionHandle **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionCreate, out);
    *out = nullptr;
    Options all = ProcessOptions();
    all.Merge(OptionsOf(options, "GeSessionCreate"));
    *out = new GeSessionHandle(std::move(all));
  });
}

void GeSessionDestroy(GeSessionHandle *session) {
  if (IsValid(session)) Invalidate(session);
}

uint64_t GeSessionId(const GeSessionHandle *session) {
  return IsValid(session) ? session->session.number() : UINT64_MAX;
}

GeStatus GeSessionAddGraph(GeSessionHandle *session, uint32_t id, const GeGraph *graph, const GeOptions *options) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionAddGraph");
    Graph &g = GraphOf(graph, "GeSessionAddGraph");
    target.Add(id, g.Clone(), false, OptionsOf(options, "GeSessionAddGraph"));
  });
}

GeStatus GeSessionAddSharedGraph(GeSessionHandle *session, uint32_t id, GeGraph *graph, const GeOptions *options) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionAddSharedGraph");
    (void)GraphOf(graph, "GeSessionAddSharedGraph");
    target.Add(id, graph->graph, true, OptionsOf(options, "GeSessionAddSharedGraph"));
  });
}

GeStatus GeSessionRemoveGraph(GeSessionHandle *session, uint32_t id) {
  return Guard([&] { SessionOf(session, "GeSessionRemoveGraph").Remove(id); });
}

GeStatus GeSessionGetGraphState(GeSessionHandle *session, uint32_t id, GeSessionGraphState *state) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionGetGraphState, state);
    *state = GE_SESSION_GRAPH_ADDED;
    *state = SessionOf(session, "GeSessionGetGraphState").Find(id, "GetGraphState")->state();
  });
}

GeStatus GeSessionGetGraphOption(GeSessionHandle *session, uint32_t id, const char *key, const char **value) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionGetGraphOption, value);
    *value = nullptr;
    Session &target = SessionOf(session, "GeSessionGetGraphOption");
    GE_CHECK_ARG(GeSessionGetGraphOption, key);
    *value = TextOf(target.Find(id, "GetGraphOption")->options(), key);
  });
}

GeStatus GeCurrentOption(const char *key, const char **value) {
  return Guard([&] {
    GE_CHECK_ARG(GeCurrentOption, value);
    *value = nullptr;
    GE_CHECK_ARG(GeCurrentOption, key);
    const Options *current = CurrentOptions::Get();
    *value = current ? TextOf(*current, key) : ProcessOption(key);
  });
}

GeStatus GeSessionCompileGraph(GeSessionHandle *session, uint32_t id) {
  return Guard([&] {
    const SessionGraphPtr graph = SessionOf(session, "GeSessionCompileGraph").Find(id, "CompileGraph");
    if (graph->is_flow()) (void)graph->Flow();
    else (void)graph->Compiled();
  });
}

GeStatus GeSessionCompileGraphFor(GeSessionHandle *session, uint32_t id, const GeTensorData *inputs,
                                  size_t input_count) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionCompileGraphFor");
    if (!inputs && input_count) NullArgument("GeSessionCompileGraphFor", "inputs");
    std::vector<TensorDesc> descs;
    for (size_t i = 0; i < input_count; ++i) {
      GeTensorData input = inputs[i];
      input.layout = nullptr;  // how its elements lie makes no difference for the graph
      const std::string number = std::to_string(i);
      const ContextScope scope("tensor", number);
      descs.push_back(TensorDesc::From(input));
    }
    const SessionGraphPtr graph = target.Find(id, "CompileGraph");
    if (graph->is_flow()) (void)graph->Flow();
    else (void)graph->CompileFor(descs);
  });
}

GeStatus GeSessionCompileGraphForStreams(GeSessionHandle *session, uint32_t id) {
  return Guard([&] {
    const SessionGraphPtr graph = SessionOf(session, "GeSessionCompileGraphForStreams").Find(id, "CompileGraph");
    if (HasVariables(Enter(*graph->graph(), "GeSessionCompileGraphForStreams")))
      Fail(GE_RUN_MODE_MIXED, "E10062: CompileGraph, graph ", id,
           ": it has variables; RunGraph and BuildGraph take such graphs");
    graph->Claim(RunMode::kStream);
    if (graph->is_flow()) (void)graph->Flow();
    else (void)graph->Compiled();
  });
}

GeStatus GeSessionLoad(GeSessionHandle *session, uint32_t id) {
  return Guard([&] { SessionOf(session, "GeSessionLoad").Find(id, "LoadGraph")->Load(); });
}

GeStatus GeSessionLoadWithOptions(GeSessionHandle *session, uint32_t id, const GeOptions *options) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionLoadWithOptions");
    const Options &given = OptionsOf(options, "GeSessionLoadWithOptions");
    const SessionGraphPtr graph = target.Find(id, "LoadGraph");
    for (const auto &[key, value] : given.all()) {
      if (EffectOf(key, value) != OptionEffect::kActs || graph->options().Get(key) == value) continue;
      WarnOnce(Str("LoadGraph: option ", key, " is '", value, "' and has no effect: graph ", id, " was added with '",
                   graph->options().Get(key), "'; give it to AddGraph"));
    }
    graph->Load();
  });
}

GeStatus GeSessionRetainModel(GeSessionHandle *session, uint32_t id, GeModel **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionRetainModel, out);
    *out = nullptr;
    auto handle = std::make_unique<GeModel>();
    handle->model =
        SessionOf(session, "GeSessionRetainModel").Find(id, "GetModel")->ModelOrFail("GeSessionRetainModel");
    *out = handle.release();
  });
}

GeStatus GeSessionSetGraphMemory(GeSessionHandle *session, uint32_t id, void *memory, uint64_t size) {
  return Guard([&] {
    SessionOf(session, "GeSessionSetGraphMemory")
        .Find(id, "SetGraphMemory")
        ->PlaceTensors(memory, size, "GeSessionSetGraphMemory");
  });
}

GeStatus GeSessionSetConstMemory(GeSessionHandle *session, uint32_t id, void *memory, uint64_t size) {
  return Guard([&] {
    const SessionGraphPtr graph = SessionOf(session, "GeSessionSetConstMemory").Find(id, "SetConstMemory");
    if (!memory && size) NullArgument("GeSessionSetConstMemory", "memory");
    graph->PlaceConstants(memory, size, "GeSessionSetConstMemory");
  });
}

GeStatus GeSessionSetMemory(GeSessionHandle *session, uint32_t id, GeSessionMemory kind, void *memory, uint64_t size) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionSetMemory");
    GE_CHECK_ARG(GeSessionSetMemory, memory);
    int32_t given;  // C may pass any number, which is no value of the enumeration
    std::memcpy(&given, &kind, sizeof given);
    if (given < GE_SESSION_MEMORY_FEATURE || given > GE_SESSION_MEMORY_CONST)
      Fail(GE_PARAM_INVALID, "GeSessionSetMemory: kind is ", given, ", expected 0 to 3");
    target.Find(id, "SetMemory")->SetMemory(kind, memory, size);
  });
}

GeStatus GeSessionRegisterAllocator(GeSessionHandle *session, const void *stream, const GeStreamAllocator *allocator) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionRegisterAllocator");
    GE_CHECK_ARG(GeSessionRegisterAllocator, allocator);
    GeStreamAllocator unowned = ReadStruct(*allocator, "GeSessionRegisterAllocator");
    if (!unowned.allocate || !unowned.release)
      Fail(GE_PARAM_INVALID, "GeSessionRegisterAllocator: allocate and release must not be null");
    const auto destroy = std::exchange(unowned.destroy, nullptr);  // until nothing can fail any more
    auto held = std::make_shared<StreamAllocator>(unowned);
    target.SetAllocator(stream, held);
    held->Own(destroy);
  });
}

GeStatus GeSessionUnregisterAllocator(GeSessionHandle *session, const void *stream) {
  return Guard([&] {
    if (!SessionOf(session, "GeSessionUnregisterAllocator").RemoveAllocator(stream))
      Fail(GE_NOT_FOUND, "no external allocator is registered for this stream");
  });
}
}
