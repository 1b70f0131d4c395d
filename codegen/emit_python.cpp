// The Python layer: one function per operator over the C function, in the call form of GE's wrappers. What they share
// lives in ge.es._generated_support.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>

#include "emit.h"

namespace codegen {
namespace {

// Names that annotations and defaults use. Where an operator of the file has one of them, `_es_List` stands for it, so
// that the type is found and not the operator.
class PythonTypes {
 public:
  explicit PythonTypes(std::set<std::string> operators) : operators_(std::move(operators)) {}
  static PythonTypes Of(const Op &op) { return PythonTypes({op.type, op.type + "Output"}); }
  bool Hidden(const std::string &name) const { return operators_.count(name) != 0; }
  std::string operator()(const char *name) const { return Hidden(name) ? std::string("_es_") + name : name; }

 private:
  std::set<std::string> operators_;
};

// A member of the C result, whose name may be a keyword of Python but not of C.
std::string Field(const std::string &name) {
  return IsKeyword(Language::kPython, name) ? "_getattr(_es_out, \"" + name + "\")" : "_es_out." + name;
}

std::string PyFloat(double value) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  return FixedFloat(value);
}

std::string PyDefault(const Attr &attr, const PythonTypes &t) {
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
      return t("DataType") + "." + DataTypeConstant(v.i);
    case C_VT_TENSOR:
      return "None";  // a fresh Tensor() per call
    case C_VT_LIST_INT:
      return list([&](uint64_t i) { return std::to_string(static_cast<const int64_t *>(v.list)[i]); });
    case C_VT_LIST_FLOAT:
      return list([&](uint64_t i) { return PyFloat(static_cast<const float *>(v.list)[i]); });
    case C_VT_LIST_BOOL:
      return list([&](uint64_t i) { return std::string(static_cast<const uint8_t *>(v.list)[i] ? "True" : "False"); });
    case C_VT_LIST_DATA_TYPE:
      return list(
          [&](uint64_t i) { return t("DataType") + "." + DataTypeConstant(static_cast<const int32_t *>(v.list)[i]); });
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

std::string Annotation(int type, const PythonTypes &t) {
  switch (type) {
    case C_VT_INT:
      return t("int");
    case C_VT_FLOAT:
      return t("float");
    case C_VT_BOOL:
      return t("bool");
    case C_VT_STRING:
      return t("str");
    case C_VT_DATA_TYPE:
      return t("DataType");
    case C_VT_TENSOR:
      return t("Tensor");
    case C_VT_LIST_INT:
      return t("List") + "[" + t("int") + "]";
    case C_VT_LIST_FLOAT:
      return t("List") + "[" + t("float") + "]";
    case C_VT_LIST_BOOL:
      return t("List") + "[" + t("bool") + "]";
    case C_VT_LIST_DATA_TYPE:
      return t("List") + "[" + t("DataType") + "]";
    case C_VT_LIST_LIST_INT:
      return t("List") + "[" + t("List") + "[" + t("int") + "]]";
    default:
      return t("List") + "[" + t("str") + "]";
  }
}

std::string ResultType(const Op &op, const PythonTypes &t) {
  switch (op.result) {
    case ResultKind::kDynamicOnly:
      return t("List") + "[" + t("TensorHolder") + "]";
    case ResultKind::kStruct:
      return op.type + "Output";
    default:
      return t("TensorHolder");
  }
}

std::string Signature(const Op &op, const PythonTypes &t) {
  std::string text = "def " + op.type + "(", sep;
  auto add = [&](const std::string &param) {
    text += sep + param;
    sep = ", ";
  };
  if (op.owner == OwnerBuilder::kRequired) add("owner_graph_builder: " + t("GraphBuilder"));
  std::string element =
      op.py_tensor_like ? t("Union") + "[" + t("TensorHolder") + ", " + t("TensorLike") + "]" : t("TensorHolder");
  for (const Input &input : op.inputs) {
    if (input.kind == GE_IR_DYNAMIC) add(input.py + ": " + t("List") + "[" + element + "]");
    else if (input.py_default) add(input.py + ": " + t("Optional") + "[" + element + "] = None");
    else add(input.py + ": " + element);
  }
  if (op.owner == OwnerBuilder::kAfterInputs)
    add(op.owner_default_py ? "owner_builder: " + t("Optional") + "[" + t("GraphBuilder") + "] = None"
                            : "owner_builder: " + t("GraphBuilder"));
  for (const Output &output : op.outputs)
    if (output.dynamic) add(output.py_count + ": " + t("int"));
  for (const Subgraph &graph : op.graphs)
    add(graph.py + ": " + (graph.dynamic ? t("List") + "[" + t("Graph") + "]" : t("Graph")));
  if (!op.attrs.empty()) add("*");
  for (const Attr &attr : op.attrs) {
    std::string annotation = Annotation(attr.type, t);
    if (!attr.required && attr.type == C_VT_TENSOR) annotation = t("Optional") + "[" + annotation + "]";
    add(attr.py + ": " + annotation + (attr.required ? "" : " = " + PyDefault(attr, t)));
  }
  return text + ") -> " + ResultType(op, t);
}

// One attribute's arguments in the C call; `prepare` gets statements that come before it. A list that is the default
// itself was converted when the module was loaded.
std::string PythonArgument(const Attr &attr, std::string *prepare) {
  const std::string &n = attr.py;
  std::string local = "_es_" + n;
  const bool constant = !attr.required && attr.value->count > 0;
  auto lists = [&](const std::string &convert) {
    *prepare += "        " + local + " = " +
                (constant ? "_default_" + n + " if " + n + " is _given_" + n + " else " : std::string()) + convert +
                "\n";
    return local + ", _len(" + local + ")";
  };
  switch (attr.type) {
    case C_VT_STRING:
      if (!attr.required) {
        const std::string text = PyString(attr.value->s);
        const bool ascii = std::none_of(text.begin(), text.end(), [](unsigned char c) { return c > 127; });
        if (ascii) return "b" + text + " if " + n + " == " + text + " else _text(" + n + ")";
      }
      return "_text(" + n + ")";
    case C_VT_DATA_TYPE:
      return n + ".value";
    case C_VT_TENSOR:
      if (!attr.required) *prepare += "        if " + n + " is None:\n            " + n + " = _Tensor()\n";
      return "_tensor_arg(" + n + ", _es_builder)";
    case C_VT_LIST_INT:
    case C_VT_LIST_FLOAT:
    case C_VT_LIST_BOOL:
      return lists(n + " if " + n + ".__class__ is _list else _items(" + n + ")");
    case C_VT_LIST_DATA_TYPE:
      return lists("[_v.value for _v in " + n + "]");
    case C_VT_LIST_LIST_INT:
      *prepare += "        " + local + " = _int_rows(" + n + ")\n";
      return local + "[0], _len(" + local + "[1]), " + local + "[1]";
    case C_VT_LIST_STRING:
      *prepare += "        " + local + " = _strings(" + n + ")\n";
      return local + ", _len(" + local + ")";
    default:
      return n;
  }
}

// Lists that are defaults, as C arrays: "_given_<name>" is the list in the signature, "_default_<name>" the array.
std::string DefaultArrays(const Op &op) {
  std::string text;
  for (const Attr &attr : op.attrs) {
    if (attr.required || attr.value->count == 0) continue;
    const char *element = nullptr;
    if (attr.type == C_VT_LIST_INT) element = "int64_t[]";
    else if (attr.type == C_VT_LIST_FLOAT) element = "float[]";
    else if (attr.type == C_VT_LIST_BOOL) element = "bool[]";
    else if (attr.type == C_VT_LIST_DATA_TYPE) element = "C_DataType[]";
    if (!element) continue;
    text += "_given_" + attr.py + " = _default(" + op.type + ", \"" + attr.py + "\")\n_default_" + attr.py +
            " = _array(\"" + element + "\", _given_" + attr.py + ")\n";
  }
  return text.empty() ? "" : text + "\n";
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

// Members of the C result as (name, dynamic) pairs.
std::string Members(const Op &op) {
  std::string text = "(";
  for (const Output &output : op.outputs)
    text += "(\"" + output.cpp + "\", " + (output.dynamic ? "True" : "False") + "), ";
  text.pop_back();
  return text + ")";
}

std::string OutputClass(const Op &op) {
  std::string params, body, members;
  for (const Output &output : op.outputs) {
    params += ", " + output.py;
    body += "        self." + output.py + " = " + output.py + "\n";
    members += "    " + output.py + " = _output(\"" + output.cpp + "\", " + (output.dynamic ? "True" : "False") + ")\n";
  }
  return "class " + op.type + "Output(_outputs):\n    \"\"\"Outputs of " + op.type + ".\"\"\"\n\n" + members +
         "\n    def __init__(self" + params + "):\n" + body + "\n\n";
}

std::string OutputStub(const Op &op, const PythonTypes &t) {
  std::string params, slots;
  for (const Output &output : op.outputs) {
    std::string type = output.dynamic ? t("List") + "[" + t("TensorHolder") + "]" : t("TensorHolder");
    params += ", " + output.py + ": " + type;
    slots += "    " + output.py + ": " + type + "\n";
  }
  return "class " + op.type + "Output:\n" + slots + "    def __init__(self" + params + ") -> None: ...\n\nclass C" +
         op.type + "Output(_es_ctypes.Structure): ...\n\n";
}

// The part of an error message about arguments that go to C as they are: name, declared type, value.
std::string Described(const Op &op) {
  std::string text;
  auto add = [&](const std::string &name, const std::string &kind) {
    text += ", (\"" + name + "\", \"" + kind + "\", " + name + ")";
  };
  for (const Output &output : op.outputs)
    if (output.dynamic) add(output.py_count, "Count");
  for (const Attr &attr : op.attrs)
    if (attr.type != C_VT_TENSOR) add(attr.py, AttrTypeName(attr.type));
  return text;
}

// The part of an error message about an input that is no tensor.
std::string Place(const Op &op, const Input &input) { return "\"" + op.type + "\", \"" + input.py + "\""; }

// The arguments of the C call, as they come together.
struct Arguments {
  std::string text;
  void Add(const std::string &argument) { text += (text.empty() ? "" : ", ") + argument; }
};

// Finds the builder. Most first inputs are tensors.
std::string FindBuilder(const Op &op) {
  std::string text;
  if (op.owner == OwnerBuilder::kRequired) {
    text += "    _es_builder = owner_graph_builder\n";
    return text;
  }
  if (op.py_tensor_like) {
    std::string all;
    for (const Input &input : op.inputs) {
      if (!all.empty()) all += ", ";
      all += input.kind == GE_IR_DYNAMIC ? "*_elements(" + input.py + ")" : input.py;
    }
    if (op.owner == OwnerBuilder::kAfterInputs) all += ", owner_builder";
    const Input &first = op.inputs[0];
    if (first.kind == GE_IR_DYNAMIC)
      text += "    _es_builder = " + first.py + "[0]._builder if " + first.py + ".__class__ is _list and " + first.py +
              " and " + first.py + "[0].__class__ is _TensorHolder else _resolve(" + all + ")\n";
    else
      text += "    _es_builder = " + first.py + "._builder if " + first.py +
              ".__class__ is _TensorHolder else _resolve(" + all + ")\n";
  } else {
    const Input &only = op.inputs[0];
    const std::string &n = only.py;
    if (only.kind == GE_IR_DYNAMIC)
      text += "    _es_builder = " + n + "[0]._builder if " + n + ".__class__ is _list and " + n + " and " + n +
              "[0].__class__ is _TensorHolder else _first_builder(" + n + ", " + Place(op, only) + ")\n";
    else
      text += "    _es_builder = " + n + "._builder if " + n + ".__class__ is _TensorHolder else _holder(" + n + ", " +
              Place(op, only) + ")._builder\n";
  }
  return text;
}

// Inputs; numbers become constants in parameter order.
std::string TakeInputs(const Op &op, Arguments *args) {
  std::string text;
  for (const Input &input : op.inputs) {
    const std::string &n = input.py;
    if (input.kind == GE_IR_DYNAMIC) {
      const std::string other = op.py_tensor_like ? "_needed(_v, _es_builder, " : "_holder(_v, ";
      const std::string element =
          "(_v if _v.__class__ is _TensorHolder else " + other + Place(op, input) + "))._handle";
      text += "    _es_" + n + " = [" + element + " for _v in " + n + "]\n";
      args->Add("_es_" + n + ", _len(_es_" + n + ")");
      continue;
    }
    const bool optional = input.kind == GE_IR_OPTIONAL;
    if (op.py_tensor_like)
      text += "    if " + n + ".__class__ is not _TensorHolder" + (optional ? " and " + n + " is not None" : "") +
              ":\n        " + n + " = " +
              (optional ? "_convert(" + n + ", _es_builder)\n"
                        : "_needed(" + n + ", _es_builder, " + Place(op, input) + ")\n");
    args->Add(optional ? "_NULL if " + n + " is None else " + n + "._handle" : n + "._handle");
  }
  return text;
}

// Wraps what the C call returned.
std::string ReturnResult(const Op &op) {
  switch (op.result) {
    case ResultKind::kNode:
    case ResultKind::kSingle:
      return "    return _wrap(_es_out, _es_builder)\n";
    case ResultKind::kDynamicOnly: {
      const std::string &n = op.outputs[0].cpp;
      return "    return _wrap_list(" + Field(n) + ", _es_out." + n + "_num, " + op.outputs[0].py_count +
             ", _es_builder, True)\n";
    }
    case ResultKind::kStruct: {
      // The node exists with all its outputs or not at all: one of them tells.
      const Output &first = op.outputs[0];
      const std::string made = first.dynamic ? "_es_out." + first.cpp + "_num == " + first.py_count : Field(first.cpp);
      return "    return _wrap_outputs(" + op.type + "Output, \"" + first.py + "\", _es_out, " + made +
             ", _es_builder)\n";
    }
  }
  return "";
}

std::string Function(const Op &op, const PythonTypes &t) {
  std::string text = Signature(op, t) + ":\n" + Doc(op), prepare;
  Arguments args;
  if (op.owner == OwnerBuilder::kRequired) args.Add("_builder_arg(_es_builder)");
  text += FindBuilder(op) + TakeInputs(op, &args);
  if (op.owner == OwnerBuilder::kAfterInputs) args.Add("_builder_arg(_es_builder)");
  for (const Output &output : op.outputs)
    if (output.dynamic) args.Add(output.py_count);
  bool handed_over = !op.graphs.empty();
  for (const Subgraph &graph : op.graphs) {
    if (graph.dynamic) {
      prepare += "        _es_" + graph.py + " = [_graph_arg(_v, _es_builder) for _v in " + graph.py + "]\n";
      args.Add("_es_" + graph.py + ", _len(_es_" + graph.py + ")");
    } else {
      args.Add("_graph_arg(" + graph.py + ", _es_builder)");
    }
  }
  for (const Attr &attr : op.attrs) {
    handed_over |= attr.type == C_VT_TENSOR;
    args.Add(PythonArgument(attr, &prepare));
  }
  const std::string call = "_es_out = _Es" + op.type + "(" + args.text + ")\n";
  const std::string described = Described(op);
  if (described.empty() && !handed_over) {
    text += "    " + call;
  } else {
    text += "    try:\n" + prepare + "        " + call;
    if (!described.empty())
      text += "    except _ArgumentError as _es_error:\n        raise _refused(_es_builder, \"" + op.type +
              "\", _es_error" + described + ") from None\n";
    if (handed_over) text += "    except _AnyError:\n        _take_back(_es_builder)\n        raise\n";
  }
  return text + ReturnResult(op) + "\n\n";
}

// The C declaration, for libraries whose functions are not compiled into the extension module.
std::string Declaration(const Op &op) {
  std::string text = CSignature(op);
  bool plain = op.result == ResultKind::kNode || op.result == ResultKind::kSingle;
  return PyString(text.substr(text.find('(')).c_str()) + ", " + (plain ? "\"EsCTensorHolder *\"" : Members(op));
}

// Names that the file of an operator defines.
std::vector<std::string> Defined(const Op &op) {
  std::vector<std::string> names = {op.type};
  if (op.result == ResultKind::kStruct) names.push_back(op.type + "Output");
  if (op.result == ResultKind::kStruct || op.result == ResultKind::kDynamicOnly)
    names.push_back("C" + op.type + "Output");
  return names;
}

// After `from __future__`, which only a docstring may precede.
std::string Report(const Module &module) {
  return module.unsupported.empty() ? "" : "\"\"\"\n" + UnsupportedReport(module, " #") + "\"\"\"\n";
}

}  // namespace

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

std::string PythonBanner() {
  return "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n\"\"\"Copyright (c) the OpenGE authors. Licensed under the "
         "Apache License, Version 2.0.\n\nThis file is GENERATED by bin/gen_esb, do not edit it manually\n\"\"\"\n";
}

std::string PythonOperator(const Module &module, const Op &op) {
  const PythonTypes types = PythonTypes::Of(op);
  std::string text = PythonBanner() +
                     "from __future__ import annotations\n\n"
                     "try:\n"
                     "    from ge.es._generated_support import *  # noqa: F403\n"
                     "    from ge.es._generated_support import _names\n"
                     "except ImportError as error:\n"
                     "    raise ImportError(f\"Unable to import ge module: {error}\") from error\n\n"
                     "globals().update(_names)\n"
                     "esb_generated_lib = _load_library(" +
                     PyString(module.name.c_str()) + ")  # noqa: F405\n_Es" + op.type +
                     " = _bind(esb_generated_lib, \"Es" + op.type + "\", " + Declaration(op) + ")  # noqa: F405\n";
  if (op.result == ResultKind::kStruct || op.result == ResultKind::kDynamicOnly)
    text += "C" + op.type + "Output = _c_output(\"C" + op.type + "Output\", " + Members(op) + ")\n";
  text += "\n\n";
  if (op.result == ResultKind::kStruct) text += OutputClass(op);
  text += Function(op, types) + DefaultArrays(op);
  while (text.compare(text.size() - 2, 2, "\n\n") == 0) text.pop_back();
  return text;
}

// Loads an operator's file when its name is first used: a program pays for the wrappers it calls.
std::string PythonAggregate(const Module &module) {
  std::string text = PythonBanner() + "from __future__ import annotations\n\n" + Report(module) +
                     "from typing import TYPE_CHECKING\n\n"
                     "from ge.es._generated_support import *  # noqa: F403\n"
                     "from ge.es._generated_support import __all__ as _helpers\n"
                     "from ge.es._generated_support import lazy_names as _lazy_names\n"
                     "from ge.es._generated_support import load_library as _load_library\n"
                     "from ge.es._generated_support import names_of as _names_of  # noqa: F401\n\n"
                     "esb_generated_lib = _load_library(" +
                     PyString(module.name.c_str()) + ")\n";
  if (!module.ops.empty()) text += "\nif TYPE_CHECKING:\n";
  for (const Op &op : module.ops) text += "    from .es_" + op.type + " import *  # noqa: F403\n";
  text += "\n_files = {\n";
  for (const Op &op : module.ops)
    for (const std::string &name : Defined(op)) text += "    \"" + name + "\": \"es_" + op.type + "\",\n";
  text +=
      "}\n_names = [*(_n for _n in [*_helpers, \"esb_generated_lib\"] if _n not in _files), *_files]\n"
      "__all__ = [_n for _n in _names if _n[0] != \"_\"]\n"
      "__getattr__, __dir__ = _lazy_names(globals(), __package__, _files)\n";
  return text;
}

std::string PythonStub(const Module &module) {
  std::set<std::string> operators;
  for (const Op &op : module.ops)
    for (const std::string &name : Defined(op)) operators.insert(name);
  const PythonTypes types(operators);
  std::string text = PythonBanner() + "import ctypes as _es_ctypes\n";
  auto import = [&](const char *from, std::initializer_list<const char *> names) {
    std::string line;
    for (const char *name : names) {
      if (types.Hidden(name)) text += std::string("from ") + from + " import " + name + " as _es_" + name + "\n";
      else line += (line.empty() ? "" : ", ") + std::string(name);
    }
    if (!line.empty() && std::string(from) != "builtins")
      text += std::string("from ") + from + " import " + line + "\n";
  };
  import("builtins", {"bool", "float", "int", "str"});
  import("typing", {"List", "Optional", "Sequence", "Union"});
  text += "\n";
  import("ge.es.graph_builder", {"GraphBuilder"});
  import("ge.es.tensor_holder", {"TensorHolder"});
  import("ge.es.tensor_like", {"TensorLike"});
  import("ge.graph.graph", {"Graph"});
  import("ge.graph.tensor", {"Tensor"});
  import("ge.graph.types", {"DataType"});
  text += "\n";
  const std::string list = types("List") + "[", sequence = types("Sequence") + "[";
  for (const Op &op : module.ops) {
    if (op.result == ResultKind::kStruct) text += OutputStub(op, types);
    else if (op.result == ResultKind::kDynamicOnly)
      text += "class C" + op.type + "Output(_es_ctypes.Structure): ...\n\n";
    // Parameters take any sequence: a list is invariant, so a list of tensors would not be a list of tensors or
    // numbers.
    const std::string signature = Signature(op, types);
    const size_t result = signature.rfind(" -> ");
    std::string parameters = signature.substr(0, result);
    for (size_t at = 0; (at = parameters.find(list, at)) != std::string::npos; at += sequence.size())
      parameters.replace(at, list.size(), sequence);
    text += parameters + signature.substr(result) + ": ...\n";
  }
  return text;
}

std::vector<std::string> PythonNames(const Op &op) { return Defined(op); }

}  // namespace codegen
