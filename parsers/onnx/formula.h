// Short names for the arithmetic that decompositions are written in. Sizes may be known or computed at run time.
#pragma once

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

class Formula {
 public:
  explicit Formula(NodeContext &context) : c(context) {}

  // ---- values
  Endpoint Int(int64_t v) { return c.ConstInt(v, "number"); }
  Endpoint Real(double v, int32_t type) { return c.ConstNumber(v, type, "number"); }
  /// One value of any shape as a scalar of `type`.
  Endpoint Scalar(Endpoint e, int32_t type) {
    return c.CastTo(c.Rank(e) == 0 ? e : c.Op("Reshape", {e, c.ConstInts({}, "scalar")}), type);
  }
  /// 0, 1, … count - 1 of int64.
  Endpoint Count(Endpoint count) { return c.Op("Range", {Int(0), count, Int(1)}); }
  /// Extent of one dimension, as a scalar.
  Endpoint Dim(Endpoint e, int64_t axis) {
    Shape s = c.ShapeOf(e);
    if (s.has_rank() && axis < 0) axis += s.rank();
    if (s.has_rank() && axis >= 0 && axis < s.rank() && s[static_cast<size_t>(axis)] >= 0)
      return Int(s[static_cast<size_t>(axis)]);
    return Gather(c.ShapeValue(e), Int(axis), 0);
  }
  /// Number of dimensions, as a scalar.
  Endpoint Rank(Endpoint e) { return c.Rank(e) >= 0 ? Int(c.Rank(e)) : Dim(c.ShapeValue(e), 0); }
  /// Extents of the dimensions from `begin` to before `end`, as a vector.
  Endpoint Dims(Endpoint e, int64_t begin, int64_t end) { return c.Slice(c.ShapeValue(e), {begin}, {end}, {0}); }
  /// Scalars and vectors of int64 one after the other.
  Endpoint Vector(const std::vector<Endpoint> &parts) {
    std::vector<Endpoint> list;
    for (Endpoint e : parts) list.push_back(c.Rank(e) == 1 ? e : c.Op("Reshape", {e, c.ConstInts({1}, "one")}));
    return list.size() == 1 ? list[0] : Concat(std::move(list), 0);
  }

  // ---- arithmetic
  Endpoint Add(Endpoint a, Endpoint b) { return c.Op("Add", {a, b}); }
  Endpoint Sub(Endpoint a, Endpoint b) { return c.Op("Sub", {a, b}); }
  Endpoint Mul(Endpoint a, Endpoint b) { return c.Op("Mul", {a, b}); }
  Endpoint Div(Endpoint a, Endpoint b) { return c.Op("RealDiv", {a, b}); }
  Endpoint FloorDiv(Endpoint a, Endpoint b) { return c.Op("FloorDiv", {a, b}); }
  Endpoint FloorMod(Endpoint a, Endpoint b) { return c.Op("FloorMod", {a, b}); }
  Endpoint Min(Endpoint a, Endpoint b) { return c.Op("Minimum", {a, b}); }
  Endpoint Max(Endpoint a, Endpoint b) { return c.Op("Maximum", {a, b}); }
  /// The scalar `e` of int64, which has to be at least `least`: refused here where it is known, else by the run.
  Endpoint AtLeast(Endpoint e, int64_t least, const char *what);
  /// Indices of int64, which may not count from the end as those of Gather and its kin may.
  Endpoint FromFront(Endpoint indices, const char *what);
  Endpoint Neg(Endpoint a) { return c.Op("Neg", {a}); }
  Endpoint Less(Endpoint a, Endpoint b) { return c.Op("Less", {a, b}); }
  Endpoint LessEqual(Endpoint a, Endpoint b) { return c.Op("LessEqual", {a, b}); }
  Endpoint Equal(Endpoint a, Endpoint b) { return c.Op("Equal", {a, b}); }
  Endpoint And(Endpoint a, Endpoint b) { return c.Op("LogicalAnd", {a, b}); }
  Endpoint Where(Endpoint condition, Endpoint yes, Endpoint no) { return c.Op("SelectV2", {condition, yes, no}); }
  /// Product of a vector.
  Endpoint Product(Endpoint v) { return c.Reduce("ReduceProd", v, {0}, false); }

  // ---- movement
  Endpoint Reshape(Endpoint e, Endpoint shape) { return c.Op("Reshape", {e, shape}); }
  Endpoint Flat(Endpoint e) { return c.ReshapeTo(e, {-1}); }
  Endpoint Expand(Endpoint e, Endpoint shape) { return c.Op("Expand", {e, shape}); }
  Endpoint Gather(Endpoint x, Endpoint indices, int64_t axis) {
    return c.Op("GatherV2", {x, indices, Int(axis)}, {{"negative_index_support", true}});
  }
  Endpoint Concat(std::vector<Endpoint> parts, int64_t axis) {
    int64_t n = static_cast<int64_t>(parts.size());
    parts.push_back(Int(axis));
    return c.Op("ConcatV2", parts, {{"N", n}});
  }
  Endpoint Fill(Endpoint shape, Endpoint value) { return c.Op("Fill", {shape, value}); }
  Endpoint Zeros(Endpoint shape, int32_t type) { return Fill(shape, Real(0, type)); }
  /// x[begin : end] along `axis`; begin and end are scalars.
  Endpoint Slice(Endpoint x, Endpoint begin, Endpoint end, int64_t axis) {
    return c.Op("StridedSliceV2",
                {x, Vector({begin}), Vector({end}), c.ConstInts({axis}, "axes"), c.ConstInts({1}, "strides")});
  }
  /// Zeros around x: all amounts before, then all behind.
  Endpoint Pad(Endpoint x, Endpoint paddings, Endpoint value = {}) {
    return c.Op("PadV3", {x, paddings, value}, {{"mode", "constant"}, {"paddings_contiguous", false}});
  }
  /// `e` of any rank with dimensions of extent 1 so that it broadcasts along `axis` of `rank` dimensions; e is a
  /// vector.
  Endpoint Along(Endpoint e, int64_t axis, int64_t rank) {
    std::vector<int64_t> shape(static_cast<size_t>(rank), 1);
    shape[static_cast<size_t>(axis)] = -1;
    return rank == 1 ? e : c.ReshapeTo(e, shape);
  }

 private:
  NodeContext &c;
};

}  // namespace gec::onnx
