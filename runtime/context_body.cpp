#include "runtime/context_body.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/ir/types.h"
#include "core/support/abi_sizes.h"

#include "runtime/interpreter.h"
#include "runtime/profiler.h"
#include "runtime/threads.h"

namespace gec {
namespace {

std::string Names(const std::vector<ModelPort> &ports) {
  std::string names;
  for (const ModelPort &p : ports) names += (names.empty() ? "" : ", ") + p.name;
  return names;
}

bool Overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
  const char *x = static_cast<const char *>(a), *y = static_cast<const char *>(b);
  return x < y + b_bytes && y < x + a_bytes;
}

void Describe(const TensorDesc &desc, const void *data, uint64_t bytes, GeTensorData *out) {
  *out = desc.View();
  out->data = const_cast<void *>(data);
  out->size = bytes;
}

}  // namespace

ContextBody::ContextBody(ModelPtr model)
    : state_(std::move(model)), root_(state_.RunnerFor("")), apart_(this->model().settings().engine_time_limit != 0) {
  const VariableBinding &bound = this->model().bound();
  const size_t inputs = this->model().inputs().size() + bound.inputs.size();
  const size_t outputs = this->model().outputs().size() + bound.output_count();
  in_.resize(inputs);
  out_.resize(outputs);
  moved_.resize(outputs);
  lends_.assign(outputs, 1);  // those of variables are given memory below, or nobody's
  own_outputs_.resize(outputs);
  own_inputs_.resize(apart_ ? this->model().inputs().size() : 0);
  if (bound.empty()) return;
  all_inputs_.resize(inputs);
  all_outputs_.resize(outputs);
  for (size_t k = 0; k < bound.inputs.size(); ++k)
    all_inputs_[this->model().inputs().size() + k] = bound.inputs[k].desc.View();
}

ContextBody::~ContextBody() {
  if (kept_) kept_->Bind(nullptr);
}

void ContextBody::CheckCounts(size_t input_count, size_t output_count) const {
  const Model &model = const_cast<ContextState &>(state_).model();
  if (input_count != model.inputs().size()) {
    Fail(GE_DATA_MISMATCH, "the model has ", model.inputs().size(), " inputs (", Names(model.inputs()), "), ",
         input_count, " were given");
  }
  if (output_count != model.outputs().size()) {
    Fail(GE_DATA_MISMATCH, "the model has ", model.outputs().size(), " outputs (", Names(model.outputs()),
         "), room for ", output_count, " was given");
  }
}

void ContextBody::CheckData(size_t i, const GeTensorData &input, uint64_t bytes) const {
  if (bytes == 0) return;
  const std::string &name = const_cast<ContextState &>(state_).model().inputs()[i].name;
  if (input.data == nullptr) Fail(GE_DATA_MISMATCH, "input '", name, "' has no data");
  if (input.size < bytes) {
    Fail(GE_DATA_MISMATCH, "input '", name, "' has ", input.size, " bytes, shape ",
         Shape::From(input.dims, input.rank).str(), " of ", GeDataTypeName(input.data_type), " needs ", bytes);
  }
}

void ContextBody::CheckFormats(size_t i, const GeTensorData &input) const {
  for (int32_t format : {input.format, input.origin_format}) {
    if (IsFormatValue(format)) continue;
    Fail(GE_DATA_MISMATCH, "input '", const_cast<ContextState &>(state_).model().inputs()[i].name, "' has format ",
         format, ", which is unknown; there are 0 to ", C_FORMAT_END - 1);
  }
  if (input.reserved != 0)
    Fail(GE_DATA_MISMATCH, "input '", const_cast<ContextState &>(state_).model().inputs()[i].name,
         "' has a reserved member that is not 0: ", input.reserved);
}

