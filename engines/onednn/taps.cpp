// Convolutions of volumes, transposed ones, and those of images that the library does not do well, in two steps: x
// becomes blocks of channels with its padding (where it is not so already), then every piece of some rows of y sums its
// taps in a buffer that a cache holds, and leaves in y's layout.
#include "taps.h"

#include <algorithm>
#include <cstring>

#include "conv_kernels.h"
#include "kernels.h"
#include "taps_spec.h"

namespace onednn {

namespace {

constexpr int64_t kBuffer = 8192;             // floats of a piece of y
constexpr int64_t kWeightsAtOnce = 10 << 10;  // floats of the filter that stay in the first-level cache
// Of a transposed one each output reads only some taps: so many stay in the second-level cache.
constexpr int64_t kTransposedAtOnce = 32 << 10;
constexpr int64_t kImagesAtOnce = 1 << 20;  // floats of x that are in blocks at a time, if more images there are
constexpr uint64_t kMostWorkspace = uint64_t{1} << 40;

// x in blocks, with the padding that is read: positions `low` and on of each axis, `extent` of them.
struct BlockedInput {
  int64_t low[3], extent[3];
  int64_t channels;  // side by side
  int64_t blocks;    // of a group; a depthwise convolution has one group of many blocks
  bool direct;       // x is so already

  int64_t plane() const { return extent[0] * extent[1] * extent[2]; }
  int64_t block_floats() const { return plane() * channels; }
};

class TapsConv final : public Kernel {
 public:
  TapsConv(const Context &context, const TapsSpec &spec, bool open)
      : s_(spec),
        open_(open),
        set_(ConvKernelsFor(context.features)),
        kernels_(KernelsFor(context.features)),
        c_(set_.channels),
        threads_(context.env->threads) {
    thin_ = IsThin(s_);
    groups_ = s_.depthwise() ? 1 : s_.groups;
    out_group_ = s_.out_c / groups_;
    out_blocks_ = (out_group_ + c_ - 1) / c_;
    implementation = Text("direct:",
                          s_.depthwise() ? "dw "
                          : thin_        ? "thin "
                                         : "",
                          s_.transposed ? "transposed:" : "taps:", kernels_.name);
    if (s_.residual_port >= 0) aliases = {{GE_ALIAS_IN_PLACE, s_.residual_port, 0, 0, 0}};
    for (int port : {s_.x_port, s_.residual_port})  // of constants only filter and bias are packed
      if (port >= 0 && context.node.in(size_t(port)).constant()) reads_originals = true;
    PackBias(context);
    PackFilter(context);
    fixed_bytes_ = workspace_bytes;
    sizes_workspace = open;
    if (open) return;
    flops = s_.flops();
    workspace_bytes = WorkspaceOf(s_);
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return WorkspaceOf(SpecOf(input_dims, output_dims));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (open_) RunWith(SpecOf(args.input_dims, args.output_dims), args);
    else RunWith(s_, args);
    return GE_SUCCESS;
  }

 private:
  // So few output channels that most lanes of a block would be idle, while pixels lie side by side: lanes are pixels.
  static bool IsThin(const TapsSpec &s) {
    const bool steps =
        std::all_of(std::begin(s.axis), std::end(s.axis), [](const TapsAxis &a) { return a.stride == 1; });
    return s.groups == 1 && s.merged == 1 && s.out_c <= kThinChannels && !s.blocked_y && !s.channels_last &&
           (s.transposed || steps);
  }

  TapsSpec SpecOf(const int64_t *const *input_dims, const int64_t *const *output_dims) const {
    TapsSpec s = s_;
    s.SetExtents(input_dims[s_.x_port], output_dims[0]);
    return s;
  }

  // ---- what depends on the node alone ----

  void FillBias(const float *from, float *to) const {
    memset(to, 0, groups_ * out_blocks_ * c_ * sizeof(float));
    for (int64_t g = 0; g < groups_; ++g)
      memcpy(to + g * out_blocks_ * c_, from + g * out_group_, out_group_ * sizeof(float));
  }
  void PackBias(const Context &context) {
    if (s_.bias_port < 0) return;
    const Tensor bias = context.node.in(size_t(s_.bias_port));
    const uint64_t bytes = groups_ * out_blocks_ * c_ * sizeof(float);
    if (!bias.constant()) {
      bias_at_ = int64_t(Reserve(bytes));
      return;
    }
    const float *from = static_cast<const float *>(bias.content());
    bias_ = static_cast<const float *>(Packed(*context.env, from, Text("taps:bias:", groups_, "x", out_group_, ":", c_),
                                              bytes, [&](void *to) { FillBias(from, static_cast<float *>(to)); }));
  }

