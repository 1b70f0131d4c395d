// The transforms of tiles, of both instruction sets, whichever tiles a cost would choose: of one channel each, the
// outputs of the transformed products are what plain loops make in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine_runner.h"
#include "engines/onednn/winograd_filter.h"

using namespace onednn;

namespace {

template <int M, int S>
void CheckTiles(const ConvKernelSet &set) {
  constexpr int N = WinogradReach(M, S), kTiles = 3, kRows = M, kColumns = M * kTiles;
  const int c = set.channels, width = M * S * (kTiles - 1) + N;
  std::mt19937 random(M * 10 + S);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> x(size_t(N * width * c)), filter(size_t(9 * c)), y(size_t(kRows * kColumns * c), -7);
  for (float &value : x) value = values(random);
  for (float &value : filter) value = values(random);

  const int64_t step = kTiles * c + 16;
  std::vector<float> numbers(size_t(N * N * step));
  set.winograd_input[WinogradKind(M, S)]({x.data(), width * c, numbers.data(), step, kTiles});
  const auto &g = FilterLine<M, S>::kG;
  for (int a = 0; a < N; ++a)
    for (int b = 0; b < N; ++b)
      for (int i = 0; i < kTiles * c; ++i) {
        double by = 0;
        for (int k = 0; k < 9; ++k) by += g[a][k / 3] * g[b][k % 3] * filter[size_t(k * c + i % c)];
        numbers[size_t((a * N + b) * step + i)] *= float(by);
      }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  WinogradOutputRun out{};
  out.m = numbers.data(), out.m_step = step;
  out.y = y.data(), out.row = kColumns * c;
  out.tiles = kTiles, out.rows = kRows, out.columns = kColumns - 1;  // the last column lies outside of the image
  out.finish = {nullptr, nullptr, -kInfinity, kInfinity};
  set.winograd_output[WinogradKind(M, S)](out);

  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      for (int q = 0; q < c; ++q) {
        double want = 0;
        for (int k = 0; k < 9; ++k)
          want += double(x[size_t(((i * S + k / 3) * width + j * S + k % 3) * c + q)]) * filter[size_t(k * c + q)];
        if (j == kColumns - 1) want = -7;  // not written
        ASSERT_NEAR(y[size_t((i * kColumns + j) * c + q)], want, 1e-5) << i << ", " << j << ", channel " << q;
      }
}

TEST(WinogradLines, GiveTheConvolution) {
  for (const ConvKernelSet *set : {&kConvAvx2, &kConvAvx512}) {
    if (set == &kConvAvx512 && !engine_test::HasAvx512()) continue;
    SCOPED_TRACE(set->channels);
    CheckTiles<2, 1>(*set);
    CheckTiles<4, 1>(*set);
    CheckTiles<2, 2>(*set);
    CheckTiles<4, 2>(*set);
  }
}

}  // namespace
