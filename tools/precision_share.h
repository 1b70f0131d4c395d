// The part of a model's weights that runs in the precision that was asked for.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tool {

struct PrecisionShare {
  std::map<std::string, size_t> ran;                        // nodes by the precision in which they run
  std::map<std::string, std::vector<std::string>> reasons;  // types of nodes that do not run as asked, by the reason
  double bytes = 0, before = 0;                             // of their weights, now and in fp32

  explicit PrecisionShare(const nlohmann::ordered_json &report);
  /// "int8_weights 12 nodes, fp32 2 nodes; weights 17.0 MB, in fp32 65.2 MB"; "" where nothing was asked for.
  std::string Text() const;
};

}  // namespace tool
