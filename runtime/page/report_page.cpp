#include "runtime/page/report_page.h"

#include <algorithm>
#include <ctime>
#include <iterator>

#include "core/compile/exec_plan.h"
#include "core/dump/graph_picture.h"
#include "core/placement/isa.h"
#include "core/support/error.h"
#include "core/support/xml_text.h"
#include "ge/version.h"
#include "runtime/model_memory.h"
#include "runtime/page/sections.h"

namespace gec {
namespace {

const char *const kPageStyle =
    ":root{color-scheme:light "
    "dark;--paper:#fff;--ink:#16202b;--soft:#5b6570;--line:#d5dbe1;--band:#f4f6f8;--bar:#4c86c6}\n"
    "@media "
    "(prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6ebf0;--soft:#a8b3bf;--line:#39424c;--band:#1c2229;"
    "--bar:#5d98da}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:14px/1.45 Helvetica,Arial,sans-serif}\n"
    "header,main{padding:0 24px}h1{font-size:24px;margin:20px 0 "
    "4px;overflow-wrap:anywhere}h2{font-size:18px;margin:36px 0 8px;"
    "border-bottom:1px solid var(--line)}h3{font-size:14px;margin:16px 0 6px}\n"
    "nav{position:sticky;top:0;z-index:1;background:var(--paper);border-bottom:1px solid var(--line);padding:8px "
    "24px}\n"
    "nav a{margin-right:16px;color:inherit}.note{color:var(--soft);font-size:12px}\n"
    ".wide,.sheet{overflow:auto;max-width:100%}.sheet{max-height:min(85vh,760px);border:1px solid "
    "var(--line);background:var(--paper);"
    "resize:vertical}\n"
    "table{border-collapse:collapse;font-size:12px}th,td{text-align:left;vertical-align:top;padding:3px 10px 3px 0;"
    "border-bottom:1px solid var(--line)}.number{text-align:right;white-space:nowrap}td "
    "ul{margin:0;padding-left:16px}\n"
    "td{overflow-wrap:break-word;min-width:28px}.ge-memory{max-width:100%;height:auto}details{margin:6px "
    "0}summary{cursor:pointer}\n"
    ".bar{display:inline-block;width:120px;height:10px;background:var(--band)}.bar span{display:block;height:10px;"
    "background:var(--bar)}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:10px;margin:12px 0;padding:0;list-style:none}.figures "
    "li{background:var(--band);"
    "border-radius:6px;padding:8px 14px}.figures b{display:block;font-size:17px}\n"
    ".legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:16px;font-size:12px}\n"
    ".swatch{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:5px;border:1px solid #8a96a3}\n"
    ".zoom label{margin:0 10px 0 2px;font-size:12px}.zoom input{vertical-align:middle}.zoom .sheet{margin-top:6px}\n"
    ".z25:checked~.sheet svg{zoom:.25}.z50:checked~.sheet svg{zoom:.5}.z75:checked~.sheet svg{zoom:.75}"
    ".z150:checked~.sheet svg{zoom:1.5}\n"
    ".ge-picture .grid{stroke:var(--line);fill:none}.ge-picture .roof{stroke:#c0392b;stroke-width:2;fill:none}\n"
    ".ge-picture .spot circle{stroke:#5a6672;fill-opacity:.75}.ge-picture .none rect{fill:var(--band)}"
    ".ge-picture .none circle{fill:var(--band)}.swatch.none{background:var(--band)}\n";

/// One rule for rectangles of pictures, circles and swatches of each colour: stronger than in pictures, since these are
/// small.
std::string ColourStyle() {
  static const char *const kStrong[] = {"#6fa3dd", "#a883cf", "#ec9a63", "#57b3a8", "#e07c98", "#aab84e"};
  std::string out;
  for (size_t i = 0; i < std::size(kStrong); ++i)
    out +=
        Str(".swatch.c", i, "{background:", kStrong[i], "}.ge-picture .spot.c", i, " circle{fill:", kStrong[i], "}\n");
  return out;
}

std::string PortsText(const std::vector<ModelPort> &ports) {
  std::string out;
  for (const ModelPort &p : ports)
    out += Str(out.empty() ? "" : ", ", XmlText(p.name), ": ", XmlText(GeDataTypeName(p.desc.dtype)), " ",
               p.desc.shape.str());
  return out.empty() ? "none" : out;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
  return text;
}

std::string Figures(Model &model, const Profiler &run) {
  uint64_t first = UINT64_MAX, last = 0, kernels = 0;
  for (const Profiler::Event &e : run.events()) {
    first = std::min(first, e.begin);
    last = std::max(last, e.end);
    kernels += !e.type.empty();
  }
  const ModelMemory memory = MemoryOf(model);
  const auto item = [](const std::string &value, const char *what) {
    return Str("<li><b>", value, "</b>", what, "</li>");
  };
  std::string out = "<ul class=\"figures\">" +
                    item(TimeText(last > first ? static_cast<double>(last - first) : 0), "this run, recorded") +
                    item(std::to_string(kernels), "kernels run") +
                    item(std::to_string(model.env().threads()), "threads") +
                    item(BytesText(static_cast<double>(memory.constant_bytes)), "constants") +
                    item(BytesText(static_cast<double>(memory.packed_bytes)), "constants in kernels' own form");
  if (memory.has_plan) out += item(BytesText(static_cast<double>(memory.arena_bytes)), "memory between nodes");
  return out + "</ul>\n";
}

std::string Head(Model &model, const Profiler &run) {
  return Str("<header><h1>", XmlText(model.graph().name()), "</h1>\n<p class=\"note\">OpenGE ",
             XmlText(GeVersionString()), ", ", Now(), ", processor features up to ", IsaName(HostFeatures()),
             "</p>\n<p>Inputs: ", PortsText(model.inputs()), "<br/>\nOutputs: ", PortsText(model.outputs()), "</p>\n",
             Figures(model, run), "</header>\n");
}

struct Section {
  const char *id, *title;
  std::string content;
};

}  // namespace

std::string MemorySection(const Model &model) {
  const PlanPtr plan = model.NewestPlan();
  if (!plan || !plan->is_static())
    return Str("<p>There is no plan of all memory: ", XmlText(plan ? plan->dynamic_reason : WhyDynamic(model.graph())),
               ". Values get memory while the graph runs.</p>\n");
  return Str(
      "<p>Each box is a value, or the workspace of a node: from left to right the steps for which it is kept, from "
      "bottom to "
      "top where it lies. ",
      BytesText(static_cast<double>(plan->memory.total_bytes)), " would be needed without reuse, ",
      BytesText(static_cast<double>(plan->memory.live_peak)), " live at once at most, ",
      BytesText(static_cast<double>(plan->memory.arena_bytes)), " are used.</p>\n<div class=\"wide\" tabindex=\"0\">",
      MemorySvg(*plan), "</div>\n");
}

std::string ReportPage(Model &model, const Profiler &run) {
  EngineColours colours;
  const GraphPtr placed = model.PlacedGraph();
  std::string graph = GraphSection(*placed, &colours);  // chooses the colours
  const MachineRates &rates = RatesOf(model.env().threads());
  const Section sections[] = {{"graph", "Graph", std::move(graph)},
                              {"timeline", "Timeline", TimelineSection(run, colours)},
                              {"times", "Where the time goes", TimesSection(run, colours)},
                              {"memory", "Memory", MemorySection(model)},
                              {"roofline", "Roofline", RooflineSection(run, rates, colours)},
                              {"reasons", "Reasons", ReasonsSection(model, colours)}};
  std::string links, body;
  for (const Section &s : sections) {
    links += Str("<a href=\"#", s.id, "\">", s.title, "</a>");
    body += Str("<section id=\"", s.id, "\"><h2>", s.title, "</h2>\n", s.content, "</section>\n");
  }
  // Nothing may be loaded and no script may run, whatever the names in the graph say.
  return Str(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
      XmlText(model.graph().name()), " – OpenGE report</title>\n<style>\n", kPageStyle, kPictureStyle, ColourStyle(),
      "</style>\n</head>\n<body>\n", Head(model, run), "<nav>", links, "</nav>\n<main>\n", body,
      "</main>\n</body>\n</html>\n");
}

}  // namespace gec
