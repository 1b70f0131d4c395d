// Inference over graphs: propagation of values, subgraphs, layouts. Expected shapes are worked out by hand.
#include "core/ops/infer.h"

#include <cstring>

#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/ops/traits.h"
#include "helpers.h"

namespace gec {
namespace {

using test::Ir;

TensorPtr Ints(std::vector<int64_t> values) {
  int64_t n = static_cast<int64_t>(values.size());
  return Tensor::Of<int64_t>(C_DT_INT64, {n}, values);
}
TensorPtr Scalar(int64_t value) { return Tensor::Of<int64_t>(C_DT_INT64, {}, {value}); }

class Maker {
 public:
  explicit Maker(std::string name) : g(Graph::Create(std::move(name))) {}
  Endpoint Data(int64_t index, TensorDesc desc) {
    Node *n = MakeNode(*g, "Data", "data");
    g->SetAttr(n, "index", AttrValue(index));
    g->SetOutputDesc(n, 0, std::move(desc));
    return {n, 0};
  }
  Endpoint Const(TensorPtr value) { return {MakeConst(*g, std::move(value), "const"), 0}; }
  Endpoint Op(const char *type, std::vector<Endpoint> inputs, std::initializer_list<int32_t> dyn_in = {},
              std::initializer_list<int32_t> dyn_out = {}) {
    Node *n = MakeNode(*g, type, type, dyn_in, dyn_out);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]) g->Connect(inputs[i], n, static_cast<int32_t>(i));
    }
    return {n, 0};
  }
  void Outputs(std::vector<Endpoint> outputs) {
    Node *net = MakeNode(*g, "NetOutput", "net", {static_cast<int32_t>(outputs.size())});
    for (size_t i = 0; i < outputs.size(); ++i) g->Connect(outputs[i], net, static_cast<int32_t>(i));
  }
  GraphPtr g;
};

const Shape &ShapeOf(Endpoint e) { return e.node->output_desc(static_cast<size_t>(e.port)).shape; }

TEST(Infer, ChainsOfElementwise) {
  Maker m("g");
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {2, 3, 4})), y = m.Data(1, TensorDesc(C_DT_FLOAT, {4}));
  Endpoint sum = m.Op("Add", {x, y}), out = m.Op("Relu", {sum});
  m.Outputs({out});
  InferResult r = InferGraph(*m.g);
  EXPECT_TRUE(r.all_known);
  EXPECT_EQ(ShapeOf(out), (Shape{2, 3, 4}));
  EXPECT_EQ(out.node->output_desc(0).dtype, C_DT_FLOAT);
}

TEST(Infer, InputDescriptionsAreReplaced) {
  Maker m("g");
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {-1, 3}));
  Endpoint out = m.Op("Relu", {x});
  m.Outputs({out});
  EXPECT_FALSE(InferGraph(*m.g).all_known);
  EXPECT_EQ(ShapeOf(out), (Shape{-1, 3}));
  std::vector<TensorDesc> inputs{TensorDesc(C_DT_FLOAT16, {5, 3})};
  InferOptions options;
  options.inputs = &inputs;
  EXPECT_TRUE(InferGraph(*m.g, options).all_known);
  EXPECT_EQ(ShapeOf(out), (Shape{5, 3}));
  EXPECT_EQ(out.node->output_desc(0).dtype, C_DT_FLOAT16);
  inputs.emplace_back();
  EXPECT_ERROR(GE_PARAM_INVALID, "has 1 inputs, 2 descriptions", InferGraph(*m.g, options));
}

// Shape -> Gather -> Concat -> Reshape, the usual way to flatten: values flow without any kernel.
TEST(Infer, ShapeArithmeticIsFollowed) {
  for (int64_t batch : {int64_t{2}, int64_t{-1}}) {
    Maker m("g");
    Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {batch, 3, 4}));
    Endpoint shape = m.Op("Shape", {x});
    shape.node->graph().SetAttr(shape.node, "dtype", AttrValue(int64_t{C_DT_INT64}));
    Endpoint first = m.Op("GatherV2", {shape, m.Const(Ints({0})), m.Const(Scalar(0))});
    Endpoint wanted = m.Op("ConcatV2", {first, m.Const(Ints({12})), m.Const(Scalar(0))}, {2});
    Endpoint out = m.Op("Reshape", {x, wanted});
    m.Outputs({out});
    InferResult r = InferGraph(*m.g);
    EXPECT_EQ(ShapeOf(out), (Shape{batch, 12}));
    EXPECT_EQ(r.all_known, batch > 0);
    // The shape itself is a value when it is known.
    auto found = r.values.find(uint64_t{wanted.node->id()} << 32);
    EXPECT_EQ(found != r.values.end(), batch > 0);
    if (batch > 0) {
      EXPECT_EQ(found->second->Ints(), (std::vector<int64_t>{2, 12}));
    }
  }
}

