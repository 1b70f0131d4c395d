// Range checks used by wrappers written by hand.
#ifndef INC_UTILS_EXTERN_MATH_UTIL_H_
#define INC_UTILS_EXTERN_MATH_UTIL_H_

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ge {

/// IntegerChecker<T>::Compat(v): the integer v can be represented in T.
template <class T>
class IntegerChecker {
 public:
  template <class V>
  static bool Compat(const V v) {
    static_assert(std::is_integral<T>::value && std::is_integral<V>::value, "integers only");
    if (std::is_signed<V>::value && v < 0)
      return std::is_signed<T>::value && static_cast<int64_t>(v) >= static_cast<int64_t>(std::numeric_limits<T>::min());
    return static_cast<uint64_t>(v) <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  }
};

}  // namespace ge

#endif