  // [group][block of y][block of x][tap][channel of x][channel of y]; of depthwise ones [block][tap][channel].
  void FillFilter(const float *from, float *to) const {
    const int64_t taps = s_.taps(), in_g = s_.in_group(), width = InChannels(s_), blocks = InBlocks(s_);
    const int64_t kh = s_.axis[1].kernel, kw = s_.axis[2].kernel;
    auto tap_at = [&](int64_t k) {
      return k / (kh * kw) * s_.filter_tap[0] + k / kw % kh * s_.filter_tap[1] + k % kw * s_.filter_tap[2];
    };
    if (s_.depthwise()) {
      const int64_t step = s_.transposed ? s_.filter_in : s_.filter_out;
      for (int64_t ob = 0; ob < out_blocks_; ++ob)
        for (int64_t k = 0; k < taps; ++k)
          for (int64_t c = 0; c < c_; ++c, ++to)
            *to = ob * c_ + c < s_.out_c ? from[(ob * c_ + c) * step + tap_at(k)] : 0;
      return;
    }
    if (thin_) {
      for (int64_t i = 0; i < in_g; ++i)
        for (int64_t k = 0; k < taps; ++k)
          for (int64_t o = 0; o < kThinChannels; ++o, ++to)
            *to = o < s_.out_c ? from[i * s_.filter_in + o * s_.filter_out + tap_at(k)] : 0;
      return;
    }
    if (FillRows(from, to)) return;
    // An ordinary filter counts output channels through all groups, a transposed one input channels.
    const int64_t group_step = s_.transposed ? in_g * s_.filter_in : out_group_ * s_.filter_out;
    const int64_t narrow_in = in_g / s_.merged, narrow_out = out_group_ / s_.merged;
    for (int64_t g = 0; g < groups_; ++g)
      for (int64_t ob = 0; ob < out_blocks_; ++ob)
        for (int64_t ib = 0; ib < blocks; ++ib)
          for (int64_t k = 0; k < taps; ++k)
            for (int64_t i = ib * width; i < (ib + 1) * width; ++i)
              for (int64_t o = ob * c_; o < (ob + 1) * c_; ++o, ++to)
                *to = i < in_g && o < out_group_ && i / narrow_in == o / narrow_out
                          ? from[g * group_step + i % narrow_in * s_.filter_in + o * s_.filter_out + tap_at(k)]
                          : 0;
  }
  // The same of a filter whose output channels are rows of [channel of x][tap], by turning blocks of them.
  bool FillRows(const float *from, float *to) const {
    const int64_t taps = s_.taps(), in_g = s_.in_group(), row = in_g * taps, width = InChannels(s_);
    const int64_t kh = s_.axis[1].kernel, kw = s_.axis[2].kernel;
    if (s_.transposed || s_.merged > 1 || s_.filter_out != row || s_.filter_in != taps || s_.filter_tap[2] != 1 ||
        s_.filter_tap[1] != (kh == 1 ? s_.filter_tap[1] : kw) ||
        s_.filter_tap[0] != (s_.axis[0].kernel == 1 ? s_.filter_tap[0] : kh * kw))
      return false;
    std::vector<float> turned(static_cast<size_t>(RoundUp(row, 16) * c_));
    for (int64_t block = 0; block < groups_ * out_blocks_; ++block) {
      const int64_t first = block % out_blocks_ * c_, n = std::min(c_, out_group_ - first);
      kernels_.transpose(n, row, from + (block / out_blocks_ * out_group_ + first) * row, row, turned.data(), c_);
      for (int64_t ib = 0; ib < InBlocks(s_); ++ib)
        for (int64_t k = 0; k < taps; ++k)
          for (int64_t i = ib * width; i < (ib + 1) * width; ++i, to += c_) {
            if (i < in_g) memcpy(to, turned.data() + (i * taps + k) * c_, size_t(c_) * sizeof(float));
            else memset(to, 0, size_t(c_) * sizeof(float));
          }
    }
    return true;
  }

