// ONNX import into a ge::Graph.
#ifndef INC_EXTERNAL_PARSER_ONNX_PARSER_H_
#define INC_EXTERNAL_PARSER_ONNX_PARSER_H_

#include <map>

#include "ge/model.h"
#include "ge_common/ge_ir_options.h"
#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/graph.h"

#define PARSER_FUNC_VISIBILITY

namespace ge {
namespace detail {
inline graphStatus AdoptParsed(GeStatus status, GeGraph *parsed, const std::map<AscendString, AscendString> &options,
                               Graph &graph) {
  Graph result = Graph::Adopt(parsed);
  for (const auto &option : options) {
    if (status != GE_SUCCESS) break;
    status = GeGraphApplyParserOption(parsed, option.first.GetString(), option.second.GetString());
  }
  if (status != GE_SUCCESS) return GRAPH_FAILED;
  graph = result;
  return GRAPH_SUCCESS;
}
}  // namespace detail

/// Replaces `graph` by the imported one. The C interface's last error lists everything that is wrong.
inline graphStatus aclgrphParseONNX(const char *model_file, const std::map<AscendString, AscendString> &options,
                                    Graph &graph) {
  GeGraph *parsed = nullptr;
  GeStatus status = GeOnnxImport(model_file, nullptr, nullptr, &parsed);
  return detail::AdoptParsed(status, parsed, options, graph);
}
inline graphStatus aclgrphParseONNXFromMem(const char *buffer, size_t size,
                                           const std::map<AscendString, AscendString> &options, Graph &graph) {
  GeGraph *parsed = nullptr;
  GeStatus status = GeOnnxImportBuffer(buffer, size, nullptr, nullptr, nullptr, &parsed);
  return detail::AdoptParsed(status, parsed, options, graph);
}

}  // namespace ge

#endif
