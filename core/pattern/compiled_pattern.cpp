#include "core/pattern/compiled_pattern.h"

#include <algorithm>
#include <unordered_set>

namespace gec {
namespace {

class Compiler {
 public:
  Compiler(const GraphPattern &pattern, MatchConfig config) : pattern_(pattern), config_(config) {}

  CompiledPattern Run() {
    made_.program.name = pattern_.graph->name();
    for (Endpoint e : pattern_.graph->Outputs()) {
      made_.program.outputs.push_back({SlotOf(e.node), e.port});
      Flow();
    }
    for (size_t o = 0; o < made_.program.outputs.size(); ++o) {
      made_.output_types.push_back(TypesAt(made_.program.outputs[o].slot));
      made_.ways.push_back(o == 0 ? std::vector<CompiledPattern::Way>() : WaysTo(o));
    }
    Inputs();
    made_.program.Prepare();
    return std::move(made_);
  }

 private:
  MatchSlot &At(int slot) { return made_.program.slots[static_cast<size_t>(slot)]; }

  /// Slots are numbered breadth first, as matches list their nodes.
  int SlotOf(const Node *node) {
    auto [at, fresh] = slots_.emplace(node, static_cast<int>(made_.program.slots.size()));
    if (fresh) {
      made_.program.slots.emplace_back().pattern = node;
      Describe(at->second, *node);
    }
    return at->second;
  }

  void Describe(int number, const Node &node) {
    static const Symbol constant("Constant"), const_type("Const");
    MatchSlot &slot = At(number);
    slot.types = {node.type()};
    const PatternNodeRule *rule = pattern_.RuleOf(&node);
    if (rule) slot.constraints = rule->constraints;
    if (IsDataType(node.type())) return;  // any tensor; where it is an output of the pattern, an input of that type
    slot.kind = MatchSlot::kOp;
    MatchConstraint like;
    like.like = &node;
    if (IsConstType(node.type())) {
      slot.types = {const_type, constant};
      like.test = MatchConstraint::kSameValue;
      if (config_.const_values) slot.constraints.push_back(like);
    } else if (config_.ir_attrs) {
      slot.any_type = true;
      like.test = MatchConstraint::kSameIrAttrs;
      slot.constraints.push_back(like);
    }
    if (!rule) return;
    slot.types.insert(slot.types.end(), rule->types.begin(), rule->types.end());
    slot.commutative = rule->commutative;
    slot.more_inputs = rule->more_inputs;
    slot.dynamic = rule->dynamic && node.ir().dynamic_inputs;
    slot.optional_input = rule->optional_input;
    made_.plain &= !rule->commutative && !rule->more_inputs && rule->optional_input < 0 && rule->alternatives.empty();
  }

  /// Operands of all slots that have none yet.
  void Flow() {
    for (; next_ < made_.program.slots.size(); ++next_) {
      const Node &node = *made_.program.slots[next_].pattern;
      if (const PatternNodeRule *rule = pattern_.RuleOf(&node)) {
        std::vector<MatchOperand> others;
        for (Endpoint e : rule->alternatives) others.push_back({SlotOf(e.node), e.port});
        made_.program.slots[next_].alternatives = std::move(others);
      }
      if (made_.program.slots[next_].kind != MatchSlot::kOp) continue;
      std::vector<MatchOperand> inputs(node.input_count());
      for (size_t i = 0; i < inputs.size(); ++i)
        if (const Endpoint e = node.input(i)) inputs[i] = {SlotOf(e.node), IsDataType(e.node->type()) ? -1 : e.port};
      made_.program.slots[next_].inputs = std::move(inputs);
    }
  }

  std::vector<Symbol> TypesAt(int number) {
    std::vector<Symbol> types = At(number).types;
    for (const MatchOperand &other : At(number).alternatives) {
      const std::vector<Symbol> more = TypesAt(other.slot);
      types.insert(types.end(), more.begin(), more.end());
    }
    return types;
  }

  /// From every slot below output `o` that earlier outputs have matched.
  std::vector<CompiledPattern::Way> WaysTo(size_t o) {
    std::unordered_set<int> matched;
    std::vector<int> pending;
    auto enter = [&](int slot) {
      if (slot >= 0 && matched.insert(slot).second) pending.push_back(slot);
    };
    for (size_t k = 0; k < o; ++k) enter(made_.program.outputs[k].slot);
    while (!pending.empty()) {
      const int slot = pending.back();
      pending.pop_back();
      for (const MatchOperand &input : At(slot).inputs) enter(input.slot);
    }
    std::vector<CompiledPattern::Way> ways;
    const int top = made_.program.outputs[o].slot;
    if (matched.count(top) || !At(top).alternatives.empty()) return ways;
    std::unordered_set<int> seen{top};
    std::vector<std::vector<int>> paths{{top}};
    for (size_t k = 0; k < paths.size(); ++k) {
      const std::vector<int> path = paths[k];
      const MatchSlot &reader = At(path.back());
      for (size_t i = 0; i < reader.inputs.size(); ++i) {
        const MatchOperand input = reader.inputs[i];
        // Where a node is missing, only one of its inputs still leads up.
        if (input.slot < 0 || (reader.optional_input >= 0 && static_cast<size_t>(reader.optional_input) != i)) continue;
        if (matched.count(input.slot)) {
          if (At(input.slot).alternatives.empty()) ways.push_back({input, {path.rbegin(), path.rend()}});
        } else if (At(input.slot).alternatives.empty() && seen.insert(input.slot).second) {
          paths.push_back(path);
          paths.back().push_back(input.slot);
        }
      }
    }
    return ways;
  }

  void Inputs() {
    static const Symbol index("index");
    int64_t expected = 0;
    for (const Node *data : pattern_.graph->Inputs()) {
      CompiledPattern::Input input{data->Int(index), -1, {}};
      if (auto at = slots_.find(data); at != slots_.end()) input.slot = at->second;
      for (const Use &use : data->uses(0))
        if (auto at = slots_.find(use.node); at != slots_.end()) input.reads.emplace_back(at->second, use.port);
      made_.regular &= input.index == expected++ && !input.reads.empty();
      made_.inputs.push_back(std::move(input));
    }
    for (const MatchOperand &output : made_.program.outputs) made_.regular &= At(output.slot).kind == MatchSlot::kOp;
    made_.regular &= made_.plain;
  }

  const GraphPattern &pattern_;
  const MatchConfig config_;
  CompiledPattern made_;
  std::unordered_map<const Node *, int> slots_;
  size_t next_ = 0;
};

}  // namespace

CompiledPattern Compile(const GraphPattern &pattern, MatchConfig config) { return Compiler(pattern, config).Run(); }

}  // namespace gec
