// Products of 8-bit integers by AMX, exact for all weights. As in kernels_avx512.cpp, nothing here may be shared with
// other files.
#include "amx.h"
#include "int8_kernels.h"

namespace {

struct Quads {
  static void First() { _tile_dpbusd(0, 4, 6); }
  static void Second() { _tile_dpbusd(1, 4, 7); }
  static void Third() { _tile_dpbusd(2, 5, 6); }
  static void Fourth() { _tile_dpbusd(3, 5, 7); }
};

constexpr int kGroups = 16;               // of a step
constexpr int kPanelBytes = 4 * 32;       // of the weights of a group
constexpr int kMostRows = 2 * kTileRows;  // of a call

/// Rows of x that lie at equal steps, such as those of a matrix: their step, else 0.
int64_t StepOfRows(const onednn::Int8Tile &t) {
  const int64_t step = t.m > 1 ? t.rows[1] - t.rows[0] : kTileBytes;
  for (int i = 1; i < t.m; ++i)
    if (t.rows[i] - t.rows[i - 1] != step) return 0;
  return step;
}

bool FollowOneAnother(const int32_t *offsets) {
  for (int g = 1; g < kGroups; ++g)
    if (offsets[g] != offsets[0] + 4 * g) return false;
  return true;
}

/// A step's part of every row of x, side by side: fewer than 16 groups are filled up with zeros.
void Gather(const onednn::Int8Tile &t, const int32_t *offsets, int groups, bool dense, char *to) {
  if (groups < kGroups) memset(to, 0, size_t(t.m) * kTileBytes);
  for (int i = 0; i < t.m; ++i, to += kTileBytes) {
    if (dense) memcpy(to, t.rows[i] + offsets[0], kTileBytes);
    else
      for (int g = 0; g < groups; ++g) memcpy(to + 4 * g, t.rows[i] + offsets[g], 4);
  }
}

template <class Sums>
void AddProducts(const onednn::Int8Tile &t) {
  alignas(64) char x[kMostRows * kTileBytes];
  const int64_t step = StepOfRows(t);
  const char *weights = t.weights;
  int64_t g = 0;
  for (; g + kGroups <= t.groups; g += kGroups, weights += kGroups * kPanelBytes) {
    const int32_t *offsets = t.offsets + g;
    const bool dense = FollowOneAnother(offsets);
    if (dense && step) {
      Sums::Step(t.rows[0] + offsets[0], step, weights, kPanelBytes, kTileBytes);
      continue;
    }
    Gather(t, offsets, kGroups, dense, x);
    MemoryIsRead();
    Sums::Step(x, kTileBytes, weights, kPanelBytes, kTileBytes);
  }
  const int rest = int(t.groups - g);
  if (rest == 0) return;
  alignas(64) char last[kGroups * kPanelBytes] = {};
  memcpy(last, weights, size_t(rest) * kPanelBytes);
  Gather(t, t.offsets + g, rest, false, x);
  MemoryIsRead();
  Sums::Step(x, kTileBytes, last, kPanelBytes, kTileBytes);
}

}  // namespace

void onednn::AmxQuads(const Int8Tile &t) {
  WithTiles(t.m, t.n, kGroups, [&]<bool kTall, bool kWide>() {
    using Sums = TileSums<Quads, kTall, kWide>;
    Sums::Zero();
    AddProducts<Sums>(t);
    Sums::Store(t.sums, kPanelBytes);
  });
}
