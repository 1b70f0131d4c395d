#include "core/compile/reproducer.h"

#include <algorithm>
#include <utility>

#include "core/passes/registry.h"
#include "core/serialize/air.h"
#include "core/support/error.h"
#include "core/support/log.h"

namespace gec {

Reproducer::Reproducer(std::string path, std::vector<std::string> arguments, std::vector<std::string> files)
    : path_(std::move(path)), arguments_(std::move(arguments)), files_(std::move(files)) {}

void Reproducer::RunBefore(Graph &root, const PassInfo &info) {
  if (!info.holds_passes) before_ = root.Clone();
}

void Reproducer::RunAfter(Graph &, const PassInfo &info, const PassRun &) {
  if (!info.holds_passes) before_.reset();
}

void Reproducer::RunFailed(const PassInfo &info) noexcept {
  const GraphPtr graph = std::move(before_);
  if (info.holds_passes || !graph) return;
  try {
    AttrValue::ListString arguments{"--pipeline", info.name};
    arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
    graph->SetGraphAttr(kReproducerAttr, AttrValue(std::move(arguments)));
    SaveAir(*graph, path_);
    note_ = Str("the graph before pass '", info.name, "' is in '", path_, "'; to see the failure again: ge opt '",
                path_, "'");
    std::vector<std::string> files = files_;
    const PassEntryPtr pass = PassRegistry::Instance().Find(info.name);
    if (pass && !pass->library.empty() && std::find(files.begin(), files.end(), pass->library) == files.end())
      files.push_back(pass->library);
    for (const std::string &file : files) note_ += " --pass '" + file + "'";
  } catch (const std::exception &error) {
    Log(GE_LOG_ERROR, "option passes.reproducer: ", error.what());
  }
}

}  // namespace gec
