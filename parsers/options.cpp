#include "parsers/options.h"

#include <charconv>
#include <string>
#include <vector>

#include "core/ops/make_node.h"
#include "core/support/error.h"
#include "core/support/warnings.h"

namespace gec {
namespace {

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Without the empty part behind a closing separator.
std::vector<std::string_view> Items(std::string_view text, char at) {
  std::vector<std::string_view> parts = Split(text, at);
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  return parts;
}

int64_t Number(std::string_view text, std::string_view key, std::string_view item, int64_t least) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    Fail(GE_OPTION_INVALID, key, " '", item, "': '", text, "' is not a number from ", least, " on");
  return value;
}

Node *Input(const Graph &graph, std::string_view name, std::string_view key) {
  std::string known;
  for (Node *node : graph.Inputs()) {
    if (node->name() == name) return node;
    known += (known.empty() ? "'" : ", '") + node->name() + "'";
  }
  Fail(GE_OPTION_INVALID, key, ": the graph has no input '", name, "'; its inputs are ", known);
}

void SetInputShapes(Graph &graph, std::string_view key, std::string_view value) {
  std::vector<Node *> inputs = graph.Inputs();
  const auto shapes = ParseInputShapes(key, value);
  const bool named = shapes.empty() || !shapes[0].first.empty();
  if (!named && shapes.size() != inputs.size())
    Fail(GE_OPTION_INVALID, key, " '", value, "' has ", shapes.size(), " shapes without names, but the graph has ",
         inputs.size(), " inputs");
  for (size_t i = 0; i < shapes.size(); ++i) {
    Node *node = named ? Input(graph, shapes[i].first, key) : inputs[i];
    TensorDesc desc = node->output_desc(0);
    desc.SetShape(shapes[i].second);
    graph.SetOutputDesc(node, 0, desc);
  }
}

void SetInputOrder(Graph &graph, std::string_view key, std::string_view value) {
  std::vector<std::string_view> names = Items(value, ',');
  std::vector<Node *> order;
  for (std::string_view name : names) {
    Node *node = Input(graph, name, key);
    for (Node *before : order) {
      if (before == node) Fail(GE_OPTION_INVALID, key, " '", value, "' names input '", name, "' twice");
    }
    order.push_back(node);
  }
  if (order.size() != graph.Inputs().size())
    Fail(GE_OPTION_INVALID, key, " '", value, "' names ", order.size(), " of the graph's ", graph.Inputs().size(),
         " inputs; it must name each once");
  for (size_t i = 0; i < order.size(); ++i) graph.SetAttr(order[i], "index", static_cast<int64_t>(i));
}

void SetOutputNodes(Graph &graph, std::string_view key, std::string_view value) {
  static const Symbol kNames = "_output_names";
  std::vector<Endpoint> present = graph.Outputs(), wanted;
  std::vector<std::string> present_names, names;
  if (const AttrValue *found = graph.attrs().Find(kNames)) {
    if (const auto *list = found->get_if<AttrValue::ListString>()) present_names = *list;
  }
  for (std::string_view item : Items(value, ';')) {
    size_t at = 0;
    while (at < present_names.size() && present_names[at] != item) ++at;
    if (at < present_names.size() && at < present.size()) {
      wanted.push_back(present[at]);
      names.emplace_back(item);
      continue;
    }
    size_t colon = item.rfind(':');
    if (colon == std::string_view::npos)
      Fail(GE_OPTION_INVALID, key, " '", item, "' is neither node:port nor the name of an output of the graph");
    Node *node = graph.Find(item.substr(0, colon));
    if (!node) Fail(GE_OPTION_INVALID, key, " '", item, "': the graph has no node '", item.substr(0, colon), "'");
    int64_t port = Number(item.substr(colon + 1), key, item, 0);
    if (port >= static_cast<int64_t>(node->output_count()))
      Fail(GE_OPTION_INVALID, key, " '", item, "': ", node->Label(), " has ", node->output_count(), " outputs");
    wanted.push_back({node, static_cast<int32_t>(port)});
    names.emplace_back(item);
  }
  graph.SetOutputs(std::move(wanted));
  if (!present_names.empty()) graph.SetGraphAttr(kNames, std::move(names));
}

void TakeHalf(Graph &graph, std::string_view key, std::string_view value) {
  for (std::string_view name : Items(value, ';')) {
    Node *node = Input(graph, name, key);
    TensorDesc desc = node->output_desc(0);
    if (desc.dtype == C_DT_FLOAT16) continue;
    if (desc.dtype != C_DT_FLOAT)
      Fail(GE_OPTION_INVALID, key, ": input '", name, "' is not of type DT_FLOAT, so it cannot take DT_FLOAT16");
    Node *cast = MakeNode(graph, "Cast", node->name() + "_from_fp16");
    graph.SetAttr(cast, "dst_type", static_cast<int64_t>(C_DT_FLOAT));
    graph.SetOutputDesc(cast, 0, desc);
    graph.ReplaceUses({node, 0}, {cast, 0});
    graph.Connect({node, 0}, cast, 0);
    desc.dtype = C_DT_FLOAT16;
    graph.SetOutputDesc(node, 0, desc);
  }
}

void KeepLayouts(std::string_view key, std::string_view value) {
  for (std::string_view item : Items(value, ',')) {
    if (item == "false") continue;
    Fail(GE_OPTION_INVALID, key, " '", value, "': only false is supported; inputs and outputs keep plain layouts");
  }
}

}  // namespace

