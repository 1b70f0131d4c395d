// ModelBufferData: a model file in memory.
#ifndef INC_GE_DETAIL_MODEL_BUFFER_H_
#define INC_GE_DETAIL_MODEL_BUFFER_H_

#include <cstdint>
#include <memory>

namespace ge {

struct ModelBufferData {
  std::shared_ptr<uint8_t> data;
  uint64_t length;
};

}  // namespace ge

#endif
