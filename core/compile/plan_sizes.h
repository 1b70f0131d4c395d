// One plan serves many sizes of a class where each extent that a run tells its kernels is known as a function of the
// extents of the inputs. A run with another size then takes the same kernels: the extents are written anew, and memory
// is laid out anew where it has no room (core/plan/block_layout.h). Kernels for one size see the same in each.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/compile/exec_plan.h"
#include "core/compile/leading_constants.h"
#include "core/compile/plan_places.h"
#include "core/ops/symbolic_dims.h"

namespace gec {

class PlanSizes {
 public:
  /// Of a plan that was made of a copy of `general`, the graph of a class; it then reads whole constants where it read
  /// the leading parts of them. Null where the plan holds for one size only, and *why.
  static std::shared_ptr<const PlanSizes> Of(ExecPlan *plan, const Graph &general, const LeadingConstants &leading,
                                             std::shared_ptr<const SymbolicDims> symbolic, std::string *why);

  /// The extents of one size, in the order of dims(). Kept by who asks, so that asking again does not allocate.
  struct Extents {
    std::vector<int64_t> inputs, values, dims;
    std::vector<uint64_t> blocks;   // bytes that each block of the plan's arena has to have
    std::vector<uint64_t> offsets;  // of values that lie behind others in their block or buffer
  };
  /// False where the plan does not serve these inputs; then `out` has no meaning.
  bool At(const ExecPlan &plan, const GeTensorData *inputs, size_t count, Extents *out) const;

  /// Bytes of the arena of the run that took a size last; 0: none did.
  uint64_t arena_at_hand() const { return arena_at_hand_; }
  void SetArenaAtHand(uint64_t bytes) const { arena_at_hand_ = bytes; }
  /// All extents at the size that the plan was made for.
  const std::vector<int64_t> &dims() const { return dims_; }
  /// Where those of entry `k` of ExecPlan::dims begin.
  size_t DimsOfPort(size_t k) const { return ports_[k].first; }
  size_t DimsOfInput(size_t i) const { return inputs_[i].first; }
  /// Which of Extents::offsets belongs to an argument of a step; -1: it lies where its block or buffer begins.
  int32_t OffsetOfArgument(size_t argument) const { return argument_offsets_[argument]; }
  size_t DimsOfOutput(size_t j) const { return outputs_[j].first; }

 private:
  struct Ports {
    size_t first = 0, rank = 0;  // in dims_
    int32_t dtype = 0;
  };
  struct InMemory {  // a value that steps write or read
    Ports ports;
    Storage storage;
    int32_t index;   // of an arena the block, else as in Location
    int32_t behind;  // in offsets_, or -1
  };
  struct Divided {
    Ports whole;
    std::vector<Ports> parts;
  };
  struct Behind {
    std::vector<Ports> parts;
    uint64_t bytes;  // beside them
  };
  /// Finds nodes of the class's graph by the copies of them that a plan has.
  class Copies {
   public:
    Copies(const Graph &general, const LeadingConstants &leading);
    const Node *Of(const Node &node) const;

   private:
    bool Same(Endpoint general, Endpoint at) const;
    const LeadingConstants &leading_;
    std::vector<const Node *> by_id_;
  };
  Ports Add(const TensorDesc &general, const TensorDesc &at);
  void AddStep(const ExecPlan &plan, const ExecPlan::Step &step, const Copies &copies);
  bool AddValues(const ExecPlan &plan, const Copies &copies, const PlanPlaces &places);
  bool AddPlaced(const ExecPlan::Placed &placed, const Copies &copies, PlanPlaces *places, std::string *why);
  static bool BytesOf(const Ports &value, const std::vector<int64_t> &dims, uint64_t *bytes);
  static bool SumOf(const std::vector<Ports> &parts, const std::vector<int64_t> &dims, uint64_t *sum);
  bool SizeOffsets(Extents *out) const;
  bool SizeValues(const ExecPlan &plan, Extents *out) const;
  bool SizeWorkspaces(const ExecPlan &plan, Extents *out) const;

  void Fix(const TensorDesc &general, const TensorDesc &at);
  bool FindFree();

  std::shared_ptr<const SymbolicDims> symbolic_;
  size_t symbolic_inputs_ = 0;         // how many symbolic dimensions the inputs have
  std::map<int64_t, int64_t> fixed_;   // symbolic dimensions that kernels for one size see, and what they are
  std::vector<int64_t> dims_, names_;  // at the plan's size; what they are called in the class, numbers as they are
  std::vector<Ports> inputs_, outputs_, ports_;
  std::vector<InMemory> values_;
  std::vector<Behind> offsets_;
  std::vector<Divided> divided_;
  std::vector<int32_t> argument_offsets_;
  mutable std::atomic<uint64_t> arena_at_hand_ = 0;
};

}  // namespace gec
