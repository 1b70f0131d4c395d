// What both session classes share: graphs by id with their options, the ways of running them, and the C session behind.
#ifndef INC_GE_DETAIL_SESSION_CORE_H_
#define INC_GE_DETAIL_SESSION_CORE_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ge/detail/process.h"
#include "ge/detail/save_nodes.h"
#include "ge/detail/session_flow.h"
#include "ge/detail/session_tensors.h"
#include "ge/detail/summary_nodes.h"
#include "ge/detail/work_queue.h"
#include "ge/variables.h"

namespace ge {
namespace detail {

enum class RunMode { kNone, kSync, kAsync, kStream };

class SessionCore {
 public:
  using Callback = std::function<Status(uint32_t, const std::map<AscendString, Tensor> &)>;

  explicit SessionCore(const OptionMap &options) : options_(options) {
    static std::atomic<uint64_t> next{0};
    id_ = next++;
    if (!Initialized()) {
      (void)GeSetLastError(GE_NOT_INITIALIZED, "E10062: the session was created before GEInitialize");
      return;
    }
    Options set(options);
    if (set.status() == SUCCESS) (void)GeSessionCreate(set.get(), &handle_);
  }
  ~SessionCore() {
    queue_.reset();
    for (auto &[id, entry] : entries_) EndFlow(*entry);
    GeSessionDestroy(handle_);
  }
  SessionCore(const SessionCore &) = delete;
  SessionCore &operator=(const SessionCore &) = delete;
  uint64_t id() const { return id_; }
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
    GeStatus status = GeSessionAddGraph(handle_, graph_id, graph.handle(), set.get());
    if (status == GE_GRAPH_ALREADY_EXIST) return SUCCESS;  // the first graph stays
    if (status != GE_SUCCESS) return FAILED;
    auto entry = std::make_shared<Entry>();
    entry->graph = copy ? Clone(graph) : graph;
    entry->options = options;
    if (entry->graph.handle() == nullptr) return FAILED;
    std::lock_guard<std::mutex> lock(mutex_);
    entries_[graph_id] = std::move(entry);
    return SUCCESS;
  }
  Status Remove(uint32_t graph_id) {
    if (!ok() || GeSessionRemoveGraph(handle_, graph_id) != GE_SUCCESS) return Failed();
    const std::shared_ptr<Entry> entry = Find(graph_id);  // a flow's threads end outside the lock
    {
      std::lock_guard<std::mutex> lock(mutex_);
      entries_.erase(graph_id);
    }
    if (entry != nullptr) EndFlow(*entry);
    return SUCCESS;
  }
  bool NeedRebuild(uint32_t graph_id) {
    const std::shared_ptr<Entry> entry = Find(graph_id);
    if (entry != nullptr && CurrentFlow(*entry) != nullptr) return false;
    GeModel *model = CompiledModel(graph_id);
    GeModelDestroy(model);
    return model == nullptr;
  }
  /// The compiled model, or null; the caller destroys it.
  GeModel *CompiledModel(uint32_t graph_id) {
    GeModel *model = nullptr;
    if (!ok() || GeSessionRetainModel(handle_, graph_id, &model) != GE_SUCCESS) return nullptr;
    return model;
  }
  Status Compile(uint32_t graph_id) { return Compile(graph_id, {}); }
  /// `inputs` replace types and shapes of the graph's inputs, by index. A graph that is compiled stays as it is.
  Status Compile(uint32_t graph_id, const std::vector<TensorDesc> &inputs) {
    if (!ok()) return FAILED;
    const std::shared_ptr<Entry> entry = Find(graph_id);
    if (entry != nullptr) {
      if (IsFlow(*entry)) return FlowOf(graph_id, "CompileGraph") != nullptr ? SUCCESS : FAILED;
      std::lock_guard<std::mutex> lock(entry->compiling);
      CurrentOptions current(entry->options, options_);
      if (!entry->compiled && Renew(graph_id, *entry, inputs) != SUCCESS) return FAILED;
      entry->compiled = true;
    }
    return GeSessionCompileGraph(handle_, graph_id) == GE_SUCCESS ? SUCCESS : Failed();
  }
  Status Load(uint32_t graph_id) {
    const Status status = Compile(graph_id);
    if (status != SUCCESS) return status;
    if (const std::shared_ptr<Entry> entry = Find(graph_id)) entry->loaded = true;
    return SUCCESS;
  }
  bool Loaded(uint32_t graph_id) {
    const std::shared_ptr<Entry> entry = Find(graph_id);
    return entry != nullptr && entry->loaded;
  }
  /// The graph as a flow at work, started where it is not yet; null with the reason as last error.
  std::shared_ptr<SessionFlow> FlowOf(uint32_t graph_id, const char *call) {
    const std::shared_ptr<Entry> entry = ok() ? Find(graph_id) : nullptr;
    if (entry == nullptr) {
      const std::string text =
          std::string("E10062: ") + call + ": the session has no graph " + std::to_string(graph_id);
      (void)GeSetLastError(GE_GRAPH_NOT_EXIST, text.c_str());
      return nullptr;
    }
    std::lock_guard<std::mutex> lock(entry->compiling);
    if (entry->removed) {
      (void)Say(GE_GRAPH_NOT_EXIST, "E10062: the graph was removed");
      return nullptr;
    }
    if (entry->flow != nullptr) return entry->flow;
    OptionMap all = options_;
    for (const auto &[key, value] : entry->options) all[key] = value;
    Options set(all);
    if (set.status() != SUCCESS) return nullptr;
    CurrentOptions current(entry->options, options_);
    return entry->flow = SessionFlow::Create(entry->graph, set.get());
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
    if (status != GE_SUCCESS) return FAILED;
    json = AscendString(text.c_str(), text.size());
    return SUCCESS;
  }
  /// An option of the graph, else of the session, else of the process; "" where nobody sets it.
  std::string Option(uint32_t graph_id, const char *key) {
    static const OptionMap none;
    const std::shared_ptr<Entry> entry = Find(graph_id);
    CurrentOptions current(entry != nullptr ? entry->options : none, options_);
    AscendString value;
    return CurrentOptions::Find(AscendString(key), value) ? value.GetString() : "";
  }

