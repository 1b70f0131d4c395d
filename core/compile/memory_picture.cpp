// The arenas of a plan as data and as a picture: steps from left to right, offsets from bottom to top.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/compile/exec_plan.h"
#include "core/support/json_text.h"
#include "core/support/xml_text.h"

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

/// At most so many letters; what is left out shows as an ellipsis. Cuts between characters, not inside one.
std::string ShortText(const std::string &text, size_t letters) {
  size_t count = 0, end = 0, last = 0;  // last: where the letter before the limit begins
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) continue;
    if (count + 1 == letters) last = end;
    if (count++ == letters) break;
  }
  return end == text.size() || letters == 0 ? text : text.substr(0, last) + "\u2026";
}

std::string Megabytes(uint64_t bytes) {
  char text[32];
  const bool small = bytes < 100000;
  std::snprintf(text, sizeof text, small ? "%.2f kB" : "%.2f MB", static_cast<double>(bytes) / (small ? 1e3 : 1e6));
  return text;
}

std::string BlocksJson(const ExecPlan &plan, const std::vector<MemoryBlock> &blocks) {
  std::string out = "[";
  for (size_t i = 0; i < blocks.size(); ++i) {
    const MemoryBlock &b = blocks[i];
    out += Str(i ? ",\n" : "\n", "{\"name\":", JsonText(BlockName(plan, b)),
               ",\"kind\":", b.value < 0 ? "\"workspace\"" : "\"value\"", ",\"offset\":", b.offset,
               ",\"bytes\":", b.bytes, ",\"first_step\":", b.begin, ",\"last_step\":", b.end, "}");
  }
  return out + "\n]";
}

}  // namespace

std::string MemoryJson(const ExecPlan &plan) {
  const MemoryPlan &m = plan.memory;
  std::string out = Str("{\"arena_bytes\":", m.arena_bytes, ",\"live_peak_bytes\":", m.live_peak,
                        ",\"without_reuse_bytes\":", m.total_bytes, ",\"in_place\":", m.in_place,
                        ",\"states_in_place\":", m.states.size(), ",\"views\":", m.viewed, ",\"steps\":[");
  for (size_t i = 0; i < plan.placed.size(); ++i) out += (i ? "," : "") + JsonText(plan.placed[i].node->OriginText());
  out += "],\"blocks\":" + BlocksJson(plan, m.blocks) + ",\"spaces\":[";
  for (size_t i = 0; i < m.spaces.size(); ++i) {
    const MemoryPlan::Space &space = m.spaces[i];
    out += Str(i ? ",\n" : "\n", "{\"name\":", JsonText(plan.spaces[i]->space()->name),
               ",\"arena_bytes\":", space.arena_bytes, ",\"live_peak_bytes\":", space.live_peak,
               ",\"blocks\":", BlocksJson(plan, space.blocks), "}");
  }
  return out + "]}\n";
}

