// Operator: a handle to an operator description; what REG_OP classes derive from. Operators linked by SetInput become a
// graph through Graph::SetInputs.
#ifndef INC_GRAPH_DETAIL_OPERATOR_CLASS_H_
#define INC_GRAPH_DETAIL_OPERATOR_CLASS_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/log.h"
#include "ge/op.h"
#include "graph/attr_value.h"
#include "graph/detail/operator_impl.h"
#include "graph/inference_context.h"
#include "graph/tensor.h"

#ifndef USER_GE_LOGI
#define USER_GE_LOGI(...)
#endif
#ifndef USER_GE_LOGW
#define USER_GE_LOGW(...)
#endif
#ifndef USER_GE_LOGE
#define USER_GE_LOGE(...)
#endif

#define DYNAMIC_OUTPUT_TD_NUM(name) ("__dynamic_output_" + name + "_cnt")
#define DYNAMIC_INPUT_TD_NUM(name) ("__dynamic_input_" + name + "_cnt")

namespace ge {

using std::function;
using std::shared_ptr;
using std::string;
using std::vector;

class Graph;
using SubgraphBuilder = std::function<Graph()>;

class Operator {
 public:
  friend class OperatorFactory;
  using OpInt = int64_t;
  using OpFloat = float32_t;
  using OpString = std::string;
  using OpAscendString = AscendString;
  using OpBool = bool;
  using OpTensor = Tensor;
  using OpType = ge::DataType;
  using OpNamedAttrs = ge::NamedAttrs;
  using OpListInt = std::vector<int64_t>;
  using OpListFloat = std::vector<float32_t>;
  using OpListString = std::vector<std::string>;
  using OpListAscendString = std::vector<AscendString>;
  using OpListAcendString = std::vector<AscendString>;
  using OpListBool = std::vector<bool>;
  using OpListTensor = std::vector<Tensor>;
  using OpBytes = std::vector<uint8_t>;
  using OpListListInt = std::vector<std::vector<int64_t>>;
  using OpListType = std::vector<ge::DataType>;
  using OpListNamedAttrs = std::vector<ge::NamedAttrs>;

  Operator() = default;
  explicit Operator(const char_t *type) : Operator(UniqueName(type).c_str(), type) {}
  explicit Operator(const std::string &type) : Operator(type.c_str()) {}
  Operator(const char_t *name, const char_t *type) : impl_(std::make_shared<detail::OperatorImpl>()) {
    impl_->name = name ? name : "";
    impl_->type = type ? type : "";
  }
  Operator(const std::string &name, const std::string &type) : Operator(name.c_str(), type.c_str()) {}
  Operator(const AscendString &name, const AscendString &type) : Operator(name.GetString(), type.GetString()) {}
  virtual ~Operator() = default;
  Operator(const Operator &) = default;
  Operator &operator=(const Operator &) = default;

  bool IsEmpty() const { return impl_ == nullptr; }
  graphStatus GetName(AscendString &name) const {
    if (!impl_) return GRAPH_FAILED;
    name = AscendString(impl_->name.c_str());
    return GRAPH_SUCCESS;
  }
  graphStatus GetOpType(AscendString &type) const {
    if (!impl_) return GRAPH_FAILED;
    type = AscendString(impl_->type.c_str());
    return GRAPH_SUCCESS;
  }
  std::string GetName() const { return impl_ ? impl_->name : ""; }
  std::string GetOpType() const { return impl_ ? impl_->type : ""; }

