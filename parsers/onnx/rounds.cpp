#include "parsers/onnx/rounds.h"

#include <algorithm>

#include "core/ops/infer.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/make_node.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {

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

void InferDeclared(NodeContext &c, Node *node) {
  if (const auto failure = TryInferNode(*node); failure && !node->graph().parent())
    c.Refuse(Reason::kInference, failure->what());
}

std::vector<Value> WriteOut(NodeContext &c, Onnx__GraphProto *body, std::vector<Value> inputs,
                            const std::string &prefix) {
  Scope scope;
  scope.graph = c.scope().graph;
  scope.known = c.scope().known;
  scope.outer = &c.scope();
  scope.call = c.scope().call;
  scope.opsets = c.scope().opsets;
  scope.depth = c.scope().depth + 1;
  scope.prefix = prefix;
  if (scope.depth > kMaxGraphDepth)
    c.Refuse(Reason::kLimit, Str("graphs are nested deeper than ", kMaxGraphDepth, " levels"));
  for (size_t i = 0; i < inputs.size() && i < body->n_input; ++i)
    if (body->input[i]->name) Importer::Bind(scope, body->input[i]->name, inputs[i]);
  inputs.clear();  // what only the body has it may change
  c.importer().ImportBody(scope, body);
  if (!scope.poisoned.empty()) c.Poison();
  std::vector<Value> out = c.importer().GraphOutputs(scope, body, Str("the body of '", c.name(), "'"));
  if (out.size() != body->n_output) c.Refuse(Reason::kInvalidModel, "the body is incomplete");
  return out;
}

namespace {

Endpoint TensorOf(NodeContext &c, const Value &v, const char *what) {
  if (!v.is_tensor()) c.Refuse(Reason::kUnsupportedType, Str(what, " is ", v.what(), ", a tensor is needed"));
  return v.parts[0];
}

}  // namespace

Results Unroll(NodeContext &c, const TripCount &r, int64_t trips) {
  Formula f(c);
  Results results{r.vars, {}};
  c.importer().Make(static_cast<uint64_t>(trips) * r.body->n_node * kBytesOfNode, "the loop written out");
  std::vector<std::vector<Endpoint>> collected(r.scans);
  for (int64_t t = 0; t < trips; ++t) {
    std::vector<Value> in;
    if (r.counts) in = {c.ConstInt(t, "iteration"), c.ConstNumber(1, C_DT_BOOL, "running")};
    for (Value &v : results.vars) in.push_back(std::move(v));
    for (const TripCount::Sliced &s : r.sliced) {
      const int64_t at = s.reverse ? trips - 1 - t : t;
      if (s.whole) in.push_back(s.x);
      else if (s.x.is(ValueKind::kSequence)) in.push_back(s.x.list->tensors[static_cast<size_t>(at)]);
      else in.push_back(f.Gather(s.x.parts[0], f.Int(at), s.axis));
    }
    const std::vector<Value> out = WriteOut(c, r.body, std::move(in), Str(c.name(), "/", t, "/"));
    for (size_t i = 0; i < r.vars.size(); ++i) results.vars[i] = out[r.first_result() + i];
    for (size_t i = 0; i < r.scans; ++i)
      collected[i].push_back(TensorOf(c, out[r.first_result() + r.vars.size() + i], "a value that is collected"));
  }
  for (Value &v : results.vars)
    if (v.is_tensor()) v = c.Op("Identity", {v.parts[0]});
  for (std::vector<Endpoint> &values : collected) {
    if (r.to_sequences) {
      const int32_t type = values.empty() ? C_DT_UNDEFINED : c.Type(values[0]);
      results.collected.push_back(Value::List(std::move(values), type));
      continue;
    }
    for (Endpoint &e : values) e = c.Unsqueeze(e, {0});
    results.collected.push_back(values.size() == 1 ? values[0] : f.Concat(values, 0));
  }
  return results;
}

namespace {

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

TensorDesc DescOf(Endpoint e) {
  TensorDesc desc = e.node->output_desc(e.port);
  desc.attrs = nullptr;
  return desc;
}

/// The declared shape of a variable holds in every round; else only the rank that it starts with is taken for granted.
Shape ShapeOfVariable(const Onnx__ValueInfoProto *value, const Shape &start) {
  const Shape declared = DeclaredShape(value->type ? value->type->tensor_type : nullptr);
  if (declared.has_rank() || !start.has_rank()) return declared;
  Shape open = start;
  for (int64_t &d : open.dims()) d = -1;
  return open;
}

/// Facts that hold in every round of the tensors of a variable that is no tensor itself.
Shape ShapeInEveryRound(const ValueForm &form, size_t part) {
  const bool optional = form.kind == ValueKind::kOptional;
  if (optional && part == 0) return Shape{};
  const ValueKind kind = optional ? form.content : form.kind;
  const size_t at = optional ? part - 1 : part;
  if (kind == ValueKind::kSequence) return at == 0 ? Shape{-1} : Shape{-1, kSequenceRow};
  return kind == ValueKind::kText && at == 1 ? Shape{-1} : Shape::UnknownRank();
}

// Values collected from an unknown number of rounds travel flat, one behind the other, with the shape of the latest.
struct Collected {
  size_t flat, shape;  // in the state
  int32_t type;
};

/// A While in the making: its state, and what that is inside of a round.
class WhileMaker {
 public:
  WhileMaker(NodeContext &c, const TripCount &r)
      : c_(c), r_(r), inner_(c.importer(), b_.scope, c.proto(), c.opset()), f_(inner_) {}

