// Variables: what graphs read and write, in which order, and what stays between runs.
#include <atomic>
#include <thread>

#include "core/ops/make_node.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

using Floats = std::vector<float>;

std::shared_ptr<Tensor> TensorOf(const Array &a) {
  return std::make_shared<Tensor>(TensorDesc(a.dtype, Shape(a.dims.data(), a.dims.size())),
                                  Buffer::Copy(a.bytes.data(), a.bytes.size()));
}

/// With a value, or only with a shape, or (no dims) with nothing.
Endpoint Variable(Net &net, const char *name, const Array &value) {
  Node *node = net.Op("Variable", {}, 0, "variable");
  net.graph->RenameNode(node, name);
  if (!value.bytes.empty()) {
    net.graph->SetAttr(node, "value", AttrValue(TensorOf(value)));
  } else if (!value.dims.empty()) {
    net.graph->SetOutputDesc(node, 0, TensorDesc(value.dtype, Shape(value.dims.data(), value.dims.size())));
  }
  return {node, 0};
}
Array Nothing() { return Array{}; }
Array Zeros(std::vector<int64_t> dims) { return Array{C_DT_FLOAT, std::move(dims), {}}; }
Endpoint F(Net &net, const Floats &values) {
  return net.Const(Array::F({static_cast<int64_t>(values.size())}, values));
}
Floats Value(const VariableStore &store, const std::string &name) {
  const std::shared_ptr<Tensor> t = store.Copy({name})[0];
  return Floats(t->as<float>(), t->as<float>() + t->bytes() / sizeof(float));
}
ModelPtr In(const VariableStorePtr &store, const Net &net) { return Model::Compile(*net.graph, Opts(), store); }
void RunOnce(const ModelPtr &model, const std::vector<Array> &inputs = {}) {
  RunContext context(model);
  RunAll(context, inputs);
}

TEST(Variables, KeepTheirValueFromRunToRun) {
  Net net;
  Endpoint w = Variable(net, "w", Array::F({2}, {10, 20}));
  net.Outputs({net.Out("AssignAdd", {w, net.Input({2})})});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  ASSERT_EQ(model->inputs().size(), 1u);
  ASSERT_EQ(model->outputs().size(), 1u);
  RunContext first(model), second(model);  // contexts of one model share its variables
  EXPECT_EQ(RunAll(first, {Array::F({2}, {1, 2})})[0].Floats(), (Floats{11, 22}));
  EXPECT_EQ(RunAll(second, {Array::F({2}, {1, 2})})[0].Floats(), (Floats{12, 24}));
  EXPECT_EQ(RunAll(first, {Array::F({2}, {5, 5})})[0].Floats(), (Floats{17, 29}));
  EXPECT_EQ(RunAll(first, {Array::F({2}, {0, 0})})[0].Floats(), (Floats{17, 29}));
  RunContext another(Model::Compile(*net.graph, Opts()));  // another model has its own
  EXPECT_EQ(RunAll(another, {Array::F({2}, {0, 0})})[0].Floats(), (Floats{10, 20}));
}

TEST(Variables, GraphsOfOneStoreShareThemByName) {
  auto store = std::make_shared<VariableStore>();
  Net init("init"), read("read"), add("add");
  init.Op("Assign", {Variable(init, "w", Nothing()), F(init, {1, 2, 3})});  // says nothing of its shape
  read.Outputs({read.Out("Mul", {Variable(read, "w", Nothing()), F(read, {2})})});
  add.Op("AssignSub", {Variable(add, "w", Zeros({3})), F(add, {1, 1, 1})});
  ModelPtr set = In(store, init);
  EXPECT_EQ(set->outputs().size(), 0u);
  RunOnce(set);
  RunContext reader(In(store, read));
  EXPECT_EQ(RunAll(reader, {})[0].Floats(), (Floats{2, 4, 6}));
  ModelPtr step = In(store, add);
  RunOnce(step);
  RunOnce(step);
  EXPECT_EQ(RunAll(reader, {})[0].Floats(), (Floats{-2, 0, 2}));
  EXPECT_EQ(Value(*store, "w"), (Floats{-1, 0, 1}));
  RunOnce(set);
  EXPECT_EQ(Value(*store, "w"), (Floats{1, 2, 3}));
}

