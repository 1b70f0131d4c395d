// Functions: calls are written out where they stand, branches and loops become subgraphs.
#include <algorithm>

#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/importer_internal.h"
#include "parsers/tensorflow/limits.h"

namespace gec::tensorflow {
namespace {

FuncDef FunctionAttr(NodeContext &c, const char *name) {
  const AttrDef *attr = c.Attr(name);
  const auto *func = attr ? attr->get_if<FuncDef>() : nullptr;
  if (!func) c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' names no function"));
  return *func;
}

// They say what the functions' arguments and results say, too, or how to execute.
void IgnoreHints(NodeContext &c) {
  c.Ignore({"Tin", "Tout", "Tcond", "T", "Tindex", "output_shapes", "config", "config_proto", "executor_type",
            "parallel_iterations", "maximum_iterations", "lower_using_switch_merge"});
}

void PublishCall(NodeContext &c, std::string_view function, const Attrs &attrs) {
  bool poisoned = false;
  std::vector<Endpoint> values =
      c.importer().Call(c, function, attrs, *c.scope().graph, c.AllInputs(), c.name() + "/", &poisoned);
  if (poisoned) return c.Poison();
  for (size_t i = 0; i < values.size(); ++i) c.Out(i, values[i]);
}

void PartitionedCall(NodeContext &c) {
  const FuncDef f = FunctionAttr(c, "f");
  IgnoreHints(c);
  PublishCall(c, f.name, f.attrs);
}

struct Body {
  GraphPtr graph;
  std::vector<Endpoint> inputs, outputs;
  bool poisoned = false;
};

Body ImportBody(NodeContext &c, const FuncDef &f, const std::string &name, const std::vector<TensorDesc> &args) {
  Importer &importer = c.importer();
  Body b;
  b.graph = Graph::Create(importer.SubgraphName(name));
  importer.root()->AddSubgraph(b.graph);
  const FunctionDef *function = importer.FindFunction(f.name);
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string hint =
        function && i < function->inputs.size() ? std::string(function->inputs[i].name) : Str("argument_", i);
    Node *data = MakeNode(*b.graph, "Data", b.graph->UniqueName(hint));
    b.graph->SetAttr(data, "index", static_cast<int64_t>(i));
    b.graph->SetOutputDesc(data, 0, args[i]);
    b.inputs.push_back({data, 0});
  }
  b.outputs = importer.Call(c, f.name, f.attrs, *b.graph, b.inputs, "", &b.poisoned);
  return b;
}

std::vector<TensorDesc> DescsOf(const std::vector<Endpoint> &values) {
  std::vector<TensorDesc> descs;
  for (Endpoint e : values) {
    descs.push_back(e.node->output_desc(static_cast<size_t>(e.port)));
    descs.back().attrs = nullptr;
  }
  return descs;
}

void InferDeclared(NodeContext &c, Node *node) {
  if (const auto failure = TryInferNode(*node); failure && !node->graph().parent())
    c.Refuse(Reason::kInference, failure->what());
}

void If(NodeContext &c) {
  const FuncDef branches[] = {FunctionAttr(c, "then_branch"), FunctionAttr(c, "else_branch")};
  const char *const names[] = {"then_branch", "else_branch"};
  IgnoreHints(c);
  const std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "the node has no condition");
  const std::vector<TensorDesc> args = DescsOf({inputs.begin() + 1, inputs.end()});
  Body bodies[2];
  for (int i = 0; i < 2; ++i) bodies[i] = ImportBody(c, branches[i], c.name() + "/" + names[i], args);
  if (bodies[0].poisoned || bodies[1].poisoned) return c.Poison();
  if (bodies[0].outputs.size() != bodies[1].outputs.size())
    c.Refuse(Reason::kInvalidModel,
             Str("then_branch has ", bodies[0].outputs.size(), " results, else_branch ", bodies[1].outputs.size()));
  Node *node = c.Add(c.op(), inputs, {}, static_cast<int32_t>(bodies[0].outputs.size()));
  for (int i = 0; i < 2; ++i) {
    c.importer().AddNetOutput(*bodies[i].graph, bodies[i].outputs);
    c.scope().graph->AttachSubgraph(node, names[i], bodies[i].graph);
  }
  InferDeclared(c, node);
  c.OutAll(node);
}

