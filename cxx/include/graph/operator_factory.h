// OperatorFactory and the registrars that REG_OP and the inference macros expand to.
#ifndef INC_GRAPH_OPERATOR_FACTORY_H_
#define INC_GRAPH_OPERATOR_FACTORY_H_

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "graph/detail/operator_schema.h"
#include "graph/operator.h"

namespace ge {

using OpCreator = std::function<Operator(const std::string &)>;
using OpCreatorV2 = std::function<Operator(const AscendString &)>;
using InferShapeFunc = std::function<graphStatus(Operator &)>;
using InferFormatFunc = std::function<graphStatus(Operator &)>;
using InferValueRangeFunc = std::function<graphStatus(Operator &)>;
using VerifyFunc = std::function<graphStatus(Operator &)>;
enum WHEN_CALL { INPUT_IS_DYNAMIC = 0, INPUT_HAS_VALUE_RANGE = 1 };

namespace detail {
struct FactoryTable {
  static FactoryTable &Instance() {
    static FactoryTable *table = new FactoryTable;
    return *table;
  }
  std::mutex mutex;
  std::map<std::string, OpCreatorV2> creators;
  std::map<std::string, InferShapeFunc> infer_shape, infer_format, infer_value_range, verify;

  template <class F>
  static void Add(std::map<std::string, F> FactoryTable::*table, const char *type, const F &function) {
    if (type == nullptr) return;
    FactoryTable &self = Instance();
    std::lock_guard<std::mutex> lock(self.mutex);
    (self.*table).emplace(type, function);  // the first registration stays
  }
};
}  // namespace detail

class OperatorFactory {
 public:
  /// An operator of a registered type: by its class where one is known, else by the library's prototype. Empty when
  /// unknown.
  static Operator CreateOperator(const char_t *name, const char_t *type) {
    if (name == nullptr || type == nullptr) return Operator();
    OpCreatorV2 creator;
    {
      detail::FactoryTable &table = detail::FactoryTable::Instance();
      std::lock_guard<std::mutex> lock(table.mutex);
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
    Operator op(name, type);
    for (size_t i = 0; i < schema->input_count; ++i)
      op.Register(true, schema->inputs[i].name, schema->inputs[i].kind, schema->inputs[i].data_types, 0);
    for (size_t i = 0; i < schema->output_count; ++i)
      op.Register(false, schema->outputs[i].name, schema->outputs[i].kind, schema->outputs[i].data_types, 0);
    for (size_t i = 0; i < schema->attr_count; ++i) {
      const GeIrAttr &attr = schema->attrs[i];
      AttrValue fallback;
      if (!attr.required) fallback = detail::FromData(attr.value);
      op.RegisterAttr(attr.value.name, attr.required != 0, "", attr.required ? nullptr : &fallback);
    }
    for (size_t i = 0; i < schema->graph_count; ++i)
      op.SubgraphRegister(schema->graphs[i].name, schema->graphs[i].kind == GE_IR_DYNAMIC);
    return op;
  }
};

/// Adds a creator, and the prototype to the library; a duplicate type keeps the first creator.
class OperatorCreatorRegister {
 public:
  OperatorCreatorRegister(const char_t *type, const OpCreatorV2 &creator) {
    if (type == nullptr || !creator) return;
    detail::FactoryTable::Add(&detail::FactoryTable::creators, type, creator);
    Operator op = creator(AscendString(type));
    if (op.IsEmpty()) return;
    const GeOpSchema *schema = nullptr;
    if (GeOpFind(type, &schema) == GE_SUCCESS) return;  // the library's own prototype counts
    GeClearLastError();
    (void)GeOpRegister(detail::SchemaCache::Instance().Make(*op.impl()), nullptr);
  }
  OperatorCreatorRegister(const std::string &type, const OpCreator &creator)
      : OperatorCreatorRegister(type.c_str(),
                                [creator](const AscendString &name) { return creator(name.GetString()); }) {}
};

class InferShapeFuncRegister {
 public:
  InferShapeFuncRegister(const char_t *type, const InferShapeFunc &f) {
    detail::FactoryTable::Add(&detail::FactoryTable::infer_shape, type, f);
  }
};
class InferFormatFuncRegister {
 public:
  InferFormatFuncRegister(const char_t *type, const InferFormatFunc &f) {
    detail::FactoryTable::Add(&detail::FactoryTable::infer_format, type, f);
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
  for (size_t i = 0; i < node.attr_count; ++i) impl.attrs[node.attrs[i].name] = FromData(node.attrs[i]);
  return op;
}

/// Runs a user's inference function on behalf of the library.
inline GeStatus RunInfer(const GeInferContext *context, graphStatus (*function)(Operator &)) {
  Operator op = OperatorOf(*context->op);
  if (op.IsEmpty()) return context->fail(GE_NOT_FOUND, "operator type has no prototype");
  graphStatus status = function(op);
  if (status != GRAPH_SUCCESS) return context->fail(GE_INFER_FAILED, "the operator's inference function failed");
  std::vector<std::string> outputs = op.impl()->Instances(false);
  for (size_t i = 0; i < context->output_count && i < outputs.size(); ++i) {
    auto found = op.impl()->output_descs.find(outputs[i]);
    if (found == op.impl()->output_descs.end()) continue;
    GeTensorData data = found->second.View();
    if (data.rank > GE_MAX_RANK) return context->fail(GE_INFER_FAILED, "the inferred rank is above the limit of 16");
    GeInferOutput &out = context->outputs[i];
    out.data_type = data.data_type;
    out.rank = data.rank;
    for (int32_t d = 0; d < data.rank; ++d) out.dims[d] = data.dims[d];
  }
  return GE_SUCCESS;
}

/// Attaches an inference function to a type once its prototype is known.
class InferRegister {
 public:
  InferRegister(const char *type, GeInferFn infer) {
    Operator op = OperatorFactory::CreateOperator(type, type);
    if (!op.IsEmpty()) (void)GeOpRegister(SchemaCache::Instance().Make(*op.impl()), infer);
  }
};

}  // namespace detail
}  // namespace ge

#endif
