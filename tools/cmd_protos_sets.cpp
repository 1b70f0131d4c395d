#include "cmd_protos_sets.h"

#include <filesystem>
#include <iostream>
#include <sstream>

#include "codegen/history.h"
#include "codegen/prototype_libraries.h"
#include "native.h"

namespace tool {
namespace {

namespace fs = std::filesystem;

codegen::ProtoSet OfArchive(const std::string &name, const codegen::Archive &archive) {
  for (const auto &[type, problem] : archive.problems) throw Usage("'" + name + "': " + problem);
  return archive.ops;
}

codegen::ProtoSet OfPackage(const std::string &package, std::string version) {
  std::ostringstream log;
  std::string schema_version, index = (fs::path(package) / "index.json").string();
  std::vector<codegen::Release> releases = codegen::ReadIndex(index, &schema_version, log);
  if (!log.str().empty()) throw Usage(log.str().substr(0, log.str().find('\n')));
  std::string known;
  bool found = false;
  for (const codegen::Release &release : releases) {
    found = found || release.version == version;
    known += (known.empty() ? "" : ", ") + release.version;
  }
  if (releases.empty()) throw Usage("history package '" + package + "' has no releases");
  if (version.empty()) version = releases.back().version;
  else if (!found) throw Usage("history package '" + package + "' has no release '" + version + "'; it has " + known);
  return OfArchive(package + "@" + version, codegen::ReadRelease(package, version));
}

void Describe(const GeOpSchema &schema, codegen::ProtoSet *set) {
  codegen::Proto proto;
  std::string problem = codegen::ProtoOf(schema, &proto);
  if (problem.empty()) set->emplace(proto.type, proto);
  else std::cerr << "ge: operator " << schema.type << " is left out: " << problem << "\n";
}

codegen::ProtoSet OfLibraries(const std::string &path) {
  std::ostringstream log;
  codegen::RegisteredOps ops;
  codegen::LoadPrototypePath(&ops, path, log);
  codegen::ProtoSet set;
  for (const codegen::RegisteredOp &op : ops.All()) Describe(*op.schema, &set);
  if (set.empty()) throw Usage("'" + path + "' registers no prototypes");
  return set;
}

}  // namespace

codegen::ProtoSet ReadSet(const std::string &name) {
  try {
    if (name == "builtin" && !fs::exists(name)) {
      codegen::ProtoSet set;
      for (size_t i = 0; i < GeOpCount(); ++i) {
        const GeOpSchema &schema = *GeOpAt(i);
        // What only passes make is no part of the interface.
        if (!schema.family || schema.family != std::string("internal")) Describe(schema, &set);
      }
      return set;
    }
    size_t at = name.rfind('@');
    if (!fs::exists(name) && at != std::string::npos && fs::exists(fs::path(name.substr(0, at)) / "index.json"))
      return OfPackage(name.substr(0, at), name.substr(at + 1));
    if (!fs::exists(name)) throw Usage("'" + name + "' does not exist; expected " + kSetHelp);
    if (fs::exists(fs::path(name) / "index.json")) return OfPackage(name, "");
    if (fs::exists(fs::path(name) / "operators.json"))
      return OfArchive(name, codegen::ReadOperators((fs::path(name) / "operators.json").string()));
    if (fs::path(name).extension() == ".json") return OfArchive(name, codegen::ReadOperators(name));
    return OfLibraries(name);
  } catch (const Error &) {
    throw;
  } catch (const std::exception &e) {
    throw Usage(e.what());
  }
}

std::string InstalledHistory() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / "opp" / "history_registry" / "all").string();
}

}  // namespace tool
