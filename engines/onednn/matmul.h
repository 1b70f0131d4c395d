// MatMul, MatMulV2, BatchMatMul, BatchMatMulV2, FusedMatMulV2 and GEMM.
#pragma once

#include "float_types.h"
#include "kernels.h"
#include "support.h"

namespace onednn {

// A product of matrices, batched with broadcasting, after everything that can be folded is folded.
struct MatMulSpec {
  int64_t m = 0, n = 0, k = 0;  // m 0: any number of rows
  int rank = 0;                 // of y, where m is 0
  Dims batch;                   // dimensions of the result before the last two
  Dims step1, step2;            // elements from one matrix to the next, per batch dimension; 0 where broadcast
  bool adj1 = false, adj2 = false;
  FloatTypes types;
  int bias = -1, residual = -1;  // ports, or -1
  float scale = 1;
  Activation activation;
  int addend = -1;  // port of GEMM's c
  float addend_scale = 1;
  int64_t addend_row = 0, addend_column = 0;  // strides of c

  int64_t matrices() const { return Count(batch); }
  double macs() const { return double(matrices()) * m * n * k; }
};

MatMulSpec ReadMatMulAttributes(const Node &node);
// Of a kernel for any number of rows against one constant matrix; refuses other products.
MatMulSpec ReadOpenDense(const Context &context);
void CheckMatMul(const Node &node);
std::unique_ptr<Kernel> CreateMatMul(const Context &context);
std::unique_ptr<Kernel> CreateOpenMatMul(const Context &context);

}  // namespace onednn
