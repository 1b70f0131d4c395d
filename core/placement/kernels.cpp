#include "core/placement/kernels.h"

#include <algorithm>

#include "core/ops/traits.h"
#include "core/placement/call_watch.h"
#include "core/placement/graph_view.h"
#include "core/placement/kernel_key.h"
#include "core/placement/memory_space.h"
#include "core/placement/regions.h"

namespace gec {
namespace {

std::vector<TensorPtr> ConstantsOf(const Node &node) {
  std::vector<TensorPtr> constants;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (TensorPtr t = ConstantInput(node, i)) constants.push_back(std::move(t));
  }
  return constants;
}

}  // namespace

std::string_view WantedEngine(const Node &node) {
  if (node.attrs().empty()) return {};
  for (const Symbol attr : {EngineAttr(), GeEngineAttr()}) {
    const AttrValue *choice = node.attrs().Find(attr);
    if (const std::string *name = choice ? choice->get_if<std::string>() : nullptr; name && !name->empty())
      return *name;
  }
  return {};
}

bool NeedsKernel(const Node &node) {
  static const Symbol kNetOutput = "NetOutput", kNoOp = "NoOp";
  Symbol type = node.type();
  return !IsConstType(type) && !IsDataType(type) && type != kNetOutput && type != kNoOp && !IsControlFlow(node);
}

KernelFactory::KernelFactory(EngineList engines, ExcludedEngines excluded, const GeKernelEnv *env)
    : engines_(std::move(engines)), excluded_(std::move(excluded)), env_(env) {
  for (const EnginePtr &e : engines_) {
    if (e->name() == kReferenceEngine) reference_ = e;
  }
}

/// Calls attempt(engine, &reason) for each engine that may be asked, those before `from` left out, until one returns
/// true; collects the reasons.
template <class Try>
void KernelFactory::Walk(const Node &node, std::string *refusals, Try &&attempt, const Engine *from) const {
  const std::string_view named = WantedEngine(node), wanted = named.empty() ? named : EngineMeant(engines_, named);
  auto note = [&](std::string_view name, std::string_view why) {
    refusals->append(refusals->empty() ? "" : "\n").append(name).append(": ").append(why);
  };
  bool found = false;
  // Nodes of built-in types that passes made are the library's, whatever the program's engine says of the type.
  const bool library = has_own_engines() && HasBuiltinTraits(node);
  for (const EnginePtr &engine : engines_) {
    if (from && engine.get() != from) continue;
    from = nullptr;
    if (library && engine->own_operators()) continue;
    if (!wanted.empty()) {
      if (engine->name() != wanted) continue;
      found = true;
    } else if (auto at = excluded_.find(engine->name()); at != excluded_.end()) {
      note(engine->name(), at->second);
      continue;
    }
    std::string reason;
    if (attempt(engine, &reason)) return;
    note(engine->name(), reason);
  }
  if (!wanted.empty() && !found) note(named, "the node asks for this engine, but no such engine is loaded");
}

NodePlacement KernelFactory::Place(const Node &node, const GeOpDesc &op) const {
  NodePlacement placement;
  Walk(node, &placement.refusals, [&](const EnginePtr &engine, std::string *reason) {
    if (!engine->Check(op, reason)) return false;
    placement.engine = engine.get();
    return true;
  });
  return placement;
}

bool KernelFactory::KernelOfItsOwn(const GeOpDesc &op) const {
  return std::any_of(engines_.begin(), engines_.end(), [&](const EnginePtr &engine) {
    return (engine->flags() & GE_ENGINE_NAMES_NODES) != 0 && engine->Check(op, nullptr);
  });
}