  void PackFilter(const Context &context) {
    const Tensor filter = context.node.in(size_t(s_.filter_port));
    const int64_t lanes = thin_            ? s_.in_c * kThinChannels
                          : s_.depthwise() ? out_blocks_ * c_
                                           : groups_ * out_blocks_ * InBlocks(s_) * InChannels(s_) * c_;
    const uint64_t bytes = uint64_t(lanes) * s_.taps() * sizeof(float);
    if (!filter.constant()) {
      filter_at_ = int64_t(Reserve(bytes));
      return;
    }
    // All that the order of the packed values rests on: the same values may be filters of other shapes.
    std::string key =
        Text("taps:", s_.transposed ? "t" : "o", thin_ ? "thin" : "", c_, ":", InChannels(s_), ":", s_.in_group(), ":",
             s_.filter_in, ",", s_.filter_out, ":", s_.groups, "x", s_.out_c, ":", s_.merged);
    for (int a = 0; a < 3; ++a) key += Text(":", s_.axis[a].kernel, ",", s_.filter_tap[a]);
    w_ = static_cast<const float *>(Packed(*context.env, filter.address(), key, bytes, [&](const void *from, void *to) {
      FillFilter(static_cast<const float *>(from), static_cast<float *>(to));
    }));
  }

  // ---- x in blocks ----

  // Blocks of the tensor are blocks of the groups.
  bool WholeBlocks(int64_t group) const { return groups_ == 1 || group % c_ == 0; }

  // Blocks of about the same width: twelve channels are two blocks of six.
  int64_t InChannels(const TapsSpec &s) const {
    if (thin_) return 1;
    if (s.depthwise() || (s.blocked_x && WholeBlocks(s.in_group()))) return c_;
    const int64_t blocks = (s.in_group() + c_ - 1) / c_;
    return (s.in_group() + blocks - 1) / blocks;
  }
  int64_t InBlocks(const TapsSpec &s) const {
    const int64_t channels = s.depthwise() ? s.in_c : s.in_group(), width = InChannels(s);
    return (channels + width - 1) / width;
  }

  BlockedInput InputOf(const TapsSpec &s) const {
    BlockedInput in{};
    in.channels = InChannels(s), in.blocks = InBlocks(s);
    in.direct = thin_ ? !s.blocked_x : s.blocked_x && WholeBlocks(s.in_group());
    for (int a = 0; a < 3; ++a) {
      int64_t low = INT64_MAX, high = INT64_MIN;
      for (int64_t i = 0; i < s.phases(a); ++i) {
        const TapsPhase p = s.PhaseOf(a, i);
        if (p.count == 0 || p.taps == 0) continue;
        const int64_t last = p.offset + (p.count - 1) * p.advance, span = (p.taps - 1) * p.step;
        low = std::min(low, p.offset + std::min<int64_t>(span, 0));
        high = std::max(high, last + std::max<int64_t>(span, 0));
      }
      if (low > high) low = high = 0;  // no output has a tap
      in.direct = in.direct && low >= 0 && high < s.axis[a].in;
      in.low[a] = low, in.extent[a] = high - low + 1;
    }
    if (in.direct)
      for (int a = 0; a < 3; ++a) in.low[a] = 0, in.extent[a] = s.axis[a].in;
    return in;
  }

  int64_t ImageFloats(const BlockedInput &in) const { return groups_ * in.blocks * in.block_floats(); }
  int64_t ImagesAtOnce(const TapsSpec &s, const BlockedInput &in) const {
    return std::clamp<int64_t>(kImagesAtOnce / ImageFloats(in), 1, s.batch);
  }

  uint64_t WorkspaceOf(const TapsSpec &s) const {
    const BlockedInput in = InputOf(s);
    if (in.direct) return fixed_bytes_;
    uint64_t floats = uint64_t(groups_ * in.blocks * in.channels);
    for (int64_t extent : in.extent)
      if (__builtin_mul_overflow(floats, uint64_t(extent), &floats) || floats > kMostWorkspace)
        Fail(GE_UNSUPPORTED, "x with its padding is above 2^40 values");
    return fixed_bytes_ + RoundUp(int64_t(floats) * ImagesAtOnce(s, in) * int64_t(sizeof(float)), 64);
  }

