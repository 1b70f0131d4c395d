// Expansion, depthwise convolution and projection in one kernel: against plain loops in double precision, and bit for
// bit the same as the three convolutions one after the other.
#include <functional>

#include "conv_case.h"

using namespace conv_case;

namespace {

struct Act {
  std::string name;
  double alpha = 0, beta = 0;
};

struct Block3 {
  int64_t n, c, h, w, e, o, kh, kw, sh, sw, pt, pb, pl, pr;
  bool expands = true, residual = false, bias = true, hwcn = false, in_place = false;
  Act acts[3] = {{"clip", 0, 0.6}, {"relu"}, {""}};
  int64_t squeezed = 0;
  Act excitation[2] = {{"swish"}, {"sigmoid"}};

  Case Expand() const { return {n, c, h, w, e, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1}; }
  Case Depthwise() const { return {n, e, h, w, e, kh, kw, sh, sw, pt, pb, pl, pr, 1, 1, e}; }
  Case Project() const {
    const Dims made = OutputShape(Depthwise());
    return {n, e, made[2], made[3], o, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1};
  }
  std::string Text() const {
    std::string t;
    for (int64_t v : {n, c, h, w, e, o, kh, kw, sh, sw, pt, pb, pl, pr}) t += std::to_string(v) + " ";
    if (squeezed) t += "squeezed to " + std::to_string(squeezed) + " " + excitation[0].name + excitation[1].name + " ";
    return t + (expands ? "expands " : "") + (residual ? "residual " : "") + acts[0].name + acts[1].name + acts[2].name;
  }
};

Tensor Filter(const Dims &oihw, unsigned seed, bool hwcn) {
  const Tensor f = Random(oihw, seed, 0.4f, C_FORMAT_NCHW);
  if (!hwcn) return Constant(f);
  Tensor to = Plain({oihw[2], oihw[3], oihw[1], oihw[0]}, {}, C_FORMAT_HWCN);
  const int64_t taps = oihw[2] * oihw[3];
  for (int64_t o = 0; o < oihw[0]; ++o)
    for (int64_t i = 0; i < oihw[1]; ++i)
      for (int64_t k = 0; k < taps; ++k)
        to.data[(k * oihw[1] + i) * oihw[0] + o] = f.data[(o * oihw[1] + i) * taps + k];
  return Constant(to);
}

// Constants and x of a case.
struct Parts {
  explicit Parts(const Block3 &k)
      : x(Random({k.n, k.c, k.h, k.w}, 1, 1, C_FORMAT_NCHW)),
        residual(Random(OutputShape(k.Project()), 2, 1, C_FORMAT_NCHW)),
        filter{Dims{k.e, k.c, 1, 1}, Dims{k.e, 1, k.kh, k.kw}, Dims{k.o, k.e, 1, 1}},
        bias{Constant(Random({k.e}, 6)), Constant(Random({k.e}, 7)), Constant(Random({k.o}, 8))},
        excite{{k.squeezed, k.e, 1, 1}, {k.e, k.squeezed, 1, 1}},
        excite_bias{Constant(Random({k.squeezed}, 11)), Constant(Random({k.e}, 12))} {}
  Tensor x, residual;
  Dims filter[3];
  Tensor bias[3];
  Dims excite[2];
  Tensor excite_bias[2];
};

// One convolution by plain loops, rounded to floats.
std::vector<float> Plainly(const Case &k, const std::vector<float> &x, const Dims &filter, unsigned seed,
                           const Tensor *bias, const std::vector<float> *residual, const Act &act) {
  const std::vector<double> sums = Sums(k, x, Random(filter, seed, 0.4f).data);
  const Dims y = OutputShape(k);
  std::vector<float> out(sums.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const double v = sums[i] + (bias ? bias->data[i / (y[2] * y[3]) % k.o] : 0) + (residual ? (*residual)[i] : 0);
    out[i] = float(Activate(act.name, v, act.alpha, act.beta));
  }
  return out;
}

// Each channel of x times what the means of all channels make.
std::vector<float> Excited(const Block3 &k, const Parts &p, std::vector<float> x) {
  const int64_t n = k.n, pixels = int64_t(x.size()) / (n * k.e);
  std::vector<float> means(size_t(n * k.e));
  for (size_t i = 0; i < means.size(); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < pixels; ++j) sum += x[i * size_t(pixels) + size_t(j)];
    means[i] = float(sum / double(pixels));
  }
  const Case down{n, k.e, 1, 1, k.squeezed, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1};
  const Case up{n, k.squeezed, 1, 1, k.e, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1};
  const std::vector<float> hidden =
      Plainly(down, means, p.excite[0], 9, k.bias ? &p.excite_bias[0] : nullptr, nullptr, k.excitation[0]);
  const std::vector<float> factors =
      Plainly(up, hidden, p.excite[1], 10, k.bias ? &p.excite_bias[1] : nullptr, nullptr, k.excitation[1]);
  for (size_t i = 0; i < x.size(); ++i) x[i] *= factors[i / size_t(pixels)];
  return x;
}

