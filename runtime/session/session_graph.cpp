#include "runtime/session/session_graph.h"

#include <algorithm>

#include "core/ir/enter_graph.h"
#include "core/ir/types.h"
#include "core/support/context.h"
#include "runtime/current_options.h"
#include "runtime/new_outputs.h"
#include "runtime/run_recorder.h"
#include "runtime/session/compile_stats.h"

namespace gec {
namespace {

/// Types, formats and shapes of the graph's inputs become those given, by the inputs' index.
void Describe(Graph &graph, const std::vector<TensorDesc> &inputs) {
  static const Symbol data("Data"), ref_data("RefData"), index("index");
  size_t used = 0;
  for (Node *node : graph.Nodes()) {
    if (node->type() != data && node->type() != ref_data) continue;
    const int64_t at = node->Int(index, -1);
    if (at < 0 || static_cast<size_t>(at) >= inputs.size())
      Fail(GE_PARAM_INVALID, "CompileGraph: input '", node->name(), "' has index ", at, ", ", inputs.size(),
           " tensors are given");
    used = std::max(used, static_cast<size_t>(at) + 1);
    const TensorDesc &given = inputs[static_cast<size_t>(at)];
    TensorDesc desc = node->output_desc(0);
    desc.SetShape(given.shape);
    desc.format = desc.origin_format = given.format;
    desc.dtype = given.dtype;
    DescribeInput(graph, node, std::move(desc));
  }
  if (used < inputs.size())
    Fail(GE_PARAM_INVALID, "CompileGraph: ", inputs.size(), " tensors are given, the graph has ", used, " inputs");
}

bool IsFlow(const Graph &graph) {
  static const Symbol mark("_dflow_is_flow_graph");
  const AttrValue *value = graph.attrs().Find(mark);
  const bool *is = value ? value->get_if<bool>() : nullptr;
  return is && *is;
}

}  // namespace

/// A context for one run; it goes back to the graph's list, so that concurrent runs reuse each other's memory.
class SessionGraph::Lease {
 public:
  Lease(SessionGraph &graph, ModelPtr model) : graph_(graph), turn_(graph.one_run_) {
    if (graph_.in_memory_) {
      shared_ = graph_.in_memory_.get();
      return;
    }
    turn_.unlock();
    {
      std::lock_guard lock(graph_.mutex_);
      if (!graph_.idle_.empty() && graph_.model_ == model) {
        context_ = std::move(graph_.idle_.back());
        graph_.idle_.pop_back();
      }
    }
    if (!context_) context_ = std::make_unique<RunContext>(std::move(model));
  }
  ~Lease() {
    if (shared_ || context_->lost()) return;
    std::lock_guard lock(graph_.mutex_);
    if (&context_->model() != graph_.model_.get()) return;  // there is another model by now
    try {
      graph_.idle_.push_back(std::move(context_));
    } catch (...) {  // out of memory: the context is dropped
    }
  }
  RunContext &operator*() { return shared_ ? *shared_ : *context_; }

