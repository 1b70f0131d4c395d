#include "winograd.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "bf16_kernels.h"
#include "conv_direct.h"
#include "conv_pool.h"
#include "winograd_filter.h"

namespace onednn {

namespace {

constexpr int64_t kMostTile = 9;                      // inputs of a tile on a side
constexpr int64_t kCached = 384 << 10;                // bytes of a piece's numbers and sums, for the second-level cache
constexpr int64_t kLeastTiles = 24, kMostTiles = 96;  // of a piece: each reads the whole filter

// From one number of a tile to the next. A cache line more than tiles need: equal distances that are a power of two
// would all compete for the same lines of a cache.
int64_t StepOf(int64_t blocks, int64_t tiles, int64_t c) { return blocks * tiles * c + 16; }

int64_t Ceil(int64_t value, int64_t by) { return (value + by - 1) / by; }

// A dilated convolution is one that is not for each of these: the pixels whose distances are multiples of the dilation.
int64_t Phases(const ConvSpec &s) { return s.dilation_h * s.dilation_w; }
// A transposed one is an ordinary one to so many times the channels.
int64_t Apart(const ConvSpec &s) { return s.apart_h * s.apart_w; }

// The tiles of a convolution, and how many of them are computed together. All phases have those of the largest.
struct Tiling {
  int64_t rows, columns, total, piece;

  Tiling(const ConvSpec &s, int64_t m, int64_t in_channels, int64_t out_channels)
      : rows(Ceil(Ceil(s.out_h, s.dilation_h * s.apart_h), m)),
        columns(Ceil(Ceil(s.out_w, s.dilation_w * s.apart_w), m)),
        total(s.batch * Phases(s) * rows * columns) {
    const int64_t reach = WinogradReach(int(m), int(s.stride_h)),
                  bytes = reach * reach * (in_channels + out_channels) * int64_t(sizeof(float));
    piece = std::min(total, std::clamp(kCached / bytes, kLeastTiles, kMostTiles));
  }
  int64_t pieces() const { return (total + piece - 1) / piece; }
};

class Winograd final : public DirectConv {
 public:
  /// `transposed`: what the convolution is, or null.
  Winograd(const Context &context, const ConvSpec &spec, const TapsSpec *transposed, int tile, bool open)
      : DirectConv(context, spec, open),
        m_(tile),
        t_(WinogradReach(tile, int(spec.stride_h))),
        advance_(spec.stride_h * tile),
        kind_(WinogradKind(tile, int(spec.stride_h))),
        threads_(std::max<int64_t>(1, context.env->threads)),
        x_port_(transposed ? size_t(transposed->x_port) : 0),
        transposed_(transposed != nullptr),
        pool_(PoolRowsFor(context.features)) {
    x_plain_ = !context.node.in(x_port_).blocked(), y_plain_ = !context.node.out(0).blocked();
    dilated_ = Phases(s_) > 1;
    sum_blocks_ = Apart(s_) * out_blocks_;
    PackFilter(context, transposed);
    implementation = Text("winograd", m_, "x", m_, s_.stride_h > 1 ? "/2" : "", s_.types.bf16 ? ":bf16:" : ":",
                          kernels_.name, PoolName(s_.window));
    sizes_workspace = open;
    if (open) return;
    one_ = SizesOf(s_);
    Reserve(WorkspaceOf(one_));
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return WorkspaceOf(SizesOf(OpenSpec(input_dims, output_dims)));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (open_) RunWith(SizesOf(OpenSpec(args.input_dims, args.output_dims)), args);
    else RunWith(one_, args);
    return GE_SUCCESS;
  }

 private:
  // With the extents of a run. Those of a transposed convolution's y do not follow from x alone.
  ConvSpec OpenSpec(const int64_t *const *input_dims, const int64_t *const *output_dims) const {
    const int64_t *x = input_dims[x_port_], *y = output_dims[0];
    if (!transposed_) return SpecOf(x, y);
    ConvSpec s = s_;
    s.batch = x[0], s.in_h = x[2], s.in_w = x[3], s.out_h = y[2], s.out_w = y[3];
    if (y[0] != s.batch || s.batch * s.in_h * s.in_w * s.out_h * s.out_w == 0)
      Refuse("y has ", y[0], " images, x ", s.batch, ", or one of them is empty");
    return s;
  }

