// The definition of an operator in C++: its inputs, outputs and attributes, its functions, and how cores of a device
// run it.
//
//   namespace ops {
//   class AddCustom : public OpDef {
//    public:
//     explicit AddCustom(const char *name) : OpDef(name) {
//       this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_ND,
//       ge::FORMAT_ND}); this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16,
//       ge::DT_FLOAT}).Format({ge::FORMAT_ND, ge::FORMAT_ND}); this->Attr("scale").AttrType(OPTIONAL).Float(1.0f);
//       this->SetInferShape(InferShape).SetInferDataType(InferDataType);
//       this->AICore().SetTiling(Tiling).AddConfig("soc");
//     }
//   };
//   OP_ADD(AddCustom);                              // asc/register/op_def_registry.h
//   }
//
// Values: copies are independent. References that members return hold until the object goes. One thread per object.
#ifndef INC_ASC_REGISTER_OP_DEF_H_
#define INC_ASC_REGISTER_OP_DEF_H_

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/types.h"
#include "register/op_check.h"
#include "register/op_impl_kernel_registry.h"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };

/// An input or output. Lists of types and formats are read across: the i-th entries of all parameters belong together.
class OpParamDef {
 public:
  explicit OpParamDef(const char *name) : name_(name) {}
  OpParamDef &ParamType(Option param_type) {
    type_ = param_type;
    return *this;
  }
  OpParamDef &DataType(std::vector<ge::DataType> types) {
    types_ = std::move(types);
    types_listed_ = false;
    return *this;
  }
  /// Types that go with any type of the other parameters.
  OpParamDef &DataTypeList(std::vector<ge::DataType> types) {
    types_ = std::move(types);
    types_listed_ = true;
    return *this;
  }
  OpParamDef &Format(std::vector<ge::Format> formats) {
    formats_ = std::move(formats);
    return *this;
  }
  OpParamDef &FormatList(std::vector<ge::Format> formats) { return Format(std::move(formats)); }
  OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats) {
    unknown_formats_ = std::move(formats);
    return *this;
  }
  OpParamDef &ValueDepend(Option value_depend) {
    value_depend_ = value_depend;
    return *this;
  }
  OpParamDef &IgnoreContiguous() { return Set(ignore_contiguous_); }
  OpParamDef &AutoContiguous() { return Set(auto_contiguous_); }
  OpParamDef &Scalar() { return Set(scalar_); }
  OpParamDef &ScalarList() { return Set(scalar_list_); }
  OpParamDef &OutputShapeDependOnCompute() { return Set(shape_by_compute_); }
  /// The type is that of another parameter.
  OpParamDef &Follow(const char *param_name) {
    follow_ = ge::AscendString(param_name);
    return *this;
  }
  OpParamDef &InitValue(uint64_t value) {
    init_value_ = value;
    return Set(has_init_value_);
  }
  OpParamDef &Version(uint32_t version) {
    version_ = version;
    return *this;
  }
  OpParamDef &Comment(const char *comment) {
    comment_ = ge::AscendString(comment);
    return *this;
  }

  const ge::AscendString &GetParamName() const { return name_; }
  Option GetParamType() const { return type_; }
  const std::vector<ge::DataType> &GetDataTypes() const { return types_; }
  bool IsDataTypeList() const { return types_listed_; }
  const std::vector<ge::Format> &GetFormats() const { return formats_; }
  const std::vector<ge::Format> &GetUnknownShapeFormats() const { return unknown_formats_; }
  Option GetValueDepend() const { return value_depend_; }
  bool GetIgnoreContiguous() const { return ignore_contiguous_; }
  bool GetAutoContiguous() const { return auto_contiguous_; }
  bool IsScalar() const { return scalar_; }
  bool IsScalarList() const { return scalar_list_; }
  bool IsOutputShapeDependOnCompute() const { return shape_by_compute_; }
  /// "" where it follows none.
  const ge::AscendString &GetFollowName() const { return follow_; }
  bool HasInitValue() const { return has_init_value_; }
  uint64_t GetInitValue() const { return init_value_; }
  uint32_t GetVersion() const { return version_; }
  const ge::AscendString &GetComment() const { return comment_; }

 private:
  OpParamDef &Set(bool &flag) {
    flag = true;
    return *this;
  }
  ge::AscendString name_, follow_, comment_;
  Option type_ = OPTIONAL, value_depend_ = IGNORE;
  std::vector<ge::DataType> types_;
  std::vector<ge::Format> formats_, unknown_formats_;
  bool types_listed_ = false, ignore_contiguous_ = false, auto_contiguous_ = false, scalar_ = false,
       scalar_list_ = false, shape_by_compute_ = false, has_init_value_ = false;
  uint64_t init_value_ = 0;
  uint32_t version_ = 0;
};

