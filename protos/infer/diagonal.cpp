// Diagonals of matrices, matrices from diagonals, and distances of rows.
#include <algorithm>

#include "protos/infer/context.h"

namespace gec::infer {
namespace {

/// Length of a diagonal: `offset` counts to the right of the main one. Unknown where an extent is.
int64_t DiagonalLength(int64_t rows, int64_t columns, int64_t offset) {
  if (rows < 0 || columns < 0) return -1;
  return std::max<int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
}

/// Rows that a vector on that diagonal needs.
int64_t Side(Context &c, int64_t length, int64_t offset) {
  if (offset == std::numeric_limits<int64_t>::min()) c.Fail("diagonal is ", offset, ", too far from the main one");
  return length < 0 ? -1 : c.CheckedAdd(length, offset < 0 ? -offset : offset, "the extent of the matrix");
}

void DiagFlatRule(Context &c) {
  int64_t side = Side(c, c.Dims(0).elements(), c.IntAttr("diagonal"));
  c.Out(0, c.Type(0), Shape{side, side});
}

/// A matrix from a vector, or the diagonal of a matrix.
void DiagV2Rule(Context &c) {
  Shape x = c.Dims(0);
  int64_t offset = c.IntAttr("diagonal");
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  if (x.rank() != 1 && x.rank() != 2) c.Fail("x has shape ", x.str(), ", expected 1 or 2 dimensions");
  int64_t side = Side(c, x[0], offset);
  if (x.rank() == 1) return c.Out(0, c.Type(0), Shape{side, side});
  c.Out(0, c.Type(0), Shape{DiagonalLength(x[0], x[1], offset)});
}

/// Of a tensor whose second half of dimensions is like the first.
void DiagPartRule(Context &c) {
  Shape x = c.Dims(0);
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  if (x.rank() == 0 || x.rank() % 2) c.Fail("x has shape ", x.str(), ", expected an even number of dimensions");
  Shape y = Shape::OfRank(x.rank() / 2);
  for (int64_t i = 0; i < y.rank(); ++i) y[i] = c.SameDim(x[i], x[i + y.rank()], "an extent of both halves of x");
  c.Out(0, c.Type(0), y);
}

void MatrixDiagPartRule(Context &c) {
  Shape x = c.Dims(0);
  if (!x.has_rank()) return c.Out(0, c.Type(0), x);
  if (x.rank() < 2) c.Fail("x has shape ", x.str(), ", expected at least 2 dimensions");
  Shape y(std::vector<int64_t>(x.dims().begin(), x.dims().end() - 2));
  y.dims().push_back(DiagonalLength(x[x.rank() - 2], x[x.rank() - 1], 0));
  c.Out(0, c.Type(0), y);
}

/// First and last diagonal that input 1 names; none while they are not known.
std::optional<std::pair<int64_t, int64_t>> Band(Context &c) {
  auto k = c.Ints(1);
  if (!k) return std::nullopt;
  if (k->empty() || k->size() > 2) c.Fail("k has ", k->size(), " values, expected 1 or 2");
  int64_t low = k->front(), high = k->back();
  if (low == kUnknown || high == kUnknown) return std::nullopt;
  if (low > high) c.Fail("k is from ", low, " to ", high, ", expected the lower diagonal first");
  if (low < -kMaxBytes || high > kMaxBytes) c.Fail("k is from ", low, " to ", high, ", too far from the main one");
  return std::pair(low, high);
}

void MatrixDiagPartV3Rule(Context &c) {
  Shape x = c.Dims(0);
  auto band = Band(c);
  if (!x.has_rank() || !band) return c.Out(0, c.Type(0), Shape::Unknown());
  if (x.rank() < 2) c.Fail("x has shape ", x.str(), ", expected at least 2 dimensions");
  auto [low, high] = *band;
  int64_t rows = x[x.rank() - 2], columns = x[x.rank() - 1];
  for (int64_t k : {low, high})
    if (rows >= 0 && columns >= 0 && k != 0 && (k <= -rows || k >= columns))
      c.Fail("k is ", k, ", expected a value from ", 1 - rows, " to ", columns - 1);
  Shape y(std::vector<int64_t>(x.dims().begin(), x.dims().end() - 2));
  if (low != high) y.dims().push_back(high - low + 1);
  // The longest of the diagonals: the one nearest to the main one.
  y.dims().push_back(
      rows < 0 || columns < 0 ? -1 : std::min(rows + std::min<int64_t>(high, 0), columns - std::max<int64_t>(low, 0)));
  c.Out(0, c.Type(0), y);
}

void MatrixDiagV3Rule(Context &c) {
  Shape x = c.Dims(0);
  auto band = Band(c);
  if (!x.has_rank() || !band) return c.Out(0, c.Type(0), Shape::Unknown());
  auto [low, high] = *band;
  int64_t used = low == high ? 1 : 2;
  if (x.rank() < used) c.Fail("the diagonals have shape ", x.str(), ", expected at least ", used, " dimensions");
  if (used == 2 && c.Differ(x[x.rank() - 2], high - low + 1))
    c.Fail("there are ", x[x.rank() - 2], " diagonals, expected ", high - low + 1, " for k from ", low, " to ", high);
  auto asked = [&](size_t ir, const char *name) -> std::optional<int64_t> {
    return c.Has(ir) ? c.Int(ir, name) : std::optional<int64_t>(-1);
  };
  auto rows = asked(2, "num_rows"), columns = asked(3, "num_cols");
  int64_t length = x[x.rank() - 1];
  Shape y(std::vector<int64_t>(x.dims().begin(), x.dims().end() - used));
  constexpr const char *kExtent = "the extent of the matrix";
  int64_t least_rows = length < 0 ? -1 : c.CheckedAdd(length, -std::min<int64_t>(high, 0), kExtent);
  int64_t least_columns = length < 0 ? -1 : c.CheckedAdd(length, std::max<int64_t>(low, 0), kExtent);
  int64_t height = -1, width = -1;
  if (rows && columns) {  // -1 asks for the smallest matrix; with neither given a square one
    height = *rows;
    width = *columns;
    if (height < 0 && width < 0) height = width = std::max(least_rows, least_columns);
    else if (height < 0) height = least_rows;
    else if (width < 0) width = least_columns;
    if (length >= 0 && height >= 0 && height < least_rows)
      c.Fail("num_rows is ", height, ", expected at least ", least_rows);
    if (length >= 0 && width >= 0 && width < least_columns)
      c.Fail("num_cols is ", width, ", expected at least ", least_columns);
  }
  y.dims().push_back(height);
  y.dims().push_back(width);
  c.Out(0, c.Type(0), y);
}

/// Sums of integers are wide.
void TraceRule(Context &c) {
  int32_t type = c.Type(0);
  bool is_unsigned = type == C_DT_UINT8 || type == C_DT_UINT16 || type == C_DT_UINT32 || type == C_DT_UINT64;
  if (is_unsigned) type = C_DT_UINT64;
  else if (IsInteger(type)) type = C_DT_INT64;
  c.DimsOfRank(0, 2, "x");
  c.Out(0, type, Shape());
}

/// Distances of every two rows.
void PdistRule(Context &c) {
  int64_t rows = c.DimsOfRank(0, 2, "x")[0];
  c.Out(0, c.Type(0), Shape{rows < 0 ? -1 : rows == 0 ? 0 : c.CheckedMul(rows, rows - 1, "the number of pairs") / 2});
}

/// Distances of every row of one matrix, or batch of matrices, to every row of another.
void CdistRule(Context &c) {
  Shape a = c.Dims(0), b = c.Dims(1);
  if (!a.has_rank() || !b.has_rank()) return c.Out(0, c.Type(0), Shape::Unknown());
  if (a.rank() != b.rank() || a.rank() < 2)
    c.Fail("x1 and x2 have shapes ", a.str(), " and ", b.str(), ", expected as many dimensions, at least 2");
  // Operands that were expanded to every pair of rows before have the same four dimensions.
  if (a.rank() > 3) return c.Out(0, c.Type(0), Shape::Unknown());
  c.SameDim(a[a.rank() - 1], b[b.rank() - 1], "the number of columns of x1 and x2");
  Shape y(std::vector<int64_t>(a.dims().begin(), a.dims().end() - 2));
  if (y.rank()) y[0] = c.SameDim(a[0], b[0], "the batch of x1 and x2");
  y.dims().push_back(a[a.rank() - 2]);
  y.dims().push_back(b[b.rank() - 2]);
  c.Out(0, c.SameType({0, 1}, {"x1", "x2"}), y);
}

constexpr Entry kDiagonalRules[] = {
    {"Cdist", Guarded<CdistRule>},
    {"DiagFlat", Guarded<DiagFlatRule>},
    {"DiagV2", Guarded<DiagV2Rule>},
    {"DiagPart", Guarded<DiagPartRule>},
    {"MatrixDiagPart", Guarded<MatrixDiagPartRule>},
    {"MatrixDiagPartV3", Guarded<MatrixDiagPartV3Rule>},
    {"MatrixDiagV2", Guarded<MatrixDiagV3Rule>},
    {"MatrixDiagV3", Guarded<MatrixDiagV3Rule>},
    {"Trace", Guarded<TraceRule>},
    {"Pdist", Guarded<PdistRule>},
};

}  // namespace

std::span<const Entry> DiagonalRules() { return kDiagonalRules; }

}  // namespace gec::infer
