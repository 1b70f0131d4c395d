// Shape of a reduction.
#pragma once

#include "protos/infer/context.h"

namespace gec::infer {

/// x without `axes` (all axes when empty), or with extent 1 there. `name` is the argument that gave the axes.
Shape Reduced(Context &c, const Shape &x, const Values &axes, bool keep_dims, const char *name);

}  // namespace gec::infer
