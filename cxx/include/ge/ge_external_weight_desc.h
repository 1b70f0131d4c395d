// ExternalWeightDesc: a weight that lies in a file of its own.
#ifndef INC_EXTERNAL_GE_GE_EXTERNAL_WEIGHT_DESC_H_
#define INC_EXTERNAL_GE_GE_EXTERNAL_WEIGHT_DESC_H_

#include <cstddef>
#include <memory>

#include "graph/ascend_string.h"

namespace ge {

class ExternalWeightDesc {
 public:
  ExternalWeightDesc(const AscendString &location, size_t size, size_t offset, const AscendString &id)
      : location_(location), id_(id), size_(size), offset_(offset) {}
  ExternalWeightDesc(const ExternalWeightDesc &) = delete;
  ExternalWeightDesc &operator=(const ExternalWeightDesc &) = delete;
  AscendString GetLocation() const { return location_; }
  size_t GetSize() const { return size_; }
  size_t GetOffset() const { return offset_; }
  AscendString GetId() const { return id_; }

 private:
  AscendString location_, id_;
  size_t size_, offset_;
};
using ExternalWeightDescPtr = std::shared_ptr<ExternalWeightDesc>;

}  // namespace ge

#endif
