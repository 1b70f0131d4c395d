// Pass::WhyNot: each kind of constraint that a pass of a program can fail on.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "es_all_ops.h"
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "ge/fusion/pass/decompose_pass.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/instrument.h"
#include "ge/transform.h"

using namespace ge;
using namespace ge::transform;

namespace {

using es::EsGraphBuilder;
using fusion::GraphUniqPtr;
using fusion::MatchResult;
using fusion::Pattern;
using fusion::PatternUniqPtr;
using Tensors = std::vector<es::EsTensorHolder>;
using Build = std::function<Tensors(EsGraphBuilder &)>;

GNode At(const Graph &graph, const char *type) {
  for (const GNode &node : graph.GetDirectNode()) {
    AscendString text;
    (void)node.GetType(text);
    if (text == AscendString(type)) return node;
  }
  ADD_FAILURE() << "no " << type;
  return GNode();
}

/// The work of the passes of this program in a test; at other times they have no patterns.
struct {
  Build pattern;
  std::function<void(Pattern &)> say;
  std::function<bool(const std::unique_ptr<MatchResult> &)> meets;
} given;

std::vector<PatternUniqPtr> GivenPatterns() {
  std::vector<PatternUniqPtr> patterns;
  if (!given.pattern) return patterns;
  EsGraphBuilder b("Rule");
  patterns.emplace_back(new Pattern(std::move(*b.BuildAndReset(given.pattern(b)))));
  if (given.say) given.say(*patterns.back());
  return patterns;
}
GraphUniqPtr Through() {
  EsGraphBuilder b("through");
  return b.BuildAndReset({b.CreateInput(0)});
}

class AskedRule : public fusion::PatternFusionPass {
 protected:
  std::vector<PatternUniqPtr> Patterns() override { return GivenPatterns(); }
  bool MeetRequirements(const std::unique_ptr<MatchResult> &match) override {
    return !given.meets || given.meets(match);
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult> &) override { return Through(); }
};
REG_FUSION_PASS(AskedRule).Stage(CustomPassStage::kAfterInferShape);

class AskedSplit : public fusion::DecomposePassV2 {
 public:
  using DecomposePassV2::DecomposePassV2;

