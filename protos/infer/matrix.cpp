// Matrix products.
#include <algorithm>
#include <map>

#include "protos/infer/matrix.h"
#include "protos/infer/quantized.h"

namespace gec::infer {

Shape Product(Context &c, Shape a, Shape b, bool transpose_a, bool transpose_b, Names names) {
  if (!a.has_rank() || !b.has_rank()) return Shape::Unknown();
  if (a.rank() == 0 || b.rank() == 0)
    c.Fail(a.rank() == 0 ? names.a : names.b, " is a scalar, expected at least 1 dimension");
  bool row = a.rank() == 1, column = b.rank() == 1;
  if (row) a.dims().insert(a.dims().begin(), 1);
  if (column) b.dims().push_back(1);
  int64_t ra = a.rank(), rb = b.rank();
  if (transpose_a && !row) std::swap(a[ra - 2], a[ra - 1]);
  if (transpose_b && !column) std::swap(b[rb - 2], b[rb - 1]);
  int64_t k = a[ra - 1], l = b[rb - 2];
  if (c.Differ(k, l))
    c.Fail("the inner extents differ: ", names.a, " has ", k, ", ", names.b, " has ", l, " (shapes as multiplied ",
           a.str(), " and ", b.str(), ")");
  Shape lead_a(std::vector<int64_t>(a.dims().begin(), a.dims().end() - 2));
  Shape lead_b(std::vector<int64_t>(b.dims().begin(), b.dims().end() - 2));
  Shape y = c.Broadcast(lead_a, lead_b, "the leading axes", "the leading axes");
  if (!row) y.dims().push_back(a[ra - 2]);
  if (!column) y.dims().push_back(b[rb - 1]);
  return y;
}

namespace {

void CheckBias(Context &c, size_t ir, const Shape &y) {
  if (!c.Has(ir)) return;
  Shape bias = c.Dims(ir);
  if (c.CannotSpread(bias, y)) c.Fail("bias has shape ", bias.str(), ", expected one that broadcasts to ", y.str());
}

int32_t ProductType(Context &c) {
  int32_t type = c.SameType({0, 1}, {"x1", "x2"});
  return type == C_DT_INT8 || type == C_DT_INT4 ? static_cast<int32_t>(C_DT_INT32) : type;
}

void MatMulRule(Context &c) {
  Shape a = c.DimsOfRank(0, 2, "x1"), b = c.DimsOfRank(1, 2, "x2");
  Shape y = Product(c, a, b, c.BoolAttr("transpose_x1"), c.BoolAttr("transpose_x2"));
  CheckBias(c, 2, y);
  c.Out(0, ProductType(c), y);
}

void BatchMatMulRule(Context &c) {
  Shape y = Product(c, c.Dims(0), c.Dims(1), c.BoolAttr("adj_x1"), c.BoolAttr("adj_x2"));
  CheckBias(c, 2, y);
  c.Out(0, ProductType(c), y);
}

void FusedMatMulRule(Context &c) {
  Shape y = Product(c, c.Dims(0), c.Dims(1), c.BoolAttr("adj_x1"), c.BoolAttr("adj_x2"));
  CheckBias(c, 2, y);
  if (c.Has(3)) {
    Shape residual = c.Dims(3);
    if (residual.has_rank() && y.has_rank()) {
      if (residual.rank() != y.rank()) c.Fail("residual has shape ", residual.str(), ", expected ", y.str());
      for (int64_t i = 0; i < y.rank(); ++i) y[i] = c.SameDim(y[i], residual[i], "an extent of y and residual");
    } else if (!y.has_rank()) {
      y = residual;
    }
  }
  c.Out(0, c.TypeAttr("dtype", ProductType(c)), y);
}

void FusedDenseLayersRule(Context &c) {
  const Values biased = c.IntsAttr("biased"), residuals = c.IntsAttr("residuals");
  const size_t layers = biased.size();
  if (layers == 0) c.Fail("biased is empty, expected an entry for each layer");
  for (const auto &[name, count] : {std::pair("residuals", residuals.size()),
                                    {"alphas", c.FloatsAttr("alphas").size()},
                                    {"betas", c.FloatsAttr("betas").size()},
                                    {"factors", c.FloatsAttr("factors").size()}})
    if (count != layers) c.Fail(name, " has ", count, " entries, biased has ", layers);
  Shape y = c.Dims(0);
  size_t at = 0;
  for (size_t i = 0; i < layers; ++i) {
    const size_t wanted = at + (biased[i] ? 2 : 1);
    if (wanted > c.Instances(1)) c.Fail("parameters are ", c.Instances(1), ", layer ", i, " needs ", wanted);
    const Shape x = y;
    y = Product(c, x, c.Dims(1, at++), false, false, {"x", "weight"});
    if (biased[i] && c.CannotSpread(c.Dims(1, at++), y)) c.Fail("bias ", i, " does not broadcast to ", y.str());
    if (residuals[i] && x.has_rank() && y.has_rank())
      for (int64_t d = 0; d < y.rank(); ++d) y[d] = c.SameDim(y[d], x[d], "an extent of a layer and of what it adds");
  }
  if (at != c.Instances(1)) c.Fail("parameters are ", c.Instances(1), ", the layers take ", at);
  c.Out(0, c.Type(0), y);
}

/// Products whose result has a type of its own.
void ScaledProduct(Context &c, int32_t type) {
  bool weight = GeOpAttr(&c.op(), "transpose_weight") || GeOpAttr(&c.op(), "transpose_x");
  Shape y = Product(c, c.Dims(0), c.Dims(1), c.BoolAttr(weight ? "transpose_x" : "transpose_x1"),
                    c.BoolAttr(weight ? "transpose_weight" : "transpose_x2"));
  c.Out(0, type, y);
}
void FusedMatMulOfGeRule(Context &c) { ScaledProduct(c, ProductType(c)); }
void QuantMatMulRule(Context &c) { ScaledProduct(c, c.TypeAttr("dtype", C_DT_UNDEFINED)); }
void WeightQuantMatMulRule(Context &c) {
  int32_t type = c.IntAttr("dtype", -1) < 0 ? c.Type(0) : c.TypeAttr("dtype", c.Type(0));
  Shape weights = c.Dims(1);
  if (c.Type(1) == C_DT_INT32 && weights.has_rank() && weights.rank() > 0) {  // eight weights of a row in an element
    int64_t &last = weights[weights.rank() - 1];
    last = last < 0 ? -1 : c.CheckedMul(last, 8, "the number of weights of a row");
  }
  c.Out(0, type,
        Product(c, c.Dims(0), weights, c.BoolAttr("transpose_x"), c.BoolAttr("transpose_weight"), {"x", "weight"}));
}

void QuantizedMatMulRule(Context &c) {
  Shape a = c.Dims(0), b = c.Dims(kQuantizedWeights);
  for (const Shape *x : {&a, &b})
    if (x->has_rank() && x->rank() < 2)
      c.Fail(x == &a ? "x1" : "x2", " has shape ", x->str(), ", expected at least 2 dimensions");
  Shape y = Product(c, a, b, false, c.BoolAttr("adj_x2"));
  const bool ranked = y.has_rank();
  int64_t rows = ranked ? a[a.rank() - 2] : -1;
  // One per row of x1 or, where x1 is batched, one per row of every matrix in it.
  if (ranked && c.Has(1) && rows >= 0 && c.Dims(1).elements() > rows) {
    Shape all = a;
    all.dims().pop_back();
    rows = all.elements();
  }
  c.Out(0, QuantizedType(c, "x1", "x2", rows, ranked ? y[y.rank() - 1] : -1), y);
}

void GemmRule(Context &c) {
  Shape a = c.DimsOfRank(0, 2, "a"), b = c.DimsOfRank(1, 2, "b");
  Shape y = Product(c, a, b, c.BoolAttr("transpose_a"), c.BoolAttr("transpose_b"), {"a", "b"});
  Shape addend = c.Dims(2);
  if (c.CannotSpread(addend, y)) c.Fail("c has shape ", addend.str(), ", expected one that broadcasts to ", y.str());
  for (size_t ir : {size_t{3}, size_t{4}}) {
    int64_t count = c.Dims(ir).elements();
    if (count >= 0 && count != 1) c.Fail(ir == 3 ? "alpha" : "beta", " has ", count, " values, expected 1");
  }
  c.Out(0, c.SameType({0, 1, 2}, {"a", "b", "c"}), y);
}

/// One operand's letters matched with its axes; "..." takes the axes that are left.
struct Term {
  std::string before, after;
  bool ellipsis = false;
};

Term ParseTerm(Context &c, const std::string &text) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "...") == 0 && !term.ellipsis) {
      term.ellipsis = true;
      i += 2;
    } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
      (term.ellipsis ? term.after : term.before) += text[i];
    } else {
      c.Fail("equation contains '", text[i], "' where a letter or ... is expected");
    }
  }
  return term;
}