  // ---- edges ----
  Operator &SetInput(const char_t *dst_name, const Operator &src) {
    if (!src.impl_) return *this;
    if (src.GetOutputsSize() == 1) Link(dst_name, src, src.impl_->Instances(false)[0]);
    else src.Warn("it has " + std::to_string(src.GetOutputsSize()) + " outputs: say which one to link");
    return *this;
  }
  Operator &SetInput(const std::string &dst_name, const Operator &src) { return SetInput(dst_name.c_str(), src); }
  Operator &SetInput(const char_t *dst_name, const Operator &src, const char_t *src_name) {
    if (src_name != nullptr) Link(dst_name, src, src_name);
    return *this;
  }
  Operator &SetInput(const std::string &dst_name, const Operator &src, const std::string &src_name) {
    return SetInput(dst_name.c_str(), src, src_name.c_str());
  }
  Operator &SetInput(const char_t *dst_name, const Operator &src, uint32_t src_index) {
    if (src.impl_ && src_index < src.GetOutputsSize()) Link(dst_name, src, src.impl_->Instances(false)[src_index]);
    return *this;
  }
  Operator &SetInput(const std::string &dst_name, const Operator &src, uint32_t src_index) {
    return SetInput(dst_name.c_str(), src, src_index);
  }
  Operator &SetInput(uint32_t dst_index, const Operator &src, uint32_t src_index) {
    if (impl_ && dst_index < GetInputsSize()) SetInput(impl_->Instances(true)[dst_index].c_str(), src, src_index);
    return *this;
  }
  Operator &SetInput(const char_t *dst_name, uint32_t dst_index, const Operator &src) {
    return SetInput((std::string(dst_name ? dst_name : "") + std::to_string(dst_index)).c_str(), src);
  }
  Operator &SetInput(const char_t *dst_name, uint32_t dst_index, const Operator &src, const char_t *src_name) {
    return SetInput((std::string(dst_name ? dst_name : "") + std::to_string(dst_index)).c_str(), src, src_name);
  }
  Operator &AddControlInput(const Operator &src) {
    if (impl_ && src.impl_) {
      impl_->control_inputs.push_back(src.impl_);
      src.impl_->consumers.push_back(impl_);
    }
    return *this;
  }
  void BreakConnect() const {
    if (!impl_) return;
    impl_->links.clear();
    impl_->control_inputs.clear();
  }

  // ---- descriptions ----
  TensorDesc GetInputDescByName(const char_t *name) const {
    return Lookup(impl_ ? &impl_->input_descs : nullptr, name);
  }
  TensorDesc GetOutputDescByName(const char_t *name) const {
    return Lookup(impl_ ? &impl_->output_descs : nullptr, name);
  }
  TensorDesc GetInputDesc(const std::string &name) const { return GetInputDescByName(name.c_str()); }
  TensorDesc GetOutputDesc(const std::string &name) const { return GetOutputDescByName(name.c_str()); }
  TensorDesc GetInputDesc(uint32_t index) const {
    return impl_ && index < GetInputsSize() ? GetInputDescByName(impl_->Instances(true)[index].c_str()) : TensorDesc();
  }
  TensorDesc GetOutputDesc(uint32_t index) const {
    return impl_ && index < GetOutputsSize() ? GetOutputDescByName(impl_->Instances(false)[index].c_str())
                                             : TensorDesc();
  }
  graphStatus TryGetInputDesc(const char_t *name, TensorDesc &desc) const {
    if (!impl_ || name == nullptr) return GRAPH_FAILED;
    auto found = impl_->input_descs.find(name);
    if (found == impl_->input_descs.end()) return GRAPH_FAILED;
    desc = found->second;
    return GRAPH_SUCCESS;
  }
  graphStatus UpdateInputDesc(const char_t *name, const TensorDesc &desc) { return Update(true, name, desc); }
  graphStatus UpdateOutputDesc(const char_t *name, const TensorDesc &desc) { return Update(false, name, desc); }
  graphStatus UpdateInputDesc(const std::string &name, const TensorDesc &desc) {
    return Update(true, name.c_str(), desc);
  }
  graphStatus UpdateOutputDesc(const std::string &name, const TensorDesc &desc) {
    return Update(false, name.c_str(), desc);
  }
  graphStatus UpdateInputDesc(uint32_t index, const TensorDesc &desc) {
    return impl_ && index < GetInputsSize() ? Update(true, impl_->Instances(true)[index].c_str(), desc) : GRAPH_FAILED;
  }
  graphStatus UpdateOutputDesc(uint32_t index, const TensorDesc &desc) {
    return impl_ && index < GetOutputsSize() ? Update(false, impl_->Instances(false)[index].c_str(), desc)
                                             : GRAPH_FAILED;
  }
  TensorDesc GetDynamicInputDesc(const char_t *name, uint32_t index) const {
    return GetInputDescByName(Instance(name, index).c_str());
  }
  TensorDesc GetDynamicOutputDesc(const char_t *name, uint32_t index) const {
    return GetOutputDescByName(Instance(name, index).c_str());
  }
  graphStatus UpdateDynamicInputDesc(const char_t *name, uint32_t index, const TensorDesc &desc) {
    return Update(true, Instance(name, index).c_str(), desc);
  }
  graphStatus UpdateDynamicOutputDesc(const char_t *name, uint32_t index, const TensorDesc &desc) {
    return Update(false, Instance(name, index).c_str(), desc);
  }
  int32_t GetDynamicInputNum(const char_t *name) const { return Count(true, name); }
  int32_t GetDynamicOutputNum(const char_t *name) const { return Count(false, name); }
  size_t GetInputsSize() const { return impl_ ? impl_->Instances(true).size() : 0; }
  size_t GetOutputsSize() const { return impl_ ? impl_->Instances(false).size() : 0; }

