// GetOperatorAttrValue: an attribute of an operator as the bytes that a kernel reads.
#ifndef INC_REGISTER_OP_TILING_ATTR_UTILS_H_
#define INC_REGISTER_OP_TILING_ATTR_UTILS_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/error_codes.h"
#include "graph/operator.h"
#include "graph/types.h"

namespace optiling {

/// Bytes in the machine's order. Borrowed pointers: they live as long as the object.
class AttrData {
 public:
  AttrData() = default;
  virtual ~AttrData() = default;
  virtual size_t GetSize() const = 0;
  virtual const uint8_t *GetData() const = 0;
};
using AttrDataPtr = std::shared_ptr<AttrData>;

namespace detail {

class AttrBytes : public AttrData {
 public:
  explicit AttrBytes(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}
  size_t GetSize() const override { return bytes_.size(); }
  const uint8_t *GetData() const override { return bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
};

/// Numbers of an attribute on their way from one type to another.
class AttrNumbers {
 public:
  /// GRAPH_FAILED where the operator has no attribute of this name and kind. `type` has no "list_" any more.
  ge::graphStatus Read(const ge::Operator &op, const char *name, const std::string &type, int lists) {
    list_ = lists > 0;
    if (type == "bool") return ReadAs<bool>(op, name, lists);
    if (IsFloat(type)) return ReadAs<float>(op, name, lists);
    return IsInteger(type) ? ReadAs<int64_t>(op, name, lists) : ge::GRAPH_FAILED;
  }
  /// GRAPH_FAILED for an unknown type and for a number that the type cannot hold.
  ge::graphStatus Write(const std::string &type, std::vector<uint8_t> &bytes) const {
    if (type == "bool") return Put<bool>(bytes);
    if (type == "int8") return Put<int8_t>(bytes);
    if (type == "int16") return Put<int16_t>(bytes);
    if (type == "int" || type == "int32") return Put<int32_t>(bytes);
    if (type == "int64") return Put<int64_t>(bytes);
    if (type == "uint8") return Put<uint8_t>(bytes);
    if (type == "uint16") return Put<uint16_t>(bytes);
    if (type == "uint" || type == "uint32") return Put<uint32_t>(bytes);
    if (type == "uint64") return Put<uint64_t>(bytes);
    if (type == "float" || type == "float32") return Put<float>(bytes);
    if (type != "float16" && type != "bfloat16") return ge::GRAPH_FAILED;
    for (double number : numbers_) {
      const auto value = static_cast<float>(number);
      Append(bytes, type == "float16" ? Half(value) : Brain(value));
    }
    return ge::GRAPH_SUCCESS;
  }

