#include "core/placement/registry.h"

#include <dirent.h>
#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "core/ops/registry.h"
#include "core/support/loader_memory.h"
#include "core/support/log.h"
#include "core/support/shared_library.h"

// Weak: libge.so has no such table, libge.a brings one.
extern "C" {
extern const GeStaticEngine ge_static_engines[] __attribute__((weak, visibility("hidden")));
extern const size_t ge_static_engine_count __attribute__((weak, visibility("hidden")));
}

namespace gec {
namespace {

namespace fs = std::filesystem;

std::string LibraryFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void *>(&EngineHost), &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code ignored;
  fs::path real = fs::canonical(info.dli_fname, ignored);
  return (ignored ? fs::path(info.dli_fname) : real).parent_path().string();
}

constexpr const char *kPlaces[] = {"/ge/engines", "/../lib/ge/engines"};  // from the library's folder

/// Where plug-ins are looked for: GE_ENGINE_DIR, or beside the library; empty: nowhere.
std::string DefaultFolder() {
  if (const char *dir = std::getenv("GE_ENGINE_DIR"); dir && dir[0]) return dir;
  std::string base = LibraryFolder();
  for (const char *place : kPlaces) {
    std::error_code ignored;
    if (fs::is_directory(base + place, ignored)) return base + place;
  }
  return "";
}

/// Folders within a folder of plug-ins, best first: files for processors with these features. As in the C library's
/// glibc-hwcaps, a file of the same name further down is the one for processors without them.
struct Level {
  const char *folder;
  uint64_t features;
};
constexpr Level kLevels[] = {{"x86-64-v4", GE_CPU_X86_64_V4}, {"x86-64-v3", GE_CPU_X86_64_V3}, {"", 0}};

struct PlugIn {
  std::string path;
  const Level *level = nullptr;
};

constexpr std::string_view kPrefix = "libge_engine_", kSuffix = ".so";

/// The naming rule of ge/engine.h.
bool NamedAsPlugIn(std::string_view file) {
  return file.size() > kPrefix.size() + kSuffix.size() && file.substr(0, kPrefix.size()) == kPrefix &&
         file.substr(file.size() - kSuffix.size()) == kSuffix;
}

/// Adds a folder's plug-ins by file name, and libraries that are called otherwise to `others`; false with errno when it
/// cannot be read. Not std::filesystem's iterator, which ends the process without memory.
bool ListPlugIns(const std::string &folder, const Level &level, std::map<std::string, PlugIn> *found,
                 std::set<std::string> *others) {
  std::unique_ptr<DIR, int (*)(DIR *)> open(opendir(folder.c_str()), closedir);
  if (!open) {
    if (errno == ENOMEM) throw std::bad_alloc();
    return false;
  }
  const uint64_t features = HostFeatures();
  while (const dirent *file = readdir(open.get())) {
    std::string_view name = file->d_name;
    if (!NamedAsPlugIn(name)) {
      if (name.find(kSuffix) != std::string_view::npos) others->insert(file->d_name);
      continue;
    }
    PlugIn &best = (*found)[file->d_name];
    // Levels come best first: the first that runs here stays, and one that does not run only where there is no other.
    if (!best.level || !Offers(features, best.level->features))
      best = {(fs::path(folder) / file->d_name).string(), &level};
  }
  return true;
}

/// A folder's plug-ins by file name, of each the best for this processor.
std::map<std::string, PlugIn> PlugIns(const std::string &folder, std::string *problem) {
  std::map<std::string, PlugIn> found;
  std::set<std::string> others;
  for (const Level &level : kLevels) {
    const bool read = ListPlugIns(level.folder[0] ? folder + "/" + level.folder : folder, level, &found, &others);
    if (!read && !level.folder[0]) *problem = std::strerror(errno);
  }
  if (!problem->empty() || !found.empty()) return found;
  *problem = "it holds no libge_engine_*.so";
  if (!others.empty())
    *problem += Str(", the name by which plug-ins are told; there is '", *others.begin(),
                    others.size() > 1 ? Str("' and ", others.size() - 1, " more") : "'");
  return found;
}

std::string Stem(const std::string &path) {
  std::string name = fs::path(path).stem().string();
  return name.compare(0, kPrefix.size(), kPrefix) == 0 ? name.substr(kPrefix.size()) : name;
}

EngineEntry Describe(EnginePtr engine) {
  EngineEntry entry;
  entry.name = engine->name();
  entry.version = engine->version();
  entry.path = engine->path();
  entry.cost = engine->cost();
  entry.flags = engine->flags();
  entry.engine = std::move(engine);
  return entry;
}

EngineEntry Failed(std::string name, std::string path, const char *error) {
  EngineEntry entry;
  entry.name = std::move(name);
  entry.path = std::move(path);
  entry.error = error;
  entry.cost = INT32_MAX;
  return entry;
}

EngineEntry ForAnotherProcessor(std::string name, std::string path, uint64_t features) {
  const std::string missing = FeatureNames(features & ~HostFeatures());
  EngineEntry entry = Failed(std::move(name), std::move(path),
                             Str("it needs what the processor or GE_MAX_ISA does not offer: ", missing).c_str());
  entry.other_processor = true;
  return entry;
}

}  // namespace