GeStatus SameAsInput(const GeInferContext *ctx) {
  GeInferOutput &out = ctx->outputs[0];
  const GeTensorData &in = ctx->op->inputs[0];
  out.rank = in.rank;
  for (int32_t i = 0; i < in.rank; ++i) out.dims[i] = in.dims[i];
  return GE_SUCCESS;
}

void RegisterUnary(const char *type, GeInferFn infer) {
  const IrDef *ir = Ir(type, {"x"}, {"y"});
  OpRegistry::Instance().Register(ir->schema, infer);
}

TEST(Infer, EvaluatesSmallKnownNodes) {
  RegisterUnary("TestDouble", SameAsInput);
  RegisterUnary("TestRandomDouble", SameAsInput);  // says nothing of itself, so it is not folded
  const GeOpTraits pure{sizeof(GeOpTraits), GE_TRAIT_PURE | GE_TRAIT_FOLDABLE, GE_CONTROL_FLOW_NONE, 0};
  DeclareTraits(Symbol("TestDouble"), pure);
  Maker m("g");
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {48}));
  Endpoint doubled = m.Op("TestDouble", {m.Const(Ints({2, 6}))});
  Endpoint random = m.Op("TestRandomDouble", {m.Const(Ints({2, 6}))});
  Endpoint large = m.Op("TestDouble", {m.Const(Ints(std::vector<int64_t>(100)))});
  Endpoint out = m.Op("Reshape", {x, doubled});
  m.Outputs({out, random, large});
  int calls = 0;
  EvaluateFn evaluate = [&](const Node &node, const std::vector<TensorPtr> &inputs, std::vector<TensorPtr> *outputs) {
    if (node.type() != Symbol("TestDouble")) return false;
    ++calls;
    std::vector<int64_t> values = inputs[0]->Ints();
    for (int64_t &v : values) v *= 2;
    outputs->push_back(Ints(values));
    return true;
  };
  InferOptions options;
  options.evaluate = &evaluate;
  options.evaluate_limit = 50;
  InferGraph(*m.g, options);
  EXPECT_EQ(ShapeOf(out), (Shape{4, 12}));
  EXPECT_EQ(calls, 1);
}

TEST(Infer, FailureNamesNodeAndOrigin) {
  Maker m("g");
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {2, 3})), y = m.Data(1, TensorDesc(C_DT_FLOAT, {4}));
  Endpoint sum = m.Op("Add", {x, y});
  m.g->RenameNode(sum.node, "sum");
  m.Outputs({sum});
  EXPECT_ERROR(GE_INFER_FAILED, "Add 'sum': ", InferGraph(*m.g));
  m.g->SetOrigins(sum.node, {"/layer/add"});
  EXPECT_ERROR(GE_INFER_FAILED, "Add 'sum' (from /layer/add): ", InferGraph(*m.g));
}

TEST(Infer, UnknownOperatorsKeepWhatWasSet) {
  Maker m("g");
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {2}));
  Node *custom = m.g->AddNode(Ir("TestNoRule", {"x"}, {"y"}), "custom");
  m.g->Connect(x, custom, 0);
  InferGraph(*m.g);
  EXPECT_FALSE(custom->output_desc(0).shape.has_rank());
  m.g->SetOutputDesc(custom, 0, TensorDesc(C_DT_INT8, {9}));
  EXPECT_TRUE(InferGraph(*m.g).all_known);
  EXPECT_EQ(custom->output_desc(0).shape, (Shape{9}));
}

