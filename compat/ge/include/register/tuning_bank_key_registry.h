// The keys of a bank of tuned operators: by operator type, a function that makes the key of a node, and
// functions that turn keys into JSON and back.
//
//   struct AddKey { int64_t rows; bool wide; };
//   DECLARE_STRUCT_RELATE_WITH_OP(AddCustom, AddKey, rows, wide)
//   bool Convert(const gert::TilingContext *context, std::shared_ptr<void> &key, size_t &size) { … }
//   REGISTER_OP_BANK_KEY_CONVERT_FUN(AddCustom, Convert);
//
// The forms with _V2 exchange JSON as text. Tables are those of a library and have no lock: registering belongs to
// start-up.
#ifndef INC_REGISTER_TUNING_BANK_KEY_REGISTRY_H_
#define INC_REGISTER_TUNING_BANK_KEY_REGISTRY_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "register/detail/function_table.h"
#include "register/detail/json.h"

namespace gert {
class TilingContext;
}

namespace tuningtiling {

/// Makes the key of a node: in_args owns it, size is its bytes.
using OpBankKeyConvertFun =
    std::function<bool(const gert::TilingContext *context, std::shared_ptr<void> &in_args, size_t &size)>;
/// A key as JSON, and back.
using OpBankParseFun = std::function<bool(const std::shared_ptr<void> &in_args, size_t len, nlohmann::json &bank_json)>;
using OpBankLoadFun = std::function<bool(std::shared_ptr<void> &in_args, size_t &len, const nlohmann::json &bank_json)>;
/// The same with JSON as text.
using OpBankKeyConvertFunV2 = bool (*)(const gert::TilingContext *context, std::shared_ptr<void> &in_args,
                                       size_t &size);
using OpBankParseFunV2 = bool (*)(const std::shared_ptr<void> &in_args, size_t len, ge::AscendString &bank_json_str);
using OpBankLoadFunV2 = bool (*)(std::shared_ptr<void> &in_args, size_t &len, const ge::AscendString &bank_json_str);

/// The functions of a type; empty ones were not registered.
template <class Convert, class Parse, class Load>
class BankKeyFunctions {
 public:
  BankKeyFunctions() = default;
  explicit BankKeyFunctions(const ge::AscendString &optype) : optype_(optype) {}
  void SetOpConvertFunc(const Convert &convert_func) { convert_ = convert_func; }
  void SetOpParseFunc(const Parse &parse_func) { parse_ = parse_func; }
  void SetOpLoadFunc(const Load &load_func) { load_ = load_func; }
  const Convert &GetBankKeyConvertFunc() const { return convert_; }
  const Parse &GetBankKeyParseFunc() const { return parse_; }
  const Load &GetBankKeyLoadFunc() const { return load_; }
  const ge::AscendString &GetOpType() const { return optype_; }

 private:
  ge::AscendString optype_;
  Convert convert_{};
  Parse parse_{};
  Load load_{};
};
using OpBankKeyFuncInfo = BankKeyFunctions<OpBankKeyConvertFun, OpBankParseFun, OpBankLoadFun>;
using OpBankKeyFuncInfoV2 = BankKeyFunctions<OpBankKeyConvertFunV2, OpBankParseFunV2, OpBankLoadFunV2>;

/// An object registers when it is made; the last function of a kind counts.
template <class Convert, class Parse, class Load>
class GE_OF_THIS_LIBRARY BankKeyRegistry {
 public:
  using Info = BankKeyFunctions<Convert, Parse, Load>;
  BankKeyRegistry(const ge::AscendString &optype, const Convert &convert_func) {
    Entry(optype).SetOpConvertFunc(convert_func);
  }
  BankKeyRegistry(const ge::AscendString &optype, const Parse &parse_func, const Load &load_func) {
    Entry(optype).SetOpParseFunc(parse_func);
    Entry(optype).SetOpLoadFunc(load_func);
  }
  ~BankKeyRegistry() = default;

 protected:
  static std::unordered_map<ge::AscendString, Info> &All() {
    return ge::detail::LibraryTable<std::unordered_map<ge::AscendString, Info>, BankKeyRegistry>();
  }

