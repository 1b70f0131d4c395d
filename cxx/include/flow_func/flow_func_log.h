// Messages of functions in the library's log. Formats are those of printf.
#ifndef FLOW_FUNC_FLOW_FUNC_LOG_H_
#define FLOW_FUNC_FLOW_FUNC_LOG_H_

#include <cstdarg>
#include <cstdio>
#include <string>

#include "ge/log.h"

namespace FlowFunc {
namespace detail {

__attribute__((format(printf, 4, 5))) inline void WriteLog(int32_t level, const char *file, int line,
                                                           const char *format, ...) {
  constexpr size_t kLongest = 1024;
  char text[kLongest];
  va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::string path = file;
  const std::string where = path.substr(path.find_last_of('/') + 1) + ":" + std::to_string(line) + " ";
  GeLogMessage(level, (where + text).c_str());
}

}  // namespace detail
}  // namespace FlowFunc

#define FLOW_FUNC_WRITE_LOG(level, ...) FlowFunc::detail::WriteLog(level, __FILE__, __LINE__, __VA_ARGS__)
#define FLOW_FUNC_LOG_DEBUG(...) FLOW_FUNC_WRITE_LOG(GE_LOG_DEBUG, __VA_ARGS__)
#define FLOW_FUNC_LOG_INFO(...) FLOW_FUNC_WRITE_LOG(GE_LOG_INFO, __VA_ARGS__)
#define FLOW_FUNC_LOG_WARN(...) FLOW_FUNC_WRITE_LOG(GE_LOG_WARNING, __VA_ARGS__)
#define FLOW_FUNC_LOG_ERROR(...) FLOW_FUNC_WRITE_LOG(GE_LOG_ERROR, __VA_ARGS__)
#define FLOW_FUNC_RUN_LOG_INFO(...) FLOW_FUNC_WRITE_LOG(GE_LOG_INFO, __VA_ARGS__)
#define FLOW_FUNC_RUN_LOG_ERROR(...) FLOW_FUNC_WRITE_LOG(GE_LOG_ERROR, __VA_ARGS__)

#endif
