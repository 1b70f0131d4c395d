// The parts of front-end plug-ins: types of their functions, and helpers that carry attributes and ports over.
#ifndef INC_EXTERNAL_REGISTER_REGISTER_BASE_H_
#define INC_EXTERNAL_REGISTER_REGISTER_BASE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/log.h"
#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "graph/graph.h"
#include "graph/operator.h"
#include "register/detail/onnx_messages.h"
#include "register/detail/protobuf_name.h"
#include "register/register_error_codes.h"
#include "register/register_fmk_types.h"
#include "register/register_types.h"

using std::make_shared;
using std::map;
using std::pair;
using std::string;
using std::to_string;
using std::unique_ptr;
using std::vector;

namespace domi {

const int64_t kMaxNameLength = 1048576;  // bytes, of ports and attributes

enum DynamicType : int16_t { kInvalid = 0, kInput = 1, kOutput = 2 };

/// A dynamic port of the operator, and the front end's attribute that tells its number of instances: an integer, or a
/// list with one value each.
struct DynamicInputOutputInfo {
  DynamicType type;
  const ge::char_t *port_name;
  int64_t port_name_len;
  const ge::char_t *attr_name;
  int64_t attr_name_len;
  DynamicInputOutputInfo()
      : type(kInvalid), port_name(nullptr), port_name_len(0), attr_name(nullptr), attr_name_len(0) {}
  DynamicInputOutputInfo(DynamicType dynamic_type, const ge::char_t *port, int64_t port_len, const ge::char_t *attr,
                         int64_t attr_len)
      : type(dynamic_type), port_name(port), port_name_len(port_len), attr_name(attr), attr_name_len(attr_len) {}
};

using ParseParamFunc = std::function<domi::Status(const google::protobuf::Message *, ge::Operator &)>;
using ParseParamByOpFunc = std::function<domi::Status(const ge::Operator &, ge::Operator &)>;
using FusionParseParamFunc =
    std::function<domi::Status(const std::vector<const google::protobuf::Message *>, ge::Operator &)>;
using FusionParseParamByOpFunc = std::function<domi::Status(const std::vector<ge::Operator> &, ge::Operator &)>;
using ParseSubgraphFunc = std::function<domi::Status(const std::string &subgraph_name, const ge::Graph &graph)>;
using ParseSubgraphFuncV2 = std::function<domi::Status(const ge::AscendString &subgraph_name, const ge::Graph &graph)>;
using ParseOpToGraphFunc = std::function<domi::Status(const ge::Operator &, ge::Graph &)>;
using AutoMappingSubgraphIOIndexFunc = std::function<domi::Status(
    const ge::Graph &graph, const std::function<domi::Status(int32_t data_index, int32_t &parent_input_index)> &input,
    const std::function<domi::Status(int32_t netoutput_index, int32_t &parent_output_index)> &output)>;

namespace detail {

inline Status Refuse(const std::string &text) {
  (void)GeSetLastError(GE_FAILED, text.c_str());
  GeLogMessage(GE_LOG_ERROR, text.c_str());
  return FAILED;
}

/// The value as the prototype's attribute takes it. Front ends without a boolean type write 0 and 1.
inline ge::AttrValue Fit(const ge::AttrValue &value, const ge::detail::OperatorAttr &attr) {
  const int32_t wanted = attr.required ? ge::detail::AttrTypeFromName(attr.type) : attr.fallback.impl->kind();
  int64_t number = 0;
  if (wanted != C_VT_BOOL || value.GetAttrValue(number) != ge::GRAPH_SUCCESS) return value;
  ge::AttrValue flag;
  (void)flag.SetAttrValue(number != 0);
  return flag;
}

inline void CopyDeclared(const ge::detail::NameMap<ge::AttrValue> &from, ge::detail::OperatorImpl &to) {
  for (const ge::detail::OperatorAttr &attr : to.ir_attrs) {
    auto found = from.find(attr.name);
    if (found != from.end() && !found->second.empty()) to.attrs[attr.name] = Fit(found->second, attr);
  }
}

/// Instances that an attribute tells; -1 when it is no number and no list.
inline int64_t InstancesOf(const ge::AttrValue &value) {
  const ge::AttrValueImpl &held = *value.impl;
  if (const int64_t *number = held.Get<int64_t>()) return *number;
  if (const auto *list = held.Get<std::vector<int64_t>>()) return static_cast<int64_t>(list->size());
  if (const auto *list = held.Get<std::vector<float>>()) return static_cast<int64_t>(list->size());
  if (const auto *list = held.Get<std::vector<bool>>()) return static_cast<int64_t>(list->size());
  if (const auto *list = held.Get<std::vector<ge::DataType>>()) return static_cast<int64_t>(list->size());
  if (const auto *list = held.Get<std::vector<ge::AscendString>>()) return static_cast<int64_t>(list->size());
  if (const auto *list = held.Get<std::vector<ge::Tensor>>()) return static_cast<int64_t>(list->size());
  return -1;
}

/// Attributes of a front end's message, by name. False for a message that is no ONNX NodeProto or TensorFlow NodeDef.
inline bool MessageAttrs(const google::protobuf::Message *message, ge::detail::NameMap<ge::AttrValue> &attrs) {
  const MessageFunctions *functions = Messages();
  return functions != nullptr && functions->visit != nullptr &&
         functions->visit(message, &attrs, [](void *user, const GeAttrData *attr) {
           (*static_cast<ge::detail::NameMap<ge::AttrValue> *>(user))[attr->name] = ge::detail::FromData(*attr);
         }) != 0;
}

inline Status Instantiate(const ge::detail::NameMap<ge::AttrValue> &attrs, bool input, const std::string &port,
                          const std::string &attr, ge::Operator &op) {
  auto found = attrs.find(attr);
  const int64_t count = found == attrs.end() ? -1 : InstancesOf(found->second);
  constexpr int64_t kMost = INT32_MAX;
  if (count < 0 || count > kMost)
    return Refuse(op.GetOpType() + " '" + op.GetName() + "': attribute '" + attr + "' does not tell the number of '" +
                  port + "'");
  if (input) op.DynamicInputRegister(port.c_str(), static_cast<uint32_t>(count));
  else op.DynamicOutputRegister(port.c_str(), static_cast<uint32_t>(count));
  return SUCCESS;
}

}  // namespace detail

/// Copies every attribute that the prototype of `op` has, too.
inline Status AutoMappingByOpFn(const ge::Operator &op_src, ge::Operator &op) {
  if (op_src.IsEmpty() || op.IsEmpty()) return detail::Refuse("AutoMappingByOpFn: an operator is empty");
  detail::CopyDeclared(op_src.impl()->attrs, *op.impl());
  return SUCCESS;
}

/// The same, and dynamic ports get as many instances as attributes of `op_src` say.
inline Status AutoMappingByOpFnDynamic(const ge::Operator &op_src, ge::Operator &op,
                                       const std::vector<DynamicInputOutputInfo> &dynamic_name_attr_value) {
  if (AutoMappingByOpFn(op_src, op) != SUCCESS) return FAILED;
  for (const DynamicInputOutputInfo &info : dynamic_name_attr_value) {
    const auto valid = [](const ge::char_t *name, int64_t length) {
      return name != nullptr && length > 0 && length <= kMaxNameLength;
    };
    if (!valid(info.port_name, info.port_name_len) || !valid(info.attr_name, info.attr_name_len))
      return detail::Refuse("AutoMappingByOpFnDynamic: names of ports and attributes have 1 to 1048576 bytes");
    if (info.type != kInput && info.type != kOutput)
      return detail::Refuse("AutoMappingByOpFnDynamic: the type of '" + std::string(info.port_name) +
                            "' is neither kInput nor kOutput");
    if (detail::Instantiate(op_src.impl()->attrs, info.type == kInput, info.port_name, info.attr_name, op) != SUCCESS)
      return FAILED;
  }
  return SUCCESS;
}

/// As AutoMappingByOpFn, from the front end's message.
inline Status AutoMappingFn(const google::protobuf::Message *op_src, ge::Operator &op) {
  ge::detail::NameMap<ge::AttrValue> attrs;
  if (op_src == nullptr || op.IsEmpty() || !detail::MessageAttrs(op_src, attrs))
    return detail::Refuse("AutoMappingFn: expected the message of a node and an operator");
  detail::CopyDeclared(attrs, *op.impl());
  return SUCCESS;
}

/// The same, and dynamic ports get as many instances as attributes say: "in" → {port, attribute}, "out" → {port,
/// attribute}. Ports follow the prototype's order, so positions change nothing.
inline Status AutoMappingFnDynamic(const google::protobuf::Message *op_src, ge::Operator &op,
                                   std::map<std::string, std::pair<std::string, std::string>> dynamic_name_attr_value,
                                   int32_t in_pos = -1, int32_t out_pos = -1) {
  (void)in_pos;
  (void)out_pos;
  ge::detail::NameMap<ge::AttrValue> attrs;
  if (op_src == nullptr || op.IsEmpty() || !detail::MessageAttrs(op_src, attrs))
    return detail::Refuse("AutoMappingFnDynamic: expected the message of a node and an operator");
  detail::CopyDeclared(attrs, *op.impl());
  for (const auto &[side, names] : dynamic_name_attr_value) {
    if (side != "in" && side != "out")
      return detail::Refuse("AutoMappingFnDynamic: key '" + side + "', expected 'in' or 'out'");
    if (detail::Instantiate(attrs, side == "in", names.first, names.second, op) != SUCCESS) return FAILED;
  }
  return SUCCESS;
}

/// Says of each Data node of a subgraph which input of the calling operator it is, and of each input of NetOutput which
/// output: attribute _parent_node_index.
inline Status AutoMappingSubgraphIndex(
    const ge::Graph &graph, const std::function<Status(int32_t data_index, int32_t &parent_input_index)> &input,
    const std::function<Status(int32_t netoutput_index, int32_t &parent_output_index)> &output) {
  if (!graph.IsValid() || !input || !output)
    return detail::Refuse("AutoMappingSubgraphIndex: the graph or a function is missing");
  const auto set = [](const ge::GNode &node, const std::function<Status(int32_t, int32_t &)> &map, int64_t index,
                      bool port) {
    int32_t parent = 0;
    if (index < 0 || index > INT32_MAX || map(static_cast<int32_t>(index), parent) != SUCCESS)
      return detail::Refuse("AutoMappingSubgraphIndex: the function for index " + std::to_string(index) + " failed");
    ge::AttrValue value;
    (void)value.SetAttrValue(static_cast<int64_t>(parent));
    const ge::detail::AttrView view("_parent_node_index", value);
    const GeStatus status = port ? GeNodeSetInputAttr(node.handle(), static_cast<int32_t>(index), view.get())
                                 : GeNodeSetAttr(node.handle(), view.get());
    return status == GE_SUCCESS ? SUCCESS : FAILED;
  };
  for (const ge::GNode &node : graph.GetDirectNode()) {
    ge::AscendString type;
    if (node.GetType(type) != ge::GRAPH_SUCCESS) return FAILED;
    if (type == "Data") {
      GeAttrData index{};
      if (GeNodeGetAttr(node.handle(), "index", &index) != GE_SUCCESS) return FAILED;
      if (set(node, input, index.i, false) != SUCCESS) return FAILED;
    } else if (type == "NetOutput") {
      for (size_t i = 0; i < node.GetInputsSize(); ++i)
        if (set(node, output, static_cast<int64_t>(i), true) != SUCCESS) return FAILED;
    }
  }
  return SUCCESS;
}
/// The same with functions that return the number.
inline Status AutoMappingSubgraphIndex(const ge::Graph &graph, const std::function<int32_t(int32_t data_index)> &input,
                                       const std::function<int32_t(int32_t netoutput_index)> &output) {
  if (!input || !output) return detail::Refuse("AutoMappingSubgraphIndex: a function is missing");
  const auto wrap = [](const std::function<int32_t(int32_t)> &map) {
    return std::function<Status(int32_t, int32_t &)>([&map](int32_t index, int32_t &parent) {
      parent = map(index);
      return SUCCESS;
    });
  };
  return AutoMappingSubgraphIndex(graph, wrap(input), wrap(output));
}

/// The default treatment of subgraphs by plug-ins of a front end.
class GE_OF_THIS_LIBRARY FrameworkRegistry {
 public:
  FrameworkRegistry(const FrameworkRegistry &) = delete;
  FrameworkRegistry &operator=(const FrameworkRegistry &) = delete;
  ~FrameworkRegistry() = default;
  static FrameworkRegistry &Instance() {
    static auto *registry = new FrameworkRegistry;
    return *registry;
  }
  void AddAutoMappingSubgraphIOIndexFunc(domi::FrameworkType framework, AutoMappingSubgraphIOIndexFunc fun) {
    ge::detail::Lock lock(mutex_);
    functions_[framework] = std::move(fun);
  }
  AutoMappingSubgraphIOIndexFunc GetAutoMappingSubgraphIOIndexFunc(domi::FrameworkType framework) {
    ge::detail::Lock lock(mutex_);
    auto found = functions_.find(framework);
    return found == functions_.end() ? AutoMappingSubgraphIOIndexFunc() : found->second;
  }

