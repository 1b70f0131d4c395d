// LSTM and GRU against loops written from the ONNX definition, in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "engine_runner.h"

using namespace engine_test;

namespace {

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

struct Layer {
  int64_t steps, batch, input, hidden;
  std::string direction = "forward";
  bool bias = true, initial = false, peephole = false, linear_before_reset = false;
  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
};

struct Result {
  std::vector<double> y, h, c;
};

// Sum over k of v[k] * m[row][k].
double Row(const std::vector<double> &v, const float *m, int64_t row, int64_t n) {
  double s = 0;
  for (int64_t k = 0; k < n; ++k) s += v[k] * m[row * n + k];
  return s;
}

Result Reference(const Layer &l, bool lstm, const Tensor &x, const Tensor &w, const Tensor &r, const Tensor &b,
                 const Tensor &h0, const Tensor &c0, const Tensor &p) {
  int64_t D = l.directions(), H = l.hidden, G = lstm ? 4 : 3;
  Result out;
  out.y.resize(l.steps * D * l.batch * H), out.h.resize(D * l.batch * H), out.c.resize(D * l.batch * H);
  for (int64_t d = 0; d < D; ++d)
    for (int64_t n = 0; n < l.batch; ++n) {
      std::vector<double> h(H), c(H);
      for (int64_t j = 0; j < H && l.initial; ++j) {
        h[j] = h0.data[(d * l.batch + n) * H + j];
        if (lstm) c[j] = c0.data[(d * l.batch + n) * H + j];
      }
      const float *W = w.data.data() + d * G * H * l.input, *R = r.data.data() + d * G * H * H;
      auto wb = [&](int64_t row) { return l.bias ? double(b.data[d * 2 * G * H + row]) : 0; };
      auto rb = [&](int64_t row) { return l.bias ? double(b.data[d * 2 * G * H + G * H + row]) : 0; };
      auto peep = [&](int g, int64_t j) { return l.peephole ? double(p.data[(d * 3 + g) * H + j]) : 0; };
      for (int64_t i = 0; i < l.steps; ++i) {
        int64_t t = d == 1 || l.direction == "reverse" ? l.steps - 1 - i : i;
        std::vector<double> in(l.input), next(H);
        for (int64_t k = 0; k < l.input; ++k) in[k] = x.data[(t * l.batch + n) * l.input + k];
        auto gate = [&](int64_t g, int64_t j) { return Row(in, W, g * H + j, l.input) + wb(g * H + j); };
        auto state = [&](const std::vector<double> &v, int64_t g, int64_t j) {
          return Row(v, R, g * H + j, H) + rb(g * H + j);
        };
        if (lstm) {
          for (int64_t j = 0; j < H; ++j) {
            double ig = Sigmoid(gate(0, j) + state(h, 0, j) + peep(0, j) * c[j]);
            double fg = Sigmoid(gate(2, j) + state(h, 2, j) + peep(2, j) * c[j]);
            double cn = fg * c[j] + ig * std::tanh(gate(3, j) + state(h, 3, j));
            next[j] = Sigmoid(gate(1, j) + state(h, 1, j) + peep(1, j) * cn) * std::tanh(cn);
            c[j] = cn;
          }
        } else {
          std::vector<double> z(H), reset(H), rh(H);
          for (int64_t j = 0; j < H; ++j) {
            z[j] = Sigmoid(gate(0, j) + state(h, 0, j));
            reset[j] = Sigmoid(gate(1, j) + state(h, 1, j));
            rh[j] = reset[j] * h[j];
          }
          for (int64_t j = 0; j < H; ++j) {
            double v = l.linear_before_reset ? reset[j] * state(h, 2, j) : state(rh, 2, j);
            next[j] = (1 - z[j]) * std::tanh(gate(2, j) + v) + z[j] * h[j];
          }
        }
        h = next;
        for (int64_t j = 0; j < H; ++j) out.y[((t * D + d) * l.batch + n) * H + j] = h[j];
      }
      for (int64_t j = 0; j < H; ++j) out.h[(d * l.batch + n) * H + j] = h[j], out.c[(d * l.batch + n) * H + j] = c[j];
    }
  return out;
}

void Near(const std::vector<float> &got, const std::vector<double> &want, const char *what) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 2e-5) << what << " " << i;
}

