#include "parsers/tensorflow/graph_def.h"

#include "parsers/tensorflow/limits.h"
#include "parsers/tensorflow/wire.h"

namespace gec::tensorflow {

// Field numbers of the format, message by message, stand where they are read.

ShapeDef ReadShape(Span bytes) {
  ShapeDef shape;
  for (Wire w(bytes); w.Next();) {
    if (w.Is(3, Wire::kNumber) && w.number()) shape.known_rank = false;
    if (!w.Is(2, Wire::kBytes)) continue;
    int64_t size = 0;
    for (Wire d(w.bytes()); d.Next();)
      if (d.Is(1, Wire::kNumber)) size = static_cast<int64_t>(d.number());
    shape.dims.push_back(size);
  }
  if (!shape.known_rank) shape.dims.clear();
  return shape;
}

namespace {

std::pair<std::string_view, Span> ReadEntry(Span bytes) {
  std::pair<std::string_view, Span> entry;
  for (Wire w(bytes); w.Next();) {
    if (w.Is(1, Wire::kBytes)) entry.first = w.name();
    if (w.Is(2, Wire::kBytes)) entry.second = w.bytes();
  }
  return entry;
}

NodeDef ReadNode(Span bytes) {
  NodeDef node;
  for (Wire w(bytes); w.Next();) {
    if (w.Is(1, Wire::kBytes)) node.name = w.name();
    if (w.Is(2, Wire::kBytes)) node.op = w.name();
    if (w.Is(3, Wire::kBytes)) node.inputs.push_back(w.name());
    if (w.Is(5, Wire::kBytes)) node.attrs.push_back(ReadEntry(w.bytes()));
  }
  return node;
}

ArgDef ReadArg(Span bytes) {
  ArgDef arg;
  for (Wire w(bytes); w.Next();) {
    if (w.Is(1, Wire::kBytes)) arg.name = w.name();
    if (w.Is(3, Wire::kNumber)) arg.type = static_cast<int32_t>(w.number());
    if (w.Is(4, Wire::kBytes)) arg.type_attr = w.name();
    if (w.Is(5, Wire::kBytes)) arg.number_attr = w.name();
    if (w.Is(6, Wire::kBytes)) arg.type_list_attr = w.name();
  }
  return arg;
}

void ReadSignature(Span bytes, FunctionDef *function) {
  for (Wire w(bytes); w.Next();) {
    if (w.Is(1, Wire::kBytes)) function->name = w.name();
    if (w.Is(2, Wire::kBytes)) function->inputs.push_back(ReadArg(w.bytes()));
    if (w.Is(3, Wire::kBytes)) function->outputs.push_back(ReadArg(w.bytes()));
    if (!w.Is(4, Wire::kBytes)) continue;
    std::pair<std::string_view, Span> attr;
    for (Wire a(w.bytes()); a.Next();) {
      if (a.Is(1, Wire::kBytes)) attr.first = a.name();
      if (a.Is(3, Wire::kBytes)) attr.second = a.bytes();
    }
    if (attr.second.data) function->defaults.push_back(attr);
  }
}

FunctionDef ReadFunction(Span bytes) {
  FunctionDef function;
  for (Wire w(bytes); w.Next();) {
    if (w.Is(1, Wire::kBytes)) ReadSignature(w.bytes(), &function);
    if (w.Is(3, Wire::kBytes)) function.nodes.push_back(ReadNode(w.bytes()));
    if (w.Is(4, Wire::kBytes)) {
      std::string_view key, value;
      for (Wire e(w.bytes()); e.Next();) {
        if (e.Is(1, Wire::kBytes)) key = e.name();
        if (e.Is(2, Wire::kBytes)) value = e.name();
      }
      function.results[key] = value;
    }
  }
  return function;
}

FuncDef ReadFunc(Span bytes) {
  FuncDef func;
  for (Wire w(bytes); w.Next();) {
    if (w.Is(1, Wire::kBytes)) func.name = w.name();
    if (w.Is(2, Wire::kBytes)) func.attrs.push_back(ReadEntry(w.bytes()));
  }
  return func;
}

ListDef ReadList(Span bytes) {
  ListDef list;
  for (Wire w(bytes); w.Next();) {
    switch (w.field()) {
      case 2:
        if (w.Is(2, Wire::kBytes)) list.texts.push_back(w.text());
        break;
      case 3:
        w.Numbers([&](uint64_t v) { list.ints.push_back(static_cast<int64_t>(v)); });
        break;
      case 4:
        w.Reals(&list.floats);
        break;
      case 5:
        w.Numbers([&](uint64_t v) { list.bools.push_back(v != 0); });
        break;
      case 6:
        w.Numbers([&](uint64_t v) { list.types.push_back(static_cast<int32_t>(v)); });
        break;
      case 7:
        list.shapes.push_back(ReadShape(w.bytes()));
        break;
      case 8:
        list.tensors.push_back({w.bytes()});
        break;
      case 9:
        list.funcs.push_back(ReadFunc(w.bytes()));
        break;
      default:
        break;
    }
  }
  return list;
}

}  // namespace

AttrDef ReadAttr(Span bytes) {
  AttrDef attr;
  for (Wire w(bytes); w.Next();) {
    if (w.Is(1, Wire::kBytes)) attr.value = ReadList(w.bytes());
    if (w.Is(2, Wire::kBytes)) attr.value = w.text();
    if (w.Is(3, Wire::kNumber)) attr.value = static_cast<int64_t>(w.number());
    if (w.Is(4, Wire::kFour)) attr.value = w.as_float();
    if (w.Is(5, Wire::kNumber)) attr.value = w.number() != 0;
    if (w.Is(6, Wire::kNumber)) attr.value = TypeDef{static_cast<int32_t>(w.number())};
    if (w.Is(7, Wire::kBytes)) attr.value = ReadShape(w.bytes());
    if (w.Is(8, Wire::kBytes)) attr.value = TensorDef{w.bytes()};
    if (w.Is(9, Wire::kBytes)) attr.value = PlaceholderDef{w.name()};
    if (w.Is(10, Wire::kBytes)) attr.value = ReadFunc(w.bytes());
  }
  return attr;
}

bool AttrDef::says_nothing() const {
  if (std::holds_alternative<std::monostate>(value)) return true;
  if (const auto *text = get_if<std::string_view>()) return text->empty();
  if (const auto *number = get_if<int64_t>()) return *number == 0;
  if (const auto *real = get_if<float>()) return *real == 0;
  if (const auto *flag = get_if<bool>()) return !*flag;
  if (const auto *list = get_if<ListDef>()) return list->empty();
  return false;
}

const char *AttrDef::kind() const {
  static const char *const kNames[] = {
      "nothing", "a text",   "an integer", "a number",   "a truth value",         "a type",
      "a shape", "a tensor", "a list",     "a function", "a function's attribute"};
  return kNames[value.index()];
}

GraphDef ReadGraphDef(const uint8_t *data, uint64_t size) {
  if (size == 0) Fail(GE_MODEL_INVALID, "not a TensorFlow graph: it is empty");
  GraphDef graph;
  size_t nodes = 0;
  auto count = [&](size_t more) {
    nodes += more;
    if (nodes > kMaxNodes) Fail(GE_MODEL_INVALID, "the graph has more than ", kMaxNodes, " nodes");
  };
  for (Wire w({data, size}); w.Next();) {
    if (w.Is(1, Wire::kBytes)) {
      count(1);
      graph.nodes.push_back(ReadNode(w.bytes()));
    }
    if (!w.Is(2, Wire::kBytes)) continue;
    for (Wire library(w.bytes()); library.Next();) {
      if (!library.Is(1, Wire::kBytes)) continue;
      FunctionDef function = ReadFunction(library.bytes());
      count(function.nodes.size());
      if (function.name.empty()) Fail(GE_MODEL_INVALID, "a function of the library has no name");
      const std::string_view name = function.name;
      if (!graph.functions.emplace(name, std::move(function)).second)
        Fail(GE_MODEL_INVALID, "function '", name, "' is in the library twice");
    }
  }
  return graph;
}

bool LooksLikeGraphDef(const uint8_t *data, uint64_t size) try {
  for (Wire w({data, size}); w.Next();) {
    if (w.field() == 1) {
      if (!w.Is(1, Wire::kBytes)) return false;
      const NodeDef node = ReadNode(w.bytes());
      return !node.name.empty() && !node.op.empty();
    }
    if (w.field() > 5) return false;
  }
  return false;
} catch (const Error &) {
  return false;
}

}  // namespace gec::tensorflow