TEST(Variables, StartWithZerosUnlessAGraphKnowsBetter) {
  auto store = std::make_shared<VariableStore>();
  Net plain("plain"), valued("valued"), later("later");
  plain.Outputs({plain.Out("Neg", {Variable(plain, "w", Zeros({2}))})});
  valued.Outputs({valued.Out("Neg", {Variable(valued, "w", Array::F({2}, {1, 2}))})});
  later.Outputs({later.Out("Neg", {Variable(later, "w", Array::F({2}, {5, 6}))})});
  ModelPtr model = In(store, plain);
  EXPECT_EQ(Value(*store, "w"), (Floats{0, 0}));
  In(store, valued);
  EXPECT_EQ(Value(*store, "w"), (Floats{1, 2}));
  In(store, later);  // has a value by now
  EXPECT_EQ(Value(*store, "w"), (Floats{1, 2}));
  RunContext context(model);
  EXPECT_EQ(RunAll(context, {})[0].Floats(), (Floats{-1, -2}));
}

TEST(Variables, MustBeTheSameInAllGraphs) {
  auto store = std::make_shared<VariableStore>();
  Net a("a"), b("b"), c("c");
  a.Outputs({a.Out("Neg", {Variable(a, "w", Zeros({2, 3}))})});
  b.Outputs({b.Out("Neg", {Variable(b, "fresh", Zeros({4}))}), b.Out("Neg", {Variable(b, "w", Zeros({3, 2}))})});
  c.Outputs({c.Out("Neg", {Variable(c, "w", Array::I32({2, 3}, {1, 2, 3, 4, 5, 6}))})});
  In(store, a);
  EXPECT_GE_ERROR(In(store, b), GE_GRAPH_INVALID,
                  "variable 'w' is DT_FLOAT [2, 3] in graph 'a', DT_FLOAT [3, 2] in graph 'b'");
  EXPECT_EQ(store->count(), 1u);  // a graph that is refused brings nothing in
  EXPECT_GE_ERROR(In(store, c), GE_GRAPH_INVALID, "DT_INT32 [2, 3] in graph 'c'");
  Net twice("twice");
  Endpoint one = Variable(twice, "v", Zeros({2}));
  Endpoint two = Variable(twice, "v", Zeros({3}));
  twice.Outputs({one, two});
  EXPECT_GE_ERROR(In(store, twice), GE_GRAPH_INVALID, "variable 'v' is DT_FLOAT [3]");
}

TEST(Variables, RefuseAValueOfAnotherShape) {
  Net net("net");
  Node *node = net.Op("Assign", {Variable(net, "w", Zeros({2})), F(net, {1, 2, 3})}, 0, "fill");
  (void)node;
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts()), GE_GRAPH_INVALID,
                  "Assign 'fill' gives variable 'w' DT_FLOAT [3], the variable is DT_FLOAT [2]");
  // A shape that only the run tells.
  Net open("open");
  open.Op("Assign", {Variable(open, "w", Array::F({2}, {7, 8})), open.Out("Neg", {open.Input({-1})})}, 0, "fill");
  auto store = std::make_shared<VariableStore>();
  RunContext context(In(store, open));
  EXPECT_GE_ERROR(RunAll(context, {Array::F({1}, {1})}), GE_DATA_MISMATCH, "[1] in Assign 'fill'");
  EXPECT_GE_ERROR(RunAll(context, {Array::F({3}, {1, 2, 3})}), GE_DATA_MISMATCH, "");
  EXPECT_EQ(Value(*store, "w"), (Floats{7, 8}));
  RunAll(context, {Array::F({2}, {1, 2})});
  EXPECT_EQ(Value(*store, "w"), (Floats{-1, -2}));
}

