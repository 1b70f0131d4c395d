#include "core/passes/registry.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/ops/registry.h"
#include "core/passes/builtin.h"
#include "core/passes/pass_scope.h"
#include "core/support/log.h"
#include "core/support/per_thread.h"

namespace gec {

PassRegistry &PassRegistry::Instance() {
  static PassRegistry *instance = new PassRegistry();
  return *instance;
}

PassRegistry::PassRegistry() {
  for (const BuiltinPass &pass : BuiltinPasses()) {
    auto entry = std::make_shared<PassEntry>();
    entry->info = {pass.name, pass.stage, pass.level, true};
    entry->info.other_name = pass.tvm_name;
    entry->info.essential = (pass.flags & kEssential) != 0;
    entry->info.needs_shapes = (pass.flags & kNeedsShapes) != 0;
    entry->info.whole_tree = (pass.flags & kWholeTree) != 0;
    entry->rebuildable = (pass.flags & kRebuildable) != 0;
    entry->info.holds_passes = (pass.flags & kSequenceOfStage) != 0;
    if (entry->info.holds_passes) entry->info.kind = PassKind::kSequence;
    entry->run = pass.run;
    builtin_.push_back(std::move(entry));
  }
}

namespace {
thread_local CollectPasses *t_collects = nullptr;
/// The library that this thread is loading.
struct LoadingLibrary {
  std::string path;
};
std::string &Loading() { return PerThread<LoadingLibrary>::Get().path; }

/// The beginning of a message that says why a pass can never run in its stage, or null.
const char *NeverRuns(const PassEntry &entry, bool known) {
  const int32_t stage = entry.info.stage;
  switch (entry.info.kind) {
    case PassKind::kPlain:
    case PassKind::kSequence:
      return nullptr;
    case PassKind::kFunction:
      return stage == GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM ? "E13030: " : nullptr;
    case PassKind::kStream:
      return stage == GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM ? nullptr : "E13030: ";
    case PassKind::kFusion:
      return stage == GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM || (!known && stage != kStageCompatibleInherited) ? ""
                                                                                                           : nullptr;
  }
  return nullptr;
}
/// True when a pass of the same kind has the name. A library that rests blocks none.
bool HasName(const std::vector<PassEntryPtr> &list, const PassInfo &info, const std::set<std::string> &unloaded) {
  return std::any_of(list.begin(), list.end(), [&](const PassEntryPtr &have) {
    return (have->info.name == info.name || have->info.other_name == info.name) && have->info.kind == info.kind &&
           unloaded.count(have->library) == 0;
  });
}
}  // namespace

uint64_t PassRegistry::Register(PassEntry entry) {
  const PassInfo &info = entry.info;
  if (info.name.empty()) Fail(GE_PARAM_INVALID, "a pass needs a name");
  if (!entry.run) Fail(GE_PARAM_INVALID, "pass '", info.name, "' has no function");
  const bool known = std::find(std::begin(kStageOrder), std::end(kStageOrder), info.stage) != std::end(kStageOrder);
  const bool plain = entry.info.kind == PassKind::kPlain || entry.info.kind == PassKind::kSequence;
  if (plain && !known && info.stage != GE_STAGE_NONE)
    Fail(GE_PARAM_INVALID, "pass '", info.name, "': stage ", info.stage,
         " is unknown, expected 0 to 4, or -1 for none");
  if (const char *why = NeverRuns(entry, known)) {
    Log(GE_LOG_ERROR, why, "pass '", info.name, "' is registered for stage ", info.stage, ", where it cannot run");
    return 0;
  }
  const std::string &library = Loading();
  std::unique_lock lock(mutex_);
  const bool is_taken = HasName(builtin_, info, unloaded_) || HasName(user_, info, unloaded_);
  if (is_taken && info.kind == PassKind::kFusion) return 0;
  if (is_taken && plain) Fail(GE_PARAM_INVALID, "pass name '", info.name, "' is taken");
  entry.token = next_token_;
  entry.required_names.clear();
  for (const std::string &name : entry.info.required) entry.required_names.push_back(name.c_str());
  entry.library = library;
  std::vector<PassEntryPtr> &to = t_collects ? t_collects->found : user_;
  to.push_back(std::make_shared<PassEntry>(std::move(entry)));
  return next_token_++;
}

void PassRegistry::Add(PassEntryPtr pass) {
  std::unique_lock lock(mutex_);
  // Another thread may have added one of this name since this one was collected.
  if (pass->info.kind == PassKind::kFusion && HasName(user_, pass->info, unloaded_)) return;
  user_.push_back(std::move(pass));
}

void PassRegistry::Unregister(uint64_t token) noexcept {
  PassEntryPtr gone;  // destroyed outside the lock
  std::unique_lock lock(mutex_);
  auto at = std::find_if(user_.begin(), user_.end(), [&](const PassEntryPtr &p) { return p->token == token; });
  if (at == user_.end()) return;
  gone = *at;
  user_.erase(at);
  lock.unlock();
}

void PassRegistry::BeginLibrary(std::string path) { Loading() = std::move(path); }
void PassRegistry::EndLibrary() { Loading().clear(); }
void PassRegistry::UseLibrary(const std::string &path, bool in_use) {
  std::unique_lock lock(mutex_);
  if (in_use) unloaded_.erase(path);
  else unloaded_.insert(path);
}

std::vector<PassEntryPtr> PassRegistry::OfLibraryFile(const std::string &path) const {
  std::shared_lock lock(mutex_);
  std::vector<PassEntryPtr> all;
  for (const PassEntryPtr &pass : user_)
    if (pass->library == path) all.push_back(pass);
  return all;
}

CollectPasses::CollectPasses() : outer_(std::exchange(t_collects, this)) {}
CollectPasses::~CollectPasses() { t_collects = outer_; }

void PassRegistry::Unregister(std::string_view name) {
  PassEntryPtr gone;  // destroyed outside the lock: it may run code of the user
  {
    std::unique_lock lock(mutex_);
    auto at = std::find_if(user_.begin(), user_.end(), [&](const PassEntryPtr &p) { return p->info.name == name; });
    if (at != user_.end()) {
      gone = *at;
      user_.erase(at);
    }
  }
  if (gone) return;
  PassEntryPtr found = Get(name);
  Fail(GE_PARAM_INVALID, "pass '", name,
       "' is part of the library and cannot be unregistered; option passes.disable leaves it out");
}

PassEntryPtr PassRegistry::Find(std::string_view name) const {
  std::shared_lock lock(mutex_);
  for (const auto *list : {&builtin_, &user_}) {
    for (const PassEntryPtr &pass : *list) {
      if (pass->info.name == name && !IsUnloaded(*pass)) return pass;
    }
  }
  for (const PassEntryPtr &pass : PassScope::Current()->own_passes)
    if (pass->info.name == name) return pass;
  for (const PassEntryPtr &pass : builtin_)
    if (!name.empty() && pass->info.other_name == name) return pass;
  return nullptr;
}

std::string PassRegistry::NameOf(std::string_view name) const {
  const PassEntryPtr pass = Find(name);
  return pass ? pass->info.name : std::string(name);
}

std::vector<std::string> PassRegistry::Near(std::string_view name) const {
  std::vector<std::string> names;
  for (const PassEntryPtr &pass : All()) names.push_back(pass->info.name);
  return NearNames(name, names);
}

std::string PassRegistry::Suggestion(std::string_view name) const { return NearText("near names:", Near(name)); }

PassEntryPtr PassRegistry::Get(std::string_view name) const {
  PassEntryPtr found = Find(name);
  if (!found) Fail(GE_NOT_FOUND, "there is no pass '", name, "'", Suggestion(name));
  return found;
}

std::vector<PassEntryPtr> PassRegistry::OfProgram(int32_t stage) const {
  std::shared_lock lock(mutex_);
  return OfProgramLocked(stage);
}

std::vector<PassEntryPtr> PassRegistry::OfProgramLocked(int32_t stage) const {
  std::vector<PassEntryPtr> all, fusion;
  for (const PassEntryPtr &pass : user_) {
    if (pass->info.stage == stage && !IsUnloaded(*pass))
      (pass->info.kind == PassKind::kFusion ? fusion : all).push_back(pass);
  }
  for (const PassEntryPtr &pass : PassScope::Current()->own_passes) {
    std::vector<PassEntryPtr> &list = pass->info.kind == PassKind::kFusion ? fusion : all;
    const auto is_there = [&](const PassEntryPtr &have) {
      return have->token == pass->token || (&list == &fusion && have->info.name == pass->info.name);
    };
    if (pass->info.stage == stage && std::none_of(list.begin(), list.end(), is_there)) list.push_back(pass);
  }
  std::sort(fusion.begin(), fusion.end(),
            [](const PassEntryPtr &a, const PassEntryPtr &b) { return a->info.name < b->info.name; });
  all.insert(all.end(), fusion.begin(), fusion.end());
  return all;
}

std::vector<PassEntryPtr> PassRegistry::OfLibrary(int32_t stage) const {
  std::vector<PassEntryPtr> all;
  for (const PassEntryPtr &pass : builtin_) {  // never changes
    if (pass->info.stage == stage && !pass->info.essential && pass->info.kind != PassKind::kSequence)
      all.push_back(pass);
  }
  return all;
}

std::vector<PassEntryPtr> PassRegistry::All() const {
  std::shared_lock lock(mutex_);
  std::vector<PassEntryPtr> all;
  for (const PassEntryPtr &pass : builtin_) {
    all.push_back(pass);
    if (pass->info.kind != PassKind::kSequence) continue;
    const std::vector<PassEntryPtr> of_program = OfProgramLocked(pass->info.stage);
    all.insert(all.end(), of_program.begin(), of_program.end());
  }
  const std::vector<PassEntryPtr> unstaged = OfProgramLocked(GE_STAGE_NONE);
  all.insert(all.end(), unstaged.begin(), unstaged.end());
  return all;
}

}  // namespace gec
