// A plug-in's C++ functions behind the C interface: what goes in and out is plain data, so nothing depends on the kind
// of std::string of who imports.
#ifndef INC_REGISTER_DETAIL_PLUGIN_BRIDGE_H_
#define INC_REGISTER_DETAIL_PLUGIN_BRIDGE_H_

#include <cstdio>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ge/op.h"
#include "ge/parser_plugin.h"
#include "ge/scope_fusion.h"
#include "register/register_base.h"

namespace domi {

/// The data that OpRegistrationData collects.
class OpRegistrationDataImpl {
 public:
  struct Edit {
    int32_t kind;
    int32_t index;
    std::string name;
    bool value;
    std::vector<int32_t> order;
  };
  std::string om_optype;
  domi::FrameworkType framework = FRAMEWORK_RESERVED;
  std::set<std::string> origin_types;
  domi::ImplyType imply_type = domi::ImplyType::BUILDIN;
  std::vector<Edit> edits;
  ParseParamFunc parse;
  ParseParamByOpFunc parse_by_op;
  FusionParseParamFunc fusion;
  FusionParseParamByOpFunc fusion_by_op;
  ParseSubgraphFunc subgraph;
  ParseSubgraphFuncV2 subgraph_v2;
  ParseOpToGraphFunc to_graph;
};

namespace detail {

inline void AppendJson(std::string &out, const char *text, size_t size) {
  out += '"';
  for (size_t i = 0; i < size; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      char code[8];
      (void)std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += static_cast<char>(c);
    }
  }
  out += '"';
}

template <class T, class Append>
void AppendList(std::string &out, const char *key, const GeAttrData &attr, Append append) {
  out += std::string(", \"") + key + "\": [";
  const auto *values = static_cast<const T *>(attr.list);
  for (uint64_t i = 0; i < attr.count; ++i) {
    if (i != 0) out += ", ";
    append(values[i]);
  }
  out += ']';
}

/// The attributes as JSON text {"attribute": [{"name": …, "f": …, "type": …}, …]} with the names of ONNX's fields.
/// Floats are texts, so that no digit is lost; tensors are not in it.
inline std::string AttrsJson(const GeFrontNode &node) {
  std::string out = "{\"attribute\": [";
  bool first = true;
  const auto number = [&out](double value) {
    char text[40];
    (void)std::snprintf(text, sizeof text, "\"%.9g\"", value);
    out += text;
  };
  for (size_t i = 0; i < node.attr_count; ++i) {
    const GeAttrData &attr = node.attrs[i];
    const char *type = attr.type == C_VT_INT           ? "INT"
                       : attr.type == C_VT_FLOAT       ? "FLOAT"
                       : attr.type == C_VT_STRING      ? "STRING"
                       : attr.type == C_VT_LIST_INT    ? "INTS"
                       : attr.type == C_VT_LIST_FLOAT  ? "FLOATS"
                       : attr.type == C_VT_LIST_STRING ? "STRINGS"
                                                       : nullptr;
    if (type == nullptr) continue;
    out += first ? "{\"name\": " : ", {\"name\": ";
    first = false;
    AppendJson(out, attr.name, std::char_traits<char>::length(attr.name));
    if (attr.type == C_VT_INT) {
      out += ", \"i\": " + std::to_string(attr.i);
    } else if (attr.type == C_VT_FLOAT) {
      out += ", \"f\": ";
      number(attr.f);
    } else if (attr.type == C_VT_STRING) {
      out += ", \"s\": ";
      AppendJson(out, attr.s, attr.count);
    } else if (attr.type == C_VT_LIST_INT) {
      AppendList<int64_t>(out, "ints", attr, [&out](int64_t value) { out += std::to_string(value); });
    } else if (attr.type == C_VT_LIST_FLOAT) {
      AppendList<float>(out, "floats", attr, number);
    } else {
      AppendList<const char *>(out, "strings", attr, [&out](const char *text) {
        AppendJson(out, text, std::char_traits<char>::length(text));
      });
    }
    out += std::string(", \"type\": \"") + type + "\"}";
  }
  return out + "]}";
}

/// The front end's operator: its type is the key it was registered by, its attributes are the model's, and "attribute"
/// is their JSON text. Inputs are called input0, input1, …, outputs output0, ….
inline ge::Operator SourceOperator(const GeFrontNode &node) {
  ge::Operator op(node.name, node.origin_type);
  op.DynamicInputRegister("input", static_cast<uint32_t>(node.input_count));
  op.DynamicOutputRegister("output", static_cast<uint32_t>(node.output_count));
  op.SetAttr("attribute", ge::AscendString(AttrsJson(node).c_str()));
  for (size_t i = 0; i < node.attr_count; ++i) op.SetAttr(node.attrs[i].name, ge::detail::FromData(node.attrs[i]));
  return op;
}

/// Runs a plug-in's function; no exception passes.
template <class Call>
GeStatus Barrier(const char *what, Call call) noexcept {
  std::string text;
  try {
    return call();
  } catch (const std::bad_alloc &) {
    return GE_OUT_OF_MEMORY;
  } catch (const std::exception &e) {
    return GeSetLastError(GE_FAILED, (std::string(what) + " threw: " + e.what()).c_str());
  } catch (...) {
    return GeSetLastError(GE_FAILED, (std::string(what) + " threw what is no std::exception").c_str());
  }
}

inline GeStatus Answer(const char *what, Status status) {
  if (status == SUCCESS) return GE_SUCCESS;
  const std::string before = GeLastErrorCode() != GE_SUCCESS ? std::string(": ") + GeLastErrorMessage() : "";
  return GeSetLastError(GE_FAILED, (std::string(what) + " returned " + std::to_string(status) + before).c_str());
}

struct PluginBridge {
  static GeStatus Parse(void *user, const GeFrontNode *node, GeGraph *graph, GeNode **made) {
    const OpRegistrationDataImpl &data = **static_cast<std::shared_ptr<OpRegistrationDataImpl> *>(user);
    return Barrier("the function that parses it", [&] {
      ge::Operator op = ge::OperatorFactory::CreateOperator(node->name, data.om_optype.c_str());
      if (op.IsEmpty())
        return GeSetLastError(GE_NOT_FOUND,
                              ("E10501: no operator of type '" + data.om_optype + "' can be made").c_str());
      GeStatus status = GE_SUCCESS;
      if (data.parse_by_op) {
        status = Answer("ParseParamsByOperatorFn's function", data.parse_by_op(SourceOperator(*node), op));
      } else if (data.parse) {
        if (data.framework != domi::ONNX)
          return GeSetLastError(GE_UNSUPPORTED,
                                "ParseParamsFn's function takes a message, which only nodes of ONNX models have here; "
                                "give ParseParamsByOperatorFn one");
        const NodeMessage message(node->message, node->message_size);
        if (message.get() == nullptr)
          return GeSetLastError(GE_UNSUPPORTED,
                                "ParseParamsFn's function takes a message: libge_onnx_proto.so.1 is not there");
        status = Answer("ParseParamsFn's function", data.parse(message.get(), op));
      } else if (data.to_graph) {  // which then reads the model's attributes itself
        op.SetAttr("attribute", ge::AscendString(AttrsJson(*node).c_str()));
        for (size_t i = 0; i < node->attr_count; ++i)
          op.SetAttr(node->attrs[i].name, ge::detail::FromData(node->attrs[i]));
      } else {
        return GeSetLastError(GE_UNSUPPORTED, "neither ParseParamsFn nor ParseParamsByOperatorFn was given a function");
      }
      if (status != GE_SUCCESS) return status;
      *made = ge::detail::AddOperatorNode(graph, op);
      if (*made != nullptr) return GE_SUCCESS;
      return GeLastErrorCode() != GE_SUCCESS ? GeLastErrorCode() : GeSetLastError(GE_FAILED, "the operator is empty");
    });
  }

