#include "op_model.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace codegen {
namespace {

const std::unordered_set<std::string> &Keywords(Language language) {
  static const std::unordered_set<std::string> cpp = {"alignas",
                                                      "alignof",
                                                      "and",
                                                      "and_eq",
                                                      "asm",
                                                      "atomic_cancel",
                                                      "atomic_commit",
                                                      "atomic_noexcept",
                                                      "auto",
                                                      "bitand",
                                                      "bitor",
                                                      "bool",
                                                      "break",
                                                      "case",
                                                      "catch",
                                                      "char",
                                                      "char16_t",
                                                      "char32_t",
                                                      "class",
                                                      "compl",
                                                      "concept",
                                                      "const",
                                                      "consteval",
                                                      "constexpr",
                                                      "constinit",
                                                      "const_cast",
                                                      "continue",
                                                      "co_await",
                                                      "co_return",
                                                      "co_yield",
                                                      "decltype",
                                                      "default",
                                                      "delete",
                                                      "do",
                                                      "double",
                                                      "dynamic_cast",
                                                      "else",
                                                      "enum",
                                                      "explicit",
                                                      "export",
                                                      "extern",
                                                      "false",
                                                      "float",
                                                      "for",
                                                      "friend",
                                                      "goto",
                                                      "if",
                                                      "inline",
                                                      "int",
                                                      "long",
                                                      "mutable",
                                                      "namespace",
                                                      "new",
                                                      "noexcept",
                                                      "not",
                                                      "not_eq",
                                                      "nullptr",
                                                      "operator",
                                                      "or",
                                                      "or_eq",
                                                      "private",
                                                      "protected",
                                                      "public",
                                                      "register",
                                                      "reinterpret_cast",
                                                      "requires",
                                                      "return",
                                                      "short",
                                                      "signed",
                                                      "sizeof",
                                                      "static",
                                                      "static_assert",
                                                      "static_cast",
                                                      "struct",
                                                      "switch",
                                                      "synchronized",
                                                      "template",
                                                      "this",
                                                      "thread_local",
                                                      "throw",
                                                      "true",
                                                      "try",
                                                      "typedef",
                                                      "typeid",
                                                      "typename",
                                                      "union",
                                                      "unsigned",
                                                      "using",
                                                      "virtual",
                                                      "void",
                                                      "volatile",
                                                      "wchar_t",
                                                      "while",
                                                      "xor",
                                                      "xor_eq"};
  static const std::unordered_set<std::string> python = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return language == Language::kCpp ? cpp : python;
}

std::string Mangle(Language language, const std::string &name, const char *prefix) {
  return IsKeyword(language, name) ? prefix + name : name;
}

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

}  // namespace

bool IsKeyword(Language language, const std::string &name) { return Keywords(language).count(name) != 0; }

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

std::string BuildOp(const GeOpSchema &schema, Op *op) {
  *op = Op();
  op->schema = &schema;
  op->type = schema.type;
  op->brief = schema.brief ? schema.brief : "";

  std::unordered_set<std::string> input_names;
  for (size_t i = 0; i < schema.input_count; ++i) {
    const GeIrPort &port = schema.inputs[i];
    input_names.insert(port.name);
    op->inputs.push_back({port.name, Mangle(Language::kCpp, port.name, "in_"),
                          Mangle(Language::kPython, port.name, "in_"), port.kind, false, false,
                          port.data_types ? port.data_types : ""});
  }
  for (size_t i = 0; i < schema.output_count; ++i) {
    const GeIrPort &port = schema.outputs[i];
    auto name = [&](Language language) {
      if (input_names.count(port.name)) return "ref_" + Mangle(language, port.name, "in_");
      return Mangle(language, port.name, "out_");
    };
    op->outputs.push_back({port.name, name(Language::kCpp), name(Language::kPython), port.kind == GE_IR_DYNAMIC,
                           port.data_types ? port.data_types : ""});
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < schema.attr_count; ++i) {
      const GeIrAttr &attr = schema.attrs[i];
      if ((attr.required != 0) != (pass == 0)) continue;
      if (!IsSupported(attr.value.type)) return std::string("Unsupported attr type: ") + TypeText(attr.value.type);
      if (!attr.required && attr.value.type == C_VT_TENSOR && attr.value.tensor && attr.value.tensor->data)
        return "Only support 'Tensor()' as default value for Tensor attr, which current op's attr is not using.";
      auto name = [&](Language language) {
        if (input_names.count(attr.value.name)) return "attr_" + Mangle(language, attr.value.name, "in_");
        return Mangle(language, attr.value.name, "attr_");
      };
      op->attrs.push_back({attr.value.name, name(Language::kCpp), name(Language::kPython), attr.required != 0, i,
                           &attr.value, attr.value.type});
    }
  }
  for (size_t i = 0; i < schema.graph_count; ++i) {
    const GeIrGraph &graph = schema.graphs[i];
    op->graphs.push_back({graph.name, Mangle(Language::kCpp, graph.name, "subgraph_"),
                          Mangle(Language::kPython, graph.name, "subgraph_"), graph.kind == GE_IR_DYNAMIC});
  }

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
  if (op->outputs.empty()) op->result = ResultKind::kNode;
  else if (op->outputs.size() == 1)
    op->result = op->outputs[0].dynamic ? ResultKind::kDynamicOnly : ResultKind::kSingle;
  else op->result = ResultKind::kStruct;
  return "";
}

}  // namespace codegen
