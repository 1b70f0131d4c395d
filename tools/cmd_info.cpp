// ge info: what a model takes and gives, what is wrong with it here, and where its time and memory go, on one screen.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "ge/engine.h"
#include "ge/registry.h"
#include "precision_share.h"
#include "screen.h"
#include "session.h"
#include "table.h"
#include "times.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;

struct InfoArgs {
  ModelArgs model;
  FeedArgs feed;
  bool json = false, why = false, nodes = false, passes = false, no_run = false;
};

constexpr char kReference[] = "DNN_VM_HOST_CPU";  // runs everything, and slowly
constexpr double kNoticeable = 0.05;              // a share of the run's time

struct Node {
  std::string name, type, engine, implementation, refusals;
  double micros = 0, flops = 0;
  bool timed = false;
};

std::vector<Node> Nodes(const GeModel *model, const RunTimes &times) {
  std::vector<Node> nodes;
  std::set<std::string> placed;
  auto timed = [&](Node node) {
    if (const auto it = times.nodes.find(node.name); it != times.nodes.end()) {
      node.micros = it->second.micros;
      node.timed = true;
      if (node.implementation.empty()) node.implementation = it->second.implementation;
      if (node.flops == 0) node.flops = it->second.flops;
    }
    nodes.push_back(std::move(node));
  };
  for (size_t i = 0; i < GeModelPlacementCount(model); ++i) {
    GePlacement row{};
    row.struct_size = sizeof row;
    Check(GeModelGetPlacement(model, i, &row));
    placed.insert(row.node);
    timed({row.node, row.type, row.engine, row.implementation, row.refusals, 0, row.flops, false});
  }
  // Bodies of branches and loops have plans of their own.
  for (const auto &[name, kernel] : times.nodes)
    if (!placed.count(name))
      timed({name, kernel.type, kernel.engine, kernel.implementation, "", 0, kernel.flops, false});
  return nodes;
}

std::string Milliseconds(double micros) { return Fixed(micros / 1000, micros < 10000 ? 3 : 1); }
std::string Percent(double part, double whole) { return whole > 0 ? Fixed(100 * part / whole, 1) : ""; }

// Lines that a user should see before anything else.
class Problems {
 public:
  void Add(const std::string &line) {
    if (!line.empty()) lines_.push_back(line);
  }
  void AddLines(const std::string &text) {
    size_t at = 0;
    while (at < text.size()) {
      const size_t end = std::min(text.find('\n', at), text.size());
      Add(text.substr(at, end - at));
      at = end + 1;
    }
  }
  void Print() const {
    if (lines_.empty()) return;
    std::printf("problems\n");
    for (const std::string &line : lines_) std::fputs(Paragraph("  ! ", line).c_str(), stdout);
    std::printf("\n");
  }

 private:
  std::vector<std::string> lines_;
};

void AddEngineProblems(Problems *problems) {
  std::string warnings;
  Check(GeWarningsTake(AppendText, &warnings));
  problems->AddLines(warnings);
  for (size_t i = 0; i < GeEngineCount(); ++i) {
    GeEngineInfo info{};
    info.struct_size = sizeof info;
    // One that is made for another processor is as it should be: its name is the file's, without a version.
    if (GeEngineAt(i, &info) == GE_SUCCESS && *info.error && std::string(info.error).rfind("it needs what", 0) != 0)
      problems->Add(info.error);
  }
}

// Types of operators with how often each is there: "Conv2D 53, Add 16".
std::string Types(const std::map<std::string, size_t> &counts) {
  std::vector<std::pair<size_t, std::string>> sorted;
  for (const auto &[type, count] : counts) sorted.emplace_back(count, type);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string text;
  for (const auto &[count, type] : sorted)
    text += (text.empty() ? "" : ", ") + type + (count > 1 ? " " + std::to_string(count) : "");
  return text;
}

void AddSlowOperators(const std::vector<Node> &nodes, double total, Problems *problems) {
  double micros = 0;
  std::map<std::string, size_t> types;
  for (const Node &node : nodes) {
    if (node.engine != kReference || node.micros < kNoticeable * total / 10) continue;
    micros += node.micros;
    ++types[node.type];
  }
  if (total <= 0 || micros < kNoticeable * total) return;
  problems->Add(Percent(micros, total) + " % of the time is spent in the reference engine " + kReference +
                ", which no faster one relieves of: " + Types(types) + " (--why says why)");
}

