// Transposed convolutions of images against their definition: every input adds a filter to the outputs that it reaches.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine_runner.h"

using namespace engine_test;

namespace {

struct Case {
  int64_t n, c, h, w, o, kh, kw, sh, sw, pt, pb, pl, pr, extra_h, extra_w;

  Dims Shape() const { return {n, o, (h - 1) * sh + kh - pt - pb + extra_h, (w - 1) * sw + kw - pl - pr + extra_w}; }
};

Case Image(int64_t c, int64_t h, int64_t w, int64_t o, int64_t kernel, int64_t stride, int64_t pad, int64_t extra = 0) {
  return {1, c, h, w, o, kernel, kernel, stride, stride, pad, pad, pad, pad, extra, extra};
}

std::vector<double> Sums(const Case &k, const std::vector<float> &x, const std::vector<float> &f) {
  const Dims shape = k.Shape();
  std::vector<double> y(size_t(Count(shape)));
  for (int64_t n = 0; n < k.n; ++n)
    for (int64_t c = 0; c < k.c; ++c)
      for (int64_t i = 0; i < k.h; ++i)
        for (int64_t j = 0; j < k.w; ++j) {
          const double value = x[size_t(((n * k.c + c) * k.h + i) * k.w + j)];
          for (int64_t o = 0; o < k.o; ++o)
            for (int64_t a = 0; a < k.kh; ++a)
              for (int64_t b = 0; b < k.kw; ++b) {
                const int64_t p = i * k.sh + a - k.pt, q = j * k.sw + b - k.pl;
                if (p < 0 || p >= shape[2] || q < 0 || q >= shape[3]) continue;
                y[size_t(((n * k.o + o) * shape[2] + p) * shape[3] + q)] +=
                    value * f[size_t(((c * k.o + o) * k.kh + a) * k.kw + b)];
              }
        }
  return y;
}

int64_t Block() { return HasAvx512() ? 16 : 8; }

struct Options {
  bool bias = true, x_in_blocks = true, constant = true;
  std::string act;
  int threads = 1;
  bool tune = false;
  std::set<std::string> *seen = nullptr;
};

void Check(const Case &k, const Options &o) {
  Tensor x = Random({k.n, k.c, k.h, k.w}, 1, 1, C_FORMAT_NCHW),
         f = Random({k.c, k.o, k.kh, k.kw}, 2, 0.3f, C_FORMAT_NCHW);
  Tensor bias = Random({k.o}, 3);
  std::vector<double> want = Sums(k, x.data, f.data);
  const Dims shape = k.Shape();
  for (size_t i = 0; i < want.size(); ++i) {
    const size_t channel = i / size_t(shape[2] * shape[3]) % size_t(k.o);
    want[i] = Activate(o.act, want[i] + (o.bias ? bias.data[channel] : 0), 0.1, 0);
  }
  f.constant = bias.constant = o.constant;
  Op op(o.act.empty() ? "Conv2DTranspose" : "FusedConvTranspose");
  op.In(Absent()).In(o.x_in_blocks ? Blocked(x, Block()) : x).In(f).In(o.bias ? bias : Absent());
  op.Out(shape, Block(), C_FORMAT_NCHW);
  op.Ints("strides", {1, 1, k.sh, k.sw}).Ints("pads", {k.pt, k.pb, k.pl, k.pr}).Ints("dilations", {1, 1, 1, 1});
  op.Int("groups", 1).String("data_format", "NCHW").Ints("output_padding", {0, 0, k.extra_h, k.extra_w});
  if (!o.act.empty()) op.String("activation", o.act).Float("alpha", 0.1f);
  SCOPED_TRACE(testing::PrintToString(Dims{k.n, k.c, k.h, k.w, k.o, k.kh, k.kw, k.sh, k.sw, k.pt, k.pb, k.pl, k.pr}) +
               " act '" + o.act + "'");
  Model model(o.threads);
  model.env.tune = o.tune;
  ASSERT_NO_THROW(op.Create(model)) << LastMessage();
  ASSERT_NO_THROW(op.Run(model)) << LastMessage();
  if (o.seen) o.seen->insert(op.implementation.substr(0, op.implementation.rfind(':')));
  bool zero = true;
  const std::vector<float> got = Unblocked(op.outputs[0], &zero);
  EXPECT_TRUE(zero) << "padding channels are not zero";
  double worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    const double error = std::abs(double(got[i]) - want[i]) / (1 + std::abs(want[i]));
    if (!(error <= worst)) worst = error;
  }
  EXPECT_LE(worst, 4e-5) << op.implementation;
}

TEST(Transposed, FiltersStridesAndPadding) {
  std::set<std::string> seen;
  int at = 0;
  for (const auto &[kernel, stride] :
       {std::pair{2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {3, 1}, {4, 4}, {7, 3}, {9, 3}, {10, 4}})
    for (int64_t pad = 0; pad < kernel && pad < 4; ++pad)
      for (int64_t extra = 0; extra < std::min(2, stride); ++extra, ++at) {
        Options o;
        o.threads = 1 + at % 3, o.bias = at % 4 != 0, o.x_in_blocks = at % 5 != 0;
        o.act = at % 3 == 1 ? "relu" : at % 3 == 2 ? "tanh" : "";
        o.seen = &seen;
        Check(Image(24, 9 + at % 6, 8 + at % 7, 20, kernel, stride, pad, extra), o);
      }
  Options o;
  o.seen = &seen;
  Check(Image(128, 6, 6, 64, 6, 2, 2, 0), o);  // a filter that takes longer to read than a small image
  EXPECT_TRUE(seen.count("transposed:winograd4x4")) << "no case had large tiles";
  EXPECT_TRUE(seen.count("transposed:winograd2x2")) << "no case had small tiles";
  EXPECT_TRUE(seen.count("direct:transposed")) << "no case was computed by taps";
}

TEST(Transposed, SizesOfImages) {
  std::set<std::string> seen;
  for (int64_t h = 1; h <= 13; ++h)
    for (int64_t w = 1 + h % 3; w <= 13; w += 3) {
      Options o;
      o.threads = 1 + int(w % 3), o.seen = &seen;
      Check(Image(32, h, w, 24, 4, 2, 1), o);
    }
  Options o;
  o.seen = &seen;
  Check({3, 32, 9, 10, 56, 4, 4, 2, 2, 1, 1, 1, 1, 0, 0}, o);   // pieces that go from one image to the next
  Check({1, 32, 33, 30, 24, 4, 4, 2, 2, 1, 1, 1, 1, 0, 0}, o);  // several pieces
  Check({1, 32, 16, 15, 19, 4, 5, 2, 2, 0, 2, 2, 1, 0, 1}, o);  // uneven, and channels that fill no block
  Check({2, 32, 16, 15, 24, 3, 4, 1, 2, 1, 1, 1, 1, 0, 0}, o);  // columns alone are apart
  Check({1, 32, 1, 40, 24, 1, 4, 1, 2, 0, 0, 1, 1, 0, 0}, o);   // one row
  Check({1, 32, 20, 20, 24, 4, 4, 2, 2, 5, 5, 4, 4, 0, 0}, o);  // more padding than the filter has positions
  EXPECT_TRUE(seen.count("transposed:winograd4x4"));
}

TEST(Transposed, MeasuredAndComputedFilters) {
  Options o;
  o.tune = true, o.threads = 2;
  for (int64_t kernel : {2, 3, 4, 5}) Check(Image(32, 12, 12, 24, kernel, 2, 1), o);
  o.tune = false, o.constant = false;
  Check(Image(32, 20, 20, 24, 4, 2, 1), o);
}

}  // namespace
