// Matrix products: 2-D and batched with broadcasting, with the epilogues of the fused form.
#include <string_view>

#include "common/activation.h"
#include "common/broadcast.h"
#include "matmul/gemm.h"
#include "registry.h"

namespace reference {
namespace {

// A third operand that is added: its strides over [batch…, m, n] of the result.
struct Addend {
  int port = -1;
  Dims strides;
  int32_t type = C_DT_UNDEFINED;
};

struct Product {
  Dims y;                 // [batch…, m, n]
  Dims batch_a, batch_b;  // strides per batch dimension, 0 when repeated
  double scale = 1;
  Addend bias, residual;
  Activation activation;
};

// Strides of `from` broadcast to the first `rank` dimensions of `to`.
Dims BroadcastStrides(const std::string &label, const Dims &from, const Dims &to, int rank, const char *what) {
  Dims own = RowMajorStrides(from), strides;
  int lead = rank - from.n;
  if (lead < 0) Fail(GE_PARAM_INVALID, "%s: rank of %s is too large", label.c_str(), what);
  for (int i = 0; i < rank; ++i) {
    int64_t extent = i < lead ? 1 : from[i - lead];
    if (extent != 1 && extent != to[i])
      Fail(GE_PARAM_INVALID, "%s: %s of shape %s does not broadcast to %s", label.c_str(), what, ToText(from).c_str(),
           ToText(to).c_str());
    strides.push(extent == 1 ? 0 : own[i - lead]);
  }
  return strides;
}

// Where the operands of one matrix of the batch begin, in elements.
struct Offsets {
  int64_t a = 0, b = 0, bias = 0, residual = 0;
};

Offsets OffsetsOf(const Product &p, int64_t batch) {
  Offsets at;
  for (int i = p.y.n - 3; i >= 0; --i) {
    const int64_t step = batch % p.y[i];
    batch /= p.y[i];
    at.a += step * p.batch_a[i];
    at.b += step * p.batch_b[i];
    if (p.bias.port >= 0) at.bias += step * p.bias.strides[i];
    if (p.residual.port >= 0) at.residual += step * p.residual.strides[i];
  }
  return at;
}

// The operands as matrices: a vector is a matrix of one row or column that the result does not show.
struct Matrices {
  Dims a, b, y;
  bool adj_a, adj_b;
};

Matrices MatricesOf(const Node &node, bool adj_a, bool adj_b) {
  Matrices m{node.in_dims(0), node.in_dims(1), node.out_dims(0), adj_a, adj_b};
  if (m.a.n == 0 || m.b.n == 0) Fail(GE_PARAM_INVALID, "%s: a scalar is not a matrix", node.label().c_str());
  if (m.a.n == 1) {
    m.a = Dims{1, m.a[0]};
    Dims with_row(m.y.d, m.y.n - (m.b.n == 1 ? 0 : 1));
    with_row.push(1);
    if (m.b.n != 1) with_row.push(m.y[m.y.n - 1]);
    m.y = with_row;
    m.adj_a = false;
  }
  if (m.b.n == 1) {
    m.b = Dims{m.b[0], 1};
    m.y.push(1);
    m.adj_b = false;
  }
  return m;
}

template <class C>
Gemm<C> GemmOf(const Node &node, const Matrices &x) {
  Gemm<C> gemm;
  const int64_t a_rows = x.a[x.a.n - 2], a_columns = x.a[x.a.n - 1];
  const int64_t b_rows = x.b[x.b.n - 2], b_columns = x.b[x.b.n - 1];
  gemm.m = x.adj_a ? a_columns : a_rows;
  gemm.k = x.adj_a ? a_rows : a_columns;
  gemm.n = x.adj_b ? b_rows : b_columns;
  if (gemm.k != (x.adj_b ? b_columns : b_rows))
    Fail(GE_PARAM_INVALID, "%s: inner dimensions of %s and %s are different", node.label().c_str(),
         ToText(node.in_dims(0)).c_str(), ToText(node.in_dims(1)).c_str());
  if (x.y.n < 2 || x.y[x.y.n - 2] != gemm.m || x.y[x.y.n - 1] != gemm.n)
    Fail(GE_PARAM_INVALID, "%s: output shape is %s, expected […,%lld,%lld]", node.label().c_str(),
         ToText(node.out_dims(0)).c_str(), (long long)gemm.m, (long long)gemm.n);
  gemm.a = x.adj_a ? MatrixAccess{1, a_columns} : MatrixAccess{a_columns, 1};
  gemm.b = x.adj_b ? MatrixAccess{1, b_columns} : MatrixAccess{b_columns, 1};
  gemm.load_a = Loader<C>(node.in_type(0));
  gemm.load_b = Loader<C>(node.in_type(1));
  return gemm;
}

Product ProductOf(const Node &node, const Matrices &x, int bias_port, int residual_port, bool fused) {
  Product p;
  p.y = x.y;
  // Batch strides: those of the whole matrices.
  auto batch_strides = [&](const Dims &m, const char *what) {
    Dims batch(m.d, m.n - 2), strides = BroadcastStrides(node.label(), batch, x.y, x.y.n - 2, what);
    for (int i = 0; i < strides.n; ++i) strides[i] *= m[m.n - 2] * m[m.n - 1];
    return strides;
  };
  p.batch_a = batch_strides(x.a, "x1");
  p.batch_b = batch_strides(x.b, "x2");
  auto addend = [&](int port, const char *what) {
    Addend add;
    if (port < 0 || !node.has(port)) return add;
    add.port = port;
    add.type = node.in_type(port);
    add.strides = BroadcastStrides(node.label(), node.in_dims(port), x.y, x.y.n, what);
    return add;
  };
  p.bias = addend(bias_port, "bias");
  p.residual = addend(residual_port, "residual");
  if (fused) {
    p.scale = node.Float("scale", 1.0);
    p.activation = ReadActivation(node);
  }
  return p;
}

template <class C>
Kernel CreateProduct(const Node &node, bool adj_a, bool adj_b, int bias_port, int residual_port, bool fused) {
  const Matrices matrices = MatricesOf(node, adj_a, adj_b);
  const Gemm<C> gemm = GemmOf<C>(node, matrices);
  const Product p = ProductOf(node, matrices, bias_port, residual_port, fused);
  LoadFn<C> load_bias = p.bias.port < 0 ? nullptr : Loader<C>(p.bias.type);
  LoadFn<C> load_residual = p.residual.port < 0 ? nullptr : Loader<C>(p.residual.type);
  StoreFn<C> store = Storer<C>(node.out_type(0));
  const int64_t batches = p.y.count(0, p.y.n - 2);
  Kernel kernel;
  kernel.flops = 2.0 * double(batches) * double(gemm.m) * double(gemm.n) * double(gemm.k);
  kernel.run = [=](const Call &call) {
    call.Parallel(batches * gemm.tiles(), gemm.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t batch = t / gemm.tiles();
        const Offsets at = OffsetsOf(p, batch);
        gemm.Tile(call.in(0), at.a, call.in(1), at.b, t % gemm.tiles(),
                  [&](int64_t row, int64_t column, int64_t columns, C *values) {
                    C extra[Gemm<C>::kColumns];
                    if (p.scale != 1)
                      for (int64_t i = 0; i < columns; ++i) values[i] = C(double(values[i]) * p.scale);
                    auto add = [&](const Addend &from, LoadFn<C> load, int64_t offset) {
                      const int64_t *s = from.strides.d + p.y.n - 2;
                      load(call.in(size_t(from.port)), offset + row * s[0] + column * s[1], s[1], columns, extra);
                      for (int64_t i = 0; i < columns; ++i) values[i] += extra[i];
                    };
                    if (load_bias) add(p.bias, load_bias, at.bias);
                    if (load_residual) add(p.residual, load_residual, at.residual);
                    p.activation.Apply(values, columns);
                    store(values, columns, call.out(0), (batch * gemm.m + row) * gemm.n + column, 1);
                  });
      }
    });
  };
  return kernel;
}

