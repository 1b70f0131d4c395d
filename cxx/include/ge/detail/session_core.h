// Code shared by both session classes: a session of the C interface, and the types of C++ in front of it.
#ifndef INC_GE_DETAIL_SESSION_CORE_H_
#define INC_GE_DETAIL_SESSION_CORE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/detail/process.h"
#include "ge/detail/session_calls.h"
#include "ge/detail/session_flow.h"
#include "ge/detail/session_tensors.h"
#include "ge/session.h"
#include "ge/variables.h"

namespace ge {
namespace detail {

class SessionCore {
 public:
  using Callback = std::function<Status(uint32_t, const std::map<AscendString, Tensor> &)>;

  explicit SessionCore(const OptionMap &options) {
    if (GeIsInitialized() == 0) {
      (void)GeSetLastError(GE_NOT_INITIALIZED, "E10062: the session was created before GEInitialize");
      return;
    }
    Options set(options);
    if (set.status() == SUCCESS) (void)GeSessionCreate(set.get(), &handle_);
  }
  ~SessionCore() { GeSessionDestroy(handle_); }
  SessionCore(const SessionCore &) = delete;
  SessionCore &operator=(const SessionCore &) = delete;
  uint64_t id() const { return GeSessionId(handle_); }
  GeSessionHandle *handle() const { return handle_; }
  /// Calls of a session that was refused when it was made say so, each time.
  bool ok() const {
    if (handle_ != nullptr) return true;
    if (*GeLastErrorMessage() == '\0')
      (void)GeSetLastError(GE_NOT_INITIALIZED,
                           "E10062: the session was refused when it was created (GEInitialize first)");
    return false;
  }

  /// Without `copy` the caller's own graph is the one that is compiled, as it is then.
  Status Add(uint32_t graph_id, const Graph &graph, const OptionMap &options, bool copy) {
    if (!ok() || graph.handle() == nullptr) return FAILED;
    Options set(options);
    if (set.status() != SUCCESS) return FAILED;
    const GeStatus status = copy ? GeSessionAddGraph(handle_, graph_id, graph.handle(), set.get())
                                 : GeSessionAddSharedGraph(handle_, graph_id, graph.handle(), set.get());
    return status == GE_GRAPH_ALREADY_EXIST ? SUCCESS : Of(status);  // the first graph stays
  }
  Status Remove(uint32_t graph_id) { return ok() ? Of(GeSessionRemoveGraph(handle_, graph_id)) : FAILED; }
  bool NeedRebuild(uint32_t graph_id) {
    GeSessionGraphState state = GE_SESSION_GRAPH_ADDED;
    return !ok() || GeSessionGetGraphState(handle_, graph_id, &state) != GE_SUCCESS || state == GE_SESSION_GRAPH_ADDED;
  }
  /// The compiled model, or null; the caller destroys it.
  GeModel *CompiledModel(uint32_t graph_id) {
    GeModel *model = nullptr;
    return ok() && GeSessionRetainModel(handle_, graph_id, &model) == GE_SUCCESS ? model : nullptr;
  }
  Status Compile(uint32_t graph_id) { return ok() ? Of(GeSessionCompileGraph(handle_, graph_id)) : FAILED; }
  /// `inputs` replace types and shapes of the graph's inputs, by index. A graph that is compiled stays as it is.
  Status Compile(uint32_t graph_id, const std::vector<TensorDesc> &inputs) {
    if (inputs.empty()) return Compile(graph_id);
    if (!ok()) return FAILED;
    std::vector<GeTensorData> descs;
    for (const TensorDesc &input : inputs) descs.push_back(input.View());
    return Of(GeSessionCompileGraphFor(handle_, graph_id, descs.data(), descs.size()));
  }
  Status CompileForStreams(uint32_t graph_id) {
    if (!ok()) return FAILED;
    const GeStatus status = GeSessionCompileGraphForStreams(handle_, graph_id);
    return status == GE_RUN_MODE_MIXED ? UNSUPPORTED : Of(status);
  }
  /// Options that act come too late here, of which there is a warning.
  Status Load(uint32_t graph_id, const OptionMap &options) {
    if (!ok()) return FAILED;
    const Options set(options);
    return set.status() == SUCCESS ? Of(GeSessionLoadWithOptions(handle_, graph_id, set.get())) : FAILED;
  }
  /// The compiled graph's report as JSON: where its nodes run, memory, time.
  Status Describe(uint32_t graph_id, AscendString &json) {
    GeModel *model = CompiledModel(graph_id);
    if (model == nullptr) return FAILED;
    std::string text;
    auto write = [](void *user, const char *part, size_t length) {
      static_cast<std::string *>(user)->append(part, length);
    };
    const GeStatus status = GeModelDescribe(model, GE_MODEL_REPORT, write, &text);
    GeModelDestroy(model);
    if (status == GE_SUCCESS) json = AscendString(text.c_str(), text.size());
    return Of(status);
  }
  /// An option of the graph, else of the session, else of the process; "" where nobody sets it.
  std::string Option(uint32_t graph_id, const char *key) {
    const char *value = nullptr;
    (void)GeSessionGetGraphOption(handle_, graph_id, key, &value);
    return value != nullptr ? value : "";
  }

