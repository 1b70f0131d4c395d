#include "core/passes/instruments.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/passes/gathering.h"
#include "core/passes/memory_use.h"
#include "core/passes/pass.h"
#include "core/support/json_text.h"

namespace gec {
namespace {

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}
std::string Right(const std::string &text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string Milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", ms);
  return text;
}

/// Values per pass as a tree: a pass that runs inside another is its child; runs of the same pass in the same place
/// share a node. Each thread has passes open of its own; `Start` is what is kept while one is.
template <class Value, class Start>
class PassTree {
 public:
  struct Entry {
    std::string name;
    int64_t calls = 0;
    Value value{};
    std::vector<std::unique_ptr<Entry>> children;
  };
  struct Run {
    Entry *entry;
    Start start;
  };
  void Open(const std::string &name, Start start) {
    std::vector<Run> &open = open_[std::this_thread::get_id()];  // the innermost last
    Entry &parent = open.empty() ? root_ : *open.back().entry;
    Entry *found = nullptr;
    for (const auto &child : parent.children)
      if (child->name == name) found = child.get();
    if (!found) {
      parent.children.push_back(std::make_unique<Entry>());
      found = parent.children.back().get();
      found->name = name;
    }
    ++found->calls;
    open.push_back({found, start});
  }
  /// Nothing where what was open is forgotten.
  std::optional<Run> Close() noexcept {
    const auto at = open_.find(std::this_thread::get_id());
    if (at == open_.end() || at->second.empty()) return std::nullopt;
    const Run run = at->second.back();
    at->second.pop_back();
    return run;
  }
  /// The one around the pass that was closed last on this thread, or null.
  Run *Around() noexcept {
    const auto at = open_.find(std::this_thread::get_id());
    return at == open_.end() || at->second.empty() ? nullptr : &at->second.back();
  }
  void Reset() {
    root_ = Entry();
    open_.clear();
  }
  const Entry &root() const { return root_; }

  /// A line per entry, indented; `columns` gives the text behind the name.
  std::string Text(const std::string &head, const std::function<std::string(const Entry &)> &columns) const {
    size_t width = 4;
    Walk(root_, 0, [&](const Entry &entry, size_t depth) { width = std::max(width, entry.name.size() + 2 * depth); });
    std::string text = Padded("pass", width) + head + "\n";
    Walk(root_, 0, [&](const Entry &entry, size_t depth) {
      text += Padded(std::string(2 * depth, ' ') + entry.name, width) + columns(entry) + "\n";
    });
    return text;
  }
  std::string Json(const std::function<std::string(const Entry &)> &fields) const { return JsonOf(root_, fields); }

 private:
  static void Walk(const Entry &entry, size_t depth, const std::function<void(const Entry &, size_t)> &visit) {
    for (const auto &child : entry.children) {
      visit(*child, depth);
      Walk(*child, depth + 1, visit);
    }
  }
  static std::string JsonOf(const Entry &entry, const std::function<std::string(const Entry &)> &fields) {
    std::string text = "[";
    for (const auto &child : entry.children)
      text += Str(text.size() > 1 ? "," : "", "{\"name\":", JsonText(child->name), ",\"calls\":", child->calls, ",",
                  fields(*child), ",\"passes\":", JsonOf(*child, fields), "}");
    return text + "]";
  }
  Entry root_;
  std::map<std::thread::id, std::vector<Run>> open_;
};

class Timing : public Gathering {
  using Clock = std::chrono::steady_clock;
  struct Times {
    double ms = 0, inside_ms = 0;  // of all; of the passes inside
  };

 public:
  std::string name() const override { return "timing"; }
  void RunBefore(Graph &, const PassInfo &info) override {
    const std::lock_guard lock(mutex_);
    tree_.Open(info.name, Clock::now());
  }
  void RunAfter(Graph &, const PassInfo &, const PassRun &) override { End(); }
  void RunFailed(const PassInfo &) noexcept override { End(); }
  std::string Text() const override {
    const std::lock_guard lock(mutex_);
    return tree_.Text("   total ms     own ms  calls", [](const Tree::Entry &e) {
      return Right(Milliseconds(e.value.ms), 11) + Right(Milliseconds(e.value.ms - e.value.inside_ms), 11) +
             Right(std::to_string(e.calls), 7);
    });
  }
  std::string Json() const override {
    const std::lock_guard lock(mutex_);
    return "{\"passes\":" + tree_.Json([](const Tree::Entry &e) {
      return Str("\"total_ms\":", e.value.ms, ",\"own_ms\":", e.value.ms - e.value.inside_ms);
    }) + "}";
  }

 private:
  using Tree = PassTree<Times, Clock::time_point>;
  void Reset() override { tree_.Reset(); }
  void End() noexcept {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    const std::optional<Tree::Run> run = tree_.Close();
    if (!run) return;
    const double ms = std::chrono::duration<double, std::milli>(now - run->start).count();
    run->entry->value.ms += ms;
    if (Tree::Run *outer = tree_.Around()) outer->entry->value.inside_ms += ms;
  }
  Tree tree_;
};

/// Of the whole process: what other threads allocate meanwhile counts as well.
class Memory : public Gathering {
  struct Bytes {
    int64_t peak = 0, net = 0;
  };

