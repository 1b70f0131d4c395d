// CMake builds the library that a process point names.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "runtime/flow/function.h"

namespace gec {
namespace {

namespace fs = std::filesystem;

// Runs a program to its end; what it says is appended to the file. Throws when it fails, with the last of that.
void Execute(const std::vector<std::string> &command, const std::string &log) {
  std::vector<char *> arguments;
  for (const std::string &argument : command) arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files) != 0) Fail(GE_OUT_OF_MEMORY, "out of memory: running ", command[0]);
  (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  (void)posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int started = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  (void)posix_spawn_file_actions_destroy(&files);
  if (started != 0) Fail(GE_PATH_INVALID, "'", command[0], "' cannot be run: ", std::strerror(started));
  int status = 0;
  while (waitpid(child, &status, 0) == -1)
    if (errno != EINTR) Fail(GE_FAILED, "waiting for '", command[0], "': ", std::strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  std::ifstream file(log);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr size_t kShown = 2000;
  if (text.size() > kShown) text = "... " + text.substr(text.size() - kShown);
  Fail(GE_FAILED, "'", command[0], "' failed, all it said is in '", log, "': ", text);
}

// The name that CMake knows a library lib<name>.so by.
std::string TargetOf(const std::string &file) {
  std::string name = fs::path(file).filename().string();
  if (name.rfind("lib", 0) == 0) name.erase(0, 3);
  const size_t dot = name.find(".so");
  return dot == std::string::npos ? name : name.substr(0, dot);
}

}  // namespace

std::string BuildFlowLibrary(const FlowLibraryBuild &build) {
  static std::mutex one;  // two process points may name one folder
  std::lock_guard lock(one);
  fs::path source = fs::path(build.folder) / build.cmake_list;
  if (fs::is_regular_file(source)) source = source.parent_path();
  if (!fs::is_regular_file(source / "CMakeLists.txt"))
    Fail(GE_PATH_INVALID, "there is no CMakeLists.txt at '", (fs::path(build.folder) / build.cmake_list).string(), "'");
  // Projects append RELEASE_DIR to their binary folder, so it is a path from there.
  const fs::path root = fs::path(build.folder) / "build" / TargetOf(build.target), work = root / "cmake";
  const fs::path release = root / "release";
  std::error_code error;
  fs::create_directories(release, error);
  if (error) Fail(GE_PATH_INVALID, "folder '", release.string(), "' cannot be made: ", error.message());
  const std::string log = (root / "build.log").string();
  fs::remove(log, error);
  std::vector<std::string> configure = {"cmake", "-S", source.string(), "-B", work.string()};
  configure.push_back("-DRELEASE_DIR=../release");
  configure.push_back("-DCMAKE_LIBRARY_OUTPUT_DIRECTORY=" + release.string());
  configure.push_back("-DUDF_TARGET_LIB=" + TargetOf(build.target));
  configure.push_back("-DRESOURCE_TYPE=X86");
  configure.push_back("-DTOOLCHAIN=" + (build.compiler.empty() ? "c++" : build.compiler));
  configure.push_back("-DCMAKE_BUILD_TYPE=Release");
  if (!build.compiler.empty()) configure.push_back("-DCMAKE_CXX_COMPILER=" + build.compiler);
  Execute(configure, log);
  Execute({"cmake", "--build", work.string()}, log);
  for (const fs::path &folder : {release, work}) {
    const fs::path made = folder / fs::path(build.target).filename();
    if (fs::is_regular_file(made)) return fs::canonical(made).string();
  }
  Fail(GE_PATH_INVALID, "CMake built no '", build.target, "' in '", release.string(), "'");
}

}  // namespace gec
