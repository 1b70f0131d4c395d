// gert::StorageFormat: the layout as the program and as memory see it.
#ifndef INC_EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H_
#define INC_EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H_

#include <cstdint>

#include "graph/types.h"

namespace gert {

class ExpandDimsType {
 public:
  ExpandDimsType() = default;
  explicit ExpandDimsType(int64_t mask) : mask_(mask) {}
  bool operator==(const ExpandDimsType &other) const { return mask_ == other.mask_; }

 private:
  int64_t mask_ = 0;
};

class StorageFormat {
 public:
  StorageFormat() = default;
  StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType &expand)
      : origin_(origin), storage_(storage), expand_(expand) {}
  ge::Format GetOriginFormat() const { return origin_; }
  void SetOriginFormat(ge::Format format) { origin_ = format; }
  ge::Format GetStorageFormat() const { return storage_; }
  void SetStorageFormat(ge::Format format) { storage_ = format; }
  ExpandDimsType GetExpandDimsType() const { return expand_; }

 private:
  ge::Format origin_ = ge::FORMAT_ND, storage_ = ge::FORMAT_ND;
  ExpandDimsType expand_;
};

}  // namespace gert

#endif
