// FusedSeparableConv2D: three convolutions by their definition, image by image.
#include <algorithm>

#include "common/activation.h"
#include "conv/conv_setup.h"
#include "registry.h"

namespace reference {
namespace {

enum Port {
  kX,
  kDepthwise,
  kProject,
  kExpand,
  kExpandBias,
  kDepthwiseBias,
  kProjectBias,
  kResidual,
  kSqueeze,
  kSqueezeBias,
  kExcite,
  kExciteBias,
  kPorts
};

struct Separable {
  Image x, y, depthwise, project, expand, squeeze, excite;  // of filters: n output channels, c input channels, h, w
  Window window;
  int64_t channels;  // of the depthwise convolution
  bool expands, residual, excites;
  Activation after[3], squeeze_after, excite_after;
  LoadFn<float> load[kPorts] = {};
  StoreFn<float> store = nullptr;

  int64_t expanded_floats() const { return expands ? channels * x.h * x.w : 0; }
  int64_t excitation_floats() const { return excites ? 2 * channels + squeeze.n : 0; }
};

void CheckChannels(const Node &node, const Image &filter, const char *name, int64_t in, int64_t out) {
  if (filter.c == in && filter.n == out && filter.h * filter.w > 0) return;
  Fail(GE_PARAM_INVALID, "%s: %s has %lld output and %lld input channels, expected %lld and %lld", node.label().c_str(),
       name, (long long)filter.n, (long long)filter.c, (long long)out, (long long)in);
}

void CheckBias(const Node &node, int port, const char *name, int64_t channels) {
  if (node.has(port) && node.in_count(port) != channels)
    Fail(GE_PARAM_INVALID, "%s: %s has %lld values, expected %lld", node.label().c_str(), name,
         (long long)node.in_count(port), (long long)channels);
}

void CheckOne(const Node &node, const Image &filter, const char *name) {
  if (filter.h != 1 || filter.w != 1)
    Fail(GE_PARAM_INVALID, "%s: %s has %lld by %lld positions, expected 1 by 1", node.label().c_str(), name,
         (long long)filter.h, (long long)filter.w);
}

void ReadExtents(const Node &node, Separable *s) {
  Window &w = s->window;
  w.kh = s->depthwise.h, w.kw = s->depthwise.w;
  ReadPair(node, "strides", false, &w.sh, &w.sw);
  ReadPads(node, "pads", &w);
  const int64_t oh = (s->x.h + w.top + w.bottom - w.kh) / w.sh + 1, ow = (s->x.w + w.left + w.right - w.kw) / w.sw + 1;
  if (s->y.h != oh || s->y.w != ow || s->y.n != s->x.n)
    Fail(GE_PARAM_INVALID, "%s: y is %lld images of %lld x %lld, x and the window give %lld of %lld x %lld",
         node.label().c_str(), (long long)s->y.n, (long long)s->y.h, (long long)s->y.w, (long long)s->x.n,
         (long long)oh, (long long)ow);
  if (s->residual && !(node.in_dims(kResidual) == node.out_dims(0)))
    Fail(GE_PARAM_INVALID, "%s: residual has shape %s, expected %s", node.label().c_str(),
         ToText(node.in_dims(kResidual)).c_str(), ToText(node.out_dims(0)).c_str());
}

void ReadExcitation(const Node &node, Separable *s) {
  s->excites = node.has(kSqueeze);
  if (s->excites != node.has(kExcite))
    Fail(GE_PARAM_INVALID, "%s: of squeeze_filter and excite_filter one is missing", node.label().c_str());
  if (!s->excites) return;
  s->squeeze = FilterOf(node, kSqueeze, 4), s->excite = FilterOf(node, kExcite, 4);
  CheckChannels(node, s->squeeze, "squeeze_filter", s->channels, s->squeeze.n);
  CheckOne(node, s->squeeze, "squeeze_filter");
  CheckChannels(node, s->excite, "excite_filter", s->squeeze.n, s->channels);
  CheckOne(node, s->excite, "excite_filter");
  CheckBias(node, kSqueezeBias, "squeeze_bias", s->squeeze.n);
  CheckBias(node, kExciteBias, "excite_bias", s->channels);
  s->squeeze_after = ReadActivation(node, "squeeze_");
  s->excite_after = ReadActivation(node, "excite_");
}

Separable Read(const Node &node) {
  Separable s{};
  s.x = ImageOf(node, node.in_dims(kX), false), s.y = ImageOf(node, node.out_dims(0), false);
  s.depthwise = FilterOf(node, kDepthwise, 4), s.project = FilterOf(node, kProject, 4);
  s.expands = node.has(kExpand), s.residual = node.has(kResidual);
  s.channels = s.x.c;
  if (s.expands) {
    s.expand = FilterOf(node, kExpand, 4);
    s.channels = s.expand.n;
    CheckChannels(node, s.expand, "expand_filter", s.x.c, s.channels);
    CheckOne(node, s.expand, "expand_filter");
  }
  CheckChannels(node, s.depthwise, "depthwise_filter", 1, s.channels);
  CheckChannels(node, s.project, "project_filter", s.channels, s.y.c);
  CheckOne(node, s.project, "project_filter");
  CheckBias(node, kExpandBias, "expand_bias", s.channels);
  CheckBias(node, kDepthwiseBias, "depthwise_bias", s.channels);
  CheckBias(node, kProjectBias, "project_bias", s.y.c);
  ReadExcitation(node, &s);
  ReadExtents(node, &s);
  s.after[0] = ReadActivation(node, "expand_");
  s.after[1] = ReadActivation(node, "depthwise_");
  s.after[2] = ReadActivation(node);
  for (int port = 0; port < kPorts; ++port)
    if (node.has(port)) s.load[port] = Loader<float>(node.in_type(port));
  s.store = Storer<float>(node.out_type(0));
  return s;
}

float One(const Call &call, const Separable &s, int port, int64_t at) {
  float value = 0;
  if (s.load[port]) s.load[port](call.in(size_t(port)), at, 1, 1, &value);
  return value;
}

// A plane of the sum over planes of `from`.
void Mix(const Call &call, const Separable &s, const Image &filter, int filter_port, int bias_port, int64_t out,
         const float *from, int64_t pixels, float *to) {
  std::fill(to, to + pixels, One(call, s, bias_port, out));
  for (int64_t c = 0; c < filter.c; ++c) {
    const float weight = One(call, s, filter_port, out * filter.sn + c * filter.sc);
    for (int64_t p = 0; p < pixels; ++p) to[p] += weight * from[c * pixels + p];
  }
}

// A plane of the depthwise convolution.
void Slide(const Call &call, const Separable &s, int64_t channel, const float *from, float *to) {
  const Window &w = s.window;
  std::fill(to, to + s.y.h * s.y.w, One(call, s, kDepthwiseBias, channel));
  for (int64_t a = 0; a < w.kh; ++a)
    for (int64_t b = 0; b < w.kw; ++b) {
      const Image &f = s.depthwise;
      const float weight = One(call, s, kDepthwise, channel * f.sn + a * f.sh + b * f.sw);
      for (int64_t i = 0; i < s.y.h; ++i)
        for (int64_t j = 0; j < s.y.w; ++j) {
          const int64_t p = i * w.sh + a - w.top, q = j * w.sw + b - w.left;
          if (p >= 0 && p < s.x.h && q >= 0 && q < s.x.w) to[i * s.y.w + j] += weight * from[p * s.x.w + q];
        }
    }
}

// Multiplies each plane with what the means of all planes make of it.
void Excite(const Call &call, const Separable &s, float *planes, int64_t pixels, float *room) {
  float *means = room, *factors = means + s.channels, *squeezed = factors + s.channels;
  for (int64_t c = 0; c < s.channels; ++c) {
    double sum = 0;
    for (int64_t p = 0; p < pixels; ++p) sum += planes[c * pixels + p];
    means[c] = float(sum / double(pixels));
  }
  for (int64_t r = 0; r < s.squeeze.n; ++r) Mix(call, s, s.squeeze, kSqueeze, kSqueezeBias, r, means, 1, squeezed + r);
  s.squeeze_after.Apply(squeezed, s.squeeze.n);
  for (int64_t c = 0; c < s.channels; ++c) Mix(call, s, s.excite, kExcite, kExciteBias, c, squeezed, 1, factors + c);
  s.excite_after.Apply(factors, s.channels);
  for (int64_t c = 0; c < s.channels; ++c)
    for (int64_t p = 0; p < pixels; ++p) planes[c * pixels + p] *= factors[c];
}

void Run(const Call &call, const Separable &s) {
  const int64_t in = s.x.h * s.x.w, out = s.y.h * s.y.w;
  float *x = call.workspace<float>(), *expanded = s.expands ? x + s.x.c * in : x;
  float *made = x + s.x.c * in + s.expanded_floats(), *sums = made + s.channels * out, *added = sums + s.y.c * out;
  float *excitation = added + s.y.c * out;
  for (int64_t image = 0; image < s.x.n; ++image) {
    s.load[kX](call.in(kX), image * s.x.sn, 1, s.x.c * in, x);
    if (s.residual) s.load[kResidual](call.in(kResidual), image * s.y.sn, 1, s.y.c * out, added);
    call.Parallel(s.channels, 1 + 4096 / (in + 1), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        if (s.expands) {
          Mix(call, s, s.expand, kExpand, kExpandBias, c, x, in, expanded + c * in);
          s.after[0].Apply(expanded + c * in, in);
        }
        Slide(call, s, c, expanded + c * in, made + c * out);
        s.after[1].Apply(made + c * out, out);
      }
    });
    if (s.excites) Excite(call, s, made, out, excitation);
    call.Parallel(s.y.c, 1 + 4096 / (out + 1), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        float *plane = sums + c * out;
        Mix(call, s, s.project, kProject, kProjectBias, c, made, out, plane);
        for (int64_t p = 0; p < out && s.residual; ++p) plane[p] += added[c * out + p];
        s.after[2].Apply(plane, out);
        s.store(plane, out, call.out(0), image * s.y.sn + c * s.y.sc, 1);
      }
    });
  }
}

