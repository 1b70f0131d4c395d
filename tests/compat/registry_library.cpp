// A library that registers functions as a vendor ships it: all its symbols are hidden. It is built for both kinds of
// std::string.
#include "register/ffts_node_calculater_registry.h"
#include "register/hidden_inputs_func_registry.h"
#include "register/op_binary_resource_manager.h"
#include "register/op_check.h"
#include "register/op_tiling_registry.h"
#include "register/tuning_bank_key_registry.h"

namespace {

ge::graphStatus Supported(const ge::Operator &, ge::AscendString &result) {
  result = ge::AscendString("from the library");
  return ge::GRAPH_SUCCESS;
}
REG_CHECK_SUPPORT(LibraryOp, Supported);

ge::graphStatus Addresses(const ge::OpDescPtr &, std::vector<void *> &addresses) {
  addresses.assign(3, nullptr);
  return ge::GRAPH_SUCCESS;
}
REG_HIDDEN_INPUTS_FUNC(ge::HiddenInputsType::TILEFWK, Addresses);

ge::graphStatus Size(const ge::NodePtr &, const gert::LoweringGlobalData *, size_t &total, size_t &pre,
                     std::unique_ptr<uint8_t[]> &) {
  total = 128;
  pre = 0;
  return ge::GRAPH_SUCCESS;
}
FFTS_REGISTER_NODE_CALCULATER("library_calculater", Size);

bool Tiling(const ge::Operator &, const optiling::utils::OpCompileInfo &, optiling::utils::OpRunInfo &run) {
  run.SetBlockDim(77);
  return true;
}
REGISTER_OP_TILING_V2(LibraryOp, Tiling);

struct LibraryKey {
  int32_t rows;
};
DECLARE_STRUCT_RELATE_WITH_OP(LibraryOp, LibraryKey, rows)

const char kDescription[] = "{\"op\": \"LibraryOp\"}";
const auto kBegin = reinterpret_cast<const uint8_t *>(kDescription);
const auto kAdded = nnopbase::OpBinaryResourceManager::GetInstance().AddBinary(
    "LibraryOp", {std::make_tuple(kBegin, kBegin + sizeof kDescription - 1)});

}  // namespace

extern "C" __attribute__((visibility("default"))) uint32_t LibraryAdded() { return kAdded; }
/// What this library finds of those the program registered.
extern "C" __attribute__((visibility("default"))) int LibraryFinds() {
  return optiling::OpCheckFuncRegistry::GetOpCapability(FUNC_CHECK_SUPPORTED, "ProgramOp") != nullptr;
}
/// Tiling functions, kernels and keys that this library registered.
extern "C" __attribute__((visibility("default"))) int LibraryFindsItsOwn() {
  nlohmann::json j;
  return optiling::OpTilingFuncRegistry::RegisteredOpFuncInfo().count("LibraryOp") == 1 &&
         nnopbase::OpBinaryResourceManager::GetInstance().GetOpBinaryDesc("LibraryOp", j) == ge::GRAPH_SUCCESS &&
         tuningtiling::OpBankKeyFuncRegistry::RegisteredOpFuncInfo().count(ge::AscendString("LibraryOp")) == 1;
}
