// Bodies of nodes: imported in place, once or once a round, or as the body of a While.
#pragma once

#include <string>
#include <vector>

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

/// A graph of its own for a body.
struct Body {
  GraphPtr graph;
  Scope scope;
  std::vector<Endpoint> outputs;
};
void OpenBody(NodeContext &c, Body &b, const std::string &name);
Endpoint AddInput(Body &b, const std::string &name, int64_t index, const TensorDesc &desc);
/// Gives the graph its outputs.
void CloseBody(NodeContext &c, Body &b);
/// Facts of the results follow from the subgraphs; refused where they contradict.
void InferDeclared(NodeContext &c, Node *node);

/// The body's nodes among those of the graph at hand, with these values as its inputs; returns its outputs.
std::vector<Value> WriteOut(NodeContext &c, Onnx__GraphProto *body, std::vector<Value> inputs,
                            const std::string &prefix);

/// The repeated part of Loop, Scan and SequenceMap.
struct TripCount {
  Onnx__GraphProto *body = nullptr;
  bool counts = true;  // Loop: the body takes iteration and condition first, and delivers the condition first
  Endpoint trips, condition;
  std::vector<Value> vars;
  struct Sliced {
    Value x;  // a tensor, of which a round gets one slice, or a sequence, of which it gets one element
    int64_t axis = 0;
    bool reverse = false;
    bool whole = false;  // every round gets all of it
  };
  std::vector<Sliced> sliced;  // passed to the body behind the variables
  size_t scans = 0;            // values collected from each round, behind the variables
  bool to_sequences = false;   // collected in sequences, else along a new first dimension

  size_t first() const { return counts ? 2 : 0; }         // of the body's inputs that is a variable
  size_t first_result() const { return counts ? 1 : 0; }  // of the body's outputs that is a variable
};
struct Results {
  std::vector<Value> vars, collected;
};

/// A fixed number of rounds: the body is written out once per round.
Results Unroll(NodeContext &c, const TripCount &r, int64_t trips);
/// As a While node.
Results Repeat(NodeContext &c, const TripCount &r);
/// Few known rounds are written out, more become a While.
bool FewTrips(NodeContext &c, const Onnx__GraphProto *body, int64_t trips);

}  // namespace gec::onnx
