// Tiling functions and the other functions of IMPL_OP, called by a program through the registry and contexts that it
// builds; ranges, strides and tiling data as values.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_infer_shape_range_context_builder.h"
#include "base/context_builder/op_kernel_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "exe_graph/runtime/stride.h"
#include "ge/op.h"
#include "register/op_impl_registry.h"

namespace {

using ge::GRAPH_FAILED;
using ge::GRAPH_SUCCESS;

struct TiledAddCompileInfo {
  int64_t cores = -1;
};
struct TiledAddData {
  int64_t total;
  int32_t per_block;
  float scale;
};

ge::graphStatus TiledAddParse(gert::TilingParseContext *context) {
  auto *info = context->GetCompiledInfo<TiledAddCompileInfo>();
  const char *text = context->GetCompiledJson();
  if (info == nullptr || text == nullptr || context->GetPlatformInfo() == nullptr) return GRAPH_FAILED;
  const char *colon = std::strchr(text, ':');
  if (colon == nullptr) return GRAPH_FAILED;
  info->cores = std::atoi(colon + 1);
  return GRAPH_SUCCESS;
}
ge::graphStatus TiledAddTiling(gert::TilingContext *context) {
  const auto *info = context->GetCompileInfo<TiledAddCompileInfo>();
  const gert::StorageShape *x = context->GetInputShape(0), *y = context->GetOutputShape(0);
  if (info == nullptr || x == nullptr || y == nullptr || context->GetOptionalInputShape(1) != nullptr)
    return GRAPH_FAILED;
  if (context->GetInputDesc(0)->GetDataType() != ge::DT_FLOAT16) return GRAPH_FAILED;
  auto *data = context->GetTilingData<TiledAddData>();
  if (data == nullptr) return GRAPH_FAILED;
  data->total = y->GetStorageShape().GetShapeSize();
  data->per_block = static_cast<int32_t>((data->total + info->cores - 1) / info->cores);
  data->scale = *context->GetAttrs()->GetFloat(1);
  size_t *workspaces = context->GetWorkspaceSizes(2);
  if (workspaces == nullptr) return GRAPH_FAILED;
  workspaces[0] = 32;
  workspaces[1] = 64;
  (void)context->SetBlockDim(static_cast<uint32_t>(info->cores));
  (void)context->SetTilingKey(0x100000001u);
  return context->SetNeedAtomic(false);
}
ge::graphStatus SameShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetRequiredInputShape(0);
  return GRAPH_SUCCESS;
}
ge::graphStatus SameRange(gert::InferShapeRangeContext *context) {
  const gert::Range<gert::Shape> *x = context->GetRequiredInputShapeRange(0);
  gert::Range<gert::Shape> *y = context->GetOutputShapeRange(0);
  if (x == nullptr || y == nullptr) return GRAPH_FAILED;
  *y->GetMin() = *x->GetMin();
  *y->GetMax() = *x->GetMax();
  return GRAPH_SUCCESS;
}
ge::graphStatus SameType(gert::InferDataTypeContext *context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
ge::graphStatus SameFormat(gert::InferFormatContext *context) {
  context->GetOutputFormat(0)->SetOriginFormat(context->GetInputFormat(0)->GetOriginFormat());
  return GRAPH_SUCCESS;
}
ge::graphStatus ParseAnyKernel(gert::KernelContext *) { return GRAPH_SUCCESS; }

IMPL_OP(TiledAdd).Tiling(TiledAddTiling).TilingParse<TiledAddCompileInfo>(TiledAddParse);
IMPL_OP_INFERSHAPE(TiledAdd)
    .InferShape(SameShape)
    .InferShapeRange(SameRange)
    .InferDataType(SameType)
    .InferFormat(SameFormat)
    .InputsDataDependency({0, 63, 64, -1})
    .TilingInputsDataDependency({1}, {gert::TilingPlacement::TILING_ON_HOST});
IMPL_OP_OPTILING(TiledSmall).Tiling(TiledAddTiling, 8).TilingParse<int>(ParseAnyKernel);
IMPL_OP_DEFAULT().Tiling(TiledAddTiling);

const gert::OpImplKernelRegistry::OpImplFunctionsV2 *Find(const char *type) {
  return gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry()->GetOpImpl(type);
}
gert::Tensor Half(const std::initializer_list<int64_t> &dims) {
  return gert::Tensor({dims, dims}, {ge::FORMAT_ND, ge::FORMAT_ND, {}}, ge::DT_FLOAT16);
}

TEST(Registry, FindsWhatImplOpRegistered) {
  const auto *functions = Find("TiledAdd");
  ASSERT_NE(functions, nullptr);
  EXPECT_EQ(functions->infer_shape, &SameShape);
  EXPECT_EQ(functions->infer_shape_range, &SameRange);
  EXPECT_EQ(functions->infer_datatype, &SameType);
  EXPECT_EQ(functions->infer_format_func, &SameFormat);
  EXPECT_EQ(functions->tiling, &TiledAddTiling);
  EXPECT_EQ(functions->max_tiling_data_size, 2048u);
  EXPECT_TRUE(functions->HasDataDependency());
  EXPECT_TRUE(functions->IsInputDataDependency(0) && functions->IsInputDataDependency(63));
  EXPECT_FALSE(functions->IsInputDataDependency(1) || functions->IsInputDataDependency(64));
  EXPECT_TRUE(functions->IsTilingInputDataDependency(1));
  EXPECT_EQ(Find("TiledSmall")->max_tiling_data_size, 8u);
  EXPECT_EQ(Find("TiledSmall")->infer_shape, nullptr);
  EXPECT_EQ(Find("TiledSmall")->tiling_parse, &ParseAnyKernel);
  EXPECT_EQ(Find("DefaultImpl")->tiling, &TiledAddTiling);
  EXPECT_EQ(Find("NoSuchType"), nullptr);
  EXPECT_EQ(Find(nullptr), nullptr);
  // Functions for tiling alone do not make the library ask for inference.
  const GeOpSchema *schema = nullptr;
  EXPECT_NE(GeOpFind("TiledSmall", &schema), GE_SUCCESS);
}

TEST(Tiling, ParsesAndTilesAsALauncherWould) {
  const auto *functions = Find("TiledAdd");
  auto parse = gert::OpTilingParseContextBuilder().OpType("TiledAdd").OpName("a").CompiledJson("{\"cores\":4}").Build();
  ASSERT_NE(parse.GetContext(), nullptr);
  EXPECT_STREQ(parse.GetContext()->GetNodeType(), "TiledAdd");
  EXPECT_EQ(parse.GetContext()->GetCompiledInfo<TiledAddCompileInfo>()->cores, -1);
  ASSERT_EQ(functions->tiling_parse(parse.GetContext()), GRAPH_SUCCESS);
  const auto *info = parse.GetContext()->GetCompiledInfo<TiledAddCompileInfo>();
  EXPECT_EQ(info->cores, 4);

  gert::Tensor x = Half({5, 2}), y = Half({5, 2});
  auto builder = gert::OpTilingContextBuilder()
                     .OpType("TiledAdd")
                     .IOInstanceNum({1, 0}, {1})
                     .AppendAttr(int64_t{7})
                     .AppendAttr(0.5f)
                     .InputTensors({&x})
                     .OutputTensors({&y})
                     .CompileInfo(info)
                     .Deterministic(1);
  auto holder = builder.Build();
  gert::TilingContext *context = holder.GetContext();
  ASSERT_NE(context, nullptr);
  EXPECT_EQ(context->GetTilingKey(), 0u);
  EXPECT_EQ(context->GetBlockDim(), 0u);
  EXPECT_TRUE(context->NeedAtomic());
  EXPECT_EQ(context->GetWorkspaceNum(), 0u);
  EXPECT_EQ(context->GetRawTilingData()->GetDataSize(), 0u);
  EXPECT_EQ(context->GetDeterministic(), 1);
  EXPECT_EQ(*context->GetAttrs()->GetInt(0), 7);
  EXPECT_GT(context->GetPlatformInfo()->GetCoreNum(), 0u);

  ASSERT_EQ(functions->tiling(context), GRAPH_SUCCESS);
  EXPECT_EQ(context->GetTilingKey(), 0x100000001u);
  EXPECT_EQ(context->GetBlockDim(), 4u);
  EXPECT_FALSE(context->NeedAtomic());
  EXPECT_EQ(context->GetWorkspaceNum(), 2u);
  const auto *data = static_cast<const TiledAddData *>(context->GetRawTilingData()->GetData());
  EXPECT_EQ(context->GetRawTilingData()->GetDataSize(), 16u);
  EXPECT_EQ(data->total, 10);
  EXPECT_EQ(data->per_block, 3);
  EXPECT_EQ(data->scale, 0.5f);
  EXPECT_NE(context->GetWorkspaceSizes(16), nullptr);
  EXPECT_EQ(context->GetWorkspaceSizes(17), nullptr);
  // Another result is another context.
  EXPECT_EQ(builder.Build().GetContext()->GetBlockDim(), 0u);
  // 16 bytes do not fit into 8.
  auto small = builder.TilingDataSize(8).Build();
  EXPECT_EQ(functions->tiling(small.GetContext()), GRAPH_FAILED);
  EXPECT_EQ(small.GetContext()->GetRawTilingData()->GetDataSize(), 0u);
}

TEST(Tiling, ItsOtherDecisionsAndPorts) {
  gert::Tensor x = Half({4}), y = Half({2, 2});
  auto own = gert::TilingData::CreateCap(4);
  auto sizes = gert::ContinuousVector::Create<size_t>(1);
  auto holder = gert::OpTilingContextBuilder()
                    .IOInstanceNum({1, 2}, {1})
                    .InputTensors({&x, &y, &x})
                    .OutputTensors({&y})
                    .TilingData(reinterpret_cast<gert::TilingData *>(own.get()))
                    .Workspace(reinterpret_cast<gert::ContinuousVector *>(sizes.get()))
                    .Build();
  gert::TilingContext *context = holder.GetContext();
  ASSERT_NE(context, nullptr);
  EXPECT_EQ(context->GetCompileInfo(), nullptr);
  EXPECT_EQ(context->GetDynamicInputTensor(1, 0), &y);
  EXPECT_EQ(context->GetDynamicInputShape(1, 1)->GetStorageShape(), (gert::Shape{4}));
  EXPECT_EQ(context->GetDynamicInputShape(1, 2), nullptr);
  EXPECT_EQ(context->GetRequiredInputTensor(0), &x);
  EXPECT_EQ(context->GetInputShape(3), nullptr);  // what follows are outputs
  EXPECT_EQ(context->GetOutputShape(1), nullptr);
  EXPECT_EQ(context->GetRawTilingData()->GetCapacity(), 4u);
  EXPECT_EQ(context->GetWorkspaceSizes(2), nullptr);
  EXPECT_EQ(context->SetTilingCond(-3), GRAPH_SUCCESS);
  EXPECT_EQ(context->GetTilingCond(), -3);
  EXPECT_EQ(context->SetScheduleMode(1), GRAPH_SUCCESS);
  EXPECT_EQ(context->GetScheduleMode(), 1u);
  // Tensors that are not as many as the ports have.
  EXPECT_EQ(gert::OpTilingContextBuilder().IONum(2, 1).InputTensors({&x}).OutputTensors({&y}).Build().GetContext(),
            nullptr);
  EXPECT_EQ(gert::OpTilingContextBuilder().IONum(1, 0).InputTensors({&x}).OutputTensors({&y}).Build().GetContext(),
            nullptr);
}

TEST(Tiling, AContextWithoutSlotsAnswersDefaults) {
  auto holder = gert::OpKernelContextBuilder().OpType("T").Build();
  auto *context = static_cast<gert::TilingContext *>(holder.GetContext());
  EXPECT_EQ(context->SetBlockDim(1), GRAPH_FAILED);
  EXPECT_EQ(context->GetTilingData<TiledAddData>(), nullptr);
  EXPECT_EQ(context->GetWorkspaceSizes(0), nullptr);
  EXPECT_TRUE(context->NeedAtomic());
  EXPECT_EQ(context->GetPlatformInfo(), nullptr);
}

TEST(TilingData, GrowsByAppendingUntilItIsFull) {
  auto block = gert::TilingData::CreateCap(16);
  auto *data = reinterpret_cast<gert::TilingData *>(block.get());
  EXPECT_EQ(data->GetCapacity(), 16u);
  EXPECT_EQ(data->Append(int32_t{-2}), GRAPH_SUCCESS);
  EXPECT_EQ(data->Append(uint8_t{9}), GRAPH_SUCCESS);
  const int16_t list[] = {1, 2, 3};
  EXPECT_EQ(data->Append(list, 3), GRAPH_SUCCESS);
  EXPECT_EQ(data->GetDataSize(), 11u);
  EXPECT_EQ(data->Append(int64_t{1}), GRAPH_FAILED);
  EXPECT_EQ(data->Append(list, 3), GRAPH_FAILED);
  EXPECT_EQ(data->Append(static_cast<const int16_t *>(nullptr), 1), GRAPH_FAILED);
  EXPECT_EQ(data->GetDataSize(), 11u);
  *data << uint32_t{0x01020304} << uint8_t{5} << uint8_t{6};  // the last one has no room
  EXPECT_EQ(data->GetDataSize(), 16u);
  const uint8_t expected[] = {0xFE, 0xFF, 0xFF, 0xFF, 9, 1, 0, 2, 0, 3, 0, 4, 3, 2, 1, 5};
  EXPECT_EQ(std::memcmp(data->GetData(), expected, 16), 0);
  data->SetDataSize(17);
  EXPECT_EQ(data->GetDataSize(), 16u);
  data->SetDataSize(4);
  EXPECT_EQ(data->GetDataSize(), 4u);
  size_t total = 0;
  EXPECT_EQ(gert::TilingData::CalcTotalSize(16, total), GRAPH_SUCCESS);
  EXPECT_EQ(total, sizeof(gert::TilingData) + 16);
  EXPECT_EQ(gert::TilingData::CalcTotalSize(SIZE_MAX, total), GRAPH_FAILED);
  EXPECT_EQ(gert::TilingData::CreateCap(SIZE_MAX), nullptr);
}

TEST(TilingData, IsAppendedToOrOneStruct) {
  gert::Tensor x = Half({1});
  auto holder = gert::OpTilingContextBuilder().InputTensors({&x}).Build();
  gert::TilingContext *context = holder.GetContext();
  ASSERT_NE(context->GetTilingData<TiledAddData>(), nullptr);
  EXPECT_NE(context->GetTilingData<int64_t>(), nullptr);  // a smaller struct instead
  EXPECT_EQ(context->GetRawTilingData()->GetDataSize(), 8u);
  EXPECT_EQ(context->GetRawTilingData()->Append(1), GRAPH_FAILED);
  auto other = gert::OpTilingContextBuilder().InputTensors({&x}).Build();
  EXPECT_EQ(other.GetContext()->GetRawTilingData()->Append(1), GRAPH_SUCCESS);
  EXPECT_EQ(other.GetContext()->GetTilingData<TiledAddData>(), nullptr);
  EXPECT_EQ(other.GetContext()->GetRawTilingData()->GetDataSize(), 4u);
}

TEST(Builders, ContextsOfInference) {
  const auto *functions = Find("TiledAdd");
  gert::Tensor x = Half({3, -1}), z = Half({9});
  gert::Shape out;
  auto shapes = gert::OpInferShapeContextBuilder()
                    .IOInstanceNum({1, 0, 1}, {1})
                    .InputTensors({&x, &z})
                    .OutputShapes({&out})
                    .Build();
  ASSERT_EQ(functions->infer_shape(shapes.GetContext()), GRAPH_SUCCESS);
  EXPECT_EQ(out, (gert::Shape{3, -1}));
  EXPECT_EQ(shapes.GetContext()->GetOptionalInputTensor(1), nullptr);
  EXPECT_EQ(shapes.GetContext()->GetDynamicInputTensor(2, 0), &z);

  auto types = gert::OpInferDataTypeContextBuilder()
                   .InputTensorDesc(0, ge::DT_INT8, ge::FORMAT_NCHW, ge::FORMAT_NC1HWC0)
                   .OutputTensorDesc(0)
                   .Build();
  EXPECT_EQ(types.GetContext()->GetOutputDataType(0), ge::DT_UNDEFINED);
  ASSERT_EQ(functions->infer_datatype(types.GetContext()), GRAPH_SUCCESS);
  EXPECT_EQ(types.GetContext()->GetOutputDataType(0), ge::DT_INT8);
  EXPECT_EQ(types.GetContext()->GetInputDesc(0)->GetStorageFormat(), ge::FORMAT_NC1HWC0);

  gert::Tensor low = Half({3, 1}), high = Half({3, -1});
  gert::Range<gert::Tensor> range(&low, &high);
  gert::Shape least, most;
  gert::Range<gert::Shape> result(&least, &most);
  auto ranges =
      gert::OpInferShapeRangeContextBuilder().InputTensorsRange({&range}).OutputShapesRange({&result}).Build();
  ASSERT_EQ(functions->infer_shape_range(ranges.GetContext()), GRAPH_SUCCESS);
  EXPECT_EQ(least, (gert::Shape{3, 1}));
  EXPECT_EQ(most, (gert::Shape{3, -1}));
  EXPECT_EQ(ranges.GetContext()->GetInputTensorRange(0)->GetMax(), &high);
  EXPECT_EQ(ranges.GetContext()->GetInputShapeRange(1), nullptr);

  gert::StorageFormat of_output, of_input(ge::FORMAT_NHWC, ge::FORMAT_NHWC, {});
  auto kernel = gert::OpKernelContextBuilder().IONum(1, 1).Inputs({&x}).Outputs({&of_output, &of_input}).Build();
  auto *formats = static_cast<gert::InferFormatContext *>(kernel.GetContext());
  ASSERT_EQ(functions->infer_format_func(formats), GRAPH_SUCCESS);
  EXPECT_EQ(of_output.GetOriginFormat(), ge::FORMAT_NHWC);
  EXPECT_EQ(formats->GetInputShape(0)->GetDim(0), 3);
  EXPECT_EQ(formats->GetInputFormat(1), nullptr);
  EXPECT_EQ(formats->GetOutputFormat(1), nullptr);
  EXPECT_EQ(gert::OpKernelContextBuilder().IONum(2, 0).Inputs({&x}).Build().GetContext(), nullptr);
}

TEST(Values, RangesCompareWhatTheyPointTo) {
  gert::Shape a{1, 2}, b{1, 2}, c{4, -1};
  gert::Range<gert::Shape> known(&a), same(&b, &a), wider(&a, &c);
  EXPECT_EQ(known.GetMin(), known.GetMax());
  EXPECT_TRUE(known == same);
  EXPECT_TRUE(known != wider);
  wider.SetMax(&b);
  EXPECT_TRUE(known == wider);
  wider.SetMin(&c);
  EXPECT_EQ(wider.GetMin(), &c);
  EXPECT_EQ(gert::Range<int>().GetMax(), nullptr);
  static_assert(sizeof(gert::Range<gert::Tensor>) == 2 * sizeof(void *), "two pointers");
}

#define FIVE 1, 2, 3, 4, 5
#define TWENTY_FIVE FIVE, FIVE, FIVE, FIVE, FIVE

TEST(Values, ShapesHaveUpTo25Dimensions) {
  const gert::Shape most{TWENTY_FIVE}, more{TWENTY_FIVE, 6};
  EXPECT_EQ(most.GetDimNum(), 25u);
  EXPECT_EQ(most.GetDim(24), 5);
  EXPECT_EQ(most.GetDim(25), INT64_MIN);
  EXPECT_EQ(most.GetDim(SIZE_MAX), INT64_MIN);
  EXPECT_EQ(more.GetDimNum(), 0u);
  EXPECT_TRUE(more.IsScalar());
  EXPECT_EQ(more, gert::Shape());
  const gert::StorageShape both({TWENTY_FIVE, 6}, {2, 3});
  EXPECT_EQ(both.GetOriginShape().GetDimNum(), 0u);
  EXPECT_EQ(both.GetStorageShape(), (gert::Shape{2, 3}));
  // A dimension may be set before the shape has as many.
  gert::Shape early;
  early.SetDim(1, 7);
  EXPECT_EQ(early.GetDim(1), 7);
  early.SetDim(25, 7);
  EXPECT_EQ(early.GetDim(25), INT64_MIN);
  EXPECT_EQ((gert::Stride{TWENTY_FIVE, 6}).GetDimNum(), 0u);
}

TEST(Values, StridesHaveUpTo25Dimensions) {
  gert::Stride stride{6, 3, 1};
  EXPECT_EQ(stride.GetDimNum(), 3u);
  EXPECT_EQ(stride[0], 6);
  EXPECT_EQ(stride.GetStride(2), 1);
  EXPECT_EQ(stride.GetStride(3), gert::Stride::kInvalidStrideValue);
  stride.SetStride(1, -3);
  EXPECT_TRUE(stride == (gert::Stride{6, -3, 1}));
  EXPECT_TRUE(stride != (gert::Stride{6, -3}));
  stride.SetDimNum(2);
  EXPECT_TRUE(stride == (gert::Stride{6, -3}));
  for (int64_t i = 0; i < 30; ++i) stride.AppendStride(i);
  EXPECT_EQ(stride.GetDimNum(), 25u);
  EXPECT_EQ(stride.GetStride(24), 22);
  static_assert(std::is_standard_layout<gert::TilingData>::value, "plain memory");
}

}  // namespace
