// The C++ layer: inline functions in ge::es over the C function.
#include <algorithm>
#include <cmath>
#include <string>

#include "emit.h"

namespace codegen {
namespace {

std::string CppInt(int64_t value) {
  return value == INT64_MIN ? "(-9223372036854775807 - 1)" : std::to_string(value);  // the literal itself is too large
}

std::string CppFloat(double value) {
  if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value))
    return value > 0 ? "std::numeric_limits<float>::infinity()" : "-std::numeric_limits<float>::infinity()";
  return FixedFloat(value);
}

bool NeedsLimits(const Op &op) {
  for (const Attr &attr : op.attrs) {
    if (attr.required) continue;
    if (attr.type == C_VT_FLOAT && !std::isfinite(attr.value->f)) return true;
    for (uint64_t i = 0; attr.type == C_VT_LIST_FLOAT && i < attr.value->count; ++i)
      if (!std::isfinite(static_cast<const float *>(attr.value->list)[i])) return true;
  }
  return false;
}

std::string CppDefault(const Attr &attr) {
  const GeAttrData &v = *attr.value;
  auto list = [&](auto item) {
    std::string text = "{";
    for (uint64_t i = 0; i < v.count; ++i) text += (i ? ", " : "") + item(i);
    return text + "}";
  };
  switch (attr.type) {
    case C_VT_INT:
      return CppInt(v.i);
    case C_VT_FLOAT:
      return CppFloat(v.f);
    case C_VT_BOOL:
      return v.i ? "true" : "false";
    case C_VT_STRING:
      return Quoted(v.s);
    case C_VT_DATA_TYPE:
      return "ge::" + DataTypeConstant(v.i);
    case C_VT_TENSOR:
      return "EsMakeUnique<ge::Tensor>(ge::Tensor())";
    case C_VT_LIST_INT:
      return list([&](uint64_t i) { return CppInt(static_cast<const int64_t *>(v.list)[i]); });
    case C_VT_LIST_FLOAT:
      return list([&](uint64_t i) { return CppFloat(static_cast<const float *>(v.list)[i]); });
    case C_VT_LIST_BOOL:
      return list([&](uint64_t i) { return std::string(static_cast<const uint8_t *>(v.list)[i] ? "true" : "false"); });
    case C_VT_LIST_DATA_TYPE:
      return list([&](uint64_t i) { return "ge::" + DataTypeConstant(static_cast<const int32_t *>(v.list)[i]); });
    case C_VT_LIST_STRING:
      return list([&](uint64_t i) { return Quoted(static_cast<const char *const *>(v.list)[i]); });
    default:
      return list([&](uint64_t i) {
        std::string row = "{";
        for (int64_t k = 0; k < v.inner_counts[i]; ++k)
          row += (k ? ", " : "") + CppInt(static_cast<const int64_t *const *>(v.list)[i][k]);
        return row + "}";
      });
  }
}

const char *CppAttrType(int type) {
  switch (type) {
    case C_VT_INT:
      return "int64_t";
    case C_VT_FLOAT:
      return "float";
    case C_VT_BOOL:
      return "bool";
    case C_VT_STRING:
      return "const char *";
    case C_VT_DATA_TYPE:
      return "ge::DataType";
    case C_VT_TENSOR:
      return "std::unique_ptr<ge::Tensor>";
    case C_VT_LIST_INT:
      return "const std::vector<int64_t> &";
    case C_VT_LIST_FLOAT:
      return "const std::vector<float> &";
    case C_VT_LIST_BOOL:
      return "const std::vector<uint8_t> &";
    case C_VT_LIST_DATA_TYPE:
      return "const std::vector<ge::DataType> &";
    case C_VT_LIST_LIST_INT:
      return "const std::vector<std::vector<int64_t>> &";
    default:
      return "const std::vector<const char *> &";
  }
}

std::string ResultType(const Op &op) {
  switch (op.result) {
    case ResultKind::kDynamicOnly:
      return "std::vector<EsTensorHolder>";
    case ResultKind::kStruct:
      return op.type + "Output";
    default:
      return "EsTensorHolder";
  }
}

enum class GuardType { kPlain, kTemplate };
GuardType GuardForm(const Op &op) {
  for (const Attr &attr : op.attrs)
    if (attr.type == C_VT_INT || attr.type == C_VT_FLOAT || attr.type == C_VT_BOOL) return GuardType::kTemplate;
  for (const Output &output : op.outputs)
    if (output.dynamic) return GuardType::kTemplate;
  return GuardType::kPlain;
}

