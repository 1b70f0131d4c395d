// Random graphs: whatever the passes do, the results stay.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : pick_(seed) {
    matrices_ = {b_.Input({4, 6}), b_.Input({4, 6}), b_.Random({4, 6})};
    rows_ = {b_.Input({6}), b_.Random({6}), b_.Random({1, 6})};
    for (int i = 0; i < 30; ++i) Grow();
    std::vector<Endpoint> outputs;
    for (int i = 0; i < 3; ++i) outputs.push_back(matrices_[matrices_.size() - 1 - Pick(4)]);
    b_.Outputs(outputs);
  }
  Builder &builder() { return b_; }

 private:
  size_t Pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(pick_); }
  Endpoint Matrix() { return matrices_[Pick(matrices_.size())]; }
  Endpoint Operand() {
    switch (Pick(4)) {
      case 0:
        return b_.Scalar(float(Pick(5)) - 2);
      case 1:
        return rows_[Pick(rows_.size())];
      default:
        return Matrix();
    }
  }
  /// Keeps values small, so that differences stay comparable.
  Endpoint Tame(Endpoint e) { return b_("Tanh", {e}); }
  void Grow() {
    static const char *const kUnary[] = {"Relu",     "Neg",    "Abs", "Sigmoid", "Tanh",
                                         "Identity", "Square", "Erf", "Floor",   "Swish"};
    static const char *const kBinary[] = {"Add", "Sub", "Mul", "Maximum", "Minimum"};
    Endpoint e;
    switch (Pick(13)) {
      case 0:
      case 1:
      case 2:
        e = b_(kUnary[Pick(10)], {Matrix()});
        break;
      case 3:
      case 4:
      case 5:
        e = b_(kBinary[Pick(5)], {Matrix(), Operand()});
        break;
      case 6:
        e = b_("RealDiv", {Matrix(), b_.Scalar(float(Pick(3)) + 1)});
        break;
      case 7:
        e = Tame(b_("MatMulV2", {Matrix(), b_.Random({6, 6})}));
        break;
      case 8:
        e = b_("Transpose", {b_("Transpose", {Matrix(), b_.Ints({1, 0})}), b_.Ints({1, 0})});
        break;
      case 9:
        e = b_("Reshape", {b_("Reshape", {Matrix(), b_.Ints({6, 4})}), b_.Ints({4, 6})});
        break;
      case 11: {
        static const char *const kCompare[] = {"Less", "GreaterEqual", "Equal", "NotEqual"};
        Endpoint truth = b_(kCompare[Pick(4)], {Matrix(), Operand()});
        if (Pick(2)) truth = b_(Pick(2) ? "LogicalAnd" : "LogicalOr", {truth, b_("Greater", {Matrix(), Operand()})});
        e = Pick(3) ? b_("SelectV2", {truth, Matrix(), Matrix()})
                    : b_("Cast", {truth}, {{"dst_type", int64_t{C_DT_FLOAT}}});
        break;
      }
      case 10:
        e = b_("SoftmaxV2", {Matrix()}, {{"axes", std::vector<int64_t>{-1}}});
        break;
      default:
        e = b_("Sub", {Matrix(), b_("ReduceMean", {Matrix(), b_.Ints({1})}, {{"keep_dims", true}})});
        break;
    }
    matrices_.push_back(Pick(3) ? e : Tame(e));
  }
  std::mt19937 pick_;
  Builder b_;
  std::vector<Endpoint> matrices_, rows_;
};

void RunAll(Graph &graph, PassContext &ctx) {
  for (int32_t stage : {GE_STAGE_AFTER_INFER_SHAPE, GE_STAGE_AFTER_BUILTIN_FUSION_PASS})
    RunSequence(PassRegistry::Instance().OfLibrary(stage), graph, ctx);
}

TEST(RandomGraphs, EveryPassKeepsTheResults) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph random(seed);
    Graph &graph = *random.builder().graph;
    std::vector<TensorPtr> feeds = RandomFeeds(graph, seed);
    std::vector<TensorPtr> before = Execute(graph, feeds, Reference());
    PassContext ctx = Context();
    RunAll(graph, ctx);
    ExpectSame(before, Execute(graph, feeds, Reference()), 1e-4f);
    if (HasFatalFailure()) return;
  }
}

TEST(RandomGraphs, EachPassAloneAndLeftOut) {
  for (const BuiltinPass &pass : BuiltinPasses()) {
    if (pass.flags & kEssential) continue;  // of the compile itself: tests/runtime
    for (unsigned seed = 100; seed < 106; ++seed) {
      SCOPED_TRACE(std::string(pass.name) + " " + std::to_string(seed));
      RandomGraph alone(seed), without(seed);
      std::vector<TensorPtr> feeds = RandomFeeds(*alone.builder().graph, seed);
      std::vector<TensorPtr> before = Execute(*alone.builder().graph, feeds, Reference());
      RunOne(*alone.builder().graph, pass.name);
      ExpectSame(before, Execute(*alone.builder().graph, feeds, Reference()), 1e-4f);
      PassContext ctx = Context();
      ctx.scope->disabled = {pass.name};
      RunAll(*without.builder().graph, ctx);
      for (const PassRun &run : ctx.report) EXPECT_NE(run.name, pass.name);
      ExpectSame(before, Execute(*without.builder().graph, feeds, Reference()), 1e-4f);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
