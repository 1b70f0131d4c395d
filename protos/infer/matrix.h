// Shape of a matrix product.
#pragma once

#include "protos/infer/context.h"

namespace gec::infer {

struct Names {
  const char *a, *b;
};

/// Product of two shapes of at least two dimensions; leading axes broadcast. One-dimensional operands are taken as a
/// row on the left and as a column on the right, and the axis is dropped again.
Shape Product(Context &c, Shape a, Shape b, bool transpose_a, bool transpose_b, Names names = {"x1", "x2"});

}  // namespace gec::infer
