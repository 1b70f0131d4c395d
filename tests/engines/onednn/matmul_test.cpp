// Matrix products against plain loops in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "engine_runner.h"

using namespace engine_test;

namespace {

// Plain loops with NumPy's broadcasting of the leading dimensions.
std::vector<double> Product(const Tensor &a, const Tensor &b, bool ta, bool tb, Dims *shape) {
  size_t ra = a.dims.size(), rb = b.dims.size(), batch = std::max(ra, rb) - 2;
  auto dim = [&](const Tensor &t, size_t i) -> int64_t {
    int64_t at = int64_t(i) - int64_t(batch) + int64_t(t.dims.size()) - 2;
    return at < 0 ? 1 : t.dims[at];
  };
  shape->clear();
  for (size_t i = 0; i < batch; ++i) shape->push_back(std::max(dim(a, i), dim(b, i)));
  int64_t m = a.dims[ra - (ta ? 1 : 2)], k = a.dims[ra - (ta ? 2 : 1)], n = b.dims[rb - (tb ? 2 : 1)],
          count = Count(*shape);
  std::vector<double> y(count * m * n);
  for (int64_t q = 0; q < count; ++q) {
    int64_t rest = q, ia = 0, ib = 0, sa = 1, sb = 1;
    for (size_t i = batch; i-- > 0;) {
      int64_t at = rest % (*shape)[i];
      rest /= (*shape)[i];
      ia += (dim(a, i) == 1 ? 0 : at) * sa, sa *= dim(a, i);
      ib += (dim(b, i) == 1 ? 0 : at) * sb, sb *= dim(b, i);
    }
    const float *pa = a.data.data() + ia * m * k, *pb = b.data.data() + ib * k * n;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p) {
        double v = ta ? pa[p * m + i] : pa[i * k + p];
        for (int64_t j = 0; j < n; ++j) y[(q * m + i) * n + j] += v * (tb ? pb[j * k + p] : pb[p * n + j]);
      }
  }
  shape->push_back(m), shape->push_back(n);
  return y;
}

void Compare(const std::vector<float> &got, const std::vector<double> &want, double scale) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], 1e-5 * (scale + std::abs(want[i]))) << "at " << i << " of " << want.size();
}

struct Shape {
  Dims a, b;
};

std::string Name(const Shape &s, bool ta, bool tb, bool constant) {
  std::string text;
  for (int64_t d : s.a) text += std::to_string(d) + " ";
  text += "x ";
  for (int64_t d : s.b) text += std::to_string(d) + " ";
  return text + (ta ? "ta " : "") + (tb ? "tb " : "") + (constant ? "constant" : "");
}

Dims Swap(Dims d, bool swap) {
  if (swap) std::swap(d[d.size() - 1], d[d.size() - 2]);
  return d;
}

const Shape kShapes[] = {
    {{1, 64}, {64, 64}},
    {{1, 1}, {1, 1}},
    {{1, 7}, {7, 5}},
    {{3, 5}, {5, 2}},
    {{1, 300}, {300, 1000}},
    {{1, 768}, {768, 2304}},
    {{2, 130}, {130, 257}},
    {{5, 64}, {64, 33}},
    {{8, 100}, {100, 1031}},
    {{7, 31}, {31, 129}},
    {{9, 17}, {17, 19}},
    {{13, 64}, {64, 65}},
    {{64, 64}, {64, 64}},
    {{128, 768}, {768, 96}},
    {{37, 1024}, {1024, 70}},
    {{130, 515}, {515, 200}},
    {{25, 600}, {600, 1}},
    {{100, 1}, {1, 100}},
    {{4, 128, 64}, {64, 80}},
    {{2, 3, 20, 16}, {2, 3, 16, 24}},
    {{12, 128, 64}, {12, 64, 128}},
    {{2, 3, 9, 16}, {3, 16, 24}},
    {{3, 9, 16}, {2, 1, 16, 24}},
    {{2, 1, 33, 8}, {1, 3, 8, 40}},
    {{6, 1, 64}, {6, 64, 129}},
    {{131, 520}, {520, 450}},
    {{40, 1024}, {1024, 800}},
    {{20, 300}, {300, 700}},
    {{200, 256}, {256, 300}},
    {{19, 700}, {700, 2150}},
    {{5, 1, 8}, {8, 3}},
    // Few rows against a matrix that streams from memory: depths and columns that no part divides.
    {{1, 771}, {771, 5003}},
    {{2, 515}, {515, 4099}},
    {{3, 770}, {770, 1001}},
    {{4, 771}, {771, 1030}},
    {{7, 515}, {515, 603}},
    {{13, 771}, {771, 263}},
    {{16, 768}, {768, 264}},
    {{2, 4, 300}, {300, 900}},
    // Few columns: rows that fill vectors and that do not, depths that are turned or dotted.
    {{100, 3}, {3, 2}},
    {{16, 1}, {1, 1}},
    {{33, 4}, {4, 4}},
    {{2, 50, 4}, {4, 7}},
    {{71, 300}, {300, 1}},
    {{33, 65}, {65, 2}},
    {{3, 70}, {70, 2}},
    {{16, 700}, {700, 3}},
    {{64, 9}, {9, 8}},
    {{40, 600}, {600, 8}},
    {{35, 300}, {300, 16}},
    {{34, 257}, {257, 13}},
    {{3, 40, 16}, {3, 16, 3}},
    {{2, 41, 64}, {2, 64, 2}},
    {{2, 1, 33, 70}, {1, 3, 70, 2}},
    {{1, 3, 33, 7}, {2, 1, 7, 5}},
};

