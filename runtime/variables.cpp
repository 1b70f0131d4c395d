#include "runtime/variables.h"

#include <utility>

#include "core/ir/types.h"
#include "core/support/error.h"

namespace gec {
namespace {

std::string Text(const TensorDesc &desc) { return Str(GeDataTypeName(desc.dtype), " ", desc.shape.str()); }

}  // namespace

void VariableStore::CheckSame(const Slot &slot, const TensorDesc &desc, uint32_t code, const std::string &who) {
  if (!slot.known || (slot.desc.dtype == desc.dtype && slot.desc.shape == desc.shape)) return;
  Fail(code, "variable '", slot.name, "' is ", Text(slot.desc), " in ", slot.graph, ", ", Text(desc), " in ", who);
}

/// Numbers of names; those that are not there are entered, all or (without memory) none. Second of each: who says it.
std::vector<size_t> VariableStore::Enter(const std::vector<std::pair<std::string, std::string>> &names) {
  std::vector<size_t> numbers;
  const size_t before = slots_.size();
  try {
    numbers.reserve(names.size());
    for (const auto &[name, who] : names) {
      auto at = by_name_.find(name);
      if (at == by_name_.end()) {
        auto slot = std::make_unique<Slot>();
        slot->name = name;
        slot->graph = who;
        slots_.push_back(std::move(slot));
        at = by_name_.emplace(name, slots_.size() - 1).first;
      }
      numbers.push_back(at->second);
    }
  } catch (...) {
    std::erase_if(by_name_, [&](const auto &entry) { return entry.second >= before; });
    slots_.resize(before);
    throw;
  }
  return numbers;
}

std::vector<size_t> VariableStore::Declare(const std::vector<Declaration> &list) {
  // An assignment by a run in the meantime is kept: an initial value is for a variable that nothing was assigned to.
  const TurnLock writing(writing_);
  std::vector<std::shared_ptr<Tensor>> zeros;
  for (const Declaration &d : list) {
    if (d.desc.known() && GeDataTypeBits(d.desc.dtype) == 0)
      Fail(GE_UNSUPPORTED, "variable '", d.name, "' has type ", GeDataTypeName(d.desc.dtype), ", which has no size");
    const bool make = d.desc.known() && !d.initial;
    zeros.push_back(make ? std::make_shared<Tensor>(d.desc, Buffer::Allocate(d.desc.bytes())) : nullptr);
  }
  std::lock_guard lock(mutex_);
  for (const Declaration &d : list) {
    auto at = by_name_.find(d.name);
    if (at != by_name_.end() && d.desc.known()) CheckSame(*slots_[at->second], d.desc, GE_GRAPH_INVALID, d.graph);
  }
  std::vector<std::pair<std::string, std::string>> names;
  for (const Declaration &d : list) names.emplace_back(d.name, d.graph);
  std::vector<size_t> numbers = Enter(names);
  for (size_t i = 0; i < list.size(); ++i) {
    const Declaration &d = list[i];
    Slot &slot = *slots_[numbers[i]];
    if (!d.desc.known()) continue;
    if (!slot.known) slot.graph = d.graph;
    if (!slot.known) slot.desc = d.desc;
    slot.known = true;
    if (slot.is_set || (slot.value && !d.initial)) continue;
    slot.own = std::move(zeros[i]);
    slot.value = d.initial ? d.initial : slot.own;
    slot.is_set = d.initial != nullptr;
  }
  return numbers;
}

bool VariableStore::Describe(const std::string &name, TensorDesc *desc) const {
  std::lock_guard lock(mutex_);
  auto at = by_name_.find(name);
  if (at == by_name_.end() || !slots_[at->second]->known) return false;
  *desc = slots_[at->second]->desc;
  return true;
}

size_t VariableStore::count() const {
  std::lock_guard lock(mutex_);
  return slots_.size();
}

const std::string *VariableStore::NameAt(size_t number) const {
  std::lock_guard lock(mutex_);
  return number < slots_.size() ? &slots_[number]->name : nullptr;
}

const VariableStore::Slot &VariableStore::Named(const std::string &name) const {
  auto at = by_name_.find(name);
  if (at != by_name_.end()) return *slots_[at->second];
  std::string known;
  for (const auto &slot : slots_) known += (known.empty() ? "" : ", ") + slot->name;
  Fail(GE_NOT_FOUND, "there is no variable '", name, "'",
       known.empty() ? ", and no graph with variables was compiled yet" : "; there are " + known);
}

std::vector<std::shared_ptr<Tensor>> VariableStore::Copy(const std::vector<std::string> &names) const {
  std::vector<Held> held;
  {
    std::lock_guard lock(mutex_);
    for (const std::string &name : names) {
      const Slot &slot = Named(name);
      if (!slot.value) Fail(GE_BAD_STATE, "variable '", name, "' has no value yet: no run has assigned one");
      held.push_back({slot.value, slot.is_set});
    }
  }
  struct Return {
    const VariableStore &store;
    std::vector<Held> &held;
    ~Return() { store.Release(&held); }
  } release{*this, held};
  std::vector<std::shared_ptr<Tensor>> copies;
  for (const Held &h : held) {
    const Tensor &value = *h.value;
    copies.push_back(std::make_shared<Tensor>(value.desc, Buffer::Copy(value.data(), value.bytes())));
  }
  return copies;
}

void VariableStore::Set(const std::vector<std::pair<std::string, TensorPtr>> &values) {
  const TurnLock writing(writing_);
  std::vector<std::shared_ptr<Tensor>> made;
  for (const auto &[name, value] : values) {
    if (!value->desc.known() || value->bytes() < value->desc.bytes())
      Fail(GE_DATA_MISMATCH, "variable '", name, "': the value given for it has no data for ", Text(value->desc));
    made.push_back(std::make_shared<Tensor>(value->desc, Buffer::Copy(value->data(), value->desc.bytes())));
  }
  const std::string who = "the value that the program gives it";
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto &[name, value] : values) names.emplace_back(name, who);
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < values.size(); ++i) {
    auto at = by_name_.find(values[i].first);
    if (at != by_name_.end()) CheckSame(*slots_[at->second], made[i]->desc, GE_DATA_MISMATCH, who);
  }
  const std::vector<size_t> numbers = Enter(names);
  for (size_t i = 0; i < values.size(); ++i) {
    Slot &slot = *slots_[numbers[i]];
    if (!slot.known) slot.desc = made[i]->desc;
    made[i]->desc = slot.desc;  // the format is the variable's
    slot.known = slot.is_set = true;
    slot.value = slot.own = std::move(made[i]);
  }
}