  // Rows of one block of one image, padding included.
  void BlockRows(const TapsSpec &s, const BlockedInput &in, const float *x, int64_t n, int64_t block, int64_t depth,
                 float *to) const {
    const int64_t width = in.channels, row = in.extent[2] * width;
    const int64_t d = in.low[0] + depth, rows = s.axis[1].in, columns = s.axis[2].in;
    const int64_t plane = s.axis[0].in * rows * columns;
    const int64_t from = std::max<int64_t>(in.low[2], 0), stop = std::min(in.low[2] + in.extent[2], columns);
    const int64_t group = block / in.blocks, first = group * s.in_group() + block % in.blocks * width;
    const int64_t end = s.depthwise() ? s.in_c : (group + 1) * s.in_group();
    const int channels = int(std::min(width, end - first));
    for (int64_t h = 0; h < in.extent[1]; ++h, to += row) {
      const int64_t r = in.low[1] + h;
      if (d < 0 || d >= s.axis[0].in || r < 0 || r >= rows || from >= stop) {
        memset(to, 0, row * sizeof(float));
        continue;
      }
      float *inside = to + (from - in.low[2]) * width;
      const int64_t pixels = stop - from, at = (d * rows + r) * columns + from;
      memset(to, 0, (inside - to) * sizeof(float));
      memset(inside + pixels * width, 0, (in.low[2] + in.extent[2] - stop) * width * sizeof(float));
      if (channels < width) memset(inside, 0, pixels * width * sizeof(float));
      if (s.blocked_x) {
        const int64_t blocks = (s.in_c + c_ - 1) / c_;
        for (int c = 0; c < channels; ++c) {
          if (c == 0 && channels == width && width == c_ && first % c_ == 0) {
            memcpy(inside, x + ((n * blocks + first / c_) * plane + at) * c_, pixels * width * sizeof(float));
            break;
          }
          const int64_t channel = first + c;
          const float *in_block = x + ((n * blocks + channel / c_) * plane + at) * c_ + channel % c_;
          for (int64_t p = 0; p < pixels; ++p) inside[p * width + c] = in_block[p * c_];
        }
      } else if (s.channels_last) {
        const float *pixel = x + (n * plane + at) * s.in_c + first;
        for (int64_t p = 0; p < pixels; ++p, pixel += s.in_c)
          memcpy(inside + p * width, pixel, channels * sizeof(float));
      } else {
        set_.block(x + (n * s.in_c + first) * plane + at, plane, inside, width, pixels, channels);
      }
    }
  }

  // Rows of the channels of a block of x as planes, padding included; `to` is that of the first channel.
  void PlaneRows(const TapsSpec &s, const BlockedInput &in, const float *x, int64_t n, int64_t block, int64_t depth,
                 float *to) const {
    const int64_t row = in.extent[2], plane = in.plane(), d = in.low[0] + depth, columns = s.axis[2].in;
    const int64_t begin = std::clamp<int64_t>(-in.low[2], 0, row);
    const int64_t end = std::clamp<int64_t>(columns - in.low[2], begin, row);
    const int channels = int(std::min(c_, s.in_c - block * c_));
    const float *blocks = x + (n * ((s.in_c + c_ - 1) / c_) + block) * s.axis[0].in * s.axis[1].in * columns * c_;
    for (int64_t h = 0; h < in.extent[1]; ++h, to += row) {
      const int64_t r = in.low[1] + h;
      const bool inside = d >= 0 && d < s.axis[0].in && r >= 0 && r < s.axis[1].in && begin < end;
      for (int c = 0; c < channels; ++c) {
        std::fill(to + c * plane, to + c * plane + (inside ? begin : row), 0.f);
        if (inside) std::fill(to + c * plane + end, to + c * plane + row, 0.f);
      }
      if (!inside) continue;
      const float *from = blocks + ((d * s.axis[1].in + r) * columns + in.low[2] + begin) * c_;
      set_.unblock(from, c_, to + begin, plane, end - begin, channels);
    }
  }

