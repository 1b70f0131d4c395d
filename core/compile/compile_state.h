// The state that the passes of a compile share: engines, options, and what they find out on the way.
#pragma once

#include <vector>

#include "core/compile/pipeline.h"

namespace gec {

struct CompileState {
  KernelFactory &kernels;
  const CompileConfig &config;
  CompileReport *report = nullptr;
  /// Replaces the descriptions of the graph's inputs; null: they are as the graph says.
  const std::vector<TensorDesc> *inputs = nullptr;
  /// An earlier compile ran the program's passes on this graph; they do not run again.
  bool compiled_before = false;
  /// Types and layouts that a program left implicit are written out whenever shapes are inferred. The program's passes
  /// see the graph without this.
  bool write_out = false;
  /// Nothing waits for shapes (Optimized::complete).
  bool complete = false;
  RegionKernels regions = {};
};

/// Throws GE_BAD_STATE for a context that no compile made.
CompileState &StateOf(const PassContext &context);

/// The context of a compile, or of passes that are run one by one. `state` must outlive it.
PassContext ContextFor(CompileState &state);

}  // namespace gec