  // What the extents of the images decide.
  struct Sizes {
    ConvSpec s;
    int64_t rows, columns, total;    // tiles
    int64_t piece, pieces, workers;  // tiles of a piece, and how many there are
    bool together;                   // the workers share each piece
    uint64_t numbers_bytes, sums_bytes, part_bytes;
    uint64_t worker_bytes() const { return numbers_bytes + sums_bytes + part_bytes; }
  };
  // More for more tiles: what serves an image serves smaller ones.
  uint64_t WorkspaceOf(const Sizes &z) const { return z.worker_bytes() * uint64_t(std::min(threads_, z.total)); }
  Sizes SizesOf(const ConvSpec &s) const {
    const Tiling tiling(s, m_, in_blocks_ * c_, sum_blocks_ * c_);
    Sizes z{s, tiling.rows, tiling.columns, tiling.total, 0, tiling.pieces(), threads_, false, 0, 0, 0};
    // Threads end at about the same time, and pieces are about equal.
    if (z.workers > 1 && z.pieces < 4 * z.workers) {
      const int64_t most = z.total / kLeastTiles;
      z.together = most < 2 * z.workers;
      if (!z.together) z.pieces = std::max(z.pieces, std::min(4 * z.workers, most));
    }
    z.piece = (z.total + z.pieces - 1) / z.pieces;
    z.pieces = (z.total + z.piece - 1) / z.piece;
    z.workers = std::min(z.workers, z.together ? z.total : z.pieces);
    const int64_t most = tiling.piece;
    const auto floats = [](int64_t count) { return uint64_t(RoundUp(count * int64_t(sizeof(float)), 64)); };
    z.numbers_bytes = floats(t_ * t_ * StepOf(in_blocks_, most, c_));
    z.sums_bytes = floats(t_ * t_ * StepOf(sum_blocks_, most, c_));
    // Of an image in planes, in bf16 or of pixels that lie apart, the part that a piece reads or writes, with the
    // residual beside it.
    const int64_t read = x_in_parts() ? t_ * WidthOf(most) : 0, written = y_in_parts() ? 2 * m_ * most * m_ : 0;
    z.part_bytes = floats(std::max(read, written) * c_);
    return z;
  }

  // Of what tiles side by side read, in pixels.
  int64_t WidthOf(int64_t tiles) const { return (tiles - 1) * advance_ + t_; }
  bool x_in_parts() const { return x_plain_ || s_.types.bf16 || dilated_; }
  bool y_in_parts() const { return y_plain_ || s_.types.y_bf16 || dilated_ || Apart(s_) > 1 || s_.window.pools; }

  void RunWith(const Sizes &z, const GeKernelArgs &args) const {
    if (z.together) {
      for (int64_t piece = 0; piece < z.pieces; ++piece) RunTogether(z, args, PieceAt(z, piece));
      return;
    }
    ParallelPieces(z.pieces, z.workers, [&](int64_t piece, int64_t worker) {
      RunPiece(z, args, PieceAt(z, piece), RoomOf(z, args, worker));
    });
  }

  // A worker's part of the workspace.
  struct Room {
    float *numbers, *sums, *part;
  };
  static Room RoomOf(const Sizes &z, const GeKernelArgs &args, int64_t worker) {
    char *own = static_cast<char *>(args.workspace) + uint64_t(worker) * z.worker_bytes();
    return {reinterpret_cast<float *>(own), reinterpret_cast<float *>(own + z.numbers_bytes),
            reinterpret_cast<float *>(own + z.numbers_bytes + z.sums_bytes)};
  }
  // Tiles of a piece that follow one another in a row of tiles.
  struct Line {
    int64_t at, tiles;           // in the piece
    int64_t image, row, column;  // the first one; each phase of an image counts as one
  };
  template <class F>
  static void ForLines(const Sizes &z, int64_t first, int64_t count, const F &fn) {
    for (int64_t done = 0; done < count;) {
      const int64_t tile = first + done, column = tile % z.columns, row = tile / z.columns;
      const int64_t tiles = std::min(count - done, z.columns - column);
      fn(Line{done, tiles, row / z.rows, row % z.rows, column});
      done += tiles;
    }
  }

