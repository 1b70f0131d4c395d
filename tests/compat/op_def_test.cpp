// Operators that are defined in C++: graphs hold them, inference, tiling and checks are what the definition says.
// Groups of ranks, lowering options and kinds of kernels are here, too.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "asc/register/op_check_register.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "exe_graph/lowering/lowering_opt.h"
#include "ge/framework/common/taskdown_common.h"
#include "ge/ge_api.h"
#include "graph/custom_op.h"
#include "hcom/hcom_topo_info.h"
#include "register/op_def_registry.h"

namespace ops {

static ge::graphStatus ScaleShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  *context->GetOutputShape(1) = {1};
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus ScaleTiling(gert::TilingContext *) { return ge::GRAPH_SUCCESS; }
static ge::graphStatus ScaleCheck(const ge::Operator &, ge::AscendString &) { return ge::GRAPH_SUCCESS; }
static ge::graphStatus ScaleFormats(const ge::Operator &, ge::AscendString &) { return ge::GRAPH_FAILED; }
static ge::graphStatus ScaleGeneral(const ge::Operator &, const ge::AscendString &, ge::AscendString &) {
  return ge::GRAPH_SUCCESS;
}

// y = x * scale + bias, and how many biases there are.
class DefScale : public OpDef {
 public:
  explicit DefScale(const char *name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT, ge::DT_INT32};
    const std::vector<ge::Format> formats = {ge::FORMAT_ND, ge::FORMAT_ND};
    this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats).UnknownShapeFormat(formats);
    this->Input("bias").ParamType(DYNAMIC).DataType(types).Format(formats).ValueDepend(OPTIONAL);
    this->Input("hidden").ParamType(VIRTUAL).DataType(types);
    this->Input("extra").ParamType(OPTIONAL).DataTypeList({ge::DT_INT8, ge::DT_UINT8});
    this->Output("y").ParamType(REQUIRED).Follow("x").Format(formats);
    this->Output("count").ParamType(REQUIRED).DataType({ge::DT_INT64, ge::DT_INT64}).InitValue(7);
    this->Attr("scale").AttrType(OPTIONAL).Float(2.0f);
    this->Attr("steps").AttrType(REQUIRED).ListInt();
    this->SetInferShape(ScaleShape);
    this->AICore()
        .SetTiling(ScaleTiling)
        .SetCheckSupport(ScaleCheck)
        .SetOpSelectFormat(ScaleFormats)
        .SetParamGeneralize(ScaleGeneral)
        .AddConfig("soc_a");
    OpAICoreConfig config("soc_b");
    config.Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    config.DynamicShapeSupportFlag(false).ExtendCfgInfo("opFile.value", "scale");
    this->AICore().AddConfig("soc_b", config);
  }
};
OP_ADD(DefScale);

static ge::graphStatus HalfType(gert::InferDataTypeContext *context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0) == ge::DT_FLOAT ? ge::DT_FLOAT16 : ge::DT_BF16);
}
class DefHalf : public OpDef {
 public:
  explicit DefHalf(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_DOUBLE});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_BF16});
    this->SetInferShape([](gert::InferShapeContext *context) -> ge::graphStatus {
      *context->GetOutputShape(0) = *context->GetInputShape(0);
      return ge::GRAPH_SUCCESS;
    });
    this->SetInferDataType(HalfType);
  }
};
OP_ADD(DefHalf);

REGISTER_OP_AICORE_CONFIG(DefHalf, soc_c, []() {
  OpAICoreConfig config("soc_c");
  config.PrecisionReduceFlag(true);
  return config;
});

}  // namespace ops

namespace ge {

class DefScale : public EagerExecuteOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0), *first = ctx->GetInputTensor(1);
    gert::Tensor *y = ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), x->GetDataType());
    gert::Tensor *count = ctx->MallocOutputTensor(1, {{1}, {1}}, x->GetFormat(), DT_INT64);
    if (y == nullptr || count == nullptr || x->GetDataType() != DT_FLOAT) return GRAPH_FAILED;
    const float scale = *ctx->GetAttrs()->GetFloat(0);
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      y->GetData<float>()[i] = x->GetData<float>()[i] * scale + first->GetData<float>()[i];
    *count->GetData<int64_t>() = static_cast<int64_t>(ctx->GetAttrs()->GetListInt(1)->GetSize());
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(DefScale);

