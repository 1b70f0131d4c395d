// Composing passes: contexts that say which run, passes as objects, sequences. C++11 and later; failures throw
// ge::transform::Error, or what the program's own function threw.
#ifndef INC_GE_TRANSFORM_H_
#define INC_GE_TRANSFORM_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/instrument.h"
#include "ge/log.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace transform {

/// An option of passes: true or false, whole number, number, text.
class ConfigValue {
 public:
  ConfigValue(bool value) : type_(GE_CONFIG_BOOL), integer_(value ? 1 : 0) {}
  ConfigValue(int value) : type_(GE_CONFIG_INT), integer_(value) {}
  ConfigValue(int64_t value) : type_(GE_CONFIG_INT), integer_(value) {}
  ConfigValue(double value) : type_(GE_CONFIG_FLOAT), number_(value) {}
  ConfigValue(const char *value) : type_(GE_CONFIG_STRING), text_(value) {}
  ConfigValue(std::string value) : type_(GE_CONFIG_STRING), text_(std::move(value)) {}

  GeConfigValue ToC(const char *key) const {
    GeConfigValue c{};
    c.key = key;
    c.type = type_;
    c.integer = integer_;
    c.number = number_;
    c.text = text_.c_str();
    return c;
  }

 private:
  int32_t type_;
  int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
};

/// Makes a key of PassContext::config known. GE_REGISTER_PASS_CONFIG_OPTION does so when a library is loaded.
inline void RegisterConfigOption(const std::string &key, int32_t type, const std::string &text = "") {
  detail::Check(GeConfigKeyRegister(key.c_str(), type, text.c_str()));
}
namespace detail {
template <class T>
struct ConfigType;
template <>
struct ConfigType<bool> {
  static constexpr int32_t kType = GE_CONFIG_BOOL;
};
template <>
struct ConfigType<int64_t> {
  static constexpr int32_t kType = GE_CONFIG_INT;
};
template <>
struct ConfigType<double> {
  static constexpr int32_t kType = GE_CONFIG_FLOAT;
};
template <>
struct ConfigType<std::string> {
  static constexpr int32_t kType = GE_CONFIG_STRING;
};
inline void Read(const GeConfigValue &value, bool &out) { out = value.integer != 0; }
inline void Read(const GeConfigValue &value, int64_t &out) { out = value.integer; }
inline void Read(const GeConfigValue &value, double &out) { out = value.number; }
inline void Read(const GeConfigValue &value, std::string &out) { out = value.text; }
struct ConfigOption {
  ConfigOption(const char *key, int32_t type, const char *text) {
    if (GeConfigKeyRegister(key, type, text) != GE_SUCCESS) GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
  }
};
}  // namespace detail

#define GE_PASS_CONFIG_JOIN_(a, b) a##b
#define GE_PASS_CONFIG_NAME_(n) GE_PASS_CONFIG_JOIN_(ge_pass_config_option_, n)
/// GE_REGISTER_PASS_CONFIG_OPTION("team.limit", int64_t, "how many …"): bool, int64_t, double or std::string.
#define GE_REGISTER_PASS_CONFIG_OPTION(key, type, text)                                 \
  static const ::ge::transform::detail::ConfigOption GE_PASS_CONFIG_NAME_(__COUNTER__)( \
      key, ::ge::transform::detail::ConfigType<type>::kType, text)

/// A remark on a graph.
struct Diagnostic {
  int severity = 0;  // GE_LOG_*
  std::string node;  // empty: the whole graph
  std::string text;
};

/// The wishes of a program about passes. Fields hold from the moment the context is entered (With).
class PassContext {
 public:
  int opt_level = 2;                       // 0 or more
  std::vector<std::string> required_pass;  // run whatever their level
  std::vector<std::string> disabled_pass;  // never run; stronger than required_pass
  std::vector<instrument::PassInstrumentPtr> instruments;
  std::map<std::string, ConfigValue> config;
  bool collect_diagnostics = false;

  static std::shared_ptr<PassContext> Create() { return std::make_shared<PassContext>(); }

