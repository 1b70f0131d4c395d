// Instruments: they watch passes run. C++11 and later.
//
// An instrument is entered and left with the scope that holds it (ge/transform.h) and called before and after each
// pass. What one of its functions throws goes on to whoever enters the scope or runs the pass. It is called on each
// thread that runs passes under such a scope; the library's own may be shared by threads.
#ifndef INC_GE_INSTRUMENT_H_
#define INC_GE_INSTRUMENT_H_

#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ge/pass_manager.h"
#include "graph/graph.h"
#include "register/detail/registered_passes.h"

namespace ge {
namespace transform {

/// The facts that a pass tells of itself.
struct PassInfo {
  PassInfo() = default;
  PassInfo(std::string name_, int opt_level_, std::vector<std::string> required_ = {}, bool traceable_ = false)
      : name(std::move(name_)), opt_level(opt_level_), required(std::move(required_)), traceable(traceable_) {}
  std::string name;
  int opt_level = 0;                  // runs in sequences under a scope whose level is at least this
  std::vector<std::string> required;  // names of passes that run first
  bool traceable = false;
  uint32_t kind = 0;  // GE_PASS_KIND_*, told by the library; of no account where a pass is made
};

/// A call failed; what() is the library's text.
class Error : public std::runtime_error {
 public:
  Error(GeStatus code, const char *text) : std::runtime_error(text), code_(code) {}
  GeStatus code() const { return code_; }

 private:
  GeStatus code_;
};

namespace detail {

/// An exception that a function of the program threw while the library called it. The call of the library that fails
/// with its text throws it again; one that the library passed over is told in the log only.
struct ThrownError {
  std::string text;
  std::exception_ptr error;
};
inline std::vector<ThrownError> &Thrown() {
  static thread_local std::vector<ThrownError> thrown;
  return thrown;
}

/// Runs a function of the program, called `who` in errors, for the library.
template <class Body>
GeStatus Called(const char *who, Body &&body) noexcept {
  return ::ge::detail::WithoutExceptions(
      [&]() -> GeStatus {
        try {
          return body();
        } catch (const std::exception &e) {
          Thrown().push_back({e.what(), std::current_exception()});
          throw;
        } catch (...) {
          Thrown().push_back(
              {std::string(who) + " threw something that is no std::exception", std::current_exception()});
          throw;
        }
      },
      who);
}

/// Throws for a failure: what the program's own function threw, if it was that.
inline void Check(GeStatus status) {
  std::vector<ThrownError> thrown;
  std::swap(thrown, Thrown());
  if (status == GE_SUCCESS || status == GE_NOT_CHANGED) return;
  const std::string text = GeLastErrorMessage();
  for (auto one = thrown.rbegin(); one != thrown.rend(); ++one)
    if (text.find(one->text) != std::string::npos) std::rethrow_exception(one->error);
  throw Error(status, text.c_str());
}

inline PassInfo InfoOf(const GePassInfo &info) {
  PassInfo out;
  out.name = info.name;
  out.opt_level = info.level;
  for (size_t i = 0; i < info.required_count; ++i) out.required.emplace_back(info.required[i]);
  if (info.struct_size >= offsetof(GePassInfo, kind) + sizeof info.kind) out.kind = info.kind;
  out.traceable = (info.flags & GE_PASS_TRACEABLE) != 0;
  return out;
}

struct ReleaseInstrument {
  void operator()(GeInstrument *instrument) const { GeInstrumentDestroy(instrument); }
};
using InstrumentHandle = std::unique_ptr<GeInstrument, ReleaseInstrument>;

inline std::string Rendered(const GeInstrument *instrument, int32_t form) {
  std::string text;
  Check(GeInstrumentRender(
      instrument, form,
      [](void *user, const char *piece, size_t length) { static_cast<std::string *>(user)->append(piece, length); },
      &text));
  return text;
}

}  // namespace detail
}  // namespace transform

namespace instrument {

using transform::PassInfo;

/// Base of a program's instruments; functions that are not overridden do nothing.
class PassInstrument {
 public:
  virtual ~PassInstrument() = default;
  virtual std::string Name() const { return "instrument"; }
  virtual void EnterPassContext() {}
  virtual void ExitPassContext() {}
  /// False leaves the pass out, unless the scope requires it.
  virtual bool ShouldRun(const GraphPtr & /*graph*/, const PassInfo & /*info*/) { return true; }
  virtual void RunBeforePass(const GraphPtr & /*graph*/, const PassInfo & /*info*/) {}
  /// Only after a pass that did not fail.
  virtual void RunAfterPass(const GraphPtr & /*graph*/, const PassInfo & /*info*/) {}