void PrintGroups(const std::vector<Node> &nodes, double total) {
  struct Group {
    size_t count = 0;
    double micros = 0, flops = 0;
    std::map<std::string, size_t> types;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const Node &node : nodes) {
    Group &group = groups[{node.engine, node.implementation}];
    ++group.count;
    group.micros += node.micros;
    if (node.timed) group.flops += node.flops;
    ++group.types[node.type];
  }
  std::vector<std::pair<std::pair<std::string, std::string>, Group>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return std::tie(a.second.micros, a.second.count) > std::tie(b.second.micros, b.second.count);
  });
  Table table({{"engine"},
               {"kernel", Fit::kName, false, true, 25},
               {"nodes", Fit::kWhole, true},
               {"ms", Fit::kWhole, true, true},
               {"%", Fit::kWhole, true, true},
               {"GFLOP/s", Fit::kWhole, true, true},
               {"operators", Fit::kList}});
  constexpr size_t kMost = 16;  // what a screen has room for
  Group rest;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const auto &[key, group] = sorted[i];
    if (sorted.size() > kMost && i + 1 >= kMost) {
      rest.count += group.count;
      rest.micros += group.micros;
      for (const auto &[type, count] : group.types) rest.types[type] += count;
      continue;
    }
    const std::string rate = group.micros > 0 && group.flops > 0 ? Fixed(group.flops / group.micros / 1000, 1) : "";
    table.Add({key.first, key.second, std::to_string(group.count), group.micros > 0 ? Milliseconds(group.micros) : "",
               group.micros > 0 ? Percent(group.micros, total) : "", rate, Types(group.types)});
  }
  if (rest.count)
    table.Add({"others", "", std::to_string(rest.count), total > 0 ? Milliseconds(rest.micros) : "",
               Percent(rest.micros, total), "", Types(rest.types)});
  std::fputs(table.Text().c_str(), stdout);
}

void PrintNodes(const std::vector<Node> &nodes, double total) {
  std::printf("\n");
  Table table({{"node", Fit::kName},
               {"type"},
               {"engine"},
               {"kernel", Fit::kName, false, true},
               {"ms", Fit::kWhole, true, true},
               {"%", Fit::kWhole, true, true}});
  for (const Node &node : nodes)
    table.Add({node.name, node.type, node.engine, node.implementation, node.timed ? Milliseconds(node.micros) : "",
               node.timed ? Percent(node.micros, total) : ""});
  std::fputs(table.Text().c_str(), stdout);
}

// Each reason once, with the operators that it holds for.
void PrintRefusals(const std::vector<Node> &nodes) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, size_t>> reasons;  // (refusal, engine): types
  for (const Node &node : nodes) {
    for (size_t at = 0; at < node.refusals.size();) {
      const size_t end = std::min(node.refusals.find('\n', at), node.refusals.size());
      ++reasons[{node.refusals.substr(at, end - at), node.engine}][node.type];
      at = end + 1;
    }
  }
  std::printf("\n%s\n", reasons.empty() ? "no engine refused an operator" : "why not elsewhere");
  if (reasons.empty()) return;
  Table table({{"refused by", Fit::kText}, {"operators", Fit::kText}, {"run by"}});
  for (const auto &[key, types] : reasons) table.Add({key.first, Types(types), key.second});
  std::fputs(table.Text().c_str(), stdout);
}

void PrintPasses(const Json &report) {
  std::printf("\n");
  Table table({{"pass", Fit::kName},
               {"ms", Fit::kWhole, true},
               {"tried", Fit::kWhole, true},
               {"applied", Fit::kWhole, true},
               {"declined", Fit::kWhole, true},
               {"rules", Fit::kList}});
  for (const Json &pass : report["passes"]) {
    std::string rules;
    for (const auto &[rule, counts] : pass["rules"].items())
      if (counts["applied"] != 0 && rule != pass["name"])
        rules += (rules.empty() ? "" : ", ") + rule + " " + counts["applied"].dump();
    table.Add({pass["name"], Fixed(pass["ms"], 3), pass["tried"].dump(), pass["applied"].dump(),
               pass["declined"].dump(), rules});
  }
  std::fputs(table.Text().c_str(), stdout);
}

void PrintPorts(const char *title, const std::vector<Port> &ports) {
  constexpr size_t kMost = 8;
  std::printf("%s\n", title);
  std::vector<std::string> names;
  for (const Port &port : ports) names.push_back(port.name);
  names = ShortNames(names, ScreenWidth() / 2);
  for (size_t i = 0; i < ports.size() && i < kMost; ++i)
    std::printf("  %s: %s%s\n", names[i].c_str(), TypeText(ports[i].data_type).c_str(), ShapeText(ports[i]).c_str());
  if (ports.size() > kMost) std::printf("  and %zu more (--json lists all)\n", ports.size() - kMost);
}

void PrintMemory(const Json &report) {
  if (!report.contains("memory") || !report["memory"].contains("arena_bytes")) return;
  const Json &memory = report["memory"];
  auto bytes = [&](const char *key) { return Bytes(memory.value(key, 0.0)); };
  std::string text = "weights " + bytes("constant_bytes");
  if (memory.value("packed_bytes", 0.0) > 0) text += " and " + bytes("packed_bytes") + " packed for kernels";
  text += "; tensors of a run " + bytes("arena_bytes") + ", least " + bytes("live_peak_bytes") + ", without reuse " +
          bytes("without_reuse_bytes");
  std::fputs(Paragraph("memory    ", text).c_str(), stdout);
}

