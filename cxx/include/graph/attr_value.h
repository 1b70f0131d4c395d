// AttrValue: a type-erased attribute value, and its conversion to and from the C interface's plain form.
#ifndef INC_GRAPH_ATTR_VALUE_H_
#define INC_GRAPH_ATTR_VALUE_H_

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ge/graph.h"
#include "graph/ascend_string.h"
#include "graph/detail/name_map.h"
#include "graph/error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"

// Programs written for GE use these names unqualified.
using std::make_shared;
using std::map;
using std::pair;
using std::string;
using std::to_string;
using std::unique_ptr;
using std::vector;

namespace ge {

class NamedAttrs;
using OpBytes = std::vector<uint8_t>;

namespace detail {

/// Which kind of the C interface a C++ type is stored as.
template <class T>
struct AttrKind {};
#define GE_ATTR_KIND(cxx_type, kind)       \
  template <>                              \
  struct AttrKind<cxx_type> {              \
    static constexpr int32_t value = kind; \
  }
GE_ATTR_KIND(int64_t, C_VT_INT);
GE_ATTR_KIND(float32_t, C_VT_FLOAT);
GE_ATTR_KIND(bool, C_VT_BOOL);
GE_ATTR_KIND(AscendString, C_VT_STRING);
GE_ATTR_KIND(Tensor, C_VT_TENSOR);
GE_ATTR_KIND(DataType, C_VT_DATA_TYPE);
GE_ATTR_KIND(OpBytes, C_VT_BYTES);
GE_ATTR_KIND(std::vector<int64_t>, C_VT_LIST_INT);
GE_ATTR_KIND(std::vector<float32_t>, C_VT_LIST_FLOAT);
GE_ATTR_KIND(std::vector<AscendString>, C_VT_LIST_STRING);
GE_ATTR_KIND(std::vector<bool>, C_VT_LIST_BOOL);
GE_ATTR_KIND(std::vector<Tensor>, C_VT_LIST_TENSOR);
GE_ATTR_KIND(std::vector<DataType>, C_VT_LIST_DATA_TYPE);
GE_ATTR_KIND(std::vector<std::vector<int64_t>>, C_VT_LIST_LIST_INT);
GE_ATTR_KIND(NamedAttrs, C_VT_NAMED_ATTRS);
GE_ATTR_KIND(std::vector<NamedAttrs>, C_VT_LIST_NAMED_ATTRS);
#undef GE_ATTR_KIND

/// Integers of all widths are held as int64_t.
template <class T>
using AttrHeldAs =
    typename std::conditional<std::is_integral<T>::value && !std::is_same<T, bool>::value, int64_t, T>::type;

}  // namespace detail

/// One value of one kind. Not a std::variant: that would cost every program that includes this a second of compiling.
class AttrValueImpl {
 public:
  template <class T>
  void Set(T value) {
    held_ = std::shared_ptr<const Held>(static_cast<const Held *>(new HeldAs<T>(std::move(value))));
    kind_ = detail::AttrKind<T>::value;
  }
  /// Null when another type is held.
  template <class T>
  const T *Get() const {
    return kind_ == detail::AttrKind<T>::value ? &static_cast<const HeldAs<T> *>(held_.get())->value : nullptr;
  }
  /// C_VT_*; C_VT_NONE when empty.
  int32_t kind() const { return kind_; }

 private:
  struct Held {
    virtual ~Held() = default;
  };
  template <class T>
  struct HeldAs : Held {
    explicit HeldAs(T v) : value(std::move(v)) {}
    T value;
  };
  std::shared_ptr<const Held> held_;  // never changed, so copies share it
  int32_t kind_ = C_VT_NONE;
};

class AttrValue {
 public:
  using INT = int64_t;
  using FLOAT = float32_t;
  using STR = std::string;

  AttrValue() : impl(std::make_shared<AttrValueImpl>()) {}

