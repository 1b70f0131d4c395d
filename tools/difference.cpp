#include "difference.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "element.h"
#include "native.h"

namespace tool {
namespace {

std::string Kind(const Array &a) {
  return TypeText(a.data_type) + DimsText(a.dims.data(), static_cast<int64_t>(a.dims.size()));
}

/// Sums and places over pairs of values.
class Measure {
 public:
  Measure(size_t row, bool real) : row_(row), real_(real) {}

  void Add(size_t i, double want, double got, bool same) {
    if (real_ && row_ > 1) Row(i, want, got);
    if (std::isfinite(want)) size_ += static_cast<long double>(want) * want;
    if (same) return;
    ++different_;
    const long double distance = std::fabs(static_cast<long double>(want) - got);
    distance_ += distance * distance;  // infinite or no number where one side is
    const auto apart = static_cast<double>(distance / std::fmax(1, std::fabs(want)));
    if (different_ > 1 && apart <= out_.apart) return;
    out_.apart = apart >= 0 ? apart : INFINITY;
    out_.want = want, out_.got = got, out_.at = i;
  }

  Difference Result(size_t count) const {
    Difference out = out_;
    if (different_ == 0) return out;
    if (!real_) out.relative = static_cast<double>(different_) / static_cast<double>(count);
    else if (!std::isfinite(distance_) || size_ == 0) out.relative = INFINITY;
    else out.relative = static_cast<double>(std::sqrt(distance_ / size_));
    return out;
  }

 private:
  void Row(size_t i, double want, double got) {
    const size_t place = i % row_;
    if (place == 0 || want > most_want_) most_want_ = want, at_want_ = place;
    if (place == 0 || got > most_got_) most_got_ = got, at_got_ = place;
    if (place + 1 != row_) return;
    ++out_.rows;
    out_.rows_elsewhere += at_want_ != at_got_;
  }

  size_t row_;
  bool real_;
  Difference out_;
  long double size_ = 0, distance_ = 0;  // squares of large numbers are finite here
  double most_want_ = 0, most_got_ = 0;
  size_t different_ = 0, at_want_ = 0, at_got_ = 0;
};

Difference Other(std::string how) {
  Difference d;
  d.other = std::move(how);
  d.relative = d.apart = INFINITY;
  return d;
}

}  // namespace

std::string Difference::Worst() const {
  if (!other.empty()) return other;
  char text[96];
  const int digits = apart > 1e-4 ? 5 : 9;  // as many as tell them apart
  std::snprintf(text, sizeof text, "element %zu: %.*g became %.*g", at, digits, want, digits, got);
  return text;
}

Difference Between(const Array &want, const Array &got) {
  const bool real = IsReal(want.data_type) && IsReal(got.data_type);
  if ((!real && want.data_type != got.data_type) || want.dims != got.dims)
    return Other(Kind(want) + " became " + Kind(got));
  const ElementReader read_want = ReaderOf(want.data_type), read_got = ReaderOf(got.data_type);
  if (!read_want || !read_got) return want.bytes == got.bytes ? Difference() : Other("other bytes");
  const size_t count = want.bytes.size() / (GeDataTypeBits(want.data_type) / 8);
  Measure measure(want.dims.empty() ? 1 : static_cast<size_t>(want.dims.back()), real);
  for (size_t i = 0; i < count; ++i) {
    const double a = read_want(want.bytes.data(), i), b = read_got(got.bytes.data(), i);
    // Integers of 64 bits may be equal as double and differ.
    const size_t size = want.bytes.size() / count;
    const bool same = real ? a == b || (std::isnan(a) && std::isnan(b))
                           : std::memcmp(want.bytes.data() + i * size, got.bytes.data() + i * size, size) == 0;
    measure.Add(i, a, b, same);
  }
  return measure.Result(count);
}

}  // namespace tool