  Results Make() {
    OpenBody(c_, b_, c_.name() + "/body");
    Start();
    c_.importer().ImportBody(b_.scope, r_.body);
    if (!b_.scope.poisoned.empty()) c_.Poison();
    if (c_.poisoned()) inner_.Poison();
    const std::vector<Value> out = c_.importer().GraphOutputs(b_.scope, r_.body, Str("the body of '", c_.name(), "'"));
    if (out.size() != r_.body->n_output) c_.Refuse(Reason::kInvalidModel, "the body is incomplete");
    Endpoint running = r_.counts ? TensorOf(c_, out[0], "the condition") : in_[kCondition];
    if (running.node->output_desc(running.port).shape.rank() != 0)
      running = f_.Reshape(running, inner_.ConstInts({}, "scalar"));
    b_.outputs = {f_.Add(in_[kIteration], f_.Int(1)), in_[kTrips], running};
    for (size_t i = 0; i < r_.vars.size(); ++i)
      for (Endpoint part : InForm(inner_, out[r_.first_result() + i], forms_[i]).parts) b_.outputs.push_back(part);
    for (size_t i = b_.outputs.size(); i < in_.size(); ++i) b_.outputs.push_back(in_[i]);  // what is sliced
    for (size_t i = 0; i < r_.scans; ++i)
      Collect(TensorOf(c_, out[r_.first_result() + r_.vars.size() + i], "a value that is collected"));
    for (const Capture &capture : b_.scope.captures) {
      b_.graph->SetAttr(capture.data, "index", static_cast<int64_t>(state_.size()));
      state_.push_back(capture.outer);
      descs_.push_back(DescOf(capture.outer));
      b_.outputs.push_back({capture.data, 0});
    }
    CloseBody(c_, b_);
    GraphPtr cond = ConditionGraph(c_, descs_);
    node_ = c_.Add("While", state_, {}, static_cast<int32_t>(state_.size()));
    c_.scope().graph->AttachSubgraph(node_, "cond", cond);
    c_.scope().graph->AttachSubgraph(node_, "body", b_.graph);
    InferDeclared(c_, node_);
    return Outcome();
  }

 private:
  /// One more part of the state: what the loop starts with, and the body's input for it.
  Endpoint Carry(Endpoint start, TensorDesc desc, const std::string &name) {
    state_.push_back(start);
    descs_.push_back(desc);
    in_.push_back(AddInput(b_, b_.graph->UniqueName(name), static_cast<int64_t>(state_.size() - 1), desc));
    return in_.back();
  }
  void BindInput(size_t position, const Value &v) {
    const char *name = r_.body->input[position]->name;
    if (name) Importer::Bind(b_.scope, name, v);
  }

  void Start() {
    const Endpoint trips = r_.trips ? AsScalar(c_, c_.CastTo(r_.trips, C_DT_INT64)) : c_.ConstInt(INT64_MAX, "trips"),
                   condition = r_.condition ? AsScalar(c_, r_.condition) : c_.ConstNumber(1, C_DT_BOOL, "condition"),
                   zero = c_.ConstInt(0, "iteration");
    Carry(zero, DescOf(zero), "iteration");
    Carry(trips, DescOf(trips), "trips");
    Carry(condition, DescOf(condition), "condition");
    if (r_.counts) {
      BindInput(0, in_[kIteration]);
      BindInput(1, in_[kCondition]);
    }
    for (size_t i = 0; i < r_.vars.size(); ++i) StartVariable(i);
    for (size_t i = 0; i < r_.sliced.size(); ++i) StartSlice(i);
  }

  void StartVariable(size_t i) {
    const size_t position = r_.first() + i;
    const Onnx__ValueInfoProto *declared = r_.body->input[position];
    ValueForm form = ValueForm::Of(r_.vars[i]);
    if (declared->type && declared->type->optional_type && form.kind != ValueKind::kOptional) {
      form.content = form.kind;
      form.kind = ValueKind::kOptional;
    }
    forms_.push_back(form);
    const std::string name = declared->name && *declared->name ? declared->name : "variable";
    std::vector<Endpoint> inside;
    for (Endpoint part : InForm(c_, r_.vars[i], form).parts) {
      TensorDesc desc = DescOf(part);
      // A variable may change its shape from round to round: nothing may be decided on the shape it starts with.
      desc.SetShape(form.kind == ValueKind::kTensor ? ShapeOfVariable(declared, desc.shape)
                                                    : ShapeInEveryRound(form, inside.size()));
      inside.push_back(Carry(part, desc, name));
    }
    BindInput(position, form.Make(std::move(inside)));
  }