TEST(Variables, AFailedRunChangesNothing) {
  Net net;
  Endpoint a = net.Input({1}, C_DT_INT32), b = net.Input({1}, C_DT_INT32);
  Endpoint count = Variable(net, "count", Array::I32({1}, {100}));
  Node *add = net.Op("AssignAdd", {count, net.Const(Array::I32({1}, {1}))});
  Node *quotient = net.Op("Div", {a, b});
  net.graph->AddControl(add, quotient);
  net.Outputs({{quotient, 0}});
  auto store = std::make_shared<VariableStore>();
  RunContext context(In(store, net));
  auto value = [&] { return store->Copy({"count"})[0]->as<int32_t>()[0]; };
  EXPECT_EQ(RunAll(context, {Array::I32({1}, {9}), Array::I32({1}, {3})})[0].As<int32_t>()[0], 3);
  EXPECT_EQ(value(), 101);
  EXPECT_GE_ERROR(RunAll(context, {Array::I32({1}, {9}), Array::I32({1}, {0})}), GE_PARAM_INVALID, "Div");
  EXPECT_EQ(value(), 101);
  RunAll(context, {Array::I32({1}, {9}), Array::I32({1}, {1})});
  EXPECT_EQ(value(), 102);
}

TEST(Variables, ReadsAndWritesFollowControlEdges) {
  Net net;  // nodes are added in the wrong order: edges decide
  Endpoint w = Variable(net, "w", Array::F({1}, {1}));
  Node *after = net.Op("Identity", {w}, 0, "after");
  Node *write = net.Op("Assign", {w, F(net, {5})}, 0, "write");
  Node *before = net.Op("Identity", {w}, 0, "before");
  net.graph->AddControl(before, write);
  net.graph->AddControl(write, after);
  net.Outputs({{before, 0}, {after, 0}});
  RunContext context(Model::Compile(*net.graph, Opts()));
  std::vector<Array> out = RunAll(context, {});
  EXPECT_EQ(out[0].Floats(), (Floats{1}));
  EXPECT_EQ(out[1].Floats(), (Floats{5}));
  EXPECT_EQ(RunAll(context, {})[0].Floats(), (Floats{5}));
}

TEST(Variables, WithoutEdgesTheOrderOfNodesCounts) {
  Net net;
  Endpoint w = Variable(net, "w", Array::F({1}, {1}));
  Endpoint before = net.Out("Neg", {w});
  Endpoint first = net.Out("AssignAdd", {w, F(net, {1})});
  Endpoint between = net.Out("Neg", {w});
  Endpoint second = net.Out("AssignAdd", {w, F(net, {10})});
  // What an assignment returns is what it wrote; the variable itself as an output is what the run leaves.
  net.Outputs({before, between, first, second, w});
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (int run = 0; run < 3; ++run) {
    const float start = static_cast<float>(1 + 11 * run);
    std::vector<Array> out = RunAll(context, {});
    EXPECT_EQ(out[0].Floats(), (Floats{-start}));
    EXPECT_EQ(out[1].Floats(), (Floats{-start - 1}));
    EXPECT_EQ(out[2].Floats(), (Floats{start + 1}));
    EXPECT_EQ(out[3].Floats(), (Floats{start + 11}));
    EXPECT_EQ(out[4].Floats(), (Floats{start + 11}));
  }
}

TEST(Variables, WarnWhereNoEdgeTellsTheOrder) {
  static std::string told;
  told.clear();
  GeSetLogCallback([](void *, int32_t, const char *message) { told += message; }, nullptr, GE_LOG_WARNING);
  auto text_of = [](int32_t kind) {
    told.clear();
    Net net("racy");
    Endpoint w = Variable(net, "w", Array::F({1}, {1}));
    Node *read = net.Op("Neg", {w}, 0, "read");
    Node *write = net.Op("AssignAdd", {w, kind == 1 ? Endpoint{read, 0} : F(net, {1})}, 0, "write");
    if (kind == 2) net.graph->AddControl(read, write);
    Node *look = net.Op("Neg", {kind == 3 ? w : Endpoint{write, 0}}, 0, "look");
    net.Outputs({{read, 0}, {look, 0}, w});
    Model::Compile(*net.graph, Opts());
    return told;
  };
  const std::string text = text_of(0);
  EXPECT_NE(text.find("W18888"), std::string::npos) << text;
  EXPECT_NE(text.find("no edge orders Neg 'read' and AssignAdd 'write', which use variable 'w'"), std::string::npos);
  EXPECT_EQ(text_of(1), "");  // through data
  EXPECT_EQ(text_of(2), "");  // through control
  EXPECT_NE(text_of(3).find("'w'"), std::string::npos);
  GeSetLogCallback(nullptr, nullptr, GE_LOG_WARNING);
}

