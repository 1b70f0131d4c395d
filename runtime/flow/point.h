// A FlowNode's description of its process points, and the files that they name.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/attr.h"
#include "core/ir/graph.h"
#include "runtime/flow/matcher.h"
#include "runtime/options.h"

namespace gec {

struct FlowPoint {
  enum Kind { kFunction, kGraph, kFlowGraph } kind = kFunction;
  std::string name, config;                 // config: path of its file, or ""
  std::map<std::string, AttrValue> params;  // for functions
  struct Closure {
    std::string key, config;
    Kind kind;
  };
  std::vector<Closure> closures;                               // what a function calls
  std::vector<std::pair<uint32_t, uint32_t>> inputs, outputs;  // port of the node, port of the point; none: the same
  std::vector<std::pair<std::string, std::string>> subgraphs;  // key of the closure ("": its own), name at the node
};

/// Of a FlowNode; throws GE_GRAPH_INVALID.
std::vector<FlowPoint> FlowPointsOf(const Node &node);
FlowBatchSpec FlowBatchOf(const Node &node, size_t input);

struct FlowConfig {
  struct Function {
    std::string name;
    std::vector<uint32_t> inputs, outputs;  // ports of the point; none: all
    bool streams = false;
  };
  std::vector<Function> functions;
  int64_t input_num = -1, output_num = -1;  // -1: not said
  std::string library;                      // "": functions of the program
  // of graphs
  std::vector<TensorDesc> inputs;
  Options options;
};

/// Reads the file of a process point and builds the library it asks for. Paths in it are relative to its folder.
/// Throws GE_PATH_INVALID with file and reason.
FlowConfig ReadFlowConfig(const std::string &path);

}  // namespace gec