// Arguments of one attribute in the call of the C function; `prepare` gets statements that come before it.
std::string CallArgument(const Attr &attr, std::string *prepare) {
  const std::string &n = attr.cpp;
  switch (attr.type) {
    case C_VT_DATA_TYPE:
      return "static_cast<C_DataType>(" + n + ")";
    case C_VT_TENSOR:
      return "static_cast<EsCTensor *>(static_cast<void *>(" + n + ".release()))";
    case C_VT_LIST_INT:
    case C_VT_LIST_FLOAT:
      return n + ".data(), static_cast<int64_t>(" + n + ".size())";
    case C_VT_LIST_BOOL:
      return "static_cast<const bool *>(static_cast<const void *>(" + n + ".data())), static_cast<int64_t>(" + n +
             ".size())";
    case C_VT_LIST_DATA_TYPE:
      *prepare += "  auto es_" + n + "_types_ = DataTypesToEsCDataTypes(" + n + ");\n";
      return "es_" + n + "_types_.data(), static_cast<int64_t>(" + n + ".size())";
    case C_VT_LIST_LIST_INT:
      *prepare += "  auto es_" + n + "_rows_ = ListListTypeToPtrAndCounts<int64_t>(" + n + ");\n";
      return "es_" + n + "_rows_.first.data(), static_cast<int64_t>(" + n + ".size()), es_" + n +
             "_rows_.second.data()";
    case C_VT_LIST_STRING:
      return "const_cast<const char **>(" + n + ".data()), static_cast<int64_t>(" + n + ".size())";
    default:
      return n;
  }
}

const char *ElementType(int list_type) {
  switch (list_type) {
    case C_VT_LIST_INT:
      return "int64_t";
    case C_VT_LIST_FLOAT:
      return "float";
    case C_VT_LIST_BOOL:
      return "uint8_t";
    case C_VT_LIST_DATA_TYPE:
      return "ge::DataType";
    default:
      return "std::vector<int64_t>";
  }
}

// Parameter list of one signature.
std::string Parameters(const Op &op, const CppSignature &signature) {
  std::string text, sep;
  auto add = [&](const std::string &param) {
    text += sep + param;
    sep = ", ";
  };
  if (signature.owner == OwnerBuilder::kRequired) add("const EsGraphBuilder & owner_builder");
  for (const CppInput &input : signature.inputs) {
    const std::string &n = op.inputs[input.index].cpp;
    std::string tail = n + (input.has_default ? "=nullptr" : "");
    switch (input.form) {
      case InputForm::kVector:
        add("const std::vector<EsTensorHolder> & " + tail);
        break;
      case InputForm::kLike:
        add("const EsTensorLike & " + tail);
        break;
      case InputForm::kHolder:
        add("const EsTensorHolder & " + tail);
        break;
      case InputForm::kNullptr:
        add(GuardForm(op) == GuardType::kTemplate ? "EsNullptr " + n : "std::nullptr_t " + n);
    }
  }
  if (signature.owner == OwnerBuilder::kAfterInputs)
    add(std::string("const EsGraphBuilder * owner_builder") + (signature.owner_default ? "=nullptr" : ""));
  for (const Output &output : op.outputs)
    if (output.dynamic) add("int64_t " + output.count);
  for (const Subgraph &graph : op.graphs)
    add((graph.dynamic ? "std::vector<std::unique_ptr<ge::Graph>> " : "std::unique_ptr<ge::Graph> ") + graph.cpp);
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const Attr &attr = op.attrs[i];
    const bool braced = std::count(signature.braces.begin(), signature.braces.end(), i) != 0;
    const bool before = !signature.braces.empty() && i <= signature.braces.back();
    const std::string type =
        braced ? std::string("std::initializer_list<") + ElementType(attr.type) + ">" : CppAttrType(attr.type);
    add(type + " " + attr.cpp + (attr.required || before ? "" : "=" + CppDefault(attr)));
  }
  return text;
}

std::string Signature(const Op &op, const CppSignature &signature) {
  return "inline " + ResultType(op) + " " + op.type + "(" + Parameters(op, signature) + ")";
}

// A guard takes a literal nullptr and nothing else. Where an overload has a number in that position, a plain nullptr_t
// parameter would also take the literal 0 and make the call ambiguous; a deduced type does not.
std::string Guard(const Op &op, const CppSignature &signature) {
  std::string text;
  if (GuardForm(op) == GuardType::kTemplate)
    text = "template <class EsNullptr, class = std::enable_if_t<std::is_same<EsNullptr, std::nullptr_t>::value>>\n";
  return text + "[[deprecated(\"" + signature.deleted + "\")]] " + Signature(op, signature) + " = delete;\n\n";
}

