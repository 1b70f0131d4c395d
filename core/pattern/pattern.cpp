#include "core/pattern/pattern.h"

#include <algorithm>
#include <cmath>

#include "core/support/error.h"

namespace gec {
namespace {
uint64_t KeyOf(Endpoint e) { return static_cast<uint64_t>(e.node->id()) << 32 | static_cast<uint32_t>(e.port); }
}  // namespace

OutputSet::OutputSet(const Graph &graph) : graph_(graph) {
  if (graph.NetOutput()) return;
  for (Endpoint e : graph.Outputs()) {
    if (e) ++listed_[KeyOf(e)];
  }
}

bool OutputSet::Has(Endpoint e) const {
  const Node *net = graph_.NetOutput();
  if (!net) return listed_.count(KeyOf(e)) != 0;
  for (const Use &use : e.node->uses(static_cast<size_t>(e.port))) {
    if (use.node == net) return true;
  }
  return false;
}

void OutputSet::Moved(Endpoint from, Endpoint to) {
  auto at = listed_.find(KeyOf(from));
  if (at == listed_.end() || from == to) return;
  int count = at->second;
  listed_.erase(at);
  listed_[KeyOf(to)] += count;
}

bool Near(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

bool ScalarOf(Endpoint e, double *value) {
  TensorPtr t = ConstantOf(e);
  if (!t || t->desc.dtype != C_DT_FLOAT || t->bytes() != sizeof(float) || !t->desc.known() ||
      t->desc.shape.elements() != 1)
    return false;
  *value = *t->as<float>();
  return true;
}

int Pattern::AddPart(MatchSlot::Kind kind, Condition condition) {
  MatchSlot &part = program_.slots.emplace_back();
  part.kind = kind;
  part.known_types = true;
  if (condition.holds) {
    MatchConstraint &test = part.constraints.emplace_back();
    test.predicate = std::move(condition.holds);
    test.what = condition.what;
    test.kind = condition.kind;
  }
  const int number = static_cast<int>(program_.slots.size()) - 1;
  program_.outputs.assign(1, {number, 0});
  return number;
}

int Pattern::Any() { return AddPart(MatchSlot::kAny, {}); }
int Pattern::Const(Condition condition) { return AddPart(MatchSlot::kConst, std::move(condition)); }
int Pattern::Scalar(double wanted) {
  const auto near = [wanted](Endpoint e) {
    double value;
    return ScalarOf(e, &value) && Near(value, wanted);
  };
  return Const({Str("a float constant of one element near ", wanted), near, Mismatch::kConstant});
}
int Pattern::Scalar() {
  const auto is_scalar = [](Endpoint e) {
    double value;
    return ScalarOf(e, &value);
  };
  return Const({"a float constant of one element", is_scalar, Mismatch::kConstant});
}
int Pattern::Op(std::initializer_list<const char *> types, std::initializer_list<int> inputs, Condition condition) {
  const int made = AddPart(MatchSlot::kOp, std::move(condition));
  MatchSlot &part = program_.slots.back();
  for (const char *type : types) part.types.emplace_back(type);
  for (int input : inputs) {
    const bool node = program_.slots[static_cast<size_t>(input)].kind == MatchSlot::kOp;
    part.inputs.push_back({input, node ? 0 : -1});
  }
  return made;
}
int Pattern::Commutative(std::initializer_list<const char *> types, int a, int b, Condition condition) {
  const int made = Op(types, {a, b}, std::move(condition));
  program_.slots.back().commutative = true;
  return made;
}

std::string Pattern::NeededText() const {
  std::string text;
  for (const MatchSlot &slot : program_.slots) {
    std::string types;
    for (Symbol type : slot.types) types += (types.empty() ? "" : " or ") + std::string(type.view());
    if (!types.empty()) text += (text.empty() ? "" : "; ") + types;
  }
  return text;
}

bool Pattern::Possible(const std::unordered_set<Symbol> &present) const {
  return std::all_of(program_.slots.begin(), program_.slots.end(), [&](const MatchSlot &part) {
    return part.kind != MatchSlot::kOp ||
           std::any_of(part.types.begin(), part.types.end(), [&](Symbol t) { return present.count(t) != 0; });
  });
}

bool Pattern::Find(Node *root, Match *match) const {
  match->covered.clear();
  if (!match->engine_.Run(program_, root)) return false;
  const std::vector<MatchState> &states = match->engine_.states();
  match->bound_.resize(states.size());
  for (size_t i = 0; i < states.size(); ++i) {
    match->bound_[i] = states[i].at;
    Node *node = states[i].at.node;
    if (program_.slots[i].kind == MatchSlot::kOp && node &&
        std::find(match->covered.begin(), match->covered.end(), node) == match->covered.end())
      match->covered.push_back(node);
  }
  return true;
}

bool Pattern::Legal(const std::vector<Node *> &covered, const Node *root, const OutputSet &outputs, Refusal *why) {
  auto refuse = [&](const Node *node, std::string actual, const char *expected, Mismatch kind) {
    *why = {std::move(actual), expected, kind};
    why->node = node->Label();
    return false;
  };
  const char *const only = "readers inside the match only";
  auto inside = [&](const Node *node) { return std::find(covered.begin(), covered.end(), node) != covered.end(); };
  for (Node *node : covered) {
    if (!node->control_inputs().empty() || !node->control_outputs().empty()) {
      return refuse(node, "has control edges", "no control edges", Mismatch::kPredicate);
    }
    if (node == root) continue;
    for (size_t o = 0; o < node->output_count(); ++o) {
      if (outputs.Has({node, static_cast<int32_t>(o)})) {
        return refuse(node, "is a graph output", only, Mismatch::kReader);
      }
      for (const Use &use : node->uses(o)) {
        if (!inside(use.node)) return refuse(node, "is also read by " + use.node->Label(), only, Mismatch::kReader);
      }
    }
  }
  return true;
}

}  // namespace gec