  // Tiles of x that belong together, and where their numbers and sums are.
  struct Piece {
    int64_t first, count, number_step, sum_step;
  };
  Piece PieceAt(const Sizes &z, int64_t index) const {
    const int64_t first = index * z.piece, count = std::min(z.piece, z.total - first);
    return {first, count, StepOf(in_blocks_, count, c_), StepOf(sum_blocks_, count, c_)};
  }

  void RunPiece(const Sizes &z, const GeKernelArgs &args, const Piece &piece, const Room &room) const {
    TransformBlocks(z, args, piece, room, 0, in_blocks_);
    Multiply(piece, room, 0, t_ * t_ * PointwiseGroups(sum_blocks_));
    FinishBlocks(z, args, piece, room, 0, sum_blocks_);
  }

  // All threads at one piece: of small images there are too few. Numbers and sums are shared, parts of images are not.
  void RunTogether(const Sizes &z, const GeKernelArgs &args, const Piece &piece) const {
    const Room shared = RoomOf(z, args, 0);
    const auto by_blocks = [&](int64_t blocks, const auto &fn) {
      ParallelPieces(blocks, z.workers, [&](int64_t block, int64_t worker) {
        fn(Room{shared.numbers, shared.sums, RoomOf(z, args, worker).part}, block, block + 1);
      });
    };
    by_blocks(in_blocks_,
              [&](const Room &room, int64_t begin, int64_t end) { TransformBlocks(z, args, piece, room, begin, end); });
    Parallel(t_ * t_ * PointwiseGroups(sum_blocks_), 1,
             [&](int64_t begin, int64_t end) { Multiply(piece, shared, begin, end); });
    by_blocks(sum_blocks_,
              [&](const Room &room, int64_t begin, int64_t end) { FinishBlocks(z, args, piece, room, begin, end); });
  }

  void TransformBlocks(const Sizes &z, const GeKernelArgs &args, const Piece &piece, const Room &room, int64_t begin,
                       int64_t end) const {
    const void *x = args.inputs[x_port_];
    ForLines(z, piece.first, piece.count, [&](const Line &line) {
      for (int64_t block = begin; block < end; ++block) {
        float *to = room.numbers + (block * piece.count + line.at) * c_;
        if (x_in_parts()) TransformPart(z.s, x, line, block, to, piece.number_step, room.part);
        else Transform(z.s, static_cast<const float *>(x), line, block, to, piece.number_step);
      }
    });
  }

  // Units: the groups of output blocks of each number of a tile.
  void Multiply(const Piece &piece, const Room &room, int64_t begin, int64_t end) const {
    PointwiseTile p{};
    p.in_blocks = in_blocks_, p.x_block = piece.count * c_, p.w_block = in_blocks_ * c_ * c_;
    p.y_block = piece.count * c_, p.pixels = piece.count;
    for (ConvFinish &f : p.finish) f = {nullptr, nullptr, -kInfinity, kInfinity};
    const int64_t groups = PointwiseGroups(sum_blocks_);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t number = unit / groups, block = unit % groups * 2;
      p.x = room.numbers + number * piece.number_step;
      p.w = w_ + (number * sum_blocks_ + block) * p.w_block;
      p.y = room.sums + number * piece.sum_step + block * piece.count * c_;
      p.blocks = PointwiseBlocksAt(block, sum_blocks_);
      set_.pointwise(p);
    }
  }

  void FinishBlocks(const Sizes &z, const GeKernelArgs &args, const Piece &piece, const Room &room, int64_t begin,
                    int64_t end) const {
    ForLines(z, piece.first, piece.count, [&](const Line &line) {
      for (int64_t block = begin; block < end; ++block) {
        const float *sums = room.sums + (block * piece.count + line.at) * c_;
        if (y_in_parts()) FinishPart(z.s, args, line, block, sums, piece.sum_step, room.part);
        else Finish(z.s, args, line, block, sums, piece.sum_step);
      }
    });
  }

