// Runs of sessions: at once, queued, on streams; and what they tell.
#include <atomic>
#include <memory>

#include "capi/src/flow_messages.h"
#include "capi/src/handles.h"
#include "capi/src/model_handles.h"
#include "core/support/warnings.h"
#include "ge/session.h"

using namespace gec;
using namespace gec::api;

namespace {

/// References to the inputs of a run, which keep their handles: a run that changes an input asks who holds the tensor.
class Inputs {
 public:
  Inputs(const GeTensor *const *inputs, size_t count, const char *function) {
    if (!inputs && count) NullArgument(function, "inputs");
    handles_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      if (!IsValid(inputs[i])) ValidOf(inputs[i], function, Str("inputs[", i, "]").c_str());
      auto *handle = const_cast<GeTensor *>(inputs[i]);
      handle->refs.fetch_add(1, std::memory_order_relaxed);
      handles_.push_back(handle);
    }
  }
  ~Inputs() {
    for (GeTensor *handle : handles_) Drop(handle);
  }
  Inputs(const Inputs &) = delete;
  Inputs &operator=(const Inputs &) = delete;

  std::vector<RunInput> List() const {
    std::vector<RunInput> list;
    for (const GeTensor *handle : handles_) list.push_back({&handle->tensor, &handle->refused});
    return list;
  }

 private:
  std::vector<GeTensor *> handles_;
};

/// Handles of new tensors, which are destroyed unless they are handed out.
class Handles {
 public:
  explicit Handles(const TensorList &tensors) {
    made_.reserve(tensors.size());
    try {
      for (const auto &tensor : tensors) made_.push_back(NewHandle(tensor));
    } catch (...) {
      Destroy();
      throw;
    }
  }
  ~Handles() { Destroy(); }
  Handles(const Handles &) = delete;
  Handles &operator=(const Handles &) = delete;

  GeTensor *const *data() const { return made_.data(); }
  size_t size() const { return made_.size(); }
  void HandOut() noexcept { made_.clear(); }
  void HandOut(GeTensor **outputs) noexcept {
    for (size_t i = 0; i < made_.size(); ++i) outputs[i] = made_[i];
    made_.clear();
  }

 private:
  void Destroy() noexcept {
    for (GeTensor *handle : made_) GeTensorDestroy(handle);
  }
  std::vector<GeTensor *> made_;
};

/// Says how many outputs there are, and refuses room for fewer.
void CheckOutputs(SessionGraph &graph, const char *function, const std::vector<RunInput> &inputs, GeTensor **outputs,
                  size_t *count) {
  const size_t capacity = *count, needed = graph.OutputCount(inputs);
  *count = needed;
  if (capacity < needed)
    Fail(GE_PARAM_INVALID, function, ": room for ", capacity, " outputs, graph ", graph.id(), " has ", needed);
  if (!outputs && needed) NullArgument(function, "outputs");
  for (size_t i = 0; i < needed; ++i) outputs[i] = nullptr;
}

void SayThatStreamsAreNotThere() {
  static std::atomic<bool> said{false};  // WarnOnce takes a lock, which runs do without
  if (said.load(std::memory_order_relaxed)) return;
  WarnOnce("RunGraphWithStreamAsync: there are no streams on a CPU, a run on one is over when the call returns");
  said = true;
}

/// What a program handed over with a callback.
class User {
 public:
  User() = default;
  ~User() {
    if (destroy_) destroy_(user_);
  }
  User(const User &) = delete;
  User &operator=(const User &) = delete;
  /// Takes it over, once nothing can fail any more.
  void Own(void *user, void (*destroy)(void *user)) noexcept {
    user_ = user;
    destroy_ = destroy;
  }
  void *get() const { return user_; }

 private:
  void *user_ = nullptr;
  void (*destroy_)(void *user) = nullptr;
};

/// A run that waits for its turn.
struct Queued {
  explicit Queued(GeSessionRunDone done) : done(done) {}
  User user;
  GeSessionRunDone done;
  std::unique_ptr<Inputs> inputs;

  void Run(Session &session, uint32_t id) {
    std::unique_ptr<Handles> outputs;
    const GeStatus status = Guard([&] {
      const SessionGraphPtr graph = session.Find(id, "RunGraphAsync");
      outputs = std::make_unique<Handles>(session.Run(*graph, inputs->List()));
    });
    inputs.reset();
    Tell(status, outputs.get());
  }
  void Tell(GeStatus status, Handles *outputs) {
    if (!done) return;
    done(user.get(), status, outputs ? outputs->data() : nullptr, outputs ? outputs->size() : 0);
    if (outputs) outputs->HandOut();
  }
};

}  // namespace

extern "C" {

GeStatus GeSessionRunGraph(GeSessionHandle *session, uint32_t id, const GeTensor *const *inputs, size_t input_count,
                           GeTensor **outputs, size_t *output_count) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionRunGraph");
    GE_CHECK_ARG(GeSessionRunGraph, output_count);
    const Inputs given(inputs, input_count, "GeSessionRunGraph");
    const SessionGraphPtr graph = target.Find(id, "RunGraph");
    graph->Claim(RunMode::kSync);
    CheckOutputs(*graph, "GeSessionRunGraph", given.List(), outputs, output_count);
    Handles(target.Run(*graph, given.List())).HandOut(outputs);
  });
}