 private:
  static bool IsFloat(const std::string &t) {
    return t == "float" || t == "float32" || t == "float16" || t == "bfloat16";
  }
  static bool IsInteger(const std::string &t) {
    for (const char *known : {"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"})
      if (t == known) return true;
    return false;
  }
  template <class T>
  ge::graphStatus ReadAs(const ge::Operator &op, const char *name, int lists) {
    if (lists == 0) {
      T value{};
      const ge::graphStatus status = op.GetAttr(name, value);
      if (status == ge::GRAPH_SUCCESS) Take(value);
      return status;
    }
    if (lists == 1) {
      std::vector<T> values;
      const ge::graphStatus status = op.GetAttr(name, values);
      for (size_t i = 0; i < values.size(); ++i) Take(static_cast<T>(values[i]));
      return status;
    }
    if constexpr (std::is_same_v<T, int64_t>) {
      std::vector<std::vector<int64_t>> values;
      const ge::graphStatus status = op.GetAttr(name, values);
      for (const auto &row : values)
        for (int64_t value : row) Take(value);
      return status;
    }
    return ge::GRAPH_FAILED;
  }
  template <class T>
  void Take(T value) {
    numbers_.push_back(static_cast<double>(value));
    if constexpr (std::is_same_v<T, int64_t>) integers_.push_back(value);
  }
  template <class T>
  ge::graphStatus Put(std::vector<uint8_t> &bytes) const {
    for (size_t i = 0; i < numbers_.size(); ++i) {
      T value{};
      if (!integers_.empty()) {  // exact: not every int64_t is a double
        const int64_t whole = integers_[i];
        value = static_cast<T>(whole);
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          const bool fits = static_cast<int64_t>(value) == whole && (std::is_signed_v<T> || whole >= 0);
          if (!fits && !Wraps<T>(static_cast<double>(whole))) return ge::GRAPH_FAILED;
        }
      } else {
        const double number = numbers_[i];
        if constexpr (std::is_same_v<T, bool>) {
          value = number != 0;
        } else if constexpr (std::is_integral_v<T>) {  // the limits of 64 bits are no doubles: below the power of two
          constexpr double kEnd = 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
          const double least = std::is_signed_v<T> ? -kEnd : -1;
          const bool below = std::is_signed_v<T> ? number < least : number <= least;
          if (!(number < kEnd) || (below && !Wraps<T>(number))) return ge::GRAPH_FAILED;
          value = below ? static_cast<T>(static_cast<int64_t>(number)) : static_cast<T>(number);
        } else {
          value = static_cast<T>(number);
        }
      }
      Append(bytes, value);
    }
    return ge::GRAPH_SUCCESS;
  }
  /// Negative numbers of a list become their low bits in unsigned types.
  template <class T>
  bool Wraps(double number) const {
    return list_ && std::is_unsigned_v<T> && number < 0 && number >= -9223372036854775808.0;
  }
  template <class T>
  static void Append(std::vector<uint8_t> &bytes, const T &value) {
    const auto *from = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  static uint32_t Bits(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  // To the nearest, ties to even.
  static uint32_t Rounded(uint32_t value, int drop) {
    const uint32_t half = 1u << (drop - 1), rest = value & ((half << 1) - 1);
    const uint32_t kept = value >> drop;
    return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
  }
  static uint16_t Brain(float value) {
    const uint32_t bits = Bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40);  // a NaN stays one
    return static_cast<uint16_t>(Rounded(bits, 16));
  }
  static uint16_t Half(float value) {
    const uint32_t bits = Bits(value), sign = (bits >> 16) & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
    if (size >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65536 and more
    if (size >= 0x38800000u)                                                // normal: 2^-14 and more
      return static_cast<uint16_t>(sign | Rounded(size - 0x38000000u, 13));
    if (size < 0x33000000u) return static_cast<uint16_t>(sign);  // below half the smallest
    const uint32_t mantissa = (size & 0x7fffffu) | 0x800000u;
    return static_cast<uint16_t>(sign | Rounded(mantissa, 126 - static_cast<int>(size >> 23)));
  }
  bool list_ = false;
  std::vector<double> numbers_;
  std::vector<int64_t> integers_;  // the same, of integer attributes
};

}  // namespace detail

/// The value of an attribute as `target_dtype` (null: as attr_dtype). Types: bool, str, string, int, int8 … int64,
/// uint, uint8 … uint64, float, float32, float16, bfloat16 (int and uint have 32 bits, float too), lists of them but
/// texts ("list_int"), and list_list_ of integers, whose rows follow one another. A text's bytes are its characters
/// without a zero. A float becomes an integer by cutting its fraction. An empty list has no bytes. GRAPH_FAILED where
/// the operator has no attribute of this name and kind, for unknown types, for texts as numbers and for numbers that
/// the target cannot hold, except negative ones of a list in a list of unsigned integers, which become their low bits;
/// attr_data_ptr is null then.
inline ge::graphStatus GetOperatorAttrValue(const ge::Operator &op, const char *attr_name, const char *attr_dtype,
                                            AttrDataPtr &attr_data_ptr, const char *target_dtype = nullptr) {
  attr_data_ptr.reset();
  if (attr_name == nullptr || attr_dtype == nullptr) return ge::GRAPH_FAILED;
  auto without_list = [](std::string type, int &lists) {
    constexpr size_t kPrefix = 5;  // "list_"
    for (lists = 0; type.compare(0, kPrefix, "list_") == 0; ++lists) type.erase(0, kPrefix);
    return type;
  };
  int lists = 0, target_lists = 0;
  const std::string type = without_list(attr_dtype, lists);
  const std::string target = without_list(target_dtype != nullptr ? target_dtype : attr_dtype, target_lists);
  if (target_lists != lists) return ge::GRAPH_FAILED;
  std::vector<uint8_t> bytes;
  if (type == "str" || type == "string") {
    ge::AscendString text;
    if (lists != 0 || (target != "str" && target != "string") || op.GetAttr(attr_name, text) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
    bytes.assign(text.GetString(), text.GetString() + text.GetLength());
  } else {
    detail::AttrNumbers numbers;
    if (numbers.Read(op, attr_name, type, lists) != ge::GRAPH_SUCCESS ||
        numbers.Write(target, bytes) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
  }
  attr_data_ptr = std::make_shared<detail::AttrBytes>(std::move(bytes));
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

#endif