KernelPlacement KernelFactory::FindKernel(const Node &node, const GeOpDesc &op) {
  KernelPlacement placed;
  placed.shared = GeOpHasTrait(&op, GE_TRAIT_PURE) && !KernelOfItsOwn(op);
  if (placed.shared) {
    placed.key = KernelKey(Nameless(op), node.ir().own_kernel);
    Made made;
    if (FindShared(placed.key, &made)) {
      placed.kernel = std::move(made.kernel);
      placed.at = {&placed.kernel->engine(), std::move(made.refusals)};
    }
  }
  return placed;
}

KernelFactory::Made KernelFactory::Make(const Node &node, const GeOpDesc &op) {
  KernelPlacement placed = FindKernel(node, op);
  if (!placed.kernel) placed.at = Place(node, op);
  return Make(node, op, std::move(placed));
}

KernelFactory::Made KernelFactory::Make(const Node &node, const GeOpDesc &op, KernelPlacement placed) {
  Made made{std::move(placed.kernel), std::move(placed.at.refusals)};
  if (made.kernel || !placed.at.engine) return made;
  // A node alike may have got its kernel meanwhile.
  if (placed.shared && FindShared(placed.key, &made)) return made;
  const auto create = [&](const EnginePtr &engine, std::string *reason) {
    if (engine.get() != placed.at.engine && !engine->Check(op, reason)) return false;
    made.kernel = engine->Create(op, placed.shared, *env_, ConstantsOf(node), reason);
    return made.kernel != nullptr;
  };
  Walk(node, &made.refusals, create, placed.at.engine);
  if (made.kernel && placed.shared) Share(std::move(placed.key), made);
  return made;
}

KernelFactory::Made KernelFactory::MakeViewOn(const EnginePtr &engine, const Node &node, const GeOpDesc &op,
                                              const Made &made) {
  return ViewBy(engine, node, op,
                Str(made.refusals, made.refusals.empty() ? "" : "\n", made.kernel->engine().name(),
                    ": the value lies in the memory ", engine->space()->name));
}

KernelPtr KernelFactory::MakeView(const Node &node, const GeOpDesc &op) {
  for (const EnginePtr &engine : engines_) {
    if ((engine->flags() & GE_ENGINE_VIEWS) == 0 || engine->hang()) continue;
    if (KernelPtr view = ViewBy(engine, node, op, "").kernel) return view;
  }
  return nullptr;
}

KernelFactory::Made KernelFactory::ViewBy(const EnginePtr &engine, const Node &node, const GeOpDesc &op,
                                          std::string refusals) {
  if (!WantedEngine(node).empty() || Excluded(*engine)) return {};
  const bool shared = GeOpHasTrait(&op, GE_TRAIT_PURE) && !KernelOfItsOwn(op);
  std::string key;
  Made there;
  if (shared) {
    key = engine->name() + "\n" + KernelKey(Nameless(op), node.ir().own_kernel);
    if (FindShared(key, &there)) return there;
  }
  if (!engine->Check(op, nullptr)) return {};
  there.kernel = engine->Create(op, shared, *env_, ConstantsOf(node), nullptr);
  if (!there.kernel || !there.kernel->view()) return {};
  there.refusals = std::move(refusals);
  if (shared) Share(std::move(key), there);
  return there;
}

bool KernelFactory::FindShared(const std::string &key, Made *made) {
  std::lock_guard lock(mutex_);
  auto at = known_.find(key);
  if (at == known_.end()) return false;
  KernelPtr kernel = at->second.kernel.lock();
  if (!kernel || kernel->engine().hang()) return false;  // another engine takes what an engine that hangs had
  *made = {std::move(kernel), at->second.refusals};
  return true;
}

void KernelFactory::Share(std::string key, const Made &made) {
  std::lock_guard lock(mutex_);
  if (known_.size() >= sweep_at_) {
    std::erase_if(known_, [](const auto &entry) { return entry.second.kernel.expired(); });
    sweep_at_ = std::max<size_t>(1024, 2 * known_.size());
  }
  known_[std::move(key)] = {made.kernel, made.refusals};
}

