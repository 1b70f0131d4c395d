// Graphs as text: GE's three dump formats, Graphviz and a picture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ir/graph.h"

namespace gec {

std::string DumpReadable(const Graph &graph);  // GE's readable text
std::string DumpTxt(const Graph &graph);       // text form of air.proto, without weights
std::string DumpOnnx(const Graph &graph);  // text form of an ONNX ModelProto, operators in domain "ge", without weights
std::string DumpDot(const Graph &graph);
std::string DumpSvg(const Graph &graph);
/// GE_DUMP_*; throws GE_PARAM_INVALID for another format.
std::string Dump(const Graph &graph, int32_t format);

/// Writes a dump with GE's name and folder rules and returns the path. `graph_id` is the session's, 0 without one.
/// Throws GE_PARAM_INVALID, GE_PATH_INVALID.
std::string DumpToFile(const Graph &graph, int32_t format, std::string_view suffix, uint32_t graph_id = 0);

/// A value as the readable text shows it; "" for one that is not shown.
std::string ReadableValue(const AttrValue &value);
/// Alive nodes in topological order; in creation order when the graph has a cycle, so that it can still be looked at.
std::vector<Node *> DumpOrder(const Graph &graph);

}  // namespace gec
