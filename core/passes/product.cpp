#include "core/passes/product.h"

#include <algorithm>

#include "core/ir/symbolic_dim.h"

namespace gec {

bool HasProduct(const Graph &graph) {
  static const Symbol matmul("MatMul"), matmul2("MatMulV2"), batch("BatchMatMul"), batch2("BatchMatMulV2"),
      fused("FusedMatMulV2");
  return graph.HasAny({matmul, matmul2, batch, batch2, fused});
}

bool ReadProduct(Node *node, Product *p) {
  static const Symbol matmul("MatMul"), matmul2("MatMulV2"), batch("BatchMatMul"), batch2("BatchMatMulV2"),
      fused("FusedMatMulV2"), scale("scale"), activation("activation"), alpha("alpha"), beta("beta"),
      offset_x("offset_x");
  const Symbol type = node->known_type();
  const bool flat = type == matmul || type == matmul2;
  if (!flat && type != batch && type != batch2 && type != fused) return false;
  *p = Product();
  p->node = node;
  p->fused = type == fused;
  p->flags[0] = flat ? "transpose_x1" : "adj_x1";
  p->flags[1] = flat ? "transpose_x2" : "adj_x2";
  for (size_t i = 0; i < 2; ++i) {
    p->x[i] = node->input(i);
    if (!p->x[i] || !IsFloat32(p->x[i])) return false;
    p->adjoint[i] = node->Bool(p->flags[i]);
  }
  if (node->input_count() > 2) p->bias = node->input(2);
  if (p->fused) {
    p->residual = node->input(3);
    p->scale = node->Float(scale, 1);
    p->activation = {node->String(activation), node->Float(alpha), node->Float(beta)};
  } else if ((node->input_count() > 3 && node->input(3)) || node->Int(offset_x, 0) != 0) {
    return false;
  }
  return true;
}

bool ReadPackedProduct(Node *node, Product *p) {
  static const Symbol packed("WeightOnlyQuantizedMatMul"), activation("activation"), alpha("alpha"), beta("beta");
  if (node->known_type() != packed) return false;
  *p = Product();
  p->node = node;
  p->packed = true;
  p->bias = node->input(kPackedBias);
  p->residual = node->input(kPackedResidual);
  p->activation = {node->String(activation), node->Float(alpha), node->Float(beta)};
  return true;
}

int64_t Columns(const Product &p) {
  const Shape &y = p.node->output_desc(0).shape;
  return y.has_rank() && y.rank() >= 2 ? y[y.dims().size() - 1] : -1;
}

Endpoint AsBias(Editor &editor, Endpoint value, int64_t columns, int32_t rank) {
  const Shape &shape = DescOf(value).shape;
  if (!IsFloat32(value) || (columns <= 0 && !IsSymbolic(columns)) || shape.rank() < 1 || shape.rank() > rank) return {};
  const size_t last = shape.dims().size() - 1;
  if (shape[last] != columns ||
      std::count(shape.dims().begin(), shape.dims().end(), 1) + (columns != 1) != shape.rank())
    return {};
  if (shape.rank() == 1) return value;
  const TensorDesc row(C_DT_FLOAT, Shape{columns});
  if (TensorPtr t = ConstantOf(value))
    return editor.Constant(std::make_shared<Tensor>(row, t->buffer), value.node->name(), {value.node});
  Endpoint target =
      editor.Constant(IntTensor({std::max<int64_t>(columns, -1)}), value.node->name() + "_shape", {value.node});
  return {editor.Make("Reshape", value.node->name(), {value, target}, {}, {value.node}, &row), 0};
}

bool JoinBias(Editor &editor, Epilogue *e, int64_t columns, Endpoint *bias) {
  static const Symbol add("Add"), bias_add("BiasAdd");
  int32_t port;
  Node *reader = e->Reader(editor, &port);
  if (!reader || (reader->known_type() != add && !(reader->known_type() == bias_add && port == 0))) return false;
  Endpoint other = reader->input(static_cast<size_t>(1 - port));
  const int32_t rank = DescOf(e->last).shape.rank();
  if (!other || rank < 2 || (reader->known_type() == bias_add && rank != 2)) return false;
  *bias = AsBias(editor, other, columns, rank);
  if (!*bias) return false;
  e->Join(reader);
  return true;
}

}  // namespace gec
