// Orders positions by the values they name, without allocating.
#pragma once

#include <algorithm>
#include <cstdint>

namespace reference {

// The first k entries of order become the k largest (or smallest) positions, sorted; ties by position, NaN is the
// largest.
template <class C>
void SortOrder(const C *values, int64_t *order, int64_t n, int64_t k, bool largest) {
  auto before = [=](int64_t a, int64_t b) {
    const C va = values[a], vb = values[b];
    const bool nan_a = va != va, nan_b = vb != vb;
    if (nan_a != nan_b) return nan_a == largest;
    if (!nan_a && va != vb) return largest ? va > vb : va < vb;
    return a < b;
  };
  if (k == n) std::sort(order, order + n, before);
  else std::partial_sort(order, order + k, order + n, before);
}

}  // namespace reference
