// Structs of the C ABI grow at their end. What a program or a plug-in gives begins with the size that its headers have,
// so one that was compiled against shorter or longer headers is understood as far as both know it (docs/abi.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/support/error.h"
#include "ge/struct_size.h"

namespace gec {

/// Name of a struct, and its size in ABI 1: the least that is accepted. core/support/abi_sizes.h has one for each.
template <class T>
struct AbiStruct;

#define GE_ABI_1_ENDS_WITH(Struct, member)                                                                 \
  template <>                                                                                              \
  struct AbiStruct<Struct> {                                                                               \
    static constexpr const char *kName = #Struct;                                                          \
    static constexpr size_t kLeast = GE_SIZE_THROUGH(Struct, member);                                      \
    /* Else a member that is appended would lie where older callers have padding, which they never set. */ \
    static_assert(kLeast % alignof(Struct) == 0, #Struct " ends with padding: add a reserved member");     \
  }

/// Fails where `size` cannot be that of a T; else returns it.
template <class T>
size_t CheckAbiSize(size_t size, const char *function) {
  using S = AbiStruct<std::remove_const_t<T>>;
  constexpr size_t kMost = 4096;  // more is no size but memory that was never set
  if (size < S::kLeast)
    Fail(GE_ABI_MISMATCH, function, ": ", S::kName, ".struct_size is ", size, ", the least is ", S::kLeast,
         ", its size in ABI 1");
  if (size > kMost || size % alignof(T) != 0)
    Fail(GE_ABI_MISMATCH, function, ": ", S::kName, ".struct_size is ", size, ", this library has ", sizeof(T));
  return size;
}

/// Position of the first byte that is set behind the members that are known here; 0: there is none.
template <class T>
size_t SetBehind(const T &given) {
  const char *bytes = reinterpret_cast<const char *>(&given);
  for (size_t at = sizeof(T); at < given.struct_size; ++at) {
    if (bytes[at] != 0) return at;
  }
  return 0;
}

/// What happens to members behind ours. A caller that sets one asks for something that is not known here, and hears it.
/// A plug-in's table offers: what is not known here is not called.
enum class Surplus { kRefused, kIgnored };

/// A struct that a caller filled as this library has it: members that the caller's lacks are zero.
template <class T>
T ReadStruct(const T &given, const char *function, Surplus surplus = Surplus::kRefused) {
  const size_t size = CheckAbiSize<T>(given.struct_size, function);
  if (surplus == Surplus::kRefused) {
    if (const size_t at = SetBehind(given))
      Fail(GE_ABI_MISMATCH, function, ": ", AbiStruct<T>::kName, " has ", size, " bytes and byte ", at,
           " is set; this library knows the first ", sizeof(T));
  }
  T known{};
  std::memcpy(static_cast<void *>(&known), &given, std::min(size, sizeof(T)));
  known.struct_size = sizeof(T);
  return known;
}

/// Fills a caller's struct of `size` bytes as far as it has room. Members that only the caller's has become zero.
template <class T>
void FillStruct(const T &value, T *out, size_t size) noexcept {
  char *bytes = reinterpret_cast<char *>(out);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &value, std::min(size, sizeof(T)));
  out->struct_size = size;
}
template <class T>
void WriteStruct(const T &value, T *out, const char *function) {
  FillStruct(value, out, CheckAbiSize<T>(out->struct_size, function));
}

/// Reserved members get a meaning later: who sets one now asks for something that is not known here.
inline void CheckReserved(uint64_t value, const char *function, const char *member) {
  if (value != 0) Fail(GE_PARAM_INVALID, function, ": ", member, " is ", value, ", it must be 0");
}

/// A caller's array. Its elements are as long as the caller's headers have them, which the first one's struct_size
/// says.
template <class T>
class StructArray {
 public:
  StructArray(T *first, size_t count, const char *function)  // first may be null where count is 0
      : first_(first), stride_(count ? CheckAbiSize<T>(first->struct_size, function) : 0), function_(function) {}
  T &operator[](size_t i) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    T &item = *reinterpret_cast<T *>(reinterpret_cast<Byte *>(first_) + i * stride_);
    if (item.struct_size != stride_)
      Fail(GE_ABI_MISMATCH, function_, ": ", AbiStruct<std::remove_const_t<T>>::kName, " ", i, " has struct_size ",
           item.struct_size, ", the first of them has ", stride_);
    return item;
  }

 private:
  T *first_;
  size_t stride_;
  const char *function_;
};

}  // namespace gec
