// ge bench: load time, first run, and the distribution of run times.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "session.h"
#include "table.h"

namespace tool {
namespace {

using Clock = std::chrono::steady_clock;
double Ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

struct BenchArgs {
  ModelArgs model;
  FeedArgs feed;
  int warmup = 5;
  int runs = 0;
  double seconds = 3;
  bool json = false;
};

// The value below which a fraction q of the sorted times lies, between neighbours by linear interpolation.
double Quantile(const std::vector<double> &sorted, double q) {
  double at = q * static_cast<double>(sorted.size() - 1);
  size_t low = static_cast<size_t>(at);
  size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

void Bench(const BenchArgs &args) {
  double before = RssMb();
  Clock::time_point start = Clock::now();
  Model model = Load(args.model);
  double load = Ms(Clock::now() - start);
  FeedArgs feed = args.feed;
  feed.quiet = args.model.quiet || args.json;
  Runner runner(model.get(), MakeFeed(model.get(), feed));
  start = Clock::now();
  runner.Run();
  double first = Ms(Clock::now() - start);
  for (int i = 0; i < args.warmup; ++i) runner.Run();
  std::vector<double> times;
  Clock::time_point begin = Clock::now();
  do {
    start = Clock::now();
    runner.Run();
    times.push_back(Ms(Clock::now() - start));
  } while (args.runs > 0 ? times.size() < static_cast<size_t>(args.runs)
                         : Ms(Clock::now() - begin) < args.seconds * 1e3);
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (double t : times) sum += t;
  double mean = sum / static_cast<double>(times.size());
  double peak = PeakRssMb();

  if (args.json) {
    nlohmann::ordered_json report = {{"model", args.model.path},        {"load_ms", load},
                                     {"first_run_ms", first},           {"runs", times.size()},
                                     {"p50_ms", Quantile(times, 0.50)}, {"p95_ms", Quantile(times, 0.95)},
                                     {"p99_ms", Quantile(times, 0.99)}, {"min_ms", times.front()},
                                     {"max_ms", times.back()},          {"mean_ms", mean},
                                     {"runs_per_second", 1e3 / mean},   {"peak_rss_mb", peak},
                                     {"model_rss_mb", peak - before}};
    report["inputs"] = nlohmann::ordered_json::object();
    std::vector<Port> ports = ModelInputs(model.get());
    for (size_t i = 0; i < ports.size(); ++i) report["inputs"][ports[i].name] = runner.feed()[i].dims;
    std::printf("%s\n", report.dump(2).c_str());
    return;
  }
  Table table({{""}, {"ms", Fit::kWhole, true}});
  table.Add({"load", Fixed(load, 3)});
  table.Add({"first run", Fixed(first, 3)});
  table.Add({"p50", Fixed(Quantile(times, 0.50), 4)});
  table.Add({"p95", Fixed(Quantile(times, 0.95), 4)});
  table.Add({"p99", Fixed(Quantile(times, 0.99), 4)});
  table.Add({"best", Fixed(times.front(), 4)});
  table.Add({"mean", Fixed(mean, 4)});
  std::printf("%s%zu runs, %s runs/s, peak memory %s MB (%s MB above the tool's own)\n", table.Text().c_str(),
              times.size(), Fixed(1e3 / mean, 1).c_str(), Fixed(peak, 1).c_str(), Fixed(peak - before, 1).c_str());
}

}  // namespace

void AddBench(CLI::App *app) {
  auto args = std::make_shared<BenchArgs>();
  args->model.AddTo(app);
  args->feed.AddTo(app);
  app->add_option("--warmup", args->warmup, "runs before the clock starts")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app->add_option("-n,--runs", args->runs, "timed runs (default: as many as fit into --seconds)")
      ->check(CLI::Range(1, 100000000));
  app->add_option("--seconds", args->seconds, "how long to measure")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  app->add_flag("--json", args->json, "machine-readable output");
  app->callback([args] { Bench(*args); });
}

}  // namespace tool
