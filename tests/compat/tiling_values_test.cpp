// Values of tiling: run information, attributes as bytes, structures of tiling data (laid out by hand here, and
// compared with what a compiler makes of the structure that a kernel reads), and tuned tiling as JSON.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "graph/operator.h"
#include "register/op_compile_info_base.h"
#include "register/op_tiling_attr_utils.h"
#include "register/op_tiling_info.h"
#include "register/tilingdata_base.h"
#include "register/tuning_tiling_registry.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(InnerTiling)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint8_t, last);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(OuterTiling)
TILING_DATA_FIELD_DEF(uint8_t, mode);
TILING_DATA_FIELD_DEF_ARR(int16_t, 3, steps);
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, inner);
TILING_DATA_FIELD_DEF(uint16_t, tail);
TILING_DATA_FIELD_DEF(int64_t, total);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(OuterOp, OuterTiling)
}  // namespace optiling

namespace tuningtiling {
struct Block {
  int32_t rows = 0;
  double weight = 0;
};
DECLARE_SCHEMA(Block, FIELD(rows), FIELD(Block, weight))

BEGIN_TUNING_TILING_DEF(BlockTiling)
TUNING_TILING_DATA_FIELD_DEF(uint8_t, depth);
TUNING_TILING_DATA_FIELD_DEF(std::string, kind);
TUNING_TILING_DATA_FIELD_DEF(std::vector<int64_t>, steps);
TUNING_TILING_DATA_FIELD_DEF(Block, block);
END_TUNING_TILING_DEF
REGISTER_TUNING_TILING_CLASS(BlockOp, BlockTiling)
}  // namespace tuningtiling

