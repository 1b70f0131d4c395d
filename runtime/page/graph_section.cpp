// The placed graph, and the graphs that its nodes call folded below it.
#include "core/dump/graph_picture.h"
#include "core/dump/svg_path.h"
#include "core/support/error.h"
#include "core/support/xml_text.h"
#include "runtime/page/sections.h"

namespace gec {
namespace {

std::string Legend(const GraphPicture &picture) {
  if (picture.engines.empty()) return "";
  std::string out = "<ul class=\"legend\">";
  for (const GraphPicture::Engine &e : picture.engines)
    out += Str("<li><span class=\"swatch c", e.colour, "\"></span>", XmlText(e.name), ": ", e.nodes,
               e.nodes == 1 ? " node" : " nodes", "</li>");
  return out + "</ul>\n";
}

/// Sizes to choose from, without a script: what is chosen comes before what it changes.
std::string Sheet(const GraphPicture &picture, size_t number) {
  constexpr double kMargin = 8;
  std::string out = "<div class=\"zoom\">";
  for (const char *size : {"25", "50", "75", "100", "150"}) {
    const std::string id = Str("zoom-", number, "-", size);
    out += Str("<input type=\"radio\" name=\"zoom-", number, "\" id=\"", id, "\" class=\"z", size, "\"",
               std::string(size) == "100" ? " checked=\"checked\"" : "", "/><label for=\"", id, "\">", size,
               " %</label>\n");
  }
  const std::string width = PixelText(picture.width + 2 * kMargin), height = PixelText(picture.height + 2 * kMargin);
  return Str(out,
             "<div class=\"sheet\" tabindex=\"0\"><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ge-picture\" "
             "role=\"img\" aria-label=\"graph\" width=\"",
             width, "\" height=\"", height, "\" viewBox=\"-8 -8 ", width, " ", height, "\">\n", picture.content,
             "</svg></div></div>\n");
}

}  // namespace

std::string GraphSection(const Graph &placed, EngineColours *colours) {
  const std::vector<GraphPicture> pictures = DrawGraphs(placed);
  std::string out;
  for (size_t i = 0; i < pictures.size(); ++i) {
    const GraphPicture &picture = pictures[i];
    for (const GraphPicture::Engine &e : picture.engines) colours->emplace(e.name, e.colour);
    const std::string note = Str("<p class=\"note\">", XmlText(picture.note), ".</p>\n");
    const std::string content = picture.content.empty() ? note : note + Legend(picture) + Sheet(picture, i);
    out += i == 0 ? content : Folded(XmlText(picture.title), content);
  }
  return out +
         "<p class=\"note\">Constants stand in the boxes that read them. A box shows more when the pointer rests on "
         "it: attributes, and why engines did not take the node.</p>\n";
}

}  // namespace gec
