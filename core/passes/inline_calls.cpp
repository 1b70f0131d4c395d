// Graphs that are called take the place of their calls, so that passes, engines and the memory plan see one graph.
//
// Callees come before callers: what is copied into a caller has no calls left. A function that calls itself, and copies
// that would make the graph grow beyond measure (f calls g twice, g calls h twice, …), stay calls, which also run.
#include <set>
#include <unordered_map>

#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/pattern/rewrite.h"

namespace gec {
namespace {

const char kInlineCalls[] = "InlineCalls";
constexpr size_t kMostNewNodes = 200'000;

class Inliner {
 public:
  Inliner(Graph &root, PassContext &ctx) : root_(root), ctx_(ctx) {}

  bool Run() {
    AddCalled(root_, &called_before_);
    for (const GraphPtr &graph : root_.subgraphs()) AddCalled(*graph, &called_before_);
    Visit(root_);
    if (changed_) RemoveUncalled();
    return changed_;
  }

 private:
  enum class State : uint8_t { kOpen, kDone };
  /// A graph that a node calls or, as a branch or body, enters.
  struct Reference {
    Node *node;
    Graph *graph;
  };
  struct Frame {
    Graph *graph;
    std::vector<Reference> references;
    size_t next = 0;
  };

  Frame Open(Graph &graph) {
    states_[&graph] = State::kOpen;
    Frame frame{&graph, {}};
    if (SkipsOptimization(graph)) return frame;
    for (Node *node : graph.Nodes()) {
      for (size_t i = 0; i < node->subgraphs().size(); ++i) frame.references.push_back({node, node->subgraph(i)});
    }
    return frame;
  }

  void Visit(Graph &start) {
    if (states_.count(&start)) return;
    std::vector<Frame> open;  // not the thread's stack: chains of calls may be long
    open.push_back(Open(start));
    while (!open.empty()) {
      Frame &frame = open.back();
      if (frame.next == frame.references.size()) {
        states_[frame.graph] = State::kDone;
        open.pop_back();
        continue;
      }
      const Reference at = frame.references[frame.next];
      auto state = states_.find(at.graph);
      if (state == states_.end()) {
        open.push_back(Open(*at.graph));
        continue;
      }
      ++frame.next;
      if (ControlFlowOf(*at.node) == GE_CONTROL_FLOW_CALL) Inline(*at.node, *at.graph, state->second == State::kOpen);
    }
  }

  void Inline(Node &call, Graph &callee, bool recursive) {
    ctx_.At(kInlineCalls, &call);
    ctx_.Tried(kInlineCalls);
    std::string why = recursive ? "calls itself" : WhyNotInline(call, callee);
    if (why.empty() && SkipsOptimization(callee)) why = "has attribute SkipOptimization";
    if (why.empty() && made_ + Size(callee) > kMostNewNodes)
      why = Str("would let the graph grow by more than ", kMostNewNodes, " nodes");
    if (!why.empty())
      return ctx_.Declined(kInlineCalls, call,
                           {Str("graph '", callee.name(), "' ", why), "a graph that can take the place of its call"});
    made_ += Size(callee);
    InlineCall(call, callee, call.name() + "/", kInlineCalls);
    changed_ = true;
    ctx_.Applied(kInlineCalls);
  }

  /// Nodes of a graph, which has no more calls to inline, and of those that a copy of it takes along.
  size_t Size(const Graph &graph) {
    size_t &nodes = sizes_[&graph];
    if (nodes) return nodes;
    std::set<const Graph *> seen{&graph};
    std::vector<const Graph *> pending{&graph};
    while (!pending.empty()) {
      const Graph *at = pending.back();
      pending.pop_back();
      nodes += at->node_count();
      for (const Node *node : at->Nodes()) {
        for (size_t i = 0; i < node->subgraphs().size(); ++i) {
          if (const Graph *sub = node->subgraph(i); seen.insert(sub).second) pending.push_back(sub);
        }
      }
    }
    return nodes;
  }

  /// Names of the graphs that the graph's nodes call.
  static void AddCalled(const Graph &graph, std::set<std::string> *names) {
    for (const Node *node : graph.Nodes()) {
      for (const SubgraphRef &ref : node->subgraphs()) names->insert(ref.graph_name);
    }
  }

  /// Graphs that only inlined ones called go with them; graphs that nobody ever called stay.
  void RemoveUncalled() {
    std::vector<const Graph *> pending{&root_};
    for (const GraphPtr &graph : root_.subgraphs()) {
      if (!called_before_.count(graph->name())) pending.push_back(graph.get());
    }
    std::set<std::string> live;
    while (!pending.empty()) {
      std::set<std::string> names;
      AddCalled(*pending.back(), &names);
      pending.pop_back();
      for (const std::string &name : names) {
        if (!live.insert(name).second) continue;
        if (const Graph *graph = root_.FindSubgraph(name)) pending.push_back(graph);
      }
    }
    for (const std::string &name : called_before_) {
      if (!live.count(name) && root_.FindSubgraph(name)) root_.RemoveSubgraph(name);
    }
  }

  Graph &root_;
  PassContext &ctx_;
  std::unordered_map<const Graph *, State> states_;
  std::unordered_map<const Graph *, size_t> sizes_;
  std::set<std::string> called_before_;
  size_t made_ = 0;  // nodes
  bool changed_ = false;
};

}  // namespace

bool InlineCalls(Graph &graph, PassContext &ctx) {
  if (&graph != &graph.root()) return false;  // the root's turn is everybody's
  return Inliner(graph, ctx).Run();
}

}  // namespace gec
