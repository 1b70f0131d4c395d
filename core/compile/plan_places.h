// Where values of a plan lie in memory that they share, as a function of sizes: parts of a tensor that is cut or joined
// in place follow one another, so each lies behind the bytes of those before it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/compile/exec_plan.h"

namespace gec {

/// Values of the node that share memory as the kernel says lie so at every size: all of one, or parts that follow one
/// another. `general` is the node in the class's graph, `kernel` one for the extents of `node`.
bool LieAlikeAtAllSizes(const Node &general, const Node &node, const GeKernel &kernel);

class PlanPlaces {
 public:
  explicit PlanPlaces(const ExecPlan &plan) : plan_(plan) {}

  /// The node is not run: its outputs lie in its input, or its inputs in its output. False where the place of each is
  /// that of this size alone. `general` is the node in the class's graph.
  bool AddView(const Node &general, const ExecPlan::Placed &placed);
  /// The node runs; some of its values may lie in others as its kernel for this size says.
  void AddPartial(const Node &general, const ExecPlan::Placed &placed);
  /// Call when all nodes were added. False where a place is not known as a function of sizes, and *why.
  bool Resolve(std::string *why);

  struct Value {
    Endpoint at, general;  // in the plan's graph, and in the class's
  };
  struct Place {
    std::vector<Value> behind;  // the value lies behind the bytes of these,
    uint64_t bytes = 0;         // and behind so many more
  };
  /// From the beginning of its block, or of the caller's buffer; null where it is 0 at every size.
  const Place *Of(Endpoint value) const;

  struct Divided {
    Value whole;
    std::vector<Value> parts;
  };
  /// Values that are all of their parts, one behind the other, wherever the bytes of these are its bytes.
  const std::vector<Divided> &divided() const { return divided_; }

 private:
  struct Inside {  // `part` lies in `whole`, at a place in it
    Endpoint part, whole;
    Place at;
  };
  using Key = std::pair<uint32_t, int32_t>;
  static Key KeyOf(Endpoint e) { return {e.node->id(), e.port}; }
  void AddShared(const ExecPlan::Step &step);
  void Add(const Divided &divided, std::vector<Inside> *to);
  uint64_t BytesAt(const Place &place) const;
  std::optional<uint64_t> OffsetOf(const Location &place) const;

  const ExecPlan &plan_;
  std::vector<Inside> inside_, possible_;  // possible: where locations at this size say so
  std::vector<Divided> divided_;
  std::map<Key, Place> places_;
};

}  // namespace gec
