#include "core/pattern/match_program.h"

#include <algorithm>

namespace gec {

const char *NameOf(Mismatch kind) {
  static constexpr const char *kNames[] = {"operator",  "arity",    "position",  "dtype",  "shape",
                                           "attribute", "constant", "predicate", "reader", "cycle"};
  return kNames[static_cast<size_t>(kind)];
}

void MatchProgram::FindNeeded() {
  // A slot that an output reads through slots that have to be there has to be there as well.
  std::vector<uint8_t> seen(slots.size());
  std::vector<int> pending;
  auto enter = [&](const MatchOperand &operand) {
    if (operand.slot < 0 || seen[static_cast<size_t>(operand.slot)]++) return;
    pending.push_back(operand.slot);
  };
  needed.clear();
  for (const MatchOperand &output : outputs) enter(output);
  while (!pending.empty()) {
    const MatchSlot &slot = slots[static_cast<size_t>(pending.back())];
    pending.pop_back();
    if (!slot.alternatives.empty()) continue;
    if (slot.optional_input >= 0) {
      enter(slot.inputs[static_cast<size_t>(slot.optional_input)]);
      continue;
    }
    if (slot.kind == MatchSlot::kOp && !slot.any_type) needed.push_back(slot.types);
    for (const MatchOperand &input : slot.inputs) enter(input);
  }
}

bool MatchProgram::Possible(const Graph &graph) const {
  return std::all_of(needed.begin(), needed.end(), [&](const std::vector<Symbol> &types) {
    return std::any_of(types.begin(), types.end(), [&](Symbol type) { return graph.Has(type); });
  });
}

}  // namespace gec