  /// Remarks since it was entered last.
  std::vector<Diagnostic> Diagnostics() const {
    std::vector<Diagnostic> all;
    for (size_t i = 0; i < GePassScopeDiagnosticCount(scope_.get()); ++i) {
      GeDiagnostic found{};
      found.struct_size = sizeof found;
      detail::Check(GePassScopeDiagnosticAt(scope_.get(), i, &found));
      Diagnostic one;
      one.severity = found.severity;
      one.node = found.node;
      one.text = found.text;
      all.push_back(std::move(one));
    }
    return all;
  }
  /// The level that holds on this thread.
  static int CurrentLevel() { return GePassScopeLevel(Innermost().get()); }
  /// An option that was set in this thread's innermost context, else `fallback`: bool, int64_t, double or std::string,
  /// as the key was registered. Throws for an unknown key.
  template <class T>
  static T GetConfig(const std::string &key, const T &fallback) {
    const std::shared_ptr<GePassScope> scope = Innermost();
    GeConfigValue value{};
    const GeStatus status = GePassScopeGetConfig(scope.get(), key.c_str(), &value);
    if (status == GE_NOT_FOUND) return fallback;
    detail::Check(status);
    if (value.type != detail::ConfigType<T>::kType)
      throw Error(GE_OPTION_INVALID, ("config key '" + key + "' has another type").c_str());
    T read{};
    detail::Read(value, read);
    return read;
  }
  /// A remark for whoever collects on this thread.
  static void Report(int severity, const std::string &node, const std::string &text) {
    detail::Check(GePassScopeReport(severity, node.c_str(), text.c_str()));
  }
  /// Leaves the present instruments and enters others. The context must be entered.
  void OverrideInstruments(std::vector<instrument::PassInstrumentPtr> others) {
    const std::vector<detail::InstrumentHandle> handles = HandlesOf(others);
    const std::vector<GeInstrument *> list = Plain(handles);
    instruments.clear();
    detail::Check(GePassScopeOverrideInstruments(scope_.get(), list.data(), list.size()));
    instruments = std::move(others);
  }

  // For With.
  void EnterWithScope() {
    const std::vector<detail::InstrumentHandle> handles = HandlesOf(instruments);
    const std::vector<GeInstrument *> list = Plain(handles);
    const std::vector<const char *> required = Plain(required_pass), disabled = Plain(disabled_pass);
    std::vector<GeConfigValue> values;
    for (const auto &entry : config) values.push_back(entry.second.ToC(entry.first.c_str()));
    GePassScopeParts parts{};
    parts.struct_size = sizeof parts;
    parts.level = opt_level;
    parts.collect_diagnostics = collect_diagnostics ? 1 : 0;
    parts.required = required.data();
    parts.required_count = required.size();
    parts.disabled = disabled.data();
    parts.disabled_count = disabled.size();
    parts.instruments = list.data();
    parts.instrument_count = list.size();
    parts.config = values.data();
    parts.config_count = values.size();
    GePassScope *made = nullptr;
    detail::Check(GePassScopeCreate(&parts, &made));
    std::shared_ptr<GePassScope> scope(made, GePassScopeDestroy);
    const GeStatus status = GePassScopeEnter(scope.get());
    if (status != GE_SUCCESS) instruments.clear();
    detail::Check(status);
    entered_.push_back(scope);
    scope_ = std::move(scope);
  }
  void ExitWithScope() {
    if (entered_.empty()) throw Error(GE_BAD_STATE, "the pass context was not entered");
    const std::shared_ptr<GePassScope> scope = entered_.back();
    const GeStatus status = GePassScopeExit(scope.get());
    if (status != GE_BAD_STATE) entered_.pop_back();
    if (status != GE_SUCCESS) instruments.clear();
    detail::Check(status);
  }

 private:
  static std::shared_ptr<GePassScope> Innermost() {
    GePassScope *current = nullptr;
    detail::Check(GePassScopeCurrent(&current));
    return std::shared_ptr<GePassScope>(current, GePassScopeDestroy);
  }
  static std::vector<detail::InstrumentHandle> HandlesOf(const std::vector<instrument::PassInstrumentPtr> &list) {
    std::vector<detail::InstrumentHandle> handles;
    for (const instrument::PassInstrumentPtr &one : list) {
      if (!one) throw Error(GE_PARAM_INVALID, "a pass context has a null among its instruments");
      handles.push_back(one->MakeHandle(one));
    }
    return handles;
  }
  static std::vector<GeInstrument *> Plain(const std::vector<detail::InstrumentHandle> &handles) {
    std::vector<GeInstrument *> list;
    for (const detail::InstrumentHandle &handle : handles) list.push_back(handle.get());
    return list;
  }
  static std::vector<const char *> Plain(const std::vector<std::string> &names) {
    std::vector<const char *> list;
    for (const std::string &name : names) list.push_back(name.c_str());
    return list;
  }
  std::vector<std::shared_ptr<GePassScope>> entered_;
  std::shared_ptr<GePassScope> scope_;  // entered last
};
using PassContextPtr = std::shared_ptr<PassContext>;

namespace detail {
/// An exception is on its way; C++20 lacks the function that C++11 has.
inline bool Unwinding() {
#if __cplusplus >= 201703L
  return std::uncaught_exceptions() != 0;
#else
  return std::uncaught_exception();
#endif
}
}  // namespace detail

/// Enters a context for as long as it lives. An instrument that fails on the way out makes the destructor throw, unless
/// another exception is under way.
template <class Context>
class With {
 public:
  explicit With(std::shared_ptr<Context> context) : context_(std::move(context)) { context_->EnterWithScope(); }
  ~With() noexcept(false) {
    if (!detail::Unwinding()) {
      context_->ExitWithScope();
      return;
    }
    try {
      context_->ExitWithScope();
    } catch (const std::exception &e) {
      GeLogMessage(GE_LOG_WARNING, e.what());
    }
  }
  With(const With &) = delete;
  With &operator=(const With &) = delete;

