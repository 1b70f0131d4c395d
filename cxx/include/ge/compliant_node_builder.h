// CompliantNodeBuilder: adds a node together with its prototype, for wrappers written by hand.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_COMPLIANT_NODE_BUILDER_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_COMPLIANT_NODE_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/attr_value.h"
#include "graph/detail/language.h"
#include "graph/detail/operator_schema.h"
#include "graph/gnode.h"
#include "graph/graph.h"
#include "graph/operator.h"

namespace ge {
namespace es {

template <class T>
AttrValue CreateFrom(T &&value) {
  AttrValue out;
  (void)out.SetAttrValue(static_cast<const typename std::decay<T>::type &>(value));
  return out;
}
template <class T>
bool ValuesEqual(const T &a, const T &b) {
  return a == b;
}
template <>
inline bool ValuesEqual<float>(const float &a, const float &b) {
  return a == b || (a - b < 1e-6f && b - a < 1e-6f);
}
template <class T>
bool ValuesEqual(const std::vector<T> &a, const std::vector<T> &b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!ValuesEqual<T>(a[i], b[i])) return false;
  return true;
}
/// Empty when equal: the attribute is then known by name only.
template <class T>
AttrValue CreateFromIfNotEqual(T &&value, typename std::decay<T>::type default_value) {
  return ValuesEqual(static_cast<const typename std::decay<T>::type &>(value), default_value)
             ? AttrValue()
             : CreateFrom(std::forward<T>(value));
}

inline graphStatus AddEdgeAndUpdatePeerDesc(Graph &graph, GNode &src_node, int32_t src_port_index, GNode &dst_node,
                                            int32_t dst_port_index) {
  return graph.AddDataEdge(src_node, src_port_index, dst_node, dst_port_index);
}

/// An operator of any type whose ports and attributes a program declares itself.
class AnyTypeOperator : public Operator {
 public:
  AnyTypeOperator(const char *name, const char *type) : Operator(name, type) {}
  using Operator::AttrRegister;
  using Operator::DynamicInputRegister;
  using Operator::DynamicOutputRegister;
  using Operator::InputRegister;
  using Operator::OptionalInputRegister;
  using Operator::OutputRegister;
  using Operator::RequiredAttrWithTypeRegister;
  using Operator::SubgraphRegister;
};

class CompliantNodeBuilder {
 public:
  enum IrAttrType { kEsAttrRequired = 0, kEsAttrOptional = 1 };
  enum IrInputType { kEsIrInputRequired = 0, kEsIrInputOptional = 1, kEsIrInputDynamic = 2, kEsIrInputTypeEnd = 3 };
  enum IrOutputType { kEsIrOutputRequired = 0, kEsIrOutputDynamic = 1, kEsIrOutputTypeEnd = 2 };

  struct IrInputDef {
    std::string name;
    IrInputType ir_input_type;
    std::string symbol_id;
  };
  struct IrOutputDef {
    std::string name;
    IrOutputType ir_output_type;
    std::string symbol_id;
  };
  struct IrAttrDef {
    std::string attr_name;
    IrAttrType ir_attr_type;
    std::string attr_data_type;
    AttrValue attr_default_value;
  };

  // The V2 classes hold one pointer: their size does not depend on the C++ library.
  class IrInputDefV2 {
   public:
    IrInputDefV2() : def_(ge::detail::MakeUnique<IrInputDef>()) {}
    IrInputDefV2(const char *name, IrInputType type, const char *symbol_id) : IrInputDefV2() {
      Name(name).InputType(type).SymbolId(symbol_id);
    }
    IrInputDefV2(const IrInputDefV2 &other) : def_(ge::detail::MakeUnique<IrInputDef>(other.Get())) {}
    IrInputDefV2(IrInputDefV2 &&) noexcept = default;
    IrInputDefV2 &operator=(IrInputDefV2 other) noexcept {
      def_.swap(other.def_);
      return *this;
    }
    IrInputDefV2 &Name(const char *name) {
      return Set([&](IrInputDef &d) { d.name = name ? name : ""; });
    }
    IrInputDefV2 &InputType(IrInputType type) {
      return Set([&](IrInputDef &d) { d.ir_input_type = type; });
    }
    IrInputDefV2 &SymbolId(const char *symbol) {
      return Set([&](IrInputDef &d) { d.symbol_id = symbol ? symbol : ""; });
    }
    const char *GetName() const { return def_ ? def_->name.c_str() : ""; }
    IrInputType GetInputType() const { return def_ ? def_->ir_input_type : kEsIrInputRequired; }
    const char *GetSymbolId() const { return def_ ? def_->symbol_id.c_str() : ""; }

