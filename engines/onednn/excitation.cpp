#include "excitation.h"

#include <algorithm>

#include "separable_spec.h"

namespace onednn {

namespace {

/// The filter of a 1 x 1 convolution as a matrix [inputs, outputs].
const float *Matrix(const Context &context, size_t port, int64_t inputs, int64_t outputs) {
  const Tensor filter = context.node.in(port);
  if (filter.format() == C_FORMAT_HWCN) return static_cast<const float *>(filter.content());
  return static_cast<const float *>(
      Packed(*context.env, filter.address(), Text("onednn:columns:", outputs, "x", inputs),
             uint64_t(inputs * outputs) * sizeof(float), [&](const void *source, void *out) {
               const float *from = static_cast<const float *>(source);
               for (int64_t i = 0; i < inputs; ++i)
                 for (int64_t o = 0; o < outputs; ++o)
                   static_cast<float *>(out)[i * outputs + o] = from[o * inputs + i];
             }));
}

}  // namespace

Excitation::Layer Excitation::ReadLayer(const Context &context, size_t filter, size_t bias, int64_t inputs,
                                        int64_t outputs, Activation activation) const {
  const Tensor b = context.node.in(bias);
  return {Matrix(context, filter, inputs, outputs), b.present() ? static_cast<const float *>(b.content()) : nullptr,
          inputs, outputs, activation};
}

Excitation::Excitation(const Context &context, int64_t channels, int64_t squeezed, Activation squeeze,
                       Activation excite)
    : kernels_(KernelsFor(context.features)),
      squeezed_(squeezed),
      squeeze_(ReadLayer(context, kSepSqueeze, kSepSqueezeBias, channels, squeezed, squeeze)),
      excite_(ReadLayer(context, kSepExcite, kSepExciteBias, squeezed, channels, excite)) {}

void Excitation::Run(const GeKernelEnv &env, const Layer &layer, const float *x, float scale, float *y) const {
  constexpr int64_t kColumns = 64, kWorth = 32768;  // outputs of a piece; multiplications that are worth a thread
  const int64_t pieces = (layer.outputs + kColumns - 1) / kColumns;
  ge::kit::Parallel(env, pieces, 1 + kWorth / (layer.inputs * kColumns), [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kColumns, count = std::min(end * kColumns, layer.outputs) - first;
    kernels_.vector(count, layer.inputs, x, layer.w + first, layer.outputs, y + first);
    Finish finish;
    finish.scale = scale, finish.activation = layer.activation;
    finish.bias = layer.bias ? layer.bias + first : nullptr;
    kernels_.finish(1, count, y + first, count, finish);
  });
}

void Excitation::Factors(const GeKernelEnv &env, const float *sums, int64_t pixels, float *room, float *factors) const {
  Run(env, squeeze_, sums, 1 / float(pixels), room);
  Run(env, excite_, room, 1, factors);
}

}  // namespace onednn
