// What both session classes share: options, asynchronous runs, and the C session behind them.
#ifndef INC_GE_DETAIL_SESSION_CORE_H_
#define INC_GE_DETAIL_SESSION_CORE_H_

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exe_graph/runtime/tensor.h"
#include "ge/ge_allocator.h"
#include "ge/model.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/graph.h"

namespace ge {
namespace detail {

using OptionMap = std::map<AscendString, AscendString>;

inline OptionMap ToOptionMap(const std::map<std::string, std::string> &options) {
  OptionMap out;
  for (const auto &[key, value] : options) out.emplace(AscendString(key.c_str()), AscendString(value.c_str()));
  return out;
}

/// A C option set. An empty key is an error; a key the library does not know is left out, as GE does.
class Options {
 public:
  explicit Options(const OptionMap &options) {
    status_ = GeOptionsCreate(&handle_);
    for (const auto &[key, value] : options) {
      if (status_ != GE_SUCCESS) return;
      if (key.GetLength() == 0) {
        status_ = GeSetLastError(GE_OPTION_INVALID, "E10059: an option key is empty");
        return;
      }
      if (!Known(key.GetString())) continue;
      status_ = GeOptionsSet(handle_, key.GetString(), value.GetString());
    }
  }
  ~Options() { GeOptionsDestroy(handle_); }
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;
  Status status() const { return status_; }
  const GeOptions *get() const { return handle_; }

 private:
  static bool Known(const char *key) {
    for (size_t i = 0; i < GeOptionCount(); ++i) {
      const char *name = nullptr, *values = nullptr, *fallback = nullptr, *doc = nullptr;
      if (GeOptionAt(i, &name, &values, &fallback, &doc) == GE_SUCCESS && std::strcmp(name, key) == 0) return true;
    }
    return false;
  }
  GeOptions *handle_ = nullptr;
  Status status_ = FAILED;
};

inline std::atomic<bool> &Initialized() {
  static std::atomic<bool> on{false};
  return on;
}

/// Options that have no effect here are still held to their limits.
inline Status CheckOptions(const OptionMap &options) {
  constexpr size_t kLongestJobId = 128;
  auto tune = options.find(AscendString("ge.autoTuneMode"));
  if (tune != options.end() && tune->second.GetLength() != 0)
    return GeSetLastError(GE_OPTION_INVALID, "option ge.autoTuneMode must be empty");
  auto job = options.find(AscendString("ge.exec.jobId"));
  if (job != options.end() && job->second.GetLength() > kLongestJobId) {
    const std::string text =
        "option ge.exec.jobId has " + std::to_string(job->second.GetLength()) + " characters, at most 128 are allowed";
    return GeSetLastError(GE_OPTION_INVALID, text.c_str());
  }
  return SUCCESS;
}

inline Status Initialize(const OptionMap &options) {
  if (Initialized()) return SUCCESS;  // the first options count
  if (CheckOptions(options) != SUCCESS) return FAILED;
  Options set(options);
  if (set.status() != SUCCESS) return FAILED;
  if (GeInitialize(set.get()) != GE_SUCCESS) return FAILED;
  Initialized() = true;
  return SUCCESS;
}
/// Prototype of a registered type: (name, kind) of ports, (name, type) of attributes.
inline Status RegisteredIr(const char *type, std::vector<std::pair<AscendString, AscendString>> &inputs,
                           std::vector<std::pair<AscendString, AscendString>> &outputs,
                           std::vector<std::pair<AscendString, AscendString>> &attrs) {
  const GeOpSchema *schema = nullptr;
  if (type == nullptr || GeOpFind(type, &schema) != GE_SUCCESS) return FAILED;
  auto kind = [](const GeIrPort &port) {
    return port.kind == GE_IR_DYNAMIC ? "dynamic" : port.kind == GE_IR_OPTIONAL ? "optional" : "required";
  };
  inputs.clear();
  outputs.clear();
  attrs.clear();
  for (size_t i = 0; i < schema->input_count; ++i) inputs.emplace_back(schema->inputs[i].name, kind(schema->inputs[i]));
  for (size_t i = 0; i < schema->output_count; ++i)
    outputs.emplace_back(schema->outputs[i].name, kind(schema->outputs[i]));
  for (size_t i = 0; i < schema->attr_count; ++i)
    attrs.emplace_back(schema->attrs[i].value.name, AttrTypeName(schema->attrs[i].value.type));
  return SUCCESS;
}
/// What is pending is handed out once.
inline std::string TakeErrorMessage() {
  std::string text = GeLastErrorMessage();
  GeClearLastError();
  return text;
}
inline Status Finalize() {
  Initialized() = false;
  return GeFinalize() == GE_SUCCESS ? SUCCESS : FAILED;
}

/// Runs jobs in order on one thread, started with the first job.
class WorkQueue {
 public:
  ~WorkQueue() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  void Push(std::function<void()> job) {
    std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
    wake_.notify_one();
  }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::thread thread_;
  bool closed_ = false;
};

enum class RunMode { kNone, kSync, kAsync, kStream };

class SessionCore {
 public:
  explicit SessionCore(const OptionMap &options) {
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
    GeSessionDestroy(handle_);
  }
  uint64_t id() const { return id_; }
  bool ok() const { return handle_ != nullptr; }

