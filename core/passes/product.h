// Matrix products as the passes see them.
#pragma once

#include "core/passes/epilogue.h"

namespace gec {

struct Product {
  Node *node = nullptr;
  Endpoint x[2], bias, residual;
  bool adjoint[2] = {false, false};
  double scale = 1;
  Activation activation;
  bool fused = false;
  bool packed = false;  // WeightOnlyQuantizedMatMul: its weights are no x[1]
  const char *flags[2];
};

/// True when the graph has a matrix product.
bool HasProduct(const Graph &graph);
/// A float32 product that is written the usual way; false for anything unusual.
bool ReadProduct(Node *node, Product *p);
/// The product with packed weights.
bool ReadPackedProduct(Node *node, Product *p);
inline constexpr size_t kPackedBias = 5, kPackedResidual = 6;  // its ports
/// Number of columns of the product, -1 when unknown.
int64_t Columns(const Product &p);
/// A vector with one value per column: the value itself, or one of more dimensions seen so; else none.
Endpoint AsBias(Editor &editor, Endpoint value, int64_t columns, int32_t rank);
/// The only reader of what is computed so far adds such a vector.
bool JoinBias(Editor &editor, Epilogue *e, int64_t columns, Endpoint *bias);

}  // namespace gec
