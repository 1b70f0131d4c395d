// REGISTER_OP_TILING: tiling functions by operator type, in the four forms there are.
//
//   bool Tiling(const ge::Operator &op, const optiling::utils::OpCompileInfo &info, optiling::utils::OpRunInfo &run);
//   REGISTER_OP_TILING_V2(AddCustom, Tiling);
//
// They are kept and found by type; the library runs no kernels that need them.
#ifndef INC_REGISTER_OP_TILING_REGISTRY_H_
#define INC_REGISTER_OP_TILING_REGISTRY_H_

#include <functional>
#include <string>
#include <unordered_map>

#include "graph/detail/library_table.h"
#include "graph/operator.h"
#include "register/op_compile_info_base.h"
#include "register/op_tiling_info.h"

namespace optiling {

using OpTilingFunc = std::function<bool(const TeOpParas &, const OpCompileInfo &, OpRunInfo &)>;
using OpTilingFuncV2 = std::function<bool(const ge::Operator &, const utils::OpCompileInfo &, utils::OpRunInfo &)>;
using OpTilingFuncV3 = std::function<bool(const ge::Operator &, const void *, utils::OpRunInfo &)>;
using OpParseFuncV3 = std::function<void *(const ge::Operator &, const ge::AscendString &)>;
using OpTilingFuncV4 = std::function<bool(const ge::Operator &, const CompileInfoPtr, utils::OpRunInfo &)>;
using OpParseFuncV4 = std::function<CompileInfoPtr(const ge::Operator &, const ge::AscendString &)>;

/// The functions of a type. The form that was registered last counts.
class OpTilingFuncInfo {
 public:
  OpTilingFuncInfo() = default;
  explicit OpTilingFuncInfo(const std::string &op_type) : op_type_(op_type) {}

  bool IsFunctionV1() const { return form_ == 1; }
  bool IsFunctionV2() const { return form_ == 2; }
  bool IsFunctionV3() const { return form_ == 3; }
  bool IsFunctionV4() const { return form_ == 4; }
  void SetOpTilingFunc(const OpTilingFunc &tiling_func) {
    tiling_ = tiling_func;
    form_ = 1;
  }
  void SetOpTilingFuncV2(const OpTilingFuncV2 &tiling_func) {
    tiling_v2_ = tiling_func;
    form_ = 2;
  }
  void SetOpTilingFuncV3(const OpTilingFuncV3 &tiling_func, const OpParseFuncV3 &parse_func) {
    tiling_v3_ = tiling_func;
    parse_v3_ = parse_func;
    form_ = 3;
  }
  void SetOpTilingFuncV4(const OpTilingFuncV4 &tiling_func, const OpParseFuncV4 &parse_func) {
    tiling_v4_ = tiling_func;
    parse_v4_ = parse_func;
    form_ = 4;
  }
  const OpTilingFunc &GetOpTilingFunc() const { return tiling_; }
  const OpTilingFuncV2 &GetOpTilingFuncV2() const { return tiling_v2_; }
  const OpTilingFuncV3 &GetOpTilingFuncV3() const { return tiling_v3_; }
  const OpParseFuncV3 &GetOpParseFuncV3() const { return parse_v3_; }
  const OpTilingFuncV4 &GetOpTilingFuncV4() const { return tiling_v4_; }
  const OpParseFuncV4 &GetOpParseFuncV4() const { return parse_v4_; }
  const std::string &GetOpType() const { return op_type_; }

 private:
  std::string op_type_;
  int form_ = 0;
  OpTilingFunc tiling_;
  OpTilingFuncV2 tiling_v2_;
  OpTilingFuncV3 tiling_v3_;
  OpParseFuncV3 parse_v3_;
  OpTilingFuncV4 tiling_v4_;
  OpParseFuncV4 parse_v4_;
};

/// All forms, by type, of this library. Objects register when they are made, which belongs to start-up: the table
/// has no lock.
class GE_OF_THIS_LIBRARY OpTilingFuncRegistry {
 public:
  OpTilingFuncRegistry(const std::string &op_type, OpTilingFunc tiling_func) {
    Entry(op_type).SetOpTilingFunc(tiling_func);
  }
  OpTilingFuncRegistry(const std::string &op_type, OpTilingFuncV2 tiling_func) {
    Entry(op_type).SetOpTilingFuncV2(tiling_func);
  }
  OpTilingFuncRegistry(const std::string &op_type, OpTilingFuncV3 tiling_func, OpParseFuncV3 parse_func) {
    Entry(op_type).SetOpTilingFuncV3(tiling_func, parse_func);
  }
  OpTilingFuncRegistry(const std::string &op_type, OpTilingFuncV4 tiling_func, OpParseFuncV4 parse_func) {
    Entry(op_type).SetOpTilingFuncV4(tiling_func, parse_func);
  }
  ~OpTilingFuncRegistry() = default;
  static std::unordered_map<std::string, OpTilingFuncInfo> &RegisteredOpFuncInfo() {
    return ge::detail::LibraryTable<std::unordered_map<std::string, OpTilingFuncInfo>, OpTilingFuncRegistry>();
  }

