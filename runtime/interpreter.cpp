// Runs nodes one by one where shapes depend on values. Each node keeps inference and kernels for its last signatures,
// so that a signature seen before costs a comparison. The idea: docs/algorithms.md, "The interpreter".
#include "runtime/interpreter.h"

#include <algorithm>
#include <cstring>

#include "core/ops/infer.h"
#include "core/ops/infer_values.h"
#include "core/ops/traits.h"
#include "core/placement/call_watch.h"
#include "core/support/cancel.h"
#include "runtime/profiler.h"

namespace gec {
namespace {

constexpr size_t kEntriesPerNode = 16;
// Inputs up to these sizes may decide about shapes (shape vectors, pads, axes; ranges and scales), so their content is
// part of what inference depends on.
constexpr uint64_t kShapeBytes = 256, kScaleBytes = 64;

bool MayDecideShape(const RunValue &value) {
  if (!value.present || value.constant || value.bytes == 0) return false;
  switch (value.desc.dtype) {
    case C_DT_INT32:
    case C_DT_INT64:
    case C_DT_BOOL:
    case C_DT_INT8:
    case C_DT_UINT8:
    case C_DT_INT16:
    case C_DT_UINT16:
    case C_DT_UINT32:
    case C_DT_UINT64:
      return value.bytes <= kShapeBytes;
    case C_DT_FLOAT:
    case C_DT_DOUBLE:
    case C_DT_FLOAT16:
    case C_DT_BF16:
      return value.bytes <= kScaleBytes;
    default:
      return false;
  }
}

/// What a kernel with GE_KERNEL_ALLOCATES_OUTPUTS gets memory from.
struct OutputAllocator {
  BlockPool &pool;
  RunValue *outputs;
  size_t count;
  static void *Allocate(void *host, int32_t output, uint64_t bytes) try {
    auto &self = *static_cast<OutputAllocator *>(host);
    if (output < 0 || static_cast<size_t>(output) >= self.count) return nullptr;
    RunValue &out = self.outputs[output];
    out.block = BlockRef();
    out.block = BlockRef::Acquire(self.pool, std::max<uint64_t>(bytes, 1));
    out.data = out.block.data();
    out.bytes = bytes;
    return out.block.data();
  } catch (...) {  // no memory: the kernel says so
    return nullptr;
  }
};

void Append(Signature *key, const TensorDesc &desc) {
  key->push_back(desc.dtype);
  key->push_back(desc.shape.rank());
  key->insert(key->end(), desc.shape.dims().begin(), desc.shape.dims().end());
}

}  // namespace

/// The values at hand that inference may read.
class Interpreter::Values final : public ValueMap {
 public:
  Values(const Interpreter &self) : self_(self) {}
  TensorPtr Value(Endpoint e) const override {
    int32_t first = self_.first_value_[e.node->id()];
    if (first < 0) return nullptr;
    const RunValue &v = self_.values_[first + e.port];
    if (!MayDecideShape(v)) return v.constant;
    if (self_.hidden_[static_cast<size_t>(first + e.port)]) return nullptr;
    std::shared_ptr<Tensor> &tensor = self_.tensors_[static_cast<size_t>(first + e.port)];
    if (!tensor || tensor->bytes() != v.bytes) {
      tensor = std::make_shared<Tensor>(v.desc, Buffer::Copy(v.data, v.bytes));
    } else {
      tensor->desc = v.desc;
      std::memcpy(tensor->buffer->data(), v.data, v.bytes);
    }
    return tensor;
  }
  const std::vector<int64_t> *Partial(Endpoint) const override { return nullptr; }

