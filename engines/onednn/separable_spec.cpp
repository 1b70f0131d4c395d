#include "separable_spec.h"

#include <algorithm>

#include "conv_direct.h"
#include "read_activation.h"

namespace onednn {

namespace {

int64_t Channels(const Node &node, size_t port, const char *name, int64_t in_c) {
  const Tensor t = node.in(port);
  RequireFloat(t, name);
  RequirePlain(t, name);
  if (!t.constant()) Refuse(name, " is not constant");
  Dims d = t.dims();
  if (d.size() != 4) Refuse(name, " has rank ", d.size(), ", expected 4");
  if (t.format() == C_FORMAT_HWCN) d = {d[3], d[2], d[0], d[1]};
  if (d[1] != in_c || d[2] != 1 || d[3] != 1)
    Refuse(name, " is ", ToText(d), ", expected ", ToText({d[0], in_c, 1, 1}));
  return d[0];
}

void CheckBias(const Node &node, size_t port, const char *name, int64_t channels) {
  const Tensor t = node.in(port);
  if (!t.present()) return;
  RequireFloat(t, name);
  if (!t.constant()) Refuse(name, " is not constant");
  if (Count(t.dims()) != channels) Refuse(name, " has ", Count(t.dims()), " values, expected ", channels);
}

void ReadExcitation(const Node &node, SeparableSpec *s) {
  if (node.in(kSepSqueeze).present() != node.in(kSepExcite).present())
    Refuse("of squeeze_filter and excite_filter one is missing");
  if (!node.in(kSepSqueeze).present()) return;
  s->squeezed = Channels(node, kSepSqueeze, "squeeze_filter", s->channels);
  if (s->squeezed < 1) Refuse("squeeze_filter makes no channels");
  CheckBias(node, kSepSqueezeBias, "squeeze_bias", s->squeezed);
  if (Channels(node, kSepExcite, "excite_filter", s->squeezed) != s->channels)
    Refuse("excite_filter does not make ", s->channels, " channels");
  CheckBias(node, kSepExciteBias, "excite_bias", s->channels);
  s->squeeze_activation = ActivationOf(node, "squeeze_");
  s->excite_activation = ActivationOf(node, "excite_");
}

void CheckMap(const Tensor &t, const char *name, int64_t c) {
  RequireFloat(t, name);
  if (!t.blocked() || t.rank() != 5 || t.c0() != c) Refuse(name, " is not in blocks of ", c, " channels");
}

// Channels that fill up the last block stay zero.
void CheckFill(const Activation &a, int64_t channels, int64_t c, const char *name) {
  if (channels % c != 0 && !a.keeps_zero()) Refuse(name, " fills the last block with other than zeros");
}

void ReadWindow(const Node &node, SeparableSpec *s) {
  const Tensor t = node.in(kSepDepthwise);
  RequireFloat(t, "depthwise_filter");
  RequirePlain(t, "depthwise_filter");
  if (!t.constant()) Refuse("depthwise_filter is not constant");
  Dims d = t.dims();
  if (d.size() != 4) Refuse("depthwise_filter has rank ", d.size(), ", expected 4");
  if (t.format() == C_FORMAT_HWCN) d = {d[3], d[2], d[0], d[1]};
  if (d[0] != s->channels || d[1] != 1) Refuse("depthwise_filter is ", ToText(d), " for ", s->channels, " channels");
  const Dims strides = node.Ints("strides"), pads = node.Ints("pads");
  if (strides.size() != 4 || pads.size() != 4)
    Refuse("strides and pads have ", strides.size(), " and ", pads.size(), " values, expected 4 each");
  s->kernel_h = d[2], s->kernel_w = d[3], s->stride_h = strides[2], s->stride_w = strides[3];
  s->pad_top = pads[0], s->pad_bottom = pads[1], s->pad_left = pads[2], s->pad_right = pads[3];
  if (strides[0] != 1 || strides[1] != 1 || s->stride_h < 1 || s->stride_w < 1 || s->kernel_h < 1 || s->kernel_w < 1 ||
      s->stride_h > s->kernel_h)
    Refuse("strides ", ToText(strides), " of a filter of ", s->kernel_h, " by ", s->kernel_w, " are not supported");
  if (*std::min_element(pads.begin(), pads.end()) < 0 || s->pad_top >= s->kernel_h || s->pad_bottom >= s->kernel_h ||
      s->pad_left >= s->kernel_w || s->pad_right >= s->kernel_w)
    Refuse("pads ", ToText(pads), " are not supported");
}

}  // namespace

void SeparableSpec::SetExtents(const int64_t *x, const int64_t *y) {
  batch = x[0], in_h = x[2], in_w = x[3], out_h = y[2], out_w = y[3];
  if (batch < 1 || in_h < 1 || in_w < 1 || out_h < 1 || out_w < 1) Refuse("empty tensors are not supported");
  if (y[0] != batch) Refuse("y has ", y[0], " images, x ", batch);
  if (kernel_h > in_h + pad_top + pad_bottom || kernel_w > in_w + pad_left + pad_right)
    Refuse("the filter is ", kernel_h, " by ", kernel_w, ", more than x with its pads");
  const int64_t expected_h = (in_h + pad_top + pad_bottom - kernel_h) / stride_h + 1;
  const int64_t expected_w = (in_w + pad_left + pad_right - kernel_w) / stride_w + 1;
  if (out_h != expected_h || out_w != expected_w)
    Refuse("y has ", out_h, " by ", out_w, " pixels, expected ", expected_h, " by ", expected_w);
}

SeparableSpec ReadSeparable(const Node &node) {
  SeparableSpec s{};
  const Tensor x = node.in(kSepX), y = node.out(0), residual = node.in(kSepResidual);
  s.c = y.present() && y.blocked() && y.rank() == 5 ? y.c0() : 8;
  if (s.c != 8 && s.c != 16) Refuse("blocks of ", s.c, " channels are not supported, only of 8 or 16");
  CheckMap(x, "x", s.c);
  CheckMap(y, "y", s.c);
  const Dims from = x.logical(), to = y.logical();
  s.in_c = from[1], s.out_c = to[1];
  if (s.in_c < 1 || s.out_c < 1) Refuse("the channels of x or y are open or none");
  s.residual = residual.present();
  if (s.residual) {
    CheckMap(residual, "residual", s.c);
    if (residual.logical() != to) Refuse("residual is ", ToText(residual.logical()), ", y ", ToText(to));
  }
  s.expands = node.in(kSepExpand).present();
  s.channels = s.expands ? Channels(node, kSepExpand, "expand_filter", s.in_c) : s.in_c;
  CheckBias(node, kSepExpandBias, "expand_bias", s.channels);
  ReadWindow(node, &s);
  CheckBias(node, kSepDepthwiseBias, "depthwise_bias", s.channels);
  ReadExcitation(node, &s);
  if (Channels(node, kSepProject, "project_filter", s.channels) != s.out_c)
    Refuse("project_filter does not make ", s.out_c, " channels");
  CheckBias(node, kSepProjectBias, "project_bias", s.out_c);
  if (s.expands) s.expand_activation = ActivationOf(node, "expand_");
  s.depthwise_activation = ActivationOf(node, "depthwise_");
  s.activation = ActivationOf(node);
  if (node.known()) s.SetExtents(x.dims().data(), y.dims().data());
  CheckFill(s.activation, s.out_c, s.c, "activation");
  CheckFill(s.expand_activation, s.channels, s.c, "expand_activation");
  CheckFill(s.depthwise_activation, s.channels, s.c, "depthwise_activation");
  return s;
}

namespace {

constexpr int64_t kCached = 256 << 10;  // bytes of rows that stay in the second-level cache beside weights
constexpr int64_t kWhole = 512 << 10;   // the same where they are written and read once
constexpr int64_t kSecondLevel = 640 << 10;

// Blocks of channels that are expanded together, at most: the last group is the largest.
int64_t LargestGroup(int64_t blocks) { return PointwiseBlocksAt(2 * (PointwiseGroups(blocks) - 1), blocks); }

int64_t RingRows(const SeparableSpec &s, int64_t rows) {
  return std::min(s.in_h, (rows - 1) * s.stride_h + s.kernel_h);
}
// Floats of a row of expanded channels, and of one that the depthwise convolution makes.
int64_t RowOf(const SeparableSpec &s, int64_t width) { return s.blocks() * s.c * width; }

int64_t RingBytes(const SeparableSpec &s, int64_t rows) {
  return s.expands ? RingRows(s, rows) * RowOf(s, s.in_w) * int64_t(sizeof(float)) : 0;
}
int64_t BytesOf(const SeparableSpec &s, int64_t rows) {
  return RingBytes(s, rows) + rows * RowOf(s, s.out_w) * int64_t(sizeof(float));
}

// Part of the expansion that bands compute twice.
double Repeated(const SeparableSpec &s, int64_t bands) {
  const double again = double(bands - 1) * double(std::max<int64_t>(0, s.kernel_h - s.stride_h)) / double(s.in_h);
  return again * s.expand_flops() / (s.expand_flops() + s.other_flops());
}

int64_t BandsOf(const SeparableSpec &s, int64_t threads) {
  int64_t best = 1;
  double least = 0;
  for (int64_t bands = 1; bands <= std::min(s.out_h, 2 * threads); ++bands) {
    const int64_t side_by_side = s.squeezed ? bands : s.batch * bands;  // with a squeeze one image follows another
    const int64_t turns = (side_by_side + threads - 1) / threads;
    const double time =
        double(turns) * double((s.out_h + bands - 1) / bands) / double(s.out_h) * (1 + Repeated(s, bands));
    if (bands == 1 || time < 0.99 * least) best = bands, least = time;
  }
  return best;
}

/// Bytes that go beyond the second-level cache where they do not stay there: written once and read once.
int64_t Beyond(int64_t bytes) { return bytes > kSecondLevel ? 2 * bytes : 0; }

SeparableTiles WholeImages(const SeparableSpec &s) {
  SeparableTiles t{true, s.out_h, s.in_h, 1, 0};
  if (s.expands) t.bytes = LargestGroup(s.blocks()) * s.c * s.in_h * s.in_w * int64_t(sizeof(float));
  return t;
}

}  // namespace

SeparableTiles CutSeparable(const SeparableSpec &s, int64_t threads) {
  SeparableTiles t{};
  const int64_t made = s.out_h * RowOf(s, s.out_w) * int64_t(sizeof(float));
  const SeparableTiles whole = WholeImages(s);
  if ((s.squeezed ? whole.bytes : made) <= kWhole) return whole;
  t.bands = BandsOf(s, threads);
  const int64_t band = (s.out_h + t.bands - 1) / t.bands;
  int64_t rows = 1;
  while (rows < band && BytesOf(s, rows + 1) <= kCached) ++rows;
  const int64_t steps = (band + rows - 1) / rows;
  t.rows = (band + steps - 1) / steps;
  t.ring = RingRows(s, t.rows);
  t.bytes = BytesOf(s, t.rows);
  if (s.squeezed) {
    t.bytes = RingBytes(s, t.rows);
    return t;
  }
  // Rows that do not stay in the cache are no better than whole images, and each turn reads the weights again.
  const int64_t weights = s.blocks() * s.c * (s.out_c + (s.expands ? s.in_c : 0)) * int64_t(sizeof(float));
  const int64_t again = weights > kCached ? ((s.out_h + t.rows - 1) / t.rows - 1) * weights : 0;
  const int64_t map = whole.bytes > kSecondLevel ? Beyond(s.in_h * RowOf(s, s.in_w) * int64_t(sizeof(float))) : 0;
  return t.bytes > 2 * kCached || again > Beyond(made) + map ? whole : t;
}

}  // namespace onednn