  /// Value of a constant producer.
  graphStatus GetInputConstData(const char_t *dst_name, Tensor &data) const {
    if (!impl_ || dst_name == nullptr) return GRAPH_FAILED;
    auto found = impl_->links.find(dst_name);
    if (found == impl_->links.end()) return GRAPH_FAILED;
    const detail::OperatorImpl &source = *found->second.source;
    if (source.type != "Const" && source.type != "Constant") return GRAPH_FAILED;
    auto value = source.attrs.find("value");
    return value == source.attrs.end() ? GRAPH_FAILED : value->second.GetAttrValue(data);
  }

  /// Works the output descriptions out from the input descriptions and constant inputs: by the function registered for
  /// the type, else by the library's.
  inline graphStatus InferShapeAndType();
  /// Every attribute has a value, no dimension is below -2 (unless disable_common_verifier), and the function
  /// registered for the type agrees.
  graphStatus VerifyAllAttr(bool disable_common_verifier = false);

  void SetInferenceContext(const InferenceContextPtr &context) {
    if (impl_) impl_->inference_context = context;
  }
  InferenceContextPtr GetInferenceContext() const { return impl_ ? impl_->inference_context : nullptr; }

  // ---- attributes ----
  template <class T>
  Operator &SetAttr(const char_t *name, const T &value) {
    if (impl_ && name) impl_->attrs[name] = detail::ToAttr(value);
    return *this;
  }
  Operator &SetAttr(const char_t *name, const char_t *value) { return SetAttr(name, AscendString(value)); }
  Operator &SetAttr(const char_t *name, std::initializer_list<int64_t> &&value) {
    return SetAttr(name, std::vector<int64_t>(value));
  }
  template <class T>
  Operator &SetAttr(const std::string &name, const T &value) {
    return SetAttr(name.c_str(), value);
  }
  template <class T>
  graphStatus GetAttr(const char_t *name, T &value) const {
    if (!impl_ || name == nullptr) return GRAPH_FAILED;
    auto found = impl_->attrs.find(name);
    return found == impl_->attrs.end() ? GRAPH_FAILED : detail::FromAttr(found->second, value);
  }
  template <class T>
  graphStatus GetAttr(const std::string &name, T &value) const {
    return GetAttr(name.c_str(), value);
  }

  /// Names and types ("VT_INT") of all attributes that have a value, and of those that the prototype declares.
  /// (A template, so that only programs that call it compile what it does with the map; so is the next one.)
  template <class Names = std::map<AscendString, AscendString>>
  graphStatus GetAllAttrNamesAndTypes(Names &names_and_types) const {
    if (!impl_) return GRAPH_FAILED;
    for (const auto &attr : impl_->attrs)
      names_and_types[AscendString(attr.first.c_str())] = AscendString(detail::AttrTypeName(attr.second.impl->kind()));
    return GRAPH_SUCCESS;
  }
  template <class Names = std::map<AscendString, AscendString>>
  graphStatus GetAllIrAttrNamesAndTypes(Names &names_and_types) const;

