#include "ge/state.h"

#include "capi/src/model_handles.h"
#include "runtime/kept_state.h"

using namespace gec;
using namespace gec::api;

namespace {

KeptState &StateOf(const GeState *state, const char *function) {
  return *ValidOf(const_cast<GeState *>(state), function, "state").state;
}

size_t SlotOf(const KeptState &state, size_t index, const char *function) {
  if (index >= state.slots().size())
    Fail(GE_PARAM_INVALID, function, ": index is ", index, ", the state has ", state.slots().size(), " pairs");
  return index;
}

}  // namespace

extern "C" GeStatus GeStateCreate(GeModel *model, const char *const *inputs, const char *const *outputs, size_t count,
                                  const GeStateOptions *options, GeState **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeStateCreate, out);
    *out = nullptr;
    const ModelPtr &of = ValidOf(model, "GeStateCreate", "model").model;
    if (count) {
      GE_CHECK_ARG(GeStateCreate, inputs);
      GE_CHECK_ARG(GeStateCreate, outputs);
    }
    StateOptions given;
    if (options) {
      const GeStateOptions known = ReadStruct(*options, "GeStateCreate");
      given = {known.capacity, known.limit, known.axis};
    }
    std::vector<StatePair> pairs;
    for (size_t i = 0; i < count; ++i) {
      if (!inputs[i] || !outputs[i]) Fail(GE_PARAM_INVALID, "GeStateCreate: a name of pair ", i, " is null");
      pairs.push_back({inputs[i], outputs[i]});
    }
    auto handle = std::make_unique<GeState>();
    handle->state = std::make_shared<KeptState>(of, pairs, given);
    *out = handle.release();
  });
}

extern "C" GeStatus GeStateClone(GeState *state, GeState **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeStateClone, out);
    *out = nullptr;
    auto handle = std::make_unique<GeState>();
    handle->state = StateOf(state, "GeStateClone").Clone();
    *out = handle.release();
  });
}

extern "C" void GeStateDestroy(GeState *state) {
  if (IsValid(state)) Invalidate(state);
}

extern "C" size_t GeStateCount(const GeState *state) { return IsValid(state) ? state->state->slots().size() : 0; }

extern "C" GeStatus GeStateAt(const GeState *state, size_t index, const char **input, const char **output,
                              GeTensorData *desc) {
  return Guard([&] {
    const KeptState &kept = StateOf(state, "GeStateAt");
    const KeptState::Slot &slot = kept.slots()[SlotOf(kept, index, "GeStateAt")];
    if (input) *input = kept.input_name(slot).c_str();
    if (output) *output = kept.model().outputs()[slot.output].name.c_str();
    if (!desc) return;
    *desc = slot.desc.View();
    desc->data = nullptr;
    desc->size = slot.desc.bytes();
  });
}

extern "C" GeStatus GeStateGetLength(const GeState *state, int64_t *length, int64_t *capacity) {
  return Guard([&] {
    const KeptState &kept = StateOf(state, "GeStateGetLength");
    if (length) *length = kept.length();
    if (capacity) *capacity = kept.capacity();
  });
}

extern "C" GeStatus GeStateRead(GeState *state, size_t index, void *memory, uint64_t size) {
  return Guard([&] {
    KeptState &kept = StateOf(state, "GeStateRead");
    if (size) GE_CHECK_ARG(GeStateRead, memory);
    kept.Read(SlotOf(kept, index, "GeStateRead"), memory, size);
  });
}

extern "C" GeStatus GeStateWrite(GeState *state, size_t index, const GeTensorData *content) {
  return Guard([&] {
    KeptState &kept = StateOf(state, "GeStateWrite");
    GE_CHECK_ARG(GeStateWrite, content);
    kept.Write(SlotOf(kept, index, "GeStateWrite"), *content);
  });
}

extern "C" GeStatus GeStateTruncate(GeState *state, int64_t length) {
  return Guard([&] { StateOf(state, "GeStateTruncate").Truncate(length); });
}

extern "C" GeStatus GeStateClear(GeState *state) {
  return Guard([&] { StateOf(state, "GeStateClear").Clear(); });
}

extern "C" GeStatus GeRunContextSetState(GeRunContext *context, GeState *state) {
  return Guard([&] {
    RunContext &target = ValidOf(context, "GeRunContextSetState", "context").context;
    target.SetState(state ? ValidOf(state, "GeRunContextSetState", "state").state : nullptr);
  });
}
