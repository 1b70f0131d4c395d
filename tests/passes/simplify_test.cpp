// Cleaning passes: identities, folding, common subexpressions, dead code, arithmetic identities.
#include "core/ops/builtin_ops.h"
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

TEST(RemoveIdentity, DropsWhatDoesNothing) {
  Builder b;
  Endpoint x = b.Input({2, 3, 4});
  Endpoint y = b("Relu", {x});
  y = b("Identity", {y});
  y = b("Reshape", {y, b.Ints({2, 3, 4})});
  y = b("Transpose", {y, b.Ints({0, 1, 2})});
  y = b("Cast", {y}, {{"dst_type", int64_t{C_DT_FLOAT}}});
  y = b("Expand", {y, b.Ints({3, 1})});
  y = b("PadV3", {y, b.Ints({0, 0, 0, 0, 0, 0}), b.Scalar(0)});
  b.Outputs({b("Neg", {y})});
  EXPECT_TRUE(Differential(b, {"RemoveIdentity"}, 0));
  EXPECT_EQ(b.graph->node_count(), 3u);
  EXPECT_FALSE(RunOne(*b.graph, "RemoveIdentity"));
}

TEST(RemoveIdentity, KeepsWhatDoesSomething) {
  Builder b;
  Endpoint x = b.Input({2, 3});
  std::vector<Endpoint> outputs{b("Reshape", {x, b.Ints({3, 2})}),
                                b("Transpose", {x, b.Ints({1, 0})}),
                                b("Cast", {x}, {{"dst_type", int64_t{C_DT_INT32}}}),
                                b("Expand", {x, b.Ints({4, 2, 3})}),
                                b("PadV3", {x, b.Ints({0, 0, 0, 1}), b.Scalar(0)}),
                                b("Identity", {x})};  // an input as an output stays a value of its own
  b.Outputs(outputs);
  EXPECT_FALSE(Differential(b, {"RemoveIdentity"}, 0));
}

TEST(RemoveIdentity, UnknownDimensions) {
  Builder b;
  Endpoint x = b.Input({-1, 4}), z = b.Input({-1, -1});
  Node *provable = b.Op("Reshape", {b("Relu", {x}), b.Ints({-1, 4})});
  Node *open = b.Op("Reshape", {b("Relu", {z}), b.Ints({-1, 4})});
  b.Outputs({b("Neg", {{provable, 0}}), b("Neg", {{open, 0}})});
  RunOne(*b.graph, "RemoveIdentity");
  EXPECT_TRUE(provable->removed());
  EXPECT_FALSE(open->removed());
}

TEST(RemoveIdentity, ControlEdgesStay) {
  Builder b;
  Endpoint id = b("Identity", {b("Relu", {b.Input({2})})});
  Endpoint other = b("Neg", {b.Input({2})});
  b.graph->AddControl(id.node, other.node);
  b.Outputs({id, other});
  EXPECT_FALSE(RunOne(*b.graph, "RemoveIdentity"));
}

/// Every operator that its traits call a view.
std::vector<std::string> Views() {
  std::vector<std::string> views;
  ForEachBuiltinOp([&](const GeOpSchema &schema, GeInferFn) {
    if (schema.traits && (schema.traits->flags & GE_TRAIT_VIEW)) views.push_back(schema.type);
  });
  return views;
}

/// A view of x under its own shape.
Endpoint SameShape(Builder &b, const std::string &type, Endpoint x) {
  const IrDef *ir = OpRegistry::Instance().Get(type);
  const AttrValue::ListInt dims(DescOf(x).shape.dims().begin(), DescOf(x).shape.dims().end());
  Builder::Attrs attrs;
  for (const IrAttr &attr : ir->attrs) {
    if (attr.required && attr.name.view() == "shape") attrs.push_back({"shape", dims});
    if (attr.required && attr.name.view() == "type") attrs.push_back({"type", DataTypeValue{C_DT_FLOAT}});
  }
  std::vector<Endpoint> inputs{x};
  if (type == "Reshape") inputs.push_back(b.Ints({dims.begin(), dims.end()}));
  return b(type.c_str(), inputs, attrs);
}

