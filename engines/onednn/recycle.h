// Memory that oneDNN takes while it executes a primitive.
//
// Each execution builds small tables (arguments, scratchpad) on the heap and drops them before it returns; the library
// offers no way around that. So its own references to the allocation functions are pointed at functions of this file.
// They forward to what was there before, except on a thread that is inside a RecycledMemory scope, and on the threads
// that help it: such a thread takes from a block that is used again by the next scope.
#pragma once

namespace onednn {

// Redirects oneDNN's references. Called when the engine opens; once per process. Null when it is done, else why it was
// left alone (oneDNN then allocates as it always did): GE_DNNL_RECYCLE=0, a sanitizer build, a verbose oneDNN, a
// library that is linked in another way than the supported ones.
const char *RecycleDnnlMemory();

class RecycledMemory {
 public:
  RecycledMemory();
  ~RecycledMemory();
  RecycledMemory(const RecycledMemory &) = delete;
  RecycledMemory &operator=(const RecycledMemory &) = delete;
};

}  // namespace onednn
