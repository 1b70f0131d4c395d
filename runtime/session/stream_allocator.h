// Memory that a program provides for outputs of runs on a stream.
#pragma once

#include <memory>
#include <vector>

#include "core/ir/tensor.h"
#include "ge/session.h"

namespace gec {

/// Owns what the program registered: `destroy` is called when the last output in its memory is gone.
class StreamAllocator : public std::enable_shared_from_this<StreamAllocator> {
 public:
  explicit StreamAllocator(const GeStreamAllocator &functions) : functions_(functions) {}
  ~StreamAllocator() {
    if (functions_.destroy) functions_.destroy(functions_.user);
  }
  StreamAllocator(const StreamAllocator &) = delete;
  StreamAllocator &operator=(const StreamAllocator &) = delete;

  /// From now on `destroy` is called at the end.
  void Own(void (*destroy)(void *user)) noexcept { functions_.destroy = destroy; }
  /// Moves the content into a block of the allocator, which goes back with the tensor. Throws GE_OUT_OF_MEMORY.
  void Take(Tensor &tensor);

 private:
  GeStreamAllocator functions_;
};
using StreamAllocatorPtr = std::shared_ptr<StreamAllocator>;

}  // namespace gec