void VariableStore::Take(const std::vector<size_t> &numbers, std::vector<Held> *values) const {
  values->clear();
  values->reserve(numbers.size());
  std::lock_guard lock(mutex_);
  for (size_t number : numbers) values->push_back({slots_[number]->value, slots_[number]->is_set});
}

void VariableStore::Release(std::vector<Held> *values) const {
  // Under the lock, so that a writer that finds memory unused knows that whoever read it is done.
  std::lock_guard lock(mutex_);
  values->clear();
}

std::shared_ptr<Tensor> VariableStore::Spare(size_t number, const TensorDesc &desc) {
  {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Tensor> &spare = slots_[number]->spare;
    if (spare && spare.use_count() == 1 && spare->bytes() == desc.bytes()) return std::move(spare);
    spare.reset();
  }
  return std::make_shared<Tensor>(desc, Buffer::AllocateUnset(desc.bytes()));
}

void VariableStore::Publish(const std::vector<size_t> &numbers, std::vector<std::shared_ptr<Tensor>> *values,
                            const std::vector<std::string> &writers) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < numbers.size(); ++i)
    CheckSame(*slots_[numbers[i]], (*values)[i]->desc, GE_DATA_MISMATCH, writers[i]);
  for (size_t i = 0; i < numbers.size(); ++i) {
    Slot &slot = *slots_[numbers[i]];
    slot.spare = std::move(slot.own);
    if (!slot.known) slot.desc = (*values)[i]->desc;
    slot.known = slot.is_set = true;
    slot.own = std::move((*values)[i]);
    slot.value = slot.own;
  }
  values->clear();
}

}  // namespace gec
