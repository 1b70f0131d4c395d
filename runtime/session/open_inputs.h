// Inputs of a session's graph whose descriptions the graph leaves to its runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// GE's builders write DT_FLOAT, FORMAT_ND and a scalar where a program says nothing of an input, and a Data of the
/// graph API has DT_FLOAT, FORMAT_ND and no rank, so these are open altogether. Of other inputs an unknown type is
/// open, and the shape of a scalar. What a graph states otherwise is checked against the run's tensors.
class OpenInputs {
 public:
  OpenInputs() = default;
  explicit OpenInputs(const Graph &graph);

  bool any() const { return !inputs_.empty(); }
  /// Throws GE_DATA_MISMATCH for a number of tensors that is not the graph's, and for types that say nothing of an open
  /// input: before a graph is compiled for tensors that no run takes.
  void Check(const Graph &graph, const std::vector<TensorDesc> &tensors) const;
  /// A model compiled from the graph, as Describe left it, takes these tensors as far as open inputs go. So does it
  /// take too few tensors: a run refuses them by their number.
  bool Serve(const std::vector<TensorDesc> &tensors) const;
  /// Writes the tensors' types, formats and shapes into the graph the first time; after that, of a shape of the same
  /// rank and type, what differs from the ones before becomes unknown, so that one model serves all of them.
  void Describe(Graph &graph, const std::vector<TensorDesc> &tensors);

 private:
  struct Input {
    size_t at;  // among the run's tensors
    bool type, shape, format;
    TensorDesc now;
  };
  std::vector<Input> inputs_;
};

/// Describes what an input gives, and its port too: passes of programs ask either.
void DescribeInput(Graph &graph, Node *input, TensorDesc desc);

/// The formats that a graph states of the inputs that a run's tensors are for.
std::vector<int32_t> InputFormats(const Graph &graph);

}  // namespace gec
