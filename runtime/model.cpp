#include "runtime/model.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "core/compile/placed_graph.h"
#include "core/placement/node_engines.h"
#include "core/placement/registry.h"
#include "core/support/log.h"
#include "core/support/warnings.h"
#include "runtime/compile_config.h"
#include "runtime/graph_options.h"
#include "runtime/place_constants.h"
#include "runtime/python_passes.h"
#include "runtime/threads.h"
#include "runtime/watched_thread.h"
#include "runtime/weight_store_place.h"

namespace gec {
namespace {

std::vector<ModelPort> InputPorts(const Graph &graph) {
  std::vector<ModelPort> ports;
  std::vector<std::string> names = InputNames(graph);
  const std::vector<Node *> inputs = graph.Inputs();  // those of variables come last and have no names
  for (size_t i = 0; i < names.size(); ++i) {
    const TensorDesc &desc = inputs[i]->output_desc(0);
    ports.push_back({std::move(names[i]), desc, BoundsOf(desc).value_or(Bounds())});
  }
  return ports;
}

/// The importer's names, else the producing node's name, with ":port" where one node gives several outputs.
std::vector<std::string> OutputNames(const Graph &graph) {
  std::vector<Endpoint> outputs = graph.Outputs();
  outputs.resize(outputs.size() - VariablesOf(graph).outputs.size());
  static const Symbol kNames = "_output_names";
  if (const AttrValue *given = graph.attrs().Find(kNames)) {
    const auto *names = given->get_if<AttrValue::ListString>();
    if (names && names->size() == outputs.size()) return *names;
  }
  std::vector<std::string> names;
  for (Endpoint e : outputs) {
    size_t same = std::count_if(outputs.begin(), outputs.end(), [&](Endpoint o) { return o.node == e.node; });
    names.push_back(e.node->name() + (same > 1 || e.node->output_count() > 1 ? ":" + std::to_string(e.port) : ""));
  }
  NumberRepeats(names);  // one value may be given twice, and names of nodes may repeat
  return names;
}

/// Names of outputs as they were before a program's passes, which may have given the graph more of them, or fewer.
void FollowOutputs(const Graph &graph, std::vector<std::string> *names) {
  const std::vector<std::string> now = OutputNames(graph);
  for (size_t i = names->size(); i < now.size(); ++i) names->push_back(now[i]);
  names->resize(now.size());
  NumberRepeats(*names);
}

PlacementInfo Info(const Node &node) {
  PlacementInfo info;
  info.node = node.name();
  info.type = node.type().str();
  info.origins = node.OriginText();
  return info;
}

void AddPlacement(const ExecPlan &plan, std::vector<PlacementInfo> *all) {
  for (const ExecPlan::Placed &placed : plan.placed) {
    if (placed.copied >= 0) continue;  // no node
    PlacementInfo info = Info(*placed.node);
    info.engine = placed.kernel->engine().name();
    info.implementation = placed.elided ? "view" : placed.kernel->implementation();
    info.refusals = placed.refusals;
    info.flops = placed.kernel->get().flops;
    all->push_back(std::move(info));
  }
}

/// Reads the constants that nobody has read yet: the file that they are in may change from here on.
void ReadDeferredConstants(Graph &graph) {
  const auto read = [](Graph &of) {
    for (const Node *node : of.Nodes()) {
      if (!IsConstType(node->type())) continue;
      const TensorPtr tensor = ConstantOf({const_cast<Node *>(node), 0});
      if (tensor && tensor->buffer) tensor->buffer->data();
    }
  };
  read(graph);
  for (const GraphPtr &sub : graph.subgraphs()) read(*sub);
  KernelEnv::DropSpareMemory();
}

}  // namespace

size_t SignatureHash::operator()(const Signature &s) const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int64_t v : s) hash = (hash ^ static_cast<uint64_t>(v)) * 0x100000001b3u;
  return hash;
}

Model::~Model() = default;

std::shared_ptr<Model> Model::Compile(const Graph &graph, const Options &options, VariableStorePtr variables,
                                      ConstantMemoryPtr memory) {
  return CompileCopy(CopyToCompile(graph, options), options, std::move(variables), std::move(memory));
}

