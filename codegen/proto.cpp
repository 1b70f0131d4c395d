#include "proto.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace codegen {
namespace {

using Json = nlohmann::json;

struct TypeRow {
  int type;
  const char *name;
};
constexpr TypeRow kTypes[] = {{C_VT_INT, "Int"},
                              {C_VT_FLOAT, "Float"},
                              {C_VT_BOOL, "Bool"},
                              {C_VT_STRING, "String"},
                              {C_VT_DATA_TYPE, "Type"},
                              {C_VT_TENSOR, "Tensor"},
                              {C_VT_LIST_INT, "ListInt"},
                              {C_VT_LIST_FLOAT, "ListFloat"},
                              {C_VT_LIST_BOOL, "ListBool"},
                              {C_VT_LIST_DATA_TYPE, "ListType"},
                              {C_VT_LIST_LIST_INT, "ListListInt"},
                              {C_VT_LIST_STRING, "ListString"}};

// JSON has no infinity: the three special values are strings.
Json Number(double value) {
  float single = static_cast<float>(value);
  if (std::isnan(single)) return "nan";
  if (std::isinf(single)) return single > 0 ? "inf" : "-inf";
  return static_cast<double>(single);
}
bool IsNumber(const Json &v) { return v.is_number() || (v.is_string() && (v == "inf" || v == "-inf" || v == "nan")); }
bool IsDataType(const Json &v) {
  if (!v.is_string()) return false;
  std::string name = v.get<std::string>();
  return name == "DT_UNDEFINED" || GeDataTypeFromName(name.c_str()) != C_DT_UNDEFINED;
}

std::string DefaultText(const GeAttrData &v) {
  Json list = Json::array();
  switch (v.type) {
    case C_VT_INT:
      return Json(v.i).dump();
    case C_VT_FLOAT:
      return Number(v.f).dump();
    case C_VT_BOOL:
      return v.i ? "true" : "false";
    case C_VT_STRING:
      return Json(v.s ? std::string(v.s, v.count) : "").dump();
    case C_VT_DATA_TYPE:
      return Json(GeDataTypeName(static_cast<int32_t>(v.i))).dump();
    case C_VT_TENSOR:
      return "\"Tensor()\"";
    default:
      break;
  }
  for (uint64_t i = 0; i < v.count; ++i) {
    switch (v.type) {
      case C_VT_LIST_INT:
        list.push_back(static_cast<const int64_t *>(v.list)[i]);
        break;
      case C_VT_LIST_FLOAT:
        list.push_back(Number(static_cast<const float *>(v.list)[i]));
        break;
      case C_VT_LIST_BOOL:
        list.push_back(static_cast<const uint8_t *>(v.list)[i] != 0);
        break;
      case C_VT_LIST_DATA_TYPE:
        list.push_back(GeDataTypeName(static_cast<const int32_t *>(v.list)[i]));
        break;
      case C_VT_LIST_STRING:
        list.push_back(static_cast<const char *const *>(v.list)[i]);
        break;
      default: {
        const int64_t *row = static_cast<const int64_t *const *>(v.list)[i];
        list.push_back(std::vector<int64_t>(row, row + v.inner_counts[i]));
      }
    }
  }
  return list.dump();
}

template <class Check>
bool AllOf(const Json &v, Check check) {
  if (!v.is_array()) return false;
  for (const Json &item : v)
    if (!check(item)) return false;
  return true;
}

bool Matches(int type, const Json &v) {
  auto integer = [](const Json &x) { return x.is_number_integer(); };
  auto boolean = [](const Json &x) { return x.is_boolean(); };
  auto text = [](const Json &x) { return x.is_string(); };
  switch (type) {
    case C_VT_INT:
      return integer(v);
    case C_VT_FLOAT:
      return IsNumber(v);
    case C_VT_BOOL:
      return boolean(v);
    case C_VT_STRING:
      return text(v);
    case C_VT_DATA_TYPE:
      return IsDataType(v);
    case C_VT_LIST_INT:
      return AllOf(v, integer);
    case C_VT_LIST_FLOAT:
      return AllOf(v, IsNumber);
    case C_VT_LIST_BOOL:
      return AllOf(v, boolean);
    case C_VT_LIST_DATA_TYPE:
      return AllOf(v, IsDataType);
    case C_VT_LIST_STRING:
      return AllOf(v, text);
    case C_VT_LIST_LIST_INT:
      return AllOf(v, [&](const Json &row) { return AllOf(row, integer); });
    default:
      return false;
  }
}

}  // namespace

std::string AttrTypeName(int type) {
  for (const TypeRow &row : kTypes)
    if (row.type == type) return row.name;
  return "";
}

int AttrTypeFromName(const std::string &name) {
  for (const TypeRow &row : kTypes)
    if (row.name == name) return row.type;
  return C_VT_NONE;
}

std::string ProtoOf(const GeOpSchema &schema, Proto *out) {
  *out = Proto();
  out->type = schema.type;
  for (size_t i = 0; i < schema.input_count; ++i) {
    const GeIrPort &port = schema.inputs[i];
    out->inputs.push_back({port.name, port.kind, port.data_types ? port.data_types : ""});
  }
  for (size_t i = 0; i < schema.output_count; ++i) {
    const GeIrPort &port = schema.outputs[i];
    out->outputs.push_back({port.name, port.kind, port.data_types ? port.data_types : ""});
  }
  for (size_t i = 0; i < schema.attr_count; ++i) {
    const GeIrAttr &attr = schema.attrs[i];
    ProtoAttr a{attr.value.name, AttrTypeName(attr.value.type), attr.required != 0, attr.required == 0, ""};
    if (a.type.empty())
      return "attr '" + a.name + "' has a type that history files cannot hold (" + std::to_string(attr.value.type) +
             ")";
    if (a.has_default) {
      try {
        a.default_text = DefaultText(attr.value);
      } catch (const Json::exception &) {  // the only one: text that is not UTF-8
        return "the default of attr '" + a.name + "' is not UTF-8 text";
      }
    }
    out->attrs.push_back(a);
  }
  for (size_t i = 0; i < schema.graph_count; ++i)
    out->graphs.push_back({schema.graphs[i].name, schema.graphs[i].kind == GE_IR_DYNAMIC});
  return "";
}

std::string ShownDefault(const ProtoAttr &attr) {
  const int type = AttrTypeFromName(attr.type);
  const Json value = Json::parse(attr.default_text, nullptr, false);
  auto shortest = [](const Json &number) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number.get<float>());
    const std::string text(digits, end.ptr);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  };
  if (type == C_VT_FLOAT && value.is_number()) return shortest(value);
  if (type != C_VT_LIST_FLOAT || !value.is_array()) return attr.default_text;
  std::string list;
  for (const Json &item : value) list += (list.empty() ? "" : ",") + (item.is_number() ? shortest(item) : item.dump());
  return "[" + list + "]";
}

std::string DefaultProblem(const ProtoAttr &attr) {
  int type = AttrTypeFromName(attr.type);
  if (type == C_VT_NONE) return "unsupported attr type '" + attr.type + "' for default_value parsing";
  if (!attr.has_default) return "missing default_value";
  Json value = Json::parse(attr.default_text, nullptr, false);
  if (value.is_discarded()) return "default_value is not valid json";
  if (type == C_VT_TENSOR) return value == "Tensor()" ? "" : "only \"Tensor()\" is supported for Tensor default_value";
  return Matches(type, value) ? "" : "default_value type mismatch for " + attr.type;
}

}  // namespace codegen
