// ONNX models as graphs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec::onnx {

/// Receives the JSON list of all problems when an import fails.
using ReportFn = std::function<void(const std::string &json)>;

/// An initializer that the graph lists as an input, too: a default value that a caller may replace.
struct Overridable {
  std::string name;
  TensorDesc desc;  // as an input
};

struct ImportOptions {
  std::vector<std::string> as_inputs;  // initializers that become inputs
  uint64_t limit = 0;                  // bytes that an import makes of few; 0: DefaultImportLimit
  bool defer = false;                  // large constants are read when somebody asks for them; bytes stay until then
};
/// For a file of `size` bytes.
inline uint64_t DefaultImportLimit(uint64_t size) { return (uint64_t{64} << 20) + 20 * size; }

/// Throws GE_PATH_INVALID, GE_MODEL_INVALID, GE_UNSUPPORTED; the message holds a table of all problems.
/// GE_OPTION_INVALID when options.as_inputs names what is no such initializer; those named become inputs behind the
/// others.
GraphPtr ImportFile(const std::string &path, const ReportFn &report = nullptr, const ImportOptions &options = {});
/// External data is looked up below `folder`; "" refuses it.
GraphPtr ImportBuffer(const void *data, size_t size, const std::string &folder, const ReportFn &report = nullptr,
                      const ImportOptions &options = {});
/// Which inputs and outputs of an imported graph are the tensors of one value: {"inputs": [{"name", "kind": "text",
/// "sequence" or "optional", "content": what an optional value holds, "type": of elements, "ports": […]}], "outputs":
/// […]}.
std::string ValuesOf(const Graph &graph);
/// Inputs of an imported graph that are constants in it.
std::vector<Overridable> OverridableOf(const Graph &graph);
/// True when the file's outermost fields are those of an ONNX model; nothing else of it is read. Throws
/// GE_PATH_INVALID.
bool IsModelFile(const std::string &path);
bool IsModel(const void *data, size_t size);
/// One line "domain:type since-opset" per supported operator, sorted.
std::string DescribeOperators();

}  // namespace gec::onnx
