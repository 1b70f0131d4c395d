#include "runtime/session/open_inputs.h"

#include "core/ir/types.h"
#include "core/support/error.h"
#include "core/variables/variables.h"

namespace gec {
namespace {

/// A scalar from builders, a shape of unknown rank from the graph API.
bool IsDefault(const TensorDesc &desc) {
  return desc.dtype == C_DT_FLOAT && desc.format == C_FORMAT_ND && (!desc.shape.has_rank() || desc.shape.rank() == 0);
}

bool Takes(const Shape &declared, const Shape &given) {
  if (!declared.has_rank() || !given.has_rank()) return !declared.has_rank();
  if (declared.rank() != given.rank()) return false;
  for (size_t d = 0; d < given.dims().size(); ++d) {
    if (declared[d] != GE_UNKNOWN_DIM && declared[d] != given[d]) return false;
  }
  return true;
}

/// The inputs that a run's tensors are for, in their order.
std::vector<Node *> RunInputs(const Graph &graph) {
  std::vector<Node *> nodes;
  for (Node *node : graph.Inputs())
    if (!IsVariableInput(*node)) nodes.push_back(node);
  return nodes;
}

}  // namespace

void DescribeInput(Graph &graph, Node *input, TensorDesc desc) {
  if (input->input_count() != 0) graph.SetInputDesc(input, 0, desc);
  graph.SetOutputDesc(input, 0, std::move(desc));
}

std::vector<int32_t> InputFormats(const Graph &graph) {
  std::vector<int32_t> formats;
  for (const Node *node : RunInputs(graph)) formats.push_back(node->output_desc(0).format);
  return formats;
}

OpenInputs::OpenInputs(const Graph &graph) {
  const std::vector<Node *> nodes = RunInputs(graph);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TensorDesc &desc = nodes[i]->output_desc(0);
    const bool type = desc.dtype == C_DT_UNDEFINED || IsDefault(desc);
    const bool shape = desc.shape.has_rank() && desc.shape.rank() == 0;
    if (type || shape) inputs_.push_back({i, type, shape, desc.format == C_FORMAT_ND, desc});
  }
}

void OpenInputs::Check(const Graph &graph, const std::vector<TensorDesc> &tensors) const {
  if (!any()) return;
  const std::vector<Node *> nodes = RunInputs(graph);
  if (tensors.size() != nodes.size()) {
    std::string names;
    for (const Node *node : nodes) names += Str(names.empty() ? "" : ", ", node->name());
    Fail(GE_DATA_MISMATCH, "the graph has ", nodes.size(), " inputs (", names, "), ", tensors.size(), " were given");
  }
  for (const Input &input : inputs_) {
    const int32_t type = tensors[input.at].dtype;
    if (input.type && GeDataTypeBits(type) == 0)
      Fail(GE_DATA_MISMATCH, "input ", input.at, " ('", nodes[input.at]->name(), "') has data type ",
           DataTypeName(type), ", and the graph leaves its type to the run: expected one of fixed size");
  }
}

bool OpenInputs::Serve(const std::vector<TensorDesc> &tensors) const {
  for (const Input &input : inputs_) {
    if (input.at >= tensors.size()) return true;
    const TensorDesc &given = tensors[input.at];
    if (input.type && input.now.dtype != given.dtype) return false;
    if (input.format && input.now.format != given.format) return false;
    if (input.shape && !Takes(input.now.shape, given.shape)) return false;
  }
  return true;
}

void OpenInputs::Describe(Graph &graph, const std::vector<TensorDesc> &tensors) {
  const std::vector<Node *> nodes = RunInputs(graph);
  for (Input &input : inputs_) {
    if (input.at >= tensors.size() || input.at >= nodes.size()) continue;
    const TensorDesc &given = tensors[input.at];
    TensorDesc desc = nodes[input.at]->output_desc(0);
    const bool again = desc.dtype == given.dtype && desc.shape.has_rank() && desc.shape.rank() != 0;
    if (input.type) desc.dtype = given.dtype;
    if (input.format) desc.format = desc.origin_format = given.format;
    if (input.shape) {
      Shape shape = given.shape;
      const bool widens = again && shape.has_rank() && shape.rank() == desc.shape.rank();
      for (size_t d = 0; widens && d < shape.dims().size(); ++d)
        if (shape[d] != desc.shape[d]) shape[d] = GE_UNKNOWN_DIM;
      desc.SetShape(shape);
    }
    input.now = desc;
    DescribeInput(graph, nodes[input.at], std::move(desc));
  }
}

}  // namespace gec