TEST(MatMul, ShapesAndTransposes) {
  for (const Shape &s : kShapes)
    for (int flags = 0; flags < 8; ++flags) {
      bool ta = flags & 1, tb = flags & 2, constant = flags & 4;
      SCOPED_TRACE(Name(s, ta, tb, constant));
      Tensor a = Random(Swap(s.a, ta), 1), b = Random(Swap(s.b, tb), 2);
      Dims shape;
      std::vector<double> want = Product(a, b, ta, tb, &shape);
      b.constant = constant;
      Op op("BatchMatMulV2");
      op.In(a).In(b).In(Absent()).In(Absent()).Out(shape).Bool("adj_x1", ta).Bool("adj_x2", tb);
      ASSERT_NO_THROW(op.Run()) << LastMessage();
      Compare(op.outputs[0].data, want, std::sqrt(double(s.a.back())));
      if (HasFatalFailure()) return;
    }
}

TEST(MatMul, FusedEpilogue) {
  const struct {
    const char *name;
    double alpha, beta;
  } acts[] = {{"", 0, 0},
              {"relu", 0, 0},
              {"clip", -0.5, 0.5},
              {"sigmoid", 0, 0},
              {"tanh", 0, 0},
              {"swish", 0, 0},
              {"gelu_erf", 0, 0},
              {"gelu_tanh", 0, 0},
              {"leaky_relu", 0.1, 0},
              {"hard_swish", 0, 0},
              {"hard_sigmoid", 0.2, 0.5},
              {"elu", 1.5, 0}};
  for (const Shape &s : {Shape{{1, 64}, {64, 70}}, Shape{{4, 64}, {64, 70}}, Shape{{33, 64}, {64, 70}},
                         Shape{{128, 256}, {256, 96}}, Shape{{26, 1024}, {1024, 95}}, Shape{{3, 20, 16}, {3, 16, 24}},
                         Shape{{39, 70}, {70, 3}}, Shape{{2, 37, 5}, {2, 5, 6}}}) {
    Tensor a = Random(s.a, 1);
    Dims shape;
    const std::vector<double> sums = Product(a, Random(s.b, 2), false, false, &shape);
    for (const auto &act : acts)
      for (int flags = 0; flags < 8; ++flags) {
        bool bias = flags & 1, residual = flags & 2, constant = flags & 4;
        float scale = flags == 5 || flags == 3 ? 0.125f : 1.f;
        SCOPED_TRACE(Name(s, false, false, constant) + " act " + act.name + (bias ? " bias" : "") +
                     (residual ? " residual" : ""));
        Tensor b = Random(s.b, 2);
        std::vector<double> want = sums;
        Tensor bias_values = Random({shape.back()}, 3), rest = Random(shape, 4);
        for (size_t i = 0; i < want.size(); ++i) {
          double v = scale * want[i] + (bias ? bias_values.data[i % shape.back()] : 0) + (residual ? rest.data[i] : 0);
          want[i] = Activate(act.name, v, act.alpha, act.beta);
        }
        b.constant = bias_values.constant = constant;
        Op op("FusedMatMulV2");
        op.In(a).In(b).In(bias ? bias_values : Absent()).In(residual ? rest : Absent()).Out(shape);
        op.Bool("adj_x1", false).Bool("adj_x2", false).Float("scale", scale);
        op.String("activation", act.name).Float("alpha", act.alpha).Float("beta", act.beta);
        op.honour_aliases = act.alpha == 0;
        ASSERT_NO_THROW(op.Run()) << LastMessage();
        Compare(op.outputs[0].data, want, 4);
        if (HasFatalFailure()) return;
      }
  }
}

TEST(MatMul, ActivationsAtTheirLimits) {
  // The product passes values through; what is left is the activation over its whole range.
  std::vector<float> values = {0.f, -0.f, 1e-6f, -1e-6f, 0.5f, -0.5f, 3, -3, 8, -8, 20, -20, 90, -90, 1000, -1000};
  Tensor a = Plain({1, 1}, {1.f}), b = Plain({1, 16}, values);
  for (const char *name : {"sigmoid", "tanh", "swish", "gelu_erf", "gelu_tanh", "hard_swish", "relu"}) {
    Op op("FusedMatMulV2");
    op.In(a).In(b).In(Absent()).In(Absent()).Out({1, 16}).String("activation", name).Float("scale", 1);
    op.Run();
    for (size_t i = 0; i < values.size(); ++i) {
      double want = Activate(name, values[i], 0, 0);
      EXPECT_NEAR(op.outputs[0].data[i], want, 1e-6 + 1e-6 * std::abs(want)) << name << "(" << values[i] << ")";
    }
  }
}

