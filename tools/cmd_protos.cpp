// ge protos: what changed between two sets of operator prototypes, and one prototype through the releases.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cmd_protos_sets.h"
#include "codegen/history.h"
#include "commands.h"
#include "native.h"
#include "table.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;
using codegen::kCallerNames;
using codegen::kCallers;

constexpr int kExitBreaking = 3;

struct DiffArgs {
  std::string older, newer;
  std::vector<std::string> ignored;
  bool json = false;
};

Json ChangeJson(const codegen::Change &change) {
  Json row = {{"op", change.op}, {"change", change.kind}};
  if (!change.item.empty()) row["item"] = change.item;
  for (int caller = 0; caller < kCallers; ++caller) {
    const codegen::Verdict &verdict = change.verdicts[static_cast<size_t>(caller)];
    Json entry = {{"verdict", verdict.breaking ? "breaking" : "compatible"}};
    if (!verdict.reason.empty()) entry["reason"] = verdict.reason;
    row[caller < codegen::kStaticBinary ? "source"
        : caller < codegen::kIr         ? "binary"
                                        : "graph"][kCallerNames[static_cast<size_t>(caller)]] = entry;
  }
  return row;
}

// Reasons of one change, each with those it holds for: "c, dynamic: the C function has …".
std::vector<std::string> Reasons(const codegen::Change &change, bool breaking) {
  std::vector<std::pair<std::string, std::string>> by_reason;
  for (size_t i = 0; i < kCallers; ++i) {
    const codegen::Verdict &verdict = change.verdicts[i];
    if (verdict.breaking != breaking || verdict.reason.empty()) continue;
    auto found =
        std::find_if(by_reason.begin(), by_reason.end(), [&](const auto &r) { return r.first == verdict.reason; });
    if (found == by_reason.end()) by_reason.emplace_back(verdict.reason, kCallerNames[i]);
    else found->second += std::string(", ") + kCallerNames[i];
  }
  std::vector<std::string> lines;
  for (const auto &[reason, callers] : by_reason) lines.push_back(callers + ": " + reason);
  return lines;
}

void PrintChange(const codegen::Change &change) {
  bool breaks = std::any_of(change.verdicts.begin(), change.verdicts.end(),
                            [](const codegen::Verdict &verdict) { return verdict.breaking; });
  std::printf("%s: %s%s%s\n", change.op.c_str(), change.kind.c_str(), change.item.empty() ? "" : ", ",
              change.item.c_str());
  for (const std::string &line : Reasons(change, true)) std::printf("  breaking for %s\n", line.c_str());
  for (const std::string &line : Reasons(change, false)) std::printf("  compatible for %s\n", line.c_str());
  if (!breaks && Reasons(change, false).empty()) std::printf("  compatible for all\n");
}

// Both sets; where neither can be read, both reasons are told.
std::pair<codegen::ProtoSet, codegen::ProtoSet> ReadBoth(const std::string &older, const std::string &newer) {
  std::pair<codegen::ProtoSet, codegen::ProtoSet> sets;
  std::string problems;
  int code = 0;
  auto read = [&](const std::string &name, codegen::ProtoSet *set) {
    try {
      *set = ReadSet(name);
    } catch (const Error &e) {
      problems += (problems.empty() ? "" : "\nge: ") + std::string(e.what());
      code = e.exit_code;
    }
  };
  read(older, &sets.first);
  if (newer != older) read(newer, &sets.second);
  else sets.second = sets.first;
  if (!problems.empty()) throw Error(problems, code);
  return sets;
}

void Diff(const DiffArgs &args) {
  for (const std::string &name : args.ignored)
    if (std::find(kCallerNames.begin(), kCallerNames.end(), name) == kCallerNames.end())
      throw Usage("--ignore is '" + name + "', expected some of c, cpp, python, static, dynamic, ir");
  auto [older, newer] = ReadBoth(args.older, args.newer);
  std::vector<codegen::Change> changes = codegen::CompareSets(older, newer);
  std::array<size_t, kCallers> breaking{};
  bool counts = false;
  for (const codegen::Change &change : changes) {
    for (size_t i = 0; i < kCallers; ++i) {
      if (!change.verdicts[i].breaking) continue;
      ++breaking[i];
      counts = counts || std::find(args.ignored.begin(), args.ignored.end(), kCallerNames[i]) == args.ignored.end();
    }
  }
  if (args.json) {
    Json json = {{"old", args.older}, {"new", args.newer}, {"compatible", !counts}, {"ignored", args.ignored}};
    for (size_t i = 0; i < kCallers; ++i) json["breaking"][kCallerNames[i]] = breaking[i];
    json["changes"] = Json::array();
    for (const codegen::Change &change : changes) json["changes"].push_back(ChangeJson(change));
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    for (const codegen::Change &change : changes) PrintChange(change);
    std::printf("%zu changes; breaking:", changes.size());
    for (size_t i = 0; i < kCallers; ++i) std::printf(" %s %zu", kCallerNames[i], breaking[i]);
    std::printf("\n");
  }
  std::fflush(stdout);
  if (counts)
    throw Error("there are breaking changes from '" + args.older + "' to '" + args.newer + "'", kExitBreaking);
}

struct ShowArgs {
  std::string type, package;
  bool json = false;
};