 private:
  static Info &Entry(const ge::AscendString &optype) { return All().try_emplace(optype, optype).first->second; }
};

class GE_OF_THIS_LIBRARY OpBankKeyFuncRegistry
    : public BankKeyRegistry<OpBankKeyConvertFun, OpBankParseFun, OpBankLoadFun> {
 public:
  using BankKeyRegistry::BankKeyRegistry;
  static std::unordered_map<ge::AscendString, OpBankKeyFuncInfo> &RegisteredOpFuncInfo() { return All(); }
};
class GE_OF_THIS_LIBRARY OpBankKeyFuncRegistryV2
    : public BankKeyRegistry<OpBankKeyConvertFunV2, OpBankParseFunV2, OpBankLoadFunV2> {
 public:
  using BankKeyRegistry::BankKeyRegistry;
  static std::unordered_map<ge::AscendString, OpBankKeyFuncInfoV2> &RegisteredOpFuncInfoV2() { return All(); }
};

/// Keys that are structures nlohmann/json converts.
template <class Key>
class BankKeyJson {
 public:
  /// False for no key and for one of another size.
  static bool Parse(const std::shared_ptr<void> &in_args, size_t len, nlohmann::json &bank_json) {
    if (in_args == nullptr || len != sizeof(Key)) return false;
    bank_json = *std::static_pointer_cast<Key>(in_args);
    return true;
  }
  /// False for JSON that is no such key; in_args is then left alone.
  static bool Load(std::shared_ptr<void> &in_args, size_t &len, const nlohmann::json &bank_json) {
    try {
      auto key = std::make_shared<Key>();
      bank_json.get_to(*key);
      in_args = std::move(key);
    } catch (const nlohmann::json::exception &) {
      return false;
    }
    len = sizeof(Key);
    return true;
  }
  static bool ParseText(const std::shared_ptr<void> &in_args, size_t len, ge::AscendString &bank_json_str) {
    nlohmann::json j;
    if (!Parse(in_args, len, j)) return false;
    bank_json_str = ge::AscendString(j.dump().c_str());
    return true;
  }
  static bool LoadText(std::shared_ptr<void> &in_args, size_t &len, const ge::AscendString &bank_json_str) {
    const nlohmann::json j = nlohmann::json::parse(bank_json_str.GetString(), nullptr, false);
    return !j.is_discarded() && Load(in_args, len, j);
  }
};

}  // namespace tuningtiling

#define GE_REG_BANK_KEY(registry, optype, ...) \
  [[maybe_unused]] static ::tuningtiling::registry GE_UNIQUE_NAME(g_##optype##BankKey)(#optype, __VA_ARGS__)

#define REGISTER_OP_BANK_KEY_CONVERT_FUN(optype, opfunc) GE_REG_BANK_KEY(OpBankKeyFuncRegistry, optype, (opfunc))
#define REGISTER_OP_BANK_KEY_PARSE_FUN(optype, parse_func, load_func) \
  GE_REG_BANK_KEY(OpBankKeyFuncRegistry, optype, (parse_func), (load_func))
#define REGISTER_OP_BANK_KEY_CONVERT_FUN_V2(optype, opfunc) GE_REG_BANK_KEY(OpBankKeyFuncRegistryV2, optype, (opfunc))
#define REGISTER_OP_BANK_KEY_PARSE_FUN_V2(optype, parse_func, load_func) \
  GE_REG_BANK_KEY(OpBankKeyFuncRegistryV2, optype, (parse_func), (load_func))

/// The fields of a structure, which is the key of an operator; in the namespace of the structure.
#define DECLARE_STRUCT_RELATE_WITH_OP(optype, bank_key, ...)                           \
  NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(bank_key, __VA_ARGS__)                            \
  REGISTER_OP_BANK_KEY_PARSE_FUN(optype, ::tuningtiling::BankKeyJson<bank_key>::Parse, \
                                 ::tuningtiling::BankKeyJson<bank_key>::Load);
#define DECLARE_STRUCT_RELATE_WITH_OP_V2(optype, bank_key, ...)                               \
  NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(bank_key, __VA_ARGS__)                                   \
  REGISTER_OP_BANK_KEY_PARSE_FUN_V2(optype, ::tuningtiling::BankKeyJson<bank_key>::ParseText, \
                                    ::tuningtiling::BankKeyJson<bank_key>::LoadText);

#endif