TEST(Infer, RefusesNonsenseFromARule) {
  RegisterUnary(
      "TestBadRank", +[](const GeInferContext *ctx) {
        ctx->outputs[0].rank = 99;
        return static_cast<GeStatus>(GE_SUCCESS);
      });
  RegisterUnary(
      "TestBadDim", +[](const GeInferContext *ctx) {
        ctx->outputs[0].rank = 1;
        ctx->outputs[0].dims[0] = -7;
        return static_cast<GeStatus>(GE_SUCCESS);
      });
  for (const char *type : {"TestBadRank", "TestBadDim"}) {
    Maker m("g");
    m.Op(type, {m.Data(0, TensorDesc(C_DT_FLOAT, {2}))});
    EXPECT_ERROR(GE_INFER_FAILED, "was inferred with", InferGraph(*m.g));
  }
}

TEST(Infer, BlockedLayoutsKeepTheLogicalShape) {
  Maker m("g");
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {1, 20, 5, 6}, C_FORMAT_NCHW));
  Endpoint in = m.Op("TransData", {x});
  m.g->SetAttr(in.node, "src_format", AttrValue("NCHW"));
  m.g->SetAttr(in.node, "dst_format", AttrValue("NC1HWC0"));
  Endpoint relu = m.Op("Relu", {in});
  TensorDesc blocked(C_DT_FLOAT, Shape::UnknownRank(), C_FORMAT_NC1HWC0);
  blocked.origin_format = C_FORMAT_NCHW;
  blocked.shape = {1, 3, 5, 6, 8};
  m.g->SetOutputDesc(in.node, 0, blocked);
  m.g->SetOutputDesc(relu.node, 0, blocked);
  Endpoint out = m.Op("TransData", {relu});
  m.g->SetAttr(out.node, "src_format", AttrValue("NC1HWC0"));
  m.g->SetAttr(out.node, "dst_format", AttrValue("NCHW"));
  m.Outputs({out});
  InferGraph(*m.g);
  EXPECT_EQ(ShapeOf(relu), (Shape{1, 3, 5, 6, 8}));
  EXPECT_EQ(relu.node->output_desc(0).origin_shape, (Shape{1, 20, 5, 6}));
  EXPECT_EQ(ShapeOf(out), (Shape{1, 20, 5, 6}));
  // The same graph for another batch.
  std::vector<TensorDesc> inputs{TensorDesc(C_DT_FLOAT, {4, 20, 5, 6}, C_FORMAT_NCHW)};
  InferOptions options;
  options.inputs = &inputs;
  InferGraph(*m.g, options);
  EXPECT_EQ(ShapeOf(relu), (Shape{4, 3, 5, 6, 8}));
  EXPECT_EQ(ShapeOf(out), (Shape{4, 20, 5, 6}));
}

// ---- subgraphs ----

// y = x, or y = concat(x, x) along axis 0.
GraphPtr Branch(const char *name, bool twice) {
  Maker m(name);
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, Shape::UnknownRank()));
  m.Outputs({twice ? m.Op("ConcatV2", {x, x, m.Const(Scalar(0))}, {2}) : m.Op("Relu", {x})});
  return m.g;
}

struct IfCase {
  Maker m{"root"};
  Endpoint x, out;
  explicit IfCase(TensorPtr cond) {
    Endpoint c = cond ? m.Const(std::move(cond)) : m.Data(1, TensorDesc(C_DT_BOOL, {}));
    x = m.Data(0, TensorDesc(C_DT_FLOAT, {2, 3}));
    out = m.Op("If", {c, x}, {1}, {1});
    m.g->AttachSubgraph(out.node, "then_branch", Branch("then", false));
    m.g->AttachSubgraph(out.node, "else_branch", Branch("else", true));
    m.Outputs({out});
  }
};

TEST(InferIf, DifferingDimensionsAreUnknown) {
  IfCase c(nullptr);
  EXPECT_FALSE(InferGraph(*c.m.g).all_known);
  EXPECT_EQ(ShapeOf(c.out), (Shape{-1, 3}));
  // The branches were bound to the argument.
  EXPECT_EQ(c.m.g->FindSubgraph("else")->Inputs()[0]->output_desc(0).shape, (Shape{2, 3}));
}

TEST(InferIf, KnownConditionChooses) {
  IfCase yes(Tensor::Of<uint8_t>(C_DT_BOOL, {}, {1})), no(Tensor::Of<uint8_t>(C_DT_BOOL, {}, {0}));
  InferGraph(*yes.m.g);
  EXPECT_EQ(ShapeOf(yes.out), (Shape{2, 3}));
  InferGraph(*no.m.g);
  EXPECT_EQ(ShapeOf(no.out), (Shape{4, 3}));
}

