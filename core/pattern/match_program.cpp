#include "core/pattern/match_program.h"

#include <algorithm>

#include "core/support/error.h"

namespace gec {

const char *NameOf(Mismatch kind) {
  static constexpr const char *kNames[] = {"operator",  "arity",    "position",  "dtype",  "shape",
                                           "attribute", "constant", "predicate", "reader", "cycle"};
  return kNames[static_cast<size_t>(kind)];
}

std::string TypesText(const std::vector<Symbol> &types) {
  std::string text;
  for (Symbol type : types) text += (text.empty() ? "" : " or ") + type.str();
  return text;
}

std::string PartText(const MatchProgram &program, int slot) {
  const MatchSlot &part = program.slots[static_cast<size_t>(slot)];
  std::string text = part.kind == MatchSlot::kConst ? "constant" : part.kind == MatchSlot::kAny ? "input" : "";
  if (text.empty()) text = TypesText(part.types);
  return Str(text, " (part ", slot, ")");
}

namespace {

/// Both nodes have the same ports, so that an input of one has its like in the other; else they are compared by number.
bool SamePorts(const Node &a, const Node &b) {
  const std::vector<IrPort> &x = a.ir().inputs, &y = b.ir().inputs;
  return &x == &y || std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const IrPort &p, const IrPort &q) {
    return (p.kind == GE_IR_DYNAMIC) == (q.kind == GE_IR_DYNAMIC);
  });
}

/// The input of `to` that is to its port what `input` of `from` is to its own; -1: `to` has fewer instances.
int32_t LikeInput(const Node &from, size_t input, const Node &to) {
  for (size_t port = 0; port < from.ir().inputs.size(); ++port) {
    const auto [first, count] = from.InputRange(port);
    const auto instance = static_cast<int32_t>(input) - first;
    if (instance < 0 || instance >= count) continue;
    const auto [there, instances] = to.InputRange(port);
    return instance < instances ? there + instance : -1;
  }
  return -1;
}

void FindNeeded(MatchProgram &program) {
  // A slot that an output reads through slots that have to be there has to be there as well.
  std::vector<uint8_t> seen(program.slots.size());
  std::vector<int> pending;
  auto enter = [&](const MatchOperand &operand) {
    if (operand.slot < 0 || seen[static_cast<size_t>(operand.slot)]++) return;
    pending.push_back(operand.slot);
  };
  program.needed.clear();
  for (const MatchOperand &output : program.outputs) enter(output);
  while (!pending.empty()) {
    const MatchSlot &slot = program.slots[static_cast<size_t>(pending.back())];
    pending.pop_back();
    if (!slot.alternatives.empty()) continue;
    if (slot.optional_input >= 0) {
      enter(slot.inputs[static_cast<size_t>(slot.optional_input)]);
      continue;
    }
    if (slot.kind == MatchSlot::kOp && !slot.any_type) program.needed.push_back(slot.types);
    for (const MatchOperand &input : slot.inputs) enter(input);
  }
}

void FindFed(MatchProgram &program) {
  program.fed.clear();
  const auto fixed = [](const MatchSlot &slot) {
    return slot.kind == MatchSlot::kOp && slot.alternatives.empty() && slot.optional_input < 0;
  };
  const MatchSlot &root = program.slots[static_cast<size_t>(program.outputs[0].slot)];
  if (!fixed(root) || root.commutative || root.dynamic) return;
  for (size_t i = 0; i < root.inputs.size(); ++i) {
    const MatchOperand &by = root.inputs[i];
    if (by.slot < 0) continue;
    const MatchSlot &source = program.slots[static_cast<size_t>(by.slot)];
    if (fixed(source) && !source.any_type) program.fed.push_back({i, by});
  }
}

}  // namespace

int32_t MatchedDynamicInput(const MatchSlot &slot, const Node &node, size_t operand) {
  if (SamePorts(*slot.pattern, node)) return LikeInput(*slot.pattern, operand, node);
  return operand < node.input_count() ? static_cast<int32_t>(operand) : -1;
}

bool IsSurplus(const MatchSlot &slot, const Node &node, size_t input) {
  if (slot.dynamic && SamePorts(*slot.pattern, node)) return LikeInput(node, input, *slot.pattern) < 0;
  return input >= slot.inputs.size();
}

void MatchProgram::Prepare() {
  FindNeeded(*this);
  FindFed(*this);
}

bool MatchProgram::Possible(const Graph &graph) const {
  return std::all_of(needed.begin(), needed.end(), [&](const std::vector<Symbol> &types) {
    return std::any_of(types.begin(), types.end(), [&](Symbol type) { return graph.Has(type); });
  });
}

bool MatchProgram::MayBeginAt(const Node &node) const {
  for (const Fed &must : fed) {
    const Endpoint e = must.input < node.input_count() ? node.input(must.input) : Endpoint();
    if (!e || (must.by.port >= 0 && e.port != must.by.port)) return false;
    const MatchSlot &source = slots[static_cast<size_t>(must.by.slot)];
    const Symbol type = source.known_types ? e.node->known_type() : e.node->type();
    if (std::find(source.types.begin(), source.types.end(), type) == source.types.end()) return false;
  }
  return true;
}

}  // namespace gec
