// Looks for a pattern that is a graph, by its inner form.
#include <algorithm>

#include "core/pattern/compiled_pattern.h"
#include "core/support/error.h"

namespace gec {

GraphMatcher::GraphMatcher(GraphPatternPtr pattern, GraphPtr target, MatchConfig config)
    : pattern_(std::move(pattern)), target_(std::move(target)), config_(config) {}
GraphMatcher::~GraphMatcher() = default;
GraphMatcher::GraphMatcher(GraphMatcher &&) noexcept = default;

void GraphMatcher::Compile() {
  if (compiled_) return;
  pattern_->Check();
  compiled_ = std::make_unique<CompiledPattern>(gec::Compile(*pattern_, config_));
  others_.resize(compiled_->program.outputs.size());
}

const std::vector<Symbol> &GraphMatcher::RootTypes() const { return compiled_->output_types[0]; }
const Node *GraphMatcher::root() const { return compiled_->program.slots[0].pattern; }
bool GraphMatcher::Possible() const { return compiled_->program.Possible(*target_); }
void GraphMatcher::Observe(MatchObserver *observer) {
  observer_ = observer;
  engine_.Observe(observer);
}

bool GraphMatcher::FindAt(Node *root) {
  if (!engine_.Run(compiled_->program, root, this)) return false;
  changes_ = target_->changes();
  return true;
}

std::unique_ptr<GraphMatch> GraphMatcher::Next() {
  Compile();
  if (!started_) {
    anchors_.Start(*target_, RootTypes(), TypeIndex::Of(*target_));
    started_ = true;
  }
  while (Node *root = anchors_.Next())
    if (FindAt(root)) return std::make_unique<GraphMatch>(Found());
  return nullptr;
}

// ---- outputs that nothing leads to ----

/// The nodes that read what has matched, up to the output. False: no way, or too many readers.
bool GraphMatcher::Near(size_t output, const std::vector<MatchState> &states, std::vector<Node *> *out) {
  constexpr size_t kMany = 4096;
  const CompiledPattern::Way *best = nullptr;
  auto from = [&](const CompiledPattern::Way &way) {
    const MatchState &state = states[static_cast<size_t>(way.from.slot)];
    if (state.missing || way.from.port < 0) return state.at;
    return Endpoint{state.at.node, way.from.port};
  };
  auto readers = [&](const CompiledPattern::Way &way) {
    const Endpoint e = from(way);
    return e && static_cast<size_t>(e.port) < e.node->output_count() ? e.node->use_count(static_cast<size_t>(e.port))
                                                                     : SIZE_MAX;
  };
  for (const CompiledPattern::Way &way : compiled_->ways[output])
    if (!best || readers(way) < readers(*best)) best = &way;
  if (!best || readers(*best) > kMany) return false;

  std::vector<Node *> here, next;
  std::vector<Endpoint> tensors{from(*best)};
  const std::vector<MatchSlot> &slots = compiled_->program.slots;
  for (int slot : best->up) {
    here.clear();
    for (Endpoint e : tensors)
      for (const Use &use : e.node->uses(static_cast<size_t>(e.port))) here.push_back(use.node);
    if (here.size() > kMany) return false;
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    if (slots[static_cast<size_t>(slot)].optional_input < 0) tensors.clear();
    for (Node *node : here)
      for (size_t o = 0; o < node->output_count(); ++o) tensors.push_back({node, static_cast<int32_t>(o)});
  }
  const std::vector<Symbol> &types = compiled_->output_types[output];
  for (Node *node : here)
    if (std::find(types.begin(), types.end(), node->type()) != types.end()) out->push_back(node);
  return true;
}

void GraphMatcher::Candidates(size_t output, const std::vector<MatchState> &states, std::vector<Node *> *out) {
  const auto first = static_cast<ptrdiff_t>(out->size());
  auto none = [&](const char *actual) {
    if (!observer_ || static_cast<ptrdiff_t>(out->size()) != first) return;
    const auto slot = static_cast<size_t>(compiled_->program.outputs[output].slot);
    const auto matched = std::count_if(states.begin(), states.end(), [](const MatchState &s) { return bool(s.at); });
    observer_->Failed(slot, compiled_->program.slots[slot].pattern, nullptr, Mismatch::kOperator,
                      TypesText(compiled_->output_types[output]), actual, static_cast<size_t>(matched));
  };
  if (Near(output, states, out)) {
    none("none reads what has matched");
    const TypeIndex *index = TypeIndex::Current(*target_);
    std::sort(out->begin() + first, out->end(),
              [&](const Node *a, const Node *b) { return index ? index->Before(a, b) : a->id() < b->id(); });
    return;
  }
  out->resize(static_cast<size_t>(first));
  NodeStream &stream = others_[output];
  if (!stream.started()) stream.Start(*target_, compiled_->output_types[output], TypeIndex::Of(*target_));
  stream.AppendAlive(out);
  none("the graph has none");
}

// ---- what was found ----

/// Nobody outside reads inner nodes other than the owners of outputs.
bool GraphMatcher::Accept(const std::vector<MatchState> &states) {
  const MatchProgram &program = compiled_->program;
  inside_.clear();
  for (size_t s = 0; s < states.size(); ++s) {
    const MatchState &state = states[s];
    if (!state.at || state.missing || state.instead >= 0 || program.slots[s].kind != MatchSlot::kOp) continue;
    inside_.push_back(state.at.node);
  }
  // The first of equal ones stays where it is.
  auto end = inside_.begin();
  for (Node *node : inside_)
    if (std::find(inside_.begin(), end, node) == end) *end++ = node;
  inside_.erase(end, inside_.end());
  auto owns = [&](const Node *node) {
    return std::any_of(program.outputs.begin(), program.outputs.end(),
                       [&](const MatchOperand &output) { return Resolve(output).node == node; });
  };
  for (const Node *node : inside_) {
    if (owns(node)) continue;
    const Node *reader = nullptr;
    for (size_t o = 0; o < node->output_count() && !reader; ++o)
      for (const Use &use : node->uses(o))
        if (std::find(inside_.begin(), inside_.end(), use.node) == inside_.end()) reader = use.node;
    if (!reader && !node->IsGraphOutput()) continue;
    if (observer_) {
      for (size_t s = 0; s < states.size(); ++s)
        if (states[s].at.node == node && program.slots[s].kind == MatchSlot::kOp)
          observer_->Failed(s, program.slots[s].pattern, node, Mismatch::kReader, "readers inside the match only",
                            reader ? reader->Label() : "an output of the graph", states.size());
    }
    return false;
  }
  return true;
}

/// The tensor that an output or operand of the pattern stands for.
Endpoint GraphMatcher::Resolve(MatchOperand want) const {
  const std::vector<MatchState> &states = engine_.states();
  for (;;) {
    const auto number = static_cast<size_t>(want.slot);
    const MatchSlot &slot = compiled_->program.slots[number];
    const MatchState &state = states[number];
    if (state.instead >= 0) {
      want = slot.alternatives[static_cast<size_t>(state.instead)];
    } else if (state.missing) {
      want = slot.inputs[static_cast<size_t>(slot.optional_input)];
    } else {
      return slot.kind == MatchSlot::kOp && want.port >= 0 ? Endpoint{state.at.node, want.port} : state.at;
    }
  }
}

/// The slot of any tensor that an operand ends at, or -1.
int GraphMatcher::InputSlot(MatchOperand want) const {
  const std::vector<MatchState> &states = engine_.states();
  while (want.slot >= 0) {
    const auto number = static_cast<size_t>(want.slot);
    const MatchSlot &slot = compiled_->program.slots[number];
    if (slot.kind == MatchSlot::kAny) return want.slot;
    if (states[number].instead >= 0) want = slot.alternatives[static_cast<size_t>(states[number].instead)];
    else if (states[number].missing) want = slot.inputs[static_cast<size_t>(slot.optional_input)];
    else return -1;
  }
  return -1;
}

/// Where edges of the match are not those of the pattern. Inputs beyond those of the pattern come after its own.
std::shared_ptr<const Boundary> GraphMatcher::OwnBoundary() const {
  const CompiledPattern &compiled = *compiled_;
  auto boundary = std::make_shared<Boundary>();
  int64_t more = 0;
  for (const CompiledPattern::Input &input : compiled.inputs) {
    boundary->inputs[input.index];
    more = std::max(more, input.index + 1);
  }
  const std::vector<MatchState> &states = engine_.states();
  std::vector<Use> extra;
  for (size_t s = 0; s < states.size(); ++s) {
    const MatchSlot &slot = compiled.program.slots[s];
    const MatchState &state = states[s];
    if (!state.at || state.missing || state.instead >= 0 || slot.kind != MatchSlot::kOp) continue;
    for (size_t i = 0; i < slot.inputs.size(); ++i) {
      const int any = InputSlot(slot.inputs[i]);
      if (any < 0) continue;
      const int32_t port = MatchedInput(slot, *state.at.node, state.swapped && i < 2 ? 1 - i : i);
      for (const CompiledPattern::Input &input : compiled.inputs)
        if (input.slot == any) boundary->inputs[input.index].push_back({state.at.node, port});
    }
    for (size_t i = 0; slot.more_inputs && i < state.at.node->input_count(); ++i)
      if (state.at.node->input(i) && IsSurplus(slot, *state.at.node, i))
        extra.push_back({state.at.node, static_cast<int32_t>(i)});
  }
  const int64_t own = more;
  for (const Use &use : extra) {
    const Endpoint source = use.node->input(static_cast<size_t>(use.port));
    auto at = std::find_if(boundary->inputs.lower_bound(own), boundary->inputs.end(), [&](const auto &input) {
      const Use &first = input.second.front();
      return first.node->input(static_cast<size_t>(first.port)) == source;
    });
    if (at != boundary->inputs.end()) at->second.push_back(use);
    else boundary->inputs[more++].push_back(use);
  }
  int64_t number = 0;
  for (const MatchOperand &output : compiled.program.outputs) boundary->outputs[number++] = Resolve(output);
  return boundary;
}

GraphMatch GraphMatcher::Found() const {
  GraphMatch match(pattern_);
  const std::vector<MatchState> &states = engine_.states();
  match.pairs_.reserve(states.size());
  for (size_t s = 0; s < states.size(); ++s) {
    if (!states[s].at || states[s].missing || states[s].instead >= 0) continue;
    match.pairs_.emplace_back(compiled_->program.slots[s].pattern, states[s].at);
  }
  if (!compiled_->plain) match.boundary_ = OwnBoundary();
  return match;
}

bool GraphMatcher::FoundRegion(Region *region) const {
  if (!compiled_->regular || changes_ != target_->changes()) return false;
  const std::vector<MatchState> &states = engine_.states();
  region->graph = target_.get();
  region->nodes = inside_;
  region->producers.clear();
  region->outputs.clear();
  for (const CompiledPattern::Input &input : compiled_->inputs) {
    const Endpoint at = states[static_cast<size_t>(input.slot)].at;
    if (std::find(inside_.begin(), inside_.end(), at.node) != inside_.end()) return false;
    region->producers.push_back(at);
  }
  for (const MatchOperand &output : compiled_->program.outputs) region->outputs.push_back(Resolve(output));
  return true;
}

/// A node of what was found reads what this slot of any tensor stands for.
bool GraphMatcher::Reads(int input) const {
  const std::vector<MatchState> &states = engine_.states();
  for (size_t s = 0; s < states.size(); ++s) {
    const MatchSlot &slot = compiled_->program.slots[s];
    if (!states[s].at || states[s].missing || states[s].instead >= 0 || slot.kind != MatchSlot::kOp) continue;
    for (const MatchOperand &operand : slot.inputs)
      if (operand.slot >= 0 && InputSlot(operand) == input) return true;
  }
  return false;
}

std::optional<Refusal> GraphMatcher::WhyNotReplaced() const {
  if (compiled_->plain) return {};
  const std::vector<MatchState> &states = engine_.states();
  const std::vector<MatchSlot> &slots = compiled_->program.slots;
  if (std::none_of(states.begin(), states.end(), [](const MatchState &s) { return s.missing || s.instead >= 0; }))
    return {};
  for (const CompiledPattern::Input &input : compiled_->inputs) {
    if (input.reads.empty() || Reads(input.slot)) continue;
    Refusal no("", Str("a node that reads input ", input.index, " of the pattern"), Mismatch::kArity);
    // Up from the input to the first node that is not there.
    std::vector<int> above{input.slot};
    for (size_t k = 0; k < above.size(); ++k) {
      for (size_t s = 0; s < slots.size(); ++s) {
        const bool reads = std::any_of(slots[s].inputs.begin(), slots[s].inputs.end(),
                                       [&](const MatchOperand &operand) { return operand.slot == above[k]; });
        if (!reads || std::find(above.begin(), above.end(), static_cast<int>(s)) != above.end()) continue;
        const std::string only =
            Str("nothing in the match reads input ", input.index, " of the pattern: ", slots[s].pattern->Label());
        if (states[s].missing) no.actual = only + " is missing";
        else if (states[s].instead >= 0)
          no.actual = only + " is not there, but " +
                      slots[static_cast<size_t>(slots[s].alternatives[static_cast<size_t>(states[s].instead)].slot)]
                          .pattern->Label();
        if (!no.actual.empty()) {
          no.pattern_node = slots[s].pattern->Label();
          return no;
        }
        above.push_back(static_cast<int>(s));
      }
    }
    no.actual = Str("nothing in the match reads input ", input.index, " of the pattern");
    return no;
  }
  return {};
}

bool GraphMatcher::MayMakeCycle() const {
  // A part that is left through one node only, which all others lead to, cannot be entered again from there.
  const Node *owner = Resolve(compiled_->program.outputs[0]).node;
  for (const MatchOperand &output : compiled_->program.outputs)
    if (Resolve(output).node != owner) return true;
  return std::any_of(inside_.begin(), inside_.end(), [](const Node *node) {
    return !node->control_inputs().empty() || !node->control_outputs().empty();
  });
}

}  // namespace gec
