#include "output_dir.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace codegen {
namespace fs = std::filesystem;
namespace {

bool ReadAll(const fs::path &path, std::string *text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::stringstream content;
  content << file.rdbuf();
  *text = content.str();
  return true;
}

fs::path ListOf(const fs::path &folder, const std::string &module) {
  return folder / (".gen_esb_" + module + ".files");
}

std::set<std::string> Lines(const fs::path &path) {
  std::ifstream file(path);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

// Creates what is missing of a path; returns what it made, the outermost first.
std::vector<fs::path> MakeFolders(const fs::path &path, std::error_code *error) {
  std::vector<fs::path> missing, made;
  for (fs::path at = path; !at.empty() && !fs::exists(at, *error); at = at.parent_path()) missing.push_back(at);
  error->clear();
  for (auto at = missing.rbegin(); at != missing.rend() && !*error; ++at)
    if (fs::create_directory(*at, *error)) made.push_back(*at);
  if (!*error && !fs::is_directory(path)) *error = std::make_error_code(std::errc::not_a_directory);
  return made;
}

void RemoveEmpty(const std::vector<fs::path> &folders) {
  std::error_code ignored;
  for (auto at = folders.rbegin(); at != folders.rend(); ++at) fs::remove(*at, ignored);
}

}  // namespace

std::string OutputPath(const std::string &path, std::ostream &log) {
  std::error_code error;
  std::vector<fs::path> made = MakeFolders(path, &error);
  if (fs::is_directory(path)) return path;
  RemoveEmpty(made);
  log << "ERROR: output directory '" << path << "' cannot be created: " << error.message() << "; going on with './'\n";
  return "./";
}

FolderLock::FolderLock(const std::string &path) : folder_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (folder_ >= 0 && flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) close(folder_);
}

OutputDir::OutputDir(std::string path) : path_(std::move(path)) {
  std::error_code error;
  made_ = MakeFolders(path_, &error);
  if (!fs::is_directory(path_)) {
    RemoveEmpty(made_);
    throw std::runtime_error("output directory '" + path_ + "' cannot be created: " + error.message());
  }
}

OutputDir::~OutputDir() {
  std::error_code ignored;
  for (const auto &[aside, target] : staged_) fs::remove(aside, ignored);
  RemoveEmpty(made_);
}

size_t OutputDir::EarlierFiles(const std::string &module) const {
  size_t count = 0;
  for (const std::string &name : Lines(ListOf(path_, module))) count += fs::exists(fs::path(path_) / name);
  return count;
}

void OutputDir::Write(const std::string &name, const std::string &text) {
  names_.insert(name);
  fs::path target = fs::path(path_) / name;
  // Told now, while nothing is in place yet: renaming onto it would fail in the middle.
  if (fs::is_directory(target))
    throw std::runtime_error("cannot write '" + target.string() + "': a folder is in its place");
  std::string present;
  if (ReadAll(target, &present) && present == text) {
    ++unchanged_;
    return;
  }
  fs::path aside = target;
  aside += ".tmp" + std::to_string(getpid());
  std::FILE *file = std::fopen(aside.c_str(), "wb");
  int reason = errno;
  bool ok = file != nullptr;
  if (ok) {
    staged_.emplace_back(aside, target);
    ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    reason = errno;
    if (std::fclose(file) != 0 && ok) {
      ok = false;
      reason = errno;
    }
  }
  if (!ok)
    throw std::runtime_error("cannot write '" + target.string() + "' (" + std::to_string(text.size()) +
                             " bytes): " + std::strerror(reason));
  ++written_;
}

void OutputDir::KeepEarlier(const std::string &module) {
  fs::path list = ListOf(path_, module);
  std::set<std::string> all = Lines(list);
  all.insert(names_.begin(), names_.end());
  std::string text;
  for (const std::string &name : all) text += name + "\n";
  Write(list.filename().string(), text);
}

void OutputDir::Commit() {
  while (!staged_.empty()) {
    auto [aside, target] = staged_.back();
    std::error_code error;
    fs::rename(aside, target, error);
    if (error) throw std::runtime_error("cannot write '" + target.string() + "': " + error.message());
    staged_.pop_back();
  }
  made_.clear();
  std::error_code ignored;
  for (const fs::path &path : vanished_) removed_ += fs::remove(path, ignored);
  vanished_.clear();
}

// A file that a run wrote aside and could not put in place, because it was killed: <name>.tmp<process>.
bool OutputDir::LeftBehind(const std::string &name) const {
  size_t at = name.rfind(".tmp");
  if (at == std::string::npos || names_.count(name.substr(0, at)) == 0) return false;
  std::string digits = name.substr(at + 4);
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) return false;
  return kill(static_cast<pid_t>(std::stol(digits)), 0) != 0 && errno == ESRCH;
}

void OutputDir::RemoveVanished(const std::string &module) {
  fs::path folder = path_, list = ListOf(folder, module);
  std::set<std::string> elsewhere;
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (name.compare(0, 9, ".gen_esb_") == 0 && entry.path().extension() == ".files" && entry.path() != list)
      for (const std::string &line : Lines(entry.path())) elsewhere.insert(line);
    if (LeftBehind(name)) vanished_.push_back(entry.path());
  }
  for (const std::string &name : Lines(list)) {
    std::string text;
    if (names_.count(name) != 0 || elsewhere.count(name) != 0 || name.find('/') != std::string::npos) continue;
    if (ReadAll(folder / name, &text) && text.find("This file is GENERATED by bin/gen_esb") != std::string::npos)
      vanished_.push_back(folder / name);
  }
  std::string text;
  for (const std::string &name : names_) text += name + "\n";
  Write(list.filename().string(), text);
}

}  // namespace codegen