Kernel CreateWithCompute(const Node &node, bool adj_a, bool adj_b, int bias, int residual, bool fused) {
  switch (ProductCompute(node.in_type(0))) {
    case Compute::kFloat:
      return CreateProduct<float>(node, adj_a, adj_b, bias, residual, fused);
    case Compute::kDouble:
      return CreateProduct<double>(node, adj_a, adj_b, bias, residual, fused);
    default:
      return CreateProduct<int64_t>(node, adj_a, adj_b, bias, residual, fused);
  }
}

Kernel CreateMatMul(const Node &node, const OpEntry &) {
  return CreateWithCompute(node, node.Bool("transpose_x1", false), node.Bool("transpose_x2", false), 2, -1, false);
}
Kernel CreateBatchMatMul(const Node &node, const OpEntry &) {
  return CreateWithCompute(node, node.Bool("adj_x1", false), node.Bool("adj_x2", false), 2, -1, false);
}
Kernel CreateFusedMatMul(const Node &node, const OpEntry &) {
  return CreateWithCompute(node, node.Bool("adj_x1", false), node.Bool("adj_x2", false), 2, 3, true);
}

void CheckTypes(const Node &node) {
  bool is_float = ProductCompute(node.in_type(0)) != Compute::kInt;
  bool other_float = node.has(1) && ProductCompute(node.in_type(1)) != Compute::kInt;
  if (is_float != other_float)
    Fail(GE_UNSUPPORTED, "%s: %s and %s are not supported together", node.label().c_str(),
         DataTypeName(node.in_type(0)), DataTypeName(node.in_type(1)));
}
void CheckMatMul(const Node &node) {
  CheckTypes(node);
  if (node.has(3)) Fail(GE_UNSUPPORTED, "%s: offset_w is not supported", node.label().c_str());
}
void CheckFusedMatMul(const Node &node) {
  CheckTypes(node);
  ReadActivation(node);
}

