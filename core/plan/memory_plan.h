// Decides where every value of a straight sequence of steps lives: which ones share bytes (views, concatenations in
// place, elementwise in place), which are the caller's buffers, and at which offset of one arena the others lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ge/engine.h"

namespace gec {

enum class Storage : uint8_t {
  kNone,    // no bytes: an absent port or an empty tensor
  kArena,   // of space `index`; 0 is the host's memory
  kInput,   // the caller's buffer of graph input `index`
  kOutput,  // the caller's buffer of graph output `index`
  kConst,   // constant `index`
};

struct Location {
  Storage storage = Storage::kNone;
  int32_t index = -1;
  uint64_t offset = 0;
  int32_t block = -1;  // of an arena: which of its blocks
};

/// Every buffer starts at a multiple of this; aliases that would break it are not honoured.
inline constexpr uint64_t kBufferAlignment = 64;

struct MemoryBlock {   // one region of an arena over its life, for pictures and checks
  int32_t value;       // the value that created it, or -1 - step for a workspace
  int32_t begin, end;  // first and last step, inclusive
  uint64_t offset, bytes;
};

struct MemoryPlan {
  std::vector<Location> values;           // by value
  std::vector<uint64_t> workspaces;       // arena offset by step
  std::vector<int32_t> workspace_blocks;  // by step; -1: it needs none
  std::vector<uint8_t> elided;            // by step: every alias is honoured and the kernel is a view, nothing to run
  struct OutputCopy {
    int32_t output;
    int32_t value;
  };
  std::vector<OutputCopy> copies;  // outputs that could not be produced in place
  struct State {
    int32_t input, output;  // as given to AddState
  };
  std::vector<State> states;  // those updated where they lie: the input's memory holds the output after the run
  std::vector<MemoryBlock> blocks;
  bool reuse = true;  // blocks share bytes
  uint64_t arena_bytes = 0;
  uint64_t live_peak = 0;    // largest sum of live bytes: no plan can be smaller
  uint64_t total_bytes = 0;  // sum of all blocks: what no reuse would need
  uint32_t in_place = 0, viewed = 0;
  struct Space {
    std::vector<MemoryBlock> blocks;
    uint64_t arena_bytes = 0, live_peak = 0;
  };
  std::vector<Space> spaces;  // other than the host's, by number less 1; the figures above are the host's
};

class MemoryPlanner {
 public:
  /// Memory that the host does not touch: values and workspaces there lie in an arena of their own. Returns its number;
  /// 0 is the host's memory.
  int32_t AddSpace(uint64_t alignment);
  /// A value that a step produces.
  int32_t AddValue(uint64_t bytes, int32_t space = 0);
  /// A value that exists before the first step and may not be written.
  int32_t AddExternal(Storage storage, int32_t index, uint64_t bytes);
  /// Graph input `index` whose memory is to hold graph output `output` after the run. Steps may write there once nobody
  /// needs the old content.
  int32_t AddState(int32_t index, uint64_t bytes, int32_t output);
  uint64_t BytesOf(int32_t value) const { return values_[static_cast<size_t>(value)].bytes; }
  /// Steps in running order. Inputs and outputs are values, -1 for an absent port. A step with aliases has all of them
  /// in one space, where its workspace is.
  void AddStep(std::span<const int32_t> inputs, std::span<const int32_t> outputs, std::span<const GeAlias> aliases,
               bool view, uint64_t workspace_bytes, int32_t space = 0);
  /// Graph output number (order of calls), of a value in the host's memory.
  void AddOutput(int32_t value);
  void Reserve(size_t values, size_t steps);

  /// reuse false keeps every block apart, for finding faults.
  MemoryPlan Solve(bool reuse = true);

 private:
  struct Value {
    uint64_t bytes;
    int32_t parent;   // union-find with offsets: the value this one lies in, itself when it is a root
    uint64_t offset;  // in the parent
    int32_t begin, end;
    int32_t index;    // of a root: space of an arena, else as in Location
    Storage storage;  // of a root
  };
  struct Step {
    uint32_t inputs, input_count, outputs, output_count, aliases, alias_count;
    uint64_t workspace_bytes;
    int32_t space;
    bool view;
  };
  struct Found {
    int32_t root;
    uint64_t offset;
  };
  Found Find(int32_t value);
  void Merge(int32_t child_root, int32_t parent_root, uint64_t offset);
  bool Whole(int32_t value, Found found) const {
    return found.offset == 0 && values_[value].bytes == values_[found.root].bytes;
  }
  int32_t Input(const Step &s, int32_t i) const { return ports_[s.inputs + i]; }
  int32_t Output(const Step &s, int32_t i) const { return ports_[s.outputs + i]; }

  void PlaceViews();
  void PlaceConcats();
  void PlaceStates(MemoryPlan *plan);
  bool WriteToState(int32_t state, int32_t output);
  void PlaceOutputs(MemoryPlan *plan);
  void PlaceInPlace(MemoryPlan *plan);
  bool MayOverwrite(const Step &step, const GeAlias &alias, Found input);
  bool Replaces(const Step &step, const GeAlias &alias, Found output);
  void MarkElided(MemoryPlan *plan);
  bool IsView(const Step &step);
  uint64_t Alignment(const Value &root) const {
    return root.storage == Storage::kArena ? alignments_[static_cast<size_t>(root.index)] : kBufferAlignment;
  }

  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<int32_t> ports_;
  std::vector<GeAlias> aliases_;
  std::vector<uint64_t> placed_;  // bytes by output of a step, while its aliases are looked at
  std::vector<int32_t> outputs_;
  struct State {
    int32_t value, output;
  };
  std::vector<State> states_;
  std::vector<uint64_t> alignments_ = {kBufferAlignment};  // by space
};

}  // namespace gec