  // Tiles that reach beyond the image read a copy with zeros around.
  void Transform(const ConvSpec &s, const float *x, const Line &line, int64_t block, float *to, int64_t step) const {
    const float *plane = x + (line.image * in_blocks_ + block) * s.in_h * s.in_w * c_;
    const int64_t top = line.row * advance_ - s.pad_top, row = s.in_w * c_;
    const bool rows_inside = top >= 0 && top + t_ <= s.in_h;
    const auto run = set_.winograd_input[kind_];
    for (int64_t tile = 0; tile < line.tiles;) {
      const int64_t left = (line.column + tile) * advance_ - s.pad_left;
      // As many as lie inside the image.
      const int64_t inside = rows_inside && left >= 0 && left + t_ <= s.in_w
                                 ? std::min(line.tiles - tile, (s.in_w - t_ - left) / advance_ + 1)
                                 : 0;
      if (inside > 0) {
        run({plane + (top * s.in_w + left) * c_, row, to + tile * c_, step, inside});
        tile += inside;
        continue;
      }
      float copy[kMostTile * kMostTile * 16];
      memset(copy, 0, sizeof(float) * size_t(t_ * t_ * c_));
      const int64_t from = std::max<int64_t>(0, -left), end = std::min(t_, s.in_w - left);
      for (int64_t i = 0; i < t_ && from < end; ++i)
        if (top + i >= 0 && top + i < s.in_h)
          memcpy(copy + (i * t_ + from) * c_, plane + ((top + i) * s.in_w + left + from) * c_,
                 sizeof(float) * size_t((end - from) * c_));
      run({copy, t_ * c_, to + tile * c_, step, 1});
      ++tile;
    }
  }

  // Where the phase of a line begins in an image.
  struct Phase {
    int64_t image, row, column;
  };
  static Phase PhaseOf(const ConvSpec &s, const Line &line) {
    const int64_t phase = line.image % Phases(s);
    return {line.image / Phases(s), phase / s.dilation_w, phase % s.dilation_w};
  }
  // to[i * to_step] = from[i * from_step] for `count` pixels of a block.
  void CopyPixels(const float *from, int64_t from_step, float *to, int64_t to_step, int64_t count) const {
    // A copy whose size is known is an instruction or two.
    const auto copy = [&](auto bytes) {
      for (int64_t i = 0; i < count; ++i) memcpy(to + i * to_step, from + i * from_step, decltype(bytes)::value);
    };
    if (c_ == 8) copy(std::integral_constant<size_t, 8 * sizeof(float)>());
    else copy(std::integral_constant<size_t, 16 * sizeof(float)>());
  }

  // The same for an image in planes, in bf16, or of pixels that lie apart, which are in blocks of floats
  // (FitsWinograd): the inputs of the tiles become a block of floats first.
  void TransformPart(const ConvSpec &s, const void *x, const Line &line, int64_t block, float *to, int64_t step,
                     float *part) const {
    const Phase phase = PhaseOf(s, line);
    const int64_t plane = s.in_h * s.in_w, width = WidthOf(line.tiles), dh = s.dilation_h, dw = s.dilation_w;
    const int64_t top = phase.row - s.pad_top + dh * line.row * advance_,
                  left = phase.column - s.pad_left + dw * line.column * advance_;
    const int64_t from = std::min(width, left < 0 ? Ceil(-left, dw) : 0);
    const int64_t end = std::clamp(left < s.in_w ? Ceil(s.in_w - left, dw) : 0, from, width);
    const auto read = [&](int64_t i, float *row) {
      const int64_t pixel = (top + dh * i) * s.in_w + left + dw * from;
      const int64_t at = ((phase.image * in_blocks_ + block) * plane + pixel) * c_;  // in blocks
      const float *floats = static_cast<const float *>(x);
      if (s.types.bf16) kBf16Avx512.widen((end - from) * c_, static_cast<const uint16_t *>(x) + at, row);
      else if (!x_plain_) CopyPixels(floats + at, dw * c_, row, c_, end - from);
      else
        set_.block(floats + (phase.image * s.in_c + block * c_) * plane + pixel, plane, row, c_, end - from,
                   int(std::min(c_, s.in_c - block * c_)));
    };
    const bool inside = top >= 0 && top + dh * (t_ - 1) < s.in_h && from == 0 && end == width;
    if (!inside) memset(part, 0, sizeof(float) * size_t(t_ * width * c_));
    for (int64_t i = 0; i < t_ && from < end; ++i)
      if (top + dh * i >= 0 && top + dh * i < s.in_h) read(i, part + (i * width + from) * c_);
    set_.winograd_input[kind_]({part, width * c_, to, step, line.tiles});
  }

