// The picture as a file of its own: the graph and, below it, the graphs that its nodes call.
#include <algorithm>

#include "core/dump/dump.h"
#include "core/dump/graph_picture.h"
#include "core/dump/svg_path.h"
#include "core/support/error.h"
#include "core/support/xml_text.h"

namespace gec {

const char *const kPictureStyle =
    ".ge-picture text{font-family:Helvetica,Arial,sans-serif;font-size:10px;text-anchor:middle;fill:#5b6570}\n"
    ".ge-picture text.h{font-weight:bold;font-size:11px;fill:#16202b}\n"
    ".ge-picture text.m{fill:#333d47}.ge-picture text.w{fill:#7a5c1e}\n"
    ".ge-picture text.l{text-anchor:start}.ge-picture text.r{text-anchor:end}\n"
    ".ge-picture text.t{text-anchor:start;font-weight:bold;font-size:14px;fill:#16202b}\n"
    ".ge-picture text.times{text-anchor:start;font-weight:bold;font-size:14px;fill:#8a4b08}\n"
    ".ge-picture .n rect{stroke:#9aa5b1}.ge-picture .paper{fill:#fff}\n"
    ".ge-picture .e{fill:none;stroke:#7c8894;stroke-width:1.2}.ge-picture .k{stroke-dasharray:4 3}\n"
    ".ge-picture .back{stroke:#c27a1c;stroke-dasharray:5 3}.ge-picture .tip{fill:#66717c}\n"
    ".ge-picture .frame{fill:#fdf8ee;stroke:#d6a961;stroke-width:1.4}.ge-picture .caption{fill:#f7e8cb}\n"
    ".ge-picture .end rect{fill:#dff0d8}.ge-picture .calls rect{fill:#fcf3d6}\n"
    ".ge-picture .c0 rect{fill:#e3edf9}.ge-picture .c1 rect{fill:#efe6f7}.ge-picture .c2 rect{fill:#fdebe0}\n"
    ".ge-picture .c3 rect{fill:#e2f3f1}.ge-picture .c4 rect{fill:#f9e4ea}.ge-picture .c5 rect{fill:#edf1d9}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".ge-picture text{fill:#a8b3bf}.ge-picture text.h,.ge-picture text.t{fill:#f0f4f8}\n"
    ".ge-picture text.m{fill:#d3dbe3}.ge-picture text.w{fill:#e0bd78}.ge-picture text.times{fill:#f3b562}\n"
    ".ge-picture .n rect{stroke:#5a6672}.ge-picture .paper{fill:#14181d}\n"
    ".ge-picture .e{stroke:#8a96a3}.ge-picture .back{stroke:#d9973f}.ge-picture .tip{fill:#9aa6b2}\n"
    ".ge-picture .frame{fill:#1f1c15;stroke:#8c6a34}.ge-picture .caption{fill:#3a2f1b}\n"
    ".ge-picture .end rect{fill:#22381f}.ge-picture .calls rect{fill:#3d351a}\n"
    ".ge-picture .c0 rect{fill:#1f3149}.ge-picture .c1 rect{fill:#352845}.ge-picture .c2 rect{fill:#452e20}\n"
    ".ge-picture .c3 rect{fill:#1b3b38}.ge-picture .c4 rect{fill:#432530}.ge-picture .c5 rect{fill:#343a1c}\n"
    "}\n";

namespace {

constexpr double kMargin = 24, kTitle = 40, kLegend = 18, kBetween = 44;

std::string Legend(const GraphPicture &picture, double y, double *right) {
  std::string out;
  double x = kMargin;
  for (const GraphPicture::Engine &engine : picture.engines) {
    const std::string text = Str(engine.name, ": ", engine.nodes, engine.nodes == 1 ? " node" : " nodes");
    out += Str("<g class=\"c", engine.colour, " n\"><rect x=\"", PixelText(x), "\" y=\"", PixelText(y),
               "\" width=\"11\" height=\"11\" rx=\"2\"/></g><text class=\"m l\" x=\"", PixelText(x + 16), "\" y=\"",
               PixelText(y + 9), "\">", XmlText(text), "</text>\n");
    x += 16 + TextWidth(text, 10) + 18;
  }
  *right = x;
  return out;
}

/// One picture under its title; moves `y` below it.
std::string Panel(const GraphPicture &picture, double *width, double *y) {
  std::string out = Str("<text class=\"t\" x=\"", PixelText(kMargin), "\" y=\"", PixelText(*y + 12), "\">",
                        XmlText(picture.title), "</text>\n<text class=\"m l\" x=\"", PixelText(kMargin), "\" y=\"",
                        PixelText(*y + 28), "\">", XmlText(picture.note), "</text>\n");
  *y += kTitle;
  double right = 0;
  if (!picture.engines.empty()) {
    out += Legend(picture, *y - 4, &right);
    *y += kLegend;
  }
  for (double needed :
       {TextWidth(picture.title, 15) + kMargin, TextWidth(picture.note, 10) + kMargin, right, kMargin + picture.width})
    *width = std::max(*width, needed + kMargin);
  if (picture.content.empty()) return out;
  out += Str("<g transform=\"translate(", PixelText(kMargin), " ", PixelText(*y), ")\">\n", picture.content, "</g>\n");
  *y += picture.height;
  return out;
}

}  // namespace

std::string DumpSvg(const Graph &graph) {
  std::string content;
  double width = 0, y = kMargin;
  for (const GraphPicture &picture : DrawGraphs(graph)) {
    if (!content.empty()) y += kBetween;
    content += Panel(picture, &width, &y);
  }
  y += kMargin;
  return Str("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ge-picture\" width=\"", PixelText(width),
             "\" height=\"", PixelText(y), "\" viewBox=\"0 0 ", PixelText(width), " ", PixelText(y), "\">\n<style>\n",
             kPictureStyle, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", content, "</svg>\n");
}

}  // namespace gec
