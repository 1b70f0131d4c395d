#include "runtime/session/session.h"

#include <atomic>
#include <cstring>
#include "core/passes/pass_scope.h"

namespace gec {

Session::Session(Options options) : options_(std::move(options)) {
  static std::atomic<uint64_t> next{0};
  number_ = next++;
  Resolve(options_);
}

Session::~Session() {
  executor_.reset();
  for (auto &[id, graph] : graphs_) graph->End();
}

SessionGraphPtr Session::Find(uint32_t id, const char *call) {
  std::lock_guard lock(mutex_);
  auto at = graphs_.find(id);
  if (at == graphs_.end()) {
    std::string known;
    for (const auto &[k, g] : graphs_) known += (known.empty() ? "" : ", ") + std::to_string(k);
    Fail(GE_GRAPH_NOT_EXIST, "E10062: ", call, ": the session has no graph ", id,
         known.empty() ? "" : "; it has " + known);
  }
  return at->second;
}

SessionGraphPtr Session::FindOrNull(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto at = graphs_.find(id);
  return at == graphs_.end() ? nullptr : at->second;
}

void Session::Add(uint32_t id, GraphPtr graph, bool shared, const Options &options) {
  Options all = options_;
  all.Merge(options);
  Resolve(all);
  auto entry = std::make_shared<SessionGraph>(number_, id, std::move(graph), shared, std::move(all), variables_);
  std::lock_guard lock(mutex_);
  if (!graphs_.emplace(id, std::move(entry)).second)
    Fail(GE_GRAPH_ALREADY_EXIST, "AddGraph: the session has a graph ", id, " already");
}

void Session::Remove(uint32_t id) {
  SessionGraphPtr graph = Find(id, "RemoveGraph");
  {
    std::lock_guard lock(mutex_);
    graphs_.erase(id);
  }
  graph->End();  // a flow's threads end outside the lock
}

void Session::Watch(const std::string &key, WatchFunction function) {
  auto shared = std::make_shared<WatchFunction>(std::move(function));
  std::lock_guard lock(mutex_);
  watches_[key].swap(shared);
}

void Session::SetAllocator(const void *stream, StreamAllocatorPtr allocator) {
  std::lock_guard lock(mutex_);
  allocators_[stream].swap(allocator);
}

bool Session::RemoveAllocator(const void *stream) {
  StreamAllocatorPtr removed;  // may call back into the program: outside the lock
  std::lock_guard lock(mutex_);
  auto found = allocators_.find(stream);
  if (found == allocators_.end()) return false;
  removed = std::move(found->second);
  allocators_.erase(found);
  return true;
}

StreamAllocatorPtr Session::AllocatorOf(const void *stream) {
  std::lock_guard lock(mutex_);
  auto found = allocators_.find(stream);
  return found == allocators_.end() ? nullptr : found->second;
}

void Session::Tell(uint32_t id, const char *key, const std::vector<std::string> &names, TensorList values) {
  if (names.empty()) return;
  std::shared_ptr<WatchFunction> watch;
  {
    std::lock_guard lock(mutex_);
    auto found = watches_.find(key);
    if (found != watches_.end()) watch = found->second;
  }
  if (watch) (*watch)(id, names, std::move(values));
}

TensorList Session::Run(SessionGraph &graph, const std::vector<RunInput> &inputs) {
  TensorList outputs = graph.Run(inputs);
  const WatchedValues watched = graph.watched();
  const size_t own = outputs.size() - watched.count();
  const auto first = outputs.begin() + static_cast<ptrdiff_t>(own);
  const auto middle = first + static_cast<ptrdiff_t>(watched.summaries.size());
  TensorList summaries(first, middle), saved(middle, outputs.end());
  outputs.resize(own);
  Tell(graph.id(), "Save", watched.saved, std::move(saved));
  Tell(graph.id(), "Summary", watched.summaries, std::move(summaries));
  return outputs;
}

TensorList Session::RunInto(SessionGraph &graph, const std::vector<RunInput> &inputs, const GeTensorData *given,
                            size_t count) {
  const size_t needed = graph.OutputCount(inputs);
  if (needed != count) Fail(GE_DATA_MISMATCH, "outputs: ", needed, " are needed, ", count, " given");
  TensorList outputs = Run(graph, inputs);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t room = given[i].data ? given[i].size : 0;
    if (room < outputs[i]->bytes())
      Fail(GE_DATA_MISMATCH, "bytes of an output: ", outputs[i]->bytes(), " are needed, ", room, " given");
  }
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bytes = outputs[i]->bytes();
    if (bytes == 0) continue;
    std::memcpy(given[i].data, outputs[i]->data(), bytes);
    outputs[i]->buffer = Buffer::Borrow(given[i].data, bytes, nullptr, nullptr);
  }
  return outputs;
}

TensorList Session::RunOnStream(SessionGraph &graph, const std::vector<RunInput> &inputs, const void *stream) {
  const StreamAllocatorPtr allocator = AllocatorOf(stream);
  TensorList outputs = Run(graph, inputs);
  if (!allocator) return outputs;
  for (auto &output : outputs) allocator->Take(*output);
  return outputs;
}

void Session::Submit(Executor::Job job) {
  // The first run of a graph compiles it, as whoever asks for the run wants it.
  if (PassScopePtr scope = PassScope::Entered()) {
    job = [job = std::move(job), scope = std::move(scope)] {
      const AdoptScope adopted(scope);
      job();
    };
  }
  std::lock_guard lock(mutex_);
  if (!executor_) executor_ = std::make_unique<Executor>();
  executor_->Submit(std::move(job));
}

}  // namespace gec
