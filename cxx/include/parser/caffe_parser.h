// The Caffe parser of GE, so that programs which offer it build and start. This release reads ONNX and TensorFlow
// models only.
#ifndef INC_EXTERNAL_PARSER_CAFFE_PARSER_H_
#define INC_EXTERNAL_PARSER_CAFFE_PARSER_H_

#include <map>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/graph.h"
#include "parser/detail/unread_model.h"

#define PARSER_FUNC_VISIBILITY

namespace ge {

/// Always GRAPH_FAILED, and `graph` stays what it was. The C interface's last error tells a null path, a file that
/// cannot be read and an unknown option key apart from a model that would have been read by a release that reads Caffe.
/// Threads: any.
inline graphStatus aclgrphParseCaffe(const char *model_file, const char *weights_file,
                                     const std::map<AscendString, AscendString> &options, Graph &graph) {
  (void)graph;
  detail::UnreadModel model("aclgrphParseCaffe", "Caffe");
  return model.Takes("model_file", model_file) && model.Takes("weights_file", weights_file) && model.Takes(options)
             ? model.Refused()
             : GRAPH_FAILED;
}
inline graphStatus aclgrphParseCaffe(const char *model_file, const char *weights_file, Graph &graph) {
  return aclgrphParseCaffe(model_file, weights_file, std::map<AscendString, AscendString>(), graph);
}

}  // namespace ge

#endif
