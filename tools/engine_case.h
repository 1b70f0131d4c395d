// One case of the engine suite: a single node, what goes in and what has to come out.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native.h"

namespace tool {

struct CaseTensor {
  bool present = false;
  int32_t type = 0, format = 0;
  std::vector<int64_t> dims;
  std::vector<char> data;
  GeTensorData View() const;
};

struct EngineCase {
  std::string op, kind, name;  // "Add", "Add:DT_FLOAT" by its first input, "Add:DT_FLOAT[2,3]"
  nlohmann::json attrs;
  std::vector<CaseTensor> inputs, outputs;
};

// The cases that are built into this tool, by operator; those of a file, one JSON object a line, where it is named.
std::vector<EngineCase> EngineCases(const std::string &path);

struct CaseResult {
  enum Kind { kPassed, kRefused, kFailed } kind = kPassed;
  std::string text;  // why not
};
// Compiles and runs the node on that engine alone: with sizes and axes known beforehand, then with all inputs but the
// first, then with none.
CaseResult RunEngineCase(const EngineCase &test, const std::string &engine);

}  // namespace tool
