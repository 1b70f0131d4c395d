#include "runtime/input_copies.h"

#include <algorithm>
#include <cstring>

#include "core/ir/types.h"
#include "core/support/abi_sizes.h"
#include "runtime/strided.h"

namespace gec {
namespace {

constexpr uintptr_t kMostAlignment = 8;  // of the types that there are

const LentMemory *LentTo(const GeTensorData &input, const std::vector<LentMemory> &lent) {
  const char *begin = static_cast<const char *>(input.data);
  for (const LentMemory &memory : lent) {
    const char *from = static_cast<const char *>(memory.data);
    if (from && begin < from + memory.bytes && from < begin + input.size) return &memory;
  }
  return nullptr;
}

bool IsChanged(const Model &model, size_t input) {
  const auto &refs = model.bound().refs;
  return std::any_of(refs.begin(), refs.end(), [&](const VariableBinding::Ref &ref) { return ref.input == input; });
}

}  // namespace

bool AlignedFor(int32_t data_type, const void *data) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(data);
  if (address % kMostAlignment == 0) return true;
  const uintptr_t bytes = DataTypeBits(data_type) / 8;
  return bytes < 2 || address % std::min(bytes, kMostAlignment) == 0;
}

bool InputCopies::Needed(const GeTensorData *inputs, size_t count, const std::vector<LentMemory> &lent) {
  for (size_t i = 0; i < count; ++i) {
    if (inputs[i].layout || !AlignedFor(inputs[i].data_type, inputs[i].data)) return true;
    if (!lent.empty() && LentTo(inputs[i], lent)) return true;
  }
  return false;
}

const GeTensorData *InputCopies::Make(const Model &model, const GeTensorData *inputs,
                                      const std::vector<LentMemory> &lent) {
  const std::vector<ModelPort> &ports = model.inputs();
  inputs_.assign(inputs, inputs + ports.size());
  memory_.resize(ports.size());
  for (size_t i = 0; i < ports.size(); ++i) Copy(ports[i], IsChanged(model, i), lent, i);
  return inputs_.data();
}

void InputCopies::Copy(const ModelPort &port, bool changed, const std::vector<LentMemory> &lent, size_t i) {
  GeTensorData &input = inputs_[i];
  const LentMemory *lender = LentTo(input, lent);
  if (lender && changed)
    Fail(GE_DATA_MISMATCH, "input '", port.name, "' lies in memory of the context, that of an output of its last run; ",
         "the graph changes it, so it needs memory of the caller's");
  bool strided = false;
  if (input.layout) {
    const GeTensorLayout layout = ReadStruct(*input.layout, "layout of a GeTensorData");
    if (layout.quant_scheme != GE_QUANT_NONE)
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' comes with quant_scheme ", layout.quant_scheme,
           "; a run takes numbers as the graph declares them");
    strided = layout.strides != nullptr;
    if (strided && changed)
      Fail(GE_DATA_MISMATCH, "input '", port.name, "' has strides; the graph changes it, so it is to be dense");
  }
  if (strided || lender || !AlignedFor(input.data_type, input.data)) {
    const uint64_t bytes = ByteSize(input.data_type, Shape::From(input.dims, input.rank).elements());
    if (!strided && (!input.data || input.size < bytes)) return;  // is refused
    if (!memory_[i]) memory_[i] = std::make_unique<Arena>();
    memory_[i]->Ensure(std::max<uint64_t>(bytes, 1));
    if (strided) CopyDense(input, port.name, memory_[i]->base());
    else if (bytes) std::memcpy(memory_[i]->base(), input.data, bytes);
    input.data = memory_[i]->base();
    input.size = bytes;
  }
  input.layout = nullptr;
}

void InputCopies::WriteBack(const Model &model, const GeTensorData *inputs) const {
  for (const VariableBinding::Ref &ref : model.bound().refs) {
    const GeTensorData &copy = inputs_[ref.input];
    if (copy.data != inputs[ref.input].data && copy.size) std::memcpy(inputs[ref.input].data, copy.data, copy.size);
  }
}

}  // namespace gec
