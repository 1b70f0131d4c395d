// Subgraphs of an operator that a front-end plug-in translates.
#pragma once

#include <string>
#include <vector>

#include "parsers/onnx/node_context.h"
#include "parsers/plugin.h"

namespace gec::onnx {

/// Graph attributes of the model's node become subgraphs where the operator has one of that name. Input k of a body is
/// fed by instance k of the operator's dynamic input, unless the plug-in says otherwise; values that a body reads from
/// outside become further instances.
class PluginBodies {
 public:
  PluginBodies(NodeContext &c, const ParserPlugin &plugin, const Node &made) : c_(c), plugin_(plugin), made_(made) {}
  /// Appends the values that bodies read from outside.
  void Import(std::vector<Endpoint> &inputs);
  size_t captured() const { return captured_.size(); }
  void Attach(Node &node);

 private:
  struct Body {
    Symbol ir_name;
    GraphPtr graph;
  };
  GraphPtr ImportOne(Symbol ir_name, Onnx__GraphProto *proto, size_t first, std::vector<Endpoint> &inputs);
  void Finish(const std::string &name, Graph &graph, int64_t first);

  NodeContext &c_;
  const ParserPlugin &plugin_;
  const Node &made_;
  std::vector<Body> bodies_;
  std::vector<std::pair<Endpoint, int64_t>> captured_;  // name, argument number
};

}  // namespace gec::onnx
