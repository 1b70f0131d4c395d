// Graphviz text: one box per node, constants small, subgraphs as clusters.
#include <map>
#include <set>

#include "core/dump/desc_text.h"
#include "core/dump/dump.h"
#include "core/ir/types.h"

namespace gec {
namespace {

std::string QuotedLabel(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out;
}

class DotWriter {
 public:
  std::string Run(const Graph &graph) {
    out_ = "digraph \"" + QuotedLabel(graph.name()) +
           "\" {\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f3f6fb\", "
           "fontname=\"Helvetica\", fontsize=10];\n  edge [fontname=\"Helvetica\", fontsize=8];\n";
    Body(graph, "  ");
    return out_ + "}\n";
  }

 private:
  void Body(const Graph &graph, const std::string &indent) {
    seen_.insert(&graph);
    size_t number = graphs_++;
    auto id = [&](const Node *node) { return Str("n", number, "_", node->id()); };
    std::vector<Node *> nodes = DumpOrder(graph);
    for (const Node *node : nodes) {
      out_ += indent + id(node) + " [label=\"" + QuotedLabel(node->type().view()) + "\\n" + QuotedLabel(node->name());
      if (node->output_count() == 1) out_ += "\\n" + QuotedLabel(DescText(node->output_desc(0)));
      const std::string where = PlacementText(*node);
      if (!where.empty()) out_ += "\\n" + QuotedLabel(where);
      out_ += "\"";
      if (!where.empty()) out_ += Str(", fillcolor=\"", ColourOf(EngineText(*node)), "\"");
      if (IsConstType(node->type())) out_ += ", shape=ellipse, fillcolor=\"#eeeeee\", fontsize=8";
      if (IsDataType(node->type()) || node->type() == Symbol("NetOutput")) out_ += ", fillcolor=\"#dff0d8\"";
      out_ += "];\n";
    }
    for (const Node *node : nodes) {
      for (size_t i = 0; i < node->input_count(); ++i) {
        Endpoint e = node->input(i);
        if (!e) continue;
        out_ += indent + id(e.node) + " -> " + id(node);
        if (e.node->output_count() > 1 || node->input_count() > 1) {
          out_ += Str(" [taillabel=\"", e.node->output_count() > 1 ? std::to_string(e.port) : "", "\", headlabel=\"",
                      node->input_count() > 1 ? std::to_string(i) : "", "\"]");
        }
        out_ += ";\n";
      }
      for (const Node *c : node->control_inputs()) out_ += indent + id(c) + " -> " + id(node) + " [style=dashed];\n";
    }
    for (const Node *node : nodes) {
      for (size_t i = 0; i < node->subgraphs().size(); ++i) {
        const Graph *sub = node->subgraph(i);
        if (!sub || seen_.count(sub)) continue;
        out_ += Str(indent, "subgraph cluster_", graphs_, " {\n", indent, "  label=\"", QuotedLabel(sub->name()), " (",
                    QuotedLabel(node->subgraphs()[i].ir_name.view()), " of ", QuotedLabel(node->name()), ")\";\n");
        Body(*sub, indent + "  ");
        out_ += indent + "}\n";
      }
    }
  }

  std::string out_;
  std::set<const Graph *> seen_;
  size_t graphs_ = 0;
};

}  // namespace

std::string DumpDot(const Graph &graph) { return DotWriter().Run(graph); }

}  // namespace gec