 protected:
  bool MeetRequirements(const GNode &, CustomPassContext &) override { return false; }
  GraphUniqPtr Replacement(const GNode &, CustomPassContext &) override { return nullptr; }
};
REG_DECOMPOSE_PASS(AskedSplit, {"Abs"}).Stage(CustomPassStage::kBeforeInferShape);

Graph GraphOf(const Build &build) {
  EsGraphBuilder b("net");
  return std::move(*b.BuildAndReset(build(b)));
}
/// The answer of WhyNot about the rule; `say` adds demands to its pattern.
std::string Asked(const Build &pattern, const Build &target, const std::function<void(Pattern &)> &say = {},
                  const std::function<bool(const std::unique_ptr<MatchResult> &)> &meets = {}) {
  given.pattern = pattern;
  given.say = say;
  given.meets = meets;
  const std::string text = GetPass("AskedRule").WhyNot(GraphOf(target));
  given = {};
  return text;
}
/// There is one miss, which has these members: constraint, expected, actual, and the types of pattern node and node.
void ExpectMiss(const std::string &text, const std::string &constraint, const std::string &pattern_node,
                const std::string &node, const std::string &expected, const std::string &actual) {
  const auto has = [&](const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  has("\"constraint\":\"" + constraint + "\"");
  has("\"pattern_node\":\"" + pattern_node);
  has("\"node\":\"" + node);
  has("\"expected\":\"" + expected);
  has("\"actual\":\"" + actual);
  const size_t first = text.find("\"rule\"");
  EXPECT_EQ(text.find("\"rule\"", first + 1), std::string::npos) << text;
}

es::EsTensorHolder X(EsGraphBuilder &b, int64_t index = 0) {
  return b.CreateInput(index, index ? "y" : "x", DT_FLOAT, FORMAT_ND, {2});
}
Tensors ReluOfAbs(EsGraphBuilder &b) { return {es::Relu(es::Abs(X(b)))}; }

TEST(WhyNot, ConstraintsThatAreData) {
  EXPECT_EQ(Asked(ReluOfAbs, ReluOfAbs), "{\"applied\":{\"Rule\":1},\"misses\":[]}");
  ExpectMiss(Asked(ReluOfAbs, [](EsGraphBuilder &b) -> Tensors { return {es::Relu(es::Neg(X(b)))}; }), "operator",
             "Abs '", "Neg '", "Abs\"", "Neg '");
  const auto product = [](bool bias) {
    return [bias](EsGraphBuilder &b) -> Tensors {
      auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2, 2});
      return {bias ? es::MatMulV2(x, x, x) : es::MatMulV2(x, x)};
    };
  };
  ExpectMiss(Asked(product(false), product(true)), "arity", "MatMulV2 '", "MatMulV2 '", "input 2 as in the pattern",
             "connected");
  ExpectMiss(Asked(
                 [](EsGraphBuilder &b) -> Tensors {
                   auto x = X(b);
                   return {es::Mul(x, es::Relu(x))};
                 },
                 [](EsGraphBuilder &b) -> Tensors { return {es::Mul(X(b), es::Relu(X(b, 1)))}; }),
             "position", "Data '", "Data 'y'", "output 0 of Data 'x'", "output 0 of Data 'y'");
  ExpectMiss(Asked(ReluOfAbs, ReluOfAbs,
                   [](Pattern &p) {
                     EXPECT_EQ(p.RequireDtypes({At(p.GetGraph(), "Relu"), 0}, {DT_FLOAT16}), SUCCESS);
                   }),
             "dtype", "Relu '", "Relu '", "DT_FLOAT16", "DT_FLOAT");
  ExpectMiss(Asked(ReluOfAbs, ReluOfAbs,
                   [](Pattern &p) {
                     EXPECT_EQ(p.RequireShape({At(p.GetGraph(), "Relu"), 0}, {3}), SUCCESS);
                   }),
             "shape", "Relu '", "Relu '", "[3]", "[2]");
  const auto leaky = [](EsGraphBuilder &b) -> Tensors { return {es::LeakyRelu(X(b), 0.25f)}; };
  ExpectMiss(Asked(leaky, leaky,
                   [](Pattern &p) {
                     GeAttrData slope{};
                     slope.name = "negative_slope";
                     slope.type = C_VT_FLOAT;
                     slope.f = 0.5f;
                     EXPECT_EQ(p.RequireAttr(At(p.GetGraph(), "LeakyRelu"), slope), SUCCESS);
                   }),
             "attribute", "LeakyRelu '", "LeakyRelu '", "negative_slope = 0.500000", "0.250000");
  const auto times = [](float value) {
    return [value](EsGraphBuilder &b) -> Tensors { return {es::Mul(X(b), b.CreateScalar(value))}; };
  };
  ExpectMiss(Asked(times(1), times(2),
                   [](Pattern &p) { EXPECT_EQ(p.RequireConstant(At(p.GetGraph(), "Const"), 1, 0.5), SUCCESS); }),
             "constant", "Const '", "Const '", "a constant within 0.5 of 1", "element 0 is 2");
  ExpectMiss(Asked(ReluOfAbs,
                   [](EsGraphBuilder &b) -> Tensors {
                     auto abs = es::Abs(X(b));
                     return {es::Relu(abs), es::Neg(abs)};
                   }),
             "reader", "Abs '", "Abs '", "readers inside the match only", "Neg '");
  ExpectMiss(Asked(
                 [](EsGraphBuilder &b) -> Tensors {
                   auto abs = es::Abs(X(b));
                   return {es::Relu(abs), es::Add(abs, X(b, 1))};
                 },
                 [](EsGraphBuilder &b) -> Tensors {
                   auto abs = es::Abs(X(b));
                   return {es::Add(abs, es::Sigmoid(es::Relu(abs)))};
                 }),
             "cycle", "Relu '", "Relu '", "one node in place of the match", "it would lie on a cycle");
}