GraphPtr Model::CopyToCompile(const Graph &graph, const Options &options) {
  RefuseFileOptions(options);
  graph.Verify();  // only a valid graph can be copied
  return graph.Clone();
}

std::shared_ptr<Model> Model::CompileCopy(GraphPtr copy, const Options &options, VariableStorePtr variables,
                                          ConstantMemoryPtr memory) {
  return CompileGraph(std::move(copy), options, false, std::move(variables), std::move(memory));
}

std::shared_ptr<Model> Model::CompileOwned(GraphPtr graph, const Options &options, std::vector<ModelPort> overridable) {
  std::shared_ptr<Model> model = CompileGraph(std::move(graph), options, true, nullptr, nullptr);
  model->overridable_ = std::move(overridable);
  return model;
}

GraphPtr Model::OptimizeOffline(const Graph &graph, const Options &options, const VariableStorePtr &variables) {
  RefuseFileOptions(options);
  graph.Verify();
  CheckInputFormat(graph, options);
  LoadPythonPasses(options);
  const OwnPasses own(options);
  const int64_t limit = EngineTimeLimit(options);
  if (limit == 0) return OptimizeHere(graph.Clone(), options, variables);
  // What a thread uses that may be left behind is its own.
  struct Work {
    GraphPtr graph;
    Options options;
    VariableStorePtr variables;
  };
  auto work = std::make_shared<Work>(Work{graph.Clone(), options, variables});
  RunWatched(limit, [work] { work->graph = OptimizeHere(std::move(work->graph), work->options, work->variables); });
  return std::move(work->graph);
}

GraphPtr Model::OptimizeHere(GraphPtr graph, const Options &options, const VariableStorePtr &variables) {
  const Settings settings = Resolve(options);
  for (const std::string &path : settings.engine_paths) EngineRegistry::Instance().LoadFrom(path);
  UseThreads scope(settings.threads);
  KernelEnv env(settings.threads, HostFeatures());
  KernelFactory kernels(EngineRegistry::Instance().Engines(), EnginesLeftOut(settings), env.get());
  CompileConfig config = ConfigOfCompile(settings, options, ScopeOfCompile(settings, options));
  config.offline = true;
  if (variables) {
    config.variables = [&](const std::string &name, KnownVariable *known) {
      if (!variables->Describe(name, &known->desc)) return false;
      known->value = variables->Copy({name})[0];
      return true;
    };
  }
  config.blocked_layouts = false;  // they are a matter of the machine that loads the model
  AttrValue::ListString names = OutputNames(*graph);
  AlignConstants(*graph);
  const AdoptScope adopted(config.scope);
  GraphPtr optimized = OptimizeGraph(std::move(graph), kernels, config, nullptr).graph;
  FollowOutputs(*optimized, &names);
  static const Symbol kNames = "_output_names", kOptimized = kOptimizedAttr;
  optimized->SetGraphAttr(kNames, AttrValue(std::move(names)));
  optimized->SetGraphAttr(kOptimized, AttrValue(true));
  return optimized;
}

std::shared_ptr<Model> Model::CompileGraph(GraphPtr graph, const Options &options, bool owned,
                                           VariableStorePtr variables, ConstantMemoryPtr memory) {
  LoadPythonPasses(options);
  const OwnPasses own(options);
  const int64_t limit = EngineTimeLimit(options);
  if (limit == 0) return CompileHere(std::move(graph), options, owned, std::move(variables), std::move(memory));
  if (memory)
    Fail(GE_UNSUPPORTED, "a model with option engine_time_limit has memory of its own for constants: an engine that ",
         "hangs may still use it when the program has taken it back");
  struct Work {
    GraphPtr graph;
    Options options;
    VariableStorePtr variables;
    std::shared_ptr<Model> model;
  };
  auto work = std::make_shared<Work>(Work{std::move(graph), options, std::move(variables), nullptr});
  RunWatched(limit, [work, owned] {
    work->model = CompileHere(std::move(work->graph), work->options, owned, std::move(work->variables), nullptr);
  });
  return std::move(work->model);
}

