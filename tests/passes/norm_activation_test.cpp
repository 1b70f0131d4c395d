// Fusions of written-out normalisations and activations, in the forms that exporters write.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

Endpoint LayerNorm(Builder &b, Endpoint x, int form, int64_t d, bool gamma, bool beta, bool wide = false) {
  Endpoint mean = b("ReduceMean", {x, b.Ints({-1})}, {{"keep_dims", true}});
  Endpoint c = b("Sub", {x, mean});
  Endpoint square = form % 4 == 0   ? b("Pow", {c, b.Scalar(2)})
                    : form % 4 == 1 ? b("Mul", {c, c})
                    : form % 4 == 2 ? b("Square", {c})
                                    : b("SquaredDifference", {x, mean});
  Endpoint variance = b("ReduceMean", {square, b.Ints({2})}, {{"keep_dims", true}});
  Endpoint sum = form & 1 ? b("Add", {b.Scalar(1e-5f), variance}) : b("Add", {variance, b.Scalar(1e-5f)});
  Endpoint y = form / 4 == 0   ? b("RealDiv", {c, b("Sqrt", {sum})})
               : form / 4 == 1 ? b("Mul", {b("Rsqrt", {sum}), c})
                               : b("Mul", {c, b("Reciprocal", {b("Sqrt", {sum})})});
  Shape shape = wide ? Shape{1, 1, d} : Shape{d};
  if (gamma) y = b("Mul", {y, b.Random(shape, 0.5f, 1.5f)});
  if (beta) y = b("Add", {b.Random(shape), y});
  return y;
}

TEST(FuseLayerNorm, EveryForm) {
  for (int form = 0; form < 12; ++form) {
    for (int parameters = 0; parameters < 4; ++parameters) {
      if (parameters == 2) continue;  // an addend alone stays one
      Builder b;
      b.Outputs({LayerNorm(b, b.Input({2, 3, 8}), form, 8, parameters & 1, parameters & 2, form & 1)});
      EXPECT_TRUE(Differential(b, {"FuseLayerNorm"}));
      ASSERT_EQ(Count(*b.graph, "LayerNormV4"), 1u) << form << " " << parameters;
      EXPECT_EQ(Count(*b.graph, "Sub") + Count(*b.graph, "Mul") + Count(*b.graph, "Add"), 0u)
          << form << " " << parameters;
      Node *norm = Only(*b.graph, "LayerNormV4");
      EXPECT_GE(norm->origins().size(), 6u);
      EXPECT_EQ(norm->passes().back().view(), "FuseLayerNorm");
    }
  }
}

TEST(FuseLayerNorm, AlsoAfterSimplifying) {
  Builder b;
  b.Outputs({LayerNorm(b, b.Input({2, 3, 8}), 0, 8, true, true)});
  EXPECT_TRUE(Differential(b, {"AlgebraicSimplify", "FuseLayerNorm"}));
  EXPECT_EQ(Count(*b.graph, "LayerNormV4"), 1u);
}

TEST(FuseLayerNorm, MustNotMatch) {
  {  // the variance leaves the graph
    Builder b;
    Endpoint y = LayerNorm(b, b.Input({2, 3, 8}), 0, 8, true, true);
    b.Outputs({y, {Only(*b.graph, "Sqrt"), 0}});
    EXPECT_FALSE(Differential(b, {"FuseLayerNorm"}));
  }
  {  // mean over another dimension than the variance
    Builder b;
    Endpoint x = b.Input({2, 8, 8});
    Endpoint c = b("Sub", {x, b("ReduceMean", {x, b.Ints({1})}, {{"keep_dims", true}})});
    Endpoint v = b("ReduceMean", {b("Mul", {c, c}), b.Ints({2})}, {{"keep_dims", true}});
    b.Outputs({b("RealDiv", {c, b("Sqrt", {b("Add", {v, b.Scalar(1e-5f)})})})});
    EXPECT_FALSE(Differential(b, {"FuseLayerNorm"}));
  }
  {  // a factor of another shape stays a product
    Builder b;
    Endpoint y = LayerNorm(b, b.Input({2, 3, 8}), 0, 8, false, false);
    b.Outputs({b("Mul", {y, b.Random({3, 1})})});
    EXPECT_TRUE(Differential(b, {"FuseLayerNorm"}));
    EXPECT_EQ(Count(*b.graph, "Mul"), 1u);
  }
}

