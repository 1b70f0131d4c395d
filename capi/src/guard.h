// The one barrier between exceptions and status codes, the one thread that may be inside a graph, and the argument
// checks of the C ABI.
#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "core/support/context.h"
#include "core/support/error.h"
#include "core/support/thread_owner.h"
#include "ge/status.h"

namespace gec::api {

/// Keeps the thread's last error; contexts left by the exception being handled go in front of the message.
GeStatus Report(GeStatus code, const char *message) noexcept;

/// Turns what is being thrown into the last error; to be called in a catch block. `function` is the function of the C
/// ABI, which says what there was no memory for.
GeStatus ReportCurrent(const char *function) noexcept;

/// Runs the body of a function of the C ABI, which is inside of what it looks up by a handle (capi/src/handles.h) until
/// it ends. The body returns nothing, or a status of its own (0 is success) whose
/// reason is already the last error. `function` is the caller.
template <class Body>
GeStatus Guard(Body &&body, const char *function = __builtin_FUNCTION()) noexcept {
  Visit visit;
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return GE_SUCCESS;
    } else {
      return body();
    }
  } catch (...) {
    return ReportCurrent(function);
  }
}

/// For functions that return a pointer or a number: the value, or `failed` with the reason in the last error.
template <class Result, class Body>
Result GuardValue(Result failed, Body &&body, const char *function = __builtin_FUNCTION()) noexcept {
  Visit visit;
  try {
    return body();
  } catch (...) {
    ReportCurrent(function);
    return failed;
  }
}

[[noreturn]] void NullArgument(const char *function, const char *argument);

}  // namespace gec::api

/// Refuses a null argument. Bodies are lambdas, where __func__ says nothing, so the function is named.
#define GE_CHECK_ARG(function, argument)                             \
  do {                                                               \
    if (!(argument)) ::gec::api::NullArgument(#function, #argument); \
  } while (0)
