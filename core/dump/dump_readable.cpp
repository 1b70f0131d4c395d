#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>

#include "core/dump/desc_text.h"
#include "core/dump/dump.h"
#include "core/ir/types.h"
#include "core/serialize/node_names.h"

namespace gec {
namespace {

std::string Number(double value) {
  char buffer[400];
  snprintf(buffer, sizeof buffer, "%.6f", value);
  return buffer;
}
std::string Number(int64_t value) { return std::to_string(value); }
std::string Quoted(const std::string &text) { return "\"" + text + "\""; }

template <class List, class Fn>
std::string Braces(const List &list, Fn &&text) {
  std::string out = "{";
  bool first = true;
  for (const auto &item : list) {
    if (!first) out += ", ";
    first = false;
    out += text(item);
  }
  return out + "}";
}

constexpr size_t kShown = 6;  // more elements than this are shortened
constexpr size_t kEnds = 3;   // to so many at either end

template <class T, class Fn>
std::string Elements(const Tensor &tensor, int64_t count, Fn &&text) {
  const T *values = tensor.as<T>();
  size_t n = static_cast<size_t>(count);
  std::string out = "[";
  for (size_t i = 0; i < n; ++i) {
    if (i) out += ' ';
    if (n > kShown && i == kEnds) {
      out += "... ";
      i = n - kEnds;
    }
    out += text(values[i]);
  }
  return out + "]";
}

std::string TensorText(const TensorPtr &tensor) {
  if (!tensor || !tensor->buffer || tensor->bytes() == 0) return "<empty>";
  if (tensor->buffer->discarded()) return "<packed>";  // a compiled model keeps only what its kernels read
  int64_t n = tensor->desc.shape.elements();
  uint32_t bits = DataTypeBits(tensor->desc.dtype);
  if (n <= 0 || bits % 8 != 0 || bits == 0 || tensor->bytes() < static_cast<uint64_t>(n) * (bits / 8)) {
    return n == 0 ? "<empty>" : "<not_supported>";
  }
  auto integer = [](auto v) { return std::to_string(v); };
  auto real = [](auto v) { return Number(static_cast<double>(v)); };
  switch (tensor->desc.dtype) {
    case C_DT_FLOAT:
      return Elements<float>(*tensor, n, real);
    case C_DT_DOUBLE:
      return Elements<double>(*tensor, n, real);
    case C_DT_INT8:
      return Elements<int8_t>(*tensor, n, integer);
    case C_DT_UINT8:
      return Elements<uint8_t>(*tensor, n, integer);
    case C_DT_INT16:
      return Elements<int16_t>(*tensor, n, integer);
    case C_DT_UINT16:
      return Elements<uint16_t>(*tensor, n, integer);
    case C_DT_INT32:
      return Elements<int32_t>(*tensor, n, integer);
    case C_DT_UINT32:
      return Elements<uint32_t>(*tensor, n, integer);
    case C_DT_INT64:
      return Elements<int64_t>(*tensor, n, integer);
    case C_DT_UINT64:
      return Elements<uint64_t>(*tensor, n, integer);
    case C_DT_BOOL:
      return Elements<uint8_t>(*tensor, n, [](uint8_t v) -> std::string { return v ? "true" : "false"; });
    default:
      return "<not_supported>";
  }
}

struct ValueText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(int64_t v) const { return Number(v); }
  std::string operator()(float v) const { return Number(static_cast<double>(v)); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const std::string &v) const { return v.empty() ? "" : Quoted(v); }
  std::string operator()(DataTypeValue v) const { return DataTypeName(v.value); }
  std::string operator()(const TensorPtr &v) const { return TensorText(v); }
  std::string operator()(const Bytes &) const { return ""; }
  std::string operator()(const AttrValue::ListInt &v) const {
    return Braces(v, [](int64_t x) { return Number(x); });
  }
  std::string operator()(const AttrValue::ListFloat &v) const {
    return Braces(v, [](float x) { return Number(static_cast<double>(x)); });
  }
  std::string operator()(const AttrValue::ListBool &v) const {
    return Braces(v, [](uint8_t x) -> std::string { return x ? "true" : "false"; });
  }
  std::string operator()(const AttrValue::ListString &v) const {
    AttrValue::ListString full;
    for (const std::string &s : v) {
      if (!s.empty()) full.push_back(s);
    }
    return full.empty() ? "" : Braces(full, Quoted);
  }
  std::string operator()(const AttrValue::ListType &v) const {
    return Braces(v, [](DataTypeValue x) -> std::string { return DataTypeName(x.value); });
  }
  std::string operator()(const AttrValue::ListTensor &v) const { return Braces(v, TensorText); }
  std::string operator()(const AttrValue::ListListInt &v) const {
    return Braces(v, [this](const std::vector<int64_t> &row) { return (*this)(row); });
  }
  std::string operator()(const AttrValue::ListListFloat &v) const {
    return Braces(v, [this](const std::vector<float> &row) { return (*this)(row); });
  }
};

class ReadableWriter {
 public:
  std::string Run(const Graph &graph) {
    Write(graph);
    if (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return out_;
  }

 private:
  struct Names {
    explicit Names(const Graph &graph) : nodes(graph) {}
    NodeNames nodes;
    std::map<std::pair<const Node *, int32_t>, std::string> results;
  };

  static bool Printed(const Node &node) { return node.type() != Symbol("NetOutput"); }

  std::string Value(const Names &names, Endpoint e) const {
    auto found = names.results.find({e.node, e.port});
    return "%" + (found == names.results.end() ? names.nodes(*e.node) : found->second);
  }

  /// Tells in comments below a node of a placed graph where it runs, and why not elsewhere.
  static std::string WhereText(const Node &node) {
    static const Symbol kMemory(kMemoryAttr), kRefusals(kRefusalsAttr);
    std::string out, where = PlacementText(node);
    if (where.empty()) return out;
    const std::string memory = node.String(kMemory);
    out += "    # " + where + (memory.empty() ? "" : ", in memory " + memory) + "\n";
    std::istringstream refusals(node.String(kRefusals));
    for (std::string line; std::getline(refusals, line);) out += "    #   not " + line + "\n";
    return out;
  }

  std::string InputText(const Node &node, const Names &names) const {
    std::string out;
    auto add = [&](const std::string &port, Endpoint e) {
      if (!e) return;
      if (!out.empty()) out += ", ";
      out += port + "=" + Value(names, e);
    };
    const auto &ir = node.ir().inputs;
    size_t told = 0;
    for (size_t i = 0; i < ir.size(); ++i) {
      auto [first, count] = node.InputRange(i);
      // The first instance of a For belongs to the loop itself.
      int32_t base = node.type() == Symbol("For") ? 1 : 0;
      for (int32_t k = 0; k < count; ++k, ++told) {
        std::string name = ir[i].name.str();
        if (ir[i].kind == GE_IR_DYNAMIC) name += "_" + std::to_string(k + base);
        add(name, node.input(static_cast<size_t>(first + k)));
      }
    }
    for (; told < node.input_count(); ++told) add("_input_" + std::to_string(told), node.input(told));
    return out;
  }

  std::string AttrText(const Node &node) {
    std::string out;
    auto add = [&](std::string_view name, const std::string &text) {
      if (text.empty()) return;
      if (!out.empty()) out += ", ";
      out += std::string(name) + ": " + text;
    };
    for (size_t i = 0; i < node.subgraphs().size(); ++i) {
      const SubgraphRef &ref = node.subgraphs()[i];
      std::string name = node.ir().graphs.empty() ? "_graph_" + std::to_string(i) : ref.ir_name.str();
      add(name, "%" + ref.graph_name);
    }
    for (const IrAttr &ir : node.ir().attrs) {
      if (const AttrValue *value = node.attrs().Find(ir.name)) add(ir.name.view(), ReadableValue(*value));
    }
    return out;
  }

  void Write(const Graph &graph) {
    seen_.insert(&graph);
    std::vector<Node *> nodes = DumpOrder(graph);
    std::vector<Endpoint> outputs = graph.Outputs();
    Names names(graph);
    size_t results = 0;
    for (const Node *node : nodes) {
      if (!Printed(*node) || node->output_count() < 2) continue;
      for (size_t i = 0; i < node->output_count(); ++i, ++results) {
        names.results[{node, static_cast<int32_t>(i)}] = results == 0 ? "ret" : "ret_" + std::to_string(results);
      }
    }
    out_ += "graph(\"" + graph.name() + "\"):\n";
    for (const Node *node : nodes) {
      if (!Printed(*node)) continue;
      out_ += "  %" + names.nodes(*node) + " : [#users=" + std::to_string(node->output_count()) +
              "] = Node[type=" + node->type().str() + "] (";
      std::string inputs = InputText(*node, names), attrs = AttrText(*node);
      if (!inputs.empty()) out_ += "inputs = (" + inputs + ")";
      if (!inputs.empty() && !attrs.empty()) out_ += ", ";
      if (!attrs.empty()) out_ += "attrs = {" + attrs + "}";
      out_ += ")\n";
      out_ += WhereText(*node);
      if (node->output_count() < 2) continue;
      for (size_t i = 0; i < node->output_count(); ++i) {
        size_t users = node->uses(i).size();
        if (!graph.NetOutput()) {  // then the list of outputs is what consumes
          users += static_cast<size_t>(
              std::count(outputs.begin(), outputs.end(), Endpoint{const_cast<Node *>(node), static_cast<int32_t>(i)}));
        }
        out_ += "  %" + names.results[{node, static_cast<int32_t>(i)}] + " : [#users=" + std::to_string(users) +
                "] = get_element[node=%" + names.nodes(*node) + "](" + std::to_string(i) + ")\n";
      }
    }
    outputs.erase(std::remove(outputs.begin(), outputs.end(), Endpoint{}), outputs.end());
    if (!outputs.empty()) {
      out_ += "\n  return (";
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (i) out_ += ", ";
        if (outputs.size() > 1) out_ += "output_" + std::to_string(i) + "=";
        out_ += Value(names, outputs[i]);
      }
      out_ += ")\n";
    }
    for (const Node *node : nodes) {
      for (size_t i = 0; i < node->subgraphs().size(); ++i) {
        const Graph *sub = node->subgraph(i);
        if (!sub || seen_.count(sub)) continue;
        out_ += "\n";
        Write(*sub);
      }
    }
  }

  std::string out_;
  std::set<const Graph *> seen_;
};

}  // namespace

std::string ReadableValue(const AttrValue &value) { return value.Visit(ValueText{}); }

std::vector<Node *> DumpOrder(const Graph &graph) {
  try {
    return graph.TopologicalOrder();
  } catch (const Error &e) {
    if (e.code() != GE_GRAPH_INVALID) throw;
    return graph.Nodes();
  }
}

std::string DumpReadable(const Graph &graph) { return ReadableWriter().Run(graph); }

}  // namespace gec
