// Writes generated files: all of them aside first, then renamed; a file whose content is already right is left alone,
// so that a rebuild compiles only what changed.
#pragma once

#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace codegen {

/// `path`, created when missing. Where it cannot be, that is said on `log` and "./" is taken, as GE's generator does.
std::string OutputPath(const std::string &path, std::ostream &log);

/// Makes other runs for the same folder wait, from reading what is there to writing what follows from it. It leaves no
/// file behind; a file system without such locks is used without.
class FolderLock {
 public:
  explicit FolderLock(const std::string &path);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

 private:
  int folder_;
};

class OutputDir {
 public:
  explicit OutputDir(std::string path);  // created when missing; throws std::runtime_error
  ~OutputDir();                          // what was not committed is removed, with folders made for it
  OutputDir(const OutputDir &) = delete;
  OutputDir &operator=(const OutputDir &) = delete;

  /// How many files of an earlier run for `module` are here.
  size_t EarlierFiles(const std::string &module) const;
  void Write(const std::string &name, const std::string &text);
  /// Puts everything written in place.
  void Commit();
  /// Removes files that an earlier run wrote for `module` and this one did not. Files that were changed by hand (they
  /// have lost the generator's sentence) or that belong to another module of the folder stay. What a killed run wrote
  /// aside goes as well. Call it before Commit.
  void RemoveVanished(const std::string &module);
  /// Instead of RemoveVanished: what an earlier run wrote for `module` stays, and goes when a later run does not write
  /// it.
  void KeepEarlier(const std::string &module);

  int written() const { return written_; }
  int unchanged() const { return unchanged_; }
  int removed() const { return removed_; }

 private:
  bool LeftBehind(const std::string &name) const;

  std::string path_;
  std::vector<std::filesystem::path> made_;  // folders, the outermost first
  std::set<std::string> names_;
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> staged_;  // aside, target
  std::vector<std::filesystem::path> vanished_;
  int written_ = 0, unchanged_ = 0, removed_ = 0;
};

}  // namespace codegen