namespace {

Operator Data(const char *name, DataType type) {
  Operator data = OperatorFactory::CreateOperator(name, "Data");
  (void)data.UpdateOutputDesc("y", TensorDesc(Shape({2}), FORMAT_ND, type));
  return data;
}
Operator Scale(const Operator &x, const Operator &bias) {
  Operator op = OperatorFactory::CreateOperator("scale", "DefScale");
  Operator(op).DynamicInputRegister("bias", 1);
  op.SetInput("x", x);
  op.SetInput("bias", 0, bias);
  op.SetAttr("steps", std::vector<int64_t>{4, 5, 6});
  return op;
}

TEST(OpDef, GraphsHoldWhatIsDefined) {
  const GeOpSchema *schema = nullptr;
  ASSERT_EQ(GeOpFind("DefScale", &schema), GE_SUCCESS);
  ASSERT_EQ(schema->input_count, 3u);  // the virtual one is none
  EXPECT_STREQ(schema->inputs[1].name, "bias");
  EXPECT_EQ(schema->inputs[1].kind, GE_IR_DYNAMIC);
  EXPECT_EQ(schema->inputs[2].kind, GE_IR_OPTIONAL);
  EXPECT_STREQ(schema->inputs[0].data_types, schema->outputs[0].data_types);  // one symbol
  EXPECT_STREQ(schema->outputs[1].data_types, "TensorType({DT_INT64})");
  EXPECT_STREQ(schema->inputs[2].data_types, "TensorType({DT_INT8, DT_UINT8})");
  ASSERT_EQ(schema->symbol_count, 1u);
  EXPECT_STREQ(schema->symbols[0].range, "TensorType({DT_FLOAT, DT_INT32})");
  ASSERT_EQ(schema->attr_count, 2u);
  EXPECT_EQ(schema->attrs[0].value.f, 2.0f);
  EXPECT_EQ(schema->attrs[0].required, 0);
  EXPECT_EQ(schema->attrs[1].required, 1);
  EXPECT_EQ(schema->attrs[1].value.type, C_VT_LIST_INT);
}

TEST(OpDef, GraphsOfDefinedOperatorsAreInferredAndRun) {
  ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{}), SUCCESS);
  Operator x = Data("x", DT_FLOAT), bias = Data("bias", DT_FLOAT);
  (void)x.SetAttr("index", int64_t{0});
  (void)bias.SetAttr("index", int64_t{1});
  Operator scale = Scale(x, bias);
  Graph graph("defined");
  graph.SetInputs({x, bias}).SetOutputs(std::vector<Operator>{scale});
  {
    Session session(std::map<AscendString, AscendString>{});
    const float in[] = {1, 41}, more[] = {10, 20};
    auto fed = [](const float *values) {
      return Tensor(TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(values), 8);
    };
    std::vector<Tensor> outputs;
    ASSERT_EQ(session.AddGraph(1, graph), SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(session.RunGraph(1, {fed(in), fed(more)}, outputs), SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].GetTensorDesc().GetDataType(), DT_FLOAT);  // by the symbol
    const float *y = reinterpret_cast<const float *>(outputs[0].GetData());
    EXPECT_EQ(y[0], 12);
    EXPECT_EQ(y[1], 102);
    EXPECT_EQ(*reinterpret_cast<const int64_t *>(outputs[1].GetData()), 3);
  }
  EXPECT_EQ(GEFinalize(), SUCCESS);
  // The function for types decides where there is one.
  for (const auto &[in, out] :
       std::vector<std::pair<DataType, DataType>>{{DT_FLOAT, DT_FLOAT16}, {DT_DOUBLE, DT_BF16}}) {
    Operator half = OperatorFactory::CreateOperator("half", "DefHalf");
    half.SetInput("x", Data("x", in));
    ASSERT_EQ(half.UpdateInputDesc("x", TensorDesc(Shape({2, 3}), FORMAT_ND, in)), GRAPH_SUCCESS);
    ASSERT_EQ(half.InferShapeAndType(), GRAPH_SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(half.GetOutputDescByName("y").GetDataType(), out);
    EXPECT_EQ(half.GetOutputDescByName("y").GetShape().GetDims(), (std::vector<int64_t>{2, 3}));
  }
}