KernelPtr KernelFactory::MakeOpen(const Node &node, const GeOpDesc &op, const GeOpDesc &open,
                                  const GeOpenExtents &extents) {
  if (!GeOpHasTrait(&op, GE_TRAIT_PURE) || KernelOfItsOwn(op)) return nullptr;
  KernelPtr made;
  std::string refusals;
  Walk(node, &refusals, [&](const EnginePtr &engine, std::string *reason) {
    if (!engine->Check(op, reason)) return false;
    made = engine->CreateOpen(open, extents, *env_, ConstantsOf(node), reason);
    return made != nullptr || (engine->flags() & GE_ENGINE_VIEWS) == 0;
  });
  return made;
}

/// Composite engines first, then by cost.
static EngineList InOrder(EngineList engines) {
  std::stable_sort(engines.begin(), engines.end(), [](const EnginePtr &a, const EnginePtr &b) {
    const auto key = [](const Engine &e) { return std::make_pair((e.flags() & GE_ENGINE_COMPOSITE) == 0, e.cost()); };
    return key(*a) < key(*b);
  });
  return engines;
}

EngineList KernelFactory::ClaimingEngines() const {
  EngineList engines;
  for (const EnginePtr &engine : engines_)
    if (engine->claims() && !engine->hang() && !Excluded(*engine)) engines.push_back(engine);
  return InOrder(std::move(engines));
}

EngineList KernelFactory::OptimizingEngines() const {
  EngineList engines;
  for (const EnginePtr &engine : engines_)
    if (engine->optimizes() && !engine->hang() && !Excluded(*engine)) engines.push_back(engine);
  return InOrder(std::move(engines));
}

namespace {

/// Regions share a kernel where this is equal: nodes, edges and outputs. Constants count by address, as in KernelKey.
void WriteRegionKey(const Engine &engine, const GeGraphView &graph, std::string *text) {
  std::string &key = *text;
  key = "region of " + engine.name();
  key += '\0';
  key.reserve(key.size() + graph.node_count * 512);
  for (size_t k = 0; k < graph.node_count; ++k) AppendKernelKey(key, *graph.nodes[k], false);
  key.append(reinterpret_cast<const char *>(graph.edges), graph.edge_count * sizeof(GeGraphEdge));
  key.append(reinterpret_cast<const char *>(graph.outputs), graph.output_count * sizeof(GeNodePort));
}

}  // namespace

KernelFactory::Made KernelFactory::MakeRegion(const Node &call) {
  RegionMemory memory;
  return MakeRegion(call, *RegionOf(call), &memory);
}

KernelFactory::Made KernelFactory::MakeRegion(const Node &call, const Graph &region, RegionMemory *memory) {
  const std::string name = RegionEngine(region);
  auto at = std::find_if(engines_.begin(), engines_.end(),
                         [&](const EnginePtr &e) { return e->name() == name && e->claims() && !Excluded(*e); });
  if (at == engines_.end()) return {nullptr, name + ": the engine is excluded, not loaded, or takes no regions"};
  const EnginePtr &engine = *at;
  GraphView &view = memory->view;
  view.Reset(region);
  const bool shared = (engine->flags() & GE_ENGINE_NAMES_NODES) == 0 &&
                      std::all_of(view.nodes().begin(), view.nodes().end(), [](const Node *n) { return IsPure(*n); });
  Made made;
  if (shared) {
    view.DropNames();
    WriteRegionKey(*engine, *view.get(), &memory->key);
    if (FindShared(memory->key, &made)) return made;
  }
  const OpDescView ports(call);
  const GeOpDesc &op = *ports.get();
  // The kernel may not know the value of an input, although one plan may: plans of other shapes share it, and constants
  // outside the region are not kept for it.
  std::vector<GeTensorData> inputs(op.inputs, op.inputs + op.input_count);
  for (GeTensorData &input : inputs) {
    input.data = nullptr;
    input.size = 0;
    input.partial = nullptr;
    input.flags &= ~(GE_TENSOR_CONSTANT | GE_TENSOR_DEFERRED);
  }
  const GeRegion given{sizeof given, view.get(), inputs.data(), inputs.size(), op.outputs, op.output_count};
  std::vector<TensorPtr> constants;
  for (const Node *node : view.nodes()) {
    for (TensorPtr &constant : ConstantsOf(*node)) constants.push_back(std::move(constant));
  }
  std::string reason;
  made.kernel = engine->CreateRegion(region.name(), given, *env_, std::move(constants), &reason);
  if (!made.kernel) made.refusals = engine->name() + ": " + reason;
  else if (shared) Share(memory->key, made);
  return made;
}

