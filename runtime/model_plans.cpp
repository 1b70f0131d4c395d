// The plan for the shapes of a run: found, made for its class of sizes, or for them alone.
#include <algorithm>

#include "core/compile/placed_graph.h"
#include "core/compile/plan_sizes.h"
#include "core/placement/node_engines.h"
#include "core/support/log.h"
#include "runtime/compile_config.h"
#include "runtime/graph_options.h"
#include "runtime/model.h"
#include "runtime/weight_store_place.h"

namespace gec {

Signature SignatureOf(const std::vector<TensorDesc> &descs) {
  Signature signature;
  for (const TensorDesc &desc : descs) {
    signature.push_back(desc.dtype);
    signature.push_back(desc.shape.rank());
    signature.insert(signature.end(), desc.shape.dims().begin(), desc.shape.dims().end());
  }
  return signature;
}

PlanPtr Model::FindPlan(const std::string &graph, const Signature &signature) {
  std::lock_guard lock(mutex_);
  if (graph.empty() && complete_ && newest_) return newest_;  // there is no other
  PlanCache &cache = plans_[graph];
  auto at = cache.index.find(signature);
  if (at == cache.index.end()) return nullptr;
  cache.entries.splice(cache.entries.begin(), cache.entries, at->second);
  return at->second->plan;
}

PlanPtr Model::PlanFor(const std::string &graph, const std::vector<TensorDesc> &inputs, const Signature &signature) {
  if (PlanPtr plan = FindPlan(graph, signature)) return plan;
  // Plans for different shapes are built at the same time; of one plan only one is made.
  const std::pair<std::string, Signature> key(graph, signature);
  std::shared_ptr<Turn> busy;
  {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Turn> &entry = building_[key];
    if (!entry) entry = std::make_shared<Turn>();
    busy = entry;
  }
  struct Done {  // also when it cannot be made
    Model &model;
    const std::pair<std::string, Signature> &key;
    const std::shared_ptr<Turn> &busy;
    ~Done() {
      std::lock_guard lock(model.mutex_);
      const auto at = model.building_.find(key);
      if (at != model.building_.end() && at->second == busy) model.building_.erase(at);
    }
  } done{*this, key, busy};
  const TurnLock build(*busy);
  if (PlanPtr plan = FindPlan(graph, signature)) return plan;  // another thread made it meanwhile
  PlanPtr plan = MakePlan(graph, inputs);
  std::lock_guard lock(mutex_);
  PlanCache &cache = plans_[graph];
  if (const auto at = cache.index.find(signature); at != cache.index.end()) return at->second->plan;
  cache.entries.push_front({signature, plan});
  cache.index[signature] = cache.entries.begin();
  if (cache.entries.size() > settings_.max_plans) {
    cache.index.erase(cache.entries.back().signature);
    cache.entries.pop_back();
  }
  if (graph.empty() && plan->is_static()) newest_ = plan;
  if (WeightStore *store = env_->store()) store->Save();
  return plan;
}

std::vector<TensorDesc> Model::DeclaredInputs(const std::string &graph) {
  std::lock_guard lock(graph_mutex_);
  std::vector<TensorDesc> declared;
  for (Node *node : GraphNamed(graph).Inputs()) declared.push_back(node->output_desc(0));
  return declared;
}

ShapeClassPtr Model::FindClass(const std::string &graph, const SizePattern &pattern) {
  std::lock_guard lock(mutex_);
  for (const ShapeClassPtr &sizes : classes_[graph])
    if (sizes->Serves(pattern)) return sizes;
  return nullptr;
}

namespace {

size_t NodesThatCompute(const Graph &graph) {
  const std::vector<Node *> nodes = graph.Nodes();
  return static_cast<size_t>(std::count_if(nodes.begin(), nodes.end(), [](const Node *n) { return NeedsKernel(*n); }));
}

}  // namespace

void Model::AddClass(const std::string &graph, const SizePattern &pattern, const std::vector<TensorDesc> &inputs,
                     const ExecPlan &exact) {
  constexpr size_t kMostClasses = 16;  // of a graph; each keeps a copy of it
  auto sizes = std::make_shared<ShapeClass>();
  sizes->key = pattern.key;
  std::vector<std::string> names;
  for (const ModelPort &port : inputs_) names.push_back(port.name);
  sizes->inputs = TextOf(pattern, graph.empty() ? names : std::vector<std::string>());
  std::vector<SymbolicDims::Range> ranges(pattern.extents.size(), {SymbolicDims::kLeastInput, -1});
  for (size_t i = 0; graph.empty() && i < inputs_.size(); ++i) {  // runs refuse extents outside of these
    const Bounds &bounds = inputs_[i].bounds;
    const Shape &shape = pattern.inputs[i].shape;
    for (size_t d = 0; d < bounds.low.size() && d < shape.dims().size(); ++d) {
      if (!IsSymbolic(shape[d])) continue;
      SymbolicDims::Range &range = ranges[static_cast<size_t>(SymbolicNumber(shape[d]))];
      range.low = std::max(range.low, bounds.low[d]);
      if (bounds.high[d] >= 0 && (range.high < 0 || bounds.high[d] < range.high)) range.high = bounds.high[d];
    }
  }
  for (size_t k = 0; k < ranges.size(); ++k) sizes->symbolic.Input(pattern.extents[k], ranges[k]);
  try {
    Optimized for_all = GeneralizeGraph(CopyGraph(graph), pattern.inputs, sizes->symbolic, *kernels_,
                                        ConfigOfCompile(settings_, options_, scope_));
    AddSpecialization("class", pattern.inputs, std::move(for_all.passes));
    sizes->graph = std::move(for_all.graph);
    // A trial without kernels, which may be costly to make.
    const Optimized trial =
        InstantiateGraph(sizes->graph->Clone(), inputs, *kernels_, ConfigOfCompile(settings_, options_, scope_));
    const size_t general = NodesThatCompute(*trial.graph), alone = NodesThatCompute(*exact.graph);
    if (general > alone)
      sizes->refusal = Str("it has ", general, " nodes that compute, the graph for one size ", alone);
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    sizes->refusal = e.what();
  }
  if (!sizes->refusal.empty()) {
    Log(GE_LOG_INFO, "no graph for all sizes ", sizes->inputs, ": ", sizes->refusal);
    sizes->graph = nullptr;
  } else {
    sizes->graph = sizes->graph->Clone();  // without gaps between its nodes: those of its copies have the same numbers
    {
      std::lock_guard graph_lock(graph_mutex_);
      constants_.Share(*sizes->graph, ConstantPool::BuffersOf(GraphNamed(graph)));
    }
    sizes->constants = ConstantPool::BuffersOf(*sizes->graph);
    sizes->open = std::make_unique<OpenKernels>(*sizes->graph, sizes->symbolic);
    sizes->leading = std::make_unique<LeadingConstants>(*sizes->graph);
  }
  std::lock_guard lock(mutex_);
  std::vector<ShapeClassPtr> &all = classes_[graph];
  if (all.size() < kMostClasses) all.push_back(std::move(sizes));
}

void Model::AddSpecialization(const char *kind, const std::vector<TensorDesc> &inputs, PassReport passes) {
  std::string text;
  for (const TensorDesc &desc : inputs)
    text += Str(text.empty() ? "" : ", ", GeDataTypeName(desc.dtype), " ", desc.shape.str());
  std::lock_guard lock(mutex_);
  if (specializations_.size() == kMostSpecializations) specializations_.erase(specializations_.begin());
  specializations_.push_back({kind, std::move(text), std::move(passes)});
}

void Model::AddIslands(const std::string &graph, const std::vector<TensorDesc> &inputs) {
  GraphPtr copy;
  std::string prefix = (graph.empty() ? graph_->name() : graph) + "_island_";
  {
    std::lock_guard lock(graph_mutex_);
    if (islands_.count(graph)) return;
    copy = GraphNamed(graph).Clone();
    const auto taken = [&](const GraphPtr &sub) { return sub->name().compare(0, prefix.size(), prefix) == 0; };
    while (std::any_of(graph_->subgraphs().begin(), graph_->subgraphs().end(), taken)) prefix += '_';
  }
  IslandGraph split = MakeIslands(*copy, inputs, kernels_->Evaluator(), prefix);
  std::lock_guard lock(graph_mutex_);
  islands_.emplace(graph, std::move(split));
}

void Model::PlanIslands(const std::string &graph) {
  std::vector<Island> islands;
  {
    std::lock_guard lock(graph_mutex_);
    const auto found = islands_.find(graph);
    if (found != islands_.end()) islands = found->second.islands;
  }
  for (const Island &island : islands)
    if (island.certain) PlanFor(island.name, island.inputs, SignatureOf(island.inputs));
}

PlanPtr Model::MakePlan(const std::string &graph, const std::vector<TensorDesc> &inputs) try {
  PlanPtr plan = MakeStaticPlan(graph, inputs);
  if (!plan->is_static() && settings_.islands) AddIslands(graph, inputs);
  return plan;
} catch (const std::length_error &) {  // more memory than can exist
  throw;
} catch (const std::logic_error &e) {
  Fail(GE_FAILED, "while a plan of graph '", graph.empty() ? graph_->name() : graph, "' was made: ", InternalError(e));
}

PlanPtr Model::MakeStaticPlan(const std::string &graph, const std::vector<TensorDesc> &inputs) {
  if ((graph.empty() && complete_) || !settings_.general_plans) return MakeExactPlan(graph, inputs);
  const SizePattern pattern = PatternOf(DeclaredInputs(graph), inputs);
  const ShapeClassPtr sizes = pattern.extents.empty() ? nullptr : FindClass(graph, pattern);
  std::string why;
  if (sizes && sizes->graph && !sizes->gave_up) {
    if (PlanPtr plan = FindServingPlan(sizes, inputs)) return plan;
    if (PlanPtr plan = MakeGeneralPlan(sizes, inputs, &why)) {
      ++sizes->plans;
      return plan;
    }
    Log(GE_LOG_INFO, "the graph for all sizes ", sizes->inputs, " does not serve this one: ", why);
  }
  // The exact way tells what is wrong with these inputs, in words of the graph that the program knows.
  PlanPtr plan = MakeExactPlan(graph, inputs);
  if (sizes && sizes->graph && !sizes->gave_up) {  // it was the class, not the inputs
    std::lock_guard lock(mutex_);
    sizes->why_gave_up = why;
    sizes->gave_up = true;
  }
  // An engine that takes or changes parts of a graph knows no symbolic extents.
  if (!sizes && !pattern.extents.empty() && plan->is_static() && kernels_->ClaimingEngines().empty() &&
      kernels_->OptimizingEngines().empty())
    AddClass(graph, pattern, inputs, *plan);
  return plan;
}

PlanPtr Model::MakeExactPlan(const std::string &graph, const std::vector<TensorDesc> &inputs) {
  // The root of a model whose input shapes were known has been through all of it already.
  Optimized special{graph_, true, {}, {}};
  const RegionKernels *regions = &regions_;
  if (!graph.empty() || !complete_) {
    {
      std::lock_guard lock(graph_mutex_);
      special.graph = CopyToSpecialize(GraphNamed(graph));
    }
    special =
        SpecializeGraph(std::move(special.graph), inputs, *kernels_, ConfigOfCompile(settings_, options_, scope_));
    AddSpecialization("exact", inputs, std::move(special.passes));
    regions = &special.regions;
    env_->Retain(regions->constants);
    std::lock_guard lock(graph_mutex_);
    constants_.Share(*special.graph, ConstantPool::BuffersOf(GraphNamed(graph)));
  }
  PlanOptions options;
  options.reuse_memory = settings_.reuse_memory;
  options.regions = regions;
  options.discard_packed = owned_ && special.graph == graph_;
  PlanPtr plan = BuildPlan(std::move(special.graph), *kernels_, options);
  env_->Retain(plan->constants);
  return plan;
}

}  // namespace gec
