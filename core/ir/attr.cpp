#include "core/ir/attr.h"

#include <algorithm>
#include <cstring>

#include "core/ir/types.h"

namespace gec {
namespace {

template <class T>
const T *ListOf(const GeAttrData &data) {
  if (data.count > (uint64_t{1} << 40))
    Fail(GE_PARAM_INVALID, "attribute list has ", static_cast<int64_t>(data.count), " values, expected 0 to ",
         uint64_t{1} << 40);
  if (data.count > 0 && !data.list) Fail(GE_PARAM_INVALID, "attribute list of ", data.count, " values is null");
  return static_cast<const T *>(data.list);
}
template <class T>
std::vector<T> CopyList(const GeAttrData &data) {
  const T *list = ListOf<T>(data);
  return data.count ? std::vector<T>(list, list + data.count) : std::vector<T>();
}
template <class T>
std::vector<std::vector<T>> CopyRows(const GeAttrData &data) {
  const T *const *rows = ListOf<const T *>(data);
  if (data.count > 0 && !data.inner_counts) Fail(GE_PARAM_INVALID, "attribute list of lists has null inner counts");
  std::vector<std::vector<T>> copy(data.count);
  for (uint64_t i = 0; i < data.count; ++i) {
    int64_t n = data.inner_counts[i];
    if (n < 0 || (n > 0 && !rows[i]))
      Fail(GE_PARAM_INVALID, "attribute list row ", i, " is null or has ", n, " values");
    if (n > 0) copy[i].assign(rows[i], rows[i] + n);
  }
  return copy;
}
TensorPtr CopyTensor(const GeTensorData *data) {
  auto tensor = std::make_shared<Tensor>();
  if (!data) {
    tensor->desc.SetShape(Shape{0});  // GE's Tensor(): no elements, as REG_OP writes it
    return tensor;
  }
  tensor->desc = TensorDesc::From(*data);
  if (data->data) {
    uint64_t need = tensor->desc.bytes();
    if (data->size != need)
      Fail(GE_PARAM_INVALID, "tensor has ", data->size, " bytes, its type and shape ", tensor->desc.shape.str(),
           " need ", need);
    tensor->buffer = Buffer::Copy(data->data, need);
  }
  return tensor;
}
bool SameFloats(const float *a, const float *b, size_t n) {
  return n == 0 || std::memcmp(a, b, n * sizeof(float)) == 0;
}
bool SameFloats(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() && SameFloats(a.data(), b.data(), a.size());
}
bool SameTensor(const TensorPtr &a, const TensorPtr &b) {
  if (a == b) return true;
  if (!a || !b) return false;
  const TensorDesc &x = a->desc, &y = b->desc;
  if (x.dtype != y.dtype || x.format != y.format || x.origin_format != y.origin_format || x.shape != y.shape ||
      x.origin_shape != y.origin_shape || a->bytes() != b->bytes() || !a->buffer != !b->buffer)
    return false;
  return a->bytes() == 0 || std::memcmp(a->data(), b->data(), a->bytes()) == 0;
}

DataTypeValue KnownType(int64_t value) {
  if (value != static_cast<int32_t>(value) || !IsDataTypeValue(static_cast<int32_t>(value)))
    Fail(GE_PARAM_INVALID, "attribute value ", value, " is no data type");
  return {static_cast<int32_t>(value)};
}

}  // namespace

AttrValue AttrValue::From(const GeAttrData &data) {
  if (data.reserved != 0) Fail(GE_PARAM_INVALID, "reserved of a GeAttrData is ", data.reserved, ", it must be 0");
  switch (data.type) {
    case C_VT_NONE:
      return AttrValue();
    case C_VT_INT:
      return AttrValue(data.i);
    case C_VT_BOOL:
      return AttrValue(data.i != 0);
    case C_VT_FLOAT:
      return AttrValue(data.f);
    case C_VT_DATA_TYPE:
      return AttrValue(KnownType(data.i));
    case C_VT_STRING:
      if (!data.s) Fail(GE_PARAM_INVALID, "attribute text is null");
      return AttrValue(std::string(data.s, data.count ? data.count : std::strlen(data.s)));
    case C_VT_BYTES:
      return AttrValue(Bytes{CopyList<uint8_t>(data)});
    case C_VT_TENSOR:
      return AttrValue(CopyTensor(data.tensor));
    case C_VT_LIST_INT:
      return AttrValue(CopyList<int64_t>(data));
    case C_VT_LIST_FLOAT:
      return AttrValue(CopyList<float>(data));
    case C_VT_LIST_BOOL: {
      auto list = CopyList<uint8_t>(data);
      for (uint8_t &v : list) v = v != 0;
      return AttrValue(std::move(list));
    }
    case C_VT_LIST_DATA_TYPE: {
      auto list = CopyList<DataTypeValue>(data);
      for (DataTypeValue type : list) (void)KnownType(type.value);
      return AttrValue(std::move(list));
    }
    case C_VT_LIST_STRING: {
      auto texts = ListOf<const char *>(data);
      ListString copy;
      copy.reserve(data.count);
      for (uint64_t i = 0; i < data.count; ++i) {
        if (!texts[i]) Fail(GE_PARAM_INVALID, "text ", i, " of an attribute list is null");
        copy.emplace_back(texts[i]);
      }
      return AttrValue(std::move(copy));
    }
    case C_VT_LIST_TENSOR: {
      auto tensors = ListOf<const GeTensorData *>(data);
      ListTensor copy;
      copy.reserve(data.count);
      for (uint64_t i = 0; i < data.count; ++i) {
        if (!tensors[i]) Fail(GE_PARAM_INVALID, "tensor ", i, " of an attribute list is null");
        copy.push_back(CopyTensor(tensors[i]));
      }
      return AttrValue(std::move(copy));
    }
    case C_VT_LIST_LIST_INT:
      return AttrValue(CopyRows<int64_t>(data));
    case C_VT_LIST_LIST_FLOAT:
      return AttrValue(CopyRows<float>(data));
    default:
      Fail(GE_PARAM_INVALID, "attribute type ", data.type, " is not known");
  }
}

int32_t AttrValue::type() const {
  static constexpr int32_t kTypes[] = {C_VT_NONE,           C_VT_INT,         C_VT_FLOAT,         C_VT_BOOL,
                                       C_VT_STRING,         C_VT_DATA_TYPE,   C_VT_TENSOR,        C_VT_BYTES,
                                       C_VT_LIST_INT,       C_VT_LIST_FLOAT,  C_VT_LIST_BOOL,     C_VT_LIST_STRING,
                                       C_VT_LIST_DATA_TYPE, C_VT_LIST_TENSOR, C_VT_LIST_LIST_INT, C_VT_LIST_LIST_FLOAT,
                                       C_VT_LIST_STRING};
  static_assert(sizeof(kTypes) / sizeof(kTypes[0]) == std::variant_size_v<Value>);
  return kTypes[value_.index()];
}

bool operator==(const AttrValue &a, const AttrValue &b) {
  if (a.type() != b.type()) return false;
  if (auto *list = a.get_if<AttrValue::ListString>()) return *list == *b.get_if<AttrValue::ListString>();
  if (auto *f = a.get_if<float>()) return SameFloats(f, b.get_if<float>(), 1);
  if (auto *list = a.get_if<AttrValue::ListFloat>()) return SameFloats(*list, *b.get_if<AttrValue::ListFloat>());
  if (auto *rows = a.get_if<AttrValue::ListListFloat>()) {
    const auto &other = *b.get_if<AttrValue::ListListFloat>();
    return std::equal(rows->begin(), rows->end(), other.begin(), other.end(),
                      [](const auto &x, const auto &y) { return SameFloats(x, y); });
  }
  if (auto *t = a.get_if<TensorPtr>()) return SameTensor(*t, *b.get_if<TensorPtr>());
  if (auto *list = a.get_if<AttrValue::ListTensor>()) {
    const auto &other = *b.get_if<AttrValue::ListTensor>();
    return std::equal(list->begin(), list->end(), other.begin(), other.end(), SameTensor);
  }
  return a.value_ == b.value_;
}

// ---- views ----

GeAttrData AttrViewArena::View(const char *name, const AttrValue &value) {
  static_assert(sizeof(DataTypeValue) == sizeof(int32_t));
  GeAttrData view{};
  view.name = name;
  view.type = value.type();
  auto list = [&](const auto &values) {
    view.list = values.data();
    view.count = values.size();
  };
  auto addresses = [&](const auto &values, auto &&address) {
    auto &pointers = *pointers_.emplace_back(std::make_unique<std::vector<const void *>>());
    for (const auto &v : values) pointers.push_back(address(v));
    list(pointers);
  };
  auto rows = [&](const auto &values) {
    auto &pointers = *pointers_.emplace_back(std::make_unique<std::vector<const void *>>());
    auto &counts = *counts_.emplace_back(std::make_unique<std::vector<int64_t>>());
    for (const auto &row : values) {
      pointers.push_back(row.data());
      counts.push_back(static_cast<int64_t>(row.size()));
    }
    view.list = pointers.data();
    view.count = pointers.size();
    view.inner_counts = counts.data();
  };
  auto tensor = [&](const TensorPtr &t) {
    return tensors_.emplace_back(std::make_unique<GeTensorData>(t ? t->View() : GeTensorData{})).get();
  };
  switch (view.type) {
    case C_VT_INT:
      view.i = *value.get_if<int64_t>();
      break;
    case C_VT_BOOL:
      view.i = *value.get_if<bool>();
      break;
    case C_VT_DATA_TYPE:
      view.i = value.get_if<DataTypeValue>()->value;
      break;
    case C_VT_FLOAT:
      view.f = *value.get_if<float>();
      break;
    case C_VT_STRING:
      view.s = value.get_if<std::string>()->c_str();
      view.count = value.get_if<std::string>()->size();
      break;
    case C_VT_TENSOR:
      view.tensor = tensor(*value.get_if<TensorPtr>());
      break;
    case C_VT_BYTES:
      list(value.get_if<Bytes>()->data);
      break;
    case C_VT_LIST_INT:
      list(*value.get_if<AttrValue::ListInt>());
      break;
    case C_VT_LIST_FLOAT:
      list(*value.get_if<AttrValue::ListFloat>());
      break;
    case C_VT_LIST_BOOL:
      list(*value.get_if<AttrValue::ListBool>());
      break;
    case C_VT_LIST_DATA_TYPE:
      list(*value.get_if<AttrValue::ListType>());
      break;
    case C_VT_LIST_STRING:
      addresses(*value.get_if<AttrValue::ListString>(), [](const std::string &text) { return text.c_str(); });
      break;
    case C_VT_LIST_TENSOR:
      addresses(*value.get_if<AttrValue::ListTensor>(), tensor);
      break;
    case C_VT_LIST_LIST_INT:
      rows(*value.get_if<AttrValue::ListListInt>());
      break;
    case C_VT_LIST_LIST_FLOAT:
      rows(*value.get_if<AttrValue::ListListFloat>());
      break;
    default:
      break;
  }
  return view;
}

bool AttrViewArena::SameTensors(const AttrViewArena &other) const {
  return std::equal(
      tensors_.begin(), tensors_.end(), other.tensors_.begin(), other.tensors_.end(),
      [](const auto &x, const auto &y) { return std::memcmp(x.get(), y.get(), sizeof(GeTensorData)) == 0; });
}

bool AttrViewArena::Same(const AttrViewArena &other) const {
  auto same = [](const auto &a, const auto &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto &x, const auto &y) { return *x == *y; });
  };
  return same(pointers_, other.pointers_) && same(counts_, other.counts_) && SameTensors(other);
}