void EinsumRule(Context &c) {
  std::string equation;
  for (char ch : c.StringAttr("equation"))
    if (ch != ' ') equation += ch;
  size_t arrow = equation.find("->");
  std::string left = equation.substr(0, arrow);
  std::vector<Term> terms;
  for (size_t start = 0; start <= left.size();) {
    size_t comma = std::min(left.find(',', start), left.size());
    terms.push_back(ParseTerm(c, left.substr(start, comma - start)));
    start = comma + 1;
  }
  if (terms.size() != c.Instances(0))
    c.Fail("equation '", equation, "' has ", terms.size(), " operands, but x has ", c.Instances(0), " tensors");
  std::map<char, int64_t> extents, uses;
  Shape rest;
  bool any_ellipsis = false;
  for (size_t k = 0; k < terms.size(); ++k) {
    Shape x = c.Dims(0, k);
    const Term &t = terms[k];
    int64_t letters = static_cast<int64_t>(t.before.size() + t.after.size());
    if (x.has_rank() && (t.ellipsis ? x.rank() < letters : x.rank() != letters))
      c.Fail("x", k, " has shape ", x.str(), ", but its term in '", equation, "' has ", letters, " letters");
    auto bind = [&](char letter, int64_t extent) {
      ++uses[letter];
      auto [it, fresh] = extents.try_emplace(letter, extent);
      if (fresh || extent == -1 || it->second == extent) return;
      if (it->second == 1 || it->second == -1) it->second = extent;
      else if (extent == 1) return;
      else if (!c.Differ(it->second, extent)) it->second = std::max(it->second, extent);
      else if (!c.Differ(it->second, 1)) it->second = extent;
      else if (c.Differ(extent, 1))
        c.Fail("'", letter, "' in equation '", equation, "' stands for ", it->second, " and ", extent);
    };
    for (size_t i = 0; i < t.before.size(); ++i) bind(t.before[i], x.has_rank() ? x[static_cast<int64_t>(i)] : -1);
    for (size_t i = 0; i < t.after.size(); ++i)
      bind(t.after[i], x.has_rank() ? x[x.rank() - static_cast<int64_t>(t.after.size() - i)] : -1);
    if (t.ellipsis) {
      Shape here = x.has_rank() ? Shape(std::vector<int64_t>(x.dims().begin() + static_cast<int64_t>(t.before.size()),
                                                             x.dims().end() - static_cast<int64_t>(t.after.size())))
                                : Shape::Unknown();
      rest = any_ellipsis ? c.Broadcast(rest, here, "the axes under ...", "those of the next tensor") : here;
      any_ellipsis = true;
    }
  }
  Term out;
  if (arrow != std::string::npos) {
    out = ParseTerm(c, equation.substr(arrow + 2));
  } else {
    out.ellipsis = any_ellipsis;
    for (auto [letter, count] : uses)
      if (count == 1) out.after += letter;
  }
  Shape y;
  auto append = [&](const std::string &letters) {
    for (char letter : letters) {
      auto it = extents.find(letter);
      if (it == extents.end()) c.Fail("'", letter, "' is in the result of equation '", equation, "' but in no operand");
      y.dims().push_back(it->second);
    }
  };
  append(out.before);
  if (out.ellipsis) {
    if (!rest.has_rank()) return c.Out(0, c.Type(0, 0), rest);
    y.dims().insert(y.dims().end(), rest.dims().begin(), rest.dims().end());
  }
  append(out.after);
  c.Out(0, c.Type(0, 0), y);
}

