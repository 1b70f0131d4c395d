// One plan serves many sizes of a class where each extent that a run tells its kernels is known as a function of the
// extents of the inputs, and everything has room for it. A run with another size then takes the same kernels in the
// same memory, and only the extents are written anew. Kernels for one size see the same in each.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/compile/exec_plan.h"
#include "core/ops/symbolic_dims.h"

namespace gec {

class PlanSizes {
 public:
  /// Of a plan that was made of a copy of `general`, the graph of a class. Null where the plan holds for one size only,
  /// and *why.
  static std::shared_ptr<const PlanSizes> Of(const ExecPlan &plan, const Graph &general,
                                             std::shared_ptr<const SymbolicDims> symbolic, std::string *why);

  /// The extents of one size, in the order of dims(). Kept by who asks, so that asking again does not allocate.
  struct Extents {
    std::vector<int64_t> inputs, values, dims;
  };
  /// False where the plan does not serve these inputs; then `out` has no meaning.
  bool At(const ExecPlan &plan, const GeTensorData *inputs, size_t count, Extents *out) const;

  /// True where symbolic dimension `number` of the inputs may have another extent.
  bool MayChange(size_t number) const { return number < may_change_.size() && may_change_[number] != 0; }
  /// Kernels for one size would see the same at both extents of the inputs' symbolic dimensions.
  bool SeenAlike(const std::vector<int64_t> &a, const std::vector<int64_t> &b) const;
  /// All extents at the size that the plan was made for.
  const std::vector<int64_t> &dims() const { return dims_; }
  /// Where those of entry `k` of ExecPlan::dims begin.
  size_t DimsOfPort(size_t k) const { return ports_[k].first; }
  size_t DimsOfInput(size_t i) const { return inputs_[i].first; }
  size_t DimsOfOutput(size_t j) const { return outputs_[j].first; }

 private:
  struct Ports {
    size_t first = 0, rank = 0;  // in dims_
    int32_t dtype = 0;
  };
  struct Room {
    Ports value;
    uint64_t bytes;
  };
  /// Finds nodes of the class's graph by the copies of them that a plan has.
  class Copies {
   public:
    explicit Copies(const Graph &general);
    const Node *Of(const Node &node) const;

   private:
    std::vector<const Node *> by_id_;
  };
  Ports Add(const TensorDesc &general, const TensorDesc &at);
  void AddStep(const ExecPlan &plan, const ExecPlan::Step &step, const Copies &copies);
  bool AddPlaced(const ExecPlan::Placed &placed, const Copies &copies, std::string *why);
  bool HasRoom(const Room &room, const std::vector<int64_t> &dims) const;
  bool HasWorkspaces(const ExecPlan &plan, const std::vector<int64_t> &dims) const;

  void Fix(const TensorDesc &general, const TensorDesc &at);
  bool FindFree();

  std::shared_ptr<const SymbolicDims> symbolic_;
  std::vector<uint8_t> may_change_;    // by symbolic dimension of the inputs
  std::map<int64_t, int64_t> fixed_;   // symbolic dimensions that kernels for one size see, and what they are
  std::vector<int64_t> dims_, names_;  // at the plan's size; what they are called in the class, numbers as they are
  std::vector<Ports> inputs_, outputs_, ports_;
  std::vector<Room> rooms_;
};

}  // namespace gec
