// REGISTER_CUSTOM_OP: how operators of a model format become operators of this library.
//
//   REGISTER_CUSTOM_OP("LeakyRelu")
//       .FrameworkType(domi::ONNX)
//       .OriginOpType("my.domain::1::Leaky")
//       .ParseParamsByOperatorFn(Parse);          // domi::Status (const ge::Operator &, ge::Operator &)
#ifndef INC_EXTERNAL_REGISTER_REGISTER_H_
#define INC_EXTERNAL_REGISTER_REGISTER_H_

#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "register/detail/plugin_bridge.h"
#include "register/register_base.h"

namespace domi {

/// A handle: copies share what was collected.
class FMK_FUNC_HOST_VISIBILITY FMK_FUNC_DEV_VISIBILITY OpRegistrationData {
 public:
  OpRegistrationData(const std::string &om_optype) : OpRegistrationData(om_optype.c_str()) {}
  OpRegistrationData(const ge::char_t *om_optype) : impl_(std::make_shared<OpRegistrationDataImpl>()) {
    if (om_optype != nullptr) impl_->om_optype = om_optype;
  }
  ~OpRegistrationData() = default;

  OpRegistrationData &FrameworkType(const domi::FrameworkType &fmk_type) {
    impl_->framework = fmk_type;
    return *this;
  }
  OpRegistrationData &OriginOpType(const std::initializer_list<std::string> &ori_optype_list) {
    for (const std::string &type : ori_optype_list) impl_->origin_types.insert(type);
    return *this;
  }
  OpRegistrationData &OriginOpType(const std::vector<ge::AscendString> &ori_op_type_list) {
    for (const ge::AscendString &type : ori_op_type_list) (void)OriginOpType(type.GetString());
    return *this;
  }
  OpRegistrationData &OriginOpType(const std::string &ori_optype) { return OriginOpType(ori_optype.c_str()); }
  OpRegistrationData &OriginOpType(const ge::char_t *ori_op_type) {
    if (ori_op_type != nullptr) impl_->origin_types.insert(ori_op_type);
    return *this;
  }

  OpRegistrationData &ParseParamsFn(const ParseParamFunc &parse_param_fn) {
    impl_->parse = parse_param_fn;
    return *this;
  }
  /// Asked instead of ParseParamsFn's where both are there.
  OpRegistrationData &ParseParamsByOperatorFn(const ParseParamByOpFunc &parse_param_by_op_fn) {
    impl_->parse_by_op = parse_param_by_op_fn;
    return *this;
  }
  OpRegistrationData &FusionParseParamsFn(const FusionParseParamFunc &fusion_parse_param_fn) {
    impl_->fusion = fusion_parse_param_fn;
    return *this;
  }
  OpRegistrationData &FusionParseParamsFn(const FusionParseParamByOpFunc &fusion_parse_param_fn) {
    impl_->fusion_by_op = fusion_parse_param_fn;
    return *this;
  }
  OpRegistrationData &ParseSubgraphPostFn(const ParseSubgraphFunc &subgraph_post_fn) {
    impl_->subgraph = subgraph_post_fn;
    return *this;
  }
  OpRegistrationData &ParseSubgraphPostFn(const ParseSubgraphFuncV2 &subgraph_post_fn) {
    impl_->subgraph_v2 = subgraph_post_fn;
    return *this;
  }
  OpRegistrationData &ParseOpToGraphFn(const ParseOpToGraphFunc &parse_op_to_graph_fn) {
    impl_->to_graph = parse_op_to_graph_fn;
    return *this;
  }
  /// Kept for its getter: engines are asked what they can run.
  OpRegistrationData &ImplyType(const domi::ImplyType &imply_type) {
    impl_->imply_type = imply_type;
    return *this;
  }

