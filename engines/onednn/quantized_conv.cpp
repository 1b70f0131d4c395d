// QuantizedConv2D in NHWC. A strip of output rows at a time: the input rows that it sees are put into the form of the
// kernels, with padding, in memory of the worker that computes them; a row of x is then what one output pixel sees, and
// its groups lie at the same offsets for every pixel. So there is no copy for each position of the filter.
#include <algorithm>
#include <cstring>

#include "int8_conv_spec.h"
#include "int8_weights.h"

namespace onednn {

namespace {

class QuantizedConv : public Kernel {
 public:
  QuantizedConv(const Context &context, const Int8ConvSpec &spec)
      : s_(spec), c_(s_.conv), env_(context.env), kernels_(Int8KernelsFor(context.features)) {
    // A filter of one row or column sees no neighbours: what lies between its steps is left out.
    row_step_ = c_.kernel_h == 1 ? 1 : c_.stride_h, pixel_step_ = c_.kernel_w == 1 ? 1 : c_.stride_w;
    row_pixels_ = (c_.out_w - 1) * pixel_step_ + (c_.kernel_w - 1) * c_.dilation_w + 1;
    // The window of a pixel is told by offsets of 32 bits.
    if (double(row_pixels_) * double(c_.in_c) * 2 * double((c_.kernel_h - 1) * c_.dilation_h + 1) > INT32_MAX)
      Refuse("filters over more than 2 GiB of x are not supported");
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    // A thread's tasks follow one another, so that it seldom has to fill another strip.
    const int64_t tasks = c_.batch * strips_ * blocks_;
    ge::kit::Shares shares(tasks, tasks, workers_);
    Parallel(workers_, 1, [&](int64_t first, int64_t last) {
      for (int64_t worker = first; worker < last; ++worker) {
        char *strip = static_cast<char *>(args.workspace) + worker * strip_bytes_;
        for (int64_t begin, end, filled = -1; shares.Next(worker, &begin, &end);)
          for (int64_t task = begin; task < end; ++task) RunTask(args, task, strip, &filled);
      }
    });
    return GE_SUCCESS;
  }

 protected:
  struct Strip {
    int64_t index, image, first, rows;  // of y
  };
  // One block of output channels of a strip.
  virtual void Compute(const GeKernelArgs &args, const Strip &strip, int64_t block, const char *x) const = 0;

  // `filled`: which strip lies in `strip`.
  void RunTask(const GeKernelArgs &args, int64_t task, char *strip, int64_t *filled) const {
    Strip s;
    s.index = task / blocks_;
    s.first = s.index % strips_ * strip_rows_, s.image = s.index / strips_;
    s.rows = std::min(strip_rows_, c_.out_h - s.first);
    if (*filled != s.index) Fill(args, s, strip), *filled = s.index;
    Compute(args, s, task % blocks_, strip);
  }

  // `columns`: those of all panels; `block`: panels of a task at most.
  void SplitWork(int64_t panels, int64_t most_block) {
    constexpr int64_t kCached = 192 << 10;  // bytes of a strip that stay in the second-level cache
    constexpr int64_t kFewPixels = 64;      // of a strip: below that reading the weights shows
    constexpr double kGrainMacs = 200e3;
    const int64_t row = row_pixels_ * pixel_bytes(), above = (c_.kernel_h - 1) * c_.dilation_h;
    strip_rows_ = std::clamp<int64_t>((kCached / row - above) / row_step_, 1, c_.out_h);
    workers_ = c_.flops() / 2 < 2 * kGrainMacs ? 1 : env_->threads;
    const int64_t wanted = workers_ > 1 ? 8 * workers_ : 1;
    const int64_t fewest = std::min(c_.out_h, (kFewPixels + c_.out_w - 1) / c_.out_w);
    if (c_.batch * RowsToStrips() < wanted) {
      const int64_t each = (wanted + c_.batch - 1) / c_.batch;
      strip_rows_ = std::min(strip_rows_, std::max(fewest, (c_.out_h + each - 1) / each));
    }
    strips_ = RowsToStrips();
    strip_rows_ = (c_.out_h + strips_ - 1) / strips_;
    strips_ = RowsToStrips();
    block_ = std::min(panels, most_block);
    while (c_.batch * strips_ * ((panels + block_ - 1) / block_) < wanted && block_ > 1) block_ = (block_ + 1) / 2;
    blocks_ = (panels + block_ - 1) / block_;
    strip_in_rows_ = (strip_rows_ - 1) * row_step_ + above + 1;
    // Groups and vectors read a little beyond the last pixel.
    strip_bytes_ = RoundUp(strip_in_rows_ * row + 64, 64);
    Reserve(uint64_t(workers_ * strip_bytes_));
  }
  int64_t RowsToStrips() const { return (c_.out_h + strip_rows_ - 1) / strip_rows_; }
  int64_t pixel_bytes() const { return c_.in_c * BytesOfX(mode_); }

