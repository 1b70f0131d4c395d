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
#include "parsers/onnx/rounds.h"

namespace gec::onnx {
namespace {

size_t IndexOf(std::vector<Endpoint> &captured, Endpoint outer) {
  auto it = std::find(captured.begin(), captured.end(), outer);
  if (it == captured.end()) it = captured.insert(captured.end(), outer);
  return static_cast<size_t>(it - captured.begin());
}

void If(NodeContext &c) {
  Endpoint cond = c.In(0);
  Onnx__GraphProto *protos[2] = {c.GraphAttr("then_branch"), c.GraphAttr("else_branch")};
  const char *ir_names[2] = {"then_branch", "else_branch"};
  Body bodies[2];
  std::vector<Value> results[2];
  std::vector<Endpoint> inputs = {cond}, captured;
  for (int i = 0; i < 2; ++i) {
    Body &b = bodies[i];
    if (protos[i]->n_output != c.output_count()) {
      c.Refuse(Reason::kInvalidModel,
               Str(ir_names[i], " has ", protos[i]->n_output, " outputs, the node has ", c.output_count()));
    }
    OpenBody(c, b, c.name() + "/" + ir_names[i]);
    c.importer().ImportBody(b.scope, protos[i]);
    if (!b.scope.poisoned.empty()) c.Poison();
    results[i] = c.importer().GraphOutputs(b.scope, protos[i], Str(ir_names[i], " of '", c.name(), "'"));
    if (results[i].size() != c.output_count()) c.Refuse(Reason::kInvalidModel, Str(ir_names[i], " is incomplete"));
  }
  std::vector<ValueForm> forms;
  size_t parts = 0;
  for (size_t o = 0; o < c.output_count(); ++o) {
    forms.push_back(ValueForm::Common(c, results[0][o], results[1][o]));
    parts += forms.back().part_count();
  }
  for (int i = 0; i < 2; ++i) {
    Body &b = bodies[i];
    NodeContext inner(c.importer(), b.scope, c.proto(), c.opset());
    if (c.poisoned()) inner.Poison();
    for (size_t o = 0; o < forms.size(); ++o) {
      const Value v = InForm(inner, results[i][o], forms[o]);
      b.outputs.insert(b.outputs.end(), v.tensors().begin(), v.tensors().end());
    }
    for (const Capture &capture : b.scope.captures)
      b.graph->SetAttr(capture.data, "index", static_cast<int64_t>(IndexOf(captured, capture.outer)));
    CloseBody(c, b);
  }
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  Node *node = c.Add("If", inputs, {}, static_cast<int32_t>(parts));
  for (int i = 0; i < 2; ++i) c.scope().graph->AttachSubgraph(node, ir_names[i], bodies[i].graph);
  InferDeclared(c, node);
  int32_t port = 0;
  for (size_t o = 0; o < forms.size(); ++o) {
    std::vector<Endpoint> made;
    while (made.size() < forms[o].part_count()) made.push_back({node, port++});
    c.Out(o, forms[o].Make(std::move(made)));
  }
}

bool IsConstTrue(Endpoint e) {
  TensorPtr v = ConstantOf(e);
  return v && v->desc.dtype == C_DT_BOOL && v->desc.shape.elements() == 1 && *v->as<uint8_t>() != 0;
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
  for (size_t i = 2; i < c.input_count(); ++i) r.vars.push_back(c.InValue(i));
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
  // A value that is no tensor stays as the import knows it: the elements of a list, above all.
  const bool others = std::any_of(r.vars.begin(), r.vars.end(), [](const Value &v) { return !v.is_tensor(); });
  if ((r.scans > 0 || others) && fixed && FewTrips(c, r.body, count->Ints()[0]))
    Publish(c, Unroll(c, r, count->Ints()[0]));
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
    r.sliced.push_back({x, c.NeedAxis(axes[i], x), back[i] != 0, false});
  }
  Formula f(c);
  const TripCount::Sliced &first = r.sliced[0];
  r.trips = f.Dim(first.x.parts[0], first.axis);
  TensorPtr count = ConstantOf(r.trips);
  Results results = count && FewTrips(c, r.body, count->Ints()[0]) ? Unroll(c, r, count->Ints()[0]) : Repeat(c, r);
  for (size_t i = 0; i < r.scans; ++i) {
    if (!c.WantsOutput(vars + i)) continue;
    Endpoint y = results.collected[i].parts[0];
    if (out_back[i]) y = c.Slice(y, {-1}, {INT64_MIN + 1}, {0}, {-1});
    int64_t rank = out_axes[i] == 0 ? 0 : c.NeedRank(y, "to place the collected dimension");
    int64_t axis = out_axes[i] == 0 ? 0 : c.NeedAxis(out_axes[i], y);
    std::vector<int64_t> perm;
    for (int64_t k = 1; k < rank; ++k) perm.push_back(k);
    if (axis != 0) perm.insert(perm.begin() + axis, 0);
    results.collected[i] = axis == 0 ? y : c.Transpose(y, perm);
  }
  Publish(c, results);
}

// Version 8 has a batch in front of everything, each of which is scanned by itself.
void ScanBatch(NodeContext &c) {
  if (c.HasInput(0)) c.Refuse(Reason::kUnsupportedUse, "sequence_lens is not supported; scan sequences of one length");
  TripCount r;
  r.counts = false;
  r.body = c.GraphAttr("body");
  const int64_t sliced = c.NeedInt("num_scan_inputs"), given = static_cast<int64_t>(c.input_count()) - 1;
  if (sliced < 1 || sliced > given)
    c.Refuse(Reason::kInvalidModel, Str("num_scan_inputs is ", sliced, ", the node has ", given, " inputs"));
  const size_t slices = static_cast<size_t>(sliced), vars = static_cast<size_t>(given - sliced);
  if (r.body->n_input != vars + slices || r.body->n_output < vars || c.output_count() > r.body->n_output) {
    c.Refuse(Reason::kInvalidModel, Str("the body has ", r.body->n_input, " inputs and ", r.body->n_output,
                                        " outputs, ", given, " are passed and ", c.output_count(), " expected"));
  }
  r.scans = r.body->n_output - vars;
  const std::vector<int64_t> back = PerItem(c, "directions", slices);
  Formula f(c);
  const int64_t batch = c.NeedDim(c.In(1 + vars), 0, "as the number of scans");
  if (batch < 1) c.Refuse(Reason::kInvalidModel, Str("the batch is ", batch));
  // Each scan has nodes of its own, those of its body included.
  c.importer().Make(static_cast<uint64_t>(batch) * (r.body->n_node + vars + slices + r.body->n_output) * kBytesOfNode,
                    Str("the body, written for each of ", batch, " scans,"));
  std::vector<std::vector<Endpoint>> outputs(r.body->n_output);
  for (int64_t b = 0; b < batch; ++b) {
    r.vars.clear();
    r.sliced.clear();
    for (size_t i = 0; i < vars; ++i) r.vars.push_back(f.Gather(c.In(1 + i), f.Int(b), 0));
    for (size_t i = 0; i < slices; ++i)
      r.sliced.push_back({f.Gather(c.In(1 + vars + i), f.Int(b), 0), 0, back[i] != 0, false});
    r.trips = f.Dim(r.sliced[0].x.parts[0], 0);
    const TensorPtr count = ConstantOf(r.trips);
    const Results one = count && FewTrips(c, r.body, count->Ints()[0]) ? Unroll(c, r, count->Ints()[0]) : Repeat(c, r);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Value &v = i < vars ? one.vars[i] : one.collected[i - vars];
      outputs[i].push_back(c.Unsqueeze(v.parts[0], {0}));
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (c.WantsOutput(i)) c.Out(i, outputs[i].size() == 1 ? outputs[i][0] : f.Concat(outputs[i], 0));
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
