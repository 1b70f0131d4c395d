// The barrier around every call into a plug-in.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "core/placement/call_watch.h"
#include "core/support/memory.h"
#include "ge/status.h"

namespace gec {

/// Reports "engine E <did> in <where>: <text>"; returns code.
GeStatus EngineThrew(GeStatus code, const std::string &engine, const char *did, const char *where,
                     const char *text) noexcept;
/// Reports that the engine is not called any more.
GeStatus EngineHangs(const Hang &hang) noexcept;

/// Runs `body`; an exception that a plug-in lets out becomes a status and a reported text.
template <class Body>
GeStatus Contained(const std::string &engine, const char *what, Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    char left[128];
    MemoryText(left, sizeof left);
    return EngineThrew(GE_OUT_OF_MEMORY, engine, "ran out of memory", what, left);
  } catch (const std::exception &e) {
    return EngineThrew(GE_FAILED, engine, "threw an exception", what, e.what());
  } catch (...) {
    return EngineThrew(GE_FAILED, engine, "threw an unknown exception", what, "");
  }
}

/// The same for a call that the thread's watch may give up: throws Abandoned then, and nothing else. An engine that
/// hangs is not called.
template <class Body>
GeStatus Barrier(EngineHealth &engine, const char *what, CallSubject subject, Body &&body) {
  return NotedCall(engine, what, subject, [&] {
    if (const Hang *hang = engine.hang()) return EngineHangs(*hang);
    return Contained(engine.name(), what, body);
  });
}
template <class Body>
GeStatus Barrier(EngineHealth &engine, const char *what, Body &&body) {
  return Barrier(engine, what, CallSubject(), std::forward<Body>(body));
}

/// For calls that give something back to the engine: they are made in any case.
template <class Body>
void BarrierOfReturn(EngineHealth &engine, const char *what, Body &&body) noexcept {
  EngineCall note(CallWatch::Current(), engine, what);
  Contained(engine.name(), what, [&] {
    body();
    return GE_SUCCESS;
  });
}

/// Inside a catch block: what the exception at hand becomes, which a plug-in let out of `what`.
inline GeStatus Thrown(const std::string &engine, const char *what) noexcept {
  return Contained(engine, what, []() -> GeStatus { throw; });
}

}  // namespace gec
