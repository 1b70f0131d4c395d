// Squeeze and excitation (Hu et al., 2018, "Squeeze-and-Excitation Networks"): from the mean of each channel over all
// pixels, two dense layers compute one factor for each channel.
#pragma once

#include "activation.h"
#include "kernels.h"
#include "support.h"

namespace onednn {

class Excitation {
 public:
  /// Of a FusedSeparableConv2D with a squeeze to `squeezed` of `channels` channels.
  Excitation(const Context &context, int64_t channels, int64_t squeezed, Activation squeeze, Activation excite);

  /// Floats of `room` in Factors.
  int64_t room() const { return squeezed_; }
  /// factors[channels], of the sums of so many pixels for each channel. On the model's threads.
  void Factors(const GeKernelEnv &env, const float *sums, int64_t pixels, float *room, float *factors) const;

 private:
  /// A dense layer: its matrix [inputs, outputs].
  struct Layer {
    const float *w, *bias;
    int64_t inputs, outputs;
    Activation activation;
  };
  Layer ReadLayer(const Context &context, size_t filter, size_t bias, int64_t inputs, int64_t outputs,
                  Activation activation) const;
  void Run(const GeKernelEnv &env, const Layer &layer, const float *x, float scale, float *y) const;

  const KernelSet &kernels_;
  int64_t squeezed_;
  Layer squeeze_, excite_;
};

}  // namespace onednn
