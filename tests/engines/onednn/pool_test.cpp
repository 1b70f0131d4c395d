// Pooling against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine_runner.h"

using namespace engine_test;

namespace {

struct Case {
  int64_t n, c, h, w, kh, kw, sh, sw, pt, pb, pl, pr;
  bool ceil;
};

int64_t Extent(int64_t in, int64_t k, int64_t s, int64_t before, int64_t after, bool ceil) {
  int64_t span = in + before + after - k;
  int64_t out = (ceil ? (span + s - 1) / s : span / s) + 1;
  if (ceil && (out - 1) * s >= in + before) --out;  // no window starts in the padding at the end
  return out;
}

std::vector<float> Reference(const Case &k, const std::vector<float> &x, bool max, bool exclusive, Dims *shape) {
  int64_t oh = Extent(k.h, k.kh, k.sh, k.pt, k.pb, k.ceil), ow = Extent(k.w, k.kw, k.sw, k.pl, k.pr, k.ceil);
  *shape = {k.n, k.c, oh, ow};
  std::vector<float> y;
  for (int64_t nc = 0; nc < k.n * k.c; ++nc)
    for (int64_t i = 0; i < oh; ++i)
      for (int64_t j = 0; j < ow; ++j) {
        double sum = 0, best = -std::numeric_limits<double>::infinity();
        int64_t count = 0;
        for (int64_t a = 0; a < k.kh; ++a)
          for (int64_t b = 0; b < k.kw; ++b) {
            int64_t p = i * k.sh - k.pt + a, q = j * k.sw - k.pl + b;
            if (p < 0 || p >= k.h || q < 0 || q >= k.w) continue;
            double v = x[(nc * k.h + p) * k.w + q];
            sum += v, ++count;
            if (v > best || std::isnan(v)) best = v;  // once it is a NaN nothing is larger
          }
        y.push_back(float(max ? best : sum / double(exclusive ? count : k.kh * k.kw)));
      }
  return y;
}

const Case kCases[] = {
    {1, 16, 12, 12, 2, 2, 2, 2, 0, 0, 0, 0, false}, {2, 20, 13, 11, 3, 3, 2, 2, 1, 1, 1, 1, false},
    {1, 32, 20, 20, 5, 5, 1, 1, 2, 2, 2, 2, false}, {1, 7, 9, 10, 3, 2, 2, 1, 1, 0, 0, 1, false},
    {1, 24, 12, 12, 3, 3, 2, 2, 0, 0, 0, 0, true},  {1, 16, 7, 7, 7, 7, 1, 1, 0, 0, 0, 0, false},
    {1, 8, 10, 11, 2, 2, 3, 3, 0, 0, 0, 0, false},  {1, 3, 10, 10, 3, 3, 2, 2, 1, 1, 1, 1, true},
    {1, 1, 13, 49, 5, 1, 1, 1, 2, 2, 0, 0, false},  {2, 33, 6, 5, 3, 3, 1, 1, 1, 1, 1, 1, false},
    {1, 3, 7, 41, 3, 3, 2, 2, 1, 1, 1, 1, false},   {1, 2, 5, 64, 2, 2, 2, 2, 0, 0, 0, 0, false},
    {1, 2, 3, 70, 3, 5, 1, 1, 1, 1, 2, 2, false},   {1, 2, 6, 100, 2, 3, 3, 3, 0, 0, 0, 0, true},
    {1, 2, 4, 67, 2, 4, 2, 2, 0, 0, 0, 1, false},   {1, 1, 1, 18, 1, 2, 1, 2, 0, 0, 0, 0, false},
};

int64_t Block() { return HasAvx512() ? 16 : 8; }

TEST(Pool, MaxAndAverage) {
  for (const Case &k : kCases)
    for (int mode = 0; mode < 3; ++mode)
      for (int layout = 0; layout < 4; ++layout) {
        bool max = mode == 0, exclusive = mode != 2;
        if (k.ceil && !exclusive) continue;
        int64_t xb = layout & 1 ? Block() : 0, yb = layout & 2 ? Block() : 0;
        SCOPED_TRACE(std::to_string(&k - kCases) + " mode " + std::to_string(mode) + " layout " +
                     std::to_string(layout));
        Tensor x = Random({k.n, k.c, k.h, k.w}, 5, 1, C_FORMAT_NCHW);
        for (float &v : x.data) v -= 2;  // padding with zeros would show
        Dims shape;
        std::vector<float> want = Reference(k, x.data, max, exclusive, &shape);
        Op op(max ? "MaxPoolV3" : "AvgPoolV2");
        op.In(xb ? Blocked(x, xb) : x).Out(shape, yb, C_FORMAT_NCHW);
        op.Ints("ksize", {1, 1, k.kh, k.kw})
            .Ints("strides", {1, 1, k.sh, k.sw})
            .Ints("pads", {k.pt, k.pb, k.pl, k.pr})
            .Bool("ceil_mode", k.ceil);
        if (!max) op.Bool("exclusive", exclusive).String("data_format", "NCHW").String("padding_mode", "CALCULATED");
        ASSERT_NO_THROW(op.Run()) << LastMessage();
        bool zero = true;
        std::vector<float> got = Unblocked(op.outputs[0], &zero);
        EXPECT_TRUE(zero);
        for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-5) << i;
      }
}

