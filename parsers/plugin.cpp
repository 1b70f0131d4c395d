#include "parsers/plugin.h"

#include <algorithm>
#include <new>

#include "core/support/error.h"
#include "core/support/log.h"
#include "ge/parser_plugin.h"

namespace gec {
namespace {

/// "<domain>::<version>::<type>".
bool IsOnnxKey(const std::string &key) {
  const size_t first = key.find("::");
  if (first == std::string::npos || first == 0) return false;
  const size_t second = key.find("::", first + 2);
  if (second == std::string::npos || second + 2 >= key.size()) return false;
  const std::string version = key.substr(first + 2, second - first - 2);
  return !version.empty() && std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

ParserPluginRegistry &ParserPluginRegistry::Instance() {
  // Never destroyed, and made without memory: taking a plug-in back cannot fail.
  alignas(ParserPluginRegistry) static unsigned char storage[sizeof(ParserPluginRegistry)];
  static auto *registry = new (storage) ParserPluginRegistry;
  return *registry;
}

uint64_t ParserPluginRegistry::Add(int32_t framework, const std::vector<std::string> &keys,
                                   std::shared_ptr<const ParserPlugin> plugin) {
  std::vector<std::string> valid;
  for (const std::string &key : keys) {
    if (key.empty() || (framework == GE_FRAMEWORK_ONNX && !IsOnnxKey(key)))
      Log(GE_LOG_WARNING, "front-end plug-in for '", plugin->type, "': '", key,
          "' is left out: expected <domain>::<version>::<type>, for example ai.onnx::13::Relu");
    else valid.push_back(key);
  }
  if (valid.empty())
    Fail(GE_PARAM_INVALID, "front-end plug-in for '", plugin->type, "': none of its ", keys.size(),
         " origin types is of the form <domain>::<version>::<type>");
  std::map<std::pair<int32_t, std::string>, Entry> fresh;
  for (std::string &key : valid) fresh.emplace(std::pair(framework, std::move(key)), Entry{0, plugin});
  uint64_t token = 0;
  {
    std::lock_guard lock(mutex_);
    token = next_token_++;
    for (auto &[key, entry] : fresh) entry.token = token;
    entries_.merge(fresh);  // cannot fail: all of it is taken or nothing
  }
  for (const auto &[key, entry] : fresh)
    Log(GE_LOG_WARNING, "front-end plug-in for '", plugin->type, "': '", key.second,
        "' stays with the plug-in that was registered for it before");
  return token;
}

void ParserPluginRegistry::Remove(uint64_t token) noexcept {
  for (;;) {
    std::shared_ptr<const ParserPlugin> last;  // goes when the lock is free: its destructor is foreign code
    std::lock_guard lock(mutex_);
    auto found = std::find_if(entries_.begin(), entries_.end(),
                              [token](const auto &entry) { return entry.second.token == token; });
    if (found == entries_.end()) return;
    last = std::move(found->second.plugin);
    entries_.erase(found);
  }
}

std::shared_ptr<const ParserPlugin> ParserPluginRegistry::Find(int32_t framework, const std::string &key) const {
  std::lock_guard lock(mutex_);
  auto found = entries_.find({framework, key});
  return found == entries_.end() ? nullptr : found->second.plugin;
}

bool ParserPluginRegistry::Empty(int32_t framework) const {
  std::lock_guard lock(mutex_);
  auto first = entries_.lower_bound({framework, std::string()});
  return first == entries_.end() || first->first.first != framework;
}

}  // namespace gec