void ContextBody::CheckInputs(const GeTensorData *inputs, bool with_data) const {
  const std::vector<ModelPort> &ports = const_cast<ContextState &>(state_).model().inputs();
  for (size_t i = 0; i < ports.size(); ++i) {
    const ModelPort &port = ports[i];
    const GeTensorData &in = inputs[i];
    if (!IsDataTypeValue(in.data_type)) {
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' has data type ", in.data_type,
           ", which is unknown; there are 0 to ", C_DT_MAX - 1);
    }
    CheckFormats(i, in);
    if (in.data_type == C_DT_UNDEFINED) Fail(GE_DATA_MISMATCH, "input '", port.name, "' is missing");
    if (port.desc.dtype != C_DT_UNDEFINED && in.data_type != port.desc.dtype) {
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' is ", GeDataTypeName(in.data_type), ", expected ",
           GeDataTypeName(port.desc.dtype));
    }
    if (GeDataTypeBits(in.data_type) == 0) {
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' has type ", GeDataTypeName(in.data_type),
           ", which cannot be fed");
    }
    if (in.rank < 0 || in.rank > GE_MAX_RANK)
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' has rank ", in.rank, ", allowed: 0 to ", GE_MAX_RANK);
    if (in.rank > 0 && in.dims == nullptr)
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' has rank ", in.rank, ", but its dims are null");
    Shape shape = Shape::From(in.dims, in.rank);
    bool fits = !port.desc.shape.has_rank() || port.desc.shape.rank() == in.rank;
    for (int32_t d = 0; d < in.rank; ++d) {
      if (in.dims[d] < 0) Fail(GE_DATA_MISMATCH, "input '", port.name, "' has a negative dimension in ", shape.str());
      if (fits && port.desc.shape.has_rank() && port.desc.shape[d] >= 0 && port.desc.shape[d] != in.dims[d])
        fits = false;
    }
    if (!fits) {
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' has shape ", shape.str(), ", expected ", port.desc.shape.str());
    }
    for (size_t d = 0; d < port.bounds.low.size() && d < shape.dims().size(); ++d) {
      const int64_t low = port.bounds.low[d], high = port.bounds.high[d];
      if (shape[d] >= low && (high < 0 || shape[d] <= high)) continue;
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' has shape ", shape.str(), ", dimension ", d, " is to be ",
           high < 0 ? Str("at least ", low) : Str("from ", low, " to ", high));
    }
    uint64_t bytes = 0;
    try {
      bytes = ByteSize(in.data_type, shape.elements());
    } catch (const Error &e) {
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' with shape ", shape.str(), ": ", e.what());
    }
    if (with_data) CheckData(i, in, bytes);
  }
}

void *ContextBody::OwnOutput(size_t i, uint64_t bytes) {
  if (!own_outputs_[i]) own_outputs_[i] = std::make_unique<Arena>();
  own_outputs_[i]->Ensure(std::max<uint64_t>(bytes, 1));
  return own_outputs_[i]->base();
}

const void *ContextBody::OwnInput(size_t i, const void *data, uint64_t bytes) {
  if (!own_inputs_[i]) own_inputs_[i] = std::make_unique<Arena>();
  own_inputs_[i]->Ensure(std::max<uint64_t>(bytes, 1));
  if (bytes) std::memcpy(own_inputs_[i]->base(), data, bytes);
  return own_inputs_[i]->base();
}

void ContextBody::AddInputShapes(const Error &error, const GeTensorData *inputs, size_t input_count) const {
  constexpr std::string_view kIntro = "a run with inputs ";
  if (error.code() != GE_OUT_OF_MEMORY || std::string_view(error.what()).substr(0, kIntro.size()) == kIntro) throw;
  std::string text(kIntro);
  const std::vector<ModelPort> &ports = const_cast<ContextState &>(state_).model().inputs();
  for (size_t i = 0; i < input_count && i < ports.size(); ++i) {
    text += Str(i ? ", '" : "'", ports[i].name, "' ", GeDataTypeName(inputs[i].data_type),
                Shape::From(inputs[i].dims, inputs[i].rank).str());
  }
  Fail(error.code(), text, ": ", error.what());
}

void ContextBody::Prepare(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs,
                          size_t output_count) try {
  if (ThreadTeamLost()) return OnNewThread([&] { Prepare(inputs, input_count, outputs, output_count); });
  CheckCounts(input_count, output_count);
  UseThreads scope(model().settings().threads);
  std::optional<KeptState::Use> use;
  if (kept_) use.emplace(*kept_, "a run");
  inputs = WithState(inputs);
  CheckInputs(inputs, false);
  StaticRun *run = root_.Select(WithVariables(inputs), in_.size());
  for (size_t j = 0; j < output_count; ++j) {
    const TensorDesc &desc = run ? run->outputs()[j] : model().outputs()[j].desc;
    Describe(desc, nullptr, run ? desc.bytes() : 0, &outputs[j]);
  }
} catch (const Error &e) {
  AddInputShapes(e, inputs, input_count);
}

