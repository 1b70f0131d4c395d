// A graph of a session.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/support/context.h"
#include "runtime/context.h"
#include "runtime/model.h"
#include "runtime/options.h"
#include "runtime/session/compile_stats.h"

namespace gec {

struct SessionGraph {
  std::mutex mutex;  // compiling, and the list of idle contexts
  GraphPtr graph;
  Options options;
  VariableStorePtr variables;  // the session's
  uint64_t session = 0;        // its number
  uint32_t id = 0;
  ModelPtr model;
  std::vector<std::unique_ptr<RunContext>> idle;
  // With memory from outside there is one context, for one run at a time.
  std::mutex one_run;
  std::unique_ptr<RunContext> in_memory;

  ModelPtr Compiled() {
    std::lock_guard lock(mutex);
    if (model) return model;
    ContextScope scope("compiling graph", graph->name());
    ModelPtr compiled = Model::Compile(*graph, options, variables);
    RecordCompile(session, id, compiled->pass_report(), options);
    model = std::move(compiled);
    return model;
  }
  /// Compiles anew with constants in this memory; runs that have begun go on with the present model.
  void PlaceConstants(void *memory, uint64_t size) {
    std::lock_guard turn(one_run);
    std::lock_guard lock(mutex);
    if (!model) Fail(GE_BAD_STATE, "GeSessionSetConstMemory: graph ", id, " is not compiled yet");
    if (in_memory) {
      Fail(GE_BAD_STATE, "GeSessionSetConstMemory: graph ", id,
           " has memory for its tensors already; memory for constants comes first");
    }
    ContextScope scope("compiling graph", graph->name());
    auto room = memory || size ? std::make_shared<ConstantRoom>(memory, size) : nullptr;
    ModelPtr compiled = Model::Compile(*graph, options, variables, std::move(room));
    idle.clear();
    model = std::move(compiled);
  }
};
using SessionGraphPtr = std::shared_ptr<SessionGraph>;

}  // namespace gec
