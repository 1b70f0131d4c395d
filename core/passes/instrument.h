// Watches passes: called when a scope is entered and left, and before and after each pass.
#pragma once

#include <memory>
#include <string>

#include "core/passes/pass_report.h"

namespace gec {

/// Whatever a function throws goes on to whoever runs the pass, or entered the scope. Called on each thread that runs
/// passes under a scope which has it: one that several threads share is called by several at once.
class PassInstrument {
 public:
  virtual ~PassInstrument() = default;
  virtual std::string name() const = 0;
  virtual void EnterScope() {}
  virtual void ExitScope() {}
  /// Asked for when a scope that has it was entered; dies when the thread is no longer inside, however that comes
  /// about: left, left behind by a pass, or with the thread.
  virtual std::shared_ptr<void> Inside() { return nullptr; }
  /// False: the pass is left out, unless the scope requires it.
  virtual bool ShouldRun(Graph &, const PassInfo &) { return true; }
  virtual void RunBefore(Graph &, const PassInfo &) {}
  /// Only after a pass that did not fail. `run` counts what it did.
  virtual void RunAfter(Graph &, const PassInfo &, const PassRun & /*run*/) {}
  /// The pass failed, or another instrument did after RunBefore: RunAfter does not come.
  virtual void RunFailed(const PassInfo &) noexcept {}
  /// All that it gathered, for people and for programs (JSON); empty where there is nothing.
  virtual std::string Text() const { return ""; }
  virtual std::string Json() const { return "{}"; }
};
using PassInstrumentPtr = std::shared_ptr<PassInstrument>;

}  // namespace gec