 private:
  const Interpreter &self_;
};

Interpreter::~Interpreter() = default;

Interpreter::Interpreter(ContextState &state, const std::string &graph)
    : state_(state), graph_(state.model().CopyToInterpret(graph)), first_value_(graph_->id_limit(), -1) {
  inputs_ = graph_->Inputs();
  auto number = [&](const Node &node) {
    first_value_[node.id()] = static_cast<int32_t>(values_.size());
    values_.resize(values_.size() + node.output_count());
    return first_value_[node.id()];
  };
  for (Node *node : inputs_) input_values_.push_back(number(*node));
  std::vector<int32_t> last_user;
  for (Node *node : graph_->TopologicalOrder()) {
    if (IsDataType(node->type())) continue;
    if (IsConstType(node->type())) {
      RunValue &value = values_[number(*node)];
      value.constant = ConstantOf({node, 0});
      value.desc = node->output_desc(0);
      value.present = value.constant != nullptr;
      if (value.present) {
        value.data = value.constant->data();
        value.bytes = value.constant->bytes();
      }
      if (value.bytes != value.desc.bytes())
        Fail(GE_GRAPH_INVALID, node->Label(), ": the constant has not the bytes that its description asks for");
      continue;
    }
    const bool control = IsControlFlow(*node);
    if (!control && !NeedsKernel(*node)) continue;
    Step step{};
    step.node = node;
    step.kind = static_cast<Kind>(ControlFlowOf(*node));
    step.counter = step.kind == Kind::kFor && TakesCounter(*node);
    step.island = step.kind == Kind::kCall && node->subgraph(0) && IsIsland(*node->subgraph(0));
    for (size_t i = 0; control && i < node->subgraphs().size(); ++i)
      step.subgraphs.push_back(node->subgraphs()[i].graph_name);
    step.first_output = number(*node);
    const int32_t now = static_cast<int32_t>(steps_.size());
    last_user.resize(values_.size(), -1);
    for (size_t i = 0; i < node->input_count(); ++i) {
      Endpoint e = node->input(i);
      int32_t value = e ? first_value_[e.node->id()] + e.port : -1;
      step.inputs.push_back(value);
      if (value >= 0) last_user[value] = now;
    }
    for (size_t i = 0; i < node->output_count(); ++i)
      last_user[step.first_output + i] = now;  // unless somebody reads it
    steps_.push_back(std::move(step));
  }
  last_user.resize(values_.size(), -1);
  tensors_.resize(values_.size());
  hidden_.resize(values_.size());
  fixed_.assign(values_.size(), 0);
  for (size_t v = 0; v < values_.size(); ++v) fixed_[v] = values_[v].constant != nullptr;
  for (Endpoint e : graph_->Outputs()) {
    outputs_.push_back(first_value_[e.node->id()] + e.port);
    last_user[outputs_.back()] = -1;
  }
  for (size_t v = 0; v < values_.size(); ++v) {
    if (last_user[v] >= 0 && !fixed_[v]) steps_[last_user[v]].last_uses.push_back(static_cast<int32_t>(v));
  }
}

void Interpreter::Run(const std::vector<RunValue> &inputs, std::vector<RunValue> *outputs, Profiler *profiler) {
  // Whatever happens, no block stays behind in values_.
  struct Cleaner {
    Interpreter &self;
    ~Cleaner() {
      for (size_t v = 0; v < self.values_.size(); ++v) {
        if (!self.fixed_[v]) self.values_[v] = RunValue();
      }
    }
  } cleaner{*this};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    values_[input_values_[i]] = inputs[i];
    values_[input_values_[i]].constant = nullptr;
  }
  CancelState &cancel = CancelState::Here();
  for (Step &step : steps_) {
    if (cancel.Due()) cancel.Throw("before " + step.node->Label());
    if (step.kind == Kind::kKernel) {
      const CallWatch::About about(*step.node);
      Prepare(step);
      RunKernel(step, profiler);
    } else {
      RunControl(step, profiler);
    }
    for (int32_t v : step.last_uses) values_[v] = RunValue();
  }
  outputs->clear();
  for (int32_t v : outputs_) outputs->push_back(values_[v]);
}