  // ---- attributes of ports ----
  template <class T>
  Operator &SetInputAttr(const int32_t index, const char_t *name, const T &value) {
    return SetPortAttr(true, InstanceAt(true, index).c_str(), name, value);
  }
  template <class T>
  Operator &SetInputAttr(const char_t *port, const char_t *name, const T &value) {
    return SetPortAttr(true, port, name, value);
  }
  template <class T>
  Operator &SetOutputAttr(const int32_t index, const char_t *name, const T &value) {
    return SetPortAttr(false, InstanceAt(false, index).c_str(), name, value);
  }
  template <class T>
  Operator &SetOutputAttr(const char_t *port, const char_t *name, const T &value) {
    return SetPortAttr(false, port, name, value);
  }
  template <class T>
  graphStatus GetInputAttr(const int32_t index, const char_t *name, T &value) const {
    return GetPortAttr(true, InstanceAt(true, index).c_str(), name, value);
  }
  template <class T>
  graphStatus GetInputAttr(const char_t *port, const char_t *name, T &value) const {
    return GetPortAttr(true, port, name, value);
  }
  template <class T>
  graphStatus GetOutputAttr(const int32_t index, const char_t *name, T &value) const {
    return GetPortAttr(false, InstanceAt(false, index).c_str(), name, value);
  }
  template <class T>
  graphStatus GetOutputAttr(const char_t *port, const char_t *name, T &value) const {
    return GetPortAttr(false, port, name, value);
  }

  // ---- subgraphs ----
  size_t GetSubgraphNamesCount() const { return SubgraphInstances().size(); }
  graphStatus GetSubgraphNames(std::vector<AscendString> &names) const {
    for (const std::string &name : SubgraphInstances()) names.emplace_back(name.c_str());
    return GRAPH_SUCCESS;
  }
  SubgraphBuilder GetSubgraphBuilder(const char_t *name) const {
    if (!impl_ || name == nullptr) return nullptr;
    auto found = impl_->subgraph_builders.find(name);
    return found == impl_->subgraph_builders.end() ? nullptr : found->second;
  }
  SubgraphBuilder GetDynamicSubgraphBuilder(const char_t *name, uint32_t index) const {
    return GetSubgraphBuilder(Instance(name, index).c_str());
  }
  inline Graph GetSubgraph(const char_t *name) const;
  inline Graph GetDynamicSubgraph(const char_t *name, uint32_t index) const;
  void SubgraphCountRegister(const char_t *name, uint32_t count) {
    if (!impl_ || name == nullptr) return;
    for (detail::OperatorSubgraph &graph : impl_->subgraphs)
      if (graph.name == name) graph.instances = count;
  }
  void SetSubgraphBuilder(const char_t *name, uint32_t index, const SubgraphBuilder &builder) {
    if (!impl_ || name == nullptr) return;
    bool dynamic = false;
    for (const detail::OperatorSubgraph &graph : impl_->subgraphs)
      if (graph.name == name) dynamic = graph.dynamic;
    impl_->subgraph_builders[dynamic ? Instance(name, index) : std::string(name)] = builder;
  }

  /// Fails when there is no such subgraph; graphs get their names when the operator is added to a graph.
  graphStatus SetSubgraphInstanceName(const uint32_t index, const char_t *name) {
    if (!impl_ || name == nullptr || index >= GetSubgraphNamesCount()) return GRAPH_FAILED;
    impl_->subgraph_names[SubgraphInstances()[index]] = name;
    return GRAPH_SUCCESS;
  }

  // ---- registration ----
  void DynamicInputRegister(const char_t *name, uint32_t num, bool is_push_back = true) {
    (void)is_push_back;
    Register(true, name, GE_IR_DYNAMIC, "", num);
  }
  void DynamicInputRegister(const char_t *name, uint32_t num, const char_t *symbol, bool is_push_back = true) {
    (void)is_push_back;
    Register(true, name, GE_IR_DYNAMIC, symbol, num);
  }
  void DynamicInputRegisterByIndex(const char_t *name, uint32_t num, size_t index) {
    (void)index;  // ports follow the declaration's order
    Register(true, name, GE_IR_DYNAMIC, "", num);
  }
  void DynamicInputRegisterByIndex(const char_t *name, uint32_t num, const char_t *symbol, size_t index) {
    (void)index;
    Register(true, name, GE_IR_DYNAMIC, symbol, num);
  }
  void DynamicOutputRegister(const char_t *name, uint32_t num, bool is_push_back = true) {
    (void)is_push_back;
    Register(false, name, GE_IR_DYNAMIC, "", num);
  }
  void DynamicOutputRegister(const char_t *name, uint32_t num, const char_t *symbol, bool is_push_back = true) {
    (void)is_push_back;
    Register(false, name, GE_IR_DYNAMIC, symbol, num);
  }
  void AttrRegister(const char_t *name, const AttrValue &value) { RegisterAttr(name, false, "", &value); }

