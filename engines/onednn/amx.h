// Sums of products in the tile registers of AMX: up to 32 rows of x times up to 32 columns of weights, in four tiles of
// 16 rows of 64 bytes. A step multiplies 64 bytes of each row of x with 16 rows of weights, whose lanes of four bytes
// hold what follows one another along the depth: the order that products of pairs (bf16) and of quads (int8) have in
// panels anyway. See Intel's Architecture Instruction Set Extensions Programming Reference, chapter on AMX.
//
// Nothing here has linkage, and nothing keeps the registers beyond a call: oneDNN shapes them for itself.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace {

constexpr int kTileRows = 16, kTileBytes = 64;

// The intrinsics do not tell the compiler what memory they read: it has to be written before them and not anew before
// they are done.
inline void MemoryIsRead() { asm volatile("" ::: "memory"); }

/// Tiles 0 to 3 are sums, 4 and 5 x, 6 and 7 weights.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {};  // of a row
  uint8_t rows[16] = {};

  void Set(int tile, int tile_rows, int row_bytes) {
    rows[tile] = static_cast<uint8_t>(tile_rows);
    bytes[tile] = static_cast<uint16_t>(row_bytes);
  }
};
static_assert(sizeof(TileShapes) == 64);

/// For `rows` rows of x, of which a step takes 4 * lanes bytes.
inline void ShapeTiles(int rows, int lanes) {
  TileShapes shapes;
  const int first = rows < kTileRows ? rows : kTileRows, second = rows - first;
  shapes.Set(0, first, kTileBytes), shapes.Set(1, first, kTileBytes), shapes.Set(4, first, 4 * lanes);
  if (second > 0)
    shapes.Set(2, second, kTileBytes), shapes.Set(3, second, kTileBytes), shapes.Set(5, second, 4 * lanes);
  shapes.Set(6, lanes, kTileBytes), shapes.Set(7, lanes, kTileBytes);
  MemoryIsRead();
  _tile_loadconfig(&shapes);
  MemoryIsRead();
}

/// Dot multiplies tiles; kTall: more than 16 rows, kWide: more than 16 columns.
template <class Dot, bool kTall, bool kWide>
struct TileSums {
  static void Zero() {
    _tile_zero(0);
    if constexpr (kWide) _tile_zero(1);
    if constexpr (kTall) _tile_zero(2);
    if constexpr (kTall && kWide) _tile_zero(3);
  }
  // Strides are bytes from one row to the next; columns 16 to 31 lie 64 bytes behind the first ones.
  static void Load(const void *from, int64_t stride) {
    const char *p = static_cast<const char *>(from);
    MemoryIsRead();
    _tile_loadd(0, p, stride);
    if constexpr (kWide) _tile_loadd(1, p + kTileBytes, stride);
    if constexpr (kTall) _tile_loadd(2, p + kTileRows * stride, stride);
    if constexpr (kTall && kWide) _tile_loadd(3, p + kTileRows * stride + kTileBytes, stride);
  }
  static void Store(void *to, int64_t stride) {
    char *p = static_cast<char *>(to);
    _tile_stored(0, p, stride);
    if constexpr (kWide) _tile_stored(1, p + kTileBytes, stride);
    if constexpr (kTall) _tile_stored(2, p + kTileRows * stride, stride);
    if constexpr (kTall && kWide) _tile_stored(3, p + kTileRows * stride + kTileBytes, stride);
  }
  /// The second 16 columns of weights lie `w_second` bytes behind the first.
  static void Step(const char *x, int64_t x_stride, const char *w, int64_t w_stride, int64_t w_second) {
    _tile_loadd(6, w, w_stride);
    if constexpr (kWide) _tile_loadd(7, w + w_second, w_stride);
    _tile_loadd(4, x, x_stride);
    Dot::First();
    if constexpr (kWide) Dot::Second();
    if constexpr (kTall) {
      _tile_loadd(5, x + kTileRows * x_stride, x_stride);
      Dot::Third();
      if constexpr (kWide) Dot::Fourth();
    }
    MemoryIsRead();
  }
};

/// Calls fn<kTall, kWide>(), which needs tiles shaped for so many rows, and frees the registers after it.
template <class Function>
void WithTiles(int rows, int columns, int lanes, const Function &fn) {
  ShapeTiles(rows, lanes);
  const bool wide = columns > kTileRows;
  if (rows > kTileRows) wide ? fn.template operator()<true, true>() : fn.template operator()<true, false>();
  else wide ? fn.template operator()<false, true>() : fn.template operator()<false, false>();
  _tile_release();
}

}  // namespace