  void Finish(const ConvSpec &s, const GeKernelArgs &args, const Line &line, int64_t block, const float *sums,
              int64_t step) const {
    const int64_t pixel = line.row * m_ * s.out_w + line.column * m_;
    const int64_t at = ((line.image * out_blocks_ + block) * s.out_h * s.out_w + pixel) * c_;
    WinogradOutputRun r{};
    r.m = sums, r.m_step = step;
    r.tiles = line.tiles;
    r.rows = std::min(m_, s.out_h - line.row * m_);
    r.columns = std::min(line.tiles * m_, s.out_w - line.column * m_);
    r.y = static_cast<float *>(args.outputs[0]) + at;
    r.row = s.out_w * c_;
    r.finish = FinishOf(args, block, at);
    set_.winograd_output[kind_](r);
    for (int64_t i = 0; i < r.rows; ++i) Activate(r.y + i * r.row, r.columns * c_);
  }

  // The same for an image in planes, in bf16, of pixels that lie apart, or whose windows are pooled, by way of a block
  // of floats. The residual, which may be y, is read before y is written.
  void FinishPart(const ConvSpec &s, const GeKernelArgs &args, const Line &line, int64_t sum_block, const float *sums,
                  int64_t step, float *part) const {
    const int64_t block = sum_block % out_blocks_, apart = sum_block / out_blocks_;
    const int64_t dh = s.dilation_h * s.apart_h, dw = s.dilation_w * s.apart_w;
    const int64_t plane = s.out_h * s.out_w, row = line.row * m_, column = line.column * m_;
    const int channels = int(std::min(c_, s.out_c - block * c_));
    Phase phase = PhaseOf(s, line);
    phase.row += apart / s.apart_w, phase.column += apart % s.apart_w;
    WinogradOutputRun r{};
    r.m = sums, r.m_step = step;
    r.rows = std::min(m_, Ceil(s.out_h - phase.row, dh) - row);
    r.columns = std::min(line.tiles * m_, Ceil(s.out_w - phase.column, dw) - column);
    if (r.rows <= 0 || r.columns <= 0) return;  // a phase that is smaller than the largest
    r.tiles = Ceil(r.columns, m_);
    r.y = part, r.row = r.columns * c_;
    r.finish = FinishOf(args, block, 0);
    const auto pixel = [&](int64_t i) { return (phase.row + dh * (row + i)) * s.out_w + phase.column + dw * column; };
    const auto in_block = [&](int64_t i) { return ((phase.image * out_blocks_ + block) * plane + pixel(i)) * c_; };
    const auto in_plane = [&](int64_t i) { return (phase.image * s.out_c + block * c_) * plane + pixel(i); };
    for (int64_t i = 0; i < r.rows && s.residual >= 0; ++i) {
      float *beside = part + (r.rows + i) * r.row;
      const void *from = args.inputs[s.residual];
      const float *floats = static_cast<const float *>(from);
      if (s.types.y_bf16) kBf16Avx512.widen(r.row, static_cast<const uint16_t *>(from) + in_block(i), beside);
      else if (y_plain_) set_.block(floats + in_plane(i), plane, beside, c_, r.columns, channels);
      else CopyPixels(floats + in_block(i), dw * c_, beside, c_, r.columns);
    }
    if (s.residual >= 0) r.finish.residual = part + r.rows * r.row;
    set_.winograd_output[kind_](r);
    Activate(part, r.rows * r.row);
    float *y = static_cast<float *>(args.outputs[0]);
    if (s.window.pools) return PoolPart(s, line, block, r, y);
    for (int64_t i = 0; i < r.rows; ++i) {
      const float *made = part + i * r.row;
      if (s.types.y_bf16) kBf16Avx512.round(r.row, made, static_cast<uint16_t *>(args.outputs[0]) + in_block(i));
      else if (y_plain_) set_.unblock(made, c_, y + in_plane(i), plane, r.columns, channels);
      else CopyPixels(made, c_, y + in_block(i), dw * c_, r.columns);
    }
  }

  // Pools the rows of a line of tiles, which are dense and have whole windows.
  void PoolPart(const ConvSpec &s, const Line &line, int64_t block, const WinogradOutputRun &made, float *y) const {
    const ConvWindow &w = s.window;
    const int64_t rows = s.out_h / w.h, columns = s.out_w / w.w;
    const int64_t row = line.row * m_ / w.h, column = line.column * m_ / w.w;
    float *to = y + (((line.image * out_blocks_ + block) * rows + row) * columns + column) * c_;
    for (int64_t i = 0; i * w.h < made.rows; ++i)
      PoolSome(pool_, w, c_, made.y + i * w.h * made.row, made.row, made.columns / w.w, to + i * columns * c_);
  }

