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
  QuantizedConv(const Context &context, const Int8ConvSpec &spec, bool open)
      : s_(spec), c_(s_.conv), env_(context.env), kernels_(Int8KernelsFor(context.features)), open_(open) {
    // A filter of one row or column sees no neighbours: what lies between its steps is left out.
    row_step_ = c_.kernel_h == 1 ? 1 : c_.stride_h, pixel_step_ = c_.kernel_w == 1 ? 1 : c_.stride_w;
    sizes_workspace = open;
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *output_dims) const override {
    return WorkspaceOf(ImageOf(input_dims[kPortX], output_dims[0]));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (!open_) {
      Run(args, image_);
      return GE_SUCCESS;
    }
    const Image g = ImageOf(args.input_dims[kPortX], args.output_dims[0]);
    if (!WindowFits(g)) return env_->fail(GE_UNSUPPORTED, "filters over more than 2 GiB of x are not supported");
    int32_t *to = OffsetsOf(args, g);
    for (size_t i = 0; i < rows_of_.size(); ++i)
      to[i] = int32_t(within_[i] + rows_of_[i] * g.row_pixels * pixel_bytes());
    Run(args, g);
    return GE_SUCCESS;
  }

 protected:
  // What the extents of the images decide.
  struct Image {
    ConvSpec c;
    int64_t row_pixels = 0;  // of a strip
    int64_t strip_rows = 0, strip_in_rows = 0, strips = 0, block = 0, blocks = 0, workers = 1, strip_bytes = 0;
  };
  Image ImageOf(const int64_t *x, const int64_t *y) const {
    ConvSpec c = c_;
    c.batch = x[0], c.in_h = x[1], c.in_w = x[2], c.out_h = y[1], c.out_w = y[2];
    return ImageOf(c);
  }
  Image ImageOf(const ConvSpec &c) const {
    Image g;
    g.c = c;
    g.row_pixels = (c.out_w - 1) * pixel_step_ + (c.kernel_w - 1) * c.dilation_w + 1;
    if (c.batch * c.out_h * c.out_w > 0) SplitWork(&g);  // else there is no strip
    return g;
  }
  // The window of a pixel is told by offsets of 32 bits.
  static bool WindowFits(const Image &g) {
    return double(g.row_pixels) * double(g.c.in_c) * 2 * double((g.c.kernel_h - 1) * g.c.dilation_h + 1) <= INT32_MAX;
  }
  uint64_t WorkspaceOf(const Image &g) const {
    return uint64_t(g.workers * g.strip_bytes) + rows_of_.size() * sizeof(int32_t);
  }
  // Groups of what a pixel sees: bytes from where its row begins, and which row of the strip that is.
  static int32_t *OffsetsOf(const GeKernelArgs &args, const Image &g) {
    return reinterpret_cast<int32_t *>(static_cast<char *>(args.workspace) + g.workers * g.strip_bytes);
  }

  void Run(const GeKernelArgs &args, const Image &g) const {
    // A thread's tasks follow one another, so that it seldom has to fill another strip.
    const int64_t tasks = g.c.batch * g.strips * g.blocks;
    ge::kit::Shares shares(tasks, tasks, g.workers);
    Parallel(g.workers, 1, [&](int64_t first, int64_t last) {
      for (int64_t worker = first; worker < last; ++worker) {
        char *strip = static_cast<char *>(args.workspace) + worker * g.strip_bytes;
        for (int64_t begin, end, filled = -1; shares.Next(worker, &begin, &end);)
          for (int64_t task = begin; task < end; ++task) RunTask(args, g, task, strip, &filled);
      }
    });
  }

  // Before groups are laid out: bytes of a row of the strip; 0 where a run tells.
  int64_t TakeImage() {
    if (open_) return 0;
    image_ = ImageOf(c_);
    if (!WindowFits(image_)) Refuse("filters over more than 2 GiB of x are not supported");
    Reserve(WorkspaceOf(image_));
    return image_.row_pixels * pixel_bytes();
  }
  // The groups that were laid out since the last call lie in this row of the filter.
  void NoteRow(int64_t row, const std::vector<int32_t> &offsets) {
    if (!open_) return;
    within_.assign(offsets.begin(), offsets.end());
    rows_of_.resize(offsets.size(), row * c_.dilation_h);
  }

  struct Strip {
    int64_t index, image, first, rows;  // of y
  };
  // One block of output channels of a strip.
  virtual void Compute(const GeKernelArgs &args, const Image &g, const Strip &strip, int64_t block,
                       const char *x) const = 0;

  // `filled`: which strip lies in `strip`.
  void RunTask(const GeKernelArgs &args, const Image &g, int64_t task, char *strip, int64_t *filled) const {
    Strip s;
    s.index = task / g.blocks;
    s.first = s.index % g.strips * g.strip_rows, s.image = s.index / g.strips;
    s.rows = std::min(g.strip_rows, g.c.out_h - s.first);
    if (*filled != s.index) Fill(args, g, s, strip), *filled = s.index;
    Compute(args, g, s, task % g.blocks, strip);
  }

  void SplitWork(Image *image) const {
    Image &g = *image;
    const int64_t panels = panels_count_;
    constexpr int64_t kCached = 192 << 10;  // bytes of a strip that stay in the second-level cache
    constexpr int64_t kFewPixels = 64;      // of a strip: below that reading the weights shows
    constexpr double kGrainMacs = 200e3;
    const int64_t row = g.row_pixels * pixel_bytes(), above = (g.c.kernel_h - 1) * g.c.dilation_h;
    g.strip_rows = std::clamp<int64_t>((kCached / row - above) / row_step_, 1, g.c.out_h);
    g.workers = g.c.flops() / 2 < 2 * kGrainMacs ? 1 : env_->threads;
    const int64_t wanted = g.workers > 1 ? 8 * g.workers : 1;
    const int64_t fewest = std::min(g.c.out_h, (kFewPixels + g.c.out_w - 1) / g.c.out_w);
    if (g.c.batch * RowsToStrips(g) < wanted) {
      const int64_t each = (wanted + g.c.batch - 1) / g.c.batch;
      g.strip_rows = std::min(g.strip_rows, std::max(fewest, (g.c.out_h + each - 1) / each));
    }
    g.strips = RowsToStrips(g);
    g.strip_rows = (g.c.out_h + g.strips - 1) / g.strips;
    g.strips = RowsToStrips(g);
    g.block = panels;
    while (g.c.batch * g.strips * ((panels + g.block - 1) / g.block) < wanted && g.block > 1)
      g.block = (g.block + 1) / 2;
    g.blocks = (panels + g.block - 1) / g.block;
    g.strip_in_rows = (g.strip_rows - 1) * row_step_ + above + 1;
    // Groups and vectors read a little beyond the last pixel.
    g.strip_bytes = RoundUp(g.strip_in_rows * row + 64, 64);
  }
  static int64_t RowsToStrips(const Image &g) { return (g.c.out_h + g.strip_rows - 1) / g.strip_rows; }
  int64_t pixel_bytes() const { return c_.in_c * BytesOfX(mode_); }

  // The rows of x that a strip sees.
  void Fill(const GeKernelArgs &args, const Image &g, const Strip &strip, char *to) const {
    const int32_t zero = QuantizedCall(s_.quantized, args).x_zero(0);
    const char *image = static_cast<const char *>(args.inputs[kPortX]) + strip.image * g.c.in_h * g.c.in_w * g.c.in_c;
    const int64_t count = (strip.rows - 1) * row_step_ + (g.c.kernel_h - 1) * g.c.dilation_h + 1;
    const int64_t between = g.c.kernel_h == 1 ? g.c.stride_h : 1;  // rows of x from one of the strip to the next
    for (int64_t i = 0; i < count; ++i, to += g.row_pixels * pixel_bytes()) {
      const int64_t row = strip.first * g.c.stride_h + i * between - g.c.pad_top;
      if (row < 0 || row >= g.c.in_h) Pad(g.row_pixels, zero, to);
      else FillRow(g, image + row * g.c.in_w * g.c.in_c, zero, to);
    }
  }

  void FillRow(const Image &g, const char *row, int32_t zero, char *to) const {
    const int64_t pixel = pixel_bytes();
    if (g.c.kernel_w == 1 && g.c.stride_w > 1) {
      for (int64_t i = 0; i < g.row_pixels; ++i, to += pixel) {
        const int64_t at = i * g.c.stride_w - g.c.pad_left;
        if (at < 0 || at >= g.c.in_w) Pad(1, zero, to);
        else Convert(row + at * g.c.in_c, g.c.in_c, zero, to);
      }
      return;
    }
    const int64_t left = std::min(g.c.pad_left, g.row_pixels);
    const int64_t inside = std::clamp<int64_t>(g.row_pixels - left, 0, g.c.in_w);
    Pad(left, zero, to);
    Convert(row, inside * g.c.in_c, zero, to + left * pixel);
    Pad(g.row_pixels - left - inside, zero, to + (left + inside) * pixel);
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
  int64_t row_step_, pixel_step_;  // of a strip: from one output to the next
  int64_t panels_count_ = 0;       // of all groups
  const bool open_;
  Image image_;                            // of a kernel for one size
  std::vector<int64_t> within_, rows_of_;  // by group of a kernel for all sizes
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
  Dense(const Context &context, const Int8ConvSpec &spec, bool open) : QuantizedConv(context, spec, open) {
    const Node &node = context.node;
    const int64_t in = s_.in_group(), elements = c_.out_c * in * c_.kernel_h * c_.kernel_w;
    const Int8Source source = SourceOf(node);
    panels_.ChooseMode(*env_, source, elements, kernels_);
    mode_ = panels_.mode();
    panels_count_ = c_.groups * PanelCount(s_.out_group(), kernels_);
    const int64_t row = TakeImage();
    for (int64_t h = 0; h < c_.kernel_h; ++h) {
      const bool one_piece = c_.groups == 1 && c_.dilation_w == 1;  // what lies under a row of the filter
      if (one_piece)
        layout_.Add(mode_, c_.kernel_w * in, h * c_.dilation_h * row,
                    [&](int64_t i) { return h * s_.filter_h + i / in * s_.filter_w + i % in * s_.filter_i; });
      for (int64_t w = 0; w < c_.kernel_w && !one_piece; ++w)
        layout_.Add(mode_, in, h * c_.dilation_h * row + w * c_.dilation_w * pixel_bytes(),
                    [&](int64_t i) { return h * s_.filter_h + w * s_.filter_w + i * s_.filter_i; });
      NoteRow(h, layout_.offsets);
    }
    group_panels_ = PanelCount(s_.out_group(), kernels_);
    panels_.Pack(
        *env_, KeyOf(node, "conv"), layout_, c_.groups, [&](int64_t g) { return OfGroup(source, g); }, kernels_);
    if (open && !panels_.as_laid_out()) Refuse("without VNNI a filter with large weights serves one size");
    implementation =
        Text("int8:conv:", open ? "open:" : "", mode_ == Int8Mode::kQuads ? "quads:" : "pairs:", kernels_.name);
    flops = open ? 0 : c_.flops();
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

  void Compute(const GeKernelArgs &args, const Image &g, const Strip &strip, int64_t block,
               const char *x) const override {
    const QuantizedCall call(s_.quantized, args);
    const int32_t zero = call.x_zero(0) + (s_.quantized.x_signed && mode_ == Int8Mode::kQuads ? 128 : 0);
    const int64_t pixels = strip.rows * g.c.out_w, panels = panels_count_, bytes = s_.quantized.bytes_of_y();
    char *y =
        static_cast<char *>(args.outputs[0]) + (strip.image * g.c.out_h + strip.first) * g.c.out_w * c_.out_c * bytes;
    PanelColumns columns;
    alignas(64) int32_t sums[kInt8Batch * kMostInt8Columns];
    for (int64_t panel = block * g.block; panel < std::min(panels, (block + 1) * g.block); ++panel) {
      const int64_t group = panel / group_panels_, first = panel % group_panels_ * kernels_.columns;
      const int64_t n = std::min<int64_t>(kernels_.columns, s_.out_group() - first);
      const int64_t column = group * s_.out_group() + first;
      call.Prepare(column, n, panels_.column_sums(), zero, &columns);
      const Int8Finish finish = call.FinishOf(columns, 0);
      Pixels walk(x + group * s_.in_group() * BytesOfX(mode_), row_step_ * g.row_pixels * pixel_bytes(),
                  pixel_step_ * pixel_bytes(), g.c.out_w);
      const ConstantPanels::Panel weights = panels_.at(panel);
      const int32_t *offsets = open_ ? OffsetsOf(args, g) : weights.offsets;
      const Int8Tile tile{0, int(n), weights.groups, nullptr, offsets, weights.weights, sums};
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
  Depthwise(const Context &context, const Int8ConvSpec &spec, bool open) : QuantizedConv(context, spec, open) {
    const Node &node = context.node;
    panels_count_ = PanelCount(c_.out_c, kernels_);
    const int64_t taps = c_.kernel_h * c_.kernel_w, row = TakeImage();
    pairs_ = (taps + 1) / 2;
    for (int64_t t = 0; t < 2 * pairs_; ++t) {
      const int64_t tap = std::min(t, taps - 1), h = tap / c_.kernel_w, w = tap % c_.kernel_w;
      offsets_.push_back(int32_t(h * c_.dilation_h * row + w * c_.dilation_w * pixel_bytes()));
      NoteRow(h, offsets_);
    }
    const Int8Source source = SourceOf(node);
    const int64_t width = kernels_.columns, panels = panels_count_;
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
    implementation = Text("int8:depthwise:", open ? "open:" : "", kernels_.name);
    flops = open ? 0 : c_.flops();
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

  void Compute(const GeKernelArgs &args, const Image &g, const Strip &strip, int64_t block,
               const char *x) const override {
    const QuantizedCall call(s_.quantized, args);
    const int64_t pixels = strip.rows * g.c.out_w, width = kernels_.columns, bytes = s_.quantized.bytes_of_y();
    char *y =
        static_cast<char *>(args.outputs[0]) + (strip.image * g.c.out_h + strip.first) * g.c.out_w * c_.out_c * bytes;
    PanelColumns columns;
    alignas(64) int32_t sums[kInt8Batch * kMostInt8Columns];
    const char *rows[kInt8Batch];
    for (int64_t panel = block * g.block; panel < std::min(panels_count_, (block + 1) * g.block); ++panel) {
      const int64_t column = panel * width, n = std::min(width, c_.out_c - column);
      call.Prepare(column, n, nullptr, 0, &columns);
      const Int8Finish finish = call.FinishOf(columns, 0);
      Pixels walk(x + column * BytesOfX(mode_), row_step_ * g.row_pixels * pixel_bytes(), pixel_step_ * pixel_bytes(),
                  g.c.out_w);
      const int32_t *offsets = open_ ? OffsetsOf(args, g) : offsets_.data();
      Int8Tile tile{
          0, int(n), pairs_, rows, offsets, reinterpret_cast<const char *>(packed_ + panel * pairs_ * width * 2), sums};
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

static std::unique_ptr<Kernel> Make(const Context &context, const Int8ConvSpec &spec, bool open) {
  if (spec.conv.depthwise()) return std::make_unique<Depthwise>(context, spec, open);
  return std::make_unique<Dense>(context, spec, open);
}

void CheckQuantizedConv(const Node &node) { ReadInt8Conv(node); }

std::unique_ptr<Kernel> CreateQuantizedConv(const Context &context) {
  return Make(context, ReadInt8Conv(context.node), false);
}

std::unique_ptr<Kernel> CreateOpenQuantizedConv(const Context &context) {
  return Make(context, ReadOpenInt8Conv(context.node), true);
}

}  // namespace onednn
