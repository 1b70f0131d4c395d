// Values of a class's graph that are the leading part of one constant at every size: positions that are cut out of a
// table, or looked up in it by 0, 1, 2 …. A plan for all sizes reads the whole constant where a plan for one size has
// the part; nothing is copied.
#pragma once

#include <map>

#include "core/compile/exec_plan.h"

namespace gec {

class LeadingConstants {
 public:
  /// Of a class's graph, whose extents may be symbolic. Constants that are made here take 16 MiB each at most.
  explicit LeadingConstants(const Graph &general);

  /// True when `value` of the class's graph is the leading part of a constant at every size, and `part` begins it.
  bool Begins(Endpoint value, const Tensor &part) const;
  /// The step of the plan reads whole constants where it reads such parts. `general` is its node in the class's graph.
  void Widen(const Node &general, const ExecPlan::Step &step, ExecPlan *plan) const;

 private:
  /// Null where there is none. `counts`: 0, 1, 2 …, without an end.
  struct Whole {
    TensorPtr tensor;
    bool counts = false;
    explicit operator bool() const { return tensor || counts; }
  };
  Whole WholeOf(Endpoint value) const;
  Whole Of(const Node &node) const;
  Whole Count(const Node &node) const;
  Whole Cut(const Node &node) const;
  Whole LookUp(const Node &node) const;

  std::map<uint32_t, Whole> by_id_;  // of a node's only output
};

}  // namespace gec
