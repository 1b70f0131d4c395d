// The C++ layer: inline functions in ge::es over the C function.
#include <string>

#include "emit.h"

namespace codegen {
namespace {

std::string CppString(const GeAttrData &v) { return v.s ? std::string(v.s, v.count) : std::string(); }

std::string CppDefault(const Attr &attr) {
  const GeAttrData &v = *attr.value;
  auto list = [&](auto item) {
    std::string text = "{";
    for (uint64_t i = 0; i < v.count; ++i) text += (i ? ", " : "") + item(i);
    return text + "}";
  };
  switch (attr.type) {
    case C_VT_INT:
      return std::to_string(v.i);
    case C_VT_FLOAT:
      return FixedFloat(v.f);
    case C_VT_BOOL:
      return v.i ? "true" : "false";
    case C_VT_STRING:
      return "\"" + CppString(v) + "\"";
    case C_VT_DATA_TYPE:
      return "ge::" + DataTypeConstant(v.i);
    case C_VT_TENSOR:
      return "EsMakeUnique<ge::Tensor>(ge::Tensor())";
    case C_VT_LIST_INT:
      return list([&](uint64_t i) { return std::to_string(static_cast<const int64_t *>(v.list)[i]); });
    case C_VT_LIST_FLOAT:
      return list([&](uint64_t i) { return FixedFloat(static_cast<const float *>(v.list)[i]); });
    case C_VT_LIST_BOOL:
      return list([&](uint64_t i) { return std::string(static_cast<const uint8_t *>(v.list)[i] ? "true" : "false"); });
    case C_VT_LIST_DATA_TYPE:
      return list([&](uint64_t i) { return "ge::" + DataTypeConstant(static_cast<const int32_t *>(v.list)[i]); });
    case C_VT_LIST_STRING:
      return list([&](uint64_t i) { return "\"" + std::string(static_cast<const char *const *>(v.list)[i]) + "\""; });
    default:
      return list([&](uint64_t i) {
        std::string row = "{";
        for (int64_t k = 0; k < v.inner_counts[i]; ++k)
          row += (k ? ", " : "") + std::to_string(static_cast<const int64_t *const *>(v.list)[i][k]);
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

std::string Signature(const Op &op) {
  std::string text = "inline " + ResultType(op) + " " + op.type + "(", sep;
  auto add = [&](const std::string &param) {
    text += sep + param;
    sep = ", ";
  };
  if (op.owner == OwnerBuilder::kRequired) add("const EsGraphBuilder & owner_builder");
  for (const Input &input : op.inputs) {
    if (input.kind == GE_IR_DYNAMIC) add("const std::vector<EsTensorHolder> & " + input.cpp);
    else
      add(std::string("const ") + (op.cpp_tensor_like ? "EsTensorLike" : "EsTensorHolder") + " & " + input.cpp +
          (input.cpp_default ? "=nullptr" : ""));
  }
  if (op.owner == OwnerBuilder::kAfterInputs)
    add(std::string("const EsGraphBuilder * owner_builder") + (op.owner_default ? "=nullptr" : ""));
  for (const Output &output : op.outputs)
    if (output.dynamic) add("int64_t " + output.cpp + "_num");
  for (const Subgraph &graph : op.graphs)
    add((graph.dynamic ? "std::vector<std::unique_ptr<ge::Graph>> " : "std::unique_ptr<ge::Graph> ") + graph.cpp);
  for (const Attr &attr : op.attrs)
    add(std::string(CppAttrType(attr.type)) + " " + attr.cpp + (attr.required ? "" : "=" + CppDefault(attr)));
  return text + ")";
}

std::string Notes(const Op &op) {
  std::string text;
  auto note = [&](const std::string &line) { text += " * @note " + line + "\n"; };
  bool dynamic_input = false;
  std::string likes, moved, counts;
  for (const Input &input : op.inputs) {
    dynamic_input |= input.kind == GE_IR_DYNAMIC;
    likes += (likes.empty() ? "" : ", ") + input.cpp;
  }
  if (op.cpp_tensor_like && !dynamic_input) note("inputs that also take a number or a vector of numbers: " + likes);
  for (const Subgraph &graph : op.graphs) moved += (moved.empty() ? "" : ", ") + graph.cpp;
  for (const Attr &attr : op.attrs)
    if (attr.type == C_VT_TENSOR) moved += (moved.empty() ? "" : ", ") + attr.cpp;
  if (!moved.empty()) note("handed over to the builder: " + moved);
  for (const Output &output : op.outputs)
    if (output.dynamic) counts += (counts.empty() ? "" : ", ") + output.cpp + "_num";
  if (!counts.empty()) note("number of instances of a dynamic output: " + counts);
  return text;
}

}  // namespace

std::string CppHeader(const Module &module, const Op &op) {
  std::string guard = GuardName(module, "_OP_" + op.type + "_CPP_H_");
  std::string text = CBanner() + "#ifndef " + guard + "\n#define " + guard +
                     "\n\n#include <utility>\n#include \"es_tensor_holder.h\"\n#include \"es_graph_builder.h\"\n"
                     "#include \"es_tensor_like.h\"\n#include \"es_log.h\"\n#include \"es_" +
                     op.type + "_c.h\"\n\nnamespace ge {\nnamespace es {\n\n";
  if (op.result == ResultKind::kStruct) {
    text += "struct " + op.type + "Output {\n";
    for (const Output &output : op.outputs)
      text += std::string("  ") + (output.dynamic ? "std::vector<EsTensorHolder> " : "EsTensorHolder ") + output.cpp +
              ";\n";
    text += "};\n\n";
  }
  text += "/**\n";
  for (const std::string &line : DocLines(op)) text += " * " + line + "\n";
  text += Notes(op) + " */\n" + Signature(op) + " {\n";

  std::string prepare, args, sep;
  auto add = [&](const std::string &arg) {
    args += sep + arg;
    sep = ", ";
  };
  if (op.cpp_tensor_like) {
    prepare += "  auto *es_builder_ = ResolveBuilder(";
    for (size_t i = 0; i < op.inputs.size(); ++i) prepare += (i ? ", " : "") + op.inputs[i].cpp;
    if (op.owner == OwnerBuilder::kAfterInputs) prepare += ", owner_builder";
    prepare +=
        ");\n  ES_ASSERT_NOTNULL(es_builder_, \"Failed to resolve owner builder: please ensure at least one input "
        "tensor or an explicit owner_builder is provided when supported.\");\n";
  }
  if (op.owner == OwnerBuilder::kRequired) add("owner_builder.GetCGraphBuilder()");
  for (const Input &input : op.inputs) {
    if (input.kind == GE_IR_DYNAMIC) {
      prepare += "  auto es_" + input.cpp + "_holders_ = TensorsToEsCTensorHolders(" + input.cpp + ");\n";
      add("es_" + input.cpp + "_holders_.data(), static_cast<int64_t>(es_" + input.cpp + "_holders_.size())");
    } else if (op.cpp_tensor_like) {
      add(input.cpp + ".ToTensorHolder(es_builder_).GetCTensorHolder()");
    } else {
      add(input.cpp + ".GetCTensorHolder()");
    }
  }
  if (op.owner == OwnerBuilder::kAfterInputs)
    add("owner_builder == nullptr ? nullptr : owner_builder->GetCGraphBuilder()");
  for (const Output &output : op.outputs)
    if (output.dynamic) add(output.cpp + "_num");
  for (const Subgraph &graph : op.graphs) {
    if (graph.dynamic) {
      prepare += "  auto es_" + graph.cpp + "_graphs_ = GeGraphsToEsCGraphs(std::move(" + graph.cpp + "));\n";
      add("es_" + graph.cpp + "_graphs_.data(), static_cast<int64_t>(es_" + graph.cpp + "_graphs_.size())");
    } else {
      add("static_cast<EsCGraph *>(static_cast<void *>(" + graph.cpp + ".release()))");
    }
  }
  for (const Attr &attr : op.attrs) {
    // A literal becomes a constant node before the operator, in parameter order: inputs come first in the call as well.
    std::string arg = CallArgument(attr, &prepare);
    add(arg);
  }
  // Arguments of a call are evaluated in no fixed order, and each literal input adds a node: evaluate them one by one.
  std::string ordered;
  if (op.cpp_tensor_like) {
    for (const Input &input : op.inputs) {
      if (input.kind == GE_IR_DYNAMIC) continue;
      std::string expression = input.cpp + ".ToTensorHolder(es_builder_).GetCTensorHolder()";
      ordered += "  auto *es_" + input.cpp + "_ = " + expression + ";\n";
      size_t at = args.find(expression);
      args.replace(at, expression.size(), "es_" + input.cpp + "_");
    }
  }
  text += prepare + ordered;
  std::string call = "Es" + op.type + "(" + args + ")";
  switch (op.result) {
    case ResultKind::kNode:
    case ResultKind::kSingle:
      text += "  return EsTensorHolder(" + call + ");\n";
      break;
    case ResultKind::kDynamicOnly: {
      const std::string &n = op.outputs[0].cpp;
      text += "  auto es_out_ = " + call + ";\n  return std::vector<EsTensorHolder>(es_out_." + n + ", es_out_." + n +
              " + es_out_." + n + "_num);\n";
      break;
    }
    case ResultKind::kStruct: {
      text += "  auto es_out_ = " + call + ";\n  return " + op.type + "Output{";
      std::string comma;
      for (const Output &output : op.outputs) {
        const std::string &n = output.cpp;
        text += comma + (output.dynamic ? "std::vector<EsTensorHolder>(es_out_." + n + ", es_out_." + n +
                                              " + es_out_." + n + "_num)"
                                        : "es_out_." + n);
        comma = ", ";
      }
      text += "};\n";
    }
  }
  return text + "}\n\n}  // namespace es\n}  // namespace ge\n\n#endif\n";
}

std::string CppAggregate(const Module &module) {
  std::string guard = GuardName(module, "_" + module.name + "_OPS_CPP_H");
  std::string text = CBanner() + "#ifndef " + guard + "\n#define " + guard + "\n\n";
  if (!module.unsupported.empty()) text += "/**\n" + UnsupportedReport(module, " *") + " */\n\n";
  for (const Op &op : module.ops) text += "#include \"es_" + op.type + ".h\"\n";
  return text + "\n#endif\n";
}

}  // namespace codegen
