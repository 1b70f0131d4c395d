#include "capi/src/es_attr_value.h"

#include <cmath>
#include <cstring>
#include <string_view>

namespace gec::api {
namespace {

bool SameFloat(float given, float fallback) {
  if (std::memcmp(&given, &fallback, sizeof given) == 0) return true;
  if (!std::isfinite(fallback)) return false;
  return given == static_cast<float>(std::round(static_cast<double>(fallback) * 1e6) / 1e6);
}

template <class T, class Same>
bool SameList(const GeAttrData &given, const std::vector<T> &fallback, Same same) {
  if (given.count != fallback.size()) return false;
  if (given.count == 0) return true;
  const T *list = static_cast<const T *>(given.list);
  if (!list) return false;
  for (size_t i = 0; i < fallback.size(); ++i) {
    if (!same(list[i], fallback[i])) return false;
  }
  return true;
}
template <class T>
bool SameList(const GeAttrData &given, const std::vector<T> &fallback) {
  return SameList(given, fallback, [](const T &a, const T &b) { return a == b; });
}

}  // namespace

bool IsDefault(const GeAttrData &given, const AttrValue &fallback) {
  if (given.type != fallback.type()) return false;
  switch (given.type) {
    case C_VT_INT:
      return given.i == *fallback.get_if<int64_t>();
    case C_VT_BOOL:
      return (given.i != 0) == *fallback.get_if<bool>();
    case C_VT_DATA_TYPE:
      return given.i == fallback.get_if<DataTypeValue>()->value;
    case C_VT_FLOAT:
      return SameFloat(static_cast<float>(given.f), *fallback.get_if<float>());
    case C_VT_STRING:
      return given.s && std::string_view(given.s, given.count ? given.count : std::strlen(given.s)) ==
                            *fallback.get_if<std::string>();
    case C_VT_LIST_INT:
      return SameList(given, *fallback.get_if<AttrValue::ListInt>());
    case C_VT_LIST_FLOAT:
      return SameList(given, *fallback.get_if<AttrValue::ListFloat>(), SameFloat);
    case C_VT_LIST_BOOL:
      return SameList(given, *fallback.get_if<AttrValue::ListBool>(),
                      [](uint8_t a, uint8_t b) { return (a != 0) == (b != 0); });
    case C_VT_LIST_DATA_TYPE:
      return SameList(given, *fallback.get_if<AttrValue::ListType>());
    default:
      return AttrValue::From(given) == fallback;
  }
}

}  // namespace gec::api
