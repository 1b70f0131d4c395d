#include "core/compile/exec_plan.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <span>
#include <unordered_map>

#include "core/compile/plan_growth.h"
#include "core/compile/plan_places.h"
#include "core/ops/traits.h"
#include "core/placement/call_watch.h"
#include "core/placement/memory_space.h"
#include "core/placement/node_engines.h"
#include "core/placement/regions.h"
#include "core/support/cancel.h"
#include "core/support/warnings.h"
#include "core/variables/variables.h"

namespace gec {
namespace {

/// Gives the memory of constants back that all their kernels read in packed form only. It does so while kernels are
/// made: originals and packed forms of a whole model are never in memory together.
class ContentReleases {
 public:
  /// Nothing is discarded where a graph may turn out to need interpreting, because that makes kernels again.
  void Count(const Graph &graph, const std::vector<Node *> &order) {
    if (!graph.root().subgraphs().empty()) return;
    for (Node *node : order) {
      if (IsControlFlow(*node)) return;
      for (size_t o = 0; o < node->output_count(); ++o) {
        if (!node->output_desc(o).known()) return;
      }
    }
    for (Node *node : order) {
      for (size_t i = 0; i < node->input_count(); ++i) {
        Buffer *buffer = BufferOf(*node, i);
        if (!buffer) continue;
        State &state = states_[buffer];
        state.needed |= !NeedsKernel(*node) || state.last == node;  // read twice by one node: once maybe unpacked
        state.last = node;
        ++state.pending;
      }
    }
    for (Endpoint e : graph.Outputs()) {
      if (TensorPtr t = ConstantOf(e)) states_.erase(t->buffer.get());
    }
  }
  /// Called when the node has its kernel, null for a node without work. Returns the bytes given back.
  uint64_t Made(const Node &node, const Kernel *kernel) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < node.input_count() && !states_.empty(); ++i) {
      Buffer *buffer = BufferOf(node, i);
      auto at = buffer ? states_.find(buffer) : states_.end();
      if (at == states_.end()) continue;
      State &state = at->second;
      state.needed |= kernel && !kernel->ReadsPackedOnly(buffer->address());
      if (--state.pending != 0 || state.needed) continue;
      buffer->Discard();
      if (buffer->discarded()) bytes += buffer->size();
    }
    return bytes;
  }

 private:
  static constexpr uint64_t kFrom = 64 << 10;  // bytes; smaller ones are not worth it
  struct State {
    size_t pending = 0;
    const Node *last = nullptr;
    bool needed = false;
  };
  static Buffer *BufferOf(const Node &node, size_t i) {
    if (!node.input(i) || !IsConstType(node.input(i).node->type())) return nullptr;
    TensorPtr t = ConstantInput(node, i);
    return t && t->bytes() >= kFrom ? t->buffer.get() : nullptr;
  }
  std::unordered_map<Buffer *, State> states_;
};

/// Adds the time that it lives.
class StageClock {
 public:
  explicit StageClock(double *seconds) : seconds_(seconds), begin_(std::chrono::steady_clock::now()) {}
  ~StageClock() { *seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  StageClock(const StageClock &) = delete;
  StageClock &operator=(const StageClock &) = delete;

 private:
  double *seconds_;
  std::chrono::steady_clock::time_point begin_;
};

/// Values are numbered while walking the graph; ports of nodes that produce nothing have none.
class Builder {
 public:
  Builder(GraphPtr graph, KernelFactory &kernels, const PlanOptions &options)
      : kernels_(kernels), options_(options), plan_(std::make_shared<ExecPlan>()) {
    plan_->graph = std::move(graph);
    first_value_.assign(plan_->graph->id_limit(), -1);
  }

