// The Python layer: one function per operator over the C function, in the call form of GE's wrappers. What they share
// lives in ge.es._generated_support.
#include <cmath>
#include <cstdio>
#include <string>

#include "emit.h"

namespace codegen {
namespace {

// A member of the C result, whose name may be a keyword of Python but not of C.
std::string Field(const std::string &name) {
  return IsKeyword(Language::kPython, name) ? "getattr(_es_out, \"" + name + "\")" : "_es_out." + name;
}

std::string PyString(const char *text) {
  std::string out = "\"";
  for (const char *p = text ? text : ""; *p; ++p) {
    unsigned char c = static_cast<unsigned char>(*p);
    if (c == '"' || c == '\\') out += '\\';
    if (c < 32 || c == 127) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x", c);
      out += code;
    } else {
      out += *p;
    }
  }
  return out + "\"";
}

std::string PyFloat(double value) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  return FixedFloat(value);
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
      return PyFloat(v.f);
    case C_VT_BOOL:
      return v.i ? "True" : "False";
    case C_VT_STRING:
      return PyString(v.s);
    case C_VT_DATA_TYPE:
      return "DataType." + DataTypeConstant(v.i);
    case C_VT_TENSOR:
      return "None";  // a fresh Tensor() per call
    case C_VT_LIST_INT:
      return list([&](uint64_t i) { return std::to_string(static_cast<const int64_t *>(v.list)[i]); });
    case C_VT_LIST_FLOAT:
      return list([&](uint64_t i) { return PyFloat(static_cast<const float *>(v.list)[i]); });
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
    if (output.dynamic) add(output.py_count + ": int");
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
  std::string local = "_es_" + n;
  switch (attr.type) {
    case C_VT_STRING:
      return n + ".encode()";
    case C_VT_DATA_TYPE:
      return n + ".value";
    case C_VT_TENSOR:
      if (!attr.required) *prepare += "    if " + n + " is None:\n        " + n + " = _Tensor()\n";
      return "_tensor_arg(" + n + ", _es_builder)";
    case C_VT_LIST_INT:
    case C_VT_LIST_FLOAT:
    case C_VT_LIST_BOOL:
      *prepare += "    " + local + " = _list(" + n + ")\n";
      return local + ", _len(" + local + ")";
    case C_VT_LIST_DATA_TYPE:
      *prepare += "    " + local + " = [_v.value for _v in " + n + "]\n";
      return local + ", _len(" + local + ")";
    case C_VT_LIST_LIST_INT:
      *prepare += "    " + local + " = _int_rows(" + n + ")\n";
      return local + "[0], _len(" + n + "), " + local + "[1]";
    case C_VT_LIST_STRING:
      *prepare += "    " + local + " = _strings(" + n + ")\n";
      return local + ", _len(" + local + ")";
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
    text += "    _es_builder = owner_graph_builder\n";
    add("_builder_arg(_es_builder)");
  } else if (op.py_tensor_like) {
    std::string all;
    for (const Input &input : op.inputs) {
      if (!all.empty()) all += ", ";
      all += input.kind == GE_IR_DYNAMIC ? "*(" + input.py + " if " + input.py + " else [None])" : input.py;
    }
    if (op.owner == OwnerBuilder::kAfterInputs) all += ", owner_builder";
    const Input &first = op.inputs[0];
    if (first.kind == GE_IR_DYNAMIC) text += "    _es_builder = _resolve(" + all + ")\n";
    else
      text += "    _es_builder = " + first.py + "._builder if " + first.py +
              ".__class__ is _TensorHolder else _resolve(" + all + ")\n";
  } else {
    const Input &only = op.inputs[0];
    text += "    _es_builder = " + only.py + (only.kind == GE_IR_DYNAMIC ? "[0]" : "") + ".get_owner_builder()\n";
  }
  // Inputs; numbers become constants in parameter order.
  for (const Input &input : op.inputs) {
    const std::string &n = input.py;
    if (input.kind == GE_IR_DYNAMIC) {
      std::string element = op.py_tensor_like ? "_convert(_v, _es_builder)._handle" : "_v._handle";
      text += "    _es_" + n + " = [" + element + " for _v in " + n + "]\n";
      add("_es_" + n + ", _len(_es_" + n + ")");
      continue;
    }
    if (op.py_tensor_like)
      text +=
          "    if " + n + ".__class__ is not _TensorHolder:\n        " + n + " = _convert(" + n + ", _es_builder)\n";
    add(input.kind == GE_IR_OPTIONAL ? "_NULL if " + n + " is None else " + n + "._handle" : n + "._handle");
  }
  if (op.owner == OwnerBuilder::kAfterInputs) add("_builder_arg(_es_builder)");
  for (const Output &output : op.outputs)
    if (output.dynamic) add(output.py_count);
  for (const Subgraph &graph : op.graphs) {
    if (graph.dynamic) {
      prepare += "    _es_" + graph.py + " = [_graph_arg(_v, _es_builder) for _v in " + graph.py + "]\n";
      add("_es_" + graph.py + ", _len(_es_" + graph.py + ")");
    } else {
      add("_graph_arg(" + graph.py + ", _es_builder)");
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
      text += "    return _wrap(" + call + ", _es_builder)\n";
      break;
    case ResultKind::kDynamicOnly: {
      const std::string &n = op.outputs[0].cpp;
      text += "    _es_out = " + call + "\n    return _wrap_list(" + Field(n) + ", _es_out." + n + "_num, " +
              op.outputs[0].py_count + ", _es_builder, True)\n";
      break;
    }
    case ResultKind::kStruct: {
      text += "    _es_out = " + call + "\n    return " + op.type + "Output(";
      std::string comma;
      bool scopes = true;  // once per node, through its first output
      for (const Output &output : op.outputs) {
        const std::string &n = output.cpp;
        std::string flag = scopes ? "True" : "False";
        if (output.dynamic)
          text += comma + "_wrap_list(" + Field(n) + ", _es_out." + n + "_num, " + output.py_count + ", _es_builder, " +
                  flag + ")";
        else text += comma + (scopes ? "_wrap" : "_wrap_plain") + "(" + Field(n) + ", _es_builder)";
        scopes = false;
        comma = ", ";
      }
      text += ")\n";
    }
  }
  return text + "\n\n";
}

// The C declaration, for libraries whose functions are not compiled into the extension module.
std::string Declaration(const Op &op) {
  std::string text = CSignature(op);
  size_t open = text.find('(');
  std::string result;
  if (op.result == ResultKind::kNode || op.result == ResultKind::kSingle) {
    result = "\"EsCTensorHolder *\"";
  } else {
    result = "(";
    for (const Output &output : op.outputs)
      result += "(\"" + output.cpp + "\", " + (output.dynamic ? "True" : "False") + "), ";
    result.pop_back();
    result += ")";
  }
  return PyString(text.substr(open).c_str()) + ", " + result;
}

// After `from __future__`, which only a docstring may precede.
std::string Report(const Module &module) {
  return module.unsupported.empty() ? "" : "\"\"\"\n" + UnsupportedReport(module, " #") + "\"\"\"\n";
}

}  // namespace