  // The rows of x that a strip sees.
  void Fill(const GeKernelArgs &args, const Strip &strip, char *to) const {
    const int32_t zero = QuantizedCall(s_.quantized, args).x_zero(0);
    const char *image = static_cast<const char *>(args.inputs[kPortX]) + strip.image * c_.in_h * c_.in_w * c_.in_c;
    const int64_t count = (strip.rows - 1) * row_step_ + (c_.kernel_h - 1) * c_.dilation_h + 1;
    const int64_t between = c_.kernel_h == 1 ? c_.stride_h : 1;  // rows of x from one of the strip to the next
    for (int64_t i = 0; i < count; ++i, to += row_pixels_ * pixel_bytes()) {
      const int64_t row = strip.first * c_.stride_h + i * between - c_.pad_top;
      if (row < 0 || row >= c_.in_h) Pad(row_pixels_, zero, to);
      else FillRow(image + row * c_.in_w * c_.in_c, zero, to);
    }
  }

  void FillRow(const char *row, int32_t zero, char *to) const {
    const int64_t pixel = pixel_bytes();
    if (c_.kernel_w == 1 && c_.stride_w > 1) {
      for (int64_t i = 0; i < row_pixels_; ++i, to += pixel) {
        const int64_t at = i * c_.stride_w - c_.pad_left;
        if (at < 0 || at >= c_.in_w) Pad(1, zero, to);
        else Convert(row + at * c_.in_c, c_.in_c, zero, to);
      }
      return;
    }
    const int64_t left = std::min(c_.pad_left, row_pixels_);
    const int64_t inside = std::clamp<int64_t>(row_pixels_ - left, 0, c_.in_w);
    Pad(left, zero, to);
    Convert(row, inside * c_.in_c, zero, to + left * pixel);
    Pad(row_pixels_ - left - inside, zero, to + (left + inside) * pixel);
  }
  void Pad(int64_t pixels, int32_t zero, char *to) const {
    const int value = mode_ == Int8Mode::kQuads ? zero + (s_.quantized.x_signed ? 128 : 0) : 0;
    memset(to, value, size_t(pixels * pixel_bytes()));
  }
  void Convert(const char *from, int64_t n, int32_t zero, char *to) const {
    if (mode_ == Int8Mode::kQuads) kernels_.quads(from, s_.quantized.x_signed, n, reinterpret_cast<uint8_t *>(to));
    else kernels_.pairs(from, s_.quantized.x_signed, n, zero, reinterpret_cast<int16_t *>(to));
  }

  Int8Source SourceOf(const Node &node) const {
    const Tensor zeros = node.in(kPortWeightZero);
    Int8Source source{};
    source.weights = node.in(kPortWeights).content(), source.is_signed = s_.quantized.weights_signed;
    source.column_step = s_.filter_o, source.columns = c_.out_c;
    source.depth_step = s_.filter_i, source.column_depth = s_.in_group();
    source.zeros = zeros.present() ? zeros.content() : nullptr, source.zero_count = s_.quantized.weight_zeros;
    return source;
  }
  std::string KeyOf(const Node &node, const char *kind) const {
    const Tensor zeros = node.in(kPortWeightZero);
    std::string key = Text("int8:", kind, ":", kernels_.columns, ":", int64_t(mode_), ":", c_.out_c, "x", s_.in_group(),
                           "x", c_.kernel_h, "x", c_.kernel_w, ":", s_.filter_o, ":", s_.filter_h, ":", c_.groups);
    if (zeros.present()) key += Text(":", int64_t(reinterpret_cast<intptr_t>(zeros.content())));
    return key;
  }

  Int8ConvSpec s_;
  ConvSpec &c_ = s_.conv;
  const GeKernelEnv *env_;
  const Int8Kernels &kernels_;
  Int8Mode mode_ = Int8Mode::kWidePairs;
  int64_t row_step_, pixel_step_, row_pixels_;  // of a strip: from one output to the next, and pixels of a row
  int64_t strip_rows_ = 0, strip_in_rows_ = 0, strips_ = 0, block_ = 0, blocks_ = 0, workers_ = 1, strip_bytes_ = 0;
};

// Walks over the output pixels of a strip: where what a pixel sees begins.
class Pixels {
 public:
  Pixels(const char *x, int64_t row_bytes, int64_t step_bytes, int64_t width)
      : row_(x), at_(x), row_bytes_(row_bytes), step_bytes_(step_bytes), width_(width) {}
  const char *Next() {
    const char *now = at_;
    at_ += step_bytes_;
    if (++column_ == width_) column_ = 0, at_ = row_ += row_bytes_;
    return now;
  }