  void BlockImages(const TapsSpec &s, const BlockedInput &in, const float *x, int64_t first, int64_t images,
                   float *to) const {
    const int64_t blocks = groups_ * in.blocks, depth = in.extent[0], slab = in.extent[1] * in.extent[2] * in.channels;
    if (thin_ && s.blocked_x) {
      const int64_t of_x = (s.in_c + c_ - 1) / c_;
      Parallel(images * of_x * depth, 1 + 16384 / (slab * c_), [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          const int64_t image = k / depth / of_x, block = k / depth % of_x;
          PlaneRows(s, in, x, first + image, block, k % depth,
                    to + ((image * s.in_c + block * c_) * depth + k % depth) * slab);
        }
      });
      return;
    }
    Parallel(images * blocks * depth, 1 + 16384 / slab, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        BlockRows(s, in, x, first + k / depth / blocks, k / depth % blocks, k % depth, to + k * slab);
    });
  }

  // ---- the sums ----

  // How y is cut: pairs of blocks, some rows, or a part of one row.
  struct Work {
    int64_t pairs, rows, rows_at_once, chunks, columns, segment, segments, blocks_at_once, grain;
  };
  Work WorkOf(const TapsSpec &s, const BlockedInput &in, int64_t images) const {
    Work w{};
    const int64_t lanes = thin_ ? kThinChannels : (s.depthwise() ? 1 : 2) * c_, most = kBuffer / lanes,
                  unit = s.phases(2);
    w.pairs = s.depthwise() ? out_blocks_ : (out_blocks_ + 1) / 2;
    w.rows = s.axis[0].out * s.axis[1].out, w.columns = s.axis[2].out;
    w.segment = std::min(w.columns, most / unit * unit);
    w.segments = (w.columns + w.segment - 1) / w.segment;
    w.rows_at_once = w.segments > 1 ? 1 : std::clamp<int64_t>(most / w.columns, 1, w.rows);
    const int64_t wanted =
        threads_ > 1 ? (4 * threads_ + images * groups_ * w.pairs - 1) / (images * groups_ * w.pairs) : 1;
    w.rows_at_once = std::max<int64_t>(1, std::min(w.rows_at_once, w.rows / std::min(wanted, w.rows)));
    w.chunks = (w.rows + w.rows_at_once - 1) / w.rows_at_once;
    const int64_t filter = s.taps() * in.channels * lanes;
    const int64_t cached = s.transposed ? kTransposedAtOnce : kWeightsAtOnce;
    w.blocks_at_once = s.depthwise() ? 1 : thin_ ? in.blocks : std::clamp<int64_t>(cached / filter, 1, in.blocks);
    constexpr double kGrainFlops = 100e3;
    const double jobs = double(s.batch) * double(groups_ * w.pairs * w.chunks * w.segments);
    w.grain = std::max<int64_t>(1, int64_t(kGrainFlops / (s.flops() / jobs)));
    return w;
  }

  // Taps of an axis that read inside of x, so that the padding before and behind a whole row costs nothing.
  static void Clip(const TapsPhase &p, int64_t q, int64_t in, int64_t *first, int64_t *count) {
    const int64_t at = p.offset + q * p.advance;
    *first = 0, *count = p.taps;
    while (*count > 0 && (at + *first * p.step < 0 || at + *first * p.step >= in)) ++*first, --*count;
    while (*count > 0 && (at + (*first + *count - 1) * p.step < 0 || at + (*first + *count - 1) * p.step >= in))
      --*count;
  }

  struct Piece {
    int64_t image, n, group, block;  // image among those in blocks, and of x and y
    int blocks;
    int64_t row, rows, column, columns;
    float *to;  // where the sums are: [block][row][column][channel]
    int64_t block_step;
  };

  // Behind the weights of some blocks of x: those of the next ones, or of the next pair of blocks of y.
  WeightsAhead AheadOf(const Piece &piece, int64_t blocks, int64_t ib, int64_t w_block, const float *w) const {
    const float *from = w + ib * w_block, *to = w + blocks * w_block;
    if (ib < blocks) return {from, to};
    const bool last = piece.block + 3 >= out_blocks_;
    return {w + 2 * blocks * w_block, w + (last ? 2 : 3) * blocks * w_block};
  }

