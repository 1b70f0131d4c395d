// Softmax along an axis, and normalisations of trailing dimensions. A thread computes a row; sums are taken in double.
#include <cmath>

#include "grid.h"

namespace cuda_engine {
namespace {

struct SoftmaxCall {
  int64_t outer = 1, n = 1, inner = 1;  // element k of a row lies k * inner behind its first
  bool log = false;
  const float *x = nullptr;
  float *y = nullptr;
};

__global__ void Softmax(SoftmaxCall call) {
  ForMine(call.outer * call.inner, [&](int64_t row) {
    const int64_t first = row / call.inner * call.n * call.inner + row % call.inner;
    const float *x = call.x + first;
    float *y = call.y + first;
    float top = -INFINITY;
    for (int64_t k = 0; k < call.n; ++k) {
      const float v = x[k * call.inner];
      if (v > top || v != v) top = v;
    }
    double sum = 0;
    for (int64_t k = 0; k < call.n; ++k) sum += expf(x[k * call.inner] - top);
    const float total = call.log ? static_cast<float>(log(sum)) : static_cast<float>(sum);
    for (int64_t k = 0; k < call.n; ++k) {
      const float v = x[k * call.inner] - top;
      y[k * call.inner] = call.log ? v - total : expf(v) / total;
    }
  });
}

class SoftmaxKernel : public DeviceKernel {
 public:
  explicit SoftmaxKernel(const Node &node) {
    implementation = "cuda:softmax";
    const Dims dims = node.in(0).dims();
    const size_t axis = static_cast<size_t>(Axis(node));
    call_.outer = Count(dims, 0, axis);
    call_.n = dims[axis];
    call_.inner = Count(dims, axis + 1);
    call_.log = node.is("LogSoftmaxV2");
    flops = 5.0 * static_cast<double>(Count(dims));
    aliases.push_back({GE_ALIAS_IN_PLACE, 0, 0, 0, 0});
  }
  static int64_t Axis(const Node &node) {
    const std::vector<int64_t> axes = node.has("axes") ? node.Ints("axes") : std::vector<int64_t>{-1};
    if (axes.size() != 1) Refuse("axes has ", axes.size(), " values, the kernel takes one");
    return ge::kit::NormalAxis(axes[0], node.in(0).rank());
  }

