// Variables of a graph become values that flow: what a run starts with is an input, what it leaves is an output.
//
// Afterwards the graph has no state: its order of reads and writes is in its edges, so that every pass may do what it
// does with other graphs, and the memory plan lets a step write a new value straight to where it stays.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Knowledge about a variable from other graphs of the session.
struct KnownVariable {
  TensorDesc desc;
  TensorPtr value;  // null: the graph's own initial value counts
};
/// False when nothing is known.
using VariableLookup = std::function<bool(const std::string &name, KnownVariable *known)>;

/// Replaces variables, resource handles and the nodes that read or change them, in the graph and its subgraphs, and
/// steps of optimisers by what they compute. Reads and writes happen in topological order, nodes that no edge orders in
/// the order they were added; a node that reads an assignment's output reads what that assignment wrote, an output of
/// the graph that is a variable itself reads what the run leaves. A RefData input that the graph changes is treated
/// like a variable. Throws GE_GRAPH_INVALID and GE_UNSUPPORTED.
void LowerVariables(Graph &graph, const VariableLookup &known = {});

/// A hidden input, behind the graph's own: the value of a variable, or (flag) whether it has one that was given.
struct VariableInput {
  Node *node;
  std::string name;
  TensorPtr initial;  // null: zeros
  bool flag;
};
/// A hidden output, behind the graph's own.
struct VariableOutput {
  std::string name;
  std::string writer;  // the node that wrote it last, for messages
  int64_t input;       // not -1: the new content of this input, a RefData
};
struct GraphVariables {
  std::vector<VariableInput> inputs;
  std::vector<VariableOutput> outputs;
};
bool IsVariableInput(const Node &node);
/// The marks that LowerVariables left in a graph; they survive saving and reading.
GraphVariables VariablesOf(const Graph &graph);

}  // namespace gec
