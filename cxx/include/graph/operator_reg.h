// REG_OP: declares an operator prototype and its class, as in GE.
//
//   REG_OP(Add).INPUT(x1, TensorType::NumberType()).INPUT(x2, …).OUTPUT(y, …).OP_END_FACTORY_REG(Add)
//
// Each clause adds accessors and, at construction, its declaration; OP_END_FACTORY_REG closes the class and registers
// it.
#ifndef INC_GRAPH_OPERATOR_REG_H_
#define INC_GRAPH_OPERATOR_REG_H_

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/graph.h"
#include "graph/op_traits.h"
#include "graph/operator.h"
#include "graph/operator_factory.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

/// Makes the chain after REG_OP an expression: each clause closes a member function and opens the next.
class OpReg {
 public:
  OpReg &N() { return *this; }
  OpReg &ATTR() { return *this; }
  OpReg &REQUIRED_ATTR() { return *this; }
  OpReg &INPUT() { return *this; }
  OpReg &OPTIONAL_INPUT() { return *this; }
  OpReg &OUTPUT() { return *this; }
  OpReg &GRAPH() { return *this; }
  OpReg &DYNAMIC_GRAPH() { return *this; }
  OpReg &INFER_SHAPE_AND_TYPE() { return *this; }
};

namespace detail {
inline std::string Unquoted(const char *text) {
  std::string s = text;
  return s.size() >= 2 && s.front() == '"' && s.back() == '"' ? s.substr(1, s.size() - 2) : s;
}
inline AscendString ToStored(const std::string &v) { return AscendString(v.c_str(), v.size()); }
inline std::vector<AscendString> ToStored(const std::vector<std::string> &v) {
  std::vector<AscendString> out;
  for (const std::string &s : v) out.push_back(ToStored(s));
  return out;
}
template <class T>
const T &ToStored(const T &v) {
  return v;
}
}  // namespace detail

/// Text of either kind as the kind that crosses library edges.
template <class T>
AscendString ConvertToAscendString(const T &text) {
  return AscendString(text);
}
inline AscendString ConvertToAscendString(const std::string &text) { return AscendString(text.c_str(), text.size()); }
template <class T>
std::vector<AscendString> ConvertToListAscendString(const std::vector<T> &texts) {
  std::vector<AscendString> out;
  for (const T &text : texts) out.push_back(ConvertToAscendString(text));
  return out;
}