TEST(MatMul, GeluOverItsRange) {
  constexpr int64_t kCount = 16000;
  std::vector<float> values(kCount);  // over where it bends, and beyond the limits of its approximations
  for (int64_t i = 0; i < kCount; ++i) values[size_t(i)] = float(i - kCount / 2) / 1000;
  Tensor a = Plain({1, 1}, {1.f}), b = Plain({1, kCount}, values);
  for (const char *name : {"gelu_erf", "gelu_tanh"}) {
    Op op("FusedMatMulV2");
    op.In(a).In(b).In(Absent()).In(Absent()).Out({1, kCount}).String("activation", name).Float("scale", 1);
    op.Run();
    double worst = 0;
    for (size_t i = 0; i < values.size(); ++i)  // of what is left of 1, times half of the argument
      worst = std::max(worst, std::abs(double(op.outputs[0].data[i]) - Activate(name, values[i], 0, 0)) /
                                  std::max(1e-2, std::abs(double(values[i])) / 2));
    EXPECT_LT(worst, 7e-7) << name;
  }
}

TEST(MatMul, OtherOperators) {
  Tensor a = Random({10, 24}, 1), b = Random({24, 36}, 2), bias = Random({36}, 3);
  Dims shape;
  std::vector<double> want = Product(a, b, false, false, &shape);
  for (size_t i = 0; i < want.size(); ++i) want[i] += bias.data[i % 36];
  for (const char *type : {"MatMul", "MatMulV2"}) {
    Op op(type);
    op.In(a).In(b).In(bias).Out(shape).Bool("transpose_x1", false).Bool("transpose_x2", false);
    op.Run();
    Compare(op.outputs[0].data, want, 5);
  }
  Op batch("BatchMatMul");
  Tensor turned = Plain({36, 24});
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 36; ++j) turned.data[j * 24 + i] = b.data[i * 36 + j];
  batch.In(a).In(turned).Out(shape).Bool("adj_x1", false).Bool("adj_x2", true);
  batch.Run();
  for (size_t i = 0; i < want.size(); ++i) want[i] -= bias.data[i % 36];
  Compare(batch.outputs[0].data, want, 5);
}

TEST(MatMul, GemmWithConstants) {
  for (const int64_t m : {10, 40})
    for (const int64_t n : {36, 3})
      for (const Dims &c_shape : {Dims{n}, Dims{1, n}, Dims{m, n}, Dims{m, 1}, Dims{1}, Dims{}})
        for (float beta : {1.f, 0.5f, 0.f}) {
          Tensor a = Random({24, m}, 1), b = Random({24, n}, 2), c = Random(c_shape, 3);
          Dims shape;
          std::vector<double> want = Product(a, b, true, false, &shape);
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              int64_t at = c_shape.size() == 2  ? (c_shape[0] == 1 ? 0 : i) * c_shape[1] + (c_shape[1] == 1 ? 0 : j)
                           : c.data.size() == 1 ? 0
                                                : j;
              want[i * n + j] = 2.5 * want[i * n + j] + beta * c.data[at];
            }
          Op op("GEMM");
          op.In(a).In(b).In(c).In(Constant(Plain({1}, {2.5f}))).In(Constant(Plain({1}, {beta}))).Out(shape);
          op.Bool("transpose_a", true).Bool("transpose_b", false);
          op.Run();
          Compare(op.outputs[0].data, want, 12);
        }
}

TEST(MatMul, Reasons) {
  auto reason = [](const char *type, auto change) {
    Op op(type);
    op.In(Plain({4, 8})).In(Plain({8, 6})).In(Absent()).In(Absent()).Out({4, 6});
    change(op);
    return op.Check();
  };
  EXPECT_EQ(reason("MatMulV2", [](Op &) {}), "");
  EXPECT_NE(reason("MatMulV2", [](Op &op) { op.inputs[1].type = C_DT_FLOAT16; }).find("DT_FLOAT16 is not supported"),
            std::string::npos);
  EXPECT_NE(reason("MatMulV2", [](Op &op) { op.inputs[1].dims[0] = 7; }).find("inner extents differ: 8 and 7"),
            std::string::npos);
  EXPECT_NE(reason("MatMulV2", [](Op &op) { op.inputs[3] = op.inputs[0]; }).find("offset_w"), std::string::npos);
  EXPECT_NE(reason("FusedMatMulV2", [](Op &op) { op.String("activation", "mish"); }).find("\"mish\""),
            std::string::npos);
  EXPECT_NE(reason("MatMulV2", [](Op &op) { op.inputs[2] = Plain({5}); }).find("bias of shape [5]"), std::string::npos);
  EXPECT_EQ(reason("BatchMatMulV2", [](Op &op) { op.inputs[0].dims = op.outputs[0].dims = {-1, -1, -1}; }), "");
}

}  // namespace
