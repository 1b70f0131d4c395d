// es_log.h: the assertion helpers of generated and hand-written wrappers.
#include "emit.h"

namespace codegen {

namespace {

constexpr const char kText[] = R"(#ifndef CANN_GRAPH_ENGINE_ES_ELOG_H
#define CANN_GRAPH_ENGINE_ES_ELOG_H

#include <cstdarg>
#include <cstdio>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/error_codes.h"

namespace ge {
namespace es {

/// The value that a failed assertion returns: "nothing", whatever the enclosing function's result type is.
struct EsErrorResult {
  operator bool() const { return false; }
  operator ge::graphStatus() const { return ge::GRAPH_PARAM_INVALID; }
  template <class T>
  operator std::unique_ptr<T>() const { return nullptr; }
  template <class T>
  operator std::shared_ptr<T>() const { return nullptr; }
  template <class T>
  operator T *() const { return nullptr; }
  template <class T>
  operator std::vector<T>() const { return {}; }
  operator std::string() const { return ""; }
  template <class T>
  operator T() const { return T(); }
};

inline std::vector<char> CreateErrorMsg() { return {}; }

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
inline std::vector<char> CreateErrorMsg(const char *format, ...) {
  if (format == nullptr) return {};
  va_list args, copy;
  va_start(args, format);
  va_copy(copy, args);
  int length = std::vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  std::vector<char> text;
  if (length > 0) {
    text.resize(static_cast<size_t>(length) + 1);
    std::vsnprintf(text.data(), text.size(), format, args);
  }
  va_end(args);
  return text;
}

/// Programs may put something of their own before the message, as in ES_ASSERT_TRUE(ok, status, "reading %s", name).
template <class T>
using EsNoFormat = std::enable_if_t<!std::is_convertible<const T &, const char *>::value || std::is_null_pointer<T>::value,
                                    std::vector<char>>;
template <class T>
EsNoFormat<T> CreateErrorMsg(const T &) {
  return {};
}
template <class T, class... Args>
EsNoFormat<T> CreateErrorMsg(const T &, const char *format, Args... args) {
  std::vector<char> (*print)(const char *, ...) = &CreateErrorMsg;
  return print(format, args...);
}

template <class T, class... Args>
std::unique_ptr<T> EsMakeUnique(Args &&...args) {
  return std::unique_ptr<T>(new (std::nothrow) T(std::forward<Args>(args)...));
}

inline void EsReportFailure(const char *file, int line, const char *function, const char *expression,
                            const std::vector<char> &message) {
  std::cerr << file << ":" << line << " " << function << " ";
  if (message.empty()) {
    std::cerr << "Assert failed: " << expression;
  } else {
    std::cerr << message.data();
  }
  std::cerr << std::endl;
}

}  // namespace es
}  // namespace ge

#define ES_ASSERT(exp, ...)                                                                               \
  do {                                                                                                    \
    if (!(exp)) {                                                                                         \
      ge::es::EsReportFailure(__FILE__, __LINE__, __FUNCTION__, #exp, ge::es::CreateErrorMsg(__VA_ARGS__)); \
      return ge::es::EsErrorResult();                                                                     \
    }                                                                                                     \
  } while (false)

#define ES_ASSERT_NOTNULL(v, ...) ES_ASSERT(((v) != nullptr), ##__VA_ARGS__)
#define ES_ASSERT_TRUE(v, ...) ES_ASSERT((v), ##__VA_ARGS__)
#define ES_ASSERT_SUCCESS(v, ...) ES_ASSERT(((v) == 0), ##__VA_ARGS__)
#define ES_ASSERT_GRAPH_SUCCESS(v, ...) ES_ASSERT(((v) == ge::GRAPH_SUCCESS), ##__VA_ARGS__)
#define ES_ASSERT_RT_OK(v, ...) ES_ASSERT(((v) == 0), ##__VA_ARGS__)
#define ES_ASSERT_EOK(v, ...) ES_ASSERT(((v) == 0), ##__VA_ARGS__)
#define ES_ASSERT_HYPER_SUCCESS(v, ...) ES_ASSERT(((v).IsSuccess()), ##__VA_ARGS__)

#endif
)";

}  // namespace

std::string LogHeader() { return CBanner() + kText; }

}  // namespace codegen
