// Options of GE's parsers (ir_option: out nodes, input order, shapes, …), applied to an imported graph.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Throws GE_OPTION_INVALID naming option, value and what is wrong; the graph is then as it was. Keys:
///   output                      the graph's name
///   input_shape                 "name:1,3,-1;other:" or, in the order of the inputs, "1,3,-1;…"; a range a~b becomes
///   -1 input_data_names            "b,a": the order of the inputs; each once ge.outputNodeName "node:port;node:port",
///   or names of the file's outputs ge.INPUT_NODES_SET_FP16     "a;b": these inputs take float16; a Cast follows
///   is_input_adjust_hw_layout, is_output_adjust_hw_layout    "false,…": borders keep plain layouts
///   enable_scope_fusion_passes  names of scope fusion passes, which the TensorFlow importer asks
void ApplyParserOption(Graph &graph, std::string_view key, std::string_view value);

/// Throws GE_OPTION_INVALID with the known keys when this is none of them.
void CheckParserOptionKey(std::string_view key);
/// The value of option input_shape: names ("" where the value gives shapes in the order of the inputs) and shapes.
std::vector<std::pair<std::string, Shape>> ParseInputShapes(std::string_view key, std::string_view value);

}  // namespace gec
