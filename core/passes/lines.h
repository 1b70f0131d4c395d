// Sequences that are images of one row: where a dimension is taken out of an image, and put in again.
#pragma once

#include "core/passes/editor.h"

namespace gec {

inline constexpr int32_t kImageRank = 4;

/// A sequence that was an image of one row.
struct Line {
  Endpoint image;
  int64_t behind = -1;  // dimensions behind the one that was taken out; -1: it was none
};
Line ReadLine(Endpoint e);
/// The node makes an image of a sequence, by a dimension with so many behind it.
bool PutsIn(const Node &node, int64_t behind);

}  // namespace gec
