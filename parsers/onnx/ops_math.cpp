// Matrix products, reductions, extrema, sorting, running sums.
#include <algorithm>
#include <cmath>

#include "parsers/onnx/contrib_parts.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

/// A BatchMatMulV2 whatever the ranks, as GE's plug-in for MatMul makes it: patterns of programs look for it.
Endpoint Product(NodeContext &c, Endpoint a, Endpoint b) {
  int64_t rank_a = c.Rank(a), rank_b = c.Rank(b);
  bool vector_a = rank_a == 1, vector_b = rank_b == 1;
  if (vector_a) a = c.Unsqueeze(a, {0});
  if (vector_b) b = c.Unsqueeze(b, {1});
  Endpoint y = c.Op("BatchMatMulV2", {a, b});
  if (vector_a && vector_b) return c.Squeeze(y, {-2, -1});
  if (vector_a) return c.Squeeze(y, {-2});
  if (vector_b) return c.Squeeze(y, {-1});
  return y;
}
void MatMul(NodeContext &c) { c.Out(0, Product(c, c.In(0), c.In(1))); }

}  // namespace

Endpoint GemmProduct(NodeContext &c) {
  Endpoint a = c.In(0), b = c.In(1), bias = c.OptIn(2);
  float alpha = c.Float("alpha", 1.0f), beta = c.Float("beta", 1.0f);
  bool trans_a = c.Flag("transA", false), trans_b = c.Flag("transB", false);
  c.Ignore({"broadcast"});
  auto product = [&](Endpoint row) {
    return c.Op("MatMulV2", {a, b, row}, {{"transpose_x1", trans_a}, {"transpose_x2", trans_b}});
  };
  if (!bias || beta == 0) {
    Endpoint y = product({});
    return alpha == 1 ? y : c.Op("Mul", {y, c.NumberLike(alpha, a, "alpha")});
  }
  if (alpha == 1 && beta == 1) {
    // A row of N values is what the product adds by itself.
    Shape row = c.ShapeOf(bias), sb = c.ShapeOf(b);
    int64_t n = sb.rank() == 2 ? sb[trans_b ? 0 : 1] : -1;
    bool fits = n > 0 && row.known() && row.rank() >= 1 && row.rank() <= 2 && row[row.rank() - 1] == n &&
                (row.rank() == 1 || row[0] == 1);
    if (fits) {
      if (row.rank() == 2) bias = c.ReshapeTo(bias, {n});
      return product(bias);
    }
    return c.Op("Add", {product({}), bias});
  }
  Endpoint y = product({});
  if (alpha != 1) y = c.Op("Mul", {y, c.NumberLike(alpha, a, "alpha")});
  if (beta != 1) bias = c.Op("Mul", {bias, c.NumberLike(beta, bias, "beta")});
  return c.Op("Add", {y, bias});
}