/// The statistics of rows in the forms of exporters that drop the reduced dimension and put it back later.
struct RowForm {
  bool squares;    // E[x^2] - E[x]^2 instead of the mean of squared differences
  int positive;    // 0 nothing, 1 Maximum with 0, 2 Relu
  bool by_sum;     // the mean is a sum times 1/n
  bool drop_dims;  // the statistics lose the dimension, a reshape and a broadcast bring it back
  int root;        // 0 quotient, 1 Rsqrt, 2 Reciprocal of Sqrt, 3 gamma times Rsqrt first
};

Endpoint NormOfRows(Builder &b, Endpoint x, const RowForm &f, float epsilon = 1e-5f) {
  const Builder::Attrs keep{{"keep_dims", !f.drop_dims}};
  auto mean = [&](Endpoint v) {
    if (!f.by_sum) return b("ReduceMean", {v, b.Ints({-1})}, keep);
    return b("Mul", {b("ReduceSum", {v, b.Ints({2})}, keep), b.Scalar(1.0f / 8)});
  };
  auto beside = [&](Endpoint v) {
    if (!f.drop_dims) return v;
    return b("Expand", {b("Reshape", {v, b.Ints({2, 3, 1})}), b.Ints({2, 3, 1})});
  };
  Endpoint m = mean(x), centred = b("Sub", {x, beside(m)}), variance;
  if (f.squares) variance = b("Sub", {mean(b("Mul", {x, x})), b("Square", {m})});
  else variance = mean(b("Mul", {centred, centred}));
  if (f.positive == 1) variance = b("Maximum", {b.Scalar(0), variance});
  if (f.positive == 2) variance = b("Relu", {variance});
  Endpoint sum = b("Add", {beside(variance), b.Scalar(epsilon)});
  if (f.root == 0) return b("RealDiv", {centred, b("Sqrt", {sum})});
  Endpoint inverse = f.root == 2 ? b("Reciprocal", {b("Sqrt", {sum})}) : b("Rsqrt", {sum});
  if (f.root == 3) inverse = b("Mul", {b.Random({8}, 0.5f, 1.5f), inverse});
  return b("Mul", {inverse, centred});
}

TEST(FuseLayerNorm, StatisticsBesideRows) {
  for (int k = 0; k < 2 * 3 * 2 * 2 * 4; ++k) {
    const RowForm form{(k & 1) != 0, k / 8 % 3, (k & 2) != 0, (k & 4) != 0, k / 24};
    Builder b;
    Endpoint y = NormOfRows(b, b.Input({2, 3, 8}), form);
    b.Outputs({b("Add", {y, b.Random({8})})});
    EXPECT_TRUE(Differential(b, {"FuseLayerNorm"}, 3e-5f)) << k;
    ASSERT_EQ(Count(*b.graph, "LayerNormV4"), 1u) << k;
    EXPECT_EQ(Count(*b.graph, "Sub") + Count(*b.graph, "Mul") + Count(*b.graph, "Reshape"), 0u) << k;
    EXPECT_EQ(Count(*b.graph, "Add"), form.root == 3 ? 0u : 1u) << k;
  }
}

