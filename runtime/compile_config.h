// A compile's settings: from its options, and from the scope of passes of the thread that starts it.
#pragma once

#include <optional>

#include "core/compile/pipeline.h"
#include "core/passes/pass_scope.h"
#include "runtime/options.h"

namespace gec {

/// The passes of option `passes` take part in what this thread compiles as long as it lives. Code of the program runs
/// here, so the caller holds no lock that a pass might wait for. Throws GE_PARAM_INVALID for a file that is not there,
/// or is no pass file, GE_FAILED (E13029) for one that cannot be loaded.
class OwnPasses {
 public:
  explicit OwnPasses(const Options &options);

 private:
  std::optional<AdoptScope> adopted_;
};

/// The thread's scope, with what the options say instead: they are stronger. The instruments stay those of the thread's
/// scope.
PassScopePtr ScopeOfCompile(const Settings &settings, const Options &options);
CompileConfig ConfigOfCompile(const Settings &settings, const Options &options, PassScopePtr scope);

}  // namespace gec
