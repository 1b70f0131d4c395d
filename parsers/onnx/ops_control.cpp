// If and Loop. Values that a body reads from outside become inputs of the node; constants are copied into the body
// (their content is shared).
#include <algorithm>

#include "core/ops/infer.h"
#include "core/ops/registry.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

struct Body {
  GraphPtr graph;
  Scope scope;
  std::vector<Endpoint> outputs;
};

void OpenBody(NodeContext &c, Body &b, const std::string &name) {
  Importer &importer = c.importer();
  if (c.scope().depth + 1 > kMaxGraphDepth) {
    c.Refuse(Reason::kLimit, Str("graphs are nested deeper than ", kMaxGraphDepth, " levels"));
  }
  b.graph = Graph::Create(importer.SubgraphName(name));
  // A name is taken once the graph is part of the root; nested bodies then get others.
  importer.root()->AddSubgraph(b.graph);
  b.scope.graph = b.graph.get();
  b.scope.outer = &c.scope();
  b.scope.call = c.scope().call;
  b.scope.opsets = c.scope().opsets;
  b.scope.depth = c.scope().depth + 1;
}

Endpoint AddInput(Body &b, const std::string &name, int64_t index, const TensorDesc &desc) {
  Node *data = b.graph->AddNode("Data", name);
  b.graph->SetAttr(data, "index", index);
  b.graph->SetOutputDesc(data, 0, desc);
  return {data, 0};
}

void CloseBody(NodeContext &c, Body &b) { c.importer().AddNetOutput(*b.graph, b.outputs); }

TensorDesc DescOf(Endpoint e) {
  TensorDesc desc = e.node->output_desc(e.port);
  desc.attrs = nullptr;
  return desc;
}

size_t IndexOf(std::vector<std::string> &names, const std::string &name) {
  auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) it = names.insert(names.end(), name);
  return static_cast<size_t>(it - names.begin());
}

Endpoint Outer(NodeContext &c, const std::string &name) {
  Endpoint e = c.importer().Lookup(c.scope(), name);
  if (!e) c.Refuse(Reason::kInvalidModel, "'" + name + "' is not defined");
  return e;
}

void InferDeclared(NodeContext &c, Node *node) {
  try {
    InferNode(*node);
  } catch (const Error &e) {
    if (e.code() != GE_INFER_FAILED) throw;
    c.Refuse(Reason::kInference, e.what());
  }
}

void If(NodeContext &c) {
  Endpoint cond = c.In(0);
  Onnx__GraphProto *protos[2] = {c.GraphAttr("then_branch"), c.GraphAttr("else_branch")};
  const char *ir_names[2] = {"then_branch", "else_branch"};
  Body bodies[2];
  std::vector<std::string> captured;
  for (int i = 0; i < 2; ++i) {
    Body &b = bodies[i];
    if (protos[i]->n_output != c.output_count()) {
      c.Refuse(Reason::kInvalidModel,
               Str(ir_names[i], " has ", protos[i]->n_output, " outputs, the node has ", c.output_count()));
    }
    OpenBody(c, b, c.name() + "/" + ir_names[i]);
    c.importer().ImportBody(b.scope, protos[i]);
    b.outputs = c.importer().GraphOutputs(b.scope, protos[i], Str(ir_names[i], " of '", c.name(), "'"));
    if (b.outputs.size() != c.output_count()) c.Refuse(Reason::kInvalidModel, Str(ir_names[i], " is incomplete"));
    for (const Capture &capture : b.scope.captures) {
      b.graph->SetAttr(capture.data, "index", static_cast<int64_t>(IndexOf(captured, capture.name)));
    }
    CloseBody(c, b);
  }
  std::vector<Endpoint> inputs = {cond};
  for (const std::string &name : captured) inputs.push_back(Outer(c, name));
  Node *node = c.Add("If", inputs, {}, static_cast<int32_t>(c.output_count()));
  for (int i = 0; i < 2; ++i) c.scope().graph->AttachSubgraph(node, ir_names[i], bodies[i].graph);
  InferDeclared(c, node);
  for (size_t i = 0; i < c.output_count(); ++i) c.Out(i, {node, static_cast<int32_t>(i)});
}

bool IsConstTrue(Endpoint e) {
  TensorPtr v = ConstantOf(e);
  return v && v->desc.dtype == C_DT_BOOL && v->desc.shape.elements() == 1 && *v->as<uint8_t>() != 0;
}

// The condition that leaves the body is what came in, or always true: the trip count alone ends the loop.
bool KeepsRunning(Endpoint out, Endpoint in) {
  while (out.node && out.node->type() == Symbol("Identity") && out.node->input(0)) out = out.node->input(0);
  return IsConstTrue(out) || (in && out == in);
}