bool KernelFactory::Fast(const EnginePtr &engine) const {
  return engine != reference_ && !engine->own_operators() && !Excluded(*engine);
}

const Engine *KernelFactory::FastTaker(const GeOpDesc &op) const {
  for (const EnginePtr &engine : engines_) {
    if (Fast(engine) && engine->Check(op, nullptr)) return engine.get();
  }
  return nullptr;
}

std::string KernelFactory::FastRefusals(const GeOpDesc &op) const {
  std::string all;
  for (const EnginePtr &engine : engines_) {
    std::string reason;
    if (Fast(engine) && !engine->Check(op, &reason)) all += Str(all.empty() ? "" : "; ", engine->name(), ": ", reason);
  }
  return all;
}

int32_t KernelFactory::LeastCost() const {
  int32_t least = INT32_MAX;
  for (const EnginePtr &engine : engines_) {
    if (Fast(engine) && engine->takes_nodes() && !(engine->flags() & GE_ENGINE_VIEWS))
      least = std::min(least, engine->cost());
  }
  return least;
}

int32_t KernelFactory::ChannelBlock() const {
  for (const EnginePtr &engine : engines_) {
    if (!Fast(engine) || !engine->takes_nodes()) continue;
    if (const int32_t channels = engine->ChannelBlock(env_->cpu_features)) return channels;
  }
  return 0;
}

TensorPtr KernelFactory::ConstantIn(const EnginePtr &engine, const TensorPtr &constant) {
  const TurnLock copying(copying_);
  if (copied_.size() >= sweep_copied_at_) {  // plans of other sizes had constants of their own
    for (auto at = copied_.begin(); at != copied_.end();) at = at->second.copy.expired() ? copied_.erase(at) : ++at;
    sweep_copied_at_ = std::max<size_t>(64, 2 * copied_.size());
  }
  CopiedConstant &known = copied_[{engine.get(), constant->data()}];
  TensorPtr copy = known.copy.lock();
  if (!copy) {
    copy = CopyConstant(engine, *constant);
    known = {copy, constant};
  }
  return copy;
}

bool KernelFactory::has_own_engines() const {
  return std::any_of(engines_.begin(), engines_.end(), [](const EnginePtr &e) { return e->own_operators(); });
}

EnginePtr KernelFactory::OwnEngine(const Node &node, const GeOpDesc &op) const {
  EnginePtr found;
  if (!has_own_engines()) return found;
  std::string refusals;
  Walk(node, &refusals, [&](const EnginePtr &engine, std::string *) {
    if (engine->own_operators() && engine->Check(op, nullptr)) found = engine;
    return found != nullptr;
  });
  return found;
}

bool KernelFactory::WouldRunOwn(const Node &node, const GeOpDesc &op) const {
  const std::string_view wanted = WantedEngine(node).empty() ? "" : EngineMeant(engines_, WantedEngine(node));
  return std::any_of(engines_.begin(), engines_.end(), [&](const EnginePtr &engine) {
    const bool asked = wanted.empty() ? !Excluded(*engine) : engine->name() == wanted;
    return engine->own_operators() && asked && engine->Check(op, nullptr);
  });
}

