// Measures what a match costs: found, checked and rewritten.
//
//   rewrite [runs] [what]      default 5, all; prints a JSON object a line, medians of the runs
//                              in processor time
//
//   given      the replacement is a graph that is given once (RewriteAll)
//   class      a PatternFusionPass builds the replacement for each match
//   two        as given, for a pattern with two outputs
//   nothing    100 rules that match nothing, milliseconds together
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "es_all_ops.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/fusion/rewrite_all.h"

namespace {

using ge::GraphPtr;
using ge::es::EsGraphBuilder;
using ge::es::EsTensorHolder;
using ge::fusion::GraphUniqPtr;
using ge::fusion::Pattern;
using ge::fusion::PatternUniqPtr;

void Check(bool fine, const char *what) {
  if (fine) return;
  std::fprintf(stderr, "rewrite: %s: %s\n", what, GeLastErrorMessage());
  std::exit(1);
}

using Build = std::function<std::vector<EsTensorHolder>(EsGraphBuilder &)>;
GraphUniqPtr Made(const char *name, const Build &build) {
  EsGraphBuilder b(name);
  return b.BuildAndReset(build(b));
}
PatternUniqPtr PatternOf(const Build &build) { return std::make_unique<Pattern>(std::move(*Made("pattern", build))); }

/// Nodes in blocks of four that follow one another: Add, Relu, Neg, Abs.
GraphPtr Chain(int64_t nodes) {
  return GraphPtr(Made("chain", [&](EsGraphBuilder &b) -> std::vector<EsTensorHolder> {
    auto x = b.CreateInput(0), y = b.CreateInput(1);
    for (int64_t i = 0; i < nodes / 4; ++i) x = ge::es::Abs(ge::es::Neg(ge::es::Relu(ge::es::Add(x, y))));
    return {x};
  }));
}
/// Blocks of four in which two nodes read the same tensor: Sin and Cos of it, their sum, Neg.
GraphPtr Pairs(int64_t nodes) {
  return GraphPtr(Made("pairs", [&](EsGraphBuilder &b) -> std::vector<EsTensorHolder> {
    auto x = b.CreateInput(0);
    for (int64_t i = 0; i < nodes / 4; ++i) x = ge::es::Neg(ge::es::Add(ge::es::Sin(x), ge::es::Cos(x)));
    return {x};
  }));
}

std::vector<EsTensorHolder> AddRelu(EsGraphBuilder &b) {
  return {ge::es::Relu(ge::es::Add(b.CreateInput(0), b.CreateInput(1)))};
}
std::vector<EsTensorHolder> OneNode(EsGraphBuilder &b) { return {ge::es::Maximum(b.CreateInput(0), b.CreateInput(1))}; }

class BuildsEachTime : public ge::fusion::PatternFusionPass {
 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    std::vector<PatternUniqPtr> patterns;
    patterns.push_back(PatternOf(AddRelu));
    return patterns;
  }
  GraphUniqPtr Replacement(const std::unique_ptr<ge::fusion::MatchResult> &) override {
    EsGraphBuilder b("replacement");
    return b.BuildAndReset(OneNode(b));
  }
};

/// Processor time of this thread, which does all the work: others on the machine count less than on a clock.
double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double Seconds(const std::function<void()> &work) {
  const double start = Now();
  work();
  return Now() - start;
}

double Median(int runs, const std::function<double()> &once) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(once());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Microseconds for each match.
double Given(const GraphPtr &graph, const Build &pattern, const Build &replacement) {
  const PatternUniqPtr looked_for = PatternOf(pattern);
  const GraphUniqPtr instead = Made("replacement", replacement);
  ge::fusion::RewriteCounts counts;
  const double seconds = Seconds([&] {
    Check(ge::fusion::RewriteAll(*graph, {{looked_for.get(), instead.get()}}, {}, &counts) == ge::SUCCESS, "rewrite");
  });
  Check(counts.applied > 0, "nothing was rewritten");
  return seconds * 1e6 / static_cast<double>(counts.applied);
}

double Class(const GraphPtr &graph, int64_t matches) {
  BuildsEachTime pass;
  ge::CustomPassContext context;
  GraphPtr target = graph;
  return Seconds([&] { Check(pass.Run(target, context) == ge::SUCCESS, "pass"); }) * 1e6 / static_cast<double>(matches);
}

double Nothing(const GraphPtr &graph) {
  // Types that are there in an order that is not, so that every node of the first type is looked at.
  std::vector<PatternUniqPtr> patterns;
  std::vector<ge::fusion::RewriteRule> rules;
  for (int i = 0; i < 100; ++i) {
    patterns.push_back(PatternOf([&](EsGraphBuilder &b) -> std::vector<EsTensorHolder> {
      auto x = b.CreateInput(0);
      switch (i % 4) {
        case 0:
          return {ge::es::Abs(ge::es::Relu(x))};
        case 1:
          return {ge::es::Neg(ge::es::Add(x, b.CreateInput(1)))};
        case 2:
          return {ge::es::Relu(ge::es::Neg(x))};
        default:
          return {ge::es::Add(ge::es::Relu(x), b.CreateInput(1))};
      }
    }));
    rules.push_back({patterns.back().get(), nullptr});
  }
  ge::fusion::RewriteOptions dry;
  dry.dry_run = true;
  ge::fusion::RewriteCounts counts;
  const double seconds =
      Seconds([&] { Check(ge::fusion::RewriteAll(*graph, rules, dry, &counts) == ge::SUCCESS, "rules"); });
  Check(counts.tried == 0, "a rule matched");
  return seconds * 1e3;
}

}  // namespace

int main(int argc, char **argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  const std::string only = argc > 2 ? argv[2] : "";
  const Build two = [](EsGraphBuilder &b) -> std::vector<EsTensorHolder> {
    auto x = b.CreateInput(0);
    return {ge::es::Sin(x), ge::es::Cos(x)};
  };
  const Build two_others = [](EsGraphBuilder &b) -> std::vector<EsTensorHolder> {
    auto x = b.CreateInput(0);
    return {ge::es::Tanh(x), ge::es::Exp(x)};
  };
  for (int64_t nodes : {1000, 10000, 100000}) {
    // A small graph is measured more often.
    const int repeats = runs * static_cast<int>(std::max<int64_t>(1, 20000 / nodes));
    auto print = [&](const char *what, const std::function<double()> &once) {
      if (!only.empty() && only != what) return;
      const double us = Median(repeats, once);
      std::printf("{\"what\": \"%s\", \"nodes\": %lld, \"us\": %.3f}\n", what, static_cast<long long>(nodes), us);
      std::fflush(stdout);
    };
    print("given", [&] { return Given(Chain(nodes), AddRelu, OneNode); });
    print("class", [&] { return Class(Chain(nodes), nodes / 4); });
    print("two", [&] { return Given(Pairs(nodes), two, two_others); });
  }
  if (!only.empty() && only != "nothing") return 0;
  std::printf("{\"what\": \"nothing\", \"nodes\": 100000, \"ms\": %.3f}\n",
              Median(runs, [&] { return Nothing(Chain(100000)); }));
  return 0;
}