  std::shared_ptr<ExecPlan> Build() {
    Graph &graph = *plan_->graph;
    plan_->dynamic_reason = WhyDynamic(graph);
    if (!plan_->is_static()) return plan_;
    std::vector<Node *> order = graph.TopologicalOrder();
    if (options_.discard_packed) discards_.Count(graph, order);
    Place(order);
    planner_.Reserve(order.size() * 2, order.size());
    AddInputs(graph);
    const StageClock kernels(&plan_->seconds.kernels);
    for (size_t k = 0; k < order.size(); ++k) {
      const Node &node = *order[k];
      if (IsDataType(node.type())) continue;
      if (IsConstType(node.type())) {
        AddConstant(node);
      } else if (NeedsKernel(node) || RegionOf(node)) {
        if (!AddNode(node, placement_of_[k] < 0 ? nullptr : &placed_[static_cast<size_t>(placement_of_[k])]))
          return plan_;
      }
    }
    unplaced_.ThrowIfAny();
    for (Endpoint e : output_nodes_) {
      plan_->outputs.push_back(e.node->output_desc(static_cast<size_t>(e.port)));
      output_values_.push_back(ValueIn(0, ValueOf(e)));
    }
    for (PendingStep &step : pending_) Emit(step);
    for (int32_t value : output_values_) planner_.AddOutput(value);
    const StageClock memory(&plan_->seconds.memory);
    plan_->memory = planner_.Solve(options_.reuse_memory);
    Finish();
    return plan_;
  }

 private:
  /// Every output that is known has no elements: there is nothing to compute.
  static bool Empty(const Node &node) {
    bool empty = node.output_count() != 0;
    for (size_t i = 0; i < node.output_count(); ++i) {
      const TensorDesc &desc = node.output_desc(i);
      empty = empty && (!desc.known() || (GeDataTypeBits(desc.dtype) != 0 && desc.bytes() == 0));
    }
    return empty;
  }

  /// Asks engines for all nodes before the first kernel is made, large graphs on several threads. Kernels that serve
  /// all sizes have their place.
  void Place(const std::vector<Node *> &order) {
    const StageClock clock(&plan_->seconds.place);
    placement_of_.assign(order.size(), -1);
    std::vector<Node *> asked;
    for (size_t k = 0; k < order.size(); ++k) {
      Node &node = *order[k];
      if (!NeedsKernel(node) || RegionOf(node) || Empty(node)) continue;
      if (options_.open && options_.open->Has(node)) continue;
      placement_of_[k] = static_cast<int32_t>(asked.size());
      asked.push_back(&node);
    }
    placed_ = PlaceNodes(asked, kernels_);
  }

  std::shared_ptr<ExecPlan> Dynamic(std::string reason) {
    unplaced_.ThrowIfAny();
    if (plan_->discarded_bytes != 0) Fail(GE_FAILED, "all shapes were known, and yet ", reason);
    plan_->dynamic_reason = std::move(reason);
    return plan_;
  }

  int32_t ValueOf(Endpoint e) const {
    if (!e) return -1;
    int32_t first = first_value_[e.node->id()];
    return first < 0 ? -1 : first + e.port;
  }

  /// Of the next value.
  void Name(const Node &node, int32_t port, int32_t space = 0) {
    plan_->values.push_back({&node, port});
    space_of_.push_back(space);
    made_by_.push_back(static_cast<int32_t>(pending_.size()));  // if a step makes it
  }

