#include "runtime/flow/point.h"

#include <nlohmann/json.hpp>

#include "core/ir/types.h"
#include "runtime/flow/json_number.h"

namespace gec {
namespace {

using Json = nlohmann::json;

[[noreturn]] void Bad(const Node &node, const std::string &what) {
  Fail(GE_GRAPH_INVALID, node.Label(), ": _dflow_process_points: ", what);
}

// Infinities and NaN are texts, for JSON has no numbers for them.
float JsonFloat(const Json &value) {
  return value.is_string() ? std::strtof(value.get<std::string>().c_str(), nullptr) : value.get<float>();
}

template <class T, class Read>
std::vector<T> ListOf(const Json &values, Read &&read) {
  std::vector<T> list;
  for (const Json &value : values) list.push_back(read(value));
  return list;
}

AttrValue ParamOf(const std::string &type, const Json &value) {
  auto integer = [](const Json &v) { return WholeNumber<int64_t>(v, "a number", GE_GRAPH_INVALID); };
  auto data_type = [](const Json &v) {
    return DataTypeValue{WholeNumber<int32_t>(v, "a data type", GE_GRAPH_INVALID)};
  };
  auto text = [](const Json &v) { return v.get<std::string>(); };
  if (type == "VT_STRING") return text(value);
  if (type == "VT_LIST_STRING") return ListOf<std::string>(value, text);
  if (type == "VT_INT") return integer(value);
  if (type == "VT_LIST_INT") return ListOf<int64_t>(value, integer);
  if (type == "VT_LIST_LIST_INT")
    return ListOf<std::vector<int64_t>>(value, [&](const Json &row) { return ListOf<int64_t>(row, integer); });
  if (type == "VT_FLOAT") return JsonFloat(value);
  if (type == "VT_LIST_FLOAT") return ListOf<float>(value, JsonFloat);
  if (type == "VT_BOOL") return value.get<bool>();
  if (type == "VT_LIST_BOOL")
    return ListOf<uint8_t>(value, [](const Json &v) { return static_cast<uint8_t>(v.get<bool>() ? 1 : 0); });
  if (type == "VT_DATA_TYPE") return data_type(value);
  if (type == "VT_LIST_DATA_TYPE") return ListOf<DataTypeValue>(value, data_type);
  Fail(GE_GRAPH_INVALID, "a parameter has type ", type);
}

FlowPoint::Kind KindOf(const std::string &type) {
  if (type == "FUNCTION") return FlowPoint::kFunction;
  if (type == "GRAPH") return FlowPoint::kGraph;
  if (type == "FLOW_GRAPH") return FlowPoint::kFlowGraph;
  Fail(GE_GRAPH_INVALID, "a process point has type ", type, ", FUNCTION, GRAPH and FLOW_GRAPH can run");
}

FlowPoint PointOf(const Json &json) {
  const Json &said = json.at("point");
  FlowPoint point;
  point.name = said.at("name");
  point.kind = KindOf(said.at("type"));
  point.config = said.value("compile_config", "");
  for (const Json &param : said.value("init_params", Json::array()))
    point.params.emplace(param.at("name"), ParamOf(param.at("type"), param.at("value")));
  for (const Json &closure : said.value("invoked_closures", Json::array())) {
    const Json &called = closure.at("point");
    point.closures.push_back({closure.at("key"), called.value("compile_config", ""), KindOf(called.at("type"))});
  }
  const auto ports = [](const Json &pair) {
    return std::make_pair(WholeNumber<uint32_t>(pair.at(0), "a port of the node", GE_GRAPH_INVALID),
                          WholeNumber<uint32_t>(pair.at(1), "a port of the point", GE_GRAPH_INVALID));
  };
  for (const Json &pair : json.at("inputs")) point.inputs.push_back(ports(pair));
  for (const Json &pair : json.at("outputs")) point.outputs.push_back(ports(pair));
  for (const Json &graph : json.at("subgraphs")) point.subgraphs.emplace_back(graph.at("key"), graph.at("subgraph"));
  return point;
}

}  // namespace

std::vector<FlowPoint> FlowPointsOf(const Node &node) {
  static const Symbol name("_dflow_process_points");
  const AttrValue *value = node.attr(name);
  const auto *texts = value != nullptr ? value->get_if<AttrValue::ListString>() : nullptr;
  if (texts == nullptr || texts->empty()) Bad(node, "it has no process points");
  std::vector<FlowPoint> points;
  for (const std::string &text : *texts) {
    try {
      points.push_back(PointOf(Json::parse(text)));
    } catch (const Json::exception &error) {
      Bad(node, Str("entry ", points.size(), ": ", error.what()));
    } catch (const Error &error) {
      Bad(node, Str("entry ", points.size(), ": ", error.what()));
    }
  }
  return points;
}

FlowBatchSpec FlowBatchOf(const Node &node, size_t input) {
  FlowBatchSpec spec;
  const TensorDesc *desc = node.explicit_input_desc(input);
  if (desc == nullptr || desc->attrs == nullptr) return spec;
  const AttrMap &attrs = *desc->attrs;
  auto read = [&](const std::string &prefix) {
    auto number = [&](const char *name, int64_t fallback) { return attrs.Int(Symbol(prefix + name), fallback); };
    spec.timeout = number("timeout", 0);
    spec.dim = number("batch_dim", -1);
    spec.padding = number("padding", 0) != 0;
    spec.drop_remainder = number("drop_remainder", 0) != 0;
    spec.size = number("batch_size", 0);
    spec.stride = number("slide_stride", 0);
    spec.window = number("time_window", 0);
    const int64_t interval = number("time_interval", 0);
    if (interval != 0 && interval != spec.window)
      Fail(GE_UNSUPPORTED, "time_interval is ", interval, " ms, only windows that follow one another (0 or ",
           spec.window, ") are done");
  };
  try {
    if (attrs.Has("_dflow_count_batch_batch_size")) {
      spec.kind = FlowBatchSpec::kCount;
      read("_dflow_count_batch_");
    } else if (attrs.Has("_dflow_time_batch_time_window")) {
      spec.kind = FlowBatchSpec::kTime;
      read("_dflow_time_batch_");
    }
    spec.Check();
  } catch (const Error &error) {
    Fail(error.code(), node.Label(), ", input ", input, ": ", error.what());
  }
  return spec;
}

}  // namespace gec
