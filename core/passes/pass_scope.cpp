#include "core/passes/pass_scope.h"

#include <utility>

#include "core/support/error.h"
#include "core/support/log.h"
#include "core/support/per_thread.h"

namespace gec {
namespace {
struct ScopeStack {
  std::vector<PassScopePtr> entered;
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
  return stack.entered.empty() ? stack.base : stack.entered.back();
}

PassScopePtr PassScope::Entered() {
  const ScopeStack &stack = Stack();
  return stack.entered.empty() ? nullptr : stack.entered.back();
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
  Stack().entered.push_back(scope);
  try {
    scope->EnterInstruments();
  } catch (...) {
    Stack().entered.pop_back();
    throw;
  }
}

void PassScope::Exit(const PassScopePtr &scope) {
  ScopeStack &stack = Stack();
  if (stack.entered.empty() || stack.entered.back() != scope)
    Fail(GE_BAD_STATE, "the pass scope is not the innermost of this thread: ",
         stack.entered.empty() ? "none was entered here, or it was left already"
                               : "another one was entered after it, or it was left already");
  struct Pop {
    ScopeStack &stack;
    ~Pop() { stack.entered.pop_back(); }
  } pop{stack};  // also where an instrument fails
  scope->ExitInstruments();
}

void PassScope::OverrideInstruments(std::vector<PassInstrumentPtr> others) {
  if (watched_by) return watched_by->OverrideInstruments(std::move(others));
  ExitInstruments();
  instruments = std::move(others);
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

AdoptScope::AdoptScope(PassScopePtr scope) { Stack().entered.push_back(std::move(scope)); }
AdoptScope::~AdoptScope() { Stack().entered.pop_back(); }

}  // namespace gec