  // Where the filter, or the part of a transposed one that one of the images of y takes, has position (a, b) of 3 x 3
  // for a channel of x and one of y; -1: nowhere, it is 0 there.
  int64_t FilterAt(const TapsSpec *transposed, int64_t apart, int64_t in, int64_t out, int64_t a, int64_t b) const {
    if (!transposed) {
      const int64_t k = 3 * a + b;
      return s_.hwcn ? (k * s_.in_c + in) * s_.out_c + out : (out * s_.in_c + in) * 9 + k;
    }
    const TapsAxis &h = transposed->axis[1], &w = transposed->axis[2];
    // Output o reads input i with position o + before - i * stride.
    const int64_t kh = apart / s_.apart_w + h.before - h.stride * (a - s_.pad_top);
    const int64_t kw = apart % s_.apart_w + w.before - w.stride * (b - s_.pad_left);
    if (kh < 0 || kh >= h.kernel || kw < 0 || kw >= w.kernel) return -1;
    return in * transposed->filter_in + out * transposed->filter_out + kh * transposed->filter_tap[1] +
           kw * transposed->filter_tap[2];
  }

  // [number][block of sums][channel of x][channel of y]
  void PackFilter(const Context &context, const TapsSpec *transposed) {
    const Tensor filter_tensor = context.node.in(transposed ? size_t(transposed->filter_port) : 1);
    const uint64_t bytes = uint64_t(t_ * t_ * sum_blocks_ * in_blocks_ * c_ * c_) * sizeof(float);
    std::string key = Text("winograd:", m_, ":", s_.stride_h, ":", c_, s_.types.bf16 ? "b" : "", s_.hwcn ? "h" : "o",
                           s_.in_c, "x", s_.out_c);
    for (int i = 1; i < 3 && transposed; ++i)
      key += Text(":", transposed->axis[i].stride, ",", transposed->axis[i].before, ",", transposed->axis[i].kernel,
                  ",", transposed->filter_tap[i], ",", transposed->filter_in);
    w_ = static_cast<const float *>(
        Packed(*context.env, filter_tensor.address(), key, bytes, [&](const void *source, void *out) {
          const float *filter = static_cast<const float *>(source);
          std::vector<float> wide(s_.types.bf16 ? size_t(9 * s_.in_c * s_.out_c) : 0);
          if (s_.types.bf16) {
            kBf16Avx512.widen(int64_t(wide.size()), static_cast<const uint16_t *>(source), wide.data());
            filter = wide.data();
          }
          float *to = static_cast<float *>(out);
          ge::kit::Parallel(*context.env, sum_blocks_, 1 + 4000 / (in_blocks_ * c_), [&](int64_t begin, int64_t end) {
            const auto pack = kPacks[kind_];
            for (int64_t block = begin; block < end; ++block)
              for (int64_t i = 0; i < in_blocks_ * c_; ++i) (this->*pack)(filter, transposed, block, i, to);
          });
        }));
  }

  template <int M, int S>
  void PackOne(const float *filter, const TapsSpec *transposed, int64_t sum_block, int64_t i, float *to) const {
    const auto &line = FilterLine<M, S>::kG;
    constexpr int N = WinogradReach(M, S);
    double g[9][16] = {};
    const int64_t block = sum_block % out_blocks_, apart = sum_block / out_blocks_;
    const int64_t count = i < s_.in_c ? std::min(c_, s_.out_c - block * c_) : 0;
    for (int64_t o = 0; o < count; ++o)
      for (int64_t k = 0; k < 9; ++k) {
        const int64_t at = FilterAt(transposed, apart, i, block * c_ + o, k / 3, k % 3);
        if (at >= 0) g[k][o] = filter[at];
      }
    double half[N][3][16];
    for (int a = 0; a < N; ++a)
      for (int j = 0; j < 3; ++j)
        for (int o = 0; o < 16; ++o)
          half[a][j][o] = line[a][0] * g[j][o] + line[a][1] * g[3 + j][o] + line[a][2] * g[6 + j][o];
    for (int a = 0; a < N; ++a)
      for (int b = 0; b < N; ++b) {
        float sum[16];
        for (int o = 0; o < 16; ++o)
          sum[o] =
              static_cast<float>(line[b][0] * half[a][0][o] + line[b][1] * half[a][1][o] + line[b][2] * half[a][2][o]);
        memcpy(to + (((a * N + b) * sum_blocks_ + sum_block) * in_blocks_ * c_ + i) * c_, sum,
               size_t(c_) * sizeof(float));
      }
  }