 private:
  const char *row_, *at_;
  int64_t row_bytes_, step_bytes_, width_, column_ = 0;
};

class Dense final : public QuantizedConv {
 public:
  Dense(const Context &context, const Int8ConvSpec &spec) : QuantizedConv(context, spec) {
    const Node &node = context.node;
    const int64_t in = s_.in_group(), elements = c_.out_c * in * c_.kernel_h * c_.kernel_w;
    const Int8Source source = SourceOf(node);
    panels_.ChooseMode(*env_, source, elements, kernels_);
    mode_ = panels_.mode();
    const int64_t row = row_pixels_ * pixel_bytes();
    for (int64_t h = 0; h < c_.kernel_h; ++h) {
      if (c_.groups == 1 && c_.dilation_w == 1) {  // what lies under a row of the filter is one piece
        layout_.Add(mode_, c_.kernel_w * in, h * c_.dilation_h * row,
                    [&](int64_t i) { return h * s_.filter_h + i / in * s_.filter_w + i % in * s_.filter_i; });
        continue;
      }
      for (int64_t w = 0; w < c_.kernel_w; ++w)
        layout_.Add(mode_, in, h * c_.dilation_h * row + w * c_.dilation_w * pixel_bytes(),
                    [&](int64_t i) { return h * s_.filter_h + w * s_.filter_w + i * s_.filter_i; });
    }
    group_panels_ = PanelCount(s_.out_group(), kernels_);
    const int64_t panels = c_.groups * group_panels_;
    panels_.Pack(
        *env_, KeyOf(node, "conv"), layout_, c_.groups, [&](int64_t g) { return OfGroup(source, g); }, kernels_);
    SplitWork(panels, panels);
    implementation = Text("int8:conv:", mode_ == Int8Mode::kQuads ? "quads:" : "pairs:", kernels_.name);
    flops = c_.flops();
    flops_type = C_DT_INT8;
  }

 private:
  Int8Source OfGroup(Int8Source source, int64_t group) const {
    const int64_t first = group * s_.out_group();
    source.weights = static_cast<const char *>(source.weights) + first * source.column_step;
    source.columns = s_.out_group();
    if (source.zero_count > 1) source.zeros = static_cast<const char *>(source.zeros) + first;
    return source;
  }

  void Compute(const GeKernelArgs &args, const Strip &strip, int64_t block, const char *x) const override {
    const QuantizedCall call(s_.quantized, args);
    const int32_t zero = call.x_zero(0) + (s_.quantized.x_signed && mode_ == Int8Mode::kQuads ? 128 : 0);
    const int64_t pixels = strip.rows * c_.out_w, panels = c_.groups * group_panels_, bytes = s_.quantized.bytes_of_y();
    char *y =
        static_cast<char *>(args.outputs[0]) + (strip.image * c_.out_h + strip.first) * c_.out_w * c_.out_c * bytes;
    PanelColumns columns;
    alignas(64) int32_t sums[kInt8Batch * kMostInt8Columns];
    for (int64_t panel = block * block_; panel < std::min(panels, (block + 1) * block_); ++panel) {
      const int64_t group = panel / group_panels_, first = panel % group_panels_ * kernels_.columns;
      const int64_t n = std::min<int64_t>(kernels_.columns, s_.out_group() - first);
      const int64_t column = group * s_.out_group() + first;
      call.Prepare(column, n, panels_.column_sums(), zero, &columns);
      const Int8Finish finish = call.FinishOf(columns, 0);
      Pixels walk(x + group * s_.in_group() * BytesOfX(mode_), row_step_ * row_pixels_ * pixel_bytes(),
                  pixel_step_ * pixel_bytes(), c_.out_w);
      const ConstantPanels::Panel weights = panels_.at(panel);
      const Int8Tile tile{0, int(n), weights.groups, nullptr, weights.offsets, weights.weights, sums};
      for (int64_t i = 0; i < pixels; i += kInt8Batch) {
        const int count = int(std::min<int64_t>(kInt8Batch, pixels - i));
        SumBatch(kernels_, mode_, tile, count, [&](int) { return walk.Next(); });
        kernels_.finish(count, int(n), sums, finish, y + (i * c_.out_c + column) * bytes, c_.out_c);
      }
    }
  }

