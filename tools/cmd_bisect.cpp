// ge bisect: the first pass of a compile after which outputs differ from those of the graph as it was.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "difference.h"
#include "pass_files.h"
#include "pass_options.h"
#include "session.h"
#include "table.h"

namespace tool {
namespace {

struct BisectArgs {
  ModelArgs model;
  FeedArgs feed;
  double tolerance = 1e-3;
};

/// The graph after a pass that rewrites. Constants are shared with the graph that is compiled.
struct State {
  std::string pass;
  Graph graph;
};

/// Keeps a copy of the graph behind every pass of a compile.
class Recorder {
 public:
  Recorder() {
    GeInstrumentTable table{};
    table.struct_size = sizeof table;
    table.name = "bisect";
    table.user = &states_;
    table.after = [](void *user, GeGraph *graph, const GePassInfo *info) -> GeStatus {
      // A sequence is told by the passes that it holds. Essential passes change no outputs, except by the rewrites
      // before them.
      if (info->flags & (GE_PASS_HOLDS_PASSES | GE_PASS_ESSENTIAL)) return GE_SUCCESS;
      GeGraph *copy = nullptr;
      if (const GeStatus status = GeGraphClone(graph, nullptr, &copy); status != GE_SUCCESS) return status;
      static_cast<std::vector<State> *>(user)->push_back({info->name, Graph(copy)});
      return GE_SUCCESS;
    };
    GeInstrument *made = nullptr;
    Check(GeInstrumentMake(&table, &made));
    instrument_.reset(made);
  }
  GeInstrument *get() const { return instrument_.get(); }
  const std::vector<State> &states() const { return states_; }

 private:
  std::vector<State> states_;
  Instrument instrument_;
};

/// Names of the passes that are not the library's: they run at every level.
std::vector<std::string> ProgramPasses() {
  std::vector<std::string> names;
  for (size_t i = 0; i < GePassCount(); ++i) {
    GePassInfo info{};
    info.struct_size = sizeof info;
    Check(GePassAt(i, &info));
    if (!info.builtin) names.emplace_back(info.name);
  }
  return names;
}

/// Outputs of a graph that is compiled without rewrites.
std::vector<Array> OutputsOf(const ModelArgs &args, const GeGraph *graph, const std::vector<Array> &feed) {
  PassArgs nothing;
  nothing.level = 0;
  nothing.disabled = ProgramPasses();
  const PassScope scope(nothing);
  GeGraph *copy = nullptr;
  Check(GeGraphClone(graph, nullptr, &copy));
  const Graph owned(copy);
  Options options = args.Make();
  Check(GeOptionsSet(options.get(), "opt_level", "0"));
  GeModel *raw = nullptr;
  Check(GeCompile(copy, options.get(), &raw));
  const Model model(raw);
  return RunOnce(raw, feed);
}

/// Where outputs differ by more than tolerance · max(1, |value|): which output, element and values; empty: nowhere.
std::string FirstDifference(const std::vector<Array> &want, const std::vector<Array> &got, double tolerance) {
  if (want.size() != got.size()) return std::to_string(want.size()) + " outputs became " + std::to_string(got.size());
  for (size_t o = 0; o < want.size(); ++o) {
    const Difference found = Between(want[o], got[o]);
    if (found.apart <= tolerance) continue;
    const std::string place = "output " + std::to_string(o) + ", " + found.Worst();
    if (!found.other.empty()) return place;
    char text[48];
    std::snprintf(text, sizeof text, ", a relative difference of %.3g", found.apart);
    return place + text;
  }
  return "";
}

void Bisect(const BisectArgs &args) {
  if (std::isnan(args.tolerance)) throw Usage("--tolerance is nan, allowed: 0 to 1e9");
  LoadPassFiles(args.model.passes.files, true, args.model.Setting("python.library"));
  const Graph imported = Import(args.model);
  const Recorder recorder;
  const Model whole = Compile(args.model, imported.get(), {recorder.get()});
  const std::vector<State> &states = recorder.states();
  const std::vector<Array> feed = MakeFeed(whole.get(), args.feed);
  const std::vector<Array> want = OutputsOf(args.model, imported.get(), feed);
  const std::string at_end = FirstDifference(want, RunOnce(whole.get(), feed), args.tolerance);
  std::printf("%zu passes ran, with a tolerance of %g\n", states.size(), args.tolerance);
  const auto difference = [&](size_t i) {
    return FirstDifference(want, OutputsOf(args.model, states[i].graph.get(), feed), args.tolerance);
  };
  if (states.empty() || difference(states.size() - 1).empty()) {
    if (at_end.empty()) std::printf("no pass changes the outputs\n");
    else
      std::printf(
          "no pass changes the outputs, and yet those of the whole compile differ: %s.\nKernels of fused or laid "
          "out operators compute it otherwise.\n",
          at_end.c_str());
    return;
  }
  // Once outputs differ they stay so: half of the passes is left out with each run.
  size_t good = 0, bad = states.size() - 1;  // the first that differs lies in [good, bad]
  while (good < bad) {
    const size_t middle = good + (bad - good) / 2;
    if (difference(middle).empty()) good = middle + 1;
    else bad = middle;
  }
  std::printf("the first pass after which outputs differ is %s, number %zu: %s\n", states[bad].pass.c_str(), bad + 1,
              difference(bad).c_str());
}

}  // namespace

void AddBisect(CLI::App *app) {
  auto args = std::make_shared<BisectArgs>();
  args->model.AddTo(app);
  args->feed.AddTo(app);
  app->add_option("--tolerance", args->tolerance,
                  "how far outputs may be apart, relative to the larger of 1 and the value")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app->footer(
      "Runs the graph behind passes without further rewrites, and compares with the graph as it was imported. Inputs "
      "are "
      "random where none are given.");
  app->callback([args] { Bisect(*args); });
}

}  // namespace tool