  /// Without `copy` the caller's own graph is the one that is compiled, as it is then.
  Status Add(uint32_t graph_id, const Graph &graph, const OptionMap &options, bool copy) {
    if (!ok() || graph.handle() == nullptr) return FAILED;
    Options set(options);
    if (set.status() != SUCCESS) return FAILED;
    GeStatus status = GeSessionAddGraph(handle_, graph_id, graph.handle(), set.get());
    if (status == GE_GRAPH_ALREADY_EXIST) return SUCCESS;  // the first graph stays
    if (status != GE_SUCCESS) return FAILED;
    Added added{graph, options};
    if (copy && (added.graph = Clone(graph)).handle() == nullptr) return FAILED;
    std::lock_guard<std::mutex> lock(mutex_);
    modes_[graph_id] = RunMode::kNone;
    added_[graph_id] = added;
    return SUCCESS;
  }
  Status Remove(uint32_t graph_id) {
    if (!ok() || GeSessionRemoveGraph(handle_, graph_id) != GE_SUCCESS) return Failed();
    std::lock_guard<std::mutex> lock(mutex_);
    modes_.erase(graph_id);
    loaded_.erase(graph_id);
    added_.erase(graph_id);
    return SUCCESS;
  }
  bool NeedRebuild(uint32_t graph_id) {
    GeModel *model = nullptr;
    if (!ok() || GeSessionGetModel(handle_, graph_id, &model) != GE_SUCCESS) return true;
    GeModelDestroy(model);
    return false;
  }
  /// The compiled model, or null; the caller destroys it.
  GeModel *CompiledModel(uint32_t graph_id) {
    GeModel *model = nullptr;
    if (!ok() || GeSessionGetModel(handle_, graph_id, &model) != GE_SUCCESS) return nullptr;
    return model;
  }
  Status Compile(uint32_t graph_id) { return Compile(graph_id, {}); }
  /// `inputs` replace types and shapes of the graph's inputs, by index. A graph that is compiled stays as it is.
  Status Compile(uint32_t graph_id, const std::vector<TensorDesc> &inputs) {
    if (!ok() || Renew(graph_id, inputs) != SUCCESS) return FAILED;
    return GeSessionCompileGraph(handle_, graph_id) == GE_SUCCESS ? SUCCESS : Failed();
  }
  Status Load(uint32_t graph_id) {
    const Status status = Compile(graph_id);
    if (status != SUCCESS) return status;
    std::lock_guard<std::mutex> lock(mutex_);
    loaded_.insert(graph_id);
    return SUCCESS;
  }
  bool Loaded(uint32_t graph_id) {
    std::lock_guard<std::mutex> lock(mutex_);
    return loaded_.count(graph_id) != 0;
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
        CopyOut(results[i], outputs[i]);
      }
      return SUCCESS;
    }
    const AllocatorPtr allocator = AllocatorOf(stream);
    const Status status = Run(graph_id, inputs, outputs);
    if (status != SUCCESS || allocator == nullptr) return status;
    for (AnyTensor &tensor : outputs)
      if (MoveTo(*allocator, allocator, tensor) != SUCCESS) return FAILED;
    return SUCCESS;
  }
  /// UNSUPPORTED when the graph has been run in another way before.
  Status Claim(uint32_t graph_id, RunMode mode) {
    std::lock_guard<std::mutex> lock(mutex_);
    RunMode &now = modes_[graph_id];
    if (now != RunMode::kNone && now != mode) {
      (void)GeSetLastError(GE_UNSUPPORTED, "E10062: run modes must not be mixed on one graph id");
      return UNSUPPORTED;
    }
    now = mode;
    return SUCCESS;
  }
  Status Run(uint32_t graph_id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    outputs.clear();
    if (!ok()) return FAILED;
    std::vector<const GeTensor *> in;
    for (const Tensor &tensor : inputs) in.push_back(tensor.handle());
    if (Compile(graph_id) != SUCCESS) return FAILED;
    GeModel *model = nullptr;
    if (GeSessionGetModel(handle_, graph_id, &model) != GE_SUCCESS) return FAILED;
    size_t count = GeModelOutputCount(model);
    GeModelDestroy(model);
    std::vector<GeTensor *> out(count + 1, nullptr);
    size_t capacity = out.size();
    GeStatus status = GeSessionRunGraph(handle_, graph_id, in.data(), in.size(), out.data(), &capacity);
    if (status != GE_SUCCESS) return Failed();
    for (size_t i = 0; i < capacity; ++i) outputs.push_back(Tensor::Adopt(out[i]));
    return SUCCESS;
  }
  Status Run(uint32_t graph_id, const std::vector<gert::Tensor> &inputs, std::vector<gert::Tensor> &outputs);
  WorkQueue &queue() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!queue_) queue_ = std::make_unique<WorkQueue>();
    return *queue_;
  }

 private:
  struct Added {
    Graph graph;
    OptionMap options;
  };
  static Graph Clone(const Graph &graph) {
    GeGraph *copy = nullptr;
    (void)GeGraphClone(graph.handle(), nullptr, &copy);
    return Graph::Adopt(copy);
  }
  // Before the first compile: the session's copy is made anew of what the graph is by now.
  Status Renew(uint32_t graph_id, const std::vector<TensorDesc> &inputs) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = added_.find(graph_id);
    if (found == added_.end()) return SUCCESS;  // compiled before, or unknown: the session says so
    Graph graph = inputs.empty() ? found->second.graph : Clone(found->second.graph);
    if (graph.handle() == nullptr) return FAILED;
    for (GNode &node : graph.GetDirectNode()) {
      AscendString type;
      int64_t index = -1;
      if (inputs.empty() || node.GetType(type) != GRAPH_SUCCESS || !(type == "Data" || type == "RefData")) continue;
      if (node.GetAttr("index", index) != GRAPH_SUCCESS || index < 0 || static_cast<size_t>(index) >= inputs.size()) {
        (void)GeSetLastError(GE_PARAM_INVALID, "CompileGraph: an input of the graph has no tensor among those given");
        return FAILED;
      }
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
    Options set(found->second.options);
    if (set.status() != SUCCESS || GeSessionRemoveGraph(handle_, graph_id) != GE_SUCCESS ||
        GeSessionAddGraph(handle_, graph_id, graph.handle(), set.get()) != GE_SUCCESS)
      return FAILED;
    if (GeSessionCompileGraph(handle_, graph_id) != GE_SUCCESS) return FAILED;
    added_.erase(found);
    return SUCCESS;
  }
  static Status Refuse(const char *what, size_t needed, size_t given) {
    const std::string text =
        std::string(what) + ": " + std::to_string(needed) + " are needed, " + std::to_string(given) + " given";
    (void)GeSetLastError(GE_DATA_MISMATCH, text.c_str());
    return FAILED;
  }
  static void CopyOut(const Tensor &result, Tensor &given) {
    if (result.GetSize() > 0) std::memcpy(given.GetData(), result.GetData(), result.GetSize());
  }
  static void CopyOut(gert::Tensor &result, gert::Tensor &given) {
    if (result.GetSize() > 0) std::memcpy(given.GetAddr(), result.GetAddr(), result.GetSize());
    given.MutableStorageShape() = result.GetStorageShape();
    given.MutableOriginShape() = result.GetOriginShape();
    given.SetSize(result.GetSize());
  }
  static MemBlock *CopyInto(Allocator &allocator, const void *data, size_t size) {
    MemBlock *block = allocator.Malloc(size);
    if (block == nullptr || block->GetAddr() == nullptr) {
      (void)GeSetLastError(GE_OUT_OF_MEMORY, "the stream's allocator has no memory for an output");
      return nullptr;
    }
    if (size > 0) std::memcpy(block->GetAddr(), data, size);
    return block;
  }
  static Status MoveTo(Allocator &allocator, const AllocatorPtr &keep, Tensor &tensor) {
    MemBlock *block = CopyInto(allocator, tensor.GetData(), tensor.GetSize());
    if (block == nullptr) return FAILED;
    const size_t size = tensor.GetSize();
    return tensor.SetData(static_cast<uint8_t *>(block->GetAddr()), size, [block, keep](uint8_t *) { block->Free(); });
  }
  static Status MoveTo(Allocator &allocator, const AllocatorPtr &keep, gert::Tensor &tensor);
  GeSessionHandle *handle_ = nullptr;
  uint64_t id_ = 0;
  std::mutex mutex_;
  /// GE's number of the error stands before its text.
  static Status Failed() {
    if (GeLastErrorCode() == GE_GRAPH_NOT_EXIST) {
      const std::string text = std::string("E10062: ") + GeLastErrorMessage();
      (void)GeSetLastError(GE_GRAPH_NOT_EXIST, text.c_str());
    }
    return FAILED;
  }

  std::set<uint32_t> loaded_;
  std::map<uint32_t, RunMode> modes_;
  std::map<uint32_t, Added> added_;  // graphs that are not compiled yet
  std::map<const void *, AllocatorPtr> allocators_;
  std::unique_ptr<WorkQueue> queue_;
};