void ContextBody::Run(const GeTensorData *inputs, size_t input_count, GeTensorData *outputs, size_t output_count,
                      Profiler *profiler) try {
  if (ThreadTeamLost()) return OnNewThread([&] { Run(inputs, input_count, outputs, output_count, profiler); });
  CheckCounts(input_count, output_count);
  UseThreads scope(model().settings().threads);
  // An output that points to what the last run lent asks for memory of the context, as one without data does.
  for (size_t j = 0; j < output_count; ++j)
    lends_[j] = outputs[j].data == nullptr || (!lent_.empty() && outputs[j].data == lent_[j].data);
  std::optional<KeptState::Use> use;
  if (kept_) {
    use.emplace(*kept_, "a run");
    for (const KeptState::Slot &slot : kept_->slots())
      if (!lends_[slot.output])
        Fail(GE_DATA_MISMATCH, "output '", OutputName(slot.output), "' goes to a state, and was given a buffer");
    inputs = WithState(inputs);
  }
  const GeTensorData *given = inputs;
  const bool copied = InputCopies::Needed(inputs, input_count, lent_);
  if (copied) {
    CheckInputs(inputs, false);
    inputs = copies_.Make(model(), inputs, lent_);
  }
  lent_.clear();
  if (model().bound().empty()) RunOnce(inputs, outputs, profiler);
  else RunWithVariables(inputs, outputs, profiler);
  if (copied) copies_.WriteBack(model(), given);
} catch (const Error &e) {
  AddInputShapes(e, inputs, input_count);
}

void ContextBody::RunOnce(const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler) {
  const size_t input_count = in_.size();
  // A plan that was run before says all there is to check: same types and shapes, data of known sizes.
  StaticRun *run = checked_ ? root_.SelectLast(inputs, input_count) : nullptr;
  if (run != nullptr && run == checked_) {
    for (size_t i = 0; i < input_count; ++i) {
      const GeTensorData &in = inputs[i];
      const uint64_t bytes = run->input_bytes()[i];
      if (in.data == nullptr || in.size < bytes) CheckData(i, in, bytes);
      if (static_cast<uint32_t>(in.format | in.origin_format) >= C_FORMAT_END || in.reserved != 0) CheckFormats(i, in);
    }
  } else {
    checked_ = nullptr;
    CheckInputs(inputs, true);
    run = root_.Select(inputs, input_count);
    checked_ = run;
  }
  if (run) RunStatic(*run, inputs, outputs, profiler);
  else RunInterpreted(inputs, outputs, profiler);
}

/// The caller's inputs with those of variables behind them, which have a description and, while a run lasts, data.
const GeTensorData *ContextBody::WithVariables(const GeTensorData *inputs) {
  if (model().bound().empty()) return inputs;
  std::copy(inputs, inputs + model().inputs().size(), all_inputs_.begin());
  return all_inputs_.data();
}

const std::string &ContextBody::OutputName(size_t j) const {
  const Model &model = const_cast<ContextState &>(state_).model();
  return j < model.outputs().size() ? model.outputs()[j].name : hidden_name_;
}

