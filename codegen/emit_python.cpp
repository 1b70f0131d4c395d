// The Python layer: one function per operator over the C function, in the call form of GE's wrappers. What they share
// lives in ge.es._generated_support.
#include <string>

#include "emit.h"

namespace codegen {
namespace {

std::string PyString(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string PyDefault(const Attr &attr) {
  const GeAttrData &v = *attr.value;
  auto list = [&](auto item) {
    std::string text = "[";
    for (uint64_t i = 0; i < v.count; ++i) text += (i ? ", " : "") + item(i);
    return text + "]";
  };
  switch (attr.type) {
    case C_VT_INT:
      return std::to_string(v.i);
    case C_VT_FLOAT:
      return FixedFloat(v.f);
    case C_VT_BOOL:
      return v.i ? "True" : "False";
    case C_VT_STRING:
      return PyString(v.s ? std::string(v.s, v.count) : "");
    case C_VT_DATA_TYPE:
      return "DataType." + DataTypeConstant(v.i);
    case C_VT_TENSOR:
      return "None";  // a fresh Tensor() per call
    case C_VT_LIST_INT:
      return list([&](uint64_t i) { return std::to_string(static_cast<const int64_t *>(v.list)[i]); });
    case C_VT_LIST_FLOAT:
      return list([&](uint64_t i) { return FixedFloat(static_cast<const float *>(v.list)[i]); });
    case C_VT_LIST_BOOL:
      return list([&](uint64_t i) { return std::string(static_cast<const uint8_t *>(v.list)[i] ? "True" : "False"); });
    case C_VT_LIST_DATA_TYPE:
      return list([&](uint64_t i) { return "DataType." + DataTypeConstant(static_cast<const int32_t *>(v.list)[i]); });
    case C_VT_LIST_STRING:
      return list([&](uint64_t i) { return PyString(static_cast<const char *const *>(v.list)[i]); });
    default:
      return list([&](uint64_t i) {
        std::string row = "[";
        for (int64_t k = 0; k < v.inner_counts[i]; ++k)
          row += (k ? ", " : "") + std::to_string(static_cast<const int64_t *const *>(v.list)[i][k]);
        return row + "]";
      });
  }
}

const char *Annotation(int type) {
  switch (type) {
    case C_VT_INT:
      return "int";
    case C_VT_FLOAT:
      return "float";
    case C_VT_BOOL:
      return "bool";
    case C_VT_STRING:
      return "str";
    case C_VT_DATA_TYPE:
      return "DataType";
    case C_VT_TENSOR:
      return "Tensor";
    case C_VT_LIST_INT:
      return "List[int]";
    case C_VT_LIST_FLOAT:
      return "List[float]";
    case C_VT_LIST_BOOL:
      return "List[bool]";
    case C_VT_LIST_DATA_TYPE:
      return "List[DataType]";
    case C_VT_LIST_LIST_INT:
      return "List[List[int]]";
    default:
      return "List[str]";
  }
}

std::string ResultType(const Op &op) {
  switch (op.result) {
    case ResultKind::kDynamicOnly:
      return "List[TensorHolder]";
    case ResultKind::kStruct:
      return op.type + "Output";
    default:
      return "TensorHolder";
  }
}

std::string CountName(const Output &output) { return output.py + "_num"; }

std::string Signature(const Op &op) {
  std::string text = "def " + op.type + "(", sep;
  auto add = [&](const std::string &param) {
    text += sep + param;
    sep = ", ";
  };
  if (op.owner == OwnerBuilder::kRequired) add("owner_graph_builder: GraphBuilder");
  std::string element = op.py_tensor_like ? "Union[TensorHolder, TensorLike]" : "TensorHolder";
  for (const Input &input : op.inputs) {
    if (input.kind == GE_IR_DYNAMIC) add(input.py + ": List[" + element + "]");
    else if (input.py_default) add(input.py + ": Optional[" + element + "] = None");
    else add(input.py + ": " + element);
  }
  if (op.owner == OwnerBuilder::kAfterInputs)
    add(op.owner_default_py ? "owner_builder: Optional[GraphBuilder] = None" : "owner_builder: GraphBuilder");
  for (const Output &output : op.outputs)
    if (output.dynamic) add(CountName(output) + ": int");
  for (const Subgraph &graph : op.graphs) add(graph.py + (graph.dynamic ? ": List[Graph]" : ": Graph"));
  if (!op.attrs.empty()) add("*");
  for (const Attr &attr : op.attrs) {
    std::string annotation = Annotation(attr.type);
    if (!attr.required && attr.type == C_VT_TENSOR) annotation = "Optional[" + annotation + "]";
    add(attr.py + ": " + annotation + (attr.required ? "" : " = " + PyDefault(attr)));
  }
  return text + ") -> " + ResultType(op);
}

// One attribute's arguments in the C call; `prepare` gets statements that come before it.
std::string CallArgument(const Attr &attr, std::string *prepare) {
  const std::string &n = attr.py;
  std::string local = "_c_" + n;
  switch (attr.type) {
    case C_VT_STRING:
      return n + ".encode()";
    case C_VT_DATA_TYPE:
      return n + ".value";
    case C_VT_TENSOR:
      if (!attr.required) *prepare += "    if " + n + " is None:\n        " + n + " = Tensor()\n";
      return "_tensor_arg(" + n + ", _builder)";
    case C_VT_LIST_INT:
    case C_VT_LIST_FLOAT:
    case C_VT_LIST_BOOL:
      *prepare += "    " + local + " = list(" + n + ")\n";
      return local + ", len(" + local + ")";
    case C_VT_LIST_DATA_TYPE:
      *prepare += "    " + local + " = [v.value for v in " + n + "]\n";
      return local + ", len(" + local + ")";
    case C_VT_LIST_LIST_INT:
      *prepare += "    " + local + " = _int_rows(" + n + ")\n";
      return local + "[0], len(" + n + "), " + local + "[1]";
    case C_VT_LIST_STRING:
      *prepare += "    " + local + " = _strings(" + n + ")\n";
      return local + ", len(" + local + ")";
    default:
      return n;
  }
}

std::string Doc(const Op &op) {
  std::string text = "    \"\"\"";
  std::string sep;
  for (std::string line : DocLines(op)) {
    for (size_t at = 0; (at = line.find("\\", at)) != std::string::npos; at += 2) line.insert(at, "\\");
    for (size_t at = 0; (at = line.find("\"\"\"", at)) != std::string::npos;) line.replace(at, 3, "'''");
    text += sep + line;
    sep = "\n    ";
  }
  return text + "\n    \"\"\"\n";
}

std::string OutputClass(const Op &op, bool stub) {
  std::string names, params, body, slots;
  for (const Output &output : op.outputs) {
    std::string type = output.dynamic ? "List[TensorHolder]" : "TensorHolder";
    params += ", " + output.py + (stub ? ": " + type : "");
    body += "        self." + output.py + " = " + output.py + "\n";
    slots += "    " + output.py + ": " + type + "\n";
  }
  if (stub) return "class " + op.type + "Output:\n" + slots + "    def __init__(self" + params + ") -> None: ...\n\n";
  return "class " + op.type + "Output:\n    \"\"\"Outputs of " + op.type + ".\"\"\"\n\n    def __init__(self" + params +
         "):\n" + body + "\n\n";
}

std::string Function(const Op &op) {
  std::string text = Signature(op) + ":\n" + Doc(op), args, sep, prepare;
  auto add = [&](const std::string &arg) {
    args += sep + arg;
    sep = ", ";
  };
  // The builder.
  if (op.owner == OwnerBuilder::kRequired) {
    text += "    _builder = owner_graph_builder\n";
    add("_builder_arg(_builder)");
  } else if (op.py_tensor_like) {
    std::string all;
    for (const Input &input : op.inputs) {
      if (!all.empty()) all += ", ";
      all += input.kind == GE_IR_DYNAMIC ? "*(" + input.py + " if " + input.py + " else [None])" : input.py;
    }
    if (op.owner == OwnerBuilder::kAfterInputs) all += ", owner_builder";
    const Input &first = op.inputs[0];
    if (first.kind == GE_IR_DYNAMIC) text += "    _builder = resolve_builder(" + all + ")\n";
    else
      text += "    _builder = " + first.py + "._builder if " + first.py +
              ".__class__ is TensorHolder else resolve_builder(" + all + ")\n";
  } else {
    const Input &only = op.inputs[0];
    text += "    _builder = " + only.py + (only.kind == GE_IR_DYNAMIC ? "[0]" : "") + ".get_owner_builder()\n";
  }
  // Inputs; numbers become constants in parameter order.
  for (const Input &input : op.inputs) {
    const std::string &n = input.py;
    if (input.kind == GE_IR_DYNAMIC) {
      std::string element = op.py_tensor_like ? "convert_to_tensor_holder(v, _builder)._handle" : "v._handle";
      text += "    _c_" + n + " = [" + element + " for v in " + n + "]\n";
      add("_c_" + n + ", len(_c_" + n + ")");
      continue;
    }
    if (op.py_tensor_like)
      text += "    if " + n + ".__class__ is not TensorHolder:\n        " + n + " = convert_to_tensor_holder(" + n +
              ", _builder)\n";
    add(input.kind == GE_IR_OPTIONAL ? "_NULL if " + n + " is None else " + n + "._handle" : n + "._handle");
  }
  if (op.owner == OwnerBuilder::kAfterInputs) add("_builder_arg(_builder)");
  for (const Output &output : op.outputs)
    if (output.dynamic) add(CountName(output));
  for (const Subgraph &graph : op.graphs) {
    if (graph.dynamic) {
      prepare += "    _c_" + graph.py + " = [_graph_arg(g, _builder) for g in " + graph.py + "]\n";
      add("_c_" + graph.py + ", len(_c_" + graph.py + ")");
    } else {
      add("_graph_arg(" + graph.py + ", _builder)");
    }
  }
  for (const Attr &attr : op.attrs) {
    std::string arg = CallArgument(attr, &prepare);
    add(arg);
  }
  text += prepare;
  std::string call = "_Es" + op.type + "(" + args + ")";
  switch (op.result) {
    case ResultKind::kNode:
    case ResultKind::kSingle:
      text += "    return _wrap(" + call + ", _builder)\n";
      break;
    case ResultKind::kDynamicOnly: {
      const std::string &n = op.outputs[0].cpp;
      text += "    _out = " + call + "\n    return _wrap_list(_out." + n + ", _out." + n + "_num, " +
              CountName(op.outputs[0]) + ", _builder, True)\n";
      break;
    }
    case ResultKind::kStruct: {
      text += "    _out = " + call + "\n    return " + op.type + "Output(";
      std::string comma;
      bool scopes = true;  // once per node, through its first output
      for (const Output &output : op.outputs) {
        const std::string &n = output.cpp;
        std::string flag = scopes ? "True" : "False";
        if (output.dynamic)
          text += comma + "_wrap_list(_out." + n + ", _out." + n + "_num, " + CountName(output) + ", _builder, " +
                  flag + ")";
        else text += comma + (scopes ? "_wrap" : "_wrap_plain") + "(_out." + n + ", _builder)";
        scopes = false;
        comma = ", ";
      }
      text += ")\n";
    }
  }
  return text + "\n\n";
}

std::string Header(const Module &module) {
  std::string text =
      "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n\"\"\"Copyright (c) the OpenGE authors. Licensed under the "
      "Apache "
      "License, Version 2.0.\n\nThis file is GENERATED by bin/gen_esb, do not edit it manually\n\"\"\"\n";
  return text;
}

// After `from __future__`, which only a docstring may precede.
std::string Report(const Module &module) {
  return module.unsupported.empty() ? "" : "\"\"\"\n" + UnsupportedReport(module, " #") + "\"\"\"\n";
}

}  // namespace

std::string PythonAggregate(const Module &module) {
  std::string text =
      Header(module) + "from __future__ import annotations\n\n" + Report(module) +
      "from typing import List, Optional, Union\n\n"
      "from ge.es._generated_support import (\n"
      "    NULL as _NULL,\n    DataType,\n    Format,\n    Graph,\n    GraphBuilder,\n    Tensor,\n    TensorHolder,\n"
      "    TensorLike,\n    builder_arg as _builder_arg,\n    convert_to_tensor_holder,\n    get_generated_lib,\n"
      "    graph_arg as _graph_arg,\n    int_rows as _int_rows,\n    resolve_builder,\n    strings as _strings,\n"
      "    tensor_arg as _tensor_arg,\n    wrap as _wrap,\n    wrap_list as _wrap_list,\n    wrap_plain as "
      "_wrap_plain,\n)\n\n"
      "esb_generated_lib = get_generated_lib(\"libes_" +
      module.name + ".so\")\n\n";
  for (const Op &op : module.ops) text += "_Es" + op.type + " = esb_generated_lib.Es" + op.type + "\n";
  text += "\n\n";
  for (const Op &op : module.ops) {
    if (op.result == ResultKind::kStruct) text += OutputClass(op, false);
    text += Function(op);
  }
  while (text.size() > 1 && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

std::string PythonStub(const Module &module) {
  std::string text =
      Header(module) +
      "from typing import List, Optional, Union\n\nfrom ge.es.graph_builder import GraphBuilder\n"
      "from ge.es.tensor_holder import TensorHolder\nfrom ge.es.tensor_like import TensorLike\n"
      "from ge.graph.graph import Graph\nfrom ge.graph.tensor import Tensor\nfrom ge.graph.types import DataType\n\n";
  for (const Op &op : module.ops) {
    if (op.result == ResultKind::kStruct) text += OutputClass(op, true);
    text += Signature(op) + ": ...\n";
  }
  return text;
}

}  // namespace codegen