  // For the classes of this library: the instrument as the library sees it.
  virtual transform::detail::InstrumentHandle MakeHandle(const std::shared_ptr<PassInstrument> &self) const {
    GeInstrumentTable table{};
    table.struct_size = sizeof table;
    const std::string name = Name();
    table.name = name.c_str();
    table.user = new std::shared_ptr<PassInstrument>(self);
    table.destroy = [](void *user) { delete static_cast<std::shared_ptr<PassInstrument> *>(user); };
    table.enter = [](void *user) -> GeStatus {
      return transform::detail::Called("the instrument",
                                       [&]() -> GeStatus { return Of(user).EnterPassContext(), GE_SUCCESS; });
    };
    table.exit = [](void *user) -> GeStatus {
      return transform::detail::Called("the instrument",
                                       [&]() -> GeStatus { return Of(user).ExitPassContext(), GE_SUCCESS; });
    };
    table.should_run = [](void *user, GeGraph *graph, const GePassInfo *info, int32_t *run) -> GeStatus {
      return transform::detail::Called("the instrument", [&]() -> GeStatus {
        *run = Of(user).ShouldRun(::ge::detail::Shared(graph), transform::detail::InfoOf(*info)) ? 1 : 0;
        return GE_SUCCESS;
      });
    };
    table.before = [](void *user, GeGraph *graph, const GePassInfo *info) -> GeStatus {
      return transform::detail::Called("the instrument", [&]() -> GeStatus {
        Of(user).RunBeforePass(::ge::detail::Shared(graph), transform::detail::InfoOf(*info));
        return GE_SUCCESS;
      });
    };
    table.after = [](void *user, GeGraph *graph, const GePassInfo *info) -> GeStatus {
      return transform::detail::Called("the instrument", [&]() -> GeStatus {
        Of(user).RunAfterPass(::ge::detail::Shared(graph), transform::detail::InfoOf(*info));
        return GE_SUCCESS;
      });
    };
    GeInstrument *made = nullptr;
    transform::detail::Check(GeInstrumentMake(&table, &made));
    return transform::detail::InstrumentHandle(made);
  }

 private:
  static PassInstrument &Of(void *user) { return **static_cast<std::shared_ptr<PassInstrument> *>(user); }
};
using PassInstrumentPtr = std::shared_ptr<PassInstrument>;

/// One of the library's own: what it gathers it tells as text and as JSON.
class BuiltinInstrument : public PassInstrument {
 public:
  /// See GeInstrumentFind. Throws transform::Error.
  explicit BuiltinInstrument(const std::string &name, const std::string &argument = "") : name_(name) {
    GeInstrument *found = nullptr;
    transform::detail::Check(GeInstrumentFind(name.c_str(), argument.c_str(), &found));
    handle_.reset(found, transform::detail::ReleaseInstrument());
  }
  std::string Name() const override { return name_; }
  std::string Render() const { return transform::detail::Rendered(handle_.get(), GE_INSTRUMENT_TEXT); }
  std::string Json() const { return transform::detail::Rendered(handle_.get(), GE_INSTRUMENT_JSON); }
  transform::detail::InstrumentHandle MakeHandle(const std::shared_ptr<PassInstrument> &) const override {
    GeInstrument *again = nullptr;
    transform::detail::Check(GeInstrumentRetain(handle_.get(), &again));
    return transform::detail::InstrumentHandle(again);
  }

 private:
  std::string name_;
  std::shared_ptr<GeInstrument> handle_;
};

/// Total and own time of each pass, as a tree.
class PassTimingInstrument : public BuiltinInstrument {
 public:
  PassTimingInstrument() : BuiltinInstrument("timing") {}
};
/// Peak and net bytes of each pass.
class PassMemoryInstrument : public BuiltinInstrument {
 public:
  PassMemoryInstrument() : BuiltinInstrument("memory") {}
};
/// Candidates tried, matched, applied and declined, by pass and rule.
class PassCounterInstrument : public BuiltinInstrument {
 public:
  PassCounterInstrument() : BuiltinInstrument("counter") {}
};
/// The graph as text on standard output before or after passes; no names: all of them.
class PrintBefore : public BuiltinInstrument {
 public:
  explicit PrintBefore(const std::string &names = "") : BuiltinInstrument("print-before", names) {}
};
class PrintAfter : public BuiltinInstrument {
 public:
  explicit PrintAfter(const std::string &names = "") : BuiltinInstrument("print-after", names) {}
};
/// The graph as a numbered file after each pass that changed it.
class DumpIR : public BuiltinInstrument {
 public:
  explicit DumpIR(const std::string &folder) : BuiltinInstrument("dump", folder) {}
};

}  // namespace instrument
}  // namespace ge

#endif