void ContextBody::RunWithVariables(const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler) {
  const VariableBinding &bound = model().bound();
  VariableStore &store = model().variables();
  const size_t own_inputs = model().inputs().size(), own_outputs = model().outputs().size();
  std::optional<TurnLock> writing;
  if (!bound.outputs.empty()) writing.emplace(store.writing());
  struct Clear {
    ContextBody &self;
    VariableStore &store;
    ~Clear() {
      store.Release(&self.held_);
      self.fresh_.clear();
    }
  } clear{*this, store};
  store.Take(bound.read, &held_);
  WithVariables(inputs);
  for (size_t k = 0; k < bound.inputs.size(); ++k) {
    GeTensorData &in = all_inputs_[own_inputs + k];
    if (bound.inputs[k].flag) {
      in.data = &held_[k].is_set;
      in.size = sizeof held_[k].is_set;
    } else {
      in.data = const_cast<void *>(held_[k].value->data());
      in.size = held_[k].value->bytes();
    }
  }
  std::copy(outputs, outputs + own_outputs, all_outputs_.begin());
  std::fill(all_outputs_.begin() + static_cast<ptrdiff_t>(own_outputs), all_outputs_.end(), GeTensorData{});
  for (size_t k = 0; k < bound.outputs.size(); ++k) {
    fresh_.push_back(bound.outputs[k].desc.known() ? store.Spare(bound.written[k], bound.outputs[k].desc) : nullptr);
    lends_[own_outputs + bound.outputs[k].at] = !fresh_[k];
    if (!fresh_[k]) continue;  // the run tells its shape, in memory of the context
    all_outputs_[own_outputs + bound.outputs[k].at].data = fresh_[k]->buffer->data();
    all_outputs_[own_outputs + bound.outputs[k].at].size = fresh_[k]->buffer->size();
  }
  RunOnce(all_inputs_.data(), all_outputs_.data(), profiler);
  for (const VariableBinding::Ref &ref : bound.refs) {
    const GeTensorData &now = all_outputs_[own_outputs + ref.at], &in = inputs[ref.input];
    const Shape before = Shape::From(in.dims, in.rank), after = Shape::From(now.dims, now.rank);
    if (now.data_type != in.data_type || before != after) {
      Fail(GE_DATA_MISMATCH, "input '", model().inputs()[ref.input].name, "' is changed to ",
           GeDataTypeName(now.data_type), " ", after.str(), ", it was given as ", GeDataTypeName(in.data_type), " ",
           before.str());
    }
  }
  for (size_t k = 0; k < bound.outputs.size(); ++k) {
    const GeTensorData &now = all_outputs_[own_outputs + bound.outputs[k].at];
    if (!fresh_[k]) {
      fresh_[k] = std::make_shared<Tensor>(TensorDesc::From(now), Buffer::Copy(now.data, now.size));
      continue;
    }
    const Shape::Dims &dims = fresh_[k]->desc.shape.dims();
    const bool same = now.data_type == fresh_[k]->desc.dtype && now.rank == static_cast<int32_t>(dims.size()) &&
                      std::equal(dims.begin(), dims.end(), now.dims);
    if (!same) fresh_[k]->desc = TensorDesc::From(now);  // is refused
  }
  if (!fresh_.empty()) store.Publish(bound.written, &fresh_, bound.writers);
  for (const VariableBinding::Ref &ref : bound.refs) {
    const GeTensorData &now = all_outputs_[own_outputs + ref.at];
    if (now.size && now.data != inputs[ref.input].data) std::memcpy(inputs[ref.input].data, now.data, now.size);
  }
  std::copy(all_outputs_.begin(), all_outputs_.begin() + static_cast<ptrdiff_t>(own_outputs), outputs);
}

/// The run writes into the memory of an input. Where that overlaps another buffer of the caller, steps that use the
/// other one would see it; so the run gets a copy, which is written back at the end.
void ContextBody::BindState(const StaticRun &run, const MemoryPlan::State &state, const GeTensorData *inputs,
                            const GeTensorData *outputs) {
  const size_t input = static_cast<size_t>(state.input), output = static_cast<size_t>(state.output);
  const uint64_t bytes = run.input_bytes()[input];
  bool shared = false;  // what is apart overlaps nothing
  for (size_t i = 0; !apart_ && i < model().inputs().size(); ++i)
    shared |= i != input && Overlap(inputs[i].data, run.input_bytes()[i], inputs[input].data, bytes);
  for (size_t j = 0; !apart_ && j < model().outputs().size(); ++j)
    shared |= !lends_[j] && Overlap(outputs[j].data, outputs[j].size, inputs[input].data, bytes);
  if (shared) in_[input] = std::memcpy(OwnOutput(output, bytes), in_[input], bytes);
  out_[output] = const_cast<void *>(in_[input]);
}