TEST(InferIf, ErrorsNameTheWay) {
  IfCase c(nullptr);
  Graph *then = c.m.g->FindSubgraph("then");
  then->SetAttr(then->Inputs()[0], "index", AttrValue(3));
  EXPECT_ERROR(GE_INFER_FAILED, "If 'If': subgraph 'then' reads argument 3, the node passes 1", InferGraph(*c.m.g));
}

TEST(InferCall, ValuesFlowInAndOut) {
  Maker body("body");
  Endpoint in = body.Data(0, TensorDesc(C_DT_FLOAT, Shape::UnknownRank()));
  Endpoint shape = body.Data(1, TensorDesc(C_DT_INT64, Shape::UnknownRank()));
  body.Outputs({body.Op("Reshape", {in, shape}), shape});
  Maker m("root");
  Endpoint x = m.Data(0, TensorDesc(C_DT_FLOAT, {2, 6}));
  Endpoint call = m.Op("PartitionedCall", {x, m.Const(Ints({3, 4}))}, {2}, {2});
  m.g->AttachSubgraph(call.node, "f", body.g);
  Endpoint out = m.Op("Reshape", {x, Endpoint{call.node, 1}});
  m.Outputs({{call.node, 0}, out});
  EXPECT_TRUE(InferGraph(*m.g).all_known);
  EXPECT_EQ(ShapeOf(call), (Shape{3, 4}));
  EXPECT_EQ(ShapeOf(out), (Shape{3, 4}));
}

TEST(InferCase, AllBranchesCount) {
  Maker m("root");
  Endpoint index = m.Data(0, TensorDesc(C_DT_INT32, {})), x = m.Data(1, TensorDesc(C_DT_FLOAT, {2, 3}));
  Endpoint out = m.Op("Case", {index, x}, {1}, {1});
  m.g->AttachSubgraph(out.node, "branches0", Branch("zero", false));
  m.g->AttachSubgraph(out.node, "branches1", Branch("one", false));
  InferGraph(*m.g);
  EXPECT_EQ(ShapeOf(out), (Shape{2, 3}));
  m.g->AttachSubgraph(out.node, "branches2", Branch("two", true));
  InferGraph(*m.g);
  EXPECT_EQ(ShapeOf(out), (Shape{-1, 3}));
}

// while (counter < limit) { counter += 1; grows = concat(grows, grows); keeps = relu(keeps); }
TEST(InferWhile, ReachesAFixPoint) {
  Maker cond("cond");
  {
    Endpoint counter = cond.Data(0, TensorDesc(C_DT_INT64, {}));
    cond.Outputs({cond.Op("Less", {counter, cond.Const(Scalar(10))})});
  }
  Maker body("body");
  {
    Endpoint counter = body.Data(0, TensorDesc()), grows = body.Data(1, TensorDesc()),
             keeps = body.Data(2, TensorDesc()), same = body.Data(3, TensorDesc());
    body.Outputs({body.Op("Add", {counter, body.Const(Scalar(1))}),
                  body.Op("ConcatV2", {grows, grows, body.Const(Scalar(0))}, {2}), body.Op("Relu", {keeps}), same});
  }
  Maker m("root");
  Endpoint counter = m.Const(Scalar(0)), grows = m.Data(0, TensorDesc(C_DT_FLOAT, {2, 3})),
           keeps = m.Data(1, TensorDesc(C_DT_FLOAT, {4, 5})), same = m.Const(Ints({5, 4}));
  Endpoint loop = m.Op("While", {counter, grows, keeps, same}, {4}, {4});
  m.g->AttachSubgraph(loop.node, "cond", cond.g);
  m.g->AttachSubgraph(loop.node, "body", body.g);
  // A value that the body hands on unchanged is still known behind the loop.
  Endpoint out = m.Op("Reshape", {Endpoint{loop.node, 2}, Endpoint{loop.node, 3}});
  m.Outputs({{loop.node, 0}, {loop.node, 1}, out});
  InferResult r = InferGraph(*m.g);
  EXPECT_EQ(ShapeOf({loop.node, 0}), Shape());
  EXPECT_EQ(ShapeOf({loop.node, 1}), (Shape{-1, 3}));
  EXPECT_EQ(ShapeOf({loop.node, 2}), (Shape{4, 5}));
  EXPECT_EQ(ShapeOf(out), (Shape{5, 4}));
  // The counter's first value is not its last.
  EXPECT_EQ(r.values.count(uint64_t{loop.node->id()} << 32), 0u);
  EXPECT_FALSE(r.all_known);
}