inline std::vector<int64_t> DimsOf(const gert::Shape &shape) {
  std::vector<int64_t> dims;
  for (size_t i = 0; i < shape.GetDimNum(); ++i) dims.push_back(shape.GetDim(i));
  return dims;
}

// An output's memory: a counted copy of a ge::Tensor.
struct SharedOutput {
  Tensor tensor;
  std::atomic<int> count{1};
  static graphStatus Manage(void *addr, gert::TensorOperateType type, void **out) {
    auto *self = static_cast<SharedOutput *>(addr);
    if (type == gert::kGetTensorAddress) {
      *out = self->tensor.GetData();
    } else if (type == gert::kPlusShareCount) {
      ++self->count;
    } else if (--self->count == 0) {
      delete self;
    }
    return GRAPH_SUCCESS;
  }
};

// An output in memory of a program's allocator.
struct SharedBlock {
  MemBlock *block;
  AllocatorPtr keep;
  std::atomic<int> count{1};
  static graphStatus Manage(void *addr, gert::TensorOperateType type, void **out) {
    auto *self = static_cast<SharedBlock *>(addr);
    if (type == gert::kGetTensorAddress) {
      *out = self->block->GetAddr();
    } else if (type == gert::kPlusShareCount) {
      ++self->count;
    } else if (--self->count == 0) {
      self->block->Free();
      delete self;
    }
    return GRAPH_SUCCESS;
  }
};