TEST(Variables, SwapThroughEachOther) {
  Net net;
  Endpoint a = Variable(net, "a", Array::F({1}, {1})), b = Variable(net, "b", Array::F({1}, {2}));
  Endpoint old_a = net.Out("Identity", {a}), old_b = net.Out("Identity", {b});
  net.Op("Assign", {a, old_b});
  net.Op("Assign", {b, old_a});
  auto store = std::make_shared<VariableStore>();
  ModelPtr model = In(store, net);
  RunOnce(model);
  EXPECT_EQ(Value(*store, "a"), (Floats{2}));
  EXPECT_EQ(Value(*store, "b"), (Floats{1}));
  RunOnce(model);
  EXPECT_EQ(Value(*store, "a"), (Floats{1}));
}

TEST(Variables, OperatorsThatChangeTheirInput) {
  Net net;
  Endpoint w = Variable(net, "w", Array::F({3, 2}, {1, 2, 3, 4, 5, 6}));
  net.Op("ScatterUpdate", {w, net.Const(Array::I32({1}, {1})), net.Const(Array::F({1, 2}, {-3, -4}))});
  auto store = std::make_shared<VariableStore>();
  RunOnce(In(store, net));
  EXPECT_EQ(Value(*store, "w"), (Floats{1, 2, -3, -4, 5, 6}));
}

TEST(Variables, ResourceHandles) {
  Net net;
  auto handle = [&](const char *name) {
    Node *node = net.Op("VarHandleOp", {}, 0, name);
    net.graph->SetAttr(node, "dtype", AttrValue(DataTypeValue{C_DT_FLOAT}));
    net.graph->SetAttr(node, "shape", AttrValue::ListInt{2});
    net.graph->SetAttr(node, "shared_name", "shared");
    return Endpoint{node, 0};
  };
  auto read = [&](Endpoint h) {
    Node *node = net.Op("ReadVariableOp", {h});
    net.graph->SetAttr(node, "dtype", int64_t{C_DT_FLOAT});
    return Endpoint{node, 0};
  };
  Endpoint first = read(handle("one"));
  Node *assign = net.Op("AssignVariableOp", {net.Out("Identity", {handle("two")}), net.Input({2})});
  net.graph->SetAttr(assign, "dtype", AttrValue(DataTypeValue{C_DT_FLOAT}));
  Endpoint last = read(handle("three"));
  net.graph->AddControl(first.node, assign);
  net.graph->AddControl(assign, last.node);
  net.Outputs({first, last});
  auto store = std::make_shared<VariableStore>();
  RunContext context(In(store, net));
  std::vector<Array> out = RunAll(context, {Array::F({2}, {3, 4})});
  EXPECT_EQ(out[0].Floats(), (Floats{0, 0}));
  EXPECT_EQ(out[1].Floats(), (Floats{3, 4}));
  EXPECT_EQ(Value(*store, "shared"), (Floats{3, 4}));
  Net wrong;
  Node *bare = wrong.Op("VarHandleOp", {}, 0, "h");
  wrong.graph->SetAttr(bare, "dtype", AttrValue(DataTypeValue{C_DT_FLOAT}));
  wrong.Outputs({wrong.Out("Neg", {{bare, 0}})});
  EXPECT_GE_ERROR(Model::Compile(*wrong.graph, Opts()), GE_UNSUPPORTED, "reads the handle of variable 'h'");
}

TEST(Variables, TellWhetherTheyHaveAValue) {
  Net net("asks"), fill("fills");
  Endpoint w = Variable(net, "w", Zeros({2})), valued = Variable(net, "v", Array::F({2}, {1, 1}));
  net.Outputs({net.Out("VarIsInitializedOp", {w}), net.Out("VarIsInitializedOp", {valued})});
  fill.Op("Assign", {Variable(fill, "w", Zeros({2})), F(fill, {1, 2})});
  auto store = std::make_shared<VariableStore>();
  RunContext context(In(store, net));
  EXPECT_EQ(RunAll(context, {})[0].As<uint8_t>()[0], 0);
  EXPECT_EQ(RunAll(context, {})[1].As<uint8_t>()[0], 1);
  RunOnce(In(store, fill));
  EXPECT_EQ(RunAll(context, {})[0].As<uint8_t>()[0], 1);
}