TEST(FuseLayerNorm, OtherStatisticsStay) {
  {  // the divisor of the sum is not the number of summed elements
    Builder b;
    Endpoint x = b.Input({2, 3, 8}), m = b("ReduceMean", {x, b.Ints({-1})}, {{"keep_dims", true}});
    Endpoint squares = b("ReduceSum", {b("Mul", {x, x}), b.Ints({-1})}, {{"keep_dims", true}});
    Endpoint variance = b("Sub", {b("Mul", {squares, b.Scalar(0.25f)}), b("Square", {m})});
    Endpoint deviation = b("Sqrt", {b("Add", {variance, b.Scalar(1)})});
    b.Outputs({b("RealDiv", {b("Sub", {x, m}), deviation})});
    EXPECT_FALSE(Differential(b, {"FuseLayerNorm"}));
  }
  {  // squares of something else
    Builder b;
    Endpoint x = b.Input({2, 3, 8}), other = b.Input({2, 3, 8});
    Endpoint m = b("ReduceMean", {x, b.Ints({-1})}, {{"keep_dims", true}});
    Endpoint squares = b("ReduceMean", {b("Mul", {other, other}), b.Ints({-1})}, {{"keep_dims", true}});
    Endpoint variance = b("Relu", {b("Sub", {squares, b("Mul", {m, m})})});
    b.Outputs({b("Mul", {b("Sub", {x, m}), b("Rsqrt", {b("Add", {variance, b.Scalar(1)})})})});
    EXPECT_FALSE(Differential(b, {"FuseLayerNorm"}));
  }
  for (bool first : {true, false}) {  // a floor above zero matters
    Builder b;
    Endpoint x = b.Input({2, 3, 8}), m = b("ReduceMean", {x, b.Ints({-1})}, {{"keep_dims", true}});
    Endpoint squares = b("ReduceMean", {b("Mul", {x, x}), b.Ints({-1})}, {{"keep_dims", true}});
    Endpoint variance = b("Sub", {squares, b("Mul", {m, m})}), floor = b.Scalar(9);
    variance = first ? b("Maximum", {floor, variance}) : b("Maximum", {variance, floor});
    b.Outputs({b("Mul", {b("Sub", {x, m}), b("Rsqrt", {b("Add", {variance, b.Scalar(1)})})})});
    EXPECT_FALSE(Differential(b, {"FuseLayerNorm"}));
  }
  {  // the first dimension
    Builder b;
    Endpoint x = b.Input({2, 3, 8}), m = b("ReduceMean", {x, b.Ints({0})}, {{"keep_dims", true}});
    Endpoint squares = b("ReduceMean", {b("Mul", {x, x}), b.Ints({0})}, {{"keep_dims", true}});
    Endpoint variance = b("Relu", {b("Sub", {squares, b("Mul", {m, m})})});
    b.Outputs({b("Mul", {b("Sub", {x, m}), b("Rsqrt", {b("Add", {variance, b.Scalar(1)})})})});
    EXPECT_FALSE(Differential(b, {"FuseLayerNorm"}));
  }
}

/// how: 0 quotient, 1 reciprocal, 2 logarithm
Endpoint WrittenOutSoftmax(Builder &b, Endpoint x, int how, bool drop_dims, bool low, int64_t axis, int64_t sum_axis) {
  const Builder::Attrs keep{{"keep_dims", !drop_dims}};
  std::vector<int64_t> kept{2, 3, 8};
  kept[static_cast<size_t>(axis)] = 1;
  auto beside = [&](Endpoint v) { return drop_dims ? b("Reshape", {v, b.Ints(kept)}) : v; };
  Endpoint most = b("ReduceMax", {x, b.Ints({axis})}, keep);
  if (low) most = b("Maximum", {b.Scalar(-INFINITY), most});
  Endpoint shifted = b("Sub", {x, beside(most)}), exp = b("Exp", {shifted});
  Endpoint sum = b("ReduceSum", {exp, b.Ints({sum_axis})}, keep);
  if (how == 2) return b("Sub", {shifted, b("Log", {beside(sum)})});
  if (how == 1) return b("Mul", {b("Reciprocal", {beside(sum)}), exp});
  return b("RealDiv", {exp, beside(sum)});
}

TEST(FuseSoftmax, EveryForm) {
  for (int how = 0; how < 3; ++how) {
    for (int k = 0; k < 8; ++k) {
      Builder b;
      const int64_t axis = how != 2 && (k & 4) ? 1 : 2;
      b.Outputs({WrittenOutSoftmax(b, b.Input({2, 3, 8}), how, k & 1, k & 2, axis, axis)});
      EXPECT_TRUE(Differential(b, {"FuseSoftmax"})) << how << " " << k;
      Node *made = Only(*b.graph, how == 2 ? "LogSoftmaxV2" : "SoftmaxV2");
      EXPECT_EQ(made->passes().back().view(), "FuseSoftmax");
      EXPECT_EQ(Count(*b.graph, "Exp") + Count(*b.graph, "Sub") + Count(*b.graph, "Reshape"), 0u);
    }
  }
}

