// gert::KernelArgs: arguments of a launch, as a custom operator keeps them.
#ifndef INC_EXE_GRAPH_RUNTIME_KERNEL_ARGS_H_
#define INC_EXE_GRAPH_RUNTIME_KERNEL_ARGS_H_

#include <cstddef>
#include <cstdint>

#include "graph/types.h"

namespace gert {

using Placement = ge::Placement;

struct KernelArgs {
  void *args_data;
  size_t args_size;
  uint64_t reserved[4];
  Placement placement;
  uint8_t placement_reserved_[4];
};

}  // namespace gert

#endif