void Model::Destroy(Model *model) noexcept {
  const int64_t limit = model->settings_.engine_time_limit;
  if (limit == 0 && !EngineHealth::AnyHung()) delete model;
  else GiveBackWatched(limit, [model] { delete model; });
}

// A node that no engine takes may be the fault of an engine that was not found or not loaded.
std::shared_ptr<Model> Model::CompileHere(GraphPtr graph, const Options &options, bool owned,
                                          VariableStorePtr variables, ConstantMemoryPtr memory) try {
  if (ThreadTeamLost()) {
    std::shared_ptr<Model> compiled;
    OnNewThread([&] { compiled = CompileHere(std::move(graph), options, owned, std::move(variables), memory); });
    return compiled;
  }
  std::shared_ptr<Model> model(new Model(), &Model::Destroy);
  model->options_ = options;
  model->settings_ = Resolve(options);
  const Settings &settings = model->settings_;
  CheckInputFormat(*graph, options);
  for (const std::string &path : settings.engine_paths) EngineRegistry::Instance().LoadFrom(path);
  UseThreads scope(settings.threads);
  model->env_ = std::make_unique<KernelEnv>(settings.threads, HostFeatures(), memory);
  model->env_->Tune(settings.tune);
  model->kernels_ = std::make_unique<KernelFactory>(EngineRegistry::Instance().Engines(), EnginesLeftOut(settings),
                                                    model->env_->get());
  model->owned_ = owned;
  model->env_->UseStore(OpenWeightStore(settings, options, *graph, model->kernels_->engines()));
  std::vector<std::string> output_names = OutputNames(*graph);
  AlignConstants(*graph);
  const PassScopePtr scope_of_compile = ScopeOfCompile(settings, options);
  // Instruments watch the compile; what a run compiles later for its sizes is not theirs.
  model->scope_ = std::make_shared<PassScope>(*scope_of_compile);
  model->scope_->watched_by = nullptr;
  model->scope_->own_passes.clear();
  CompileConfig config = ConfigOfCompile(settings, options, scope_of_compile);
  if (variables) {
    config.variables = [&](const std::string &name, KnownVariable *known) {
      return variables->Describe(name, &known->desc);
    };
  }
  config.regions = !memory;  // constants move there later; an engine would pack them from where they do not stay
  model->variables_ = variables;
  Optimized optimized;
  {
    const AdoptScope adopted(config.scope);  // passes that ask see what holds
    optimized = OptimizeGraph(std::move(graph), *model->kernels_, config, &model->report_);
  }
  model->graph_ = std::move(optimized.graph);
  model->complete_ = optimized.complete;
  model->regions_ = std::move(optimized.regions);
  model->env_->Retain(model->regions_.constants);
  if (memory) PlaceConstants(*model->graph_, *memory);
  if (config.progress) config.progress("kernels");
  model->inputs_ = InputPorts(*model->graph_);
  const std::vector<Endpoint> outputs = model->graph_->Outputs();
  const GraphVariables found = VariablesOf(*model->graph_);
  FollowOutputs(*model->graph_, &output_names);
  for (size_t i = 0; i + found.outputs.size() < outputs.size(); ++i) {
    model->outputs_.push_back(
        {output_names[i], outputs[i].node->output_desc(static_cast<size_t>(outputs[i].port)), {}});
  }
  bool known = true;
  std::vector<TensorDesc> inputs;
  for (Node *node : model->graph_->Inputs()) {
    const TensorDesc &desc = node->output_desc(0);
    known = known && desc.known() && desc.dtype != C_DT_UNDEFINED;
    inputs.push_back(desc);
  }
  PlanPtr plan;
  if (known) {
    const auto begin = std::chrono::steady_clock::now();
    plan = model->PlanFor("", inputs, SignatureOf(inputs));
    if (!plan->is_static()) model->PlanIslands("");
    const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    model->AddPlanStages(*plan, all);
    if (plan->is_static()) {
      for (size_t i = 0; i < model->outputs_.size(); ++i) model->outputs_[i].desc = plan->outputs[i];
    }
  }
  if (!plan || !plan->is_static()) model->PlaceGeneric();
  ReadDeferredConstants(*model->graph_);
  // Last, so that a graph that cannot be compiled leaves no variable behind.
  if (!found.inputs.empty() || !found.outputs.empty()) model->BindVariables(found, outputs);
  return model;
} catch (const Error &e) {
  if (e.code() != GE_UNSUPPORTED) throw;
  // First what is wrong with the engines: what they do not take follows from it, and can be long.
  const std::string problems = EngineRegistry::Instance().Problems();
  if (EngineRegistry::Instance().Engines().empty()) Fail(e.code(), "EZ3003: no engine is loaded: ", problems);
  if (problems.empty()) throw;
  Fail(e.code(), problems, "\n", e.what());
}

