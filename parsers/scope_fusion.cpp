#include "parsers/scope_fusion.h"

#include <algorithm>
#include <new>

#include "core/support/error.h"
#include "core/support/log.h"

namespace gec {

ScopeFusionRegistry &ScopeFusionRegistry::Instance() {
  // Never destroyed, and made without memory: taking something back cannot fail.
  alignas(ScopeFusionRegistry) static unsigned char storage[sizeof(ScopeFusionRegistry)];
  static auto *registry = new (storage) ScopeFusionRegistry;
  return *registry;
}

uint64_t ScopeFusionRegistry::Add(std::shared_ptr<const ScopePass> pass) {
  const std::string name = pass->name;
  {
    std::lock_guard lock(mutex_);
    const bool taken =
        std::any_of(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.pass && e.key == name; });
    if (!taken) {
      entries_.push_back({next_token_, name, std::move(pass), nullptr});
      return next_token_++;
    }
  }
  Log(GE_LOG_WARNING, "scope fusion pass '", name, "' is registered already; the first one stays");
  return 0;
}

uint64_t ScopeFusionRegistry::Add(const std::vector<std::string> &keys, std::shared_ptr<const FusionParser> parser) {
  std::vector<Entry> fresh, refused;
  fresh.reserve(keys.size());
  refused.reserve(keys.size());
  for (const std::string &key : keys) fresh.push_back({0, key, nullptr, parser});
  uint64_t token = 0;
  {
    std::lock_guard lock(mutex_);
    entries_.reserve(entries_.size() + fresh.size());  // the last that can fail
    token = next_token_++;
    for (Entry &entry : fresh) {
      const bool taken =
          std::any_of(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.parser && e.key == entry.key; });
      entry.token = token;
      (taken ? refused : entries_).push_back(std::move(entry));
    }
  }
  for (const Entry &entry : refused)
    Log(GE_LOG_WARNING, "fusion parser for '", parser->type, "': '", entry.key,
        "' stays with the parser that was registered for it before");
  return token;
}

void ScopeFusionRegistry::Remove(uint64_t token) noexcept {
  for (;;) {
    Entry last;  // goes when the lock is free: its destructor is foreign code
    std::lock_guard lock(mutex_);
    auto found = std::find_if(entries_.begin(), entries_.end(), [token](const Entry &e) { return e.token == token; });
    if (found == entries_.end()) return;
    last = std::move(*found);
    entries_.erase(found);
  }
}

std::vector<std::shared_ptr<const ScopePass>> ScopeFusionRegistry::Passes() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ScopePass>> passes;
  for (const Entry &entry : entries_)
    if (entry.pass) passes.push_back(entry.pass);
  return passes;
}

std::shared_ptr<const FusionParser> ScopeFusionRegistry::FindParser(const std::string &key) const {
  std::lock_guard lock(mutex_);
  for (const Entry &entry : entries_)
    if (entry.parser && entry.key == key) return entry.parser;
  return nullptr;
}

}  // namespace gec
