#include "core/ops/registry.h"

#include <algorithm>
#include <mutex>

#include "core/ops/builtin_ops.h"
#include "core/ops/traits.h"
#include "core/support/error.h"

namespace gec {

OpRegistry &OpRegistry::Instance() {
  static OpRegistry *instance = new OpRegistry;  // lives until the process ends
  return *instance;
}

void OpRegistry::Register(const GeOpSchema *schema, GeInferFn infer) {
  const IrDef *ir = InternSchema(schema);
  Find(ir->type);  // a built-in prototype of that type comes first
  CheckSaidTraits(*ir);
  Enter(*ir->schema, infer, false);
  if (ir->schema->traits) DeclareTraits(ir->type, *ir->schema->traits);
}

void OpRegistry::Enter(const GeOpSchema &schema, GeInferFn infer, bool builtin) const {
  const IrDef *ir = InternSchema(&schema);
  auto entry = std::make_unique<OpEntry>(OpEntry{ir, infer, builtin && infer != nullptr});
  std::unique_lock lock(mutex_);
  auto it = entries_.find(ir->type);
  if (it == entries_.end()) {
    entries_.emplace(ir->type, std::move(entry));
    sorted_.clear();
    return;
  }
  OpEntry &have = *it->second;
  if (std::string difference = SameIr(*have.ir, *ir) ? "" : IrDifference(*have.ir, *ir); !difference.empty())
    Fail(GE_PARAM_INVALID, "operator type ", ir->type.view(),
         " is registered already with a different prototype: ", difference);
  if (have.infer && infer && have.infer != infer)
    Fail(GE_PARAM_INVALID, "operator type ", ir->type.view(), " is registered already with another inference function");
  if (infer) have.infer = infer;
}

void OpRegistry::EnterAllBuiltin() const {
  if (all_builtin_.load(std::memory_order_acquire)) return;
  ForEachBuiltinOp([&](const GeOpSchema &schema, GeInferFn infer) {
    if (!Lookup(Symbol(schema.type))) Enter(schema, infer, true);
  });
  all_builtin_.store(true, std::memory_order_release);
}

const OpEntry *OpRegistry::Lookup(Symbol type) const {
  std::shared_lock lock(mutex_);
  auto it = entries_.find(type);
  return it == entries_.end() ? nullptr : it->second.get();
}

const OpEntry *OpRegistry::Find(Symbol type) const {
  if (const OpEntry *entry = Lookup(type)) return entry;
  bool built_in =
      VisitBuiltinOp(type.c_str(), [&](const GeOpSchema &schema, GeInferFn infer) { Enter(schema, infer, true); });
  return built_in ? Lookup(type) : nullptr;
}

const IrDef *OpRegistry::Get(std::string_view type) const {
  if (const OpEntry *entry = Find(Symbol(type))) return entry->ir;
  Fail(GE_NOT_FOUND, "operator type '", type, "' is not registered", NearText("did you mean", Near(type)));
}

std::vector<const IrDef *> OpRegistry::All() const {
  EnterAllBuiltin();
  std::vector<const IrDef *> all;
  {
    std::shared_lock lock(mutex_);
    all.reserve(entries_.size());
    for (const auto &[type, entry] : entries_) all.push_back(entry->ir);
  }
  std::sort(all.begin(), all.end(), [](const IrDef *a, const IrDef *b) { return a->type.view() < b->type.view(); });
  return all;
}

size_t OpRegistry::size() const {
  EnterAllBuiltin();
  std::shared_lock lock(mutex_);
  return entries_.size();
}

const IrDef *OpRegistry::At(size_t index) const {
  EnterAllBuiltin();
  {
    std::shared_lock lock(mutex_);
    if (index >= entries_.size()) return nullptr;
    if (sorted_.size() == entries_.size()) return sorted_[index];
  }
  std::vector<const IrDef *> all = All();
  std::unique_lock lock(mutex_);
  if (sorted_.size() != entries_.size() && all.size() == entries_.size()) sorted_ = all;
  return index < all.size() ? all[index] : nullptr;
}

std::vector<std::string> OpRegistry::Near(std::string_view type, size_t most) const {
  std::vector<std::string> names;
  for (const IrDef *ir : All()) names.push_back(ir->type.str());
  return NearNames(type, names, most);
}

std::vector<std::string> NearNames(std::string_view wanted, const std::vector<std::string> &names, size_t most) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::pair<size_t, const std::string *>> found;
  std::vector<size_t> row;
  size_t limit = std::max<size_t>(2, wanted.size() / 3);
  for (const std::string &name : names) {
    if (name.size() > wanted.size() + limit || wanted.size() > name.size() + limit) continue;
    row.resize(name.size() + 1);
    for (size_t j = 0; j <= name.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= wanted.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= name.size(); ++j) {
        size_t change = diagonal + (lower(wanted[i - 1]) != lower(name[j - 1]));
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      }
    }
    if (row.back() <= limit) found.emplace_back(row.back(), &name);
  }
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  std::vector<std::string> near;
  for (size_t i = 0; i < found.size() && i < most; ++i) near.push_back(*found[i].second);
  return near;
}

std::string NearText(std::string_view lead, const std::vector<std::string> &near) {
  std::string text;
  for (const std::string &name : near) text += (text.empty() ? Str("; ", lead, " ") : ", ") + name;
  return text;
}

}  // namespace gec
