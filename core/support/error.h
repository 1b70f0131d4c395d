// Errors inside the core travel as exceptions; capi/src/guard.h turns them into status codes at the edge.
#pragma once

#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>

#include "ge/status.h"

namespace gec {

class Error : public std::runtime_error {
 public:
  Error(GeStatus code, const std::string &message) : std::runtime_error(message), code_(code) {}
  GeStatus code() const noexcept { return code_; }

 private:
  GeStatus code_;
};

/// Joins its arguments into one text: Str("rank ", 3, ", expected ", 4).
template <class... Args>
std::string Str(const Args &...args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

template <class... Args>
[[noreturn]] void Fail(GeStatus code, const Args &...args) {
  throw Error(code, Str(args...));
}

/// The text of an exception that no user was to see: "internal error: vector::at".
inline std::string InternalError(const std::exception &e) { return Str("internal error: ", e.what()); }

}  // namespace gec