  void Sum(const TapsSpec &s, const BlockedInput &in, const Work &work, const float *x, const float *w,
           const float *bias, const Piece &piece) const {
    const bool depthwise = s.depthwise();
    const int64_t taps = s.taps(),
                  steps[3] = {in.extent[1] * in.extent[2] * in.channels, in.extent[2] * in.channels, in.channels};
    const int64_t w_tap = thin_ ? kThinChannels : depthwise ? c_ : in.channels * c_, lanes = thin_ ? 1 : c_;
    const int64_t w_steps[3] = {s.axis[1].kernel * s.axis[2].kernel * w_tap, s.axis[2].kernel * w_tap, w_tap};
    const int64_t block = piece.group * out_blocks_ + piece.block;
    TapsTile t{};
    t.channels = int(in.channels);
    t.x_block = in.block_floats(), t.w_block = taps * w_tap, t.w_out = in.blocks * t.w_block;
    t.y_block = piece.block_step, t.blocks = piece.blocks;
    t.bias = bias ? bias + block * c_ : nullptr;
    const int64_t in_first = depthwise ? piece.block : 0, in_end = depthwise ? piece.block + 1 : in.blocks;
    for (int64_t ib = in_first; ib < in_end; ib += work.blocks_at_once) {
      t.in_blocks = std::min(work.blocks_at_once, in_end - ib);
      t.more = ib > in_first;
      const int64_t behind = depthwise ? 0 : s.in_group() - (ib + t.in_blocks) * in.channels;
      t.last = int(in.channels + std::min<int64_t>(0, behind));
      const float *x_block = x + ((piece.image * groups_ + piece.group) * in.blocks + ib) * t.x_block;
      const float *w_block = depthwise ? w + block * t.w_block : w + block * t.w_out + ib * t.w_block;
      WeightsAhead ahead = AheadOf(piece, in.blocks, ib + t.in_blocks, t.w_block, w + block * t.w_out);
      t.ahead = depthwise || s.transposed ? nullptr : &ahead;  // a transposed one reads its filter in another order
      for (int64_t r = 0; r < piece.rows; ++r) {
        const int64_t at[2] = {(piece.row + r) / s.axis[1].out, (piece.row + r) % s.axis[1].out};
        const float *x_row = x_block - in.low[2] * steps[2], *w_row = w_block;
        for (int a = 0; a < 2; ++a) {
          const TapsPhase p = s.PhaseOf(a, at[a] % s.phases(a));
          int64_t first;
          Clip(p, at[a] / s.phases(a), s.axis[a].in, &first, &t.taps[a]);
          x_row += (p.offset + at[a] / s.phases(a) * p.advance + first * p.step - in.low[a]) * steps[a];
          w_row += (p.tap + first * p.tap_step) * w_steps[a];
          t.x_tap[a] = p.step * steps[a], t.w_tap[a] = p.tap_step * w_steps[a];
        }
        for (int64_t phase = 0; phase < std::min(s.phases(2), piece.columns); ++phase) {
          const TapsPhase p = s.PhaseOf(2, phase);  // a segment begins with phase 0
          t.taps[2] = p.taps;
          t.x_tap[2] = p.step * steps[2], t.w_tap[2] = p.tap_step * w_steps[2];
          t.x_pixel = p.advance * steps[2];
          t.x = x_row + (p.offset + piece.column / p.every * p.advance) * steps[2];
          t.w = w_row + p.tap * w_steps[2];
          t.y = piece.to + (r * piece.columns + phase) * lanes;
          t.y_pixel = p.every * lanes;
          t.pixels = (piece.columns - phase + p.every - 1) / p.every;
          if (thin_) set_.taps_thin(t);
          else if (depthwise) set_.taps_depthwise(t);
          else set_.taps(t);
        }
      }
    }
  }

