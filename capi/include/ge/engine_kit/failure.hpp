// Errors inside an engine are exceptions; none of them leaves it.
#ifndef GE_ENGINE_KIT_FAILURE_HPP_
#define GE_ENGINE_KIT_FAILURE_HPP_

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "ge/engine_kit/namespace.hpp"
#include "ge/status.h"

GE_ENGINE_KIT_BEGIN

/// Thrown by an engine: the library is told the status, a user reads the message.
struct Failure {
  GeStatus code;
  std::string message;
};

inline void AppendText(std::string *out, const char *text) { *out += text; }
inline void AppendText(std::string *out, const std::string &text) { *out += text; }
template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
void AppendText(std::string *out, Number value) {
  *out += std::to_string(value);
}

/// Texts and numbers, one after the other.
template <class... Parts>
std::string Text(const Parts &...parts) {
  std::string text;
  (AppendText(&text, parts), ...);
  return text;
}

template <class... Parts>
[[noreturn]] void Fail(GeStatus code, const Parts &...parts) {
  throw Failure{code, Text(parts...)};
}
/// This engine does not run the node. The parts say why: name what stands in the way, users read it.
template <class... Parts>
[[noreturn]] void Refuse(const Parts &...parts) {
  throw Failure{GE_UNSUPPORTED, Text(parts...)};
}

/// The barrier: runs body, and turns whatever it throws into report(code, message), whose result it returns.
template <class Report, class Body>
GeStatus Guard(const Report &report, const Body &body) noexcept {
  try {
    body();
    return GE_SUCCESS;
  } catch (const Failure &failure) {
    return report(failure.code, failure.message.c_str());
  } catch (const std::bad_alloc &) {
    return report(GE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    return report(GE_FAILED, error.what());
  } catch (...) {
    return report(GE_FAILED, "unknown exception");
  }
}

/// A barrier for GeEngineTable.check: the message becomes the reason for a refusal.
template <class Body>
GeStatus GuardCheck(char *reason, size_t capacity, const Body &body) noexcept {
  return Guard(
      [&](GeStatus code, const char *message) -> GeStatus {
        if (reason && capacity) std::snprintf(reason, capacity, "%s", message);
        return code == GE_OUT_OF_MEMORY ? code : static_cast<GeStatus>(GE_UNSUPPORTED);
      },
      body);
}

GE_ENGINE_KIT_END

#endif
