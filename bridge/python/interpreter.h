// The interpreter of the process: one that is there, else one that the bridge starts.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "bridge/python/python_api.h"

namespace ge_bridge {

class Interpreter {
 public:
  static Interpreter &Instance();

  /// While Python is called, to load passes mostly. A process that forks meanwhile on another thread leaves them half
  /// loaded in its child, with locks of Python that nobody opens.
  class Use {
   public:
    Use();
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
  };

  /// Finds or starts it. `library`: a libpython to take where the process has none, or null. Null with a reason.
  const PythonApi *Get(const char *library, std::string *error);
  /// The same without a search: null where none was found yet, and where it has ended.
  const PythonApi *Running();
  /// A function of Python for its end: from then on nobody calls it any more. Those who do are waited for: a thread
  /// that asks an interpreter that is ending for its lock is ended by that. The interpreter's lock is held. Null with
  /// an exception.
  Object FunctionForTheEnd(const PythonApi &api);

 private:
  static Object AtEnd(Object self, Object none);
  static void BeforeFork();
  static void AfterForkInParent();
  static void AfterForkInChild();
  bool Adopt(void *library, std::string *error);
  bool Open(const char *library, std::string *error);
  bool OpenNamed(const std::string &path, const std::string &who, std::string *error);
  bool FindProgramOf(const PythonApi &api, const std::string &path, const std::string &who, std::string *error);
  void Initialize() const;
  bool StartsInAChild(std::string *error) const;
  bool Start(std::string *error);

  std::mutex mutex_;
  PythonApi api_;
  std::string program_;    // what the interpreter to start takes itself for; "": what python3 of PATH would
  bool is_bound_ = false;  // api_ is that of the process's Python
  bool was_up_ = false;
  std::atomic<int> uses_{0};
  std::atomic<bool> is_ending_{false};
  bool is_cut_off_ = false;  // this is a child of a process that was in use
};

/// The lock of a running interpreter, for a scope.
class WithLock {
 public:
  explicit WithLock(const PythonApi &api) : api_(api), state_(api.PyGILState_Ensure()) {}
  ~WithLock() { api_.PyGILState_Release(state_); }
  WithLock(const WithLock &) = delete;
  WithLock &operator=(const WithLock &) = delete;

 private:
  const PythonApi &api_;
  int state_;
};

/// Runs statements in the dictionary of a new module; it, or null when they fail. The interpreter's lock is held.
Object RunSource(const PythonApi &api, const char *source, const char *name);

}  // namespace ge_bridge
