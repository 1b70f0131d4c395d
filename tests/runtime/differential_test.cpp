// Random graphs: the optimised model on all engines against the unoptimised one on the reference engine.
#include "tests/runtime/random_graph.h"

namespace gec {
namespace {

class Differential : public ::testing::TestWithParam<int> {};

TEST_P(Differential, OptimisedModelsAgreeWithTheReference) {
  RandomGraph random(static_cast<unsigned>(GetParam()), GetParam() % 3 == 0);
  Net net = random.Build();
  std::vector<Array> feed = random.Feed();
  std::vector<Array> want = CompileAndRun(*net.graph, feed,
                                          Opts({{"opt_level", "0"},
                                                {"ge.exec.disableReuseMemory", "1"},
                                                {"engines.exclude", "AIcoreEngine,VectorEngine,DNN_VM_GE_LOCAL"}}));
  ExpectClose(CompileAndRun(*net.graph, feed, Opts({{"opt_level", "0"}})), want);
  ModelPtr model = Model::Compile(*net.graph, Opts({{"verify", "1"}, {"threads", GetParam() % 2 ? kTwoThreads : "1"}}));
  RunContext context(model);
  ExpectClose(RunAll(context, feed), want);
  ExpectClose(RunAll(context, feed), want);  // nothing of the first run is left behind
}

INSTANTIATE_TEST_SUITE_P(Seeds, Differential, ::testing::Range(0, 150));

}  // namespace
}  // namespace gec
