#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "history.h"
#include "release_date.h"

namespace codegen {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kWindowDays = 365;
constexpr size_t kMaxDepth = 64;

[[noreturn]] void Bad(const std::string &text) { throw std::runtime_error(text); }

// How deep lists and objects lie in one another; these files need five levels.
size_t Depth(const std::string &text) {
  size_t depth = 0, deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '\\') ++i;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{')) deepest = std::max(deepest, ++depth);
    else if (!quoted && (c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest;
}

Json ReadJson(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Bad("'" + path + "' cannot be opened: " + std::strerror(errno));
  std::stringstream text;
  text << file.rdbuf();
  if (!file.good() && !file.eof()) Bad("'" + path + "' cannot be read");
  // Reading a value takes stack for each level.
  if (size_t depth = Depth(text.str()); depth > kMaxDepth)
    Bad("'" + path + "' has lists and objects " + std::to_string(depth) + " levels deep, at most " +
        std::to_string(kMaxDepth) + " make sense");
  try {
    return Json::parse(text.str());
  } catch (const Json::parse_error &e) {
    Bad("'" + path + "' is not JSON (or cut short) at byte " + std::to_string(e.byte) + " of " +
        std::to_string(text.str().size()));
  } catch (const Json::exception &e) {  // a number that no type can hold
    std::string what = e.what();
    Bad("'" + path +
        "' cannot be read: " + what.substr(what.find("] ") == std::string::npos ? 0 : what.find("] ") + 2));
  }
}

// A value as it appears in messages: short.
std::string Shown(const Json &value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

// One field of an object, or what is wrong with it.
const Json &Field(const Json &object, const std::string &where, const char *name, Json::value_t type,
                  const char *type_name) {
  if (!object.is_object()) Bad(where + " is " + Shown(object) + ", expected an object");
  auto found = object.find(name);
  if (found == object.end()) Bad(where + " has no '" + name + "'");
  if (found->type() != type) Bad(where + "." + name + " is " + Shown(*found) + ", expected " + type_name);
  return *found;
}

std::string Text(const Json &object, const std::string &where, const char *name, bool may_be_empty = false) {
  std::string text = Field(object, where, name, Json::value_t::string, "text").get<std::string>();
  if (text.empty() && !may_be_empty) Bad(where + "." + name + " is empty");
  return text;
}

std::string OptionalText(const Json &object, const std::string &where, const char *name) {
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? "" : Text(object, where, name, true);
}

const Json &List(const Json &object, const std::string &where, const char *name) {
  static const Json empty = Json::array();
  auto found = object.find(name);
  if (found == object.end()) return empty;
  if (!found->is_array()) Bad(where + "." + name + " is " + Shown(*found) + ", expected a list");
  return *found;
}

int KindOf(const std::string &text, const std::string &where,
           std::initializer_list<std::pair<const char *, int>> kinds) {
  std::string known;
  for (const auto &[name, kind] : kinds) {
    if (text == name) return kind;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  Bad(where + ".type is '" + text + "', expected one of " + known);
}

std::string Item(const std::string &list, size_t index) { return list + "[" + std::to_string(index) + "]"; }

Proto Record(const Json &record, const std::string &type) {
  Proto proto;
  proto.type = type;
  size_t i = 0;
  for (const Json &input : List(record, "record", "inputs")) {
    std::string where = Item("inputs", i++), name = Text(input, where, "name");
    int kind =
        KindOf(Text(input, where, "type"), where,
               {{"INPUT", GE_IR_REQUIRED}, {"OPTIONAL_INPUT", GE_IR_OPTIONAL}, {"DYNAMIC_INPUT", GE_IR_DYNAMIC}});
    proto.inputs.push_back({name, kind, OptionalText(input, where, "dtype")});
  }
  i = 0;
  for (const Json &output : List(record, "record", "outputs")) {
    std::string where = Item("outputs", i++), name = Text(output, where, "name");
    int kind =
        KindOf(Text(output, where, "type"), where, {{"OUTPUT", GE_IR_REQUIRED}, {"DYNAMIC_OUTPUT", GE_IR_DYNAMIC}});
    proto.outputs.push_back({name, kind, OptionalText(output, where, "dtype")});
  }
  i = 0;
  for (const Json &attr : List(record, "record", "attrs")) {
    std::string where = Item("attrs", i++);
    ProtoAttr a{Text(attr, where, "name"), Text(attr, where, "type"), false, false, ""};
    a.required = Field(attr, where, "required", Json::value_t::boolean, "true or false").get<bool>();
    auto value = attr.find("default_value");
    if (value != attr.end() && !value->is_null()) {
      a.has_default = true;
      a.default_text = Text(attr, where, "default_value", true);
    }
    proto.attrs.push_back(a);
  }
  i = 0;
  for (const Json &graph : List(record, "record", "subgraphs")) {
    std::string where = Item("subgraphs", i++), name = Text(graph, where, "name");
    proto.graphs.push_back({name, KindOf(Text(graph, where, "type"), where, {{"STATIC", 0}, {"DYNAMIC", 1}}) == 1});
  }
  return proto;
}

}  // namespace

Archive ReadOperators(const std::string &path) {
  Json file = ReadJson(path);
  const Json &records = Field(file, "'" + path + "'", "operators", Json::value_t::array, "a list");
  Archive archive;
  size_t index = 0;
  for (const Json &record : records) {
    std::string where = "'" + path + "': " + Item("operators", index++);
    std::string type = Text(record, where, "op_type");
    if (archive.ops.count(type) != 0 || archive.problems.count(type) != 0) {
      archive.ops.erase(type);
      archive.problems[type] = "Found duplicate op " + type + " in operators.json";
      continue;
    }
    try {
      archive.ops.emplace(type, Record(record, type));
    } catch (const std::runtime_error &e) {
      archive.problems[type] = "Failed to parse json for op " + type + ": " + e.what();
    }
  }
  return archive;
}

std::vector<Release> ReadIndex(const std::string &path, std::string *schema_version, std::ostream &log) {
  Json index = ReadJson(path);
  std::string where = "'" + path + "'";
  *schema_version = Text(index, where, "version");
  if (schema_version->compare(0, 2, "1.") != 0) Bad(where + ".version is '" + *schema_version + "', expected 1.x");
  std::vector<Release> releases;
  std::set<std::string> seen;
  size_t i = 0;
  for (const Json &entry : Field(index, where, "releases", Json::value_t::array, "a list")) {
    std::string at = where + ": " + Item("releases", i++);
    try {
      Release release{Text(entry, at, "release_version"), Text(entry, at, "release_date"), ""};
      if (!IsReleaseDate(release.date)) Bad(at + ".release_date is '" + release.date + "', expected YYYY-MM-DD");
      if (!seen.insert(release.version).second)
        Bad(at + ".release_version is '" + release.version + "', which the index has already");
      releases.push_back(release);
    } catch (const std::runtime_error &e) {
      log << "WARNING: " << e.what() << "; the entry is left out\n";
    }
  }
  std::stable_sort(releases.begin(), releases.end(),
                   [](const Release &a, const Release &b) { return a.date < b.date; });
  return releases;
}

namespace {

// Throws unless the metadata belongs to this version.
std::string CheckMetadata(const std::string &package, const std::string &version) {
  std::string path = (fs::path(package) / "registry" / version / "metadata.json").string();
  Json metadata = ReadJson(path);
  std::string named = Text(metadata, "'" + path + "'", "release_version");
  if (named != version)
    Bad("'" + path + "'.release_version is '" + named + "', expected '" + version + "', the name of its folder");
  return OptionalText(metadata, "'" + path + "'", "branch_name");
}

std::string OperatorsPath(const std::string &package, const std::string &version) {
  return (fs::path(package) / "registry" / version / "operators.json").string();
}

}  // namespace

Archive ReadRelease(const std::string &package, const std::string &version) {
  (void)CheckMetadata(package, version);
  return ReadOperators(OperatorsPath(package, version));
}

History::History(const std::string &package, const std::string &anchor, std::ostream &log) {
  std::string index = (fs::path(package) / "index.json").string(), schema_version;
  std::vector<Release> releases;
  try {
    releases = ReadIndex(index, &schema_version, log);
  } catch (const std::runtime_error &e) {
    log << "ERROR: history index " << e.what() << "; no history is used\n";
    return;
  }
  std::string anchor_date = Today();
  if (!anchor.empty()) {
    auto found = std::find_if(releases.begin(), releases.end(), [&](const Release &r) { return r.version == anchor; });
    if (found == releases.end()) {
      log << "WARNING: release_version '" << anchor << "' is not in '" << index << "'; no history is used\n";
      return;
    }
    anchor_date = found->date;
  }
  for (Release &release : releases) {
    int64_t age = DayNumber(anchor_date) - DayNumber(release.date);
    if (age < 0 && release.date > Today())
      log << "WARNING: '" << index << "': release '" << release.version << "' has release_date " << release.date
          << ", which lies in the future; it is left out\n";
    if (age < 0 || age > kWindowDays) continue;
    try {
      release.branch = CheckMetadata(package, release.version);
    } catch (const std::runtime_error &e) {
      log << "WARNING: " << e.what() << "; release '" << release.version << "' is left out\n";
      continue;
    }
    window_.push_back(release);
    archives_.emplace_back();
    unreadable_.emplace_back();
    try {
      archives_.back() = ReadOperators(OperatorsPath(package, release.version));
    } catch (const std::runtime_error &e) {
      unreadable_.back() = std::string("Failed to load operators.json: ") + e.what();
      log << "WARNING: release '" << release.version << "': " << unreadable_.back() << "\n";
    }
    for (const auto &[type, problem] : archives_.back().problems)
      log << "WARNING: '" << OperatorsPath(package, release.version) << "': " << problem << "\n";
  }
}

std::vector<Proto> History::Chain(const std::string &type, std::vector<std::string> *notes) const {
  std::vector<Proto> chain;
  for (size_t i = 0; i < window_.size(); ++i) {
    std::string why = unreadable_[i];
    auto found = archives_[i].ops.find(type);
    auto problem = archives_[i].problems.find(type);
    if (why.empty() && found == archives_[i].ops.end())
      why = problem == archives_[i].problems.end() ? "Op " + type + " not found in operators.json" : problem->second;
    if (why.empty()) chain.push_back(found->second);
    else notes->push_back("op " + type + " skip version " + window_[i].version + ": " + why);
  }
  return chain;
}

}  // namespace codegen
