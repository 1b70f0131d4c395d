// gen_esb: writes C, C++ and Python wrappers for operator prototypes, and archives the prototypes of a release.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "emit.h"
#include "flags.h"
#include "history.h"
#include "output_dir.h"
#include "prototype_libraries.h"
#include "release_date.h"

namespace {

using codegen::Flags;

bool InFamilies(const GeOpSchema &schema, const std::set<std::string> &wanted) {
  if (wanted.empty()) return true;
  for (const std::string &family : codegen::SplitCommas(schema.family ? schema.family : ""))
    if (wanted.count(family) != 0) return true;
  return false;
}

// The operators that get wrappers, and why others do not.
codegen::Module ChooseOperators(const Flags &flags, const codegen::RegisteredOps &registered) {
  std::set<std::string> only = codegen::SplitCommas(flags.only_ops), families = codegen::SplitCommas(flags.families),
                        excluded = codegen::SplitCommas(flags.exclude_ops), missing = only;
  codegen::Module module{flags.module_name, flags.h_guard_prefix, {}, {}};
  std::map<std::string, std::string> owners = {{"es_log.h", "the helpers of all wrappers"}};
  for (const char *tail : {"_ops.h", "_ops_c.h", "_ops.py"})
    owners["es_" + module.name + tail] = "the aggregate of module " + module.name;
  std::set<std::string> types;
  std::vector<codegen::RegisteredOp> all = registered.All();
  for (const codegen::RegisteredOp &entry : all) types.insert(entry.schema->type);
  for (const codegen::RegisteredOp &entry : all) {
    const GeOpSchema &schema = *entry.schema;
    std::string type = schema.type, reason;
    missing.erase(type);
    if (!only.empty() && only.count(type) == 0) continue;
    if (excluded.count(type) != 0 || !InFamilies(schema, families)) continue;
    if (codegen::IsSkipped(type, &reason)) {
      if (!reason.empty()) module.unsupported[reason].push_back(type);
      continue;
    }
    codegen::Op op;
    reason = codegen::BuildOp(schema, &op);
    bool with_struct = op.result == codegen::ResultKind::kStruct || op.result == codegen::ResultKind::kDynamicOnly;
    if (reason.empty() && with_struct && types.count(type + "Output") != 0)
      reason = "The output struct would have the name of another operator's function";
    for (const char *tail : {".h", "_c.h", ".cpp", ".py"}) {
      auto [owner, fresh] = owners.emplace("es_" + type + tail, "operator " + type);
      if (reason.empty() && !fresh) reason = "File " + owner->first + " is that of " + owner->second;
    }
    if (reason.empty()) module.ops.push_back(std::move(op));
    else module.unsupported[reason].push_back(type);
  }
  if (!missing.empty())
    throw std::runtime_error("--only_ops names '" + *missing.begin() + "', which no prototype library registers");
  return module;
}

void WriteWrappers(const Flags &flags, const codegen::Module &module, const codegen::History &history,
                   codegen::OutputDir *out) {
  for (const codegen::Op &op : module.ops) {
    codegen::Proto present;
    codegen::CppPlan plan{{codegen::PresentSignature(op)}, {}};
    std::vector<std::string> notes;
    std::string problem = codegen::ProtoOf(*op.schema, &present);
    std::vector<codegen::Proto> chain = history.Chain(op.type, &notes);
    if (problem.empty()) plan = codegen::PlanSignatures(op, present, chain);
    plan.warnings.insert(plan.warnings.begin(), notes.begin(), notes.end());
    out->Write("es_" + op.type + "_c.h", codegen::CHeader(module, op));
    out->Write("es_" + op.type + ".cpp", codegen::CSource(op));
    out->Write("es_" + op.type + ".h", codegen::CppHeader(module, op, plan));
    out->Write("es_" + op.type + ".py", codegen::PythonOperator(module, op));
  }
  out->Write("es_" + module.name + "_ops_c.h", codegen::CAggregate(module));
  out->Write("es_" + module.name + "_ops.h", codegen::CppAggregate(module));
  out->Write("es_log.h", codegen::LogHeader());
  for (int chunk = 0; chunk < flags.chunks; ++chunk) {
    std::string text = codegen::CBanner();
    for (size_t i = static_cast<size_t>(chunk); i < module.ops.size(); i += static_cast<size_t>(flags.chunks))
      text += "#include \"es_" + module.ops[i].type + ".cpp\"\n";
    out->Write("es_" + module.name + "_chunk" + std::to_string(chunk) + ".cpp", text);
  }
}

int GenerateCode(const Flags &flags, const codegen::RegisteredOps &registered) {
  codegen::Module module = ChooseOperators(flags, registered);
  codegen::History history;
  if (!flags.history_registry.empty()) {
    std::ostringstream said;
    history = codegen::History(flags.history_registry, flags.release_version, said);
    std::cerr << said.str();
    if (flags.strict && !said.str().empty())
      throw std::runtime_error("the history '" + flags.history_registry + "' is damaged, and --strict was given");
  }
  std::printf("module %s: %zu operators, %zu releases of history\n", module.name.c_str(), module.ops.size(),
              history.window().size());

  const std::string folder = codegen::OutputPath(flags.output_dir, std::cerr);
  codegen::FolderLock lock(folder);
  codegen::OutputDir out(folder);
  if (module.ops.empty()) {
    std::fprintf(stderr,
                 "ERROR: no ops to generate, module %s is empty; see ASCEND_OPP_PATH, ASCEND_CUSTOM_OPP_PATH and "
                 "--exclude_ops\n",
                 module.name.c_str());
    if (size_t earlier = out.EarlierFiles(module.name))
      std::fprintf(stderr, "The aggregates in '%s' become empty; the other %zu files of an earlier run stay\n",
                   folder.c_str(), earlier);
  }
  if (flags.python_only.empty()) {
    WriteWrappers(flags, module, history, &out);
    out.Write("es_" + module.name + "_ops.py", codegen::PythonAggregate(module));
  } else {
    out.Write("es_" + module.name + "_ops.py", codegen::PythonFamily(module, flags.python_only));
    for (const codegen::Op &op : module.ops)
      out.Write("es_" + op.type + ".py", codegen::PythonFamilyOperator(op, flags.python_only));
  }
  out.Write("es_" + module.name + "_ops.pyi", codegen::PythonStub(module));
  out.Write("__init__.py", codegen::PythonPackage(module));
  out.Write("__init__.pyi", codegen::PythonPackageStub(module));
  // An environment that went wrong must not take the wrappers of an earlier run away.
  if (module.ops.empty()) out.KeepEarlier(module.name);
  else out.RemoveVanished(module.name);
  out.Commit();

  if (!module.unsupported.empty()) std::printf("\033[33m%s\033[0m", codegen::UnsupportedReport(module, "").c_str());
  std::printf("done: %d files written, %d unchanged, %d removed in %s\n", out.written(), out.unchanged(), out.removed(),
              folder.c_str());
  return 0;
}

int ExtractHistory(const Flags &flags, const codegen::RegisteredOps &registered) {
  codegen::Release release{flags.release_version, flags.release_date, flags.branch_name};
  if (release.date.empty()) release.date = codegen::Today();
  if (!codegen::IsReleaseDate(release.date))
    throw std::runtime_error(
        "Given release_date parameter for history registry generator is not in the correct format (YYYY-MM-DD).: '" +
        release.date + "'");
  if (release.version.empty())
    throw std::runtime_error("The required parameter release_version for history registry generator is not set.");
  codegen::CheckVersionName(release.version);
  std::vector<codegen::Proto> ops;
  for (const codegen::RegisteredOp &entry : registered.All()) {
    codegen::Proto op;
    std::string problem = codegen::ProtoOf(*entry.schema, &op);
    if (problem.empty()) ops.push_back(std::move(op));
    else std::fprintf(stderr, "WARNING: operator %s is left out: %s\n", entry.schema->type, problem.c_str());
  }
  if (ops.empty()) {
    std::fprintf(stderr, "ERROR: no ops to generate, release %s would be empty; see ASCEND_OPP_PATH\n",
                 release.version.c_str());
    return 0;
  }
  const std::string folder = codegen::OutputPath(flags.output_dir, std::cerr);
  codegen::FolderLock lock(folder);
  codegen::WriteRelease(folder, release, ops, std::cerr);
  std::printf("done: release %s of %s with %zu operators in %s\n", release.version.c_str(), release.date.c_str(),
              ops.size(), folder.c_str());
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  Flags flags;
  std::string error = codegen::ParseFlags(argc, argv, &flags);
  if (!error.empty()) {
    std::fprintf(stderr, "gen_esb: %s; try gen_esb --help\n", error.c_str());
    return 2;
  }
  if (flags.help) {
    std::fputs(codegen::kUsage, stdout);
    return 0;
  }
  std::printf("ES Graph Builder Generator v1.0\n");
  try {
    if (!std::getenv("LD_LIBRARY_PATH"))
      std::fprintf(stderr, "WARNING: LD_LIBRARY_PATH is not set; prototype libraries may not find what they need\n");
    codegen::RegisteredOps registered;
    codegen::LoadPrototypeLibraries(&registered, std::cout);
    return flags.es_mode == "codegen" ? GenerateCode(flags, registered) : ExtractHistory(flags, registered);
  } catch (const std::exception &e) {
    std::fflush(stdout);
    std::fprintf(stderr, "gen_esb: %s\n", e.what());
    return 1;
  }
}