std::string PythonBanner() {
  return "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n\"\"\"Copyright (c) the OpenGE authors. Licensed under the "
         "Apache License, Version 2.0.\n\nThis file is GENERATED by bin/gen_esb, do not edit it manually\n\"\"\"\n";
}

std::string PythonOperator(const Module &module, const Op &op) {
  std::string text = PythonBanner() +
                     "from __future__ import annotations\n\n"
                     "try:\n"
                     "    from ge.es._generated_support import *  # noqa: F403\n"
                     "    from ge.es._generated_support import _names\n"
                     "except ImportError as error:\n"
                     "    raise ImportError(f\"Unable to import ge module: {error}\") from error\n\n"
                     "globals().update(_names)\n"
                     "esb_generated_lib = load_library(\"" +
                     module.name + "\")  # noqa: F405\n_Es" + op.type + " = bind(esb_generated_lib, \"Es" + op.type +
                     "\", " + Declaration(op) + ")  # noqa: F405\n\n\n";
  if (op.result == ResultKind::kStruct) text += OutputClass(op, false);
  text += Function(op);
  text += "__all__ = [\"" + op.type + "\"" + (op.result == ResultKind::kStruct ? ", \"" + op.type + "Output\"" : "") +
          "]\n";
  return text;
}

// Loads an operator's file when its name is first used: a program pays for the wrappers it calls.
std::string PythonAggregate(const Module &module) {
  std::string text = PythonBanner() + "from __future__ import annotations\n\n" + Report(module) +
                     "from typing import TYPE_CHECKING\n\n"
                     "from ge.es._generated_support import *  # noqa: F403\n"
                     "from ge.es._generated_support import __all__ as _helpers\n"
                     "from ge.es._generated_support import lazy_names as _lazy_names\n\n"
                     "esb_generated_lib = load_library(\"" +
                     module.name + "\")  # noqa: F405\n";
  if (!module.ops.empty()) text += "\nif TYPE_CHECKING:\n";
  for (const Op &op : module.ops) text += "    from .es_" + op.type + " import *  # noqa: F403\n";
  text += "\n_files = {\n";
  for (const Op &op : module.ops) {
    text += "    \"" + op.type + "\": \"es_" + op.type + "\",\n";
    if (op.result == ResultKind::kStruct) text += "    \"" + op.type + "Output\": \"es_" + op.type + "\",\n";
  }
  text +=
      "}\n__all__ = [*_helpers, \"esb_generated_lib\", *_files]\n"
      "__getattr__, __dir__ = _lazy_names(globals(), __package__, _files)\n";
  return text;
}

std::string PythonStub(const Module &module) {
  std::string text =
      PythonBanner() +
      "from typing import List, Optional, Sequence, Union\n\nfrom ge.es.graph_builder import GraphBuilder\n"
      "from ge.es.tensor_holder import TensorHolder\nfrom ge.es.tensor_like import TensorLike\n"
      "from ge.graph.graph import Graph\nfrom ge.graph.tensor import Tensor\nfrom ge.graph.types import DataType\n\n";
  for (const Op &op : module.ops) {
    if (op.result == ResultKind::kStruct) text += OutputClass(op, true);
    // Parameters take any sequence: a list is invariant, so a list of tensors would not be a list of tensors or
    // numbers.
    const std::string signature = Signature(op);
    const size_t result = signature.rfind(" -> ");
    std::string parameters = signature.substr(0, result);
    for (size_t at = 0; (at = parameters.find("List[", at)) != std::string::npos;)
      parameters.replace(at, 4, "Sequence");
    text += parameters + signature.substr(result) + ": ...\n";
  }
  return text;
}

}  // namespace codegen
