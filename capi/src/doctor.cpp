// A description of this installation and its surroundings, as text for a bug report.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "capi/src/model_handles.h"
#include "core/ops/registry.h"
#include "core/placement/registry.h"
#include "ge/version.h"
#include "runtime/threads.h"

using namespace gec;
using namespace gec::api;

namespace {

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

/// Those that are set: what is not there did nothing.
std::string Environment() {
  std::string set, unset;
  for (const char *name : {"GE_ENGINE_DIR", "GE_MAX_ISA", "GE_LOG_LEVEL", "OMP_NUM_THREADS", "OMP_WAIT_POLICY"}) {
    const char *value = std::getenv(name);
    if (value) set += Str("  ", name, " = ", value, "\n");
    else unset += Str(unset.empty() ? "" : ", ", name);
  }
  if (set.empty()) return Str("environment      not set: ", unset, "\n");
  return Str("environment", unset.empty() ? "" : "      not set: ", unset, "\n", set);
}

/// The path below the folder that was looked at, or the whole path.
std::string Below(const std::vector<std::string> &folders, const std::string &path) {
  for (const std::string &folder : folders)
    if (path.compare(0, folder.size() + 1, folder + "/") == 0) return path.substr(folder.size() + 1);
  return path.empty() ? "linked in" : path;
}

/// One line per engine; what is wrong goes to `problems`.
std::string EngineText(std::string *problems) {
  EngineRegistry &registry = EngineRegistry::Instance();
  std::vector<EngineEntryPtr> entries = registry.Entries();
  std::string text = "engine folders  ";
  std::vector<std::string> folders = registry.Folders();
  for (const std::string &folder : folders) text += " " + folder;
  text += folders.empty() ? " none found\n" : "\n";
  *problems += registry.Problems();
  text += Str("engines          ", entries.size(), ", in the order in which they are asked\n");
  bool reference = false;
  size_t width = 0;
  for (const EngineEntryPtr &e : entries) width = std::max(width, e->name.size());
  for (const EngineEntryPtr &e : entries) {
    if (e->engine) {
      // The library that the first compile in need of it would open is opened here: it may be what is wrong.
      std::string missing;
      const std::string libraries = e->engine->Libraries(true, &missing);
      if (!missing.empty()) *problems += Str(problems->empty() ? "" : "\n", "engine ", e->name, ": ", missing);
      text += Str("  ", e->name, std::string(width - e->name.size(), ' '), "  cost ", e->cost, e->cost < 10 ? " " : "",
                  "  version ", e->version, "  ", Below(folders, e->path), libraries.empty() ? "" : "  opens ",
                  libraries, "\n");
      reference |= e->name == kReferenceEngine;
    } else {
      text += Str("  ", e->name, e->other_processor ? "  not used: " : "  FAILED: ", e->error, "\n");
    }
  }
  if (!reference)
    *problems += Str(problems->empty() ? "" : "\n", kReferenceEngine,
                     " is missing; set GE_ENGINE_DIR to the folder that holds the engines");
  return text;
}

/// First, one line each: "problem: …".
std::string ProblemText(const std::string &problems) {
  if (problems.empty()) return "no problems\n";
  std::string text = "problem: ";
  for (char c : problems) text += c == '\n' ? std::string("\nproblem: ") : std::string(1, c);
  return text + "\n";
}

}  // namespace

extern "C" GeStatus GeDoctor(GeTextFn write, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeDoctor, write);
    std::string problems;
    std::string text = Str("version          ", GE_VERSION_STRING, " (C ABI ", GE_ABI_VERSION, ", engine ABI ",
                           GE_ENGINE_ABI_VERSION, ")\nprocessor        ", ProcessorName(), "\n");
    try {
      text +=
          Str("instruction set  ", IsaName(HostFeatures()), "\nfeatures         ", FeatureNames(HostFeatures()), "\n");
    } catch (const Error &e) {
      problems = e.what();
    }
    const double limit = CgroupLimit();
    text += Str("threads          ", DefaultThreads(), " by default (affinity ", AffinityThreads(), ", cgroup limit ",
                limit > 0 ? Str(limit) : "none", ")\n");
    text += Str("operators        ", OpRegistry::Instance().All().size(), " prototypes\n");
    try {
      text += EngineText(&problems);
    } catch (const Error &) {  // the cap of the processor's features is wrong: said above
      text += "engines          not looked for\n";
    }
    text += Environment();
    Write(write, user, ProblemText(problems) + text);
  });
}