// A NaN is the maximum of every window that holds it; infinities compare as numbers.
TEST(Pool, MaximumOfWhatIsNoFiniteNumber) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  constexpr int64_t kColumns = 40, kResults = kColumns / 2;
  for (int layout = 0; layout < 4; ++layout) {
    int64_t xb = layout & 1 ? Block() : 0, yb = layout & 2 ? Block() : 0;
    Tensor x = Random({2, 20, 6, kColumns}, 5, 1, C_FORMAT_NCHW);
    auto at = [&](int64_t n, int64_t c, int64_t h, int64_t w) -> float & {
      return x.data[((n * 20 + c) * 6 + h) * kColumns + w];
    };
    at(0, 1, 0, 0) = nan, at(0, 1, 0, 1) = inf;    // NaN first
    at(0, 1, 3, 7) = inf, at(0, 1, 2, 6) = nan;    // and not first
    at(1, 5, 2, 38) = nan, at(1, 5, 3, 39) = inf;  // the last window of a row
    at(1, 17, 4, 4) = inf, at(1, 17, 5, 1) = -inf;
    for (int64_t h : {0, 1})
      for (int64_t w : {2, 3}) at(1, 3, h, w) = -inf;  // nothing else in the window
    Op op("MaxPoolV3");
    op.In(xb ? Blocked(x, xb) : x).Out({2, 20, 3, kResults}, yb, C_FORMAT_NCHW);
    op.Ints("ksize", {1, 1, 2, 2}).Ints("strides", {1, 1, 2, 2}).Ints("pads", {0, 0, 0, 0}).Bool("ceil_mode", false);
    ASSERT_NO_THROW(op.Run()) << LastMessage();
    bool zero = true;
    std::vector<float> got = Unblocked(op.outputs[0], &zero);
    EXPECT_TRUE(zero);
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < 20; ++c)
        for (int64_t h = 0; h < 3; ++h)
          for (int64_t w = 0; w < kResults; ++w) {
            float want = -inf;
            for (int64_t k = 0; k < 4; ++k) {
              float v = at(n, c, 2 * h + k / 2, 2 * w + k % 2);
              if (v > want || std::isnan(v)) want = v;
            }
            float result = got[((n * 20 + c) * 3 + h) * kResults + w];
            if (std::isnan(want)) EXPECT_TRUE(std::isnan(result)) << n << " " << c << " " << h << " " << w;
            else EXPECT_EQ(result, want) << n << " " << c << " " << h << " " << w;
          }
  }
}

