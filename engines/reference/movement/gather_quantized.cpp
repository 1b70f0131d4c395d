// Rows of a table whose numbers are quantised in blocks: only those that are picked are expanded.
#include "common/small_types.h"
#include "movement/indices.h"
#include "registry.h"

namespace reference {
namespace {

enum TablePort { kTableData, kTableIndices, kTableScale, kTableZero };

struct QuantizedTable {
  std::string label;
  Dims x, scale_steps;  // dimensions of the numbers; from one to the next, elements of scale (0: the same)
  int gather_axis = 0, quantize_axis = 0, bits = 0;  // bits: of numbers in bytes of uint8, else 0
  bool checked = false;
  int64_t block = 0, picks = 1, scale_columns = 1, zero_columns = 1;
  IndexReader indices;
  LoadFn<float> load = nullptr, load_zero = nullptr;  // of numbers and zero points that are not in uint8
  bool zero = false;
  bool by_rows = false;  // a matrix with rows of whole blocks, each with a scale

  float Number(const Call &call, int64_t at) const {
    float v;
    if (bits) return PackedCode(call.in(kTableData), at, bits);
    load(call.in(kTableData), at, 1, 1, &v);
    return v;
  }
  float ZeroAt(const Call &call, int64_t at) const {
    if (!zero) return bits ? float(1 << (bits - 1)) : 0.0f;
    float v;
    if (bits) return PackedCode(call.in(kTableZero), at / scale_columns * zero_columns + at % scale_columns, bits);
    load_zero(call.in(kTableZero), at, 1, 1, &v);
    return v;
  }
};

void CheckGatherTypes(const Node &node) {
  IndicesOf(node, kTableIndices);
  const int64_t bits = node.Int("bits", 4);
  const bool bytes = node.in_type(kTableData) == C_DT_UINT8;
  if (bytes && bits != 2 && bits != 4 && bits != 8)
    Fail(GE_PARAM_INVALID, "%s: bits is %lld, expected 2, 4 or 8", node.label().c_str(), (long long)bits);
  if (node.in_type(kTableScale) != C_DT_FLOAT)
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for scale", node.label().c_str(),
         DataTypeName(node.in_type(kTableScale)));
  if (node.has(kTableZero) && node.in_type(kTableZero) != node.in_type(kTableData))
    Fail(GE_PARAM_INVALID, "%s: zero_point has another data type than data", node.label().c_str());
}

QuantizedTable ReadTable(const Node &node) {
  CheckGatherTypes(node);
  QuantizedTable t;
  t.label = node.label();
  t.x = node.in_dims(kTableData);
  const Dims scale = node.in_dims(kTableScale), indices = node.in_dims(kTableIndices);
  if (t.x.n == 0 || scale.n != t.x.n)
    Fail(GE_PARAM_INVALID, "%s: data of shape %s and scale of shape %s do not fit", t.label.c_str(),
         ToText(t.x).c_str(), ToText(scale).c_str());
  if (node.in_type(kTableData) == C_DT_UINT8) t.bits = int(node.Int("bits", 4));
  else t.load = Loader<float>(node.in_type(kTableData));
  if (t.bits) t.x[t.x.n - 1] *= 8 / t.bits;
  t.checked = node.Bool("checked", false);
  t.gather_axis = NormalAxis(node, node.Int("gather_axis", 0), t.x.n);
  t.quantize_axis = NormalAxis(node, node.Int("quantize_axis", 1), t.x.n);
  const int64_t block = node.Int("block_size", 128), extent = t.x[t.quantize_axis];
  t.block = block ? block : std::max<int64_t>(extent, 1);
  if (block < 0) Fail(GE_PARAM_INVALID, "%s: block_size is %lld", t.label.c_str(), (long long)block);
  const Dims strides = RowMajorStrides(scale);
  for (int i = 0; i < t.x.n; ++i) {
    const int64_t wanted = i == t.quantize_axis ? (extent + t.block - 1) / t.block : t.x[i];
    if (scale[i] != wanted && scale[i] != 1)
      Fail(GE_PARAM_INVALID, "%s: scale has shape %s, expected %lld along axis %d", t.label.c_str(),
           ToText(scale).c_str(), (long long)wanted, i);
    t.scale_steps.push(scale[i] == 1 ? 0 : strides[i]);
  }
  t.by_rows = t.x.n == 2 && t.gather_axis == 0 && t.quantize_axis == 1 && scale[0] == t.x[0] && t.x[1] > 0 &&
              scale[1] == (t.x[1] + t.block - 1) / t.block && t.scale_steps[0] != 0;
  t.picks = indices.count();
  t.indices = IndicesOf(node, kTableIndices);
  t.zero = node.has(kTableZero);
  t.scale_columns = std::max<int64_t>(scale[scale.n - 1], 1);
  t.zero_columns = t.scale_columns;
  if (t.bits) t.zero_columns = (t.scale_columns * t.bits + 7) / 8 * (8 / t.bits);
  else if (t.zero) t.load_zero = Loader<float>(node.in_type(kTableZero));
  if (t.zero) {
    Dims wanted = scale;
    if (t.bits) wanted[wanted.n - 1] = t.zero_columns * t.bits / 8;
    if (!(node.in_dims(kTableZero) == wanted))
      Fail(GE_PARAM_INVALID, "%s: zero_point has shape %s, expected %s", t.label.c_str(),
           ToText(node.in_dims(kTableZero)).c_str(), ToText(wanted).c_str());
  }
  const int64_t outer = t.x.count(0, t.gather_axis), inner = t.x.count(t.gather_axis + 1, t.x.n);
  if (outer * t.picks * inner != node.out_count(0))
    Fail(GE_PARAM_INVALID, "%s: the output has shape %s", t.label.c_str(), ToText(node.out_dims(0)).c_str());
  return t;
}

// A row of a table whose blocks lie along it: one scale and zero point for each block.
void ExpandRow(const QuantizedTable &t, const Call &call, int64_t row, float *y) {
  const int64_t columns = t.x[1], blocks = t.scale_steps[0];
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t at = row * blocks + b, to = std::min(columns, (b + 1) * t.block);
    const float zero = t.ZeroAt(call, at), scale = call.in<float>(kTableScale)[at];
    for (int64_t j = b * t.block; j < to; ++j) y[j] = (t.Number(call, row * columns + j) - zero) * scale;
  }
}

