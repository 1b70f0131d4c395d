#include "bridge/python/ask_python.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio_ext.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

extern char **environ;

namespace ge_bridge {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kMark[] = "ge-python-says\n";  // before it may stand what start files of the user print

// -S: packages need not be looked for, which halves the time; sys.executable and the folders are the same.
constexpr char kQuestion[] =
    "import sys, sysconfig as s\n"
    "v = lambda k: str(s.get_config_var(k) or '')\n"
    "print('ge-python-says', '%d.%d' % sys.version_info[:2], sys.executable or '', sys.implementation.name,\n"
    "      v('Py_GIL_DISABLED'), v('LIBDIR'), v('LDLIBRARY'), v('INSTSONAME'), sys.base_prefix, sep='\\n')\n";

std::string Variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool IsProgram(const std::string &path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

std::vector<std::string> Split(const std::string &text, char at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

constexpr char kReturned = '\0';  // in no text that a Python prints

/// Reads until the other side ends, or the text does with `last`. False when that takes too long.
bool ReadAll(int fd, std::string *text, const char *last = nullptr) {
  const auto end = Clock::now() + kLongestStart;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wait{fd, POLLIN, 0};
    const int ready = left > 0 ? poll(&wait, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char part[4096];
    const ssize_t count = read(fd, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text->append(part, static_cast<size_t>(count));
    if (last && text->back() == *last) return true;
  }
}

/// The text that the program prints on both of its outputs.
bool Run(const std::string &program, std::string *text, std::string *error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    *error = std::string("no pipe can be made: ") + std::strerror(errno);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::string name = program, no_site = "-S", command = "-c", question = kQuestion;
  char *arguments[] = {name.data(), no_site.data(), command.data(), question.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  bool is_done = false;
  if (failed == 0) {
    is_done = ReadAll(ends[0], text);
    if (!is_done) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  if (failed != 0) *error = "'" + program + "' cannot be run: " + std::strerror(failed);
  else if (!is_done)
    *error = "'" + program + "' does not answer within " + std::to_string(kLongestStart.count()) + " s";
  return failed == 0 && is_done;
}

[[noreturn]] void EndTheTrial() {
  (void)std::fflush(stdout);  // what Python has printed
  _exit(1);
}

/// Ends the process with the objects of its thread, which exit destroys before it calls handlers.
struct EndsTheTrial {
  ~EndsTheTrial() { EndTheTrial(); }
};

/// The child's part. A Python that does not start calls exit or abort: nothing of the program may come of that, no
/// handler at exit or of signals, no output that waits to be written, no core file.
[[noreturn]] void TryAndEnd(const std::function<void()> &function, int answer) {
  __fpurge(stdout);
  __fpurge(stderr);
  (void)dup2(answer, 1);
  (void)dup2(answer, 2);
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) (void)signal(number, SIG_DFL);
  (void)std::atexit([] { EndTheTrial(); });  // the last that is registered is called first
  thread_local EndsTheTrial ends;
  function();
  (void)std::fflush(stdout);
  (void)!write(answer, &kReturned, 1);
  _exit(0);
}

}  // namespace

std::string FindProgram(std::string *error) {
  if (const std::string environment = Variable("VIRTUAL_ENV"); !environment.empty()) {
    if (std::string program = environment + "/bin/python3"; IsProgram(program)) return program;
    *error = "VIRTUAL_ENV is '" + environment + "', which has no program bin/python3";
    return "";
  }
  if (const std::string home = Split(Variable("PYTHONHOME"), ':')[0]; !home.empty())
    if (std::string program = home + "/bin/python3"; IsProgram(program)) return program;
  for (const std::string &folder : Split(Variable("PATH"), ':'))
    if (std::string program = (folder.empty() ? "." : folder) + "/python3"; IsProgram(program)) return program;
  *error = "there is no python3: VIRTUAL_ENV and PYTHONHOME name none, and PATH has none";
  return "";
}

std::string ProgramOf(const std::string &library, const std::string &version) {
  if (const std::string environment = Variable("VIRTUAL_ENV"); !environment.empty())
    if (std::string program = environment + "/bin/python3"; IsProgram(program)) return program;
  std::error_code ignored;
  fs::path folder = fs::canonical(library, ignored).parent_path();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path())
    if (std::string program = (folder / "bin" / ("python" + version)).native(); IsProgram(program)) return program;
  return "";
}

Trial InAChild(const std::function<void()> &function, std::string *printed) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Trial::kReturns;  // nobody can tell
  const pid_t child = fork();
  if (child == 0) TryAndEnd(function, ends[1]);
  close(ends[1]);
  Trial trial = Trial::kReturns;
  if (child > 0) {
    if (!ReadAll(ends[0], printed, &kReturned)) {
      trial = Trial::kTakesTooLong;
      kill(child, SIGKILL);
    } else if (printed->empty() || printed->back() != kReturned) {
      trial = Trial::kEnds;
    }
    // Programs may have children waited for elsewhere: the status says nothing.
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return trial;
}

bool Ask(const std::string &program, AskedPython *asked, std::string *error) {
  std::string text;
  if (!Run(program, &text, error)) return false;
  const size_t mark = text.rfind(kMark);
  const std::vector<std::string> lines =
      mark == std::string::npos ? std::vector<std::string>() : Split(text.substr(mark + sizeof kMark - 1), '\n');
  if (lines.size() < 8) {
    const std::string home = Variable("PYTHONHOME");
    *error = "'" + program + "' does not start as a Python" + (home.empty() ? "" : " (PYTHONHOME is '" + home + "')") +
             "; it says: " + text.substr(0, 2000);
    return false;
  }
  asked->version = lines[0];
  asked->program = lines[1].empty() ? program : lines[1];
  if (lines[2] != "cpython") *error = "'" + asked->program + "' is " + lines[2] + "; passes need CPython";
  else if (lines[3] == "1")
    *error = "'" + asked->program + "' is a free-threaded Python; passes need a build with a global lock";
  if (!error->empty()) return false;
  for (const std::string &folder : {lines[4], lines[7] + "/lib", lines[7] + "/lib64"})
    for (const std::string &name : {lines[6], lines[5]})
      if (name.find(".so") != std::string::npos && !folder.empty()) asked->libraries.push_back(folder + "/" + name);
  return true;
}

}  // namespace ge_bridge
