#include "runtime/kept_state.h"

#include <algorithm>
#include <cstring>

namespace gec {
namespace {

size_t PortNamed(const std::vector<ModelPort> &ports, const std::string &name, const char *kind) {
  std::string names;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == name) return i;
    names += (names.empty() ? "" : ", ") + ports[i].name;
  }
  Fail(GE_PARAM_INVALID, "a state names ", kind, " '", name, "', the model has ", names);
}

}  // namespace

KeptState::KeptState(ModelPtr model, const std::vector<StatePair> &pairs, const StateOptions &options)
    : model_(std::move(model)), options_(options), strides_(pairs.size()) {
  if (pairs.empty()) Fail(GE_PARAM_INVALID, "a state needs at least one pair of an input and an output");
  if (options.capacity < 0 || options.limit < 0)
    Fail(GE_PARAM_INVALID, "a state has capacity ", options.capacity, " and limit ", options.limit,
         ", neither may be negative");
  if (options.limit != 0 && options.capacity > options.limit)
    Fail(GE_PARAM_INVALID, "a state has capacity ", options.capacity, ", its limit is ", options.limit);
  if (model_->settings().engine_time_limit != 0)
    Fail(GE_UNSUPPORTED,
         "a model with option engine_time_limit keeps no state: an engine that hangs may still write to ",
         "it in a later run");
  for (const StatePair &pair : pairs) {
    Slot slot;
    slot.input = PortNamed(model_->inputs(), pair.input, "input");
    slot.output = PortNamed(model_->outputs(), pair.output, "output");
    for (const Slot &other : slots_) {
      if (other.input == slot.input) Fail(GE_PARAM_INVALID, "a state names input '", pair.input, "' twice");
      if (other.output == slot.output) Fail(GE_PARAM_INVALID, "a state names output '", pair.output, "' twice");
    }
    for (const VariableBinding::Ref &ref : model_->bound().refs)
      if (ref.input == slot.input)
        Fail(GE_PARAM_INVALID, "input '", pair.input,
             "' cannot be kept in a state: the graph changes it itself (RefData)");
    const TensorDesc &in = model_->inputs()[slot.input].desc, &out = model_->outputs()[slot.output].desc;
    if (in.dtype == C_DT_UNDEFINED || (out.dtype != C_DT_UNDEFINED && out.dtype != in.dtype) ||
        GeDataTypeBits(in.dtype) % 8 != 0 || GeDataTypeBits(in.dtype) == 0)
      Fail(GE_PARAM_INVALID, "output '", pair.output, "' is ", GeDataTypeName(out.dtype), ", and cannot be input '",
           pair.input, "' of the next run, ", GeDataTypeName(in.dtype));
    if (!in.shape.has_rank() || (out.shape.has_rank() && out.shape.rank() != in.shape.rank()))
      Fail(GE_PARAM_INVALID, "output '", pair.output, "' of shape ", out.shape.str(), " cannot be input '", pair.input,
           "' of the next run, ", in.shape.str());
    const int64_t rank = in.shape.rank(), axis = options.axis < 0 ? options.axis + rank : options.axis;
    bool open = false;
    for (int64_t d = 0; d < rank; ++d) {
      open |= in.shape[static_cast<size_t>(d)] < 0;
      if (d == axis || !out.shape.has_rank() || in.shape[static_cast<size_t>(d)] < 0 ||
          out.shape[static_cast<size_t>(d)] < 0 ||
          in.shape[static_cast<size_t>(d)] == out.shape[static_cast<size_t>(d)])
        continue;
      Fail(GE_PARAM_INVALID, "output '", pair.output, "' of shape ", out.shape.str(), " cannot be input '", pair.input,
           "' of the next run, ", in.shape.str(), ": they differ along axis ", d, ", and axis ", options.axis,
           " grows");
    }
    if (open && (axis < 0 || axis >= rank))
      Fail(GE_PARAM_INVALID, "a state grows along axis ", options.axis, ", input '", pair.input, "' has rank ", rank);
    slot.axis = axis < 0 || axis >= rank ? 0 : static_cast<size_t>(axis);
    slot.grows = open && in.shape[slot.axis] < 0;
    SetEmpty(&slot);
    slots_.push_back(std::move(slot));
  }
  Clear();
}

KeptState::KeptState(const KeptState &other, int)
    : model_(other.model_), options_(other.options_), strides_(other.slots_.size()) {
  for (const Slot &from : other.slots_) {
    Slot slot;
    slot.input = from.input, slot.output = from.output, slot.desc = from.desc;
    slot.axis = from.axis, slot.grows = from.grows, slot.room = from.room;
    const uint64_t bytes = static_cast<uint64_t>(Outer(from) * from.room) * RowBytes(from);
    slot.memory->Ensure(std::max<uint64_t>(bytes, 1));
    if (bytes) std::memcpy(slot.memory->base(), from.memory->base(), bytes);
    slots_.push_back(std::move(slot));
  }
}

