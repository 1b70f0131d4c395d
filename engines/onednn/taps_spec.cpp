#include "taps_spec.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "conv.h"
#include "read_activation.h"

namespace onednn {

namespace {

constexpr const char *kAxisNames[] = {"depth", "height", "width"};
constexpr int64_t kMostStride = 128;  // a piece of a row holds whole strides

bool Is3D(const Node &node) {
  if (node.is("FusedConvTranspose")) return node.String("data_format", "NCHW").size() == 5;
  return std::strstr(node.type(), "3D") != nullptr;
}

// Values for depth, height and width of a list in the order of the format, or of the space alone, or of one value.
void ReadSteps(const Node &node, const char *name, const TapsSpec &s, int rank, int64_t TapsAxis::*field,
               TapsSpec *out) {
  const Dims list = ListOf(node, name);
  if (list.empty()) return;
  const int space = rank - 2, size = int(list.size());
  if (size != rank && size != space && size != 1) Refuse(name, " has ", size, " values, expected ", rank);
  const int first = size == rank ? (s.channels_last ? 1 : 2) : 0;
  for (int i = 0; i < space; ++i) {
    const int64_t value = size == 1 ? list[0] : list[size_t(first + i)];
    if (value < 1 || value > INT32_MAX) Refuse(name, " has ", value, ", expected a positive number below 2^31");
    out->axis[3 - space + i].*field = value;
  }
}

void ReadPads(const Node &node, int rank, TapsSpec *s) {
  Dims pads = ListOf(node, "pads");
  const size_t space = size_t(rank - 2);
  if (pads.empty()) return;
  if (rank == 5 && pads.size() == 3) pads = {pads[0], pads[0], pads[1], pads[1], pads[2], pads[2]};
  if (pads.size() != 2 * space) Refuse("pads has ", pads.size(), " values, expected ", 2 * space);
  for (int64_t p : pads)
    if (p < 0 || p > INT32_MAX) Refuse("pads has ", p, ", expected numbers from 0 to 2^31");
  for (size_t i = 0; i < space; ++i) {
    s->axis[3 - space + i].before = pads[2 * i];
    s->axis[3 - space + i].after = pads[2 * i + 1];
  }
}

void CheckLayout(const Tensor &t, const TapsSpec &s, int rank, const char *what) {
  if (!t.present()) return;
  if (!t.blocked()) {
    RequirePlain(t, what);
    if (t.ranked() && t.rank() != rank) Refuse(what, " has rank ", t.rank(), ", expected ", rank);
    return;
  }
  if (s.channels_last || rank != 4 || t.rank() != 5 || (t.c0() != 8 && t.c0() != 16))
    Refuse(what, ": only images of 8 or 16 channels per block are supported in NC1HWC0");
}

}  // namespace

TapsSpec ReadTapsSpec(const Node &node) {
  TapsSpec s;
  const bool deep = Is3D(node), fused = std::strncmp(node.type(), "Fused", 5) == 0;
  s.transposed = std::strstr(node.type(), "Transpose") != nullptr;
  const int rank = s.rank = deep ? 5 : 4;
  const char *first = deep ? "NCDHW" : "NCHW", *last = deep ? "NDHWC" : "NHWC";
  const std::string format =
      node.String("data_format", fused || ChannelsFirstByDefault(node) || node.is("Conv3DV2") ? first : last);
  if (format != first && format != last) Refuse("data_format ", format, " is not supported");
  s.channels_last = format == last;
  if (s.transposed) s.x_port = 1, s.filter_port = 2;
  RequireFloat(node.in(size_t(s.x_port)), "x");
  RequireFloat(node.in(size_t(s.filter_port)), "filter");
  if (node.out(0).present()) RequireFloat(node.out(0), "y");
  const int bias = s.filter_port + 1;
  if (node.in(size_t(bias)).present()) {
    RequireFloat(node.in(size_t(bias)), "bias");
    s.bias_port = bias;
  }
  if (fused) {
    s.activation = ActivationOf(node);
    if (!s.transposed && node.in(3).present()) {
      RequireFloat(node.in(3), "residual");
      s.residual_port = 3;
    }
  } else {
    for (size_t port = size_t(bias) + 1; port < node.inputs(); ++port)
      if (node.in(port).present()) Refuse("inputs behind the bias are not supported");
  }
  if (node.Int("offset_x", 0) != 0) Refuse("offset_x other than 0 is not supported");
  const std::string mode = node.String("pad_mode", "SPECIFIC");
  if (mode != "SPECIFIC") Refuse("pad_mode ", mode, " is not supported");
  ReadSteps(node, "strides", s, rank, &TapsAxis::stride, &s);
  ReadSteps(node, "dilations", s, rank, &TapsAxis::dilation, &s);
  ReadPads(node, rank, &s);
  for (const TapsAxis &a : s.axis)
    if (s.transposed && a.stride > kMostStride) Refuse("a stride of ", a.stride, " is above ", kMostStride);
  s.groups = node.Int("groups", 1);
  if (s.groups < 1) Refuse("groups is ", s.groups, ", expected at least 1");
  const Tensor filter = node.in(size_t(s.filter_port));
  if (filter.format() == C_FORMAT_NHWC || filter.format() == C_FORMAT_NDHWC)
    Refuse("a filter with its channels last is not supported");
  if (filter.format() != C_FORMAT_HWCN && filter.format() != C_FORMAT_DHWCN) RequirePlain(filter, "filter");
  if (filter.ranked() && filter.rank() != rank) Refuse("filter has rank ", filter.rank(), ", expected ", rank);
  CheckLayout(node.in(size_t(s.x_port)), s, rank, "x");
  CheckLayout(node.out(0), s, rank, "y");
  s.blocked_x = node.in(size_t(s.x_port)).blocked();
  s.blocked_y = node.out(0).present() && node.out(0).blocked();
  if (s.residual_port >= 0) {
    CheckLayout(node.in(3), s, rank, "residual");
    if (node.in(3).blocked() != s.blocked_y) Refuse("residual and y in different layouts are not supported");
  }
  return s;
}

void ReadTapsChannels(const Node &node, TapsSpec *s) {
  const Tensor x = node.in(size_t(s->x_port)), filter = node.in(size_t(s->filter_port));
  const Dims xd = x.logical(), f = filter.dims();
  const size_t rank = f.size(), space = rank - 2;
  const bool spatial_first = filter.format() == C_FORMAT_HWCN || filter.format() == C_FORMAT_DHWCN;
  if (xd.size() != rank) Refuse("x has rank ", xd.size(), ", the filter ", rank);
  // An ordinary filter is [out][in of a group], that of a transposed convolution [in][out of a group].
  const size_t a = spatial_first ? rank - 1 : 0, b = spatial_first ? rank - 2 : 1, k = spatial_first ? 0 : 2;
  s->in_c = xd[s->channels_last ? rank - 1 : 1];
  if (s->in_c < 1 || std::any_of(f.begin(), f.end(), [](int64_t d) { return d < 1; }))
    Refuse("channels or extents of the filter are open or 0");
  if (s->transposed ? f[a] != s->in_c || s->in_c % s->groups : f[b] * s->groups != s->in_c || f[a] % s->groups)
    Refuse("x has ", s->in_c, " channels, which do not fit filter ", ToText(f), " with ", s->groups, " groups");
  s->out_c = s->transposed ? f[b] * s->groups : f[a];
  Dims steps(rank, 1);
  for (size_t i = rank - 1; i-- > 0;) steps[i] = steps[i + 1] * f[i + 1];
  s->filter_out = steps[s->transposed ? b : a];
  s->filter_in = steps[s->transposed ? a : b];
  for (size_t i = 0; i < space; ++i) {
    s->axis[3 - space + i].kernel = f[k + i];
    s->filter_tap[3 - space + i] = steps[k + i];
  }
  if (s->bias_port >= 0 && Count(node.in(size_t(s->bias_port)).dims()) != s->out_c)
    Refuse("bias has ", Count(node.in(size_t(s->bias_port)).dims()), " values, expected ", s->out_c);
}

TapsPhase TapsSpec::PhaseOf(int index, int64_t phase) const {
  const TapsAxis &a = axis[index];
  if (!transposed) return {0, 1, a.out, a.kernel, 0, 1, -a.before, a.stride, a.dilation};
  TapsPhase p{phase, a.stride, phase < a.out ? (a.out - phase + a.stride - 1) / a.stride : 0, 0, 0, 1, 0, 1, 0};
  // Output o reads input i with filter position k where o + before - k * dilation = i * stride.
  const int64_t common = std::gcd(a.stride, a.dilation), at = phase + a.before;
  p.tap_step = a.stride / common;
  p.step = -(a.dilation / common);
  for (int64_t k = 0; k < std::min(a.kernel, p.tap_step); ++k) {
    const int64_t distance = at - k * a.dilation;
    if (distance % a.stride != 0) continue;
    p.tap = k;
    p.taps = (a.kernel - k + p.tap_step - 1) / p.tap_step;
    p.offset = distance / a.stride;
    break;
  }
  return p;
}

double TapsSpec::flops() const {
  double pixels = double(batch);
  for (const TapsAxis &a : axis) pixels *= double(transposed ? a.in : a.out);
  return 2.0 * pixels * double(transposed ? in_c : out_c) * double(transposed ? out_group() : in_group()) *
         double(taps()) / double(merged);
}

void TapsSpec::MergeGroups(int64_t c) {
  if (transposed || depthwise() || groups == 1 || c % out_group() != 0) return;
  merged = std::gcd(c / out_group(), groups);
  groups /= merged;
}

void TapsSpec::SetExtents(const int64_t *x, const int64_t *y) {
  // Blocked or not, images and volumes with channels first have their space from dimension 2 on.
  const size_t first = channels_last ? 1 : 2;
  const size_t space = size_t(rank) - 2;
  batch = x[0];
  for (size_t i = 0; i < space; ++i) {
    TapsAxis &a = axis[3 - space + i];
    a.in = x[first + i], a.out = y[first + i];
    if (a.in < 1 || a.out < 1) Refuse("empty tensors are not supported");
    constexpr int64_t kMost = int64_t{1} << 40;  // keeps all positions far from overflow
    if (a.in > kMost || a.out > kMost || a.kernel > (int64_t{1} << 24)) Refuse("an extent above 2^40 is not supported");
    const int64_t window = (a.kernel - 1) * a.dilation + 1, room = a.in + a.before + a.after - window;
    if (!transposed && (room < 0 || a.out != room / a.stride + 1))
      Refuse("y's ", kAxisNames[3 - space + i], " is ", a.out, ", that of x (", a.in, ") and the window give ",
             room < 0 ? 0 : room / a.stride + 1);
  }
  if (batch < 1 || y[0] != batch) Refuse("y has ", y[0], " images, x ", batch);
  const int64_t channels = y[channels_last ? rank - 1 : 1];
  if (!blocked_y && channels != out_c) Refuse("y has ", channels, " channels, the filter ", out_c);
  MergeAxes();
}

void TapsSpec::MergeAxes() {
  // Neighbours along which nothing slides are one axis, and rows are the longest one: kernels work along rows.
  auto still = [&](const TapsAxis &a) {
    return a.kernel == 1 && a.stride == 1 && a.before == 0 && a.after == 0 && a.in == a.out;
  };
  auto single = [&](const TapsAxis &a) { return a.in == 1 && a.out == 1 && still(a); };
  for (int i = 1; i >= 0; --i) {
    TapsAxis &a = axis[i], &b = axis[i + 1];
    if (single(b)) {
      std::swap(a, b);
      std::swap(filter_tap[i], filter_tap[i + 1]);
    } else if (still(a) && still(b)) {
      b.in *= a.in, b.out *= a.out;
      a.in = a.out = 1;
    }
  }
  for (int i = 0; i < 2; ++i)  // what was merged into the first axes moves on to the rows
    if (single(axis[i + 1])) {
      std::swap(axis[i], axis[i + 1]);
      std::swap(filter_tap[i], filter_tap[i + 1]);
    }
}

}  // namespace onednn
