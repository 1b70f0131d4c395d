// The names that are known while one graph or one function is imported.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"
#include "parsers/tensorflow/graph_def.h"

namespace gec::tensorflow {

/// The result of importing one node.
struct Imported {
  std::vector<Endpoint> outputs;  // empty ones have no counterpart
  Node *main = nullptr;           // carries the node's name; null when the node left none behind
  bool wanted = false, done = false;
  bool poisoned = false;  // could not be imported, or rests on one that could not
};

struct Scope {
  Graph *graph = nullptr;
  const std::vector<NodeDef> *nodes = nullptr;
  const FunctionDef *function = nullptr;             // null: the graph itself
  const Scope *caller = nullptr;                     // of the function
  std::unordered_map<std::string_view, Span> attrs;  // of the call
  std::unordered_map<std::string_view, std::vector<Endpoint>> args;
  std::string prefix;  // of node names
  size_t depth = 0;

  std::unordered_map<std::string_view, size_t> by_name;
  std::vector<Imported> values;  // by index into nodes
};

/// "^node", "node:2", in a function also "node:output:2" or the name of an argument.
struct Reference {
  bool control = false;
  std::string_view node, output;
  int64_t index = 0;
};
/// Throws NodeProblem (node_context.h) for a text that is none.
Reference ParseReference(std::string_view text);

}  // namespace gec::tensorflow
