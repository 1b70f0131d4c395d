#include "runtime/page/machine_rates.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/placement/isa.h"
#include "core/support/error.h"
#include "runtime/threads.h"

namespace gec {
namespace {

using Clock = std::chrono::steady_clock;
double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

constexpr int64_t kRounds = 1 << 13;              // of one measurement: some ten microseconds
constexpr size_t kReadBytes = size_t{128} << 20;  // more than most caches hold
constexpr double kPatience = 0.2;                 // seconds for reading memory

constexpr int kChains = 12;  // of multiplications and additions that do not wait for one another: latency is hidden

#if defined(__clang__)
#define GE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GE_UNROLL _Pragma("GCC unroll 12")
#endif
// A macro, since a template's lambdas would not have the processor features of the function that is made of it. The
// result goes to `sink`, which tells where the chains start. A step of a chain multiplies as many pairs as numbers of
// BYTES fill a vector.
#define GE_MULTIPLY(NAME, FEATURES, VECTOR, BYTES, STEP)                                     \
  FEATURES double NAME(float *sink) {                                                        \
    VECTOR chain[kChains], factor, term;                                                     \
    std::memcpy(&factor, sink, sizeof factor);                                               \
    std::memcpy(&term, sink + 16, sizeof term);                                              \
    for (int i = 0; i < kChains; ++i) std::memcpy(&chain[i], sink + 2 * i, sizeof chain[i]); \
    for (int64_t round = 0; round < kRounds; ++round) {                                      \
      GE_UNROLL for (int i = 0; i < kChains; ++i) chain[i] = STEP;                           \
    }                                                                                        \
    for (int i = 0; i < kChains; ++i) std::memcpy(sink + 2 * i, &chain[i], sizeof chain[i]); \
    return 2.0 * kRounds * kChains * static_cast<double>(sizeof(VECTOR) / (BYTES));          \
  }

GE_MULTIPLY(MultiplyPlain, , float, 4, chain[i] * factor + term)
#if defined(__x86_64__)
#define GE_WITH(FEATURES) __attribute__((target(FEATURES)))
GE_MULTIPLY(Multiply512, GE_WITH("avx512f"), __m512, 4, _mm512_fmadd_ps(chain[i], factor, term))
GE_MULTIPLY(Multiply256, GE_WITH("avx2,fma"), __m256, 4, _mm256_fmadd_ps(chain[i], factor, term))
GE_MULTIPLY(MultiplyBf16, GE_WITH("avx512f,avx512bf16"), __m512, 2,
            _mm512_dpbf16_ps(chain[i], (__m512bh)factor, (__m512bh)term))
GE_MULTIPLY(MultiplyQuads512, GE_WITH("avx512f,avx512vnni"), __m512i, 1, _mm512_dpbusd_epi32(chain[i], factor, term))
GE_MULTIPLY(MultiplyQuads256, GE_WITH("avx2,avxvnni"), __m256i, 1, _mm256_dpbusd_avx_epi32(chain[i], factor, term))
GE_MULTIPLY(MultiplyPairs512, GE_WITH("avx512bw"), __m512i, 2,
            _mm512_add_epi32(factor, _mm512_madd_epi16(chain[i], term)))
GE_MULTIPLY(MultiplyPairs256, GE_WITH("avx2"), __m256i, 2, _mm256_add_epi32(factor, _mm256_madd_epi16(chain[i], term)))

constexpr int64_t kTileRounds = kRounds / 16;  // an instruction on tiles takes that much longer
// As above with the tile registers of AMX: of eight full ones four are sums.
#define GE_MULTIPLY_TILES(NAME, FEATURES, BYTES, PRODUCTS)                                   \
  FEATURES double NAME(float *sink) {                                                        \
    alignas(64) unsigned char shapes[64] = {1}; /* the palette */                            \
    for (int tile = 0; tile < 8; ++tile) shapes[16 + 2 * tile] = 64, shapes[48 + tile] = 16; \
    alignas(64) unsigned char sums[16 * 64];                                                 \
    __asm__ volatile("" : : "r"(shapes), "r"(sink) : "memory");                              \
    _tile_loadconfig(shapes);                                                                \
    _tile_zero(0);                                                                           \
    _tile_zero(1);                                                                           \
    _tile_zero(2);                                                                           \
    _tile_zero(3);                                                                           \
    _tile_loadd(4, sink, 0);                                                                 \
    _tile_loadd(5, sink, 0);                                                                 \
    _tile_loadd(6, sink, 0);                                                                 \
    _tile_loadd(7, sink, 0);                                                                 \
    for (int64_t round = 0; round < kTileRounds; ++round) {                                  \
      PRODUCTS(0, 4, 6);                                                                     \
      PRODUCTS(1, 4, 7);                                                                     \
      PRODUCTS(2, 5, 6);                                                                     \
      PRODUCTS(3, 5, 7);                                                                     \
    }                                                                                        \
    _tile_stored(0, sums, 64);                                                               \
    _tile_release();                                                                         \
    __asm__ volatile("" : : "r"(sums) : "memory");                                           \
    return 2.0 * kTileRounds * 4 * 16 * 16 * (64 / (BYTES));                                 \
  }

GE_MULTIPLY_TILES(MultiplyBf16Tiles, GE_WITH("amx-tile,amx-bf16"), 2, _tile_dpbf16ps)
GE_MULTIPLY_TILES(MultiplyInt8Tiles, GE_WITH("amx-tile,amx-int8"), 1, _tile_dpbusd)
#undef GE_MULTIPLY_TILES
#undef GE_WITH
#endif
#undef GE_MULTIPLY
#undef GE_UNROLL

using MultiplyFn = double (*)(float *);
struct Arithmetic {
  int32_t data_type;
  uint64_t features;  // GE_CPU_* that it needs
  MultiplyFn multiply;
  const char *how;
};
// Of each type the first that the processor has.
constexpr Arithmetic kArithmetic[] = {
#if defined(__x86_64__)
    {C_DT_FLOAT, GE_CPU_AVX512F, Multiply512, "fp32 AVX-512 multiply-add"},
    {C_DT_FLOAT, GE_CPU_AVX2 | GE_CPU_FMA, Multiply256, "fp32 AVX2 multiply-add"},
#endif
    {C_DT_FLOAT, 0, MultiplyPlain, "fp32 plain multiply and add"},
#if defined(__x86_64__)
    {C_DT_BF16, GE_CPU_AMX_TILE | GE_CPU_AMX_BF16, MultiplyBf16Tiles, "bf16 AMX products of tiles"},
    {C_DT_BF16, GE_CPU_AVX512F | GE_CPU_AVX512_BF16, MultiplyBf16, "bf16 AVX-512 products of pairs"},
    {C_DT_INT8, GE_CPU_AMX_TILE | GE_CPU_AMX_INT8, MultiplyInt8Tiles, "int8 AMX products of tiles"},
    {C_DT_INT8, GE_CPU_AVX512F | GE_CPU_AVX512_VNNI, MultiplyQuads512, "int8 AVX-512 VNNI products of four"},
    {C_DT_INT8, GE_CPU_AVX2 | GE_CPU_AVX_VNNI, MultiplyQuads256, "int8 AVX VNNI products of four"},
    {C_DT_INT8, GE_CPU_AVX512F | GE_CPU_AVX512BW, MultiplyPairs512, "int8 AVX-512 products of pairs as int16"},
    {C_DT_INT8, GE_CPU_AVX2, MultiplyPairs256, "int8 AVX2 products of pairs as int16"},
#endif
};

/// The best of several runs of the same work on all threads: `work(arg)` for each, after which `amount` is done.
double BestRate(int32_t threads, double amount, GeParallelFn work, void *arg) {
  double best = 0;
  const Clock::time_point begin = Clock::now();
  for (int run = 0; run < 3 || (run < 200 && Seconds(Clock::now() - begin) < kPatience); ++run) {
    const Clock::time_point start = Clock::now();
    ParallelFor(threads, threads, 1, work, arg);
    const double seconds = Seconds(Clock::now() - start);
    if (seconds > 0) best = std::max(best, amount / seconds);
  }
  return best;
}

/// Every thread measures itself, often and shortly: what else the machine does in between does not count.
struct Multiplying {
  MultiplyFn multiply;
  std::vector<double> best;  // rate by thread
};

void MultiplyOften(void *arg, int64_t begin, int64_t end) {
  Multiplying &work = *static_cast<Multiplying *>(arg);
  for (int64_t i = begin; i < end; ++i) {
    double best = 0;
    for (int run = 0; run < 64; ++run) {
      float own[64];
      for (int k = 0; k < 64; ++k) own[k] = 0.5f + 0.001f * static_cast<float>(k);
      const Clock::time_point start = Clock::now();
      const double done = work.multiply(own);
      __asm__ volatile("" : : "r"(own) : "memory");  // as if somebody read the result
      const double seconds = Seconds(Clock::now() - start);
      if (seconds > 0) best = std::max(best, done / seconds);
    }
    work.best[static_cast<size_t>(i)] = std::max(work.best[static_cast<size_t>(i)], best);
  }
}

void MeasureFlops(int32_t threads, MachineRates *rates) {
  for (const Arithmetic &each : kArithmetic) {
    // What is emulated is not measured.
    if (!Offers(HostFeatures() & ProcessorFeatures(), each.features) || rates->Of(each.data_type)) continue;
    Multiplying work{each.multiply, std::vector<double>(static_cast<size_t>(threads))};
    for (int run = 0; run < 8; ++run) ParallelFor(threads, threads, 1, MultiplyOften, &work);
    rates->texts.push_back(
        Str(each.how, " in registers, ", threads, threads == 1 ? " thread" : " threads, the best of each"));
    rates->types.push_back({each.data_type, 0, rates->texts.back().c_str()});
    for (double rate : work.best) rates->types.back().flops += rate;
  }
}

struct Reading {
  const uint64_t *words;
  int64_t each;  // words of a thread
};

void MeasureReading(int32_t threads, MachineRates *rates) {
  const std::unique_ptr<uint64_t[]> words(new (std::nothrow) uint64_t[kReadBytes / sizeof(uint64_t)]);
  if (!words) {
    rates->how_bytes = "not measured: no memory for it";
    return;
  }
  std::memset(words.get(), 1, kReadBytes);
  Reading reading{words.get(), static_cast<int64_t>(kReadBytes / sizeof(uint64_t)) / threads};
  rates->bytes_per_second = BestRate(
      threads, static_cast<double>(reading.each * threads) * sizeof(uint64_t),
      [](void *arg, int64_t begin, int64_t end) {
        const Reading &r = *static_cast<Reading *>(arg);
        uint64_t sum[8] = {};
        for (int64_t i = begin * r.each; i + 8 <= end * r.each; i += 8)
          for (int k = 0; k < 8; ++k) sum[k] += r.words[i + k];
        for (int k = 1; k < 8; ++k) sum[0] += sum[k];
        __asm__ volatile("" : : "r"(sum[0]));
      },
      &reading);
  rates->how_bytes =
      Str("reading ", kReadBytes >> 20, " MB from memory, ", threads, threads == 1 ? " thread" : " threads");
}

}  // namespace

const GeArithmeticRate *MachineRates::Of(int32_t data_type) const {
  for (const GeArithmeticRate &each : types)
    if (each.data_type == data_type) return &each;
  return nullptr;
}

const MachineRates &RatesOf(int32_t threads) {
  static std::mutex mutex;
  static std::map<int32_t, MachineRates> &measured = *new std::map<int32_t, MachineRates>();  // outlives its readers
  const std::lock_guard lock(mutex);  // two measurements at once would halve each other
  const auto found = measured.find(threads);
  if (found != measured.end()) return found->second;
  MachineRates rates;
  MeasureFlops(threads, &rates);
  MeasureReading(threads, &rates);
  return measured.emplace(threads, std::move(rates)).first->second;
}

}  // namespace gec
