#include "bridge/python/interpreter.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "bridge/python/ask_python.h"
#include "core/support/shared_library.h"

namespace ge_bridge {
namespace {

constexpr int kFileInput = 257;  // Py_file_input: statements
constexpr int kWasUnlocked = 1;  // PyGILState_UNLOCKED: the thread did not hold the lock
constexpr char kEnded[] = "the Python interpreter of this process has ended";
constexpr auto kLongestCall = std::chrono::seconds(5);  // that the end of the interpreter waits for

// The source that our own interpreter runs once. The thread that imports `threading` is Python's main thread, and what
// a pass prints is to be there when the process ends without Python's own end.
constexpr char kFirst[] =
    "import sys, threading\n"
    "for stream in (sys.stdout, sys.stderr):\n"
    "    if hasattr(stream, 'reconfigure'):\n"
    "        stream.reconfigure(line_buffering=True)\n";

thread_local bool t_starting = false;  // this thread starts the interpreter
thread_local bool t_forking = false;   // BeforeFork took the lock on this thread
thread_local int t_lock_state = 0;
thread_local int t_uses = 0;

/// A libpython3.<n>.so that is loaded, for its own use only perhaps; "" when there is none.
std::string LoadedLibrary() {
  std::string found;
  auto look = [](dl_phdr_info *info, size_t, void *user) {
    constexpr char kName[] = "libpython3.";
    const char *file = std::strrchr(info->dlpi_name, '/');
    file = file ? file + 1 : info->dlpi_name;
    // libpython3.so holds no interpreter.
    if (std::strncmp(file, kName, sizeof kName - 1) != 0 || !std::isdigit(file[sizeof kName - 1])) return 0;
    *static_cast<std::string *>(user) = info->dlpi_name;
    return 1;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

/// Loads a libpython for extension modules as well, which take its symbols from the process.
void *Load(const std::string &path, std::string *error) {
  if (std::string missing = gec::MissingInLibrary(path); !missing.empty()) {
    *error = "'" + path + "' cannot be loaded: " + missing;
    return nullptr;
  }
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char *reason = dlerror();
    *error = "'" + path + "' cannot be loaded: " + (reason ? reason : "");
  }
  return library;
}

/// An interpreter without its own modules ends the process, which a program that asked for a pass does not expect.
bool HomeIsRight(const std::string &version, std::string *error) {
  const char *home = std::getenv("PYTHONHOME");
  if (!home || !*home) return true;
  const std::string prefix(home, std::strcspn(home, ":"));
  for (const char *folder : {"/lib/python", "/lib64/python"})
    if (access((prefix + folder + version + "/encodings/__init__.py").c_str(), R_OK) == 0) return true;
  *error = "PYTHONHOME is '" + std::string(home) + "', which has no modules of Python " + version;
  return false;
}

}  // namespace

Interpreter::Use::Use() {
  ++Instance().uses_;
  ++t_uses;
}

Interpreter::Use::~Use() {
  --Instance().uses_;
  --t_uses;
}

Interpreter &Interpreter::Instance() {
  static auto *interpreter = new Interpreter;  // used while the process ends
  return *interpreter;
}

Object Interpreter::AtEnd(Object, Object) {
  Interpreter &self = Instance();
  self.is_ending_ = true;
  void *thread = self.api_.PyEval_SaveThread();
  const auto last = std::chrono::steady_clock::now() + kLongestCall;
  while (self.uses_ > t_uses && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  self.api_.PyEval_RestoreThread(thread);
  return self.api_.PyDict_New();  // for None, which is no function
}

Object Interpreter::FunctionForTheEnd(const PythonApi &api) {
  static FunctionEntry entry{"ge_bridge_at_end", &Interpreter::AtEnd, kNoArguments, nullptr};
  return api.PyCFunction_NewEx(&entry, nullptr, nullptr);
}

const PythonApi *Interpreter::Running() {
  if (t_starting || is_ending_) return nullptr;
  std::lock_guard lock(mutex_);
  return is_bound_ && api_.IsUp() ? &api_ : nullptr;
}

const PythonApi *Interpreter::Get(const char *library, std::string *error) {
  if (t_starting) {
    *error = "a module that the interpreter imports at its start compiles a graph";
    return nullptr;
  }
  std::lock_guard lock(mutex_);
  if (is_ending_) {
    *error = kEnded;
    return nullptr;
  }
  if (is_cut_off_) {
    *error = "this process was forked while another thread loaded passes";
    return nullptr;
  }
  if (!is_bound_) {
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized")) {
      if (!Adopt(RTLD_DEFAULT, error)) return nullptr;
    } else if (const std::string loaded = LoadedLibrary(); !loaded.empty()) {
      void *handle = Load(loaded, error);
      if (!handle || !Adopt(handle, error)) return nullptr;
    } else if (!Open(library, error)) {
      return nullptr;
    }
  }
  if (api_.IsUp()) {
    was_up_ = true;
    return &api_;
  }
  if (was_up_) {
    *error = kEnded;
    return nullptr;
  }
  if (!Start(error)) return nullptr;
  return &api_;
}

bool Interpreter::Adopt(void *library, std::string *error) {
  PythonApi api;
  *error = Bind(library, &api);
  if (!error->empty()) {
    *error = "the Python of this process cannot run passes: " + *error;
    return false;
  }
  Dl_info info{};
  const bool is_file = dladdr(reinterpret_cast<const void *>(api.Py_GetVersion), &info) != 0 && info.dli_fname &&
                       std::strstr(info.dli_fname, "libpython");
  if (api.Py_IsInitialized() == 0 && is_file && !FindProgramOf(api, info.dli_fname, "the process's Python", error))
    return false;
  api_ = api;
  return is_bound_ = true;
}

bool Interpreter::FindProgramOf(const PythonApi &api, const std::string &path, const std::string &who,
                                std::string *error) {
  const std::string version = api.Version();
  const std::string found = ProgramOf(path, version);
  if (found.empty()) return true;
  AskedPython asked;
  if (!Ask(found, &asked, error)) return false;
  if (asked.version == version) {
    program_ = asked.program;
    return true;
  }
  *error = who + " is '" + path + "', Python " + version + ", and '" + found + "' is Python " + asked.version;
  return false;
}

bool Interpreter::OpenNamed(const std::string &path, const std::string &who, std::string *error) {
  if (access(path.c_str(), R_OK) != 0) {
    *error = who + " is '" + path + "', which cannot be read: " + std::strerror(errno);
    return false;
  }
  void *handle = Load(path, error);
  if (!handle) {
    *error = who + ": " + *error;
    return false;
  }
  PythonApi api;
  *error = Bind(handle, &api);
  if (!error->empty()) {
    *error = who + " is '" + path + "': " + *error;
    (void)dlclose(handle);
    return false;
  }
  if (!FindProgramOf(api, path, who, error)) {
    (void)dlclose(handle);
    return false;
  }
  api_ = api;
  return is_bound_ = true;
}

bool Interpreter::Open(const char *library, std::string *error) {
  if (library && *library) return OpenNamed(library, "option python.library", error);
  if (const char *named = std::getenv("GE_PYTHON_LIBRARY"); named && *named)
    return OpenNamed(named, "GE_PYTHON_LIBRARY", error);
  AskedPython asked;
  const std::string found = FindProgram(error);
  if (found.empty() || !Ask(found, &asked, error)) return false;
  for (const std::string &path : asked.libraries) {
    if (access(path.c_str(), R_OK) != 0) continue;
    void *handle = Load(path, error);
    if (!handle) return false;
    PythonApi api;
    *error = Bind(handle, &api);
    if (!error->empty()) {
      *error = "'" + path + "': " + *error;
      (void)dlclose(handle);
      return false;
    }
    api_ = api;
    program_ = asked.program;
    return is_bound_ = true;
  }
  *error = "'" + asked.program + "' (Python " + asked.version + ") has no shared library; install one (libpython" +
           asked.version +
           " of the distribution, a build with --enable-shared), or name one by GE_PYTHON_LIBRARY or option "
           "python.library";
  return false;
}

void Interpreter::Initialize() const {
  if (api_.Py_SetProgramName && !program_.empty())
    if (const wchar_t *name = api_.Py_DecodeLocale(program_.c_str(), nullptr)) api_.Py_SetProgramName(name);
  api_.Py_InitializeEx(0);  // without Python's signal handlers
}

bool Interpreter::StartsInAChild(std::string *error) const {
  std::string printed;
  const Trial trial = InAChild(
      [this] {
        t_starting = true;
        Initialize();
      },
      &printed);
  if (trial == Trial::kReturns) return true;
  Dl_info info{};
  (void)dladdr(reinterpret_cast<const void *>(api_.Py_GetVersion), &info);
  *error = "'" + std::string(info.dli_fname ? info.dli_fname : "") + "', Python " + api_.Version() + ", ";
  if (trial == Trial::kTakesTooLong) *error += "has not started after " + std::to_string(kLongestStart.count()) + " s.";
  else *error += "does not start; PYTHONHOME or VIRTUAL_ENV may say where its modules are.";
  *error += " It says: " + printed.substr(0, 2000);
  return false;
}

bool Interpreter::Start(std::string *error) {
  if (!HomeIsRight(api_.Version(), error)) return false;
  // One that does not find its modules ends the process. A program that was asked has shown that it finds them.
  if (program_.empty() && !StartsInAChild(error)) return false;
  // A thread of its own, which ends: Python handles signals and Ctrl-C on the thread that it calls main, and no thread
  // of the program is to be that one.
  std::thread([&] {
    t_starting = true;
    Initialize();
    if (Object module = RunSource(api_, kFirst, "<ge>")) api_.Py_DecRef(module);
    (void)api_.PyEval_SaveThread();
  }).join();
  was_up_ = true;
  (void)pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
  return true;
}

// A child process has the forking thread alone: had another one the interpreter's lock, the child would wait for ever.
// So the lock is taken first, and Python is told, as its own os.fork does. An interpreter that was found is its owner's
// to prepare.
void Interpreter::BeforeFork() {
  t_forking = false;
  const PythonApi *api = Instance().Running();
  if (!api) return;
  t_lock_state = api->PyGILState_Ensure();
  if (t_lock_state != kWasUnlocked) {  // Python code forks, and Python itself does all this
    api->PyGILState_Release(t_lock_state);
    return;
  }
  api->PyOS_BeforeFork();
  t_forking = true;
}

void Interpreter::AfterForkInParent() {
  if (!t_forking) return;
  t_forking = false;
  const PythonApi &api = Instance().api_;
  api.PyOS_AfterFork_Parent();
  api.PyGILState_Release(t_lock_state);
}

void Interpreter::AfterForkInChild() {
  Interpreter &self = Instance();
  new (&self.mutex_) std::mutex;  // another thread may have held it
  self.is_cut_off_ = self.is_cut_off_ || self.uses_ > t_uses;
  self.uses_ = t_uses;
  if (!t_forking) return;
  t_forking = false;
  const PythonApi &api = self.api_;
  api.PyOS_AfterFork_Child();
  // Python has forgotten the threads that are not in the child, the interpreter's first among them. The state of this
  // one stays: some versions cannot make another when there is none.
  (void)api.PyEval_SaveThread();
}

Object RunSource(const PythonApi &api, const char *source, const char *name) {
  Object code = api.Py_CompileString(source, name, kFileInput);
  Object module = code ? api.PyDict_New() : nullptr;
  Object result = nullptr;
  if (module && api.PyDict_SetItemString(module, "__builtins__", api.PyEval_GetBuiltins()) == 0)
    result = api.PyEval_EvalCode(code, module, module);
  if (!result) api.PyErr_Clear();
  for (Object part : {code, result, result ? nullptr : module})
    if (part) api.Py_DecRef(part);
  return result ? module : nullptr;
}

}  // namespace ge_bridge
