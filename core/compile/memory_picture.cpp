// The arena of a plan as data and as a picture: steps from left to right, offsets from bottom to top.
#include <algorithm>
#include <cstdio>

#include "core/compile/exec_plan.h"
#include "core/support/json_text.h"

namespace gec {
namespace {

std::string BlockName(const ExecPlan &plan, const MemoryBlock &block) {
  if (block.value < 0) {
    const Node &node = *plan.placed[static_cast<size_t>(-1 - block.value)].node;
    return "workspace of " + node.OriginText();
  }
  const ExecPlan::ValueName &name = plan.values[static_cast<size_t>(block.value)];
  return name.node->OriginText() + (name.node->output_count() > 1 ? ":" + std::to_string(name.port) : "");
}

std::string XmlText(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

std::string Megabytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

}  // namespace

std::string MemoryJson(const ExecPlan &plan) {
  const MemoryPlan &m = plan.memory;
  std::string out = Str("{\"arena_bytes\":", m.arena_bytes, ",\"live_peak_bytes\":", m.live_peak,
                        ",\"without_reuse_bytes\":", m.total_bytes, ",\"in_place\":", m.in_place,
                        ",\"views\":", m.viewed, ",\"steps\":[");
  for (size_t i = 0; i < plan.placed.size(); ++i) out += (i ? "," : "") + JsonText(plan.placed[i].node->OriginText());
  out += "],\"blocks\":[";
  for (size_t i = 0; i < m.blocks.size(); ++i) {
    const MemoryBlock &b = m.blocks[i];
    out += Str(i ? ",\n" : "\n", "{\"name\":", JsonText(BlockName(plan, b)),
               ",\"kind\":", b.value < 0 ? "\"workspace\"" : "\"value\"", ",\"offset\":", b.offset,
               ",\"bytes\":", b.bytes, ",\"first_step\":", b.begin, ",\"last_step\":", b.end, "}");
  }
  return out + "\n]}\n";
}

std::string MemorySvg(const ExecPlan &plan) {
  constexpr double kWidth = 1000, kHeight = 500, kLeft = 90, kTop = 40;
  const MemoryPlan &m = plan.memory;
  const double steps = std::max<double>(1, static_cast<double>(plan.placed.size())),
               bytes = std::max<double>(1, static_cast<double>(m.arena_bytes));
  std::string out =
      Str("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth + kLeft + 20, "\" height=\"",
          kHeight + kTop + 50, "\" font-family=\"sans-serif\" font-size=\"12\">\n<text x=\"", kLeft,
          "\" y=\"20\">arena ", Megabytes(m.arena_bytes), ", most live at once ", Megabytes(m.live_peak),
          ", without reuse ", Megabytes(m.total_bytes), "</text>\n<text x=\"5\" y=\"", kTop + 10, "\">",
          Megabytes(m.arena_bytes), "</text>\n<text x=\"5\" y=\"", kTop + kHeight, "\">0</text>\n<text x=\"", kLeft,
          "\" y=\"", kTop + kHeight + 20, "\">step 0</text>\n<text x=\"", kLeft + kWidth - 60, "\" y=\"",
          kTop + kHeight + 20, "\">step ", plan.placed.size(), "</text>\n<rect x=\"", kLeft, "\" y=\"", kTop,
          "\" width=\"", kWidth, "\" height=\"", kHeight, "\" fill=\"none\" stroke=\"#888\"/>\n");
  for (size_t i = 0; i < m.blocks.size(); ++i) {
    const MemoryBlock &b = m.blocks[i];
    const double x = kLeft + kWidth * b.begin / steps,
                 w = kWidth * std::min<double>(b.end + 1 - b.begin, steps - b.begin) / steps;
    const double h = kHeight * static_cast<double>(b.bytes) / bytes,
                 y = kTop + kHeight - kHeight * static_cast<double>(b.offset) / bytes - h;
    const int hue = static_cast<int>(i * 47 % 360);
    char rect[256];
    std::snprintf(
        rect, sizeof rect,
        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"hsl(%d,%d%%,65%%)\" stroke=\"#333\" "
        "stroke-width=\"0.3\"><title>",
        x, y, std::max(w, 0.5), std::max(h, 0.5), hue, b.value < 0 ? 0 : 60);
    out += rect + XmlText(BlockName(plan, b)) +
           Str(": ", b.bytes, " bytes at ", b.offset, ", steps ", b.begin, " to ", b.end, "</title></rect>\n");
  }
  return out + "</svg>\n";
}

}  // namespace gec