inline Status SessionCore::MoveTo(Allocator &allocator, const AllocatorPtr &keep, gert::Tensor &tensor) {
  MemBlock *block = CopyInto(allocator, tensor.GetAddr(), tensor.GetSize());
  if (block == nullptr) return FAILED;
  auto *shared = new SharedBlock{block, keep};
  tensor.SetData(gert::TensorData(shared, &SharedBlock::Manage, tensor.GetSize(), gert::kOnHost));
  return SUCCESS;
}

inline Status SessionCore::Run(uint32_t graph_id, const std::vector<gert::Tensor> &inputs,
                               std::vector<gert::Tensor> &outputs) {
  std::vector<Tensor> in, out;
  for (const gert::Tensor &tensor : inputs) {
    TensorDesc desc(Shape(DimsOf(tensor.GetStorageShape())), tensor.GetStorageFormat(), tensor.GetDataType());
    desc.SetOriginShape(Shape(DimsOf(tensor.GetOriginShape())));
    Tensor held(desc);
    // Borrowed for the call: the caller's tensor outlives it.
    if (held.SetData(static_cast<uint8_t *>(const_cast<void *>(tensor.GetAddr())), tensor.GetSize(),
                     [](uint8_t *) {}) != GRAPH_SUCCESS)
      return FAILED;
    in.push_back(held);
  }
  outputs.clear();
  Status status = Run(graph_id, in, out);
  for (Tensor &tensor : out) {
    gert::StorageShape shape;
    TensorDesc desc = tensor.GetTensorDesc();
    for (int64_t dim : desc.GetShape().GetDims()) shape.MutableStorageShape().AppendDim(dim);
    for (int64_t dim : desc.GetOriginShape().GetDims()) shape.MutableOriginShape().AppendDim(dim);
    gert::StorageFormat format(desc.GetOriginFormat(), desc.GetFormat(), {});
    size_t size = tensor.GetSize();
    DataType type = desc.GetDataType();
    auto *shared = new SharedOutput{std::move(tensor)};
    gert::Tensor result(shape, format, type);
    result.SetData(gert::TensorData(shared, &SharedOutput::Manage, size, gert::kOnHost));
    outputs.push_back(std::move(result));
  }
  return status;
}

}  // namespace detail
}  // namespace ge

#endif