GeAttrData AttrViewCache::View(const char *name, const AttrValue &value) {
  auto fresh = std::make_unique<Entry>();
  fresh->view = fresh->arena.View(name, value);
  if (fresh->arena.empty()) return fresh->view;  // points into the value itself
  std::unique_ptr<Entry> &slot = entries_[&value];
  // A list of tensors names tensor views by address, so its pointers always differ; the tensors decide.
  if (slot && slot->view.type == fresh->view.type &&
      (value.type() == C_VT_LIST_TENSOR ? slot->arena.SameTensors(fresh->arena) : slot->arena.Same(fresh->arena))) {
    slot->view.name = name;
    return slot->view;
  }
  slot = std::move(fresh);
  return slot->view;
}

void AttrViewArena::Clear() {
  pointers_.clear();
  counts_.clear();
  tensors_.clear();
}

// ---- map ----

namespace {

template <class Entries>
auto LowerBound(Entries &entries, Symbol name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const AttrMap::Entry &e, Symbol n) { return e.first.view() < n.view(); });
}

}  // namespace

const AttrValue *AttrMap::Find(Symbol name) const {
  // Nodes have few attributes: comparing addresses in a row beats a search by text.
  for (const Entry &entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

void AttrMap::Set(Symbol name, AttrValue value) {
  // Whoever sets many mostly does so in order.
  if (entries_.empty() || entries_.back().first.view() < name.view()) {
    entries_.emplace_back(name, std::move(value));
    return;
  }
  auto it = LowerBound(entries_, name);
  if (it != entries_.end() && it->first == name) it->second = std::move(value);
  else entries_.emplace(it, name, std::move(value));
}

bool AttrMap::Remove(Symbol name) {
  auto it = LowerBound(entries_, name);
  if (it == entries_.end() || it->first != name) return false;
  entries_.erase(it);
  return true;
}

int64_t IntOf(const AttrValue *value, int64_t fallback) {
  if (!value) return fallback;
  if (auto *i = value->get_if<int64_t>()) return *i;
  if (auto *b = value->get_if<bool>()) return *b;
  if (auto *t = value->get_if<DataTypeValue>()) return t->value;
  return fallback;
}
float FloatOf(const AttrValue *value, float fallback) {
  auto *f = value ? value->get_if<float>() : nullptr;
  return f ? *f : fallback;
}
std::string StringOf(const AttrValue *value, std::string_view fallback) {
  auto *s = value ? value->get_if<std::string>() : nullptr;
  return s ? *s : std::string(fallback);
}
std::vector<int64_t> IntsOf(const AttrValue *value) {
  auto *list = value ? value->get_if<AttrValue::ListInt>() : nullptr;
  return list ? *list : std::vector<int64_t>();
}

int64_t AttrMap::Int(Symbol name, int64_t fallback) const { return IntOf(Find(name), fallback); }
float AttrMap::Float(Symbol name, float fallback) const { return FloatOf(Find(name), fallback); }
std::string AttrMap::String(Symbol name, std::string_view fallback) const { return StringOf(Find(name), fallback); }
std::vector<int64_t> AttrMap::Ints(Symbol name) const { return IntsOf(Find(name)); }
TensorPtr AttrMap::GetTensor(Symbol name) const {
  const AttrValue *value = Find(name);
  auto *t = value ? value->get_if<TensorPtr>() : nullptr;
  return t ? *t : nullptr;
}

}  // namespace gec
