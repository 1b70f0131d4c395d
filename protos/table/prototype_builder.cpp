#include "protos/table/prototype_builder.h"

#include <cstring>
#include <utility>

namespace gec {
namespace {

struct TypeName {
  const char *name;
  int32_t type;
};
constexpr TypeName kAttrTypes[] = {
    {"Int", C_VT_INT},
    {"Float", C_VT_FLOAT},
    {"Bool", C_VT_BOOL},
    {"String", C_VT_STRING},
    {"Type", C_VT_DATA_TYPE},
    {"Tensor", C_VT_TENSOR},
    {"ListInt", C_VT_LIST_INT},
    {"ListFloat", C_VT_LIST_FLOAT},
    {"ListBool", C_VT_LIST_BOOL},
    {"ListString", C_VT_LIST_STRING},
    {"ListType", C_VT_LIST_DATA_TYPE},
    {"ListTensor", C_VT_LIST_TENSOR},
    {"ListListInt", C_VT_LIST_LIST_INT},
    {"Bytes", C_VT_BYTES},
};

}  // namespace

PrototypeBuilder &PrototypeBuilder::Type(const char *type) {
  type_ = type;
  return *this;
}

PrototypeBuilder &PrototypeBuilder::Input(const char *name, int32_t kind, const char *types) {
  // A type argument that is itself quoted is recorded without its quotes.
  size_t length = std::strlen(types);
  if (length >= 2 && types[0] == '"') types = texts_.emplace_back(types + 1, length - 2).c_str();
  inputs_.push_back({name, kind, 0, types});
  return *this;
}

PrototypeBuilder &PrototypeBuilder::Output(const char *name, int32_t kind, const char *types) {
  Input(name, kind, types);
  outputs_.push_back(inputs_.back());
  inputs_.pop_back();
  return *this;
}

PrototypeBuilder &PrototypeBuilder::Graph(const char *name, int32_t kind) {
  graphs_.push_back({name, kind, 0});
  return *this;
}

PrototypeBuilder &PrototypeBuilder::Symbol(const char *name, const char *range) {
  symbols_.push_back({name, range});
  return *this;
}

GeIrAttr &PrototypeBuilder::NewAttr(const char *name, int32_t type, bool required) {
  GeIrAttr attr{};
  attr.value.name = name;
  attr.value.type = type;
  attr.required = required ? 1 : 0;
  attrs_.push_back(attr);
  return attrs_.back();
}

PrototypeBuilder &PrototypeBuilder::RequiredAttr(const char *name, const char *type) {
  int32_t found = C_VT_NONE;
  for (const TypeName &entry : kAttrTypes)
    if (std::strcmp(entry.name, type) == 0) found = entry.type;
  NewAttr(name, found, true);
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrInt(const char *name, int64_t value) {
  NewAttr(name, C_VT_INT).value.i = value;
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrFloat(const char *name, float value) {
  NewAttr(name, C_VT_FLOAT).value.f = value;
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrBool(const char *name, bool value) {
  NewAttr(name, C_VT_BOOL).value.i = value ? 1 : 0;
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrString(const char *name, const char *value) {
  GeIrAttr &attr = NewAttr(name, C_VT_STRING);
  attr.value.s = value;
  attr.value.count = std::strlen(value);
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrType(const char *name, ge::DataType value) {
  NewAttr(name, C_VT_DATA_TYPE).value.i = value;
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrTensor(const char *name, ge::Tensor) {
  static const int64_t kNoElements[1] = {0};
  GeTensorData &tensor = tensors_.emplace_back();
  tensor.data_type = C_DT_FLOAT;
  tensor.format = tensor.origin_format = C_FORMAT_ND;
  tensor.rank = tensor.origin_rank = 1;
  tensor.dims = tensor.origin_dims = kNoElements;
  NewAttr(name, C_VT_TENSOR).value.tensor = &tensor;
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrListInt(const char *name, std::initializer_list<int64_t> value) {
  GeIrAttr &attr = NewAttr(name, C_VT_LIST_INT);
  attr.value.count = value.size();
  attr.value.list = ints_.emplace_back(value).data();
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrListFloat(const char *name, std::initializer_list<float> value) {
  GeIrAttr &attr = NewAttr(name, C_VT_LIST_FLOAT);
  attr.value.count = value.size();
  attr.value.list = floats_.emplace_back(value).data();
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrListBool(const char *name, std::initializer_list<bool> value) {
  GeIrAttr &attr = NewAttr(name, C_VT_LIST_BOOL);
  attr.value.count = value.size();
  attr.value.list = bools_.emplace_back(value.begin(), value.end()).data();
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrListString(const char *name, std::initializer_list<const char *> value) {
  GeIrAttr &attr = NewAttr(name, C_VT_LIST_STRING);
  attr.value.count = value.size();
  attr.value.list = strings_.emplace_back(value).data();
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrListType(const char *name, std::initializer_list<ge::DataType> value) {
  GeIrAttr &attr = NewAttr(name, C_VT_LIST_DATA_TYPE);
  attr.value.count = value.size();
  attr.value.list = types_.emplace_back(value.begin(), value.end()).data();
  return *this;
}

PrototypeBuilder &PrototypeBuilder::AttrListListInt(const char *name,
                                                    std::initializer_list<std::initializer_list<int64_t>> value) {
  std::vector<int64_t> counts;
  std::vector<const int64_t *> rows;
  for (std::initializer_list<int64_t> row : value) {
    counts.push_back(static_cast<int64_t>(row.size()));
    rows.push_back(ints_.emplace_back(row).data());
  }
  GeIrAttr &attr = NewAttr(name, C_VT_LIST_LIST_INT);
  attr.value.count = rows.size();
  attr.value.list = rows_.emplace_back(std::move(rows)).data();
  attr.value.inner_counts = ints_.emplace_back(std::move(counts)).data();
  return *this;
}

GeOpSchema PrototypeBuilder::Schema() const {
  GeOpSchema schema{};
  schema.struct_size = sizeof(schema);
  schema.type = type_;
  schema.family = family_;
  schema.brief = brief_;
  schema.inputs = inputs_.data();
  schema.input_count = inputs_.size();
  schema.outputs = outputs_.data();
  schema.output_count = outputs_.size();
  schema.attrs = attrs_.data();
  schema.attr_count = attrs_.size();
  schema.graphs = graphs_.data();
  schema.graph_count = graphs_.size();
  schema.symbols = symbols_.data();
  schema.symbol_count = symbols_.size();
  return schema;
}

}  // namespace gec
