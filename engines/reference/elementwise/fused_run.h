// The arithmetic of one FusedElementwise instruction over n values.
#pragma once

#include <cstdint>

namespace reference {

void RunFusedInstruction(int opcode, const float *a, const float *b, const float *c, float *out, int64_t n);

}  // namespace reference
