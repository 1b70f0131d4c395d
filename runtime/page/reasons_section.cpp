// Why nodes run where they run, and what compiling did with the graph.
#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "core/dump/short_names.h"
#include "core/support/error.h"
#include "core/support/xml_text.h"
#include "runtime/page/sections.h"

namespace gec {
namespace {

constexpr size_t kNames = 8;         // that show at once
constexpr size_t kMostNames = 2000;  // in all

/// A few names, the rest after a click.
std::string NamesText(const std::vector<std::string> &names) {
  const ShortNames made = Shorten(names, 260, 10);
  const auto list = [&](size_t from, size_t to) {
    std::string out;
    for (size_t i = from; i < to; ++i)
      out += Str(i > from ? ", " : "", "<span title=\"", XmlText(names[i]), "\">", XmlText(made.names[i]), "</span>");
    return out;
  };
  const size_t shown = std::min(kNames, names.size());
  std::string out = list(0, shown);
  if (!made.prefix.empty()) out = Str("<span class=\"note\">… = ", XmlText(made.prefix), "</span> ", out);
  if (shown == names.size()) return out;
  const size_t last = std::min(kMostNames, names.size());
  return out + Folded(Str("and ", names.size() - shown, " more"),
                      list(shown, last) +
                          (last < names.size() ? Str(" and ", names.size() - last, " others") : std::string()));
}

std::string Refusals(const std::string &lines) {
  std::istringstream text(lines);
  std::string out;
  for (std::string line; std::getline(text, line);) {
    const size_t colon = line.find(": ");
    out += colon == std::string::npos
               ? Str("<li>", XmlText(line), "</li>")
               : Str("<li><b>", XmlText(line.substr(0, colon)), "</b>: ", XmlText(line.substr(colon + 2)), "</li>");
  }
  return out.empty() ? "the first engine asked takes it" : "<ul>" + out + "</ul>";
}

std::string Placements(const Model &model, const EngineColours &colours) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;  // engine, refusals, type, implementation
  std::map<Key, std::vector<std::string>> groups;
  for (const PlacementInfo &p : model.Placement())
    groups[{p.engine, p.refusals, p.type, p.implementation}].push_back(p.node);
  std::vector<const std::pair<const Key, std::vector<std::string>> *> order;
  for (const auto &group : groups) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto *a, const auto *b) { return a->second.size() > b->second.size(); });
  HtmlTable refused({{"nodes", true}, {"operator"}, {"runs on"}, {"refused by"}, {"which"}});
  HtmlTable taken({{"nodes", true}, {"operator"}, {"runs on"}, {"which"}});
  for (const auto *group : order) {
    const auto &[engine, refusals, type, implementation] = group->first;
    const std::string where = Str("<span class=\"swatch ", ColourClass(colours, engine), "\"></span>",
                                  XmlText(engine.empty() ? "no engine yet" : engine), "<br/><span class=\"note\">",
                                  XmlText(implementation), "</span>");
    const std::string count = std::to_string(group->second.size()), names = NamesText(group->second);
    if (refusals.empty()) taken.Add({count, XmlText(type), where, names});
    else refused.Add({count, XmlText(type), where, Refusals(refusals), names});
  }
  std::string out = "<p>Engines are asked in the order of their costs, and the first that takes a node runs it.</p>\n";
  out += refused.empty() ? "<p>No engine that was asked refused a node.</p>\n"
                         : "<h3>Nodes that engines refused</h3>\n" + refused.Text();
  if (!taken.empty()) out += Folded("Nodes that the first engine took", taken.Text());
  return out;
}

std::string Passes(const Model &model) {
  HtmlTable table({{"pass"}, {"changes", true}, {"declined", true}, {"time", true}, {"why the newest was left alone"}});
  for (const PassRun &pass : model.pass_report()) {
    const PassRun::Rule total = pass.Total();
    if (!total.applied && !total.declined) continue;
    std::string why;
    for (const auto &[name, rule] : pass.rules)
      if (!rule.last_refusal.empty()) why = rule.last_refusal;
    table.Add({XmlText(pass.name), std::to_string(total.applied), std::to_string(total.declined),
               TimeText(pass.ms * 1e6), XmlText(why)});
  }
  return table.empty() ? "" : Folded("What passes changed", table.Text());
}

}  // namespace

std::string ReasonsSection(const Model &model, const EngineColours &colours) {
  std::string out = Placements(model, colours);
  const PlanPtr plan = model.NewestPlan();
  if (plan && !plan->is_static())
    out += Str("<p>No single plan runs this graph: ", XmlText(plan->dynamic_reason), "</p>\n");
  return out + Passes(model);
}

}  // namespace gec