TEST(OpDef, FunctionsForDevicesAreFound) {
  const auto *functions = gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry()->GetOpImpl("DefScale");
  ASSERT_NE(functions, nullptr);
  EXPECT_EQ(functions->tiling, &ops::ScaleTiling);
  EXPECT_EQ(functions->infer_shape, &ops::ScaleShape);
  using Checks = optiling::OpCheckFuncRegistry;
  EXPECT_EQ(Checks::GetOpCapability(FUNC_CHECK_SUPPORTED, "DefScale"), &ops::ScaleCheck);
  EXPECT_EQ(Checks::GetOpCapability(FUNC_OP_SELECT_FORMAT, "DefScale"), &ops::ScaleFormats);
  EXPECT_EQ(Checks::GetOpCapability(FUNC_GET_SPECIFIC_INFO, "DefScale"), nullptr);
  EXPECT_EQ(Checks::GetParamGeneralize("DefScale"), &ops::ScaleGeneral);
  EXPECT_EQ(Checks::GetOpCapability(FUNC_CHECK_SUPPORTED, "DefHalf"), nullptr);
}

TEST(OpDef, DefinitionsByType) {
  using ops::OpDefFactory;
  EXPECT_EQ(OpDefFactory::GetAllOp().size(), 2u);
  EXPECT_STREQ(OpDefFactory::GetAllOp()[0].GetString(), "DefHalf");
  EXPECT_TRUE(OpDefFactory::OpDefCreate("Unknown").GetInputs().empty());
  EXPECT_EQ(OpDefFactory::OpDefRegister("DefHalf", [](const char *name) { return ops::OpDef(name); }), -1);
  EXPECT_EQ(OpDefFactory::OpDefRegister(nullptr, [](const char *name) { return ops::OpDef(name); }), -1);
  const ops::OpDef def = OpDefFactory::OpDefCreate("DefScale");
  EXPECT_STREQ(def.GetOpType().GetString(), "DefScale");
  ASSERT_EQ(def.GetInputs().size(), 4u);
  const ops::OpParamDef x = def.GetInputs()[0], bias = def.GetInputs()[1];
  EXPECT_EQ(x.GetParamType(), ops::REQUIRED);
  EXPECT_EQ(x.GetDataTypes(), (std::vector<DataType>{DT_FLOAT, DT_INT32}));
  EXPECT_EQ(x.GetFormats().size(), 2u);
  EXPECT_EQ(x.GetUnknownShapeFormats().size(), 2u);
  EXPECT_EQ(bias.GetValueDepend(), ops::OPTIONAL);
  EXPECT_STREQ(def.GetOutputs()[0].GetFollowName().GetString(), "x");
  EXPECT_TRUE(def.GetOutputs()[1].HasInitValue());
  EXPECT_EQ(def.GetOutputs()[1].GetInitValue(), 7u);
  EXPECT_STREQ(def.GetAttrs()[0].GetCfgDataType().GetString(), "Float");
  const auto &configs = def.AICore().GetAICoreConfigs();
  ASSERT_EQ(configs.size(), 2u);
  EXPECT_STREQ(configs.at("soc_a").GetCfgInfo().at("dynamicShapeSupport.flag").GetString(), "true");
  EXPECT_STREQ(configs.at("soc_a").GetCfgInfo().at("needCheckSupport.flag").GetString(), "false");
  EXPECT_STREQ(configs.at("soc_b").GetCfgInfo().at("dynamicShapeSupport.flag").GetString(), "false");
  EXPECT_STREQ(configs.at("soc_b").GetCfgInfo().at("opFile.value").GetString(), "scale");
  EXPECT_EQ(configs.at("soc_b").GetInputs()[0].GetDataTypes(), std::vector<DataType>{DT_FLOAT});
  const auto registered = ops::OpConfigRegistry::GetOpAllAICoreConfig("DefHalf");
  ASSERT_EQ(registered.size(), 1u);
  EXPECT_STREQ(registered.at("soc_c")().GetCfgInfo().at("precision_reduce.flag").GetString(), "true");
  EXPECT_TRUE(ops::OpConfigRegistry::GetOpAllAICoreConfig("DefScale").empty());
  // The same name is the same parameter; a copy is independent.
  ops::OpDef own("Own");
  own.Input("x").ParamType(ops::REQUIRED);
  ops::OpDef copy = own;
  own.Input("x").ParamType(ops::DYNAMIC);
  EXPECT_EQ(own.GetInputs().size(), 1u);
  EXPECT_EQ(own.GetInputs()[0].GetParamType(), ops::DYNAMIC);
  EXPECT_EQ(copy.GetInputs()[0].GetParamType(), ops::REQUIRED);
}