// A fixed number of rounds with values collected from each: the body is written out once per round.
void Unroll(NodeContext &c, Onnx__GraphProto *body, int64_t trips, std::vector<Endpoint> vars, size_t scans) {
  std::vector<std::vector<Endpoint>> collected(scans);
  for (int64_t t = 0; t < trips; ++t) {
    Scope scope;
    scope.graph = c.scope().graph;
    scope.outer = &c.scope();
    scope.call = c.scope().call;
    scope.opsets = c.scope().opsets;
    scope.depth = c.scope().depth + 1;
    scope.prefix = Str(c.name(), "/", t, "/");
    if (scope.depth > kMaxGraphDepth)
      c.Refuse(Reason::kLimit, Str("graphs are nested deeper than ", kMaxGraphDepth, " levels"));
    auto bind = [&](size_t i, Endpoint e) {
      if (body->input[i]->name) scope.values[body->input[i]->name] = e;
    };
    bind(0, c.ConstInt(t, "iteration"));
    Endpoint running = c.ConstNumber(1, C_DT_BOOL, "running");
    bind(1, running);
    for (size_t i = 0; i < vars.size(); ++i) bind(2 + i, vars[i]);
    c.importer().ImportBody(scope, body);
    std::vector<Endpoint> out = c.importer().GraphOutputs(scope, body, Str("the body of '", c.name(), "'"));
    if (out.size() != body->n_output) c.Refuse(Reason::kInvalidModel, "the body is incomplete");
    if (!KeepsRunning(out[0], running)) {
      c.Refuse(Reason::kUnsupportedUse, "values collected from a loop with a computed condition are not supported");
    }
    for (size_t i = 0; i < vars.size(); ++i) vars[i] = out[1 + i];
    for (size_t i = 0; i < scans; ++i) collected[i].push_back(out[1 + vars.size() + i]);
  }
  for (size_t i = 0; i < vars.size(); ++i) {
    if (c.WantsOutput(i)) c.Out(i, c.Op("Identity", {vars[i]}));
  }
  for (size_t i = 0; i < scans; ++i) {
    if (!c.WantsOutput(vars.size() + i)) continue;
    int64_t n = static_cast<int64_t>(collected[i].size());
    for (Endpoint &e : collected[i]) e = c.Unsqueeze(e, {0});
    if (n == 1) {
      c.Out(vars.size() + i, collected[i][0]);
      continue;
    }
    collected[i].push_back(c.ConstInt(0, "axis"));
    c.Out(vars.size() + i, c.Op("ConcatV2", collected[i], {{"N", n}}));
  }
}

// State of the While: iteration, trip count, condition, loop variables, captured values.
constexpr size_t kIteration = 0, kTrips = 1, kCondition = 2, kVariables = 3;

Endpoint Connect(Graph &graph, const char *type, std::initializer_list<Endpoint> inputs) {
  Node *node = graph.AddNode(type, type);
  int32_t port = 0;
  for (Endpoint e : inputs) graph.Connect(e, node, port++);
  InferNode(*node);
  return {node, 0};
}

GraphPtr ConditionGraph(NodeContext &c, const std::vector<TensorDesc> &descs) {
  Body b;
  b.graph = Graph::Create(c.importer().SubgraphName(c.name() + "/cond"));
  c.importer().root()->AddSubgraph(b.graph);
  Endpoint iteration = AddInput(b, "iteration", kIteration, descs[kIteration]);
  Endpoint trips = AddInput(b, "trips", kTrips, descs[kTrips]);
  Endpoint condition = AddInput(b, "condition", kCondition, descs[kCondition]);
  Endpoint more = Connect(*b.graph, "Less", {iteration, trips});
  b.outputs = {Connect(*b.graph, "LogicalAnd", {more, condition})};
  CloseBody(c, b);
  return b.graph;
}

// The loop must hand scalars on as scalars, but files often say rank 1 with one element.
Endpoint AsScalar(NodeContext &c, Endpoint e) { return c.Rank(e) == 0 ? e : c.ReshapeTo(e, {}); }

Shape DeclaredShape(const Onnx__ValueInfoProto *value, const Shape &start) {
  const Onnx__TypeProto *type = value->type;
  Shape shape = start;
  if (type && type->tensor_type && type->tensor_type->shape && type->tensor_type->shape->n_dim <= GE_MAX_RANK) {
    shape = Shape();
    for (size_t i = 0; i < type->tensor_type->shape->n_dim; ++i) {
      const auto *dim = type->tensor_type->shape->dim[i];
      shape.dims().push_back(dim->has_dim_value && dim->dim_value >= 0 && dim->dim_value <= kMaxDim ? dim->dim_value
                                                                                                    : -1);
    }
  } else if (shape.has_rank()) {
    for (int64_t &d : shape.dims()) d = -1;
  }
  return shape;
}