  static GeStatus ToGraph(void *user, const GeFrontNode *node, GeNode *made, GeGraph **out) {
    const OpRegistrationDataImpl &data = **static_cast<std::shared_ptr<OpRegistrationDataImpl> *>(user);
    return Barrier("ParseOpToGraphFn's function", [&] {
      ge::Graph graph(node->name);
      const GeStatus status =
          Answer("ParseOpToGraphFn's function", data.to_graph(ge::detail::OperatorOfNode(ge::GNode(made)), graph));
      if (status != GE_SUCCESS) return status;
      return graph.handle() != nullptr ? GeGraphRetain(graph.handle(), out)
                                       : GeSetLastError(GE_FAILED, "ParseOpToGraphFn's function left no graph");
    });
  }

  static GeStatus FinishSubgraph(void *user, const char *name, GeGraph *subgraph) {
    const OpRegistrationDataImpl &data = **static_cast<std::shared_ptr<OpRegistrationDataImpl> *>(user);
    return Barrier("the function for its subgraphs", [&] {
      GeGraph *own = nullptr;
      if (GeGraphRetain(subgraph, &own) != GE_SUCCESS) return GeLastErrorCode();
      const ge::Graph graph = ge::Graph::Adopt(own);
      if (data.subgraph_v2) return Answer("ParseSubgraphPostFn's function", data.subgraph_v2(name, graph));
      if (data.subgraph) return Answer("ParseSubgraphPostFn's function", data.subgraph(name, graph));
      const AutoMappingSubgraphIOIndexFunc usual =
          FrameworkRegistry::Instance().GetAutoMappingSubgraphIOIndexFunc(data.framework);
      if (!usual) return GeStatus{GE_SUCCESS};
      // The operator's dynamic input feeds its subgraphs.
      const GeOpSchema *schema = nullptr;
      int32_t first = 0;
      if (GeOpFind(data.om_optype.c_str(), &schema) == GE_SUCCESS)
        while (static_cast<size_t>(first) < schema->input_count && schema->inputs[first].kind != GE_IR_DYNAMIC) ++first;
      const auto input = [first](int32_t index, int32_t &parent) {
        parent = first + index;
        return SUCCESS;
      };
      const auto output = [](int32_t index, int32_t &parent) {
        parent = index;
        return SUCCESS;
      };
      return Answer("the front end's function for subgraphs", usual(graph, input, output));
    });
  }

