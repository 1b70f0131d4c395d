#include "core/passes/why_not.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/graph.h"
#include "core/support/error.h"
#include "core/support/json_text.h"

namespace gec {
namespace {
constexpr size_t kMostPerRule = 5;  // of what is told without a node
constexpr char kGate[] = "gate";
/// More parts had matched; of as many, a node of the right type is nearer than one of another.
bool Nearer(const NearMiss &a, const NearMiss &b) {
  if (a.matched != b.matched) return a.matched > b.matched;
  const char *const type = NameOf(Mismatch::kOperator);
  return a.constraint != type && b.constraint == type;
}
/// A miss writes nodes "Type 'name'".
bool Speaks(const std::string &label, std::string_view name) {
  return label.find("'" + std::string(name) + "'") != std::string::npos;
}
}  // namespace

void WhyNot::Begin(std::string_view rule, const Node *root, std::string pattern) {
  rule_ = rule;
  root_ = root->Label();
  root_name_ = root->name();
  pattern_ = std::move(pattern);
  program_ = nullptr;
  begun_ = misses_.size();
  asking_ = false;
}

void WhyNot::Begin(std::string_view rule, const Node *root, const MatchProgram &program) {
  Begin(rule, root, PartText(program, program.outputs[0].slot));
  program_ = &program;
}

void WhyNot::Begins(std::string_view rule, Graph &graph, const std::string &pattern, const std::vector<Symbol> &types) {
  auto seen = std::find_if(seen_.begin(), seen_.end(), [&](const Seen &s) { return s.graph.get() == &graph; });
  if (seen == seen_.end()) {
    seen = seen_.insert(seen, Seen{graph.shared_from_this(), {}});
    for (const Node *node : graph.Nodes()) seen->nodes.emplace(node->name(), Seen::At{node->type(), node->Label()});
  }
  const auto number = static_cast<size_t>(seen - seen_.begin());
  const auto known =
      std::find_if(starts_.begin(), starts_.end(), [&](const Start &s) { return s.graph == number && s.rule == rule; });
  if (known == starts_.end()) {
    starts_.push_back({std::string(rule), pattern, number, types});
    return;
  }
  for (Symbol type : types)  // another pattern of the rule
    if (std::find(known->types.begin(), known->types.end(), type) == known->types.end()) known->types.push_back(type);
}

void WhyNot::Matched() { misses_.resize(std::min(misses_.size(), begun_)); }

void WhyNot::Applied(std::string_view rule, const Node *node) {
  ++applied_[std::string(rule)];
  if (node && node->valid()) applied_at_.insert(node->name());
  if (rule != rule_) return;
  applied_at_.insert(root_name_);
  Matched();
}

void WhyNot::Add(NearMiss miss) {
  // Of one candidate the place that most had matched before; later ones win, as other orders are tried later.
  if (misses_.size() > begun_ && misses_.back().rule == miss.rule && misses_.back().root == miss.root) {
    if (Nearer(misses_.back(), miss)) return;
    misses_.back() = std::move(miss);
  } else {
    misses_.push_back(std::move(miss));
  }
}

void WhyNot::Failed(size_t slot, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
                    const std::string &actual, size_t depth) {
  NearMiss miss{rule_, root_, NameOf(kind), "", at ? at->Label() : "", expected, actual, "", depth};
  miss.pattern_node = pattern ? pattern->Label() : program_ ? PartText(*program_, static_cast<int>(slot)) : pattern_;
  Add(std::move(miss));
}

void WhyNot::Declined(std::string_view rule, const Node *root, const Refusal &why) {
  NearMiss miss{std::string(rule), root->Label(), NameOf(why.kind), why.pattern_node, why.node,
                why.expected,      why.actual,    why.traceback,    SIZE_MAX};
  const bool of_candidate = miss.rule == rule_ && miss.root == root_;
  if (miss.node.empty()) miss.node = miss.root;
  if (miss.pattern_node.empty()) miss.pattern_node = of_candidate ? pattern_ : root->type().str();
  if (miss.expected.empty()) miss.expected = Str("the conditions of rule '", rule, "', which are code");
  if (of_candidate) Matched();
  asking_ = false;
  Add(std::move(miss));
}

void WhyNot::Missed(std::string_view rule, const Node *root, const Refusal &why, size_t matched) {
  Add({std::string(rule), root->Label(), NameOf(why.kind), root->type().str(), why.node, why.expected, why.actual, "",
       matched});
}

void WhyNot::Impossible(std::string_view rule, const std::string &types) {
  misses_.push_back({std::string(rule), "", NameOf(Mismatch::kOperator), "", "", types, "the graph has none", "", 0});
}

// ---- code that answers ----

Refusal WhyNot::Answer(const Refusal &by_itself) {
  asking_ = false;
  if (!told_) return by_itself;
  Refusal answer = std::move(*told_);
  told_.reset();
  if (told_own_) return answer;
  // A function that the hook called has refused: that may be why, but the answer is the hook's.
  Refusal both = by_itself;
  both.actual += Str("; ", answer.expected, ": ", answer.Text());
  return both;
}

void WhyNot::Tell(std::string_view pass, const Node *root, const Refusal &why, bool own) {
  if (!asking_) {
    NearMiss miss{std::string(pass), root ? root->Label() : "",
                  NameOf(why.kind),  why.pattern_node,
                  why.node,          why.expected,
                  why.actual,        why.traceback,
                  SIZE_MAX};
    if (miss.node.empty()) miss.node = miss.root;
    if (miss.pattern_node.empty() && root) miss.pattern_node = root->type().str();
    misses_.push_back(std::move(miss));
    begun_ = misses_.size();
    return;
  }
  if (told_ && told_own_) return;  // the first condition that failed
  Refusal next = why;
  if (own && told_) next.actual += Str("; ", told_->expected, ": ", told_->Text());
  told_ = std::move(next);
  told_own_ = own;
}

// ---- passes ----

void WhyNot::Closed(std::string_view pass, const Refusal &gate) {
  misses_.push_back({std::string(pass), "", kGate, "", "", gate.expected, gate.actual, "", SIZE_MAX});
  begun_ = misses_.size();
}

void WhyNot::Ended(std::string_view pass, std::string_view node, const Node *untouched) {
  begun_ = misses_.size();
  if (!Misses(node).empty()) return;
  if (node.empty() ? !applied_.empty() : applied_at_.count(std::string(node)) != 0) return;
  const std::string label = untouched ? untouched->Label() : "";
  misses_.push_back({std::string(pass), label, NameOf(Mismatch::kPredicate), untouched ? untouched->type().str() : "",
                     label, Str("the code of pass '", pass, "' rewrites ", label.empty() ? "something" : label),
                     label.empty() ? "it changed nothing and told nothing" : "it left it as it is and told nothing", "",
                     0});
}

// ---- the answer ----

/// Rules that nothing else was told of, and that cannot have been tried at the node.
void WhyNot::AddOtherTypes(const std::string &node, std::vector<NearMiss> *misses) const {
  for (const Start &start : starts_) {
    const auto &nodes = seen_[start.graph].nodes;
    const auto at = nodes.find(node);
    if (at == nodes.end() || std::count(start.types.begin(), start.types.end(), at->second.type)) continue;
    if (std::any_of(misses->begin(), misses->end(), [&](const NearMiss &m) { return m.rule == start.rule; })) continue;
    const std::string &label = at->second.label;
    misses->push_back({start.rule, label, NameOf(Mismatch::kOperator), start.pattern_node, label,
                       TypesText(start.types), label, "", 0});
  }
}

std::vector<NearMiss> WhyNot::Misses(std::string_view node) const {
  std::vector<NearMiss> found;
  std::unordered_set<std::string> keys;
  for (const NearMiss &miss : misses_) {
    const bool asked = node.empty() || miss.constraint == kGate || Speaks(miss.root, node) || Speaks(miss.node, node);
    // Several patterns of one rule may end at the same place.
    if (asked && keys.insert(miss.Key()).second) found.push_back(miss);
  }
  std::stable_sort(found.begin(), found.end(), Nearer);
  if (!node.empty()) {
    AddOtherTypes(std::string(node), &found);
    return found;
  }
  std::map<std::string, size_t> told;
  std::vector<NearMiss> best;
  for (NearMiss &miss : found)
    if (told[miss.rule]++ < kMostPerRule) best.push_back(std::move(miss));
  return best;
}

std::string WhyNot::Json(std::string_view node) const {
  std::string text = "{\"applied\":{";
  bool first = true;
  for (const auto &[rule, count] : applied_) {
    text += Str(first ? "" : ",", JsonText(rule), ":", count);
    first = false;
  }
  text += "},\"misses\":[";
  first = true;
  for (const NearMiss &m : Misses(node)) {
    text += Str(first ? "" : ",", "{\"rule\":", JsonText(m.rule), ",\"root\":", JsonText(m.root),
                ",\"constraint\":", JsonText(m.constraint), ",\"pattern_node\":", JsonText(m.pattern_node),
                ",\"node\":", JsonText(m.node), ",\"expected\":", JsonText(m.expected),
                ",\"actual\":", JsonText(m.actual), ",\"traceback\":", JsonText(m.traceback), "}");
    first = false;
  }
  return text + "]}";
}

}  // namespace gec