TEST(Variables, SayWhatTheyLack) {
  Net net("net");
  Endpoint w = Variable(net, "w", Array{C_DT_FLOAT, {-1}, {}});
  net.Outputs({net.Out("Neg", {w})});
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Opts()), GE_GRAPH_INVALID, "Variable 'w' is read and has shape [-1]");
  auto store = std::make_shared<VariableStore>();
  EXPECT_GE_ERROR(store->Copy({"w"}), GE_NOT_FOUND, "no variable 'w'");
  Net fill("fill");
  fill.Op("Assign", {Variable(fill, "v", Nothing()), fill.Input({-1})});
  RunContext context(In(store, fill));
  EXPECT_GE_ERROR(store->Copy({"v"}), GE_BAD_STATE, "variable 'v' has no value yet");
  EXPECT_GE_ERROR(store->Copy({"w"}), GE_NOT_FOUND, "there are v");
  RunAll(context, {Array::F({3}, {1, 2, 3})});  // the first value decides
  EXPECT_EQ(Value(*store, "v"), (Floats{1, 2, 3}));
  EXPECT_GE_ERROR(RunAll(context, {Array::F({2}, {1, 2})}), GE_DATA_MISMATCH, "variable 'v' is DT_FLOAT [3]");
}

// ---- graphs that run node by node ----