// The traits say what an operator is: a view of the same shape goes, whatever it is called.
TEST(RemoveIdentity, EveryViewOfTheSameShapeGoes) {
  const std::vector<std::string> views = Views();
  EXPECT_GE(views.size(), 20u);
  size_t tried = 0;
  for (const std::string &type : views) {
    if (OpRegistry::Instance().Get(type)->inputs.size() > 1 && type != "Reshape") continue;  // axes of 1
    Builder b;
    const Endpoint y = SameShape(b, type, b("Relu", {b.Input({2, 3})}));
    if (DescOf(y).shape != Shape{2, 3}) continue;  // adds a dimension
    ++tried;
    b.Outputs({b("Neg", {y})});
    EXPECT_TRUE(RunOne(*b.graph, "RemoveIdentity")) << type;
    EXPECT_EQ(Count(*b.graph, type.c_str()), 0u);
  }
  EXPECT_GE(tried, 12u);
}

TEST(RemoveIdentity, ACheckedShapeAndOtherBitsStay) {
  Builder b;
  Endpoint open = b("Relu", {b.Input({-1, 4})});
  Endpoint checked = b("EnsureShape", {open}, {{"shape", AttrValue::ListInt{3, 4}}});
  Endpoint bits = b("Bitcast", {b("Relu", {b.Input({2, 3})})}, {{"type", DataTypeValue{C_DT_INT32}}});
  b.Outputs({b("Neg", {checked}), b("Neg", {bits})});
  EXPECT_FALSE(RunOne(*b.graph, "RemoveIdentity"));
}

TEST(AlgebraicSimplify, EveryViewOfAViewIsOne) {
  for (const char *type : {"SqueezeV2", "Squeeze", "SqueezeV3"}) {
    Builder b;
    Endpoint x = b("Reshape", {b.Input({2, 6}), b.Ints({3, 4, 1})});
    b.Outputs({b("Neg", {b(type, {x})})});
    EXPECT_TRUE(Differential(b, {"AlgebraicSimplify", "DeadCode"}, 0)) << type;
    EXPECT_EQ(Count(*b.graph, "Reshape"), 1u) << type;
    EXPECT_EQ(Count(*b.graph, type), 0u);
  }
  for (const char *type : {"ExpandDims", "UnsqueezeV3", "UnsqueezeV2", "Unsqueeze"}) {
    Builder b;
    Endpoint x = b("Reshape", {b.Input({2, 6}), b.Ints({3, 4})});
    const IrDef *ir = OpRegistry::Instance().Get(type);
    const Endpoint y = ir->inputs.size() == 2 ? b(type, {x, b.Ints({0})})
                                              : b(type, {x}, {{ir->attrs[0].name.c_str(), AttrValue::ListInt{0}}});
    b.Outputs({b("Neg", {y})});
    EXPECT_TRUE(Differential(b, {"AlgebraicSimplify", "DeadCode"}, 0)) << type;
    EXPECT_EQ(Count(*b.graph, type), 0u);
  }
}

TEST(AlgebraicSimplify, ViewsOfOtherTypesStay) {
  Builder b;
  Endpoint bits = b("Bitcast", {b.Input({2, 6})}, {{"type", DataTypeValue{C_DT_INT32}}});
  b.Outputs({b("Neg", {b("Reshape", {bits, b.Ints({3, 4})})})});
  EXPECT_FALSE(RunOne(*b.graph, "AlgebraicSimplify"));
}

TEST(ConstantFolding, ComputesConstantParts) {
  Builder b;
  Endpoint x = b.Input({2, 2});
  Endpoint c = b("Mul", {b("Add", {b.Scalar(2), b.Scalar(3)}), b.Floats({2}, {1, 2})});
  b.Outputs({b("Add", {x, c})});
  EXPECT_TRUE(Differential(b, {"ConstantFolding"}, 0));
  EXPECT_EQ(Count(*b.graph, "Mul"), 0u);
  TensorPtr folded = ConstantInput(*Only(*b.graph, "Add"), 1);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->as<float>()[0], 5);
  EXPECT_EQ(folded->as<float>()[1], 10);
}

TEST(ConstantFolding, ShapesOfKnownTensors) {
  Builder b;
  Endpoint x = b.Input({2, 5});
  b.Outputs({b("Shape", {b("Relu", {x})}, {{"dtype", DataTypeValue{C_DT_INT64}}}), b("Neg", {x})});
  EXPECT_TRUE(Differential(b, {"ConstantFolding"}, 0));
  EXPECT_EQ(Count(*b.graph, "Shape"), 0u);
}

