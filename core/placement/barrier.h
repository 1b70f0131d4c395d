// The barrier around every call into a plug-in.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "ge/status.h"

namespace gec {

/// Reports "engine E <did> in <where>: <text>"; returns code.
GeStatus EngineThrew(GeStatus code, const std::string &engine, const char *did, const char *where,
                     const char *text) noexcept;

/// Runs `body`; an exception that a plug-in lets out becomes a status and a reported text.
template <class Body>
GeStatus Barrier(const std::string &engine, const char *what, Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return EngineThrew(GE_OUT_OF_MEMORY, engine, "ran out of memory", what, "");
  } catch (const std::exception &e) {
    return EngineThrew(GE_FAILED, engine, "threw an exception", what, e.what());
  } catch (...) {
    return EngineThrew(GE_FAILED, engine, "threw an unknown exception", what, "");
  }
}

/// Inside a catch block: what the exception at hand becomes, which a plug-in let out of `what`.
inline GeStatus Thrown(const std::string &engine, const char *what) noexcept {
  return Barrier(engine, what, []() -> GeStatus { throw; });
}

}  // namespace gec
