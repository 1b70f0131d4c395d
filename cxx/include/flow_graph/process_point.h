// Process points: what the nodes of a data-flow graph do. Copies are handles to one point.
#ifndef INC_EXTERNAL_FLOW_GRAPH_PROCESS_POINT_H_
#define INC_EXTERNAL_FLOW_GRAPH_PROCESS_POINT_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/graph.h"
#include "graph/types.h"

namespace ge {
namespace dflow {

class FlowGraph;
using GraphBuilder = std::function<ge::Graph()>;
using FlowGraphBuilder = std::function<FlowGraph()>;

enum class ProcessPointType { FUNCTION = 0, GRAPH = 1, INNER = 2, FLOW_GRAPH = 3, INVALID = 4 };

namespace detail {

/// Pieces of JSON.
class FlowJson {
 public:
  static std::string Text(const std::string &text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) {
        out += c;
        continue;
      }
      char escaped[8];
      (void)std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
      out += escaped;
    }
    return out + "\"";
  }
  static std::string Value(const AscendString &v) { return Text(std::string(v.GetString(), v.GetLength())); }
  static std::string Value(int64_t v) { return std::to_string(v); }
  static std::string Value(bool v) { return v ? "true" : "false"; }
  static std::string Value(DataType v) { return std::to_string(static_cast<int32_t>(v)); }
  /// Enough digits to read the same number back; infinities and NaN are texts, for JSON has no numbers for them.
  static std::string Value(float v) {
    char text[32];
    (void)std::snprintf(text, sizeof text, "%.9g", static_cast<double>(v));
    return v - v == 0 ? text : "\"" + std::string(text) + "\"";
  }
  template <class T>
  static std::string Value(const std::vector<T> &values) {
    std::vector<std::string> parts;
    for (const auto &value : values) parts.push_back(Value(static_cast<const T &>(value)));
    return List(parts);
  }
  static std::string List(const std::vector<std::string> &parts) {
    std::string out = "[";
    for (const std::string &part : parts) out += (out.size() == 1 ? "" : ",") + part;
    return out + "]";
  }
};

struct ProcessPointImpl {
  struct Param {
    std::string name, type, value;  // value as JSON
  };
  struct Closure {
    std::string key;
    std::shared_ptr<ProcessPointImpl> point;
  };
  std::string name, compile_config;
  ProcessPointType type = ProcessPointType::INVALID;
  GraphBuilder graph_builder;
  FlowGraphBuilder flow_graph_builder;
  std::vector<Param> params;
  std::vector<Closure> closures;

  std::string ToJson() const {
    static const char *const kTypes[] = {"FUNCTION", "GRAPH", "INNER", "FLOW_GRAPH", "INVALID"};
    const auto index = static_cast<size_t>(type);
    std::string out = "{\"name\":" + FlowJson::Text(name) + ",\"type\":\"" + kTypes[index < 4 ? index : 4] + "\"";
    if (!compile_config.empty()) out += ",\"compile_config\":" + FlowJson::Text(compile_config);
    std::vector<std::string> parts;
    for (const Param &param : params)
      parts.push_back("{\"name\":" + FlowJson::Text(param.name) + ",\"type\":\"" + param.type +
                      "\",\"value\":" + param.value + "}");
    if (!parts.empty()) out += ",\"init_params\":" + FlowJson::List(parts);
    parts.clear();
    for (const Closure &closure : closures)
      parts.push_back("{\"key\":" + FlowJson::Text(closure.key) + ",\"point\":" + closure.point->ToJson() + "}");
    if (!parts.empty()) out += ",\"invoked_closures\":" + FlowJson::List(parts);
    return out + "}";
  }
};

/// A call that cannot do what it says: the log and the last error have the reason, nothing changes.
inline void RefuseFlow(const std::string &text) {
  (void)GeSetLastError(GE_PARAM_INVALID, text.c_str());
  GeLogMessage(GE_LOG_ERROR, text.c_str());
}

}  // namespace detail

class ProcessPoint {
 public:
  ProcessPoint(const char_t *pp_name, ProcessPointType pp_type) : impl_(std::make_shared<detail::ProcessPointImpl>()) {
    impl_->name = pp_name != nullptr ? pp_name : "";
    impl_->type = pp_type;
  }
  virtual ~ProcessPoint() = default;
  ProcessPoint(const ProcessPoint &) = default;
  ProcessPoint &operator=(const ProcessPoint &) = default;

  ProcessPointType GetProcessPointType() const { return impl_->type; }
  /// The text lives as long as the point.
  const char_t *GetProcessPointName() const { return impl_->name.c_str(); }
  /// The path of the JSON file; "" where none was set.
  const char_t *GetCompileConfig() const { return impl_->compile_config.c_str(); }
  /// Name, kind, compile config, parameters and invoked closures as JSON.
  virtual void Serialize(ge::AscendString &str) const { str = AscendString(impl_->ToJson().c_str()); }

  const std::shared_ptr<detail::ProcessPointImpl> &impl() const { return impl_; }

 protected:
  void SetConfig(const char_t *path) { impl_->compile_config = path != nullptr ? path : ""; }
  std::shared_ptr<detail::ProcessPointImpl> impl_;
};

/// Runs a graph. The builder is called when the node's flow graph gets its inputs.
class GraphPp : public ProcessPoint {
 public:
  GraphPp(const char_t *pp_name, const GraphBuilder &builder) : ProcessPoint(pp_name, ProcessPointType::GRAPH) {
    impl_->graph_builder = builder;
    if (!builder) detail::RefuseFlow("GraphPp '" + impl_->name + "': the function that builds its graph is empty");
  }
  GraphPp &SetCompileConfig(const char_t *json_file_path) {
    SetConfig(json_file_path);
    return *this;
  }
  GraphBuilder GetGraphBuilder() const { return impl_->graph_builder; }
};