namespace {

void Gemm(NodeContext &c) { c.Out(0, GemmProduct(c)); }

void Einsum(NodeContext &c) {
  std::string equation = c.String("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  if (equation.empty()) c.Refuse(Reason::kInvalidModel, "attribute 'equation' is missing");
  std::vector<Endpoint> inputs = c.AllInputs();
  if (inputs.empty()) c.Refuse(Reason::kInvalidModel, "it has no inputs");
  c.Out(0, c.Op("Einsum", inputs, {{"equation", equation}, {"N", static_cast<int64_t>(inputs.size())}}));
}

// ---- reductions ----

struct Reduction {
  Endpoint x;
  Endpoint axes;  // a constant or computed list
  bool keep = true, nothing = false;
  bool noop = false;  // what axes that turn out to be empty mean: nothing is reduced, else everything
};

Reduction ReadReduction(NodeContext &c, int64_t axes_input_since) {
  Reduction r;
  r.x = c.In(0);
  r.keep = c.Flag("keepdims", true);
  std::vector<int64_t> axes;
  bool given = false;
  if (c.opset() >= axes_input_since) {
    r.noop = c.Flag("noop_with_empty_axes", false);
    if (c.HasInput(1)) {
      if (!c.ConstIn(1)) {
        Shape s = c.ShapeOf(c.In(1));
        if (s.rank() == 1 && s[0] == 0) {
          given = false;
        } else {
          r.axes = c.In(1);
          return r;
        }
      } else {
        axes = c.NeedInts(1, "axes");
        given = !axes.empty();
      }
    }
  } else {
    axes = c.Ints("axes");
    given = !axes.empty();
  }
  if (!given && r.noop) {
    r.nothing = true;
    return r;
  }
  // Without a rank the list stays empty, which stands for all axes.
  for (int64_t i = 0; !given && i < c.Rank(r.x); ++i) axes.push_back(i);
  for (int64_t &a : axes) a = c.Axis(a, r.x);
  r.axes = c.ConstInts(axes, "axes");
  return r;
}

Endpoint Reduce(NodeContext &c, const char *type, const Reduction &r, Endpoint x) {
  if (r.nothing) return x;
  const TensorPtr known = ConstantOf(r.axes);
  if (known && known->desc.shape.elements() != 0) return c.Op(type, {x, r.axes}, {{"keep_dims", r.keep}});
  return c.Op(type, {x, r.axes}, {{"keep_dims", r.keep}, {"noop_with_empty_axes", r.noop}});
}

void ReducePlain(NodeContext &c, const char *type, int64_t since) {
  Reduction r = ReadReduction(c, since);
  bool logical = c.Type(r.x) == C_DT_BOOL;  // ReduceMax and ReduceMin of bool since version 20
  if (r.nothing) {
    c.Out(0, c.Op("Identity", {r.x}));
    return;
  }
  if (logical && c.op() == "ReduceMax") type = "ReduceAny";
  if (logical && c.op() == "ReduceMin") type = "ReduceAll";
  c.Out(0, Reduce(c, type, r, r.x));
}
void ReduceSum(NodeContext &c) { ReducePlain(c, "ReduceSum", 13); }
void ReduceMean(NodeContext &c) { ReducePlain(c, "ReduceMean", 18); }
void ReduceMax(NodeContext &c) { ReducePlain(c, "ReduceMax", 18); }
void ReduceMin(NodeContext &c) { ReducePlain(c, "ReduceMin", 18); }
void ReduceProd(NodeContext &c) { ReducePlain(c, "ReduceProd", 18); }

void ReduceL1(NodeContext &c) {
  Reduction r = ReadReduction(c, 18);
  c.Out(0, Reduce(c, "ReduceSum", r, c.Op("Abs", {r.x})));
}
void ReduceL2(NodeContext &c) {
  Reduction r = ReadReduction(c, 18);
  Endpoint x = c.Widened(r.x), sum = Reduce(c, "ReduceSum", r, c.Op("Mul", {x, x}));
  if (!c.IsFloat(r.x) && c.Type(r.x) != C_DT_UNDEFINED) sum = c.CastTo(sum, C_DT_DOUBLE);
  c.Out(0, c.CastLike(c.Op("Sqrt", {sum}), r.x));
}
void ReduceSumSquare(NodeContext &c) {
  Reduction r = ReadReduction(c, 18);
  c.Out(0, Reduce(c, "ReduceSum", r, c.Op("Mul", {r.x, r.x})));
}
// Integers are reduced in double and truncated to their type.
void InDouble(NodeContext &c, Reduction *r) {
  if (!c.IsFloat(r->x)) r->x = c.CastTo(r->x, C_DT_DOUBLE);
}
void ReduceLogSum(NodeContext &c) {
  Reduction r = ReadReduction(c, 18);
  int32_t type = c.NeedType(r.x, "to take its logarithm");
  InDouble(c, &r);
  c.Out(0, c.CastTo(c.Op("Log", {Reduce(c, "ReduceSum", r, r.x)}), type));
}
void ReduceLogSumExp(NodeContext &c) {
  Reduction r = ReadReduction(c, 18);
  if (r.nothing) {
    c.Out(0, c.Op("Identity", {r.x}));
    return;
  }
  int32_t type = c.NeedType(r.x, "to take its logarithm");
  if (!c.IsFloat(r.x)) {
    InDouble(c, &r);
    c.Out(0, c.CastTo(Reduce(c, "ReduceLogSumExp", r, r.x), type));
    return;
  }
  c.Out(0, Reduce(c, "ReduceLogSumExp", r, r.x));
}

// ---- extrema ----

void ArgExtremum(NodeContext &c, const char *type) {
  Endpoint x = c.In(0);
  int64_t axis = c.Int("axis", 0);
  bool keep = c.Flag("keepdims", true), last = c.Flag("select_last_index", false);
  axis = c.Axis(axis, x);
  Endpoint from = x;
  if (last) from = c.Slice(x, {-1}, {INT64_MIN + 1}, {axis}, {-1});  // reversed: the first there is the last here
  Endpoint index = c.Op(type, {from, c.ConstInt(axis, "axis")}, {{"dtype", DataTypeValue{C_DT_INT64}}});
  if (last) {
    Endpoint extent = c.Op("GatherV2", {c.ShapeValue(x), c.ConstInt(axis, "axis"), c.ConstInt(0, "zero")});
    index = c.Op("Sub", {c.Op("Sub", {extent, c.ConstInt(1, "one")}), index});
  }
  if (keep) index = c.Unsqueeze(index, {axis});
  c.Out(0, index);
}
void ArgMax(NodeContext &c) { ArgExtremum(c, "ArgMaxV2"); }
void ArgMin(NodeContext &c) { ArgExtremum(c, "ArgMin"); }

void TopK(NodeContext &c) {
  Endpoint x = c.In(0), k;
  if (c.opset() < 10) {
    k = c.ConstInt(c.NeedInt("k"), "k");
  } else if (c.ConstIn(1)) {
    std::vector<int64_t> values = c.NeedInts(1, "k");
    if (values.size() != 1 || values[0] < 0) c.Refuse(Reason::kInvalidModel, "k (input 1) is not one number >= 0");
    k = c.ConstInt(values[0], "k");
  } else {
    k = c.Squeeze(c.In(1), {0});
  }
  int64_t axis = c.Axis(c.Int("axis", -1), x);
  bool largest = true, sorted = true;
  if (c.opset() >= 11) {
    largest = c.Flag("largest", true);
    sorted = c.Flag("sorted", true);
  }
  Node *node = c.Add("TopKV2", {x, k},
                     {{"sorted", sorted}, {"dim", axis}, {"largest", largest}, {"indices_dtype", int64_t{C_DT_INT64}}});
  c.Out(0, {node, 0});
  c.Out(1, {node, 1});
}

void Cumulative(NodeContext &c, const char *type) {
  Endpoint x = c.In(0);
  TensorPtr axis = c.ConstIn(1);
  Endpoint axis_value =
      axis && axis->desc.shape.elements() == 1 ? c.ConstInt(c.NeedInts(1, "axis")[0], "axis") : c.In(1);
  bool exclusive = c.Flag("exclusive", false), reverse = c.Flag("reverse", false);
  c.Out(0, c.Op(type, {x, axis_value}, {{"exclusive", exclusive}, {"reverse", reverse}}));
}
void CumSum(NodeContext &c) { Cumulative(c, "Cumsum"); }
void CumProd(NodeContext &c) { Cumulative(c, "Cumprod"); }

void Trilu(NodeContext &c) {
  Endpoint x = c.In(0), k = c.OptIn(1);
  bool upper = c.Flag("upper", true);
  if (!k || c.ConstIn(1)) {
    // No matrix has more diagonals: what lies beyond keeps all, or nothing.
    const int64_t shift = k ? std::clamp(c.NeedInteger(1, "k"), -kMaxDim, kMaxDim) : 0;
    c.Out(0, c.Op(upper ? "Triu" : "Tril", {x}, {{"diagonal", shift}}));
    return;
  }
  // The diagonal is known at run time only: compare column - row with it.
  int64_t rank = c.NeedRank(x, "to find its rows and columns");
  if (rank < 2) c.Refuse(Reason::kInvalidModel, Str("the input has rank ", rank, ", at least 2 is needed"));
  Endpoint shape = c.ShapeValue(x);
  auto counting = [&](int64_t axis) {
    Endpoint extent = c.Op("GatherV2", {shape, c.ConstInt(axis, "axis"), c.ConstInt(0, "zero")});
    return c.Op("Range", {c.ConstInt(0, "from"), extent, c.ConstInt(1, "step")});
  };
  Endpoint offset = c.Op("Sub", {counting(rank - 1), c.Unsqueeze(counting(rank - 2), {1})});
  Endpoint shift = c.Op("Reshape", {c.CastTo(k, C_DT_INT64), c.ConstInts({}, "scalar")});
  Endpoint kept = c.Op(upper ? "GreaterEqual" : "LessEqual", {offset, shift});
  c.Out(0, c.Op("SelectV2", {kept, x, c.NumberLike(0, x, "zero")}));
}

void Det(NodeContext &c) { c.Out(0, c.Op("MatrixDeterminant", {c.In(0)})); }

constexpr Handler kMathHandlers[] = {
    {"", "Det", 11, Det},
    {"", "MatMul", 1, MatMul},
    {"", "Gemm", 1, Gemm},
    {"", "Einsum", 12, Einsum},
    {"", "ReduceSum", 1, ReduceSum},
    {"", "ReduceMean", 1, ReduceMean},
    {"", "ReduceMax", 1, ReduceMax},
    {"", "ReduceMin", 1, ReduceMin},
    {"", "ReduceProd", 1, ReduceProd},
    {"", "ReduceL1", 1, ReduceL1},
    {"", "ReduceL2", 1, ReduceL2},
    {"", "ReduceSumSquare", 1, ReduceSumSquare},
    {"", "ReduceLogSum", 1, ReduceLogSum},
    {"", "ReduceLogSumExp", 1, ReduceLogSumExp},
    {"", "ArgMax", 1, ArgMax},
    {"", "ArgMin", 1, ArgMin},
    {"", "TopK", 1, TopK},
    {"", "CumSum", 11, CumSum},
    {"", "CumProd", 26, CumProd},
    {"", "Trilu", 14, Trilu},
    {"com.microsoft", "Trilu", 1, Trilu},
};

}  // namespace

HandlerTable MathHandlers() { return {std::begin(kMathHandlers), std::end(kMathHandlers)}; }

}  // namespace gec::onnx