/// An attribute. The kind is said last, for optional ones with the default; without one it is 0, false, "" or empty.
class OpAttrDef {
 public:
  explicit OpAttrDef(const char *name) : name_(name) {}
  OpAttrDef &AttrType(Option attr_type) {
    type_ = attr_type;
    return *this;
  }
  OpAttrDef &Bool(bool value = false) { return Set("Bool", value); }
  OpAttrDef &Float(float value = 0) { return Set("Float", value); }
  OpAttrDef &Int(int64_t value = 0) { return Set("Int", value); }
  OpAttrDef &String(const char *value = "") { return Set("String", ge::AscendString(value)); }
  OpAttrDef &ListBool(std::vector<bool> value = {}) { return Set("ListBool", value); }
  OpAttrDef &ListFloat(std::vector<float> value = {}) { return Set("ListFloat", value); }
  OpAttrDef &ListInt(std::vector<int64_t> value = {}) { return Set("ListInt", value); }
  OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> value = {}) { return Set("ListListInt", value); }
  OpAttrDef &Version(uint32_t version) {
    version_ = version;
    return *this;
  }
  OpAttrDef &Comment(const char *comment) {
    comment_ = ge::AscendString(comment);
    return *this;
  }

  const ge::AscendString &GetName() const { return name_; }
  bool IsRequired() const { return type_ == REQUIRED; }
  /// "Int", "ListFloat", …; "" while no kind is said.
  const ge::AscendString &GetCfgDataType() const { return kind_; }
  const ge::AttrValue &GetDefault() const { return value_; }
  uint32_t GetVersion() const { return version_; }
  const ge::AscendString &GetComment() const { return comment_; }

 private:
  template <class T>
  OpAttrDef &Set(const char *kind, const T &value) {
    kind_ = ge::AscendString(kind);
    value_ = ge::AttrValue();
    (void)value_.SetAttrValue(value);
    return *this;
  }
  ge::AscendString name_, kind_, comment_;
  Option type_ = REQUIRED;
  ge::AttrValue value_;
  uint32_t version_ = 0;
};

/// Things by name, in the order they are first named.
template <class T>
class NamedDefs {
 public:
  T &Named(const char *name) {
    const ge::AscendString wanted(name);
    for (auto &[known, item] : items_)
      if (known == wanted) return item;
    items_.emplace_back(wanted, T(name));
    return items_.back().second;
  }
  std::vector<T> All() const {
    std::vector<T> out;
    for (const auto &[name, item] : items_) out.push_back(item);
    return out;
  }

 private:
  std::deque<std::pair<ge::AscendString, T>> items_;  // where they are they stay
};

/// How the cores of one kind of device run the operator. Inputs and outputs that are named here replace those of the
/// operator there.
class OpAICoreConfig {
 public:
  OpAICoreConfig() = default;
  explicit OpAICoreConfig(const char *soc) : soc_(soc) {}
  OpParamDef &Input(const char *name) { return inputs_.Named(name); }
  OpParamDef &Output(const char *name) { return outputs_.Named(name); }
  OpAICoreConfig &DynamicCompileStaticFlag(bool flag) { return Flag("dynamicCompileStatic.flag", flag); }
  OpAICoreConfig &DynamicFormatFlag(bool flag) { return Flag("dynamicFormat.flag", flag); }
  OpAICoreConfig &DynamicRankSupportFlag(bool flag) { return Flag("dynamicRankSupport.flag", flag); }
  OpAICoreConfig &DynamicShapeSupportFlag(bool flag) { return Flag("dynamicShapeSupport.flag", flag); }
  OpAICoreConfig &NeedCheckSupportFlag(bool flag) { return Flag("needCheckSupport.flag", flag); }
  OpAICoreConfig &PrecisionReduceFlag(bool flag) { return Flag("precision_reduce.flag", flag); }
  OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value) {
    info_[ge::AscendString(key)] = ge::AscendString(value);
    return *this;
  }

  const ge::AscendString &GetSoc() const { return soc_; }
  std::vector<OpParamDef> GetInputs() const { return inputs_.All(); }
  std::vector<OpParamDef> GetOutputs() const { return outputs_.All(); }
  const std::map<ge::AscendString, ge::AscendString> &GetCfgInfo() const { return info_; }

 private:
  OpAICoreConfig &Flag(const char *key, bool flag) { return ExtendCfgInfo(key, flag ? "true" : "false"); }
  ge::AscendString soc_;
  NamedDefs<OpParamDef> inputs_, outputs_;
  std::map<ge::AscendString, ge::AscendString> info_;
};

