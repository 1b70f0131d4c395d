// Random rules on random graphs: the indexed matcher finds what a naive one finds, and rewritten graphs compute what
// they computed before.
#include "core/passes/fuse_patterns.h"
#include "core/support/error.h"
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

using Random = std::mt19937;
size_t Below(Random &random, size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); }

const char *const kUnary[] = {"Relu", "Neg", "Abs", "Square"};
const char *const kBinary[] = {"Add", "Sub", "Mul", "Maximum"};

/// Nodes that read earlier tensors, mostly young ones, so that chains and shared readers arise.
void Grow(Builder &b, Random &random, size_t count, std::vector<Endpoint> *tensors) {
  for (size_t i = 0; i < count; ++i) {
    auto pick = [&] {
      const size_t size = tensors->size(), reach = std::min<size_t>(size, Below(random, 4) ? 4 : size);
      return (*tensors)[size - 1 - Below(random, reach)];
    };
    if (Below(random, 2)) tensors->push_back(b(kUnary[Below(random, 4)], {pick()}));
    else tensors->push_back(b(kBinary[Below(random, 4)], {pick(), pick()}));
  }
}
/// A graph whose unread tensors, and a few others, are outputs.
void RandomGraph(Builder &b, Random &random, size_t count) {
  std::vector<Endpoint> tensors{b.Input({4}), b.Input({4})};
  Grow(b, random, count, &tensors);
  std::vector<Endpoint> outputs;
  for (Endpoint e : tensors)
    if (e.node->total_uses() == 0 || Below(random, 12) == 0) outputs.push_back(e);
  b.Outputs(outputs);
}

/// A few nodes; whatever nothing reads is an output. Of so many nodes one has each sort of rule.
GraphPatternPtr RandomPattern(Random &random, size_t nodes, size_t sparse) {
  Builder b;
  std::vector<Endpoint> tensors{b.Input({4}), b.Input({4})};
  Grow(b, random, nodes, &tensors);
  std::vector<Endpoint> outputs;
  for (size_t i = 2; i < tensors.size(); ++i)
    if (tensors[i].node->total_uses() == 0) outputs.push_back(tensors[i]);
  b.Outputs(outputs);
  auto pattern = std::make_shared<GraphPattern>();
  pattern->graph = b.graph;
  for (size_t i = 2; i < tensors.size(); ++i) {
    Node *node = tensors[i].node;
    const bool two = node->input(node->input_count() - 1) && node->input_count() == 2;
    const bool output = node->total_uses() == 0;
    switch (Below(random, sparse)) {
      case 0:
        if (two) pattern->rules[node].commutative = true;
        break;
      case 1:
        pattern->rules[node].types = {Symbol(two ? kBinary[Below(random, 4)] : kUnary[Below(random, 4)])};
        break;
      case 2:
        if (!output) pattern->rules[node].optional_input = static_cast<int>(Below(random, two ? 2 : 1));
        break;
      default:
        break;
    }
  }
  return pattern;
}

std::string TextOf(const GraphPattern &pattern) {
  std::string text;
  for (const Node *node : pattern.graph->Nodes()) {
    text += node->name() + "(";
    for (size_t i = 0; i < node->input_count(); ++i)
      if (node->input(i)) text += node->input(i).node->name() + " ";
    text += ")";
    if (const PatternNodeRule *rule = pattern.RuleOf(node))
      text += Str("[commutative ", rule->commutative, ", or ", rule->types.empty() ? "" : rule->types[0].c_str(),
                  ", optional ", rule->optional_input, "]");
    text += "; ";
  }
  return text;
}

/// All that the words of a pattern say, one node after the other, by trying everything.
class Naive {
 public:
  Naive(const GraphPattern &pattern, const Graph &target)
      : pattern_(pattern), target_(target), outputs_(pattern.graph->Outputs()) {}

  bool MatchesAt(Node *root) {
    return Stands(outputs_[0].node, {root, 0}, {}, [&](const Bound &b) { return Rest(1, b); });
  }

