// Options in effect for the graph that this thread compiles or runs through a session.
#pragma once

#include "runtime/options.h"

namespace gec {

/// For a scope of this thread; scopes nest. `options` outlive it.
class CurrentOptions {
 public:
  explicit CurrentOptions(const Options &options) noexcept;
  ~CurrentOptions();
  CurrentOptions(const CurrentOptions &) = delete;
  CurrentOptions &operator=(const CurrentOptions &) = delete;

  /// Null where no session is at work in this thread.
  static const Options *Get() noexcept;

 private:
  const Options *before_;
};

}  // namespace gec