TEST(FuseSoftmax, MustNotMatch) {
  {  // the sum runs over another dimension than the maximum
    Builder b;
    b.Outputs({WrittenOutSoftmax(b, b.Input({2, 3, 8}), 0, false, false, 2, 1)});
    EXPECT_FALSE(Differential(b, {"FuseSoftmax"}));
  }
  {  // the exponentials leave the graph
    Builder b;
    Endpoint y = WrittenOutSoftmax(b, b.Input({2, 3, 8}), 0, false, false, 2, 2);
    b.Outputs({y, {Only(*b.graph, "Exp"), 0}});
    EXPECT_FALSE(Differential(b, {"FuseSoftmax"}));
  }
  for (bool first : {true, false}) {  // a floor above -inf matters
    Builder b;
    Endpoint x = b.Input({2, 3, 8}), most = b("ReduceMax", {x, b.Ints({2})}, {{"keep_dims", true}});
    most = first ? b("Maximum", {b.Scalar(200), most}) : b("Maximum", {most, b.Scalar(200)});
    Endpoint exp = b("Exp", {b("Sub", {x, most})});
    b.Outputs({b("RealDiv", {exp, b("ReduceSum", {exp, b.Ints({2})}, {{"keep_dims", true}})})});
    EXPECT_FALSE(Differential(b, {"FuseSoftmax"}));
  }
}

Endpoint Product(Builder &b, Endpoint x, Endpoint bracket, int order) {
  Endpoint half = b.Scalar(0.5f);
  switch (order) {
    case 0:
      return b("Mul", {b("Mul", {x, bracket}), half});
    case 1:
      return b("Mul", {half, b("Mul", {bracket, x})});
    case 2:
      return b("Mul", {b("Mul", {x, half}), bracket});
    case 3:
      return b("Mul", {bracket, b("Mul", {half, x})});
    case 4:
      return b("Mul", {x, b("Mul", {bracket, half})});
    default:
      return b("Mul", {b("Mul", {half, bracket}), x});
  }
}

TEST(FuseGelu, EveryOrderOfBothForms) {
  for (int order = 0; order < 6; ++order) {
    for (int form = 0; form < 8; ++form) {
      Builder b;
      Endpoint x = b("Add", {b.Input({3, 5}), b.Input({5})}), inner, bracket;
      if (form < 2) {
        inner = form ? b("Mul", {b.Scalar(0.70710678f), x}) : b("RealDiv", {x, b.Scalar(1.41421356f)});
        bracket = b("Add", {b("Erf", {inner}), b.Scalar(1)});
      } else {
        Endpoint scaled = b("Mul", {x, b("Mul", {b("Mul", {b.Scalar(0.044715f), x}), x})});
        Endpoint xx = form & 1 ? b("Mul", {x, x}) : b("Square", {x});
        if (form < 5) {
          Endpoint cube = form == 4 ? b("Pow", {x, b.Scalar(3)}) : b("Mul", {xx, x});
          inner = b("Mul", {b.Scalar(0.79788456f), b("Add", {x, b("Mul", {cube, b.Scalar(0.044715f)})})});
        } else if (form == 7) {
          inner = b("Mul", {b("Add", {scaled, x}), b.Scalar(0.79788456f)});
        } else {
          Endpoint poly = b("Add", {b.Scalar(1), b("Mul", {b.Scalar(0.044715f), xx})});
          inner = b("Mul", {b("Mul", {x, b.Scalar(0.79788456f)}), poly});
        }
        bracket = b("Add", {b.Scalar(1), b("Tanh", {inner})});
      }
      b.Outputs({Product(b, x, bracket, order)});
      RunOne(*b.graph, "DeadCode");
      EXPECT_TRUE(Differential(b, {"FuseGelu"}));
      ASSERT_EQ(Count(*b.graph, "GeluV2"), 1u) << order << " " << form;
      EXPECT_EQ(Only(*b.graph, "GeluV2")->String("approximate"), form < 2 ? "none" : "tanh");
      EXPECT_EQ(Count(*b.graph, "Mul"), 0u);
    }
  }
}

