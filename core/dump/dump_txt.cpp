// The text form of air.proto, weights left out.
#include "core/dump/dump.h"
#include "core/dump/text_proto.h"
#include "core/serialize/air_wire.h"
#include "core/serialize/node_names.h"

namespace gec {
namespace {

class TxtWriter {
 public:
  std::string Run(const Graph &graph) {
    out_.Int("version", kAirVersion);
    out_.Text("producer", "OpenGE");
    for (const Graph *g : GraphsToSave(graph)) Write(*g);
    return out_.Take();
  }

 private:
  void ShapeField(const char *field, const Shape &shape) {
    out_.Open(field);
    if (!shape.has_rank()) out_.Bool("unknown_rank", true);
    for (int64_t d : shape.dims()) out_.Int("dim", d);
    out_.Close();
  }
  void Desc(const TensorDesc &desc) {
    out_.Int("dtype", desc.dtype);
    out_.Int("format", desc.format);
    out_.Int("origin_format", desc.origin_format);
    ShapeField("shape", desc.shape);
    if (desc.origin_shape != desc.shape) ShapeField("origin_shape", desc.origin_shape);
    if (desc.attrs) Attrs(*desc.attrs);
  }
  void TensorField(const char *field, const TensorPtr &tensor) {
    out_.Open(field);
    if (tensor) {
      out_.Open("desc");
      Desc(tensor->desc);
      out_.Close();
    }
    out_.Close();
  }
  void Attrs(const AttrMap &attrs) {
    for (const auto &[name, value] : attrs) {
      out_.Open("attr");
      out_.Text("key", name.view());
      out_.Open("value");
      out_.Int("type", value.type());
      value.Visit(*this);
      out_.Close();
      out_.Close();
    }
  }
  void Write(const Graph &graph) {
    const NodeNames names(graph);
    out_.Open("graph");
    out_.Text("name", graph.name());
    for (const Node *node : DumpOrder(graph)) {
      out_.Open("node");
      out_.Text("name", names(*node));
      out_.Text("type", node->type().view());
      for (size_t i = 0; i < node->input_count(); ++i) out_.Text("input", names(node->input(i)));
      for (const Node *c : node->control_inputs()) out_.Text("control_input", names(*c));
      for (int32_t n : node->dynamic_input_counts()) out_.Int("dynamic_inputs", n);
      for (int32_t n : node->dynamic_output_counts()) out_.Int("dynamic_outputs", n);
      Attrs(node->attrs());
      for (size_t i = 0; i < node->input_count(); ++i) {
        const TensorDesc *own = node->explicit_input_desc(i);
        if (!own) continue;
        out_.Open("input_desc");
        out_.Int("port", static_cast<int64_t>(i));
        out_.Open("desc");
        Desc(*own);
        out_.Close();
        out_.Close();
      }
      for (size_t i = 0; i < node->output_count(); ++i) {
        out_.Open("output_desc");
        Desc(node->output_desc(i));
        out_.Close();
      }
      for (const SubgraphRef &ref : node->subgraphs()) {
        out_.Open("subgraph");
        out_.Text("slot", ref.ir_name.view());
        out_.Text("graph", ref.graph_name);
        out_.Close();
      }
      for (const SharedText &origin : node->origins()) out_.Text("origin", origin.view());
      for (Symbol s : node->passes()) out_.Text("pass", s.view());
      if (names.Differs(*node)) out_.Text("own_name", node->name());
      out_.Close();
    }
    if (!graph.NetOutput()) {
      for (Endpoint e : graph.Outputs()) out_.Text("output", names(e));
    }
    Attrs(graph.attrs());
    out_.Close();
  }

 public:
  // One value, by its type.
  void operator()(std::monostate) {}
  void operator()(int64_t v) { out_.Int("i", v); }
  void operator()(float v) { out_.Float("f", v); }
  void operator()(bool v) { out_.Int("i", v); }
  void operator()(const std::string &v) { out_.Text("s", v); }
  void operator()(DataTypeValue v) { out_.Int("i", v.value); }
  void operator()(const TensorPtr &v) { TensorField("t", v); }
  void operator()(const Bytes &v) { out_.Text("s", {reinterpret_cast<const char *>(v.data.data()), v.data.size()}); }
  void operator()(const AttrValue::ListInt &v) {
    for (int64_t x : v) out_.Int("ints", x);
  }
  void operator()(const AttrValue::ListFloat &v) {
    for (float x : v) out_.Float("floats", x);
  }
  void operator()(const AttrValue::ListBool &v) {
    for (uint8_t x : v) out_.Int("ints", x);
  }
  void operator()(const AttrValue::ListString &v) {
    for (const std::string &x : v) out_.Text("strings", x);
  }
  void operator()(const AttrValue::ListType &v) {
    for (DataTypeValue x : v) out_.Int("ints", x.value);
  }
  void operator()(const AttrValue::ListTensor &v) {
    for (const TensorPtr &x : v) TensorField("tensors", x);
  }
  void operator()(const AttrValue::ListListInt &v) {
    for (const auto &row : v) {
      out_.Open("int_lists");
      for (int64_t x : row) out_.Int("v", x);
      out_.Close();
    }
  }
  void operator()(const AttrValue::ListListFloat &v) {
    for (const auto &row : v) {
      out_.Open("float_lists");
      for (float x : row) out_.Float("v", x);
      out_.Close();
    }
  }

 private:
  TextProto out_;
};

}  // namespace

std::string DumpTxt(const Graph &graph) { return TxtWriter().Run(graph); }

}  // namespace gec
