// The table of all passes: the library's own, and those that programs registered.
#pragma once

#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/pass_info.h"

namespace gec {

class PassRegistry {
 public:
  static PassRegistry &Instance();  // knows the built-in passes from an explicit table
  /// Throws GE_PARAM_INVALID for an empty or taken name, an unknown stage or no function. Names of function passes may
  /// repeat; of two fusion passes with one name the first stays, silently. Returns what Unregister takes, 0 for a pass
  /// that will never run.
  uint64_t Register(PassEntry entry);
  /// Takes a pass that CollectPasses has collected. As above, of two fusion passes with one name the first stays.
  void Add(PassEntryPtr pass);
  void Unregister(uint64_t token) noexcept;  // 0 and unknown ones are fine
  void Unregister(std::string_view name);    // GE_NOT_FOUND with near names; built-in ones stay: GE_PARAM_INVALID
  /// By either name, those of this thread's scope too; null when absent.
  PassEntryPtr Find(std::string_view name) const;
  /// The own name of a pass that is called by its other one; any other name as it is.
  std::string NameOf(std::string_view name) const;
  PassEntryPtr Get(std::string_view name) const;  // throws GE_NOT_FOUND with near names
  /// In the order they run: the library's, with the program's of a stage behind the pass that runs the stage, and those
  /// of no stage at the end.
  std::vector<PassEntryPtr> All() const;
  /// The passes of a stage that a program registered, and this thread's scope has: as registered, then fusion passes
  /// by name. Of two fusion passes with one name the registered one runs.
  std::vector<PassEntryPtr> OfProgram(int32_t stage) const;
  /// The library's own of a stage, without essential ones and without those that hold others.
  std::vector<PassEntryPtr> OfLibrary(int32_t stage) const;
  std::vector<std::string> Near(std::string_view name) const;
  /// "; near names: …" for messages, or "".
  std::string Suggestion(std::string_view name) const;

  // Passes of a library that is loaded at run time. What is registered between Begin and End belongs to it; while it is
  // not in use its passes rest: a library that the loader keeps does not register them a second time.
  void BeginLibrary(std::string path);
  void EndLibrary();
  void UseLibrary(const std::string &path, bool in_use);
  /// All that a library registered, at rest or not.
  std::vector<PassEntryPtr> OfLibraryFile(const std::string &path) const;

 private:
  PassRegistry();
  std::vector<PassEntryPtr> OfProgramLocked(int32_t stage) const;
  bool IsUnloaded(const PassEntry &pass) const { return unloaded_.count(pass.library) != 0; }
  mutable std::shared_mutex mutex_;
  std::vector<PassEntryPtr> builtin_, user_;
  uint64_t next_token_ = 1;
  std::set<std::string> unloaded_;  // libraries
};

/// Collects what this thread registers while it lives: such passes take part in nothing by themselves.
class CollectPasses {
 public:
  CollectPasses();
  ~CollectPasses();
  CollectPasses(const CollectPasses &) = delete;
  CollectPasses &operator=(const CollectPasses &) = delete;
  std::vector<PassEntryPtr> found;

 private:
  CollectPasses *outer_;
};

/// Stages in the order a compile goes through them: before inference, after it (most built-in passes), after the
/// built-in fusion (layout and elementwise fusion follow), at the end, and after streams.
inline constexpr int32_t kStageOrder[] = {GE_STAGE_BEFORE_INFER_SHAPE, GE_STAGE_AFTER_INFER_SHAPE,
                                          GE_STAGE_AFTER_BUILTIN_FUSION_PASS, GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE,
                                          GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM};

/// A stage of engines' own passes: what a program registers for it does not run.
inline constexpr int32_t kStageCompatibleInherited = 5;

}  // namespace gec
