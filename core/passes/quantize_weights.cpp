#include "core/passes/quantize_weights.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "core/support/error.h"
#include "core/support/float16.h"

namespace gec {
namespace {

constexpr int64_t kTile = 64;        // columns whose blocks are looked at together
constexpr float kLargest = 1e37f;    // a range of twice that, a step further, is finite still
constexpr float kSmallest = 1e-33f;  // of a matrix: steps of such values are normal numbers still
constexpr int64_t kLeastBlock = 16;  // that kernels take
constexpr int64_t kSymmetric = 8;    // bits from which on there are no zero points
constexpr int64_t kHalf = 16;        // bits of floats

/// One block of up to kTile columns: how numbers are made of values.
struct Steps {
  float low[kTile], high[kTile];  // smallest and largest value, zero among them
  float inverse[kTile], offset[kTile];
};

class Quantizer {
 public:
  Quantizer(const WeightMatrix &matrix, int64_t bits, double factor)
      : m_(matrix), factor_(factor), most_((1 << bits) - 1) {
    q_.bits = bits;
    q_.block = BlockOf(bits, m_.k);
    q_.blocks = (m_.k - 1) / q_.block + 1;
    block_bytes_ = q_.block / 8 * bits;
    zero_bytes_ = (q_.blocks * bits + 7) / 8;
    numbers_ = Buffer::Allocate(static_cast<uint64_t>(m_.n * q_.blocks * block_bytes_));
    scales_ = Buffer::Allocate(static_cast<uint64_t>(m_.n * q_.blocks) * sizeof(float));
    if (bits < kSymmetric) zeros_ = Buffer::Allocate(static_cast<uint64_t>(m_.n * zero_bytes_));
  }

  QuantizedWeights Run() {
    for (int64_t first = 0; first < m_.n; first += kTile)
      for (int64_t b = 0; b < q_.blocks; ++b) Tile(first, std::min(m_.n - first, kTile), b);
    q_.numbers = Made(C_DT_UINT8, {m_.n, q_.blocks, block_bytes_}, numbers_);
    q_.scale = Made(C_DT_FLOAT, {m_.n, q_.blocks}, scales_);
    if (zeros_) q_.zero = Made(C_DT_UINT8, {m_.n, zero_bytes_}, zeros_);
    return std::move(q_);
  }

 private:
  static TensorPtr Made(int32_t type, Shape shape, std::shared_ptr<Buffer> buffer) {
    return std::make_shared<Tensor>(TensorDesc(type, std::move(shape)), std::move(buffer));
  }
  int64_t At(int64_t column, int64_t p) const { return m_.by_columns ? column * m_.k + p : p * m_.n + column; }
  template <class F>
  void Each(int64_t first, int64_t columns, int64_t from, int64_t to, F f) const {
    if (m_.by_columns) {
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t p = from; p < to; ++p) f(c, p, m_.values[At(first + c, p)]);
    } else {
      for (int64_t p = from; p < to; ++p)
        for (int64_t c = 0; c < columns; ++c) f(c, p, m_.values[At(first + c, p)]);
    }
  }

  void Tile(int64_t first, int64_t columns, int64_t b) {
    if (q_.bits == kHalf) return HalfTile(first, columns, b);
    Steps s;
    std::fill_n(s.low, columns, 0.0f);
    std::fill_n(s.high, columns, 0.0f);
    const int64_t from = b * q_.block, to = std::min(m_.k, from + q_.block);
    Each(first, columns, from, to, [&](int64_t c, int64_t, float v) {
      s.low[c] = std::min(s.low[c], v);
      s.high[c] = std::max(s.high[c], v);
    });
    for (int64_t c = 0; c < columns; ++c) Choose(&s, c, first + c, b);
    auto *numbers = static_cast<uint8_t *>(numbers_->data());
    const int bits = static_cast<int>(q_.bits);
    Each(first, columns, from, to, [&](int64_t c, int64_t p, float v) {
      const int number = std::clamp(static_cast<int>(v * s.inverse[c] + s.offset[c]), 0, most_);
      const int64_t bit = (p - from) * bits;
      uint8_t &byte = numbers[((first + c) * q_.blocks + b) * block_bytes_ + bit / 8];
      byte = static_cast<uint8_t>(byte | number << (bit % 8));
    });
  }