void ContextBody::RunStatic(StaticRun &run, const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler) {
  const ExecPlan &plan = run.plan();
  const size_t input_count = in_.size(), output_count = out_.size();
  const size_t own_inputs = model().inputs().size(), own_outputs = model().outputs().size();
  static char empty[64];
  for (size_t i = 0; i < input_count; ++i) in_[i] = inputs[i].data ? inputs[i].data : empty;
  for (size_t i = 0; apart_ && i < own_inputs; ++i) in_[i] = OwnInput(i, inputs[i].data, run.input_bytes()[i]);
  bool any_moved = false;
  for (const MemoryPlan::State &state : plan.memory.states) BindState(run, state, inputs, outputs);
  if (kept_ || !plan.growths.empty()) PlaceState(run);
  for (size_t j = 0; j < output_count; ++j) {
    const uint64_t bytes = run.output_bytes()[j];
    moved_[j] = 0;
    if (Keeps(j)) continue;
    if (lends_[j]) {
      if (!run.in_state(j)) out_[j] = OwnOutput(j, bytes);
      continue;
    }
    if (outputs[j].size < bytes) {
      Fail(GE_DATA_MISMATCH, "output '", OutputName(j), "' has a buffer of ", outputs[j].size, " bytes, shape ",
           run.outputs()[j].shape.str(), " of ", GeDataTypeName(run.outputs()[j].dtype), " needs ", bytes);
    }
    // New values of variables are nobody else's, and overlap nothing.
    moved_[j] = j < own_outputs && (apart_ || !AlignedFor(run.outputs()[j].dtype, outputs[j].data));
    for (size_t i = 0; i < own_inputs && j < own_outputs && !moved_[j]; ++i)
      moved_[j] = Overlap(in_[i], run.input_bytes()[i], outputs[j].data, bytes);
    any_moved |= moved_[j] != 0;
    out_[j] = moved_[j] ? OwnOutput(j, bytes) : outputs[j].data;
  }
  run.RunOnce(in_.data(), out_.data(), profiler);
  for (size_t j = 0; any_moved && j < output_count; ++j) {
    if (!moved_[j]) continue;
    std::memcpy(outputs[j].data, out_[j], run.output_bytes()[j]);
    out_[j] = outputs[j].data;
  }
  if (kept_) CommitState(run);
  for (size_t j = 0; j < output_count; ++j) {
    Describe(run.outputs()[j], Keeps(j) ? nullptr : out_[j], run.output_bytes()[j], &outputs[j]);
    if (Keeps(j)) continue;
    if (lends_[j] && own_outputs_[j] && out_[j] == own_outputs_[j]->base()) Lend(j, out_[j], run.output_bytes()[j]);
  }
}

void ContextBody::RunInterpreted(const GeTensorData *inputs, GeTensorData *outputs, Profiler *profiler) {
  values_.clear();  // room stays
  values_.resize(in_.size());
  for (size_t i = 0; i < values_.size(); ++i) {
    RunValue &v = values_[i];
    v.desc = TensorDesc(inputs[i].data_type, Shape::From(inputs[i].dims, inputs[i].rank), inputs[i].format);
    v.bytes = v.desc.bytes();
    v.data = i < own_inputs_.size() ? OwnInput(i, inputs[i].data, v.bytes) : inputs[i].data;
    v.present = true;
  }
  results_.clear();
  for (size_t k = 0; kept_ && k < kept_->slots().size(); ++k) values_[kept_->slots()[k].input].data = kept_->Dense(k);
  root_.interpreter().Run(values_, &results_, profiler);
  for (size_t j = 0; j < results_.size(); ++j) {  // what can fail comes before anything is told
    RunValue &v = results_[j];
    if (Keeps(j)) continue;
    if (!lends_[j] && outputs[j].size < v.bytes) {
      Fail(GE_DATA_MISMATCH, "output '", OutputName(j), "' has a buffer of ", outputs[j].size, " bytes, shape ",
           v.desc.shape.str(), " of ", GeDataTypeName(v.desc.dtype), " needs ", v.bytes);
    }
    if (!lends_[j] || v.block) continue;
    // An input or a constant handed through, or no elements: the caller gets memory of the context.
    void *own = OwnOutput(j, v.bytes);
    if (v.bytes) std::memcpy(own, v.data, v.bytes);
    v.data = own;
  }
  if (kept_) KeepResults();
  for (size_t j = 0; j < results_.size(); ++j) {
    const RunValue &v = results_[j];
    if (Keeps(j)) {
      Describe(v.desc, nullptr, v.bytes, &outputs[j]);
      continue;
    }
    if (!lends_[j] && v.bytes) std::memmove(outputs[j].data, v.data, v.bytes);
    Describe(v.desc, lends_[j] ? v.data : outputs[j].data, v.bytes, &outputs[j]);
    if (lends_[j]) Lend(j, v.data, v.bytes);
  }
}

