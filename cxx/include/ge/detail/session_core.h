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
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exe_graph/runtime/tensor.h"
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

inline Status Initialize(const OptionMap &options) {
  Options set(options);
  if (set.status() != SUCCESS) return FAILED;
  if (GeInitialize(set.get()) != GE_SUCCESS) return FAILED;
  Initialized() = true;
  return SUCCESS;
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

  Status Add(uint32_t graph_id, const Graph &graph, const OptionMap &options) {
    if (!ok() || graph.handle() == nullptr) return FAILED;
    Options set(options);
    if (set.status() != SUCCESS) return FAILED;
    GeStatus status = GeSessionAddGraph(handle_, graph_id, graph.handle(), set.get());
    if (status == GE_GRAPH_ALREADY_EXIST) return SUCCESS;  // the first graph stays
    if (status == GE_SUCCESS) Set(graph_id, RunMode::kNone);
    return status == GE_SUCCESS ? SUCCESS : FAILED;
  }
  Status Remove(uint32_t graph_id) {
    if (!ok() || GeSessionRemoveGraph(handle_, graph_id) != GE_SUCCESS) return FAILED;
    std::lock_guard<std::mutex> lock(mutex_);
    modes_.erase(graph_id);
    return SUCCESS;
  }
  bool NeedRebuild(uint32_t graph_id) {
    GeModel *model = nullptr;
    if (!ok() || GeSessionGetModel(handle_, graph_id, &model) != GE_SUCCESS) return true;
    GeModelDestroy(model);
    return false;
  }
  Status Compile(uint32_t graph_id) {
    return ok() && GeSessionCompileGraph(handle_, graph_id) == GE_SUCCESS ? SUCCESS : FAILED;
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
    if (GeSessionCompileGraph(handle_, graph_id) != GE_SUCCESS) return FAILED;
    GeModel *model = nullptr;
    if (GeSessionGetModel(handle_, graph_id, &model) != GE_SUCCESS) return FAILED;
    size_t count = GeModelOutputCount(model);
    GeModelDestroy(model);
    std::vector<GeTensor *> out(count + 1, nullptr);
    size_t capacity = out.size();
    GeStatus status = GeSessionRunGraph(handle_, graph_id, in.data(), in.size(), out.data(), &capacity);
    if (status != GE_SUCCESS) return FAILED;
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
  void Set(uint32_t graph_id, RunMode mode) {
    std::lock_guard<std::mutex> lock(mutex_);
    modes_[graph_id] = mode;
  }
  GeSession *handle_ = nullptr;
  uint64_t id_ = 0;
  std::mutex mutex_;
  std::map<uint32_t, RunMode> modes_;
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

inline Status SessionCore::Run(uint32_t graph_id, const std::vector<gert::Tensor> &inputs,
                               std::vector<gert::Tensor> &outputs) {
  std::vector<Tensor> in, out;
  for (const gert::Tensor &tensor : inputs) {
    TensorDesc desc(Shape(DimsOf(tensor.GetStorageShape())), tensor.GetStorageFormat(), tensor.GetDataType());
    desc.SetOriginShape(Shape(DimsOf(tensor.GetOriginShape())));
    Tensor held(desc);
    // Borrowed for the call: the caller's tensor outlives it.
    if (held.SetData(static_cast<uint8_t *>(tensor.GetAddr()), tensor.GetSize(), [](uint8_t *) {}) != GRAPH_SUCCESS)
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
