#include "precision_share.h"

#include "table.h"

namespace tool {

PrecisionShare::PrecisionShare(const nlohmann::ordered_json &report) {
  for (const auto &node : report["precision"]) {
    ++ran[node["ran"]];
    bytes += node["bytes"].get<double>();
    before += node["fp32_bytes"].get<double>();
    if (node["ran"] != node["asked"]) reasons[node["why"]].push_back(node["type"]);
  }
}

std::string PrecisionShare::Text() const {
  std::string text;
  if (ran.empty()) return text;
  for (const auto &[name, count] : ran) text += (text.empty() ? "" : ", ") + name + " " + Counted(count, "node");
  return text + "; weights " + Bytes(bytes) + ", in fp32 " + Bytes(before);
}

}  // namespace tool
