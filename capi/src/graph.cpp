// Graphs: life, nodes, edges, outputs, subgraphs, whole-graph functions.
#include "ge/graph.h"

#include "capi/src/handles.h"
#include "core/ops/infer.h"
#include "core/ops/recover_ir.h"
#include "core/ops/registry.h"

using namespace gec;
using namespace gec::api;

extern "C" {

void GeSetBusyHandler(GeBusyFn handler, void *user) { SetBusyHandler(handler, user); }

GeStatus GeGraphCreate(const char *name, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphCreate, out);
    *out = nullptr;
    *out = NewHandle(Graph::Create(name ? name : "graph"));
  });
}

void GeGraphDestroy(GeGraph *graph) { Drop(graph); }

GeStatus GeGraphRetain(GeGraph *graph, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphRetain, out);
    *out = nullptr;
    ValidOf(graph, "GeGraphRetain", "graph");
    graph->refs.fetch_add(1, std::memory_order_relaxed);
    *out = graph;
  });
}

GeStatus GeGraphTakeContent(GeGraph *graph, const GeGraph *other) {
  return Guard([&] {
    Graph &self = GraphOf(graph, "GeGraphTakeContent");
    self.TakeContent(GraphOf(other, "GeGraphTakeContent", "other"));
  });
}

GeStatus GeGraphClone(const GeGraph *graph, const char *name, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphClone, out);
    *out = nullptr;
    *out = NewHandle(GraphOf(graph, "GeGraphClone").Clone(name ? name : ""));
  });
}

const char *GeGraphName(const GeGraph *graph) {
  return ReadGraph(graph, "GeGraphName", "", [](const Graph &g) { return g.name().c_str(); });
}

GeStatus GeGraphSetName(GeGraph *graph, const char *name) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphSetName");
    GE_CHECK_ARG(GeGraphSetName, name);
    g.set_name(name);
  });
}

size_t GeGraphNodeCount(const GeGraph *graph) {
  return ReadGraph(graph, "GeGraphNodeCount", size_t{0}, [](const Graph &g) { return g.node_count(); });
}

GeStatus GeGraphGetNode(GeGraph *graph, size_t index, GeNode **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphGetNode, out);
    *out = nullptr;
    Graph &g = GraphOf(graph, "GeGraphGetNode");
    Node *node = g.NodeAt(index);
    if (!node)
      Fail(GE_PARAM_INVALID, "GeGraphGetNode: index ", index, " is out of range, graph '", g.name(), "' has ",
           g.node_count(), " nodes");
    *out = Handle(node);
  });
}

GeStatus GeGraphFindNode(GeGraph *graph, const char *name, GeNode **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphFindNode, out);
    *out = nullptr;
    Graph &g = GraphOf(graph, "GeGraphFindNode");
    GE_CHECK_ARG(GeGraphFindNode, name);
    Node *node = g.Find(name);
    if (!node) Fail(GE_NOT_FOUND, "graph '", g.name(), "' has no node '", name, "'");
    *out = Handle(node);
  });
}

GeStatus GeGraphAddNode(GeGraph *graph, const GeNodeSpec *callers, GeNode **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphAddNode, out);
    *out = nullptr;
    Graph &g = GraphOf(graph, "GeGraphAddNode");
    if (!callers) NullArgument("GeGraphAddNode", "spec");
    const GeNodeSpec known = ReadStruct(*callers, "GeGraphAddNode"), *spec = &known;
    GE_CHECK_ARG(GeGraphAddNode, spec->type);
    if (spec->input_counts_size > 0) GE_CHECK_ARG(GeGraphAddNode, spec->input_counts);
    if (spec->output_counts_size > 0) GE_CHECK_ARG(GeGraphAddNode, spec->output_counts);
    const IrDef *ir = spec->schema ? InternSchema(spec->schema) : OpRegistry::Instance().Get(spec->type);
    if (ir->type.view() != spec->type)
      Fail(GE_PARAM_INVALID, "GeGraphAddNode: type is '", spec->type, "', the schema's is '", ir->type.view(), "'");
    std::string name;
    if (spec->name) {
      name = spec->name;
    } else {
      uint32_t n = g.id_limit();
      do name = Str(spec->type, '_', n++);
      while (g.Find(name));
    }
    *out = Handle(g.AddNode(ir, std::move(name), spec->input_counts, spec->input_counts_size, spec->output_counts,
                            spec->output_counts_size));
  });
}