/// Finds or makes what the present inputs need.
void Interpreter::Prepare(Step &step) {
  key_.clear();
  values_key_.clear();
  value_at_.clear();
  for (int32_t v : step.inputs) {
    value_at_.push_back(values_key_.size());
    if (v < 0 || !values_[v].present) {
      key_.push_back(-1);
      continue;
    }
    const RunValue &value = values_[v];
    Append(&key_, value.desc);
    if (MayDecideShape(value)) {
      values_key_.resize(values_key_.size() + (value.bytes + 7) / 8, 0);
      std::memcpy(values_key_.data() + value_at_.back(), value.data, value.bytes);
    }
  }
  value_at_.push_back(values_key_.size());
  if (!Find(step)) Infer(step);
  step.now->used = ++clock_;
}

bool Interpreter::SameValues(const CacheEntry &cache) const {
  for (size_t i = 0; i < cache.needed.size(); ++i) {
    if (cache.needed[i] && !std::equal(values_key_.begin() + static_cast<int64_t>(value_at_[i]),
                                       values_key_.begin() + static_cast<int64_t>(value_at_[i + 1]),
                                       cache.values.begin() + static_cast<int64_t>(value_at_[i])))
      return false;
  }
  return true;
}

bool Interpreter::Find(Step &step) {
  auto same = [&](const CacheEntry &cache) { return cache.inputs == key_ && SameValues(cache); };
  if (step.now && same(*step.now)) return true;
  for (const auto &cache : step.cache) {
    if (!same(*cache)) continue;
    step.now = cache.get();
    return true;
  }
  return false;
}

/// Asks inference. Other values often lead to outputs that were seen before: then the kernel is there.
void Interpreter::Infer(Step &step) {
  Node &node = *step.node;
  step.now = nullptr;
  for (size_t i = 0; i < node.input_count(); ++i) {
    Endpoint e = node.input(i);
    if (!e) continue;
    const int32_t v = step.inputs[i];
    if (v >= 0 && values_[v].present && !fixed_[v]) UpdateOutput(*e.node, static_cast<size_t>(e.port), values_[v].desc);
    if (node.explicit_input_desc(i)) graph_->SetInputDesc(&node, i, e.node->output_desc(static_cast<size_t>(e.port)));
  }
  Values known(*this);
  InferNode(node, &known);
  CacheEntry *like = nullptr;
  for (const auto &cache : step.cache) {
    bool same = cache->inputs == key_;
    for (size_t i = 0; same && i < cache->outputs.size(); ++i) same = SameDesc(cache->outputs[i], node.output_desc(i));
    if (same) like = cache.get();
  }
  if (like && step.cache.size() >= kEntriesPerNode) {
    like->values.assign(values_key_.begin(), values_key_.end());
    step.now = like;
    return;
  }
  auto fresh = std::make_unique<CacheEntry>();
  fresh->inputs = key_;
  fresh->values = values_key_;
  for (size_t i = 0; i < node.output_count(); ++i) fresh->outputs.push_back(node.output_desc(i));
  fresh->kernel = like ? like->kernel : MakeKernel(step);
  FindView(fresh.get());
  FindNeeded(step, fresh.get());
  if (step.cache.size() >= kEntriesPerNode) {
    step.cache.erase(std::min_element(step.cache.begin(), step.cache.end(),
                                      [](const auto &a, const auto &b) { return a->used < b->used; }));
  }
  step.cache.push_back(std::move(fresh));
  step.now = step.cache.back().get();
}