void Describe(Op &op, const Act &act, const std::string &prefix = "") {
  op.String((prefix + "activation").c_str(), act.name);
  op.Float((prefix + "alpha").c_str(), act.alpha).Float((prefix + "beta").c_str(), act.beta);
}

Op Fused(const Block3 &k, const Parts &p) {
  Op op("FusedSeparableConv2D");
  op.In(Blocked(p.x, Block())).In(Filter(p.filter[1], 4, k.hwcn)).In(Filter(p.filter[2], 5, k.hwcn));
  op.In(k.expands ? Filter(p.filter[0], 3, k.hwcn) : Absent()).In(k.expands && k.bias ? p.bias[0] : Absent());
  op.In(k.bias ? p.bias[1] : Absent()).In(k.bias ? p.bias[2] : Absent());
  op.In(k.residual ? Blocked(p.residual, Block()) : Absent());
  for (int i = 0; i < 2 && k.squeezed; ++i)
    op.In(Filter(p.excite[i], 9 + unsigned(i), k.hwcn)).In(k.bias ? p.excite_bias[i] : Absent());
  op.Out(OutputShape(k.Project()), Block(), C_FORMAT_NCHW);
  op.Ints("strides", {1, 1, k.sh, k.sw}).Ints("pads", {k.pt, k.pb, k.pl, k.pr});
  Describe(op, k.acts[0], "expand_");
  Describe(op, k.acts[1], "depthwise_");
  Describe(op, k.acts[2]);
  Describe(op, k.excitation[0], "squeeze_");
  Describe(op, k.excitation[1], "excite_");
  op.honour_aliases = k.in_place;
  return op;
}

// One of the convolutions by the engine's kernel for it.
Tensor Alone(const Case &k, const Tensor &x, const Dims &filter, unsigned seed, const Tensor *bias,
             const Tensor *residual, const Act &act) {
  Op op("FusedConv2D");
  op.In(x).In(Filter(filter, seed, false)).In(bias ? *bias : Absent()).In(residual ? *residual : Absent());
  op.Out(OutputShape(k), Block(), C_FORMAT_NCHW);
  op.Ints("strides", {1, 1, k.sh, k.sw}).Ints("pads", {k.pt, k.pb, k.pl, k.pr}).Ints("dilations", {1, 1, 1, 1});
  op.Int("groups", k.groups).String("data_format", "NCHW");
  Describe(op, act);
  op.Run(1);
  return op.outputs[0];
}