  static constexpr decltype(&Winograd::PackOne<2, 1>) kPacks[] = {&Winograd::PackOne<2, 1>, &Winograd::PackOne<4, 1>,
                                                                  &Winograd::PackOne<2, 2>, &Winograd::PackOne<4, 2>};
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const int64_t m_, t_, advance_;  // outputs of a tile on a side, inputs, and inputs from one tile to the next
  const int kind_;                 // WinogradKind
  const int64_t threads_;
  const size_t x_port_;
  const bool transposed_;
  const PoolRows &pool_;
  int64_t sum_blocks_;  // of all images of y that a transposed convolution makes
  bool x_plain_, y_plain_, dilated_;
  Sizes one_{};  // of a kernel for one size
  const float *w_;
};

}  // namespace

bool FitsWinograd(const ConvSpec &s, bool blocks) {
  if (s.kernel_h != 3 || s.kernel_w != 3 || s.groups != 1) return false;
  if (s.stride_h != s.stride_w || s.stride_h > 2) return false;
  if (s.dilation_h == 1 && s.dilation_w == 1) return true;
  return blocks && s.stride_h == 1 && !s.types.bf16 && s.dilation_h <= s.out_h &&
         s.dilation_w <= s.out_w;  // no phase is empty
}

// In floating point operations of the time that they take, measured on processors with AVX2: what a transform costs for
// each number and channel, and a byte of the filter, which comes from a cache for all pieces but the first.
constexpr double kTransformCost = 20, kByteOfCache = 2;
constexpr double kCopyCost = 10;  // of a dilated convolution, whose pixels are brought together and taken apart

// Measured with images in bf16, so with AVX-512: there the next weights are asked for during the products, either of
// both is waited for, and a byte takes this much beside.
constexpr double kByteBeside = 0.5;

// The library's direct kernels in bf16 beside those in float32.
constexpr double kDirectInBf16 = 0.55;

// What is counted here is less than either way takes. The part of the direct kernel's count that tiles may take, of
// strides of 1 and 2, and the part of small tiles' that large ones may. (Strides of 2 measured with 22 shapes, AVX2:
// the way taken is 0.6 % behind the fastest, at most 5 %.)
constexpr double kOfDirect[] = {0.92, 1.2}, kOfSmall[] = {0.9, 0.85};

namespace {

// To read a filter for the first time, from memory, which is no faster for wide vectors. A large cache may keep a small
// one.
double FirstReading(double bytes, int64_t channel_block) {
  constexpr double kSmall = 1 << 20;
  return channel_block > 8 ? 8 * bytes : bytes + 2 * std::max(0.0, bytes - kSmall);
}

// Of tiles of m, in the same unit, with channels that fill blocks.
double CostOf(const ConvSpec &s, int64_t m, int64_t in, int64_t out, int64_t channel_block) {
  const Tiling tiling(s, m, in, out);
  const double reach = WinogradReach(int(m), int(s.stride_h)), numbers = reach * reach,
               pieces = double(tiling.pieces()), products = double(in * out);
  const double bytes = numbers * products * sizeof(float);
  const double first = FirstReading(bytes, channel_block);
  const double later = bytes * (pieces - 1) * kByteOfCache * double(channel_block) / 8;
  const double transform = Phases(s) > 1 ? kTransformCost + kCopyCost : kTransformCost;
  const double arithmetic = double(tiling.total) * numbers * (2 * products + transform * double(in + out));
  if (s.types.bf16) return std::max(arithmetic, first) + bytes * pieces * kByteBeside;
  return arithmetic + first + later;
}

// The tile, or 0 where it takes more than `most`. A larger filter takes memory, and time where it is packed: for that
// it has to pay.
int TileBelow(const ConvSpec &s, int64_t in, int64_t out, int64_t channel_block, double most) {
  const double two = CostOf(s, 2, in, out, channel_block), four = CostOf(s, 4, in, out, channel_block);
  const int tile = four < kOfSmall[s.stride_h - 1] * two ? 4 : 2;
  return (tile == 4 ? four : two) < most ? tile : 0;
}

// A transposed convolution as the one that makes all images of y from x.
ConvSpec OrdinaryOf(const TapsSpec &t) {
  const TapsAxis &h = t.axis[1], &w = t.axis[2];
  ConvSpec s{};
  s.batch = t.batch, s.in_c = t.in_c, s.out_c = t.out_c, s.groups = 1;
  s.in_h = h.in, s.in_w = w.in, s.out_h = h.out, s.out_w = w.out;
  s.kernel_h = s.kernel_w = 3;
  s.stride_h = s.stride_w = s.dilation_h = s.dilation_w = 1;
  s.apart_h = h.stride, s.apart_w = w.stride;
  s.activation = t.activation, s.bias = t.bias_port;
  int64_t *const pads[] = {&s.pad_top, &s.pad_left};
  for (int a = 1; a < 3; ++a)  // the first input that an output of the first row, or column, of all images reads
    for (int64_t i = 0; i < t.phases(a); ++i)
      if (const TapsPhase p = t.PhaseOf(a, i); p.taps) *pads[a - 1] = std::max(*pads[a - 1], p.taps - 1 - p.offset);
  return s;
}

}  // namespace

