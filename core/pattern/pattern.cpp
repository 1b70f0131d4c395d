#include "core/pattern/pattern.h"

#include <algorithm>
#include <cmath>

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

int Pattern::AddPart(Part part) {
  parts_.push_back(std::move(part));
  return static_cast<int>(parts_.size()) - 1;
}

int Pattern::Any() { return AddPart({kAny, false, {}, {}, {}}); }
int Pattern::Const(Condition condition) { return AddPart({kConst, false, {}, {}, std::move(condition)}); }
int Pattern::Scalar(double wanted) {
  return Const([wanted](Endpoint e) {
    double value;
    return ScalarOf(e, &value) && Near(value, wanted);
  });
}
int Pattern::Scalar() {
  return Const([](Endpoint e) {
    double value;
    return ScalarOf(e, &value);
  });
}
int Pattern::Op(std::initializer_list<const char *> types, std::initializer_list<int> inputs, Condition condition) {
  Part part{kOp, false, {}, inputs, std::move(condition)};
  for (const char *type : types) part.types.emplace_back(type);
  return AddPart(std::move(part));
}
int Pattern::Commutative(std::initializer_list<const char *> types, int a, int b, Condition condition) {
  int made = Op(types, {a, b}, std::move(condition));
  parts_.back().commutative = true;
  return made;
}

bool Pattern::Solve(std::vector<Goal> goals, std::vector<Endpoint> *bound) const {
  while (!goals.empty()) {
    Goal goal = goals.back();
    goals.pop_back();
    if (!goal.at) return false;
    Endpoint &have = (*bound)[static_cast<size_t>(goal.part)];
    if (have) {
      if (have != goal.at) return false;
      continue;
    }
    const Part &part = parts_[static_cast<size_t>(goal.part)];
    if (part.kind == kConst && !ConstantOf(goal.at)) return false;
    if (part.kind == kOp) {
      Node *node = goal.at.node;
      if (goal.at.port != 0 || std::find(part.types.begin(), part.types.end(), node->known_type()) == part.types.end())
        return false;
      if (node->input_count() < part.inputs.size()) return false;
      for (size_t i = part.inputs.size(); i < node->input_count(); ++i) {
        if (node->input(i)) return false;
      }
    }
    if (part.condition && !part.condition(goal.at)) return false;
    have = goal.at;
    if (part.kind != kOp) continue;
    Node *node = goal.at.node;
    if (part.commutative) {
      // One order first; the other with everything found so far put back.
      std::vector<Goal> other = goals;
      std::vector<Endpoint> before = *bound;
      goals.push_back({part.inputs[1], node->input(1)});
      goals.push_back({part.inputs[0], node->input(0)});
      if (Solve(std::move(goals), bound)) return true;
      *bound = std::move(before);
      other.push_back({part.inputs[1], node->input(0)});
      other.push_back({part.inputs[0], node->input(1)});
      return Solve(std::move(other), bound);
    }
    for (size_t i = part.inputs.size(); i-- > 0;) goals.push_back({part.inputs[i], node->input(i)});
  }
  return true;
}

bool Pattern::Possible(const std::unordered_set<Symbol> &present) const {
  return std::all_of(parts_.begin(), parts_.end(), [&](const Part &part) {
    return part.kind != kOp ||
           std::any_of(part.types.begin(), part.types.end(), [&](Symbol t) { return present.count(t) != 0; });
  });
}

bool Pattern::Find(Node *root, Match *match) const {
  match->bound_.assign(parts_.size(), Endpoint());
  match->covered.clear();
  if (!Solve({{static_cast<int>(parts_.size()) - 1, {root, 0}}}, &match->bound_)) return false;
  for (size_t i = 0; i < parts_.size(); ++i) {
    Node *node = match->bound_[i].node;
    if (parts_[i].kind == kOp && node &&
        std::find(match->covered.begin(), match->covered.end(), node) == match->covered.end())
      match->covered.push_back(node);
  }
  return true;
}

bool Pattern::Legal(const std::vector<Node *> &covered, const Node *root, const OutputSet &outputs, std::string *why) {
  auto inside = [&](const Node *node) { return std::find(covered.begin(), covered.end(), node) != covered.end(); };
  for (Node *node : covered) {
    if (!node->control_inputs().empty() || !node->control_outputs().empty()) {
      *why = node->Label() + " has control edges";
      return false;
    }
    if (node == root) continue;
    for (size_t o = 0; o < node->output_count(); ++o) {
      if (outputs.Has({node, static_cast<int32_t>(o)})) {
        *why = node->Label() + " is a graph output";
        return false;
      }
      for (const Use &use : node->uses(o)) {
        if (!inside(use.node)) {
          *why = node->Label() + " is also read by " + use.node->Label();
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace gec
