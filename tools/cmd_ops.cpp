// ge ops: the registered operators, their signatures, and which engines take them.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "ge/engine.h"
#include "ge/op.h"
#include "native.h"
#include "table.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;

struct OpsArgs {
  std::vector<std::string> types;
  std::string family;
  bool json = false;
};

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
// but the optional ones, dynamic ones once, attributes at their defaults.
class Sample {
 public:
  Sample(const GeOpSchema &s, bool declared) {
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
    for (size_t i = 0; i < s.attr_count; ++i) attrs_.push_back(s.attrs[i].value);
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

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (size_t i = 0; i < GeEngineCount(); ++i) {
    GeEngineInfo info{};
    info.struct_size = sizeof info;
    if (GeEngineAt(i, &info) == GE_SUCCESS && !*info.error) names.push_back(info.name);
  }
  return names;
}

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

std::vector<std::string> Families() {
  std::set<std::string> families;
  for (size_t i = 0; i < GeOpCount(); ++i)
    if (const GeOpSchema *schema = GeOpAt(i); schema && schema->family) families.insert(schema->family);
  return {families.begin(), families.end()};
}

Json Row(const GeOpSchema &s, const std::vector<std::string> &engines) {
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
  Sample floats(s, false), declared(s, true);
  for (const std::string &engine : engines) {
    if (GeEngineCheck(engine.c_str(), floats.get()) == GE_SUCCESS ||
        GeEngineCheck(engine.c_str(), declared.get()) == GE_SUCCESS)
      row["engines"].push_back(engine);
    else row["refusals"][engine] = GeLastErrorMessage();
  }
  return row;
}

std::string PortsText(const Json &ports) {
  std::string text;
  for (const Json &p : ports) {
    const std::string kind = p["kind"];
    text += (text.empty() ? "" : ", ") + p["name"].get<std::string>() +
            (kind == "optional"  ? "?"
             : kind == "dynamic" ? "*"
                                 : "");
  }
  return text;
}

std::string AttrsText(const Json &attrs) {
  std::string text;
  for (const Json &a : attrs)
    text += (text.empty() ? "" : ", ") + a["name"].get<std::string>() +
            (a.contains("default") && !a["default"].is_null() ? "=" + a["default"].dump() : "");
  return text;
}

void Detail(const Json &row) {
  std::printf("%s (%s)\n", row["type"].get<std::string>().c_str(), row["family"].get<std::string>().c_str());
  if (row["brief"] != "") std::printf("  %s\n", row["brief"].get<std::string>().c_str());
  for (const char *part : {"inputs", "outputs"})
    for (const Json &p : row[part])
      std::printf("  %-7s %s (%s): %s\n", part == std::string("inputs") ? "input" : "output",
                  p["name"].get<std::string>().c_str(), p["kind"].get<std::string>().c_str(),
                  p["types"].get<std::string>().c_str());
  for (const Json &a : row["attrs"])
    std::printf("  attr    %s: %s%s\n", a["name"].get<std::string>().c_str(), a["type"].get<std::string>().c_str(),
                a["required"].get<bool>() ? ", required" : (" = " + a["default"].dump()).c_str());
  for (const Json &g : row["graphs"])
    std::printf("  graph   %s (%s)\n", g["name"].get<std::string>().c_str(), g["kind"].get<std::string>().c_str());
  for (const Json &e : row["engines"]) std::printf("  runs on %s\n", e.get<std::string>().c_str());
  const std::string without = row["without_engine"];
  if (without == "runtime") std::printf("  runs in the runtime itself\n");
  if (without == "graph") std::printf("  part of the graph, nothing to run\n");
  for (const auto &[engine, reason] : row["refusals"].items())
    if (without.empty()) std::printf("  not on  %s: %s\n", engine.c_str(), reason.get<std::string>().c_str());
}

void Ops(const OpsArgs &args) {
  std::vector<std::string> engines = EngineNames();
  if (!args.family.empty()) {
    const std::vector<std::string> families = Families();
    if (std::find(families.begin(), families.end(), args.family) == families.end()) {
      std::string names;
      for (const std::string &family : families) names += (names.empty() ? "" : ", ") + family;
      throw Usage("there is no family '" + args.family + "'; the families are " + names);
    }
  }
  Json rows = Json::array();
  for (const std::string &type : args.types) {
    const GeOpSchema *schema = nullptr;
    Check(GeOpFind(type.c_str(), &schema));
    rows.push_back(Row(*schema, engines));
  }
  for (size_t i = 0; args.types.empty() && i < GeOpCount(); ++i) {
    const GeOpSchema *schema = GeOpAt(i);
    if (!schema || (!args.family.empty() && args.family != (schema->family ? schema->family : ""))) continue;
    rows.push_back(Row(*schema, engines));
  }
  if (args.json) {
    std::printf("%s\n", rows.dump(2).c_str());
    return;
  }
  if (!args.types.empty()) {
    for (const Json &row : rows) Detail(row);
    return;
  }
  Table table({"operator", "family", "inputs", "outputs", "attributes", "engines"});
  for (const Json &row : rows) {
    std::string on;
    for (const Json &e : row["engines"]) on += (on.empty() ? "" : ", ") + e.get<std::string>();
    if (on.empty()) on = row["without_engine"].get<std::string>();
    table.Add(
        {row["type"], row["family"], PortsText(row["inputs"]), PortsText(row["outputs"]), AttrsText(row["attrs"]), on});
  }
  std::printf("%s%zu operators; name? is optional, name* takes any number\n", table.Text().c_str(), rows.size());
}

}  // namespace

void AddOps(CLI::App *app) {
  auto args = std::make_shared<OpsArgs>();
  app->add_option("type", args->types, "only these operators, in detail");
  app->add_option("--family", args->family, "only operators of this family");
  app->add_flag("--json", args->json, "machine-readable output");
  app->callback([args] { Ops(*args); });
}

}  // namespace tool