 private:
  void Give(const GeKernelArgs &args, cudaStream_t stream) const override {
    SoftmaxCall call = call_;
    call.x = FloatIn(args, 0);
    call.y = FloatOut(args, 0);
    Launch(&Softmax, call, call.n ? call.outer * call.inner : 0, stream);
  }
  SoftmaxCall call_;
};

void CheckSoftmax(const Node &node) {
  RequireFloat(node.in(0), "x");
  RequireFloat(node.out(0), "y");
  if (node.in(0).ranked()) SoftmaxKernel::Axis(node);
}

struct NormCall {
  int64_t rows = 1, length = 1;
  int64_t parameters = 1;  // gamma and beta repeat with this period
  double epsilon = 0;
  bool centre = true;               // false: of the root mean square
  bool spread_is_variance = false;  // else 1 / sqrt(variance + epsilon)
  const float *x = nullptr, *gamma = nullptr, *beta = nullptr;
  float *y = nullptr, *mean = nullptr, *spread = nullptr;
};

__global__ void Norm(NormCall call) {
  ForMine(call.rows, [&](int64_t row) {
    const float *x = call.x + row * call.length;
    float *y = call.y + row * call.length;
    double mean = 0, squares = 0;
    if (call.centre) {
      for (int64_t k = 0; k < call.length; ++k) mean += x[k];
      mean /= static_cast<double>(call.length);
    }
    for (int64_t k = 0; k < call.length; ++k) squares += (x[k] - mean) * (x[k] - mean);
    const double variance = squares / static_cast<double>(call.length), scale = 1.0 / sqrt(variance + call.epsilon);
    for (int64_t k = 0; k < call.length; ++k) {
      const int64_t p = (row * call.length + k) % call.parameters;
      double v = (x[k] - mean) * scale;
      if (call.gamma) v *= call.gamma[p];
      if (call.beta) v += call.beta[p];
      y[k] = static_cast<float>(v);
    }
    if (call.mean) call.mean[row] = static_cast<float>(mean);
    if (call.spread) call.spread[row] = static_cast<float>(call.spread_is_variance ? variance : scale);
  });
}

constexpr size_t kNoPort = SIZE_MAX;

/// What differs between the operators of the family.
struct NormPorts {
  const char *type;
  size_t gamma, beta;   // inputs
  size_t mean, spread;  // outputs
  bool spread_is_variance;
  double epsilon;                     // where the attribute is absent
  int64_t (*axis)(const Node &node);  // the first dimension of a row
};
int64_t AxisByAttribute(const Node &node) {
  return ge::kit::NormalAxis(node.Int("begin_norm_axis", 0), node.in(0).rank());
}
/// As many dimensions as normalized_shape has values.
int64_t AxisByShape(const Node &node) { return node.in(0).rank() - node.in(1).elements(); }
int64_t AxisByGamma(const Node &node) { return node.in(0).rank() - std::max(1, node.in(1).rank()); }

const NormPorts &PortsOf(const Node &node) {
  static const NormPorts kPorts[] = {
      {"LayerNorm", 1, 2, 1, 2, true, 1e-7f, &AxisByAttribute},
      {"LayerNormV3", 1, 2, 1, 2, false, 1e-5f, &AxisByAttribute},
      {"LayerNormV4", 2, 3, 1, 2, false, 1e-5f, &AxisByShape},
      {"RmsNorm", 1, kNoPort, kNoPort, 1, false, 1e-6f, &AxisByGamma},
  };
  for (const NormPorts &ports : kPorts)
    if (node.is(ports.type)) return ports;
  Refuse("no normalisation");
}

class NormKernel : public DeviceKernel {
 public:
  explicit NormKernel(const Node &node) : ports_(PortsOf(node)) {
    implementation = ports_.beta == kNoPort ? "cuda:rms norm" : "cuda:layer norm";
    const Dims x = node.in(0).dims();
    const int64_t axis = ports_.axis(node);
    if (axis < 0) Refuse("the rows have more dimensions than x, which has ", x.size());
    call_.rows = Count(x, 0, static_cast<size_t>(axis));
    call_.length = Count(x, static_cast<size_t>(axis));
    const bool named = node.has("begin_params_axis");
    const int64_t from = named ? ge::kit::NormalAxis(node.Int("begin_params_axis", 0), node.in(0).rank()) : axis;
    call_.parameters = Count(x, static_cast<size_t>(from));
    call_.centre = ports_.mean != kNoPort;
    call_.spread_is_variance = ports_.spread_is_variance;
    call_.epsilon = node.Float("epsilon", ports_.epsilon);
    for (size_t port : {ports_.gamma, ports_.beta})
      if (node.in(port).present() && node.in(port).elements() != call_.parameters)
        Refuse("input ", port, " has ", node.in(port).elements(), " values, expected ", call_.parameters);
    for (size_t port : {ports_.mean, ports_.spread})
      if (node.out(port).present() && node.out(port).elements() != call_.rows)
        Refuse("output ", port, " has ", node.out(port).elements(), " values, expected ", call_.rows);
    flops = 8.0 * static_cast<double>(Count(x));
    inputs_ = node.inputs();
    outputs_ = node.outputs();
  }

 private:
  void Give(const GeKernelArgs &args, cudaStream_t stream) const override {
    NormCall call = call_;
    call.x = FloatIn(args, 0);
    if (ports_.gamma < inputs_) call.gamma = FloatIn(args, ports_.gamma);
    if (ports_.beta < inputs_) call.beta = FloatIn(args, ports_.beta);
    call.y = FloatOut(args, 0);
    if (ports_.mean < outputs_) call.mean = FloatOut(args, ports_.mean);
    if (ports_.spread < outputs_) call.spread = FloatOut(args, ports_.spread);
    Launch(&Norm, call, call.length ? call.rows : 0, stream);
  }
  const NormPorts &ports_;
  NormCall call_;
  size_t inputs_ = 0, outputs_ = 0;
};

void CheckNorm(const Node &node) {
  const NormPorts &ports = PortsOf(node);
  RequireFloat(node.in(0), "x");
  for (size_t port : {ports.gamma, ports.beta})
    if (node.in(port).present()) RequireFloat(node.in(port), "gamma and beta");
  for (size_t o = 0; o < node.outputs(); ++o)
    if (node.out(o).present()) RequireFloat(node.out(o), "the outputs");
}

}  // namespace

const Family &SoftmaxFamily() {
  static const Family family = {&CheckSoftmax, [](const Node &node) -> std::unique_ptr<DeviceKernel> {
                                  return std::make_unique<SoftmaxKernel>(node);
                                }};
  return family;
}
const Family &NormFamily() {
  static const Family family = {
      &CheckNorm, [](const Node &node) -> std::unique_ptr<DeviceKernel> { return std::make_unique<NormKernel>(node); }};
  return family;
}

}  // namespace cuda_engine