  /// Memory from outside (ge/session.h says in which order).
  Status SetMemory(uint32_t graph_id, GeSessionMemory kind, const void *memory, size_t size,
                   MemoryType type = MemoryType::MEMORY_TYPE_DEFAULT) {
    if (!ok()) return FAILED;
    if (type != MemoryType::MEMORY_TYPE_DEFAULT) {
      (void)GeSetLastError(GE_UNSUPPORTED, "there is only memory of the default type");
      return FAILED;
    }
    const GeStatus status = GeSessionSetMemory(handle_, graph_id, kind, const_cast<void *>(memory), size);
    return status == GE_ALREADY_SET ? GE_GRAPH_REPEAT_OPERATION : Of(status);
  }
  Status RegisterAllocator(const void *stream, const AllocatorPtr &allocator) {
    if (!ok() || stream == nullptr || allocator == nullptr) return FAILED;
    const GeStreamAllocator functions = AllocatorCalls::Of(allocator);
    const GeStatus status = GeSessionRegisterAllocator(handle_, stream, &functions);
    if (status != GE_SUCCESS) functions.destroy(functions.user);
    return Of(status);
  }
  Status UnregisterAllocator(const void *stream) {
    return ok() && stream != nullptr ? Of(GeSessionUnregisterAllocator(handle_, stream)) : FAILED;
  }

  // ---- runs ----
  /// UNSUPPORTED when the graph has been run in another way before.
  Status Run(uint32_t graph_id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    outputs.clear();
    if (!ok()) return FAILED;
    const std::vector<const GeTensor *> in = HandlesOf(inputs);
    const GeStatus status = Collect(outputs, [&](GeTensor **out, size_t *count) {
      return GeSessionRunGraph(handle_, graph_id, in.data(), in.size(), out, count);
    });
    return status == GE_RUN_MODE_MIXED ? UNSUPPORTED : Of(status);
  }
  Status Run(uint32_t graph_id, const std::vector<gert::Tensor> &inputs, std::vector<gert::Tensor> &outputs) {
    outputs.clear();
    std::vector<Tensor> in, out;
    if (!OutputMemory::Borrow(inputs, in)) return FAILED;
    const Status status = Run(graph_id, in, out);
    OutputMemory::Share(std::move(out), outputs);
    return status;
  }
  /// `done` is called with what the run came to, on the session's thread; here where the run is refused at once. It
  /// keeps what the inputs need.
  Status RunAsync(uint32_t graph_id, const std::vector<Tensor> &inputs, AsyncRun::Done done) {
    auto *run = new AsyncRun{std::move(done)};
    const std::vector<const GeTensor *> in = HandlesOf(inputs);
    if (!ok()) {
      AsyncRun::Call(run, FAILED, nullptr, 0);
      AsyncRun::Destroy(run);
      return FAILED;
    }
    const GeStatus status =
        GeSessionRunGraphAsync(handle_, graph_id, in.data(), in.size(), &AsyncRun::Call, run, &AsyncRun::Destroy);
    return AsyncRun::StatusOf(status);
  }
  /// Runs into the outputs that the caller brings; others come from the stream's allocator, where one is registered.
  /// The run is over when this returns, of which the library warns once; all outputs are labelled as what they are, the
  /// host's.
  Status RunOnStream(uint32_t graph_id, const void *stream, const std::vector<Tensor> &inputs,
                     std::vector<Tensor> &outputs) {
    std::vector<GeTensorData> given;
    for (Tensor &output : outputs) given.push_back(OutputMemory::Given(output.GetData(), output.GetSize()));
    std::vector<Tensor> results;
    const GeStatus status = RunOnStream(graph_id, stream, false, inputs, given, results);
    if (status != GE_SUCCESS) return FAILED;
    if (outputs.empty()) outputs = std::move(results);
    else
      for (Tensor &output : outputs) (void)output.SetPlacement(kPlacementHost);
    return SUCCESS;
  }
  Status RunOnStream(uint32_t graph_id, const void *stream, const std::vector<gert::Tensor> &inputs,
                     std::vector<gert::Tensor> &outputs, bool loaded_only = false) {
    std::vector<GeTensorData> given;
    for (gert::Tensor &output : outputs) given.push_back(OutputMemory::Given(output.GetAddr(), output.GetSize()));
    std::vector<Tensor> in, results;
    if (!OutputMemory::Borrow(inputs, in)) return FAILED;
    const GeStatus status = RunOnStream(graph_id, stream, loaded_only, in, given, results);
    if (status == GE_NOT_LOADED || (loaded_only && status == GE_GRAPH_NOT_EXIST)) return GE_GRAPH_NOT_BUILT;
    if (status != GE_SUCCESS) return FAILED;
    if (outputs.empty()) OutputMemory::Share(std::move(results), outputs);
    else
      for (size_t i = 0; i < outputs.size(); ++i) OutputMemory::DescribeAs(results[i], outputs[i]);
    return SUCCESS;
  }