void Loop(NodeContext &c) {
  Endpoint trips = c.OptIn(0), condition = c.OptIn(1);
  Onnx__GraphProto *body = c.GraphAttr("body");
  std::vector<Endpoint> vars;
  for (size_t i = 2; i < c.input_count(); ++i) vars.push_back(c.In(i));
  if (body->n_input != 2 + vars.size()) {
    c.Refuse(Reason::kInvalidModel, Str("the body has ", body->n_input, " inputs, ", 2 + vars.size(), " are passed"));
  }
  if (body->n_output < 1 + vars.size()) {
    c.Refuse(Reason::kInvalidModel,
             Str("the body has ", body->n_output, " outputs, at least ", 1 + vars.size(), " are needed"));
  }
  size_t scans = body->n_output - 1 - vars.size();
  if (c.output_count() > vars.size() + scans) {
    c.Refuse(Reason::kInvalidModel,
             Str("the node has ", c.output_count(), " outputs, the body delivers ", vars.size() + scans));
  }
  if (!trips && !condition && !vars.size()) c.Refuse(Reason::kInvalidModel, "the loop has no end");
  TensorPtr count = trips ? ConstantOf(trips) : nullptr;
  if (scans > 0) {
    bool fixed = count && count->desc.shape.elements() == 1 && (!condition || IsConstTrue(condition));
    if (!fixed) {
      c.Refuse(Reason::kUnsupportedUse,
               "values collected from a loop (scan outputs) need a constant trip count and condition");
    }
    int64_t n = count->Ints()[0];
    if (n < 1)
      c.Refuse(Reason::kUnsupportedUse, Str("values collected from a loop of ", n, " rounds are not supported"));
    if (n > static_cast<int64_t>(kMaxUnrolledNodes / std::max<size_t>(body->n_node, 1))) {
      c.Refuse(Reason::kLimit, Str("a loop of ", n, " rounds with ", body->n_node,
                                   " nodes is too long to write out, the limit is ", kMaxUnrolledNodes, " nodes"));
    }
    Unroll(c, body, n, vars, scans);
    return;
  }
  std::vector<Endpoint> state = {c.ConstInt(0, "iteration"),
                                 trips ? AsScalar(c, trips) : c.ConstInt(INT64_MAX, "trips"),
                                 condition ? AsScalar(c, condition) : c.ConstNumber(1, C_DT_BOOL, "condition")};
  state.insert(state.end(), vars.begin(), vars.end());
  std::vector<TensorDesc> descs;
  for (Endpoint e : state) descs.push_back(DescOf(e));

  Body b;
  OpenBody(c, b, c.name() + "/body");
  std::vector<Endpoint> in;
  std::vector<std::string> names = {"iteration", "trips", "condition"};
  for (size_t i = 0; i < state.size(); ++i) {
    size_t position = i == kIteration ? 0 : i == kCondition ? 1 : i - kVariables + 2;
    std::string name = i == kTrips || !body->input[position]->name ? "trips" : body->input[position]->name;
    TensorDesc desc = descs[i];
    // A variable may change its shape from round to round: nothing may be decided on the shape it starts with.
    if (i >= kVariables) desc.SetShape(DeclaredShape(body->input[position], desc.shape));
    in.push_back(AddInput(b, name, static_cast<int64_t>(i), desc));
    if (i != kTrips) b.scope.values[name] = in.back();
  }
  c.importer().ImportBody(b.scope, body);
  std::vector<Endpoint> out = c.importer().GraphOutputs(b.scope, body, Str("the body of '", c.name(), "'"));
  if (out.size() != body->n_output) c.Refuse(Reason::kInvalidModel, "the body is incomplete");
  TensorPtr one = Tensor::Of<int64_t>(C_DT_INT64, Shape{}, {1});
  Endpoint next = Connect(*b.graph, "Add", {in[kIteration], Endpoint{b.graph->AddConst(one, "one"), 0}});
  Endpoint running = out[0];
  if (running.node->output_desc(running.port).shape.rank() != 0) {
    TensorPtr scalar = Tensor::Of<int64_t>(C_DT_INT64, Shape{0}, {});
    running = Connect(*b.graph, "Reshape", {running, Endpoint{b.graph->AddConst(scalar, "scalar"), 0}});
  }
  b.outputs = {next, in[kTrips], running};
  b.outputs.insert(b.outputs.end(), out.begin() + 1, out.end());
  for (const Capture &capture : b.scope.captures) {
    b.graph->SetAttr(capture.data, "index", static_cast<int64_t>(state.size()));
    Endpoint outer = Outer(c, capture.name);
    state.push_back(outer);
    descs.push_back(DescOf(outer));
    b.outputs.push_back({capture.data, 0});
  }
  CloseBody(c, b);
  GraphPtr cond = ConditionGraph(c, descs);
  Node *node = c.Add("While", state, {}, static_cast<int32_t>(state.size()));
  c.scope().graph->AttachSubgraph(node, "cond", cond);
  c.scope().graph->AttachSubgraph(node, "body", b.graph);
  InferDeclared(c, node);
  for (size_t i = 0; i < vars.size(); ++i) c.Out(i, {node, static_cast<int32_t>(kVariables + i)});
}

constexpr Handler kHandlers[] = {
    {"", "If", 1, If},
    {"", "Loop", 1, Loop},
};

}  // namespace

HandlerTable ControlHandlers() { return {std::begin(kHandlers), std::end(kHandlers)}; }

}  // namespace gec::onnx