std::unique_ptr<KeptState> KeptState::Clone() {
  const Use use(*this, "a copy of it");
  return std::unique_ptr<KeptState>(new KeptState(*this, 0));
}

std::string KeptState::Named(const Slot &slot) const { return Str("the state of input '", input_name(slot), "'"); }

/// Nothing along the axis that grows; what the model leaves open beside it is 1.
void KeptState::SetEmpty(Slot *slot) const {
  slot->desc = TensorDesc(model_->inputs()[slot->input].desc.dtype, model_->inputs()[slot->input].desc.shape);
  for (size_t d = 0; d < slot->desc.shape.dims().size(); ++d)
    if (slot->desc.shape[d] < 0) slot->desc.shape[d] = d == slot->axis ? 0 : 1;
  slot->desc.origin_shape = slot->desc.shape;
}

void KeptState::Clear() {
  const Use use(*this, "an emptying of it");
  for (Slot &slot : slots_) {
    SetEmpty(&slot);
    slot.room = slot.length();
    if (slot.grows) Layout(&slot, options_.capacity);
    const uint64_t bytes = slot.desc.bytes();
    slot.memory->Ensure(std::max<uint64_t>(bytes, 1));
    std::memset(slot.memory->base(), 0, bytes);
  }
}

int64_t KeptState::Outer(const Slot &slot) const {
  int64_t count = 1;
  for (size_t d = 0; d < slot.axis && d < slot.desc.shape.dims().size(); ++d) count *= slot.desc.shape[d];
  return count;
}

uint64_t KeptState::RowBytes(const Slot &slot) const {
  uint64_t bytes = GeDataTypeBits(slot.desc.dtype) / 8;
  for (size_t d = slot.axis + 1; d < slot.desc.shape.dims().size(); ++d)
    bytes *= static_cast<uint64_t>(slot.desc.shape[d]);
  return bytes;
}

/// Moves the content to memory with this room, at least the length.
void KeptState::Layout(Slot *slot, int64_t room) {
  room = std::max(room, slot->length());
  if (room == slot->room && slot->memory->base()) return;
  const uint64_t row = RowBytes(*slot), used = static_cast<uint64_t>(slot->length()) * row;
  const int64_t outer = Outer(*slot);
  TensorDesc whole = slot->desc;
  if (!whole.shape.dims().empty()) whole.shape[slot->axis] = room;
  slot->spare->Ensure(std::max<uint64_t>(whole.bytes(), 1));
  for (int64_t o = 0; used && o < outer; ++o)
    std::memcpy(slot->spare->base() + static_cast<uint64_t>(o * room) * row,
                slot->memory->base() + static_cast<uint64_t>(o * slot->room) * row, used);
  std::swap(slot->memory, slot->spare);
  slot->room = room;
}

int64_t KeptState::length() const {
  int64_t length = 0;
  for (const Slot &slot : slots_)
    if (slot.grows) length = std::max(length, slot.length());
  return length;
}

int64_t KeptState::capacity() const {
  int64_t least = 0;
  bool any = false;
  for (const Slot &slot : slots_) {
    if (!slot.grows) continue;
    least = any ? std::min(least, slot.room) : slot.room;
    any = true;
  }
  return least;
}

void KeptState::Truncate(int64_t length) {
  const Use use(*this, "a change of its length");
  for (const Slot &slot : slots_)
    if (slot.grows && (length < 0 || length > slot.length()))
      Fail(GE_PARAM_INVALID, Named(slot), " has length ", slot.length(), " and cannot be cut to ", length);
  for (Slot &slot : slots_) {
    if (!slot.grows || slot.length() == length) continue;
    slot.desc.shape[slot.axis] = length;
    slot.desc.origin_shape = slot.desc.shape;
  }
}

void KeptState::Read(size_t at, void *to, uint64_t bytes) {
  const Use use(*this, "a reader");
  const Slot &slot = slots_[at];
  const uint64_t needed = slot.desc.bytes(), row = RowBytes(slot), used = static_cast<uint64_t>(slot.length()) * row;
  if (bytes < needed)
    Fail(GE_DATA_MISMATCH, Named(slot), " of shape ", slot.desc.shape.str(), " needs ", needed, " bytes, ", bytes,
         " were given");
  if (slot.desc.shape.dims().empty()) {
    std::memcpy(to, slot.memory->base(), needed);
    return;
  }
  for (int64_t o = 0; used && o < Outer(slot); ++o)
    std::memcpy(static_cast<char *>(to) + static_cast<uint64_t>(o) * used,
                slot.memory->base() + static_cast<uint64_t>(o * slot.room) * row, used);
}

void KeptState::CheckLimit(const Slot &slot, int64_t length) const {
  if (slot.grows && options_.limit != 0 && length > options_.limit)
    Fail(GE_DATA_MISMATCH, Named(slot), " would have length ", length, ", its limit is ", options_.limit);
}