  static GeStatus Fuse(void *user, const char *name, const GeFrontNode *const *nodes, size_t count, GeGraph *graph,
                       GeNode **made) {
    const OpRegistrationDataImpl &data = **static_cast<std::shared_ptr<OpRegistrationDataImpl> *>(user);
    return Barrier("FusionParseParamsFn's function", [&] {
      if (!data.fusion_by_op)
        return GeSetLastError(GE_UNSUPPORTED,
                              "FusionParseParamsFn's function takes messages, which nodes of TensorFlow graphs do not "
                              "have here; give it one that takes operators");
      ge::Operator op = ge::OperatorFactory::CreateOperator(name, data.om_optype.c_str());
      if (op.IsEmpty())
        return GeSetLastError(GE_NOT_FOUND,
                              ("E10501: no operator of type '" + data.om_optype + "' can be made").c_str());
      std::vector<ge::Operator> sources;
      for (size_t i = 0; i < count; ++i) sources.push_back(SourceOperator(*nodes[i]));
      const GeStatus status = Answer("FusionParseParamsFn's function", data.fusion_by_op(sources, op));
      if (status != GE_SUCCESS) return status;
      *made = ge::detail::AddOperatorNode(graph, op);
      if (*made != nullptr) return GeStatus{GE_SUCCESS};
      return GeLastErrorCode() != GE_SUCCESS ? GeLastErrorCode() : GeSetLastError(GE_FAILED, "the operator is empty");
    });
  }

  static void Destroy(void *user) { delete static_cast<std::shared_ptr<OpRegistrationDataImpl> *>(user); }

  /// 0 when it was refused, which the log tells.
  static uint64_t Register(const std::shared_ptr<OpRegistrationDataImpl> &data) {
    std::vector<const char *> keys;
    for (const std::string &key : data->origin_types) keys.push_back(key.c_str());
    std::vector<GeInputEdit> edits;
    for (const OpRegistrationDataImpl::Edit &edit : data->edits)
      edits.push_back(
          {edit.kind, edit.index, edit.name.c_str(), edit.value ? 1 : 0, 0, edit.order.data(), edit.order.size()});
    GeParserPlugin plugin{};
    plugin.struct_size = sizeof plugin;
    plugin.framework = static_cast<int32_t>(data->framework);
    plugin.type = data->om_optype.c_str();
    plugin.origin_types = keys.data() != nullptr ? keys.data() : &plugin.type;
    plugin.origin_type_count = keys.size();
    plugin.edits = edits.data();
    plugin.edit_count = edits.size();
    plugin.parse = &Parse;
    plugin.to_graph = data->to_graph ? &ToGraph : nullptr;
    plugin.finish_subgraph = &FinishSubgraph;
    plugin.destroy = &Destroy;
    plugin.user = new std::shared_ptr<OpRegistrationDataImpl>(data);
    uint64_t token = 0;
    if (GeParserPluginRegister(&plugin, &token) != GE_SUCCESS) {
      GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
      GeClearLastError();
    }
    return token;
  }

  /// The plug-in that tells the attributes of nodes that scope fusion makes; 0 where there is none.
  static uint64_t RegisterFusion(const std::shared_ptr<OpRegistrationDataImpl> &data) {
    if ((!data->fusion && !data->fusion_by_op) || data->framework != domi::TENSORFLOW || data->origin_types.empty())
      return 0;
    std::vector<const char *> keys;
    for (const std::string &key : data->origin_types) keys.push_back(key.c_str());
    GeFusionParser parser{};
    parser.struct_size = sizeof parser;
    parser.type = data->om_optype.c_str();
    parser.origin_types = keys.data();
    parser.origin_type_count = keys.size();
    parser.parse = &Fuse;
    parser.destroy = &Destroy;
    parser.user = new std::shared_ptr<OpRegistrationDataImpl>(data);
    uint64_t token = 0;
    if (GeFusionParserRegister(&parser, &token) != GE_SUCCESS) {
      GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
      GeClearLastError();
    }
    return token;
  }
};

}  // namespace detail
}  // namespace domi

#endif
