#include "op_model.h"

#include <algorithm>
#include <unordered_set>

namespace codegen {
namespace {

const char *TypeText(int type) {
  switch (type) {
    case C_VT_LIST_TENSOR:
      return "VT_LIST_TENSOR";
    case C_VT_BYTES:
      return "VT_BYTES";
    case C_VT_NAMED_ATTRS:
      return "VT_NAMED_ATTRS";
    case C_VT_LIST_NAMED_ATTRS:
      return "VT_LIST_NAMED_ATTRS";
    case C_VT_LIST_LIST_FLOAT:
      return "VT_LIST_LIST_FLOAT";
    case C_VT_GRAPH:
      return "VT_GRAPH";
    default:
      return "VT_NONE";
  }
}

bool IsSupported(int type) {
  switch (type) {
    case C_VT_INT:
    case C_VT_FLOAT:
    case C_VT_BOOL:
    case C_VT_STRING:
    case C_VT_DATA_TYPE:
    case C_VT_TENSOR:
    case C_VT_LIST_INT:
    case C_VT_LIST_FLOAT:
    case C_VT_LIST_BOOL:
    case C_VT_LIST_DATA_TYPE:
    case C_VT_LIST_LIST_INT:
    case C_VT_LIST_STRING:
      return true;
    default:
      return false;
  }
}

// Why an attribute keeps its operator from being wrapped; empty when it does not.
std::string AttrProblem(const GeIrAttr &attr) {
  const GeAttrData &v = attr.value;
  if (!IsSupported(v.type)) return std::string("Unsupported attr type: ") + TypeText(v.type);
  if (attr.required) return "";
  if (v.type == C_VT_TENSOR && v.tensor && v.tensor->data)
    return "Only support 'Tensor()' as default value for Tensor attr, which current op's attr is not using.";
  auto unknown = [](int64_t type) { return GeDataTypeName(static_cast<int32_t>(type)) == std::string("UNKNOWN"); };
  if (v.type == C_VT_DATA_TYPE && unknown(v.i)) return "Unexpected data type: " + std::to_string(v.i);
  for (uint64_t i = 0; v.type == C_VT_LIST_DATA_TYPE && i < v.count; ++i)
    if (unknown(static_cast<const int32_t *>(v.list)[i]))
      return "Unexpected data type: " + std::to_string(static_cast<const int32_t *>(v.list)[i]);
  return "";
}

}  // namespace

bool IsListType(int type) {
  switch (type) {
    case C_VT_LIST_INT:
    case C_VT_LIST_FLOAT:
    case C_VT_LIST_BOOL:
    case C_VT_LIST_DATA_TYPE:
    case C_VT_LIST_LIST_INT:
    case C_VT_LIST_STRING:
      return true;
    default:
      return false;
  }
}

bool IsSkipped(const std::string &type, std::string *reason) {
  static const std::unordered_set<std::string> silent = {"Data",    "RefData", "AippData",
                                                         "AnnData", "AnyData", "NetOutput"};
  static const std::unordered_set<std::string> v1_control = {"Switch", "StreamSwitch", "Merge",    "StreamMerge",
                                                             "Enter",  "Exit",         "LoopCond", "NextIteration"};
  reason->clear();
  if (silent.count(type) != 0) return true;
  if (v1_control.count(type) != 0) *reason = "Does not support V1 control Operators";
  if (type == "Variable") *reason = "Following Operators already provided creation functions";
  return !reason->empty();
}

namespace {
// The identifiers that an operator's wrappers declare. GE's names come first (keyword prefixes, "ref_" and "attr_" for
// what has an input's name); what still meets another identifier of the same parameter list or struct is moved out of
// the way.
class Naming {
 public:
  explicit Naming(Op *op) : op_(op) {
    py_members_.Take("self", "");  // the outputs' class has it already
    // Helpers that the bodies call.
    for (const char *own : {"Es", "kSchema_"}) cpp_.Take(own + op->type, "");
    py_.Take("_Es" + op->type, "");
  }

  void AddInput(const GeIrPort &port) {
    input_names_.insert(port.name);
    std::vector<std::string> tails = {""};
    if (port.kind == GE_IR_DYNAMIC) tails.push_back("_num");
    op_->inputs.push_back({port.name, cpp_.Take(Mangle(Language::kCpp, port.name, "in_"), "in_", tails),
                           py_.Take(Mangle(Language::kPython, port.name, "in_"), "in_"), port.kind, false, false,
                           port.data_types ? port.data_types : ""});
  }

