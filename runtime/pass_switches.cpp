#include "runtime/pass_switches.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/support/log.h"

namespace gec {
namespace {

std::string Trimmed(const std::string &text) {
  const size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

void ReadFile(const std::string &path, PassSwitches *switches) {
  std::ifstream file(path);
  if (!file) {
    Log(GE_LOG_WARNING, "option ge.fusionSwitchFile: '", path, "' cannot be opened, it is ignored");
    return;
  }
  const nlohmann::json root = nlohmann::json::parse(file, nullptr, false);
  const auto *section = &root;
  for (const char *key : {"Switch", "GraphFusion"}) {
    const auto at = section->is_object() ? section->find(key) : section->end();
    if (!section->is_object() || at == section->end()) {
      Log(GE_LOG_WARNING, "option ge.fusionSwitchFile: '", path,
          "' has no object \"Switch\" with an object \"GraphFusion\""
          " in it, it is ignored");
      return;
    }
    section = &*at;
  }
  if (!section->is_object()) {
    Log(GE_LOG_WARNING, "option ge.fusionSwitchFile: \"GraphFusion\" of '", path, "' is no object, it is ignored");
    return;
  }
  for (const auto &[name, value] : section->items()) {
    const bool on = value.is_string() && value.get<std::string>() == "on";
    if (name == "ALL") switches->all = on;
    else switches->file[name] = on;
  }
}

}  // namespace

PassSwitches ReadSwitches(const std::string &option, const std::string &path) {
  PassSwitches switches;
  for (size_t begin = 0; begin < option.size();) {
    const size_t end = std::min(option.find(';', begin), option.size());
    const std::string item = option.substr(begin, end - begin);
    // Names of classes may hold "::".
    if (const size_t colon = item.rfind(':'); colon != std::string::npos && colon != 0)
      switches.option[Trimmed(item.substr(0, colon))] = Trimmed(item.substr(colon + 1)) == "on";
    begin = end + 1;
  }
  if (!path.empty()) ReadFile(path, &switches);
  return switches;
}

}  // namespace gec