GeStatus GeGraphRemoveNode(GeGraph *graph, GeNode *node) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphRemoveNode");
    g.RemoveNode(&NodeOf(node, "GeGraphRemoveNode"));
  });
}

GeStatus GeGraphAddDataEdge(GeGraph *graph, GeNode *src, int32_t src_port, GeNode *dst, int32_t dst_port) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphAddDataEdge");
    Node &from = NodeOf(src, "GeGraphAddDataEdge", "src"), &to = NodeOf(dst, "GeGraphAddDataEdge", "dst");
    g.Connect({&from, src_port}, &to, dst_port);
  });
}

GeStatus GeGraphAddControlEdge(GeGraph *graph, GeNode *src, GeNode *dst) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphAddControlEdge");
    Node &from = NodeOf(src, "GeGraphAddControlEdge", "src"), &to = NodeOf(dst, "GeGraphAddControlEdge", "dst");
    g.AddControl(&from, &to);
  });
}

GeStatus GeGraphRemoveEdge(GeGraph *graph, GeNode *src, int32_t src_port, GeNode *dst, int32_t dst_port) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphRemoveEdge");
    Node &from = NodeOf(src, "GeGraphRemoveEdge", "src"), &to = NodeOf(dst, "GeGraphRemoveEdge", "dst");
    if (src_port == -1 && dst_port == -1) return g.RemoveControl(&from, &to);
    bool there = &to.graph() == &g && dst_port >= 0 && static_cast<size_t>(dst_port) < to.input_count() &&
                 to.input(static_cast<size_t>(dst_port)) == Endpoint{&from, src_port};
    if (!there)
      Fail(GE_NOT_FOUND, "graph '", g.name(), "' has no edge from ", from.Label(), " output ", src_port, " to ",
           to.Label(), " input ", dst_port);
    g.Disconnect(&to, dst_port);
  });
}

GeStatus GeGraphSetOutputs(GeGraph *graph, GeNode *const *nodes, const int32_t *ports, size_t count) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphSetOutputs");
    if (count > 0) {
      GE_CHECK_ARG(GeGraphSetOutputs, nodes);
      GE_CHECK_ARG(GeGraphSetOutputs, ports);
    }
    std::vector<Endpoint> outputs;
    for (size_t i = 0; i < count; ++i)
      outputs.push_back({&NodeOf(nodes[i], "GeGraphSetOutputs", Str("nodes[", i, "]").c_str()), ports[i]});
    g.SetOutputs(std::move(outputs));
  });
}

size_t GeGraphOutputCount(const GeGraph *graph) {
  return ReadGraph(graph, "GeGraphOutputCount", size_t{0}, [](const Graph &g) { return g.Outputs().size(); });
}

GeStatus GeGraphGetOutput(GeGraph *graph, size_t index, GeNode **node, int32_t *port) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphGetOutput, node);
    *node = nullptr;
    GE_CHECK_ARG(GeGraphGetOutput, port);
    *port = -1;
    Graph &g = GraphOf(graph, "GeGraphGetOutput");
    auto outputs = g.Outputs();
    if (index >= outputs.size())
      Fail(GE_PARAM_INVALID, "GeGraphGetOutput: index ", index, " is out of range, graph '", g.name(), "' has ",
           outputs.size(), " outputs");
    *node = Handle(outputs[index].node);
    *port = outputs[index].port;
  });
}

