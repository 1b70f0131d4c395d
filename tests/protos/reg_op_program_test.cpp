// The forms of prototypes, the members of their classes and the companion macros as a program uses them.
#include <gtest/gtest.h>

#include "tests/protos/reg_op_dump.h"
#include "tests/protos/reg_op_expected.h"
#include "tests/protos/reg_op_forms.h"

#include "op_proto/control_ops.h"
#include "op_proto/nn_gated_ops.h"

namespace ge {

REG_OP(FormStrings)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(a, AscendString, AscendString("text"))
    .ATTR(la, ListAscendString, {AscendString("p"), AscendString("q")})
    .ATTR(bytes, Bytes, {1, 2})
    .ATTR(tensors, ListTensor, {})
    .OP_END_FACTORY_REG(FormStrings)

        REG_OP(FormInferred)
    .INPUT(x, T)
    .INPUT(y, T)
    .OUTPUT(z, T)
    .OUTPUT(w, T)
    .OP_END_FACTORY_REG(FormInferred) REG_OP(FormPair)
    .INPUT(x, T)
    .INPUT(y, T)
    .OUTPUT(z, T)
    .OP_END_FACTORY_REG(FormPair) REG_OP(FormSame)
    .INPUT(x, T)
    .OUTPUT(y, T)
    .OP_END_FACTORY_REG(FormSame)

        IMPLEMT_INFERFUNC(FormInferred, InferForm) {
  TensorDesc z = op.get_input_desc_x();
  z.SetShape(Shape({7, 8}));
  (void)op.update_output_desc_z(z);
  return op.update_output_desc_w(op.get_input_desc_y());
}
INFER_FUNC_REG(FormInferred, InferForm);

IMPLEMT_COMMON_INFERFUNC(InferAny) { return op.UpdateOutputDesc("z", op.GetInputDescByName("x")); }
COMMON_INFER_FUNC_REG(FormPair, InferAny);
COMMON_INFER_FUNC_REG(FormSame, ELMTWISE_INFER_SHAPEANDTYPE("x", "y"));

IMPLEMT_VERIFIER(FormInferred, VerifyForm) {
  return op.get_input_desc_x().GetDataType() == DT_UNDEFINED ? GRAPH_FAILED : GRAPH_SUCCESS;
}
VERIFY_FUNC_REG(FormInferred, VerifyForm);

IMPLEMT_INFERFORMAT_FUNC(FormInferred, InferFormat) {
  (void)op;
  return GRAPH_SUCCESS;
}
INFER_FORMAT_FUNC_REG(FormInferred, InferFormat);

IMPL_INFER_VALUE_RANGE_FUNC(FormInferred, InferRange) {
  (void)op;
  return GRAPH_SUCCESS;
}
INFER_VALUE_RANGE_CUSTOM_FUNC_REG(FormInferred, WHEN_CALL::INPUT_HAS_VALUE_RANGE, InferRange);
INFER_VALUE_RANGE_DEFAULT_REG(FormPair);

}  // namespace ge