  Int8Layout layout_;
  int64_t group_panels_ = 0;
  ConstantPanels panels_;
};

// One filter for each channel: vectors of channels, two positions of the filter at once.
class Depthwise final : public QuantizedConv {
 public:
  Depthwise(const Context &context, const Int8ConvSpec &spec) : QuantizedConv(context, spec) {
    const Node &node = context.node;
    const int64_t taps = c_.kernel_h * c_.kernel_w, row = row_pixels_ * pixel_bytes();
    pairs_ = (taps + 1) / 2;
    for (int64_t t = 0; t < 2 * pairs_; ++t) {
      const int64_t tap = std::min(t, taps - 1), h = tap / c_.kernel_w, w = tap % c_.kernel_w;
      offsets_.push_back(int32_t(h * c_.dilation_h * row + w * c_.dilation_w * pixel_bytes()));
    }
    const Int8Source source = SourceOf(node);
    const int64_t width = kernels_.columns, panels = PanelCount(c_.out_c, kernels_);
    packed_ = static_cast<const int16_t *>(
        Packed(*env_, source.weights, KeyOf(node, "depthwise"), uint64_t(panels * pairs_ * width * 2) * sizeof(int16_t),
               [&](void *to) {
                 int16_t *out = static_cast<int16_t *>(to);
                 for (int64_t i = 0; i < panels * pairs_; ++i)
                   for (int64_t j = 0; j < width; ++j)
                     for (int64_t k = 0; k < 2; ++k, ++out) {
                       const int64_t tap = i % pairs_ * 2 + k, channel = i / pairs_ * width + Interleaved(j, width);
                       *out = tap >= taps || channel >= c_.out_c ? int16_t(0) : Weight(source, channel, tap);
                     }
               }));
    SplitWork(panels, panels);
    implementation = Text("int8:depthwise:", kernels_.name);
    flops = c_.flops();
    flops_type = C_DT_INT8;
  }

 private:
  // The column at a place in two vectors of columns: instructions that put two vectors side by side take four columns
  // of each eight into the first.
  static int64_t Interleaved(int64_t place, int64_t width) {
    const int64_t half = width / 2;
    return place % half / 4 * 8 + place / half * 4 + place % 4;
  }
  int16_t Weight(const Int8Source &source, int64_t channel, int64_t tap) const {
    const int64_t at = channel * s_.filter_o + tap / c_.kernel_w * s_.filter_h + tap % c_.kernel_w * s_.filter_w;
    return int16_t(Value8(source.weights, source.is_signed, at) - source.zero(channel));
  }

  void Compute(const GeKernelArgs &args, const Strip &strip, int64_t block, const char *x) const override {
    const QuantizedCall call(s_.quantized, args);
    const int64_t pixels = strip.rows * c_.out_w, width = kernels_.columns, bytes = s_.quantized.bytes_of_y();
    char *y =
        static_cast<char *>(args.outputs[0]) + (strip.image * c_.out_h + strip.first) * c_.out_w * c_.out_c * bytes;
    PanelColumns columns;
    alignas(64) int32_t sums[kInt8Batch * kMostInt8Columns];
    const char *rows[kInt8Batch];
    for (int64_t panel = block * block_; panel < std::min(PanelCount(c_.out_c, kernels_), (block + 1) * block_);
         ++panel) {
      const int64_t column = panel * width, n = std::min(width, c_.out_c - column);
      call.Prepare(column, n, nullptr, 0, &columns);
      const Int8Finish finish = call.FinishOf(columns, 0);
      Pixels walk(x + column * BytesOfX(mode_), row_step_ * row_pixels_ * pixel_bytes(), pixel_step_ * pixel_bytes(),
                  c_.out_w);
      Int8Tile tile{0,    int(n),          pairs_,
                    rows, offsets_.data(), reinterpret_cast<const char *>(packed_ + panel * pairs_ * width * 2),
                    sums};
      for (int64_t i = 0; i < pixels; i += tile.m) {
        tile.m = int(std::min<int64_t>(kInt8Batch, pixels - i));
        for (int r = 0; r < tile.m; ++r) rows[r] = walk.Next();
        kernels_.depthwise(tile);
        kernels_.finish(tile.m, int(n), sums, finish, y + (i * c_.out_c + column) * bytes, c_.out_c);
      }
    }
  }

  int64_t pairs_ = 0;
  std::vector<int32_t> offsets_;  // two for each pair
  const int16_t *packed_ = nullptr;
};

}  // namespace

void CheckQuantizedConv(const Node &node) { ReadInt8Conv(node); }

std::unique_ptr<Kernel> CreateQuantizedConv(const Context &context) {
  const Int8ConvSpec spec = ReadInt8Conv(context.node);
  if (spec.conv.depthwise()) return std::make_unique<Depthwise>(context, spec);
  return std::make_unique<Dense>(context, spec);
}

}  // namespace onednn
