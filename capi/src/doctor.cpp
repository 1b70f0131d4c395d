// A description of this installation and its surroundings, as text for a bug report.
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

std::string Variable(const char *name) {
  const char *value = std::getenv(name);
  return Str("  ", name, " = ", value ? value : "(not set)", "\n");
}

std::string EngineText() {
  EngineRegistry &registry = EngineRegistry::Instance();
  std::vector<EngineEntryPtr> entries = registry.Entries();
  std::string text = "engine folders  ";
  std::vector<std::string> folders = registry.Folders();
  for (const std::string &folder : folders) text += " " + folder;
  text += folders.empty() ? " none found\n" : "\n";
  if (std::string problems = registry.Problems(); !problems.empty()) text += Str("problem: ", problems, "\n");
  text += Str("engines          ", entries.size(), "\n");
  bool reference = false;
  for (const EngineEntryPtr &e : entries) {
    if (e->engine) {
      text += Str("  ", e->name, "  cost ", e->cost, "  version ", e->version, "  ",
                  e->path.empty() ? "linked in" : e->path, "\n");
      reference |= e->name == kReferenceEngine;
    } else {
      text += Str("  ", e->name, e->other_processor ? "  not used: " : "  FAILED: ", e->error, "\n");
    }
  }
  if (!reference)
    text += Str("problem: ", kReferenceEngine, " is missing; set GE_ENGINE_DIR to the folder that holds the engines\n");
  return text;
}

}  // namespace

extern "C" GeStatus GeDoctor(GeTextFn write, void *user) {
  return Guard([&] {
    GE_CHECK_ARG(GeDoctor, write);
    std::string text = Str("version          ", GE_VERSION_STRING, "\nC ABI            ", GE_ABI_VERSION,
                           "\nengine ABI       ", GE_ENGINE_ABI_VERSION, "\nprocessor        ", ProcessorName(), "\n");
    try {
      text +=
          Str("instruction set  ", IsaName(HostFeatures()), "\nfeatures         ", FeatureNames(HostFeatures()), "\n");
    } catch (const Error &e) {
      text += Str("instruction set  problem: ", e.what(), "\n");
    }
    const double limit = CgroupLimit();
    text += Str("threads          ", DefaultThreads(), " by default (affinity ", AffinityThreads(), ", cgroup limit ",
                limit > 0 ? Str(limit) : "none", ")\n");
    text += Str("operators        ", OpRegistry::Instance().All().size(), " prototypes\n");
    try {
      text += EngineText();
    } catch (const Error &) {  // the cap of the processor's features is wrong: said above
      text += "engines          not looked for\n";
    }
    text += "environment\n";
    for (const char *name : {"GE_ENGINE_DIR", "GE_MAX_ISA", "GE_LOG_LEVEL", "OMP_NUM_THREADS", "OMP_WAIT_POLICY"})
      text += Variable(name);
    Write(write, user, text);
  });
}
