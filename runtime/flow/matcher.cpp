#include "runtime/flow/matcher.h"

#include <algorithm>

namespace gec {

FlowMatcher::FlowMatcher(const std::vector<FlowBatchSpec> &inputs, const FlowAlignSpec &align)
    : align_(align), ready_(inputs.size()) {
  if (inputs.size() < 2) align_.most = 0;
  for (const FlowBatchSpec &spec : inputs) batchers_.emplace_back(spec);
}

bool FlowMatcher::Wants(size_t input) const { return align_.most > 0 ? done_.empty() : ready_[input].empty(); }

void FlowMatcher::Add(size_t input, FlowMessage message, FlowTime now) {
  batchers_[input].Add(std::move(message), now, &ready_[input]);
  if (align_.most > 0) Align(now);
}

void FlowMatcher::Align(FlowTime now) {
  for (size_t input = 0; input < ready_.size(); ++input) {
    for (; !ready_[input].empty(); ready_[input].pop_front()) {
      FlowParts parts = std::move(ready_[input].front());
      const uint64_t id = parts.back().id;
      auto at = waiting_.find(id);
      if (at != waiting_.end() && !at->second.inputs[input].empty()) {
        Expel(at);  // a second message of this transaction: what came before finds no match any more
        at = waiting_.end();
      }
      if (at == waiting_.end()) at = waiting_.emplace(id, Waiting{now, std::vector<FlowParts>(ready_.size())}).first;
      std::vector<FlowParts> &inputs = at->second.inputs;
      inputs[input] = std::move(parts);
      if (std::none_of(inputs.begin(), inputs.end(), [](const FlowParts &p) { return p.empty(); })) {
        done_.push_back({std::move(inputs), false});
        waiting_.erase(at);
      }
    }
  }
  auto older = [](const auto &a, const auto &b) { return a.second.since < b.second.since; };
  while (static_cast<int64_t>(waiting_.size()) > align_.most)
    Expel(std::min_element(waiting_.begin(), waiting_.end(), older));
}

void FlowMatcher::Expel(std::map<uint64_t, Waiting>::iterator at) {
  if (!align_.drop) done_.push_back({std::move(at->second.inputs), true});
  waiting_.erase(at);
}

std::optional<FlowGroup> FlowMatcher::Take(FlowTime now) {
  for (size_t i = 0; i < batchers_.size(); ++i) batchers_[i].Expire(now, &ready_[i]);
  if (align_.most > 0) {
    Align(now);
    for (auto at = waiting_.begin(); align_.timeout >= 0 && at != waiting_.end();) {
      const auto here = at++;
      if (here->second.since + std::chrono::milliseconds(align_.timeout) <= now) Expel(here);
    }
  } else if (std::none_of(ready_.begin(), ready_.end(), [](const auto &queue) { return queue.empty(); })) {
    FlowGroup group;
    for (auto &queue : ready_) {
      group.inputs.push_back(std::move(queue.front()));
      queue.pop_front();
    }
    return group;
  }
  if (done_.empty()) return std::nullopt;
  FlowGroup group = std::move(done_.front());
  done_.pop_front();
  return group;
}

std::optional<FlowTime> FlowMatcher::Deadline() const {
  std::optional<FlowTime> first;
  auto take = [&first](FlowTime at) {
    if (!first || at < *first) first = at;
  };
  for (const FlowBatcher &batcher : batchers_)
    if (const std::optional<FlowTime> at = batcher.Deadline()) take(*at);
  if (align_.most > 0 && align_.timeout >= 0)
    for (const auto &[id, group] : waiting_) take(group.since + std::chrono::milliseconds(align_.timeout));
  return first;
}

}  // namespace gec