  void StartSlice(size_t i) {
    const TripCount::Sliced &s = r_.sliced[i];
    const bool sequence = s.x.is(ValueKind::kSequence);
    Value x = sequence ? Pack(c_, s.x) : s.x;
    for (Endpoint &part : x.parts) part = Carry(part, DescOf(part), "sliced");
    const size_t position = r_.first() + r_.vars.size() + i;
    if (s.whole) return BindInput(position, x);
    Endpoint at = in_[kIteration], last = s.reverse ? f_.Sub(in_[kTrips], f_.Int(1)) : Endpoint();
    if (s.reverse) at = f_.Sub(last, at);
    BindInput(position,
              sequence ? inner_.Op("SequenceAt", {x.parts[0], x.parts[1], at}) : f_.Gather(x.parts[0], at, s.axis));
  }

  void Collect(Endpoint value) {
    const int32_t type = inner_.NeedType(value, "to collect it");
    const Shape shape = inner_.ShapeOf(value);
    const Endpoint none =
        c_.Const(std::make_shared<Tensor>(TensorDesc(type, Shape{0}), Buffer::Allocate(0)), "nothing");
    collected_.push_back({state_.size(), state_.size() + 1, type});
    const Endpoint flat = Carry(none, TensorDesc(type, Shape{-1}), "collected");
    if (r_.to_sequences) {
      const Endpoint no_rows = c_.Const(
          std::make_shared<Tensor>(TensorDesc(C_DT_INT64, Shape{0, kSequenceRow}), Buffer::Allocate(0)), "nothing");
      const Endpoint rows = Carry(no_rows, TensorDesc(C_DT_INT64, Shape{-1, kSequenceRow}), "shapes");
      Node *more = inner_.Add("SequenceInsert", {flat, rows, value});
      b_.outputs.push_back({more, 0});
      b_.outputs.push_back({more, 1});
      return;
    }
    std::vector<int64_t> start;
    for (int64_t k = 0; k < shape.rank(); ++k) start.push_back(std::max<int64_t>(shape[static_cast<size_t>(k)], 0));
    Carry(c_.ConstInts(start, "shape"), TensorDesc(C_DT_INT64, Shape{shape.has_rank() ? shape.rank() : -1}), "shape");
    b_.outputs.push_back(f_.Concat({flat, f_.Flat(value)}, 0));
    b_.outputs.push_back(inner_.Op("Shape", {value}, {{"dtype", int64_t{C_DT_INT64}}}));
  }

  Results Outcome() {
    Results results;
    size_t at = kVariables;
    auto port = [&](size_t i) { return Endpoint{node_, static_cast<int32_t>(i)}; };
    for (const ValueForm &form : forms_) {
      std::vector<Endpoint> parts;
      for (size_t k = 0; k < form.part_count(); ++k) parts.push_back(port(at++));
      const Onnx__TypeProto *type = r_.body->output[r_.first_result() + results.vars.size()]->type;
      if (form.kind == ValueKind::kOptional && type && !type->optional_type) {  // every round leaves something
        ValueForm content = form;
        content.kind = form.content;
        results.vars.push_back(content.Make({parts.begin() + 1, parts.end()}));
      } else {
        results.vars.push_back(form.Make(std::move(parts)));
      }
    }
    Formula g(c_);
    for (const Collected &v : collected_) {
      // Without a round, or with values without elements, extents are 0.
      if (r_.to_sequences) results.collected.push_back(Value::Packed(port(v.flat), port(v.shape), v.type));
      else
        results.collected.push_back(
            c_.Op("Reshape", {port(v.flat), g.Vector({port(kIteration), port(v.shape)})}, {{"allowzero", int64_t{1}}}));
    }
    return results;
  }

  NodeContext &c_;
  const TripCount &r_;
  Body b_;
  NodeContext inner_;  // of the body's graph
  Formula f_;
  std::vector<Endpoint> state_, in_;
  std::vector<TensorDesc> descs_;
  std::vector<ValueForm> forms_;
  std::vector<Collected> collected_;
  Node *node_ = nullptr;
};

}  // namespace

Results Repeat(NodeContext &c, const TripCount &r) { return WhileMaker(c, r).Make(); }

bool FewTrips(NodeContext &c, const Onnx__GraphProto *body, int64_t trips) {
  const uint64_t each = std::max<size_t>(body->n_node, 1);
  return trips >= 1 && trips <= static_cast<int64_t>(kMaxUnrolledNodes / each) &&
         c.importer().MayMakeNodes(static_cast<uint64_t>(trips) * each);
}

}  // namespace gec::onnx
