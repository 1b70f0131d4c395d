// The cases of the engine suite, built into this tool.
#include <cerrno>
#include <cstring>
#include <fstream>

#include "engine_case.h"
#include "session.h"

namespace tool {
namespace {

constexpr const char *kCaseTexts[] = {
#include "tests/engine_suite/cases.txt"
};

uint8_t HexDigit(char c) {
  const char *digits = "0123456789abcdef", *at = c ? std::strchr(digits, c) : nullptr;
  if (!at) throw Usage(std::string("data of a case holds '") + c + "', expected hexadecimal digits");
  return static_cast<uint8_t>(at - digits);
}

CaseTensor ReadCaseTensor(const nlohmann::json &json) {
  CaseTensor t;
  if (json.is_null()) return t;
  t.present = true;
  t.type = json.at("type");
  t.format = json.value("format", static_cast<int32_t>(C_FORMAT_ND));
  t.dims = json.at("dims").get<std::vector<int64_t>>();
  const std::string &hex = json.at("data").get_ref<const std::string &>();
  const uint64_t bits = GeDataTypeBits(t.type);
  if (bits == 0) throw Usage("a tensor of a case has type " + std::to_string(t.type) + ", which has no size");
  uint64_t bytes = bits;
  for (int64_t dim : t.dims) {
    if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes))
      throw Usage("a tensor of a case has shape " + json.at("dims").dump());
  }
  bytes = bytes / 8 + (bytes % 8 != 0);
  if (hex.size() != 2 * bytes)
    throw Usage("data of a case has " + std::to_string(hex.size()) + " digits, shape " + json.at("dims").dump() +
                " of " + GeDataTypeName(t.type) + " needs " + std::to_string(2 * bytes));
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    t.data.push_back(static_cast<char>(HexDigit(hex[i]) * 16 + HexDigit(hex[i + 1])));
  return t;
}

EngineCase ReadCase(const nlohmann::json &json, const std::vector<EngineCase> &before) {
  EngineCase c;
  c.op = json.at("op");
  c.attrs = json.at("attrs");
  for (const auto &t : json.at("inputs")) c.inputs.push_back(ReadCaseTensor(t));
  for (const auto &t : json.at("outputs")) c.outputs.push_back(ReadCaseTensor(t));
  const std::vector<CaseTensor> &named = c.inputs.empty() || !c.inputs[0].present ? c.outputs : c.inputs;
  if (named.empty()) throw Usage("a case of " + c.op + " has no outputs");
  c.kind = c.op + ":" + GeDataTypeName(named[0].type);
  c.name = c.kind + "[";
  for (size_t i = 0; i < named[0].dims.size(); ++i) c.name += (i ? "," : "") + std::to_string(named[0].dims[i]);
  c.name += "]";
  const auto taken = [&](const std::string &name) {
    for (size_t i = before.size(); i-- > 0 && before[i].op == c.op;)
      if (before[i].name == name) return true;
    return false;
  };
  const std::string first = c.name;
  for (int n = 2; taken(c.name); ++n) c.name = first + "#" + std::to_string(n);
  return c;
}

}  // namespace

GeTensorData CaseTensor::View() const {
  GeTensorData d{};
  d.data_type = type;
  d.format = d.origin_format = format;
  d.rank = d.origin_rank = static_cast<int32_t>(dims.size());
  d.dims = d.origin_dims = dims.data();
  d.data = const_cast<char *>(data.data());
  d.size = data.size();
  return d;
}

std::vector<EngineCase> EngineCases(const std::string &path) {
  std::vector<EngineCase> cases;
  if (path.empty()) {
    for (const char *text : kCaseTexts) cases.push_back(ReadCase(nlohmann::json::parse(text), cases));
    return cases;
  }
  std::ifstream file(path);
  if (!file) throw Usage("'" + path + "' cannot be opened: " + std::strerror(errno));
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    try {
      cases.push_back(ReadCase(nlohmann::json::parse(line), cases));
    } catch (const nlohmann::json::exception &e) {
      throw Usage("'" + path + "' line " + std::to_string(number) + " is no case: " + e.what());
    }
  }
  return cases;
}

}  // namespace tool
