#include "core/dump/node_card.h"

#include <algorithm>

#include "core/dump/desc_text.h"
#include "core/dump/dump.h"
#include "core/ir/types.h"
#include "core/support/xml_text.h"

namespace gec {
namespace {

constexpr size_t kMostPorts = 6;  // lines about constants, and about outputs
constexpr size_t kMostNameLines = 6;
constexpr int64_t kShownElements = 6;  // values of a constant

std::string StyleOf(const PictureCell &cell, const std::map<std::string, size_t> &colours) {
  const Node &node = *cell.node;
  if (cell.is_output() || IsDataType(node.type()) || node.type() == Symbol("NetOutput")) return "end";
  const std::string engine = EngineText(node);
  if (!node.subgraphs().empty() && engine.empty()) return "calls";
  const auto colour = colours.find(engine);
  return Str("c", colour == colours.end() ? ColourNumber(node.type().view()) : colour->second);
}

std::string ConstantText(const Node &constant) {
  const TensorPtr value = constant.attrs().GetTensor("value");
  if (value && value->desc.shape.known() && value->desc.shape.elements() <= kShownElements) {
    const std::string text = ReadableValue(AttrValue(value));
    if (!text.empty()) return text;
  }
  return DescText(constant.output_desc(0));
}

/// Lines of one kind: not more than fit an eye.
void AddSome(const std::vector<std::string> &texts, const char *style, const char *what, NodeCard *card) {
  const size_t shown = texts.size() > kMostPorts ? kMostPorts - 1 : texts.size();
  for (size_t i = 0; i < shown; ++i) card->lines.push_back({style, BeginningOf(texts[i], kCardWidth, kCardFont)});
  if (shown < texts.size()) card->lines.push_back({style, Str("and ", texts.size() - shown, " more ", what)});
}

void AddConstants(const Node &node, NodeCard *card) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < node.ir().inputs.size(); ++i) {
    const auto [first, count] = node.InputRange(i);
    for (int32_t k = 0; k < count; ++k) {
      const Endpoint e = node.input(static_cast<size_t>(first + k));
      if (!e || !IsShownByReader(*e.node)) continue;
      const std::string number = count > 1 ? Str("_", k) : std::string();
      texts.push_back(Str(node.ir().inputs[i].name.view(), number, " = ", ConstantText(*e.node)));
    }
  }
  AddSome(texts, "w", "constants", card);
}

/// A name that could not be cut stands in several lines.
void AddName(std::string_view name, NodeCard *card) {
  for (size_t line = 0; !name.empty(); ++line) {
    if (line + 1 == kMostNameLines) {
      card->lines.push_back({"m", EndOf(name, kCardWidth, kCardFont)});
      return;
    }
    size_t bytes = 0;
    double width = 0;
    while (bytes < name.size()) {
      const Letter letter = FirstLetter(name.substr(bytes));
      width += TextWidth(name.substr(bytes, letter.bytes), kCardFont);
      if (width > kCardWidth) break;
      bytes += letter.bytes;
    }
    card->lines.push_back({"m", std::string(name.substr(0, bytes))});
    name.remove_prefix(bytes);
  }
}

void AddAttributes(const Node &node, std::string *tip) {
  for (const IrAttr &ir : node.ir().attrs) {
    const AttrValue *value = node.attrs().Find(ir.name);
    const std::string text = value ? ReadableValue(*value) : "";
    if (!text.empty()) *tip += Str("\n", ir.name.view(), " = ", BeginningOf(text, 600, kCardFont));
  }
}

void AddNode(const Node &node, NodeCard *card) {
  AddConstants(node, card);
  std::vector<std::string> texts;
  for (size_t i = 0; i < node.output_count(); ++i) texts.push_back("→ " + DescText(node.output_desc(i)));
  AddSome(texts, "d", "outputs", card);
  static const Symbol kImplementation(kImplementationAttr), kRefusals(kRefusalsAttr), kMemory(kMemoryAttr);
  card->tip += Str(node.type().view(), " ", node.name());
  if (node.OriginText() != node.name()) card->tip += "\nmade of " + node.OriginText();
  if (const std::string engine = EngineText(node); !engine.empty()) {
    card->lines.push_back({"d", BeginningOf(engine, kCardWidth, kCardFont)});
    const std::string implementation = node.String(kImplementation), memory = node.String(kMemory);
    if (!implementation.empty()) card->lines.push_back({"d", EndOf(implementation, kCardWidth, kCardFont)});
    if (!memory.empty()) card->lines.push_back({"d", EndOf("in " + memory, kCardWidth, kCardFont)});
    card->tip += "\nruns on " + engine + (implementation.empty() ? "" : ": " + implementation);
    if (const std::string refusals = node.String(kRefusals); !refusals.empty())
      card->tip += "\nothers refused:\n" + refusals;
  }
  AddAttributes(node, &card->tip);
  for (size_t i = 0; i < node.subgraphs().size(); ++i) {
    const Graph *sub = node.subgraph(i);
    const std::string size = sub ? Str(sub->node_count(), " nodes, below") : std::string("not there");
    card->lines.push_back(
        {"d", BeginningOf(Str(node.subgraphs()[i].ir_name.view(), ": ", size), kCardWidth, kCardFont)});
    card->tip += Str("\n", node.subgraphs()[i].ir_name.view(), ": graph ", node.subgraphs()[i].graph_name);
  }
}

}  // namespace

NodeCard CardOf(const PictureCell &cell, const std::string &name, const std::map<std::string, size_t> &colours) {
  NodeCard card;
  card.style = StyleOf(cell, colours);
  if (cell.is_output()) {
    card.lines.push_back({"h", Str("output ", cell.output)});
    card.tip = Str("output ", cell.output, " of the graph: output ", cell.port, " of ", cell.node->name());
  } else {
    card.lines.push_back({"h", EndOf(cell.node->type().view(), kCardWidth, kCardFont * 1.1)});
    AddName(name, &card);
    AddNode(*cell.node, &card);
  }
  double width = 64;
  for (const NodeCard::Line &line : card.lines)
    width = std::max(width, TextWidth(line.text, kCardFont) * (line.style[0] == 'h' ? 1.12 : 1));
  card.width = width + 16;
  card.height = kCardLine * static_cast<double>(card.lines.size()) + 8;
  return card;
}

}  // namespace gec