TEST(Variables, InBranches) {
  Net net;
  Endpoint cond = net.Input({}, C_DT_BOOL), x = net.Input({2});
  Endpoint w = Variable(net, "w", Array::F({2}, {1, 2}));
  Node *node = net.Op("If", {cond, x}, 1);
  net.graph->AttachSubgraph(node, "then_branch", Sub("then", {{{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("AssignAdd", {Variable(n, "w", Zeros({2})), in[0]})};
                            }));
  net.graph->AttachSubgraph(node, "else_branch", Sub("else", {{{2}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Mul", {in[0], Variable(n, "w", Nothing())})};
                            }));
  net.Outputs({{node, 0}, w});
  RunContext context(Model::Compile(*net.graph, Opts()));
  const Array x1 = Array::F({2}, {10, 20});
  std::vector<Array> out = RunAll(context, {Array::Bool(false), x1});
  EXPECT_EQ(out[0].Floats(), (Floats{10, 40}));
  EXPECT_EQ(out[1].Floats(), (Floats{1, 2}));
  out = RunAll(context, {Array::Bool(true), x1});
  EXPECT_EQ(out[0].Floats(), (Floats{11, 22}));
  EXPECT_EQ(out[1].Floats(), (Floats{11, 22}));
  out = RunAll(context, {Array::Bool(false), x1});
  EXPECT_EQ(out[0].Floats(), (Floats{110, 440}));
}

TEST(Variables, InLoops) {
  Net net;  // while (i < limit) { i += 1; w += step; }, where `step` is read only
  Endpoint i = net.Input({}, C_DT_INT64), limit = net.Input({}, C_DT_INT64);
  Endpoint w = Variable(net, "w", Array::F({1}, {100}));
  Node *node = net.Op("While", {i, limit}, 2);
  std::vector<std::pair<std::vector<int64_t>, int32_t>> types = {{{}, C_DT_INT64}, {{}, C_DT_INT64}};
  net.graph->AttachSubgraph(node, "cond", Sub("cond", types, [](Net &n, auto &in) {
                              return std::vector<Endpoint>{n.Out("Less", {in[0], in[1]})};
                            }));
  net.graph->AttachSubgraph(node, "body", Sub("body", types, [](Net &n, auto &in) {
                              n.Op("AssignAdd", {Variable(n, "w", Nothing()), Variable(n, "step", Array::F({1}, {3}))});
                              return std::vector<Endpoint>{n.Out("Add", {in[0], n.Const(Array::I64({}, {1}))}), in[1]};
                            }));
  net.Outputs({{node, 0}, w});
  RunContext context(Model::Compile(*net.graph, Opts()));
  std::vector<Array> out = RunAll(context, {Array::I64({}, {0}), Array::I64({}, {4})});
  EXPECT_EQ(out[0].As<int64_t>()[0], 4);
  EXPECT_EQ(out[1].Floats(), (Floats{112}));
  out = RunAll(context, {Array::I64({}, {0}), Array::I64({}, {0})});
  EXPECT_EQ(out[1].Floats(), (Floats{112}));
  out = RunAll(context, {Array::I64({}, {0}), Array::I64({}, {1})});
  EXPECT_EQ(out[1].Floats(), (Floats{115}));
}

TEST(Variables, InBodiesOfFor) {
  for (const bool counter : {false, true}) {
    Net net;
    Endpoint w = Variable(net, "w", Array::F({1}, {0}));
    Endpoint x = net.Input({1});
    auto number = [&](int32_t v) { return net.Const(Array::I32({}, {v})); };
    Node *node = net.Op("For", {number(0), number(3), number(1), x}, 1);
    std::vector<std::pair<std::vector<int64_t>, int32_t>> types = {{{1}, C_DT_FLOAT}};
    if (counter) types.insert(types.begin(), {{}, C_DT_INT32});
    net.graph->AttachSubgraph(
        node, "body", Sub("body", types, [](Net &n, auto &in) {
          return std::vector<Endpoint>{n.Out("AssignAdd", {Variable(n, "w", Zeros({1})), in.back()})};
        }));
    net.Outputs({{node, 0}, w});
    RunContext context(Model::Compile(*net.graph, Opts()));
    // x: 1, w: 1; x: 1, w: 2; x: 2, w: 4
    std::vector<Array> out = RunAll(context, {Array::F({1}, {1})});
    EXPECT_EQ(out[0].Floats(), (Floats{4})) << counter;
    EXPECT_EQ(out[1].Floats(), (Floats{4})) << counter;
  }
}

TEST(Variables, PassedToABodyThatAssignsThem) {
  Net net;
  Endpoint w = Variable(net, "w", Array::F({1}, {1}));
  Node *inner = net.Op("PartitionedCall", {w}, 1);
  net.graph->AttachSubgraph(inner, "f", Sub("f", {{{1}, C_DT_FLOAT}}, [](Net &n, auto &in) {
                              Node *write = n.Op("AssignAdd", {in[0], F(n, {2})});
                              Node *read = n.Op("Identity", {in[0]});
                              n.graph->AddControl(write, read);
                              return std::vector<Endpoint>{{read, 0}};
                            }));
  net.Outputs({{inner, 0}, w});
  RunContext context(Model::Compile(*net.graph, Opts()));
  EXPECT_EQ(RunAll(context, {})[0].Floats(), (Floats{3}));
  std::vector<Array> out = RunAll(context, {});
  EXPECT_EQ(out[0].Floats(), (Floats{5}));
  EXPECT_EQ(out[1].Floats(), (Floats{5}));
}

TEST(Variables, WithShapesThatOnlyTheRunTells) {
  Net net;
  Endpoint x = net.Input({-1});
  Endpoint sum = net.Out("ReduceSum", {x, net.Const(Array::I64({1}, {0}))});
  Endpoint total = net.Out("AssignAdd", {Variable(net, "total", Array::F({}, {0})), sum});
  net.Outputs({total});
  RunContext context(Model::Compile(*net.graph, Opts()));
  EXPECT_EQ(RunAll(context, {Array::F({3}, {1, 2, 3})})[0].Floats(), (Floats{6}));
  EXPECT_EQ(RunAll(context, {Array::F({1}, {4})})[0].Floats(), (Floats{10}));
  EXPECT_EQ(RunAll(context, {Array::F({3}, {1, 1, 1})})[0].Floats(), (Floats{13}));
}

TEST(Variables, InputsThatTheGraphChanges) {
  Net net;
  Node *cache = MakeNode(*net.graph, "RefData", "cache");
  net.graph->SetAttr(cache, "index", int64_t{0});
  net.graph->SetOutputDesc(cache, 0, TensorDesc(C_DT_FLOAT, Shape{2}));
  net.Outputs({net.Out("Neg", {net.Out("AssignAdd", {{cache, 0}, F(net, {1, 2})})})});
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  Array mine = Array::F({2}, {10, 20});
  GeTensorData in = mine.View(), out{};
  for (int run = 1; run <= 3; ++run) {
    context.Run(&in, 1, &out, 1, nullptr);
    const float by = static_cast<float>(run);
    EXPECT_EQ(mine.Floats(), (Floats{10 + by, 20 + 2 * by}));
    EXPECT_EQ(static_cast<const float *>(out.data)[0], -10 - by);
  }
}

/// A cache of rows as a RefData: one row is replaced, what is left of the sum over all is the result.
struct Cache {
  Net net;
  ModelPtr model;
  Array rows = Array::F({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), row = Array::F({1, 2}, {50, 60}), at = Array::I64({1}, {1});

  explicit Cache(const Options &options = Opts(), bool read_old = false) {
    Node *cache = MakeNode(*net.graph, "RefData", "cache");
    net.graph->SetAttr(cache, "index", int64_t{2});
    net.graph->SetOutputDesc(cache, 0, TensorDesc(C_DT_FLOAT, Shape{4, 2}));
    Endpoint position = net.Input({1}, C_DT_INT64), fresh = net.Input({1, 2});
    Endpoint old{cache, 0}, axes = net.Const(Array::I64({1}, {0}));
    Endpoint before = read_old ? net.Out("ReduceSum", {net.Out("Neg", {old}), axes}) : Endpoint();
    Endpoint updated = net.Out("ScatterUpdate", {old, position, fresh});
    net.Outputs({net.Out("ReduceSum", {updated, axes}), read_old ? before : updated});
    model = Model::Compile(*net.graph, options);
  }
  /// The sum over all rows; `second` may be memory for the other output.
  Floats Run(RunContext &context, GeTensorData second = {}) {
    std::vector<GeTensorData> in = {at.View(), row.View(), rows.View()}, out = {GeTensorData{}, second};
    context.Run(in.data(), in.size(), out.data(), out.size(), nullptr);
    const float *sum = static_cast<const float *>(out[0].data), *other = static_cast<const float *>(out[1].data);
    last.assign(other, other + out[1].size / sizeof(float));
    return {sum[0], sum[1]};
  }
  Floats last;
};

TEST(Variables, ACacheIsUpdatedInTheCallersMemory) {
  Cache c;
  RunContext context(c.model);
  ASSERT_EQ(c.model->NewestPlan()->memory.states.size(), 1u);
  EXPECT_EQ(c.Run(context), (Floats{1 + 50 + 5 + 7, 2 + 60 + 6 + 8}));
  EXPECT_EQ(c.rows.Floats(), (Floats{1, 2, 50, 60, 5, 6, 7, 8}));
  EXPECT_EQ(c.last, c.rows.Floats());
  c.at = Array::I64({1}, {3});
  EXPECT_EQ(c.Run(context), (Floats{1 + 50 + 5 + 50, 2 + 60 + 6 + 60}));
  EXPECT_EQ(c.rows.Floats(), (Floats{1, 2, 50, 60, 5, 6, 50, 60}));
}

TEST(Variables, TheSameWithoutReuseOfMemory) {
  Cache c(Opts({{"ge.exec.disableReuseMemory", "1"}}));
  RunContext context(c.model);
  EXPECT_TRUE(c.model->NewestPlan()->memory.states.empty());
  EXPECT_EQ(c.Run(context), (Floats{63, 76}));
  EXPECT_EQ(c.rows.Floats(), (Floats{1, 2, 50, 60, 5, 6, 7, 8}));
}

TEST(Variables, OldContentIsReadAsItWas) {
  Cache c(Opts(), true);
  RunContext context(c.model);
  EXPECT_EQ(c.Run(context), (Floats{63, 76}));
  EXPECT_EQ(c.last, (Floats{-16, -20}));
  EXPECT_EQ(c.rows.Floats(), (Floats{1, 2, 50, 60, 5, 6, 7, 8}));
}

TEST(Variables, ACacheThatOverlapsOtherBuffersIsChangedAtTheEnd) {
  Cache c;
  RunContext context(c.model);
  // The row that is written comes from the cache itself: the last one.
  std::vector<GeTensorData> in = {c.at.View(), c.row.View(), c.rows.View()}, out(2);
  in[1].data = static_cast<float *>(in[2].data) + 6;
  context.Run(in.data(), in.size(), out.data(), out.size(), nullptr);
  EXPECT_EQ(c.rows.Floats(), (Floats{1, 2, 7, 8, 5, 6, 7, 8}));
  // An output that lies where the cache does: the cache's new content is there in the end.
  c.rows = Array::F({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  GeTensorData same{};
  same.data = c.rows.View().data;
  same.size = 32;
  EXPECT_EQ(c.Run(context, same), (Floats{63, 76}));
  EXPECT_EQ(c.rows.Floats(), (Floats{1, 2, 50, 60, 5, 6, 7, 8}));
}

TEST(Variables, ARefusedIndexLeavesTheCacheAsItWas) {
  Cache c;
  RunContext context(c.model);
  c.at = Array::I64({1}, {4});
  EXPECT_GE_ERROR(c.Run(context), GE_PARAM_INVALID, "ScatterUpdate");
  EXPECT_EQ(c.rows.Floats(), (Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  c.at = Array::I64({1}, {0});
  EXPECT_EQ(c.Run(context), (Floats{50 + 3 + 5 + 7, 60 + 4 + 6 + 8}));
}

// ---- threads ----

TEST(Variables, RunsThatAssignLoseNothing) {
  auto store = std::make_shared<VariableStore>();
  Net add("add"), look("look");
  Endpoint a = Variable(add, "a", Array::F({256}, Floats(256, 0)));
  Endpoint b = Variable(add, "b", Array::F({256}, Floats(256, 0)));
  add.Op("AssignAdd", {a, add.Const(Array::F({1}, {1}))});
  add.Op("AssignAdd", {b, add.Const(Array::F({1}, {2}))});
  look.Outputs({look.Out("Identity", {Variable(look, "a", Zeros({256}))}),
                look.Out("Identity", {Variable(look, "b", Zeros({256}))})});
  ModelPtr adds = In(store, add), looks = In(store, look);
  constexpr int kThreads = 4, kRuns = 50;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      RunContext context(adds);
      for (int i = 0; i < kRuns; ++i) RunAll(context, {});
    });
    threads.emplace_back([&] {
      RunContext context(looks);
      float last = 0;
      for (int i = 0; i < kRuns; ++i) {
        std::vector<Array> out = RunAll(context, {});
        const Floats x = out[0].Floats(), y = out[1].Floats();
        // One moment: all of a run's assignments or none of them, and never back.
        for (size_t k = 0; k < x.size(); ++k) wrong += x[k] != x[0] || y[k] != 2 * x[0];
        wrong += x[0] < last;
        last = x[0];
      }
    });
  }
  for (std::thread &t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(Value(*store, "a"), Floats(256, kThreads * kRuns));
  EXPECT_EQ(Value(*store, "b"), Floats(256, 2 * kThreads * kRuns));
}

TEST(Variables, AReaderKeepsWhatItStartedWith) {
  auto store = std::make_shared<VariableStore>();
  Net add;
  add.Op("AssignAdd", {Variable(add, "w", Array::F({1}, {0})), F(add, {1})});
  ModelPtr model = In(store, add);
  std::vector<VariableStore::Held> held;
  store->Take({0}, &held);
  RunContext context(model);
  for (int i = 0; i < 5; ++i) RunAll(context, {});
  EXPECT_EQ(held[0].value->as<float>()[0], 0);
  store->Release(&held);
  store->Take({0}, &held);
  for (int i = 0; i < 5; ++i) RunAll(context, {});
  EXPECT_EQ(held[0].value->as<float>()[0], 5);
  store->Release(&held);
  EXPECT_EQ(Value(*store, "w"), (Floats{10}));
}

// ---- what a program sets ----

TEST(Variables, AProgramGivesValues) {
  auto store = std::make_shared<VariableStore>();
  store->Set({{"w", TensorOf(Array::F({2}, {1, 2}))}});
  Net net("net");
  net.Outputs({net.Out("Neg", {Variable(net, "w", Nothing())})});  // its shape comes from the store
  RunContext context(In(store, net));
  EXPECT_EQ(RunAll(context, {})[0].Floats(), (Floats{-1, -2}));
  store->Set({{"w", TensorOf(Array::F({2}, {3, 4}))}, {"v", TensorOf(Array::F({1}, {9}))}});
  EXPECT_EQ(RunAll(context, {})[0].Floats(), (Floats{-3, -4}));
  EXPECT_GE_ERROR(store->Set({{"v", TensorOf(Array::F({1}, {7}))}, {"w", TensorOf(Array::F({3}, {1, 2, 3}))}}),
                  GE_DATA_MISMATCH, "variable 'w' is DT_FLOAT [2]");
  EXPECT_EQ(Value(*store, "v"), (Floats{9}));
}

}  // namespace
}  // namespace gec
