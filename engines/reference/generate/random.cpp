// Random numbers: element i depends on the seeds and on i only, so results do not change with the number of threads.
// Where both seeds are 0 every call draws anew.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <string_view>

#include "generate/philox.h"
#include "registry.h"

namespace reference {
namespace {

// Bits of a uniform number, so that rounding to the output type cannot reach 1.
int MantissaBits(int32_t type) {
  switch (type) {
    case C_DT_FLOAT16:
      return 11;
    case C_DT_BF16:
      return 8;
    case C_DT_DOUBLE:
      return 53;
    default:
      return 24;
  }
}

// Two words in 0 … 2^64 - 1 for a pair of elements.
struct Pair {
  uint64_t first, second;
};
Pair PairAt(uint64_t counter, uint64_t key) {
  const auto r = Philox(counter, key);
  return {uint64_t(r[1]) << 32 | r[0], uint64_t(r[3]) << 32 | r[2]};
}

double Unit(uint64_t word, int bits) { return double(word >> (64 - bits)) * std::ldexp(1.0, -bits); }

/// A start that differs from process to process. The system is asked once, while a kernel is made: calls do not wait.
uint64_t ProcessSeed() {
  static const uint64_t seed = [] {
    std::random_device device;
    return uint64_t(device()) << 32 | device();
  }();
  return seed;
}

/// A key that no other call of this process has. The odd factor spreads successive numbers over all bits and maps no
/// two to one.
uint64_t FreshKey(uint64_t start) {
  static std::atomic<uint64_t> calls{0};
  return (start + calls.fetch_add(1, std::memory_order_relaxed)) * 0x9E3779B97F4A7C15u;
}

Kernel CreateRandom(const Node &node, const OpEntry &) {
  const bool normal = std::string_view(node.type()) == "RandomStandardNormal";
  const int64_t n = node.out_count(0);
  // Both seeds are 32 bits of the key; what exceeds them is mixed in.
  const uint64_t s1 = uint64_t(node.Int("seed", 0)), s2 = uint64_t(node.Int("seed2", 0));
  const bool fresh = s1 == 0 && s2 == 0;
  const uint64_t seed = fresh ? ProcessSeed() : s1 ^ (s2 << 32 | s2 >> 32);
  const int bits = MantissaBits(node.out_type(0));
  const StoreFn<double> store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    const uint64_t key = fresh ? FreshKey(seed) : seed;
    call.Parallel((n + 1) / 2, 2048, [&](int64_t begin, int64_t end) {
      for (int64_t pair = begin; pair < end; ++pair) {
        const Pair words = PairAt(uint64_t(pair), key);
        double v[2];
        if (normal) {  // Box and Muller
          const double radius = std::sqrt(-2 * std::log(1 - Unit(words.first, 53)));
          const double angle = 6.28318530717958647692 * Unit(words.second, 53);
          v[0] = radius * std::cos(angle);
          v[1] = radius * std::sin(angle);
        } else {
          v[0] = Unit(words.first, bits);
          v[1] = Unit(words.second, bits);
        }
        store(v, std::min<int64_t>(2, n - 2 * pair), call.out(0), 2 * pair, 1);
      }
    });
  };
  return kernel;
}

void CheckRandom(const Node &node) {
  if (!(kFloats & TypeBit(node.out_type(0))))
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for output 0", node.label().c_str(), DataTypeName(node.out_type(0)));
}

const OpEntry kRandom[] = {
    {"RandomUniform", kIndex, &CreateRandom, &CheckRandom},
    {"RandomStandardNormal", kIndex, &CreateRandom, &CheckRandom},
};

}  // namespace

OpTable RandomOps() { return TableOf(kRandom); }

}  // namespace reference
