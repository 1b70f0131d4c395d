// The C layer: a declaration, and a body that hands the call to GeEsAddNode together with the prototype it was
// generated from as static data.
#include <cmath>
#include <cstdio>
#include <string>

#include "emit.h"

namespace codegen {
namespace {

constexpr const char kIncludes[] =
    "#include \"esb_funcs.h\"\n#include <stdint.h>\n"
    "#if defined(__has_include) && !defined(GE_ES_WRAPPER) /* the C++ types, where the C++ interface is installed */\n"
    "#if defined(__cplusplus) && __has_include(\"graph/types.h\")\n#include \"graph/types.h\"\n#endif\n#endif\n"
    "#include \"ge/export.h\"\n";

std::string CAttrParams(const Attr &attr) {
  const std::string &n = attr.cpp;
  switch (attr.type) {
    case C_VT_INT:
      return "int64_t " + n;
    case C_VT_FLOAT:
      return "float " + n;
    case C_VT_BOOL:
      return "bool " + n;
    case C_VT_STRING:
      return "const char *" + n;
    case C_VT_DATA_TYPE:
      return "C_DataType " + n;
    case C_VT_TENSOR:
      return "EsCTensor *" + n;
    case C_VT_LIST_INT:
      return "const int64_t *" + n + ", int64_t " + n + "_num";
    case C_VT_LIST_FLOAT:
      return "const float *" + n + ", int64_t " + n + "_num";
    case C_VT_LIST_BOOL:
      return "const bool *" + n + ", int64_t " + n + "_num";
    case C_VT_LIST_DATA_TYPE:
      return "const C_DataType *" + n + ", int64_t " + n + "_num";
    case C_VT_LIST_LIST_INT:
      return "const int64_t **" + n + ", int64_t " + n + "_num, const int64_t *" + n + "_inner_num";
    default:
      return "const char **" + n + ", int64_t " + n + "_num";
  }
}

std::string ExactFloat(double value) {
  if (std::isinf(value)) return value > 0 ? "(double)INFINITY" : "-(double)INFINITY";
  if (std::isnan(value)) return "(double)NAN";
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string Int(int64_t value) {
  if (value == INT64_MIN) return "INT64_MIN";
  return std::to_string(value) + (value > INT32_MAX || value < INT32_MIN ? "LL" : "");
}

// Static arrays a list default needs; returns the initialiser text of `list`.
std::string ListData(const GeAttrData &v, const std::string &name, std::string *out, std::string *inner) {
  *inner = "NULL";
  if (v.count == 0) return "NULL";
  std::string body;
  std::string type;
  for (uint64_t i = 0; i < v.count; ++i) {
    if (i) body += ", ";
    switch (v.type) {
      case C_VT_LIST_INT:
        type = "int64_t";
        body += Int(static_cast<const int64_t *>(v.list)[i]);
        break;
      case C_VT_LIST_FLOAT: {
        type = "float";
        std::string text = ExactFloat(static_cast<const float *>(v.list)[i]);
        body += "(float)" + text;
        break;
      }
      case C_VT_LIST_BOOL:
        type = "uint8_t";
        body += static_cast<const uint8_t *>(v.list)[i] ? "1" : "0";
        break;
      case C_VT_LIST_DATA_TYPE:
        type = "int32_t";
        body += std::to_string(static_cast<const int32_t *>(v.list)[i]);
        break;
      case C_VT_LIST_STRING:
        type = "char *const";
        body += Quoted(static_cast<const char *const *>(v.list)[i]);
        break;
      case C_VT_LIST_LIST_INT: {
        type = "int64_t *const";
        std::string row = name + "_row" + std::to_string(i);
        int64_t n = v.inner_counts[i];
        *out += "static const int64_t " + row + "[] = {";
        for (int64_t k = 0; k < n; ++k)
          *out += (k ? ", " : "") + Int(static_cast<const int64_t *const *>(v.list)[i][k]);
        *out += n ? "};\n" : "0};\n";
        body += row;
        break;
      }
      default:
        return "NULL";
    }
  }
  if (v.type == C_VT_LIST_LIST_INT) {
    *inner = name + "_inner";
    *out += "static const int64_t " + *inner + "[] = {";
    for (uint64_t i = 0; i < v.count; ++i) *out += (i ? ", " : "") + Int(v.inner_counts[i]);
    *out += "};\n";
  }
  *out += "static const " + type + " " + name + "[] = {" + body + "};\n";
  return name;
}

void EmitPorts(const GeIrPort *ports, size_t count, const std::string &name, std::string *out) {
  if (!count) return;
  *out += "static const GeIrPort " + name + "[] = {\n";
  for (size_t i = 0; i < count; ++i)
    *out += "    {" + Quoted(ports[i].name) + ", " + std::to_string(ports[i].kind) + ", 0, " +
            Quoted(ports[i].data_types) + "},\n";
  *out += "};\n";
}

std::string Array(size_t count, const std::string &name) {
  return (count ? name : "NULL") + std::string(", ") + std::to_string(count);
}

// The prototype as static data.
std::string SchemaText(const GeOpSchema &s) {
  std::string t = s.type, out;
  EmitPorts(s.inputs, s.input_count, "kInputs_" + t, &out);
  EmitPorts(s.outputs, s.output_count, "kOutputs_" + t, &out);
  if (s.attr_count) {
    std::string rows;
    for (size_t i = 0; i < s.attr_count; ++i) {
      const GeAttrData &v = s.attrs[i].value;
      std::string inner = "NULL", list = "NULL", text = "NULL";
      uint64_t count = 0;
      if (!s.attrs[i].required) {
        if (v.type == C_VT_STRING) {
          text = Quoted(v.s);
          count = v.count;
        } else if (v.type >= C_VT_LIST_BASE || v.type == C_VT_LIST_LIST_INT) {
          list = ListData(v, "kDefault_" + t + "_" + std::to_string(i), &out, &inner);
          count = v.count;
        }
      }
      rows += "    {{" + Quoted(v.name) + ", " + std::to_string(v.type) + ", 0, " + Int(s.attrs[i].required ? 0 : v.i) +
              ", " + ExactFloat(s.attrs[i].required ? 0 : v.f) + ", " + text + ", NULL, " + list + ", " +
              std::to_string(count) + ", " + inner + "}, " + std::to_string(s.attrs[i].required) + ", 0},\n";
    }
    out += "static const GeIrAttr kAttrs_" + t + "[] = {\n" + rows + "};\n";
  }
  if (s.graph_count) {
    out += "static const GeIrGraph kGraphs_" + t + "[] = {\n";
    for (size_t i = 0; i < s.graph_count; ++i)
      out += "    {" + Quoted(s.graphs[i].name) + ", " + std::to_string(s.graphs[i].kind) + ", 0},\n";
    out += "};\n";
  }
  if (s.symbol_count) {
    out += "static const GeIrSymbol kSymbols_" + t + "[] = {\n";
    for (size_t i = 0; i < s.symbol_count; ++i)
      out += "    {" + Quoted(s.symbols[i].name) + ", " + Quoted(s.symbols[i].range) + "},\n";
    out += "};\n";
  }
  if (s.traits) {
    out += "static const GeOpTraits kTraits_" + t + " = {sizeof(GeOpTraits), " + std::to_string(s.traits->flags) +
           ", " + std::to_string(s.traits->control_flow) + ", " + std::to_string(s.traits->fused_opcode) + "};\n";
  }
  out += "static const GeOpSchema kSchema_" + t + " = {\n    sizeof(GeOpSchema), " + Quoted(s.type) + ", " +
         Quoted(s.family) + ", " + Quoted(s.brief) + ",\n    " + Array(s.input_count, "kInputs_" + t) + ", " +
         Array(s.output_count, "kOutputs_" + t) + ", " + Array(s.attr_count, "kAttrs_" + t) + ", " +
         Array(s.graph_count, "kGraphs_" + t) + ", " + Array(s.symbol_count, "kSymbols_" + t) + ", " +
         (s.traits ? "&kTraits_" + t : std::string("NULL")) + "};\n";
  return out;
}

std::string AttrAssign(const Attr &attr, size_t slot) {
  std::string v = "es_attrs_[" + std::to_string(slot) + "]";
  const std::string &n = attr.cpp;
  std::string out = "  " + v + ".ir_index = " + std::to_string(attr.ir_index) + ";\n  " + v +
                    ".value.type = " + std::to_string(attr.type) + ";\n";
  switch (attr.type) {
    case C_VT_INT:
    case C_VT_BOOL:
      return out + "  " + v + ".value.i = " + n + ";\n";
    case C_VT_DATA_TYPE:
      return out + "  " + v + ".value.i = (int64_t)" + n + ";\n";
    case C_VT_FLOAT:
      return out + "  " + v + ".value.f = " + n + ";\n";
    case C_VT_STRING:
      return out + "  " + v + ".value.s = " + n + ";\n  " + v + ".value.count = " + n + " ? strlen(" + n + ") : 0;\n";
    case C_VT_TENSOR:
      return out + "  " + v + ".tensor = " + n + ";\n";
    default:
      out += "  " + v + ".value.list = " + n + ";\n  " + v + ".value.count = (uint64_t)" + n + "_num;\n";
      if (attr.type == C_VT_LIST_LIST_INT) out += "  " + v + ".value.inner_counts = " + n + "_inner_num;\n";
      return out;
  }
}

}  // namespace

std::string CResultType(const Op &op) {
  return op.result == ResultKind::kNode || op.result == ResultKind::kSingle ? "EsCTensorHolder *"
                                                                            : "Es" + op.type + "Output ";
}

std::string CSignature(const Op &op) {
  std::string text = CResultType(op) + "Es" + op.type + "(";
  std::string sep;
  auto add = [&](const std::string &param) {
    text += sep + param;
    sep = ", ";
  };
  if (op.owner == OwnerBuilder::kRequired) add("EsCGraphBuilder *owner_graph_builder");
  for (const Input &input : op.inputs) {
    if (input.kind == GE_IR_DYNAMIC) add("EsCTensorHolder **" + input.cpp + ", int64_t " + input.cpp + "_num");
    else add("EsCTensorHolder *" + input.cpp);
  }
  if (op.owner == OwnerBuilder::kAfterInputs) add("EsCGraphBuilder *owner_graph_builder");
  for (const Output &output : op.outputs)
    if (output.dynamic) add("int64_t " + output.count);
  for (const Subgraph &graph : op.graphs)
    add(graph.dynamic ? "EsCGraph **" + graph.cpp + ", int64_t " + graph.cpp + "_num" : "EsCGraph *" + graph.cpp);
  for (const Attr &attr : op.attrs) add(CAttrParams(attr));
  return text + ")";
}

std::string CHeader(const Module &module, const Op &op) {
  std::string guard = GuardName(module, "_OP_" + op.type + "_H_");
  std::string text = CBanner() + "#ifndef " + guard + "\n#define " + guard + "\n\n" + kIncludes +
                     "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  if (op.result == ResultKind::kDynamicOnly || op.result == ResultKind::kStruct) {
    text += "typedef struct {\n";
    for (const Output &output : op.outputs) {
      if (output.dynamic) text += "  EsCTensorHolder **" + output.cpp + ";\n  int64_t " + output.cpp + "_num;\n";
      else text += "  EsCTensorHolder *" + output.cpp + ";\n";
    }
    text += "} Es" + op.type + "Output;\n\n";
  }
  text += "/**\n";
  for (const std::string &line : DocLines(op)) text += " * " + CommentSafe(line) + "\n";
  if (op.result == ResultKind::kNode) text += " * The result has output index -1: it cannot feed a data edge.\n";
  text += " */\n";
  return text + "GE_API " + CSignature(op) + ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string CSource(const Op &op) {
  const GeOpSchema &s = *op.schema;
  std::string text =
      CBanner() +
      "/* Without the C++ types of its header, which would make a C program that freezes it need the C++ library. */\n"
      "#define GE_ES_WRAPPER\n#include \"es_" +
      op.type +
      "_c.h\"\n\n#include <math.h>\n#include <stddef.h>\n#include <string.h>\n\n#include \"ge/es_node.h\"\n\n";
  text += SchemaText(s) + "\nextern \"C\" " + CSignature(op) + " {\n";
  std::string result = CResultType(op);
  bool plain = op.result == ResultKind::kNode || op.result == ResultKind::kSingle;
  if (!op.inputs.empty()) {
    text += "  GeEsInput es_inputs_[" + std::to_string(op.inputs.size()) + "] = {\n";
    for (const Input &input : op.inputs) {
      if (input.kind == GE_IR_DYNAMIC) text += "      {NULL, " + input.cpp + ", " + input.cpp + "_num},\n";
      else text += "      {" + input.cpp + ", NULL, 0},\n";
    }
    text += "  };\n";
  }
  std::string counts;
  for (const Output &output : op.outputs)
    if (output.dynamic) counts += (counts.empty() ? "" : ", ") + output.count;
  if (!counts.empty()) text += "  const int64_t es_counts_[] = {" + counts + "};\n";
  if (!op.graphs.empty()) {
    text += "  GeEsGraph es_graphs_[" + std::to_string(op.graphs.size()) + "] = {\n";
    for (const Subgraph &graph : op.graphs) {
      if (graph.dynamic) text += "      {NULL, " + graph.cpp + ", " + graph.cpp + "_num},\n";
      else text += "      {" + graph.cpp + ", NULL, 0},\n";
    }
    text += "  };\n";
  }
  if (!op.attrs.empty()) {
    text +=
        "  GeEsAttr es_attrs_[" + std::to_string(op.attrs.size()) + "];\n  memset(es_attrs_, 0, sizeof es_attrs_);\n";
    // In IR order, so that the node's attributes are.
    for (size_t i = 0; i < op.attrs.size(); ++i) text += AttrAssign(op.attrs[i], i);
  }
  size_t holders = op.outputs.empty() ? 1 : op.outputs.size();
  text += "  EsCTensorHolder *es_out_[" + std::to_string(holders) + "];\n";
  if (!counts.empty()) text += "  EsCTensorHolder **es_dynamic_[" + std::to_string(holders) + "];\n";
  text += "  const GeEsCall es_call_ = {sizeof(GeEsCall), &kSchema_" + op.type + ", " +
          (op.owner == OwnerBuilder::kNone ? "NULL" : "owner_graph_builder") + ", " +
          (op.inputs.empty() ? "NULL" : "es_inputs_") + ", " + (counts.empty() ? "NULL" : "es_counts_") + ", " +
          (op.graphs.empty() ? "NULL" : "es_graphs_") + ", " + (op.attrs.empty() ? "NULL" : "es_attrs_") + ", " +
          std::to_string(op.attrs.size()) + "};\n";
  std::string call = std::string("GeEsAddNode(&es_call_, es_out_, ") + (counts.empty() ? "NULL" : "es_dynamic_") + ")";
  if (plain) {
    text += "  return " + call + " == 0 ? es_out_[0] : NULL;\n}\n";
    return text;
  }
  text += "  " + result + "es_result_;\n  memset(&es_result_, 0, sizeof es_result_);\n  if (" + call +
          " != 0) return es_result_;\n";
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const Output &output = op.outputs[i];
    std::string index = "[" + std::to_string(i) + "]";
    if (output.dynamic)
      text += "  es_result_." + output.cpp + " = es_dynamic_" + index + ";\n  es_result_." + output.cpp +
              "_num = " + output.count + ";\n";
    else text += "  es_result_." + output.cpp + " = es_out_" + index + ";\n";
  }
  return text + "  return es_result_;\n}\n";
}

std::string CAggregate(const Module &module) {
  std::string guard = GuardName(module, "_" + module.name + "_OPS_H_");
  std::string text = CBanner() + "#ifndef " + guard + "\n#define " + guard + "\n\n";
  if (!module.unsupported.empty()) text += "/**\n" + UnsupportedReport(module, " *") + " */\n\n";
  // Headers that the headers below include come first: C++ headers cannot stand inside extern "C".
  text += std::string(kIncludes) + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const Op &op : module.ops) text += "#include \"es_" + op.type + "_c.h\"\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace codegen