namespace {

using ge::GRAPH_FAILED;
using ge::GRAPH_SUCCESS;

// ---- run information ----
std::string All(const optiling::utils::OpRunInfo &run) { return run.GetAllTilingData().str(); }

TEST(TilingValues, RunInfoKeepsWhatIsSet) {
  optiling::utils::OpRunInfo run(4, true, 9);
  EXPECT_EQ(run.GetBlockDim(), 4u);
  EXPECT_TRUE(run.GetClearAtomic());
  EXPECT_EQ(run.GetTilingKey(), 9u);
  run.SetBlockDim(8);
  run.SetTilingKey(uint64_t{1} << 40);
  run.SetClearAtomic(false);
  run.SetTilingCond(-3);
  run.SetScheduleMode(2);
  run.AddWorkspace(100);
  run.AddWorkspace(-1);
  EXPECT_EQ(run.GetBlockDim(), 8u);
  EXPECT_EQ(run.GetTilingKey(), uint64_t{1} << 40);
  EXPECT_FALSE(run.GetClearAtomic());
  EXPECT_EQ(run.GetTilingCond(), -3);
  EXPECT_EQ(run.GetScheduleMode(), 2u);
  int64_t workspace = 0;
  ASSERT_EQ(run.GetWorkspaceNum(), 2u);
  EXPECT_EQ(run.GetWorkspace(1, workspace), GRAPH_SUCCESS);
  EXPECT_EQ(workspace, -1);
  EXPECT_EQ(run.GetWorkspace(2, workspace), GRAPH_FAILED);
  std::vector<int64_t> all;
  run.GetAllWorkspaces(all);
  EXPECT_EQ(all, (std::vector<int64_t>{100, -1}));
  run.SetWorkspaces({7});
  EXPECT_EQ(run.GetAllWorkspaces(), std::vector<int64_t>{7});
  run.ResetWorkspace();
  EXPECT_EQ(run.GetWorkspaceNum(), 0u);
}

TEST(TilingValues, TilingDataOfRunInfo) {
  optiling::utils::OpRunInfo run;
  run.AddTilingData(uint8_t{1});
  run << uint16_t{0x0302};
  run.AddTilingData("xy", 2);
  EXPECT_EQ(All(run), "\x01\x02\x03xy");
  optiling::utils::OpRunInfo copy = run;
  copy << 'z';
  EXPECT_EQ(All(copy), "\x01\x02\x03xyz");
  EXPECT_EQ(All(run), "\x01\x02\x03xy");
  copy = run;
  EXPECT_EQ(All(copy), All(run));
  const optiling::utils::OpRunInfo moved = std::move(copy);
  EXPECT_EQ(All(moved), All(run));
  optiling::ByteBuffer bytes;
  optiling::ByteBufferPut(bytes, uint16_t{0x4241});
  run.InternelSetTiling(bytes);
  EXPECT_EQ(All(run), "AB");
  uint64_t room = 1;
  EXPECT_EQ(run.GetAddrBase(room), nullptr);
  EXPECT_EQ(room, 0u);

  // Into memory of the caller.
  char memory[8];
  std::memset(memory, '#', sizeof memory);
  run.ResetAddrBase(memory, 6);
  run << uint16_t{0x4443};
  EXPECT_EQ(run.GetAddrBase(room), memory + 2);
  EXPECT_EQ(room, 4u);
  memory[2] = 'E';
  run.SetAddrBaseOffset(1);
  EXPECT_EQ(All(run), "CDE");
  EXPECT_EQ(std::string(memory, 8), "CDE#####");
  copy = run;
  run << uint32_t{0};  // 4 bytes into 3: nothing is written, and nothing more fits
  EXPECT_EQ(std::string(memory, 8), "CDE#####");
  (void)run.GetAddrBase(room);
  EXPECT_EQ(room, 0u);
  EXPECT_EQ(All(copy), "CDE");
}

TEST(TilingValues, BuffersOfBytes) {
  optiling::ByteBuffer bytes;
  optiling::ByteBufferPut(optiling::ByteBufferPut(bytes, int32_t{-5}), uint8_t{6});
  const uint8_t more[] = {7, 8};
  optiling::ByteBufferPut(bytes, more, sizeof more);
  int32_t number = 0;
  optiling::ByteBufferGet(bytes, number);
  EXPECT_EQ(number, -5);
  char rest[10];
  ASSERT_EQ(optiling::ByteBufferGetAll(bytes, rest, sizeof rest), 3u);
  EXPECT_EQ(std::string(rest, 3), "\x06\x07\x08");
  EXPECT_EQ(optiling::ByteBufferGetAll(bytes, rest, sizeof rest), 0u);
}

TEST(TilingValues, ParametersAndCompileInformation) {
  optiling::TeOpParas paras;
  optiling::TeOpTensorArg argument;
  EXPECT_EQ(argument.arg_type, optiling::TensorArgType::TA_NONE);
  argument.arg_type = optiling::TensorArgType::TA_LIST;
  argument.tensor.push_back({{2, 3}, {3, 2}, "NZ", "ND", "float16", {{"a", "b"}}});
  paras.inputs.push_back(argument);
  const std::vector<uint8_t> data = {1, 2, 3};
  const ge::Tensor tensor(ge::TensorDesc(ge::Shape({3}), ge::FORMAT_ND, ge::DT_UINT8), data);
  paras.const_inputs.emplace("shape", optiling::TeConstTensorData(tensor.GetData(), tensor.GetSize(), tensor));
  paras.op_type = "Op";
  const int32_t value = 12;
  paras.var_attrs.SetData("axis", "int32", &value, sizeof value);
  const optiling::TeOpParas copy = paras;
  EXPECT_EQ(copy.inputs[0].tensor[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(copy.inputs[0].tensor[0].attrs.at("a"), "b");
  EXPECT_EQ(std::get<0>(copy.const_inputs.at("shape"))[2], 3);
  EXPECT_EQ(std::get<1>(copy.const_inputs.at("shape")), 3u);
  size_t size = 0;
  const uint8_t *bytes = copy.var_attrs.GetData("axis", "int32", size);
  ASSERT_EQ(size, 4u);
  EXPECT_EQ(std::memcmp(bytes, &value, 4), 0);
  EXPECT_EQ(copy.var_attrs.GetData("axis", "int64", size), nullptr);
  EXPECT_EQ(size, 0u);

  optiling::utils::OpCompileInfo info("key", "value");
  EXPECT_STREQ(info.GetKey().GetString(), "key");
  EXPECT_STREQ(info.GetValue().GetString(), "value");
  info.SetKey("k");
  info.SetValue("v");
  EXPECT_STREQ(info.GetKey().GetString(), "k");
  EXPECT_STREQ(optiling::utils::OpCompileInfo(std::string("a"), std::string("b")).GetValue().GetString(), "b");
  struct Mine : public optiling::CompileInfoBase {
    int cores = 3;
  };
  const optiling::CompileInfoPtr base = std::make_shared<Mine>();
  EXPECT_EQ(std::dynamic_pointer_cast<Mine>(base)->cores, 3);
}

// ---- attributes as bytes ----
template <class T>
std::vector<T> Read(const ge::Operator &op, const char *name, const char *type, const char *target = nullptr) {
  optiling::AttrDataPtr data;
  if (optiling::GetOperatorAttrValue(op, name, type, data, target) != GRAPH_SUCCESS) {
    EXPECT_EQ(data, nullptr);
    return {};
  }
  std::vector<T> out(data->GetSize() / sizeof(T));
  EXPECT_EQ(data->GetSize() % sizeof(T), 0u);
  std::memcpy(out.data(), data->GetData(), data->GetSize());
  return out;
}

TEST(TilingValues, AttributesAsBytes) {
  ge::Operator op("name", "Type");
  op.SetAttr("i", int64_t{-7});
  op.SetAttr("big", (int64_t{1} << 53) + 1);
  op.SetAttr("ints", std::vector<int64_t>{1, -2, 3});
  op.SetAttr("rows", std::vector<std::vector<int64_t>>{{1, 2}, {3}});
  op.SetAttr("f", 2.75f);
  op.SetAttr("floats", std::vector<float>{0.5f, -1.5f});
  op.SetAttr("b", true);
  op.SetAttr("bools", std::vector<bool>{true, false, true});
  op.SetAttr("s", ge::AscendString("text"));
  EXPECT_EQ(Read<int32_t>(op, "i", "int"), std::vector<int32_t>{-7});
  EXPECT_EQ(Read<int64_t>(op, "i", "int64"), std::vector<int64_t>{-7});
  EXPECT_EQ(Read<int64_t>(op, "big", "int64"), std::vector<int64_t>{(int64_t{1} << 53) + 1});
  EXPECT_EQ(Read<float>(op, "i", "int32", "float"), std::vector<float>{-7});
  EXPECT_EQ(Read<int8_t>(op, "i", "int32", "int8"), std::vector<int8_t>{-7});
  EXPECT_EQ(Read<int32_t>(op, "ints", "list_int"), (std::vector<int32_t>{1, -2, 3}));
  EXPECT_EQ(Read<int32_t>(op, "rows", "list_list_int"), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(Read<float>(op, "f", "float"), std::vector<float>{2.75f});
  EXPECT_EQ(Read<int32_t>(op, "f", "float32", "int32"), std::vector<int32_t>{2});
  EXPECT_EQ(Read<uint16_t>(op, "floats", "list_float", "list_float16"), (std::vector<uint16_t>{0x3800, 0xbe00}));
  EXPECT_EQ(Read<uint16_t>(op, "floats", "list_float", "list_bfloat16"), (std::vector<uint16_t>{0x3f00, 0xbfc0}));
  EXPECT_EQ(Read<uint8_t>(op, "b", "bool"), std::vector<uint8_t>{1});
  EXPECT_EQ(Read<uint8_t>(op, "bools", "list_bool"), (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(Read<char>(op, "s", "str"), (std::vector<char>{'t', 'e', 'x', 't'}));

  EXPECT_TRUE(Read<uint32_t>(op, "i", "int", "uint32").empty());  // -7
  EXPECT_TRUE(Read<int32_t>(op, "big", "int").empty());           // above 32 bits
  EXPECT_TRUE(Read<int32_t>(op, "missing", "int").empty());
  EXPECT_TRUE(Read<int32_t>(op, "f", "int").empty());  // a float it is
  EXPECT_TRUE(Read<int32_t>(op, "i", "complex").empty());
  EXPECT_TRUE(Read<int32_t>(op, "s", "str", "int").empty());
  EXPECT_TRUE(Read<int32_t>(op, "i", "int", "list_int").empty());
  optiling::AttrDataPtr data;
  EXPECT_EQ(optiling::GetOperatorAttrValue(op, nullptr, "int", data), GRAPH_FAILED);
}

TEST(TilingValues, ListsOfUnsignedNumbersAndEmptyLists) {
  ge::Operator op("name", "Type");
  op.SetAttr("ints", std::vector<int64_t>{-1, 2, -3});
  op.SetAttr("rows", std::vector<std::vector<int64_t>>{{-1}, {2}});
  op.SetAttr("large", std::vector<int64_t>{int64_t{1} << 32});
  op.SetAttr("no_ints", std::vector<int64_t>{});
  op.SetAttr("no_floats", std::vector<float>{});
  op.SetAttr("no_bools", std::vector<bool>{});
  op.SetAttr("no_rows", std::vector<std::vector<int64_t>>{});
  // The low bits of negative numbers, as a conversion of C++ has them.
  EXPECT_EQ(Read<uint32_t>(op, "ints", "list_uint32"), (std::vector<uint32_t>{4294967295u, 2, 4294967293u}));
  EXPECT_EQ(Read<uint32_t>(op, "ints", "list_int", "list_uint"), (std::vector<uint32_t>{4294967295u, 2, 4294967293u}));
  EXPECT_EQ(Read<uint8_t>(op, "ints", "list_int", "list_uint8"), (std::vector<uint8_t>{255, 2, 253}));
  EXPECT_EQ(Read<uint32_t>(op, "rows", "list_list_uint32"), (std::vector<uint32_t>{4294967295u, 2}));
  EXPECT_EQ(Read<uint64_t>(op, "ints", "list_uint64"), (std::vector<uint64_t>{UINT64_MAX, 2, UINT64_MAX - 2}));
  op.SetAttr("floats", std::vector<float>{-1.5f, 2.5f, -0.5f});
  EXPECT_EQ(Read<uint16_t>(op, "floats", "list_float", "list_uint16"), (std::vector<uint16_t>{65535, 2, 0}));
  EXPECT_TRUE(Read<uint32_t>(op, "large", "list_uint32").empty());
  op.SetAttr("floats", std::vector<float>{-1e30f});
  EXPECT_TRUE(Read<uint32_t>(op, "floats", "list_float", "list_uint32").empty());
  for (const auto &[name, type] : {std::pair{"no_ints", "list_int"},
                                   {"no_ints", "list_uint32"},
                                   {"no_floats", "list_float"},
                                   {"no_bools", "list_bool"},
                                   {"no_rows", "list_list_int"}}) {
    optiling::AttrDataPtr data;
    ASSERT_EQ(optiling::GetOperatorAttrValue(op, name, type, data), GRAPH_SUCCESS) << name << " as " << type;
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->GetSize(), 0u);
  }
  optiling::AttrDataPtr data;
  EXPECT_EQ(optiling::GetOperatorAttrValue(op, "no_floats", "list_float", data, "list_int"), GRAPH_SUCCESS);
  EXPECT_EQ(optiling::GetOperatorAttrValue(op, "no_ints", "list_str", data), GRAPH_FAILED);
  EXPECT_EQ(optiling::GetOperatorAttrValue(op, "no_list", "list_int", data), GRAPH_FAILED);
}

TEST(TilingValues, HalvesAreRoundedToTheNearest) {
  const std::vector<std::pair<float, uint16_t>> cases = {{0.f, 0},
                                                         {-0.f, 0x8000},
                                                         {1.f, 0x3c00},
                                                         {65504.f, 0x7bff},
                                                         {65519.f, 0x7bff},
                                                         {65520.f, 0x7c00},
                                                         {1e30f, 0x7c00},
                                                         {std::ldexp(1.f, -14), 0x0400},
                                                         {std::ldexp(1.f, -24), 0x0001},
                                                         {std::ldexp(1.f, -25), 0},
                                                         {std::ldexp(1.5f, -25), 0x0001},
                                                         {std::ldexp(3.f, -25), 0x0002},
                                                         {1.f + std::ldexp(1.f, -11), 0x3c00},
                                                         {1.f + std::ldexp(3.f, -11), 0x3c02},
                                                         {std::ldexp(2047.f, -25), 0x0400}};
  for (const auto &[value, bits] : cases) {
    ge::Operator op("name", "Type");
    op.SetAttr("f", value);
    EXPECT_EQ(Read<uint16_t>(op, "f", "float", "float16"), std::vector<uint16_t>{bits}) << value;
  }
  ge::Operator op("name", "Type");
  op.SetAttr("f", std::numeric_limits<float>::quiet_NaN());
  EXPECT_GT(Read<uint16_t>(op, "f", "float", "float16").at(0) & 0x7fff, 0x7c00);
  EXPECT_GT(Read<uint16_t>(op, "f", "float", "bfloat16").at(0) & 0x7fff, 0x7f80);
  EXPECT_TRUE(Read<int32_t>(op, "f", "float", "int32").empty());
}

// ---- structures of tiling data ----
// What the kernel's side has.
struct alignas(8) InnerRead {
  uint8_t flag;
  uint32_t count;
  uint8_t last;
};
struct alignas(8) OuterRead {
  uint8_t mode;
  int16_t steps[3];
  float scale;
  InnerRead inner;
  uint16_t tail;
  int64_t total;
};

void Set(optiling::OuterTiling &tiling) {
  const int16_t steps[] = {-1, 2, 300};
  tiling.set_mode(5);
  tiling.set_steps(steps);
  tiling.set_scale(1.5f);
  tiling.inner.set_flag(1);
  tiling.inner.set_count(70000);
  tiling.inner.set_last(9);
  tiling.set_tail(65535);
  tiling.set_total(-(int64_t{1} << 40));
}
void Check(const void *bytes) {
  OuterRead read;
  std::memcpy(&read, bytes, sizeof read);
  EXPECT_EQ(read.mode, 5);
  EXPECT_EQ(read.steps[0], -1);
  EXPECT_EQ(read.steps[2], 300);
  EXPECT_EQ(read.scale, 1.5f);
  EXPECT_EQ(read.inner.flag, 1);
  EXPECT_EQ(read.inner.count, 70000u);
  EXPECT_EQ(read.inner.last, 9);
  EXPECT_EQ(read.tail, 65535);
  EXPECT_EQ(read.total, -(int64_t{1} << 40));
}

TEST(TilingValues, StructuresAreLaidOutAsTheKernelReadsThem) {
  static_assert(sizeof(InnerRead) == 16 && sizeof(OuterRead) == 48, "as worked out by hand");
  optiling::OuterTiling tiling;
  EXPECT_EQ(tiling.GetDataSize(), sizeof(OuterRead));
  EXPECT_EQ(tiling.inner.GetDataSize(), sizeof(InnerRead));
  EXPECT_STREQ(tiling.GetTilingClassName(), "OuterTiling");
  Set(tiling);
  EXPECT_EQ(tiling.get_mode(), 5);
  EXPECT_EQ(tiling.get_steps()[2], 300);
  EXPECT_EQ(tiling.inner.get_count(), 70000u);
  std::vector<uint8_t> bytes(64, 0xee);
  tiling.SaveToBuffer(bytes.data(), bytes.size());
  Check(bytes.data());
  EXPECT_EQ(bytes[48], 0xee);
  EXPECT_EQ(bytes[1], 0);  // what fills gaps is zero
  // Too little room: nothing is written.
  std::vector<uint8_t> less(47, 0xee);
  tiling.SaveToBuffer(less.data(), less.size());
  EXPECT_EQ(less, std::vector<uint8_t>(47, 0xee));
  tiling.SaveToBuffer(nullptr, 64);

  // The layout as the fields tell it: type, name, elements, class.
  std::vector<std::string> fields;
  for (const optiling::FieldInfo &f : tiling.GetFieldInfo())
    fields.push_back(std::string(f.dtype_) + " " + f.name_ + " " + std::to_string(f.arrSize_) + " " + f.structType_ +
                     " " + std::to_string(f.structSize_) + " " + f.classType_);
  EXPECT_EQ(fields,
            (std::vector<std::string>{"uint8_t mode 0  0 0", "uint8_t stepsPH 1  0 1", "int16_t steps 3  0 1",
                                      "float scale 0  0 0", "uint8_t innerPH 4  0 1", "struct inner 0 InnerTiling 16 2",
                                      "uint16_t tail 0  0 0", "uint8_t totalPH 6  0 1", "int64_t total 0  0 0"}));
  EXPECT_EQ(tiling.inner.GetFieldInfo().back().name_, std::string("InnerTilingPH"));
  EXPECT_EQ(optiling::StructSizeInfoBase::GetInstance().GetStructSize("InnerTiling"), 16u);
  EXPECT_EQ(optiling::StructSizeInfoBase::GetInstance().GetStructSize("Unknown"), 0u);
}

TEST(TilingValues, StructuresInMemoryOfTheCallerAndCopies) {
  alignas(8) uint8_t memory[48];
  std::memset(memory, 0xee, sizeof memory);
  optiling::OuterTiling copy;
  {
    optiling::OuterTiling tiling;
    tiling.set_mode(5);
    tiling.SetDataPtr(memory);  // what was set before comes along
    EXPECT_EQ(memory[0], 5);
    Set(tiling);
    Check(memory);
    uint8_t untouched[48] = {7};
    tiling.SaveToBuffer(untouched, sizeof untouched);  // it is where it belongs already
    EXPECT_EQ(untouched[0], 7);
    copy = tiling;
    const optiling::OuterTiling another(copy);
    copy.inner.set_count(70000);
    tiling.inner.set_count(1);
    EXPECT_EQ(another.inner.get_count(), 70000u);
  }
  std::memset(memory, 0, sizeof memory);
  uint8_t saved[48];
  copy.SaveToBuffer(saved, sizeof saved);
  Check(saved);
}

TEST(TilingValues, StructuresByOperatorType) {
  auto &factory = optiling::CTilingDataClassFactory::GetInstance();
  EXPECT_EQ(factory.CreateTilingDataInstance("UnknownOp"), nullptr);
  EXPECT_EQ(factory.CreateTilingDataInstance(nullptr), nullptr);
  const auto made = factory.CreateTilingDataInstance("OuterOp");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->GetDataSize(), 48u);
  EXPECT_NE(std::dynamic_pointer_cast<optiling::OuterTiling>(made), nullptr);
}

// ---- tuned tiling ----
TEST(TilingValues, TunedTilingGoesToJsonAndBack) {
  using tuningtiling::TuningTilingClassFactory;
  EXPECT_EQ(TuningTilingClassFactory::CreateTilingDataInstance("UnknownOp"), nullptr);
  const tuningtiling::TuningTilingDefPtr made = TuningTilingClassFactory::CreateTilingDataInstance("BlockOp");
  ASSERT_NE(made, nullptr);
  EXPECT_STREQ(made->GetClassName().GetString(), "BlockTiling");
  ASSERT_EQ(made->GetItemInfo().size(), 4u);
  EXPECT_STREQ(made->GetItemInfo()[2].dtype_.GetString(), "std::vector<int64_t>");
  EXPECT_STREQ(made->GetItemInfo()[2].name_.GetString(), "steps");
  const nlohmann::json text = nlohmann::json::parse(
      R"({"depth": 200, "kind": "wide", "steps": [1, -2], "block": {"rows": 7, "weight": 0.5}, "other": 1})");
  made->FromJson(text);
  auto &tiling = dynamic_cast<tuningtiling::BlockTiling &>(*made);
  EXPECT_EQ(tiling.depth, 200);
  EXPECT_EQ(tiling.kind, "wide");
  EXPECT_EQ(tiling.steps, (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(tiling.block.rows, 7);
  tuningtiling::BlockTiling copy = tiling;
  tiling.block.weight = 4;
  nlohmann::json out;
  copy.ToJson(out);
  nlohmann::json expected = text;
  expected.erase("other");
  EXPECT_EQ(out, expected);
  // A value that does not fit its field leaves the field alone, and the others are set.
  copy.FromJson(nlohmann::json::parse(R"({"depth": 256, "kind": 5, "steps": [1.5], "block": {"rows": 1}})"));
  copy.FromJson(nlohmann::json::parse(R"({"kind": "narrow"})"));
  EXPECT_EQ(copy.depth, 200);
  EXPECT_EQ(copy.kind, "narrow");
  EXPECT_EQ(copy.steps, (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(copy.block.rows, 7);
  copy.FromJson(nlohmann::json::parse("[1]"));
  EXPECT_EQ(copy.depth, 200);
}

TEST(TilingValues, StructuresWithASchema) {
  tuningtiling::Block block{3, 1.25};
  nlohmann::json j;
  tuningtiling::DumpObj(block, "", j);
  EXPECT_EQ(j, nlohmann::json::parse(R"({"rows": 3, "weight": 1.25})"));
  nlohmann::json outer;
  tuningtiling::DumpObj(std::vector<tuningtiling::Block>{block, {}}, "blocks", outer);
  EXPECT_EQ(outer["blocks"][1]["rows"], 0);
  std::vector<tuningtiling::Block> blocks;
  ASSERT_TRUE(tuningtiling::ParseObj(blocks, "blocks", outer));
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].weight, 1.25);
  EXPECT_FALSE(tuningtiling::ParseObj(blocks, "missing", outer));
  EXPECT_FALSE(tuningtiling::ParseObj(block, "", nlohmann::json::parse(R"({"rows": 3})")));
  EXPECT_FALSE(tuningtiling::ParseObj(block, "", nlohmann::json::parse(R"({"rows": 2147483648, "weight": 1})")));
  int fixed[2] = {1, 2};
  EXPECT_FALSE(tuningtiling::ParseObj(fixed, "", nlohmann::json::parse("[1]")));
  EXPECT_TRUE(tuningtiling::ParseObj(fixed, "", nlohmann::json::parse("[8, 9]")));
  EXPECT_EQ(fixed[1], 9);
  unsigned natural = 1;
  EXPECT_FALSE(tuningtiling::ParseObj(natural, "", nlohmann::json(-1)));
  EXPECT_TRUE(tuningtiling::ParseObj(natural, "", nlohmann::json(4294967295u)));
  EXPECT_EQ(natural, 4294967295u);
}

}  // namespace