// One slice behind the gathered axis; an index out of range gives zeros.
void ExpandSlice(const QuantizedTable &t, const Call &call, int64_t slice, int64_t inner, float *y) {
  const int64_t limit = t.x[t.gather_axis];
  int64_t pick = t.indices.At(call.in(kTableIndices), slice % t.picks);
  if (pick < 0) pick += limit;
  if (pick < 0 || pick >= limit) return std::fill(y, y + inner, 0.0f);
  int64_t index[GE_MAX_RANK] = {}, rest = slice / t.picks;
  for (int i = t.gather_axis - 1; i >= 0; --i) {
    index[i] = rest % t.x[i];
    rest /= t.x[i];
  }
  index[t.gather_axis] = pick;
  if (t.by_rows) return ExpandRow(t, call, pick, y);
  const int64_t first = (slice / t.picks * limit + pick) * inner;
  const Dims behind(t.x.d + t.gather_axis + 1, t.x.n - t.gather_axis - 1);
  const float *scales = call.in<float>(kTableScale);
  for (int64_t j = 0; j < inner; ++j) {
    int64_t at = 0;
    for (int i = 0; i < t.x.n; ++i) at += (i == t.quantize_axis ? index[i] / t.block : index[i]) * t.scale_steps[i];
    y[j] = (t.Number(call, first + j) - t.ZeroAt(call, at)) * scales[at];
    Next(behind, index + t.gather_axis + 1);
  }
}

Kernel CreateGatherBlockQuantized(const Node &node, const OpEntry &) {
  const QuantizedTable t = ReadTable(node);
  const int64_t outer = t.x.count(0, t.gather_axis), inner = t.x.count(t.gather_axis + 1, t.x.n);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    if (t.checked) CheckIndices(t.label, t.indices, call.in(kTableIndices), t.picks, t.x[t.gather_axis]);
    call.Parallel(outer * t.picks, 1 + 4096 / (inner + 1), [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) ExpandSlice(t, call, s, inner, call.out<float>(0) + s * inner);
    });
  };
  return kernel;
}

const OpEntry kGatherQuantized[] = {
    {"GatherBlockQuantized", TypeBit(C_DT_UINT8) | TypeBit(C_DT_FLOAT16) | kPacked | kFp8, &CreateGatherBlockQuantized,
     &CheckGatherTypes},
};

}  // namespace

OpTable GatherQuantizedOps() { return TableOf(kGatherQuantized); }

}  // namespace reference
