// Memory that programs bring for a graph's constants and for the tensors between its nodes.
#include "core/support/context.h"
#include "runtime/current_options.h"
#include "runtime/model_memory.h"
#include "runtime/session/session_graph.h"

namespace gec {
namespace {

void CheckRoom(const char *what, uint64_t needed, const void *memory, uint64_t size) {
  const uint64_t given = memory ? size : 0;
  if (given < needed || !memory) Fail(GE_DATA_MISMATCH, what, ": ", needed, " are needed, ", given, " given");
}

}  // namespace

void SessionGraph::SetMemory(GeSessionMemory kind, void *memory, uint64_t size) {
  const ModelPtr compiled = model();
  if (!compiled) Fail(GE_BAD_STATE, "E10062: memory can be set for graphs that are compiled");
  const ModelMemory needed = MemoryOf(*compiled);
  if (!needed.is_static) Fail(GE_UNSUPPORTED, "a graph with unknown shapes has no plan to give memory to");
  std::lock_guard order(setting_);
  if (kind == GE_SESSION_MEMORY_FIXED || kind == GE_SESSION_MEMORY_CONST) {
    bool &set = kind == GE_SESSION_MEMORY_FIXED ? fixed_set_ : constants_set_;
    if (set) Fail(GE_ALREADY_SET, "E10062: this memory of the graph was set before");
    if (state() == GE_SESSION_GRAPH_LOADED)
      Fail(GE_BAD_STATE, "E10062: this memory of a graph is set before it is loaded");
    if (kind == GE_SESSION_MEMORY_CONST) {
      CheckRoom("bytes of memory for weights", needed.constant_bytes + needed.packed_bytes, memory, size);
      PlaceConstants(memory, size, "SetGraphConstMemoryBase");
    }
    set = true;  // of fixed memory: no tensor has to stay where it is, there is nothing to put there
    return;
  }
  if (feature_set_ && feature_kind_ != kind)
    Fail(GE_BAD_STATE, "E10062: feature memory and refreshable feature memory are alternatives");
  CheckRoom("bytes of feature memory", needed.arena_bytes, memory, size);
  PlaceTensors(memory, size, "UpdateGraphFeatureMemoryBase");
  feature_set_ = true;
  feature_kind_ = kind;
}

void SessionGraph::PlaceTensors(void *memory, uint64_t size, const char *call) {
  ModelPtr compiled = ModelOrFail(call);
  std::lock_guard turn(one_run_);
  std::unique_ptr<RunContext> context;
  if (memory || size) {
    context = std::make_unique<RunContext>(std::move(compiled));
    context->SetMemory(memory, size);
  }
  in_memory_ = std::move(context);
  std::lock_guard lock(mutex_);
  tensors_placed_ = in_memory_ != nullptr;
}

void SessionGraph::PlaceConstants(void *memory, uint64_t size, const char *call) {
  if (reinterpret_cast<uintptr_t>(memory) % kBufferAlignment != 0)
    Fail(GE_PARAM_INVALID, call, ": memory is not aligned to ", kBufferAlignment, " bytes");
  std::lock_guard turn(one_run_);
  std::lock_guard lock(mutex_);
  if (!model_) Fail(GE_BAD_STATE, call, ": graph ", id_, " is not compiled yet");
  if (in_memory_) {
    Fail(GE_BAD_STATE, call, ": graph ", id_, " has memory for its tensors already; memory for constants comes first");
  }
  ContextScope scope("compiling graph", graph_->name());
  CurrentOptions current(options_);
  auto room = memory || size ? std::make_shared<ConstantMemory>(memory, size) : nullptr;
  ModelPtr compiled = Model::Compile(*graph_, options_, variables_, std::move(room));
  idle_.clear();
  model_ = std::move(compiled);
  constants_placed_ = memory || size;
}

}  // namespace gec
