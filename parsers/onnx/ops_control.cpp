// If, Loop and Scan. Values that a body reads from outside become inputs of the node; constants are copied into the
// body (their content is shared).
#include <string.h>

#include <algorithm>

#include "core/ops/infer.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "parsers/onnx/formula.h"
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
  Node *data = MakeNode(*b.graph, "Data", name);
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
  if (const auto failure = TryInferNode(*node); failure && !node->graph().parent())
    c.Refuse(Reason::kInference, failure->what());
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

// The repeated part of Loop and Scan.
struct TripCount {
  Onnx__GraphProto *body = nullptr;
  bool counts = true;  // Loop: the body takes iteration and condition first, and delivers the condition first
  Endpoint trips, condition;
  std::vector<Endpoint> vars;
  struct Sliced {
    Endpoint x;
    int64_t axis = 0;
    bool reverse = false;
  };
  std::vector<Sliced> sliced;  // Scan: one slice a round is passed to the body, behind the variables
  size_t scans = 0;            // values collected from each round, behind the variables

  size_t first() const { return counts ? 2 : 0; }         // of the body's inputs that is a variable
  size_t first_result() const { return counts ? 1 : 0; }  // of the body's outputs that is a variable
};
struct Results {
  std::vector<Endpoint> vars, collected;  // collected along a new first dimension
};

// A fixed number of rounds: the body is written out once per round.
Results Unroll(NodeContext &c, const TripCount &r, int64_t trips) {
  Formula f(c);
  Results results{r.vars, {}};
  c.importer().Make(static_cast<uint64_t>(trips) * r.body->n_node * kBytesOfNode, "the loop written out");
  std::vector<std::vector<Endpoint>> collected(r.scans);
  for (int64_t t = 0; t < trips; ++t) {
    Scope scope;
    scope.graph = c.scope().graph;
    scope.known = c.scope().known;
    scope.outer = &c.scope();
    scope.call = c.scope().call;
    scope.opsets = c.scope().opsets;
    scope.depth = c.scope().depth + 1;
    scope.prefix = Str(c.name(), "/", t, "/");
    if (scope.depth > kMaxGraphDepth)
      c.Refuse(Reason::kLimit, Str("graphs are nested deeper than ", kMaxGraphDepth, " levels"));
    auto bind = [&](size_t i, Endpoint e) {
      if (r.body->input[i]->name) scope.values[r.body->input[i]->name] = e;
    };
    if (r.counts) {
      bind(0, c.ConstInt(t, "iteration"));
      bind(1, c.ConstNumber(1, C_DT_BOOL, "running"));
    }
    for (size_t i = 0; i < r.vars.size(); ++i) bind(r.first() + i, results.vars[i]);
    for (size_t i = 0; i < r.sliced.size(); ++i) {
      const TripCount::Sliced &s = r.sliced[i];
      bind(r.first() + r.vars.size() + i, f.Gather(s.x, f.Int(s.reverse ? trips - 1 - t : t), s.axis));
    }
    c.importer().ImportBody(scope, r.body);
    std::vector<Endpoint> out = c.importer().GraphOutputs(scope, r.body, Str("the body of '", c.name(), "'"));
    if (out.size() != r.body->n_output) c.Refuse(Reason::kInvalidModel, "the body is incomplete");
    for (size_t i = 0; i < r.vars.size(); ++i) results.vars[i] = out[r.first_result() + i];
    for (size_t i = 0; i < r.scans; ++i) collected[i].push_back(out[r.first_result() + r.vars.size() + i]);
  }
  for (Endpoint &e : results.vars) e = c.Op("Identity", {e});
  for (std::vector<Endpoint> &values : collected) {
    for (Endpoint &e : values) e = c.Unsqueeze(e, {0});
    results.collected.push_back(values.size() == 1 ? values[0] : f.Concat(values, 0));
  }
  return results;
}