  // ---- memory from outside ----
  enum class Base { kFeature, kRefreshable, kFixed, kConst };
  /// Runs of the graph then work in this memory, which outlives them; one at a time.
  Status SetMemory(uint32_t graph_id, Base base, const void *memory, size_t size, MemoryType type) {
    const std::shared_ptr<Entry> entry = Find(graph_id);
    GeModel *model = entry != nullptr ? CompiledModel(graph_id) : nullptr;
    if (model == nullptr) return Say(GE_BAD_STATE, "E10062: memory can be set for graphs that are compiled");
    GeModelMemory needed{};
    needed.struct_size = sizeof needed;
    const GeStatus read = GeModelGetMemory(model, &needed);
    GeModelDestroy(model);
    if (read != GE_SUCCESS) return FAILED;
    if (needed.is_static == 0) return Say(GE_UNSUPPORTED, "a graph with unknown shapes has no plan to give memory to");
    if (type != MemoryType::MEMORY_TYPE_DEFAULT) return Say(GE_UNSUPPORTED, "there is only memory of the default type");
    std::lock_guard<std::mutex> lock(entry->compiling);
    if (base == Base::kFixed || base == Base::kConst) {  // set once, before the graph is loaded
      bool &set = base == Base::kFixed ? entry->fixed_set : entry->const_set;
      if (set) return SayStatus(GE_GRAPH_REPEAT_OPERATION, "E10062: this memory of the graph was set before");
      if (entry->loaded) return Say(GE_BAD_STATE, "E10062: this memory of a graph is set before it is loaded");
      if (base == Base::kConst) {
        const uint64_t bytes = needed.constant_bytes + needed.packed_bytes;
        if (memory == nullptr || size < bytes)
          return Refuse("bytes of memory for weights", bytes, memory == nullptr ? 0 : size);
        if (GeSessionSetConstMemory(handle_, graph_id, const_cast<void *>(memory), size) != GE_SUCCESS) return FAILED;
      }
      set = true;  // of fixed memory: no tensor has to stay where it is, there is nothing to put there
      return SUCCESS;
    }
    if ((base == Base::kFeature ? entry->refreshable : entry->feature) != nullptr)
      return Say(GE_BAD_STATE, "E10062: feature memory and refreshable feature memory are alternatives");
    if (memory == nullptr || size < needed.arena_bytes)
      return Refuse("bytes of feature memory", needed.arena_bytes, memory == nullptr ? 0 : size);
    if (GeSessionSetGraphMemory(handle_, graph_id, const_cast<void *>(memory), size) != GE_SUCCESS) return FAILED;
    (base == Base::kFeature ? entry->feature : entry->refreshable) = memory;
    return SUCCESS;
  }