// The kernel with so many threads, each time. `tiles` is how its implementation's name goes on behind "tiles:".
void CheckBlock(const Block3 &k, std::vector<int> threads, const std::string &tiles = "") {
  SCOPED_TRACE(k.Text());
  const Parts p(k);
  const Tensor *bias[3] = {k.bias ? &p.bias[0] : nullptr, k.bias ? &p.bias[1] : nullptr, k.bias ? &p.bias[2] : nullptr};
  std::vector<float> want = p.x.data;
  if (k.expands) want = Plainly(k.Expand(), want, p.filter[0], 3, bias[0], nullptr, k.acts[0]);
  want = Plainly(k.Depthwise(), want, p.filter[1], 4, bias[1], nullptr, k.acts[1]);
  if (k.squeezed) want = Excited(k, p, want);
  want = Plainly(k.Project(), want, p.filter[2], 5, bias[2], k.residual ? &p.residual.data : nullptr, k.acts[2]);
  Tensor alone = Blocked(p.x, Block());
  const Tensor residual = Blocked(p.residual, Block());
  if (k.expands) alone = Alone(k.Expand(), alone, p.filter[0], 3, bias[0], nullptr, k.acts[0]);
  alone = Alone(k.Depthwise(), alone, p.filter[1], 4, bias[1], nullptr, k.acts[1]);
  alone = Alone(k.Project(), alone, p.filter[2], 5, bias[2], k.residual ? &residual : nullptr, k.acts[2]);
  for (int count : threads) {
    Op op = Fused(k, p);
    ASSERT_NO_THROW(op.Run(count)) << LastMessage();
    EXPECT_EQ(op.implementation.substr(0, 6 + tiles.size()), "tiles:" + tiles);
    bool zero = true;
    const std::vector<float> got = Unblocked(op.outputs[0], &zero);
    EXPECT_TRUE(zero) << "padding channels are not zero";
    double worst = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      const double error = std::abs(double(got[i]) - want[i]) / (1 + std::abs(double(want[i])));
      if (!(error <= worst)) worst = error;
    }
    EXPECT_LE(worst, 5e-5);
    if (!k.squeezed) EXPECT_EQ(alone.data, op.outputs[0].data) << "not the sums of the single convolutions";
  }
}

TEST(Separable, SmallImages) {
  for (int64_t w = 1; w <= 18; ++w) {
    const int64_t k = w % 3 ? 3 : 5, s = 1 + w % 2;
    Block3 b{1 + w % 2, 8 + w % 3 * 8, 4 + w % 5, w,    16 + w % 4 * 24, 8 * (1 + w % 5), k, k, s, s,
             k / 2,     k / 2,         k / 2,     k / 2};
    b.expands = w % 5 != 0;
    if (!b.expands) b.e = b.c;
    b.residual = w % 3 == 1, b.in_place = w % 2 == 1, b.bias = w % 4 != 2, b.hwcn = w % 7 == 3;
    CheckBlock(b, {1, 3}, b.expands ? "image:1x1+dw" : "image:dw");
  }
}

TEST(Separable, OtherFiltersAndPads) {
  CheckBlock({1, 16, 9, 10, 48, 24, 3, 3, 2, 1, 0, 2, 1, 0}, {2});
  CheckBlock({1, 16, 9, 10, 48, 24, 7, 2, 1, 2, 3, 3, 1, 0}, {2});
  CheckBlock({2, 16, 5, 30, 32, 24, 1, 3, 1, 1, 0, 0, 1, 1}, {2});
  CheckBlock({1, 16, 2, 3, 32, 16, 5, 5, 1, 1, 4, 4, 3, 3}, {2});  // rows that lie between pads
}

TEST(Separable, ChannelsThatDoNotFillABlock) {
  Block3 b{1, 12, 9, 7, 42, 21, 3, 3, 1, 1, 1, 1, 1, 1};
  for (const char *last : {"", "leaky_relu", "hard_swish"}) {
    b.acts[2] = {last, 0.1};
    CheckBlock(b, {2});
  }
}

