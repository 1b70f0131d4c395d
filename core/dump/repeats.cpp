#include "core/dump/repeats.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace gec {
namespace {

constexpr size_t kLongest = 1024;       // steps of a block
constexpr size_t kFewestHidden = 4;     // steps that a repeat must save,
constexpr size_t kFewestOfTwo = 6;      // and a repeat of two blocks
constexpr uint64_t kComparisons = 2e8;  // of all searches in one graph: what is not found then is drawn

class Finder {
 public:
  explicit Finder(const std::vector<RepeatStep> &steps) : steps_(steps), passing_(steps.size() + 2) {
    std::map<std::pair<int32_t, int32_t>, size_t> last;  // reader of a value
    for (size_t i = 0; i < steps.size(); ++i) {
      for (const RepeatStep::Source &s : steps[i].sources)
        if (s.at >= 0 && static_cast<size_t>(s.at) < i) last[{s.at, s.port}] = i;
    }
    for (const auto &[value, reader] : last) {
      ++passing_[static_cast<size_t>(value.first) + 1];
      --passing_[reader + 1];
    }
    for (size_t i = 1; i < passing_.size(); ++i) passing_[i] += passing_[i - 1];
  }

  void Find(size_t low, size_t high, std::vector<Repeat> *found) {
    std::vector<std::pair<size_t, size_t>> parts = {{low, high}};  // a stack: a chain of finds may be long
    while (!parts.empty()) {
      const auto [from, to] = parts.back();
      parts.pop_back();
      Repeat best{0, 0, 0, {}};
      if (!Best(from, to, &best)) continue;
      Find(best.begin, best.begin + best.period, &best.inner);
      parts.emplace_back(from, best.begin);
      parts.emplace_back(best.end(), to);
      found->push_back(std::move(best));
    }
    std::sort(found->begin(), found->end(), [](const Repeat &a, const Repeat &b) { return a.begin < b.begin; });
  }

 private:
  bool Alike(size_t i, size_t period) const {
    const RepeatStep &a = steps_[i], &b = steps_[i + period];
    if (a.kind != b.kind || a.sources.size() != b.sources.size()) return false;
    for (size_t k = 0; k < a.sources.size(); ++k) {
      if (!IsMoved(a.sources[k], b.sources[k], period)) return false;
    }
    return true;
  }

  /// The same source, or the one that stands in the same place of the next block.
  static bool IsMoved(const RepeatStep::Source &x, const RepeatStep::Source &y, size_t period) {
    const bool along = x.at >= 0 && y.at >= 0 && static_cast<size_t>(y.at - x.at) == period;
    return x.port == y.port && (x.at == y.at || along);
  }

  /// The repeat that hides most steps; of equals the one with the shortest block.
  bool Best(size_t low, size_t high, Repeat *best) {
    size_t hidden = kFewestHidden - 1;
    for (size_t period = 1; period <= std::min(kLongest, (high - low) / 2); ++period) {
      if (compared_ > kComparisons) break;
      compared_ += high - low;
      size_t run = 0;
      for (size_t i = low; i + period <= high; ++i) {
        if (i + period < high && Alike(i, period)) {
          ++run;
          continue;
        }
        if (run >= period) Consider(low, i - run, run, period, &hidden, best);
        run = 0;
      }
    }
    return best->count > 1;
  }

  static size_t Fewest(size_t count) { return count == 2 ? kFewestOfTwo : kFewestHidden; }

  /// Steps [begin, begin + run) are like those one period later.
  void Consider(size_t low, size_t begin, size_t run, size_t period, size_t *hidden, Repeat *best) const {
    const size_t end = begin + run + period, most = (end - begin) / period;
    if (period * (most - 1) <= *hidden) return;
    std::tuple<int64_t, size_t, size_t> cheapest{INT64_MAX, 0, 0};  // values that pass, blocks less, where
    for (size_t at = begin; at < begin + period; ++at) {
      if (passing_[at] > std::get<0>(cheapest)) continue;
      const bool one_more = at >= low + period && IsFirst(at - period, period);
      const size_t count = (end - at) / period + one_more;
      if (count < 2 || count + 1 < most || period * (count - 1) < Fewest(count)) continue;
      cheapest = std::min(cheapest, {passing_[at], SIZE_MAX - count, one_more ? at - period : at});
    }
    if (std::get<0>(cheapest) == INT64_MAX) return;
    *hidden = period * (most - 1);
    *best = {std::get<2>(cheapest), period, SIZE_MAX - std::get<1>(cheapest), {}};
  }

  /// The steps before a repeat are one more block of it. The first block may read from anywhere what the others read
  /// from the block before them.
  bool IsFirst(size_t begin, size_t period) const {
    const auto end = static_cast<int32_t>(begin + period), start = static_cast<int32_t>(begin);
    std::map<std::pair<int32_t, int32_t>, std::pair<int32_t, int32_t>> entry;  // by what the second one reads
    for (size_t i = begin; i < begin + period; ++i) {
      const RepeatStep &a = steps_[i], &b = steps_[i + period];
      if (a.kind != b.kind || a.sources.size() != b.sources.size()) return false;
      for (size_t k = 0; k < a.sources.size(); ++k) {
        const RepeatStep::Source &x = a.sources[k], &y = b.sources[k];
        if (IsMoved(x, y, period)) continue;
        if (x.at < 0 || x.at >= start || y.at < start || y.at >= end) return false;
        const auto [at, fresh] = entry.emplace(std::make_pair(y.at, y.port), std::make_pair(x.at, x.port));
        if (!fresh && at->second != std::make_pair(x.at, x.port)) return false;
      }
    }
    return true;
  }

  const std::vector<RepeatStep> &steps_;
  std::vector<int64_t> passing_;  // values that are made before a step and read there or later
  uint64_t compared_ = 0;
};

}  // namespace

std::vector<Repeat> FindRepeats(const std::vector<RepeatStep> &steps) {
  std::vector<Repeat> found;
  Finder(steps).Find(0, steps.size(), &found);
  return found;
}

}  // namespace gec