 private:
  struct Part {
    Endpoint at;
    bool missing = false;
  };
  using Bound = std::map<const Node *, Part>;
  using Then = std::function<bool(const Bound &)>;

  bool Rest(size_t output, const Bound &bound) {
    if (output == outputs_.size()) return Closed(bound);
    const Node *node = outputs_[output].node;
    if (bound.count(node)) return Rest(output + 1, bound);
    for (Node *candidate : target_.Nodes())
      if (Stands(node, {candidate, 0}, bound, [&](const Bound &b) { return Rest(output + 1, b); })) return true;
    return false;
  }

  bool Stands(const Node *node, Endpoint at, const Bound &bound, const Then &then) {
    if (!at) return false;
    if (auto known = bound.find(node); known != bound.end()) return known->second.at == at && then(bound);
    Bound more = bound;
    more[node].at = at;
    if (IsDataType(node->type())) return then(more);
    const PatternNodeRule *rule = pattern_.RuleOf(node);
    std::vector<Symbol> types{node->type()};
    if (rule) types.insert(types.end(), rule->types.begin(), rule->types.end());
    auto inputs = [&](bool swapped) {
      std::function<bool(size_t, const Bound &)> from = [&](size_t i, const Bound &b) -> bool {
        if (i == node->input_count()) return then(b);
        const size_t port = swapped ? 1 - i : i;
        return Stands(node->input(i).node, at.node->input(port), b, [&, i](const Bound &c) { return from(i + 1, c); });
      };
      return from(0, more);
    };
    if (std::find(types.begin(), types.end(), at.node->type()) != types.end() &&
        at.node->input_count() == node->input_count()) {
      if (inputs(false)) return true;
      if (rule && rule->commutative && inputs(true)) return true;
    }
    if (!rule || rule->optional_input < 0) return false;
    more[node].missing = true;
    return Stands(node->input(static_cast<size_t>(rule->optional_input)).node, at, more, then);
  }

  bool Closed(const Bound &bound) {
    std::set<const Node *> inside, owners;
    for (const auto &[node, part] : bound)
      if (!IsDataType(node->type()) && !part.missing) inside.insert(part.at.node);
    for (Endpoint e : outputs_) owners.insert(bound.at(e.node).at.node);
    for (const Node *node : inside) {
      if (owners.count(node)) continue;
      for (Endpoint e : target_.Outputs())
        if (e.node == node) return false;
      for (const Use &use : node->uses(0))
        if (!inside.count(use.node)) return false;
    }
    return true;
  }

  const GraphPattern &pattern_;
  const Graph &target_;
  const std::vector<Endpoint> outputs_;
};

void ExpectWhatANaiveOneFinds(unsigned seeds, size_t largest, size_t nodes, size_t sparse, size_t at_least) {
  size_t found = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    Builder b;
    RandomGraph(b, random, 5 + Below(random, largest));
    for (int k = 0; k < 5; ++k) {
      const GraphPatternPtr pattern = RandomPattern(random, 1 + Below(random, nodes), sparse);
      std::set<std::string> want, got;
      Naive naive(*pattern, *b.graph);
      for (Node *node : b.graph->Nodes())
        if (naive.MatchesAt(node)) want.insert(node->name());
      GraphMatcher matcher(pattern, b.graph, {});
      const Node *root = pattern->graph->Outputs()[0].node;
      while (auto match = matcher.Next()) EXPECT_TRUE(got.insert(match->At(root).node->name()).second);
      ASSERT_EQ(got, want) << "seed " << seed << ", pattern " << k << ": " << TextOf(*pattern);
      found += got.size();
    }
  }
  EXPECT_GT(found, at_least);
}

TEST(RandomRules, TheIndexedMatcherFindsWhatANaiveOneFinds) { ExpectWhatANaiveOneFinds(300, 40, 4, 6, 300 * 5 / 4); }

