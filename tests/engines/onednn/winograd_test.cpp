// Winograd's algorithm against plain loops in double precision: every size of image that ends within a tile, and all
// that a convolution does at its end.
#include "conv_case.h"

using namespace conv_case;

namespace {

/// Layouts of x and y: bit 0 and bit 1 say that they lie in blocks.
Options On(int layout) {
  Options o;
  o.x_block = layout & 1 ? Block() : 0;
  o.y_block = layout & 2 ? Block() : 0;
  return o;
}
Options OnBlocks() { return On(3); }

Case Image(int64_t n, int64_t c, int64_t h, int64_t w, int64_t o, int64_t top = 1, int64_t bottom = 1, int64_t left = 1,
           int64_t right = 1) {
  return {n, c, h, w, o, 3, 3, 1, 1, top, bottom, left, right, 1, 1, 1};
}

TEST(Winograd, EverySizeOfImage) {
  static std::vector<Case> cases;
  for (int64_t h = 1; h <= 14; ++h)
    for (int64_t w = 1; w <= 14; w += 1 + h % 2) cases.push_back(Image(1, 48, h, w, 40));
  for (int64_t w = 15; w <= 34; ++w) cases.push_back(Image(1, 32, 10 + w % 7, w, 32));
  cases.push_back(Image(3, 40, 9, 10, 56));     // pieces that go from one image to the next
  cases.push_back(Image(1, 32, 50, 53, 32));    // several pieces
  cases.push_back(Image(1, 160, 14, 14, 192));  // a long sum
  std::set<std::string> seen;
  for (const Case &k : cases) {
    Options o = On(3 * int(k.h + k.w) % 4);
    o.seen = &seen;
    o.threads = 1 + int(k.w % 3);
    if (k.c > 64) o.tolerance = 4e-5;  // the transforms subtract larger numbers than the sum has
    Check(k, o);
  }
  EXPECT_TRUE(seen.count("winograd2x2")) << "no case had small tiles";
  EXPECT_TRUE(seen.count("winograd4x4")) << "no case had large tiles";
}

/// The same with strides of 2.
Case Strided(Case k) {
  k.sh = k.sw = 2;
  return k;
}

TEST(Winograd, EverySizeOfStridedImage) {
  static std::vector<Case> cases;
  for (int64_t h = 2; h <= 13; ++h)
    for (int64_t w = 2; w <= 14; w += 1 + h % 3)
      for (int64_t top : {0, 1})
        if (h + top >= 3 && w >= 3) cases.push_back(Strided(Image(1, 48, h, w, 40, top, h % 2, 1 - top, w % 2)));
  // Large tiles pay where few of their outputs lie outside: here in rows, or in columns, of every length.
  for (int64_t i = 0; i < 8; ++i) {
    cases.push_back(Strided(Image(1, 32, 15 + i % 2, 89 + i, 64, i % 2, 1, 1, 1)));
    cases.push_back(Strided(Image(1, 32, 89 + i, 15 + i % 2, 64, 1, 1, i % 2, 1)));
  }
  cases.push_back(Strided(Image(3, 40, 17, 21, 56)));     // pieces that go from one image to the next
  cases.push_back(Strided(Image(1, 96, 56, 59, 64)));     // several pieces
  cases.push_back(Strided(Image(1, 160, 26, 27, 192)));   // a long sum
  cases.push_back(Strided(Image(1, 96, 41, 37, 96, 4)));  // more padding than a window has
  std::set<std::string> seen;
  for (const Case &k : cases) {
    Options o = On(3 * int(k.h + k.w) % 4);
    o.seen = &seen;
    o.threads = 1 + int(k.w % 3);
    if (k.c > 64) o.tolerance = 4e-5;
    Check(k, o);
  }
  if (Block() != 8) {  // with AVX-512 only where measuring says so
    EXPECT_FALSE(seen.count("winograd2x2/2") + seen.count("winograd4x4/2"));
    return;
  }
  EXPECT_TRUE(seen.count("winograd2x2/2")) << "no case had small tiles";
  EXPECT_TRUE(seen.count("winograd4x4/2")) << "no case had large tiles";
}

TEST(Winograd, Padding) {
  static std::vector<Case> cases;
  for (int64_t top : {0, 1, 2, 3})
    for (int64_t left : {0, 2, 5}) {
      cases.push_back(Image(1, 32, 12, 13, 32, top, 2 - top % 3, left, left % 2));
      cases.push_back(Strided(Image(1, 64, 23, 22, 64, top, 2 - top % 3, left, left % 2)));
    }
  for (const Case &k : cases)
    for (int layout = 0; layout < 4; ++layout) Check(k, On(layout));
}

// Each image of pixels that are a dilation apart ends within a tile of its own.
TEST(Winograd, Dilation) {
  static std::vector<Case> cases;
  for (int64_t h = 5; h <= 23; h += 5)
    for (int64_t w = 4; w <= 30; w += 3 + h % 4) {
      const int64_t dh = 1 + h % 4, dw = 1 + (w + 1) % 4;
      cases.push_back({1 + w % 2, 48, h, w, 40, 3, 3, 1, 1, dh, dh, dw, dw, dh, dw, 1});
    }
  cases.push_back({2, 40, 33, 34, 56, 3, 3, 1, 1, 6, 6, 6, 6, 6, 6, 1});
  cases.push_back({1, 64, 40, 41, 64, 3, 3, 1, 1, 12, 12, 12, 12, 12, 12, 1});
  cases.push_back({1, 64, 26, 22, 64, 3, 3, 1, 1, 0, 1, 5, 2, 2, 3, 1});    // uneven padding, and none
  cases.push_back({1, 64, 40, 30, 64, 3, 3, 1, 1, 11, 3, 0, 9, 4, 2, 1});   // more of it than a window has
  cases.push_back({1, 96, 33, 28, 64, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, 1});    // several pieces
  cases.push_back({1, 128, 16, 16, 128, 3, 3, 1, 1, 8, 8, 8, 8, 8, 8, 1});  // two by two pixels each
  std::set<std::string> seen;
  for (const Case &k : cases)
    for (int variant = 0; variant < 4; ++variant) {
      Options o = OnBlocks();
      o.seen = &seen;
      o.threads = 1 + int(k.w % 3);
      o.bias = variant != 1;
      o.residual = variant >= 2, o.alias = variant == 3;
      o.act = variant == 0 ? "relu" : variant == 2 ? "swish" : "";
      if (k.c > 64) o.tolerance = 4e-5;
      Check(k, o);
    }
  EXPECT_TRUE(seen.count("winograd2x2")) << "no case had small tiles";
  EXPECT_TRUE(seen.count("winograd4x4")) << "no case had large tiles";
}

TEST(Winograd, BiasResidualAndActivation) {
  static const Case even = Image(2, 32, 17, 18, 48), odd = Image(1, 45, 13, 11, 37);
  static const Case strided = Strided(Image(2, 61, 25, 30, 69));
  for (const Case *k : {&even, &odd, &strided})
    for (const char *act : {"", "relu", "clip", "swish", "hard_swish", "sigmoid", "leaky_relu"})
      for (int variant = 0; variant < 16; ++variant) {
        Options o = On(variant / 4);
        o.act = act, o.alpha = 0.1, o.beta = 0.5;
        o.bias = variant % 4 != 1;
        o.residual = variant % 4 >= 2, o.alias = variant % 4 == 3;
        Check(*k, o);
      }
}

TEST(Winograd, FilterInHwcn) {
  static const Case k = Image(1, 32, 24, 26, 40);
  Tensor x = Random({1, k.c, k.h, k.w}, 1, 1, C_FORMAT_NCHW), f = Random({k.o, k.c, 3, 3}, 2, 0.3f);
  const std::vector<double> want = Sums(k, x.data, f.data);
  Tensor turned = Plain({3, 3, k.c, k.o}, {}, C_FORMAT_HWCN);
  for (int64_t o = 0; o < k.o; ++o)
    for (int64_t c = 0; c < k.c; ++c)
      for (int64_t p = 0; p < 9; ++p) turned.data[(p * k.c + c) * k.o + o] = f.data[(o * k.c + c) * 9 + p];
  Op op("Conv2D");
  op.In(Blocked(x, Block())).In(Constant(turned)).In(Absent()).In(Absent());
  op.Out(OutputShape(k), Block(), C_FORMAT_NCHW);
  op.Ints("strides", {1, 1, 1, 1}).Ints("pads", {1, 1, 1, 1}).String("data_format", "NCHW");
  op.Run();
  EXPECT_EQ(op.implementation.substr(0, 8), "winograd");
  bool zero = true;
  const std::vector<float> got = Unblocked(op.outputs[0], &zero);
  for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 2e-5 * (1 + std::abs(want[i])));
}

