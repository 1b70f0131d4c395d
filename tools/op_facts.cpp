#include "op_facts.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "ge/engine.h"
#include "native.h"

namespace tool {

using Json = nlohmann::ordered_json;

namespace {

const char *AttrType(int32_t type) {
  switch (type) {
    case C_VT_STRING:
      return "String";
    case C_VT_FLOAT:
      return "Float";
    case C_VT_BOOL:
      return "Bool";
    case C_VT_INT:
      return "Int";
    case C_VT_TENSOR:
      return "Tensor";
    case C_VT_BYTES:
      return "Bytes";
    case C_VT_DATA_TYPE:
      return "Type";
    case C_VT_LIST_LIST_INT:
      return "ListListInt";
    case C_VT_LIST_LIST_FLOAT:
      return "ListListFloat";
    case C_VT_LIST_STRING:
      return "ListString";
    case C_VT_LIST_FLOAT:
      return "ListFloat";
    case C_VT_LIST_BOOL:
      return "ListBool";
    case C_VT_LIST_INT:
      return "ListInt";
    case C_VT_LIST_TENSOR:
      return "ListTensor";
    case C_VT_LIST_DATA_TYPE:
      return "ListType";
    default:
      return "unknown";
  }
}

Json Default(const GeAttrData &v) {
  Json list = Json::array();
  switch (v.type) {
    case C_VT_INT:
      return v.i;
    case C_VT_BOOL:
      return v.i != 0;
    case C_VT_FLOAT:
      return v.f;
    case C_VT_STRING:
      return v.s ? std::string(v.s, v.count) : "";
    case C_VT_DATA_TYPE:
      return GeDataTypeName(static_cast<int32_t>(v.i));
    case C_VT_LIST_INT:
      for (uint64_t i = 0; i < v.count; ++i) list.push_back(static_cast<const int64_t *>(v.list)[i]);
      return list;
    case C_VT_LIST_FLOAT:
      for (uint64_t i = 0; i < v.count; ++i) list.push_back(static_cast<const float *>(v.list)[i]);
      return list;
    case C_VT_LIST_BOOL:
      for (uint64_t i = 0; i < v.count; ++i) list.push_back(static_cast<const uint8_t *>(v.list)[i] != 0);
      return list;
    case C_VT_LIST_DATA_TYPE:
      for (uint64_t i = 0; i < v.count; ++i) list.push_back(GeDataTypeName(static_cast<const int32_t *>(v.list)[i]));
      return list;
    case C_VT_LIST_STRING:
      for (uint64_t i = 0; i < v.count; ++i) list.push_back(static_cast<const char *const *>(v.list)[i]);
      return list;
    case C_VT_LIST_LIST_INT:
      for (uint64_t i = 0; i < v.count; ++i) {
        const int64_t *row = static_cast<const int64_t *const *>(v.list)[i];
        list.push_back(std::vector<int64_t>(row, row + v.inner_counts[i]));
      }
      return list;
    default:
      return nullptr;
  }
}

const char *KindText(int32_t kind) {
  return kind == GE_IR_OPTIONAL ? "optional" : kind == GE_IR_DYNAMIC ? "dynamic" : "required";
}

/// The first type that a list such as "DT_FLOAT16, DT_INT8" or a symbol of the operator names; float where it names
/// none.
int32_t FirstType(const GeOpSchema &s, const GeIrPort &port) {
  std::string text = port.data_types ? port.data_types : "";
  for (size_t i = 0; i < s.symbol_count; ++i)
    if (text == s.symbols[i].name && s.symbols[i].range) text = s.symbols[i].range;
  size_t at = text.find("DT_");
  if (at == std::string::npos) return C_DT_FLOAT;
  std::string name = text.substr(at, text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at) - at);
  for (int32_t type = 0; type < C_DT_MAX; ++type)
    if (name == GeDataTypeName(type)) return type;
  return C_DT_FLOAT;
}

// An operator with unknown shapes: of float tensors, or of the first type that each port declares; every input there
// but the optional ones, dynamic ones once, attributes at their defaults. With `lists` those that have no default are
// four ones: strides, pads and sizes of windows of images.
class Sample {
 public:
  Sample(const GeOpSchema &s, bool declared, bool lists = false) {
    static const int64_t kUnknown = GE_UNKNOWN_DIM;
    GeTensorData tensor{};
    tensor.data_type = C_DT_FLOAT;
    tensor.format = tensor.origin_format = C_FORMAT_ND;
    tensor.rank = tensor.origin_rank = GE_UNKNOWN_RANK;
    tensor.dims = tensor.origin_dims = &kUnknown;
    inputs_.assign(s.input_count, tensor);
    outputs_.assign(s.output_count, tensor);
    for (size_t i = 0; i < s.input_count; ++i) {
      if (s.inputs[i].kind == GE_IR_OPTIONAL) inputs_[i].data_type = C_DT_UNDEFINED;
      else if (declared) inputs_[i].data_type = FirstType(s, s.inputs[i]);
    }
    for (size_t i = 0; declared && i < s.output_count; ++i) outputs_[i].data_type = FirstType(s, s.outputs[i]);
    counts_in_.assign(s.input_count, 1);
    counts_out_.assign(s.output_count, 1);
    static const int64_t kOnes[] = {1, 1, 1, 1};
    for (size_t i = 0; i < s.attr_count; ++i) {
      attrs_.push_back(s.attrs[i].value);
      if (!lists || !s.attrs[i].required || attrs_.back().type != C_VT_LIST_INT) continue;
      attrs_.back().list = kOnes;
      attrs_.back().count = 4;
    }
    std::sort(attrs_.begin(), attrs_.end(),
              [](const GeAttrData &a, const GeAttrData &b) { return std::strcmp(a.name, b.name) < 0; });
    desc_.struct_size = sizeof desc_;
    desc_.type = s.type;
    desc_.name = s.type;
    desc_.inputs = inputs_.data();
    desc_.input_count = inputs_.size();
    desc_.outputs = outputs_.data();
    desc_.output_count = outputs_.size();
    desc_.attrs = attrs_.data();
    desc_.attr_count = attrs_.size();
    desc_.ir_input_counts = counts_in_.data();
    desc_.ir_input_total = counts_in_.size();
    desc_.ir_output_counts = counts_out_.data();
    desc_.ir_output_total = counts_out_.size();
  }
  const GeOpDesc *get() const { return &desc_; }

