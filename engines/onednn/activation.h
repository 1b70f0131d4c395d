// The activation that a fused operator applies to its result.
#pragma once

#include <cstdint>

namespace onednn {

enum class Act {
  kNone,
  kRelu,
  kClip,
  kSigmoid,
  kTanh,
  kSwish,
  kGeluErf,
  kGeluTanh,
  kLeakyRelu,
  kHardSwish,
  kHardSigmoid,
  kElu,
};

struct Activation {
  Act kind = Act::kNone;
  float alpha = 0, beta = 0;
  // Zero stays zero: channels that pad a blocked tensor need no care.
  bool keeps_zero() const {
    switch (kind) {
      case Act::kSigmoid:
        return false;
      case Act::kHardSigmoid:
        return beta == 0;
      case Act::kClip:
        return alpha <= 0 && beta >= 0;
      default:
        return true;
    }
  }
};

}  // namespace onednn