GeStatus GeSessionRunGraphAsync(GeSessionHandle *session, uint32_t id, const GeTensor *const *inputs,
                                size_t input_count, GeSessionRunDone done, void *user, void (*destroy)(void *user)) {
  std::shared_ptr<Queued> queued;
  const GeStatus made = Guard([&] { queued = std::make_shared<Queued>(done); });
  if (made != GE_SUCCESS) {
    if (done) done(user, made, nullptr, 0);
    if (destroy) destroy(user);
    return made;
  }
  queued->user.Own(user, destroy);
  const GeStatus status = Guard([&] {
    Session &target = SessionOf(session, "GeSessionRunGraphAsync");
    queued->inputs = std::make_unique<Inputs>(inputs, input_count, "GeSessionRunGraphAsync");
    if (const SessionGraphPtr graph = target.FindOrNull(id)) graph->Claim(RunMode::kAsync);
    target.Submit([&target, id, queued] { queued->Run(target, id); });
  });
  if (status != GE_SUCCESS) queued->Tell(status, nullptr);
  return status;
}

GeStatus GeSessionRunGraphOnStream(GeSessionHandle *session, uint32_t id, GeStreamRun *run) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionRunGraphOnStream");
    GE_CHECK_ARG(GeSessionRunGraphOnStream, run);
    (void)ReadStruct(*run, "GeSessionRunGraphOnStream");  // all members are there since ABI 1
    run->at_once = 1;
    const Inputs given(run->inputs, run->input_count, "GeSessionRunGraphOnStream");
    if (!run->given && run->given_count) NullArgument("GeSessionRunGraphOnStream", "run->given");
    const SessionGraphPtr graph = target.Find(id, "RunGraphWithStreamAsync");
    if (run->loaded_only && graph->state() != GE_SESSION_GRAPH_LOADED)
      Fail(GE_NOT_LOADED, "E10062: ExecuteGraphWithStreamAsync: graph ", id, " is not compiled and loaded");
    graph->Claim(RunMode::kStream);
    graph->LoadFor(given.List());
    CheckOutputs(*graph, "GeSessionRunGraphOnStream", given.List(), run->outputs, &run->output_count);
    Handles outputs(run->given ? target.RunInto(*graph, given.List(), run->given, run->given_count)
                               : target.RunOnStream(*graph, given.List(), run->stream));
    SayThatStreamsAreNotThere();
    outputs.HandOut(run->outputs);
  });
}

GeStatus GeSessionRegisterWatch(GeSessionHandle *session, const char *key, GeSessionWatch watch, void *user,
                                void (*destroy)(void *user)) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionRegisterWatch");
    GE_CHECK_ARG(GeSessionRegisterWatch, key);
    const std::string name = key;
    if (!watch || (name != "Summary" && name != "Save"))
      Fail(GE_PARAM_INVALID, "RegisterCallBackFunc takes a function for key Summary or Save, not for '", name, "'");
    auto owned = std::make_shared<User>();
    target.Watch(name, [watch, owned, name](uint32_t id, const std::vector<std::string> &names, TensorList values) {
      Handles handles(values);
      values.clear();
      std::vector<const char *> texts;
      for (const std::string &text : names) texts.push_back(text.c_str());
      const GeStatus status = watch(owned->get(), id, texts.data(), handles.data(), handles.size());
      handles.HandOut();
      if (status != GE_SUCCESS) Fail(GE_FAILED, "the callback for ", name, " failed");
    });
    owned->Own(user, destroy);
  });
}

GeStatus GeSessionFlowPorts(GeSessionHandle *session, uint32_t id, size_t *input_count, size_t *output_count) {
  return Guard([&] {
    if (input_count) *input_count = 0;
    if (output_count) *output_count = 0;
    Session &target = SessionOf(session, "GeSessionFlowPorts");
    const char *call = input_count ? "FeedDataFlowGraph" : "FetchDataFlowGraph";  // what such a number is for
    target.Find(id, call)->Flow()->Use([&](Flow &flow) {
      if (input_count) *input_count = flow.input_count();
      if (output_count) *output_count = flow.output_count();
    });
  });
}

GeStatus GeSessionFeedFlow(GeSessionHandle *session, uint32_t id, const uint32_t *indexes,
                           const GeFlowMessage *messages, size_t count, int32_t timeout_ms) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionFeedFlow");
    GE_CHECK_ARG(GeSessionFeedFlow, messages);
    target.Find(id, "FeedDataFlowGraph")->Flow()->Use([&](Flow &flow) {
      FeedMessages(flow, "FeedDataFlowGraph", indexes, messages, count, timeout_ms);
    });
  });
}

GeStatus GeSessionFetchFlow(GeSessionHandle *session, uint32_t id, const uint32_t *indexes, GeFlowMessage *messages,
                            size_t count, int32_t timeout_ms) {
  return Guard([&] {
    Session &target = SessionOf(session, "GeSessionFetchFlow");
    GE_CHECK_ARG(GeSessionFetchFlow, messages);
    GeStatus status = GE_SUCCESS;
    target.Find(id, "FetchDataFlowGraph")->Flow()->Use([&](Flow &flow) {
      status = FetchMessages(flow, "FetchDataFlowGraph", indexes, messages, count, timeout_ms);
    });
    return status;
  });
}
}