   private:
    friend class CompliantNodeBuilder;
    IrInputDef Get() const { return def_ ? *def_ : IrInputDef{"", kEsIrInputRequired, ""}; }
    template <class F>
    IrInputDefV2 &Set(F &&f) {
      if (!def_) def_ = ge::detail::MakeUnique<IrInputDef>();
      f(*def_);
      return *this;
    }
    std::unique_ptr<IrInputDef> def_;
  };
  class IrOutputDefV2 {
   public:
    IrOutputDefV2() : def_(ge::detail::MakeUnique<IrOutputDef>()) {}
    IrOutputDefV2(const char *name, IrOutputType type, const char *symbol_id) : IrOutputDefV2() {
      Name(name).OutputType(type).SymbolId(symbol_id);
    }
    IrOutputDefV2(const IrOutputDefV2 &other) : def_(ge::detail::MakeUnique<IrOutputDef>(other.Get())) {}
    IrOutputDefV2(IrOutputDefV2 &&) noexcept = default;
    IrOutputDefV2 &operator=(IrOutputDefV2 other) noexcept {
      def_.swap(other.def_);
      return *this;
    }
    IrOutputDefV2 &Name(const char *name) {
      return Set([&](IrOutputDef &d) { d.name = name ? name : ""; });
    }
    IrOutputDefV2 &OutputType(IrOutputType type) {
      return Set([&](IrOutputDef &d) { d.ir_output_type = type; });
    }
    IrOutputDefV2 &SymbolId(const char *symbol) {
      return Set([&](IrOutputDef &d) { d.symbol_id = symbol ? symbol : ""; });
    }
    const char *GetName() const { return def_ ? def_->name.c_str() : ""; }
    IrOutputType GetOutputType() const { return def_ ? def_->ir_output_type : kEsIrOutputRequired; }
    const char *GetSymbolId() const { return def_ ? def_->symbol_id.c_str() : ""; }

   private:
    friend class CompliantNodeBuilder;
    IrOutputDef Get() const { return def_ ? *def_ : IrOutputDef{"", kEsIrOutputRequired, ""}; }
    template <class F>
    IrOutputDefV2 &Set(F &&f) {
      if (!def_) def_ = ge::detail::MakeUnique<IrOutputDef>();
      f(*def_);
      return *this;
    }
    std::unique_ptr<IrOutputDef> def_;
  };
  class IrAttrDefV2 {
   public:
    IrAttrDefV2() : def_(ge::detail::MakeUnique<IrAttrDef>(IrAttrDef{"", kEsAttrOptional, "", AttrValue()})) {}
    IrAttrDefV2(const char *name, IrAttrType type, const char *data_type, const AttrValue &value) : IrAttrDefV2() {
      AttrName(name).AttrType(type).AttrDataType(data_type).DefaultValue(value);
    }
    IrAttrDefV2(const IrAttrDefV2 &other) : def_(ge::detail::MakeUnique<IrAttrDef>(other.Get())) {}
    IrAttrDefV2(IrAttrDefV2 &&) noexcept = default;
    IrAttrDefV2 &operator=(IrAttrDefV2 other) noexcept {
      def_.swap(other.def_);
      return *this;
    }
    IrAttrDefV2 &AttrName(const char *name) {
      return Set([&](IrAttrDef &d) { d.attr_name = name ? name : ""; });
    }
    IrAttrDefV2 &AttrType(IrAttrType type) {
      return Set([&](IrAttrDef &d) { d.ir_attr_type = type; });
    }
    IrAttrDefV2 &AttrDataType(const char *type) {
      return Set([&](IrAttrDef &d) { d.attr_data_type = type ? type : ""; });
    }
    IrAttrDefV2 &DefaultValue(const AttrValue &value) {
      return Set([&](IrAttrDef &d) { d.attr_default_value = value; });
    }
    const char *GetAttrName() const { return def_ ? def_->attr_name.c_str() : ""; }
    IrAttrType GetAttrType() const { return def_ ? def_->ir_attr_type : kEsAttrOptional; }
    const char *GetAttrDataType() const { return def_ ? def_->attr_data_type.c_str() : ""; }
    AttrValue GetDefaultValue() const { return def_ ? def_->attr_default_value : AttrValue(); }

