// ge ops: the registered operators on one screen line each, or some of them in detail.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include "commands.h"
#include "native.h"
#include "op_facts.h"
#include "screen.h"
#include "table.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;

struct OpsArgs {
  std::vector<std::string> types;
  std::string family;
  bool json = false;
};

std::string Text(const Json &value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string PortsText(const Json &ports) {
  std::string text;
  for (const Json &p : ports) {
    const std::string kind = p["kind"];
    text += (text.empty() ? "" : ", ") + Text(p["name"]) + (kind == "optional" ? "?" : kind == "dynamic" ? "*" : "");
  }
  return text;
}

// "TensorType({DT_FLOAT16, DT_INT8})" as "float16, int8"; other texts as they are.
std::string TypesText(const std::string &declared) {
  std::string text = declared;
  const size_t open = text.find('{'), close = text.rfind('}');
  if (text.rfind("TensorType(", 0) == 0 && open != std::string::npos && close != std::string::npos && open < close)
    text = text.substr(open + 1, close - open - 1);
  if (text == "TensorType::ALL()") return "any type";
  for (size_t at = text.find("DT_"); at != std::string::npos; at = text.find("DT_", at)) {
    text.erase(at, 3);
    for (; at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'); ++at)
      text[at] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
  }
  return text;
}

// One row of a detail: what it is, the name, and what is to be said of it, below one another.
class Details {
 public:
  void Add(const std::string &what, const std::string &name, const std::string &text) {
    rows_.push_back({what, name, text});
    width_ = std::max(width_, Width(name));
  }
  void Print() const {
    for (const auto &row : rows_) {
      const std::string what = row[0] + std::string(9 - std::min<size_t>(9, Width(row[0])), ' ');
      const std::string name = row[1] + std::string(width_ - Width(row[1]), ' ');
      std::fputs(Paragraph("  " + what + (width_ ? name + "  " : ""), row[2]).c_str(), stdout);
    }
  }

 private:
  std::vector<std::array<std::string, 3>> rows_;
  size_t width_ = 0;
};

void Detail(const Json &row) {
  std::printf("%s (%s)\n", Text(row["type"]).c_str(), Text(row["family"]).c_str());
  if (row["brief"] != "") std::fputs(Paragraph("  ", Text(row["brief"])).c_str(), stdout);
  Details ports;
  for (const char *part : {"inputs", "outputs"})
    for (const Json &p : row[part])
      ports.Add(part == std::string("inputs") ? "input" : "output", Text(p["name"]),
                Text(p["kind"]) + ": " + TypesText(Text(p["types"])));
  for (const Json &a : row["attrs"])
    ports.Add("attr", Text(a["name"]),
              Text(a["type"]) + (a["required"].get<bool>() ? ", required"
                                 : a["default"].is_null()  ? ""
                                                           : ", default " + a["default"].dump()));
  for (const Json &g : row["graphs"]) ports.Add("graph", Text(g["name"]), Text(g["kind"]));
  ports.Print();
  Details engines;
  for (const Json &e : row["engines"]) engines.Add("runs on", Text(e), "");
  const std::string without = row["without_engine"];
  if (without == "runtime") std::printf("  runs in the runtime itself\n");
  if (without == "graph") std::printf("  part of the graph, nothing to run\n");
  if (without.empty() && row["engines"].empty()) std::printf("  no engine runs it\n");
  for (const auto &[engine, reason] : row["refusals"].items())
    if (without.empty()) engines.Add("not on", engine, Text(reason));
  engines.Print();
}

void CheckFamily(const std::string &family) {
  const std::vector<std::string> families = Families();
  if (family.empty() || std::find(families.begin(), families.end(), family) != families.end()) return;
  std::string names;
  for (const std::string &name : families) names += (names.empty() ? "" : ", ") + name;
  throw Usage("there is no family '" + family + "'; the families are " + names);
}

Json Rows(const OpsArgs &args) {
  const std::vector<std::string> engines = EngineNames();
  Json rows = Json::array();
  for (const std::string &type : args.types) {
    const GeOpSchema *schema = nullptr;
    Check(GeOpFind(type.c_str(), &schema));
    rows.push_back(OperatorFacts(*schema, engines));
  }
  for (size_t i = 0; args.types.empty() && i < GeOpCount(); ++i) {
    const GeOpSchema *schema = GeOpAt(i);
    if (!schema || (!args.family.empty() && args.family != (schema->family ? schema->family : ""))) continue;
    rows.push_back(OperatorFacts(*schema, engines));
  }
  return rows;
}

// Names are kept whole: they are what one looks for. The rest gives way.
void PrintTable(const Json &rows) {
  Table table({{"operator"},
               {"family", Fit::kWhole, false, true},
               {"inputs", Fit::kList},
               {"outputs", Fit::kList, false, true},
               {"attrs", Fit::kWhole, true, true},
               {"engines", Fit::kList}});
  for (const Json &row : rows) {
    std::string on;
    for (const Json &e : row["engines"]) on += (on.empty() ? "" : ", ") + Text(e);
    if (on.empty()) on = row["without_engine"].get<std::string>();
    table.Add({row["type"], row["family"], PortsText(row["inputs"]), PortsText(row["outputs"]),
               std::to_string(row["attrs"].size()), on});
  }
  std::fputs(table.Text().c_str(), stdout);
  std::fputs(
      Paragraph("", std::to_string(rows.size()) + " operators; name? is optional, name* takes any number, +2 counts "
                                                  "what does not fit; `ge ops NAME` tells all of one")
          .c_str(),
      stdout);
}

void Ops(const OpsArgs &args) {
  CheckFamily(args.family);
  const Json rows = Rows(args);
  if (args.json) std::printf("%s\n", rows.dump(2).c_str());
  else if (args.types.empty()) PrintTable(rows);
  else
    for (const Json &row : rows) Detail(row);
}

}  // namespace

void AddOps(CLI::App *app) {
  auto args = std::make_shared<OpsArgs>();
  app->add_option("name", args->types, "only these operators, in detail: ports, attributes, engines and reasons");
  app->add_option("--family", args->family, "only operators of this family");
  app->add_flag("--json", args->json, "machine-readable output");
  app->footer("Examples:\n  ge ops --family nn\n  ge ops Conv2D Add");
  app->callback([args] { Ops(*args); });
}

}  // namespace tool