void KeptState::Write(size_t at, const GeTensorData &content) {
  const Use use(*this, "a writer");
  Slot &slot = slots_[at];
  const ModelPort &port = model_->inputs()[slot.input];
  const Shape shape = Shape::From(content.dims, content.rank);
  bool fits = shape.known() && shape.rank() == port.desc.shape.rank();
  for (size_t d = 0; fits && d < shape.dims().size(); ++d)
    fits = port.desc.shape[d] < 0 || shape[d] == port.desc.shape[d];
  if (content.data_type != port.desc.dtype || !fits)
    Fail(GE_DATA_MISMATCH, Named(slot), " cannot be ", GeDataTypeName(content.data_type), ' ', shape.str(),
         ", expected ", GeDataTypeName(port.desc.dtype), ' ', port.desc.shape.str());
  TensorDesc desc(content.data_type, shape);
  const uint64_t bytes = desc.bytes();
  if (bytes && !content.data) Fail(GE_PARAM_INVALID, Named(slot), " of shape ", shape.str(), ": its data is null");
  if (content.size < bytes)
    Fail(GE_DATA_MISMATCH, Named(slot), " of shape ", shape.str(), " needs ", bytes, " bytes, ", content.size,
         " were given");
  if (!shape.dims().empty()) CheckLimit(slot, shape[slot.axis]);
  slot.spare->Ensure(std::max<uint64_t>(bytes, 1));
  if (bytes) std::memcpy(slot.spare->base(), content.data, bytes);
  std::swap(slot.memory, slot.spare);
  slot.desc = std::move(desc);
  slot.room = slot.length();
  if (slot.grows) Layout(&slot, options_.capacity);
}

void KeptState::Bind(const void *context) {
  const void *other = nullptr;
  if (!context) bound_.store(nullptr);
  else if (!bound_.compare_exchange_strong(other, context))
    Fail(GE_BAD_STATE, "a state is used by one run context at a time, and another one has it");
}

KeptState::Use::Use(KeptState &state, const char *what) : state_(state) {
  const char *other = nullptr;
  if (!state_.used_.compare_exchange_strong(other, what, std::memory_order_acquire))
    Fail(GE_BAD_STATE, "a state is used by ", what, " while ", other, " uses it");
}
KeptState::Use::~Use() { state_.used_.store(nullptr, std::memory_order_release); }

void KeptState::CheckNext(const Slot &slot, const TensorDesc &next) const {
  const Shape &before = slot.desc.shape;
  bool same = next.dtype == slot.desc.dtype && next.shape.dims().size() == before.dims().size();
  for (size_t d = 0; same && d < before.dims().size(); ++d)
    same = next.shape[d] == before[d] || (slot.grows && d == slot.axis);
  if (!same)
    Fail(GE_DATA_MISMATCH, "output '", model_->outputs()[slot.output].name, "', ", GeDataTypeName(next.dtype), ' ',
         next.shape.str(), ", does not continue ", Named(slot), ", ", GeDataTypeName(slot.desc.dtype), ' ',
         before.str(), slot.grows ? Str(", which grows along axis ", slot.axis) : "");
  if (!next.shape.dims().empty()) CheckLimit(slot, next.shape[slot.axis]);
}

KeptState::Place KeptState::Grow(size_t at, const TensorDesc &next) {
  Slot &slot = slots_[at];
  const int64_t length = next.shape[slot.axis];
  if (length > slot.room) {
    constexpr int64_t kLeast = 32;
    int64_t room = std::max({length, slot.room * 2, options_.capacity, kLeast});
    if (options_.limit != 0) room = std::min(room, std::max(options_.limit, length));
    Layout(&slot, room);
  }
  std::vector<int64_t> &strides = strides_[at];
  strides.resize(next.shape.dims().size());
  int64_t step = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    strides[d] = step;
    step *= d == slot.axis ? slot.room : next.shape[d];
  }
  return {slot.memory->base(), slot.memory->base(), strides.data()};
}

const void *KeptState::Dense(size_t at) {
  Slot &slot = slots_[at];
  if (!slot.dense()) Layout(&slot, slot.length());
  return slot.memory->base();
}

KeptState::Place KeptState::Beside(size_t at, const TensorDesc &next) {
  const void *in = Dense(at);
  Slot &slot = slots_[at];
  // Once and a half the room, so that not every step allocates.
  const uint64_t bytes = std::max<uint64_t>(next.bytes(), 1);
  if (slot.spare->bytes() < bytes) slot.spare->Ensure(slot.grows ? bytes + bytes / 2 : bytes);
  return {in, slot.spare->base(), nullptr};
}

void KeptState::Commit(size_t at, const TensorDesc &next, bool grown) {
  Slot &slot = slots_[at];
  for (size_t d = 0; d < next.shape.dims().size(); ++d) slot.desc.shape[d] = next.shape[d];
  slot.desc.origin_shape = slot.desc.shape;
  if (grown) return;
  std::swap(slot.memory, slot.spare);
  slot.room = slot.length();
}

}  // namespace gec