 private:
  SessionGraph &graph_;
  std::unique_lock<std::mutex> turn_;
  RunContext *shared_ = nullptr;
  std::unique_ptr<RunContext> context_;
};

SessionGraph::SessionGraph(uint64_t session, uint32_t id, GraphPtr graph, bool shared, Options options,
                           VariableStorePtr variables)
    : session_(session),
      id_(id),
      options_(std::move(options)),
      variables_(std::move(variables)),
      graph_(std::move(graph)),
      shared_(shared) {}

GraphPtr SessionGraph::graph() const {
  std::lock_guard lock(mutex_);
  return graph_;
}

ModelPtr SessionGraph::model() const {
  std::lock_guard lock(mutex_);
  return model_;
}

ModelPtr SessionGraph::ModelOrFail(const char *call) const {
  ModelPtr found = model();
  if (!found) Fail(GE_BAD_STATE, call, ": graph ", id_, " is not compiled yet");
  return found;
}

WatchedValues SessionGraph::watched() const {
  std::lock_guard lock(mutex_);
  return watched_;
}

GeSessionGraphState SessionGraph::state() const {
  std::lock_guard lock(mutex_);
  if (loaded_) return GE_SESSION_GRAPH_LOADED;
  return model_ || flow_ ? GE_SESSION_GRAPH_COMPILED : GE_SESSION_GRAPH_ADDED;
}

void SessionGraph::Claim(RunMode mode) {
  std::lock_guard lock(mutex_);
  if (mode_ != RunMode::kNone && mode_ != mode)
    Fail(GE_RUN_MODE_MIXED, "E10062: run modes must not be mixed on one graph id");
  mode_ = mode;
}

/// A copy, unless nothing of the graph changes and nobody else can change it. The program may be inside a graph that it
/// shares with the session, on another thread: that is refused, as with any other use.
GraphPtr SessionGraph::SourceToCompile(bool changes, bool *watch, OpenInputs *open) const {
  Visit visit;
  if (shared_) Enter(*graph_, "the compile of a session's graph");
  if (IsFlow(*graph_)) Fail(GE_UNSUPPORTED, "E10062: a data-flow graph is fed and fetched, not run");
  *watch = HasWatchedValues(*graph_);
  *open = OpenInputs(*graph_);
  return shared_ || changes || *watch || open->any() ? graph_->Clone() : graph_;
}

ModelPtr SessionGraph::Compile(const std::vector<TensorDesc> *inputs, bool replace) {
  std::lock_guard lock(mutex_);
  if (model_) return model_;
  bool watch = false;
  OpenInputs open;
  GraphPtr source = SourceToCompile(replace, &watch, &open);
  ContextScope scope("compiling graph", source->name());
  CurrentOptions current(options_);
  if (inputs) {
    if (replace) Describe(*source, *inputs);
    open.Check(*source, *inputs);
    open.Describe(*source, *inputs);
  }
  WatchedValues watched;
  if (watch) watched = WatchedValuesToOutputs(*source);
  ModelPtr compiled = Model::Compile(*source, options_, variables_);
  RecordCompile(session_, id_, compiled->pass_report(), options_);
  graph_ = std::move(source);
  shared_ = false;
  watched_ = std::move(watched);
  open_ = std::move(open);
  formats_ = InputFormats(*graph_);
  model_ = std::move(compiled);
  return model_;
}

ModelPtr SessionGraph::CompiledFor(const std::vector<RunInput> &inputs) {
  {
    std::lock_guard lock(mutex_);
    if (model_ && !open_.any()) return model_;
  }
  CheckAccepted(inputs);
  std::vector<TensorDesc> descs;
  for (const RunInput &input : inputs) descs.push_back((*input.tensor)->desc);
  Compile(&descs, false);
  std::lock_guard lock(mutex_);
  if (open_.Serve(descs)) return model_;
  open_.Check(*graph_, descs);
  CompileAnew(descs);
  return model_;
}

/// The graph is the session's own by now.
void SessionGraph::CompileAnew(const std::vector<TensorDesc> &inputs) {
  if (constants_placed_ || tensors_placed_)
    Fail(GE_BAD_STATE, "graph ", id_, " has memory from outside for a model that does not take these inputs");
  ContextScope scope("compiling graph", graph_->name());
  CurrentOptions current(options_);
  GraphPtr source = graph_->Clone();
  OpenInputs open = open_;
  open.Describe(*source, inputs);
  ModelPtr compiled = Model::Compile(*source, options_, variables_);
  RecordCompile(session_, id_, compiled->pass_report(), options_);
  graph_ = std::move(source);
  open_ = std::move(open);
  formats_ = InputFormats(*graph_);
  idle_.clear();
  model_ = std::move(compiled);
}

void SessionGraph::Load() {
  if (is_flow()) (void)Flow();
  else (void)Compiled();
  std::lock_guard lock(mutex_);
  loaded_ = true;
}

void SessionGraph::LoadFor(const std::vector<RunInput> &inputs) {
  if (!is_flow()) (void)CompiledFor(inputs);
  Load();
}

size_t SessionGraph::OutputCount(const std::vector<RunInput> &inputs) {
  const size_t all = CompiledFor(inputs)->outputs().size();
  return all - watched().count();
}

void SessionGraph::CheckAccepted(const std::vector<RunInput> &inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].refused->empty()) continue;
    const std::vector<std::string> names = InputNames(*graph());
    const std::string name = i < names.size() ? " ('" + names[i] + "')" : "";
    Fail(GE_DATA_MISMATCH, "input ", i, name, " has a description that was not accepted: ", *inputs[i].refused);
  }
}

/// Tensors in FORMAT_ND say nothing of their layout.
void SessionGraph::CheckFormats(const Model &model, const std::vector<RunInput> &inputs) const {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < std::min(inputs.size(), formats_.size()); ++i) {
    const int32_t stated = formats_[i], given = (*inputs[i].tensor)->desc.format;
    if (stated == C_FORMAT_ND || given == C_FORMAT_ND || stated == given) continue;
    Fail(GE_DATA_MISMATCH, "input ", i, " ('", model.inputs()[i].name, "') has format ", FormatName(given),
         ", expected ", FormatName(stated));
  }
}

void SessionGraph::CheckInputs(const Model &model, const std::vector<RunInput> &inputs) const {
  CheckAccepted(inputs);
  CheckFormats(model, inputs);
  for (const VariableBinding::Ref &ref : model.bound().refs) {
    if (ref.input < inputs.size() && inputs[ref.input].tensor->use_count() > 1)
      Fail(GE_BAD_STATE, "graph ", id_, " changes input '", model.inputs()[ref.input].name,
           "', and a graph or model holds the tensor that was given");
  }
}

TensorList SessionGraph::Run(const std::vector<RunInput> &inputs) {
  CurrentOptions current(options_);
  ModelPtr model = CompiledFor(inputs);
  std::vector<GeTensorData> in;
  for (const RunInput &input : inputs) in.push_back((*input.tensor)->View());
  CheckInputs(*model, inputs);
  Lease context(*this, model);
  return RunToNewOutputs(*context, in.data(), in.size(), [&](GeTensorData *out, size_t count) {
    RecordedRun recorded(session_, id_, graph()->name());
    (*context).Run(in.data(), in.size(), out, count, recorded.profiler());
    recorded.Done();
  });
}

bool SessionGraph::is_flow() const {
  std::lock_guard lock(mutex_);
  Visit visit;
  if (shared_) Enter(*graph_, "a call of a session");
  return IsFlow(*graph_);
}

SessionFlowPtr SessionGraph::Flow() {
  std::lock_guard lock(mutex_);
  if (removed_) Fail(GE_GRAPH_NOT_EXIST, "E10062: the graph was removed");
  if (flow_) return flow_;
  Visit visit;
  if (shared_) Enter(*graph_, "the start of a session's data-flow graph");
  ContextScope scope("data-flow graph", graph_->name());
  CurrentOptions current(options_);
  flow_ = std::make_shared<SessionFlow>(gec::Flow::Create(*graph_, options_));
  return flow_;
}

void SessionGraph::End() {
  SessionFlowPtr flow;
  {
    std::lock_guard lock(mutex_);
    removed_ = true;
    flow.swap(flow_);
  }
  if (flow) flow->End();
}

}  // namespace gec