 private:
  std::vector<GeTensorData> inputs_, outputs_;
  std::vector<GeAttrData> attrs_;
  std::vector<int32_t> counts_in_, counts_out_;
  GeOpDesc desc_{};
};

/// The executor of an operator that no engine is asked about; "" for the others.
const char *WithoutEngine(const GeOpSchema &s) {
  static const char *const kGraph[] = {"Data",  "RefData",  "AippData",  "AnnData", "AnyData",
                                       "Const", "Constant", "NetOutput", "NoOp"};
  static const char *const kRuntime[] = {"If",
                                         "StatelessIf",
                                         "Case",
                                         "StatelessCase",
                                         "While",
                                         "StatelessWhile",
                                         "For",
                                         "PartitionedCall",
                                         "StatefulPartitionedCall"};
  for (const char *type : kGraph)
    if (!std::strcmp(type, s.type)) return "graph";
  for (const char *type : kRuntime)
    if (!std::strcmp(type, s.type)) return "runtime";
  return "";
}

}  // namespace

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (size_t i = 0; i < GeEngineCount(); ++i) {
    GeEngineInfo info{};
    info.struct_size = sizeof info;
    if (GeEngineAt(i, &info) == GE_SUCCESS && !*info.error) names.push_back(info.name);
  }
  return names;
}

std::vector<std::string> Families() {
  std::set<std::string> families;
  for (size_t i = 0; i < GeOpCount(); ++i)
    if (const GeOpSchema *schema = GeOpAt(i); schema && schema->family) families.insert(schema->family);
  return {families.begin(), families.end()};
}

Json OperatorFacts(const GeOpSchema &s, const std::vector<std::string> &engines) {
  Json row;
  row["type"] = s.type;
  row["family"] = s.family ? s.family : "";
  row["brief"] = s.brief ? s.brief : "";
  row["inputs"] = row["outputs"] = row["attrs"] = row["graphs"] = Json::array();
  for (size_t i = 0; i < s.input_count; ++i)
    row["inputs"].push_back({{"name", s.inputs[i].name},
                             {"kind", KindText(s.inputs[i].kind)},
                             {"types", s.inputs[i].data_types ? s.inputs[i].data_types : ""}});
  for (size_t i = 0; i < s.output_count; ++i)
    row["outputs"].push_back({{"name", s.outputs[i].name},
                              {"kind", KindText(s.outputs[i].kind)},
                              {"types", s.outputs[i].data_types ? s.outputs[i].data_types : ""}});
  for (size_t i = 0; i < s.attr_count; ++i) {
    Json attr = {{"name", s.attrs[i].value.name},
                 {"type", AttrType(s.attrs[i].value.type)},
                 {"required", s.attrs[i].required != 0}};
    if (!s.attrs[i].required) attr["default"] = Default(s.attrs[i].value);
    row["attrs"].push_back(attr);
  }
  for (size_t i = 0; i < s.graph_count; ++i)
    row["graphs"].push_back({{"name", s.graphs[i].name}, {"kind", KindText(s.graphs[i].kind)}});
  row["engines"] = Json::array();
  // Control flow is the runtime's own work; inputs, constants and outputs are parts of the graph that nothing runs.
  row["without_engine"] = WithoutEngine(s);
  row["refusals"] = Json::object();
  Sample floats(s, false), declared(s, true), images(s, false, true);
  for (const std::string &engine : engines) {
    if (GeEngineCheck(engine.c_str(), floats.get()) == GE_SUCCESS) {
      row["engines"].push_back(engine);
      continue;
    }
    // Of two reasons the one for float tensors tells more than the one for some type that the operator has as well.
    const std::string reason = GeLastErrorMessage();
    if (GeEngineCheck(engine.c_str(), declared.get()) == GE_SUCCESS ||
        GeEngineCheck(engine.c_str(), images.get()) == GE_SUCCESS)
      row["engines"].push_back(engine);
    else row["refusals"][engine] = reason;
  }
  return row;
}

}  // namespace tool
