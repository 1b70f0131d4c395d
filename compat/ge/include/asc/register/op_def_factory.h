// OpDefFactory: operators that OP_ADD adds, by type. What they say takes effect: their prototype, inference, tiling and
// checks are registered, so graphs may hold them.
#ifndef INC_ASC_REGISTER_OP_DEF_FACTORY_H_
#define INC_ASC_REGISTER_OP_DEF_FACTORY_H_

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "asc/register/op_def.h"
#include "ge/log.h"
#include "graph/operator.h"
#include "graph/operator_factory.h"
#include "register/op_check.h"
#include "register/op_impl_registry.h"

namespace ops {
namespace detail {

/// An operator with the ports and attributes that a definition says.
class DefinedOperator : public ge::Operator {
 public:
  DefinedOperator(const ge::AscendString &name, const OpDef &def) : ge::Operator(name, def.GetOpType()) {
    const std::vector<OpParamDef> inputs = def.GetInputs(), outputs = def.GetOutputs();
    params_ = inputs;
    params_.insert(params_.end(), outputs.begin(), outputs.end());
    for (const OpParamDef &input : inputs) {
      const std::string types = Types(input);
      const char *port = input.GetParamName().GetString();
      if (input.GetParamType() == REQUIRED) InputRegister(port, types.c_str());
      if (input.GetParamType() == OPTIONAL) OptionalInputRegister(port, types.c_str());
      if (input.GetParamType() == DYNAMIC) DynamicInputRegister(port, 0, types.c_str(), true);
    }
    for (const OpParamDef &output : outputs) {
      const std::string types = Types(output);
      const char *port = output.GetParamName().GetString();
      if (output.GetParamType() == DYNAMIC) DynamicOutputRegister(port, 0, types.c_str(), true);
      else if (Declared(output)) OutputRegister(port, types.c_str());
    }
    for (const OpAttrDef &attr : def.GetAttrs()) {
      const char *key = attr.GetName().GetString();
      if (attr.IsRequired()) RequiredAttrWithTypeRegister(key, attr.GetCfgDataType().GetString());
      else ge::Operator::AttrRegister(key, attr.GetDefault());
    }
  }