Op Make(const Layer &l, bool lstm, Result *want) {
  int64_t D = l.directions(), H = l.hidden, G = lstm ? 4 : 3;
  Tensor x = Random({l.steps, l.batch, l.input}, 1), w = Random({D, G * H, l.input}, 2, 0.4f),
         r = Random({D, G * H, H}, 3, 0.4f);
  Tensor b = Random({D, 2 * G * H}, 4), h0 = Random({D, l.batch, H}, 5), c0 = Random({D, l.batch, H}, 6),
         p = Random({D, 3 * H}, 7);
  *want = Reference(l, lstm, x, w, r, b, h0, c0, p);
  Op op(lstm ? "CommonLSTM" : "CommonGRU");
  op.In(x)
      .In(Constant(w))
      .In(Constant(r))
      .In(l.bias ? Constant(b) : Absent())
      .In(Absent())
      .In(l.initial ? h0 : Absent());
  if (lstm) op.In(l.initial ? c0 : Absent()).In(l.peephole ? p : Absent());
  op.Out({l.steps, D, l.batch, H}).Out({D, l.batch, H});
  if (lstm) op.Out({D, l.batch, H});
  op.String("direction", l.direction).Int("hidden_size", H);
  if (!lstm) op.Int("linear_before_reset", l.linear_before_reset);
  return op;
}

TEST(Recurrent, Lstm) {
  for (Layer l : {Layer{5, 1, 8, 16}, Layer{3, 1, 10, 33, "reverse"}, Layer{6, 1, 20, 64, "bidirectional", true, true},
                  Layer{4, 3, 7, 20, "bidirectional", true, true, true}, Layer{2, 15, 12, 40, "forward", false},
                  Layer{1, 1, 1, 1}, Layer{4, 1, 9, 24, "forward", true, false, true}}) {
    SCOPED_TRACE(l.direction + " " + std::to_string(l.batch) + "x" + std::to_string(l.hidden));
    Result want;
    Op op = Make(l, true, &want);
    ASSERT_NO_THROW(op.Run()) << LastMessage();
    Near(op.outputs[0].data, want.y, "y");
    Near(op.outputs[1].data, want.h, "y_h");
    Near(op.outputs[2].data, want.c, "y_c");
  }
}

TEST(Recurrent, Gru) {
  for (Layer l :
       {Layer{5, 1, 8, 16}, Layer{3, 1, 10, 33, "reverse"}, Layer{6, 1, 20, 64, "bidirectional", true, true},
        Layer{4, 3, 7, 20, "bidirectional", true, true}, Layer{2, 15, 12, 40, "forward", false}, Layer{1, 1, 1, 1}})
    for (bool linear : {false, true}) {
      l.linear_before_reset = linear;
      SCOPED_TRACE(l.direction + " " + std::to_string(l.batch) + "x" + std::to_string(l.hidden) +
                   (linear ? " linear" : ""));
      Result want;
      Op op = Make(l, false, &want);
      ASSERT_NO_THROW(op.Run()) << LastMessage();
      Near(op.outputs[0].data, want.y, "y");
      Near(op.outputs[1].data, want.h, "y_h");
    }
}

TEST(Recurrent, UnusedOutputsMayBeMissing) {
  Result want;
  Op op = Make(Layer{5, 1, 8, 16}, true, &want);
  op.outputs[0] = op.outputs[2] = Absent();
  op.Run();
  Near(op.outputs[1].data, want.h, "y_h");
}

TEST(Recurrent, Reasons) {
  Result want;
  auto reason = [&](auto change) {
    Op op = Make(Layer{5, 1, 8, 16}, true, &want);
    change(op);
    return op.Check();
  };
  EXPECT_EQ(reason([](Op &) {}), "");
  EXPECT_EQ(reason([](Op &op) { op.Strings("activations", {"Sigmoid", "Tanh", "Tanh"}); }), "");
  EXPECT_NE(reason([](Op &op) {
              op.Strings("activations", {"Relu", "Tanh", "Tanh"});
            }).find("activation Relu"),
            std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.inputs[4] = Plain({1}); }).find("sequence_lens"), std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.inputs[1].constant = false; }).find("w is not a constant"), std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.Float("clip", 3); }).find("clip is not supported"), std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.Int("input_forget", 1); }).find("input_forget"), std::string::npos);
}

}  // namespace
