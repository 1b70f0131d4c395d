// Graphs by id: compiled on their first run, run from any thread.
#include <atomic>
#include <map>
#include <mutex>

#include "capi/src/handles.h"
#include "capi/src/model_handles.h"
#include "capi/src/process_options.h"
#include "runtime/new_outputs.h"
#include "runtime/run_recorder.h"
#include "runtime/session/session_graph.h"

using namespace gec;
using namespace gec::api;

namespace {

/// A context for one run; it goes back to the graph's list, so that concurrent runs reuse each other's memory.
class Lease {
 public:
  Lease(SessionGraphPtr graph, ModelPtr model) : graph_(std::move(graph)), turn_(graph_->one_run) {
    if (graph_->in_memory) {
      shared_ = graph_->in_memory.get();
      return;
    }
    turn_.unlock();
    {
      std::lock_guard lock(graph_->mutex);
      if (!graph_->idle.empty()) {
        context_ = std::move(graph_->idle.back());
        graph_->idle.pop_back();
      }
    }
    if (!context_) context_ = std::make_unique<RunContext>(std::move(model));
  }
  ~Lease() {
    if (shared_) return;
    std::lock_guard lock(graph_->mutex);
    try {
      graph_->idle.push_back(std::move(context_));
    } catch (...) {  // out of memory: the context is dropped
    }
  }
  RunContext &operator*() { return shared_ ? *shared_ : *context_; }

 private:
  SessionGraphPtr graph_;
  std::unique_lock<std::mutex> turn_;
  RunContext *shared_ = nullptr;
  std::unique_ptr<RunContext> context_;
};

}  // namespace

namespace {

GeSessionHandle &SessionOf(GeSessionHandle *session, const char *function) {
  return LivingOf(session, function, "session");
}

}  // namespace

SessionGraphPtr gec::api::FindGraph(GeSessionHandle &session, uint32_t id, const char *function) {
  std::lock_guard lock(session.mutex);
  auto at = session.graphs.find(id);
  if (at == session.graphs.end()) {
    std::string known;
    for (const auto &[k, g] : session.graphs) known += (known.empty() ? "" : ", ") + std::to_string(k);
    Fail(GE_GRAPH_NOT_EXIST, function, ": the session has no graph ", id, known.empty() ? "" : "; it has " + known);
  }
  return at->second;
}

extern "C" GeStatus GeSessionCreate(const GeOptions *options, GeSessionHandle **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionCreate, out);
    *out = nullptr;
    auto session = std::make_unique<GeSessionHandle>();
    static std::atomic<uint64_t> next{0};
    session->number = next++;
    session->options = ProcessOptions();
    session->options.Merge(OptionsOf(options, "GeSessionCreate"));
    Resolve(session->options);
    *out = session.release();
  });
}

extern "C" void GeSessionDestroy(GeSessionHandle *session) {
  if (Living(session)) Bury(session);
}

extern "C" GeStatus GeSessionAddGraph(GeSessionHandle *session, uint32_t id, const GeGraph *graph,
                                      const GeOptions *options) {
  return Guard([&] {
    SessionOf(session, "GeSessionAddGraph");
    Graph &g = GraphOf(graph, "GeSessionAddGraph");
    auto entry = std::make_shared<SessionGraph>();
    entry->session = session->number;
    entry->id = id;
    entry->graph = g.Clone();
    entry->variables = session->variables;
    entry->options = session->options;
    entry->options.Merge(OptionsOf(options, "GeSessionAddGraph"));
    Resolve(entry->options);
    std::lock_guard lock(session->mutex);
    if (!session->graphs.emplace(id, std::move(entry)).second) {
      Fail(GE_GRAPH_ALREADY_EXIST, "GeSessionAddGraph: the session has a graph ", id, " already");
    }
  });
}

extern "C" GeStatus GeSessionRemoveGraph(GeSessionHandle *session, uint32_t id) {
  return Guard([&] {
    FindGraph(SessionOf(session, "GeSessionRemoveGraph"), id, "GeSessionRemoveGraph");
    std::lock_guard lock(session->mutex);
    session->graphs.erase(id);
  });
}

extern "C" GeStatus GeSessionCompileGraph(GeSessionHandle *session, uint32_t id) {
  return Guard(
      [&] { FindGraph(SessionOf(session, "GeSessionCompileGraph"), id, "GeSessionCompileGraph")->Compiled(); });
}

