// Functions by key, shared by all libraries of a process: what registries of this folder stand on.
#ifndef INC_REGISTER_DETAIL_FUNCTION_TABLE_H_
#define INC_REGISTER_DETAIL_FUNCTION_TABLE_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "graph/detail/plain_registry.h"

namespace ge {
namespace detail {

inline const std::string &KeyName(const std::string &key) { return key; }
inline std::string KeyName(const std::pair<std::string, std::string> &key) { return key.first + "\n" + key.second; }
template <class Enum>
std::string KeyName(Enum key) {
  return std::to_string(static_cast<int64_t>(key));
}

/// Any thread may call. Functions of a library that is unloaded must not be called any more.
template <class Kind, class Key, class Function>
class FunctionTable {
  static_assert(std::is_pointer<Function>::value, "what is shared is a function, and no object of C++");

 public:
  /// The last registration counts.
  static void Set(const Key &key, Function function) { Table::Set(KeyName(key), Entry{function}); }
  /// Null where nothing was registered.
  static Function Find(const Key &key) { return Table::Read(KeyName(key)).function; }

 private:
  struct Entry {
    Function function = nullptr;
  };
  using Table = PlainRegistry<Kind, Entry>;
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
