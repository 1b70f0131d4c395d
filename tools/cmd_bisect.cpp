// ge bisect: the first pass of a compile after which outputs differ from those of the graph as it was.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "element.h"
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

std::vector<Array> Outputs(GeModel *model, std::vector<Array> feed) {
  Runner runner(model, std::move(feed));
  runner.Run();
  return runner.Outputs();
}

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
  return Outputs(raw, feed);
}

/// Where outputs differ by more than tolerance · max(1, |value|): which output, element and values; empty: nowhere.
std::string Difference(const std::vector<Array> &want, const std::vector<Array> &got, double tolerance) {
  if (want.size() != got.size()) return std::to_string(want.size()) + " outputs became " + std::to_string(got.size());
  for (size_t o = 0; o < want.size(); ++o) {
    const std::string output = "output " + std::to_string(o);
    if (want[o].data_type != got[o].data_type || want[o].dims != got[o].dims)
      return output + ": " + TypeText(want[o].data_type) +
             DimsText(want[o].dims.data(), static_cast<int64_t>(want[o].dims.size())) + " became " +
             TypeText(got[o].data_type) + DimsText(got[o].dims.data(), static_cast<int64_t>(got[o].dims.size()));
    const ElementReader read = ReaderOf(want[o].data_type);
    if (!read) {
      if (want[o].bytes != got[o].bytes) return output + " has other bytes";
      continue;
    }
    const size_t count = want[o].bytes.size() / (GeDataTypeBits(want[o].data_type) / 8);
    double worst = -1;
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      const double a = read(want[o].bytes.data(), i), b = read(got[o].bytes.data(), i);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      const double apart = std::fabs(a - b) / std::fmax(1, std::fabs(a));
      if (apart > worst || !(apart >= 0)) worst = apart >= 0 ? apart : INFINITY, at = i;
    }
    if (worst <= tolerance) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%s, element %zu: %.9g became %.9g, a relative difference of %.3g", output.c_str(),
                  at, read(want[o].bytes.data(), at), read(got[o].bytes.data(), at), worst);
    return text;
  }
  return "";
}

void Bisect(const BisectArgs &args) {
  LoadPassFiles(args.model.passes.files, true);
  const Graph imported = Import(args.model);
  const Recorder recorder;
  const Model whole = Load(args.model, {recorder.get()});
  const std::vector<State> &states = recorder.states();
  const std::vector<Array> feed = MakeFeed(whole.get(), args.feed);
  const std::vector<Array> want = OutputsOf(args.model, imported.get(), feed);
  const std::string at_end = Difference(want, Outputs(whole.get(), feed), args.tolerance);
  std::printf("%zu passes ran, with a tolerance of %g\n", states.size(), args.tolerance);
  const auto difference = [&](size_t i) {
    return Difference(want, OutputsOf(args.model, states[i].graph.get(), feed), args.tolerance);
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