  // The same where sums and residual lie in blocks: y[i] = act(sums[i] + residual[i]).
  void LeaveBlocks(const TapsSpec &s, const Work &work, const GeKernelArgs &args, const Piece &piece, float *y) const {
    const float *residual = static_cast<const float *>(args.inputs[s.residual_port]);
    const int64_t count = piece.rows * piece.columns * c_;
    for (int b = 0; b < piece.blocks; ++b) {
      const int64_t at = FirstOf(work, piece, b);
      const float *sums = piece.to + b * piece.block_step;
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) y[at + i] = sums[i] + residual[at + i];
      if (s.activation.kind != Act::kNone) kernels_.activate(count, y + at, s.activation);
    }
  }
  // Of block `b` of a piece in a tensor in blocks.
  int64_t FirstOf(const Work &work, const Piece &piece, int b) const {
    const int64_t block = (piece.n * groups_ + piece.group) * out_blocks_ + piece.block + b;
    return (block * work.rows * work.columns + piece.row * work.columns + piece.column) * c_;
  }

  // Residual and activation of the sums, and their way to y.
  void Leave(const TapsSpec &s, const Work &work, const GeKernelArgs &args, const Piece &piece, float *y) const {
    if (s.blocked_y && s.residual_port >= 0) return LeaveBlocks(s, work, args, piece, y);
    const int64_t plane = work.rows * work.columns, at = piece.row * work.columns + piece.column;
    const int64_t pixels = piece.rows * piece.columns;
    const float *residual = s.residual_port < 0 ? nullptr : static_cast<const float *>(args.inputs[s.residual_port]);
    for (int b = 0; thin_ && b < piece.blocks; ++b) {
      float *sums = piece.to + b * piece.block_step;
      const int64_t first = (piece.n * s.out_c + b) * plane + at;
      for (int64_t p = 0; residual && p < pixels; ++p) sums[p] += residual[first + p];
      if (s.activation.kind != Act::kNone) kernels_.activate(pixels, sums, s.activation);
      memcpy(y + first, sums, pixels * sizeof(float));
    }
    for (int b = 0; !thin_ && b < piece.blocks; ++b) {
      float *sums = piece.to + b * piece.block_step;
      const int64_t inside = (piece.block + b) * c_, channel = piece.group * out_group_ + inside;
      const int channels = int(std::min(c_, out_group_ - inside));
      const int64_t first =
          s.channels_last ? (piece.n * plane + at) * s.out_c + channel : (piece.n * s.out_c + channel) * plane + at;
      const int64_t pixel_step = s.channels_last ? s.out_c : 1, channel_step = s.channels_last ? 1 : plane;
      if (residual)
        for (int c = 0; c < channels; ++c)
          for (int64_t p = 0; p < pixels; ++p) sums[p * c_ + c] += residual[first + p * pixel_step + c * channel_step];
      // Lanes without a channel need no activation.
      const bool activates = s.activation.kind != Act::kNone, apart = channels < c_ && !s.blocked_y && !s.channels_last;
      if (activates && !apart) kernels_.activate(pixels * c_, sums, s.activation);
      if (s.blocked_y) continue;
      if (s.channels_last)
        for (int64_t p = 0; p < pixels; ++p) memcpy(y + first + p * s.out_c, sums + p * c_, channels * sizeof(float));
      else set_.unblock(sums, c_, y + first, plane, pixels, channels);
      if (activates && apart)
        for (int c = 0; c < channels; ++c) kernels_.activate(pixels, y + first + c * plane, s.activation);
    }
  }

  void RunWith(const TapsSpec &s, const GeKernelArgs &args) const {
    char *workspace = static_cast<char *>(args.workspace);
    const float *bias = bias_, *w = w_;
    if (bias_at_ >= 0) {
      float *to = reinterpret_cast<float *>(workspace + bias_at_);
      FillBias(static_cast<const float *>(args.inputs[s.bias_port]), to);
      bias = to;
    }
    if (filter_at_ >= 0) {
      float *to = reinterpret_cast<float *>(workspace + filter_at_);
      FillFilter(static_cast<const float *>(args.inputs[s.filter_port]), to);
      w = to;
    }
    const BlockedInput in = InputOf(s);
    const int64_t step = in.direct ? s.batch : ImagesAtOnce(s, in);
    const Work work = WorkOf(s, in, step);
    const float *x = static_cast<const float *>(args.inputs[s.x_port]);
    float *y = static_cast<float *>(args.outputs[0]);
    for (int64_t first = 0; first < s.batch; first += step) {
      const int64_t images = std::min(step, s.batch - first);
      const float *blocks = x;
      if (!in.direct) {
        float *to = reinterpret_cast<float *>(workspace + fixed_bytes_);
        BlockImages(s, in, x, first, images, to);
        blocks = to;
      }
      Parallel(images * groups_ * work.chunks * work.segments * work.pairs, work.grain,
               [&](int64_t begin, int64_t end) {
                 alignas(64) float buffer[kBuffer];
                 for (int64_t k = begin; k < end; ++k)
                   Compute(s, in, work, args, {blocks, w, bias, y, buffer}, first, k);
               });
    }
  }

  struct Memory {
    const float *x, *w, *bias;
    float *y, *buffer;
  };
  void Compute(const TapsSpec &s, const BlockedInput &in, const Work &work, const GeKernelArgs &args,
               const Memory &memory, int64_t first, int64_t k) const {
    Piece piece;
    const int64_t pair = k % work.pairs, segment = k / work.pairs % work.segments;
    const int64_t chunk = k / work.pairs / work.segments % work.chunks;
    piece.group = k / work.pairs / work.segments / work.chunks % groups_;
    piece.image = k / work.pairs / work.segments / work.chunks / groups_;
    piece.n = first + piece.image;
    piece.block = s.depthwise() ? pair : 2 * pair;
    piece.blocks = thin_ ? int(s.out_c) : s.depthwise() ? 1 : int(std::min<int64_t>(2, out_blocks_ - piece.block));
    piece.row = chunk * work.rows_at_once, piece.rows = std::min(work.rows_at_once, work.rows - piece.row);
    piece.column = segment * work.segment, piece.columns = std::min(work.segment, work.columns - piece.column);
    piece.to = memory.buffer, piece.block_step = piece.rows * piece.columns * (thin_ ? 1 : c_);
    if (s.blocked_y && s.residual_port < 0) {
      piece.block_step = work.rows * work.columns * c_;
      piece.to = memory.y + FirstOf(work, piece, 0);
    }
    Sum(s, in, work, memory.x, memory.w, memory.bias, piece);
    Leave(s, work, args, piece, memory.y);
  }

  const TapsSpec s_;
  bool thin_ = false;
  const bool open_;
  const ConvKernelSet &set_;
  const KernelSet &kernels_;
  const int64_t c_;
  const int64_t threads_;
  int64_t groups_, out_group_, out_blocks_;
  const float *bias_ = nullptr, *w_ = nullptr;
  int64_t bias_at_ = -1, filter_at_ = -1;  // in the workspace
  uint64_t fixed_bytes_ = 0;               // of the workspace, before the blocks of x
};