// Hands lists in braces on as the vectors they mean.
std::string Braces(const Op &op, const CppSignature &signature) {
  std::string args, sep, lists;
  auto add = [&](const std::string &arg) {
    args += sep + arg;
    sep = ", ";
  };
  if (signature.owner == OwnerBuilder::kRequired) add("owner_builder");
  for (const CppInput &input : signature.inputs) add(op.inputs[input.index].cpp);
  if (signature.owner == OwnerBuilder::kAfterInputs) add("owner_builder");
  for (const Output &output : op.outputs)
    if (output.dynamic) add(output.count);
  for (const Subgraph &graph : op.graphs) add("std::move(" + graph.cpp + ")");
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const Attr &attr = op.attrs[i];
    if (std::count(signature.braces.begin(), signature.braces.end(), i) != 0) {
      add(std::string("std::vector<") + ElementType(attr.type) + ">(" + attr.cpp + ")");
      lists += (lists.empty() ? "" : ", ") + attr.cpp;
    } else {
      add(attr.type == C_VT_TENSOR ? "std::move(" + attr.cpp + ")" : attr.cpp);
    }
  }
  return "/** With " + lists + " in braces, which could mean an input of another overload as well. */\n" +
         Signature(op, signature) + " {\n  return " + op.type + "(" + args + ");\n}\n\n";
}

bool HasLike(const CppSignature &signature) {
  return std::any_of(signature.inputs.begin(), signature.inputs.end(),
                     [](const CppInput &input) { return input.form == InputForm::kLike; });
}

std::string Notes(const Op &op, const CppSignature &signature) {
  std::string text;
  auto note = [&](const std::string &line) { text += " * @note " + line + "\n"; };
  bool dynamic_input = false;
  std::string likes, moved, counts;
  for (const CppInput &input : signature.inputs) {
    dynamic_input |= input.form == InputForm::kVector;
    if (input.form == InputForm::kLike) likes += (likes.empty() ? "" : ", ") + op.inputs[input.index].cpp;
  }
  if (!likes.empty() && !dynamic_input) note("inputs that also take a number or a vector of numbers: " + likes);
  for (const Subgraph &graph : op.graphs) moved += (moved.empty() ? "" : ", ") + graph.cpp;
  for (const Attr &attr : op.attrs)
    if (attr.type == C_VT_TENSOR) moved += (moved.empty() ? "" : ", ") + attr.cpp;
  if (!moved.empty()) note("handed over to the builder: " + moved);
  for (const Output &output : op.outputs)
    if (output.dynamic) counts += (counts.empty() ? "" : ", ") + output.count;
  if (!counts.empty()) note("number of instances of a dynamic output: " + counts);
  return text;
}

// Wraps what the C call returns.
std::string ReturnResult(const Op &op, const std::string &call) {
  std::string text;
  auto array = [](const std::string &n) {
    return "std::vector<EsTensorHolder>(es_out_." + n + ", es_out_." + n + " + es_out_." + n + "_num)";
  };
  switch (op.result) {
    case ResultKind::kNode:
    case ResultKind::kSingle:
      text += "  return EsTensorHolder(" + call + ");\n";
      break;
    case ResultKind::kDynamicOnly:
      text += "  auto es_out_ = " + call + ";\n  return " + array(op.outputs[0].cpp) + ";\n";
      break;
    case ResultKind::kStruct: {
      text += "  auto es_out_ = " + call + ";\n  return " + op.type + "Output{";
      std::string comma;
      for (const Output &output : op.outputs) {
        text += comma + (output.dynamic ? array(output.cpp) : "es_out_." + output.cpp);
        comma = ", ";
      }
      text += "};\n";
    }
  }
  return text;
}