TEST(FuseGelu, MustNotMatch) {
  for (int how = 0; how < 3; ++how) {
    Builder b;
    Endpoint x = b.Input({3, 5}), other = b.Input({3, 5});
    Endpoint bracket = b("Add", {b("Erf", {b("Mul", {x, b.Scalar(how == 0 ? 0.8f : 0.70710678f)})}), b.Scalar(1)});
    Endpoint y = Product(b, how == 1 ? other : x, bracket, 0);
    std::vector<Endpoint> outputs{y};
    if (how == 2) outputs.push_back(bracket);
    b.Outputs(outputs);
    EXPECT_FALSE(Differential(b, {"FuseGelu"})) << how;
  }
}

TEST(FuseGelu, AConstantOfMoreDimensionsAddsThemToTheResult) {
  Builder b;
  Endpoint x = b.Input({5}), half = b.Floats({1, 1}, {0.5f});
  Endpoint bracket = b("Add", {b("Erf", {b("Mul", {x, b.Scalar(0.70710678f)})}), b.Scalar(1)});
  b.Outputs({b("Mul", {b("Mul", {x, bracket}), half})});
  EXPECT_FALSE(Differential(b, {"FuseGelu"}));
}

TEST(FuseSwish, Forms) {
  struct Case {
    const char *type;
    std::function<Endpoint(Builder &, Endpoint)> build;
  };
  auto gate = [](Builder &b, Endpoint x) {
    return b("ClipByValueV2", {b("Add", {x, b.Scalar(3)}), b.Scalar(0), b.Scalar(6)});
  };
  const Case cases[] = {
      {"Swish",
       [](Builder &b, Endpoint x) {
         return b("Mul", {x, b("Sigmoid", {x})});
       }},
      {"Swish",
       [](Builder &b, Endpoint x) {
         return b("Mul", {b("Sigmoid", {b("Mul", {b.Scalar(1.702f), x})}), x});
       }},
      {"HardSwishV2",
       [](Builder &b, Endpoint x) {
         return b("Mul", {x, b("HardSigmoid", {x}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}})});
       }},
      {"HardSwishV2",
       [&](Builder &b, Endpoint x) {
         return b("RealDiv", {b("Mul", {x, gate(b, x)}), b.Scalar(6)});
       }},
      {"HardSwishV2",
       [&](Builder &b, Endpoint x) {
         return b("Mul", {x, b("RealDiv", {gate(b, x), b.Scalar(6)})});
       }},
      {"HardSwishV2",
       [&](Builder &b, Endpoint x) {
         return b("Mul", {b("Mul", {gate(b, x), x}), b.Scalar(1.0f / 6)});
       }},
      {"Mish",
       [](Builder &b, Endpoint x) {
         return b("Mul", {b("Tanh", {b("Softplus", {x})}), x});
       }},
      {"Mish",
       [](Builder &b, Endpoint x) {
         return b("Mul", {x, b("Tanh", {b("Log", {b("Add", {b("Exp", {x}), b.Scalar(1)})})})});
       }},
  };
  for (const Case &c : cases) {
    Builder b;
    b.Outputs({c.build(b, b("Neg", {b.Input({4, 7})}))});
    EXPECT_TRUE(Differential(b, {"FuseSwish"}));
    EXPECT_EQ(Count(*b.graph, c.type), 1u) << c.type;
    EXPECT_EQ(Count(*b.graph, "Mul"), 0u) << c.type;
  }
}

TEST(FuseSwish, MustNotMatch) {
  Builder b;
  Endpoint x = b.Input({4}), y = b.Input({4});
  Endpoint shared = b("Sigmoid", {x});
  b.Outputs({b("Mul", {y, shared}), b("Mul", {x, b("HardSigmoid", {x}, {{"alpha", 0.2f}, {"beta", 0.5f}})}),
             b("Mul", {x, shared})});
  EXPECT_FALSE(Differential(b, {"FuseSwish"}));
}

}  // namespace
