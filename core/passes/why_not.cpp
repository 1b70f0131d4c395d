#include "core/passes/why_not.h"

#include <algorithm>

#include "core/ir/graph.h"
#include "core/support/error.h"
#include "core/support/json_text.h"

namespace gec {
namespace {
constexpr size_t kMostPerRule = 5;  // of what is told without a node
/// A miss writes nodes "Type 'name'".
bool Speaks(const std::string &label, std::string_view name) {
  return label.find("'" + std::string(name) + "'") != std::string::npos;
}
}  // namespace

void WhyNot::Begin(std::string_view rule, const Node *root) {
  rule_ = rule;
  root_ = root->Label();
  begun_ = misses_.size();
}

void WhyNot::Begins(std::string_view rule, Graph &graph, const Node &pattern, const std::vector<Symbol> &types) {
  auto seen = std::find_if(seen_.begin(), seen_.end(), [&](const Seen &s) { return s.graph.get() == &graph; });
  if (seen == seen_.end()) {
    seen = seen_.insert(seen, Seen{graph.shared_from_this(), {}});
    for (const Node *node : graph.Nodes()) seen->nodes.emplace(node->name(), Seen::At{node->type(), node->Label()});
  }
  const auto number = static_cast<size_t>(seen - seen_.begin());
  const bool known =
      std::any_of(starts_.begin(), starts_.end(), [&](const Start &s) { return s.graph == number && s.rule == rule; });
  if (!known) starts_.push_back({std::string(rule), pattern.Label(), number, types});
}

void WhyNot::Matched() { misses_.resize(std::min(misses_.size(), begun_)); }

void WhyNot::Applied(std::string_view rule) {
  ++applied_[std::string(rule)];
  if (rule == rule_) Matched();
}

void WhyNot::Add(NearMiss miss) {
  // Of one candidate the place that most had matched before; later ones win, as other orders are tried later.
  if (misses_.size() > begun_ && misses_.back().rule == miss.rule && misses_.back().root == miss.root) {
    if (misses_.back().matched > miss.matched) return;
    misses_.back() = std::move(miss);
  } else {
    misses_.push_back(std::move(miss));
  }
}

void WhyNot::Failed(size_t slot, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
                    const std::string &actual, size_t depth) {
  NearMiss miss{rule_, root_, NameOf(kind), "", at ? at->Label() : "", expected, actual, depth};
  miss.pattern_node = pattern ? pattern->Label() : "part " + std::to_string(slot);
  Add(std::move(miss));
}

void WhyNot::Declined(std::string_view rule, const Node *root, const std::string &why) {
  NearMiss miss{std::string(rule), root->Label(), "declined", "", root->Label(), "", why, SIZE_MAX};
  if (miss.rule == rule_ && miss.root == root_) Matched();
  Add(std::move(miss));
}

void WhyNot::Impossible(std::string_view rule, const std::string &types) {
  misses_.push_back({std::string(rule), "", "operator", "", "", types, "the graph has none", 0});
}

/// Rules that nothing else was told of, and that cannot have been tried at the node.
void WhyNot::AddOtherTypes(const std::string &node, std::vector<NearMiss> *misses) const {
  for (const Start &start : starts_) {
    const auto &nodes = seen_[start.graph].nodes;
    const auto at = nodes.find(node);
    if (at == nodes.end() || std::count(start.types.begin(), start.types.end(), at->second.type)) continue;
    if (std::any_of(misses->begin(), misses->end(), [&](const NearMiss &m) { return m.rule == start.rule; })) continue;
    const std::string &label = at->second.label;
    misses->push_back(
        {start.rule, label, NameOf(Mismatch::kOperator), start.pattern_node, label, TypesText(start.types), label, 0});
  }
}

std::vector<NearMiss> WhyNot::Misses(std::string_view node) const {
  std::vector<NearMiss> found;
  for (const NearMiss &miss : misses_)
    if (node.empty() || Speaks(miss.root, node) || Speaks(miss.node, node)) found.push_back(miss);
  std::stable_sort(found.begin(), found.end(),
                   [](const NearMiss &a, const NearMiss &b) { return a.matched > b.matched; });
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
                ",\"actual\":", JsonText(m.actual), "}");
    first = false;
  }
  return text + "]}";
}

}  // namespace gec
