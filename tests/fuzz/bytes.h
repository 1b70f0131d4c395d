// Decodes a fuzzer's bytes into the values of a test case. Bytes that are used up read as zero, so every input is a
// whole case, and a byte that was changed changes one value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace fuzz {

class Bytes {
 public:
  Bytes(const uint8_t *data, size_t size) : data_(data), size_(size) {}
  bool done() const { return at_ >= size_; }

  uint8_t Byte() { return done() ? 0 : data_[at_++]; }
  bool Flag() { return (Byte() & 1) != 0; }
  /// Below `count`, which must not be 0.
  size_t Below(size_t count) {
    const size_t value = Byte();
    return (count > 256 ? value << 8 | Byte() : value) % count;
  }
  template <class T>
  T Raw() {
    uint8_t bytes[sizeof(T)];
    for (uint8_t &byte : bytes) byte = Byte();
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  /// Small numbers most of the time, else the ends of ranges, where arithmetic goes wrong, or any number.
  int64_t Number() {
    static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
    static constexpr int64_t kEnds[] = {
        kLeast,     kLeast + 1,         kMost, kMost - 1, INT64_C(1) << 62, INT64_C(1) << 61, INT32_MIN, INT32_MAX,
        UINT32_MAX, INT64_C(1) << 32,   65535, 65536,     INT64_C(1) << 40, INT64_C(1) << 31, -2,        -3,
        1000000007, -(INT64_C(1) << 62)};
    const uint8_t kind = Byte();
    if (kind < 200) return static_cast<int64_t>(kind % 40) - 4;
    if (kind < 250) return kEnds[Byte() % std::size(kEnds)];
    return Raw<int64_t>();
  }
  double Real() {
    static constexpr double kEnds[] = {0, -0.0, 1, -1, 0.5, 1e-38, 1e38, 1e300, -1e300, 1e-320};
    const uint8_t kind = Byte();
    if (kind < 100) return static_cast<double>(kind) / 8 - 4;
    if (kind < 120)
      return kind & 1 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    if (kind < 200) return kEnds[kind % std::size(kEnds)];
    return Raw<double>();
  }
  /// At most `longest` bytes without a zero.
  std::string Text(size_t longest) {
    std::string text(Below(longest + 1), ' ');
    for (char &c : text) c = static_cast<char>(std::max<uint8_t>(Byte(), 1));
    return text;
  }
  std::vector<int64_t> Numbers(size_t most) {
    std::vector<int64_t> values(Below(most + 1));
    for (int64_t &value : values) value = Number();
    return values;
  }
  /// Extents of a shape that has at most `most` elements.
  std::vector<int64_t> SmallShape(size_t most_rank, int64_t most) {
    std::vector<int64_t> dims(Below(most_rank + 1));
    for (int64_t &dim : dims) {
      dim = static_cast<int64_t>(Below(5));
      most = dim > 0 && dim <= most ? most / dim : (dim = std::min<int64_t>(dim, 1), most);
    }
    return dims;
  }
  std::string Rest() {
    const size_t from = std::min(at_, size_);
    at_ = size_;
    return std::string(reinterpret_cast<const char *>(data_) + from, size_ - from);
  }

 private:
  const uint8_t *data_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace fuzz