void ContextBody::SetState(std::shared_ptr<KeptState> state) {
  if (state && &state->model() != &model())
    Fail(GE_PARAM_INVALID, "a state of another model cannot be used by a run context of this one");
  if (state == kept_) return;
  if (state && last_kept_.lock() != state) {  // a program may set the same one for each run
    std::vector<uint8_t> outputs(out_.size());
    std::vector<GeTensorData> inputs(model().inputs().size());
    std::vector<int32_t> growths(state->slots().size());
    for (const KeptState::Slot &slot : state->slots()) outputs[slot.output] = 1;
    state->Bind(this);  // may refuse: from here on all goes well
    kept_outputs_ = std::move(outputs);
    kept_inputs_ = std::move(inputs);
    growths_ = std::move(growths);
    last_kept_ = state;
  } else if (state) {
    state->Bind(this);
  }
  if (kept_) kept_->Bind(nullptr);
  kept_ = std::move(state);
}

/// The caller's inputs with those of the state, if there is one.
const GeTensorData *ContextBody::WithState(const GeTensorData *inputs) {
  if (!kept_) return inputs;
  std::copy(inputs, inputs + kept_inputs_.size(), kept_inputs_.begin());
  for (const KeptState::Slot &slot : kept_->slots()) {
    GeTensorData &in = kept_inputs_[slot.input];
    if (in.data)
      Fail(GE_DATA_MISMATCH, "input '", model().inputs()[slot.input].name, "' comes from a state, and is fed as well");
    in = slot.desc.View();
    in.data = slot.memory->base();
    in.size = slot.desc.bytes();
  }
  return kept_inputs_.data();
}

/// Where the plan lets an output grow in the memory of its input, both are that of the state; else it is written beside
/// it.
void ContextBody::PlaceState(StaticRun &run) {
  const std::vector<ExecPlan::Growth> &growths = run.plan().growths;
  for (size_t g = 0; g < growths.size(); ++g) run.SetGrowth(g, nullptr);
  if (!kept_) return;
  const std::vector<KeptState::Slot> &slots = kept_->slots();
  for (const KeptState::Slot &slot : slots) kept_->CheckNext(slot, run.outputs()[slot.output]);
  for (size_t k = 0; k < slots.size(); ++k) {
    const KeptState::Slot &slot = slots[k];
    const TensorDesc &next = run.outputs()[slot.output];
    growths_[k] = -1;
    for (size_t g = 0; g < growths.size() && slot.grows; ++g)
      if (static_cast<size_t>(growths[g].input) == slot.input &&
          static_cast<size_t>(growths[g].output) == slot.output && static_cast<size_t>(growths[g].axis) == slot.axis)
        growths_[k] = static_cast<int32_t>(g);
    const KeptState::Place place = growths_[k] >= 0 ? kept_->Grow(k, next) : kept_->Beside(k, next);
    in_[slot.input] = place.in;
    out_[slot.output] = place.out;
    if (growths_[k] >= 0) run.SetGrowth(static_cast<size_t>(growths_[k]), place.strides);
  }
}

void ContextBody::CommitState(const StaticRun &run) {
  for (size_t k = 0; k < kept_->slots().size(); ++k)
    kept_->Commit(k, run.outputs()[kept_->slots()[k].output], growths_[k] >= 0);
}

/// Of a run without a plan.
void ContextBody::KeepResults() {
  const std::vector<KeptState::Slot> &slots = kept_->slots();
  for (const KeptState::Slot &slot : slots) kept_->CheckNext(slot, results_[slot.output].desc);
  for (size_t k = 0; k < slots.size(); ++k) {
    const RunValue &v = results_[slots[k].output];
    const KeptState::Place place = kept_->Beside(k, v.desc);
    if (v.bytes) std::memcpy(place.out, v.data, v.bytes);
  }
  for (size_t k = 0; k < slots.size(); ++k) kept_->Commit(k, results_[slots[k].output].desc, false);
}

void ContextBody::Lend(size_t j, const void *data, uint64_t bytes) {
  if (j >= model().outputs().size()) return;
  lent_.resize(model().outputs().size());
  lent_[j] = {data, bytes};
}

}  // namespace gec
