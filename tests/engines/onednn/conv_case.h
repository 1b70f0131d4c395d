// One convolution by the engine against plain loops in double precision.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine_runner.h"

namespace conv_case {

using namespace engine_test;

struct Case {
  int64_t n, c, h, w, o, kh, kw, sh, sw, pt, pb, pl, pr, dh, dw, groups;
};

inline Dims OutputShape(const Case &k) {
  return {k.n, k.o, (k.h + k.pt + k.pb - (k.kh - 1) * k.dh - 1) / k.sh + 1,
          (k.w + k.pl + k.pr - (k.kw - 1) * k.dw - 1) / k.sw + 1};
}

// The sums alone.
inline std::vector<double> Sums(const Case &k, const std::vector<float> &x, const std::vector<float> &f) {
  Dims shape = OutputShape(k);
  std::vector<double> y(Count(shape));
  int64_t cg = k.c / k.groups, og = k.o / k.groups;
  size_t at = 0;
  for (int64_t n = 0; n < k.n; ++n)
    for (int64_t o = 0; o < k.o; ++o)
      for (int64_t i = 0; i < shape[2]; ++i)
        for (int64_t j = 0; j < shape[3]; ++j, ++at)
          for (int64_t c = 0; c < cg; ++c)
            for (int64_t a = 0; a < k.kh; ++a)
              for (int64_t b = 0; b < k.kw; ++b) {
                int64_t p = i * k.sh - k.pt + a * k.dh, q = j * k.sw - k.pl + b * k.dw;
                if (p < 0 || p >= k.h || q < 0 || q >= k.w) continue;
                y[at] += double(x[((n * k.c + o / og * cg + c) * k.h + p) * k.w + q]) *
                         f[((o * cg + c) * k.kh + a) * k.kw + b];
              }
  return y;
}

struct Options {
  bool bias = true, residual = false, alias = false, constant = true;
  std::string act;
  double alpha = 0, beta = 0;
  int64_t x_block = 0, y_block = 0;
  int threads = 2;
  double tolerance = 2e-5;
  std::string implementation;             // how its text begins
  std::set<std::string> *seen = nullptr;  // gets the implementation
};

inline void Check(const Case &k, const Options &o) {
  Tensor x = Random({k.n, k.c, k.h, k.w}, 1, 1, C_FORMAT_NCHW),
         f = Random({k.o, k.c / k.groups, k.kh, k.kw}, 2, 0.3f, C_FORMAT_NCHW);
  Dims shape = OutputShape(k);
  Tensor bias = Random({k.o}, 3), residual = Random(shape, 4, 1, C_FORMAT_NCHW);
  static std::map<const Case *, std::vector<double>> known;  // cases are static
  std::vector<double> &sums = known[&k];
  if (sums.empty()) sums = Sums(k, x.data, f.data);
  std::vector<double> want(sums.size());
  for (size_t i = 0; i < want.size(); ++i) {
    size_t channel = i / (shape[2] * shape[3]) % k.o;
    double v = sums[i] + (o.bias ? bias.data[channel] : 0) + (o.residual ? residual.data[i] : 0);
    want[i] = Activate(o.act, v, o.alpha, o.beta);
  }
  bool fused = o.residual || !o.act.empty();
  Op op(fused ? "FusedConv2D" : "Conv2D");
  f.constant = bias.constant = o.constant;
  op.In(o.x_block ? Blocked(x, o.x_block) : x).In(f).In(o.bias ? bias : Absent());
  op.In(o.residual ? (o.y_block ? Blocked(residual, o.y_block) : residual) : Absent());
  op.Out(shape, o.y_block, C_FORMAT_NCHW);
  op.Ints("strides", {1, 1, k.sh, k.sw}).Ints("pads", {k.pt, k.pb, k.pl, k.pr}).Ints("dilations", {1, 1, k.dh, k.dw});
  op.Int("groups", k.groups).String("data_format", "NCHW").Int("offset_x", 0);
  if (fused) op.String("activation", o.act).Float("alpha", o.alpha).Float("beta", o.beta);
  op.honour_aliases = o.alias;
  std::string text = "conv " + std::to_string(k.n) + "x" + std::to_string(k.c) + "x" + std::to_string(k.h) + "x" +
                     std::to_string(k.w) + " -> " + std::to_string(k.o) + " kernel " + std::to_string(k.kh) + "x" +
                     std::to_string(k.kw) + " groups " + std::to_string(k.groups) + " act '" + o.act + "' blocks " +
                     std::to_string(o.x_block) + "," + std::to_string(o.y_block);
  SCOPED_TRACE(text);
  ASSERT_NO_THROW(op.Run(o.threads)) << LastMessage();
  if (o.seen) o.seen->insert(op.implementation.substr(0, op.implementation.find(':')));
  EXPECT_EQ(op.implementation.substr(0, o.implementation.size()), o.implementation);
  bool zero = true;
  std::vector<float> got = Unblocked(op.outputs[0], &zero);
  EXPECT_TRUE(zero) << "padding channels are not zero";
  double worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    double error = std::abs(double(got[i]) - want[i]) / (1 + std::abs(double(want[i])));
    if (!(error <= worst)) worst = error;
  }
  EXPECT_LE(worst, o.tolerance);
}

inline int64_t Block() { return HasAvx512() ? 16 : 8; }

}  // namespace conv_case
