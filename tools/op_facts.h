// The facts about an operator: its signature, and which engines take it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ge/op.h"

namespace tool {

/// Engines that can be used, in the order in which they are asked.
std::vector<std::string> EngineNames();
/// Families of operators, sorted.
std::vector<std::string> Families();
/// type, family, brief, inputs, outputs, attrs, graphs, engines, without_engine, refusals (by engine).
nlohmann::ordered_json OperatorFacts(const GeOpSchema &schema, const std::vector<std::string> &engines);

}  // namespace tool
