// Messages of front ends for who has only their bytes, or only a pointer to google::protobuf::Message.
#include <cstdint>
#include <string>
#include <vector>

#include "ge/data.h"
#include "proto/onnx/ge_onnx.pb.h"

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Hands one attribute after the other to who asked; what it points to lives until the next one.
class Visitor {
 public:
  Visitor(void *user, void (*attr)(void *user, const GeAttrData *attr)) : user_(user), attr_(attr) {}

  void Int(const std::string &name, int64_t value, int32_t type = C_VT_INT) {
    GeAttrData data = Start(name, type);
    data.i = value;
    attr_(user_, &data);
  }
  void Float(const std::string &name, float value) {
    GeAttrData data = Start(name, C_VT_FLOAT);
    data.f = value;
    attr_(user_, &data);
  }
  void Text(const std::string &name, const std::string &value) {
    GeAttrData data = Start(name, C_VT_STRING);
    data.s = value.c_str();
    data.count = value.size();
    attr_(user_, &data);
  }
  template <class T>
  void List(const std::string &name, int32_t type, const T *values, size_t count) {
    GeAttrData data = Start(name, type);
    data.list = values;
    data.count = count;
    attr_(user_, &data);
  }
  void Texts(const std::string &name, const std::vector<std::string> &texts) {
    std::vector<const char *> list;
    for (const std::string &text : texts) list.push_back(text.c_str());
    List(name, C_VT_LIST_STRING, list.data(), list.size());
  }

 private:
  static GeAttrData Start(const std::string &name, int32_t type) {
    GeAttrData data{};
    data.name = name.c_str();
    data.type = type;
    return data;
  }
  void *user_;
  void (*attr_)(void *user, const GeAttrData *attr);
};

void VisitOnnx(const ge::onnx::NodeProto &node, Visitor visit) {
  using Attr = ge::onnx::AttributeProto;
  for (const Attr &a : node.attribute()) {
    switch (a.type()) {
      case Attr::INT:
        visit.Int(a.name(), a.i());
        break;
      case Attr::FLOAT:
        visit.Float(a.name(), a.f());
        break;
      case Attr::STRING:
        visit.Text(a.name(), a.s());
        break;
      case Attr::INTS: {
        const std::vector<int64_t> values(a.ints().begin(), a.ints().end());
        visit.List(a.name(), C_VT_LIST_INT, values.data(), values.size());
        break;
      }
      case Attr::FLOATS:
        visit.List(a.name(), C_VT_LIST_FLOAT, a.floats().data(), static_cast<size_t>(a.floats_size()));
        break;
      case Attr::STRINGS:
        visit.Texts(a.name(), {a.strings().begin(), a.strings().end()});
        break;
      default:
        break;
    }
  }
}

/// The GE data type of a TensorFlow one; C_DT_UNDEFINED for those that GE does not have. (References are 100 more.)
int32_t TypeOfTensorFlow(int32_t type) {
  static constexpr int32_t kTypes[] = {C_DT_UNDEFINED, C_DT_FLOAT,   C_DT_DOUBLE, C_DT_INT32,      C_DT_UINT8,
                                       C_DT_INT16,     C_DT_INT8,    C_DT_STRING, C_DT_COMPLEX64,  C_DT_INT64,
                                       C_DT_BOOL,      C_DT_QINT8,   C_DT_QUINT8, C_DT_QINT32,     C_DT_BF16,
                                       C_DT_QINT16,    C_DT_QUINT16, C_DT_UINT16, C_DT_COMPLEX128, C_DT_FLOAT16,
                                       C_DT_RESOURCE,  C_DT_VARIANT, C_DT_UINT32, C_DT_UINT64};
  const int32_t plain = type > 100 ? type - 100 : type;
  return plain >= 0 && plain < static_cast<int32_t>(sizeof kTypes / sizeof *kTypes) ? kTypes[plain] : C_DT_UNDEFINED;
}

const FieldDescriptor *Field(const Message &message, const char *name) {
  return message.GetDescriptor()->FindFieldByName(name);
}

