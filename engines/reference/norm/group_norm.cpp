// Normalisation of groups of channels, and of a channel by its neighbours (LRN).
#include <algorithm>
#include <cmath>
#include <string_view>

#include "common/node.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kRun = 256;

// x as [batch, channels, inner] or [batch, inner, channels].
struct GroupLayout {
  int64_t batch = 1, channels = 1, inner = 1;
  bool last = false;

  int64_t base(int64_t n, int64_t c) const { return last ? n * channels * inner + c : (n * channels + c) * inner; }
  int64_t stride() const { return last ? channels : 1; }
};

GroupLayout LayoutOf(const Node &node, bool last) {
  Dims x = node.in_dims(0);
  if (x.n < 2) Fail(GE_PARAM_INVALID, "%s: rank of x is %d, expected at least 2", node.label().c_str(), x.n);
  if (last) return {x[0], x[x.n - 1], x.count(1, x.n - 1), true};
  return {x[0], x[1], x.count(2, x.n), false};
}

// GroupNorm gives the inverse root of the variance, InstanceNorm (groups of one channel) the variance.
Kernel CreateGroupNorm(const Node &node, const OpEntry &) {
  const bool instance = std::string_view(node.type()) == "InstanceNorm";
  const std::string label = node.label(), format = node.String("data_format", "NDHWC");
  const bool last = instance && format.size() > 2 && format.back() == 'C';
  const GroupLayout x = LayoutOf(node, last);
  const int64_t groups = instance ? x.channels : node.Int("num_groups", 1);
  const double epsilon = instance ? node.Float("epsilon", 1e-6f) : node.Float("eps", 1e-5f);
  if (groups <= 0 || x.channels % groups)
    Fail(GE_PARAM_INVALID, "%s: %lld channels cannot be divided into %lld groups", label.c_str(), (long long)x.channels,
         (long long)groups);
  const int64_t size = x.channels / groups;
  LoadFn<double> load = Loader<double>(node.in_type(0)), scale = nullptr, shift = nullptr;
  for (int port = 1; port <= 2; ++port) {
    if (!node.has(port)) continue;
    (port == 1 ? scale : shift) = Loader<double>(node.in_type(port));
    if (node.in_count(port) != x.channels)
      Fail(GE_PARAM_INVALID, "%s: input %d has %lld values, expected %lld", label.c_str(), port,
           (long long)node.in_count(port), (long long)x.channels);
  }
  StoreFn<double> store = Storer<double>(node.out_type(0)), statistics[2] = {};
  for (int o = 1; o <= 2; ++o)
    if (node.has_out(o) && node.out_count(o) == x.batch * groups) statistics[o - 1] = Storer<double>(node.out_type(o));
  Kernel kernel;
  kernel.flops = 5.0 * double(node.in_count(0));
  AddInPlace(node, &kernel, 1);
  kernel.run = [=, mean_store = statistics[0], spread_store = statistics[1]](const Call &call) {
    const int64_t grain = std::max<int64_t>(1, 8192 / (size * x.inner + 1));
    call.Parallel(x.batch * groups, grain, [&](int64_t begin, int64_t end) {
      double v[kRun];
      for (int64_t t = begin; t < end; ++t) {
        const int64_t n = t / groups, first = t % groups * size;
        auto each = [&](auto visit) {
          for (int64_t c = first; c < first + size; ++c)
            for (int64_t at = 0; at < x.inner; at += kRun) {
              const int64_t count = std::min(kRun, x.inner - at), offset = x.base(n, c) + at * x.stride();
              load(call.in(0), offset, x.stride(), count, v);
              visit(c, offset, count);
            }
        };
        const double elements = double(size * x.inner);
        double mean = 0, variance = 0;
        each([&](int64_t, int64_t, int64_t count) {
          for (int64_t i = 0; i < count; ++i) mean += v[i];
        });
        mean /= elements;
        each([&](int64_t, int64_t, int64_t count) {
          for (int64_t i = 0; i < count; ++i) variance += (v[i] - mean) * (v[i] - mean);
        });
        variance /= elements;
        const double rstd = 1.0 / std::sqrt(variance + epsilon);
        each([&](int64_t c, int64_t offset, int64_t count) {
          double factor = 1, addend = 0;
          if (scale) scale(call.in(1), c, 1, 1, &factor);
          if (shift) shift(call.in(2), c, 1, 1, &addend);
          for (int64_t i = 0; i < count; ++i) v[i] = (v[i] - mean) * rstd * factor + addend;
          store(v, count, call.out(0), offset, x.stride());
        });
        const double spread = instance ? variance : rstd;
        if (mean_store && call.out(1)) mean_store(&mean, 1, call.out(1), t, 1);
        if (spread_store && call.out(2)) spread_store(&spread, 1, call.out(2), t, 1);
      }
    });
  };
  return kernel;
}

// x / (bias + alpha * sum of squares of 2 * depth_radius + 1 neighbouring channels)^beta
Kernel CreateLrn(const Node &node, const OpEntry &) {
  const GroupLayout x = LayoutOf(node, node.in(0).format == C_FORMAT_NHWC);
  const int64_t radius = node.Int("depth_radius", 5);
  const double bias = node.Float("bias", 1), alpha = node.Float("alpha", 1), beta = node.Float("beta", 0.5);
  auto load = Loader<double>(node.in_type(0));
  auto store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    call.Parallel(x.batch * x.channels, 1, [&](int64_t begin, int64_t end) {
      double sum[kRun], v[kRun];
      for (int64_t t = begin; t < end; ++t) {
        const int64_t n = t / x.channels, c = t % x.channels;
        const int64_t from = std::max<int64_t>(0, c - radius), to = std::min(x.channels, c + radius + 1);
        for (int64_t at = 0; at < x.inner; at += kRun) {
          const int64_t count = std::min(kRun, x.inner - at);
          std::fill(sum, sum + count, 0.0);
          for (int64_t k = from; k < to; ++k) {
            load(call.in(0), x.base(n, k) + at * x.stride(), x.stride(), count, v);
            for (int64_t i = 0; i < count; ++i) sum[i] += v[i] * v[i];
          }
          load(call.in(0), x.base(n, c) + at * x.stride(), x.stride(), count, v);
          for (int64_t i = 0; i < count; ++i) v[i] /= std::pow(bias + alpha * sum[i], beta);
          store(v, count, call.out(0), x.base(n, c) + at * x.stride(), x.stride());
        }
      }
    });
  };
  return kernel;
}

void CheckLrn(const Node &node) {
  std::string region = node.String("norm_region", "ACROSS_CHANNELS");
  if (region != "ACROSS_CHANNELS")
    Fail(GE_UNSUPPORTED, "%s: norm_region '%s' is not supported, expected ACROSS_CHANNELS", node.label().c_str(),
         region.c_str());
}

const OpEntry kGroupNorm[] = {
    {"GroupNorm", kFloats, &CreateGroupNorm},
    {"InstanceNorm", kFloats, &CreateGroupNorm},
    {"LRN", kFloats, &CreateLrn, &CheckLrn},
};

}  // namespace

OpTable GroupNormOps() { return TableOf(kGroupNorm); }

}  // namespace reference
