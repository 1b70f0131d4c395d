#include "core/variables/variable_races.h"

#include <set>
#include <unordered_map>

#include "core/support/log.h"

namespace gec {
namespace {

/// True when a path of data and control edges leads from one node to another.
class Paths {
 public:
  explicit Paths(const Graph &graph) : place_(graph.id_limit(), 0), seen_(graph.id_limit(), 0) {
    uint32_t place = 0;
    for (const Node *node : graph.TopologicalOrder()) place_[node->id()] = place++;
  }
  bool Lead(const Node *from, const Node *to) {
    ++walk_;
    pending_.assign(1, to);
    auto visit = [&](const Node *before) {
      if (!before || place_[before->id()] < place_[from->id()] || seen_[before->id()] == walk_) return;
      seen_[before->id()] = walk_;
      pending_.push_back(before);
    };
    while (!pending_.empty()) {
      const Node *node = pending_.back();
      pending_.pop_back();
      if (node == from) return true;
      for (size_t i = 0; i < node->input_count(); ++i) visit(node->input(i).node);
      for (const Node *before : node->control_inputs()) visit(before);
    }
    return false;
  }

 private:
  std::vector<uint32_t> place_, seen_;
  std::vector<const Node *> pending_;
  uint32_t walk_ = 0;
};

}  // namespace

void LogRaces(const Graph &graph, const std::vector<VariableAccess> &accesses) {
  Paths paths(graph);
  std::unordered_map<const std::string *, std::vector<VariableAccess>> since;  // the last write, and reads behind it
  std::set<const std::string *> told;
  for (const VariableAccess &access : accesses) {
    std::vector<VariableAccess> &before = since[access.variable];
    for (const VariableAccess &other : before) {
      if (!(access.writes || other.writes) || told.count(access.variable) || paths.Lead(other.node, access.node))
        continue;
      told.insert(access.variable);
      Log(GE_LOG_WARNING, "W18888: graph '", graph.name(), "': no edge orders ", other.node->Label(), " and ",
          access.node->Label(), ", which use variable '", *access.variable, "'; they run in the order they were added");
    }
    if (access.writes) before.clear();
    before.push_back(access);
  }
}

}  // namespace gec