std::vector<std::pair<std::string, Shape>> ParseInputShapes(std::string_view key, std::string_view value) {
  const bool named = value.find(':') != std::string_view::npos;
  std::vector<std::pair<std::string, Shape>> shapes;
  for (std::string_view item : Items(value, ';')) {
    std::string_view name, dims = item;
    if (named) {
      const size_t colon = item.rfind(':');
      if (colon == std::string_view::npos || colon == 0)
        Fail(GE_OPTION_INVALID, key, " '", item, "' is not of the form name:dim,dim");
      name = item.substr(0, colon);
      dims = item.substr(colon + 1);
    }
    std::vector<int64_t> shape;
    if (!dims.empty()) {
      for (std::string_view dim : Split(dims, ',')) {
        const size_t tilde = dim.find('~');
        if (tilde == std::string_view::npos) {
          shape.push_back(Number(dim, key, item, -1));
          continue;
        }
        const int64_t low = Number(dim.substr(0, tilde), key, item, 0);
        if (dim.substr(tilde + 1) != "-1") Number(dim.substr(tilde + 1), key, item, low);
        shape.push_back(-1);
      }
    }
    shapes.emplace_back(name, Shape(shape.data(), shape.size()));
  }
  return shapes;
}

void CheckParserOptionKey(std::string_view key) {
  static constexpr std::string_view kKnown[] = {"enable_scope_fusion_passes",
                                                "ge.INPUT_NODES_SET_FP16",
                                                "ge.outputNodeName",
                                                "input_data_names",
                                                "input_shape",
                                                "is_input_adjust_hw_layout",
                                                "is_output_adjust_hw_layout",
                                                "output"};
  std::string known;
  for (std::string_view each : kKnown) {
    if (key == each) return;
    known += (known.empty() ? "" : ", ") + std::string(each);
  }
  Fail(GE_OPTION_INVALID, "parser option '", key, "' is not known; known are ", known);
}

void ApplyParserOption(Graph &graph, std::string_view key, std::string_view value) {
  CheckParserOptionKey(key);
  Transaction all(graph);
  if (key == "output") {
    graph.set_name(std::string(value));
  } else if (key == "input_shape") {
    SetInputShapes(graph, key, value);
  } else if (key == "input_data_names") {
    SetInputOrder(graph, key, value);
  } else if (key == "ge.outputNodeName") {
    SetOutputNodes(graph, key, value);
  } else if (key == "ge.INPUT_NODES_SET_FP16") {
    TakeHalf(graph, key, value);
  } else if (key == "is_input_adjust_hw_layout" || key == "is_output_adjust_hw_layout") {
    KeepLayouts(key, value);
  } else if (!value.empty()) {
    Warn(
        Str("parser option ", key, " is '", value, "' and has no effect: only TensorFlow's importer has scope passes"));
  }
  all.Commit();
}

}  // namespace gec