TEST(ConstantFolding, DoesNotGrowTheModel) {
  Builder b;
  Endpoint x = b.Input({8192, 1024});
  Endpoint big = b("Expand", {b.Scalar(1), b.Ints({8192, 1024})});  // 32 megabytes out of four bytes
  b.Outputs({b("Add", {x, big})});
  EXPECT_FALSE(RunOne(*b.graph, "ConstantFolding"));
  EXPECT_EQ(Count(*b.graph, "Expand"), 1u);
}

TEST(CommonSubexpression, EqualNodesAndConstantsBecomeOne) {
  Builder b;
  Endpoint x = b.Input({3});
  Endpoint p = b("Exp", {b("Add", {x, b.Floats({1}, {2})})}), q = b("Exp", {b("Add", {x, b.Floats({1}, {2})})});
  Endpoint r = b("Exp", {b("Add", {x, b.Floats({1}, {3})})});
  b.Outputs({b("Mul", {p, q}), r});
  EXPECT_TRUE(Differential(b, {"CommonSubexpression"}, 0));
  EXPECT_EQ(Count(*b.graph, "Exp"), 2u);
  EXPECT_EQ(Count(*b.graph, "Const"), 2u);
  Node *kept = Only(*b.graph, "Mul")->input(0).node;
  EXPECT_EQ(kept, Only(*b.graph, "Mul")->input(1).node);
  EXPECT_EQ(kept->origins().size(), 2u);  // stands for both
}

TEST(CommonSubexpression, AttributesTypesAndRandomNumbersTell) {
  Builder b;
  Endpoint x = b.Input({2, 3});
  b.Outputs({b("LeakyRelu", {x}, {{"negative_slope", 0.1f}}), b("LeakyRelu", {x}, {{"negative_slope", 0.2f}}),
             b("Sqrt", {x}), b("Rsqrt", {x}), b("Sub", {x, b.Scalar(1)}), b("Sub", {b.Scalar(1), x})});
  RunOne(*b.graph, "CommonSubexpression");
  EXPECT_EQ(b.graph->node_count(), 8u);  // one of the two equal constants went
}

TEST(CommonSubexpression, OperandsOfACommutativeOperatorMaySwap) {
  Builder b;
  Endpoint x = b.Input({3}), y = b.Input({3});
  b.Outputs({b("Add", {x, y}), b("Add", {y, x}), b("Sub", {x, y}), b("Sub", {y, x}), b("Maximum", {x, y}),
             b("Maximum", {y, x})});
  EXPECT_TRUE(Differential(b, {"CommonSubexpression"}, 0));
  EXPECT_EQ(Count(*b.graph, "Add"), 1u);
  EXPECT_EQ(Count(*b.graph, "Maximum"), 1u);
  EXPECT_EQ(Count(*b.graph, "Sub"), 2u);
}

Endpoint AllReduce(Builder &b, Endpoint x) {
  return b("HcomAllReduce", {x}, {{"reduction", std::string("sum")}, {"group", std::string("world")}});
}

TEST(CommonSubexpression, OnlyPureOperatorsAreMerged) {
  Builder b;
  Endpoint x = b.Input({2, 3});
  const Endpoint shape = b.Ints({2, 3});
  b.Outputs({b("L2Normalize", {x}, {{"axis", AttrValue::ListInt{1}}}),
             b("L2Normalize", {x}, {{"axis", AttrValue::ListInt{1}}}),
             b("RandomUniform", {shape}, {{"dtype", DataTypeValue{C_DT_FLOAT}}}),
             b("RandomUniform", {shape}, {{"dtype", DataTypeValue{C_DT_FLOAT}}}), AllReduce(b, x), AllReduce(b, x)});
  RunOne(*b.graph, "CommonSubexpression");
  EXPECT_EQ(Count(*b.graph, "L2Normalize"), 1u);
  EXPECT_EQ(Count(*b.graph, "RandomUniform"), 2u);
  EXPECT_EQ(Count(*b.graph, "HcomAllReduce"), 2u);
}

