// Functions by key, shared by all libraries of a process: what the registries of this folder stand on.
#ifndef INC_REGISTER_DETAIL_FUNCTION_TABLE_H_
#define INC_REGISTER_DETAIL_FUNCTION_TABLE_H_

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "graph/detail/process_wide.h"

namespace ge {
namespace detail {

/// Any thread may call. Functions of a library that is unloaded must not be called any more.
template <class Key, class Function>
class FunctionTable {
 public:
  /// Tables of another name hold other functions, even of the same types.
  static FunctionTable Of(const char *name) { return FunctionTable(ProcessWide<Content>(name)); }

  /// The last registration counts.
  void Set(const Key &key, const Function &function) {
    std::lock_guard<std::mutex> lock(content_.first);
    content_.second[key] = function;
  }
  /// An empty function where nothing was registered.
  Function Find(const Key &key) const {
    std::lock_guard<std::mutex> lock(content_.first);
    auto found = content_.second.find(key);
    return found == content_.second.end() ? Function() : found->second;
  }

 private:
  using Content = std::pair<std::mutex, std::map<Key, Function>>;
  explicit FunctionTable(Content &content) : content_(content) {}
  Content &content_;
};

/// Texts of keys: null is "".
inline std::string KeyText(const char *text) { return text != nullptr ? text : ""; }

}  // namespace detail
}  // namespace ge

/// A name that no other line of the program has: GE_UNIQUE_NAME(prefix).
#define GE_JOIN_NAMES_(a, b) a##b
#define GE_JOIN_NAMES(a, b) GE_JOIN_NAMES_(a, b)
#define GE_UNIQUE_NAME(prefix) GE_JOIN_NAMES(prefix, __COUNTER__)

#endif