  // ---- memory of outputs of runs on a stream ----
  Status RegisterAllocator(const void *stream, const AllocatorPtr &allocator) {
    if (stream == nullptr || allocator == nullptr) return FAILED;
    std::lock_guard<std::mutex> lock(mutex_);
    allocators_[stream] = allocator;
    return SUCCESS;
  }
  Status UnregisterAllocator(const void *stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    return stream != nullptr && allocators_.erase(stream) != 0 ? SUCCESS : FAILED;
  }
  AllocatorPtr AllocatorOf(const void *stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = allocators_.find(stream);
    return found == allocators_.end() ? nullptr : found->second;
  }

  // ---- runs ----
  /// Runs into the outputs that the caller brings; others come from the stream's allocator, where one is registered.
  template <class AnyTensor>
  Status RunOnStream(uint32_t graph_id, const void *stream, const std::vector<AnyTensor> &inputs,
                     std::vector<AnyTensor> &outputs) {
    if (!Loaded(graph_id) && Load(graph_id) != SUCCESS) return FAILED;
    if (!outputs.empty()) {
      std::vector<AnyTensor> results;
      const Status status = Run(graph_id, inputs, results);
      if (status != SUCCESS) return status;
      if (results.size() != outputs.size()) return Refuse("outputs", results.size(), outputs.size());
      for (size_t i = 0; i < results.size(); ++i) {
        if (outputs[i].GetSize() < results[i].GetSize())
          return Refuse("bytes of an output", results[i].GetSize(), outputs[i].GetSize());
        OutputMemory::CopyOut(results[i], outputs[i]);
      }
      return SUCCESS;
    }
    const AllocatorPtr allocator = AllocatorOf(stream);
    const Status status = Run(graph_id, inputs, outputs);
    if (status != SUCCESS || allocator == nullptr) return status;
    for (AnyTensor &tensor : outputs)
      if (OutputMemory::MoveTo(allocator, tensor) != SUCCESS) return FAILED;
    return SUCCESS;
  }
  /// UNSUPPORTED when the graph has been run in another way before.
  Status Claim(uint32_t graph_id, RunMode mode) {
    const std::shared_ptr<Entry> entry = Find(graph_id);
    if (entry == nullptr) return SUCCESS;  // an unknown graph: the session says so
    std::lock_guard<std::mutex> lock(mutex_);
    if (entry->mode != RunMode::kNone && entry->mode != mode) {
      (void)GeSetLastError(GE_UNSUPPORTED, "E10062: run modes must not be mixed on one graph id");
      return UNSUPPORTED;
    }
    entry->mode = mode;
    return SUCCESS;
  }
  Status Run(uint32_t graph_id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    outputs.clear();
    if (!ok()) return FAILED;
    const std::shared_ptr<Entry> entry = Find(graph_id);
    if (entry != nullptr && IsFlow(*entry))
      return Say(GE_UNSUPPORTED, "E10062: a data-flow graph is fed and fetched, not run");
    std::vector<const GeTensor *> in;
    for (const Tensor &tensor : inputs) in.push_back(tensor.handle());
    if (Compile(graph_id) != SUCCESS) return FAILED;
    GeModel *model = CompiledModel(graph_id);
    if (model == nullptr || entry == nullptr) return FAILED;
    size_t capacity = GeModelOutputCount(model);
    GeModelDestroy(model);
    std::vector<GeTensor *> out(capacity + 1, nullptr);
    CurrentOptions current(entry->options, options_);
    GeStatus status = GeSessionRunGraph(handle_, graph_id, in.data(), in.size(), out.data(), &capacity);
    if (status != GE_SUCCESS) return Failed();
    for (size_t i = 0; i < capacity; ++i) outputs.push_back(Tensor::Adopt(out[i]));
    const Status saved = Tell(graph_id, entry->saved, save_, "Save", outputs);
    const Status told = Tell(graph_id, entry->summaries, summary_, "Summary", outputs);
    return saved == SUCCESS ? told : saved;
  }
  Status Run(uint32_t graph_id, const std::vector<gert::Tensor> &inputs, std::vector<gert::Tensor> &outputs) {
    outputs.clear();
    std::vector<Tensor> in(inputs.size()), out;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (OutputMemory::Borrow(inputs[i], in[i]) != GRAPH_SUCCESS) return FAILED;
    const Status status = Run(graph_id, in, out);
    for (Tensor &tensor : out) outputs.push_back(OutputMemory::Share(std::move(tensor)));
    return status;
  }
  /// "Summary": called after every run with what Summary nodes of the graph got, by node name. "Save": with what its
  /// Save nodes got, by the names of variables.
  Status RegisterCallback(const char *key, const Callback &callback) {
    const std::string name = key != nullptr ? key : "";
    if ((name != "Summary" && name != "Save") || !callback)
      return Say(GE_PARAM_INVALID, "RegisterCallBackFunc takes a function for key Summary or Save");
    std::lock_guard<std::mutex> lock(mutex_);
    (name == "Save" ? save_ : summary_) = callback;
    return SUCCESS;
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
  /// Whether the graph has variables of its own, subgraphs aside.
  bool HasVariables(uint32_t graph_id) {
    const std::shared_ptr<Entry> entry = Find(graph_id);
    return entry != nullptr && SaveNodes::Variables(entry->graph);
  }
  WorkQueue &queue() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!queue_) queue_ = std::make_unique<WorkQueue>();
    return *queue_;
  }
  GeSessionHandle *handle() const { return handle_; }

