// What a compile takes from its options and from the scope of passes of the thread that starts it.
#pragma once

#include "core/compile/pipeline.h"
#include "core/passes/pass_scope.h"
#include "runtime/options.h"

namespace gec {

/// The thread's scope, with what the options say instead: they are stronger. The instruments stay those of the thread's
/// scope.
PassScopePtr ScopeOfCompile(const Settings &settings, const Options &options);
CompileConfig ConfigOfCompile(const Settings &settings, const Options &options, PassScopePtr scope);

}  // namespace gec