 private:
  std::shared_ptr<Context> context_;
};

/// A pass. Copies share it.
class Pass {
 public:
  explicit Pass(GePass *handle) : handle_(handle, GePassDestroy) {}
  PassInfo Info() const {
    GePassInfo info{};
    info.struct_size = sizeof info;
    detail::Check(GePassGetInfo(handle_.get(), &info));
    return detail::InfoOf(info);
  }
  /// A new graph; the given one stays as it is.
  Graph operator()(const Graph &graph) const {
    GeGraph *copy = nullptr;
    detail::Check(GeGraphClone(graph.handle(), nullptr, &copy));
    Graph result = Graph::Adopt(copy);
    (void)Apply(result);
    return result;
  }
  /// In place; a failure leaves the graph as it was. True when it was changed.
  bool Apply(Graph &graph) const {
    const GeStatus status = GePassApply(handle_.get(), graph.handle());
    detail::Check(status);
    return status == GE_SUCCESS;
  }
  /// Why the pass's rules do not match, as JSON (GePassWhyNot); `node`: only what concerns nodes of this name.
  std::string WhyNot(const Graph &graph, const std::string &node = "") const {
    std::string text;
    detail::Check(GePassWhyNot(
        handle_.get(), graph.handle(), node.c_str(),
        [](void *user, const char *piece, size_t length) { static_cast<std::string *>(user)->append(piece, length); },
        &text));
    return text;
  }
  /// Makes later compiles run the pass in a stage, until Unregister.
  uint64_t Register(CustomPassStage stage) const {
    uint64_t token = 0;
    detail::Check(GePassRegisterForStage(handle_.get(), static_cast<int32_t>(stage), &token));
    return token;
  }
  static void Unregister(uint64_t token) { GeCustomPassUnregister(token); }
  GePass *handle() const { return handle_.get(); }

 private:
  std::shared_ptr<GePass> handle_;
};

/// Changes the graph in place; true: changed.
using PassFunc = std::function<bool(Graph &graph)>;

namespace detail {
inline Pass Make(PassFunc function, const PassInfo &info, int32_t kind) {
  std::vector<const char *> required;
  for (const std::string &name : info.required) required.push_back(name.c_str());
  GePassFunction table{};
  table.struct_size = sizeof table;
  table.name = info.name.c_str();
  table.level = info.opt_level;
  table.kind = kind;
  table.flags = info.traceable ? GE_PASS_TRACEABLE : 0;
  table.required = required.data();
  table.required_count = required.size();
  table.run = [](void *user, GeGraph *graph, GePassContext *) -> GeStatus {
    return Called("the pass", [&]() -> GeStatus {
      const GraphPtr shared = ::ge::detail::Shared(graph);
      return (*static_cast<PassFunc *>(user))(*shared) ? GE_SUCCESS : GE_NOT_CHANGED;
    });
  };
  table.destroy = [](void *user) { delete static_cast<PassFunc *>(user); };
  table.user = new PassFunc(std::move(function));
  GePass *made = nullptr;
  Check(GePassMake(&table, &made));
  return Pass(made);
}
}  // namespace detail

/// Called once, with the root graph.
inline Pass CreateModulePass(PassFunc function, int opt_level, const std::string &name,
                             std::vector<std::string> required = {}, bool traceable = false) {
  return detail::Make(std::move(function), PassInfo(name, opt_level, std::move(required), traceable), GE_PASS_MODULE);
}
/// Called once per graph of the tree; graphs with attribute SkipOptimization are left out.
inline Pass CreateFunctionPass(PassFunc function, int opt_level, const std::string &name,
                               std::vector<std::string> required = {}, bool traceable = false) {
  return detail::Make(std::move(function), PassInfo(name, opt_level, std::move(required), traceable),
                      GE_PASS_PER_GRAPH);
}

/// Runs passes in order: those that the context lets run, each behind those that it requires.
class Sequential : public Pass {
 public:
  explicit Sequential(const std::vector<Pass> &passes, int opt_level = 0, const std::string &name = "sequential",
                      const std::vector<std::string> &required = {})
      : Pass(Made(passes, opt_level, name, required)) {}

 private:
  static GePass *Made(const std::vector<Pass> &passes, int opt_level, const std::string &name,
                      const std::vector<std::string> &required) {
    std::vector<GePass *> list;
    for (const Pass &pass : passes) list.push_back(pass.handle());
    std::vector<const char *> names;
    for (const std::string &one : required) names.push_back(one.c_str());
    GePass *made = nullptr;
    detail::Check(GePassSequence(name.c_str(), opt_level, list.data(), list.size(), names.data(), names.size(), &made));
    return made;
  }
};

/// A built-in or registered pass by its name. Throws Error with near names.
inline Pass GetPass(const std::string &name) {
  GePass *found = nullptr;
  detail::Check(GePassFind(name.c_str(), &found));
  return Pass(found);
}

}  // namespace transform
}  // namespace ge

#endif
