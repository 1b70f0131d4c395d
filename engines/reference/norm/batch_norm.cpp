// Normalisation with one mean and variance per channel.
#include <cmath>
#include <string_view>

#include "reduce/lines.h"
#include "registry.h"

namespace reference {
namespace {

// x as [outer, channels, inner].
struct Channels {
  int64_t outer = 1, channels = 1, inner = 1;
};

Channels ChannelsOf(const Node &node, bool last) {
  Dims x = node.in_dims(0);
  if (x.n < 2) Fail(GE_PARAM_INVALID, "%s: rank of x is %d, expected at least 2", node.label().c_str(), x.n);
  if (last) return {x.count(0, x.n - 1), x[x.n - 1], 1};
  return {x[0], x[1], x.count(2, x.n)};
}

double Value(LoadFn<double> load, const void *data, int64_t i) {
  double v;
  load(data, i, 1, 1, &v);
  return v;
}

// y = x * factor[c] + shift[c] for every channel; both arrays have one double per channel.
void Scale(const Call &call, const Channels &s, LoadFn<double> load, StoreFn<double> store, const double *factor,
           const double *shift) {
  constexpr int64_t kRun = 256;
  if (s.inner == 1) {
    call.Parallel(s.outer, std::max<int64_t>(1, 4096 / (s.channels + 1)), [&](int64_t begin, int64_t end) {
      double v[kRun];
      for (int64_t o = begin; o < end; ++o)
        for (int64_t c = 0; c < s.channels; c += kRun) {
          int64_t n = std::min(kRun, s.channels - c);
          load(call.in(0), o * s.channels + c, 1, n, v);
          for (int64_t i = 0; i < n; ++i) v[i] = v[i] * factor[c + i] + shift[c + i];
          store(v, n, call.out(0), o * s.channels + c, 1);
        }
    });
    return;
  }
  call.Parallel(s.outer * s.channels, std::max<int64_t>(1, 4096 / (s.inner + 1)), [&](int64_t begin, int64_t end) {
    double v[kRun];
    for (int64_t row = begin; row < end; ++row) {
      const double f = factor[row % s.channels], b = shift[row % s.channels];
      for (int64_t at = 0; at < s.inner; at += kRun) {
        int64_t n = std::min(kRun, s.inner - at);
        load(call.in(0), row * s.inner + at, 1, n, v);
        for (int64_t i = 0; i < n; ++i) v[i] = v[i] * f + b;
        store(v, n, call.out(0), row * s.inner + at, 1);
      }
    }
  });
}

void MeanAndVariance(const Call &call, const Channels &s, LoadFn<double> load, double *mean, double *variance) {
  call.Parallel(s.channels, 1, [&](int64_t begin, int64_t end) {
    constexpr int64_t kRun = 256;
    double v[kRun];
    const double count = double(s.outer * s.inner);
    for (int64_t c = begin; c < end; ++c) {
      auto fold = [&](auto f) {
        double sum = 0;
        for (int64_t o = 0; o < s.outer; ++o)
          for (int64_t at = 0; at < s.inner; at += kRun) {
            int64_t n = std::min(kRun, s.inner - at);
            load(call.in(0), (o * s.channels + c) * s.inner + at, 1, n, v);
            for (int64_t i = 0; i < n; ++i) sum += f(v[i]);
          }
        return sum / count;
      };
      const double m = fold([](double x) { return x; });
      mean[c] = m;
      variance[c] = fold([m](double x) { return (x - m) * (x - m); });
    }
  });
}

// BNInfer and BatchNorm. Training also gives the batch's statistics.
Kernel CreateBatchNorm(const Node &node, const OpEntry &) {
  const bool infer = std::string_view(node.type()) == "BNInfer";
  const std::string label = node.label();
  const int32_t format = node.in(0).format;
  const std::string data_format = node.String("data_format", "NHWC");
  const bool last =
      infer ? format == C_FORMAT_NHWC || format == C_FORMAT_NDHWC : data_format == "NHWC" || data_format == "NDHWC";
  const bool training = !infer && node.Bool("is_training", true);
  const Channels s = ChannelsOf(node, last);
  const double epsilon = node.Float("epsilon", 1e-4f), factor = node.Float("exponential_avg_factor", 1.0);
  const int parameters = training ? 3 : 5;
  for (int i = 1; i < parameters; ++i)
    if (node.in_count(i) != s.channels)
      Fail(GE_PARAM_INVALID, "%s: input %d has %lld values, expected one for each of %lld channels", label.c_str(), i,
           (long long)node.in_count(i), (long long)s.channels);
  LoadFn<double> load[5] = {};
  for (int i = 0; i < 5; ++i)
    if (node.has(i)) load[i] = Loader<double>(node.in_type(i));
  std::vector<StoreFn<double>> stores;
  for (int o = 0; o < node.outputs(); ++o)
    stores.push_back(node.has_out(o) && node.out_count(o) == (o == 0 ? node.in_count(0) : s.channels)
                         ? Storer<double>(node.out_type(o))
                         : nullptr);
  const bool averaged = training && factor != 1.0 && node.has(3) && node.has(4);
  Kernel kernel;
  kernel.workspace = uint64_t(s.channels) * 4 * sizeof(double);
  kernel.flops = 2.0 * double(node.in_count(0));
  if (!training) AddInPlace(node, &kernel, 1);
  kernel.run = [=, load0 = load[0], scale = load[1], offset = load[2], load_mean = load[3],
                load_variance = load[4]](const Call &call) {
    double *mean = call.workspace<double>(), *variance = mean + s.channels;
    double *multiply = variance + s.channels, *add = multiply + s.channels;
    if (training) {
      MeanAndVariance(call, s, load0, mean, variance);
    } else {
      load_mean(call.in(3), 0, 1, s.channels, mean);
      load_variance(call.in(4), 0, 1, s.channels, variance);
    }
    for (int64_t c = 0; c < s.channels; ++c) {
      multiply[c] = Value(scale, call.in(1), c) / std::sqrt(variance[c] + epsilon);
      add[c] = Value(offset, call.in(2), c) - mean[c] * multiply[c];
    }
    Scale(call, s, load0, stores[0], multiply, add);
    auto put = [&](size_t port, const double *values) {
      if (port < stores.size() && stores[port] && call.out(port))
        stores[port](values, s.channels, call.out(port), 0, 1);
    };
    // The reserved outputs keep what a gradient needs: mean and variance of the batch as they are.
    put(3, mean);
    put(4, variance);
    if (training) {
      const double count = double(s.outer * s.inner), unbias = count > 1 ? count / (count - 1) : 1.0;
      for (int64_t c = 0; c < s.channels; ++c) {
        variance[c] *= unbias;
        if (averaged) {
          mean[c] = (1 - factor) * Value(load_mean, call.in(3), c) + factor * mean[c];
          variance[c] = (1 - factor) * Value(load_variance, call.in(4), c) + factor * variance[c];
        }
      }
    }
    put(1, mean);
    put(2, variance);
  };
  return kernel;
}

const OpEntry kBatchNorm[] = {
    {"BNInfer", kFloats, &CreateBatchNorm},
    {"BatchNorm", kFloats, &CreateBatchNorm},
};

}  // namespace

OpTable BatchNormOps() { return TableOf(kBatchNorm); }

}  // namespace reference
