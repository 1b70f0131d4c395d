// TensorFlow's frozen graphs (GraphDef) as graphs.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace gec::tensorflow {

/// Receives the JSON list of all problems when an import fails.
using ReportFn = std::function<void(const std::string &json)>;
/// Keys and values of parser options (parsers/options.h).
using ParserOptions = std::vector<std::pair<std::string, std::string>>;

/// Throws GE_PATH_INVALID, GE_MODEL_INVALID, GE_UNSUPPORTED (the message holds a table of all problems),
/// GE_OPTION_INVALID. A name that ends in .pbtxt or .prototxt, and content that is text, is read as text.
GraphPtr ImportFile(const std::string &path, const ParserOptions &options = {}, const ReportFn &report = nullptr);
GraphPtr ImportBuffer(const void *data, size_t size, const ParserOptions &options = {},
                      const ReportFn &report = nullptr);
/// True when the file holds a graph, encoded or as text; nothing behind its first node is read. Throws GE_PATH_INVALID.
bool IsGraphFile(const std::string &path);
bool IsGraph(const void *data, size_t size);
/// One operator per line, sorted: those with a rule of their own; others go by their prototype.
std::string DescribeOperators();

}  // namespace gec::tensorflow