void Case(NodeContext &c) {
  const AttrDef *attr = c.Attr("branches");
  const auto *list = attr ? attr->get_if<ListDef>() : nullptr;
  if (!list || list->funcs.empty()) c.Refuse(Reason::kInvalidModel, "attribute 'branches' names no functions");
  IgnoreHints(c);
  const std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "the node has no index");
  const std::vector<TensorDesc> args = DescsOf({inputs.begin() + 1, inputs.end()});
  std::vector<Body> bodies;
  for (size_t i = 0; i < list->funcs.size(); ++i) {
    bodies.push_back(ImportBody(c, list->funcs[i], Str(c.name(), "/branch_", i), args));
    if (bodies.back().poisoned) return c.Poison();
    if (bodies[i].outputs.size() != bodies[0].outputs.size())
      c.Refuse(Reason::kInvalidModel,
               Str("branch ", i, " has ", bodies[i].outputs.size(), " results, branch 0 ", bodies[0].outputs.size()));
  }
  Node *node = c.Add(c.op(), inputs, {}, static_cast<int32_t>(bodies[0].outputs.size()));
  for (size_t i = 0; i < bodies.size(); ++i) {
    c.importer().AddNetOutput(*bodies[i].graph, bodies[i].outputs);
    c.scope().graph->AttachSubgraph(node, Str("branches", i), bodies[i].graph);
  }
  InferDeclared(c, node);
  c.OutAll(node);
}

/// Keeps what both agree on; true when `into` became less known.
bool Loosen(TensorDesc *into, const TensorDesc &other) {
  if (into->shape == other.shape || !into->shape.has_rank()) return false;
  Shape shape = into->shape;
  if (shape.rank() != other.shape.rank()) {
    shape = Shape::UnknownRank();
  } else {
    for (size_t i = 0; i < static_cast<size_t>(shape.rank()); ++i)
      if (shape[i] != other.shape[i]) shape[i] = -1;
  }
  if (shape == into->shape) return false;
  into->SetShape(shape);
  return true;
}

/// Takes back the subgraphs that were added since there were `first`.
void RemoveFrom(Graph &root, size_t first) {
  while (root.subgraphs().size() > first) root.RemoveSubgraph(std::string(root.subgraphs()[first]->name()));
}

void While(NodeContext &c) {
  const FuncDef cond = FunctionAttr(c, "cond"), body = FunctionAttr(c, "body");
  IgnoreHints(c);
  const std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "the loop has no variables");
  std::vector<TensorDesc> args = DescsOf(inputs);
  Body b;
  // Shapes that change from round to round are not known in the body. Each time something becomes less known.
  for (bool again = true; again;) {
    again = false;
    const size_t first = c.importer().root()->subgraphs().size();
    b = ImportBody(c, body, c.name() + "/body", args);
    if (b.poisoned) return c.Poison();
    if (b.outputs.size() != args.size())
      c.Refuse(Reason::kInvalidModel,
               Str("the body has ", b.outputs.size(), " results, the loop ", args.size(), " variables"));
    const std::vector<TensorDesc> results = DescsOf(b.outputs);
    for (size_t i = 0; i < args.size(); ++i) again |= Loosen(&args[i], results[i]);
    if (again) RemoveFrom(*c.importer().root(), first);
  }
  Body test = ImportBody(c, cond, c.name() + "/cond", args);
  if (test.poisoned) return c.Poison();
  if (test.outputs.size() != 1)
    c.Refuse(Reason::kInvalidModel, Str("the condition has ", test.outputs.size(), " results, expected 1"));
  Node *node = c.Add(c.op(), inputs, {}, static_cast<int32_t>(inputs.size()));
  c.importer().AddNetOutput(*test.graph, test.outputs);
  c.importer().AddNetOutput(*b.graph, b.outputs);
  c.scope().graph->AttachSubgraph(node, "cond", test.graph);
  c.scope().graph->AttachSubgraph(node, "body", b.graph);
  InferDeclared(c, node);
  c.OutAll(node);
}

constexpr Handler kControlHandlers[] = {
    {"PartitionedCall", PartitionedCall},
    {"StatefulPartitionedCall", PartitionedCall},
    {"If", If},
    {"StatelessIf", If},
    {"Case", Case},
    {"StatelessCase", Case},
    {"While", While},
    {"StatelessWhile", While},
};

}  // namespace

void CallByName(NodeContext &c) {
  Attrs attrs = c.def().attrs;
  for (const auto &[name, value] : attrs) c.Ignore({name});
  PublishCall(c, c.op(), attrs);
}

HandlerTable ControlHandlers() { return {std::begin(kControlHandlers), std::end(kControlHandlers)}; }

}  // namespace gec::tensorflow