// One live overload: resolves the builder, converts what C takes in another form, calls the C function.
std::string Function(const Op &op, const CppSignature &signature) {
  std::string text = "/**\n";
  for (const std::string &line : DocLines(op)) text += " * " + CommentSafe(line) + "\n";
  text += Notes(op, signature) + " */\n" + Signature(op, signature) + " {\n";

  std::string prepare, ordered, args, sep;
  auto add = [&](const std::string &arg) {
    args += sep + arg;
    sep = ", ";
  };
  bool like = HasLike(signature);
  if (like) {
    prepare += "  auto *es_builder_ = ResolveBuilder(";
    for (const CppInput &input : signature.inputs) prepare += (input.index ? ", " : "") + op.inputs[input.index].cpp;
    if (signature.owner == OwnerBuilder::kAfterInputs) prepare += ", owner_builder";
    prepare +=
        ");\n  ES_ASSERT_NOTNULL(es_builder_, \"Failed to resolve owner builder: please ensure at least one input "
        "tensor or an explicit owner_builder is provided when supported.\");\n";
  }
  if (op.owner == OwnerBuilder::kRequired) add("owner_builder.GetCGraphBuilder()");
  for (const Input &input : op.inputs) {
    size_t index = static_cast<size_t>(&input - op.inputs.data());
    if (index >= signature.inputs.size()) {
      add(input.kind == GE_IR_DYNAMIC ? "nullptr, 0" : "nullptr");
      continue;
    }
    switch (signature.inputs[index].form) {
      case InputForm::kVector:
        prepare += "  auto es_" + input.cpp + "_holders_ = TensorsToEsCTensorHolders(" + input.cpp + ");\n";
        add("es_" + input.cpp + "_holders_.data(), static_cast<int64_t>(es_" + input.cpp + "_holders_.size())");
        break;
      case InputForm::kLike:
        // Arguments of a call are evaluated in no fixed order, and a literal adds a node: one by one, in this order.
        ordered +=
            "  auto *es_" + input.cpp + "_like_ = " + input.cpp + ".ToTensorHolder(es_builder_).GetCTensorHolder();\n";
        add("es_" + input.cpp + "_like_");
        break;
      default:
        add(input.cpp + ".GetCTensorHolder()");
    }
  }
  if (op.owner == OwnerBuilder::kAfterInputs) {
    if (signature.owner == OwnerBuilder::kRequired) add("owner_builder.GetCGraphBuilder()");
    else if (signature.owner == OwnerBuilder::kNone) add(like ? "es_builder_" : "nullptr");
    else add("owner_builder == nullptr ? nullptr : owner_builder->GetCGraphBuilder()");
  }
  for (const Output &output : op.outputs)
    if (output.dynamic) add(output.count);
  for (const Subgraph &graph : op.graphs) {
    if (graph.dynamic) {
      prepare += "  auto es_" + graph.cpp + "_graphs_ = GeGraphsToEsCGraphs(std::move(" + graph.cpp + "));\n";
      add("es_" + graph.cpp + "_graphs_.data(), static_cast<int64_t>(es_" + graph.cpp + "_graphs_.size())");
    } else {
      add("static_cast<EsCGraph *>(static_cast<void *>(" + graph.cpp + ".release()))");
    }
  }
  for (const Attr &attr : op.attrs) add(CallArgument(attr, &prepare));
  text += prepare + ordered;
  std::string call = "Es" + op.type + "(" + args + ")";
  return text + ReturnResult(op, call) + "}\n\n";
}

}  // namespace

std::string CppHeader(const Module &module, const Op &op, const CppPlan &plan) {
  std::string guard = GuardName(module, "_OP_" + op.type + "_CPP_H_");
  std::string text = CBanner() + "#ifndef " + guard + "\n#define " + guard +
                     "\n\n#include <utility>\n#include \"es_tensor_holder.h\"\n#include \"es_graph_builder.h\"\n";
  bool like = std::any_of(plan.signatures.begin(), plan.signatures.end(), HasLike);
  bool fresh_tensor = std::any_of(op.attrs.begin(), op.attrs.end(),
                                  [](const Attr &attr) { return !attr.required && attr.type == C_VT_TENSOR; });
  if (like) text += "#include \"es_tensor_like.h\"\n";
  if (like || fresh_tensor) text += "#include \"es_log.h\"\n";
  if (like) text += "#include <iostream>\n";
  if (NeedsLimits(op)) text += "#include <limits>\n";
  text += "#include \"es_" + op.type + "_c.h\"\n\nnamespace ge {\nnamespace es {\n\n";
  if (op.result == ResultKind::kStruct) {
    text += "struct " + op.type + "Output {\n";
    for (const Output &output : op.outputs)
      text += std::string("  ") + (output.dynamic ? "std::vector<EsTensorHolder> " : "EsTensorHolder ") + output.cpp +
              ";\n";
    text += "};\n\n";
  }
  if (!plan.warnings.empty()) {
    text += "/**\n";
    for (const std::string &warning : plan.warnings) text += " * @warning " + CommentSafe(warning) + "\n";
    text += " */\n\n";
  }
  for (const CppSignature &signature : plan.signatures)
    text += !signature.deleted.empty()  ? Guard(op, signature)
            : !signature.braces.empty() ? Braces(op, signature)
                                        : Function(op, signature);
  return text + "}  // namespace es\n}  // namespace ge\n\n#endif\n";
}

std::string CppAggregate(const Module &module) {
  std::string guard = GuardName(module, "_" + module.name + "_OPS_CPP_H");
  std::string text = CBanner() + "#ifndef " + guard + "\n#define " + guard + "\n\n";
  if (!module.unsupported.empty()) text += "/**\n" + UnsupportedReport(module, " *") + " */\n\n";
  for (const Op &op : module.ops) text += "#include \"es_" + op.type + ".h\"\n";
  return text + "\n#endif\n";
}

}  // namespace codegen
