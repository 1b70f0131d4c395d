#include "runtime/runner.h"

#include <algorithm>

#include "runtime/interpreter.h"
#include "runtime/profiler.h"

namespace gec {
namespace {

bool Same(const TensorDesc &desc, const GeTensorData &data) {
  if (desc.dtype != data.data_type || desc.shape.rank() != data.rank) return false;
  if (data.rank > 0 && data.dims == nullptr) return false;
  return std::equal(desc.shape.dims().begin(), desc.shape.dims().end(), data.dims);
}

bool SameInputs(const std::vector<TensorDesc> &descs, const GeTensorData *inputs, size_t count) {
  if (descs.size() != count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!Same(descs[i], inputs[i])) return false;
  }
  return true;
}

}  // namespace

ContextState::ContextState(ModelPtr model) : model_(std::move(model)) {}
ContextState::~ContextState() = default;

SpaceMemory &ContextState::SpaceOf(const Engine &engine) {
  std::unique_ptr<SpaceMemory> &slot = spaces_[&engine];
  if (!slot) slot = std::make_unique<SpaceMemory>(engine.shared_from_this());
  return *slot;
}

Runner &ContextState::RunnerFor(const std::string &graph) {
  std::unique_ptr<Runner> &slot = runners_[graph];
  if (!slot) slot = std::make_unique<Runner>(*this, graph);
  return *slot;
}

Runner::Runner(ContextState &state, std::string graph)
    : state_(state), graph_(std::move(graph)), arguments_(state.model().ArgumentsOf(graph_)) {}
Runner::~Runner() = default;

Interpreter &Runner::interpreter() {
  if (!interpreter_) interpreter_ = std::make_unique<Interpreter>(state_, graph_);
  return *interpreter_;
}

const std::vector<SpaceMemory *> &Runner::SpacesFor(const ExecPlan &plan) {
  spaces_.clear();
  for (size_t i = 0; i < plan.spaces.size(); ++i) {
    SpaceMemory &memory = state_.SpaceOf(*plan.spaces[i]);
    memory.Ensure(std::max<uint64_t>(plan.memory.spaces[i].arena_bytes, 1));
    spaces_.push_back(&memory);
  }
  return spaces_;
}

Runner::CacheEntry &Runner::Remember(const GeTensorData *inputs, size_t count) {
  std::vector<TensorDesc> descs;
  Signature signature;
  for (size_t i = 0; i < count; ++i) {
    const GeTensorData &in = inputs[i];
    descs.emplace_back(in.data_type, Shape::From(in.dims, in.rank), in.format);
    signature.push_back(in.data_type);
    signature.push_back(in.rank);
    for (int32_t d = 0; d < in.rank; ++d) signature.push_back(in.dims[d]);
  }
  auto cache = std::make_unique<CacheEntry>();
  cache->plan = state_.model().PlanFor(graph_, descs, signature);
  if (cache->plan->is_static()) cache->run = std::make_unique<StaticRun>(cache->plan);
  if (cache->run && cache->plan->sizes && !cache->run->Resize(inputs, count))
    Fail(GE_FAILED, "a plan for several sizes does not serve the one that it was made for");
  if (seen_.size() >= state_.model().settings().max_plans) {
    auto oldest =
        std::min_element(seen_.begin(), seen_.end(), [](const auto &a, const auto &b) { return a->used < b->used; });
    seen_.erase(oldest);
  }
  seen_.push_back(std::move(cache));
  return *seen_.back();
}

StaticRun *Runner::SelectLast(const GeTensorData *inputs, size_t count) {
  if (!last_ || !last_->run || !SameInputs(last_->inputs(), inputs, count)) return nullptr;
  StaticRun *run = last_->run.get();
  return run->BoundTo(state_.arena().base(), SpacesFor(run->plan())) ? run : nullptr;
}

StaticRun *Runner::Select(const GeTensorData *inputs, size_t count) {
  if (!last_ || (last_->plan->is_static() && !SameInputs(last_->inputs(), inputs, count))) {
    CacheEntry *found = nullptr;
    for (const auto &cache : seen_) {
      if (SameInputs(cache->inputs(), inputs, count)) found = cache.get();
    }
    for (const auto &cache : seen_) {
      if (!found && cache->run && cache->run->Resize(inputs, count)) found = cache.get();
    }
    last_ = nullptr;
    last_ = found ? found : &Remember(inputs, count);
  }
  last_->used = ++clock_;
  StaticRun *run = last_->run.get();
  if (run) {
    if (EngineHealth::AnyHung()) run->RefuseHungEngines();  // before their memory is asked for
    constexpr uint64_t kPage = 4096;                        // so that the smallest runs of several sizes never move
    try {
      state_.arena().Ensure(run->arena_bytes(), run->plan().sizes ? kPage : 0);
    } catch (...) {
      if (run->plan().sizes) run->TakeOwnSize();  // smaller ones need not ask for as much
      throw;
    }
    const std::vector<SpaceMemory *> &spaces = SpacesFor(run->plan());
    if (!run->BoundTo(state_.arena().base(), spaces)) run->Bind(state_.arena().base(), spaces);
  }
  return run;
}

void Runner::Call(const std::vector<RunValue> &arguments, std::vector<RunValue> *results, Profiler *profiler) {
  // The list keeps its room from run to run, but no values.
  std::vector<RunValue> &inputs = inputs_;
  struct Cleaner {
    std::vector<RunValue> &list;
    ~Cleaner() { list.clear(); }
  } cleaner{inputs};
  for (int64_t k : arguments_) {
    if (k < 0 || static_cast<size_t>(k) >= arguments.size()) {
      Fail(GE_GRAPH_INVALID, "graph '", graph_, "' reads argument ", k, ", ", arguments.size(), " are passed");
    }
    inputs.push_back(arguments[static_cast<size_t>(k)]);
  }
  views_.clear();
  for (const RunValue &v : inputs) views_.push_back(v.desc.View());
  StaticRun *run = Select(views_.data(), views_.size());
  if (!run) {
    interpreter().Run(inputs, results, profiler);
    return;
  }
  const ExecPlan &plan = run->plan();
  std::vector<RunValue> &made = *results;
  made.clear();
  made.resize(run->outputs().size());
  in_.clear();
  out_.clear();
  for (const RunValue &v : inputs) in_.push_back(v.data);
  for (size_t j = 0; j < made.size(); ++j) {
    RunValue &v = made[j];
    // An argument that is handed through stays where it is.
    for (const ExecPlan::OutputCopy &copy : plan.copies) {
      if (copy.output == static_cast<int32_t>(j) && copy.from.storage == Storage::kInput && copy.from.offset == 0) {
        const RunValue &source = inputs[static_cast<size_t>(copy.from.index)];
        if (source.bytes == run->output_bytes()[j]) v = source;
      }
    }
    v.desc = run->outputs()[j];
    if (!v.present) {
      v.bytes = v.desc.bytes();
      v.block = BlockRef::Acquire(state_.pool(), std::max<uint64_t>(v.bytes, 1));
      v.data = v.block.data();
      v.present = true;
    }
    out_.push_back(const_cast<void *>(v.data));
  }
  run->RunOnce(in_.data(), out_.data(), profiler);
}

}  // namespace gec
