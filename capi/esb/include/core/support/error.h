// Stands for core/support/error.h in libesb.a: the same errors and texts made without streams, which would bring the
// whole of the C++ library's locales into every frozen program.
#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "ge/status.h"

namespace gec {

class Error : public std::runtime_error {
 public:
  Error(GeStatus code, const std::string &message) : std::runtime_error(message), code_(code) {}
  GeStatus code() const noexcept { return code_; }

 private:
  GeStatus code_;
};

template <class T>
void AppendTo(std::string &text, const T &value) {
  if constexpr (std::is_same_v<T, char>) {
    text += value;
  } else if constexpr (std::is_same_v<T, bool>) {
    text += value ? '1' : '0';
  } else if constexpr (std::is_integral_v<T>) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  } else if constexpr (std::is_enum_v<T>) {
    AppendTo(text, static_cast<std::underlying_type_t<T>>(value));
  } else {
    text += std::string_view(value);
  }
}

/// Joins its arguments into one text: Str("rank ", 3, ", expected ", 4).
template <class... Args>
std::string Str(const Args &...args) {
  std::string text;
  (AppendTo(text, args), ...);
  return text;
}

template <class... Args>
[[noreturn]] void Fail(GeStatus code, const Args &...args) {
  throw Error(code, Str(args...));
}

inline std::string InternalError(const std::exception &e) { return Str("internal error: ", e.what()); }

}  // namespace gec
