#include "parsers/onnx/attention_parts.h"

#include <cmath>
#include <limits>

#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

bool IsHalf(int32_t type) { return type == C_DT_FLOAT16 || type == C_DT_BF16; }

}  // namespace

Endpoint Attend(NodeContext &c, const AttentionParts &p) {
  const int32_t type = c.Type(p.q);
  const auto wide = [&](Endpoint e) { return e && IsHalf(c.Type(e)) ? c.CastTo(e, C_DT_FLOAT) : e; };
  Endpoint mask = wide(p.mask);
  if (mask && c.Type(mask) != C_DT_BOOL) mask = c.CastLike(mask, wide(p.q));
  const Endpoint y = c.Op("ScaledDotProductAttention", {wide(p.q), wide(p.k), wide(p.v), mask, p.lengths, wide(p.sink)},
                          {{"scale", static_cast<float>(p.scale)},
                           {"softcap", p.softcap},
                           {"left_window", p.left},
                           {"right_window", p.right},
                           {"align", p.align},
                           {"zero_unseen", p.zero_unseen},
                           {"query_layout", p.q_layout},
                           {"key_layout", p.k_layout},
                           {"value_layout", p.v_layout},
                           {"output_layout", p.y_layout}});
  return IsHalf(type) ? c.CastTo(y, type) : y;
}

Endpoint HeadsApart(NodeContext &c, Endpoint x, int64_t heads) {
  return c.Op("Reshape", {x, c.ConstInts({0, 0, heads, -1}, "heads")});
}

Endpoint HeadsJoined(NodeContext &c, Endpoint x) { return c.Op("Reshape", {x, c.ConstInts({0, 0, -1}, "features")}); }

void CheckFeatures(NodeContext &c, Endpoint x, int64_t heads, const char *what) {
  const Shape shape = c.ShapeOf(x);
  if (!shape.has_rank()) return;
  if (shape.rank() != 3) c.Refuse(Reason::kInvalidModel, Str(what, " has rank ", shape.rank(), ", expected 3"));
  if (shape[2] >= 0 && shape[2] % heads != 0)
    c.Refuse(Reason::kInvalidModel, Str(what, " has ", shape[2], " features, which ", heads, " heads do not divide"));
}

int64_t NeedHeads(NodeContext &c, const char *attr) {
  const int64_t heads = c.NeedInt(attr);
  if (heads <= 0 || heads > kMaxDim)
    c.Refuse(Reason::kInvalidModel, Str("attribute '", attr, "' is ", heads, ", a positive number is needed"));
  return heads;
}

double ScaleOf(NodeContext &c, Endpoint q, bool zero_too) {
  const float told = c.Float("scale", 0);
  if (!std::isfinite(told)) c.Refuse(Reason::kInvalidModel, Str("attribute 'scale' is ", told));
  if (c.HasAttr("scale") && !(zero_too && told == 0)) return static_cast<double>(told);
  return 1 / std::sqrt(static_cast<double>(c.NeedDim(q, 3, "for the default scale")));
}

Endpoint Rotated(NodeContext &c, Endpoint x, Endpoint cosine, Endpoint sine, int64_t part, bool whole,
                 bool interleaved) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  Endpoint rotated = whole ? x : c.Slice(x, {0}, {part}, {3}), rest;
  if (!whole) rest = c.Slice(x, {part}, {kEnd}, {3});
  cosine = c.Unsqueeze(cosine, {2});
  sine = c.Unsqueeze(sine, {2});
  const Endpoint a = interleaved ? c.Slice(rotated, {0}, {kEnd}, {3}, {2}) : c.Slice(rotated, {0}, {part / 2}, {3});
  const Endpoint b = interleaved ? c.Slice(rotated, {1}, {kEnd}, {3}, {2}) : c.Slice(rotated, {part / 2}, {kEnd}, {3});
  Endpoint real = c.Op("Sub", {c.Op("Mul", {cosine, a}), c.Op("Mul", {sine, b})});
  Endpoint imaginary = c.Op("Add", {c.Op("Mul", {sine, a}), c.Op("Mul", {cosine, b})});
  const Endpoint last = c.ConstInt(-1, "axis");
  if (interleaved) {
    real = c.Unsqueeze(real, {4});
    imaginary = c.Unsqueeze(imaginary, {4});
    rotated = c.Op("ConcatV2", {real, imaginary, last}, {{"N", 2}});
    rotated = c.Op("Reshape", {rotated, c.ConstInts({0, 0, 0, part}, "size")});
  } else {
    rotated = c.Op("ConcatV2", {real, imaginary, last}, {{"N", 2}});
  }
  return rest ? c.Op("ConcatV2", {rotated, rest, last}, {{"N", 2}}) : rotated;
}

}  // namespace gec::onnx
