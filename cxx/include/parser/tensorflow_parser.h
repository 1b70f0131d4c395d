// Import of TensorFlow's frozen graphs (GraphDef) into a ge::Graph.
#ifndef INC_EXTERNAL_PARSER_TENSORFLOW_PARSER_H_
#define INC_EXTERNAL_PARSER_TENSORFLOW_PARSER_H_

#include <map>
#include <vector>

#include "ge/tensorflow.h"
#include "ge_common/ge_ir_options.h"
#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/graph.h"

#define PARSER_FUNC_VISIBILITY

namespace ge {

/// Replaces `graph` by the imported one: what the outputs rest on that OUT_NODES names, else what nobody else reads.
/// Its name is that of the file with the time behind it, or option OUTPUT. On GRAPH_FAILED `graph` stays what it was,
/// and the C interface's last error lists everything that is wrong. Threads: any.
inline graphStatus aclgrphParseTensorFlow(const char *model_file, const std::map<AscendString, AscendString> &options,
                                          Graph &graph) {
  std::vector<GeParserOption> list;
  for (const auto &option : options) list.push_back({option.first.GetString(), option.second.GetString()});
  GeGraph *parsed = nullptr;
  if (GeTensorFlowImport(model_file, list.data(), list.size(), nullptr, nullptr, &parsed) != GE_SUCCESS)
    return GRAPH_FAILED;
  graph = Graph::Adopt(parsed);
  return GRAPH_SUCCESS;
}
inline graphStatus aclgrphParseTensorFlow(const char *model_file, Graph &graph) {
  return aclgrphParseTensorFlow(model_file, std::map<AscendString, AscendString>(), graph);
}

}  // namespace ge

#endif
