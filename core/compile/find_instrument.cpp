#include "core/compile/find_instrument.h"

#include <cstdio>
#include <set>
#include <vector>

#include "core/compile/numbered_dumps.h"
#include "core/dump/dump.h"
#include "core/ops/registry.h"
#include "core/passes/gathering.h"
#include "core/passes/instruments.h"
#include "core/passes/pass.h"
#include "core/support/json_text.h"
#include "core/support/warnings.h"

namespace gec {
namespace {

/// The graph as text on standard output, before or after passes.
class Printing : public Gathering {
 public:
  Printing(bool before, const std::string &names) : before_(before) {
    for (size_t begin = 0; begin < names.size();) {
      const size_t end = std::min(names.find(',', begin), names.size());
      if (end > begin) names_.insert(names.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  std::string name() const override { return before_ ? "print-before" : "print-after"; }
  void ExitScope() override {
    const std::lock_guard lock(mutex_);
    for (const std::string &name : names_)
      if (!seen_.count(name)) WarnOnce(Str("pass instrument '", this->name(), "': no pass '", name, "' ran"));
  }
  void RunBefore(Graph &root, const PassInfo &info) override {
    {
      const std::lock_guard lock(mutex_);
      seen_.insert(info.name);
      seen_.insert(info.other_name);
    }
    if (before_) Print(root, info, "before");
  }
  void RunAfter(Graph &root, const PassInfo &info, const PassRun &) override {
    if (!before_) Print(root, info, "after");
  }

 private:
  void Reset() override {}  // what ran in an earlier scope did run
  void Print(const Graph &root, const PassInfo &info, const char *when) const {
    if (!names_.empty() && !names_.count(info.name) && !names_.count(info.other_name)) return;
    const std::string text = Str("# ", when, " pass ", info.name, "\n", DumpReadable(root), "\n");
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  const bool before_;
  std::set<std::string, std::less<>> names_;  // empty: all
  std::set<std::string, std::less<>> seen_;   // passes that ran
};

/// The graph as a file after each pass that changed it.
class Dumping : public Gathering {
 public:
  explicit Dumping(const std::string &folder) : dumps_(folder, "pass instrument 'dump'") {}
  std::string name() const override { return "dump"; }
  void RunAfter(Graph &root, const PassInfo &info, const PassRun &run) override {
    if (!run.changed || run.kind == PassKind::kSequence) return;
    const std::lock_guard lock(mutex_);
    dumps_.Write(root, info.name);
  }

  std::string Text() const override {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const std::string &file : dumps_.files()) text += file + "\n";
    return text;
  }
  std::string Json() const override {
    const std::lock_guard lock(mutex_);
    std::string text = "{\"files\":[";
    for (const std::string &file : dumps_.files()) text += (text.back() == '[' ? "" : ",") + JsonText(file);
    return text + "]}";
  }

 private:
  void Reset() override {}  // files stay, and so does their list
  NumberedDumps dumps_;
};

}  // namespace

PassInstrumentPtr FindInstrument(const std::string &name, const std::string &argument) {
  const auto none = [&] {
    if (!argument.empty())
      Fail(GE_PARAM_INVALID, "pass instrument '", name, "' takes no argument, it was given '", argument, "'");
  };
  if (name == "timing") return none(), TimingInstrument();
  if (name == "memory") return none(), MemoryInstrument();
  if (name == "counter") return none(), CounterInstrument();
  if (name == "print-before") return std::make_shared<Printing>(true, argument);
  if (name == "print-after") return std::make_shared<Printing>(false, argument);
  if (name == "dump") {
    if (argument.empty()) Fail(GE_PARAM_INVALID, "pass instrument 'dump' needs a folder");
    return std::make_shared<Dumping>(argument);
  }
  Fail(
      GE_NOT_FOUND, "there is no pass instrument '", name, "'",
      NearText("near names:", NearNames(name, {"timing", "memory", "counter", "print-before", "print-after", "dump"})));
}

}  // namespace gec