EngineRegistry &EngineRegistry::Instance() {
  static EngineRegistry *registry = new EngineRegistry();  // never destroyed: models may outlive every static object
  return *registry;
}

EngineEntry EngineRegistry::Opened(const std::string &path, const std::string &options) const {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status))
    Fail(GE_PATH_INVALID, "engine ", path, ": it is a folder; option engines.path takes folders of engines");
  if (!fs::is_regular_file(status)) Fail(GE_PATH_INVALID, "engine ", path, ": no such file");
  if (std::string missing = MissingInLibrary(path); !missing.empty())
    Fail(GE_PATH_INVALID, "engine ", path, " cannot be loaded: ", missing);
  errno = 0;
  // A name without a folder would be looked for where the loader keeps libraries.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char *why = dlerror();
    if (LoaderLacksMemory(file, why)) throw std::bad_alloc();
    Fail(GE_PATH_INVALID, "engine ", path, " cannot be loaded: ", why ? why : "unknown loader error",
         " (this library offers engine ABI ", GE_ENGINE_ABI_VERSION, ")");
  }
  std::shared_ptr<void> library(handle, [](void *h) { dlclose(h); });
  auto query = reinterpret_cast<GeEngineQueryFn>(dlsym(handle, GE_ENGINE_QUERY_SYMBOL));
  if (query == nullptr)
    Fail(GE_PARAM_INVALID, "engine ", path, " does not export ", GE_ENGINE_QUERY_SYMBOL,
         ", the function that gives an engine's table (ge/engine.h)");
  const GeEngineTable *table = nullptr;
  try {
    table = query(GE_ENGINE_ABI_VERSION);
  } catch (const std::exception &e) {
    Fail(GE_FAILED, "engine ", path, " threw an exception in ", GE_ENGINE_QUERY_SYMBOL, ": ", e.what());
  } catch (...) {
    Fail(GE_FAILED, "engine ", path, " threw an unknown exception in ", GE_ENGINE_QUERY_SYMBOL);
  }
  return Describe(Engine::Open(table, EngineHost(), path, options, std::move(library)));
}

EngineEntry EngineRegistry::OpenedTable(const GeEngineTable *table, const std::string &options) const {
  return Describe(Engine::Open(table, EngineHost(), "", options, nullptr));
}

void EngineRegistry::Put(EngineEntry entry) {
  auto made = std::make_shared<const EngineEntry>(std::move(entry));
  auto same =
      std::find_if(entries_.begin(), entries_.end(), [&](const EngineEntryPtr &e) { return e->name == made->name; });
  if (same != entries_.end()) {
    // A plug-in that fails does not push out one that works.
    if (!made->engine && (*same)->engine) return;
    *same = std::move(made);
  } else {
    entries_.push_back(std::move(made));
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const EngineEntryPtr &a, const EngineEntryPtr &b) { return a->cost < b->cost; });
}

std::string EngineRegistry::AddFolder(const std::string &folder) {
  std::string problem;
  const std::map<std::string, PlugIn> plug_ins = PlugIns(folder, &problem);
  folders_.push_back(folder);
  for (const auto &[file, plug_in] : plug_ins) {
    const std::string &path = plug_in.path;
    try {
      if (Offers(HostFeatures(), plug_in.level->features)) Put(Opened(path, ""));
      else Put(ForAnotherProcessor(Stem(path), path, plug_in.level->features));
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &e) {
      Put(Failed(Stem(path), path, e.what()));
    }
  }
  return problem;
}

void EngineRegistry::EnsureFound() {
  if (found_) return;
  found_ = true;
  try {
    FindAll();
  } catch (...) {  // without memory: the next call looks again
    found_ = false;
    entries_.clear();
    folders_.clear();
    problems_.clear();
    throw;
  }
}

/// Those that are linked in: of each the row that is best for this processor.
void EngineRegistry::AddStatic() {
  if (&ge_static_engine_count == nullptr) return;
  std::map<std::string_view, const GeStaticEngine *> best;
  for (size_t i = 0; i < ge_static_engine_count; ++i) {
    const GeStaticEngine *&row = best[ge_static_engines[i].name];
    if (!row || !Offers(HostFeatures(), row->cpu_features)) row = &ge_static_engines[i];
  }
  for (const auto &[name, row] : best) {
    try {
      if (!Offers(HostFeatures(), row->cpu_features)) {
        Put(ForAnotherProcessor(row->name, "", row->cpu_features));
        continue;
      }
      const GeEngineTable *table = row->query(GE_ENGINE_ABI_VERSION);
      (void)ReadEngineTable(table, row->name);
      Put(OpenedTable(table, ""));
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &failure) {
      Put(Failed(row->name, "", failure.what()));
    }
  }
}

