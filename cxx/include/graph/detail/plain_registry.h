// What libraries of a process register for one another: plain data by name, kept by the library (ge/registry.h).
#ifndef INC_GRAPH_DETAIL_PLAIN_REGISTRY_H_
#define INC_GRAPH_DETAIL_PLAIN_REGISTRY_H_

#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "ge/registry.h"

namespace ge {
namespace detail {

/// Values of type T, which is plain and zero where nobody registered. Kind::Name() is another one for another layout.
/// Values hold functions with parameters of C++, so libraries of different std::string have values of their own: what
/// one of them hands over, the other could not read. Threads: any.
template <class Kind, class T>
class PlainRegistry {
  static_assert(std::is_trivially_copyable<T>::value && std::is_standard_layout<T>::value, "plain data");
  static_assert(sizeof(T) <= GE_REGISTRY_VALUE_BYTES, "it has to fit");

 public:
  /// `edit` changes the value; it must not use a registry.
  template <class Edit>
  static void Change(const std::string &name, const Edit &edit) {
    auto call = [](void *user, void *value) { (*static_cast<const Edit *>(user))(*static_cast<T *>(value)); };
    if (GeRegistryChange(Name().c_str(), name.c_str(), call, const_cast<Edit *>(&edit)) != GE_SUCCESS)
      throw std::bad_alloc();
  }
  static void Set(const std::string &name, const T &value) {
    Change(name, [&value](T &held) { held = value; });
  }
  static T Read(const std::string &name) {
    T value{};
    (void)GeRegistryRead(Name().c_str(), name.c_str(), &value, sizeof value);
    return value;
  }
  /// Null where nobody registered the name. Values stay where they are.
  static const T *Find(const std::string &name) {
    const void *found = nullptr;
    (void)GeRegistryFind(Name().c_str(), name.c_str(), &found);
    return static_cast<const T *>(found);
  }

 private:
  static std::string Name() { return std::string(Kind::Name()) + " " + typeid(std::string).name(); }
};

}  // namespace detail
}  // namespace ge

#endif
