// Registries of functions by operator type: what is registered is found by its name and does what it did; what is not
// there is not found; libraries whose symbols are hidden see one another's, and those of another std::string their own.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "graph/operator.h"
#include "register/device_op_impl_registry.h"
#include "register/ffts_node_calculater_registry.h"
#include "register/hidden_input_func_registry.h"
#include "register/hidden_inputs_func_registry.h"
#include "register/op_binary_resource_manager.h"
#include "register/op_check.h"
#include "register/op_ct_impl_registry_api.h"
#include "register/op_tiling_registry.h"
#include "register/tuning_bank_key_registry.h"

// The program's own: what registries pass through.
namespace ge {
class OpDesc {
 public:
  int value = 0;
};
class Node {
 public:
  size_t bytes = 0;
};
}  // namespace ge
namespace gert {
class TilingContext {
 public:
  int64_t rows = 0;
};
class ExeResGenerationContext {
 public:
  int streams = 0;
};
class OpCheckContext {};
class LoweringGlobalData {};
}  // namespace gert

namespace {

using ge::AscendString;
using ge::GRAPH_FAILED;
using ge::GRAPH_SUCCESS;
using ge::graphStatus;

// ---- hidden inputs ----
graphStatus Hidden(const ge::OpDescPtr &op, void *&address) {
  address = &op->value;
  return GRAPH_SUCCESS;
}
REG_HIDDEN_INPUT_FUNC(ge::HiddenInputType::HCOM, Hidden);
graphStatus HiddenTwo(const ge::OpDescPtr &op, std::vector<void *> &addresses) {
  addresses = {&op->value, nullptr};
  return GRAPH_SUCCESS;
}
REG_HIDDEN_INPUTS_FUNC(ge::HiddenInputsType::HCCLSUPERKERNEL, HiddenTwo);

TEST(Registry, HiddenInputs) {
  const auto op = std::make_shared<ge::OpDesc>();
  const auto one = ge::HiddenInputFuncRegistry::GetInstance().FindHiddenInputFunc(ge::HiddenInputType::HCOM);
  ASSERT_NE(one, nullptr);
  void *address = nullptr;
  EXPECT_EQ(one(op, address), GRAPH_SUCCESS);
  EXPECT_EQ(address, &op->value);
  auto &all = ge::HiddenInputsFuncRegistry::GetInstance();
  EXPECT_EQ(all.FindHiddenInputsFunc(ge::HiddenInputsType::HCOM), nullptr);
  const auto two = all.FindHiddenInputsFunc(ge::HiddenInputsType::HCCLSUPERKERNEL);
  ASSERT_NE(two, nullptr);
  std::vector<void *> addresses;
  EXPECT_EQ(two(op, addresses), GRAPH_SUCCESS);
  EXPECT_EQ(addresses, (std::vector<void *>{&op->value, nullptr}));
  all.Register(ge::HiddenInputsType::MAX, HiddenTwo);
  EXPECT_EQ(all.FindHiddenInputsFunc(ge::HiddenInputsType::MAX), nullptr);
  EXPECT_EQ(static_cast<uint32_t>(ge::HiddenInputsType::TILEFWK), 1u);
}

// ---- node calculaters ----
graphStatus Calculate(const ge::NodePtr &node, const gert::LoweringGlobalData *, size_t &total, size_t &pre,
                      std::unique_ptr<uint8_t[]> &data) {
  total = node->bytes * 2;
  pre = 1;
  data = std::make_unique<uint8_t[]>(1);
  data[0] = 9;
  return GRAPH_SUCCESS;
}
FFTS_REGISTER_NODE_CALCULATER("by_name", Calculate);

TEST(Registry, NodeCalculaters) {
  auto &all = gert::FFTSNodeCalculaterRegistry::GetInstance();
  EXPECT_EQ(all.FindNodeCalculater("by_another_name"), nullptr);
  const auto function = all.FindNodeCalculater("by_name");
  ASSERT_NE(function, nullptr);
  const auto node = std::make_shared<ge::Node>();
  node->bytes = 21;
  gert::NodeMemPara memory;
  EXPECT_EQ(memory.dev_addr, nullptr);
  size_t pre = 0;
  std::unique_ptr<uint8_t[]> data;
  EXPECT_EQ(function(node, nullptr, memory.size, pre, data), GRAPH_SUCCESS);
  EXPECT_EQ(memory.size, 42u);
  ASSERT_EQ(pre, 1u);
  EXPECT_EQ(data[0], 9);
}

// ---- checks ----
graphStatus Yes(const ge::Operator &op, AscendString &result) {
  AscendString type;
  (void)op.GetOpType(type);
  result = AscendString((std::string("yes to ") + type.GetString()).c_str());
  return GRAPH_SUCCESS;
}
graphStatus Formats(const ge::Operator &, AscendString &result) {
  result = AscendString("formats");
  return GRAPH_SUCCESS;
}
graphStatus Info(const ge::Operator &, AscendString &result) {
  result = AscendString("info");
  return GRAPH_SUCCESS;
}
graphStatus Special(const ge::Operator &, AscendString &result) {
  result = AscendString("special");
  return GRAPH_FAILED;
}
graphStatus Generalize(const ge::Operator &, const AscendString &config, AscendString &params) {
  params = AscendString((std::string(config.GetString()) + "!").c_str());
  return GRAPH_SUCCESS;
}
int32_t Replay(optiling::ReplayFuncParam &param, const int32_t core) { return param.block_dim * 100 + core; }
REG_CHECK_SUPPORT(ProgramOp, Yes);
REG_OP_SELECT_FORMAT(ProgramOp, Formats);
REG_OP_SUPPORT_INFO(ProgramOp, Info);
REG_OP_SPEC_INFO(ProgramOp, Special);
REG_OP_PARAM_GENERALIZE(ProgramOp, Generalize);
REG_REPLAY_FUNC(ProgramOp, soc_a, Replay);

TEST(Registry, Checks) {
  using All = optiling::OpCheckFuncRegistry;
  const ge::Operator op("name", "ProgramOp");
  const std::map<std::string, std::string> expected = {{"check_supported", "yes to ProgramOp"},
                                                       {"op_select_format", "formats"},
                                                       {"get_op_support_info", "info"},
                                                       {"get_op_specific_info", "special"}};
  for (const auto &[check, text] : expected) {
    const auto function = All::GetOpCapability(check.c_str(), "ProgramOp");
    ASSERT_NE(function, nullptr) << check;
    AscendString result;
    EXPECT_EQ(function(op, result), text == "special" ? GRAPH_FAILED : GRAPH_SUCCESS);
    EXPECT_EQ(result.GetString(), text);
    EXPECT_EQ(All::GetOpCapability(check.c_str(), "OtherOp"), nullptr);
  }
  EXPECT_EQ(All::GetOpCapability("another_check", "ProgramOp"), nullptr);
  AscendString params;
  ASSERT_NE(All::GetParamGeneralize("ProgramOp"), nullptr);
  EXPECT_EQ(All::GetParamGeneralize("ProgramOp")(op, "config", params), GRAPH_SUCCESS);
  EXPECT_STREQ(params.GetString(), "config!");
  EXPECT_EQ(All::GetParamGeneralize("OtherOp"), nullptr);
  ASSERT_NE(All::GetReplay("ProgramOp", "soc_a"), nullptr);
  EXPECT_EQ(All::GetReplay("ProgramOp", "soc_b"), nullptr);
  optiling::ReplayFuncParam param;
  param.block_dim = 3;
  EXPECT_EQ(All::GetReplay("ProgramOp", "soc_a")(param, 2), 302);
  All::RegisterOpCapability(FUNC_CHECK_SUPPORTED, "Twice", Yes);
  All::RegisterOpCapability(FUNC_CHECK_SUPPORTED, "Twice", Info);
  EXPECT_EQ(All::GetOpCapability(FUNC_CHECK_SUPPORTED, "Twice"), &Info);
}

// ---- tiling ----
bool TilingV1(const optiling::TeOpParas &op, const optiling::OpCompileInfo &info, optiling::OpRunInfo &run) {
  run.block_dim = static_cast<uint32_t>(op.inputs.size());
  optiling::ByteBufferPut(run.tiling_data, static_cast<uint32_t>(info.str.size()));
  return true;
}
bool TilingV2(const ge::Operator &, const optiling::utils::OpCompileInfo &info, optiling::utils::OpRunInfo &run) {
  run.SetTilingKey(info.GetValue().GetLength());
  return true;
}
int g_compiled = 5;
void *ParseV3(const ge::Operator &, const AscendString &) { return &g_compiled; }
bool TilingV3(const ge::Operator &, const void *info, optiling::utils::OpRunInfo &run) {
  run.SetBlockDim(static_cast<uint32_t>(*static_cast<const int *>(info)));
  return true;
}
struct Compiled : public optiling::CompileInfoBase {
  explicit Compiled(size_t l) : length(l) {}
  size_t length;
};
optiling::CompileInfoPtr ParseV4(const ge::Operator &, const AscendString &text) {
  return std::make_shared<Compiled>(text.GetLength());
}
bool TilingV4(const ge::Operator &, const optiling::CompileInfoPtr info, optiling::utils::OpRunInfo &run) {
  run.AddWorkspace(static_cast<int64_t>(std::static_pointer_cast<Compiled>(info)->length));
  return true;
}
REGISTER_OP_TILING(TilingOne, TilingV1);
REGISTER_OP_TILING(TilingTwo, TilingV2);
REGISTER_OP_TILING_V2(TilingAlsoTwo, TilingV2);
REGISTER_OP_TILING_V3(TilingThree, TilingV3, ParseV3);
REGISTER_OP_TILING_V4(TilingFour, TilingV4, ParseV4);
REGISTER_OP_TILING_FUNC(TilingOne, TilingV1);
REGISTER_OP_TILING_FUNC_BUFFERED_V2(TilingTwo, TilingV2);

TEST(Registry, TilingFunctionsOfEveryForm) {
  auto &all = optiling::OpTilingFuncRegistry::RegisteredOpFuncInfo();
  EXPECT_EQ(all.count("TilingFive"), 0u);
  const ge::Operator op("name", "Tiling");
  {
    optiling::TeOpParas paras;
    paras.inputs.resize(4);
    optiling::OpRunInfo run;
    ASSERT_TRUE(all.at("TilingOne").IsFunctionV1());
    EXPECT_TRUE(all.at("TilingOne").GetOpTilingFunc()(paras, {"text", "key"}, run));
    EXPECT_EQ(run.block_dim, 4u);
    uint32_t length = 0;
    optiling::ByteBufferGet(run.tiling_data, length);
    EXPECT_EQ(length, 4u);
  }
  for (const char *type : {"TilingTwo", "TilingAlsoTwo"}) {
    optiling::utils::OpRunInfo run;
    ASSERT_TRUE(all.at(type).IsFunctionV2());
    EXPECT_FALSE(all.at(type).GetOpTilingFunc());
    EXPECT_TRUE(all.at(type).GetOpTilingFuncV2()(op, {"key", "value"}, run));
    EXPECT_EQ(run.GetTilingKey(), 5u);
    EXPECT_EQ(all.at(type).GetOpType(), type);
  }
  optiling::utils::OpRunInfo run;
  ASSERT_TRUE(all.at("TilingThree").IsFunctionV3());
  EXPECT_TRUE(all.at("TilingThree").GetOpTilingFuncV3()(op, all.at("TilingThree").GetOpParseFuncV3()(op, ""), run));
  EXPECT_EQ(run.GetBlockDim(), 5u);
  ASSERT_TRUE(all.at("TilingFour").IsFunctionV4());
  EXPECT_TRUE(
      all.at("TilingFour").GetOpTilingFuncV4()(op, all.at("TilingFour").GetOpParseFuncV4()(op, "seven77"), run));
  EXPECT_EQ(run.GetAllWorkspaces(), (std::vector<int64_t>{7}));
  EXPECT_EQ(optiling::OpTilingRegistryInterf::RegisteredOpInterf().count("TilingOne"), 1u);
  EXPECT_EQ(optiling::OpTilingRegistryInterf_V2::RegisteredOpInterf().count("TilingTwo"), 1u);
  EXPECT_EQ(optiling::OpTilingRegistryInterf_V2::RegisteredOpInterf().count("TilingOne"), 0u);
}

graphStatus SinkTiling(gert::TilingContext *context) {
  context->rows += 1;
  return GRAPH_SUCCESS;
}
DEVICE_IMPL_OP_OPTILING(SinkOp).Tiling(SinkTiling);

TEST(Registry, DeviceTiling) {
  auto &all = optiling::DeviceOpImplRegistry::GetSingleton();
  EXPECT_FALSE(all.GetSinkTilingFunc("OtherOp"));
  const auto function = all.GetSinkTilingFunc("SinkOp");
  ASSERT_TRUE(function);
  gert::TilingContext context;
  EXPECT_EQ(function(&context), GRAPH_SUCCESS);
  EXPECT_EQ(context.rows, 1);
}

// ---- compile-time functions ----
graphStatus CalcParam(gert::ExeResGenerationContext *context) {
  context->streams = 2;
  return GRAPH_SUCCESS;
}
graphStatus GenTask(const gert::ExeResGenerationContext *context, std::vector<std::vector<uint8_t>> &tasks) {
  tasks.emplace_back(static_cast<size_t>(context->streams), uint8_t{7});
  return GRAPH_SUCCESS;
}
graphStatus CtCheck(const gert::OpCheckContext *, AscendString &result) {
  result = AscendString("{}");
  return GRAPH_SUCCESS;
}
IMPL_OP_CT(CtOp).CalcOpParam(CalcParam).GenerateTask(GenTask).CheckSupport(CtCheck);
IMPL_OP_CT(CtAnother).OpSelectFormat(CtCheck);

TEST(Registry, CompileTimeFunctions) {
  EXPECT_EQ(OP_CT_IMPL_MAIM_VERSION, 1);
  const auto &all = gert::OpCtImplRegistry::GetInstance();
  EXPECT_EQ(all.GetOpImpl("Unknown"), nullptr);
  EXPECT_EQ(all.GetOpImpl(nullptr), nullptr);
  const auto *functions = all.GetOpImpl("CtOp");
  ASSERT_NE(functions, nullptr);
  gert::ExeResGenerationContext context;
  std::vector<std::vector<uint8_t>> tasks;
  EXPECT_EQ(functions->calc_op_param(&context), GRAPH_SUCCESS);
  EXPECT_EQ(functions->gen_task(&context, tasks), GRAPH_SUCCESS);
  EXPECT_EQ(tasks, (std::vector<std::vector<uint8_t>>{{7, 7}}));
  EXPECT_EQ(functions->op_select_format, nullptr);
  EXPECT_EQ(all.GetOpImpl("CtAnother")->op_select_format, &CtCheck);
  // The same through C functions.
  ASSERT_EQ(GetRegisteredOpCtNum(), 2u);
  TypesToCtImpl found[2] = {};
  EXPECT_EQ(GetOpCtImplFunctions(found, 1), static_cast<int32_t>(GRAPH_FAILED));
  EXPECT_EQ(GetOpCtImplFunctions(nullptr, 2), static_cast<int32_t>(GRAPH_FAILED));
  ASSERT_EQ(GetOpCtImplFunctions(found, 2), 0);
  EXPECT_STREQ(found[0].op_type, "CtAnother");
  EXPECT_STREQ(found[1].op_type, "CtOp");
  EXPECT_EQ(found[1].funcs.check_support, &CtCheck);
}

// ---- kernels in libraries ----
const std::string kOp = R"({"binList": ["a"]})",
                  kKernel =
                      "\x7f"
                      "ELF",
                  kTuned = "{\"rows\": 3}";
const std::string kJson = R"({"filePath": "ai_core/add.json", "supportInfo": {"simplifiedKey": ["Add/0", "Add/1"]}})";
using Bytes = nnopbase::OpBinaryResourceManager::Range;
Bytes RangeOf(const std::string &text) {
  const auto *begin = reinterpret_cast<const uint8_t *>(text.data());
  return {begin, begin + text.size()};
}

TEST(Registry, KernelsOfLibraries) {
  auto &all = nnopbase::OpBinaryResourceManager::GetInstance();
  ASSERT_EQ(all.AddBinary("AddCustom", {RangeOf(kOp), RangeOf(kJson), RangeOf(kKernel)}), GRAPH_SUCCESS);
  nlohmann::json j;
  ASSERT_EQ(all.GetOpBinaryDesc("AddCustom", j), GRAPH_SUCCESS);
  EXPECT_EQ(j["binList"][0], "a");
  EXPECT_EQ(all.GetOpBinaryDesc("Unknown", j), GRAPH_FAILED);
  EXPECT_EQ(j["binList"][0], "a");  // left alone
  EXPECT_EQ(all.GetAllOpBinaryDesc().count("AddCustom"), 1u);
  std::tuple<nlohmann::json, nnopbase::Binary> found;
  for (const char *key : {"Add/0", "Add/1"}) {
    found = {};
    ASSERT_EQ(all.GetOpBinaryByKey(key, found), GRAPH_SUCCESS);
    EXPECT_EQ(std::get<1>(found).content, reinterpret_cast<const uint8_t *>(kKernel.data()));
    EXPECT_EQ(std::get<1>(found).len, 4u);
  }
  ASSERT_EQ(all.GetOpBinaryByPath("ai_core/add.json", found), GRAPH_SUCCESS);
  EXPECT_EQ(std::get<0>(found)["supportInfo"]["simplifiedKey"].size(), 2u);
  EXPECT_EQ(all.GetOpBinaryByPath("ai_core/sub.json", found), GRAPH_FAILED);
  EXPECT_EQ(all.GetOpBinaryByKey("Add/2", found), GRAPH_FAILED);
  ASSERT_EQ(all.GetOpBinaryDescByKey("Add/0", j), GRAPH_SUCCESS);
  EXPECT_EQ(j["filePath"], "ai_core/add.json");
  ASSERT_EQ(all.GetOpBinaryDescByPath("ai_core/add.json", j), GRAPH_SUCCESS);

  // What is refused changes nothing.
  const std::string bad = "{", no_path = "{}", empty;
  EXPECT_EQ(all.AddBinary("Bad", {}), ge::GRAPH_PARAM_INVALID);
  EXPECT_EQ(all.AddBinary("Bad", {RangeOf(bad)}), ge::GRAPH_PARAM_INVALID);
  EXPECT_EQ(all.AddBinary("Bad", {RangeOf(kOp), RangeOf(kJson)}), ge::GRAPH_PARAM_INVALID);
  EXPECT_EQ(all.AddBinary("Bad", {RangeOf(kOp), RangeOf(no_path), RangeOf(kKernel)}), ge::GRAPH_PARAM_INVALID);
  EXPECT_EQ(all.AddBinary("Bad", {RangeOf(kOp), RangeOf(kJson), RangeOf(empty)}), ge::GRAPH_PARAM_INVALID);
  EXPECT_EQ(all.AddBinary("Bad", {Bytes{nullptr, nullptr}}), ge::GRAPH_PARAM_INVALID);
  EXPECT_EQ(all.AddBinary("", {RangeOf(kOp)}), ge::GRAPH_PARAM_INVALID);
  EXPECT_EQ(all.GetOpBinaryDesc("Bad", j), GRAPH_FAILED);

  int function = 0;
  std::vector<void *> functions;
  EXPECT_EQ(all.GetOpFuncHandle("AddCustom", functions), GRAPH_FAILED);
  EXPECT_EQ(all.AddOpFuncHandle("AddCustom", {&function}), GRAPH_SUCCESS);
  EXPECT_EQ(all.GetOpFuncHandle("AddCustom", functions), GRAPH_SUCCESS);
  EXPECT_EQ(functions, std::vector<void *>{&function});
  std::vector<AscendString> tuned;
  EXPECT_EQ(all.GetOpRuntimeKB("AddCustom", tuned), GRAPH_FAILED);
  EXPECT_EQ(all.AddRuntimeKB("AddCustom", {RangeOf(kTuned)}), GRAPH_SUCCESS);
  EXPECT_EQ(all.AddRuntimeKB("AddCustom", {RangeOf(kOp)}), GRAPH_SUCCESS);
  EXPECT_EQ(all.GetOpRuntimeKB("AddCustom", tuned), GRAPH_SUCCESS);
  ASSERT_EQ(tuned.size(), 2u);
  EXPECT_EQ(tuned[0].GetString(), kTuned);
}

// ---- keys of tuning banks ----
struct AddKey {
  int64_t rows;
  bool wide;
};
DECLARE_STRUCT_RELATE_WITH_OP(BankOp, AddKey, rows, wide)
struct AddKeyAsText {
  int64_t rows;
  float scale;
};
DECLARE_STRUCT_RELATE_WITH_OP_V2(BankOp, AddKeyAsText, rows, scale)
bool Convert(const gert::TilingContext *context, std::shared_ptr<void> &key, size_t &size) {
  key = std::make_shared<AddKey>(AddKey{context->rows, true});
  size = sizeof(AddKey);
  return true;
}
REGISTER_OP_BANK_KEY_CONVERT_FUN(BankOp, Convert);
REGISTER_OP_BANK_KEY_CONVERT_FUN_V2(BankOp, Convert);

TEST(Registry, KeysOfTuningBanks) {
  auto &all = tuningtiling::OpBankKeyFuncRegistry::RegisteredOpFuncInfo();
  EXPECT_EQ(all.count(AscendString("Unknown")), 0u);
  ASSERT_EQ(all.count(AscendString("BankOp")), 1u);
  const auto &info = all.at(AscendString("BankOp"));
  gert::TilingContext context;
  context.rows = int64_t{1} << 40;
  std::shared_ptr<void> key;
  size_t size = 0;
  ASSERT_TRUE(info.GetBankKeyConvertFunc()(&context, key, size));
  nlohmann::json j;
  ASSERT_TRUE(info.GetBankKeyParseFunc()(key, size, j));
  EXPECT_EQ(j, (nlohmann::json{{"rows", 1099511627776}, {"wide", true}}));
  EXPECT_FALSE(info.GetBankKeyParseFunc()(key, size - 1, j));
  EXPECT_FALSE(info.GetBankKeyParseFunc()(nullptr, size, j));
  std::shared_ptr<void> again;
  size = 0;
  ASSERT_TRUE(info.GetBankKeyLoadFunc()(again, size, j));
  EXPECT_EQ(size, sizeof(AddKey));
  EXPECT_EQ(std::static_pointer_cast<AddKey>(again)->rows, context.rows);
  EXPECT_FALSE(info.GetBankKeyLoadFunc()(again, size, nlohmann::json{{"rows", 1}}));

  auto &texts = tuningtiling::OpBankKeyFuncRegistryV2::RegisteredOpFuncInfoV2();
  ASSERT_EQ(texts.count(AscendString("BankOp")), 1u);
  const auto &text_info = texts.at(AscendString("BankOp"));
  EXPECT_EQ(text_info.GetBankKeyConvertFunc(), &Convert);
  key = std::make_shared<AddKeyAsText>(AddKeyAsText{5, 0.5f});
  AscendString text;
  ASSERT_TRUE(text_info.GetBankKeyParseFunc()(key, sizeof(AddKeyAsText), text));
  EXPECT_EQ(nlohmann::json::parse(text.GetString()), (nlohmann::json{{"rows", 5}, {"scale", 0.5}}));
  again.reset();
  ASSERT_TRUE(text_info.GetBankKeyLoadFunc()(again, size, text));
  EXPECT_EQ(std::static_pointer_cast<AddKeyAsText>(again)->scale, 0.5f);
  EXPECT_FALSE(text_info.GetBankKeyLoadFunc()(again, size, AscendString("no json")));
}

// ---- libraries ----
class Library {
 public:
  explicit Library(const char *path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {}
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  bool ok() const { return handle_ != nullptr; }
  template <class Function>
  Function *Get(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(handle_, name));
  }

