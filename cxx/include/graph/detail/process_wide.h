// One object for all libraries of a process, hidden as their symbols may be. Libraries of different std::string
// (_GLIBCXX_USE_CXX11_ABI) have one each: neither could read the other's.
#ifndef INC_GRAPH_DETAIL_PROCESS_WIDE_H_
#define INC_GRAPH_DETAIL_PROCESS_WIDE_H_

#include <new>
#include <string>
#include <typeinfo>

#include "ge/shared.h"

namespace ge {
namespace detail {

/// The object of this name and type, made on first use and never destroyed. T is a type of std alone, or has the same
/// layout in every release. `Text` keeps the static object of one kind of std::string from that of the other.
template <class T, class Text = std::string>
T &ProcessWide(const char *name) {
  static T *const object = [name] {
    const std::string key = std::string(name) + " " + typeid(T).name() + " " + typeid(Text).name();
    void *made = nullptr;
    auto make = []() -> void * { return new (std::nothrow) T; };
    if (GeSharedObject(key.c_str(), make, &made) != GE_SUCCESS) throw std::bad_alloc();
    return static_cast<T *>(made);
  }();
  return *object;
}

}  // namespace detail
}  // namespace ge

#endif
