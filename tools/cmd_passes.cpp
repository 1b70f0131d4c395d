// ge passes: what a compile consists of; with a model, what each pass did to it and what it cost.
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "pass_files.h"
#include "pass_options.h"
#include "session.h"
#include "table.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;

struct PassesArgs {
  ModelArgs model;
  bool json = false;
};

std::string KindOf(const GePassInfo &info) {
  std::string text = info.builtin ? "library" : "program";
  if (info.flags & GE_PASS_HOLDS_PASSES) text = "stage";
  if (info.flags & GE_PASS_ESSENTIAL) text += ", essential";
  if (info.flags & GE_PASS_NEEDS_SHAPES) text += ", needs shapes";
  return text;
}

void PrintJsonList() {
  Json list = Json::array();
  for (size_t i = 0; i < GePassCount(); ++i) {
    GePassInfo info{};
    info.struct_size = sizeof info;
    Check(GePassAt(i, &info));
    Json required = Json::array();
    for (size_t k = 0; k < info.required_count; ++k) required.push_back(info.required[k]);
    list.push_back({{"name", info.name},
                    {"other_name", info.other_name},
                    {"level", info.level},
                    {"stage", info.stage},
                    {"builtin", info.builtin != 0},
                    {"essential", (info.flags & GE_PASS_ESSENTIAL) != 0},
                    {"needs_shapes", (info.flags & GE_PASS_NEEDS_SHAPES) != 0},
                    {"required", std::move(required)}});
  }
  std::printf("%s\n", list.dump(2).c_str());
}

// All passes in the order of a compile.
void PrintList() {
  Table table({{"pass"}, {"level", Fit::kWhole, true}, {"what", Fit::kText}, {"requires", Fit::kList, false, true}});
  for (size_t i = 0; i < GePassCount(); ++i) {
    GePassInfo info{};
    info.struct_size = sizeof info;
    Check(GePassAt(i, &info));
    std::string required;
    for (size_t k = 0; k < info.required_count; ++k) required += (k ? ", " : "") + std::string(info.required[k]);
    table.Add({info.name, info.flags & GE_PASS_ESSENTIAL ? "" : std::to_string(info.level), KindOf(info), required});
  }
  std::fputs(table.Text().c_str(), stdout);
}

// A line per pass, indented under the sequence that it ran in.
void AddRows(const Json &passes, const std::map<std::string, Json> &counts, size_t depth, Table *table) {
  for (const Json &pass : passes) {
    const std::string name = pass["name"];
    std::vector<std::string> row{std::string(2 * depth, ' ') + name, Fixed(pass["total_ms"].get<double>(), 3),
                                 std::to_string(pass["calls"].get<int64_t>())};
    const auto at = counts.find(name);
    for (const char *key : {"tried", "matched", "applied", "declined"}) {
      const int64_t count = at == counts.end() ? 0 : at->second[key].get<int64_t>();
      row.push_back(count ? std::to_string(count) : "");
    }
    table->Add(std::move(row));
    AddRows(pass["passes"], counts, depth + 1, table);
  }
}

void Passes(const PassesArgs &args) {
  if (args.model.path.empty()) {
    LoadPassFiles(args.model.passes.files, true, args.model.Setting("python.library"));
    return args.json ? PrintJsonList() : PrintList();
  }
  const Instrument timing = FindInstrument("timing"), counter = FindInstrument("counter");
  const Model model = Load(args.model, {timing.get(), counter.get()});
  const Json times = Json::parse(Rendered(timing.get(), GE_INSTRUMENT_JSON));
  const Json counted = Json::parse(Rendered(counter.get(), GE_INSTRUMENT_JSON));
  if (args.json) {
    std::printf("%s\n", Json{{"times", times["passes"]}, {"counts", counted["passes"]}}.dump(2).c_str());
    return;
  }
  std::map<std::string, Json> counts;
  for (const Json &pass : counted["passes"]) counts[pass["name"]] = pass;
  Table table({{"pass"},
               {"ms", Fit::kWhole, true},
               {"runs", Fit::kWhole, true},
               {"tried", Fit::kWhole, true},
               {"matched", Fit::kWhole, true},
               {"applied", Fit::kWhole, true},
               {"declined", Fit::kWhole, true}});
  AddRows(times["passes"], counts, 0, &table);
  std::fputs(table.Text().c_str(), stdout);
}

}  // namespace

void AddPasses(CLI::App *app) {
  auto args = std::make_shared<PassesArgs>();
  args->model.AddTo(app);
  app->get_option("model")->required(false)->description("a model to compile (default: none, list the passes)");
  app->add_flag("--json", args->json, "machine-readable output");
  app->footer("Counts of a pass that runs several times in a compile are its sum, on each of its lines.");
  app->callback([args] { Passes(*args); });
}

}  // namespace tool