/// Which contents inference needs: outputs that are the same without one are so for any content of it. (Where they stay
/// unknown the kernel tells them.)
void Interpreter::FindNeeded(Step &step, CacheEntry *cache) {
  Node &node = *step.node;
  std::vector<int32_t> small;  // value numbers
  for (size_t i = 0; i < step.inputs.size(); ++i)
    if (value_at_[i] < value_at_[i + 1]) small.push_back(step.inputs[i]);
  if (small.empty()) return;
  struct Reveal {
    std::vector<uint8_t> &hidden;
    ~Reveal() { std::fill(hidden.begin(), hidden.end(), uint8_t{0}); }
  } reveal{hidden_};
  Values known(*this);
  auto unchanged = [&] {
    try {
      InferNode(node, &known);
    } catch (const Error &) {  // it says what it needs
      return false;
    }
    for (size_t i = 0; i < cache->outputs.size(); ++i)
      if (!SameDesc(cache->outputs[i], node.output_desc(i))) return false;
    return true;
  };
  for (int32_t v : small) hidden_[v] = 1;
  if (!unchanged()) {
    for (int32_t v : small) hidden_[v] = 0;
    for (int32_t v : small) {
      hidden_[v] = 1;
      if (!unchanged()) hidden_[v] = 0;
    }
    cache->needed.resize(step.inputs.size());
    for (size_t i = 0; i < step.inputs.size(); ++i)
      cache->needed[i] = value_at_[i] < value_at_[i + 1] && !hidden_[step.inputs[i]];
  }
}

KernelPtr Interpreter::MakeKernel(Step &step) {
  Node &node = *step.node;
  bool empty = node.output_count() != 0, known = true;
  for (size_t i = 0; i < node.output_count(); ++i) {
    const TensorDesc &desc = node.output_desc(i);
    known = known && (desc.known() || (node.uses(i).empty() && i != 0));
    empty = empty && desc.known() && desc.shape.elements() == 0;
  }
  if (empty) return nullptr;
  view_.Reset(node);
  KernelFactory::Made made = state_.model().kernels().Make(node, *view_.get());
  if (!made.kernel) {
    UnplacedNodes unplaced;
    unplaced.Add(node, made.refusals);
    unplaced.ThrowIfAny();
  }
  if (!known && !made.kernel->data_dependent()) {
    Fail(GE_INFER_FAILED, node.Label(), ": the output shape ", node.output_desc(0).shape.str(),
         " is not known even with all inputs at hand, and engine ", made.kernel->engine().name(),
         " does not report it");
  }
  return std::move(made.kernel);
}

void Interpreter::PlaceEmpty(Step &step, size_t output) {
  RunValue &out = values_[step.first_output + static_cast<int32_t>(output)];
  out.desc = step.now->outputs[output];
  out.block = BlockRef::Acquire(state_.pool(), 1);
  out.data = out.block.data();
  out.bytes = 0;
  out.present = true;
}

/// A kernel is a view where it names a place in an input for each output that has elements.
void Interpreter::FindView(CacheEntry *cache) {
  if (!cache->kernel || !cache->kernel->view()) return;
  const GeKernel &kernel = cache->kernel->get();
  std::vector<uint8_t> placed(cache->outputs.size());
  for (uint32_t k = 0; k < kernel.alias_count; ++k) {
    const GeAlias &a = kernel.aliases[k];
    if (a.kind != GE_ALIAS_OUTPUT_IN_INPUT || a.offset % kBufferAlignment != 0) return;
    placed[static_cast<size_t>(a.output)] = 1;
  }
  for (size_t i = 0; i < placed.size(); ++i) {
    if (placed[i]) continue;
    if (!cache->outputs[i].known() || cache->outputs[i].shape.elements() != 0) return;
    cache->apart.push_back(i);
  }
  cache->view = kernel.alias_count != 0;
}

