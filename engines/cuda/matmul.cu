// Matrix products of float32, single and batched with broadcasting, with a bias. Every thread computes elements of the
// result.
#include "grid.h"

namespace cuda_engine {
namespace {

struct MatMulCall {
  Walk<3> batch;  // a, b, bias
  int64_t count = 0, m = 0, n = 0, k = 0;
  int64_t a_row = 0, a_column = 0, b_row = 0, b_column = 0, bias_row = 0, bias_column = 0;
  const float *a = nullptr, *b = nullptr, *bias = nullptr;
  float *y = nullptr;
};

__global__ void MatMul(MatMulCall call) {
  ForMine(call.count, [&](int64_t i) {
    const int64_t column = i % call.n, row = i / call.n % call.m;
    int64_t at[3];
    call.batch.At(i / call.n / call.m, at);
    const float *a = call.a + at[0] + row * call.a_row, *b = call.b + at[1] + column * call.b_column;
    // A sum of sums of 256 products: errors grow with the number of those.
    float total = 0;
    for (int64_t k0 = 0; k0 < call.k; k0 += 256) {
      const int64_t end = k0 + 256 < call.k ? k0 + 256 : call.k;
      float part = 0;
      for (int64_t k = k0; k < end; ++k) part += a[k * call.a_column] * b[k * call.b_row];
      total += part;
    }
    if (call.bias) total += call.bias[at[2] + row * call.bias_row + column * call.bias_column];
    call.y[i] = total;
  });
}

/// The operands as matrices: a vector is a matrix of one row or column that the result does not show.
struct Matrices {
  Dims a, b, y;
  bool turned_a, turned_b;
};
Matrices MatricesOf(const Node &node) {
  // The prototypes of single and of batched products call the same thing differently.
  const auto turned = [&](const char *matrix, const char *batch) {
    return node.Bool(matrix, false) || node.Bool(batch, false);
  };
  Matrices x{node.in(0).dims(), node.in(1).dims(), node.out(0).dims(), turned("transpose_x1", "adj_x1"),
             turned("transpose_x2", "adj_x2")};
  if (x.a.empty() || x.b.empty()) Refuse("a scalar is not a matrix");
  if (x.b.size() == 1) {
    x.b.push_back(1);
    x.y.push_back(1);
    x.turned_b = false;
  }
  if (x.a.size() == 1) {
    x.a.insert(x.a.begin(), 1);
    x.y.insert(x.y.end() - (x.y.empty() ? 0 : 1), 1);
    x.turned_a = false;
  }
  return x;
}

/// Steps over the batches of a matrix.
Dims BatchSteps(const Dims &matrix, const Dims &y, const char *what) {
  Dims steps = BroadcastSteps(Dims(matrix.begin(), matrix.end() - 2), Dims(y.begin(), y.end() - 2), what);
  for (int64_t &step : steps) step *= matrix.end()[-2] * matrix.end()[-1];
  return steps;
}

class MatMulKernel : public DeviceKernel {
 public:
  explicit MatMulKernel(const Node &node) : has_bias_(node.in(2).present()) {
    implementation = "cuda:matmul";
    const Matrices x = MatricesOf(node);
    const int64_t a_width = x.a.end()[-1], b_width = x.b.end()[-1];
    call_.m = x.turned_a ? a_width : x.a.end()[-2];
    call_.k = x.turned_a ? x.a.end()[-2] : a_width;
    call_.n = x.turned_b ? x.b.end()[-2] : b_width;
    if (call_.k != (x.turned_b ? b_width : x.b.end()[-2]))
      Refuse("inner dimensions of ", ge::kit::ToText(x.a), " and ", ge::kit::ToText(x.b), " differ");
    if (x.y.size() < 2 || x.y.end()[-2] != call_.m || x.y.end()[-1] != call_.n)
      Refuse("the output has shape ", ge::kit::ToText(node.out(0).dims()), ", expected […,", call_.m, ",", call_.n,
             "]");
    call_.a_row = x.turned_a ? 1 : a_width;
    call_.a_column = x.turned_a ? a_width : 1;
    call_.b_row = x.turned_b ? 1 : b_width;
    call_.b_column = x.turned_b ? b_width : 1;
    Dims bias(x.y.size(), 0);
    if (has_bias_) bias = BroadcastSteps(node.in(2).dims(), x.y, "bias");
    call_.bias_row = bias.end()[-2];
    call_.bias_column = bias.end()[-1];
    const Dims a = BatchSteps(x.a, x.y, "x1"), b = BatchSteps(x.b, x.y, "x2");
    for (size_t d = 0; d < a.size(); ++d) call_.batch.Add(x.y[d], {a[d], b[d], bias[d]});
    call_.count = Count(x.y);
    flops = 2.0 * static_cast<double>(call_.count) * static_cast<double>(call_.k);
  }

 private:
  void Give(const GeKernelArgs &args, cudaStream_t stream) const override {
    MatMulCall call = call_;
    call.a = FloatIn(args, 0);
    call.b = FloatIn(args, 1);
    if (has_bias_) call.bias = FloatIn(args, 2);
    call.y = FloatOut(args, 0);
    Launch(&MatMul, call, call.count, stream);
  }
  bool has_bias_;
  MatMulCall call_;
};

void CheckMatMul(const Node &node) {
  RequireFloat(node.in(0), "x1");
  RequireFloat(node.in(1), "x2");
  if (node.in(2).present()) RequireFloat(node.in(2), "bias");
  if (node.in(3).present()) Refuse("offset_w is connected");
  RequireFloat(node.out(0), "y");
}

}  // namespace

const Family &MatMulFamily() {
  static const Family family = {&CheckMatMul, [](const Node &node) -> std::unique_ptr<DeviceKernel> {
                                  return std::make_unique<MatMulKernel>(node);
                                }};
  return family;
}

}  // namespace cuda_engine