 public:
  std::string name() const override { return "memory"; }
  void RunBefore(Graph &, const PassInfo &info) override {
    const std::lock_guard lock(mutex_);
    if (Tree::Run *outer = tree_.Around()) Raise(outer->start.highest);
    ResetHighestResidentBytes();
    tree_.Open(info.name, {AllocatedBytes(), ResidentBytes(), 0});
  }
  void RunAfter(Graph &, const PassInfo &, const PassRun &) override { End(); }
  void RunFailed(const PassInfo &) noexcept override { End(); }
  std::string Text() const override {
    const std::lock_guard lock(mutex_);
    return tree_.Text("   peak KiB    net KiB  calls", [](const Tree::Entry &e) {
      return Right(std::to_string(e.value.peak / 1024), 11) + Right(std::to_string(e.value.net / 1024), 11) +
             Right(std::to_string(e.calls), 7);
    });
  }
  std::string Json() const override {
    const std::lock_guard lock(mutex_);
    return "{\"passes\":" + tree_.Json([](const Tree::Entry &e) {
      return Str("\"peak_bytes\":", e.value.peak, ",\"net_bytes\":", e.value.net);
    }) + "}";
  }

 private:
  struct Start {
    int64_t allocated, resident, highest;
  };
  using Tree = PassTree<Bytes, Start>;
  static void Raise(int64_t &highest) noexcept { highest = std::max(highest, HighestResidentBytes()); }
  void Reset() override { tree_.Reset(); }
  void End() noexcept {
    const std::lock_guard lock(mutex_);
    std::optional<Tree::Run> run = tree_.Close();
    if (!run) return;
    Raise(run->start.highest);
    Bytes &bytes = run->entry->value;
    bytes.peak = std::max(bytes.peak, run->start.highest - run->start.resident);
    bytes.net += AllocatedBytes() - run->start.allocated;
    if (Tree::Run *outer = tree_.Around()) outer->start.highest = std::max(outer->start.highest, run->start.highest);
  }
  Tree tree_;
};

/// Counts by pass and rule. A candidate that fits is applied or declined; one that was tried may not fit.
class Counter : public Gathering {
 public:
  std::string name() const override { return "counter"; }
  void RunAfter(Graph &, const PassInfo &info, const PassRun &run) override {
    if (run.kind == PassKind::kSequence) return;
    const std::lock_guard lock(mutex_);
    auto [at, fresh] = passes_.try_emplace(info.name);
    if (fresh) order_.push_back(info.name);
    for (const auto &[name, rule] : run.rules) {
      PassRun::Rule &sum = at->second[name];
      sum.tried += rule.tried;
      sum.applied += rule.applied;
      sum.declined += rule.declined;
    }
  }
  std::string Text() const override {
    const std::lock_guard lock(mutex_);
    size_t width = 10;
    for (const auto &[pass, rules] : passes_) {
      width = std::max(width, pass.size());
      for (const auto &[rule, counts] : rules) width = std::max(width, rule.size() + 2);
    }
    std::string text = Padded("pass, rule", width) + "    tried  matched  applied declined\n";
    const auto line = [&](const std::string &name, const PassRun::Rule &c) {
      text += Padded(name, width) + Right(std::to_string(c.tried), 9) +
              Right(std::to_string(c.applied + c.declined), 9) + Right(std::to_string(c.applied), 9) +
              Right(std::to_string(c.declined), 9) + "\n";
    };
    for (const std::string &pass : order_) {
      const auto &rules = passes_.at(pass);
      PassRun all;
      all.rules = rules;
      line(pass, all.Total());
      if (rules.size() == 1 && rules.begin()->first == pass) continue;
      for (const auto &[rule, counts] : rules) line("  " + rule, counts);
    }
    return text;
  }
  std::string Json() const override {
    const std::lock_guard lock(mutex_);
    const auto counts = [](const PassRun::Rule &c) {
      return Str("\"tried\":", c.tried, ",\"matched\":", c.applied + c.declined, ",\"applied\":", c.applied,
                 ",\"declined\":", c.declined);
    };
    std::string text = "{\"passes\":[";
    for (const std::string &pass : order_) {
      PassRun all;
      all.rules = passes_.at(pass);
      text +=
          Str(text.back() == '[' ? "" : ",", "{\"name\":", JsonText(pass), ",", counts(all.Total()), ",\"rules\":{");
      bool first = true;
      for (const auto &[rule, c] : all.rules) {
        text += Str(first ? "" : ",", JsonText(rule), ":{", counts(c), "}");
        first = false;
      }
      text += "}}";
    }
    return text + "]}";
  }

 private:
  void Reset() override {
    order_.clear();
    passes_.clear();
  }
  std::vector<std::string> order_;  // of coming
  std::map<std::string, std::map<std::string, PassRun::Rule>> passes_;
};

}  // namespace

PassInstrumentPtr TimingInstrument() { return std::make_shared<Timing>(); }
PassInstrumentPtr MemoryInstrument() { return std::make_shared<Memory>(); }
PassInstrumentPtr CounterInstrument() { return std::make_shared<Counter>(); }

}  // namespace gec