void EngineRegistry::FindAll() {
  AddStatic();
  if (std::string folder = DefaultFolder(); !folder.empty()) {
    const std::string problem = AddFolder(folder);
    const char *given = std::getenv("GE_ENGINE_DIR");
    const char *source = given && folder == given ? " (from GE_ENGINE_DIR)" : "";
    if (!problem.empty()) problems_.push_back(Str("engine folder '", folder, "'", source, ": ", problem));
  } else if (entries_.empty()) {
    std::string base = LibraryFolder();
    problems_.push_back(
        Str("GE_ENGINE_DIR is not set, and neither '", base, kPlaces[0], "' nor '", base, kPlaces[1], "' is a folder"));
  }
}

std::vector<EngineEntryPtr> EngineRegistry::Entries() {
  std::lock_guard lock(mutex_);
  EnsureFound();
  NoteHangs();
  return entries_;
}

/// Engines that hang stay in the list, so that refusals name them; their entries tell why.
void EngineRegistry::NoteHangs() {
  if (!EngineHealth::AnyHung()) return;
  for (EngineEntryPtr &e : entries_) {
    if (!e->engine || !e->engine->hang() || !e->error.empty()) continue;
    EngineEntry hung = *e;
    hung.error = Str("engine ", e->name, " hangs: ", e->engine->hang()->What());
    e = std::make_shared<const EngineEntry>(std::move(hung));
  }
}

EngineList EngineRegistry::Engines() {
  EngineList engines;
  for (const EngineEntryPtr &e : Entries()) {
    if (e->engine) engines.push_back(e->engine);
  }
  SortEngines(&engines);
  return engines;
}

void EngineRegistry::Load(const std::string &path, const std::string &options) {
  std::lock_guard lock(mutex_);
  EnsureFound();
  Put(Opened(path, options));
}

void EngineRegistry::Register(const GeEngineTable *table, const std::string &options) {
  std::lock_guard lock(mutex_);
  EnsureFound();
  Put(OpenedTable(table, options));
}

void EngineRegistry::Unload(std::string_view name) {
  std::lock_guard lock(mutex_);
  EnsureFound();
  auto at = std::find_if(entries_.begin(), entries_.end(), [&](const EngineEntryPtr &e) { return e->name == name; });
  if (at == entries_.end()) {
    std::vector<std::string> names;
    for (const EngineEntryPtr &e : entries_) names.push_back(e->name);
    Fail(GE_NOT_FOUND, "no engine is called '", std::string(name), "'",
         NearText("did you mean", NearNames(name, names)));
  }
  entries_.erase(at);
}

void EngineRegistry::LoadFrom(const std::string &path) {
  std::lock_guard lock(mutex_);
  EnsureFound();
  auto known = [&](const std::vector<std::string> &list) {
    return std::find(list.begin(), list.end(), path) != list.end();
  };
  std::error_code code;
  if (fs::is_regular_file(path, code)) {
    if (known(files_)) return;
    Put(Opened(path, ""));
    files_.push_back(path);
    return;
  }
  // A folder that turned out to be of no use is looked at again: somebody may have put right what was wrong with it.
  if (known(folders_) && !known(useless_)) return;
  std::string problem = fs::exists(path, code) ? "" : code ? code.message() : std::strerror(ENOENT);
  if (problem.empty()) {
    folders_.erase(std::remove(folders_.begin(), folders_.end(), path), folders_.end());
    problem = AddFolder(path);
  }
  useless_.erase(std::remove(useless_.begin(), useless_.end(), path), useless_.end());
  if (problem.empty()) {
    for (const EngineEntryPtr &e : entries_)
      if (!e->engine && !e->other_processor && e->path.compare(0, path.size() + 1, path + "/") == 0)
        Log(GE_LOG_WARNING, "left out of the folder of option engines.path: ", e->error);
    return;
  }
  useless_.push_back(path);
  Fail(GE_PATH_INVALID, "engine folder '", path, "' (from option engines.path): ", problem);
}

std::vector<std::string> EngineRegistry::Folders() {
  std::lock_guard lock(mutex_);
  EnsureFound();
  return folders_;
}

std::string EngineRegistry::Problems() {
  std::lock_guard lock(mutex_);
  EnsureFound();
  NoteHangs();
  std::string text;
  auto add = [&](const std::string &line) { text += (text.empty() ? "" : "\n") + line; };
  for (const std::string &problem : problems_) add(problem);
  for (const EngineEntryPtr &e : entries_) {
    if (!e->error.empty() && !e->other_processor) add(e->error);
  }
  return text;
}

}  // namespace gec