void CheckSeparable(const Node &node) {
  ReadActivation(node, "expand_");
  ReadActivation(node, "depthwise_");
  ReadActivation(node, "squeeze_");
  ReadActivation(node, "excite_");
  ReadActivation(node);
}

Kernel CreateSeparable(const Node &node, const OpEntry &) {
  const Separable s = Read(node);
  Kernel kernel;
  const int64_t out = s.y.h * s.y.w;
  const int64_t floats =
      s.x.c * s.x.h * s.x.w + s.expanded_floats() + (s.channels + 2 * s.y.c) * out + s.excitation_floats();
  kernel.workspace = uint64_t(floats) * sizeof(float);
  const int64_t taps = s.window.kh * s.window.kw;
  kernel.flops = 2.0 * double(s.x.n * s.channels) *
                 (double(s.y.h * s.y.w) * double(taps + s.y.c) + (s.expands ? double(s.x.c * s.x.h * s.x.w) : 0));
  kernel.run = [s](const Call &call) { Run(call, s); };
  return kernel;
}

const OpEntry kSeparable[] = {{"FusedSeparableConv2D", kFloats32, &CreateSeparable, &CheckSeparable}};

}  // namespace

OpTable SeparableConvOps() { return TableOf(kSeparable); }

}  // namespace reference