 private:
  struct Entry {
    Graph graph;
    OptionMap options;
    std::mutex compiling;  // also for what follows
    bool compiled = false, fixed_set = false, const_set = false, removed = false;
    std::shared_ptr<SessionFlow> flow;
    std::atomic<bool> loaded{false};
    const void *feature = nullptr, *refreshable = nullptr;
    std::vector<std::string> summaries;  // names of Summary nodes: their values follow the graph's outputs
    std::vector<std::string> saved;      // names of variables that Save nodes read: these values come last
    RunMode mode = RunMode::kNone;
  };
  std::shared_ptr<Entry> Find(uint32_t graph_id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = entries_.find(graph_id);
    return found == entries_.end() ? nullptr : found->second;
  }
  static bool IsFlow(const Entry &entry) {
    AttrValue held;
    bool is_flow = false;
    return entry.graph.GetAttr("_dflow_is_flow_graph", held) == GRAPH_SUCCESS &&
           held.GetAttrValue(is_flow) == GRAPH_SUCCESS && is_flow;
  }
  static std::shared_ptr<SessionFlow> CurrentFlow(Entry &entry) {
    std::lock_guard<std::mutex> lock(entry.compiling);
    return entry.flow;
  }
  // Calls that wait in it return, then its threads end.
  static void EndFlow(Entry &entry) {
    std::shared_ptr<SessionFlow> flow;
    {
      std::lock_guard<std::mutex> lock(entry.compiling);
      entry.removed = true;
      flow.swap(entry.flow);
    }
    if (flow != nullptr) flow->End();
  }
  static Graph Clone(const Graph &graph) {
    GeGraph *copy = nullptr;
    (void)GeGraphClone(graph.handle(), nullptr, &copy);
    return Graph::Adopt(copy);
  }
  // Before the first compile: the session's copy is made anew of what the graph is by now.
  Status Renew(uint32_t graph_id, Entry &entry, const std::vector<TensorDesc> &inputs) {
    const bool summaries = SummaryNodes::In(entry.graph), saves = SaveNodes::In(entry.graph);
    Graph graph = inputs.empty() && !summaries && !saves ? entry.graph : Clone(entry.graph);
    if (graph.handle() == nullptr || Describe(graph, inputs) != SUCCESS) return FAILED;
    entry.summaries.clear();
    entry.saved.clear();
    if (summaries && SummaryNodes::ToOutputs(graph, entry.summaries) != SUCCESS) return FAILED;
    if (saves && SaveNodes::ToOutputs(graph, entry.saved) != SUCCESS) return FAILED;
    Options set(entry.options);
    if (set.status() != SUCCESS || GeSessionRemoveGraph(handle_, graph_id) != GE_SUCCESS ||
        GeSessionAddGraph(handle_, graph_id, graph.handle(), set.get()) != GE_SUCCESS)
      return FAILED;
    return GeSessionCompileGraph(handle_, graph_id) == GE_SUCCESS ? SUCCESS : FAILED;
  }
  static Status Describe(Graph &graph, const std::vector<TensorDesc> &inputs) {
    if (inputs.empty()) return SUCCESS;
    for (GNode &node : graph.GetDirectNode()) {
      AscendString type;
      int64_t index = -1;
      if (node.GetType(type) != GRAPH_SUCCESS || !(type == "Data" || type == "RefData")) continue;
      if (node.GetAttr("index", index) != GRAPH_SUCCESS || index < 0 || static_cast<size_t>(index) >= inputs.size())
        return Say(GE_PARAM_INVALID, "CompileGraph: an input of the graph has no tensor among those given");
      TensorDesc desc;
      if (node.GetOutputDesc(0, desc) != GRAPH_SUCCESS) return FAILED;
      const TensorDesc &given = inputs[static_cast<size_t>(index)];
      desc.SetShape(given.GetShape());
      desc.SetOriginShape(given.GetShape());
      desc.SetFormat(given.GetFormat());
      desc.SetOriginFormat(given.GetFormat());
      desc.SetDataType(given.GetDataType());
      if (node.UpdateOutputDesc(0, desc) != GRAPH_SUCCESS) return FAILED;
    }
    return SUCCESS;
  }
  /// Takes the last values off the outputs and tells them to a callback, if there is one.
  Status Tell(uint32_t graph_id, const std::vector<std::string> &names, const Callback &registered, const char *key,
              std::vector<Tensor> &outputs) {
    const size_t count = names.size();
    if (count == 0 || outputs.size() < count) return SUCCESS;
    std::map<AscendString, Tensor> values;
    const size_t first = outputs.size() - count;
    for (size_t i = 0; i < count; ++i) values.emplace(AscendString(names[i].c_str()), std::move(outputs[first + i]));
    outputs.resize(first);
    Callback callback;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      callback = registered;
    }
    if (!callback || callback(graph_id, values) == SUCCESS) return SUCCESS;
    const std::string text = std::string("the callback for ") + key + " failed";
    return Say(GE_FAILED, text.c_str());
  }
  static Status Say(GeStatus code, const char *text) {
    (void)GeSetLastError(code, text);
    return FAILED;
  }
  static Status SayStatus(Status status, const char *text) {
    (void)GeSetLastError(GE_BAD_STATE, text);
    return status;
  }
  static Status Refuse(const char *what, uint64_t needed, uint64_t given) {
    const std::string text =
        std::string(what) + ": " + std::to_string(needed) + " are needed, " + std::to_string(given) + " given";
    return Say(GE_DATA_MISMATCH, text.c_str());
  }
  /// GE's number of the error stands before its text.
  static Status Failed() {
    if (GeLastErrorCode() == GE_GRAPH_NOT_EXIST) {
      const std::string text = std::string("E10062: ") + GeLastErrorMessage();
      (void)GeSetLastError(GE_GRAPH_NOT_EXIST, text.c_str());
    }
    return FAILED;
  }

  const OptionMap options_;
  GeSessionHandle *handle_ = nullptr;
  uint64_t id_ = 0;
  std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<Entry>> entries_;
  std::map<const void *, AllocatorPtr> allocators_;
  Callback summary_, save_;
  std::unique_ptr<WorkQueue> queue_;
};

}  // namespace detail
}  // namespace ge

#endif
