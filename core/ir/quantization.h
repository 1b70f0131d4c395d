// What the stored numbers of a quantised tensor stand for (the quantisation of GeTensorLayout). It is kept in
// attributes of the port, so that files and dumps have it; the library's own operators leave it alone, engines read it.
#pragma once

#include <vector>

#include "core/ir/tensor.h"

namespace gec {

/// Throws GE_PARAM_INVALID, naming what does not fit the tensor. GE_QUANT_NONE takes off what there was.
void SetQuantization(TensorDesc *desc, const GeTensorLayout &layout);
/// Takes off all other attributes of the port: for a port of another node that has the same tensor.
void KeepOnlyQuantization(TensorDesc *desc);

/// The layout as engines see it; lives as long as this and the description.
class QuantizationView {
 public:
  /// False where the tensor is not quantised.
  bool Reset(const TensorDesc &desc);
  const GeTensorLayout *get() const { return &layout_; }

 private:
  GeTensorLayout layout_{};
  std::vector<int32_t> zero_points_;
};

}  // namespace gec
