#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "history.h"
#include "output_dir.h"
#include "release_date.h"

namespace codegen {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;  // keys in alphabetical order

Json Port(const ProtoPort &port, const char *required, const char *dynamic) {
  Json json = {{"name", port.name},
               {"type", port.kind == GE_IR_DYNAMIC    ? dynamic
                        : port.kind == GE_IR_OPTIONAL ? "OPTIONAL_INPUT"
                                                      : required}};
  if (!port.dtype.empty()) json["dtype"] = port.dtype;
  return json;
}

Json Record(const Proto &op) {
  Json record = {{"op_type", op.type},
                 {"inputs", Json::array()},
                 {"outputs", Json::array()},
                 {"attrs", Json::array()},
                 {"subgraphs", Json::array()}};
  for (const ProtoPort &port : op.inputs) record["inputs"].push_back(Port(port, "INPUT", "DYNAMIC_INPUT"));
  for (const ProtoPort &port : op.outputs) record["outputs"].push_back(Port(port, "OUTPUT", "DYNAMIC_OUTPUT"));
  for (const ProtoAttr &attr : op.attrs) {
    Json json = {{"name", attr.name}, {"type", attr.type}, {"required", attr.required}};
    if (!attr.required && attr.has_default) json["default_value"] = attr.default_text;
    record["attrs"].push_back(json);
  }
  for (const ProtoGraph &graph : op.graphs)
    record["subgraphs"].push_back({{"name", graph.name}, {"type", graph.dynamic ? "DYNAMIC" : "STATIC"}});
  return record;
}

}  // namespace

std::string OperatorsText(const std::vector<Proto> &ops) {
  std::vector<const Proto *> sorted;
  for (const Proto &op : ops) sorted.push_back(&op);
  std::sort(sorted.begin(), sorted.end(), [](const Proto *a, const Proto *b) { return a->type < b->type; });
  Json file = {{"operators", Json::array()}};
  for (const Proto *op : sorted) file["operators"].push_back(Record(*op));
  return file.dump(2);
}

void CheckVersionName(const std::string &version) {
  if (version == "." || version == ".." || version.find('/') != std::string::npos)
    throw std::runtime_error("release_version is '" + version + "', which cannot be the name of a folder");
}

void WriteRelease(const std::string &package, const Release &release, const std::vector<Proto> &ops,
                  std::ostream &log) {
  CheckVersionName(release.version);
  std::string index_path = (fs::path(package) / "index.json").string(), schema_version = "1.0.0", invalid;
  std::vector<Release> releases;
  if (fs::exists(index_path)) {
    try {
      releases = ReadIndex(index_path, &schema_version, log);
    } catch (const std::runtime_error &e) {
      invalid = e.what();
      schema_version = "1.0.0";
    }
  }
  for (const Release &known : releases)
    if (known.version == release.version)
      throw std::runtime_error(
          "Given release_version already exists in index, please check index.json or use another version: " +
          release.version);
  releases.push_back(release);
  std::stable_sort(releases.begin(), releases.end(),
                   [](const Release &a, const Release &b) { return a.date < b.date; });

  Json metadata = {{"release_version", release.version}};
  if (!release.branch.empty()) metadata["branch_name"] = release.branch;
  Json index = {{"version", schema_version}, {"releases", Json::array()}};
  for (const Release &r : releases)
    index["releases"].push_back({{"release_version", r.version}, {"release_date", r.date}});
  std::string metadata_text, index_text, operators_text;
  try {
    metadata_text = metadata.dump(2);
    index_text = index.dump(2);
    operators_text = OperatorsText(ops);
  } catch (const Json::exception &) {
    throw std::runtime_error("release_version, branch_name or a prototype is not UTF-8 text");
  }

  // The index comes last: it never names a release whose files are not there.
  OutputDir folder((fs::path(package) / "registry" / release.version).string());
  folder.Write("metadata.json", metadata_text);
  folder.Write("operators.json", operators_text);
  folder.Commit();
  if (!invalid.empty()) {
    std::string kept = index_path + ".invalid";
    fs::rename(index_path, kept);
    log << "WARNING: " << invalid << "; it is kept as '" << kept << "' and a new index is made\n";
  }
  OutputDir root(package);
  root.Write("index.json", index_text);
  root.Commit();
}

}  // namespace codegen