extern "C" GeStatus GeSessionRetainModel(GeSessionHandle *session, uint32_t id, GeModel **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionRetainModel, out);
    *out = nullptr;
    SessionOf(session, "GeSessionRetainModel");
    SessionGraphPtr graph = FindGraph(*session, id, "GeSessionRetainModel");
    std::lock_guard lock(graph->mutex);
    if (!graph->model) Fail(GE_BAD_STATE, "GeSessionRetainModel: graph ", id, " is not compiled yet");
    auto handle = std::make_unique<GeModel>();
    handle->model = graph->model;
    *out = handle.release();
  });
}

extern "C" GeStatus GeSessionSetGraphMemory(GeSessionHandle *session, uint32_t id, void *memory, uint64_t size) {
  return Guard([&] {
    SessionGraphPtr graph = FindGraph(SessionOf(session, "GeSessionSetGraphMemory"), id, "GeSessionSetGraphMemory");
    ModelPtr model;
    {
      std::lock_guard lock(graph->mutex);
      model = graph->model;
    }
    if (!model) Fail(GE_BAD_STATE, "GeSessionSetGraphMemory: graph ", id, " is not compiled yet");
    std::lock_guard turn(graph->one_run);
    std::unique_ptr<RunContext> context;
    if (memory || size) {
      context = std::make_unique<RunContext>(std::move(model));
      context->SetMemory(memory, size);
    }
    graph->in_memory = std::move(context);
  });
}

extern "C" GeStatus GeSessionSetConstMemory(GeSessionHandle *session, uint32_t id, void *memory, uint64_t size) {
  return Guard([&] {
    SessionGraphPtr graph = FindGraph(SessionOf(session, "GeSessionSetConstMemory"), id, "GeSessionSetConstMemory");
    if (!memory && size) NullArgument("GeSessionSetConstMemory", "memory");
    if (reinterpret_cast<uintptr_t>(memory) % kBufferAlignment != 0)
      Fail(GE_PARAM_INVALID, "GeSessionSetConstMemory: memory is not aligned to ", kBufferAlignment, " bytes");
    graph->PlaceConstants(memory, size);
  });
}

extern "C" GeStatus GeSessionRunGraph(GeSessionHandle *session, uint32_t id, const GeTensor *const *inputs,
                                      size_t input_count, GeTensor **outputs, size_t *output_count) {
  return Guard([&] {
    SessionOf(session, "GeSessionRunGraph");
    GE_CHECK_ARG(GeSessionRunGraph, output_count);
    if (!inputs && input_count) NullArgument("GeSessionRunGraph", "inputs");
    SessionGraphPtr graph = FindGraph(*session, id, "GeSessionRunGraph");
    ModelPtr model = graph->Compiled();
    const size_t capacity = *output_count, needed = model->outputs().size();
    *output_count = needed;
    if (capacity < needed) {
      Fail(GE_PARAM_INVALID, "GeSessionRunGraph: room for ", capacity, " outputs, graph ", id, " has ", needed);
    }
    if (!outputs && needed) NullArgument("GeSessionRunGraph", "outputs");
    for (size_t i = 0; i < needed; ++i) outputs[i] = nullptr;
    std::vector<GeTensorData> in(input_count);
    for (size_t i = 0; i < input_count; ++i) {
      if (!Living(inputs[i])) LivingOf(inputs[i], "GeSessionRunGraph", Str("inputs[", i, "]").c_str());
      in[i] = inputs[i]->tensor->View();
      if (inputs[i]->refused.empty()) continue;
      const std::string name = i < model->inputs().size() ? " ('" + model->inputs()[i].name + "')" : "";
      Fail(GE_DATA_MISMATCH, "input ", i, name, " has a description that was not accepted: ", inputs[i]->refused);
    }
    for (const VariableBinding::Ref &ref : model->bound().refs) {
      if (ref.input < input_count && inputs[ref.input]->tensor.use_count() > 1) {
        Fail(GE_BAD_STATE, "graph ", id, " changes input '", model->inputs()[ref.input].name,
             "', and a graph or model holds the tensor that was given");
      }
    }
    Lease context(graph, model);
    std::vector<std::shared_ptr<Tensor>> made =
        RunToNewOutputs(*context, in.data(), input_count, [&](GeTensorData *out, size_t count) {
          RecordedRun recorded(graph->session, id, graph->graph->name());
          (*context).Run(in.data(), input_count, out, count, recorded.profiler());
          recorded.Done();
        });
    std::vector<GeTensor *> handles;
    try {
      handles.reserve(needed);
      for (auto &tensor : made) handles.push_back(NewHandle(std::move(tensor)));
    } catch (...) {
      for (GeTensor *h : handles) GeTensorDestroy(h);
      throw;
    }
    for (size_t i = 0; i < needed; ++i) outputs[i] = handles[i];
  });
}