  void HalfTile(int64_t first, int64_t columns, int64_t b) {
    float largest[kTile] = {}, inverse[kTile];
    const int64_t from = b * q_.block, to = std::min(m_.k, from + q_.block);
    Each(first, columns, from, to,
         [&](int64_t c, int64_t, float v) { largest[c] = std::max(largest[c], std::fabs(v)); });
    for (int64_t c = 0; c < columns; ++c) {
      int exponent = 0;
      std::frexp(std::max(largest[c], FLT_MIN), &exponent);
      exponent = std::max(exponent, FLT_MIN_EXP + 1);  // the inverse is a normal number too
      inverse[c] = std::ldexp(1.0f, -exponent);
      static_cast<float *>(scales_->data())[(first + c) * q_.blocks + b] =
          static_cast<float>(std::ldexp(factor_, exponent));
    }
    auto *numbers = static_cast<uint16_t *>(numbers_->data());
    Each(first, columns, from, to, [&](int64_t c, int64_t p, float v) {
      numbers[((first + c) * q_.blocks + b) * q_.block + p - from] = ToHalfBits(v * inverse[c]);
    });
  }

  /// The offset holds the half that makes rounding of cutting off.
  void Choose(Steps *s, int64_t c, int64_t column, int64_t b) {
    const double low = s->low[c], high = s->high[c];
    const bool symmetric = zeros_ == nullptr;
    const double range = symmetric ? 2 * std::max(-low, high) / (most_ - 1) : (high - low) / most_;
    // Where all is zero, or too small to divide by, steps are as small as a divisor may be.
    const float scale = static_cast<float>(std::max(range, double{FLT_MIN}));
    const int zero = symmetric ? (most_ + 1) / 2 : std::clamp(static_cast<int>(-low / scale + 0.5), 0, most_);
    s->inverse[c] = 1 / scale;
    s->offset[c] = static_cast<float>(zero) + 0.5f;
    // A kernel may take zero points off after the sum, with an error of its own, which no block of zeros should show.
    static_cast<float *>(scales_->data())[column * q_.blocks + b] =
        range > 0 ? static_cast<float>(scale * factor_) : 0.0f;
    if (symmetric) return;
    const int64_t bit = b * q_.bits;
    uint8_t &byte = static_cast<uint8_t *>(zeros_->data())[column * zero_bytes_ + bit / 8];
    byte = static_cast<uint8_t>(byte | zero << (bit % 8));
  }

  const WeightMatrix &m_;
  const double factor_;
  const int most_;
  QuantizedWeights q_;
  int64_t block_bytes_ = 0, zero_bytes_ = 0;
  std::shared_ptr<Buffer> numbers_, scales_, zeros_;
};

}  // namespace

std::string WeightMatrix::Unfit(double factor) const {
  if (!std::isfinite(factor)) return Str("its factor is ", factor);
  const double scale = std::max(1.0, std::fabs(factor));
  float largest = 0;
  for (int64_t i = 0; i < k * n; ++i) {
    if (!std::isfinite(values[i])) return Str("a value is ", std::isnan(values[i]) ? "no number" : "infinite");
    largest = std::max(largest, std::fabs(values[i]));
  }
  if (largest * scale > kLargest) return Str("its largest value is ", largest * scale, ", beyond ", kLargest);
  if (largest > 0 && largest < kSmallest) return Str("its largest value is ", largest, ", below ", kSmallest);
  return "";
}

int64_t BlockOf(int64_t bits, int64_t k) {
  const int64_t usual = bits == kHalf ? 256 : bits == 8 ? 64 : 32;
  for (int64_t block = usual; block >= kLeastBlock; block /= 2)
    if (k % block == 0) return block;
  return std::min<int64_t>(usual, 64);
}

uint64_t QuantizedBytes(int64_t bits, int64_t k, int64_t n) {
  const int64_t block = BlockOf(bits, k), blocks = (k - 1) / block + 1;
  const int64_t zero = bits < kSymmetric ? (blocks * bits + 7) / 8 : 0;
  return static_cast<uint64_t>(n * (blocks * (block / 8 * bits + int64_t{sizeof(float)}) + zero));
}

QuantizedWeights Quantize(const WeightMatrix &matrix, int64_t bits, double factor) {
  return Quantizer(matrix, bits, factor).Run();
}

}  // namespace gec
