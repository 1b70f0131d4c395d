// What a model needs of memory, by its newest plan.
#pragma once

#include <cstdint>

#include "runtime/model.h"

namespace gec {

struct ModelMemory {
  bool has_plan = false;
  bool is_static = false;  // all shapes are known and one plan holds for every run
  uint64_t constant_bytes = 0, packed_bytes = 0, arena_bytes = 0, live_peak_bytes = 0;
};

ModelMemory MemoryOf(Model &model);

}  // namespace gec