  /// The number of the memory that the engine's kernels use.
  int32_t SpaceOf(const Engine &engine) {
    if (!engine.space()) return 0;
    std::vector<EnginePtr> &all = plan_->spaces;
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].get() == &engine) return static_cast<int32_t>(i) + 1;
    all.push_back(engine.shared_from_this());
    plan_->started.push_back(0);
    return planner_.AddSpace(engine.space()->alignment);
  }

  /// The value where kernels of that space find it: itself, or a copy, which is made once. Values go through the host's
  /// memory from one space to another; constants lie in both.
  int32_t ValueIn(int32_t space, int32_t value) {
    if (value < 0 || space_of_[value] == space || planner_.BytesOf(value) == 0) return value;
    const auto found = copies_.find({value, space});
    if (found != copies_.end()) return found->second;
    int32_t copy;
    if (const auto constant = constant_of_.find(value); constant != constant_of_.end()) {
      copy = ConstantIn(space, value, static_cast<size_t>(constant->second));
    } else {
      const int32_t from = space == 0 ? value : ValueIn(0, value);
      copy = AddCopy(from, space_of_[from], space);
    }
    copies_.emplace(std::make_pair(value, space), copy);
    return copy;
  }

  int32_t ConstantIn(int32_t space, int32_t value, size_t constant) {
    const ExecPlan::ValueName name = plan_->values[value];
    const CallWatch::About about(*name.node);
    const int32_t index = static_cast<int32_t>(plan_->constants.size());
    plan_->constants.push_back(
        kernels_.ConstantIn(plan_->spaces[static_cast<size_t>(space) - 1], plan_->constants[constant]));
    const int32_t copy = planner_.AddExternal(Storage::kConst, index, planner_.BytesOf(value));
    Name(*name.node, name.port, space);
    return copy;
  }

  int32_t AddCopy(int32_t value, int32_t from, int32_t to) {
    const ExecPlan::ValueName name = plan_->values[value];
    const int32_t space = std::max(from, to);
    const Engine &engine = *plan_->spaces[static_cast<size_t>(space) - 1];
    const uint64_t bytes = planner_.BytesOf(value);
    const int32_t copy = planner_.AddValue(bytes, to);
    Name(*name.node, name.port, to);
    ExecPlan::Placed placed{name.node, engine.CopyKernel(bytes, to != 0), "", false, name.port, bytes, to};
    if (to != 0 || !engine.has_events()) {
      pending_.push_back({{value}, {copy}, {}, false, std::move(placed), {}});
      return copy;
    }
    // The copy starts as soon as the value is there, and the host waits where it needs it. Until then the value stays.
    placed.started = static_cast<int32_t>(plan_->started[static_cast<size_t>(space) - 1]++);
    ExecPlan::Placed wait = placed;
    wait.wait = true;
    pending_[static_cast<size_t>(made_by_[value])].behind.push_back(
        {{value}, {copy}, {}, false, std::move(placed), {}});
    pending_.push_back({{value, copy}, {}, {}, false, std::move(wait), {}});
    return copy;
  }

  /// The output that input `index` is to hold after the run, if that one is to be changed and keeps its type and shape;
  /// else -1.
  int32_t StateOf(size_t index, const TensorDesc &desc) {
    for (const auto &[input, output] : states_) {
      if (input != static_cast<int64_t>(index)) continue;
      const Endpoint e = output_nodes_[output];
      const TensorDesc &after = e.node->output_desc(static_cast<size_t>(e.port));
      return desc.known() && after.dtype == desc.dtype && after.shape == desc.shape ? static_cast<int32_t>(output) : -1;
    }
    return -1;
  }

  void AddInputs(Graph &graph) {
    output_nodes_ = graph.Outputs();
    const std::vector<VariableOutput> hidden = VariablesOf(graph).outputs;
    for (size_t i = 0; i < hidden.size(); ++i)
      if (hidden[i].input >= 0) states_.push_back({hidden[i].input, output_nodes_.size() - hidden.size() + i});
    for (Node *node : graph.Inputs()) {
      const TensorDesc &desc = node->output_desc(0);
      const int32_t index = static_cast<int32_t>(plan_->inputs.size()), state = StateOf(plan_->inputs.size(), desc);
      const uint64_t bytes = desc.known() ? desc.bytes() : 0;
      first_value_[node->id()] =
          state < 0 ? planner_.AddExternal(Storage::kInput, index, bytes) : planner_.AddState(index, bytes, state);
      plan_->inputs.push_back(desc);
      Name(*node, 0);
    }
  }

  void AddConstant(const Node &node) {
    TensorPtr tensor = ConstantOf({const_cast<Node *>(&node), 0});
    const uint64_t bytes = tensor ? tensor->bytes() : 0, described = node.output_desc(0).bytes();
    if (bytes != described)  // its readers would read beyond it
      Fail(GE_GRAPH_INVALID, node.Label(), ": the constant has ", bytes, " bytes, its description asks for ",
           described);
    const int32_t index = static_cast<int32_t>(plan_->constants.size());
    first_value_[node.id()] = planner_.AddExternal(bytes ? Storage::kConst : Storage::kNone, index, bytes);
    if (bytes) constant_of_.emplace(first_value_[node.id()], index);
    plan_->constants.push_back(std::move(tensor));
    Name(node, 0);
  }

  /// False when the node makes the plan impossible; plan_->dynamic_reason is set then.
  bool AddNode(const Node &node, KernelPlacement *place) {
    CheckCancelled([&] { return "before the kernel of " + node.Label() + " is made"; });
    for (size_t i = 0; i < node.output_count(); ++i) {
      const TensorDesc &desc = node.output_desc(i);
      if (!desc.known() || GeDataTypeBits(desc.dtype) != 0) continue;  // nobody reads what is not known
      Fail(GE_UNSUPPORTED, node.type().view(), " '", node.OriginText(), "': output ", i, " has type ",
           GeDataTypeName(desc.dtype), ", which cannot be stored");
    }
    bool empty = Empty(node);
    view_.Reset(node);
    KernelFactory::Made made;
    bool open = false;  // the kernel serves other extents, too
    if (!empty) {
      const Graph *region = RegionOf(node);
      if (options_.open && !region) made.kernel = options_.open->Find(node, *view_.get(), kernels_);
      open = made.kernel != nullptr;
      if (!open && region) made = RegionKernel(node, *region);
      else if (!open && place) made = kernels_.Make(node, *view_.get(), std::move(*place));
      else if (!open) made = kernels_.Make(node, *view_.get());  // the one that serves all sizes is gone
      if (region) KeepConstants(*region);
      if (!made.kernel) {
        unplaced_.Add(node, made.refusals);
        empty = true;
      } else if (made.kernel->data_dependent()) {
        Dynamic(Str("output shapes of ", node.type().view(), " '", node.OriginText(), "' depend on data"));
        return false;
      }
    }
    if (made.kernel && made.kernel->view()) KeepInMemory(node, &made);
    plan_->discarded_bytes += discards_.Made(node, made.kernel.get());
    inputs_.clear();
    outputs_.clear();
    const int32_t space = made.kernel ? SpaceOf(made.kernel->engine()) : 0;
    for (size_t i = 0; i < node.input_count(); ++i) inputs_.push_back(ValueOf(node.input(i)));
    for (int32_t &value : inputs_)
      if (!empty) value = ValueIn(space, value);
    for (size_t i = 0; i < node.output_count(); ++i) {
      const TensorDesc &desc = node.output_desc(i);
      int32_t value = planner_.AddValue(desc.known() ? desc.bytes() : 0, space);
      if (i == 0) first_value_[node.id()] = value;
      outputs_.push_back(value);
      Name(node, static_cast<int32_t>(i), space);
    }
    if (empty) return true;  // nothing to compute: every output has no elements
    KernelPtr in_place = open ? kernels_.MakeView(node, *view_.get()) : nullptr;
    if (in_place && !LieAlikeAtAllSizes(*options_.open->General(node), node, in_place->get())) in_place = nullptr;
    const GeKernel &k = (in_place ? in_place : made.kernel)->get();
    std::span<const GeAlias> aliases(k.aliases, k.alias_count);
    std::vector<GeAlias> at_beginning;  // an offset holds for one size only
    if (open && !in_place) {
      std::copy_if(aliases.begin(), aliases.end(), std::back_inserter(at_beginning),
                   [](const GeAlias &a) { return a.offset == 0 || a.kind == GE_ALIAS_EXTENDS; });
      aliases = at_beginning;
    }
    const bool view = in_place || (made.kernel->view() && aliases.size() == k.alias_count);
    const uint64_t workspace = open ? WorkspaceOf(node, *made.kernel) : k.workspace_bytes;
    ExecPlan::Placed placed{&node,    std::move(made.kernel), std::move(made.refusals), false, -1, 0, space, open,
                            workspace};
    placed.view = std::move(in_place);
    if (plan_->spaces.empty()) Emit(inputs_, outputs_, aliases, view, std::move(placed));
    else pending_.push_back({inputs_, outputs_, {aliases.begin(), aliases.end()}, view, std::move(placed), {}});
    return true;
  }

  /// A view in the host's memory of a value in an engine's: the value need not come here for it if that engine has the
  /// view, too.
  void KeepInMemory(const Node &node, KernelFactory::Made *made) {
    const GeKernel &view = made->kernel->get();
    if (plan_->spaces.empty() || made->kernel->engine().space() || view.alias_count == 0) return;
    const int32_t value = ValueOf(node.input(static_cast<size_t>(view.aliases[0].input)));
    if (value < 0 || space_of_[value] == 0 || planner_.BytesOf(value) == 0) return;
    const EnginePtr &engine = plan_->spaces[static_cast<size_t>(space_of_[value]) - 1];
    KernelFactory::Made there = kernels_.MakeViewOn(engine, node, *view_.get(), *made);
    if (there.kernel) *made = std::move(there);
  }

  /// A step that is not in its place yet: copies to the host are found to be needed after the steps that they follow.
  /// Where no engine has memory of its own there are none.
  struct PendingStep {
    std::vector<int32_t> inputs, outputs;
    std::vector<GeAlias> aliases;
    bool view;
    ExecPlan::Placed placed;
    std::vector<PendingStep> behind;
  };
  void Emit(PendingStep &step) {
    Emit(step.inputs, step.outputs, step.aliases, step.view, std::move(step.placed));
    for (PendingStep &next : step.behind) Emit(next);
  }
  void Emit(std::span<const int32_t> inputs, std::span<const int32_t> outputs, std::span<const GeAlias> aliases,
            bool view, ExecPlan::Placed placed) {
    planner_.AddStep(inputs, outputs, aliases, view, placed.workspace_bytes, SpaceOf(placed.kernel->engine()));
    step_ports_.insert(step_ports_.end(), inputs.begin(), inputs.end());
    step_ports_.insert(step_ports_.end(), outputs.begin(), outputs.end());
    plan_->placed.push_back(std::move(placed));
  }

  /// Of a kernel that serves all sizes.
  static uint64_t WorkspaceOf(const Node &node, const Kernel &kernel) {
    if (!kernel.get().workspace_for) return kernel.get().workspace_bytes;
    const std::vector<const int64_t *> dims = DimsOf(node);
    try {  // never none: at another size it may need some, and then has a place
      return std::max<uint64_t>(1, kernel.WorkspaceFor(node.Label(), dims.data(), dims.data() + node.input_count()));
    } catch (const Error &e) {
      if (e.code() != GE_OUT_OF_MEMORY)
        WarnOnce(Str(e.what(), "; from here on each size gets a plan of its own, which takes longer"));
      throw;
    }
  }

  static std::vector<const int64_t *> DimsOf(const Node &node) {
    std::vector<const int64_t *> dims;
    const auto add = [&](const TensorDesc &desc, bool there) {
      dims.push_back(there && desc.shape.rank() > 0 ? desc.shape.dims().data() : nullptr);
    };
    for (size_t i = 0; i < node.input_count(); ++i) add(node.input_desc(i), static_cast<bool>(node.input(i)));
    for (size_t i = 0; i < node.output_count(); ++i) add(node.output_desc(i), true);
    return dims;
  }

  KernelFactory::Made RegionKernel(const Node &call, const Graph &region) {
    if (options_.regions) {
      auto at = options_.regions->made.find(region.name());
      if (at != options_.regions->made.end()) return at->second;
    }
    return kernels_.MakeRegion(call);
  }

  /// A region's constants are no values of the plan, but stay where they are as long as it lives.
  void KeepConstants(const Graph &region) {
    for (Node *node : region.Nodes()) {
      if (IsConstType(node->type())) plan_->constants.push_back(ConstantOf({node, 0}));
    }
  }

  ExecPlan::Argument Argument(int32_t value, bool unknown) const {
    ExecPlan::Argument argument;
    if (value < 0 || unknown) {
      argument.absent = true;
    } else {
      argument.at = plan_->memory.values[value];
    }
    return argument;
  }

  void Finish() {
    MemoryPlan &memory = plan_->memory;
    size_t port = 0;
    for (size_t s = 0; s < plan_->placed.size(); ++s) {
      ExecPlan::Placed &placed = plan_->placed[s];
      const Node &node = *placed.node;
      const bool copy = placed.copied >= 0;
      const size_t inputs = placed.wait ? 2 : copy ? 1 : node.input_count();
      const size_t outputs = placed.wait ? 0 : copy ? 1 : node.output_count();
      placed.elided = memory.elided[s] != 0;
      if (placed.elided) {
        port += inputs + outputs;
        continue;
      }
      ExecPlan::Step step{};
      step.kernel = placed.kernel;
      step.node = &node;
      step.workspace = memory.workspaces[s];
      step.workspace_block = memory.workspace_blocks[s];
      step.workspace_bytes = placed.workspace_bytes;
      step.dims = -1;
      if (placed.open) {
        step.dims = static_cast<int32_t>(plan_->dims.size());
        const std::vector<const int64_t *> dims = DimsOf(node);
        plan_->dims.insert(plan_->dims.end(), dims.begin(), dims.end());
      }
      step.first_input = static_cast<uint32_t>(plan_->arguments.size());
      step.space = SpaceOf(placed.kernel->engine());
      step.copy = copy;
      step.wait = placed.wait;
      step.started = placed.started;
      step.bytes = placed.copied_bytes;
      step.input_count = static_cast<uint32_t>(inputs);
      for (size_t i = 0; i < inputs; ++i) plan_->arguments.push_back(Argument(step_ports_[port++], false));
      step.first_output = static_cast<uint32_t>(plan_->arguments.size());
      step.output_count = static_cast<uint32_t>(outputs);
      for (size_t i = 0; i < outputs; ++i) {
        plan_->arguments.push_back(Argument(step_ports_[port++], !copy && !node.output_desc(i).known()));
      }
      plan_->steps.push_back(std::move(step));
    }
    for (const MemoryPlan::OutputCopy &copy : memory.copies) {
      plan_->copies.push_back({memory.values[copy.value], copy.output, plan_->outputs[copy.output].bytes()});
    }
    plan_->arena_bytes = memory.arena_bytes;
    memory.values = {};
    memory.workspaces = {};
    memory.workspace_blocks = {};
    memory.elided = {};
    plan_->growths = FindGrowths(*plan_);
  }

  KernelFactory &kernels_;
  const PlanOptions options_;
  ContentReleases discards_;
  std::shared_ptr<ExecPlan> plan_;
  MemoryPlanner planner_;
  UnplacedNodes unplaced_;
  OpDescView view_;
  std::vector<PendingStep> pending_;
  std::vector<int32_t> placement_of_;    // by position in the order: number in placed_, -1: it needs none
  std::vector<KernelPlacement> placed_;  // what they are made of goes to the kernels
  std::vector<int32_t> first_value_, inputs_, outputs_, output_values_, step_ports_;
  std::vector<int32_t> space_of_, made_by_;                // by value; the number of the pending step
  std::unordered_map<int32_t, int32_t> constant_of_;       // value -> its number among the plan's constants
  std::map<std::pair<int32_t, int32_t>, int32_t> copies_;  // value and space -> the value there
  std::vector<Endpoint> output_nodes_;
  std::vector<std::pair<int64_t, size_t>> states_;  // input and the output that it holds after the run
};

}  // namespace

