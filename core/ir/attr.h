// Attribute values: a tagged value of every type GE has, and a small map sorted by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/symbol.h"
#include "ge/data.h"

namespace gec {

struct DataTypeValue {
  int32_t value;
  friend bool operator==(DataTypeValue a, DataTypeValue b) { return a.value == b.value; }
};
struct Bytes {
  std::vector<uint8_t> data;
  friend bool operator==(const Bytes &a, const Bytes &b) { return a.data == b.data; }
};

class AttrValue {
 public:
  using ListInt = std::vector<int64_t>;
  using ListFloat = std::vector<float>;
  using ListBool = std::vector<uint8_t>;
  using ListString = std::vector<std::string>;
  using ListType = std::vector<DataTypeValue>;
  using ListTensor = std::vector<TensorPtr>;
  using ListListInt = std::vector<std::vector<int64_t>>;
  using ListListFloat = std::vector<std::vector<float>>;
  /// Texts that many values have in common; for readers a ListString like any other.
  using SharedStrings = std::shared_ptr<const ListString>;

  AttrValue() = default;
  AttrValue(int64_t v) : value_(v) {}
  AttrValue(int v) : value_(int64_t{v}) {}
  AttrValue(float v) : value_(v) {}
  AttrValue(double v) : value_(static_cast<float>(v)) {}
  AttrValue(bool v) : value_(v) {}
  AttrValue(const char *v) : value_(std::string(v)) {}
  AttrValue(std::string v) : value_(std::move(v)) {}
  AttrValue(DataTypeValue v) : value_(v) {}
  AttrValue(TensorPtr v) : value_(std::move(v)) {}
  AttrValue(std::shared_ptr<Tensor> v) : value_(TensorPtr(std::move(v))) {}
  AttrValue(Bytes v) : value_(std::move(v)) {}
  AttrValue(ListInt v) : value_(std::move(v)) {}
  AttrValue(ListFloat v) : value_(std::move(v)) {}
  AttrValue(ListBool v) : value_(std::move(v)) {}
  AttrValue(ListString v) : value_(std::move(v)) {}
  AttrValue(SharedStrings v) : value_(std::move(v)) {}
  AttrValue(ListType v) : value_(std::move(v)) {}
  AttrValue(ListTensor v) : value_(std::move(v)) {}
  AttrValue(ListListInt v) : value_(std::move(v)) {}
  AttrValue(ListListFloat v) : value_(std::move(v)) {}

  /// Copies a plain value; throws GE_PARAM_INVALID for an unknown type or a null list with a count.
  static AttrValue From(const GeAttrData &data);

  int32_t type() const;  // C_AttrValueType
  /// Calls visitor(v) with what is held, a ListString also where it is shared.
  template <class Visitor>
  decltype(auto) Visit(Visitor &&visitor) const {
    return std::visit(
        [&](const auto &held) -> decltype(auto) {
          if constexpr (std::is_same_v<std::decay_t<decltype(held)>, SharedStrings>) return visitor(*held);
          else return visitor(held);
        },
        value_);
  }
  template <class T>
  const T *get_if() const {
    if constexpr (std::is_same_v<T, ListString>)
      if (const auto *shared = std::get_if<SharedStrings>(&value_)) return shared->get();
    return std::get_if<T>(&value_);
  }
  /// Exact, floats bit by bit, tensors by content.
  friend bool operator==(const AttrValue &a, const AttrValue &b);

 private:
  using Value =
      std::variant<std::monostate, int64_t, float, bool, std::string, DataTypeValue, TensorPtr, Bytes, ListInt,
                   ListFloat, ListBool, ListString, ListType, ListTensor, ListListInt, ListListFloat, SharedStrings>;
  Value value_;
};

/// Keeps the arrays that a GeAttrData view of string and nested lists needs. Views die with it.
class AttrViewArena {
 public:
  GeAttrData View(const char *name, const AttrValue &value);
  void Clear();
  bool empty() const { return pointers_.empty() && tensors_.empty(); }
  /// Both were filled from the same, unchanged value.
  bool Same(const AttrViewArena &other) const;
  bool SameTensors(const AttrViewArena &other) const;

 private:
  std::vector<std::unique_ptr<std::vector<const void *>>> pointers_;
  std::vector<std::unique_ptr<std::vector<int64_t>>> counts_;
  std::vector<std::unique_ptr<GeTensorData>> tensors_;
};

/// Views that stay valid while the value they show does not change.
class AttrViewCache {
 public:
  GeAttrData View(const char *name, const AttrValue &value);

 private:
  struct Entry {
    AttrViewArena arena;
    GeAttrData view;
  };
  std::unordered_map<const AttrValue *, std::unique_ptr<Entry>> entries_;
};

class AttrMap {
 public:
  using Entry = std::pair<Symbol, AttrValue>;
  const AttrValue *Find(Symbol name) const;
  void Set(Symbol name, AttrValue value);
  bool Remove(Symbol name);
  void Reserve(size_t n) { entries_.reserve(n); }
  bool Has(Symbol name) const { return Find(name) != nullptr; }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  int64_t Int(Symbol name, int64_t fallback) const;  // also bool and data type
  float Float(Symbol name, float fallback) const;
  bool Bool(Symbol name, bool fallback) const { return Int(name, fallback ? 1 : 0) != 0; }
  std::string String(Symbol name, std::string_view fallback) const;
  std::vector<int64_t> Ints(Symbol name) const;  // empty when absent
  TensorPtr GetTensor(Symbol name) const;        // null when absent
  friend bool operator==(const AttrMap &a, const AttrMap &b) { return a.entries_ == b.entries_; }

 private:
  std::vector<Entry> entries_;  // sorted by name text
};

// Readers of one value; null or another type gives the fallback.
int64_t IntOf(const AttrValue *value, int64_t fallback);  // also bool and data type
float FloatOf(const AttrValue *value, float fallback);
std::string StringOf(const AttrValue *value, std::string_view fallback);
std::vector<int64_t> IntsOf(const AttrValue *value);

}  // namespace gec