  template <class T>
  graphStatus SetAttrValue(const T &value) const {
    impl->Set(static_cast<detail::AttrHeldAs<T>>(value));
    return GRAPH_SUCCESS;
  }
  template <class T>
  graphStatus GetAttrValue(T &value) const {
    const T *held = impl->Get<T>();
    if (held == nullptr) return GRAPH_FAILED;
    value = *held;
    return GRAPH_SUCCESS;
  }
  graphStatus GetValue(AscendString &value) const { return GetAttrValue(value); }
  graphStatus GetValue(STR &value) const {
    AscendString text;
    graphStatus status = GetAttrValue(text);
    if (status == GRAPH_SUCCESS) value = text.GetString();
    return status;
  }
  graphStatus GetValue(INT &value) const { return GetAttrValue(value); }
  graphStatus GetValue(FLOAT &value) const { return GetAttrValue(value); }
  template <class T, class DT>
  graphStatus GetValue(DT &value) const {
    T held;
    graphStatus status = GetAttrValue(held);
    if (status == GRAPH_SUCCESS) value = DT(held);
    return status;
  }
  template <class T, class DT>
  static T CreateFrom(DT &&value) {
    return std::forward<DT>(value);
  }
  bool empty() const { return impl->kind() == C_VT_NONE; }

  std::shared_ptr<AttrValueImpl> impl;
};

/// A name with attributes of its own: the value of attributes of type NamedAttrs. Operators hold it; nodes do not.
class NamedAttrs {
 public:
  void SetName(const char_t *name) { name_ = AscendString(name); }
  graphStatus GetName(AscendString &name) const {
    name = name_;
    return GRAPH_SUCCESS;
  }
  graphStatus SetAttr(const AscendString &name, const AttrValue &value) {
    if (name.GetLength() == 0) return GRAPH_PARAM_INVALID;
    attrs_[name.GetString()].impl = std::make_shared<AttrValueImpl>(*value.impl);
    return GRAPH_SUCCESS;
  }
  graphStatus GetAttr(const AscendString &name, AttrValue &value) const {
    auto found = attrs_.find(name.GetString());
    if (found == attrs_.end()) return GRAPH_FAILED;
    value.impl = std::make_shared<AttrValueImpl>(*found->second.impl);
    return GRAPH_SUCCESS;
  }
  graphStatus GetAllAttrNames(std::vector<AscendString> &names) const {
    for (const auto &attr : attrs_) names.emplace_back(attr.first.c_str());
    return GRAPH_SUCCESS;
  }

 private:
  AscendString name_;
  detail::NameMap<AttrValue> attrs_;
};

namespace detail {

/// C_VT_* ↔ GE's name of the type; "" and C_VT_NONE for what has none.
inline const char *AttrTypeName(int32_t type) {
  switch (type) {
    case C_VT_INT:
      return "VT_INT";
    case C_VT_FLOAT:
      return "VT_FLOAT";
    case C_VT_STRING:
      return "VT_STRING";
    case C_VT_BOOL:
      return "VT_BOOL";
    case C_VT_TENSOR:
      return "VT_TENSOR";
    case C_VT_NAMED_ATTRS:
      return "VT_NAMED_ATTRS";
    case C_VT_DATA_TYPE:
      return "VT_DATA_TYPE";
    case C_VT_BYTES:
      return "VT_BYTES";
    case C_VT_LIST_INT:
      return "VT_LIST_INT";
    case C_VT_LIST_FLOAT:
      return "VT_LIST_FLOAT";
    case C_VT_LIST_STRING:
      return "VT_LIST_STRING";
    case C_VT_LIST_BOOL:
      return "VT_LIST_BOOL";
    case C_VT_LIST_TENSOR:
      return "VT_LIST_TENSOR";
    case C_VT_LIST_DATA_TYPE:
      return "VT_LIST_DATA_TYPE";
    case C_VT_LIST_LIST_INT:
      return "VT_LIST_LIST_INT";
    case C_VT_LIST_NAMED_ATTRS:
      return "VT_LIST_NAMED_ATTRS";
    default:
      return "";
  }
}

/// The plain form of an AttrValue; borrows from it and from this object.
class AttrView {
 public:
  AttrView(const char *name, const AttrValue &value) : value_(value.impl) {
    data_.name = name;
    TryFill<int64_t>();
    TryFill<float32_t>();
    TryFill<bool>();
    TryFill<AscendString>();
    TryFill<Tensor>();
    TryFill<DataType>();
    TryFill<OpBytes>();
    TryFill<std::vector<int64_t>>();
    TryFill<std::vector<float32_t>>();
    TryFill<std::vector<AscendString>>();
    TryFill<std::vector<bool>>();
    TryFill<std::vector<Tensor>>();
    TryFill<std::vector<DataType>>();
    TryFill<std::vector<std::vector<int64_t>>>();
  }
  const GeAttrData *get() const { return &data_; }

