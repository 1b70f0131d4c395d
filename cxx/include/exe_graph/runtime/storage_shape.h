// gert::StorageShape: the dimensions as the program and as memory see them.
#ifndef INC_EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H_
#define INC_EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H_

#include <initializer_list>

#include "exe_graph/runtime/shape.h"

namespace gert {

class StorageShape {
 public:
  StorageShape() = default;
  StorageShape(const std::initializer_list<int64_t> &origin, const std::initializer_list<int64_t> &storage)
      : origin_(origin), storage_(storage) {}
  const Shape &GetOriginShape() const { return origin_; }
  const Shape &GetStorageShape() const { return storage_; }
  Shape &MutableOriginShape() { return origin_; }
  Shape &MutableStorageShape() { return storage_; }

 private:
  Shape origin_, storage_;
};

}  // namespace gert

#endif
