// OperatorFactory and the registrars that REG_OP and the inference macros expand to.
#ifndef INC_GRAPH_OPERATOR_FACTORY_H_
#define INC_GRAPH_OPERATOR_FACTORY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ge/infer_details.h"
#include "graph/detail/factory_table.h"
#include "graph/detail/graph_class.h"
#include "graph/detail/operator_assembler.h"
#include "graph/detail/operator_class.h"
#include "graph/detail/operator_schema.h"
#include "graph/gnode.h"

namespace ge {

namespace detail {
inline void Hook(const char *type);
}

class OperatorFactory {
 public:
  /// An operator of a registered type: by its class where one is known, else by the library's prototype. Empty when
  /// unknown.
  static Operator CreateOperator(const char_t *name, const char_t *type) {
    if (name == nullptr || type == nullptr) return Operator();
    OpCreatorV2 creator;
    {
      detail::FactoryTable &table = detail::FactoryTable::Instance();
      detail::Lock lock(table.mutex);
      auto found = table.creators.find(type);
      if (found != table.creators.end()) creator = found->second;
    }
    return creator ? creator(AscendString(name)) : FromSchema(name, type);
  }
  static Operator CreateOperator(const std::string &name, const std::string &type) {
    return CreateOperator(name.c_str(), type.c_str());
  }
  static graphStatus GetOpsTypeList(std::vector<AscendString> &types) {
    for (size_t i = 0; i < GeOpCount(); ++i) types.emplace_back(GeOpAt(i)->type);
    return GRAPH_SUCCESS;
  }
  static bool IsExistOp(const char_t *type) {
    const GeOpSchema *schema = nullptr;
    bool found = type != nullptr && GeOpFind(type, &schema) == GE_SUCCESS;
    if (!found) GeClearLastError();
    return found;
  }
  static bool IsExistOp(const std::string &type) { return IsExistOp(type.c_str()); }