 private:
  static OpTilingFuncInfo &Entry(const std::string &op_type) {
    return RegisteredOpFuncInfo().try_emplace(op_type, op_type).first->second;
  }
};

/// Functions of the first form alone.
class GE_OF_THIS_LIBRARY OpTilingRegistryInterf {
 public:
  OpTilingRegistryInterf(std::string op_type, OpTilingFunc func) { RegisteredOpInterf()[op_type] = func; }
  ~OpTilingRegistryInterf() = default;
  static std::unordered_map<std::string, OpTilingFunc> &RegisteredOpInterf() {
    return ge::detail::LibraryTable<std::unordered_map<std::string, OpTilingFunc>, OpTilingRegistryInterf>();
  }
};

/// Functions of the second form alone.
class GE_OF_THIS_LIBRARY OpTilingRegistryInterf_V2 {
 public:
  OpTilingRegistryInterf_V2(const std::string &op_type, OpTilingFuncV2 func) { RegisteredOpInterf()[op_type] = func; }
  ~OpTilingRegistryInterf_V2() = default;
  static std::unordered_map<std::string, OpTilingFuncV2> &RegisteredOpInterf() {
    return ge::detail::LibraryTable<std::unordered_map<std::string, OpTilingFuncV2>, OpTilingRegistryInterf_V2>();
  }
};

}  // namespace optiling

#define GE_REG_TILING(type, name, counter, ...) \
  [[maybe_unused]] static ::optiling::type GE_JOIN_TILING(name, counter)(__VA_ARGS__)
#define GE_JOIN_TILING_(a, b) a##b
#define GE_JOIN_TILING(a, b) GE_JOIN_TILING_(a, b)

/// (const TeOpParas &, const OpCompileInfo &, OpRunInfo &) or, as V2, (const ge::Operator &, const utils::OpCompileInfo
/// &, utils::OpRunInfo &).
#define REGISTER_OP_TILING(optype, opfunc) \
  GE_REG_TILING(OpTilingFuncRegistry, g_##optype##TilingFunc, __COUNTER__, #optype, opfunc)
#define REGISTER_OP_TILING_V2(optype, opfunc)                                          \
  GE_REG_TILING(OpTilingFuncRegistry, g_##optype##TilingFuncV2_, __COUNTER__, #optype, \
                ::optiling::OpTilingFuncV2(opfunc))
#define REGISTER_OP_TILING_V3(optype, tilingfunc, parsefunc)                           \
  GE_REG_TILING(OpTilingFuncRegistry, g_##optype##TilingFuncV3_, __COUNTER__, #optype, \
                ::optiling::OpTilingFuncV3(tilingfunc), ::optiling::OpParseFuncV3(parsefunc))
#define REGISTER_OP_TILING_V4(optype, tilingfunc, parsefunc)                           \
  GE_REG_TILING(OpTilingFuncRegistry, g_##optype##TilingFuncV4_, __COUNTER__, #optype, \
                ::optiling::OpTilingFuncV4(tilingfunc), ::optiling::OpParseFuncV4(parsefunc))
/// Into the tables of one form alone.
#define REGISTER_OP_TILING_FUNC(optype, opfunc) \
  GE_REG_TILING(OpTilingRegistryInterf, g_##optype##TilingRegistryInterf, __COUNTER__, #optype, opfunc)
#define REGISTER_OP_TILING_FUNC_BUFFERED_V2(optype, opfunc) \
  GE_REG_TILING(OpTilingRegistryInterf_V2, g_##optype##TilingRegistryInterfV2_, __COUNTER__, #optype, opfunc)

#endif