const char *KindText(int kind, const char *what) {
  if (kind == GE_IR_DYNAMIC) return *what == 'i' ? "DYNAMIC_INPUT" : "DYNAMIC_OUTPUT";
  return kind == GE_IR_OPTIONAL ? "OPTIONAL_INPUT" : *what == 'i' ? "INPUT" : "OUTPUT";
}

// As its declaration reads.
std::string Declaration(const codegen::Proto &proto) {
  std::string text = "REG_OP(" + proto.type + ")\n";
  for (const codegen::ProtoPort &port : proto.inputs)
    text += std::string("  .") + KindText(port.kind, "i") + "(" + port.name + ", " + port.dtype + ")\n";
  for (const codegen::ProtoPort &port : proto.outputs)
    text += std::string("  .") + KindText(port.kind, "o") + "(" + port.name + ", " + port.dtype + ")\n";
  for (const codegen::ProtoAttr &attr : proto.attrs)
    text += attr.required ? "  .REQUIRED_ATTR(" + attr.name + ", " + attr.type + ")\n"
                          : "  .ATTR(" + attr.name + ", " + attr.type + ", " + codegen::ShownDefault(attr) + ")\n";
  for (const codegen::ProtoGraph &graph : proto.graphs)
    text += std::string(graph.dynamic ? "  .DYNAMIC_GRAPH(" : "  .GRAPH(") + graph.name + ")\n";
  return text;
}

struct Entry {
  std::string release, date;
  bool present = false, added = false;
  std::vector<codegen::Change> changes;
};

std::vector<Entry> Releases(const std::string &package, const std::string &type, const codegen::ProtoSet &now) {
  std::ostringstream log;
  std::string schema_version;
  std::vector<Entry> entries;
  codegen::ProtoSet before;
  auto add = [&](const std::string &release, const std::string &date, const codegen::ProtoSet &all) {
    codegen::ProtoSet one;
    auto found = all.find(type);
    if (found != all.end()) one.insert(*found);
    entries.push_back({release, date, !one.empty(), before.empty() && !one.empty(), codegen::CompareSets(before, one)});
    before = one;
  };
  try {
    for (const codegen::Release &release : codegen::ReadIndex(package + "/index.json", &schema_version, log))
      add(release.version, release.date, codegen::ReadRelease(package, release.version).ops);
  } catch (const std::exception &e) {
    throw Usage(e.what());
  }
  if (!log.str().empty()) std::cerr << "ge: " << log.str();
  add("this installation", "", now);
  return entries;
}

void Show(const ShowArgs &args, bool history) {
  codegen::ProtoSet now = ReadSet("builtin");
  const GeOpSchema *schema = nullptr;
  std::vector<Entry> entries;
  if (history) entries = Releases(args.package.empty() ? InstalledHistory() : args.package, args.type, now);
  bool archived = std::any_of(entries.begin(), entries.end(), [](const Entry &entry) { return entry.present; });
  if (now.count(args.type) == 0 && !archived) Check(GeOpFind(args.type.c_str(), &schema));  // names what is near
  auto found = now.find(args.type);
  if (args.json) {
    Json json = {{"op", args.type}, {"declaration", found == now.end() ? Json() : Json(Declaration(found->second))}};
    for (const Entry &entry : entries) {
      Json row = {
          {"release", entry.release}, {"date", entry.date}, {"present", entry.present}, {"changes", Json::array()}};
      for (const codegen::Change &change : entry.changes) row["changes"].push_back(ChangeJson(change));
      json["history"].push_back(row);
    }
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  std::printf("%s", found == now.end() ? (args.type + " is not in this installation\n").c_str()
                                       : Declaration(found->second).c_str());
  for (const Entry &entry : entries) {
    std::printf("%s%s%s: %s\n", entry.release.c_str(), entry.date.empty() ? "" : ", ", entry.date.c_str(),
                !entry.present          ? "not there"
                : entry.added           ? "added"
                : entry.changes.empty() ? "no change"
                                        : (std::to_string(entry.changes.size()) + " changes").c_str());
    if (entry.added) continue;
    for (const codegen::Change &change : entry.changes) PrintChange(change);
  }
}

}  // namespace

void AddProtos(CLI::App *app) {
  app->require_subcommand(1);
  CLI::App *diff = app->add_subcommand("diff", "classify what changed between two sets of prototypes");
  auto args = std::make_shared<DiffArgs>();
  diff->add_option("old", args->older, kSetHelp)->required();
  diff->add_option("new", args->newer, "the same")->required();
  diff->add_option("--ignore", args->ignored, "callers whose breaks do not count: c, cpp, python, static, dynamic, ir")
      ->delimiter(',');
  diff->add_flag("--json", args->json, "machine-readable output");
  diff->footer("Exit status 3 when a change breaks callers that are not ignored.");
  diff->callback([args] { Diff(*args); });

  CLI::App *show = app->add_subcommand("show", "one prototype, also through the releases");
  auto what = std::make_shared<ShowArgs>();
  show->add_option("type", what->type, "operator type")->required();
  CLI::Option *history =
      show->add_option("--history", what->package, "releases of this history package (default: the installed one)")
          ->expected(0, 1);
  show->add_flag("--json", what->json, "machine-readable output");
  show->callback([what, history] { Show(*what, history->count() > 0); });
}

}  // namespace tool
