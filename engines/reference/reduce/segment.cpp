// Sums, products and extremes of segments: element i goes to the row that segment_ids[i] names.
#include <limits>
#include <type_traits>
#include <vector>

#include "elementwise/scalar_math.h"
#include "movement/indices.h"
#include "registry.h"

namespace reference {
namespace {

enum class Segment { kSum, kProduct, kLargest, kSmallest };

// Largest finite number of a floating-point type.
double Largest(int32_t type) {
  if (type == C_DT_FLOAT16) return 65504;
  if (type == C_DT_BF16) return 0x1.FEp127;
  return type == C_DT_FLOAT ? double(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
}

// What a segment without elements holds.
template <class A>
A Neutral(Segment segment, int32_t type) {
  if (segment == Segment::kSum) return A(0);
  if (segment == Segment::kProduct) return A(1);
  const bool lowest = segment == Segment::kLargest;
  if constexpr (std::is_floating_point_v<A>) return lowest ? -Largest(type) : Largest(type);
  else return lowest ? A(RangeOf(type).lowest) : A(RangeOf(type).highest);
}

template <class A>
A Combine(Segment segment, A a, A b) {
  switch (segment) {
    case Segment::kSum:
      return WrapAdd(a, b);
    case Segment::kProduct:
      return WrapMul(a, b);
    case Segment::kLargest:
      return Max(a, b);
    default:
      return Min(a, b);
  }
}

template <class A>
Kernel CreateSegmentFor(const Node &node, Segment segment) {
  constexpr int64_t kTile = 64;
  const std::string label = node.label();
  const Dims x = node.in_dims(0), ids = node.in_dims(1);
  const int64_t segments = node.out_dims(0)[0], count = ids.count(), columns = x.count(ids.n, x.n);
  const IndexReader reader = IndicesOf(node, 1);
  const A neutral = Neutral<A>(segment, node.in_type(0));
  const LoadFn<A> load = Loader<A>(node.in_type(0));
  const StoreFn<A> store = Storer<A>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (int64_t i = 0; i < count; ++i) {
      if (reader.At(call.in(1), i) >= segments)
        Fail(GE_PARAM_INVALID, "%s: segment_ids holds %lld at position %lld, but there are %lld segments",
             label.c_str(), (long long)reader.At(call.in(1), i), (long long)i, (long long)segments);
    }
    call.Parallel((columns + kTile - 1) / kTile, 1, [&](int64_t begin, int64_t end) {
      std::vector<A> rows(size_t(segments * kTile));
      A value[kTile];
      for (int64_t tile = begin; tile < end; ++tile) {
        const int64_t column = tile * kTile, width = columns - column < kTile ? columns - column : kTile;
        rows.assign(rows.size(), neutral);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t id = reader.At(call.in(1), i);
          if (id < 0) continue;  // belongs to no segment
          load(call.in(0), i * columns + column, 1, width, value);
          A *row = rows.data() + id * kTile;
          for (int64_t k = 0; k < width; ++k) row[k] = Combine(segment, row[k], value[k]);
        }
        for (int64_t s = 0; s < segments; ++s)
          store(rows.data() + s * kTile, width, call.out(0), s * columns + column, 1);
      }
    });
  };
  return kernel;
}

template <Segment segment>
Kernel CreateSegment(const Node &node, const OpEntry &) {
  switch (ComputeOf(node.in_type(0))) {
    case Compute::kFloat:
    case Compute::kDouble:
      return CreateSegmentFor<double>(node, segment);
    case Compute::kUInt:
      return CreateSegmentFor<uint64_t>(node, segment);
    default:
      return CreateSegmentFor<int64_t>(node, segment);
  }
}

const OpEntry kSegments[] = {
    {"UnsortedSegmentSum", kNumbers, &CreateSegment<Segment::kSum>, &CheckIndexType<1>},
    {"UnsortedSegmentProd", kNumbers, &CreateSegment<Segment::kProduct>, &CheckIndexType<1>},
    {"UnsortedSegmentMax", kNumbers, &CreateSegment<Segment::kLargest>, &CheckIndexType<1>},
    {"UnsortedSegmentMin", kNumbers, &CreateSegment<Segment::kSmallest>, &CheckIndexType<1>},
};

}  // namespace

OpTable SegmentOps() { return TableOf(kSegments); }

}  // namespace reference
