#include "core/compile/plan_sizes.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/ops/traits.h"

namespace gec {
namespace {

/// Of a node of the class's graph; an output that is not known at one size either is nobody's.
bool HasOpenExtent(const Node &general, const Node &node) {
  for (size_t i = 0; i < node.input_count(); ++i)
    if (node.input(i) && !general.input_desc(i).known()) return true;
  for (size_t i = 0; i < node.output_count(); ++i)
    if (node.output_desc(i).known() && !general.output_desc(i).known()) return true;
  return false;
}

/// All that the input tells are extents of another value, or of the output, which are known as functions of the size
/// without it.
bool TellsShape(const Node &general, size_t input) {
  static const Symbol expand("Expand"), broadcast("BroadcastTo"), resize("Resize"), norm("LayerNormV4");
  if (!HasBuiltinTraits(general) || input == 0) return false;
  if (general.known_type() == resize) return input == 3;  // sizes; its factors are those of the extents
  if (general.known_type() == norm) return input == 1;    // extents of x
  return IsView(general) || general.known_type() == expand || general.known_type() == broadcast;
}

}  // namespace

PlanSizes::Copies::Copies(const Graph &general, const LeadingConstants &leading)
    : leading_(leading), by_id_(general.id_limit()) {
  for (const Node *node : general.Nodes()) by_id_[node->id()] = node;
}

/// The node of the class's graph that `node` is a copy of; null: it was made for one size.
const Node *PlanSizes::Copies::Of(const Node &node) const {
  const Node *found = node.id() < by_id_.size() ? by_id_[node.id()] : nullptr;
  if (!found || found->type() != node.type() || found->name() != node.name() ||
      found->input_count() != node.input_count() || found->output_count() != node.output_count())
    return nullptr;
  for (size_t i = 0; i < node.input_count(); ++i)
    if (!Same(found->input(i), node.input(i)) && !(TellsShape(*found, i) && ConstantOf(node.input(i)))) return nullptr;
  return found;
}

/// A constant of one size only was computed from that size, but for one that begins the constants of all sizes.
bool PlanSizes::Copies::Same(Endpoint general, Endpoint at) const {
  if (!general || !at) return !general && !at;
  if (general.port == at.port && general.node->id() == at.node->id() && general.node->type() == at.node->type())
    return true;
  const TensorPtr constant = ConstantOf(at);
  return constant && leading_.Begins(general, *constant);
}

std::shared_ptr<const PlanSizes> PlanSizes::Of(ExecPlan *made, const Graph &general, const LeadingConstants &leading,
                                               std::shared_ptr<const SymbolicDims> symbolic, std::string *why) {
  const ExecPlan &plan = *made;
  const auto sizes = std::make_shared<PlanSizes>();
  why->clear();
  sizes->symbolic_ = std::move(symbolic);
  if (!plan.spaces.empty()) {
    *why = "values lie in an engine's memory";
    return nullptr;
  }
  sizes->ports_.resize(plan.dims.size());
  const std::vector<Node *> inputs = general.Inputs();
  const std::vector<Endpoint> outputs = general.Outputs(), own = plan.graph->Outputs();
  if (inputs.size() != plan.inputs.size() || outputs.size() != plan.outputs.size()) {
    *why = "its inputs and outputs are others";
    return nullptr;
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    sizes->inputs_.push_back(sizes->Add(inputs[i]->output_desc(0), plan.inputs[i]));
  for (size_t j = 0; j < outputs.size(); ++j) {
    if (outputs[j].node->id() != own[j].node->id() || outputs[j].node->type() != own[j].node->type()) {
      *why = Str("output ", j, " is computed from the size");
      return nullptr;
    }
    sizes->outputs_.push_back(
        sizes->Add(outputs[j].node->output_desc(static_cast<size_t>(outputs[j].port)), plan.outputs[j]));
  }
  const Copies copies(general, leading);
  PlanPlaces places(plan);
  for (const ExecPlan::Placed &placed : plan.placed)
    if (!sizes->AddPlaced(placed, copies, &places, why)) return nullptr;
  if (!places.Resolve(why)) return nullptr;
  for (const ExecPlan::Step &step : plan.steps) {
    leading.Widen(*copies.Of(*step.node), step, made);
    sizes->AddStep(plan, step, copies);
  }
  if (!sizes->AddValues(plan, copies, places)) {
    *why = "an output, or a part of a constant, lies within another value";
    return nullptr;
  }
  for (int64_t name : sizes->names_)
    if (name < 0 && !sizes->symbolic_->Has(name)) {
      *why = "an extent is not known as a function of the inputs'";
      return nullptr;
    }
  if (!sizes->FindFree()) return nullptr;
  std::vector<GeTensorData> at;
  for (const TensorDesc &desc : plan.inputs) at.push_back(desc.View());
  Extents extents;
  if (!sizes->At(plan, at.data(), at.size(), &extents) || extents.dims != sizes->dims_) {
    *why = "its extents are not those that the inputs' give";
    return nullptr;
  }
  why->clear();
  return sizes;
}

/// False where no extent of the inputs may change: kernels for one size see all of them, or what is computed from them.
bool PlanSizes::FindFree() {
  std::vector<uint8_t> seen(symbolic_->size());
  for (const auto &[name, extent] : fixed_) {
    const std::vector<uint8_t> parts = symbolic_->PartsOf(name);
    std::transform(parts.begin(), parts.end(), seen.begin(), seen.begin(), std::bit_or<uint8_t>());
  }
  bool any = false;
  for (const Ports &input : inputs_)
    for (size_t d = 0; d < input.rank; ++d) {
      const int64_t name = names_[input.first + d];
      if (!IsSymbolic(name)) continue;
      symbolic_inputs_ = std::max(symbolic_inputs_, static_cast<size_t>(SymbolicNumber(name)) + 1);
      any |= !seen[static_cast<size_t>(SymbolicNumber(name))];
    }
  return any;
}

void PlanSizes::Fix(const TensorDesc &general, const TensorDesc &at) {
  for (size_t d = 0; d < general.shape.dims().size() && d < at.shape.dims().size(); ++d)
    if (IsSymbolic(general.shape[d])) fixed_.emplace(general.shape[d], at.shape[d]);
}

PlanSizes::Ports PlanSizes::Add(const TensorDesc &general, const TensorDesc &at) {
  const Ports ports{dims_.size(), at.shape.dims().size(), at.dtype};
  for (size_t d = 0; d < ports.rank; ++d) {
    dims_.push_back(at.shape[d]);
    const bool there = general.shape.has_rank() && d < general.shape.dims().size();
    names_.push_back(there ? general.shape[d] : SymbolicDims::kNothing);
  }
  return ports;
}

/// A node without a step of its own lies inside another value.
bool PlanSizes::AddPlaced(const ExecPlan::Placed &placed, const Copies &copies, PlanPlaces *places, std::string *why) {
  const Node *node = copies.Of(*placed.node);
  if (!node) {
    *why = Str(placed.node->Label(), " is computed from the size");
    return false;
  }
  const bool at_each_place = !placed.elided || places->AddView(*node, placed);
  if (!placed.elided) places->AddPartial(*node, placed);
  if (!HasOpenExtent(*node, *placed.node)) return true;
  const auto fix = [&](const char *reason) {
    for (size_t i = 0; i < node->input_count(); ++i)
      if (node->input(i)) Fix(node->input_desc(i), placed.node->input_desc(i));
    for (size_t i = 0; i < node->output_count(); ++i) Fix(node->output_desc(i), placed.node->output_desc(i));
    if (why->empty()) *why = Str(placed.node->Label(), ' ', reason);
    return true;
  };
  const GeKernel &kernel = placed.kernel->get();
  if (placed.elided) return at_each_place || fix("is a part of another value at each size");
  if (!placed.open) return fix("has a kernel for one size");
  for (uint32_t i = 0; i < kernel.alias_count && !placed.view; ++i) {
    const GeAlias &a = kernel.aliases[i];
    if (a.kind == GE_ALIAS_EXTENDS || a.kind == GE_ALIAS_INPUT_IN_OUTPUT) continue;
    if (node->input_desc(static_cast<size_t>(a.input)).shape != node->output_desc(static_cast<size_t>(a.output)).shape)
      return fix("may overwrite a value that has its shape at one size only");
  }
  return true;
}

void PlanSizes::AddStep(const ExecPlan &plan, const ExecPlan::Step &step, const Copies &copies) {
  const Node &node = *step.node, &general = *copies.Of(node);
  for (size_t i = 0; step.dims >= 0 && i < node.input_count() + node.output_count(); ++i) {
    const size_t at = static_cast<size_t>(step.dims) + i, port = i < node.input_count() ? i : i - node.input_count();
    if (!plan.dims[at]) continue;
    if (i < node.input_count()) ports_[at] = Add(general.input_desc(port), node.input_desc(port));
    else ports_[at] = Add(general.output_desc(port), node.output_desc(port));
  }
}

/// What steps write, and what they read where no step wrote all of it: views, and values that several steps write.
bool PlanSizes::AddValues(const ExecPlan &plan, const Copies &copies, const PlanPlaces &places) {
  std::vector<uint8_t> has_step(plan.graph->id_limit());
  for (const ExecPlan::Step &step : plan.steps) has_step[step.node->id()] = 1;
  const auto ports_of = [&](const PlanPlaces::Value &value) {
    const auto desc = [](Endpoint e) -> const TensorDesc & { return e.node->output_desc(static_cast<size_t>(e.port)); };
    return Add(desc(value.general), desc(value.at));
  };
  const auto all = [&](const std::vector<PlanPlaces::Value> &values) {
    std::vector<Ports> ports;
    std::transform(values.begin(), values.end(), std::back_inserter(ports), ports_of);
    return ports;
  };
  for (const PlanPlaces::Divided &divided : places.divided())
    divided_.push_back({ports_of(divided.whole), all(divided.parts)});
  std::map<std::pair<uint32_t, int32_t>, int32_t> numbers;  // of values that lie behind others
  const auto behind = [&](Endpoint value) {
    const PlanPlaces::Place *place = places.Of(value);
    if (!place) return int32_t{-1};
    const auto [at, fresh] = numbers.emplace(std::make_pair(value.node->id(), value.port), offsets_.size());
    if (!fresh) return at->second;
    offsets_.push_back({all(place->behind), place->bytes});
    return at->second;
  };
  argument_offsets_.assign(plan.arguments.size(), -1);
  bool known = true;
  const auto add = [&](Endpoint value, const TensorDesc &general, size_t index, bool counts) {
    const ExecPlan::Argument &argument = plan.arguments[index];
    const Location &place = argument.at;
    const bool arena = place.storage == Storage::kArena;
    if (argument.absent || place.storage == Storage::kNone || (arena && place.block < 0)) return;  // nobody wrote it
    argument_offsets_[index] = behind(value);
    known &= place.storage != Storage::kConst || argument_offsets_[index] < 0;  // runs share constants
    if (!counts) return;
    values_.push_back({Add(general, value.node->output_desc(static_cast<size_t>(value.port))), place.storage,
                       arena ? place.block : place.index, argument_offsets_[index]});
  };
  for (const ExecPlan::Step &step : plan.steps) {
    const Node &node = *step.node, &general = *copies.Of(node);
    for (size_t i = 0; i < node.output_count(); ++i)
      add({const_cast<Node *>(&node), static_cast<int32_t>(i)}, general.output_desc(i), step.first_output + i, true);
    for (size_t i = 0; i < node.input_count(); ++i)
      if (node.input(i))
        add(node.input(i), general.input_desc(i), step.first_input + i, !has_step[node.input(i).node->id()]);
  }
  return known && std::all_of(plan.copies.begin(), plan.copies.end(), [&](const ExecPlan::OutputCopy &copy) {
           return copy.from.storage != Storage::kArena
                      ? copy.from.offset == 0
                      : copy.from.block >= 0 &&
                            copy.from.offset == plan.memory.blocks[static_cast<size_t>(copy.from.block)].offset;
         });
}

/// False where it does not fit into memory.
bool PlanSizes::BytesOf(const Ports &value, const std::vector<int64_t> &dims, uint64_t *bytes) {
  constexpr int64_t kMost = int64_t{1} << 50;
  int64_t elements = 1;
  for (size_t d = 0; d < value.rank; ++d)
    if (__builtin_mul_overflow(elements, dims[value.first + d], &elements)) return false;
  if (elements > kMost) return false;
  *bytes = (static_cast<uint64_t>(elements) * static_cast<uint64_t>(GeDataTypeBits(value.dtype)) + 7) / 8;
  return true;
}

/// What lies in a buffer of the caller, or in a constant, has to have room there.
bool PlanSizes::SizeValues(const ExecPlan &plan, Extents *out) const {
  for (const InMemory &value : values_) {
    uint64_t bytes = 0, room = 0;
    if (!BytesOf(value.ports, out->dims, &bytes)) return false;
    if (value.behind >= 0) bytes += out->offsets[static_cast<size_t>(value.behind)];
    const size_t index = static_cast<size_t>(value.index);
    if (value.storage == Storage::kArena) {
      out->blocks[index] = std::max(out->blocks[index], bytes);
      continue;
    }
    if (value.storage == Storage::kConst) room = plan.constants[index]->bytes();
    else if (!BytesOf(value.storage == Storage::kInput ? inputs_[index] : outputs_[index], out->dims, &room))
      return false;
    if (bytes > room) return false;
  }
  return true;
}

bool PlanSizes::SumOf(const std::vector<Ports> &parts, const std::vector<int64_t> &dims, uint64_t *sum) {
  for (const Ports &part : parts) {
    uint64_t bytes = 0;
    if (!BytesOf(part, dims, &bytes)) return false;
    *sum += bytes;
  }
  return true;
}

/// False where a place is not one that a buffer may have, or parts are not all of what is divided into them.
bool PlanSizes::SizeOffsets(Extents *out) const {
  out->offsets.resize(offsets_.size());
  for (size_t i = 0; i < offsets_.size(); ++i) {
    out->offsets[i] = offsets_[i].bytes;
    if (!SumOf(offsets_[i].parts, out->dims, &out->offsets[i]) || out->offsets[i] % kBufferAlignment != 0) return false;
  }
  for (const Divided &divided : divided_) {
    uint64_t whole = 0, sum = 0;
    if (!BytesOf(divided.whole, out->dims, &whole) || !SumOf(divided.parts, out->dims, &sum) || sum != whole)
      return false;
  }
  return true;
}

bool PlanSizes::SizeWorkspaces(const ExecPlan &plan, Extents *out) const {
  constexpr size_t kPorts = 16;  // of kernels that serve all sizes and size their workspace; others have fewer
  for (const ExecPlan::Step &step : plan.steps) {
    uint64_t wanted = step.workspace_bytes;
    if (step.dims >= 0 && step.kernel->get().workspace_for) {
      const size_t count = step.input_count + step.output_count;
      if (count > kPorts) return false;
      const int64_t *ports[kPorts] = {};
      for (size_t i = 0; i < count; ++i)
        if (const size_t at = static_cast<size_t>(step.dims) + i; plan.dims[at])
          ports[i] = &out->dims[ports_[at].first];
      wanted = step.kernel->WorkspaceFor(step.node->name(), ports, ports + step.input_count);
    }
    if (step.workspace_block >= 0) out->blocks[static_cast<size_t>(step.workspace_block)] = wanted;
  }
  return true;
}

bool PlanSizes::At(const ExecPlan &plan, const GeTensorData *inputs, size_t count, Extents *out) const {
  if (count != inputs_.size()) return false;
  out->inputs.assign(symbolic_inputs_, -1);
  for (size_t i = 0; i < count; ++i) {
    const GeTensorData &in = inputs[i];
    if (in.data_type != inputs_[i].dtype || in.rank != static_cast<int32_t>(inputs_[i].rank)) return false;
    if (in.rank > 0 && !in.dims) return false;
    for (size_t d = 0; d < inputs_[i].rank; ++d) {
      const int64_t name = names_[inputs_[i].first + d];
      if (!IsSymbolic(name)) {
        if (in.dims[d] != name) return false;
        continue;
      }
      int64_t &known = out->inputs[static_cast<size_t>(SymbolicNumber(name))];
      if (in.dims[d] < SymbolicDims::kLeastInput || (known >= 0 && known != in.dims[d])) return false;
      known = in.dims[d];
    }
  }
  if (!symbolic_->Evaluate(out->inputs, &out->values)) return false;
  for (const auto &[name, extent] : fixed_)
    if (out->values[static_cast<size_t>(SymbolicNumber(name))] != extent) return false;
  out->dims.resize(names_.size());
  for (size_t i = 0; i < names_.size(); ++i) {
    const int64_t name = names_[i];
    const int64_t dim = IsSymbolic(name) ? out->values[static_cast<size_t>(SymbolicNumber(name))] : dims_[i];
    if (dim < 0) return false;
    out->dims[i] = dim;
  }
  out->blocks.assign(plan.memory.blocks.size(), 0);
  return SizeOffsets(out) && SizeValues(plan, out) && SizeWorkspaces(plan, out);
}

}  // namespace gec
