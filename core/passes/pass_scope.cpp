#include "core/passes/pass_scope.h"

#include <utility>

#include "core/support/error.h"
#include "core/support/log.h"
#include "core/support/per_thread.h"

namespace gec {
namespace {
struct EnteredScope {
  PassScopePtr scope;
  std::vector<std::shared_ptr<void>> inside = {};  // of its instruments
  void AskInstruments() {
    inside.clear();
    for (const PassInstrumentPtr &instrument : scope->instruments) inside.push_back(instrument->Inside());
  }
};
struct ScopeStack {
  std::vector<EnteredScope> entered;
  size_t floor = 0;         // scopes below were there when the work that goes on began: they stay
  bool is_exiting = false;  // instruments of the innermost are being left
  PassScopePtr base = std::make_shared<PassScope>();
};
ScopeStack &Stack() { return PerThread<ScopeStack>::Get(); }
}  // namespace

void Diagnostics::Add(Diagnostic diagnostic) {
  std::lock_guard lock(mutex_);
  list_.push_back(std::move(diagnostic));
}
std::vector<Diagnostic> Diagnostics::All() const {
  std::lock_guard lock(mutex_);
  return list_;
}

PassScopePtr PassScope::Current() {
  ScopeStack &stack = Stack();
  return stack.entered.empty() ? stack.base : stack.entered.back().scope;
}

PassScopePtr PassScope::Entered() {
  const ScopeStack &stack = Stack();
  return stack.entered.empty() ? nullptr : stack.entered.back().scope;
}

void PassScope::EnterInstruments() {
  const std::vector<PassInstrumentPtr> list = instruments;
  size_t entered = 0;
  try {
    for (; entered < list.size(); ++entered) list[entered]->EnterScope();
  } catch (...) {
    instruments.clear();
    for (size_t i = 0; i < entered; ++i) {
      try {
        list[i]->ExitScope();
      } catch (const std::exception &e) {  // the first failure is the one that is told
        Log(GE_LOG_WARNING, "pass instrument '", list[i]->name(), "' failed while it was left: ", e.what());
      }
    }
    throw;
  }
}

void PassScope::ExitInstruments() {
  const std::vector<PassInstrumentPtr> list = instruments;
  try {
    for (const PassInstrumentPtr &instrument : list) instrument->ExitScope();
  } catch (...) {
    instruments.clear();
    throw;
  }
}

void PassScope::Enter(const PassScopePtr &scope) {
  if (Stack().is_exiting) Fail(GE_BAD_STATE, "an instrument enters a pass scope while its own is being left");
  Stack().entered.push_back({scope});
  try {
    Stack().entered.back().AskInstruments();  // first: it can fail, and then nothing is to be left again
    const ScopesStay stay;
    scope->EnterInstruments();
  } catch (...) {
    Stack().entered.pop_back();
    throw;
  }
}

void PassScope::Exit(const PassScopePtr &scope) {
  ScopeStack &stack = Stack();
  if (stack.entered.empty() || stack.entered.back().scope != scope)
    Fail(GE_BAD_STATE, "the pass scope is not the innermost of this thread: ",
         stack.entered.empty() ? "none was entered here, or it was left already"
                               : "another one was entered after it, or it was left already");
  if (stack.entered.size() <= stack.floor)
    Fail(GE_BAD_STATE,
         "the pass scope is the one under which a pass is running, or which is being entered; that ends first");
  if (stack.is_exiting) Fail(GE_BAD_STATE, "the pass scope is being left already: one of its instruments asks for it");
  struct Pop {
    ScopeStack &stack;
    explicit Pop(ScopeStack &s) : stack(s) { stack.is_exiting = true; }
    ~Pop() {
      stack.is_exiting = false;
      stack.entered.pop_back();
    }
  } pop(stack);  // also where an instrument fails
  scope->ExitInstruments();
}

void PassScope::OverrideInstruments(std::vector<PassInstrumentPtr> others) {
  if (watched_by) return watched_by->OverrideInstruments(std::move(others));
  ExitInstruments();
  instruments = std::move(others);
  for (EnteredScope &entered : Stack().entered)
    if (entered.scope.get() == this) entered.AskInstruments();
  EnterInstruments();
}

void PassScope::Report(int32_t severity, std::string node, std::string text) const {
  if (diagnostics) diagnostics->Add({severity, std::move(node), std::move(text)});
}

int64_t PassScope::Int(std::string_view key, int64_t fallback) const {
  auto at = config.find(key);
  return at == config.end() ? fallback : std::get<int64_t>(at->second);
}
bool PassScope::Bool(std::string_view key, bool fallback) const {
  auto at = config.find(key);
  return at == config.end() ? fallback : std::get<bool>(at->second);
}

ScopesStay::ScopesStay() : floor_(std::exchange(Stack().floor, Stack().entered.size())) {}
ScopesStay::~ScopesStay() {
  ScopeStack &stack = Stack();
  if (stack.entered.size() > stack.floor) {
    Log(GE_LOG_WARNING, "a pass or an instrument entered ", stack.entered.size() - stack.floor,
        " pass scopes that it did not leave; they are dropped");
    stack.entered.erase(stack.entered.begin() + static_cast<std::ptrdiff_t>(stack.floor), stack.entered.end());
  }
  stack.floor = floor_;
}

AdoptScope::AdoptScope(PassScopePtr scope) { Stack().entered.push_back({std::move(scope)}); }
AdoptScope::~AdoptScope() { Stack().entered.pop_back(); }

}  // namespace gec
