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
  /// Runs the pass on a graph that may be thrown away and tells `why` where its rules ended, and what would keep a
  /// compile from running it. The graph is inferred before the first pass that belongs behind inference. `node`: the
  /// name that is asked for, or "".
  void Explain(const PassEntry &pass, Graph &root, const std::string &node, WhyNot *why);

 private:
  void Prepare(const PassEntry &pass, Graph &root);
  KernelEnv env_;
  KernelFactory kernels_;
  CompileConfig config_;
  CompileState state_;
  PassContext context_;
  uint64_t inferred_ = UINT64_MAX;  // the root's changes when it was
};

}  // namespace gec