// The condition a body delivers is what it is given, or always true: asked of the file, before the body is imported.
bool KeepsRunning(const Onnx__GraphProto *body) {
  if (body->n_output == 0 || body->n_input < 2 || !body->output[0]->name) return false;
  std::string name = body->output[0]->name, given = body->input[1]->name ? body->input[1]->name : "";
  for (size_t hops = 0; hops <= body->n_node; ++hops) {
    if (name == given) return true;
    const Onnx__NodeProto *maker = nullptr;
    for (size_t i = 0; i < body->n_node && !maker; ++i)
      for (size_t k = 0; k < body->node[i]->n_output; ++k)
        if (body->node[i]->output[k] && name == body->node[i]->output[k]) maker = body->node[i];
    if (!maker || !maker->op_type || maker->n_input != 1 || !maker->input[0]) return false;
    if (strcmp(maker->op_type, "Identity") != 0) return false;
    name = maker->input[0];
  }
  return false;
}

// State of the While: iteration, trip count, condition, loop variables, captured values.
constexpr size_t kIteration = 0, kTrips = 1, kCondition = 2, kVariables = 3;

Endpoint Connect(Graph &graph, const char *type, std::initializer_list<Endpoint> inputs) {
  Node *node = MakeNode(graph, type, type);
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

// Values collected from an unknown number of rounds travel flat, one behind the other, with the shape of the latest.
struct Collected {
  size_t flat, shape;  // in the state
  int32_t type;
};

// Gives the body an input for each part of the state, and its names what they are in a round. `descs`: of the state.
std::vector<Endpoint> BindState(const TripCount &r, const std::vector<TensorDesc> &descs, Body &b, Formula &f) {
  const Onnx__GraphProto *body = r.body;
  std::vector<Endpoint> in;
  auto bind = [&](size_t position, Endpoint e) {
    if (body->input[position]->name) b.scope.values[body->input[position]->name] = e;
  };
  for (size_t i = 0; i < descs.size(); ++i) {
    bool variable = i >= kVariables && i < kVariables + r.vars.size();
    size_t position = r.first() + i - kVariables;
    TensorDesc desc = descs[i];
    // A variable may change its shape from round to round: nothing may be decided on the shape it starts with.
    if (variable) desc.SetShape(DeclaredShape(body->input[position], desc.shape));
    const char *given = variable ? body->input[position]->name : nullptr;
    std::string name = i == kIteration ? "iteration" : i == kTrips ? "trips" : i == kCondition ? "condition" : "sliced";
    in.push_back(AddInput(b, b.graph->UniqueName(given && *given ? given : name), static_cast<int64_t>(i), desc));
    if (variable) bind(position, in.back());
  }
  if (r.counts) {
    bind(0, in[kIteration]);
    bind(1, in[kCondition]);
  }
  for (size_t i = 0; i < r.sliced.size(); ++i) {
    const TripCount::Sliced &s = r.sliced[i];
    Endpoint at = in[kIteration], last = s.reverse ? f.Sub(in[kTrips], f.Int(1)) : Endpoint();
    if (s.reverse) at = f.Sub(last, at);
    bind(r.first() + r.vars.size() + i, f.Gather(in[kVariables + r.vars.size() + i], at, s.axis));
  }
  return in;
}

// TripCount as a While node.
Results Repeat(NodeContext &c, const TripCount &r) {
  Onnx__GraphProto *body = r.body;
  std::vector<Endpoint> state = {c.ConstInt(0, "iteration"),
                                 r.trips ? AsScalar(c, c.CastTo(r.trips, C_DT_INT64)) : c.ConstInt(INT64_MAX, "trips"),
                                 r.condition ? AsScalar(c, r.condition) : c.ConstNumber(1, C_DT_BOOL, "condition")};
  state.insert(state.end(), r.vars.begin(), r.vars.end());
  for (const TripCount::Sliced &s : r.sliced) state.push_back(s.x);
  std::vector<TensorDesc> descs;
  for (Endpoint e : state) descs.push_back(DescOf(e));

  Body b;
  OpenBody(c, b, c.name() + "/body");
  NodeContext inner(c.importer(), b.scope, c.proto(), c.opset());
  Formula f(inner);
  std::vector<Endpoint> in = BindState(r, descs, b, f);
  c.importer().ImportBody(b.scope, body);
  std::vector<Endpoint> out = c.importer().GraphOutputs(b.scope, body, Str("the body of '", c.name(), "'"));
  if (out.size() != body->n_output) c.Refuse(Reason::kInvalidModel, "the body is incomplete");
  Endpoint next = f.Add(in[kIteration], f.Int(1));
  Endpoint running = r.counts ? out[0] : in[kCondition];
  if (running.node->output_desc(running.port).shape.rank() != 0)
    running = f.Reshape(running, inner.ConstInts({}, "scalar"));
  b.outputs = {next, in[kTrips], running};
  for (size_t i = 0; i < r.vars.size(); ++i) b.outputs.push_back(out[r.first_result() + i]);
  for (size_t i = 0; i < r.sliced.size(); ++i) b.outputs.push_back(in[kVariables + r.vars.size() + i]);
  std::vector<Collected> collected;
  auto carry = [&](Endpoint start, const TensorDesc &desc, const char *name) {
    state.push_back(start);
    descs.push_back(desc);
    return AddInput(b, b.graph->UniqueName(name), static_cast<int64_t>(state.size() - 1), desc);
  };
  for (size_t i = 0; i < r.scans; ++i) {
    Endpoint value = out[r.first_result() + r.vars.size() + i];
    int32_t type = inner.NeedType(value, "to collect it");
    Shape shape = inner.ShapeOf(value);
    std::vector<int64_t> start;
    for (int64_t k = 0; k < shape.rank(); ++k) start.push_back(std::max<int64_t>(shape[static_cast<size_t>(k)], 0));
    collected.push_back({state.size(), state.size() + 1, type});
    Endpoint none = c.Const(std::make_shared<Tensor>(TensorDesc(type, Shape{0}), Buffer::Allocate(0)), "nothing");
    Endpoint flat = carry(none, TensorDesc(type, Shape{-1}), "collected");
    b.outputs.push_back(f.Concat({flat, f.Flat(value)}, 0));
    carry(c.ConstInts(start, "shape"), TensorDesc(C_DT_INT64, Shape{shape.has_rank() ? shape.rank() : -1}), "shape");
    b.outputs.push_back(inner.Op("Shape", {value}, {{"dtype", int64_t{C_DT_INT64}}}));
  }
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
  Results results;
  auto port = [&](size_t i) { return Endpoint{node, static_cast<int32_t>(i)}; };
  for (size_t i = 0; i < r.vars.size(); ++i) results.vars.push_back(port(kVariables + i));
  Formula g(c);
  for (const Collected &v : collected) {
    // Without a round, or with values without elements, extents are 0.
    results.collected.push_back(
        c.Op("Reshape", {port(v.flat), g.Vector({port(kIteration), port(v.shape)})}, {{"allowzero", int64_t{1}}}));
  }
  return results;
}

// Few known rounds are written out, more become a While.
bool FewTrips(NodeContext &c, const Onnx__GraphProto *body, int64_t trips) {
  const uint64_t each = std::max<size_t>(body->n_node, 1);
  return trips >= 1 && trips <= static_cast<int64_t>(kMaxUnrolledNodes / each) &&
         c.importer().MayMakeNodes(static_cast<uint64_t>(trips) * each);
}

void Publish(NodeContext &c, const Results &results) {
  size_t vars = results.vars.size();
  for (size_t i = 0; i < vars; ++i)
    if (c.WantsOutput(i)) c.Out(i, results.vars[i]);
  for (size_t i = 0; i < results.collected.size(); ++i)
    if (c.WantsOutput(vars + i)) c.Out(vars + i, results.collected[i]);
}

void Loop(NodeContext &c) {
  TripCount r;
  r.trips = c.OptIn(0);
  r.condition = c.OptIn(1);
  r.body = c.GraphAttr("body");
  for (size_t i = 2; i < c.input_count(); ++i) r.vars.push_back(c.In(i));
  size_t vars = r.vars.size();
  if (r.body->n_input != 2 + vars)
    c.Refuse(Reason::kInvalidModel, Str("the body has ", r.body->n_input, " inputs, ", 2 + vars, " are passed"));
  if (r.body->n_output < 1 + vars) {
    c.Refuse(Reason::kInvalidModel,
             Str("the body has ", r.body->n_output, " outputs, at least ", 1 + vars, " are needed"));
  }
  r.scans = r.body->n_output - 1 - vars;
  if (c.output_count() > vars + r.scans) {
    c.Refuse(Reason::kInvalidModel,
             Str("the node has ", c.output_count(), " outputs, the body delivers ", vars + r.scans));
  }
  if (!r.trips && !r.condition && !vars && !r.scans) c.Refuse(Reason::kInvalidModel, "the loop has no end");
  TensorPtr count = r.trips ? ConstantOf(r.trips) : nullptr;
  bool fixed =
      count && count->desc.shape.elements() == 1 && (!r.condition || IsConstTrue(r.condition)) && KeepsRunning(r.body);
  if (r.scans > 0 && fixed && FewTrips(c, r.body, count->Ints()[0])) Publish(c, Unroll(c, r, count->Ints()[0]));
  else Publish(c, Repeat(c, r));
}

// One value of an attribute list per item; all 0 when it is absent.
std::vector<int64_t> PerItem(NodeContext &c, const char *name, size_t count) {
  std::vector<int64_t> values = c.Ints(name);
  if (values.empty()) values.assign(count, 0);
  if (values.size() != count)
    c.Refuse(Reason::kInvalidModel, Str(name, " has ", values.size(), " values, expected ", count));
  return values;
}

void Scan(NodeContext &c) {
  TripCount r;
  r.counts = false;
  r.body = c.GraphAttr("body");
  int64_t sliced = c.NeedInt("num_scan_inputs");
  size_t given = c.input_count();
  if (sliced < 1 || sliced > static_cast<int64_t>(given))
    c.Refuse(Reason::kInvalidModel, Str("num_scan_inputs is ", sliced, ", the node has ", given, " inputs"));
  size_t slices = static_cast<size_t>(sliced), vars = given - slices;
  if (r.body->n_input != given || r.body->n_output < vars || c.output_count() > r.body->n_output) {
    c.Refuse(Reason::kInvalidModel, Str("the body has ", r.body->n_input, " inputs and ", r.body->n_output,
                                        " outputs, ", given, " are passed and ", c.output_count(), " expected"));
  }
  r.scans = r.body->n_output - vars;
  for (size_t i = 0; i < vars; ++i) r.vars.push_back(c.In(i));
  std::vector<int64_t> axes = PerItem(c, "scan_input_axes", slices), back = PerItem(c, "scan_input_directions", slices);
  std::vector<int64_t> out_axes = PerItem(c, "scan_output_axes", r.scans),
                       out_back = PerItem(c, "scan_output_directions", r.scans);
  for (size_t i = 0; i < slices; ++i) {
    Endpoint x = c.In(vars + i);
    r.sliced.push_back({x, c.NeedAxis(axes[i], x), back[i] != 0});
  }
  Formula f(c);
  const TripCount::Sliced &first = r.sliced[0];
  r.trips = f.Dim(first.x, first.axis);
  TensorPtr count = ConstantOf(r.trips);
  Results results = count && FewTrips(c, r.body, count->Ints()[0]) ? Unroll(c, r, count->Ints()[0]) : Repeat(c, r);
  for (size_t i = 0; i < r.scans; ++i) {
    if (!c.WantsOutput(vars + i)) continue;
    Endpoint &y = results.collected[i];
    if (out_back[i]) y = c.Slice(y, {-1}, {INT64_MIN + 1}, {0}, {-1});
    int64_t rank = out_axes[i] == 0 ? 0 : c.NeedRank(y, "to place the collected dimension");
    int64_t axis = out_axes[i] == 0 ? 0 : c.NeedAxis(out_axes[i], y);
    if (axis == 0) continue;
    std::vector<int64_t> perm;
    for (int64_t k = 1; k < rank; ++k) perm.push_back(k);
    perm.insert(perm.begin() + axis, 0);
    y = c.Transpose(y, perm);
  }
  Publish(c, results);
}

// Version 8 has a batch in front of everything.
void ScanBatch(NodeContext &c) {
  c.Refuse(Reason::kUnsupportedUse, "Scan of opset 8 is not supported; convert the model to opset 9 or newer");
}

constexpr Handler kControlHandlers[] = {
    {"", "If", 1, If},
    {"", "Loop", 1, Loop},
    {"", "Scan", 8, ScanBatch},
    {"", "Scan", 9, Scan},
};

}  // namespace

HandlerTable ControlHandlers() { return {std::begin(kControlHandlers), std::end(kControlHandlers)}; }

}  // namespace gec::onnx