   private:
    friend class CompliantNodeBuilder;
    IrAttrDef Get() const { return def_ ? *def_ : IrAttrDef{"", kEsAttrOptional, "", AttrValue()}; }
    template <class F>
    IrAttrDefV2 &Set(F &&f) {
      if (!def_) *this = IrAttrDefV2();
      f(*def_);
      return *this;
    }
    std::unique_ptr<IrAttrDef> def_;
  };
  static_assert(sizeof(IrInputDefV2) == sizeof(void *) && sizeof(IrOutputDefV2) == sizeof(void *) &&
                    sizeof(IrAttrDefV2) == sizeof(void *),
                "V2 definitions are one pointer");

  using AnyTypeOperator = es::AnyTypeOperator;

  explicit CompliantNodeBuilder(ge::Graph *graph) : graph_(graph) {}
  CompliantNodeBuilder(CompliantNodeBuilder &&) noexcept = default;
  CompliantNodeBuilder &operator=(CompliantNodeBuilder &&) noexcept = default;

  CompliantNodeBuilder &OpType(const char *type) {
    type_ = type ? type : "";
    return *this;
  }
  CompliantNodeBuilder &Name(const char *name) {
    name_ = name ? name : "";
    return *this;
  }
  CompliantNodeBuilder &IrDefInputs(std::vector<IrInputDef> inputs) {
    inputs_ = std::move(inputs);
    return *this;
  }
  CompliantNodeBuilder &IrDefOutputs(std::vector<IrOutputDef> outputs) {
    outputs_ = std::move(outputs);
    return *this;
  }
  CompliantNodeBuilder &IrDefAttrs(std::vector<IrAttrDef> attrs) {
    attrs_ = std::move(attrs);
    return *this;
  }
  CompliantNodeBuilder &IrDefInputsV2(const IrInputDefV2 *defs, size_t count) { return Assign(inputs_, defs, count); }
  CompliantNodeBuilder &IrDefInputsV2(std::initializer_list<IrInputDefV2> defs) {
    return Assign(inputs_, defs.begin(), defs.size());
  }
  CompliantNodeBuilder &IrDefInputsV2(const std::vector<IrInputDefV2> &defs) {
    return Assign(inputs_, defs.data(), defs.size());
  }
  CompliantNodeBuilder &IrDefOutputsV2(const IrOutputDefV2 *defs, size_t count) {
    return Assign(outputs_, defs, count);
  }
  CompliantNodeBuilder &IrDefOutputsV2(std::initializer_list<IrOutputDefV2> defs) {
    return Assign(outputs_, defs.begin(), defs.size());
  }
  CompliantNodeBuilder &IrDefOutputsV2(const std::vector<IrOutputDefV2> &defs) {
    return Assign(outputs_, defs.data(), defs.size());
  }
  CompliantNodeBuilder &IrDefAttrsV2(const IrAttrDefV2 *defs, size_t count) { return Assign(attrs_, defs, count); }
  CompliantNodeBuilder &IrDefAttrsV2(std::initializer_list<IrAttrDefV2> defs) {
    return Assign(attrs_, defs.begin(), defs.size());
  }
  CompliantNodeBuilder &IrDefAttrsV2(const std::vector<IrAttrDefV2> &defs) {
    return Assign(attrs_, defs.data(), defs.size());
  }
  CompliantNodeBuilder &InstanceDynamicInputNum(const char *ir_name, int32_t num) {
    if (ir_name) input_counts_[ir_name] = num;
    return *this;
  }
  CompliantNodeBuilder &InstanceDynamicOutputNum(const char *ir_name, int32_t num) {
    if (ir_name) output_counts_[ir_name] = num;
    return *this;
  }
  CompliantNodeBuilder &InstanceOutputDataType(const char *name, ge::DataType dt) {
    return Desc(name, [&](TensorDesc &d) { d.SetDataType(dt); });
  }
  CompliantNodeBuilder &InstanceOutputShape(const char *name, const std::vector<int64_t> &dims) {
    return Desc(name, [&](TensorDesc &d) {
      d.SetShape(Shape(dims));
      d.SetOriginShape(Shape(dims));
    });
  }
  CompliantNodeBuilder &InstanceOutputOriginShape(const char *name, const std::vector<int64_t> &dims) {
    return Desc(name, [&](TensorDesc &d) { d.SetOriginShape(Shape(dims)); });
  }
  CompliantNodeBuilder &InstanceOutputStorageShape(const char *name, const std::vector<int64_t> &dims) {
    return Desc(name, [&](TensorDesc &d) { d.SetShape(Shape(dims)); });
  }
  CompliantNodeBuilder &InstanceOutputFormat(const char *name, ge::Format format) {
    return Desc(name, [&](TensorDesc &d) {
      d.SetFormat(format);
      d.SetOriginFormat(format);
    });
  }
  CompliantNodeBuilder &InstanceOutputOriginFormat(const char *name, ge::Format format) {
    return Desc(name, [&](TensorDesc &d) { d.SetOriginFormat(format); });
  }
  CompliantNodeBuilder &InstanceOutputStorageFormat(const char *name, ge::Format format) {
    return Desc(name, [&](TensorDesc &d) { d.SetFormat(format); });
  }