/// One AttrValue of TensorFlow, read by reflection: its classes belong to whoever made the message.
void VisitTensorFlow(const std::string &name, const Message &value, Visitor visit) {
  const Reflection &at = *value.GetReflection();
  std::vector<const FieldDescriptor *> set;
  at.ListFields(value, &set);
  if (set.empty()) return;
  const FieldDescriptor *field = set.front();
  const std::string &kind = field->name();
  if (kind == "i" && field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
    return visit.Int(name, at.GetInt64(value, field));
  if (kind == "f" && field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT)
    return visit.Float(name, at.GetFloat(value, field));
  if (kind == "s" && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
    return visit.Text(name, at.GetString(value, field));
  if (kind == "b" && field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL)
    return visit.Int(name, at.GetBool(value, field) ? 1 : 0, C_VT_BOOL);
  if (kind == "type" && field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM)
    return visit.Int(name, TypeOfTensorFlow(at.GetEnumValue(value, field)), C_VT_DATA_TYPE);
  if (kind != "list" || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return;
  const Message &list = at.GetMessage(value, field);
  const Reflection &in = *list.GetReflection();
  set.clear();
  in.ListFields(list, &set);
  if (set.empty()) return visit.List<int64_t>(name, C_VT_LIST_INT, nullptr, 0);
  field = set.front();
  if (!field->is_repeated()) return;
  const int count = in.FieldSize(list, field);
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<uint8_t> flags;
  std::vector<int32_t> types;
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        ints.push_back(in.GetRepeatedInt64(list, field, i));
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
        floats.push_back(in.GetRepeatedFloat(list, field, i));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        flags.push_back(in.GetRepeatedBool(list, field, i) ? 1 : 0);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        types.push_back(TypeOfTensorFlow(in.GetRepeatedEnumValue(list, field, i)));
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        texts.push_back(in.GetRepeatedString(list, field, i));
        break;
      default:
        return;
    }
  }
  if (!ints.empty()) visit.List(name, C_VT_LIST_INT, ints.data(), ints.size());
  if (!floats.empty()) visit.List(name, C_VT_LIST_FLOAT, floats.data(), floats.size());
  if (!flags.empty()) visit.List(name, C_VT_LIST_BOOL, flags.data(), flags.size());
  if (!types.empty()) visit.List(name, C_VT_LIST_DATA_TYPE, types.data(), types.size());
  if (!texts.empty()) visit.Texts(name, texts);
}

bool VisitNodeDef(const Message &node, Visitor visit) {
  const FieldDescriptor *attrs = Field(node, "attr");
  if (attrs == nullptr || !attrs->is_map()) return false;
  const Reflection &at = *node.GetReflection();
  for (int i = 0; i < at.FieldSize(node, attrs); ++i) {
    const Message &entry = at.GetRepeatedMessage(node, attrs, i);
    const FieldDescriptor *key = Field(entry, "key"), *value = Field(entry, "value");
    if (key->cpp_type() != FieldDescriptor::CPPTYPE_STRING || value->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      return false;
    VisitTensorFlow(entry.GetReflection()->GetString(entry, key), entry.GetReflection()->GetMessage(entry, value),
                    visit);
  }
  return true;
}

}  // namespace

extern "C" {

void *ge_onnx_node_from_bytes(const void *bytes, size_t size) try {
  auto *node = new ge::onnx::NodeProto;
  if (size <= INT32_MAX && node->ParseFromArray(bytes, static_cast<int>(size))) return static_cast<Message *>(node);
  delete node;
  return nullptr;
} catch (...) {
  return nullptr;
}

void ge_onnx_message_free(void *message) { delete static_cast<Message *>(message); }

int ge_onnx_message_attrs(const void *message, void *user, void (*attr)(void *user, const GeAttrData *attr)) {
  if (message == nullptr || attr == nullptr) return 0;
  const Message &m = *static_cast<const Message *>(message);
  const std::string &type = m.GetDescriptor()->full_name();
  if (type == "ge.onnx.NodeProto") {
    VisitOnnx(static_cast<const ge::onnx::NodeProto &>(m), {user, attr});
    return 1;
  }
  const std::string node_def = "tensorflow.NodeDef";  // GE's copy is domi.tensorflow.NodeDef
  if (type.size() < node_def.size() || type.compare(type.size() - node_def.size(), node_def.size(), node_def) != 0)
    return 0;
  return VisitNodeDef(m, {user, attr}) ? 1 : 0;
}

}  // extern "C"