 private:
  void *handle_;
};

bool SeesTheLibrary() {
  return optiling::OpCheckFuncRegistry::GetOpCapability(FUNC_CHECK_SUPPORTED, "LibraryOp") != nullptr;
}

TEST(Registry, LibrariesOfAnotherStringKeepTheirOwn) {
  const Library other(GE_TEST_OTHER_LIBRARY);
  ASSERT_TRUE(other.ok()) << dlerror();
  EXPECT_EQ(other.Get<uint32_t()>("LibraryAdded")(), GRAPH_SUCCESS);
  EXPECT_EQ(other.Get<int()>("LibraryFinds")(), 0);
  EXPECT_FALSE(SeesTheLibrary());
  EXPECT_EQ(optiling::OpTilingFuncRegistry::RegisteredOpFuncInfo().count("LibraryOp"), 0u);
}

TEST(Registry, LibrariesWithHiddenSymbolsAndTheProgramSeeOneAnother) {
  const Library same(GE_TEST_LIBRARY);
  ASSERT_TRUE(same.ok()) << dlerror();
  EXPECT_EQ(same.Get<uint32_t()>("LibraryAdded")(), GRAPH_SUCCESS);
  EXPECT_EQ(same.Get<int()>("LibraryFinds")(), 1);
  ASSERT_TRUE(SeesTheLibrary());
  AscendString result;
  EXPECT_EQ(optiling::OpCheckFuncRegistry::GetOpCapability(FUNC_CHECK_SUPPORTED, "LibraryOp")(ge::Operator(), result),
            GRAPH_SUCCESS);
  EXPECT_STREQ(result.GetString(), "from the library");
  std::vector<void *> addresses;
  const auto hidden = ge::HiddenInputsFuncRegistry::GetInstance().FindHiddenInputsFunc(ge::HiddenInputsType::TILEFWK);
  ASSERT_NE(hidden, nullptr);
  EXPECT_EQ(hidden(nullptr, addresses), GRAPH_SUCCESS);
  EXPECT_EQ(addresses.size(), 3u);
  EXPECT_NE(gert::FFTSNodeCalculaterRegistry::GetInstance().FindNodeCalculater("library_calculater"), nullptr);
  // Tables of C++ are the library's own.
  EXPECT_EQ(optiling::OpTilingFuncRegistry::RegisteredOpFuncInfo().count("LibraryOp"), 0u);
  nlohmann::json j;
  EXPECT_EQ(nnopbase::OpBinaryResourceManager::GetInstance().GetOpBinaryDesc("LibraryOp", j), GRAPH_FAILED);
  EXPECT_EQ(tuningtiling::OpBankKeyFuncRegistry::RegisteredOpFuncInfo().count(AscendString("LibraryOp")), 0u);
  EXPECT_EQ(same.Get<int()>("LibraryFindsItsOwn")(), 1);
}

}  // namespace
