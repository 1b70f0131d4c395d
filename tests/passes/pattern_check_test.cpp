// Patterns that cannot be used: an error says which nodes are to blame.
#include "core/support/error.h"
#include "pattern_kit.h"

using namespace gec;
using namespace gec::test;

namespace {

/// The pattern is refused by name, wherever it is used, and each of these words is in the message.
void ExpectRefused(const GraphPatternPtr &pattern, const std::vector<std::string> &words) {
  Builder b;
  b.Outputs({b("Exp", {b("Sin", {b.Input({4})})})});
  for (bool matching : {false, true}) {
    try {
      if (matching) (void)Matches(*b.graph, pattern);
      else pattern->Check();
      ADD_FAILURE() << "it was taken";
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), GE_GRAPH_INVALID);
      const std::string text = e.what();
      EXPECT_NE(text.find("pattern '" + pattern->graph->name() + "'"), std::string::npos) << text;
      for (const std::string &word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
    }
  }
}

/// Exp of a Relu of an input; Abs and Neg of the same input stand beside.
struct Parts {
  Parts() : pattern(std::make_shared<GraphPattern>()) {
    Endpoint x = b.Input({4});
    relu = b("Relu", {x}).node;
    abs = b("Abs", {x}).node;
    neg = b("Neg", {x}).node;
    exp = b("Exp", {{relu, 0}}).node;
    b.Outputs({{exp, 0}});
    pattern->graph = b.graph;
  }
  PatternNodeRule &operator[](const Node *node) { return pattern->rules[node]; }
  Builder b;
  GraphPatternPtr pattern;
  Node *relu, *abs, *neg, *exp;
};

TEST(PatternCheck, AlternativesThatReferToOneAnother) {
  {
    Parts p;
    p[p.relu].alternatives = {{p.abs, 0}};
    p[p.abs].alternatives = {{p.relu, 0}};
    ExpectRefused(p.pattern, {p.relu->Label(), p.abs->Label(), "circle"});
  }
  {
    Parts p;  // three, as an output of the pattern
    p[p.exp].alternatives = {{p.abs, 0}};
    p[p.abs].alternatives = {{p.neg, 0}};
    p[p.neg].alternatives = {{p.exp, 0}};
    ExpectRefused(p.pattern, {p.exp->Label(), p.abs->Label(), p.neg->Label()});
  }
  {
    Builder b;  // a node that may be missing is an alternative of what it reads
    Endpoint relu = b("Relu", {b.Input({4})}), same = b("Identity", {relu});
    b.Outputs({b("Exp", {same})});
    auto pattern = std::make_shared<GraphPattern>();
    pattern->graph = b.graph;
    pattern->rules[same.node].optional_input = 0;
    pattern->rules[relu.node].alternatives = {same};
    ExpectRefused(pattern, {relu.node->Label(), same.node->Label()});
  }
}

TEST(PatternCheck, AlternativesWithoutACircle) {
  Parts p;  // two ways to the same one
  p[p.relu].alternatives = {{p.abs, 0}, {p.neg, 0}};
  p[p.abs].alternatives = {{p.neg, 0}};
  p.pattern->Check();
  Builder b;
  Endpoint x = b.Input({4});
  b.Outputs({b("Exp", {b("Neg", {x})}), b("Exp", {b("Abs", {x})}), b("Exp", {b("Sin", {x})})});
  EXPECT_EQ(Matches(*b.graph, p.pattern), 2u);
}

TEST(PatternCheck, RulesOfAGraphThatWasChanged) {
  {
    Parts p;
    p[p.relu].optional_input = 0;
    p.b.graph->Disconnect(p.relu, 0);
    ExpectRefused(p.pattern, {p.relu->Label(), "input 0"});
    p[p.relu].optional_input = 7;
    ExpectRefused(p.pattern, {p.relu->Label(), "input 7"});
  }
  {
    Parts p;
    p[p.relu].alternatives = {{p.abs, 0}};
    p.b.graph->RemoveNode(p.abs);
    ExpectRefused(p.pattern, {p.relu->Label()});
  }
  {
    Parts p, other;
    p[p.relu].alternatives = {{other.abs, 0}};
    ExpectRefused(p.pattern, {p.relu->Label(), other.abs->Label()});
  }
  {
    Parts p;
    p[p.relu].alternatives = {{p.abs, 1}};
    ExpectRefused(p.pattern, {p.abs->Label(), "output 1"});
  }
  {
    Parts p;
    MatchConstraint test;
    test.test = MatchConstraint::kDtypes;
    test.output = 3;
    p[p.relu].constraints = {test};
    ExpectRefused(p.pattern, {p.relu->Label(), "output 3"});
  }
  Parts p;  // what is said of a node that is gone concerns nobody
  p[p.abs].optional_input = 0;
  p.b.graph->RemoveNode(p.abs);
  p.pattern->Check();
}

}  // namespace
