// Operators with attributes in place of inputs become their siblings, with everything that a node may carry.
#include "core/passes/attribute_forms.h"

#include "core/ops/make_node.h"
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

using Ints = std::vector<int64_t>;

TEST(AttributeForms, TheSiblingHasNameAttributesControlAndDescriptions) {
  Builder b;
  Endpoint x = b.Input({2, 3});
  Node *before = b.Op("Abs", {x});
  Node *sum = b.Op("ReduceSumD", {x}, {{"axes", Ints{1}}, {"keep_dims", true}, {"_user_stream_label", "s"}});
  Node *after = b.Op("Neg", {x});
  TensorDesc own = sum->input_desc(0);
  own.format = own.origin_format = C_FORMAT_NCHW;
  b.graph->SetInputDesc(sum, 0, own);
  b.graph->AddControl(before, sum);
  b.graph->AddControl(sum, after);
  const std::string name = sum->name();
  b.Outputs({{sum, 0}, {before, 0}, {after, 0}});

  EXPECT_EQ(ReplaceAttributeForms(*b.graph), 1u);
  b.graph->Verify();
  EXPECT_EQ(Count(*b.graph, "ReduceSumD"), 0u);
  Node *made = Only(*b.graph, "ReduceSum");
  EXPECT_EQ(made->name(), name);
  EXPECT_EQ(made->OriginText(), name);
  EXPECT_TRUE(made->Bool("keep_dims"));
  EXPECT_EQ(made->attrs().Find("axes"), nullptr);
  EXPECT_EQ(made->String("_user_stream_label"), "s");
  EXPECT_EQ(ConstantInput(*made, 1)->Ints(), (Ints{1}));
  EXPECT_EQ(made->explicit_input_desc(0)->format, C_FORMAT_NCHW);
  EXPECT_EQ(made->output_desc(0).shape, (Shape{2, 1}));
  EXPECT_EQ(made->control_inputs(), (std::vector<Node *>{before}));
  EXPECT_EQ(made->control_outputs(), (std::vector<Node *>{after}));
  EXPECT_EQ(b.graph->Outputs()[0].node, made);
}

TEST(AttributeForms, DynamicPortsKeepTheirOrder) {
  Builder b;
  Endpoint p = b.Input({2, 1}), q = b.Input({2, 3});
  Node *split = b.Op("SplitVD", {b("ConcatV2D", {p, q}, {{"concat_dim", int64_t{1}}, {"N", int64_t{2}}})},
                     {{"size_splits", Ints{3, 1}}, {"split_dim", int64_t{1}}, {"num_split", int64_t{2}}}, {2});
  b.Outputs({{split, 0}, {split, 1}});
  EXPECT_EQ(ReplaceAttributeForms(*b.graph), 2u);
  b.graph->Verify();
  const Node *join = Only(*b.graph, "ConcatV2"), *parts = Only(*b.graph, "SplitV");
  EXPECT_EQ(join->input(0), p);
  EXPECT_EQ(join->input(1), q);
  EXPECT_EQ(parts->output_desc(0).shape, (Shape{2, 3}));
  EXPECT_EQ(parts->output_desc(1).shape, (Shape{2, 1}));
  EXPECT_EQ(b.graph->Outputs()[1], (Endpoint{const_cast<Node *>(parts), 1}));
}

TEST(AttributeForms, NodesOfAProgramsOwnKernelStay) {
  Builder b;
  Node *sum = b.Op("ReduceSumD", {b.Input({2, 3})}, {{"axes", Ints{1}}});
  b.graph->SetOwnKernel(sum);
  b.Outputs({{sum, 0}});
  EXPECT_EQ(ReplaceAttributeForms(*b.graph), 0u);
  EXPECT_EQ(Count(*b.graph, "ReduceSumD"), 1u);
}

TEST(AttributeForms, ANumberWaitsForTheTypeOfTheFirstInput) {
  Builder b;
  Endpoint x = b.Input({2}, C_DT_UNDEFINED);
  Node *pad = b.Op("PadV3D", {x}, {{"paddings", AttrValue::ListListInt{{1, 1}}}, {"constant_values", int64_t{300}}});
  b.Outputs({{pad, 0}});
  EXPECT_EQ(ReplaceAttributeForms(*b.graph), 0u);
  b.graph->SetOutputDesc(x.node, 0, TensorDesc(C_DT_INT8, Shape{2}));
  try {
    ReplaceAttributeForms(*b.graph);
    FAIL() << "300 as an 8-bit integer";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "PadV3D 'PadV3D': attribute constant_values holds 300, which DT_INT8 does not");
  }
  EXPECT_EQ(b.graph->node_count(), 2u + (b.graph->NetOutput() ? 1 : 0));
}

TEST(AttributeForms, AMissingAttributeIsNamed) {
  Builder b;
  Node *sum = MakeNode(*b.graph, "ReduceSumD", "sum");  // as a pass may add it, without inference
  b.graph->Connect(b.Input({2, 3}), sum, 0);
  b.Outputs({{sum, 0}});
  try {
    ReplaceAttributeForms(*b.graph);
    FAIL() << "no axes";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "ReduceSumD 'sum': attribute axes is missing");
  }
}

}  // namespace
