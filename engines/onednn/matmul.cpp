#include "matmul.h"

#include "matmul_kernels.h"
#include "read_activation.h"

namespace onednn {

MatMulSpec ReadMatMulAttributes(const Node &node) {
  MatMulSpec s;
  bool gemm = node.is("GEMM"), fused = node.is("FusedMatMulV2");
  s.types = ReadFloatTypes(node, gemm ? "a" : "x1", gemm ? "b" : "x2", fused ? 3 : -1);
  if (s.types.bf16 && !fused) Refuse("DT_BF16 is not supported");
  for (const Tensor &t : {node.in(0), node.in(1), node.out(0)}) {
    if (!t.present()) continue;
    RequirePlain(t, "a matrix");
    if (t.ranked() && t.rank() < 2) Refuse("rank ", t.rank(), " is not supported, expected at least 2");
  }
  if (gemm) {
    s.adj1 = node.Bool("transpose_a", false), s.adj2 = node.Bool("transpose_b", false);
    RequireFloat(node.in(2), "c");
    RequirePlain(node.in(2), "c");
    for (int port : {3, 4}) {
      RequireFloat(node.in(port), port == 3 ? "alpha" : "beta");
      if (!node.in(port).constant()) Refuse(port == 3 ? "alpha" : "beta", " is not a constant");
    }
    s.scale = *static_cast<const float *>(node.in(3).content());
    s.addend = 2;
    s.addend_scale = *static_cast<const float *>(node.in(4).content());
    return s;
  }
  bool v1 = node.is("MatMul") || node.is("MatMulV2");
  s.adj1 = node.Bool(v1 ? "transpose_x1" : "adj_x1", false);
  s.adj2 = node.Bool(v1 ? "transpose_x2" : "adj_x2", false);
  if (node.in(2).present()) {
    RequireFloat(node.in(2), "bias");
    RequirePlain(node.in(2), "bias");
    s.bias = 2;
  }
  if (fused) {
    if (node.in(3).present()) {
      RequirePlain(node.in(3), "residual");
      s.residual = 3;
    }
    s.scale = node.Float("scale", 1);
    s.activation = ActivationOf(node);
    if (s.types.bf16 && (s.adj1 || s.scale != 1)) Refuse("x1 transposed, or a scale, is not supported in DT_BF16");
  } else if (node.in(3).present()) {
    Refuse("input offset_w is not supported");
  }
  if (node.Int("offset_x", 0) != 0) Refuse("offset_x other than 0 is not supported");
  return s;
}

namespace {

// Steps from matrix to matrix for `own` batch dimensions broadcast to `all`.
Dims Steps(const Dims &own, const Dims &all, int64_t size, const char *what) {
  Dims steps(all.size(), 0);
  if (own.size() > all.size()) Refuse(what, " has more batch dimensions than y");
  for (size_t i = own.size(); i-- > 0;) {
    size_t at = all.size() - own.size() + i;
    if (own[i] != all[at] && own[i] != 1)
      Refuse(what, "'s batch ", ToText(own), " does not broadcast to ", ToText(all));
    steps[at] = own[i] == 1 ? 0 : size;
    size *= own[i];
  }
  return steps;
}

void ReadShapes(const Node &node, MatMulSpec *s) {
  Dims a = node.in(0).dims(), b = node.in(1).dims(), y = node.out(0).dims();
  auto rows = [](const Dims &d) { return d[d.size() - 2]; };
  s->m = s->adj1 ? a.back() : rows(a), s->k = s->adj1 ? rows(a) : a.back(), s->n = s->adj2 ? rows(b) : b.back();
  int64_t k2 = s->adj2 ? b.back() : rows(b);
  if (k2 != s->k) Refuse("inner extents differ: ", s->k, " and ", k2);
  if (rows(y) != s->m || y.back() != s->n)
    Refuse("y's shape ", ToText(y), " does not follow from ", ToText(a), " and ", ToText(b));
  s->batch.assign(y.begin(), y.end() - 2);
  s->step1 = Steps(Dims(a.begin(), a.end() - 2), s->batch, s->m * s->k, "x1");
  s->step2 = Steps(Dims(b.begin(), b.end() - 2), s->batch, s->k * s->n, "x2");
  if (s->bias >= 0) {
    Dims bias = node.in(s->bias).dims();
    if (Count(bias) != s->n || (!bias.empty() && bias.back() != s->n))
      Refuse("bias of shape ", ToText(bias), " is not supported, expected one value per column");
  }
  if (s->residual >= 0 && node.in(s->residual).dims() != y)
    Refuse("residual's shape ", ToText(node.in(s->residual).dims()), " is not that of y ", ToText(y));
  if (s->addend >= 0) {
    Dims c = node.in(s->addend).dims();
    if (c.size() > 2 || s->matrices() != 1) Refuse("GEMM takes matrices only");
    while (c.size() < 2) c.insert(c.begin(), 1);
    if ((c[0] != 1 && c[0] != s->m) || (c[1] != 1 && c[1] != s->n))
      Refuse("c's shape ", ToText(c), " does not broadcast to ", ToText(y));
    s->addend_row = c[0] == 1 ? 0 : c[1], s->addend_column = c[1] == 1 ? 0 : 1;
    if (s->addend_scale == 0) s->addend = -1;
    // A row added once is a bias.
    if (s->addend >= 0 && s->addend_scale == 1 && c[0] == 1 && c[1] == s->n) s->bias = s->addend, s->addend = -1;
  }
  // Many matrices against one are one taller matrix.
  bool one = true;
  for (int64_t step : s->step2) one = one && step == 0;
  bool dense = true;
  int64_t expected = s->m * s->k;
  for (size_t i = s->batch.size(); i-- > 0;) {
    if (s->batch[i] != 1 && s->step1[i] != expected) dense = false;
    expected *= s->batch[i];
  }
  if (one && dense && !s->adj1) {
    s->m *= Count(s->batch);
    s->batch.clear(), s->step1.clear(), s->step2.clear();
  }
  if (s->types.bf16 && !s->batch.empty()) Refuse("several matrices x2 are not supported in DT_BF16");
}

// Says that the library's form of a dense layer gains nothing: then a matrix is packed once for any number of rows.
// With AVX2 the own tiles are ahead (1.0 to 1.5 times as fast), but for depths below 200, where they are up to 4 %
// behind.
bool TilesAreAsFast(const Context &context, const MatMulSpec &s) {
  if (s.m <= kPanelRows || !HasAvx512(context.features)) return true;
  return context.env->threads == 1 || s.macs() >= kTiledMacs;
}

// Of a constant matrix tiles are ahead from four rows on with AVX2 (1.03 to 1.3 times as fast), from three on with
// AVX-512, in a cache or not. With fewer they give what a kernel for any number of rows gives, so results do not depend
// on which plan serves a run; only a large matrix with AVX2 is worth more, since it streams from memory 1.3 to 1.6
// times as fast.
int64_t MostSkinnyRows(const Context &context, const MatMulSpec &s) {
  if (!context.node.in(1).constant()) return kSkinnyRows;
  return HasAvx512(context.features) || s.k * s.n < kStreamedMatrix ? 1 : kFewRows;
}

// An even depth goes in pairs; what is rounded cannot be added to.
bool TilesTakeBf16(const MatMulSpec &s) { return s.k % 2 == 0 && !(s.types.y_bf16 && s.residual >= 0); }

}  // namespace

MatMulSpec ReadOpenDense(const Context &context) {
  const Node &node = context.node;
  MatMulSpec s = ReadMatMulAttributes(node);
  const Tensor a = node.in(0), b = node.in(1), y = node.out(0);
  if (b.rank() != 2 || s.adj1 || s.addend >= 0) Refuse("its kernel serves one size");
  s.k = b.dim(s.adj2 ? 1 : 0), s.n = b.dim(s.adj2 ? 0 : 1), s.rank = y.rank();
  if (a.dim(a.rank() - 1) != s.k || y.dim(s.rank - 1) != s.n) Refuse("its depth or its columns are open");
  if (s.bias >= 0 && Count(node.in(s.bias).dims()) != s.n) Refuse("a bias other than one value per column");
  if (s.types.bf16 && !TilesTakeBf16(s)) Refuse("the library serves it, and makes a kernel for each size");
  return s;
}

void CheckMatMul(const Node &node) {
  MatMulSpec spec = ReadMatMulAttributes(node);
  if (!node.known()) return;
  ReadShapes(node, &spec);
  if (spec.macs() == 0) Refuse("empty matrices are not supported");
}

std::unique_ptr<Kernel> CreateMatMul(const Context &context) {
  MatMulSpec s = ReadMatMulAttributes(context.node);
  ReadShapes(context.node, &s);
  if (s.types.bf16) {
    const bool tiles = s.m > 1 && TilesTakeBf16(s);
    std::unique_ptr<Kernel> kernel = tiles ? CreateTiledBf16(context, s) : CreateInnerProduct(context, s);
    kernel->flops = 2 * s.macs();
    kernel->flops_type = C_DT_BF16;
    return kernel;
  }
  const bool library =
      context.node.in(1).constant() && s.batch.empty() && !s.adj1 && s.addend < 0 && s.macs() >= kLibraryMacs;
  std::unique_ptr<Kernel> kernel;
  if (IsNarrow(context, s)) kernel = CreateNarrow(context, s);
  else if (s.m <= MostSkinnyRows(context, s) && !(s.adj1 && s.m > 1)) kernel = CreateSkinny(context, s);
  else if (library && !TilesAreAsFast(context, s)) kernel = CreateInnerProduct(context, s);
  else kernel = CreateTiled(context, s);
  kernel->flops = 2 * s.macs();
  return kernel;
}

}  // namespace onednn
