// A tensor's type and shape as pictures show them.
#pragma once

#include <string>

#include "core/ir/tensor.h"
#include "core/ir/types.h"
#include "core/support/error.h"

namespace gec {

/// "FLOAT [2, 3]"; the format, too, when it is not ND.
inline std::string DescText(const TensorDesc &desc) {
  std::string out = DataTypeName(desc.dtype);
  if (out.rfind("DT_", 0) == 0) out.erase(0, 3);
  if (desc.format != C_FORMAT_ND) out += Str(" ", FormatName(desc.format));
  return out + " " + desc.shape.str();
}

}  // namespace gec
