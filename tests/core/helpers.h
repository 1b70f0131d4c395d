// Small prototypes, and a text that says everything about a graph, for comparing before with after.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "core/ir/graph.h"

namespace gec::test {

/// Ports: "a" required, "a?" optional, "a*" dynamic.
inline const IrDef *Ir(const char *type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                       std::vector<std::string> graphs = {}) {
  auto split = [](std::string &name) {
    int32_t kind = GE_IR_REQUIRED;
    if (name.back() == '?') kind = GE_IR_OPTIONAL;
    if (name.back() == '*') kind = GE_IR_DYNAMIC;
    if (kind != GE_IR_REQUIRED) name.pop_back();
    return kind;
  };
  std::vector<GeIrPort> in, out;
  std::vector<GeIrGraph> subs;
  for (std::string &name : inputs) {
    int32_t kind = split(name);
    in.push_back({name.c_str(), kind, 0, "T"});
  }
  for (std::string &name : outputs) {
    int32_t kind = split(name);
    out.push_back({name.c_str(), kind, 0, "T"});
  }
  for (std::string &name : graphs) {
    int32_t kind = split(name);
    subs.push_back({name.c_str(), kind, 0});
  }
  GeOpSchema schema{};
  schema.struct_size = sizeof schema;
  schema.type = type;
  schema.inputs = in.data();
  schema.input_count = in.size();
  schema.outputs = out.data();
  schema.output_count = out.size();
  schema.graphs = subs.data();
  schema.graph_count = subs.size();
  return InternSchema(&schema);
}
inline const IrDef *Unary() { return Ir("TestUnary", {"x"}, {"y"}); }
inline const IrDef *Binary() { return Ir("TestBinary", {"x1", "x2"}, {"y"}); }
inline const IrDef *OnlyDynamic() { return Ir("TestOnlyDynamic", {"v*"}, {"y"}); }
inline const IrDef *Mix() { return Ir("TestMix", {"a", "v*", "w*", "o?"}, {"y", "z*"}); }

inline void Print(std::ostream &out, const TensorDesc &d) {
  out << d.dtype << '/' << d.format << '/' << d.origin_format << d.shape.str() << d.origin_shape.str();
  if (d.attrs) {
    for (const auto &[name, value] : *d.attrs)
      out << ' ' << name.view() << ':' << value.type() << '=' << IntOf(&value, 0);
  }
}

inline std::string One(const Graph &g) {
  std::ostringstream out;
  out << "graph " << g.name() << '\n';
  for (Node *n : g.Nodes()) {
    out << n->id() << ' ' << n->Label() << '\n';
    for (size_t i = 0; i < n->input_count(); ++i) {
      out << "  in " << i << ' ';
      if (Endpoint e = n->input(i)) out << e.node->name() << ':' << e.port;
      if (n->explicit_input_desc(i)) Print(out << " own ", *n->explicit_input_desc(i));
      out << '\n';
    }
    for (int32_t c : n->dynamic_input_counts()) out << "  dyn " << c << '\n';
    for (size_t o = 0; o < n->output_count(); ++o) {
      Print(out << "  out " << o << ' ', n->output_desc(o));
      for (const Use &u : n->uses(o)) out << " -> " << u.node->name() << ':' << u.port;
      out << '\n';
    }
    for (Node *c : n->control_inputs()) out << "  after " << c->name() << '\n';
    for (Node *c : n->control_outputs()) out << "  before " << c->name() << '\n';
    for (const auto &[name, value] : n->attrs()) {
      out << "  attr " << name.view() << ' ' << value.type() << ' ' << IntOf(&value, 0) << ' ' << StringOf(&value, "");
      for (int64_t v : IntsOf(&value)) out << ' ' << v;
      out << '\n';
    }
    for (const SubgraphRef &r : n->subgraphs()) out << "  sub " << r.ir_name.view() << '=' << r.graph_name << '\n';
    for (const SharedText &origin : n->origins()) out << "  from " << origin.view() << '\n';
    for (Symbol s : n->passes()) out << "  by " << s.view() << '\n';
  }
  for (Endpoint e : g.Outputs()) out << "output " << (e ? e.node->name() : "-") << ':' << e.port << '\n';
  for (const auto &[name, value] : g.attrs()) out << "attr " << name.view() << ' ' << IntOf(&value, 0) << '\n';
  return out.str();
}

inline std::string All(const Graph &g) {
  std::string text = One(g);
  for (const GraphPtr &sub : g.subgraphs()) text += One(*sub);
  return text;
}

/// The error that `body` throws: its message, or "" when it does not throw.
template <class Body>
std::string ErrorOf(GeStatus code, Body &&body) {
  try {
    body();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}
#define EXPECT_ERROR(code, text, ...)                                        \
  do {                                                                       \
    std::string message_ = ::gec::test::ErrorOf(code, [&] { __VA_ARGS__; }); \
    EXPECT_NE(message_.find(text), std::string::npos) << message_;           \
  } while (0)

}  // namespace gec::test