// The precision that nodes got of the one that options ask for, and why others stay as they are.
void PrintPrecision(const Json &report) {
  const PrecisionShare share(report);
  std::string text = share.Text();
  if (text.empty()) return;
  for (const auto &[why, types] : share.reasons)
    text += "; not for " + Counted(types.size(), "node") + " (" + types.front() + "): " + why;
  std::fputs(Paragraph("precision ", text).c_str(), stdout);
}

void PrintCompile(const Json &report) {
  double seconds = 0;
  for (const Json &stage : report["stages"]) seconds += stage["seconds"].get<double>();
  std::string changed;
  for (const Json &pass : report["passes"])
    if (pass["changed"] == true)
      changed += (changed.empty() ? "" : ", ") + pass["name"].get<std::string>() +
                 (pass["applied"] != 0 ? " " + pass["applied"].dump() : "");
  std::printf("compiled  in %s ms\n", Fixed(seconds * 1000, 1).c_str());
  std::fputs(Paragraph("passes    ", changed.empty() ? "none changed the graph" : changed).c_str(), stdout);
  std::string options;
  for (const auto &[key, value] : report["options"].items())
    options +=
        (options.empty() ? "" : ", ") + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  if (!options.empty()) std::fputs(Paragraph("options   ", options).c_str(), stdout);
}

void Print(const InfoArgs &args, const GeModel *model, const RunTimes &times, Problems problems) {
  const Json report = Json::parse(Describe(model, GE_MODEL_REPORT));
  const std::vector<Node> nodes = Nodes(model, times);
  double total = 0;
  for (const Node &node : nodes) total += node.micros;
  AddSlowOperators(nodes, total, &problems);
  std::printf("%s: graph '%s', %s, %s\n\n", args.model.path.c_str(), report["graph"].get<std::string>().c_str(),
              Counted(nodes.size(), "node").c_str(), Counted(report["threads"].get<size_t>(), "thread").c_str());
  problems.Print();
  PrintPorts("inputs", ModelInputs(model));
  PrintPorts("outputs", ModelOutputs(model));
  std::printf("\n");
  PrintGroups(nodes, total);
  std::printf("\n");
  if (times.micros > 0)
    std::printf("run       %s ms, %s of it in kernels\n", Milliseconds(times.micros).c_str(),
                (Percent(total, times.micros) + " %").c_str());
  PrintMemory(report);
  PrintPrecision(report);
  PrintCompile(report);
  if (args.nodes) PrintNodes(nodes, total);
  if (args.why) PrintRefusals(nodes);
  if (args.passes) PrintPasses(report);
}

void Info(const InfoArgs &args) {
  Model model = Load(args.model);
  Problems problems;
  AddEngineProblems(&problems);
  RunTimes times;
  if (!args.no_run && (!args.json || !args.feed.shapes.empty())) {
    FeedArgs feed = args.feed;
    feed.quiet = args.model.quiet || args.json;
    // Random numbers do not suit every model: what can be told without a run is told.
    std::vector<Array> inputs;
    try {
      inputs = MakeFeed(model.get(), feed);
    } catch (const Error &e) {
      if (!feed.inputs.empty() || !feed.shapes.empty()) throw;
      problems.Add("no run was made, and there are no times: " + std::string(e.what()));
    }
    try {
      if (inputs.size() == GeModelInputCount(model.get())) {
        Runner runner(model.get(), std::move(inputs));
        times = Measure(&runner);
      }
    } catch (const Error &e) {
      problems.AddLines("a run " + std::string(feed.inputs.empty() ? "with random inputs " : "") +
                        "fails, and there are no times: " + e.what());
    }
  }
  if (args.json) std::printf("%s\n", Json::parse(Describe(model.get(), GE_MODEL_REPORT)).dump(2).c_str());
  else Print(args, model.get(), times, std::move(problems));
}

}  // namespace

void AddInfo(CLI::App *app) {
  auto args = std::make_shared<InfoArgs>();
  args->model.AddTo(app);
  args->feed.AddTo(app);
  app->add_flag("--why", args->why, "why engines refused operators, each reason once");
  app->add_flag("--nodes", args->nodes, "every node of the compiled graph with its kernel and time");
  app->add_flag("--passes", args->passes, "every pass with what it applied");
  app->add_flag("--no-run", args->no_run, "run nothing: no times, and of open shapes no kernels and no memory");
  app->add_flag("--json", args->json, "machine-readable output: the report of the compile");
  app->footer(
      "Problems come first. Times are those of the quicker of two runs, with random inputs where none are given.");
  app->callback([args] { Info(*args); });
}

}  // namespace tool
