#pragma once

#include <memory>

#include "core/ir/tensor.h"

namespace gec::api {

/// The first `bytes` bytes of a file; throws GE_PATH_INVALID when it is missing, empty or shorter.
std::shared_ptr<Buffer> ReadTensorFile(const char *path, uint64_t bytes);

}  // namespace gec::api