/// Runs a data-flow graph of its own.
class FlowGraphPp : public ProcessPoint {
 public:
  FlowGraphPp(const char_t *pp_name, const FlowGraphBuilder &builder)
      : ProcessPoint(pp_name, ProcessPointType::FLOW_GRAPH) {
    impl_->flow_graph_builder = builder;
    if (!builder) detail::RefuseFlow("FlowGraphPp '" + impl_->name + "': the function that builds its graph is empty");
  }
  FlowGraphPp &SetCompileConfig(const char_t *json_file_path) {
    SetConfig(json_file_path);
    return *this;
  }
  FlowGraphBuilder GetGraphBuilder() const { return impl_->flow_graph_builder; }
};

/// Runs a function of the user's, with parameters for its start and graphs that it may call.
class FunctionPp : public ProcessPoint {
 public:
  explicit FunctionPp(const char_t *pp_name)
      : ProcessPoint(pp_name, ProcessPointType::FUNCTION),
        graphs_(std::make_shared<std::map<const std::string, const GraphPp>>()) {}

  FunctionPp &SetCompileConfig(const char_t *json_file_path) {
    SetConfig(json_file_path);
    return *this;
  }

  /// The last value of a name counts.
  FunctionPp &SetInitParam(const char_t *name, const ge::AscendString &v) { return Param(name, "VT_STRING", v); }
  FunctionPp &SetInitParam(const char_t *name, const char_t *v) { return Param(name, "VT_STRING", AscendString(v)); }
  FunctionPp &SetInitParam(const char_t *name, const std::vector<ge::AscendString> &v) {
    return Param(name, "VT_LIST_STRING", v);
  }
  FunctionPp &SetInitParam(const char_t *name, const int64_t &v) { return Param(name, "VT_INT", v); }
  FunctionPp &SetInitParam(const char_t *name, const std::vector<int64_t> &v) { return Param(name, "VT_LIST_INT", v); }
  FunctionPp &SetInitParam(const char_t *name, const std::vector<std::vector<int64_t>> &v) {
    return Param(name, "VT_LIST_LIST_INT", v);
  }
  FunctionPp &SetInitParam(const char_t *name, const float &v) { return Param(name, "VT_FLOAT", v); }
  FunctionPp &SetInitParam(const char_t *name, const std::vector<float> &v) { return Param(name, "VT_LIST_FLOAT", v); }
  FunctionPp &SetInitParam(const char_t *name, const bool &v) { return Param(name, "VT_BOOL", v); }
  FunctionPp &SetInitParam(const char_t *name, const std::vector<bool> &v) { return Param(name, "VT_LIST_BOOL", v); }
  FunctionPp &SetInitParam(const char_t *name, const ge::DataType &v) { return Param(name, "VT_DATA_TYPE", v); }
  FunctionPp &SetInitParam(const char_t *name, const std::vector<ge::DataType> &v) {
    return Param(name, "VT_LIST_DATA_TYPE", v);
  }

  /// The function may call the point under the name; a name that is taken is refused.
  FunctionPp &AddInvokedClosure(const char_t *name, const GraphPp &graph_pp) {
    if (Add(name, graph_pp)) graphs_->emplace(name, graph_pp);
    return *this;
  }
  FunctionPp &AddInvokedClosure(const char_t *name, const FlowGraphPp &graph_pp) {
    (void)Add(name, graph_pp);
    return *this;
  }
  FunctionPp &AddInvokedClosure(const char_t *name, const ProcessPoint &pp) {
    if (const auto *graph = dynamic_cast<const GraphPp *>(&pp)) return AddInvokedClosure(name, *graph);
    (void)Add(name, pp);
    return *this;
  }
  /// The graphs among them; Serialize tells all.
  const std::map<const std::string, const GraphPp> &GetInvokedClosures() const { return *graphs_; }

 private:
  template <class T>
  FunctionPp &Param(const char_t *name, const char_t *type, const T &value) {
    if (name == nullptr) {
      detail::RefuseFlow("FunctionPp '" + impl_->name + "': a parameter has no name");
      return *this;
    }
    detail::ProcessPointImpl::Param param{name, type, detail::FlowJson::Value(value)};
    for (auto &known : impl_->params) {
      if (known.name != param.name) continue;
      known = param;
      return *this;
    }
    impl_->params.push_back(param);
    return *this;
  }
  bool Add(const char_t *name, const ProcessPoint &point) {
    const std::string key = name != nullptr ? name : "";
    std::string why;
    if (key.empty()) why = "it has no name to be called by";
    for (const auto &closure : impl_->closures)
      if (closure.key == key) why = "there is one of this name already";
    if (Reaches(*point.impl(), impl_.get())) why = "it would call itself";
    if (why.empty()) {
      impl_->closures.push_back({key, point.impl()});
      return true;
    }
    detail::RefuseFlow("FunctionPp '" + impl_->name + "': closure '" + key + "': " + why);
    return false;
  }
  static bool Reaches(const detail::ProcessPointImpl &from, const detail::ProcessPointImpl *to) {
    if (&from == to) return true;
    for (const auto &closure : from.closures)
      if (Reaches(*closure.point, to)) return true;
    return false;
  }
  std::shared_ptr<std::map<const std::string, const GraphPp>> graphs_;  // shared by copies, as impl_
};

}  // namespace dflow
}  // namespace ge

#endif