int WinogradTile(const ConvSpec &s, int64_t channel_block, bool blocks) {
  if (!FitsWinograd(s, blocks) || s.in_c < channel_block) return 0;  // few channels are better read as they are
  if (s.stride_h > 1 && channel_block > 8) return 0;  // AVX-512 has own taps, beside which nothing was measured
  const int64_t in = RoundUp(s.in_c, channel_block), out = RoundUp(s.out_c, channel_block);
  const double products = double(in) * double(out);
  const double bytes = 9 * products * (s.types.bf16 ? sizeof(uint16_t) : sizeof(float));
  const double direct = (s.types.bf16 ? kDirectInBf16 : 1) * 18 * products * double(s.batch * s.out_h * s.out_w) +
                        FirstReading(bytes, channel_block);
  return TileBelow(s, in, out, channel_block, kOfDirect[s.stride_h - 1] * direct);
}

bool FitsWinograd(const TapsSpec &t, int64_t channel_block) {
  const TapsAxis &depth = t.axis[0];
  const bool image = depth.in == 1 && depth.out == 1 && depth.kernel == 1 && depth.stride == 1 && depth.before == 0;
  if (!t.transposed || !image || t.groups > 1 || t.channels_last || !t.blocked_y || t.in_c < channel_block)
    return false;
  const ConvSpec s = OrdinaryOf(t);
  const int64_t pads[] = {s.pad_top, s.pad_left};
  for (int a = 1; a < 3; ++a) {
    if (t.axis[a].dilation > 1) return false;
    for (int64_t i = 0; i < t.phases(a); ++i)
      if (const TapsPhase p = t.PhaseOf(a, i); p.taps && p.offset + pads[a - 1] > 2) return false;
  }
  return true;
}

int WinogradTile(const TapsSpec &t, int64_t channel_block) {
  if (!FitsWinograd(t, channel_block)) return 0;
  const ConvSpec s = OrdinaryOf(t);
  const int64_t in = RoundUp(t.in_c, channel_block), out = RoundUp(t.out_c, channel_block);
  const double weights = double(in) * double(out) * double(t.taps()), bytes = weights * sizeof(float);
  const double direct =
      2 * weights * double(t.batch * t.axis[1].in * t.axis[2].in) + FirstReading(bytes, channel_block);
  return TileBelow(s, in, Apart(s) * out, channel_block, direct);
}

std::unique_ptr<Kernel> CreateWinograd(const Context &context, const ConvSpec &spec, int tile, bool open) {
  return std::make_unique<Winograd>(context, spec, nullptr, tile, open);
}
std::unique_ptr<Kernel> CreateWinograd(const Context &context, const TapsSpec &transposed, int tile, bool open) {
  auto kernel = std::make_unique<Winograd>(context, OrdinaryOf(transposed), &transposed, tile, open);
  kernel->implementation = "transposed:" + kernel->implementation;
  kernel->flops = open ? 0 : transposed.flops();
  return kernel;
}

}  // namespace onednn