// Blocks of y that lie across groups, or whose last channels would not be zero.
void CheckBlocks(const Node &node, const TapsSpec &s) {
  if (!s.blocked_y) return;
  const int64_t c = node.out(0).c0();
  if (!s.depthwise() && s.groups > 1 && s.out_group() % c != 0)
    Refuse("groups of ", s.out_group(), " channels do not fill blocks of ", c);
  if (s.out_c % c != 0 && !s.activation.keeps_zero())
    Refuse("the activation fills the last block with other than zeros");
}

std::unique_ptr<Kernel> Create(const Context &context, bool open) {
  TapsSpec spec = ReadTapsSpec(context.node);
  ReadTapsChannels(context.node, &spec);
  const int64_t c = ConvKernelsFor(context.features).channels;
  spec.MergeGroups(c);
  CheckBlocks(context.node, spec);
  for (const Tensor &t : {context.node.in(size_t(spec.x_port)), context.node.out(0)})
    if (t.blocked() && t.c0() != c) Refuse("blocks of ", t.c0(), " channels are not those of this processor, ", c);
  if (!open) {
    const Dims x = context.node.in(size_t(spec.x_port)).dims(), y = context.node.out(0).dims();
    spec.SetExtents(x.data(), y.data());
  }
  return std::make_unique<TapsConv>(context, spec, open);
}

}  // namespace

void CheckTaps(const Node &node) {
  TapsSpec spec = ReadTapsSpec(node);
  if (!node.known()) return;
  ReadTapsChannels(node, &spec);
  if (spec.blocked_y) spec.MergeGroups(node.out(0).c0());
  CheckBlocks(node, spec);
  const Dims x = node.in(size_t(spec.x_port)).dims(), y = node.out(0).dims();
  spec.SetExtents(x.data(), y.data());
}

std::unique_ptr<Kernel> CreateTaps(const Context &context) { return Create(context, false); }
std::unique_ptr<Kernel> CreateOpenTaps(const Context &context) { return Create(context, true); }

}  // namespace onednn