/// Whichever way is the fastest here: what it gives is right, and nothing is left of the others.
TEST(Winograd, MeasuredInPlaceOfEstimated) {
  static const Case cases[] = {Image(1, 32, 24, 24, 32), Image(1, 8, 5, 5, 8), Image(1, 45, 13, 11, 37),
                               Image(2, 64, 7, 7, 96)};
  for (const Case &k : cases) {
    Tensor x = Random({k.n, k.c, k.h, k.w}, 1, 1, C_FORMAT_NCHW), f = Random({k.o, k.c, 3, 3}, 2, 0.3f, C_FORMAT_NCHW);
    Tensor bias = Random({k.o}, 3), residual = Random(OutputShape(k), 4, 1, C_FORMAT_NCHW);
    Op op("FusedConv2D");
    op.In(Blocked(x, Block())).In(Constant(f)).In(Constant(bias)).In(Blocked(residual, Block()));
    op.Out(OutputShape(k), Block(), C_FORMAT_NCHW);
    op.Ints("strides", {1, 1, 1, 1})
        .Ints("pads", {1, 1, 1, 1})
        .String("data_format", "NCHW")
        .String("activation", "relu");
    Model estimated(2), measured(2);
    measured.env.tune = 1;
    op.Create(estimated);
    op.Create(measured);
    if (k.h > 20) {  // two of three ways are split, three runs each
      EXPECT_GT(measured.loops, estimated.loops + 3);
    }
    EXPECT_LE(measured.packed(), 2u);  // filter, and bias where blocks are not full
    op.Run(measured);
    const std::vector<double> sums = Sums(k, x.data, f.data);
    bool zero = true;
    const std::vector<float> got = Unblocked(op.outputs[0], &zero);
    EXPECT_TRUE(zero);
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t channel = i / (k.h * k.w) % k.o;
      const double want = std::max(0.0, sums[i] + bias.data[channel] + residual.data[i]);
      ASSERT_NEAR(got[i], want, 2e-5 * (1 + want)) << op.implementation;
    }
  }
}