TEST(DeadCode, KeepsOperatorsWithEffects) {
  Builder b;
  Endpoint x = b.Input({2});
  AllReduce(b, b("Exp", {x}));
  b("RandomUniform", {b.Ints({2})}, {{"dtype", DataTypeValue{C_DT_FLOAT}}});
  b.Outputs({b("Relu", {x})});
  RunOne(*b.graph, "DeadCode");
  EXPECT_EQ(Count(*b.graph, "HcomAllReduce"), 1u);
  EXPECT_EQ(Count(*b.graph, "Exp"), 1u);
  EXPECT_EQ(Count(*b.graph, "RandomUniform"), 0u);
}

TEST(DeadCode, RemovesWhatNobodyReads) {
  Builder b;
  Endpoint x = b.Input({2}), unused = b.Input({2});
  b("Exp", {b("Neg", {unused})});
  b.Outputs({b("Relu", {x})});
  EXPECT_TRUE(Differential(b, {"DeadCode"}, 0));
  EXPECT_EQ(b.graph->node_count(), 3u);  // inputs stay
  EXPECT_FALSE(RunOne(*b.graph, "DeadCode"));
}

/// Builds y from one input of the given shape, simplifies, and tells how many nodes of the type are left.
size_t Left(Shape shape, const char *type, const std::function<Endpoint(Builder &, Endpoint)> &build) {
  Builder b;
  Endpoint x = b.Input(std::move(shape));
  b.Outputs({b("Abs", {build(b, b("Relu", {x}))})});
  Differential(b, {"AlgebraicSimplify"}, 2e-6f);
  return Count(*b.graph, type);
}

TEST(AlgebraicSimplify, NeutralElements) {
  Shape s{2, 3};
  EXPECT_EQ(Left(s, "Add", [](Builder &b, Endpoint x) { return b("Add", {x, b.Scalar(0)}); }), 0u);
  EXPECT_EQ(Left(s, "Add", [](Builder &b, Endpoint x) { return b("Add", {b.Floats({3}, {0, 0, 0}), x}); }), 0u);
  EXPECT_EQ(Left(s, "Sub", [](Builder &b, Endpoint x) { return b("Sub", {x, b.Scalar(0)}); }), 0u);
  EXPECT_EQ(Left(s, "Mul", [](Builder &b, Endpoint x) { return b("Mul", {b.Scalar(1), x}); }), 0u);
  EXPECT_EQ(Left(s, "RealDiv", [](Builder &b, Endpoint x) { return b("RealDiv", {x, b.Scalar(1)}); }), 0u);
  // Not neutral, or the shape would change.
  EXPECT_EQ(Left(s, "Sub", [](Builder &b, Endpoint x) { return b("Sub", {b.Scalar(0), x}); }), 1u);
  EXPECT_EQ(Left(s, "Add", [](Builder &b, Endpoint x) { return b("Add", {x, b.Floats({2, 1, 1}, {0, 0})}); }), 1u);
  EXPECT_EQ(Left(s, "Add", [](Builder &b, Endpoint x) { return b("Add", {x, b.Floats({3}, {0, 1, 0})}); }), 1u);
  EXPECT_EQ(Left(s, "RealDiv",
                 [](Builder &b, Endpoint x) {
                   return b("RealDiv", {b.Scalar(1), b("Add", {x, b.Scalar(2)})});
                 }),
            0u);
}

TEST(AlgebraicSimplify, DivisionsAndRoots) {
  Shape s{2, 3};
  EXPECT_EQ(Left(s, "RealDiv", [](Builder &b, Endpoint x) { return b("RealDiv", {x, b.Scalar(8)}); }), 0u);
  EXPECT_EQ(Left(s, "RealDiv",
                 [](Builder &b, Endpoint x) {
                   return b("RealDiv", {x, b.Floats({3}, {1, 4, -0.5f})});
                 }),
            0u);
  // The reciprocal of 3 is rounded: x / 3 may lie between two integers where x * (1 / 3) does not.
  EXPECT_EQ(Left(s, "RealDiv", [](Builder &b, Endpoint x) { return b("RealDiv", {x, b.Floats({3}, {1, 3, 7})}); }), 1u);
  EXPECT_EQ(Left(s, "RealDiv", [](Builder &b, Endpoint x) { return b("RealDiv", {x, b.Floats({3}, {1, 0, 7})}); }), 1u);
  auto rsqrt = [](Builder &b, Endpoint x) { return b("Reciprocal", {b("Sqrt", {b("Add", {x, b.Scalar(1)})})}); };
  EXPECT_EQ(Left(s, "Rsqrt", rsqrt), 1u);
  EXPECT_EQ(Left(s, "Sqrt", rsqrt), 0u);
  EXPECT_EQ(Left(s, "Pow", [](Builder &b, Endpoint x) { return b("Pow", {x, b.Scalar(2)}); }), 0u);
  EXPECT_EQ(Left(s, "Pow", [](Builder &b, Endpoint x) { return b("Pow", {x, b.Scalar(2.5f)}); }), 1u);
}