  /// The node; invalid on error (the C interface's last error has the reason).
  ge::GNode Build() const {
    if (graph_ == nullptr || graph_->handle() == nullptr) return GNode();
    detail::OperatorImpl op;
    op.type = type_;
    std::vector<int32_t> input_counts, output_counts;
    for (const IrInputDef &def : inputs_) {
      op.inputs.push_back({def.name, static_cast<int32_t>(def.ir_input_type), def.symbol_id, 0});
      if (def.ir_input_type == kEsIrInputDynamic) input_counts.push_back(CountOf(input_counts_, def.name));
    }
    for (const IrOutputDef &def : outputs_) {
      bool dynamic = def.ir_output_type == kEsIrOutputDynamic;
      op.outputs.push_back({def.name, dynamic ? GE_IR_DYNAMIC : GE_IR_REQUIRED, def.symbol_id,
                            dynamic ? static_cast<uint32_t>(CountOf(output_counts_, def.name)) : 0u});
      if (dynamic) output_counts.push_back(CountOf(output_counts_, def.name));
    }
    for (const IrAttrDef &def : attrs_)
      op.ir_attrs.push_back({def.attr_name, def.ir_attr_type == kEsAttrRequired, def.attr_data_type, AttrValue()});
    GeNodeSpec spec{};
    spec.struct_size = sizeof spec;
    spec.type = type_.c_str();
    spec.name = name_.empty() ? nullptr : name_.c_str();
    spec.schema = detail::SchemaCache::Instance().Make(op);
    spec.input_counts = input_counts.data();
    spec.input_counts_size = input_counts.size();
    spec.output_counts = output_counts.data();
    spec.output_counts_size = output_counts.size();
    GeNode *handle = nullptr;
    if (GeGraphAddNode(graph_->handle(), &spec, &handle) != GE_SUCCESS) return GNode();
    for (const IrAttrDef &def : attrs_) {
      if (def.attr_default_value.empty()) continue;
      if (GeNodeSetAttr(handle, detail::AttrView(def.attr_name.c_str(), def.attr_default_value).get()) != GE_SUCCESS) {
        (void)GeGraphRemoveNode(graph_->handle(), handle);  // the reason stays the last error
        return GNode();
      }
    }
    std::vector<std::string> outputs = op.Instances(false);
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto found = descs_.find(outputs[i]);
      if (found == descs_.end()) continue;
      GeTensorData data = found->second.View();
      (void)GeNodeSetOutputDesc(handle, static_cast<int32_t>(i), &data);
    }
    return GNode(handle);
  }

 private:
  template <class Def, class V2>
  CompliantNodeBuilder &Assign(std::vector<Def> &target, const V2 *defs, size_t count) {
    target.clear();
    for (size_t i = 0; defs != nullptr && i < count; ++i) target.push_back(defs[i].Get());
    return *this;
  }
  template <class F>
  CompliantNodeBuilder &Desc(const char *name, F &&change) {
    if (name) change(descs_[name]);
    return *this;
  }
  static int32_t CountOf(const detail::NameMap<int32_t> &counts, const std::string &name) {
    auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  }
  ge::Graph *graph_;
  std::string type_, name_;
  std::vector<IrInputDef> inputs_;
  std::vector<IrOutputDef> outputs_;
  std::vector<IrAttrDef> attrs_;
  detail::NameMap<int32_t> input_counts_, output_counts_;
  detail::NameMap<TensorDesc> descs_;
};

}  // namespace es
}  // namespace ge

#endif