TEST(OpDef, GroupsOfRanks) {
  HcomTopoInfo &all = HcomTopoInfo::Instance();
  HcomTopoInfo::TopoInfo info, found;
  EXPECT_FALSE(all.TopoInfoHasBeenSet("world"));
  EXPECT_FALSE(all.TopoInfoHasBeenSet(nullptr));
  EXPECT_FALSE(all.TryGetGroupTopoInfo("world", found));
  int64_t ranks = 3;
  void *handle = &ranks;
  EXPECT_EQ(all.GetGroupRankSize("world", ranks), FAILED);
  EXPECT_EQ(ranks, 3);
  EXPECT_EQ(all.GetGroupNotifyHandle("world", handle), FAILED);
  EXPECT_EQ(all.GetGroupTopoDesc("world"), nullptr);
  info.rank_size = 8;
  info.notify_handle = &info;
  EXPECT_EQ(info.local_window_size, 0u);
  info.local_window_size = uint64_t{5} << 30;
  info.topo_level_descs[static_cast<int>(HcomTopoInfo::TopoLevel::L1)] = {COMM_RING | COMM_MESH, 4};
  EXPECT_EQ(all.SetGroupTopoInfo(nullptr, info), FAILED);
  ASSERT_EQ(all.SetGroupTopoInfo("world", info), SUCCESS);
  EXPECT_TRUE(all.TopoInfoHasBeenSet("world"));
  ASSERT_TRUE(all.TryGetGroupTopoInfo("world", found));
  EXPECT_EQ(found.rank_size, 8);
  EXPECT_EQ(found.local_window_size, 5368709120u);
  EXPECT_EQ(all.GetGroupRankSize("world", ranks), SUCCESS);
  EXPECT_EQ(ranks, 8);
  EXPECT_EQ(all.GetGroupNotifyHandle("world", handle), SUCCESS);
  EXPECT_EQ(handle, &info);
  HcomTopoInfo::TopoDescs *levels = all.GetGroupTopoDesc("world");
  ASSERT_NE(levels, nullptr);
  EXPECT_EQ((*levels)[1].comm_sets, 5u);
  EXPECT_EQ((*levels)[1].rank_size, 4u);
  EXPECT_EQ((*levels)[0].rank_size, 0u);
  info.rank_size = 2;
  ASSERT_EQ(all.SetGroupTopoInfo("world", info), SUCCESS);  // the last call counts
  EXPECT_EQ(all.GetGroupRankSize("world", ranks), SUCCESS);
  EXPECT_EQ(ranks, 2);
  void *stream = nullptr;
  EXPECT_EQ(all.GetGroupOrderedStream(0, "world", stream), FAILED);
  EXPECT_EQ(all.SetGroupOrderedStream(0, "world", &info), SUCCESS);
  EXPECT_EQ(all.GetGroupOrderedStream(1, "world", stream), FAILED);
  EXPECT_EQ(all.GetGroupOrderedStream(0, "world", stream), SUCCESS);
  EXPECT_EQ(stream, &info);
  all.UnsetGroupOrderedStream(0, "world");
  EXPECT_EQ(all.GetGroupOrderedStream(0, "world", stream), FAILED);
  all.UnsetGroupTopoInfo("world");
  EXPECT_FALSE(all.TopoInfoHasBeenSet("world"));
}

TEST(OpDef, Values) {
  const gert::LoweringOption option;
  EXPECT_FALSE(option.trust_shape_on_out_tensor || option.always_zero_copy || option.always_external_allocator ||
               option.enable_single_stream);
  EXPECT_EQ(static_cast<int>(ccKernelType::AI_CPU), 6);
  EXPECT_EQ(static_cast<int>(ccKernelType::INVALID), 10000);
}

}  // namespace
}  // namespace ge