/// A view needs no run: its outputs share the blocks of inputs.
bool Interpreter::PlaceView(Step &step) {
  if (!step.now->view) return false;
  const GeKernel &kernel = step.now->kernel->get();
  for (uint32_t k = 0; k < kernel.alias_count; ++k) {
    int32_t v = step.inputs[kernel.aliases[k].input];
    if (v < 0 || !values_[v].present) return false;
  }
  for (size_t output : step.now->apart) PlaceEmpty(step, output);
  for (uint32_t k = 0; k < kernel.alias_count; ++k) {
    const GeAlias &a = kernel.aliases[k];
    RunValue &out = values_[step.first_output + a.output];
    const RunValue &in = values_[step.inputs[a.input]];
    const TensorDesc &desc = step.now->outputs[static_cast<size_t>(a.output)];
    const uint64_t bytes = desc.bytes();
    if (a.offset > in.bytes || bytes > in.bytes - a.offset)
      Fail(GE_FAILED, step.node->Label(), ": engine ", step.now->kernel->engine().name(), " says that output ",
           a.output, ", ", bytes, " bytes, lies at ", a.offset, " in input ", a.input, ", which has ", in.bytes);
    out = in;
    out.constant = nullptr;  // constants live as long as the model
    out.data = static_cast<const char *>(out.data) + a.offset;
    out.desc = desc;
    out.bytes = bytes;
  }
  return true;
}

BlockRef Interpreter::InPlaceBlock(const Step &step, const GeKernel &kernel, size_t output, uint64_t bytes) const {
  for (uint32_t k = 0; k < kernel.alias_count; ++k) {
    const GeAlias &a = kernel.aliases[k];
    if ((a.kind != GE_ALIAS_IN_PLACE && a.kind != GE_ALIAS_STATE) || a.output != static_cast<int32_t>(output)) continue;
    const int32_t v = step.inputs[a.input];
    const bool dies = v >= 0 && std::find(step.last_uses.begin(), step.last_uses.end(), v) != step.last_uses.end();
    // `only` also tells that no other input of this step lies in the block.
    if (dies && values_[v].block.only() && values_[v].bytes == bytes && values_[v].data == values_[v].block.data() &&
        std::count(step.inputs.begin(), step.inputs.end(), v) == 1) {
      return values_[v].block;
    }
  }
  return BlockRef();
}

void Interpreter::RunKernel(Step &step, Profiler *profiler) {
  Node &node = *step.node;
  const size_t count = node.output_count();
  if (!step.now->kernel) {  // no output has elements
    for (size_t i = 0; i < count; ++i) PlaceEmpty(step, i);
    return;
  }
  if (PlaceView(step)) return;
  const GeKernel &kernel = step.now->kernel->get();
  const bool dependent = step.now->kernel->data_dependent(), allocates = step.now->kernel->allocates_outputs();
  in_.clear();
  out_.clear();
  for (int32_t v : step.inputs) in_.push_back(v < 0 ? nullptr : values_[v].data);
  for (size_t i = 0; i < count; ++i) {
    RunValue &out = values_[step.first_output + i];
    out.desc = step.now->outputs[i];
    if (!dependent && !out.desc.known()) {
      out_.push_back(nullptr);
      continue;
    }
    if (allocates) {
      out.present = true;
      out_.push_back(nullptr);
      continue;
    }
    out.bytes = dependent ? kernel.output_bytes[i] : out.desc.bytes();
    if (!out.block) out.block = InPlaceBlock(step, kernel, i, out.bytes);
    if (!out.block) out.block = BlockRef::Acquire(state_.pool(), std::max<uint64_t>(out.bytes, 1));
    out.data = out.block.data();
    out.present = true;
    out_.push_back(out.block.data());
  }
  if (kernel.workspace_bytes > workspace_bytes_) {
    workspace_ = BlockRef();
    workspace_bytes_ = 0;  // there may be no memory
    workspace_ = BlockRef::Acquire(state_.pool(), kernel.workspace_bytes);
    workspace_bytes_ = kernel.workspace_bytes;
  }
  OutputAllocator outputs{state_.pool(), values_.data() + step.first_output, count};
  const GeKernelAllocator allocator{sizeof allocator, &outputs, &OutputAllocator::Allocate};
  GeKernelArgs args{};
  args.struct_size = sizeof args;
  args.inputs = in_.data();
  args.outputs = out_.data();
  args.workspace = kernel.workspace_bytes ? workspace_.data() : nullptr;
  args.allocator = allocates ? &allocator : nullptr;
  const uint64_t begin = profiler ? Profiler::Now() : 0;
  const GeStatus status = step.now->kernel->engine().space() ? RunInSpace(step) : step.now->kernel->Run(args);
  if (status != GE_SUCCESS) {
    Fail(status, node.type().view(), " '", node.OriginText(), "' failed on ", step.now->kernel->engine().name(), ": ",
         Reported(status));
  }
  if (dependent) TakeRealShapes(step, static_cast<const int64_t *>(args.workspace));
  for (size_t i = 0; allocates && i < count; ++i) {  // without elements, or never allocated
    RunValue &out = values_[step.first_output + i];
    if (!out.block) OutputAllocator::Allocate(&outputs, static_cast<int32_t>(i), 0);
    if (!out.block) Fail(GE_OUT_OF_MEMORY, node.Label(), ": there is no memory for output ", i);
  }
  if (!profiler) return;
  const uint64_t end = Profiler::Now();
  for (size_t i = 0; i < step.inputs.size(); ++i) {  // the profiler reads shapes from the graph
    const int32_t v = step.inputs[i];
    Endpoint e = node.input(i);
    if (v >= 0 && values_[v].present && !fixed_[v]) UpdateOutput(*e.node, static_cast<size_t>(e.port), values_[v].desc);
  }
  for (size_t i = 0; i < count; ++i) UpdateOutput(node, i, values_[step.first_output + i].desc);
  profiler->Kernel(node, *step.now->kernel, begin, end);
}

