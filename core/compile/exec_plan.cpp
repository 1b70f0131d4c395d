#include "core/compile/exec_plan.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "core/ops/traits.h"
#include "core/placement/memory_space.h"
#include "core/placement/regions.h"

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
      state.needed |= kernel && !kernel->ReadsPackedOnly(buffer->data());
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
    std::vector<Node *> order = graph.TopologicalOrder();
    if (options_.discard_packed) discards_.Count(graph, order);
    planner_.Reserve(order.size() * 2, order.size());
    AddInputs(graph);
    for (Node *node : order) {
      if (IsDataType(node->type())) continue;
      if (IsConstType(node->type())) {
        AddConstant(*node);
      } else if (const Graph *region = RegionOf(*node); region && !RegionShapesKnown(*region)) {
        return Dynamic(Str("shapes inside of region '", region->name(), "' are only known when it runs"));
      } else if (IsControlFlow(*node) && !region) {
        return Dynamic(Str(node->type().view(), " '", node->name(), "' chooses what runs"));
      } else if (NeedsKernel(*node) || region) {
        if (!AddNode(*node)) return plan_;
      }
    }
    unplaced_.ThrowIfAny();
    for (Endpoint e : graph.Outputs()) {
      plan_->outputs.push_back(e.node->output_desc(static_cast<size_t>(e.port)));
      planner_.AddOutput(ValueIn(0, ValueOf(e)));
    }
    plan_->memory = planner_.Solve(options_.reuse_memory);
    Finish();
    return plan_;
  }

 private:
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
  }

  /// The number of the memory that the engine's kernels use.
  int32_t SpaceOf(const Engine &engine) {
    if (!engine.space()) return 0;
    std::vector<EnginePtr> &all = plan_->spaces;
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].get() == &engine) return static_cast<int32_t>(i) + 1;
    all.push_back(engine.shared_from_this());
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
    const int32_t index = static_cast<int32_t>(plan_->constants.size());
    plan_->constants.push_back(
        kernels_.ConstantIn(plan_->spaces[static_cast<size_t>(space) - 1], plan_->constants[constant]));
    const int32_t copy = planner_.AddExternal(Storage::kConst, index, planner_.BytesOf(value));
    Name(*name.node, name.port, space);
    return copy;
  }

  int32_t AddCopy(int32_t value, int32_t from, int32_t to) {
    const ExecPlan::ValueName name = plan_->values[value];
    const Engine &engine = *plan_->spaces[static_cast<size_t>(std::max(from, to)) - 1];
    const uint64_t bytes = planner_.BytesOf(value);
    const int32_t copy = planner_.AddValue(bytes, to);
    Name(*name.node, name.port, to);
    planner_.AddStep({&value, 1}, {&copy, 1}, {}, false, 0, std::max(from, to));
    step_ports_.insert(step_ports_.end(), {value, copy});
    plan_->placed.push_back({name.node, engine.CopyKernel(bytes, to != 0), "", false, name.port, bytes, to});
    return copy;
  }

  void AddInputs(Graph &graph) {
    for (Node *node : graph.Inputs()) {
      const TensorDesc &desc = node->output_desc(0);
      first_value_[node->id()] = planner_.AddExternal(Storage::kInput, static_cast<int32_t>(plan_->inputs.size()),
                                                      desc.known() ? desc.bytes() : 0);
      plan_->inputs.push_back(desc);
      Name(*node, 0);
    }
  }

  void AddConstant(const Node &node) {
    TensorPtr tensor = ConstantOf({const_cast<Node *>(&node), 0});
    const uint64_t bytes = tensor ? tensor->bytes() : 0;
    const int32_t index = static_cast<int32_t>(plan_->constants.size());
    first_value_[node.id()] = planner_.AddExternal(bytes ? Storage::kConst : Storage::kNone, index, bytes);
    if (bytes) constant_of_.emplace(first_value_[node.id()], index);
    plan_->constants.push_back(std::move(tensor));
    Name(node, 0);
  }

  /// False when the node makes the plan impossible; plan_->dynamic_reason is set then.
  bool AddNode(const Node &node) {
    bool empty = node.output_count() != 0;
    for (size_t i = 0; i < node.output_count(); ++i) {
      const TensorDesc &desc = node.output_desc(i);
      if (!desc.known()) {
        if (node.uses(i).empty() && !IsGraphOutput(node, i)) continue;
        Dynamic(Str("the shape of output ", i, " of ", node.type().view(), " '", node.OriginText(), "', ",
                    desc.shape.str(), ", is only known when it runs"));
        return false;
      }
      if (GeDataTypeBits(desc.dtype) == 0) {
        Fail(GE_UNSUPPORTED, node.type().view(), " '", node.OriginText(), "': output ", i, " has type ",
             GeDataTypeName(desc.dtype), ", which cannot be stored");
      }
      empty = empty && desc.bytes() == 0;
    }
    view_.Reset(node);
    KernelFactory::Made made;
    if (!empty) {
      const Graph *region = RegionOf(node);
      made = region ? RegionKernel(node, *region) : kernels_.Make(node, *view_.get());
      if (region) KeepConstants(*region);
      if (!made.kernel) {
        unplaced_.Add(node, made.refusals);
        empty = true;
      } else if (made.kernel->data_dependent()) {
        Dynamic(Str("output shapes of ", node.type().view(), " '", node.OriginText(), "' depend on data"));
        return false;
      }
    }
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
    const GeKernel &k = made.kernel->get();
    planner_.AddStep(inputs_, outputs_, std::span(k.aliases, k.alias_count), made.kernel->view(), k.workspace_bytes,
                     space);
    step_ports_.insert(step_ports_.end(), inputs_.begin(), inputs_.end());
    step_ports_.insert(step_ports_.end(), outputs_.begin(), outputs_.end());
    plan_->placed.push_back({&node, std::move(made.kernel), std::move(made.refusals), false, -1, 0, space});
    return true;
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

  bool IsGraphOutput(const Node &node, size_t port) {
    if (output_nodes_.empty()) {
      output_nodes_ = plan_->graph->Outputs();
    }
    for (Endpoint e : output_nodes_) {
      if (e.node == &node && e.port == static_cast<int32_t>(port)) return true;
    }
    return false;
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
      const size_t inputs = copy ? 1 : node.input_count(), outputs = copy ? 1 : node.output_count();
      placed.elided = memory.elided[s] != 0;
      if (placed.elided) {
        port += inputs + outputs;
        continue;
      }
      ExecPlan::Step step{};
      step.kernel = placed.kernel;
      step.node = &node;
      step.workspace = memory.workspaces[s];
      step.first_input = static_cast<uint32_t>(plan_->arguments.size());
      step.space = SpaceOf(placed.kernel->engine());
      step.copy = copy;
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
    memory.elided = {};
  }

  KernelFactory &kernels_;
  const PlanOptions options_;
  ContentReleases discards_;
  std::shared_ptr<ExecPlan> plan_;
  MemoryPlanner planner_;
  UnplacedNodes unplaced_;
  OpDescView view_;
  std::vector<int32_t> first_value_, inputs_, outputs_, step_ports_;
  std::vector<int32_t> space_of_;                          // by value
  std::unordered_map<int32_t, int32_t> constant_of_;       // value -> its number among the plan's constants
  std::map<std::pair<int32_t, int32_t>, int32_t> copies_;  // value and space -> the value there
  std::vector<Endpoint> output_nodes_;
};

}  // namespace

std::shared_ptr<ExecPlan> BuildPlan(GraphPtr graph, KernelFactory &kernels, const PlanOptions &options) {
  return Builder(std::move(graph), kernels, options).Build();
}

}  // namespace gec