TEST(InferWhile, TypesMustNotChange) {
  Maker cond("cond"), body("body");
  cond.Data(0, TensorDesc());
  cond.Outputs({cond.Const(Tensor::Of<uint8_t>(C_DT_BOOL, {}, {1}))});
  body.Data(0, TensorDesc());
  body.Outputs({body.Const(Scalar(1))});
  Maker m("root");
  Endpoint loop = m.Op("While", {m.Data(0, TensorDesc(C_DT_FLOAT, {}))}, {1}, {1});
  m.g->AttachSubgraph(loop.node, "cond", cond.g);
  m.g->AttachSubgraph(loop.node, "body", body.g);
  EXPECT_ERROR(GE_INFER_FAILED, "differ in data type", InferGraph(*m.g));
}

TEST(InferNested, IfInsideWhile) {
  Maker inner("loop_body");
  {
    Endpoint x = inner.Data(0, TensorDesc());
    Endpoint cond = inner.Const(Tensor::Of<uint8_t>(C_DT_BOOL, {}, {1}));
    Endpoint branch = inner.Op("If", {cond, x}, {1}, {1});
    inner.g->AttachSubgraph(branch.node, "then_branch", Branch("then", false));
    inner.g->AttachSubgraph(branch.node, "else_branch", Branch("else", true));
    inner.Outputs({branch});
  }
  Maker cond("cond");
  cond.Data(0, TensorDesc());
  cond.Outputs({cond.Const(Tensor::Of<uint8_t>(C_DT_BOOL, {}, {1}))});
  Maker m("root");
  Endpoint loop = m.Op("StatelessWhile", {m.Data(0, TensorDesc(C_DT_FLOAT, {7, 2}))}, {1}, {1});
  m.g->AttachSubgraph(loop.node, "cond", cond.g);
  m.g->AttachSubgraph(loop.node, "body", inner.g);
  m.Outputs({loop});
  m.g->Verify();
  EXPECT_EQ(m.g->subgraphs().size(), 4u);
  InferGraph(*m.g);
  EXPECT_EQ(ShapeOf(loop), (Shape{7, 2}));
}

TEST(InferFor, BodyMayReadTheCounter) {
  Maker body("body");
  Endpoint i = body.Data(0, TensorDesc()), x = body.Data(1, TensorDesc());
  (void)i;
  body.Outputs({body.Op("Relu", {x})});
  Maker m("root");
  Endpoint zero = m.Const(Tensor::Of<int32_t>(C_DT_INT32, {}, {0}));
  Endpoint loop = m.Op("For", {zero, zero, zero, m.Data(0, TensorDesc(C_DT_FLOAT, {3}))}, {1}, {1});
  m.g->AttachSubgraph(loop.node, "body", body.g);
  m.Outputs({loop});
  m.g->Verify();
  InferGraph(*m.g);
  EXPECT_EQ(ShapeOf(loop), (Shape{3}));
  EXPECT_EQ(body.g->Inputs()[0]->output_desc(0).dtype, C_DT_INT32);
}

// Work, not time: each rule is called once per node.
int rule_calls;
TEST(Scale, OneRuleCallPerNode) {
  RegisterUnary(
      "TestCounted", +[](const GeInferContext *ctx) {
        ++rule_calls;
        return SameAsInput(ctx);
      });
  constexpr int kNodes = 100000;
  Maker m("large");
  Endpoint e = m.Data(0, TensorDesc(C_DT_FLOAT, {2, 3}));
  const IrDef *ir = OpRegistry::Instance().Get("TestCounted");
  for (int i = 0; i < kNodes; ++i) {
    Node *n = m.g->AddNode(ir, "n" + std::to_string(i));
    m.g->Connect(e, n, 0);
    e = {n, 0};
  }
  m.Outputs({e});
  m.g->Verify();
  rule_calls = 0;
  EXPECT_TRUE(InferGraph(*m.g).all_known);
  EXPECT_EQ(rule_calls, kNodes);
  EXPECT_EQ(ShapeOf(e), (Shape{2, 3}));
  EXPECT_FALSE(InferNode(*e.node));  // nothing changes any more
}

}  // namespace
}  // namespace gec