  /// Input `input_idx` is not connected if the operator's attribute has this value once it is parsed.
  OpRegistrationData &DelInputWithCond(int32_t input_idx, const ge::char_t *attr_name, bool attr_value) {
    if (attr_name != nullptr) impl_->edits.push_back({GE_INPUT_DROP_IF_ATTR, input_idx, attr_name, attr_value, {}});
    return *this;
  }
  OpRegistrationData &DelInputWithCond(int32_t input_idx, const std::string &attr_name, bool attr_value) {
    return DelInputWithCond(input_idx, attr_name.c_str(), attr_value);
  }
  /// Input `input_idx` is not connected for this one of the front end's types.
  OpRegistrationData &DelInputWithOriginalType(int32_t input_idx, const ge::char_t *ori_type) {
    if (ori_type != nullptr) impl_->edits.push_back({GE_INPUT_DROP_IF_TYPE, input_idx, ori_type, false, {}});
    return *this;
  }
  OpRegistrationData &DelInputWithOriginalType(int32_t input_idx, const std::string &ori_type) {
    return DelInputWithOriginalType(input_idx, ori_type.c_str());
  }
  /// The front end's input i becomes input input_order[i].
  OpRegistrationData &InputReorderVector(const std::vector<int32_t> &input_order) {
    impl_->edits.push_back({GE_INPUT_REORDER, 0, "", false, input_order});
    return *this;
  }

  domi::ImplyType GetImplyType() const { return impl_->imply_type; }
  std::string GetOmOptype() const { return impl_->om_optype; }
  Status GetOmOptype(ge::AscendString &om_op_type) const {
    om_op_type = ge::AscendString(impl_->om_optype.c_str());
    return SUCCESS;
  }
  std::set<std::string> GetOriginOpTypeSet() const { return impl_->origin_types; }
  Status GetOriginOpTypeSet(std::set<ge::AscendString> &ori_op_type) const {
    for (const std::string &type : impl_->origin_types) ori_op_type.insert(ge::AscendString(type.c_str()));
    return SUCCESS;
  }
  domi::FrameworkType GetFrameworkType() const { return impl_->framework; }
  ParseParamFunc GetParseParamFn() const { return impl_->parse; }
  ParseParamByOpFunc GetParseParamByOperatorFn() const { return impl_->parse_by_op; }
  FusionParseParamFunc GetFusionParseParamFn() const { return impl_->fusion; }
  FusionParseParamByOpFunc GetFusionParseParamByOpFn() const { return impl_->fusion_by_op; }
  ParseSubgraphFunc GetParseSubgraphPostFn() const { return impl_->subgraph; }
  Status GetParseSubgraphPostFn(ParseSubgraphFuncV2 &func) const {
    func = impl_->subgraph_v2;
    return SUCCESS;
  }
  ParseOpToGraphFunc GetParseOpToGraphFn() const { return impl_->to_graph; }

 private:
  friend class OpReceiver;
  std::shared_ptr<OpRegistrationDataImpl> impl_;
};

/// Registers what was collected, until it is gone itself: with the program or the library that holds it.
class FMK_FUNC_HOST_VISIBILITY FMK_FUNC_DEV_VISIBILITY OpReceiver {
 public:
  OpReceiver(OpRegistrationData &reg_data)
      : token_(detail::PluginBridge::Register(reg_data.impl_)),
        fusion_token_(detail::PluginBridge::RegisterFusion(reg_data.impl_)) {}
  ~OpReceiver() {
    GeParserPluginUnregister(token_);
    GeScopeFusionUnregister(fusion_token_);
  }
  OpReceiver(const OpReceiver &) = delete;
  OpReceiver &operator=(const OpReceiver &) = delete;

 private:
  uint64_t token_, fusion_token_;
};

}  // namespace domi

namespace ge {
using OpRegistrationData = domi::OpRegistrationData;
using OpReceiver = domi::OpReceiver;
}  // namespace ge

#define REGISTER_CUSTOM_OP(name) REGISTER_CUSTOM_OP_UNIQ_HELPER(__COUNTER__, name)
#define REGISTER_CUSTOM_OP_UNIQ_HELPER(ctr, name) REGISTER_CUSTOM_OP_UNIQ(ctr, name)
#define REGISTER_CUSTOM_OP_UNIQ(ctr, name) \
  static ::domi::OpReceiver register_op##ctr __attribute__((unused)) = ::domi::OpRegistrationData(name)

#endif