// Where most nodes have a rule, most searches go back, over choices that have nothing to do with what failed.
TEST(RandomRules, SoItDoesWhereMostNodesHaveRules) { ExpectWhatANaiveOneFinds(600, 30, 7, 3, 600); }

/// A pattern whose operands all come in either order, and a graph that is the same but for their orders and, mostly,
/// one operand: whether it matches hangs on orders in several places at once.
TEST(RandomRules, OrdersThatDependOnOneAnother) {
  int found = 0, missed = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    Builder p, b;
    std::vector<Endpoint> parts, like;
    for (int i = 0; i < 3; ++i) parts.push_back(p.Input({4})), like.push_back(b.Input({4}));
    const size_t nodes = 4 + Below(random, 5), other = Below(random, 2 * nodes);
    auto pattern = std::make_shared<GraphPattern>();
    for (size_t i = 0; i < nodes; ++i) {
      const char *type = kUnary[Below(random, 2)];
      const size_t size = parts.size(), x = size - 1 - Below(random, 3), y = Below(random, size);
      if (Below(random, 3) == 0) {
        parts.push_back(p(type, {parts[x]}));
        like.push_back(b(type, {like[x]}));
        continue;
      }
      type = Below(random, 2) ? "Add" : "Mul";
      parts.push_back(p(type, {parts[x], parts[y]}));
      pattern->rules[parts.back().node].commutative = true;
      std::vector<Endpoint> operands{like[i == other ? Below(random, size) : x], like[y]};
      if (Below(random, 2)) std::swap(operands[0], operands[1]);
      like.push_back(b(type, operands));
    }
    p.Outputs({parts.back()});
    b.Outputs({like.back()});
    pattern->graph = p.graph;
    const bool matches = Naive(*pattern, *b.graph).MatchesAt(like.back().node);
    GraphMatcher matcher(pattern, b.graph, {});
    matcher.Compile();
    ASSERT_EQ(matcher.FindAt(like.back().node), matches) << "seed " << seed << ": " << TextOf(*pattern);
    ++(matches ? found : missed);
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(missed, 300);
}

using Side = std::function<std::vector<Endpoint>(Builder &, Endpoint x, Endpoint y)>;
/// Both sides compute the same.
struct Identity {
  bool commutative;
  Side from, to;
};
const std::vector<Identity> &Identities() {
  using E = std::vector<Endpoint>;
  static const std::vector<Identity> all = {
      {false, [](Builder &b, Endpoint x, Endpoint) -> E { return {b("Neg", {b("Neg", {x})})}; },
       [](Builder &, Endpoint x, Endpoint) -> E { return {x}; }},
      {false,
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         return {b("Sub", {x, y})};
       },
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         return {b("Add", {x, b("Neg", {y})})};
       }},
      {true,
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         return {b("Add", {x, b("Neg", {y})})};
       },
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         return {b("Sub", {x, y})};
       }},
      {false, [](Builder &b, Endpoint x, Endpoint) -> E { return {b("Square", {x})}; },
       [](Builder &b, Endpoint x, Endpoint) -> E {
         return {b("Mul", {x, x})};
       }},
      {false, [](Builder &b, Endpoint x, Endpoint) -> E { return {b("Abs", {x})}; },
       [](Builder &b, Endpoint x, Endpoint) -> E {
         return {b("Maximum", {x, b("Neg", {x})})};
       }},
      {true,
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         return {b("Maximum", {b("Relu", {x}), b("Abs", {y})})};
       },
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         return {b("Maximum", {x, b("Abs", {y})})};
       }},
      {false,
       [](Builder &b, Endpoint x, Endpoint) -> E {
         return {b("Relu", {x}), b("Neg", {x})};
       },
       [](Builder &b, Endpoint x, Endpoint) -> E {
         Endpoint zero = b("Sub", {x, x});
         return {b("Maximum", {x, zero}), b("Sub", {zero, x})};
       }},
      {false,
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         return {b("Add", {x, y}), b("Abs", {y})};
       },
       [](Builder &b, Endpoint x, Endpoint y) -> E {
         Endpoint minus = b("Neg", {y});
         return {b("Sub", {x, minus}), b("Maximum", {minus, y})};
       }},
  };
  return all;
}
GraphPtr SideOf(const Side &build, bool all_inputs) {
  Builder b;
  Endpoint x = b.Input({4}), y = all_inputs ? b.Input({4}) : Endpoint();
  b.Outputs(build(b, x, y));
  return b.graph;
}

