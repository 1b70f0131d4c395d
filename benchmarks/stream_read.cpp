// How fast memory is read, as one straight stream and as several at once: what products of few rows are measured by.
//   build/release/benchmarks/stream_read [MEGABYTES [THREADS]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

// Sixteen values at a time of each stream, as vectors of four: every x86-64 processor has these.
typedef float Four __attribute__((vector_size(16)));

template <int kStreams>
float Sum(const float *from, int64_t count) {
  const int64_t part = count / kStreams / 16 * 16;
  Four sums[4] = {};
  for (int64_t i = 0; i < part; i += 16)
    for (int s = 0; s < kStreams; ++s)
      for (int q = 0; q < 4; ++q) sums[q] += *reinterpret_cast<const Four *>(from + s * part + i + q * 4);
  const Four all = sums[0] + sums[1] + sums[2] + sums[3];
  return all[0] + all[1] + all[2] + all[3];
}

volatile float g_sink;  // sums that nobody reads would not be computed

using Read = float (*)(const float *from, int64_t count);

double GigabytesASecond(Read read, const std::vector<float> &values, int threads) {
  const int64_t part = static_cast<int64_t>(values.size()) / threads / 64 * 64;
  double best = 0;
  for (int turn = 0; turn < 9; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { g_sink = read(values.data() + t * part, part); });
    g_sink = read(values.data(), part);
    for (std::thread &other : others) other.join();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, static_cast<double>(part * threads) * sizeof(float) / seconds / 1e9);
  }
  return best;
}

}  // namespace

int main(int argc, char **argv) {
  const int megabytes = argc > 1 ? std::atoi(argv[1]) : 400, threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (megabytes < 1 || megabytes > 100000 || threads < 1 || threads > 1024) {
    std::fprintf(stderr, "stream_read [MEGABYTES [THREADS]]\n");
    return 1;
  }
  const std::vector<float> values(static_cast<size_t>(megabytes) * 250000, 0.5f);
  const struct {
    int streams;
    Read read;
  } ways[] = {{1, Sum<1>}, {2, Sum<2>}, {4, Sum<4>}, {8, Sum<8>}};
  for (const auto &way : ways)
    std::printf("%d stream(s) a thread, %d thread(s): %.1f GB/s\n", way.streams, threads,
                GigabytesASecond(way.read, values, threads));
  return 0;
}