#define REG_OP(x)                                                                                          \
  namespace op {                                                                                           \
  class x : public ::ge::Operator {                                                                        \
    typedef x _THIS_TYPE;                                                                                  \
                                                                                                           \
   public:                                                                                                 \
    ATTRIBUTED_DEPRECATED(x(const char *))                                                                 \
    explicit x(const std::string &name) : ::ge::Operator(name.c_str(), #x) { __##x(); }                    \
    explicit x(const char *name) : ::ge::Operator(name, #x) { __##x(); }                                   \
    explicit x(const ::ge::AscendString &name) : ::ge::Operator(name, ::ge::AscendString(#x)) { __##x(); } \
    x() : ::ge::Operator(#x) { __##x(); }                                                                  \
                                                                                                           \
   private:                                                                                                \
    void __##x() {                                                                                         \
      ::ge::OpReg()

// A clause ends the statement so far, runs its registration through the member function of its own name, and goes on.
#define GE_REG_INPUT_MEMBERS(x)                                                            \
 public:                                                                                   \
  static const std::string name_in_##x() { return #x; }                                    \
  static void name_in_##x(::ge::AscendString &name) { name = ::ge::AscendString(#x); }     \
  _THIS_TYPE &set_input_##x(::ge::Operator &v) {                                           \
    Operator::SetInput(#x, v);                                                             \
    return *this;                                                                          \
  }                                                                                        \
  _THIS_TYPE &set_input_##x##_by_name(::ge::Operator &v, const char *src_name) {           \
    Operator::SetInput(#x, v, src_name);                                                   \
    return *this;                                                                          \
  }                                                                                        \
  ATTRIBUTED_DEPRECATED(set_input_##x##_by_name)                                           \
  _THIS_TYPE &set_input_##x(::ge::Operator &v, const std::string &src_name) {              \
    Operator::SetInput(#x, v, src_name.c_str());                                           \
    return *this;                                                                          \
  }                                                                                        \
  _THIS_TYPE &set_input_##x(::ge::Operator &v, uint32_t index) {                           \
    Operator::SetInput(#x, v, index);                                                      \
    return *this;                                                                          \
  }                                                                                        \
  ::ge::TensorDesc get_input_desc_##x() const { return Operator::GetInputDescByName(#x); } \
  ::ge::graphStatus update_input_desc_##x(const ::ge::TensorDesc &desc) { return Operator::UpdateInputDesc(#x, desc); }

#define INPUT(x, t)                                                  \
  N();                                                               \
  __input_##x();                                                     \
  }                                                                  \
  GE_REG_INPUT_MEMBERS(x)                                            \
 private:                                                            \
  void __input_##x() {                                               \
    Operator::InputRegister(#x, ::ge::detail::Unquoted(#t).c_str()); \
    ::ge::OpReg()

#define OPTIONAL_INPUT(x, t)                                                 \
  N();                                                                       \
  __optional_input_##x();                                                    \
  }                                                                          \
  GE_REG_INPUT_MEMBERS(x)                                                    \
 private:                                                                    \
  void __optional_input_##x() {                                              \
    Operator::OptionalInputRegister(#x, ::ge::detail::Unquoted(#t).c_str()); \
    ::ge::OpReg()

#define OUTPUT(x, t)                                                                         \
  N();                                                                                       \
  __out_##x();                                                                               \
  }                                                                                          \
                                                                                             \
 public:                                                                                     \
  static const std::string name_out_##x() { return #x; }                                     \
  static void name_out_##x(::ge::AscendString &name) { name = ::ge::AscendString(#x); }      \
  ::ge::TensorDesc get_output_desc_##x() const { return Operator::GetOutputDescByName(#x); } \
  ::ge::graphStatus update_output_desc_##x(const ::ge::TensorDesc &desc) {                   \
    return Operator::UpdateOutputDesc(#x, desc);                                             \
  }                                                                                          \
                                                                                             \
 private:                                                                                    \
  void __out_##x() {                                                                         \
    Operator::OutputRegister(#x, ::ge::detail::Unquoted(#t).c_str());                        \
    ::ge::OpReg()

#define DYNAMIC_INPUT(x, t)                                                                       \
  N();                                                                                            \
  __dy_input_##x();                                                                               \
  }                                                                                               \
                                                                                                  \
 public:                                                                                          \
  _THIS_TYPE &create_dynamic_input_##x(uint32_t num, bool isPushBack = true) {                    \
    Operator::DynamicInputRegister(#x, num, isPushBack);                                          \
    return *this;                                                                                 \
  }                                                                                               \
  _THIS_TYPE &create_dynamic_input_byindex_##x(uint32_t num, size_t index) {                      \
    Operator::DynamicInputRegisterByIndex(#x, num, index);                                        \
    return *this;                                                                                 \
  }                                                                                               \
  ::ge::TensorDesc get_dynamic_input_desc_##x(uint32_t index) const {                             \
    return Operator::GetDynamicInputDesc(#x, index);                                              \
  }                                                                                               \
  ::ge::graphStatus update_dynamic_input_desc_##x(uint32_t index, const ::ge::TensorDesc &desc) { \
    return Operator::UpdateDynamicInputDesc(#x, index, desc);                                     \
  }                                                                                               \
  _THIS_TYPE &set_dynamic_input_##x(uint32_t dst, ::ge::Operator &v) {                            \
    Operator::SetInput(#x, dst, v);                                                               \
    return *this;                                                                                 \
  }                                                                                               \
  _THIS_TYPE &set_dynamic_input_##x(uint32_t dst, ::ge::Operator &v, const char *src_name) {      \
    Operator::SetInput(#x, dst, v, src_name);                                                     \
    return *this;                                                                                 \
  }                                                                                               \
                                                                                                  \
 private:                                                                                         \
  void __dy_input_##x() {                                                                         \
    Operator::DynamicInputRegister(#x, 0, ::ge::detail::Unquoted(#t).c_str(), true);              \
    ::ge::OpReg()

#define DYNAMIC_OUTPUT(x, t)                                                                       \
  N();                                                                                             \
  __dy_output_##x();                                                                               \
  }                                                                                                \
                                                                                                   \
 public:                                                                                           \
  _THIS_TYPE &create_dynamic_output_##x(uint32_t num, bool isPushBack = true) {                    \
    Operator::DynamicOutputRegister(#x, num, isPushBack);                                          \
    return *this;                                                                                  \
  }                                                                                                \
  ::ge::TensorDesc get_dynamic_output_desc_##x(uint32_t index) const {                             \
    return Operator::GetDynamicOutputDesc(#x, index);                                              \
  }                                                                                                \
  ::ge::graphStatus update_dynamic_output_desc_##x(uint32_t index, const ::ge::TensorDesc &desc) { \
    return Operator::UpdateDynamicOutputDesc(#x, index, desc);                                     \
  }                                                                                                \
                                                                                                   \
 private:                                                                                          \
  void __dy_output_##x() {                                                                         \
    Operator::DynamicOutputRegister(#x, 0, ::ge::detail::Unquoted(#t).c_str(), true);              \
    ::ge::OpReg()

#define GE_REG_ATTR_MEMBERS(x, T)                                                                                  \
 public:                                                                                                           \
  static const std::string name_attr_##x() { return #x; }                                                          \
  static void name_attr_##x(::ge::AscendString &name) { name = ::ge::AscendString(#x); }                           \
  _THIS_TYPE &set_attr_##x(const Op##T &v) {                                                                       \
    Operator::SetAttr(#x, ::ge::detail::ToStored(v));                                                              \
    return *this;                                                                                                  \
  }                                                                                                                \
  _THIS_TYPE &set_attr_##x(const std::function<Op##T()> &) { return *this; }                                       \
  template <class U = Op##T>                                                                                       \
  typename std::enable_if<std::is_same<U, std::string>::value, _THIS_TYPE &>::type set_attr_##x(const char *v) {   \
    Operator::SetAttr(#x, ::ge::AscendString(v));                                                                  \
    return *this;                                                                                                  \
  }                                                                                                                \
  template <class U = Op##T>                                                                                       \
  typename std::enable_if<std::is_same<U, std::vector<std::string>>::value, _THIS_TYPE &>::type set_attr_##x(      \
      const std::vector<::ge::AscendString> &v) {                                                                  \
    Operator::SetAttr(#x, v);                                                                                      \
    return *this;                                                                                                  \
  }                                                                                                                \
  template <class U = Op##T>                                                                                       \
  typename std::enable_if<std::is_same<U, std::string>::value, ::ge::graphStatus>::type get_attr_##x(              \
      ::ge::AscendString &v) const {                                                                               \
    return Operator::GetAttr(#x, v);                                                                               \
  }                                                                                                                \
  template <class U = Op##T>                                                                                       \
  typename std::enable_if<std::is_same<U, std::vector<std::string>>::value, ::ge::graphStatus>::type get_attr_##x( \
      std::vector<::ge::AscendString> &v) const {                                                                  \
    return Operator::GetAttr(#x, v);                                                                               \
  }

#define ATTR(x, T, ...)                                                \
  N();                                                                 \
  __attr_##x();                                                        \
  }                                                                    \
  GE_REG_ATTR_MEMBERS(x, T)                                            \
  Op##T get_attr_##x() const {                                         \
    Op##T ret = __VA_ARGS__;                                           \
    (void)Operator::GetAttr(#x, ret);                                  \
    return ret;                                                        \
  }                                                                    \
                                                                       \
 private:                                                              \
  void __attr_##x() {                                                  \
    Op##T default_value = __VA_ARGS__;                                 \
    Operator::AttrRegister(#x, ::ge::detail::ToStored(default_value)); \
    ::ge::OpReg()

#define REQUIRED_ATTR(x, T)                         \
  N();                                              \
  __required_attr_##x();                            \
  }                                                 \
  GE_REG_ATTR_MEMBERS(x, T)                         \
  Op##T get_attr_##x() const {                      \
    Op##T ret{};                                    \
    (void)Operator::GetAttr(#x, ret);               \
    return ret;                                     \
  }                                                 \
                                                    \
 private:                                           \
  void __required_attr_##x() {                      \
    Operator::RequiredAttrWithTypeRegister(#x, #T); \
    ::ge::OpReg()

#define DATATYPE(x, t)                  \
  N();                                  \
  __datatype_##x();                     \
  }                                     \
                                        \
 private:                               \
  void __datatype_##x() {               \
    Operator::DataTypeRegister(#x, #t); \
    ::ge::OpReg()

#define GRAPH(x)                                                                                      \
  N();                                                                                                \
  __graph_##x();                                                                                      \
  }                                                                                                   \
                                                                                                      \
 public:                                                                                              \
  static const std::string name_graph_##x() { return #x; }                                            \
  static void name_graph_##x(::ge::AscendString &name) { name = ::ge::AscendString(#x); }             \
  ::ge::SubgraphBuilder get_subgraph_builder_##x() const { return Operator::GetSubgraphBuilder(#x); } \
  _THIS_TYPE &set_subgraph_builder_##x(const ::ge::SubgraphBuilder &v) {                              \
    Operator::SetSubgraphBuilder(#x, 0, v);                                                           \
    return *this;                                                                                     \
  }                                                                                                   \
  ::ge::Graph get_subgraph_##x() const { return Operator::GetSubgraph(#x); }                          \
                                                                                                      \
 private:                                                                                             \
  void __graph_##x() {                                                                                \
    Operator::SubgraphRegister(#x, false);                                                            \
    Operator::SubgraphCountRegister(#x, 1);                                                           \
    ::ge::OpReg()

#define DYNAMIC_GRAPH(x)                                                                                         \
  N();                                                                                                           \
  __graph_##x();                                                                                                 \
  }                                                                                                              \
                                                                                                                 \
 public:                                                                                                         \
  static const std::string name_graph_##x() { return #x; }                                                       \
  static void name_graph_##x(::ge::AscendString &name) { name = ::ge::AscendString(#x); }                        \
  _THIS_TYPE &create_dynamic_subgraph_##x(uint32_t num) {                                                        \
    Operator::SubgraphCountRegister(#x, num);                                                                    \
    return *this;                                                                                                \
  }                                                                                                              \
  ::ge::SubgraphBuilder get_dynamic_subgraph_builder_##x(uint32_t index) const {                                 \
    return Operator::GetDynamicSubgraphBuilder(#x, index);                                                       \
  }                                                                                                              \
  ::ge::Graph get_dynamic_subgraph_##x(uint32_t index) const { return Operator::GetDynamicSubgraph(#x, index); } \
  _THIS_TYPE &set_dynamic_subgraph_builder_##x(uint32_t index, const ::ge::SubgraphBuilder &v) {                 \
    Operator::SetSubgraphBuilder(#x, index, v);                                                                  \
    return *this;                                                                                                \
  }                                                                                                              \
                                                                                                                 \
 private:                                                                                                        \
  void __graph_##x() {                                                                                           \
    Operator::SubgraphRegister(#x, true);                                                                        \
    ::ge::OpReg()

#define GE_REG_UNIQUE_(a, b) a##b
#define GE_REG_UNIQUE(a, b) GE_REG_UNIQUE_(a, b)

#define GE_REG_END(x)                                                                                             \
  N();                                                                                                            \
  }                                                                                                               \
  static_assert(std::is_same<x, _THIS_TYPE>::value, "REG_OP and OP_END_FACTORY_REG must name the same operator"); \
  }                                                                                                               \
  ;                                                                                                               \
  }

#ifdef DISABLE_COMPILE_V1
#define OP_END_FACTORY_REG(x) GE_REG_END(x)
#else
#define OP_END_FACTORY_REG(x)                                                        \
  GE_REG_END(x)                                                                      \
  static const ::ge::OperatorCreatorRegister GE_REG_UNIQUE(g_register, __COUNTER__)( \
      #x, [](const ::ge::AscendString &name) -> ::ge::Operator { return op::x(name); });
#endif

/// A notation of GE's design texts for dynamic counts and redundant attributes. It is accepted and has no meaning:
/// wrappers have the parameters that the prototype gives them.
struct EsbHint {
  explicit EsbHint(const char *) {}
  EsbHint &DynamicOutputNum(const char *, const char *) { return *this; }
  EsbHint &InferableAttr(const char *, const char *) { return *this; }
};
#define REG_FOR_ESB(op_name) \
  [[maybe_unused]] static const ::ge::EsbHint GE_REG_UNIQUE(g_esb_hint, __COUNTER__) = ::ge::EsbHint(#op_name)

// ---- inference ----

namespace detail {
/// An operator by its class: another handle of the same operator.
template <class T>
class Typed {
 public:
  explicit Typed(const Operator &op) { static_cast<Operator &>(op_) = op; }
  T &Get() { return op_; }

 private:
  T op_;
};
}  // namespace detail

#define IMPLEMT_INFERFUNC(op_name, func_name) static ::ge::graphStatus func_name(op::op_name &op)
#define IMPLEMT_COMMON_INFERFUNC(func_name) static ::ge::graphStatus func_name(::ge::Operator &op)
#define IMPLEMT_INFERFORMAT_FUNC(op_name, func_name) static ::ge::graphStatus func_name(op::op_name &op)
#define IMPL_INFER_VALUE_RANGE_FUNC(op_name, func_name) static ::ge::graphStatus func_name(op::op_name &op)
#define IMPLEMT_VERIFIER(op_name, func_name) static ::ge::graphStatus func_name(op::op_name op)

#define INFER_VERIFY_FUNC(op_name, x) [](::ge::Operator &v) { return x(::ge::detail::Typed<op::op_name>(v).Get()); }
#define COMMON_INFER_VERIFY_FUNC(x) [](::ge::Operator &v) { return x(v); }
#define INFER_FORMAT_FUNC(op_name, x) [](::ge::Operator &v) { return x(::ge::detail::Typed<op::op_name>(v).Get()); }
#define INFER_VALUE_RANGE_FUNC(op_name, x) \
  [](::ge::Operator &v) { return x(::ge::detail::Typed<op::op_name>(v).Get()); }

#define INFER_FUNC_REG(op_name, x)                                                            \
  static const ::ge::InferShapeFuncRegister GE_REG_UNIQUE(if_register, __COUNTER__)(#op_name, \
                                                                                    INFER_VERIFY_FUNC(op_name, x));
#define COMMON_INFER_FUNC_REG(op_name, x)                                                     \
  static const ::ge::InferShapeFuncRegister GE_REG_UNIQUE(if_register, __COUNTER__)(#op_name, \
                                                                                    COMMON_INFER_VERIFY_FUNC(x));
#define VERIFY_FUNC_REG(op_name, x)                                                       \
  static const ::ge::VerifyFuncRegister GE_REG_UNIQUE(vf_register, __COUNTER__)(#op_name, \
                                                                                INFER_VERIFY_FUNC(op_name, x));
#define INFER_FORMAT_FUNC_REG(op_name, x)                                                      \
  static const ::ge::InferFormatFuncRegister GE_REG_UNIQUE(ff_register, __COUNTER__)(#op_name, \
                                                                                     INFER_FORMAT_FUNC(op_name, x));
#define INFER_VALUE_RANGE_DEFAULT_REG(op_name) \
  static const ::ge::InferValueRangeFuncRegister GE_REG_UNIQUE(vr_register, __COUNTER__)(#op_name);
#define INFER_VALUE_RANGE_CUSTOM_FUNC_REG(op_name, when_call, x)                          \
  static const ::ge::InferValueRangeFuncRegister GE_REG_UNIQUE(vr_register, __COUNTER__)( \
      #op_name, when_call, INFER_VALUE_RANGE_FUNC(op_name, x));

#define ELMTWISE_INFER_SHAPEANDTYPE(in_name, out_name) \
  [](::ge::Operator &op) -> ::ge::graphStatus { return op.UpdateOutputDesc(out_name, op.GetInputDescByName(in_name)); }

/// Right-aligned broadcast of two shapes; an unknown dimension stays unknown unless the other one decides.
inline graphStatus BroadCastInfer(const std::function<std::vector<int64_t>()> &get_in1,
                                  const std::function<std::vector<int64_t>()> &get_in2,
                                  const std::function<void(const std::vector<int64_t> &)> &set_out) {
  std::vector<int64_t> a = get_in1(), b = get_in2();
  if (a.size() < b.size()) a.swap(b);
  size_t shift = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &x = a[shift + i];
    int64_t y = b[i];
    if (x == y || y == 1) continue;
    if (x == 1) {
      x = y;
    } else if (x == UNKNOWN_DIM) {
      x = y;
    } else if (y != UNKNOWN_DIM) {
      return GRAPH_FAILED;
    }
  }
  set_out(a);
  return GRAPH_SUCCESS;
}

#define BROADCAST_INFER(in1_name, in2_name, out_name)                                                   \
  [](::ge::Operator &op) -> ::ge::graphStatus {                                                         \
    return ::ge::BroadCastInfer([&]() { return op.GetInputDescByName(in1_name).GetShape().GetDims(); }, \
                                [&]() { return op.GetInputDescByName(in2_name).GetShape().GetDims(); }, \
                                [&](const std::vector<int64_t> &out_shape) {                            \
                                  ::ge::TensorDesc desc = op.GetInputDescByName(in1_name);              \
                                  desc.SetShape(::ge::Shape(out_shape));                                \
                                  (void)op.UpdateOutputDesc(out_name, desc);                            \
                                });                                                                     \
  }

}  // namespace ge

#endif