TEST(Separable, Activations) {
  Block3 b{1, 16, 6, 9, 48, 16, 3, 3, 1, 1, 1, 1, 1, 1};
  b.residual = true;
  for (const char *name : {"", "relu", "clip", "swish", "hard_swish", "sigmoid", "gelu_erf", "elu"})
    for (int at = 0; at < 3; ++at) {
      Block3 k = b;
      k.acts[at] = {name, 0.2, 0.8};
      CheckBlock(k, {2});
    }
}

/// Images that do not fit the cache as a whole run in bands: the ring of rows turns, and bands begin in the middle.
TEST(Separable, Bands) {
  const Block3 cases[] = {
      {1, 16, 50, 51, 64, 24, 3, 3, 1, 1, 1, 1, 1, 1},  {1, 16, 97, 93, 80, 16, 3, 3, 2, 2, 1, 1, 1, 1},
      {2, 8, 46, 70, 56, 40, 5, 5, 1, 1, 2, 2, 2, 2},   {1, 16, 41, 130, 32, 16, 3, 3, 1, 1, 0, 1, 0, 2},
      {3, 16, 40, 60, 64, 16, 3, 3, 1, 1, 1, 1, 1, 1},  {1, 8, 9, 700, 32, 16, 3, 3, 1, 1, 1, 1, 1, 1},
      {1, 16, 260, 20, 48, 16, 3, 3, 1, 1, 1, 1, 1, 1}, {1, 8, 120, 101, 48, 16, 5, 5, 2, 2, 2, 1, 1, 2},
      {1, 16, 70, 71, 32, 32, 7, 3, 1, 1, 3, 3, 1, 1},
  };
  for (Block3 k : cases) {
    k.residual = k.h % 4 != 2;
    CheckBlock(k, {1, 2, 3}, "rows:1x1+dw");
    k.expands = false, k.c = k.e;
    CheckBlock(k, {1, 2, 3}, "rows:dw");
  }
}

TEST(Separable, SqueezeAndExcitation) {
  const Block3 cases[] = {
      {1, 16, 9, 10, 48, 24, 3, 3, 1, 1, 1, 1, 1, 1},  {3, 16, 7, 7, 96, 56, 5, 5, 1, 1, 2, 2, 2, 2},
      {1, 8, 14, 14, 90, 40, 3, 3, 2, 2, 1, 1, 1, 1},  {1, 16, 1, 1, 48, 24, 3, 3, 1, 1, 1, 1, 1, 1},
      {2, 16, 50, 51, 64, 24, 3, 3, 1, 1, 1, 1, 1, 1}, {1, 16, 30, 33, 700, 16, 3, 3, 1, 1, 1, 1, 1, 1},
      {1, 8, 80, 81, 32, 16, 3, 3, 1, 1, 1, 1, 1, 1},
  };
  for (Block3 k : cases) {
    k.squeezed = k.h % 2 ? 6 : 24, k.residual = k.h % 4 == 1, k.in_place = k.h % 8 == 1, k.hwcn = k.h % 3 == 0;
    k.bias = k.h != 14;
    // Of 8 channels in blocks of 16 half is filled up: the rows of the large image take as much as those of 16
    // channels.
    const bool rows = k.h == 80 && Block() == 16;
    CheckBlock(k, {1, 2, 3}, rows ? "rows:1x1+dw+se+1x1" : "image:1x1+dw+se+1x1");
    k.expands = false, k.c = k.e;
    CheckBlock(k, {1, 3}, "image:dw+se+1x1");
  }
}

