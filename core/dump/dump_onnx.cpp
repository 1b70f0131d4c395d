// The text form of an ONNX ModelProto, for viewers of that format: operators keep GE's names, in domain "ge".
#include <set>

#include "core/dump/dump.h"
#include "core/dump/text_proto.h"
#include "core/ir/types.h"
#include "core/serialize/node_names.h"

namespace gec {
namespace {

int OnnxType(int32_t dtype) {  // TensorProto.DataType, 0 when there is none
  switch (dtype) {
    case C_DT_FLOAT:
      return 1;
    case C_DT_UINT8:
      return 2;
    case C_DT_INT8:
      return 3;
    case C_DT_UINT16:
      return 4;
    case C_DT_INT16:
      return 5;
    case C_DT_INT32:
      return 6;
    case C_DT_INT64:
      return 7;
    case C_DT_STRING:
      return 8;
    case C_DT_BOOL:
      return 9;
    case C_DT_FLOAT16:
      return 10;
    case C_DT_DOUBLE:
      return 11;
    case C_DT_UINT32:
      return 12;
    case C_DT_UINT64:
      return 13;
    case C_DT_COMPLEX64:
      return 14;
    case C_DT_COMPLEX128:
      return 15;
    case C_DT_BF16:
      return 16;
    case C_DT_FLOAT8_E4M3FN:
      return 17;
    case C_DT_FLOAT8_E5M2:
      return 19;
    case C_DT_INT4:
      return 22;
    default:
      return 0;
  }
}

class OnnxWriter {
 public:
  std::string Run(const Graph &graph) {
    out_.Int("ir_version", 8);
    out_.Text("producer_name", "OpenGE");
    out_.Open("graph");
    Body(graph);
    out_.Close();
    out_.Open("opset_import");
    out_.Text("domain", "ge");
    out_.Int("version", 1);
    out_.Close();
    return out_.Take();
  }

 private:
  void ValueInfo(const char *field, const std::string &name, const TensorDesc &desc) {
    out_.Open(field);
    out_.Text("name", name);
    out_.Open("type");
    out_.Open("tensor_type");
    out_.Int("elem_type", OnnxType(desc.dtype));
    if (desc.shape.has_rank()) {
      out_.Open("shape");
      for (int64_t d : desc.shape.dims()) {
        out_.Open("dim");
        if (d >= 0) out_.Int("dim_value", d);
        out_.Close();
      }
      out_.Close();
    }
    out_.Close();
    out_.Close();
    out_.Close();
  }

  void Attribute(std::string_view name, const AttrValue &value) {
    if (value.type() == C_VT_NONE) return;
    out_.Open("attribute");
    out_.Text("name", name);
    value.Visit(*this);
    out_.Close();
  }

  void Body(const Graph &graph) {
    open_.insert(&graph);
    std::vector<Node *> nodes = DumpOrder(graph);
    const NodeNames names(graph);
    for (const Node *node : nodes) {
      if (IsDataType(node->type()) || node->type() == Symbol("NetOutput")) continue;
      out_.Open("node");
      for (size_t i = 0; i < node->input_count(); ++i) out_.Text("input", names(node->input(i)));
      for (size_t i = 0; i < node->output_count(); ++i) out_.Text("output", Str(names(*node), ":", i));
      out_.Text("name", names(*node));
      out_.Text("op_type", node->type().view());
      for (const auto &[name, value] : node->attrs()) Attribute(name.view(), value);
      for (size_t i = 0; i < node->subgraphs().size(); ++i) {
        out_.Open("attribute");
        out_.Text("name", node->subgraphs()[i].ir_name.view());
        const Graph *sub = node->subgraph(i);
        if (sub && !open_.count(sub)) {
          out_.Open("g");
          Body(*sub);
          out_.Close();
          out_.Word("type", "GRAPH");
        } else {
          out_.Text("s", node->subgraphs()[i].graph_name);
          out_.Word("type", "STRING");
        }
        out_.Close();
      }
      out_.Text("domain", "ge");
      out_.Close();
    }
    out_.Text("name", graph.name());
    for (const Node *node : graph.Inputs()) {
      if (node->output_count() > 0) ValueInfo("input", Str(names(*node), ":0"), node->output_desc(0));
    }
    for (Endpoint e : graph.Outputs()) {
      if (e) ValueInfo("output", names(e), e.node->output_desc(static_cast<size_t>(e.port)));
    }
    std::vector<Endpoint> outputs = graph.Outputs();
    for (Node *node : nodes) {
      if (IsDataType(node->type())) continue;
      for (size_t i = 0; i < node->output_count(); ++i) {
        Endpoint e{node, static_cast<int32_t>(i)};
        bool told = false;
        for (Endpoint o : outputs) told |= o == e;
        const TensorDesc &desc = node->output_desc(i);
        if (!told && desc.shape.has_rank()) ValueInfo("value_info", names(e), desc);
      }
    }
    open_.erase(&graph);
  }

