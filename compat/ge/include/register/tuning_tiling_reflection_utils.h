// Structures with named fields, to and from JSON.
//
//   namespace tuningtiling {                       // or outside of all namespaces
//   DECLARE_SCHEMA(Point, FIELD(x), FIELD(y));     // or FIELD(Point, x)
//   }
//   nlohmann::json j;
//   tuningtiling::DumpObj(point, "", j);           // {"x": 1, "y": 2}
//   tuningtiling::ParseObj(point, "", j);
//
// Fields may be numbers, texts, enumerations (as their number), structures with a schema of their own, vectors and
// arrays of all these, and whatever nlohmann/json converts itself.
#ifndef INC_REGISTER_TUNING_TILING_REFLECTION_UTILS_H_
#define INC_REGISTER_TUNING_TILING_REFLECTION_UTILS_H_

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "register/detail/json.h"

namespace tuningtiling {

/// (pointer to member, name) of each field; an empty tuple for types without a schema.
template <class T>
inline constexpr auto StructSchema() {
  return std::make_tuple();
}
template <class T>
inline constexpr bool kHasSchema = std::tuple_size<decltype(StructSchema<T>())>::value != 0;

/// Calls function(field, name) for each field, until one call returns false; whether none did.
template <class T, class Function>
bool ForEachField(T &&value, Function &&function) {
  using Plain = std::decay_t<T>;
  return std::apply(
      [&](const auto &...field) { return (function(value.*std::get<0>(field), std::get<1>(field)) && ...); },
      StructSchema<Plain>());
}

template <class T>
void DumpObj(const T &obj, const std::string &field_name, nlohmann::json &j);
template <class T>
bool ParseObj(T &obj, const std::string &field_name, const nlohmann::json &j);

namespace detail {

template <class T>
struct Items : std::false_type {};
template <class T, class A>
struct Items<std::vector<T, A>> : std::true_type {};
template <class T, size_t N>
struct Items<std::array<T, N>> : std::true_type {};
template <class T, size_t N>
struct Items<T[N]> : std::true_type {};

/// Elements of a vector fit any number; those of an array are as many as it has.
template <class T, class A>
bool Room(std::vector<T, A> &items, size_t count) {
  items.resize(count);
  return true;
}
template <class T, size_t N>
bool Room(std::array<T, N> &, size_t count) {
  return count == N;
}
template <class T, size_t N>
bool Room(T (&)[N], size_t count) {
  return count == N;
}

template <class T>
nlohmann::json ToValue(const T &value) {
  if constexpr (kHasSchema<T>) {
    nlohmann::json object = nlohmann::json::object();
    (void)ForEachField(value, [&object](const auto &field, const char *name) {
      object[name] = ToValue(field);
      return true;
    });
    return object;
  } else if constexpr (Items<T>::value) {
    nlohmann::json array = nlohmann::json::array();
    for (const auto &item : value) array.push_back(ToValue<std::decay_t<decltype(item)>>(item));
    return array;
  } else {
    return nlohmann::json(value);
  }
}

/// An integer that the type can hold, whichever sign it has in the text.
template <class T>
bool ToInteger(const nlohmann::json &j, T &value) {
  if (j.is_number_unsigned()) {
    const auto wide = j.get<uint64_t>();
    if (wide > static_cast<uint64_t>(std::numeric_limits<T>::max())) return false;
    value = static_cast<T>(wide);
    return true;
  }
  if (!j.is_number_integer()) return false;
  const auto wide = j.get<int64_t>();
  if constexpr (std::is_unsigned_v<T>) {
    if (wide < 0 || static_cast<uint64_t>(wide) > std::numeric_limits<T>::max()) return false;
  } else {
    if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) return false;
  }
  value = static_cast<T>(wide);
  return true;
}

template <class T>
bool FromValue(const nlohmann::json &j, T &value) {
  if constexpr (kHasSchema<T>) {
    return j.is_object() &&
           ForEachField(value, [&j](auto &field, const char *name) { return ParseObj(field, name, j); });
  } else if constexpr (Items<T>::value) {
    if (!j.is_array() || !Room(value, j.size())) return false;
    size_t at = 0;
    if constexpr (std::is_same_v<T, std::vector<bool>>) {
      for (const nlohmann::json &item : j) {
        bool bit = false;
        if (!FromValue(item, bit)) return false;
        value[at++] = bit;
      }
    } else {
      for (const nlohmann::json &item : j)
        if (!FromValue(item, value[at++])) return false;
    }
    return true;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return ToInteger(j, value);
  } else {
    try {
      value = j.get<T>();
      return true;
    } catch (const nlohmann::json::exception &) {
      return false;
    }
  }
}

}  // namespace detail

/// Puts a value under a name into an object; with an empty name the value is all of j.
template <class T>
void DumpObj(const T &obj, const std::string &field_name, nlohmann::json &j) {
  (field_name.empty() ? j : j[field_name]) = detail::ToValue(obj);
}
/// False where the name, or the name of a field, is missing and where a value does not fit its field; fields before it
/// are then set. Names that nobody asks for are passed over.
template <class T>
bool ParseObj(T &obj, const std::string &field_name, const nlohmann::json &j) {
  if (field_name.empty()) return detail::FromValue(j, obj);
  if (!j.is_object()) return false;
  auto found = j.find(field_name);
  return found != j.end() && detail::FromValue(*found, obj);
}

}  // namespace tuningtiling

// Its name is written in full, so that the macro works in both places; clang finds that too much in one of them.
#ifdef __clang__
#define GE_SCHEMA_BEGIN_ _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wextra-qualification\"")
#define GE_SCHEMA_END_ _Pragma("clang diagnostic pop")
#else
#define GE_SCHEMA_BEGIN_
#define GE_SCHEMA_END_
#endif

/// Inside namespace tuningtiling or outside of all namespaces, before the first use of the structure's schema.
#define DECLARE_SCHEMA(struct_type, ...)                              \
  GE_SCHEMA_BEGIN_                                                    \
  template <>                                                         \
  inline constexpr auto ::tuningtiling::StructSchema<struct_type>() { \
    using _Struct [[maybe_unused]] = struct_type;                     \
    return std::make_tuple(__VA_ARGS__);                              \
  }                                                                   \
  GE_SCHEMA_END_
#define FIELD(...) GE_SCHEMA_FIELD_(__VA_ARGS__, GE_SCHEMA_FIELD_OF_, GE_SCHEMA_FIELD_HERE_, 0)(__VA_ARGS__)
#define GE_SCHEMA_FIELD_(a, b, chosen, ...) chosen
#define GE_SCHEMA_FIELD_HERE_(field) std::make_tuple(&_Struct::field, #field)
#define GE_SCHEMA_FIELD_OF_(struct_type, field) std::make_tuple(&struct_type::field, #field)

#endif