 private:
  static Operator FromSchema(const char_t *name, const char_t *type) {
    const GeOpSchema *schema = nullptr;
    if (GeOpFind(type, &schema) != GE_SUCCESS) {
      GeClearLastError();
      return Operator();
    }
    Operator op = FromSchema(name, *schema);
    op.impl_->of_library = true;
    return op;
  }
  static Operator FromSchema(const char_t *name, const GeOpSchema &prototype) {
    const GeOpSchema *schema = &prototype;
    Operator op(name, schema->type);
    for (size_t i = 0; i < schema->input_count; ++i)
      op.Register(true, schema->inputs[i].name, schema->inputs[i].kind, schema->inputs[i].data_types, 0);
    for (size_t i = 0; i < schema->output_count; ++i)
      op.Register(false, schema->outputs[i].name, schema->outputs[i].kind, schema->outputs[i].data_types, 0);
    for (size_t i = 0; i < schema->attr_count; ++i) {
      const GeIrAttr &attr = schema->attrs[i];
      AttrValue fallback;
      if (!attr.required) fallback = detail::FromData(attr.value);
      op.RegisterAttr(attr.value.name, attr.required != 0, detail::AttrTypeName(attr.value.type),
                      attr.required ? nullptr : &fallback);
    }
    for (size_t i = 0; i < schema->graph_count; ++i)
      op.SubgraphRegister(schema->graphs[i].name, schema->graphs[i].kind == GE_IR_DYNAMIC);
    for (size_t i = 0; i < schema->symbol_count; ++i)
      op.DataTypeRegister(schema->symbols[i].name, std::string(schema->symbols[i].range));
    return op;
  }
  friend Operator detail::OperatorOfNode(const GNode &node);
};

/// Adds a creator, and the prototype to the library; a duplicate type keeps the first creator. A prototype that differs
/// from the one the library has for the type is a warning that says how: nodes made by the class carry its own
/// prototype, and compiling tells whether that can be moved over to the library's.
class OperatorCreatorRegister {
 public:
  OperatorCreatorRegister(const char_t *type, const OpCreatorV2 &creator) {
    if (type == nullptr || !creator) return;
    detail::FactoryTable::Add(&detail::FactoryTable::creators, type, creator);
    Operator op = creator(AscendString(type));
    if (op.IsEmpty()) return;
    if (GeOpRegister(detail::SchemaCache::Instance().Make(*op.impl()), nullptr) != GE_SUCCESS) {
      GeLogMessage(GE_LOG_WARNING, GeLastErrorMessage());
      GeClearLastError();
    }
    detail::Hook(type);
  }
  OperatorCreatorRegister(const std::string &type, const OpCreator &creator)
      : OperatorCreatorRegister(type.c_str(),
                                [creator](const AscendString &name) { return creator(name.GetString()); }) {}
};

class InferShapeFuncRegister {
 public:
  InferShapeFuncRegister(const char_t *type, const InferShapeFunc &f) {
    detail::FactoryTable::Add(&detail::FactoryTable::infer_shape, type, f);
    detail::Hook(type);
  }
};
class InferFormatFuncRegister {
 public:
  InferFormatFuncRegister(const char_t *type, const InferFormatFunc &f) {
    detail::FactoryTable::Add(&detail::FactoryTable::infer_format, type, f);
    detail::Hook(type);
  }
};
class InferValueRangeFuncRegister {
 public:
  InferValueRangeFuncRegister(const char_t *type, WHEN_CALL, const InferValueRangeFunc &f) {
    detail::FactoryTable::Add(&detail::FactoryTable::infer_value_range, type, f);
  }
  explicit InferValueRangeFuncRegister(const char_t *) {}
};
class VerifyFuncRegister {
 public:
  VerifyFuncRegister(const char_t *type, const VerifyFunc &f) {
    detail::FactoryTable::Add(&detail::FactoryTable::verify, type, f);
    detail::Hook(type);
  }
};

namespace detail {

/// An operator that shows what is known of a node, for user inference functions.
inline Operator OperatorOf(const GeOpDesc &node) {
  Operator op = OperatorFactory::CreateOperator(node.name, node.type);
  if (op.IsEmpty()) return op;
  OperatorImpl &impl = *op.impl();
  for (size_t i = 0; i < impl.inputs.size(); ++i)
    if (impl.inputs[i].kind == GE_IR_DYNAMIC && i < node.ir_input_total)
      impl.inputs[i].instances = static_cast<uint32_t>(node.ir_input_counts[i]);
  for (size_t i = 0; i < impl.outputs.size(); ++i)
    if (impl.outputs[i].kind == GE_IR_DYNAMIC && i < node.ir_output_total)
      impl.outputs[i].instances = static_cast<uint32_t>(node.ir_output_counts[i]);
  std::vector<std::string> inputs = impl.Instances(true);
  for (size_t i = 0; i < node.input_count && i < inputs.size(); ++i) {
    const GeTensorData &data = node.inputs[i];
    if (data.data_type == C_DT_UNDEFINED) continue;
    impl.input_descs[inputs[i]] = TensorDesc::From(data);
    if (data.data != nullptr) {  // visible to GetInputConstData
      Operator constant("const_" + inputs[i], "Const");
      constant.impl()->outputs.push_back({"y", GE_IR_REQUIRED, "", 0});
      constant.SetAttr("value", TensorFrom(&data));
      impl.links[inputs[i]] = {constant.impl(), "y"};
    }
  }
  std::vector<std::string> outputs = impl.Instances(false);
  for (size_t i = 0; i < node.output_count && i < outputs.size(); ++i)
    impl.output_descs[outputs[i]] = TensorDesc::From(node.outputs[i]);
  for (size_t i = 0; i < node.attr_count; ++i) impl.attrs[node.attrs[i].name] = FromData(node.attrs[i]);
  return op;
}

/// A copy of what a node says.
inline Operator OperatorOfNode(const GNode &node) {
  const GeOpSchema *schema = GeNodeSchema(node.handle());
  if (schema == nullptr) return Operator();
  Operator op = OperatorFactory::FromSchema(GeNodeName(node.handle()), *schema);
  OperatorImpl &impl = *op.impl();
  for (OperatorPort &port : impl.inputs) {
    int32_t count = 0;
    if (port.kind == GE_IR_DYNAMIC &&
        GeNodeGetDynamicInputCount(node.handle(), port.name.c_str(), &count) == GE_SUCCESS)
      port.instances = static_cast<uint32_t>(count);
  }
  for (OperatorPort &port : impl.outputs) {
    int32_t count = 0;
    if (port.kind == GE_IR_DYNAMIC &&
        GeNodeGetDynamicOutputCount(node.handle(), port.name.c_str(), &count) == GE_SUCCESS)
      port.instances = static_cast<uint32_t>(count);
  }
  const std::vector<std::string> inputs = impl.Instances(true), outputs = impl.Instances(false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorDesc desc;
    if (node.GetInputDesc(static_cast<int32_t>(i), desc) == GRAPH_SUCCESS && desc.GetDataType() != DT_UNDEFINED)
      impl.input_descs[inputs[i]] = desc;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorDesc desc;
    if (node.GetOutputDesc(static_cast<int32_t>(i), desc) == GRAPH_SUCCESS) impl.output_descs[outputs[i]] = desc;
  }
  for (size_t i = 0; i < GeNodeAttrCount(node.handle()); ++i) {
    GeAttrData attr{};
    if (GeNodeGetAttrAt(node.handle(), i, &attr) == GE_SUCCESS) impl.attrs[attr.name] = FromData(attr);
  }
  return op;
}

inline void SetOutput(const GeTensorData &data, GeInferOutput &out) {
  out.data_type = data.data_type;
  out.rank = data.rank;
  for (int32_t d = 0; d < data.rank; ++d) out.dims[d] = data.dims[d];
}

/// Bounds of dimensions, as descriptions carry them: into what a function reads, and out of what it wrote.
inline void BoundsIn(const GeInferDetails &details, Operator &op) {
  const std::vector<std::string> inputs = op.impl()->Instances(true);
  int64_t low[GE_MAX_RANK], high[GE_MAX_RANK];
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto found = op.impl()->input_descs.find(inputs[i]);
    const int32_t rank =
        found == op.impl()->input_descs.end() ? GE_UNKNOWN_RANK : details.input_bounds(&details, i, low, high);
    std::vector<std::pair<int64_t, int64_t>> range;
    bool open = false;
    for (int32_t d = 0; d < rank; ++d) {
      range.emplace_back(low[d], high[d]);
      open = open || low[d] != high[d];
    }
    if (open) (void)found->second.SetShapeRange(range);
  }
}
inline void BoundsOut(const GeInferDetails &details, size_t output, const TensorDesc &desc) {
  std::vector<std::pair<int64_t, int64_t>> range;
  (void)desc.GetShapeRange(range);
  if (range.empty() || range.size() > GE_MAX_RANK) return;
  int64_t low[GE_MAX_RANK], high[GE_MAX_RANK];
  for (size_t d = 0; d < range.size(); ++d) {
    low[d] = range[d].first;
    high[d] = range[d].second;
  }
  details.set_output_bounds(&details, output, static_cast<int32_t>(range.size()), low, high);
}

/// Lets the program's function say the formats of outputs: by origin formats, or else formats, that it changes.
inline GeStatus RunInferFormat(const GeInferContext &context, const InferFormatFunc &infer_format, Operator op) {
  const GeInferDetails &details = *context.details;
  OperatorImpl &impl = *op.impl();
  const std::vector<std::string> inputs = impl.Instances(true), outputs = impl.Instances(false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto found = impl.input_descs.find(inputs[i]);
    if (found == impl.input_descs.end()) continue;
    const auto format = static_cast<Format>(details.input_format(&details, i));
    found->second.SetFormat(format);
    found->second.SetOriginFormat(format);
  }
  std::vector<TensorDesc> before;
  for (const std::string &output : outputs) before.push_back(impl.output_descs[output]);
  if (infer_format(op) != GRAPH_SUCCESS)
    return context.fail(GE_INFER_FAILED, "the operator's function for formats failed");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorDesc &desc = impl.output_descs[outputs[i]];
    if (desc.GetOriginFormat() != before[i].GetOriginFormat())
      details.set_output_format(&details, i, desc.GetOriginFormat());
    else if (desc.GetFormat() != before[i].GetFormat()) details.set_output_format(&details, i, desc.GetFormat());
  }
  return GE_SUCCESS;
}