void Model::AddPlanStages(const ExecPlan &plan, double seconds) {
  std::vector<StageTime> &stages = report_.stages;
  if (!plan.is_static()) {
    stages.push_back({"plans of islands", seconds, 0});
    return;
  }
  stages.push_back({"place", plan.seconds.place, static_cast<int64_t>(plan.placed.size())});
  stages.push_back({"kernels and copies", plan.seconds.kernels, static_cast<int64_t>(plan.steps.size())});
  stages.push_back({"memory plan", plan.seconds.memory, static_cast<int64_t>(plan.memory.blocks.size())});
}

void Model::BindVariables(const GraphVariables &found, const std::vector<Endpoint> &outputs) {
  const auto text = [](const TensorDesc &desc) { return Str(GeDataTypeName(desc.dtype), " ", desc.shape.str()); };
  const auto differ = [](const TensorDesc &a, const TensorDesc &b) {
    return a.known() && b.known() && (a.dtype != b.dtype || a.shape != b.shape);
  };
  std::vector<VariableStore::Declaration> list;
  std::map<std::string, size_t> entry;
  auto enter = [&](const std::string &name, const TensorDesc &desc, const TensorPtr &initial) {
    auto [at, fresh] = entry.emplace(name, list.size());
    if (fresh) list.push_back({name, TensorDesc(desc.dtype, Shape::UnknownRank()), nullptr, ""});
    VariableStore::Declaration &declared = list[at->second];
    if (declared.desc.known()) return at->second;
    declared.desc = desc;
    declared.desc.attrs = nullptr;
    declared.initial = initial;
    declared.graph = "graph '" + graph_->name() + "'";
    return at->second;
  };
  const TensorDesc unknown(C_DT_FLOAT, Shape::UnknownRank());
  std::vector<size_t> read, written;  // in `list`
  for (const VariableInput &in : found.inputs) {
    const TensorDesc &desc = in.node->output_desc(0);
    read.push_back(enter(in.name, in.flag ? unknown : desc, in.initial));
    bound_.inputs.push_back({desc, in.flag});
  }
  const size_t first = outputs.size() - found.outputs.size();
  for (size_t i = 0; i < found.outputs.size(); ++i) {
    const VariableOutput &out = found.outputs[i];
    const Endpoint e = outputs[first + i];
    const TensorDesc &desc = e.node->output_desc(static_cast<size_t>(e.port));
    if (out.input >= 0) {
      const TensorDesc &target = inputs_.at(static_cast<size_t>(out.input)).desc;
      if (differ(target, desc)) {
        Fail(GE_GRAPH_INVALID, out.writer, " gives input '", out.name, "' ", text(desc), ", the input is ",
             text(target));
      }
      bound_.refs.push_back({i, static_cast<size_t>(out.input)});
      continue;
    }
    const size_t at = enter(out.name, desc, nullptr);
    if (differ(list[at].desc, desc)) {
      Fail(GE_GRAPH_INVALID, out.writer, " gives variable '", out.name, "' ", text(desc), ", the variable is ",
           text(list[at].desc));
    }
    written.push_back(at);
    bound_.outputs.push_back({list[at].desc, i});
    bound_.writers.push_back(out.writer);
  }
  if (!variables_) variables_ = std::make_shared<VariableStore>();
  const std::vector<size_t> numbers = variables_->Declare(list);
  for (size_t at : read) bound_.read.push_back(numbers[at]);
  for (size_t at : written) bound_.written.push_back(numbers[at]);
}