/// Of an engine with memory of its own: values of an interpreted graph stay in the host's.
GeStatus Interpreter::RunInSpace(Step &step) {
  std::vector<HostBuffer> inputs, outputs;
  for (size_t i = 0; i < in_.size(); ++i)
    inputs.push_back({const_cast<void *>(in_[i]), in_[i] ? values_[step.inputs[i]].bytes : 0});
  for (size_t i = 0; i < out_.size(); ++i)
    outputs.push_back({out_[i], out_[i] ? values_[step.first_output + static_cast<int32_t>(i)].bytes : 0});
  return RunFromHost(*step.now->kernel, state_.SpaceOf(step.now->kernel->engine()), inputs, outputs);
}

void Interpreter::TakeRealShapes(Step &step, const int64_t *shapes) {
  const Node &node = *step.node;
  const bool allocates = step.now->kernel->allocates_outputs();
  for (size_t i = 0; i < node.output_count(); ++i) {
    const int64_t *shape = shapes + 8 * i;
    RunValue &out = values_[step.first_output + i];
    const TensorDesc &inferred = step.now->outputs[i];
    TensorDesc desc = inferred;
    const auto refuse = [&](const auto &...what) {
      Fail(GE_FAILED, node.Label(), ": the kernel of engine ", step.now->kernel->engine().name(), " reported ",
           what...);
    };
    if (shape[0] < 0 || shape[0] > 7) refuse("rank ", shape[0], " for output ", i);
    desc.SetShape(Shape(shape + 1, static_cast<size_t>(shape[0])));
    for (int64_t dim : desc.shape.dims())
      if (dim < 0) refuse("dimension ", dim, " for output ", i);
    uint64_t bytes = 0;
    try {
      bytes = desc.bytes();
    } catch (const Error &e) {
      refuse("shape ", desc.shape.str(), " for output ", i, ": ", e.what());
    }
    if (bytes > out.bytes) {
      refuse("shape ", desc.shape.str(), " for output ", i, ", more than the ", out.bytes, " bytes ",
             allocates ? "that it allocated" : "it asked for");
    }
    if (!Agree(inferred.shape, desc.shape))
      refuse("shape ", desc.shape.str(), " for output ", i, ", inference knows ", inferred.shape.str());
    out.bytes = bytes;
    out.desc = std::move(desc);
  }
}

}  // namespace gec
