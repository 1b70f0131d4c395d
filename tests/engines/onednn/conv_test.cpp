// Convolutions against plain loops in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "conv_case.h"

using namespace conv_case;

namespace {

const Case kCases[] = {
    {1, 16, 9, 9, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},     // 3x3 same
    {2, 32, 14, 13, 16, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1},   // 1x1
    {1, 64, 12, 12, 64, 1, 1, 2, 2, 0, 0, 0, 0, 1, 1, 1},   // 1x1 strided
    {1, 3, 33, 31, 16, 7, 7, 2, 2, 3, 3, 3, 3, 1, 1, 1},    // first layer
    {1, 3, 32, 32, 24, 3, 3, 2, 2, 0, 1, 0, 1, 1, 1, 1},    // first layer, uneven padding
    {1, 20, 10, 10, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},   // channels that do not fill a block
    {1, 24, 7, 7, 144, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1},    //
    {1, 144, 7, 7, 24, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1},    //
    {1, 32, 15, 15, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 32},  // depthwise
    {2, 24, 15, 15, 24, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 24},  // depthwise, odd channels
    {1, 32, 15, 33, 32, 7, 7, 1, 1, 3, 3, 3, 3, 1, 1, 32},  // depthwise, wide windows
    {2, 24, 3, 4, 24, 7, 7, 1, 1, 3, 3, 3, 3, 1, 1, 24},    // wider than the image
    {1, 16, 9, 20, 16, 5, 7, 2, 1, 2, 1, 0, 6, 1, 1, 16},   // uneven padding
    {1, 32, 12, 12, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 2},   // grouped
    {1, 12, 12, 12, 24, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4},   // grouped, narrow groups
    {1, 16, 14, 14, 16, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, 1},   // dilated
    {1, 16, 20, 5, 16, 5, 1, 1, 1, 2, 2, 0, 0, 1, 1, 1},    // tall kernel
    {1, 16, 1, 40, 32, 1, 5, 1, 2, 0, 0, 2, 2, 1, 1, 1},    // one dimension
    {1, 16, 40, 1, 32, 5, 1, 2, 1, 2, 2, 0, 0, 1, 1, 1},    // one dimension, standing
    {1, 20, 33, 1, 24, 5, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1},    // standing, odd channels
    {1, 5, 6, 6, 7, 2, 2, 1, 1, 0, 0, 0, 0, 1, 1, 1},       // odd everything
    {1, 64, 14, 13, 72, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},   // enough channels for Winograd's algorithm
    {1, 8, 5, 5, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 8},      // depthwise with a multiplier
};

TEST(Conv, Layouts) {
  for (const Case &k : kCases)
    for (int64_t xb : {int64_t(0), Block()})
      for (int64_t yb : {int64_t(0), Block()}) {
        Options o;
        o.x_block = xb, o.y_block = yb;
        Check(k, o);
      }
}

TEST(Conv, SmallBlocks) {
  for (const Case &k : kCases) {
    Options o;
    o.x_block = o.y_block = 8;
    Check(k, o);
  }
}

TEST(Conv, Residual) {
  for (const Case &k : kCases)
    for (int64_t block : {int64_t(0), Block()})
      for (bool alias : {false, true}) {
        Options o;
        o.x_block = o.y_block = block;
        o.residual = true, o.alias = alias, o.act = "relu";
        Check(k, o);
      }
}

TEST(Conv, FiltersAtRunTime) {
  for (const Case &k : kCases)
    for (int64_t block : {int64_t(0), Block()}) {
      Options o;
      o.constant = false;
      o.x_block = o.y_block = block;
      Check(k, o);
    }
}

TEST(Conv, Activations) {
  const struct {
    const char *name;
    double alpha, beta;
  } acts[] = {{"relu", 0, 0},         {"clip", 0, 6},       {"clip", 0.25, 0.5},        {"sigmoid", 0, 0},
              {"tanh", 0, 0},         {"swish", 0, 0},      {"gelu_erf", 0, 0},         {"gelu_tanh", 0, 0},
              {"leaky_relu", 0.1, 0}, {"hard_swish", 0, 0}, {"hard_sigmoid", 0.2, 0.5}, {"elu", 1.5, 0}};
  for (const auto &act : acts)
    for (int index : {3, 5, 7, 9, 11, 16})
      for (int64_t block : {int64_t(0), Block()}) {
        Options o;
        o.act = act.name, o.alpha = act.alpha, o.beta = act.beta;
        o.y_block = block;
        o.x_block = index == 3 ? 0 : block;
        Check(kCases[index], o);
      }
}

TEST(Conv, OneThreadNoBias) {
  for (const Case &k : kCases) {
    Options o;
    o.threads = 1, o.bias = false;
    o.x_block = o.y_block = Block();
    Check(k, o);
  }
}

/// The own kernels serve these: 1 x 1 and depthwise on blocks.
std::vector<Case> DirectCases() {
  std::vector<Case> cases;
  // Every number of pixels that a tile may end with, one and several output blocks, an odd block, unfilled blocks.
  for (int64_t w = 1; w <= 30; ++w)
    cases.push_back({1, 16 + w % 3 * 9, 1, w, 16 + w % 5 * 13, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
  cases.push_back({2, 24, 40, 41, 40, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});    // chunks of pixels, two images
  cases.push_back({1, 1280, 12, 11, 48, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});  // chunks, for the depth
  cases.push_back({2, 96, 6, 9, 40, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});      // three blocks at the end, many channels
  cases.push_back({1, 72, 5, 5, 8, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});       // one block
  cases.push_back({3, 8, 1, 1, 100, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});      // a dense layer
  for (int64_t w = 1; w <= 30; ++w) {
    const int64_t k = w % 2 ? 3 : 5, s = 1 + w % 3 / 2, c = 16 + w % 4 * 8;
    cases.push_back({1, c, 5, w, c, k, k, s, s, k / 2, k / 2, k / 2, k / 2, 1, 1, c});
    if (w + 1 >= k) cases.push_back({2, c, 7, w, c, 3, k, 1, s, 0, 1, 1, 0, 1, 1, c});  // uneven edges, other height
  }
  cases.push_back({1, 32, 9, 20, 32, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, 32});  // dilated
  cases.push_back({1, 32, 9, 20, 32, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 32});  // another stride
  cases.push_back({1, 32, 9, 20, 32, 7, 4, 1, 2, 3, 3, 1, 2, 1, 1, 32});  // another filter
  cases.push_back({1, 16, 2, 2, 16, 5, 5, 1, 1, 4, 4, 4, 4, 1, 1, 16});   // rows and columns without the image
  cases.push_back({1, 16, 1, 60, 16, 1, 3, 1, 1, 0, 0, 1, 1, 1, 1, 16});  // one dimension
  cases.push_back({1, 16, 60, 1, 16, 3, 1, 2, 1, 1, 1, 0, 0, 1, 1, 16});  // one dimension, standing
  return cases;
}

TEST(Conv, OwnKernels) {
  static const std::vector<Case> cases = DirectCases();
  for (const Case &k : cases)
    for (int variant = 0; variant < 4; ++variant) {
      Options o;
      o.x_block = o.y_block = Block();
      o.implementation = "direct:";
      o.bias = variant != 1;
      o.residual = variant == 2 || variant == 3, o.alias = variant == 3;
      o.act = variant == 0 ? "clip" : variant == 2 ? "hard_swish" : "";
      o.alpha = -0.2, o.beta = 0.4;
      o.threads = 1 + variant % 2 * 2;
      Check(k, o);
    }
}

// What the library computes by general means.
const Case kGeneralCases[] = {
    {1, 32, 20, 19, 24, 3, 3, 1, 1, 6, 6, 6, 6, 6, 6, 1},    // dilated
    {2, 16, 1, 60, 32, 1, 3, 1, 1, 0, 0, 16, 16, 1, 8, 1},   // more padding than a window has
    {1, 3, 50, 47, 24, 11, 11, 4, 4, 2, 2, 2, 2, 1, 1, 1},   // a wide filter on few channels
    {1, 1, 20, 21, 16, 9, 9, 1, 1, 4, 4, 4, 4, 1, 1, 1},     // and on one
    {1, 64, 9, 13, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 16},    // groups of 4 channels
    {2, 32, 9, 11, 32, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 16},    // of 2
    {1, 96, 7, 12, 96, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 12},    // of 8: more than there are of a block on some processors
    {1, 48, 5, 40, 48, 1, 60, 1, 1, 0, 0, 30, 29, 1, 1, 3},  // of 16, a long filter
    {1, 96, 6, 11, 48, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 3},     // of 32 and 16, 1 x 1
    {1, 8, 6, 11, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4},       // all of them together are four channels
    {1, 4, 6, 11, 2, 3, 3, 1, 1, 6, 6, 6, 6, 6, 6, 2},
    {1, 40, 6, 11, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 10},  // groups that fill no whole number of blocks
};

TEST(Conv, GeneralOnes) {
  for (const Case &k : kGeneralCases)
    for (int variant = 0; variant < 4; ++variant)
      for (int layout = 0; layout < 4; ++layout) {
        Options o;
        o.x_block = layout & 1 ? Block() : 0, o.y_block = layout & 2 ? Block() : 0;
        if ((o.x_block && k.c % Block()) || (o.y_block && k.o % Block())) continue;
        o.residual = variant == 1 || variant == 2, o.alias = variant == 2;
        o.act = variant == 0 ? "tanh" : variant == 3 ? "swish" : "";
        o.threads = 1 + variant % 2;
        Check(k, o);
      }
}

TEST(Conv, OwnKernelsKeepNaNAndInfinity) {
  for (const int64_t groups : {int64_t(1), Block()}) {
    const Case k{1, Block(), 4, 5, Block(), 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, groups};
    Tensor x = Random({1, k.c, 4, 5}, 1, 1, C_FORMAT_NCHW), f = Plain({k.o, k.c / groups, 1, 1}, {}, C_FORMAT_NCHW);
    for (int64_t o = 0; o < k.o; ++o) f.data[o * (k.c / groups) + (groups == 1 ? o : 0)] = 1;  // y is x
    x.data[7] = NAN, x.data[8] = INFINITY, x.data[9] = -INFINITY;
    for (size_t i = 20; i < x.data.size(); ++i) x.data[i] = -1;
    f.constant = true;
    Op op("FusedConv2D");
    op.In(Blocked(x, Block())).In(f).In(Absent()).In(Absent()).Out({1, k.o, 4, 5}, Block(), C_FORMAT_NCHW);
    op.Ints("strides", {1, 1, 1, 1}).Ints("pads", {0, 0, 0, 0}).Ints("dilations", {1, 1, 1, 1}).Int("groups", groups);
    op.String("data_format", "NCHW").String("activation", "relu");
    op.Run();
    bool zero = true;
    const std::vector<float> y = Unblocked(op.outputs[0], &zero);
    EXPECT_TRUE(std::isnan(y[7]));
    if (groups == 1) continue;  // a product with zero makes NaN of infinity
    EXPECT_EQ(y[8], INFINITY);
    EXPECT_EQ(y[9], 0);
  }
}

TEST(Conv, ChannelsLastWithHwcnFilter) {
  Case k{2, 6, 9, 8, 10, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1, 2};
  Tensor x = Random({k.n, k.c, k.h, k.w}, 1), f = Random({k.o, 3, 3, 3}, 2, 0.3f);
  Dims shape = OutputShape(k);
  std::vector<double> want = Sums(k, x.data, f.data);
  Tensor xl = Plain({k.n, k.h, k.w, k.c}, {}, C_FORMAT_NHWC), fl = Plain({3, 3, 3, k.o}, {}, C_FORMAT_HWCN);
  for (int64_t n = 0; n < k.n; ++n)
    for (int64_t c = 0; c < k.c; ++c)
      for (int64_t p = 0; p < k.h * k.w; ++p)
        xl.data[(n * k.h * k.w + p) * k.c + c] = x.data[(n * k.c + c) * k.h * k.w + p];
  for (int64_t o = 0; o < k.o; ++o)
    for (int64_t c = 0; c < 3; ++c)
      for (int64_t p = 0; p < 9; ++p) fl.data[(p * 3 + c) * k.o + o] = f.data[(o * 3 + c) * 9 + p];
  Op op("Conv2D");
  op.In(xl).In(Constant(fl)).In(Absent()).In(Absent()).Out({shape[0], shape[2], shape[3], shape[1]}, 0, C_FORMAT_NHWC);
  op.Ints("strides", {1, 2, 1, 1})
      .Ints("pads", {1, 1, 1, 1})
      .Ints("dilations", {1, 1, 1, 1})
      .Int("groups", 2)
      .String("data_format", "NHWC");
  op.Run();
  for (int64_t n = 0; n < k.n; ++n)
    for (int64_t o = 0; o < k.o; ++o)
      for (int64_t p = 0; p < shape[2] * shape[3]; ++p)
        ASSERT_NEAR(op.outputs[0].data[(n * shape[2] * shape[3] + p) * k.o + o],
                    want[(n * k.o + o) * shape[2] * shape[3] + p], 1e-4);
}

TEST(Conv, KernelsOfOneFilterShareThePackedForm) {
  Model model(1);
  Op a("Conv2D"), b("Conv2D");
  Tensor f = Constant(Random({32, 16, 3, 3}, 2, 1, C_FORMAT_NCHW));
  for (Op *op : {&a, &b}) {
    op->In(Blocked(Random({1, 16, 8, 8}, 1), 8)).In(f).In(Absent()).In(Absent()).Out({1, 32, 8, 8}, 8);
    op->Ints("strides", {1, 1, 1, 1}).Ints("pads", {1, 1, 1, 1}).String("data_format", "NCHW");
  }
  a.Create(model);
  ASSERT_EQ(model.packed(), 1u);
  a.Create(model);
  EXPECT_EQ(model.packed(), 1u);
  b.Create(model);  // its own constant
  EXPECT_EQ(model.packed(), 2u);
}

TEST(Conv, Reasons) {
  auto reason = [](auto change) {
    Op op("Conv2D");
    op.In(Plain({1, 16, 8, 8}, {}, C_FORMAT_NCHW))
        .In(Plain({32, 16, 3, 3}, {}, C_FORMAT_NCHW))
        .In(Absent())
        .In(Absent());
    op.Out({1, 32, 8, 8}, 0, C_FORMAT_NCHW)
        .Ints("strides", {1, 1, 1, 1})
        .Ints("pads", {1, 1, 1, 1})
        .String("data_format", "NCHW");
    change(op);
    return op.Check();
  };
  EXPECT_EQ(reason([](Op &) {}), "");
  EXPECT_NE(reason([](Op &op) { op.inputs[0].type = C_DT_INT8; }).find("DT_INT8 is not supported"), std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.Ints("strides", {1, 1, 1}); }).find("strides has 3 values"), std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.inputs[0].dims[1] = op.inputs[0].origin[1] = 8; }).find("8 channels"),
            std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.inputs[3] = op.inputs[0]; }).find("offset_w"), std::string::npos);
  EXPECT_EQ(reason([](Op &op) { op.inputs[0].dims = op.inputs[0].origin = {-1, 16, -1, -1}; }), "");
  Op other("Erf");
  EXPECT_NE(other.Check().find("operator Erf is not supported"), std::string::npos);
}

}  // namespace