 private:
  FrameworkRegistry() = default;
  ge::detail::Mutex mutex_;
  std::map<domi::FrameworkType, AutoMappingSubgraphIOIndexFunc> functions_;
};

class AutoMappingSubgraphIOIndexFuncRegister {
 public:
  AutoMappingSubgraphIOIndexFuncRegister(domi::FrameworkType framework, AutoMappingSubgraphIOIndexFunc fun) {
    FrameworkRegistry::Instance().AddAutoMappingSubgraphIOIndexFunc(framework, std::move(fun));
  }
};

}  // namespace domi

#define REGISTER_AUTOMAPPING_SUBGRAPH_IO_INDEX_FUNC(framework, fun) \
  REGISTER_AUTOMAPPING_SUBGRAPH_IO_INDEX_FUNC_UNIQ_HELPER(__COUNTER__, framework, fun)
#define REGISTER_AUTOMAPPING_SUBGRAPH_IO_INDEX_FUNC_UNIQ_HELPER(counter, framework, fun) \
  REGISTER_AUTOMAPPING_SUBGRAPH_IO_INDEX_FUNC_UNIQ(counter, framework, fun)
#define REGISTER_AUTOMAPPING_SUBGRAPH_IO_INDEX_FUNC_UNIQ(counter, framework, fun)                                     \
  static ::domi::AutoMappingSubgraphIOIndexFuncRegister auto_mapping_subgraph_fun_##counter __attribute__((unused)) { \
    framework, fun                                                                                                    \
  }

#endif