  const std::shared_ptr<detail::OperatorImpl> &impl() const { return impl_; }

 protected:
  void InputRegister(const char_t *name, const char_t *symbol = "") { Register(true, name, GE_IR_REQUIRED, symbol, 0); }
  void OptionalInputRegister(const char_t *name, const char_t *symbol = "") {
    Register(true, name, GE_IR_OPTIONAL, symbol, 0);
  }
  void OutputRegister(const char_t *name, const char_t *symbol = "") {
    Register(false, name, GE_IR_REQUIRED, symbol, 0);
  }
  template <class T>
  void AttrRegister(const char_t *name, const T &value) {
    AttrValue held = detail::ToAttr(value);
    RegisterAttr(name, false, "", &held);
  }
  void AttrRegister(const char_t *name, const char_t *value) { AttrRegister(name, AscendString(value)); }
  void RequiredAttrRegister(const char_t *name) { RegisterAttr(name, true, "", nullptr); }
  void RequiredAttrWithTypeRegister(const char_t *name, const char_t *type) { RegisterAttr(name, true, type, nullptr); }
  void SubgraphRegister(const char_t *ir_name, bool dynamic) {
    if (impl_ && ir_name) impl_->subgraphs.push_back({ir_name, dynamic, dynamic ? 0u : 1u});
  }
  void DataTypeRegister(const char_t *symbol, const std::string &range) {
    if (impl_ && symbol) impl_->symbols.emplace_back(symbol, range);
  }
  void DataTypeRegister(const char_t *symbol, const TensorType &range) { DataTypeRegister(symbol, RangeText(range)); }
  void DataTypeRegister(const char_t *symbol, const ListTensorType &range) {
    DataTypeRegister(symbol, "ListTensorType(" + RangeText(range.tensor_type) + ")");
  }
  void DataTypeRegister(const char_t *symbol, const Promote &promoted) {
    std::string text;
    for (const char *sym : promoted.Syms()) text += (text.empty() ? "\"" : ", \"") + std::string(sym) + "\"";
    DataTypeRegister(symbol, "Promote({" + text + "})");
  }
  void InferFuncRegister(const std::function<graphStatus(Operator &)> &func) {
    if (impl_) impl_->infer = func;
  }
  void InferFormatFuncRegister(const std::function<graphStatus(Operator &)> &func) {
    if (impl_) impl_->infer_format = func;
  }
  void VerifierFuncRegister(const std::function<graphStatus(Operator &)> &func) {
    if (impl_) impl_->verify = func;
  }
  graphStatus VerifyAll() { return VerifyAllAttr(); }
  inline Graph GetSubgraphImpl(const char_t *name) const;