// All small windows, in rows that fill vectors and that do not, with NaN and infinities where the maximum is asked for.
TEST(Pool, Windows) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (int64_t kh : {1, 2, 3, 5})
    for (int64_t kw = 1; kw <= 6; ++kw)
      for (int64_t stride = 1; stride <= 4; ++stride)
        for (int64_t width : {6, 19, 40})
          for (int mode = 0; mode < 6; ++mode) {
            const bool max = mode % 3 == 0, blocks = mode >= 3;
            const int64_t pad_h = (kh - 1) / 2, pad_w = width == 19 ? 0 : kw / 2;
            const Case k{1, 20, 6, width, kh, kw, stride, stride, pad_h, pad_h, pad_w, pad_w, false};
            SCOPED_TRACE(testing::PrintToString(Dims{kh, kw, stride, width, mode}));
            Tensor x = Random({k.n, k.c, k.h, k.w}, uint32_t(7 + kw), 1, C_FORMAT_NCHW);
            for (size_t i = 0; max && i < x.data.size(); i += 37)
              x.data[i] = i % 3 == 0 ? nan : i % 3 == 1 ? inf : -inf;
            Dims shape;
            const std::vector<float> want = Reference(k, x.data, max, mode % 3 == 1, &shape);
            Op op(max ? "MaxPoolV3" : "AvgPoolV2");
            op.In(blocks ? Blocked(x, Block()) : x).Out(shape, blocks ? Block() : 0, C_FORMAT_NCHW);
            op.Ints("ksize", {1, 1, kh, kw})
                .Ints("strides", {1, 1, stride, stride})
                .Ints("pads", {pad_h, pad_h, pad_w, pad_w})
                .Bool("ceil_mode", false);
            if (!max)
              op.Bool("exclusive", mode % 3 == 1).String("data_format", "NCHW").String("padding_mode", "CALCULATED");
            ASSERT_NO_THROW(op.Run()) << LastMessage();
            bool zero = true;
            const std::vector<float> got = Unblocked(op.outputs[0], &zero);
            EXPECT_TRUE(zero);
            for (size_t i = 0; i < want.size(); ++i) {
              if (std::isnan(want[i])) ASSERT_TRUE(std::isnan(got[i])) << i;
              else if (max) ASSERT_EQ(got[i], want[i]) << i;
              else ASSERT_NEAR(got[i], want[i], 1e-5) << i;
            }
          }
}

TEST(Pool, Global) {
  for (int64_t c : {5, 16, 40})
    for (int64_t size : {1, 3, 7, 20})
      for (int layout = 0; layout < 4; ++layout) {
        Tensor x = Random({2, c, size, size + 1}, 6, 1, C_FORMAT_NCHW);
        std::vector<double> want(2 * c);
        for (size_t i = 0; i < x.data.size(); ++i)
          want[i / (size * (size + 1))] += x.data[i] / double(size * (size + 1));
        Op op("GlobalAveragePool");
        op.In(layout & 1 ? Blocked(x, Block()) : x).Out({2, c, 1, 1}, layout & 2 ? Block() : 0, C_FORMAT_NCHW);
        op.Run();
        bool zero = true;
        std::vector<float> got = Unblocked(op.outputs[0], &zero);
        EXPECT_TRUE(zero);
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_NEAR(got[i], want[i], 1e-5) << c << " " << size << " layout " << layout;
      }
}

TEST(Pool, PoolingOperator) {
  Case k{1, 16, 12, 12, 2, 2, 2, 2, 0, 0, 0, 0, false};
  for (int64_t mode : {0, 1}) {
    Tensor x = Random({k.n, k.c, k.h, k.w}, 5, 1, C_FORMAT_NCHW);
    Dims shape;
    std::vector<float> want = Reference(k, x.data, mode == 0, true, &shape);
    Op op("Pooling");
    op.In(x)
        .Out(shape, 0, C_FORMAT_NCHW)
        .Int("mode", mode)
        .Ints("window", {2, 2})
        .Ints("stride", {2, 2})
        .Ints("pad", {0, 0, 0, 0});
    op.Run();
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(op.outputs[0].data[i], want[i], 1e-5);
  }
}

TEST(Pool, Reasons) {
  Op op("AvgPoolV2");
  op.In(Plain({1, 3, 8, 8}, {}, C_FORMAT_NCHW)).Out({1, 3, 4, 4}, 0, C_FORMAT_NCHW);
  op.Ints("ksize", {1, 1, 2, 2}).Ints("strides", {1, 1, 2, 2}).Int("divisor_override", 3);
  EXPECT_NE(op.Check().find("divisor_override"), std::string::npos);
  op.Int("divisor_override", 0).Ints("ksize", {1, 2, 2, 2});
  EXPECT_NE(op.Check().find("ksize over batch or channels"), std::string::npos);
  op.Ints("ksize", {1, 1, 2, 2});
  EXPECT_EQ(op.Check(), "");
  Op dilated("Pooling");
  dilated.In(Plain({1, 3, 8, 8}, {}, C_FORMAT_NCHW)).Out({1, 3, 8, 8}, 0, C_FORMAT_NCHW).Ints("dilation", {1, 1, 2, 2});
  EXPECT_NE(dilated.Check().find("dilated pooling is not supported"), std::string::npos);
}

}  // namespace