namespace {

/// For light and dark screens. Boxes keep their colours, and so do the names inside of them.
const char *const kStyle =
    ".ge-memory text{fill:#16202b}.ge-memory .paper{fill:#fff}\n"
    "@media (prefers-color-scheme:dark){.ge-memory text{fill:#e6ebf0}.ge-memory .paper{fill:#14181d}}\n"
    ".ge-memory text.in{fill:#16202b}\n";
constexpr double kWidth = 1000, kHeight = 500, kLeft = 90, kTop = 40, kLegend = 330;  // pixels
constexpr double kLetter = 5.6, kLine = 11;  // of a 9-pixel font: width of a letter, height of a line

struct Box {
  double x, y, w, h;
  std::string color, name, title;
  uint64_t bytes;
};

std::string Label(double x, double y, const std::string &name, size_t letters, bool upright, bool inside) {
  char head[160];
  std::snprintf(head, sizeof head, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"9\" pointer-events=\"none\"%s", x, y,
                inside ? " class=\"in\"" : "");
  std::string out = head;
  if (upright) {
    std::snprintf(head, sizeof head, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
    out += head;
  }
  return out + ">" + XmlText(ShortText(name, letters)) + "</text>\n";
}

/// The name inside its box, lying or standing, where a few letters of it fit.
std::string LabelInside(const Box &box) {
  const size_t lying = box.h >= kLine ? static_cast<size_t>(std::max(0.0, (box.w - 4) / kLetter)) : 0;
  const size_t standing = box.w >= kLine ? static_cast<size_t>(std::max(0.0, (box.h - 4) / kLetter)) : 0;
  const size_t wanted = std::min<size_t>(box.name.size(), 4);
  if (lying >= wanted && (lying >= standing || lying >= box.name.size()))
    return Label(box.x + 2, box.y + box.h / 2 + 3, box.name, lying, false, true);
  if (standing >= wanted) return Label(box.x + box.w / 2 + 3, box.y + box.h - 2, box.name, standing, true, true);
  return "";
}

/// The largest boxes by name, at the right.
std::string Legend(const std::vector<Box> &boxes, double top) {
  std::vector<const Box *> largest;
  for (const Box &box : boxes) largest.push_back(&box);
  std::stable_sort(largest.begin(), largest.end(), [](const Box *a, const Box *b) { return a->bytes > b->bytes; });
  const size_t shown = std::min(largest.size(), static_cast<size_t>(kHeight / (kLine + 3)) - 1);
  const double x = kLeft + kWidth + 15;
  std::string out = Label(x, top + 8, shown < largest.size() ? "the largest blocks:" : "blocks:", 40, false, false);
  for (size_t i = 0; i < shown; ++i) {
    const Box &box = *largest[i];
    const double y = top + 8 + (kLine + 3) * static_cast<double>(i + 1);
    char swatch[160];
    std::snprintf(swatch, sizeof swatch, "<rect x=\"%.2f\" y=\"%.2f\" width=\"9\" height=\"9\" fill=\"%s\"><title>", x,
                  y - 8, box.color.c_str());
    out += swatch + XmlText(box.title) + "</title></rect>\n" +
           Label(x + 13, y, Megabytes(box.bytes) + "  " + ShortText(box.name, 46), 64, false, false);
  }
  return out;
}

/// One arena over the steps of the plan.
struct Panel {
  std::string title;
  const std::vector<MemoryBlock> &blocks;
  uint64_t arena_bytes;
};

Box BoxOf(const ExecPlan &plan, const Panel &panel, size_t i, double top) {
  const double steps = std::max<double>(1, static_cast<double>(plan.placed.size())),
               bytes = std::max<double>(1, static_cast<double>(panel.arena_bytes));
  const MemoryBlock &b = panel.blocks[i];
  Box box;
  box.x = kLeft + kWidth * b.begin / steps;
  box.w = std::max(kWidth * std::min<double>(b.end + 1 - b.begin, steps - b.begin) / steps, 0.5);
  box.h = std::max(kHeight * static_cast<double>(b.bytes) / bytes, 0.5);
  box.y = top + kHeight - kHeight * static_cast<double>(b.offset) / bytes - box.h;
  box.color = Str("hsl(", i * 47 % 360, ",", b.value < 0 ? 0 : 60, "%,", b.value < 0 ? 80 : 65, "%)");
  box.name = BlockName(plan, b);
  box.title = Str(box.name, ": ", b.bytes, " bytes at ", b.offset, ", steps ", b.begin, " to ", b.end);
  box.bytes = b.bytes;
  return box;
}

std::string Draw(const ExecPlan &plan, const Panel &panel, double top) {
  std::string out = Str("<text x=\"", kLeft, "\" y=\"", top - 20, "\">", XmlText(panel.title),
                        "</text>\n<text x=\"5\" y=\"", top + 10, "\">", Megabytes(panel.arena_bytes),
                        "</text>\n<text x=\"5\" y=\"", top + kHeight, "\">0</text>\n<text x=\"", kLeft, "\" y=\"",
                        top + kHeight + 20, "\">step 0</text>\n<text x=\"", kLeft + kWidth - 60, "\" y=\"",
                        top + kHeight + 20, "\">step ", plan.placed.size(), "</text>\n<rect x=\"", kLeft, "\" y=\"",
                        top, "\" width=\"", kWidth, "\" height=\"", kHeight, "\" fill=\"none\" stroke=\"#888\"/>\n");
  std::vector<Box> boxes;
  std::string labels;  // above all boxes
  for (size_t i = 0; i < panel.blocks.size(); ++i) {
    Box box = BoxOf(plan, panel, i, top);
    char rect[256];
    std::snprintf(rect, sizeof rect,
                  "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" stroke=\"#333\" "
                  "stroke-width=\"0.3\"><title>",
                  box.x, box.y, box.w, box.h, box.color.c_str());
    out += rect + XmlText(box.title) + "</title></rect>\n";
    labels += LabelInside(box);
    boxes.push_back(std::move(box));
  }
  return out + labels + Legend(boxes, top);
}

}  // namespace

std::string MemorySvg(const ExecPlan &plan) {
  constexpr double kPanel = kHeight + kTop + 50;
  const MemoryPlan &m = plan.memory;
  std::vector<Panel> panels{{"arena " + Megabytes(m.arena_bytes) + ", most live at once " + Megabytes(m.live_peak) +
                                 ", without reuse " + Megabytes(m.total_bytes),
                             m.blocks, m.arena_bytes}};
  for (size_t i = 0; i < m.spaces.size(); ++i) {
    const MemoryPlan::Space &space = m.spaces[i];
    panels.push_back({std::string(plan.spaces[i]->space()->name) + ": arena " + Megabytes(space.arena_bytes) +
                          ", most live at once " + Megabytes(space.live_peak),
                      space.blocks, space.arena_bytes});
  }
  const double width = kWidth + kLeft + kLegend, height = kPanel * static_cast<double>(panels.size());
  std::string out =
      Str("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ge-memory\" width=\"", width, "\" height=\"", height,
          "\" viewBox=\"0 0 ", width, " ", height, "\" font-family=\"sans-serif\" font-size=\"12\">\n<style>\n", kStyle,
          "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
  for (size_t i = 0; i < panels.size(); ++i) out += Draw(plan, panels[i], kPanel * static_cast<double>(i) + kTop);
  return out + "</svg>\n";
}

}  // namespace gec
