// Reductions over all pixels of what a convolution makes.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

Endpoint Reduced(Builder &b, const char *type, Endpoint x, std::vector<int64_t> axes, bool keep) {
  return b(type, {x, b.Ints(axes)}, {{"keep_dims", keep}});
}

TEST(PoolPixels, MaximaOfImages) {
  for (bool keep : {true, false})
    for (const std::vector<int64_t> &axes : {std::vector<int64_t>{2, 3}, {-1, -2}, {3, 2}}) {
      Builder b;
      Endpoint x = b("Relu", {b.BatchNorm(b.Conv(b.Input({2, 3, 7, 9}), 3, 20, 3), 20)});
      b.Outputs({b("Neg", {Reduced(b, "ReduceMax", x, axes, keep)})});
      EXPECT_TRUE(Differential(b, {"PoolPixels"}));
      EXPECT_EQ(Count(*b.graph, "ReduceMax"), 0u);
      EXPECT_EQ(Only(*b.graph, "MaxPoolV3")->output_desc(0).shape, (Shape{2, 20, 1, 1}));
      EXPECT_EQ(Count(*b.graph, "SqueezeV3"), keep ? 0u : 1u);
    }
}

TEST(PoolPixels, SequencesThatWereImagesOfOneRow) {
  for (const char *type : {"ReduceMax", "ReduceMean"})
    for (bool keep : {true, false})
      for (int64_t axis : {2, -1}) {
        Builder b;
        Endpoint x = b("SqueezeV3", {b("Relu", {b.Conv(b.Input({2, 3, 1, 30}), 3, 17, 1)}), b.Ints({2})});
        b.Outputs({b("Neg", {Reduced(b, type, x, {axis}, keep)})});
        EXPECT_TRUE(Differential(b, {"PoolPixels"})) << type;
        EXPECT_EQ(Count(*b.graph, type), 0u);
        EXPECT_EQ(Count(*b.graph, std::string(type) == "ReduceMax" ? "MaxPoolV3" : "GlobalAveragePool"), 1u);
      }
}

TEST(PoolPixels, MustNotMatch) {
  const std::vector<std::function<Endpoint(Builder &, Endpoint)>> ways = {
      [](Builder &b, Endpoint) {
        return Reduced(b, "ReduceMax", b("Abs", {b.Input({2, 20, 7, 9})}), {2, 3}, true);
      },
      [](Builder &b, Endpoint x) { return Reduced(b, "ReduceMax", x, {3}, true); },
      [](Builder &b, Endpoint x) {
        return Reduced(b, "ReduceMax", x, {1, 2}, true);
      },
      [](Builder &b, Endpoint x) {
        return Reduced(b, "ReduceMax", x, {1, 2, 3}, true);
      },
      [](Builder &b, Endpoint x) {
        return Reduced(b, "ReduceMean", x, {2, 3}, true);
      },  // another pass's
      [](Builder &b, Endpoint x) {
        return Reduced(b, "ReduceMin", x, {2, 3}, true);
      },
      [](Builder &b, Endpoint x) {
        return Reduced(b, "ReduceMax", b("Transpose", {x, b.Ints({0, 1, 3, 2})}), {2, 3}, true);
      },
      [](Builder &b, Endpoint x) {
        return Reduced(b, "ReduceMax", b("Reshape", {x, b.Ints({2, 20, -1})}), {2}, true);
      },
      [](Builder &b, Endpoint x) {
        return Reduced(b, "ReduceMax", b("Cast", {x}, {{"dst_type", int64_t{C_DT_DOUBLE}}}), {2, 3}, true);
      },
  };
  for (size_t i = 0; i < ways.size(); ++i) {
    Builder b;
    Endpoint x = b.Conv(b.Input({2, 3, 7, 9}), 3, 20, 3);
    b.Outputs({ways[i](b, x), b("Neg", {x})});
    EXPECT_FALSE(RunOne(*b.graph, "PoolPixels")) << i;
  }
  Builder open;  // a window is a number
  open.Outputs({Reduced(open, "ReduceMax", open.Conv(open.Input({2, 3, -1, 9}), 3, 20, 3), {2, 3}, true)});
  EXPECT_FALSE(RunOne(*open.graph, "PoolPixels"));
}

TEST(PoolPixels, WithoutBlocksNothingIsGained) {
  Builder b;
  b.Outputs({Reduced(b, "ReduceMax", b.Conv(b.Input({2, 3, 7, 9}), 3, 20, 3), {2, 3}, true)});
  PassContext flat = Context();
  flat.c0 = 0;
  EXPECT_FALSE(RunOne(*b.graph, "PoolPixels", flat));
}

}  // namespace
