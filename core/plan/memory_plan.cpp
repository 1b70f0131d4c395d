// Decides before the first run which values share bytes and where they lie: in an arena, in a buffer of the caller or
// in a constant. The idea: docs/algorithms.md, "The memory plan".
#include "core/plan/memory_plan.h"

#include <algorithm>
#include <limits>

namespace gec {
namespace {

constexpr int32_t kForever = std::numeric_limits<int32_t>::max();

bool Overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

}  // namespace

void MemoryPlanner::Reserve(size_t values, size_t steps) {
  values_.reserve(values);
  steps_.reserve(steps);
  ports_.reserve(values + 2 * steps);
}

int32_t MemoryPlanner::AddSpace(uint64_t alignment) {
  alignments_.push_back(alignment);
  return static_cast<int32_t>(alignments_.size()) - 1;
}

int32_t MemoryPlanner::AddValue(uint64_t bytes, int32_t space) {
  int32_t id = static_cast<int32_t>(values_.size());
  values_.push_back({bytes, id, 0, kForever, -1, space, bytes ? Storage::kArena : Storage::kNone});
  return id;
}

int32_t MemoryPlanner::AddExternal(Storage storage, int32_t index, uint64_t bytes) {
  int32_t id = static_cast<int32_t>(values_.size());
  values_.push_back({bytes, id, 0, -1, kForever, index, storage});
  return id;
}

void MemoryPlanner::AddStep(std::span<const int32_t> inputs, std::span<const int32_t> outputs,
                            std::span<const GeAlias> aliases, bool view, uint64_t workspace_bytes, int32_t space) {
  const int32_t now = static_cast<int32_t>(steps_.size());
  Step step{};
  step.inputs = static_cast<uint32_t>(ports_.size());
  step.input_count = static_cast<uint32_t>(inputs.size());
  ports_.insert(ports_.end(), inputs.begin(), inputs.end());
  step.outputs = static_cast<uint32_t>(ports_.size());
  step.output_count = static_cast<uint32_t>(outputs.size());
  ports_.insert(ports_.end(), outputs.begin(), outputs.end());
  step.aliases = static_cast<uint32_t>(aliases_.size());
  step.alias_count = static_cast<uint32_t>(aliases.size());
  aliases_.insert(aliases_.end(), aliases.begin(), aliases.end());
  step.workspace_bytes = workspace_bytes;
  step.space = space;
  step.view = view;
  for (int32_t v : inputs) {
    if (v >= 0 && values_[v].end != kForever) values_[v].end = now;
  }
  for (int32_t v : outputs) {
    if (v >= 0) values_[v].begin = values_[v].end = now;
  }
  steps_.push_back(step);
}

void MemoryPlanner::AddOutput(int32_t value) {
  outputs_.push_back(value);
  values_[value].end = kForever;  // a copy at the end reads it after the last step
}

MemoryPlanner::Found MemoryPlanner::Find(int32_t value) {
  int32_t root = value;
  uint64_t offset = 0;
  while (values_[root].parent != root) {
    offset += values_[root].offset;
    root = values_[root].parent;
  }
  // Shorten the path, so that long chains of views stay cheap.
  uint64_t rest = offset;
  for (int32_t v = value; values_[v].parent != root && v != root;) {
    int32_t next = values_[v].parent;
    uint64_t step = values_[v].offset;
    values_[v].parent = root;
    values_[v].offset = rest;
    rest -= step;
    v = next;
  }
  return {root, offset};
}

void MemoryPlanner::Merge(int32_t child_root, int32_t parent_root, uint64_t offset) {
  Value &child = values_[child_root], &parent = values_[parent_root];
  child.parent = parent_root;
  child.offset = offset;
  parent.begin = std::min(parent.begin, child.begin);
  parent.end = std::max(parent.end, child.end);
}

void MemoryPlanner::PlaceViews() {
  for (const Step &step : steps_) {
    if (!step.view) continue;
    for (uint32_t k = 0; k < step.alias_count; ++k) {
      const GeAlias &a = aliases_[step.aliases + k];
      if (a.kind != GE_ALIAS_OUTPUT_IN_INPUT) continue;
      int32_t in = Input(step, a.input), out = Output(step, a.output);
      if (in < 0 || out < 0 || values_[out].bytes == 0) continue;
      Found at = Find(in);
      if (values_[out].parent != out || at.root == out) continue;
      if (a.offset > values_[in].bytes || values_[out].bytes > values_[in].bytes - a.offset) continue;
      uint64_t offset = at.offset + a.offset;
      // The caller's buffers promise the element's alignment only, so any part of them is as good as the whole.
      if (values_[at.root].storage != Storage::kInput && offset % Alignment(values_[at.root]) != 0) continue;
      Merge(out, at.root, offset);
    }
  }
}

void MemoryPlanner::PlaceConcats() {
  for (const Step &step : steps_) {
    if (!step.view) continue;
    for (uint32_t k = 0; k < step.alias_count; ++k) {
      const GeAlias &a = aliases_[step.aliases + k];
      if (a.kind != GE_ALIAS_INPUT_IN_OUTPUT) continue;
      int32_t in = Input(step, a.input), out = Output(step, a.output);
      if (in < 0 || out < 0 || values_[in].bytes == 0) continue;
      Found from = Find(in), to = Find(out);
      if (from.root == to.root || values_[from.root].storage != Storage::kArena || !Whole(in, from)) continue;
      if (a.offset > values_[out].bytes || values_[in].bytes > values_[out].bytes - a.offset) continue;
      uint64_t offset = to.offset + a.offset;
      if (offset % Alignment(values_[to.root]) != 0) continue;
      Merge(from.root, to.root, offset);
    }
  }
}

void MemoryPlanner::PlaceOutputs(MemoryPlan *plan) {
  for (size_t j = 0; j < outputs_.size(); ++j) {
    int32_t value = outputs_[j];
    Found at = Find(value);
    Value &root = values_[at.root];
    if (root.storage == Storage::kArena && root.index == 0 && Whole(value, at)) {
      root.storage = Storage::kOutput;
      root.index = static_cast<int32_t>(j);
      root.end = kForever;
    } else if (values_[value].bytes != 0) {
      plan->copies.push_back({static_cast<int32_t>(j), value});
    }
  }
}

/// True when the step may write over `alias.input`: nobody needs those bytes later, and no other argument lies there
/// unless the kernel said that it, too, may be overwritten in the same order.
bool MemoryPlanner::MayOverwrite(const Step &step, const GeAlias &alias, Found input) {
  int32_t in = Input(step, alias.input);
  for (uint32_t j = 0; j < step.input_count; ++j) {
    int32_t other = Input(step, static_cast<int32_t>(j));
    if (other < 0 || static_cast<int32_t>(j) == alias.input || values_[other].bytes == 0) continue;
    Found at = Find(other);
    if (at.root != input.root || !Overlap(at.offset, values_[other].bytes, input.offset, values_[in].bytes)) continue;
    if (at.offset != input.offset || values_[other].bytes != values_[in].bytes) return false;
    bool declared = false;
    for (uint32_t k = 0; k < step.alias_count; ++k) {
      const GeAlias &a = aliases_[step.aliases + k];
      declared |= a.kind == GE_ALIAS_IN_PLACE && a.input == static_cast<int32_t>(j) && a.output == alias.output;
    }
    if (!declared) return false;
  }
  for (uint32_t j = 0; j < step.output_count; ++j) {
    int32_t other = Output(step, static_cast<int32_t>(j));
    if (other >= 0 && static_cast<int32_t>(j) != alias.output && Find(other).root == input.root) return false;
  }
  return true;
}

void MemoryPlanner::PlaceInPlace(MemoryPlan *plan) {
  std::vector<int32_t> taken;
  for (size_t now = 0; now < steps_.size(); ++now) {
    const Step &step = steps_[now];
    taken.clear();
    for (uint32_t k = 0; k < step.alias_count; ++k) {
      const GeAlias &a = aliases_[step.aliases + k];
      if (a.kind != GE_ALIAS_IN_PLACE) continue;
      // An output replaces one input: both would have to lie at the same place before this step.
      if (std::find(taken.begin(), taken.end(), a.output) != taken.end()) continue;
      int32_t in = Input(step, a.input), out = Output(step, a.output);
      if (in < 0 || out < 0 || values_[out].bytes == 0 || values_[in].bytes != values_[out].bytes) continue;
      Found from = Find(in), to = Find(out);
      if (from.root == to.root) continue;
      const Value &source = values_[from.root], &target = values_[to.root];
      if (source.storage != Storage::kArena || source.end != static_cast<int32_t>(now)) continue;
      if (!MayOverwrite(step, a, from)) continue;
      if (Whole(in, from)) {
        Merge(from.root, to.root, to.offset);
      } else if (target.storage == Storage::kArena && Whole(out, to)) {
        Merge(to.root, from.root, from.offset);
      } else {
        continue;
      }
      taken.push_back(a.output);
      ++plan->in_place;
    }
  }
}

void MemoryPlanner::MarkElided(MemoryPlan *plan) {
  for (size_t now = 0; now < steps_.size(); ++now) {
    const Step &step = steps_[now];
    if (!step.view) continue;
    bool all = true;
    for (uint32_t k = 0; k < step.alias_count && all; ++k) {
      const GeAlias &a = aliases_[step.aliases + k];
      int32_t in = Input(step, a.input), out = Output(step, a.output);
      if (in < 0 || out < 0 || a.kind == GE_ALIAS_IN_PLACE) continue;
      bool inside = a.kind == GE_ALIAS_OUTPUT_IN_INPUT;
      if (values_[inside ? out : in].bytes == 0) continue;
      Found i = Find(in), o = Find(out);
      all = i.root == o.root && (inside ? o.offset == i.offset + a.offset : i.offset == o.offset + a.offset);
    }
    plan->elided[now] = all && step.alias_count != 0;
    plan->viewed += plan->elided[now];
  }
}

MemoryPlan MemoryPlanner::Solve(bool reuse) {
  MemoryPlan plan;
  plan.elided.assign(steps_.size(), 0);
  if (reuse) {
    PlaceViews();
    PlaceConcats();
  }
  PlaceOutputs(&plan);
  if (reuse) {
    PlaceInPlace(&plan);
    MarkElided(&plan);
  }

  plan.spaces.resize(alignments_.size() - 1);
  const auto blocks_of = [&plan](int32_t space) -> std::vector<MemoryBlock> & {
    return space == 0 ? plan.blocks : plan.spaces[static_cast<size_t>(space) - 1].blocks;
  };
  const int32_t last = static_cast<int32_t>(steps_.size());
  for (size_t v = 0; v < values_.size(); ++v) {
    const Value &value = values_[v];
    if (value.parent != static_cast<int32_t>(v) || value.storage != Storage::kArena || value.begin == kForever)
      continue;
    blocks_of(value.index).push_back({static_cast<int32_t>(v), value.begin, std::min(value.end, last), 0, value.bytes});
  }
  for (size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].workspace_bytes == 0 || plan.elided[s]) continue;
    int32_t now = static_cast<int32_t>(s);
    blocks_of(steps_[s].space).push_back({-1 - now, now, now, 0, steps_[s].workspace_bytes});
  }
  plan.workspaces.assign(steps_.size(), 0);
  std::vector<uint64_t> roots(values_.size(), 0);
  for (size_t space = 0; space < alignments_.size(); ++space) {
    std::vector<MemoryBlock> &blocks = blocks_of(static_cast<int32_t>(space));
    for (MemoryBlock &b : blocks) {
      b.bytes = (b.bytes + alignments_[space] - 1) / alignments_[space] * alignments_[space];
      if (space == 0) plan.total_bytes += b.bytes;
    }
    uint64_t peak = 0;
    const uint64_t bytes = AssignOffsets(&blocks, reuse, &peak);
    (space == 0 ? plan.arena_bytes : plan.spaces[space - 1].arena_bytes) = bytes;
    (space == 0 ? plan.live_peak : plan.spaces[space - 1].live_peak) = peak;
    for (const MemoryBlock &b : blocks) (b.value >= 0 ? roots[b.value] : plan.workspaces[-1 - b.value]) = b.offset;
  }
  plan.values.resize(values_.size());
  for (size_t v = 0; v < values_.size(); ++v) {
    if (values_[v].bytes == 0) continue;
    Found at = Find(static_cast<int32_t>(v));
    const Value &root = values_[at.root];
    plan.values[v] = {root.storage, root.index, at.offset + (root.storage == Storage::kArena ? roots[at.root] : 0)};
  }
  return plan;
}

}  // namespace gec