  void AddOutput(const GeIrPort &port) {
    bool dynamic = port.kind == GE_IR_DYNAMIC;
    auto name = [&](Language language) {
      if (input_names_.count(port.name)) return "ref_" + Mangle(language, port.name, "in_");
      return Mangle(language, port.name, "out_");
    };
    Output output{port.name, "", "", "", "", dynamic, port.data_types ? port.data_types : ""};
    output.cpp = cpp_members_.Take(name(Language::kCpp), "out_",
                                   dynamic ? std::vector<std::string>{"", "_num"} : std::vector<std::string>{""});
    output.py = py_members_.Take(name(Language::kPython), "out_");
    if (dynamic) {
      output.count = cpp_.Take(name(Language::kCpp) + "_num", "out_");
      output.py_count = py_.Take(name(Language::kCpp) + "_num", "out_");  // one name in all languages
    }
    op_->outputs.push_back(output);
  }

  void AddGraph(const GeIrGraph &graph) {
    bool dynamic = graph.kind == GE_IR_DYNAMIC;
    std::vector<std::string> tails = {""};
    if (dynamic) tails.push_back("_num");
    op_->graphs.push_back({graph.name, cpp_.Take(Mangle(Language::kCpp, graph.name, "subgraph_"), "subgraph_", tails),
                           py_.Take(Mangle(Language::kPython, graph.name, "subgraph_"), "subgraph_"), dynamic});
  }

  void AddAttr(const GeIrAttr &attr, size_t index) {
    std::vector<std::string> tails = {""};
    if (IsListType(attr.value.type)) tails.push_back("_num");
    if (attr.value.type == C_VT_LIST_LIST_INT) tails.push_back("_inner_num");
    auto name = [&](Language language) {
      if (input_names_.count(attr.value.name)) return "attr_" + Mangle(language, attr.value.name, "in_");
      return Mangle(language, attr.value.name, "attr_");
    };
    op_->attrs.push_back({attr.value.name, cpp_.Take(name(Language::kCpp), "attr_", tails),
                          py_.Take(name(Language::kPython), "attr_"), attr.required != 0, index, &attr.value,
                          attr.value.type});
  }

 private:
  Op *op_;
  Scope cpp_{Language::kCpp}, py_{Language::kPython}, cpp_members_{Language::kCpp}, py_members_{Language::kPython};
  std::unordered_set<std::string> input_names_;
};

// Which parameters take numbers beside tensors, which have defaults, and where the builder comes from.
void DecideParameters(Op *op) {
  size_t optional = 0, dynamic = 0;
  for (const Input &input : op->inputs) {
    optional += input.kind == GE_IR_OPTIONAL;
    dynamic += input.kind == GE_IR_DYNAMIC;
  }
  size_t count = op->inputs.size();
  bool all_optional = count > 0 && optional == count;
  op->cpp_tensor_like = all_optional || (count >= 2 && dynamic < count);
  op->py_tensor_like = all_optional || count >= 2;

  bool dynamic_output = std::any_of(op->outputs.begin(), op->outputs.end(), [](const Output &o) { return o.dynamic; });
  bool required_attr = std::any_of(op->attrs.begin(), op->attrs.end(), [](const Attr &a) { return a.required; });
  bool trailing = !dynamic_output && op->graphs.empty();
  for (size_t i = count; i-- > 0 && trailing;) {
    Input &input = op->inputs[i];
    trailing = input.kind == GE_IR_OPTIONAL;
    if (!trailing) break;
    input.py_default = true;
    input.cpp_default = !required_attr;
  }
  if (count == 0) {
    op->owner = OwnerBuilder::kRequired;
  } else if (all_optional) {
    op->owner = OwnerBuilder::kAfterInputs;
    for (const Input &input : op->inputs) {
      op->owner_default |= input.cpp_default;
      op->owner_default_py |= input.py_default;
    }
  }
}

}  // namespace

std::string BuildOp(const GeOpSchema &schema, Op *op) {
  *op = Op();
  op->schema = &schema;
  op->type = schema.type;
  op->brief = schema.brief ? schema.brief : "";

  std::string problem = TypeNameProblem(op->type);
  if (!problem.empty()) return problem;

  Naming naming(op);
  for (size_t i = 0; i < schema.input_count; ++i) naming.AddInput(schema.inputs[i]);
  for (size_t i = 0; i < schema.output_count; ++i) naming.AddOutput(schema.outputs[i]);
  for (size_t i = 0; i < schema.graph_count; ++i) naming.AddGraph(schema.graphs[i]);
  for (bool required : {true, false}) {
    for (size_t i = 0; i < schema.attr_count; ++i) {
      const GeIrAttr &attr = schema.attrs[i];
      if ((attr.required != 0) != required) continue;
      problem = AttrProblem(attr);
      if (!problem.empty()) return problem;
      naming.AddAttr(attr, i);
    }
  }
  DecideParameters(op);
  if (op->outputs.empty()) op->result = ResultKind::kNode;
  else if (op->outputs.size() == 1)
    op->result = op->outputs[0].dynamic ? ResultKind::kDynamicOnly : ResultKind::kSingle;
  else op->result = ResultKind::kStruct;
  return "";
}

}  // namespace codegen
