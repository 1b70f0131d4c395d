#include <algorithm>

#include "core/ir/graph.h"
#include "core/ir/undo_log.h"

namespace gec {

const std::vector<GraphPtr> &Graph::subgraphs() const { return root().subgraphs_; }

Graph *Graph::FindSubgraph(std::string_view name) const {
  const Graph &top = root();
  if (const auto at = top.subgraph_index_.find(name); at != top.subgraph_index_.end()) return at->second;
  if (top.subgraph_index_.size() == top.subgraphs_.size()) return nullptr;
  for (const GraphPtr &sub : top.subgraphs_) {
    if (sub->name_ == name) return sub.get();
  }
  return nullptr;
}

void Graph::Unindex(const Graph &subgraph) noexcept {
  const auto at = subgraph_index_.find(subgraph.name_);
  if (at != subgraph_index_.end() && at->second == &subgraph) subgraph_index_.erase(at);
}

void Graph::Detach(Graph *subgraph) noexcept {
  auto it = std::find_if(subgraphs_.begin(), subgraphs_.end(), [&](const GraphPtr &g) { return g.get() == subgraph; });
  if (it != subgraphs_.end()) subgraphs_.erase(it);
  Unindex(*subgraph);
  subgraph->parent_ = nullptr;
}

void Graph::AddSubgraph(GraphPtr graph) {
  if (!graph) Fail(GE_PARAM_INVALID, "subgraph is null");
  Graph &top = root();
  if (graph.get() == this || graph.get() == &top)
    Fail(GE_PARAM_INVALID, "graph '", graph->name_, "' cannot be a subgraph of itself");
  if (graph->parent_ == &top)
    Fail(GE_PARAM_INVALID, "graph '", graph->name_, "' is already a subgraph of '", top.name_, "'");
  if (graph->parent_)
    Fail(GE_BAD_STATE, "graph '", graph->name_, "' is a subgraph of another graph, '", graph->root().name_, "'");
  if (graph->undo_ && graph->undo_ != top.undo_)
    Fail(GE_BAD_STATE, "graph '", graph->name_, "' is being changed by a transaction of its own");
  if (!graph->subgraphs_.empty()) {
    // Subgraphs belong to the root: the nested ones move up first.
    for (const GraphPtr &nested : graph->subgraphs_) {
      if (FindSubgraph(nested->name_) || nested->name_ == graph->name_)
        Fail(GE_PARAM_INVALID, "subgraph name '", nested->name_, "' is taken in root graph '", top.name_, "'");
    }
  }
  if (FindSubgraph(graph->name_))
    Fail(GE_PARAM_INVALID, "subgraph name '", graph->name_, "' is taken in root graph '", top.name_, "'");

  Transaction all(top);
  UndoLog *log = top.undo_;
  std::vector<GraphPtr> nested = graph->subgraphs_;
  if (const size_t needed = top.subgraphs_.size() + nested.size() + 1; needed > top.subgraphs_.capacity())
    top.subgraphs_.reserve(std::max(needed, top.subgraphs_.size() * 2));
  log->detached.reserve(log->detached.size() + nested.size() + 1);
  Graph *raw = graph.get();
  UndoLog *before = graph->undo_;
  log->Push([&top, graph, nested, before] {
    for (const GraphPtr &g : nested) {
      top.Detach(g.get());
      g->parent_ = graph.get();
      graph->subgraphs_.push_back(g);
    }
    top.Detach(graph.get());
    graph->undo_ = before;
  });
  raw->undo_ = nullptr;
  raw->subgraphs_.clear();
  raw->subgraph_index_.clear();
  raw->parent_ = &top;
  top.subgraphs_.push_back(std::move(graph));
  top.subgraph_index_.emplace(raw->name_, raw);
  for (GraphPtr &g : nested) {
    Graph *inner = g.get();
    inner->parent_ = &top;
    top.subgraphs_.push_back(std::move(g));
    top.subgraph_index_.emplace(inner->name_, inner);
  }
  all.Commit();
}

GraphPtr Graph::RemoveSubgraph(std::string_view name) {
  Graph &top = root();
  const Graph *found = FindSubgraph(name);
  if (!found) Fail(GE_NOT_FOUND, "root graph '", top.name_, "' has no subgraph '", name, "'");
  auto it =
      std::find_if(top.subgraphs_.begin(), top.subgraphs_.end(), [&](const GraphPtr &g) { return g.get() == found; });
  GraphPtr graph = *it;
  ptrdiff_t at = it - top.subgraphs_.begin();
  if (UndoLog *log = top.undo_) {
    ReserveOneMore(log->detached);
    log->Push([&top, graph, at] {
      graph->parent_ = &top;
      graph->undo_ = nullptr;
      top.subgraphs_.insert(top.subgraphs_.begin() + at, graph);
    });
    log->detached.push_back(graph);
    graph->undo_ = log;  // changes to it are still part of the transaction
  }
  top.Unindex(*graph);
  top.subgraphs_.erase(it);
  graph->parent_ = nullptr;
  return graph;
}

void Graph::AttachSubgraph(Node *node, Symbol ir_name, GraphPtr graph) {
  Own(node, "node");
  if (!graph) Fail(GE_PARAM_INVALID, node->Label(), ": subgraph '", ir_name.view(), "' is null");
  bool known = false;
  for (const IrGraph &g : node->ir_->graphs) {
    if (g.kind == GE_IR_DYNAMIC) {
      // "<name><i>"
      std::string_view text = ir_name.view(), base = g.name.view();
      known |= text.size() > base.size() && text.substr(0, base.size()) == base &&
               text.find_first_not_of("0123456789", base.size()) == std::string_view::npos;
    } else {
      known |= g.name == ir_name;
    }
  }
  if (!known) Fail(GE_NOT_FOUND, node->Label(), " has no subgraph '", ir_name.view(), "' in its prototype");
  Transaction all(*this);
  auto &refs = node->MakeRare().subgraphs;
  auto slot = std::find_if(refs.begin(), refs.end(), [&](const SubgraphRef &r) { return r.ir_name == ir_name; });
  if (slot != refs.end()) {
    if (root().FindSubgraph(slot->graph_name) == graph.get()) return all.Commit();
    if (root().FindSubgraph(slot->graph_name)) RemoveSubgraph(slot->graph_name);
  }
  if (graph->parent_ != &root()) AddSubgraph(graph);
  auto old = std::make_shared<std::vector<SubgraphRef>>(refs);
  std::vector<SubgraphRef> fresh = refs;
  if (slot != refs.end()) fresh[static_cast<size_t>(slot - refs.begin())].graph_name = graph->name_;
  else fresh.push_back({ir_name, graph->name_});
  Log()->Push([node, old] { node->rare_->subgraphs.swap(*old); });
  refs = std::move(fresh);
  all.Commit();
}

}  // namespace gec