/// The part for cores of a device: functions, and a configuration for each kind.
class OpAICoreDef {
 public:
  using TilingFunc = ge::graphStatus (*)(gert::TilingContext *);
  OpAICoreDef &SetTiling(TilingFunc func) { return Put(tiling_, func); }
  OpAICoreDef &SetCheckSupport(optiling::OP_CHECK_FUNC func) { return Put(check_support_, func); }
  OpAICoreDef &SetOpSelectFormat(optiling::OP_CHECK_FUNC func) { return Put(select_format_, func); }
  OpAICoreDef &SetOpSupportInfo(optiling::OP_CHECK_FUNC func) { return Put(support_info_, func); }
  OpAICoreDef &SetOpSpecInfo(optiling::OP_CHECK_FUNC func) { return Put(spec_info_, func); }
  OpAICoreDef &SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC func) { return Put(generalize_, func); }
  OpAICoreDef &AddConfig(const char *soc) {
    OpAICoreConfig config(soc);
    config.DynamicCompileStaticFlag(true).DynamicFormatFlag(true).DynamicRankSupportFlag(true);
    config.DynamicShapeSupportFlag(true).NeedCheckSupportFlag(false).PrecisionReduceFlag(true);
    return AddConfig(soc, config);
  }
  OpAICoreDef &AddConfig(const char *soc, const OpAICoreConfig &aicore_config) {
    configs_[ge::AscendString(soc)] = aicore_config;
    return *this;
  }

  TilingFunc GetTiling() const { return tiling_; }
  optiling::OP_CHECK_FUNC GetCheckSupport() const { return check_support_; }
  optiling::OP_CHECK_FUNC GetOpSelectFormat() const { return select_format_; }
  optiling::OP_CHECK_FUNC GetOpSupportInfo() const { return support_info_; }
  optiling::OP_CHECK_FUNC GetOpSpecInfo() const { return spec_info_; }
  optiling::PARAM_GENERALIZE_FUNC GetParamGeneralize() const { return generalize_; }
  /// By kind of device.
  const std::map<ge::AscendString, OpAICoreConfig> &GetAICoreConfigs() const { return configs_; }

 private:
  template <class Function>
  OpAICoreDef &Put(Function &place, Function func) {
    place = func;
    return *this;
  }
  TilingFunc tiling_ = nullptr;
  optiling::OP_CHECK_FUNC check_support_ = nullptr, select_format_ = nullptr, support_info_ = nullptr,
                          spec_info_ = nullptr;
  optiling::PARAM_GENERALIZE_FUNC generalize_ = nullptr;
  std::map<ge::AscendString, OpAICoreConfig> configs_;
};

class OpDef {
 public:
  using InferShapeFunc = gert::OpImplKernelRegistry::InferShapeKernelFunc;
  using InferShapeRangeFunc = gert::OpImplKernelRegistry::InferShapeRangeKernelFunc;
  using InferDataTypeFunc = gert::OpImplKernelRegistry::InferDataTypeKernelFunc;

  explicit OpDef(const char *type) : type_(type) {}
  virtual ~OpDef() = default;
  OpDef(const OpDef &) = default;
  OpDef &operator=(const OpDef &) = default;

  /// The input of this name; a new one, behind the others, where there is none yet. So for outputs and attributes.
  OpParamDef &Input(const char *name) { return inputs_.Named(name); }
  OpParamDef &Output(const char *name) { return outputs_.Named(name); }
  OpAttrDef &Attr(const char *name) { return attrs_.Named(name); }
  OpDef &SetInferShape(InferShapeFunc func) {
    infer_shape_ = func;
    return *this;
  }
  OpDef &SetInferShapeRange(InferShapeRangeFunc func) {
    infer_shape_range_ = func;
    return *this;
  }
  OpDef &SetInferDataType(InferDataTypeFunc func) {
    infer_data_type_ = func;
    return *this;
  }
  OpAICoreDef &AICore() { return aicore_; }

  const ge::AscendString &GetOpType() const { return type_; }
  std::vector<OpParamDef> GetInputs() const { return inputs_.All(); }
  std::vector<OpParamDef> GetOutputs() const { return outputs_.All(); }
  std::vector<OpAttrDef> GetAttrs() const { return attrs_.All(); }
  InferShapeFunc GetInferShape() const { return infer_shape_; }
  InferShapeRangeFunc GetInferShapeRange() const { return infer_shape_range_; }
  InferDataTypeFunc GetInferDataType() const { return infer_data_type_; }
  const OpAICoreDef &AICore() const { return aicore_; }

 private:
  ge::AscendString type_;
  NamedDefs<OpParamDef> inputs_, outputs_;
  NamedDefs<OpAttrDef> attrs_;
  InferShapeFunc infer_shape_ = nullptr;
  InferShapeRangeFunc infer_shape_range_ = nullptr;
  InferDataTypeFunc infer_data_type_ = nullptr;
  OpAICoreDef aicore_;
};

}  // namespace ops

#endif