TEST(WhyNot, CodeThatSaysNo) {
  ExpectMiss(Asked(ReluOfAbs, ReluOfAbs, {}, [](const std::unique_ptr<MatchResult> &) { return false; }), "predicate",
             "Relu '", "Relu '", "MeetRequirements of pass 'AskedRule'", "returned false");
  ExpectMiss(Asked(ReluOfAbs, ReluOfAbs, {},
                   [](const std::unique_ptr<MatchResult> &) -> bool { throw std::out_of_range("too far"); }),
             "predicate", "Relu '", "Relu '", "MeetRequirements of pass 'AskedRule'", "std::out_of_range: too far");
  ExpectMiss(Asked(ReluOfAbs, ReluOfAbs, {}, [](const std::unique_ptr<MatchResult> &) -> bool { throw 3; }),
             "predicate", "Relu '", "Relu '", "MeetRequirements of pass 'AskedRule'",
             "threw something that is no std::exception");
  ExpectMiss(Asked(ReluOfAbs, ReluOfAbs, {},
                   [](const std::unique_ptr<MatchResult> &) {
                     AscendString reason;
                     return fusion::GraphFuseInspectorUtils::CanFuse({}, reason);
                   }),
             "predicate", "Relu '", "Relu '", "MeetRequirements of pass 'AskedRule'",
             "returned false; can_fuse: there are no nodes");
  ExpectMiss(GetPass("AskedSplit").WhyNot(GraphOf(ReluOfAbs)), "predicate", "Abs", "Abs '",
             "MeetRequirements of pass 'AskedSplit'", "returned false");
  const Pass idle = CreateModulePass([](Graph &) { return false; }, 0, "idle");
  ExpectMiss(idle.WhyNot(GraphOf(ReluOfAbs)), "predicate", "", "", "the code of pass 'idle' rewrites something",
             "it changed nothing and told nothing");
}

class Guard : public instrument::PassInstrument {
 public:
  bool ShouldRun(const GraphPtr &, const PassInfo &info) override { return info.name != "AskedRule"; }
};

TEST(WhyNot, GatesAndSequences) {
  given.pattern = ReluOfAbs;
  given.say = [](Pattern &p) { (void)p.RequireShape({At(p.GetGraph(), "Relu"), 0}, {2}); };
  const Graph graph = GraphOf(ReluOfAbs);
  const Pass held = Sequential({GetPass("AskedRule")});
  EXPECT_NE(held.WhyNot(graph).find("\"misses\":[]"), std::string::npos) << held.WhyNot(graph);  // shapes are inferred
  auto context = PassContext::Create();
  context->disabled_pass = {"AskedRule"};
  {
    const With<PassContext> scope(context);
    ExpectMiss(held.WhyNot(graph), "gate", "", "", "the pass is not disabled", "disabled: ");
  }
  auto guarded = PassContext::Create();
  guarded->instruments = {std::make_shared<Guard>()};
  {
    const With<PassContext> scope(guarded);
    for (const Pass &asked : {held, GetPass("AskedRule")})
      ExpectMiss(asked.WhyNot(graph), "gate", "", "", "instrument '", "should_run of instrument '");
  }
  given = {};
}

TEST(WhyNot, WrongArguments) {
  const Graph graph = GraphOf(ReluOfAbs);
  const auto message = [](const std::function<void()> &call) -> std::string {
    try {
      call();
    } catch (const Error &e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message([] { GetPass("AskedRul"); }).find("near names: AskedRule"), std::string::npos);
  EXPECT_NE(message([&] { (void)GetPass("AskedRule").WhyNot(graph, "y"); }).find("has no node 'y'; near names: x"),
            std::string::npos);
}

}  // namespace
