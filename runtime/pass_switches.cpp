#include "runtime/pass_switches.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/support/error.h"
#include "core/support/warnings.h"

namespace gec {
namespace {

std::string Trimmed(const std::string &text) {
  const size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

void ReadFile(const std::string &path, PassSwitches *switches) {
  std::ifstream file(path);
  if (!file) {
    WarnOnce(Str("option ge.fusionSwitchFile: '", path, "' cannot be opened, it is ignored"));
    return;
  }
  const nlohmann::json root = nlohmann::json::parse(file, nullptr, false);
  const auto *section = &root;
  for (const char *key : {"Switch", "GraphFusion"}) {
    const auto at = section->is_object() ? section->find(key) : section->end();
    if (!section->is_object() || at == section->end()) {
      WarnOnce(Str("option ge.fusionSwitchFile: '", path,
                   "' has no object \"Switch\" with an object \"GraphFusion\" in it, it is ignored"));
      return;
    }
    section = &*at;
  }
  if (!section->is_object()) {
    WarnOnce(Str("option ge.fusionSwitchFile: \"GraphFusion\" of '", path, "' is no object, it is ignored"));
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
    const std::string item = Trimmed(option.substr(begin, end - begin));
    begin = end + 1;
    if (item.empty()) continue;
    const size_t colon = item.rfind(':');  // names of classes may hold "::"
    if (colon == std::string::npos || colon == 0) {
      WarnOnce(Str("option ge.optimizationSwitch: '", item, "' is ignored, it is not of the form Pass:on or Pass:off"));
      continue;
    }
    const std::string value = Trimmed(item.substr(colon + 1));
    if (value != "on" && value != "off")
      WarnOnce(Str("option ge.optimizationSwitch: in '", item, "' '", value, "' counts as off, allowed: on, off"));
    switches.option[Trimmed(item.substr(0, colon))] = value == "on";
  }
  if (!path.empty()) ReadFile(path, &switches);
  return switches;
}

void WarnOfIdleSwitches(const PassSwitches &switches) {
  const std::pair<const char *, const std::map<std::string, bool, std::less<>> &> sources[] = {
      {"ge.optimizationSwitch", switches.option}, {"ge.fusionSwitchFile", switches.file}};
  for (const auto &[option, names] : sources) {
    std::string unknown;  // one line: files of GE name many passes
    for (const auto &[name, on] : names) {
      const PassEntryPtr pass = PassRegistry::Instance().Find(name);
      if (!pass) unknown += (unknown.empty() ? "'" : ", '") + name + "'";
      else if (pass->info.kind == PassKind::kFunction || pass->info.kind == PassKind::kStream)
        WarnOnce(Str("option ", option, ": pass '", name, "' is a function, which cannot be switched"));
    }
    if (!unknown.empty()) WarnOnce(Str("option ", option, " has no effect on ", unknown, ": there are no such passes"));
  }
}

}  // namespace gec