/// Runs what a program registered for the type of a node: its verification, then its inference.
inline GeStatus RunInfer(const GeInferContext *context) {
  Operator op = OperatorOf(*context->op);
  if (op.IsEmpty()) return context->fail(GE_NOT_FOUND, "operator type has no prototype");
  op.SetInferenceContext(InferenceContextPtr(InferenceContext::Create()));
  const VerifyFunc verify = FactoryTable::Find(&FactoryTable::verify, context->op->type);
  if (verify && verify(op) != GRAPH_SUCCESS)
    return context->fail(GE_INFER_FAILED, "the operator's verification function refused it");
  const NodeInferFunc by_context = FactoryTable::Find(&FactoryTable::infer_by_context, context->op->type);
  const InferShapeFunc infer = FactoryTable::Find(&FactoryTable::infer_shape, context->op->type);
  const GeInferDetails *details = context->details;
  if (details != nullptr) {
    BoundsIn(*details, op);
    const InferFormatFunc infer_format = FactoryTable::Find(&FactoryTable::infer_format, context->op->type);
    const GeStatus status =
        infer_format ? RunInferFormat(*context, infer_format, OperatorOf(*context->op)) : GE_SUCCESS;
    if (status != GE_SUCCESS) return status;
  }
  if (!infer) {  // outputs stay as they are, but for what functions with contexts say
    for (size_t i = 0; i < context->output_count && i < context->op->output_count; ++i)
      SetOutput(context->op->outputs[i], context->outputs[i]);
    return by_context ? by_context(context) : GE_SUCCESS;
  }
  if (infer(op) != GRAPH_SUCCESS) return context->fail(GE_INFER_FAILED, "the operator's inference function failed");
  std::vector<std::string> outputs = op.impl()->Instances(false);
  for (size_t i = 0; i < context->output_count && i < outputs.size(); ++i) {
    auto found = op.impl()->output_descs.find(outputs[i]);
    if (found == op.impl()->output_descs.end()) continue;
    GeTensorData data = found->second.View();
    if (data.rank > GE_MAX_RANK) return context->fail(GE_INFER_FAILED, "the inferred rank is above the limit of 16");
    SetOutput(data, context->outputs[i]);
    if (details != nullptr) BoundsOut(*details, i, found->second);
  }
  return by_context ? by_context(context) : GE_SUCCESS;
}

/// Lets the library call what was registered for a type, once prototype and function are both there. A type that has an
/// inference function already keeps it: then the log says so.
inline void Hook(const char *type) {
  if (type == nullptr || !FactoryTable::HookOnce(type)) return;
  Operator op = OperatorFactory::CreateOperator(type, type);
  const GeOpSchema *schema = nullptr;
  if (op.IsEmpty() || GeOpFind(type, &schema) != GE_SUCCESS) {
    GeClearLastError();
    FactoryTable::Unhook(type);  // the prototype comes later
    return;
  }
  if (GeOpRegister(schema, &RunInfer) != GE_SUCCESS) {
    GeLogMessage(GE_LOG_WARNING, GeLastErrorMessage());
    GeClearLastError();
  }
}

}  // namespace detail
}  // namespace ge

#endif