constexpr Entry kMatrixRules[] = {
    {"MatMul", Guarded<MatMulRule>},
    {"MatMulV2", Guarded<MatMulRule>},
    {"MatMulV3", Guarded<MatMulRule>},
    {"BatchMatMul", Guarded<BatchMatMulRule>},
    {"BatchMatMulV2", Guarded<BatchMatMulRule>},
    {"BatchMatMulV3", Guarded<BatchMatMulRule>},
    {"FusedMatMulV2", Guarded<FusedMatMulRule>},
    {"FusedDenseLayers", Guarded<FusedDenseLayersRule>},
    {"FusedMatMul", Guarded<FusedMatMulOfGeRule>},
    {"FusedQuantMatMul", Guarded<QuantMatMulRule>},
    {"QuantBatchMatmulV3", Guarded<QuantMatMulRule>},
    {"QuantBatchMatmulV4", Guarded<QuantMatMulRule>},
    {"WeightQuantBatchMatmulV2", Guarded<WeightQuantMatMulRule>},
    {"QuantizedMatMul", Guarded<QuantizedMatMulRule>},
    {"GEMM", Guarded<GemmRule>},
    {"Einsum", Guarded<EinsumRule>},
};

}  // namespace

std::span<const Entry> MatrixRules() { return kMatrixRules; }

}  // namespace gec::infer