 private:
  friend class Graph;
  static inline Graph BuildSubgraph(const SubgraphBuilder &builder);
  static std::string UniqueName(const char_t *type) {
    static std::atomic<uint64_t> next{0};
    return std::string(type ? type : "") + "_" + std::to_string(next++);
  }
  static std::string RangeText(const TensorType &range) {
    std::string text;
    for (DataType type : range.types())
      text += (text.empty() ? "" : ", ") + std::string(GeDataTypeName(static_cast<int32_t>(type)));
    return "TensorType({" + text + "})";
  }
  std::string InstanceAt(bool input, int32_t index) const {
    if (!impl_ || index < 0) return "";
    const std::vector<std::string> names = impl_->Instances(input);
    return static_cast<size_t>(index) < names.size() ? names[static_cast<size_t>(index)] : "";
  }
  template <class T>
  Operator &SetPortAttr(bool input, const char_t *port, const char_t *name, const T &value) {
    if (impl_ && port && name && HasInstance(input, port))
      (input ? impl_->input_attrs : impl_->output_attrs)[port][name] = detail::ToAttr(value);
    return *this;
  }
  Operator &SetPortAttr(bool input, const char_t *port, const char_t *name, const char_t *value) {
    return SetPortAttr(input, port, name, AscendString(value));
  }
  template <class T>
  graphStatus GetPortAttr(bool input, const char_t *port, const char_t *name, T &value) const {
    if (!impl_ || port == nullptr || name == nullptr) return GRAPH_FAILED;
    const auto &attrs = input ? impl_->input_attrs : impl_->output_attrs;
    auto at = attrs.find(port);
    if (at == attrs.end()) return GRAPH_FAILED;
    auto found = at->second.find(name);
    return found == at->second.end() ? GRAPH_FAILED : detail::FromAttr(found->second, value);
  }
  void Warn(const std::string &text) const {
    GeLogMessage(GE_LOG_WARNING,
                 ((impl_ ? impl_->type + " '" + impl_->name + "': " : std::string("empty operator: ")) + text).c_str());
  }
  static std::string Instance(const char_t *name, uint32_t index) {
    return std::string(name ? name : "") + std::to_string(index);
  }
  static TensorDesc Lookup(const detail::NameMap<TensorDesc> *descs, const char_t *name) {
    if (descs == nullptr || name == nullptr) return TensorDesc();
    auto found = descs->find(name);
    return found == descs->end() ? TensorDesc() : found->second;
  }
  bool HasInstance(bool input, const std::string &name) const {
    for (const std::string &instance : impl_->Instances(input))
      if (instance == name) return true;
    return false;
  }
  void Link(const char_t *dst_name, const Operator &src, const std::string &output) {
    if (!impl_ || !src.impl_ || dst_name == nullptr) return;
    if (!HasInstance(true, dst_name)) return Warn("there is no input '" + std::string(dst_name) + "' to link");
    if (!src.HasInstance(false, output)) return src.Warn("there is no output '" + output + "' to link");
    impl_->links[dst_name] = {src.impl_, output};
    src.impl_->consumers.push_back(impl_);
  }
  graphStatus Update(bool input, const char_t *name, const TensorDesc &desc) {
    if (!impl_ || name == nullptr || !HasInstance(input, name)) return GRAPH_FAILED;
    (input ? impl_->input_descs : impl_->output_descs)[name] = desc;
    return GRAPH_SUCCESS;
  }
  int32_t Count(bool input, const char_t *name) const {
    detail::OperatorPort *port = impl_ && name ? impl_->Find(input, name) : nullptr;
    return port != nullptr && port->kind == GE_IR_DYNAMIC ? static_cast<int32_t>(port->instances) : 0;
  }
  void Register(bool input, const char_t *name, int32_t kind, const char_t *symbol, uint32_t instances) {
    if (!impl_ || name == nullptr) return;
    if (detail::OperatorPort *port = impl_->Find(input, name)) {
      port->instances = instances;
      return;
    }
    (input ? impl_->inputs : impl_->outputs).push_back({name, kind, symbol ? symbol : "", instances});
  }
  void RegisterAttr(const char_t *name, bool required, const char_t *type, const AttrValue *value) {
    if (!impl_ || name == nullptr) return;
    impl_->ir_attrs.push_back({name, required, type ? type : "", value != nullptr ? *value : AttrValue()});
    if (value != nullptr && !value->empty()) impl_->attrs[name] = *value;
  }
  std::vector<std::string> SubgraphInstances() const {
    std::vector<std::string> names;
    if (!impl_) return names;
    for (const detail::OperatorSubgraph &graph : impl_->subgraphs) {
      if (!graph.dynamic) names.push_back(graph.name);
      for (uint32_t i = 0; graph.dynamic && i < graph.instances; ++i) names.push_back(graph.name + std::to_string(i));
    }
    return names;
  }

  std::shared_ptr<detail::OperatorImpl> impl_;
};

}  // namespace ge

#endif
