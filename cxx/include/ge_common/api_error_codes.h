// Status: the type, its encoding, the three values everybody uses, and texts for values.
#ifndef INC_GE_COMMON_API_ERROR_CODES_H_
#define INC_GE_COMMON_API_ERROR_CODES_H_

#include <string>

#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "graph/detail/name_map.h"
#include "graph/error_codes.h"

namespace ge {
using Status = uint32_t;

/// Descriptions of status values; the first registration of a value wins.
class GE_OF_THIS_LIBRARY StatusFactory {
 public:
  static StatusFactory *Instance() {
    static StatusFactory factory;
    return &factory;
  }
  void RegisterErrorNo(uint32_t err, const std::string &desc) {
    detail::Lock lock(mutex_);
    descriptions_.emplace(std::to_string(err), desc);
  }
  void RegisterErrorNo(uint32_t err, const char *desc) {
    if (desc != nullptr) RegisterErrorNo(err, std::string(desc));
  }
  std::string GetErrDesc(uint32_t err) {
    detail::Lock lock(mutex_);
    auto found = descriptions_.find(std::to_string(err));
    return found == descriptions_.end() ? "" : found->second;
  }
  AscendString GetErrDescV2(uint32_t err) { return AscendString(GetErrDesc(err).c_str()); }

 private:
  detail::Mutex mutex_;
  detail::NameMap<std::string> descriptions_;  // by value
};

class ErrorNoRegisterar {
 public:
  ErrorNoRegisterar(uint32_t err, const std::string &desc) { StatusFactory::Instance()->RegisterErrorNo(err, desc); }
  ErrorNoRegisterar(uint32_t err, const char *desc) { StatusFactory::Instance()->RegisterErrorNo(err, desc); }
};

#define GE_ERRORNO_DEFINE(runtime, type, level, sysid, modid, name, value)                                   \
  constexpr ge::Status name = (static_cast<uint32_t>(runtime) << 30) | (static_cast<uint32_t>(type) << 28) | \
                              (static_cast<uint32_t>(level) << 25) | (static_cast<uint32_t>(sysid) << 17) |  \
                              (static_cast<uint32_t>(modid) << 12) | static_cast<uint32_t>(value)
#define GE_ERRORNO_EXTERNAL(name, desc) static const ge::ErrorNoRegisterar g_errorno_##name((name), (desc))
#define GE_ERRORNO(runtime, type, level, sysid, modid, name, value, desc) \
  GE_ERRORNO_DEFINE(runtime, type, level, sysid, modid, name, value);     \
  GE_ERRORNO_EXTERNAL(name, desc)

constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
constexpr Status END_OF_SEQUENCE = 1343225863;
}  // namespace ge

#endif
