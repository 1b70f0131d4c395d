#include "runtime/weight_store_place.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/placement/registry.h"
#include "core/support/warnings.h"
#include "ge/version.h"

namespace gec {
namespace {

namespace fs = std::filesystem;

/// Tells builds of one version apart.
std::string BuildOf(const std::string &path) {
  struct stat info;
  if (path.empty() || stat(path.c_str(), &info) != 0) return "";
  return Str(info.st_size, ":", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec);
}

std::string LibraryPath() {
  Dl_info info{};
  return dladdr(reinterpret_cast<void *>(&EngineHost), &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

std::string OptionsText(const Options &options, int32_t threads) {
  std::string text = Str("threads=", threads);
  for (const auto &[key, value] : options.all())
    if (key != "weights.store" && key != "threads") text += Str("\n", key, "=", value);
  return text;
}

}  // namespace

std::unique_ptr<WeightStore> OpenWeightStore(const Settings &settings, const Options &options, const Graph &graph,
                                             const EngineList &engines) {
  const std::string &wanted = settings.weights_store;
  if (wanted.empty()) return nullptr;
  static const Symbol kModelFile = kModelFileAttr;
  const AttrValue *attr = graph.attrs().Find(kModelFile);
  const std::string *file = attr ? attr->get_if<std::string>() : nullptr;
  if (wanted == "on" && !file) {
    Warn(Str("option weights.store is 'on', and graph '", graph.name(),
             "' is not from a file that the store could lie beside: name a folder"));
    return nullptr;
  }
  std::error_code ignored;
  const fs::path model = file ? fs::absolute(*file, ignored) : fs::path(graph.name());
  const fs::path folder = wanted == "on" ? model.parent_path() : fs::path(wanted);
  if (wanted != "on")
    fs::create_directory(folder, ignored);  // what keeps it from that is told when the file is written
  const std::string setting = Str("features=", HostFeatures(), "\n", OptionsText(options, settings.threads), "\n");
  char number[17];
  std::snprintf(number, sizeof number, "%016llx",
                static_cast<unsigned long long>(HashContent(setting + model.string()).low));
  std::string made_by = Str("OpenGE ", GE_VERSION_STRING, " ", BuildOf(LibraryPath()), "\n", setting);
  for (const EnginePtr &engine : engines)
    made_by += Str(engine->name(), " ", engine->version(), " ", BuildOf(engine->path()), "\n");
  return std::make_unique<WeightStore>((folder / (model.filename().string() + "." + number + ".gepack")).string(),
                                       std::move(made_by));
}

}  // namespace gec
