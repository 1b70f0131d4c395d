// The little of later standards that these headers use, for programs in C++11: data-flow programs and their functions
// are written in it. Everything else follows the compiler's standard.
#ifndef INC_GRAPH_DETAIL_LANGUAGE_H_
#define INC_GRAPH_DETAIL_LANGUAGE_H_

#include <memory>
#include <utility>

/// Before `const` objects of namespaces: one for the program, where the language has such objects, else one per source.
#if __cplusplus >= 201703L
#define GE_INLINE_VARIABLE inline
#else
#define GE_INLINE_VARIABLE static
#endif

namespace ge {
namespace detail {

/// std::make_unique, for objects.
template <class T, class... Args>
std::unique_ptr<T> MakeUnique(Args &&...args) {
  return std::unique_ptr<T>(new T(std::forward<Args>(args)...));
}

/// std::exchange.
template <class T, class U = T>
T Exchange(T &object, U &&value) {
  T old = std::move(object);
  object = std::forward<U>(value);
  return old;
}

}  // namespace detail
}  // namespace ge

#endif
