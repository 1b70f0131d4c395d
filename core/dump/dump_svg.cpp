// A picture without help of other programs: nodes in layers by their distance from the inputs, ordered within a layer
// by where their producers are; constants are written into the box that reads them.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/dump/desc_text.h"
#include "core/dump/dump.h"
#include "core/ir/types.h"

namespace gec {
namespace {

constexpr double kBoxWidth = 190, kLineHeight = 13, kGapX = 26, kGapY = 34, kMargin = 24, kTitle = 26;
constexpr size_t kMostChars = 30;

std::string EscapedXml(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

// The end of a long name tells more than its beginning. Cuts between characters, not inside one.
std::string Short(std::string_view text) {
  if (text.size() <= kMostChars) return std::string(text);
  size_t from = text.size() - kMostChars + 1;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
  return "…" + std::string(text.substr(from));
}

const char *Fill(const Node &node) {
  if (IsDataType(node.type()) || node.type() == Symbol("NetOutput")) return "#dff0d8";
  if (!node.subgraphs().empty() && EngineText(node).empty()) return "#fcf3d6";
  const std::string engine = EngineText(node);
  return ColourOf(engine.empty() ? node.type().view() : engine);
}

struct NodeBox {
  const Node *node;
  std::vector<std::string> lines;
  double x = 0, y = 0;
  double height() const { return kLineHeight * static_cast<double>(lines.size()) + 8; }
};

class Picture {
 public:
  std::string Run(const Graph &graph) {
    Draw(graph, "");
    return Str(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", Number(width_), "\" height=\"", Number(bottom_ + kMargin),
        "\" viewBox=\"0 0 ", Number(width_), " ", Number(bottom_ + kMargin),
        "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"10\">\n"
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#777\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        out_, "</svg>\n");
  }

 private:
  static std::string Number(double v) { return std::to_string(static_cast<long long>(std::llround(v))); }

  static std::vector<std::string> Lines(const Node &node) {
    std::vector<std::string> lines = {node.type().str(), Short(node.name())};
    for (size_t i = 0; i < node.ir().inputs.size(); ++i) {
      auto [first, count] = node.InputRange(i);
      for (int32_t k = 0; k < count; ++k) {
        Endpoint e = node.input(static_cast<size_t>(first + k));
        if (!e || !IsConstType(e.node->type())) continue;
        TensorPtr value = e.node->attrs().GetTensor("value");
        std::string text = e.node->output_desc(0).shape.str();
        if (value && value->desc.shape.known() && value->desc.shape.elements() <= 6)
          text = ReadableValue(AttrValue(value));
        lines.push_back(Short(Str(node.ir().inputs[i].name.view(), " = ", text)));
      }
    }
    for (size_t i = 0; i < node.output_count() && i < 3; ++i)
      lines.push_back(Short("→ " + DescText(node.output_desc(i))));
    if (const std::string engine = EngineText(node); !engine.empty()) {
      lines.push_back(Short(engine));
      const std::string implementation = node.String(Symbol(kImplementationAttr));
      if (!implementation.empty()) lines.push_back(Short(implementation));
    }
    for (const SubgraphRef &ref : node.subgraphs())
      lines.push_back(Short(Str(ref.ir_name.view(), ": ", ref.graph_name)));
    return lines;
  }

  void Draw(const Graph &graph, const std::string &title) {
    seen_.insert(&graph);
    std::vector<Node *> nodes = DumpOrder(graph);
    std::map<const Node *, size_t> layer;
    std::vector<std::vector<NodeBox>> layers;
    for (const Node *node : nodes) {
      if (IsConstType(node->type()) && node->total_uses() > 0) continue;
      size_t at = 0;
      auto after = [&](const Node *from) {
        auto found = layer.find(from);
        if (found != layer.end()) at = std::max(at, found->second + 1);
      };
      for (size_t i = 0; i < node->input_count(); ++i) after(node->input(i).node);
      for (const Node *c : node->control_inputs()) after(c);
      layer[node] = at;
      if (layers.size() <= at) layers.resize(at + 1);
      layers[at].push_back({node, Lines(*node)});
    }
    // Top down, every node goes below the middle of its producers.
    std::map<const Node *, double> middle;
    for (auto &row : layers) {
      std::vector<std::pair<double, NodeBox>> wanted;
      for (NodeBox &box : row) {
        double sum = 0;
        int count = 0;
        for (size_t i = 0; i < box.node->input_count(); ++i) {
          auto found = middle.find(box.node->input(i).node);
          if (found == middle.end()) continue;
          sum += found->second;
          ++count;
        }
        wanted.emplace_back(count ? sum / count : static_cast<double>(wanted.size()) * (kBoxWidth + kGapX),
                            std::move(box));
      }
      std::stable_sort(wanted.begin(), wanted.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
      double x = kMargin + kBoxWidth / 2;
      row.clear();
      for (auto &[want, box] : wanted) {
        x = std::max(x, want);
        box.x = x;
        middle[box.node] = x;
        x += kBoxWidth + kGapX;
        row.push_back(std::move(box));
      }
    }
    double y = bottom_ + kMargin;
    out_ += Str("<text x=\"", Number(kMargin), "\" y=\"", Number(y), "\" font-size=\"14\" font-weight=\"bold\">",
                EscapedXml(graph.name()), title.empty() ? "" : " — ", EscapedXml(title), "</text>\n");
    y += kTitle - 10;
    std::map<const Node *, const NodeBox *> boxes;
    for (auto &row : layers) {
      double tallest = 0;
      for (NodeBox &box : row) {
        box.y = y;
        tallest = std::max(tallest, box.height());
        boxes[box.node] = &box;
        width_ = std::max(width_, box.x + kBoxWidth / 2 + kMargin);
      }
      y += tallest + kGapY;
    }
    bottom_ = std::max(bottom_, y - kGapY);
    Edges(layers, boxes);
    for (const auto &row : layers) {
      for (const NodeBox &box : row) DrawBox(box);
    }
    for (const Node *node : nodes) {
      for (size_t i = 0; i < node->subgraphs().size(); ++i) {
        const Graph *sub = node->subgraph(i);
        if (sub && !seen_.count(sub)) Draw(*sub, Str(node->subgraphs()[i].ir_name.view(), " of ", node->name()));
      }
    }
  }

  void Edges(const std::vector<std::vector<NodeBox>> &layers, const std::map<const Node *, const NodeBox *> &boxes) {
    auto line = [&](const Node *from, const NodeBox &to, const char *style) {
      auto found = boxes.find(from);
      if (found == boxes.end()) return;
      const NodeBox &source = *found->second;
      double x1 = source.x, y1 = source.y + source.height(), x2 = to.x, y2 = to.y, bend = (y2 - y1) / 2;
      out_ += Str("<path d=\"M", Number(x1), " ", Number(y1), "C", Number(x1), " ", Number(y1 + bend), " ", Number(x2),
                  " ", Number(y2 - bend), " ", Number(x2), " ", Number(y2), "\" fill=\"none\" stroke=\"#777\"", style,
                  " marker-end=\"url(#tip)\"/>\n");
    };
    for (const auto &row : layers) {
      for (const NodeBox &box : row) {
        std::set<const Node *> drawn;
        for (size_t i = 0; i < box.node->input_count(); ++i) {
          const Node *from = box.node->input(i).node;
          if (from && drawn.insert(from).second) line(from, box, "");
        }
        for (const Node *c : box.node->control_inputs()) line(c, box, " stroke-dasharray=\"4 3\"");
      }
    }
  }

  void DrawBox(const NodeBox &box) {
    double left = box.x - kBoxWidth / 2;
    out_ += Str("<g><title>", EscapedXml(box.node->type().view()), " ", EscapedXml(box.node->name()), "\n",
                EscapedXml(box.node->OriginText()), "</title><rect x=\"", Number(left), "\" y=\"", Number(box.y),
                "\" width=\"", Number(kBoxWidth), "\" height=\"", Number(box.height()), "\" rx=\"5\" fill=\"",
                Fill(*box.node), "\" stroke=\"#9aa5b1\"/>");
    double y = box.y + kLineHeight;
    for (size_t i = 0; i < box.lines.size(); ++i, y += kLineHeight) {
      out_ += Str("<text x=\"", Number(box.x), "\" y=\"", Number(y), "\" text-anchor=\"middle\"",
                  i == 0   ? " font-weight=\"bold\""
                  : i == 1 ? " fill=\"#333\""
                           : " fill=\"#666\"",
                  ">", EscapedXml(box.lines[i]), "</text>");
    }
    out_ += "</g>\n";
  }

  std::string out_;
  std::set<const Graph *> seen_;
  double width_ = 2 * kMargin + kBoxWidth, bottom_ = 0;
};

}  // namespace

std::string DumpSvg(const Graph &graph) { return Picture().Run(graph); }

}  // namespace gec
