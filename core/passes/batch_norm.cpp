#include "core/passes/batch_norm.h"

#include <cmath>

namespace gec {

bool ReadBatchNorm(const Node &node, Affine *out) {
  static const Symbol epsilon("epsilon");
  TensorPtr part[4];  // scale, offset, mean, variance
  for (size_t i = 0; i < 4; ++i) {
    part[i] = ConstantInput(node, i + 1);
    if (!part[i] || part[i]->desc.dtype != C_DT_FLOAT || part[i]->desc.shape.rank() != 1 ||
        part[i]->desc.shape != part[0]->desc.shape)
      return false;
  }
  const int64_t channels = part[0]->desc.shape.elements();
  for (int64_t c = 0; c < channels; ++c) {
    const double f = part[0]->as<float>()[c] / std::sqrt(double(part[3]->as<float>()[c]) + node.Float(epsilon));
    out->factor.push_back(static_cast<float>(f));
    out->shift.push_back(static_cast<float>(part[1]->as<float>()[c] - part[2]->as<float>()[c] * f));
  }
  return channels > 0;
}

}  // namespace gec
