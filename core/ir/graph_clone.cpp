#include <set>

#include "core/ir/graph.h"

namespace gec {

std::vector<Node *> Graph::CopyNodes(Graph &target) const {
  std::vector<Node *> made(nodes_.size(), nullptr);
  std::vector<Node *> nodes = Nodes();
  for (Node *node : nodes) {
    made[node->id_] = target.AddNode(node->ir_, node->name_, node->rare().dyn_in.data(), node->rare().dyn_in.size(),
                                     node->rare().dyn_out.data(), node->rare().dyn_out.size());
  }
  auto translate = [&](Endpoint e) { return e ? Endpoint{made[e.node->id_], e.port} : Endpoint(); };
  for (Node *node : nodes) {
    Node &copy = *made[node->id_];
    for (size_t i = 0; i < node->inputs_.size(); ++i) copy.inputs_[i] = translate(node->inputs_[i]);
    for (size_t o = 0; o < node->outputs_.size(); ++o) {
      copy.outputs_[o].desc = node->outputs_[o].desc;
      if (auto &attrs = copy.outputs_[o].desc.attrs) attrs = std::make_shared<AttrMap>(*attrs);
      copy.outputs_[o].uses.reserve(node->use_count(o));
      for (const Use &use : node->uses(o)) copy.outputs_[o].uses.push_back({made[use.node->id_], use.port});
    }
    if (node->rare().described) {
      Node::InputDescs &descs = copy.MakeRare().input_descs;
      copy.rare_->described = true;
      descs.resize_empty(node->inputs_.size());
      for (size_t i = 0; i < node->inputs_.size(); ++i) {
        const TensorDesc *own = node->explicit_input_desc(i);
        if (!own) continue;
        auto &desc = descs[i] = std::make_unique<TensorDesc>(*own);
        if (desc->attrs) desc->attrs = std::make_shared<AttrMap>(*desc->attrs);
      }
    }
    for (Node *c : node->control_inputs()) copy.MakeRare().control_in.push_back(made[c->id_]);
    for (Node *c : node->control_outputs()) copy.MakeRare().control_out.push_back(made[c->id_]);
    copy.attrs_ = node->attrs_;
    if (!node->subgraphs().empty()) copy.MakeRare().subgraphs = node->subgraphs();
    copy.origins_ = node->origins_;
    copy.passes_ = node->passes_;
  }
  target.has_input_descs_ |= has_input_descs_;
  return made;
}

void Graph::CopyInto(Graph &target) const {
  const std::vector<Node *> made = CopyNodes(target);
  target.outputs_.clear();
  for (Endpoint e : outputs_) {
    target.outputs_.push_back(e ? Endpoint{made[e.node->id_], e.port} : Endpoint());
    if (Node *listed = target.outputs_.back().node) ++listed->listed_;
  }
  target.attrs_ = attrs_;
}

void Graph::TakeContent(const Graph &other) {
  if (&other == this) return;
  if (other.parent_)
    Fail(GE_GRAPH_INVALID, "graph '", other.name_, "' is a subgraph: only the content of a root graph is taken");
  if (parent_ && !other.subgraphs_.empty())
    Fail(GE_GRAPH_INVALID, "graph '", name_, "' is a subgraph: it takes no content with subgraphs, '", other.name_,
         "' has ", other.subgraphs_.size());
  Transaction all(*this);
  std::vector<Node *> old = Nodes();
  for (auto node = old.rbegin(); node != old.rend(); ++node) RemoveNode(*node);  // readers first
  while (!parent_ && !subgraphs_.empty()) RemoveSubgraph(subgraphs_.back()->name_);
  while (!attrs_.empty()) RemoveGraphAttr(attrs_.begin()->first);
  SetOutputs({});
  // The content of new nodes needs no records: undoing takes the nodes away.
  const std::vector<Node *> made = other.CopyNodes(*this);
  std::vector<Endpoint> outputs;
  for (Endpoint e : other.outputs_) outputs.push_back(e ? Endpoint{made[e.node->id_], e.port} : Endpoint());
  if (!NetOutput()) SetOutputs(std::move(outputs));
  for (const auto &[name, value] : other.attrs_) SetGraphAttr(name, value);
  for (const GraphPtr &sub : other.subgraphs_) {
    GraphPtr fresh = Create(sub->name_);
    sub->CopyInto(*fresh);
    AddSubgraph(std::move(fresh));
  }
  Changed();  // edges of the new nodes were not made one by one
  all.Commit();
}

GraphPtr Graph::Clone(std::string name) const {
  GraphPtr copy = Create(name.empty() ? name_ : std::move(name));
  CopyInto(*copy);
  auto clone_sub = [&](const Graph &sub) {
    GraphPtr fresh = Create(sub.name_);
    sub.CopyInto(*fresh);
    copy->AddSubgraph(std::move(fresh));
  };
  if (!parent_) {
    for (const GraphPtr &sub : subgraphs_) clone_sub(*sub);
    return copy;
  }
  // The copy of a subgraph is a root of its own: it takes along the graphs that its nodes call.
  std::set<const Graph *> seen{this};
  std::vector<const Graph *> pending{this};
  while (!pending.empty()) {
    const Graph *graph = pending.back();
    pending.pop_back();
    for (Node *node : graph->Nodes()) {
      for (size_t i = 0; i < node->subgraphs().size(); ++i) {
        const Graph *sub = node->subgraph(i);
        if (!sub || !seen.insert(sub).second) continue;
        clone_sub(*sub);
        pending.push_back(sub);
      }
    }
  }
  return copy;
}

}  // namespace gec