 private:
  template <class T>
  void TryFill() {
    if (const T *held = value_->Get<T>()) Fill(*held);
  }
  void Fill(int64_t v) { Scalar(C_VT_INT, v); }
  void Fill(bool v) { Scalar(C_VT_BOOL, v ? 1 : 0); }
  void Fill(DataType v) { Scalar(C_VT_DATA_TYPE, v); }
  void Fill(float32_t v) {
    data_.type = C_VT_FLOAT;
    data_.f = v;
  }
  void Fill(const AscendString &v) {
    data_.type = C_VT_STRING;
    data_.s = v.GetString();
    data_.count = v.GetLength();
  }
  void Fill(const Tensor &v) {
    data_.type = C_VT_TENSOR;
    (void)GeTensorGetData(v.handle(), &tensor_);
    data_.tensor = &tensor_;
  }
  void Fill(const OpBytes &v) { List(C_VT_BYTES, v.data(), v.size()); }
  void Fill(const std::vector<int64_t> &v) { List(C_VT_LIST_INT, v.data(), v.size()); }
  void Fill(const std::vector<float32_t> &v) { List(C_VT_LIST_FLOAT, v.data(), v.size()); }
  void Fill(const std::vector<bool> &v) {
    bytes_.assign(v.begin(), v.end());
    List(C_VT_LIST_BOOL, bytes_.data(), bytes_.size());
  }
  void Fill(const std::vector<DataType> &v) {
    ints_.assign(v.begin(), v.end());
    List(C_VT_LIST_DATA_TYPE, ints_.data(), ints_.size());
  }
  void Fill(const std::vector<AscendString> &v) {
    for (const AscendString &text : v) pointers_.push_back(text.GetString());
    List(C_VT_LIST_STRING, pointers_.data(), pointers_.size());
  }
  void Fill(const std::vector<Tensor> &v) {
    tensors_.resize(v.size());
    for (size_t i = 0; i < v.size(); ++i) {
      (void)GeTensorGetData(v[i].handle(), &tensors_[i]);
      pointers_.push_back(&tensors_[i]);
    }
    List(C_VT_LIST_TENSOR, pointers_.data(), pointers_.size());
  }
  void Fill(const std::vector<std::vector<int64_t>> &v) {
    for (const auto &row : v) {
      pointers_.push_back(row.data());
      counts_.push_back(static_cast<int64_t>(row.size()));
    }
    List(C_VT_LIST_LIST_INT, pointers_.data(), pointers_.size());
    data_.inner_counts = counts_.data();
  }
  void Scalar(int32_t type, int64_t v) {
    data_.type = type;
    data_.i = v;
  }
  void List(int32_t type, const void *list, size_t count) {
    data_.type = type;
    data_.list = list;
    data_.count = count;
  }
  std::shared_ptr<AttrValueImpl> value_;
  GeAttrData data_{};
  GeTensorData tensor_{};
  std::vector<GeTensorData> tensors_;
  std::vector<const void *> pointers_;
  std::vector<int64_t> counts_;
  std::vector<uint8_t> bytes_;
  std::vector<int32_t> ints_;
};

inline Tensor TensorFrom(const GeTensorData *data) {
  GeTensor *tensor = nullptr;
  if (data == nullptr || data->data == nullptr) {
    (void)GeTensorCreateEmpty(&tensor);
  } else {
    (void)GeTensorCreate(data, &tensor);
  }
  return Tensor::Adopt(tensor);
}

inline AttrValue FromData(const GeAttrData &d) {
  AttrValue value;
  AttrValueImpl &held = *value.impl;
  size_t n = d.count;
  switch (d.type) {
    case C_VT_INT:
      held.Set(int64_t{d.i});
      break;
    case C_VT_BOOL:
      held.Set(d.i != 0);
      break;
    case C_VT_FLOAT:
      held.Set(static_cast<float32_t>(d.f));
      break;
    case C_VT_DATA_TYPE:
      held.Set(static_cast<DataType>(d.i));
      break;
    case C_VT_STRING:
      held.Set(AscendString(d.s, n));
      break;
    case C_VT_TENSOR:
      held.Set(TensorFrom(d.tensor));
      break;
    case C_VT_BYTES: {
      auto *p = static_cast<const uint8_t *>(d.list);
      held.Set(OpBytes(p, p + n));
      break;
    }
    case C_VT_LIST_INT: {
      auto *p = static_cast<const int64_t *>(d.list);
      held.Set(std::vector<int64_t>(p, p + n));
      break;
    }
    case C_VT_LIST_FLOAT: {
      auto *p = static_cast<const float *>(d.list);
      held.Set(std::vector<float32_t>(p, p + n));
      break;
    }
    case C_VT_LIST_BOOL: {
      auto *p = static_cast<const uint8_t *>(d.list);
      held.Set(std::vector<bool>(p, p + n));
      break;
    }
    case C_VT_LIST_DATA_TYPE: {
      auto *p = static_cast<const int32_t *>(d.list);
      std::vector<DataType> types;
      for (size_t i = 0; i < n; ++i) types.push_back(static_cast<DataType>(p[i]));
      held.Set(std::move(types));
      break;
    }
    case C_VT_LIST_STRING: {
      auto *p = static_cast<const char *const *>(d.list);
      std::vector<AscendString> texts;
      for (size_t i = 0; i < n; ++i) texts.emplace_back(p[i]);
      held.Set(std::move(texts));
      break;
    }
    case C_VT_LIST_TENSOR: {
      auto *p = static_cast<const GeTensorData *const *>(d.list);
      std::vector<Tensor> tensors;
      for (size_t i = 0; i < n; ++i) tensors.push_back(TensorFrom(p[i]));
      held.Set(std::move(tensors));
      break;
    }
    case C_VT_LIST_LIST_INT: {
      auto *p = static_cast<const int64_t *const *>(d.list);
      std::vector<std::vector<int64_t>> rows;
      for (size_t i = 0; i < n; ++i) rows.emplace_back(p[i], p[i] + d.inner_counts[i]);
      held.Set(std::move(rows));
      break;
    }
    default:
      break;
  }
  return value;
}

/// The stored type for a type that attribute setters accept.
template <class T>
AttrValue ToAttr(const T &v) {
  AttrValue value;
  (void)value.SetAttrValue(v);
  return value;
}
inline AttrValue ToAttr(const AttrValue &v) { return v; }
inline AttrValue ToAttr(const std::vector<int32_t> &v) { return ToAttr(std::vector<int64_t>(v.begin(), v.end())); }
inline AttrValue ToAttr(const std::vector<uint32_t> &v) { return ToAttr(std::vector<int64_t>(v.begin(), v.end())); }
inline AttrValue ToAttr(const std::string &v) { return ToAttr(AscendString(v.c_str(), v.size())); }
inline AttrValue ToAttr(const std::vector<std::string> &v) {
  std::vector<AscendString> texts;
  for (const std::string &text : v) texts.emplace_back(text.c_str(), text.size());
  return ToAttr(texts);
}

/// Reads into T with the integer widths and string forms that getters offer.
template <class T>
graphStatus FromAttr(const AttrValue &value, T &out) {
  return value.GetAttrValue(out);
}
inline graphStatus FromAttr(const AttrValue &value, AttrValue &out) {
  out = value;
  return GRAPH_SUCCESS;
}
template <class T>
graphStatus FromWide(const AttrValue &value, T &out) {
  int64_t wide = 0;
  const graphStatus status = value.GetAttrValue(wide);
  if (status == GRAPH_SUCCESS) out = static_cast<T>(wide);
  return status;
}
inline graphStatus FromAttr(const AttrValue &value, int32_t &out) { return FromWide(value, out); }
inline graphStatus FromAttr(const AttrValue &value, uint32_t &out) { return FromWide(value, out); }
template <class T>
graphStatus FromWide(const AttrValue &value, std::vector<T> &out) {
  std::vector<int64_t> wide;
  const graphStatus status = value.GetAttrValue(wide);
  if (status == GRAPH_SUCCESS) out.assign(wide.begin(), wide.end());
  return status;
}
inline graphStatus FromAttr(const AttrValue &value, std::vector<int32_t> &out) { return FromWide(value, out); }
inline graphStatus FromAttr(const AttrValue &value, std::vector<uint32_t> &out) { return FromWide(value, out); }
inline graphStatus FromAttr(const AttrValue &value, std::string &out) { return value.GetValue(out); }
inline graphStatus FromAttr(const AttrValue &value, std::vector<std::string> &out) {
  std::vector<AscendString> texts;
  const graphStatus status = value.GetAttrValue(texts);
  if (status != GRAPH_SUCCESS) return status;
  out.clear();
  for (const AscendString &text : texts) out.emplace_back(text.GetString(), text.GetLength());
  return status;
}

}  // namespace detail
}  // namespace ge

#endif
