// ONNX import into a ge::Graph.
#ifndef INC_EXTERNAL_PARSER_ONNX_PARSER_H_
#define INC_EXTERNAL_PARSER_ONNX_PARSER_H_

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "ge/model.h"
#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/graph.h"

#define PARSER_FUNC_VISIBILITY

namespace ge {
namespace detail {
/// "name:1,3,224,224;other:-1,128": replaces the shapes of graph inputs.
inline GeStatus ApplyInputShapes(GeGraph *graph, const std::string &text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find(';', at);
    if (end == std::string::npos) end = text.size();
    std::string item = text.substr(at, end - at);
    at = end + 1;
    size_t colon = item.rfind(':');
    if (colon == std::string::npos)
      return GeSetLastError(GE_OPTION_INVALID, ("input_shape '" + item + "' is not of the form name:dim,dim").c_str());
    GeNode *node = nullptr;
    GeTensorData desc{};
    GeStatus status = GeGraphFindNode(graph, item.substr(0, colon).c_str(), &node);
    if (status == GE_SUCCESS) status = GeNodeGetOutputDesc(node, 0, &desc);
    if (status != GE_SUCCESS) return status;
    std::vector<int64_t> dims;
    for (size_t from = colon + 1; from < item.size();) {
      size_t comma = item.find(',', from);
      if (comma == std::string::npos) comma = item.size();
      char *stop = nullptr;
      std::string number = item.substr(from, comma - from);
      int64_t dim = std::strtoll(number.c_str(), &stop, 10);
      if (number.empty() || *stop != 0 || dim < -1)
        return GeSetLastError(GE_OPTION_INVALID,
                              ("input_shape '" + item + "': '" + number + "' is not a dimension").c_str());
      dims.push_back(dim);
      from = comma + 1;
    }
    desc.rank = desc.origin_rank = static_cast<int32_t>(dims.size());
    desc.dims = desc.origin_dims = dims.data();
    status = GeNodeSetOutputDesc(node, 0, &desc);
    if (status != GE_SUCCESS) return status;
  }
  return GE_SUCCESS;
}

inline graphStatus AdoptParsed(GeStatus status, GeGraph *parsed, const std::map<AscendString, AscendString> &options,
                               Graph &graph) {
  Graph result = Graph::Adopt(parsed);
  for (const auto &[key, value] : options) {
    if (status != GE_SUCCESS) break;
    if (key == AscendString("output")) {
      status = GeGraphSetName(parsed, value.GetString());
    } else if (key == AscendString("input_shape")) {
      status = ApplyInputShapes(parsed, value.GetString());
    } else {
      std::string text =
          std::string("parser option '") + key.GetString() + "' is not supported; known: output, input_shape";
      status = GeSetLastError(GE_OPTION_INVALID, text.c_str());
    }
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
