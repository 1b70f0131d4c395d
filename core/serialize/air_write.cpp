#include <string.h>

#include <algorithm>
#include <unordered_map>

#include "core/serialize/air.h"
#include "core/serialize/air_wire.h"
#include "core/serialize/node_names.h"
#include "ge/version.h"

namespace gec {

std::vector<const Graph *> GraphsToSave(const Graph &graph) {
  std::vector<const Graph *> all = {&graph};
  if (!graph.parent()) {
    for (const GraphPtr &sub : graph.subgraphs()) all.push_back(sub.get());
    return all;
  }
  for (size_t i = 0; i < all.size(); ++i) {  // a subgraph takes along what its nodes call
    for (const Node *node : all[i]->Nodes()) {
      for (size_t k = 0; k < node->subgraphs().size(); ++k) {
        const Graph *sub = node->subgraph(k);
        if (sub && std::find(all.begin(), all.end(), sub) == all.end()) all.push_back(sub);
      }
    }
  }
  return all;
}

namespace {

AirMessage ShapeMessage(const Shape &shape) {
  AirMessage m;
  m.Uint(1, !shape.has_rank());
  AirMessage dims;
  for (int64_t d : shape.dims()) dims.RawSigned(d);
  m.Packed(2, dims);
  return m;
}

AirMessage AttrMessage(const AttrValue &value);

AirMessage DescMessage(const TensorDesc &desc) {
  AirMessage m;
  m.Int(1, desc.dtype);
  m.Int(2, desc.format);
  m.Int(3, desc.origin_format);
  m.Nested(4, ShapeMessage(desc.shape));
  if (desc.origin_shape != desc.shape) m.Nested(5, ShapeMessage(desc.origin_shape));
  if (desc.attrs) {
    for (const auto &[name, value] : *desc.attrs) {
      AirMessage named;
      named.Text(1, name.view());
      named.Nested(2, AttrMessage(value));
      m.Nested(6, named);
    }
  }
  return m;
}

AirMessage TensorMessage(const TensorPtr &tensor) {
  AirMessage m;
  if (!tensor) return m;
  m.Nested(1, DescMessage(tensor->desc));
  m.Uint(2, tensor->buffer != nullptr);
  if (tensor->buffer) m.Borrowed(3, tensor->buffer);
  return m;
}

struct AttrWriter {
  AirMessage &m;
  void operator()(std::monostate) {}
  void operator()(int64_t v) { m.Signed(2, v); }
  void operator()(float v) { m.Float(3, v); }
  void operator()(bool v) { m.Signed(2, v); }
  void operator()(const std::string &v) { m.Text(4, v, true); }
  void operator()(DataTypeValue v) { m.Signed(2, v.value); }
  void operator()(const TensorPtr &v) { m.Nested(5, TensorMessage(v)); }
  void operator()(const Bytes &v) { m.Text(4, {reinterpret_cast<const char *>(v.data.data()), v.data.size()}, true); }
  void operator()(const AttrValue::ListInt &v) { Ints(6, v, m); }
  void operator()(const AttrValue::ListFloat &v) { Floats(7, v, m); }
  void operator()(const AttrValue::ListBool &v) { Ints(6, v, m); }
  void operator()(const AttrValue::ListString &v) {
    for (const std::string &s : v) m.Text(8, s, true);
  }
  void operator()(const AttrValue::ListType &v) {
    AirMessage packed;
    for (DataTypeValue t : v) packed.RawSigned(t.value);
    m.Packed(6, packed);
  }
  void operator()(const AttrValue::ListTensor &v) {
    for (const TensorPtr &t : v) m.Nested(9, TensorMessage(t));
  }
  void operator()(const AttrValue::ListListInt &v) {
    for (const auto &row : v) {
      AirMessage list;
      Ints(1, row, list);
      m.Nested(10, list);
    }
  }
  void operator()(const AttrValue::ListListFloat &v) {
    for (const auto &row : v) {
      AirMessage list;
      Floats(1, row, list);
      m.Nested(11, list);
    }
  }
  template <class List>
  static void Ints(uint32_t field, const List &v, AirMessage &to) {
    AirMessage packed;
    for (auto x : v) packed.RawSigned(static_cast<int64_t>(x));
    to.Packed(field, packed);
  }
  static void Floats(uint32_t field, const std::vector<float> &v, AirMessage &to) {
    AirMessage packed;
    for (float x : v) packed.RawFloat(x);
    to.Packed(field, packed);
  }
};

AirMessage AttrMessage(const AttrValue &value) {
  AirMessage m;
  m.Int(1, value.type());
  value.Visit(AttrWriter{m});
  return m;
}

AirMessage NamedMessage(Symbol name, const AttrValue &value) {
  AirMessage m;
  m.Text(1, name.view());
  m.Nested(2, AttrMessage(value));
  return m;
}

AirMessage PrototypeMessage(const IrDef &ir) {
  AirMessage m;
  m.Text(1, ir.type.view());
  m.Text(2, ir.family);
  m.Text(3, ir.brief);
  auto ports = [&](uint32_t field, const std::vector<IrPort> &list) {
    for (const IrPort &p : list) {
      AirMessage port;
      port.Text(1, p.name.view());
      port.Int(2, p.kind);
      port.Text(3, p.data_types);
      m.Nested(field, port);
    }
  };
  ports(4, ir.inputs);
  ports(5, ir.outputs);
  for (const IrAttr &a : ir.attrs) {
    AirMessage attr;
    attr.Text(1, a.name.view());
    attr.Int(2, a.type);
    attr.Uint(3, a.required);
    if (!a.required) attr.Nested(4, AttrMessage(a.fallback));
    m.Nested(6, attr);
  }
  for (const IrGraph &g : ir.graphs) {
    AirMessage graph;
    graph.Text(1, g.name.view());
    graph.Int(2, g.kind);
    m.Nested(7, graph);
  }
  for (const auto &[name, range] : ir.symbols) {
    AirMessage symbol;
    symbol.Text(1, name);
    symbol.Text(2, range);
    m.Nested(8, symbol);
  }
  return m;
}

AirMessage NodeMessage(const Node &node, uint32_t prototype, const NodeNames &names) {
  AirMessage m;
  m.Text(1, names(node));
  m.Text(2, node.type().view());
  m.Uint(3, prototype);
  for (size_t i = 0; i < node.input_count(); ++i) m.Text(4, names(node.input(i)), true);
  for (const Node *c : node.control_inputs()) m.Text(5, names(*c), true);
  auto counts = [&](uint32_t field, const InlineVec<int32_t, 2> &list) {
    AirMessage packed;
    for (int32_t n : list) packed.RawVarint(static_cast<uint32_t>(n));
    m.Packed(field, packed);
  };
  counts(6, node.dynamic_input_counts());
  counts(7, node.dynamic_output_counts());
  for (const auto &[name, value] : node.attrs()) m.Nested(8, NamedMessage(name, value));
  for (size_t i = 0; i < node.input_count(); ++i) {
    const TensorDesc *own = node.explicit_input_desc(i);
    if (!own) continue;
    AirMessage port;
    port.Int(1, static_cast<int32_t>(i));
    port.Nested(2, DescMessage(*own));
    m.Nested(9, port);
  }
  for (size_t i = 0; i < node.output_count(); ++i) m.Nested(10, DescMessage(node.output_desc(i)));
  for (size_t i = 0; i < node.subgraphs().size(); ++i) {
    const SubgraphRef &ref = node.subgraphs()[i];
    if (!node.subgraph(i))
      Fail(GE_GRAPH_INVALID, node.Label(), " calls graph '", ref.graph_name, "', which was removed: nothing is saved");
    AirMessage sub;
    sub.Text(1, ref.ir_name.view());
    sub.Text(2, ref.graph_name);
    m.Nested(11, sub);
  }
  for (const SharedText &origin : node.origins()) m.Text(12, origin.view(), true);
  for (Symbol s : node.passes()) m.Text(13, s.view(), true);
  if (names.Differs(node)) m.Text(14, node.name());
  return m;
}

AirMessage ModelMessage(const Graph &graph) {
  AirMessage m;
  m.Uint(1, kAirVersion);
  m.Text(2, "OpenGE");
  std::vector<const Graph *> graphs = GraphsToSave(graph);
  // Prototypes that differ in traits alone are one here: a file does not hold traits, so the same graph gives the same
  // bytes whichever language said them.
  std::unordered_map<const IrDef *, uint32_t> prototypes;
  std::vector<const IrDef *> written;
  for (const Graph *g : graphs) {
    for (const Node *node : g->Nodes()) {
      const IrDef &ir = node->ir();
      auto [at, fresh] = prototypes.try_emplace(&ir, 0);
      if (!fresh) continue;
      auto same = std::find_if(written.begin(), written.end(), [&](const IrDef *w) {
        return w->type == ir.type && SameIr(*w, ir) && w->family == ir.family && w->brief == ir.brief;
      });
      at->second = static_cast<uint32_t>(same - written.begin());
      if (same != written.end()) continue;
      written.push_back(&ir);
      m.Nested(3, PrototypeMessage(ir));
    }
  }
  for (const Graph *g : graphs) {
    AirMessage one;
    const NodeNames names(*g);
    one.Text(1, g->name());
    for (const Node *node : g->Nodes()) one.Nested(2, NodeMessage(*node, prototypes[&node->ir()], names));
    if (!g->NetOutput()) {
      for (Endpoint e : g->Outputs()) one.Text(3, names(e), true);
    }
    for (const auto &[name, value] : g->attrs()) one.Nested(4, NamedMessage(name, value));
    m.Nested(4, one);
  }
  return m;
}

}  // namespace

void SaveAir(const Graph &graph, const std::string &path) {
  AirMessage m = ModelMessage(graph);
  FileWriter file(path);
  m.WriteTo([&](const void *data, size_t size) { file.Write(data, size); });
  file.Commit();
}

std::string AirBytes(const Graph &graph) {
  std::string out;
  ModelMessage(graph).WriteTo(
      [&](const void *data, size_t size) { out.append(static_cast<const char *>(data), size); });
  return out;
}

}  // namespace gec
