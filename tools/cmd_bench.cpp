// ge bench: load time, first run, the distribution of run times, and what bounds each node.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "compare_ort.h"
#include "file.h"
#include "node_rates.h"
#include "session.h"
#include "table.h"
#include "times.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kUsualNodes = 20;
constexpr size_t kMostClockTurns = 200;  // each writes and reads a trace

struct BenchArgs {
  ModelArgs model;
  FeedArgs feed;
  int warmup = 5;
  int runs = 0;
  double seconds = 3;
  std::string nodes = std::to_string(kUsualNodes), compare, html;
  bool json = false;

  size_t most_nodes() const { return nodes == "all" ? SIZE_MAX : std::strtoull(nodes.c_str(), nullptr, 10); }
};

// The value below which a fraction q of the sorted times lies, between neighbours by linear interpolation.
double Quantile(const std::vector<double> &sorted, double q) {
  double at = q * static_cast<double>(sorted.size() - 1);
  size_t low = static_cast<size_t>(at);
  size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

double Mean(const std::vector<double> &times) {
  double sum = 0;
  for (double t : times) sum += t;
  return sum / static_cast<double>(times.size());
}

// Measurements of the model itself.
struct Measured {
  double load = 0, first = 0, peak = 0, before = 0;
  std::vector<double> times;  // sorted
  ClockTurns clock;           // each sorted
  GeMachineRates limits{};
  std::vector<NodeRate> rates;
  double without_clock() const { return Quantile(clock.without, 0.5); }
  double with_clock() const { return Quantile(clock.with, 0.5); }
  double clock_cost() const { return with_clock() / without_clock() - 1; }
};

// The other library, where it was asked for.
struct Peer {
  std::string version;
  double load = 0, first = 0, difference = 0;
  std::vector<double> times;  // sorted
};

// Both take turns, so that what else the machine does meets both.
void RunInTurns(const BenchArgs &args, Runner *runner, OrtPeer *peer, std::vector<double> *ours,
                std::vector<double> *theirs) {
  const Clock::time_point begin = Clock::now();
  const size_t wanted = static_cast<size_t>(std::max(args.runs, 0));
  const double patience = args.seconds * 1e3 * (peer ? 2 : 1);
  for (int burst = 1;;) {
    const Clock::time_point turn = Clock::now();
    for (int i = 0; i < burst && !(wanted && ours->size() == wanted); ++i) {
      const Clock::time_point start = Clock::now();
      runner->Run();
      ours->push_back(Ms(Clock::now() - start));
    }
    if (peer)
      for (double t : peer->Run(static_cast<int>(ours->size() - theirs->size()))) theirs->push_back(t);
    if (wanted ? ours->size() == wanted : Ms(Clock::now() - begin) >= patience) return;
    if (peer && Ms(Clock::now() - turn) < 20) burst = std::min(2 * burst, 1024);  // a turn is longer than a word to it
  }
}

int ThreadsOf(const GeModel *model) { return Json::parse(Describe(model, GE_MODEL_REPORT))["threads"].get<int>(); }

std::vector<std::string> NamesOf(const std::vector<Port> &ports) {
  std::vector<std::string> names;
  for (const Port &port : ports) names.push_back(port.name);
  return names;
}

void Compare(const BenchArgs &args, const GeModel *model, Runner *runner, Measured *measured, Peer *peer) {
  OrtPeer ort(args.model.path, ThreadsOf(model), NamesOf(ModelInputs(model)), runner->feed());
  for (int i = 0; i < args.warmup; ++i) runner->Run();
  ort.Run(args.warmup);
  RunInTurns(args, runner, &ort, &measured->times, &peer->times);
  std::sort(peer->times.begin(), peer->times.end());
  peer->version = ort.version();
  peer->load = ort.load_ms();
  peer->first = ort.first_run_ms();
  peer->difference = ort.Difference(NamesOf(ModelOutputs(model)), runner->Outputs());
}

Json DistributionJson(const std::vector<double> &times) {
  const double mean = Mean(times);
  return {{"runs", times.size()},
          {"p50_ms", Quantile(times, 0.50)},
          {"p95_ms", Quantile(times, 0.95)},
          {"p99_ms", Quantile(times, 0.99)},
          {"min_ms", times.front()},
          {"max_ms", times.back()},
          {"mean_ms", mean},
          {"runs_per_second", 1e3 / mean}};
}

Json NodesJson(const std::vector<NodeRate> &rates, size_t most) {
  Json nodes = Json::array();
  for (size_t i = 0; i < rates.size() && i < most; ++i) {
    const NodeRate &rate = rates[i];
    nodes.push_back({{"node", rate.kernel.node},
                     {"type", rate.kernel.type},
                     {"engine", rate.kernel.engine},
                     {"kernel", rate.kernel.implementation},
                     {"calls", rate.kernel.runs},
                     {"ms", rate.kernel.micros / 1000},
                     {"share", rate.share},
                     {"gflops_per_second", rate.flops / 1e9},
                     {"gbytes_per_second", rate.bytes / 1e9},
                     {"flops_type", rate.kernel.flops_type},
                     {"bound_by", rate.bound},
                     {"of_limit", rate.of_limit}});
  }
  return nodes;
}

void PrintJson(const BenchArgs &args, const GeModel *model, const Runner &runner, const Measured &m, const Peer *peer) {
  Json report = {{"model", args.model.path}, {"load_ms", m.load}, {"first_run_ms", m.first}};
  report.update(DistributionJson(m.times));
  report["peak_rss_mb"] = m.peak;
  report["model_rss_mb"] = m.peak - m.before;
  report["inputs"] = Json::object();
  const std::vector<Port> ports = ModelInputs(model);
  for (size_t i = 0; i < ports.size(); ++i) report["inputs"][ports[i].name] = runner.feed()[i].dims;
  if (peer) {
    Json other = {
        {"library", "onnxruntime"}, {"version", peer->version}, {"load_ms", peer->load}, {"first_run_ms", peer->first}};
    other.update(DistributionJson(peer->times));
    other["ratio_p50"] = Quantile(peer->times, 0.5) / Quantile(m.times, 0.5);
    other["difference"] = std::isfinite(peer->difference) ? Json(peer->difference) : Json();
    report["compare"] = std::move(other);
  }
  if (args.most_nodes() != 0) {
    report["limits"] = {{"gflops_per_second", m.limits.flops / 1e9},
                        {"gbytes_per_second", m.limits.bytes_per_second / 1e9},
                        {"how_flops", m.limits.how_flops},
                        {"how_bytes", m.limits.how_bytes}};
    for (size_t i = 0; i < m.limits.type_count; ++i) {
      const GeArithmeticRate &each = m.limits.types[i];
      report["limits"]["types"][GeDataTypeName(each.data_type)] = {{"gflops_per_second", each.flops / 1e9},
                                                                   {"how_flops", each.how}};
    }
    report["profiled_run_ms"] = m.clock.quickest.micros / 1000;
    report["clock"] = {
        {"turns", m.clock.with.size()}, {"p50_without_ms", m.without_clock()}, {"p50_with_ms", m.with_clock()}};
    report["clock_cost"] = m.clock_cost();
    report["nodes"] = NodesJson(m.rates, args.most_nodes());
  }
  std::printf("%s\n", report.dump(2).c_str());
}

void PrintText(const BenchArgs &args, const Measured &m, const Peer *peer) {
  std::vector<Column> columns = {{""}, {"ms", Fit::kWhole, true}};
  if (peer) {
    columns.push_back({"ONNX Runtime", Fit::kWhole, true});
    columns.push_back({"ratio", Fit::kWhole, true});
  }
  Table table(columns);
  const auto row = [&](const char *what, double ours, double theirs, int digits) {
    std::vector<std::string> cells = {what, Fixed(ours, digits)};
    if (peer) {
      cells.push_back(Fixed(theirs, digits));
      cells.push_back(ours > 0 ? Fixed(theirs / ours, 2) : "");
    }
    table.Add(std::move(cells));
  };
  const std::vector<double> &theirs = peer ? peer->times : m.times;
  row("load", m.load, peer ? peer->load : 0, 3);
  row("first run", m.first, peer ? peer->first : 0, 3);
  row("p50", Quantile(m.times, 0.50), Quantile(theirs, 0.50), 4);
  row("p95", Quantile(m.times, 0.95), Quantile(theirs, 0.95), 4);
  row("p99", Quantile(m.times, 0.99), Quantile(theirs, 0.99), 4);
  row("best", m.times.front(), theirs.front(), 4);
  row("mean", Mean(m.times), Mean(theirs), 4);
  std::printf("%s%zu runs, %s runs/s, peak memory %s MB (%s MB above the tool's own)\n", table.Text().c_str(),
              m.times.size(), Fixed(1e3 / Mean(m.times), 1).c_str(), Fixed(m.peak, 1).c_str(),
              Fixed(m.peak - m.before, 1).c_str());
  if (peer)
    std::printf(
        "ONNX Runtime %s, in turns with this library, in a process of its own; ratio: its time by ours; largest "
        "difference of an output %.1e of its largest value\n",
        peer->version.c_str(), peer->difference);
  if (args.most_nodes() == 0) return;
  std::printf("\n%s", RatesTable(m.rates, m.limits, args.most_nodes()).c_str());
  std::printf("a clock around each kernel costs %s %%: %s ms with, %s ms without (p50 of %zu runs each, in turns)\n",
              Fixed(100 * m.clock_cost(), 1).c_str(), Fixed(m.with_clock(), 4).c_str(),
              Fixed(m.without_clock(), 4).c_str(), m.clock.with.size());
}

void Bench(const BenchArgs &args) {
  if (!args.compare.empty() && (EndsWith(args.model.path, ".om") || EndsWith(args.model.path, ".pb") ||
                                EndsWith(args.model.path, ".pbtxt") || args.model.framework == 3))
    throw Usage("--compare ort is for ONNX files, '" + args.model.path + "' is none");
  Measured m;
  m.before = RssMb();
  Clock::time_point start = Clock::now();
  Model model = Load(args.model);
  m.load = Ms(Clock::now() - start);
  FeedArgs feed = args.feed;
  feed.quiet = args.model.quiet || args.json;
  Runner runner(model.get(), MakeFeed(model.get(), feed));
  start = Clock::now();
  runner.Run();
  m.first = Ms(Clock::now() - start);
  std::unique_ptr<Peer> peer;
  if (args.compare.empty()) {
    for (int i = 0; i < args.warmup; ++i) runner.Run();
    std::vector<double> none;
    RunInTurns(args, &runner, nullptr, &m.times, &none);
  } else {
    peer = std::make_unique<Peer>();
    Compare(args, model.get(), &runner, &m, peer.get());
  }
  std::sort(m.times.begin(), m.times.end());
  m.peak = PeakRssMb();
  if (args.most_nodes() != 0) {
    m.limits = LimitsOf(ThreadsOf(model.get()));
    m.clock = TakeTurns(&runner, std::min<size_t>(std::max(args.runs, 0), kMostClockTurns), args.seconds * 1e3 / 2);
    std::sort(m.clock.with.begin(), m.clock.with.end());
    std::sort(m.clock.without.begin(), m.clock.without.end());
    m.rates = RatesOf(m.clock.quickest, m.limits);
  }
  if (!args.html.empty()) {
    std::string page;
    runner.Report(&page);
    OutputFile file(args.html);
    file.Write(page);
    file.Close();
  }
  if (args.json) PrintJson(args, model.get(), runner, m, peer.get());
  else PrintText(args, m, peer.get());
}

// "all", or how many.
std::string NotNodes(const std::string &text) {
  const bool number = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  return number || text == "all" ? "" : "'" + text + "' is neither a number nor all";
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
  app->add_option("--nodes", args->nodes, "how many of the slowest nodes to show, or all")
      ->capture_default_str()
      ->check(CLI::Validator(NotNodes, "N|all"));
  app->add_option("--compare", args->compare, "another library that runs beside: ort, ONNX Runtime of Python")
      ->check(CLI::IsMember({"ort"}));
  app->add_option("--html", args->html, "file of a page with roofline, timeline and memory of a run");
  app->add_flag("--json", args->json, "machine-readable output");
  app->footer("Nodes are those of a run with a clock around each kernel. Limits are what this machine does at best.");
  app->callback([args] { Bench(*args); });
}

}  // namespace tool