/// Asks the engines for every node of every graph, so that a node that nobody takes is refused at compile time.
void Model::PlaceGeneric() {
  UnplacedNodes unplaced;
  for (NodeEngine &e : EnginesOfNodes(*graph_, *kernels_)) {
    if (e.engine.empty()) {
      unplaced.Add(*e.node, e.refusals);
      continue;
    }
    PlacementInfo info = Info(*e.node);
    info.engine = std::move(e.engine);
    info.refusals = std::move(e.refusals);
    generic_placement_.push_back({&e.node->graph() == graph_.get() ? "" : e.node->graph().name(), std::move(info)});
  }
  unplaced.ThrowIfAny();
}

const Graph &Model::GraphNamed(const std::string &name) const {
  if (name.empty()) return *graph_;
  if (const Graph *graph = graph_->FindSubgraph(name)) return *graph;
  for (const auto &[graph, split] : islands_) {
    if (!split.graph) continue;
    if (const Graph *island = split.graph->FindSubgraph(name)) return *island;
  }
  Fail(GE_GRAPH_INVALID, "graph '", graph_->name(), "' has no subgraph '", name, "'");
}

GraphPtr Model::CopyGraph(const std::string &graph) {
  std::lock_guard lock(graph_mutex_);
  return GraphNamed(graph).Clone();
}

GraphPtr Model::CopyToInterpret(const std::string &graph) {
  std::lock_guard lock(graph_mutex_);
  const auto split = islands_.find(graph);
  return split != islands_.end() && split->second.graph ? split->second.graph->Clone() : GraphNamed(graph).Clone();
}

GraphPtr Model::PlacedGraph() {
  if (const PlanPtr plan = NewestPlan()) return gec::PlacedGraph(*plan);
  GraphPtr copy = CopyToInterpret("");
  if (settings_.engine_time_limit == 0) MarkEngines(*copy, *kernels_);
  else
    RunWatched(settings_.engine_time_limit, [self = shared_from_this(), copy] { MarkEngines(*copy, *self->kernels_); });
  return copy;
}

std::vector<int64_t> Model::ArgumentsOf(const std::string &graph) {
  static const Symbol kIndex = "index";
  std::lock_guard lock(graph_mutex_);
  std::vector<int64_t> arguments;
  for (Node *node : GraphNamed(graph).Inputs()) arguments.push_back(node->Int(kIndex));
  return arguments;
}

std::vector<PlacementInfo> Model::Placement() const {
  std::vector<PlacementInfo> all;
  if (const PlanPtr plan = NewestPlan()) {
    AddPlacement(*plan, &all);
    return all;
  }
  std::set<std::pair<std::string, std::string>> planned;  // graph and node
  std::vector<PlanPtr> plans;
  {
    std::scoped_lock lock(graph_mutex_, mutex_);
    for (const auto &[graph, split] : islands_) {
      for (const Island &island : split.islands) {
        const auto cache = plans_.find(island.name);
        if (cache == plans_.end() || cache->second.entries.empty()) continue;
        const PlanPtr &plan = cache->second.entries.front().plan;
        if (!plan->is_static()) continue;
        plans.push_back(plan);
        for (const Node *node : split.graph->FindSubgraph(island.name)->Nodes()) planned.emplace(graph, node->name());
      }
    }
  }
  for (const GenericPlacement &entry : generic_placement_)
    if (!planned.count({entry.graph, entry.info.node})) all.push_back(entry.info);
  for (const PlanPtr &plan : plans) AddPlacement(*plan, &all);
  return all;
}

PlanPtr Model::NewestPlan() const {
  std::lock_guard lock(mutex_);
  return newest_;
}

size_t Model::plan_count() const {
  std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto &[name, cache] : plans_) count += cache.entries.size();
  return count;
}

}  // namespace gec
