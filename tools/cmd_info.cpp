// ge info: inputs and outputs, where every operator runs and why, what the passes did, memory.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "session.h"
#include "table.h"

namespace tool {
namespace {

struct InfoArgs {
  ModelArgs model;
  FeedArgs feed;
  bool json = false;
};

std::string OneLine(const std::string &lines) {
  std::string out;
  for (char c : lines) {
    if (c == '\n') out += "; ";
    else out += c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ';')) out.pop_back();
  return out;
}

// Values as text: numbers plain, others as JSON.
std::string Plain(const nlohmann::ordered_json &value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return Fixed(value.get<double>(), 3);
  return value.dump();
}

void Section(const char *title, const nlohmann::ordered_json &value) {
  if (value.empty()) return;
  std::printf("\n%s\n", title);
  if (value.is_array() && value[0].is_object()) {
    std::vector<std::string> header;
    for (const auto &[key, unused] : value[0].items()) header.push_back(key);
    Table table(header);
    for (const auto &row : value) {
      std::vector<std::string> cells;
      for (const std::string &key : header) cells.push_back(row.contains(key) ? Plain(row[key]) : "");
      table.Add(cells);
    }
    std::fputs(table.Text().c_str(), stdout);
    return;
  }
  if (!value.is_object()) {
    std::printf("  %s\n", Plain(value).c_str());
    return;
  }
  for (const auto &[key, item] : value.items()) {
    bool bytes = item.is_number() && key.size() > 5 && key.compare(key.size() - 5, 5, "bytes") == 0;
    std::string text = bytes ? Bytes(item.get<double>()) : Plain(item);
    std::printf("  %s: %s\n", key.c_str(), text.c_str());
  }
}

void Info(const InfoArgs &args) {
  Model model = Load(args.model);
  std::vector<Port> inputs = ModelInputs(model.get());
  bool open = false;
  for (const Port &p : inputs) {
    open = open || !p.ranked;
    for (int64_t d : p.dims) open = open || d < 0;
  }
  // A plan for given shapes, so that kernels and memory can be told.
  if (!args.feed.shapes.empty()) {
    Runner runner(model.get(), MakeFeed(model.get(), args.feed));
    runner.Run();
  }
  std::string text = Describe(model.get(), GE_MODEL_REPORT);
  if (args.json) {
    std::printf("%s\n", nlohmann::ordered_json::parse(text).dump(2).c_str());
    return;
  }
  std::printf("%s\n\ninputs\n", args.model.path.c_str());
  for (const Port &p : inputs) std::printf("  %s\n", PortText(p).c_str());
  std::printf("outputs\n");
  for (const Port &p : ModelOutputs(model.get())) std::printf("  %s\n", PortText(p).c_str());

  std::printf("\nplacement\n");
  Table table({"node", "type", "engine", "implementation", "refused by"});
  for (size_t i = 0; i < GeModelPlacementCount(model.get()); ++i) {
    GePlacement row{};
    row.struct_size = sizeof row;
    Check(GeModelGetPlacement(model.get(), i, &row));
    table.Add({row.node, row.type, row.engine, row.implementation, OneLine(row.refusals)});
  }
  std::fputs(table.Text().c_str(), stdout);
  nlohmann::ordered_json report = nlohmann::ordered_json::parse(text);
  for (const char *key : {"passes", "memory", "options"})
    if (report.contains(key)) Section(key, report[key]);
  if (open && args.feed.shapes.empty())
    std::printf(
        "\nSome dimensions are open: kernels and memory are planned for the shapes of each run. "
        "Give shapes with --shape to see a plan.\n");
}

}  // namespace

void AddInfo(CLI::App *app) {
  auto args = std::make_shared<InfoArgs>();
  args->model.AddTo(app);
  args->feed.AddTo(app);
  app->add_flag("--json", args->json, "machine-readable output");
  app->callback([args] { Info(*args); });
}

}  // namespace tool