  void TensorBody(const TensorPtr &tensor) {
    if (!tensor) return;
    for (int64_t d : tensor->desc.shape.dims()) out_.Int("dims", d);
    out_.Int("data_type", OnnxType(tensor->desc.dtype));
  }

 public:
  // One value, by its type.
  void operator()(std::monostate) {}
  void operator()(int64_t v) { out_.Int("i", v), out_.Word("type", "INT"); }
  void operator()(float v) { out_.Float("f", v), out_.Word("type", "FLOAT"); }
  void operator()(bool v) { out_.Int("i", v), out_.Word("type", "INT"); }
  void operator()(const std::string &v) { out_.Text("s", v), out_.Word("type", "STRING"); }
  void operator()(DataTypeValue v) { out_.Text("s", DataTypeName(v.value)), out_.Word("type", "STRING"); }
  void operator()(const TensorPtr &v) {
    out_.Open("t");
    TensorBody(v);
    out_.Close();
    out_.Word("type", "TENSOR");
  }
  void operator()(const Bytes &v) {
    out_.Text("s", {reinterpret_cast<const char *>(v.data.data()), v.data.size()});
    out_.Word("type", "STRING");
  }
  void operator()(const AttrValue::ListInt &v) {
    for (int64_t x : v) out_.Int("ints", x);
    out_.Word("type", "INTS");
  }
  void operator()(const AttrValue::ListFloat &v) {
    for (float x : v) out_.Float("floats", x);
    out_.Word("type", "FLOATS");
  }
  void operator()(const AttrValue::ListBool &v) {
    for (uint8_t x : v) out_.Int("ints", x);
    out_.Word("type", "INTS");
  }
  void operator()(const AttrValue::ListString &v) {
    for (const std::string &x : v) out_.Text("strings", x);
    out_.Word("type", "STRINGS");
  }
  void operator()(const AttrValue::ListType &v) {
    for (DataTypeValue x : v) out_.Text("strings", DataTypeName(x.value));
    out_.Word("type", "STRINGS");
  }
  void operator()(const AttrValue::ListTensor &v) {
    for (const TensorPtr &x : v) {
      out_.Open("tensors");
      TensorBody(x);
      out_.Close();
    }
    out_.Word("type", "TENSORS");
  }
  // ONNX has no lists of lists: the rows as text.
  void operator()(const AttrValue::ListListInt &v) { Rows(v); }
  void operator()(const AttrValue::ListListFloat &v) { Rows(v); }

 private:
  template <class Lists>
  void Rows(const Lists &v) {
    for (const auto &row : v) out_.Text("strings", ReadableValue(AttrValue(row)));
    out_.Word("type", "STRINGS");
  }
  TextProto out_;
  std::set<const Graph *> open_;  // a graph inside itself is named, not repeated
};

}  // namespace

std::string DumpOnnx(const Graph &graph) { return OnnxWriter().Run(graph); }

}  // namespace gec