std::string WhyDynamic(const Graph &graph) {
  const std::vector<Endpoint> outputs = graph.Outputs();
  for (const Node *node : graph.Nodes()) {
    if (IsDataType(node->type()) || IsConstType(node->type())) continue;
    const Graph *region = RegionOf(*node);
    if (region && !RegionShapesKnown(*region))
      return Str("shapes inside of region '", region->name(), "' are only known when it runs");
    if (IsControlFlow(*node) && !region) return Str(node->type().view(), " '", node->name(), "' chooses what runs");
    if (!NeedsKernel(*node) && !region) continue;
    for (size_t i = 0; i < node->output_count(); ++i) {
      const TensorDesc &desc = node->output_desc(i);
      const Endpoint e{const_cast<Node *>(node), static_cast<int32_t>(i)};
      if (desc.known()) continue;
      if (node->uses(i).empty() && std::find(outputs.begin(), outputs.end(), e) == outputs.end()) continue;
      return Str("the shape of output ", i, " of ", node->type().view(), " '", node->OriginText(), "', ",
                 desc.shape.str(), ", is only known when it runs");
    }
  }
  return "";
}

std::shared_ptr<ExecPlan> BuildPlan(GraphPtr graph, KernelFactory &kernels, const PlanOptions &options) {
  return Builder(std::move(graph), kernels, options).Build();
}

}  // namespace gec