/// Values that are no numbers stay in the tiles that read them.
TEST(Winograd, NaNStaysNear) {
  static const Case k = Image(1, 32, 24, 24, 32);
  Tensor x = Random({1, k.c, k.h, k.w}, 1, 1, C_FORMAT_NCHW),
         f = Constant(Random({k.o, k.c, 3, 3}, 2, 0.3f, C_FORMAT_NCHW));
  x.data[5 * 24 + 5] = NAN;
  Op op("FusedConv2D");
  op.In(Blocked(x, Block())).In(f).In(Absent()).In(Absent()).Out(OutputShape(k), Block(), C_FORMAT_NCHW);
  op.Ints("strides", {1, 1, 1, 1})
      .Ints("pads", {1, 1, 1, 1})
      .String("data_format", "NCHW")
      .String("activation", "relu");
  op.Run();
  EXPECT_EQ(op.implementation.substr(0, 8), "winograd");
  bool zero = true;
  const std::vector<float> y = Unblocked(op.outputs[0], &zero);
  for (int64_t h = 0; h < 24; ++h)
    for (int64_t w = 0; w < 24; ++w) {
      const bool reads = std::abs(h - 5) <= 1 && std::abs(w - 5) <= 1, near = h < 12 && w < 12;
      const bool is = std::isnan(y[h * 24 + w]);
      EXPECT_TRUE(is || !reads) << h << "," << w;
      EXPECT_TRUE(!is || near) << h << "," << w;
    }
}

}  // namespace
