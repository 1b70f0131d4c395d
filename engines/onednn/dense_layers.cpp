// A small layer takes as long as it takes to call its kernel. Here a call runs all layers of a net: what is between
// them stays in the first-level cache, and the next matrix is already being read when an activation ends.
#include "dense_layers.h"

#include <algorithm>

#include "kernels.h"
#include "read_activation.h"

namespace onednn {

namespace {

// Matrices of all layers stay in the second-level cache from call to call.
constexpr int64_t kMostBytes = 1024 * 1024;
// A larger layer is worth several threads, and its own kernel.
constexpr int64_t kMostMatrix = 64 * 1024;

enum Residual : int64_t { kNoResidual, kBeforeActivation, kAtEnd };

struct Layer {
  int weight, bias;  // ports; bias is -1 where there is none
  int64_t k, n;
  Activation activation;
  float factor;
  int64_t residual;
};

std::vector<Layer> ReadLayers(const Node &node) {
  const Dims biased = ListOf(node, "biased"), residuals = ListOf(node, "residuals");
  const std::vector<std::string> names = node.Strings("activations");
  const std::vector<float> alphas = node.Floats("alphas"), betas = node.Floats("betas"),
                           factors = node.Floats("factors");
  for (const size_t count : {residuals.size(), names.size(), alphas.size(), betas.size(), factors.size()})
    if (count != biased.size() || !count) Refuse("lists of ", biased.size(), " and ", count, " entries");
  std::vector<Layer> layers;
  int port = 1;
  for (size_t i = 0; i < biased.size(); ++i) {
    const int weight = port++, bias = biased[i] ? port++ : -1;
    layers.push_back({weight, bias, 0, 0, ActivationOf(names[i], alphas[i], betas[i]), factors[i], residuals[i]});
  }
  if (size_t(port) != node.inputs()) Refuse("the layers take ", port - 1, " parameters, got ", node.inputs() - 1);
  for (int i = 0; i < port; ++i) {
    RequireFloat(node.in(size_t(i)), "an input");
    RequirePlain(node.in(size_t(i)), "an input");
  }
  return layers;
}

void ReadExtents(const Node &node, std::vector<Layer> *layers) {
  const Dims x = node.in(0).dims();
  if (x.empty() || Count(x) != x.back()) Refuse("x of shape ", ToText(x), " is not supported, expected one row");
  int64_t columns = x.back(), bytes = 0;
  for (Layer &layer : *layers) {
    const Dims w = node.in(size_t(layer.weight)).dims();
    if (w.size() != 2 || w[0] != columns) Refuse("a weight of shape ", ToText(w), ", expected [", columns, ",...]");
    layer.k = w[0], layer.n = w[1];
    if (layer.k * layer.n > kMostMatrix || layer.k * layer.n == 0)
      Refuse("a weight of ", layer.k * layer.n, " values is not supported, at most ", kMostMatrix);
    if (layer.bias >= 0 && Count(node.in(size_t(layer.bias)).dims()) != layer.n)
      Refuse("a bias of shape ", ToText(node.in(size_t(layer.bias)).dims()), ", expected ", layer.n, " values");
    if (layer.residual && layer.k != layer.n) Refuse("a layer of ", layer.k, " by ", layer.n, " cannot add its input");
    columns = layer.n;
    bytes += layer.k * layer.n * int64_t(sizeof(float));
  }
  if (bytes > kMostBytes) Refuse("weights of ", bytes, " bytes are not supported, at most ", kMostBytes);
  const Dims y = node.out(0).dims();
  if (y.empty() || y.back() != columns || Count(y) != columns) Refuse("y has shape ", ToText(y));
}

class DenseLayers final : public Kernel {
 public:
  DenseLayers(const Context &context, std::vector<Layer> layers)
      : layers_(std::move(layers)), kernels_(KernelsFor(context.features)) {
    for (const Layer &layer : layers_) {
      widest_ = std::max(widest_, RoundUp(layer.n, 16));
      flops += 2.0 * double(layer.k) * double(layer.n);
    }
    Reserve(uint64_t(2 * widest_) * sizeof(float));
    implementation = Text("onednn:layers:", kernels_.name);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const auto input = [&](int port) { return static_cast<const float *>(args.inputs[port]); };
    float *const rooms[] = {static_cast<float *>(args.workspace), static_cast<float *>(args.workspace) + widest_};
    const float *x = input(0);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer &layer = layers_[i];
      float *const y = i + 1 == layers_.size() ? static_cast<float *>(args.outputs[0]) : rooms[i % 2];
      kernels_.vector(layer.n, layer.k, x, input(layer.weight), layer.n, y);
      Finish f;
      if (layer.bias >= 0) f.bias = input(layer.bias);
      if (layer.residual == kBeforeActivation) f.residual = x;
      f.activation = layer.activation;
      f.factor = layer.factor;
      if (layer.residual == kAtEnd) f.after = x;
      if (!f.nothing()) kernels_.finish(1, layer.n, y, layer.n, f);
      x = y;
    }
    return GE_SUCCESS;
  }

 private:
  std::vector<Layer> layers_;
  const KernelSet &kernels_;
  int64_t widest_ = 0;
};

}  // namespace

void CheckDenseLayers(const Node &node) {
  std::vector<Layer> layers = ReadLayers(node);
  if (node.known()) ReadExtents(node, &layers);
}

std::unique_ptr<Kernel> CreateDenseLayers(const Context &context) {
  std::vector<Layer> layers = ReadLayers(context.node);
  ReadExtents(context.node, &layers);
  return std::make_unique<DenseLayers>(context, std::move(layers));
}

}  // namespace onednn