TEST(AlgebraicSimplify, Chains) {
  Shape s{2, 3, 4};
  EXPECT_EQ(Left(s, "Mul",
                 [](Builder &b, Endpoint x) {
                   return b("Mul", {b("Mul", {x, b.Scalar(3)}), b.Scalar(0.5f)});
                 }),
            1u);
  EXPECT_EQ(Left(s, "Reshape",
                 [](Builder &b, Endpoint x) {
                   return b("Reshape", {b("Reshape", {x, b.Ints({6, 4})}), b.Ints({3, 8})});
                 }),
            1u);
  EXPECT_EQ(Left(s, "UnsqueezeV3",
                 [](Builder &b, Endpoint x) {
                   return b("SqueezeV3", {b("UnsqueezeV3", {x, b.Ints({1})}), b.Ints({1})});
                 }),
            0u);
  EXPECT_EQ(Left(s, "Transpose",
                 [](Builder &b, Endpoint x) {
                   return b("Transpose", {b("Transpose", {x, b.Ints({2, 0, 1})}), b.Ints({0, 2, 1})});
                 }),
            1u);
  EXPECT_EQ(Left(s, "Neg", [](Builder &b, Endpoint x) { return b("Neg", {b("Neg", {x})}); }), 0u);
}

TEST(AlgebraicSimplify, OnesMoveFreely) {
  EXPECT_EQ(Left({1, 3, 1, 4}, "Transpose",
                 [](Builder &b, Endpoint x) {
                   return b("Transpose", {x, b.Ints({0, 2, 1, 3})});
                 }),
            0u);
  EXPECT_EQ(Left({1, 3, 2, 4}, "Transpose",
                 [](Builder &b, Endpoint x) {
                   return b("Transpose", {x, b.Ints({0, 2, 1, 3})});
                 }),
            1u);
  for (const char *type : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"}) {
    for (bool keep : {true, false}) {
      EXPECT_EQ(Left({2, 1, 3}, type,
                     [&](Builder &b, Endpoint x) {
                       return b(type, {x, b.Ints({1})}, {{"keep_dims", keep}});
                     }),
                0u);
      EXPECT_EQ(Left({2, 1, 3}, type,
                     [&](Builder &b, Endpoint x) {
                       return b(type, {x, b.Ints({2})}, {{"keep_dims", keep}});
                     }),
                1u);
    }
  }
}

TEST(AlgebraicSimplify, MeanOfPixelsIsAPool) {
  auto mean = [](std::vector<int64_t> axes) {
    return [=](Builder &b, Endpoint x) { return b("ReduceMean", {x, b.Ints(axes)}, {{"keep_dims", true}}); };
  };
  EXPECT_EQ(Left({2, 3, 4, 5}, "GlobalAveragePool", mean({2, 3})), 1u);
  EXPECT_EQ(Left({2, 3, 4, 5}, "GlobalAveragePool", mean({-1, -2})), 1u);
  EXPECT_EQ(Left({2, 3, 4, 5}, "GlobalAveragePool", mean({1, 3})), 0u);
}

TEST(AlgebraicSimplify, UnknownDimensionsAreNotGuessed) {
  Builder b;
  Endpoint x = b("Relu", {b.Input({-1, 3})});
  Endpoint wide = b("Add", {x, b.Floats({4, 1}, {0, 0, 0, 0})});  // spreads x when its first dimension is 1
  b.Outputs({b("Abs", {wide})});
  EXPECT_FALSE(RunOne(*b.graph, "AlgebraicSimplify"));
}

}  // namespace
