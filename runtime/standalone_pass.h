// A pass outside a compile.
#pragma once

#include "core/compile/compile_state.h"
#include "runtime/kernel_env.h"

namespace gec {

/// The context that a compile with default options, and this thread's scope, would give the pass. One thread.
class StandaloneRun {
 public:
  StandaloneRun();
  StandaloneRun(const StandaloneRun &) = delete;
  StandaloneRun &operator=(const StandaloneRun &) = delete;
  /// On a root graph with its subgraphs; see RunPass.
  bool Run(const PassEntry &pass, Graph &root);
  /// Runs the pass on a graph that may be thrown away, inferred before where the pass belongs behind inference, and
  /// tells `why` where its rules ended.
  void Explain(const PassEntry &pass, Graph &root, WhyNot *why);

 private:
  KernelEnv env_;
  KernelFactory kernels_;
  CompileConfig config_;
  CompileState state_;
  PassContext context_;
};

}  // namespace gec