namespace {
/// A run outside of any plan, of an engine with memory of its own as well.
GeStatus RunOnce(const Kernel &kernel, const GeKernelArgs &args, const std::vector<TensorPtr> &inputs,
                 const std::vector<std::shared_ptr<Tensor>> &outputs) {
  if (!kernel.engine().space()) return kernel.Run(args);
  std::vector<HostBuffer> in, out;
  for (const TensorPtr &t : inputs)
    in.push_back(t ? HostBuffer{const_cast<void *>(t->data()), t->bytes()} : HostBuffer{});
  for (const auto &t : outputs) out.push_back({t->buffer->data(), t->bytes()});
  SpaceMemory memory(kernel.engine().shared_from_this());
  return RunFromHost(kernel, memory, in, out);
}
}  // namespace

EvaluateFn KernelFactory::Evaluator() const {
  if (!reference_) return {};
  return [this](const Node &node, const std::vector<TensorPtr> &inputs, std::vector<TensorPtr> *outputs) {
    if (!NeedsKernel(node)) return false;
    OpDescView view(node);
    EnginePtr engine = OwnEngine(node, *view.get());
    if (!engine) engine = reference_;
    std::vector<TensorPtr> keep;
    std::vector<const void *> in(view.inputs().size());
    for (size_t i = 0; i < view.inputs().size() && i < inputs.size(); ++i) {
      if (!inputs[i]) {
        if (view.inputs()[i].data_type != C_DT_UNDEFINED) return false;
        continue;
      }
      view.inputs()[i] = inputs[i]->View();
      in[i] = inputs[i]->data();
      keep.push_back(inputs[i]);
    }
    std::vector<std::shared_ptr<Tensor>> made;
    std::vector<void *> out;
    for (size_t i = 0; i < node.output_count(); ++i) {
      const TensorDesc &desc = node.output_desc(i);
      if (!desc.known() || GeDataTypeBits(desc.dtype) == 0) return false;
      made.push_back(std::make_shared<Tensor>(desc, Buffer::Allocate(desc.bytes())));
      out.push_back(made.back()->buffer->data());
    }
    KernelPtr kernel;
    if (!engine->Check(*view.get(), nullptr)) return false;
    try {
      kernel = engine->Create(*view.get(), true, *env_, std::move(keep), nullptr);
    } catch (const Error &) {
      return false;
    }
    if (!kernel || kernel->data_dependent()) return false;
    std::shared_ptr<Buffer> workspace =
        kernel->get().workspace_bytes ? Buffer::Allocate(kernel->get().workspace_bytes) : nullptr;
    GeKernelArgs args{};
    args.struct_size = sizeof args;
    args.inputs = in.data();
    args.outputs = out.data();
    args.workspace = workspace ? workspace->data() : nullptr;
    const CallWatch::About about(node);
    if (RunOnce(*kernel, args, inputs, made) != GE_SUCCESS) {
      TakeEngineError();
      return false;
    }
    outputs->assign(made.begin(), made.end());
    return true;
  };
}

void UnplacedNodes::Add(const Node &node, const std::string &refusals) {
  constexpr size_t kMost = 50;  // enough to act on; the rest is counted
  if (++count_ > kMost) return;
  text_ += Str("\n  ", node.type().view(), " '", node.OriginText(), "'");
  if (!node.passes().empty())
    text_ += Str(", made by pass ", node.passes().back().view());  // the program has no such node
  if (refusals.empty()) text_ += ": no engine is loaded";
  size_t begin = 0;
  while (begin < refusals.size()) {
    size_t end = std::min(refusals.find('\n', begin), refusals.size());
    text_ += "\n    EZ3002: " + refusals.substr(begin, end - begin);
    begin = end + 1;
  }
}

void UnplacedNodes::ThrowIfAny() const {
  if (count_ == 0) return;
  Fail(GE_UNSUPPORTED, "EZ3003: ", count_ == 1 ? "1 node is" : Str(count_, " nodes are"),
       " taken by no engine:", text_);
}

}  // namespace gec
