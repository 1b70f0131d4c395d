// State that stays between the runs of a model: outputs of one run that are inputs of the next, as a decoder's caches
// are. It belongs to no context; one run at a time uses it.
//
// Each pair of an input and an output has memory of its own. Where the plan lets the output grow in the input's memory
// (ExecPlan::growths), it lies there with room along its axis, and a run writes what is new. Elsewhere the output is
// written beside it, and the two change places.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runtime/arena.h"
#include "runtime/model.h"

namespace gec {

class StaticRun;

struct StatePair {
  std::string input, output;
};
struct StateOptions {
  int64_t capacity = 0;  // along the axis that grows, from the beginning
  int64_t limit = 0;     // of the length; 0: none
  int64_t axis = -2;     // that grows; from behind where it is negative
};

class KeptState {
 public:
  KeptState(ModelPtr model, const std::vector<StatePair> &pairs, const StateOptions &options);
  /// A copy of the content.
  std::unique_ptr<KeptState> Clone();

  struct Slot {
    size_t input, output;  // of the model
    TensorDesc desc;       // of the content
    size_t axis = 0;
    bool grows = false;  // the model leaves the extent along the axis open
    int64_t room = 0;    // extents along the axis that the memory is laid out for; that of desc: dense
    std::unique_ptr<Arena> memory = std::make_unique<Arena>(), spare = std::make_unique<Arena>();
    int64_t length() const { return desc.shape.dims().empty() ? 0 : desc.shape[axis]; }
    bool dense() const { return room == length(); }
  };
  Model &model() const { return *model_; }
  const std::vector<Slot> &slots() const { return slots_; }
  const std::string &input_name(const Slot &slot) const { return model_->inputs()[slot.input].name; }
  /// The common length of what grows, and the least room; 0 where nothing grows.
  int64_t length() const;
  int64_t capacity() const;

  /// One context at a time runs with it; null: none does.
  void Bind(const void *context);
  void Clear();
  void Truncate(int64_t length);
  void Read(size_t slot, void *to, uint64_t bytes);
  void Write(size_t slot, const GeTensorData &content);

  /// One at a time; a second one is refused while it lives.
  class Use {
   public:
    Use(KeptState &state, const char *what);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

   private:
    KeptState &state_;
  };

  /// For a run: the content of an input, dense where `strides` is null. Both memories are there for what output j will
  /// be.
  struct Place {
    const void *in;
    void *out;
    const int64_t *strides;  // not null: both are one memory with these
  };
  /// Refuses an output that does not continue the state.
  void CheckNext(const Slot &slot, const TensorDesc &next) const;
  Place Grow(size_t slot, const TensorDesc &next);
  Place Beside(size_t slot, const TensorDesc &next);
  const void *Dense(size_t slot);
  /// The run has succeeded.
  void Commit(size_t slot, const TensorDesc &next, bool grown);

 private:
  KeptState(const KeptState &other, int);
  void SetEmpty(Slot *slot) const;
  int64_t Outer(const Slot &slot) const;
  uint64_t RowBytes(const Slot &slot) const;  // of one extent along the axis, of one outer index
  void Layout(Slot *slot, int64_t room);
  std::string Named(const Slot &slot) const;
  void CheckLimit(const Slot &slot, int64_t length) const;

  ModelPtr model_;
  StateOptions options_;
  std::vector<Slot> slots_;
  std::vector<std::vector<int64_t>> strides_;  // by slot
  std::atomic<const char *> used_{nullptr};    // by what
  std::atomic<const void *> bound_{nullptr};   // to which context
};

}  // namespace gec
