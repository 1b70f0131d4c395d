// Decides before the first run which values share bytes and where they lie: in an arena, in a buffer of the caller or
// in a constant. The idea: docs/algorithms.md, "The memory plan".
#include "core/plan/memory_plan.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "core/plan/offsets.h"

namespace gec {
namespace {

constexpr int32_t kForever = std::numeric_limits<int32_t>::max();

bool Overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

/// The output may lie where the input lies, and the kernel runs all the same.
bool Overwrites(const GeAlias &a) { return a.kind == GE_ALIAS_IN_PLACE || a.kind == GE_ALIAS_STATE; }

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

int32_t MemoryPlanner::AddState(int32_t index, uint64_t bytes, int32_t output) {
  const int32_t id = AddExternal(Storage::kInput, index, bytes);
  if (bytes == 0) return id;
  values_[id].end = -1;  // steps that read it move this on
  states_.push_back({id, output});
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
  step.view = view && IsView(step);
  for (int32_t v : inputs) {
    if (v >= 0 && values_[v].end != kForever) values_[v].end = now;
  }
  for (int32_t v : outputs) {
    if (v >= 0) values_[v].begin = values_[v].end = now;
  }
  steps_.push_back(step);
}

/// True when the aliases say where all that the step computes lies: then there is nothing to run where they are
/// honoured. Where a kernel calls itself a view and leaves bytes of an output out, or says that it overwrites, it is
/// none.
bool MemoryPlanner::IsView(const Step &step) {
  if (step.alias_count == 0) return false;
  placed_.assign(step.output_count, 0);
  for (uint32_t k = 0; k < step.alias_count; ++k) {
    const GeAlias &a = aliases_[step.aliases + k];
    if (Overwrites(a)) return false;
    if (a.kind == GE_ALIAS_EXTENDS) continue;
    const int32_t in = Input(step, a.input), out = Output(step, a.output);
    if (in >= 0 && out >= 0) placed_[a.output] += values_[a.kind == GE_ALIAS_OUTPUT_IN_INPUT ? out : in].bytes;
  }
  for (uint32_t o = 0; o < step.output_count; ++o) {
    const int32_t out = Output(step, static_cast<int32_t>(o));
    if (out >= 0 && placed_[o] < values_[out].bytes) return false;
  }
  return true;
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

void MemoryPlanner::PlaceStates(MemoryPlan *plan) {
  for (const State &state : states_) {
    if (static_cast<size_t>(state.output) >= outputs_.size() || !WriteToState(state.value, outputs_[state.output]))
      continue;
    plan->states.push_back({values_[state.value].index, state.output});
  }
}

/// Puts the value `output` where the external value `state` lies, and with it the values between the two: each is
/// written over the one before by the last step that reads that one. Searched backwards, from what the run leaves.
bool MemoryPlanner::WriteToState(int32_t state, int32_t output) {
  const Value &old = values_[state];
  struct Link {
    int32_t root;
    size_t next;  // link that overwrites this one
  };
  std::vector<Link> links;
  std::unordered_set<int32_t> seen;
  const auto reach = [&](int32_t value, size_t next) {
    const Found at = Find(value);
    const Value &root = values_[at.root];
    if (at.root == state || root.storage != Storage::kArena || root.index != 0 || root.begin == kForever) return;
    if (Whole(value, at) && root.bytes == old.bytes && seen.insert(at.root).second) links.push_back({at.root, next});
  };
  constexpr size_t kLast = std::numeric_limits<size_t>::max();
  reach(output, kLast);
  size_t first = kLast;  // the earliest value of the chain that may lie there
  bool found = false;
  for (size_t k = 0; k < links.size() && !found; ++k) {
    const int32_t root = links[k].root, now = values_[root].begin;
    if (now > old.end) first = k;  // nobody needs the old content any more
    const Step &step = steps_[now];
    for (uint32_t i = 0; i < step.alias_count && !found; ++i) {
      const GeAlias &a = aliases_[step.aliases + i];
      const int32_t in = Input(step, a.input), out = Output(step, a.output);
      if (!Overwrites(a) || in < 0 || out < 0 || Find(out).root != root || values_[in].bytes != values_[out].bytes)
        continue;
      const Found from = Find(in);
      if (values_[from.root].end != now || !Whole(in, from) || !MayOverwrite(step, a, from)) continue;
      found = from.root == state;
      if (found) first = k;
      else reach(in, k);
    }
  }
  for (size_t at = first; at != kLast; at = links[at].next) Merge(links[at].root, state, 0);
  return first != kLast;
}

void MemoryPlanner::PlaceOutputs(MemoryPlan *plan) {
  for (size_t j = 0; j < outputs_.size(); ++j) {
    int32_t value = outputs_[j];
    const auto is_state = [&](const MemoryPlan::State &s) { return s.output == static_cast<int32_t>(j); };
    if (std::any_of(plan->states.begin(), plan->states.end(), is_state)) continue;
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
      declared |= Overwrites(a) && a.input == static_cast<int32_t>(j) && a.output == alias.output;
    }
    if (!declared) return false;
  }
  for (uint32_t j = 0; j < step.output_count; ++j) {
    int32_t other = Output(step, static_cast<int32_t>(j));
    if (other >= 0 && static_cast<int32_t>(j) != alias.output && Find(other).root == input.root) return false;
  }
  return true;
}

/// True when an input of the step lies where the output lies: a second one would have to lie there as well.
bool MemoryPlanner::Replaces(const Step &step, const GeAlias &alias, Found output) {
  const uint64_t bytes = values_[Output(step, alias.output)].bytes;
  for (uint32_t j = 0; j < step.input_count; ++j) {
    const int32_t in = Input(step, static_cast<int32_t>(j));
    if (in < 0) continue;
    const Found at = Find(in);
    if (at.root == output.root && Overlap(at.offset, values_[in].bytes, output.offset, bytes)) return true;
  }
  return false;
}

void MemoryPlanner::PlaceInPlace(MemoryPlan *plan) {
  for (size_t now = 0; now < steps_.size(); ++now) {
    const Step &step = steps_[now];
    for (uint32_t k = 0; k < step.alias_count; ++k) {
      const GeAlias &a = aliases_[step.aliases + k];
      if (!Overwrites(a)) continue;
      int32_t in = Input(step, a.input), out = Output(step, a.output);
      if (in < 0 || out < 0 || values_[out].bytes == 0 || values_[in].bytes != values_[out].bytes) continue;
      Found from = Find(in), to = Find(out);
      if (from.root == to.root || Replaces(step, a, to)) continue;
      const Value &source = values_[from.root], &target = values_[to.root];
      if (target.storage == Storage::kInput) continue;  // before the state's old content is dead, nothing may lie there
      if (source.storage != Storage::kArena || source.end != static_cast<int32_t>(now)) continue;
      if (!MayOverwrite(step, a, from)) continue;
      if (Whole(in, from)) {
        Merge(from.root, to.root, to.offset);
      } else if (target.storage == Storage::kArena && Whole(out, to)) {
        Merge(to.root, from.root, from.offset);
      } else {
        continue;
      }
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
      if (in < 0 || out < 0 || a.kind == GE_ALIAS_EXTENDS) continue;
      bool inside = a.kind == GE_ALIAS_OUTPUT_IN_INPUT;
      if (values_[inside ? out : in].bytes == 0) continue;
      Found i = Find(in), o = Find(out);
      all = i.root == o.root && (inside ? o.offset == i.offset + a.offset : i.offset == o.offset + a.offset);
    }
    plan->elided[now] = all;
    plan->viewed += plan->elided[now];
  }
}

MemoryPlan MemoryPlanner::Solve(bool reuse) {
  MemoryPlan plan;
  plan.reuse = reuse;
  plan.elided.assign(steps_.size(), 0);
  if (reuse) {
    PlaceViews();
    PlaceConcats();
    PlaceStates(&plan);
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
  plan.workspace_blocks.assign(steps_.size(), -1);
  std::vector<int32_t> block_of(values_.size(), -1);  // by root
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
    for (size_t k = 0; k < blocks.size(); ++k) {
      const MemoryBlock &b = blocks[k];
      (b.value >= 0 ? block_of[b.value] : plan.workspace_blocks[-1 - b.value]) = static_cast<int32_t>(k);
      if (b.value < 0) plan.workspaces[-1 - b.value] = b.offset;
    }
  }
  plan.values.resize(values_.size());
  for (size_t v = 0; v < values_.size(); ++v) {
    if (values_[v].bytes == 0) continue;
    Found at = Find(static_cast<int32_t>(v));
    const Value &root = values_[at.root];
    Location &to = plan.values[v];
    to = {root.storage, root.index, at.offset, block_of[at.root]};
    if (to.block >= 0) to.offset += blocks_of(root.index)[static_cast<size_t>(to.block)].offset;
  }
  return plan;
}

}  // namespace gec
