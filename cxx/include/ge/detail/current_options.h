// Options in effect for the graph that this thread compiles or runs through a session.
#ifndef INC_GE_DETAIL_CURRENT_OPTIONS_H_
#define INC_GE_DETAIL_CURRENT_OPTIONS_H_

#include <map>
#include <mutex>

#include "graph/ascend_string.h"

namespace ge {
namespace detail {

using OptionMap = std::map<AscendString, AscendString>;

class CurrentOptions {
 public:
  /// For a scope of this thread. `graph` and `session` outlive it.
  CurrentOptions(const OptionMap &graph, const OptionMap &session) : before_(Top()), graph_(graph), session_(session) {
    Top() = this;
  }
  ~CurrentOptions() { Top() = before_; }
  CurrentOptions(const CurrentOptions &) = delete;
  CurrentOptions &operator=(const CurrentOptions &) = delete;

  /// Options of GEInitialize.
  static void SetGlobal(const OptionMap &options) {
    std::lock_guard<std::mutex> lock(Global().mutex);
    Global().options = options;
  }
  static bool Find(const AscendString &key, AscendString &value) {
    if (const CurrentOptions *top = Top())
      if (In(top->graph_, key, value) || In(top->session_, key, value)) return true;
    std::lock_guard<std::mutex> lock(Global().mutex);
    return In(Global().options, key, value);
  }

 private:
  struct Process {
    std::mutex mutex;
    OptionMap options;
  };
  static Process &Global() {
    static auto *process = new Process;
    return *process;
  }
  static const CurrentOptions *&Top() {
    thread_local const CurrentOptions *top = nullptr;
    return top;
  }
  static bool In(const OptionMap &options, const AscendString &key, AscendString &value) {
    auto found = options.find(key);
    if (found == options.end()) return false;
    value = found->second;
    return true;
  }
  const CurrentOptions *before_;
  const OptionMap &graph_, &session_;
};

}  // namespace detail
}  // namespace ge

#endif