// alpha * a @ b + beta * c
template <class C>
Kernel CreateGemmOf(const Node &node) {
  const std::string label = node.label();
  Dims a = node.in_dims(0), b = node.in_dims(1), y = node.out_dims(0);
  bool ta = node.Bool("transpose_a", false), tb = node.Bool("transpose_b", false);
  if (a.n != 2 || b.n != 2 || y.n != 2) Fail(GE_PARAM_INVALID, "%s: a, b and y must be matrices", label.c_str());
  Gemm<C> gemm;
  gemm.m = a[ta ? 1 : 0];
  gemm.k = a[ta ? 0 : 1];
  gemm.n = b[tb ? 0 : 1];
  if (b[tb ? 1 : 0] != gemm.k || y[0] != gemm.m || y[1] != gemm.n)
    Fail(GE_PARAM_INVALID, "%s: shapes %s, %s and %s do not fit", label.c_str(), ToText(a).c_str(), ToText(b).c_str(),
         ToText(y).c_str());
  gemm.a = ta ? MatrixAccess{1, a[1]} : MatrixAccess{a[1], 1};
  gemm.b = tb ? MatrixAccess{1, b[1]} : MatrixAccess{b[1], 1};
  gemm.load_a = Loader<C>(node.in_type(0));
  gemm.load_b = Loader<C>(node.in_type(1));
  Dims c = BroadcastStrides(label, node.in_dims(2), y, 2, "c");
  LoadFn<C> load_c = Loader<C>(node.in_type(2));
  LoadFn<double> load_alpha = Loader<double>(node.in_type(3)), load_beta = Loader<double>(node.in_type(4));
  StoreFn<C> store = Storer<C>(node.out_type(0));
  Kernel kernel;
  kernel.flops = 2.0 * double(gemm.m) * double(gemm.n) * double(gemm.k);
  kernel.run = [=](const Call &call) {
    double alpha, beta;
    load_alpha(call.in(3), 0, 1, 1, &alpha);
    load_beta(call.in(4), 0, 1, 1, &beta);
    call.Parallel(gemm.tiles(), gemm.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t)
        gemm.Tile(call.in(0), 0, call.in(1), 0, t, [&](int64_t row, int64_t column, int64_t columns, C *values) {
          C extra[Gemm<C>::kColumns];
          load_c(call.in(2), row * c[0] + column * c[1], c[1], columns, extra);
          for (int64_t i = 0; i < columns; ++i) values[i] = C(alpha * double(values[i]) + beta * double(extra[i]));
          store(values, columns, call.out(0), row * gemm.n + column, 1);
        });
    });
  };
  return kernel;
}

Kernel CreateGemm(const Node &node, const OpEntry &) {
  switch (ProductCompute(node.in_type(0))) {
    case Compute::kFloat:
      return CreateGemmOf<float>(node);
    case Compute::kDouble:
      return CreateGemmOf<double>(node);
    default:
      return CreateGemmOf<int64_t>(node);
  }
}

const OpEntry kMatMul[] = {
    {"MatMul", kNumbers, &CreateMatMul, &CheckMatMul},
    {"MatMulV2", kNumbers, &CreateMatMul, &CheckMatMul},
    {"MatMulV3", kNumbers, &CreateMatMul, &CheckMatMul},
    {"BatchMatMul", kNumbers, &CreateBatchMatMul, &CheckMatMul},
    {"BatchMatMulV2", kNumbers, &CreateBatchMatMul, &CheckMatMul},
    {"BatchMatMulV3", kNumbers, &CreateBatchMatMul, &CheckMatMul},
    {"FusedMatMulV2", kNumbers, &CreateFusedMatMul, &CheckFusedMatMul},
    {"GEMM", kNumbers, &CreateGemm},
};

}  // namespace

OpTable MatMulOps() { return TableOf(kMatMul); }

}  // namespace reference