/// Expanded images that do not fit the cache: bands, each with sums of its own.
TEST(Separable, SqueezeAndExcitationInBands) {
  Block3 k{2, 8, 120, 121, 48, 16, 3, 3, 1, 1, 1, 1, 1, 1};
  k.squeezed = 12;
  CheckBlock(k, {1, 2, 3}, "rows:1x1+dw+se+1x1");
  k.c = k.o = 16, k.residual = true, k.in_place = true, k.n = 1;
  CheckBlock(k, {1, 3}, "rows:1x1+dw+se+1x1");
  k = {1, 16, 151, 140, 32, 24, 5, 5, 2, 2, 2, 2, 2, 2};
  k.squeezed = 8, k.excitation[0] = {"relu"}, k.excitation[1] = {"hard_sigmoid", 1 / 6.0, 0.5};
  CheckBlock(k, {1, 2}, "rows:1x1+dw+se+1x1");
}

TEST(Separable, ExcitationsOfAllKinds) {
  Block3 b{1, 16, 6, 9, 44, 16, 3, 3, 1, 1, 1, 1, 1, 1};
  b.squeezed = 7;
  for (const char *name : {"", "relu", "clip", "swish", "hard_swish", "sigmoid", "hard_sigmoid", "tanh"})
    for (int at = 0; at < 2; ++at) {
      Block3 k = b;
      k.excitation[at] = {name, 0.2, 0.8};
      CheckBlock(k, {2});
    }
}

TEST(Separable, Refusals) {
  const Block3 b{1, 16, 6, 9, 48, 16, 3, 3, 1, 1, 1, 1, 1, 1};
  const Parts p(b);
  const auto reason = [&](const std::function<void(Op &)> &change) {
    Op op = Fused(b, p);
    change(op);
    return op.Check();
  };
  const auto has = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(reason([](Op &) {}), "");
  const auto excited = [&](Dims squeeze, Dims excite, const char *activation) {
    return reason([&](Op &op) {
      op.In(squeeze.empty() ? Absent() : Constant(Random(squeeze, 1))).In(Absent());
      op.In(excite.empty() ? Absent() : Constant(Random(excite, 1))).In(Absent());
      op.String("excite_activation", activation);
    });
  };
  EXPECT_EQ(excited({6, 48, 1, 1}, {48, 6, 1, 1}, "sigmoid"), "");
  EXPECT_PRED2(has, excited({6, 48, 1, 1}, {}, "sigmoid"), "one is missing");
  EXPECT_PRED2(has, excited({6, 40, 1, 1}, {48, 6, 1, 1}, "sigmoid"), "squeeze_filter is");
  EXPECT_PRED2(has, excited({6, 48, 1, 1}, {40, 6, 1, 1}, "sigmoid"), "excite_filter does not make 48 channels");
  EXPECT_PRED2(has, excited({6, 48, 1, 1}, {48, 6, 1, 1}, "nope"), "excite_activation \"nope\"");
  EXPECT_PRED2(has, reason([](Op &op) { op.inputs[1].constant = false; }), "depthwise_filter is not constant");
  EXPECT_PRED2(has, reason([](Op &op) { op.inputs[2] = Constant(Random({16, 40, 1, 1}, 1)); }), "project_filter is");
  EXPECT_PRED2(has, reason([](Op &op) { op.inputs[3] = Constant(Random({48, 16, 3, 1}, 1)); }), "expand_filter is");
  EXPECT_PRED2(has, reason([](Op &op) { op.inputs[4] = Constant(Random({47}, 1)); }), "expand_bias has 47 values");
  EXPECT_PRED2(has, reason([](Op &op) { op.Ints("strides", {1, 1, 4, 1}); }), "strides");
  EXPECT_PRED2(has, reason([](Op &op) { op.Ints("pads", {3, 0, 0, 0}); }), "pads");
  EXPECT_PRED2(has, reason([](Op &op) { op.Ints("pads", {0, 1, 1, 1}); }), "y has 6 by 9 pixels, expected 5 by 9");
  EXPECT_PRED2(has, reason([](Op &op) { op.String("expand_activation", "nope"); }), "expand_activation \"nope\"");
  EXPECT_PRED2(has, reason([&](Op &op) { op.inputs[0] = p.x; }), "x is not in blocks");
}

}  // namespace
