// Status values of front-end plug-ins.
#ifndef INC_REGISTER_REGISTER_ERROR_CODES_H_
#define INC_REGISTER_REGISTER_ERROR_CODES_H_

#include <cstdint>

#define DECLARE_ERRORNO(sysid, modid, name, value) \
  constexpr domi::Status name =                    \
      (static_cast<uint32_t>(sysid) << 24) | (static_cast<uint32_t>(modid) << 16) | static_cast<uint32_t>(value)
#define DECLARE_ERRORNO_COMMON(name, value) DECLARE_ERRORNO(0, 0, name, value)

namespace domi {
using Status = uint32_t;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
constexpr Status PARAM_INVALID = 50331649;
DECLARE_ERRORNO(3, 1, SCOPE_NOT_CHANGED, 201);
}  // namespace domi

#endif