  /// "Summary": called after every run with what Summary nodes of the graph got, by node name. "Save": with what its
  /// Save nodes got, by the names of variables.
  Status RegisterCallback(const char *key, const Callback &callback) {
    if (!ok()) return FAILED;
    auto *watch = callback ? new WatchCall{callback} : nullptr;
    const GeStatus status = GeSessionRegisterWatch(
        handle_, key != nullptr ? key : "", watch != nullptr ? &WatchCall::Call : nullptr, watch, &WatchCall::Destroy);
    if (status != GE_SUCCESS) delete watch;
    return Of(status);
  }
  /// Copies of variables' values, all of one moment; no names mean all of them, in the order they came into being.
  Status GetVariables(const std::vector<AscendString> &names, std::vector<Tensor> &values) {
    values.clear();
    if (!ok()) return FAILED;
    std::vector<const char *> wanted;
    for (const AscendString &name : names) wanted.push_back(name.GetString());
    size_t count = 0;
    if (names.empty() && GeSessionVariableCount(handle_, &count) != GE_SUCCESS) return FAILED;
    for (size_t i = 0; i < count; ++i) {
      const char *name = nullptr;
      if (GeSessionVariableName(handle_, i, &name) != GE_SUCCESS) return FAILED;
      wanted.push_back(name);
    }
    std::vector<GeTensor *> made(wanted.size(), nullptr);
    if (GeSessionCloneVariables(handle_, wanted.data(), wanted.size(), made.data()) != GE_SUCCESS) return FAILED;
    for (GeTensor *tensor : made) values.push_back(Tensor::Adopt(tensor));
    return SUCCESS;
  }
  /// The graph as a flow.
  SessionFlow FlowOf(uint32_t graph_id) { return SessionFlow(ok() ? handle_ : nullptr, graph_id); }

 private:
  static Status Of(GeStatus status) { return status == GE_SUCCESS ? SUCCESS : FAILED; }
  static std::vector<const GeTensor *> HandlesOf(const std::vector<Tensor> &tensors) {
    std::vector<const GeTensor *> handles;
    for (const Tensor &tensor : tensors) handles.push_back(tensor.handle());
    return handles;
  }
  /// Calls with room for as many outputs as there are.
  template <class Call>
  static GeStatus Collect(std::vector<Tensor> &outputs, const Call &call) {
    size_t count = 16;
    std::vector<GeTensor *> made(count, nullptr);
    GeStatus status = call(made.data(), &count);
    if (status == GE_PARAM_INVALID && count > made.size()) {
      made.assign(count, nullptr);
      status = call(made.data(), &count);
    }
    for (size_t i = 0; status == GE_SUCCESS && i < count; ++i) outputs.push_back(Tensor::Adopt(made[i]));
    return status;
  }
  GeStatus RunOnStream(uint32_t graph_id, const void *stream, bool loaded_only, const std::vector<Tensor> &inputs,
                       const std::vector<GeTensorData> &given, std::vector<Tensor> &outputs) {
    if (!ok()) return GE_FAILED;
    const std::vector<const GeTensor *> in = HandlesOf(inputs);
    return Collect(outputs, [&](GeTensor **out, size_t *count) {
      GeStreamRun run{};
      run.struct_size = sizeof run;
      run.stream = stream;
      run.inputs = in.data();
      run.input_count = in.size();
      run.given = given.empty() ? nullptr : given.data();
      run.given_count = given.size();
      run.outputs = out;
      run.output_count = *count;
      run.loaded_only = loaded_only ? 1 : 0;
      const GeStatus status = GeSessionRunGraphOnStream(handle_, graph_id, &run);
      *count = run.output_count;
      return status;
    });
  }

  GeSessionHandle *handle_ = nullptr;
};

}  // namespace detail
}  // namespace ge

#endif