namespace {

TEST(RegOpForms, ProgramsRegisterThem) {
  for (const ExpectedForm &form : kExpectedForms) {
    const GeOpSchema *schema = nullptr;
    ASSERT_EQ(GeOpFind(form.type, &schema), GE_SUCCESS) << form.type;
    EXPECT_EQ(Dump(*schema), form.text) << form.type;
  }
}

TEST(RegOpForms, EveryTypeOfAttributeIsAccepted) {
  ge::op::FormStrings node("n");
  ge::AscendString text;
  EXPECT_EQ(node.GetAttr("a", text), ge::GRAPH_SUCCESS);
  EXPECT_STREQ(text.GetString(), "text");
  std::vector<ge::AscendString> list;
  EXPECT_EQ(node.GetAttr("la", list), ge::GRAPH_SUCCESS);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_STREQ(list[1].GetString(), "q");
}

TEST(RegOpForms, BuiltInHeadersAreTheSamePrototypes) {
  for (const char *type : {"If", "While", "Case", "SwiGluGrad", "GeGluV2"}) {
    const GeOpSchema *schema = nullptr;
    ASSERT_EQ(GeOpFind(type, &schema), GE_SUCCESS);
    std::string library = Dump(*schema);
    ge::Operator program = ge::OperatorFactory::CreateOperator("n", type);
    EXPECT_EQ(Dump(*ge::detail::SchemaCache::Instance().Make(*program.impl())), library) << type;
  }
}

TEST(RegOpClass, ConstructorsAndMembers) {
  ge::op::FormDefaults unnamed, by_text("a"), by_string(std::string("b")), by_ascend(ge::AscendString("c"));
  ge::AscendString name;
  ASSERT_EQ(by_ascend.GetName(name), ge::GRAPH_SUCCESS);
  EXPECT_STREQ(name.GetString(), "c");
  EXPECT_EQ(by_text.get_attr_i(), -7);
  by_text.set_attr_i(5).set_attr_s("new").set_attr_li({4});
  EXPECT_EQ(by_text.get_attr_i(), 5);
  EXPECT_EQ(by_text.get_attr_s(), "new");
  EXPECT_EQ(by_text.get_attr_li(), std::vector<int64_t>{4});
  EXPECT_EQ(ge::op::FormDefaults::name_attr_lf(), "lf");
  ge::AscendString missing;
  EXPECT_NE(ge::op::FormRequired("r").get_attr_s(missing), ge::GRAPH_SUCCESS);

  ge::op::FormNames names("n");
  names.set_input_for(by_text).set_input_x(by_string, 0u);
  EXPECT_EQ(ge::op::FormNames::name_in_for(), "for");
  EXPECT_EQ(ge::op::FormNames::name_out_class(), "class");
  ge::op::FormGraphs graphs("g");
  graphs.create_dynamic_input_in(2).create_dynamic_output_out(3).create_dynamic_subgraph_branches(2);
  graphs.set_dynamic_input_in(1, by_text);
  EXPECT_EQ(graphs.GetInputsSize(), 2u);
  EXPECT_EQ(graphs.GetOutputsSize(), 3u);
  EXPECT_EQ(ge::op::FormGraphs::name_graph_cond(), "cond");
}

TEST(RegOpInference, CompanionMacrosRegister) {
  ge::detail::FactoryTable &table = ge::detail::FactoryTable::Instance();
  ge::op::FormInferred node("n");
  node.update_input_desc_x(ge::TensorDesc(ge::Shape({1}), ge::FORMAT_ND, ge::DT_INT8));
  node.update_input_desc_y(ge::TensorDesc(ge::Shape({2, 3}), ge::FORMAT_ND, ge::DT_FLOAT));
  ASSERT_EQ(table.infer_shape.at("FormInferred")(node), ge::GRAPH_SUCCESS);
  EXPECT_EQ(node.get_output_desc_z().GetShape().GetDims(), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(node.get_output_desc_w().GetShape().GetDims(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(table.infer_format.count("FormInferred") + table.infer_value_range.count("FormInferred"), 2u);
  EXPECT_EQ(table.verify.at("FormInferred")(node), ge::GRAPH_SUCCESS);
  ge::op::FormSame same("s");
  same.update_input_desc_x(ge::TensorDesc(ge::Shape({4}), ge::FORMAT_ND, ge::DT_FLOAT16));
  ASSERT_EQ(table.infer_shape.at("FormSame")(same), ge::GRAPH_SUCCESS);
  EXPECT_EQ(same.get_output_desc_y().GetDataType(), ge::DT_FLOAT16);
}

TEST(RegOpInference, BroadcastInfer) {
  std::vector<int64_t> out;
  auto infer = [&](std::vector<int64_t> a, std::vector<int64_t> b) {
    return ge::BroadCastInfer([&] { return a; }, [&] { return b; }, [&](const std::vector<int64_t> &s) { out = s; });
  };
  EXPECT_EQ(infer({2, 1, 4}, {3, 1}), ge::GRAPH_SUCCESS);
  EXPECT_EQ(out, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(infer({2}, {3}), ge::GRAPH_FAILED);
}

}  // namespace