 private:
  static bool Declared(const OpParamDef &param) {
    return param.GetParamType() != IGNORE && param.GetParamType() != VIRTUAL;
  }
  const OpParamDef *Find(const ge::AscendString &name) const {
    for (const OpParamDef &param : params_)
      if (param.GetParamName() == name) return &param;
    return nullptr;
  }
  // The owners of these types: a parameter that is followed stands for those that follow it.
  const OpParamDef &Source(const OpParamDef &param) const {
    const OpParamDef *at = &param;
    for (size_t steps = 0; steps < params_.size() && at->GetFollowName().GetLength() != 0; ++steps) {
      const OpParamDef *next = Find(at->GetFollowName());
      if (next == nullptr) break;
      at = next;
    }
    return *at;
  }
  static bool Same(const OpParamDef &a, const OpParamDef &b) {
    return a.GetParamName() == b.GetParamName() ||
           (!a.IsDataTypeList() && !b.IsDataTypeList() && a.GetDataTypes() == b.GetDataTypes());
  }
  /// Parameters whose types go together share a symbol, so that a type of one tells that of the others.
  std::string Types(const OpParamDef &param) {
    const OpParamDef &source = Source(param);
    std::vector<ge::DataType> types;
    for (ge::DataType type : source.GetDataTypes())
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    if (types.empty()) {
      const ge::TensorType all = ge::TensorType::ALL();
      types.assign(all.types().begin(), all.types().end());
    }
    size_t shared = 0;
    for (const OpParamDef &other : params_) shared += Declared(other) && Same(Source(other), source) ? 1 : 0;
    if (types.size() == 1 || shared < 2 || source.GetDataTypes().empty()) return Text(types);
    for (size_t i = 0; i < symbols_.size(); ++i)
      if (Same(*symbols_[i], source)) return Symbol(i);
    symbols_.push_back(Find(source.GetParamName()));
    DataTypeRegister(Symbol(symbols_.size() - 1).c_str(), Text(types));
    return Symbol(symbols_.size() - 1);
  }
  static std::string Symbol(size_t index) { return "T" + std::to_string(index); }
  static std::string Text(const std::vector<ge::DataType> &types) {
    std::string text;
    for (ge::DataType type : types)
      text += (text.empty() ? "" : ", ") + std::string(GeDataTypeName(static_cast<int32_t>(type)));
    return "TensorType({" + text + "})";
  }
  std::vector<OpParamDef> params_;
  std::vector<const OpParamDef *> symbols_;
};

/// Registers what a definition says.
inline void Use(const OpDef &def) {
  const char *type = def.GetOpType().GetString();
  const ge::OperatorCreatorRegister prototype(
      type, [def](const ge::AscendString &name) -> ge::Operator { return DefinedOperator(name, def); });
  gert::OpImplRegisterV2 functions(type);
  if (def.GetInferShape() != nullptr) functions.InferShape(def.GetInferShape());
  if (def.GetInferShapeRange() != nullptr) functions.InferShapeRange(def.GetInferShapeRange());
  if (def.GetInferDataType() != nullptr) functions.InferDataType(def.GetInferDataType());
  const OpAICoreDef &core = def.AICore();
  if (core.GetTiling() != nullptr) functions.Tiling(core.GetTiling());
  using Checks = optiling::OpCheckFuncRegistry;
  const std::pair<const char *, optiling::OP_CHECK_FUNC> checks[] = {
      {FUNC_CHECK_SUPPORTED, core.GetCheckSupport()},
      {FUNC_OP_SELECT_FORMAT, core.GetOpSelectFormat()},
      {FUNC_GET_OP_SUPPORT_INFO, core.GetOpSupportInfo()},
      {FUNC_GET_SPECIFIC_INFO, core.GetOpSpecInfo()}};
  for (const auto &[check, function] : checks)
    if (function != nullptr) Checks::RegisterOpCapability(check, type, function);
  if (core.GetParamGeneralize() != nullptr) Checks::RegisterParamGeneralize(type, core.GetParamGeneralize());
}

}  // namespace detail

using OpDefCreator = std::function<OpDef(const char *)>;

/// Of this program or library. It has no lock: adding belongs to start-up.
class OpDefFactory {
 public:
  /// 0; -1 without a name or a creator, and for a type that was added before: the first one stays, and the log says so.
  static int OpDefRegister(const char *name, const OpDefCreator &creator) {
    if (name == nullptr || !creator) return -1;
    if (!All().emplace(name, creator).second) {
      GeLogMessage(GE_LOG_WARNING,
                   (std::string("operator '") + name + "' is added already; the first one stays").c_str());
      return -1;
    }
    detail::Use(creator(name));
    return 0;
  }
  /// The definition of a type; one without anything for a type that nobody added.
  static OpDef OpDefCreate(const char *name) {
    auto found = name != nullptr ? All().find(name) : All().end();
    return found == All().end() ? OpDef(name != nullptr ? name : "") : found->second(name);
  }
  /// In the order of their names.
  static std::vector<ge::AscendString> GetAllOp() {
    std::vector<ge::AscendString> out;
    for (const auto &[name, creator] : All()) out.emplace_back(name.c_str());
    return out;
  }

 private:
  static std::map<std::string, OpDefCreator> &All() {
    static auto *all = new std::map<std::string, OpDefCreator>;
    return *all;
  }
};

}  // namespace ops

/// Adds a class that is derived from OpDef; its name is the operator's type. Nothing else is read of the arguments.
#define OP_ADD(...) GE_OP_ADD(__VA_ARGS__, )
#define GE_OP_ADD(opType, ...)                              \
  [[maybe_unused]] static const int g_##opType##_op_added = \
      ::ops::OpDefFactory::OpDefRegister(#opType, [](const char *name) -> ::ops::OpDef { return opType(name); })

#endif
