// GraphBuffer: a graph as bytes in memory.
#ifndef INC_GRAPH_GRAPH_BUFFER_H_
#define INC_GRAPH_GRAPH_BUFFER_H_

#include <cstddef>
#include <cstdint>

#include "ge/serialize.h"

namespace ge {

/// Filled by Graph::SaveToMem. Owns its bytes.
class GraphBuffer {
 public:
  GraphBuffer() = default;
  ~GraphBuffer() { GeBytesDestroy(data_); }
  GraphBuffer(const GraphBuffer &) = delete;
  GraphBuffer(GraphBuffer &&) = delete;
  GraphBuffer &operator=(const GraphBuffer &) = delete;
  GraphBuffer &operator=(GraphBuffer &&) = delete;

  /// Null while empty.
  const uint8_t *GetData() const { return static_cast<const uint8_t *>(data_); }
  size_t GetSize() const { return size_; }

 private:
  friend class Graph;
  void *data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ge

#endif
