// Libraries with passes: loaded when the process starts, unloaded when it ends.
#pragma once

#include <string>
#include <vector>

#include "core/passes/pass_info.h"
#include "runtime/options.h"

namespace gec {

/// Loads <package root>/vendors/*/custom_fusion_passes/*.so, both in the order of their names, on the first call;
/// further calls are counted. The root is ASCEND_OPP_PATH, else opp beside the folder of this library. Throws GE_FAILED
/// (E13029) for a library that cannot be loaded; those before it are then unloaded again.
void LoadPassLibraries();
/// Undoes one LoadPassLibraries; the last one unloads. False when nothing is loaded.
bool UnloadPassLibraries() noexcept;

/// Loads one library, a Python file (.py), or a folder of Python files; again with the same path is counted. `options`
/// say which Python. Throws GE_FAILED (E13029).
void LoadPassLibrary(const std::string &path, const Options &options);
/// Undoes one LoadPassLibrary; the last one unloads. False when it is not loaded.
bool UnloadPassLibrary(const std::string &path);
/// Their paths.
std::vector<std::string> LoadedPassLibraries();

/// The passes of a library for those who hold them alone: for others they rest, unless the library is loaded for all.
/// It stays open as long as one of them is held. Throws GE_FAILED (E13029).
std::vector<PassEntryPtr> PassesOfLibrary(const std::string &path);

}  // namespace gec