TEST(RandomRules, RewrittenGraphsComputeTheSame) {
  int64_t applied = 0, declined = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    Random random(seed);
    Builder b;
    RandomGraph(b, random, 10 + Below(random, 60));
    const std::vector<TensorPtr> feeds = RandomFeeds(*b.graph, seed);
    const std::vector<TensorPtr> before = Execute(*b.graph, feeds, Reference());
    std::vector<GraphPatternPtr> patterns;
    std::vector<FusionHooks<GraphMatch>> hooks;
    for (int k = 0; k < 4; ++k) {
      const Identity &identity = Identities()[Below(random, Identities().size())];
      Builder probe;
      const bool two = [&] {
        Endpoint x = probe.Input({4}), y = probe.Input({4});
        (void)identity.from(probe, x, y);
        return y.node->total_uses() != 0;
      }();
      auto pattern = std::make_shared<GraphPattern>();
      pattern->graph = SideOf(identity.from, two);
      if (identity.commutative) pattern->rules[pattern->graph->Outputs()[0].node].commutative = true;
      patterns.push_back(pattern);
      hooks.emplace_back().given = SideOf(identity.to, two);
    }
    PassContext ctx;
    FusionOptions options;
    options.max_rewrites = 10000;
    const FusionCounts counts = FusePatterns(*b.graph, patterns, options, hooks, ctx);
    applied += counts.applied;
    declined += counts.declined;
    b.graph->Verify();
    ASSERT_NO_FATAL_FAILURE(ExpectSame(before, Execute(*b.graph, feeds, Reference()), 1e-4f)) << "seed " << seed;
  }
  EXPECT_GT(applied, 1000);
  EXPECT_GT(declined, 0) << "no rewrite would have made a cycle";
}

/// A rewrite keeps the order that the index keeps one of the data flow: a search for cycles that it bounds finds what a
/// search without it finds.
TEST(RandomRules, TheOrderIsKept) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    Builder b;
    RandomGraph(b, random, 80);
    for (size_t k = 0; k < Identities().size(); ++k) {
      Builder probe;
      Endpoint px = probe.Input({4}), py = probe.Input({4});
      (void)Identities()[k].from(probe, px, py);
      const bool two = py.node->total_uses() != 0;
      auto pattern = std::make_shared<GraphPattern>();
      pattern->graph = SideOf(Identities()[k].from, two);
      FusionHooks<GraphMatch> hooks;
      hooks.given = SideOf(Identities()[k].to, two);
      PassContext ctx;
      FusionOptions options;
      options.max_rewrites = 10000;
      (void)FusePatterns(*b.graph, {pattern}, options, {hooks}, ctx);
      const TypeIndex *index = TypeIndex::Current(*b.graph);
      ASSERT_NE(index, nullptr);
      const GraphPtr copy = b.graph->Clone();  // has no index
      std::vector<Node *> nodes = b.graph->Nodes(), copies = copy->Nodes();
      for (const Node *node : nodes)
        for (size_t i = 0; i < node->input_count(); ++i)
          if (node->input(i)) {
            ASSERT_LE(index->PositionOf(*node->input(i).node), index->PositionOf(*node));
          }
      for (int t = 0; t < 50; ++t) {
        const size_t i = Below(random, nodes.size()), j = Below(random, nodes.size());
        ASSERT_EQ(WouldMakeCycle({nodes[i], nodes[j]}), WouldMakeCycle({copies[i], copies[j]})) << seed;
      }
    }
  }
}

}  // namespace