GeStatus GeGraphAddSubgraph(GeGraph *graph, GeGraph *subgraph) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphAddSubgraph");
    GraphOf(subgraph, "GeGraphAddSubgraph", "subgraph");
    g.AddSubgraph(subgraph->graph);
  });
}

GeStatus GeGraphRemoveSubgraph(GeGraph *graph, const char *name) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphRemoveSubgraph");
    GE_CHECK_ARG(GeGraphRemoveSubgraph, name);
    g.RemoveSubgraph(name);
  });
}

size_t GeGraphSubgraphCount(const GeGraph *graph) {
  return ReadGraph(graph, "GeGraphSubgraphCount", size_t{0}, [](const Graph &g) { return g.subgraphs().size(); });
}

GeStatus GeGraphRetainSubgraph(GeGraph *graph, size_t index, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphRetainSubgraph, out);
    *out = nullptr;
    Graph &g = GraphOf(graph, "GeGraphRetainSubgraph");
    if (index >= g.subgraphs().size())
      Fail(GE_PARAM_INVALID, "GeGraphRetainSubgraph: index ", index, " is out of range, graph '", g.name(), "' has ",
           g.subgraphs().size(), " subgraphs");
    *out = NewHandle(g.subgraphs()[index]);
  });
}

GeStatus GeGraphRetainSubgraphByName(GeGraph *graph, const char *name, GeGraph **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeGraphRetainSubgraphByName, out);
    *out = nullptr;
    Graph &g = GraphOf(graph, "GeGraphRetainSubgraphByName");
    GE_CHECK_ARG(GeGraphRetainSubgraphByName, name);
    Graph *sub = g.FindSubgraph(name);
    if (!sub) Fail(GE_NOT_FOUND, "graph '", g.name(), "' has no subgraph '", name, "'");
    *out = NewHandle(sub->shared_from_this());
  });
}

GeStatus GeGraphRetainCaller(GeGraph *graph, GeGraph **caller, GeNode **node) {
  return Guard([&] {
    if (caller) *caller = nullptr;
    if (node) *node = nullptr;
    GE_CHECK_ARG(GeGraphRetainCaller, caller);
    GE_CHECK_ARG(GeGraphRetainCaller, node);
    Graph &g = GraphOf(graph, "GeGraphRetainCaller");
    if (!g.parent()) return;
    auto look = [&](Graph &in) {
      for (Node *n : in.Nodes()) {
        for (const SubgraphRef &ref : n->subgraphs()) {
          if (ref.graph_name != g.name()) continue;
          *caller = NewHandle(in.shared_from_this());
          *node = Handle(n);
          return true;
        }
      }
      return false;
    };
    Graph &root = g.root();
    if (look(root)) return;
    for (const GraphPtr &sub : root.subgraphs()) {
      if (look(*sub)) return;
    }
  });
}

GeStatus GeGraphVerify(const GeGraph *graph) {
  return Guard([&] { GraphOf(graph, "GeGraphVerify").Verify(); });
}

GeStatus GeGraphInfer(GeGraph *graph, const GeTensorData *input_descs, size_t input_count) {
  return Guard([&] {
    Graph &g = GraphOf(graph, "GeGraphInfer");
    ContextScope scope("inferring graph", g.name());
    InferOptions options;
    std::vector<TensorDesc> inputs;
    if (input_descs) {
      for (size_t i = 0; i < input_count; ++i) inputs.push_back(TensorDesc::From(input_descs[i]));
      options.inputs = &inputs;
    } else if (input_count > 0) {
      NullArgument("GeGraphInfer", "input_descs");
    }
    Transaction all(g);  // a refusal half way leaves nothing
    if (GraphPtr recovered = RecoverIr(g)) {
      InferGraph(*recovered, options);
      TakeOutputDescs(*recovered, g);
    } else {
      InferGraph(g, options);
    }
    all.Commit();
  });
}

}  // extern "C"
