// FusedDenseLayers by its definition: row by row, layer by layer.
#include <algorithm>
#include <vector>

#include "common/activation.h"
#include "registry.h"

namespace reference {
namespace {

struct Layer {
  int weight, bias;  // ports; bias is -1 where there is none
  int64_t in, out;
  Activation activation;
  float factor;
  int64_t residual;  // 1: before the activation, 2: at the end
};

std::vector<Layer> ReadLayers(const Node &node) {
  const std::vector<int64_t> biased = node.Attributes::Ints("biased"), residuals = node.Attributes::Ints("residuals");
  const std::vector<float> alphas = node.Floats("alphas"), betas = node.Floats("betas"),
                           factors = node.Floats("factors");
  const std::vector<std::string> names = node.Strings("activations");
  const size_t count = biased.size();
  for (const size_t each : {residuals.size(), alphas.size(), betas.size(), factors.size(), names.size()})
    if (each != count || !count)
      Fail(GE_PARAM_INVALID, "%s: lists of %zu and %zu entries, expected one for each layer", node.label().c_str(),
           count, each);
  for (int i = 0; i < node.inputs(); ++i)
    if (node.in_type(i) != C_DT_FLOAT)
      Fail(GE_UNSUPPORTED, "%s: %s is not supported, expected DT_FLOAT", node.label().c_str(),
           DataTypeName(node.in_type(i)));
  std::vector<Layer> layers;
  int port = 1;
  for (size_t i = 0; i < count; ++i) {
    const int weight = port++, bias = biased[i] ? port++ : -1;
    layers.push_back({weight, bias, 0, 0, NamedActivation(node, "activations", names[i], alphas[i], betas[i]),
                      factors[i], residuals[i]});
  }
  if (port != node.inputs())
    Fail(GE_PARAM_INVALID, "%s: the layers take %d parameters, got %d", node.label().c_str(), port - 1,
         node.inputs() - 1);
  return layers;
}

/// The extents, from the shapes; the number of rows.
int64_t ReadExtents(const Node &node, std::vector<Layer> *layers) {
  const Dims x = node.in_dims(0), y = node.out_dims(0);
  if (x.n < 1 || y.n != x.n) Fail(GE_PARAM_INVALID, "%s: x and y differ in rank, or are scalars", node.label().c_str());
  int64_t columns = x[x.n - 1];
  for (Layer &layer : *layers) {
    const Dims w = node.in_dims(layer.weight);
    if (w.n != 2 || w[0] != columns)
      Fail(GE_PARAM_INVALID, "%s: a weight has shape %s, expected [%lld,…]", node.label().c_str(), ToText(w).c_str(),
           static_cast<long long>(columns));
    layer.in = w[0], layer.out = w[1];
    if (layer.bias >= 0 && node.in_dims(layer.bias).count() != layer.out)
      Fail(GE_PARAM_INVALID, "%s: a bias has shape %s, expected %lld values", node.label().c_str(),
           ToText(node.in_dims(layer.bias)).c_str(), static_cast<long long>(layer.out));
    if (layer.residual && layer.in != layer.out)
      Fail(GE_PARAM_INVALID, "%s: a layer of %lld by %lld values cannot add its input", node.label().c_str(),
           static_cast<long long>(layer.in), static_cast<long long>(layer.out));
    columns = layer.out;
  }
  if (y[y.n - 1] != columns || y.count(0, y.n - 1) != x.count(0, x.n - 1))
    Fail(GE_PARAM_INVALID, "%s: output shape is %s, expected […,%lld]", node.label().c_str(), ToText(y).c_str(),
         static_cast<long long>(columns));
  return x.count(0, x.n - 1);
}

void RunLayer(const Call &call, const Layer &layer, const float *x, float *y) {
  const float *weight = call.in<float>(size_t(layer.weight));
  for (int64_t j = 0; j < layer.out; ++j) {
    double sum = layer.bias < 0 ? 0 : double(call.in<float>(size_t(layer.bias))[j]);
    for (int64_t p = 0; p < layer.in; ++p) sum += double(x[p]) * double(weight[p * layer.out + j]);
    y[j] = float(layer.residual == 1 ? sum + double(x[j]) : sum);
  }
  layer.activation.Apply(y, layer.out);
  for (int64_t j = 0; j < layer.out; ++j) y[j] = layer.factor * y[j] + (layer.residual == 2 ? x[j] : 0.f);
}

Kernel CreateDenseLayers(const Node &node, const OpEntry &) {
  std::vector<Layer> layers = ReadLayers(node);
  const int64_t rows = ReadExtents(node, &layers), in = layers.front().in, out = layers.back().out;
  int64_t widest = 0;
  Kernel kernel;
  for (const Layer &layer : layers) {
    widest = std::max(widest, layer.out);
    kernel.flops += 2.0 * double(rows) * double(layer.in) * double(layer.out);
  }
  kernel.workspace = uint64_t(2 * widest) * sizeof(float);
  kernel.run = [=](const Call &call) {
    float *const rooms[] = {call.workspace<float>(), call.workspace<float>() + widest};
    for (int64_t row = 0; row < rows; ++row) {
      const float *x = call.in<float>(0) + row * in;
      for (size_t i = 0; i < layers.size(); ++i) {
        float *const y = i + 1 == layers.size() ? call.out<float>(0) + row * out : rooms[i % 2];
        RunLayer(call, layers[i], x, y);
        x = y;
      }
    }
  };
  return kernel;
}

const OpEntry kDenseLayers[] = {
    {"FusedDenseLayers", TypeBit(C_DT_FLOAT), &CreateDenseLayers, [](const Node &node) { ReadLayers(node); }}};

}  // namespace

OpTable DenseLayersOps() { return TableOf(kDenseLayers); }

}  // namespace reference
