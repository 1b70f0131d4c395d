// A graph with known shapes, ready to be bound to memory: kernels in order and the location of every argument.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/compile/claims.h"
#include "core/ir/graph.h"
#include "core/placement/kernels.h"
#include "core/placement/open_kernels.h"
#include "core/plan/memory_plan.h"

namespace gec {

class PlanSizes;

struct ExecPlan {
  struct Step {
    KernelPtr kernel;
    const Node *node;
    uint32_t first_input, input_count, first_output, output_count;  // in `arguments`
    uint64_t workspace, workspace_bytes;                            // offset in the arena of `space`
    int32_t workspace_block;                                        // of that arena; -1: none is needed
    int32_t space;                                                  // whose kernel this is; 0: the host's memory
    int32_t dims;     // in `dims`, inputs first; -1: the kernel knows them
    bool copy;        // a value of `node` crosses a border
    bool wait;        // for such a copy that was started before
    int32_t started;  // of a copy to the host that goes on beside later work, and of the wait: which one of its space
    uint64_t bytes;   // of a copy
  };
  struct Argument {
    Location at;
    bool absent = false;  // an optional port that is not connected; without memory and present: an empty tensor
  };
  struct OutputCopy {
    Location from;
    int32_t output;
    uint64_t bytes;
  };
  struct Placed {  // every node that got a kernel, those without work included
    const Node *node;
    KernelPtr kernel;
    std::string refusals;
    bool elided;
    int32_t copied = -1;  // not -1: no work of the node, but a copy of this output of it from one memory to another
    uint64_t copied_bytes = 0;
    int32_t space = 0;  // where its outputs lie; 0: in the host's memory
    bool open = false;  // the kernel serves other sizes, too
    uint64_t workspace_bytes = 0;
    bool wait = false;     // for the copy
    int32_t started = -1;  // not -1: which copy of its space, that goes on beside later work
    /// Of a node that needs no work, or not all of it, at each size: how its values lie in one another at this one.
    KernelPtr view = nullptr;
    const GeKernel &memory() const { return (view ? view : kernel)->get(); }
  };
  struct ValueName {
    const Node *node;
    int32_t port;
  };

  GraphPtr graph;  // what steps and names refer to
  std::vector<TensorDesc> inputs, outputs;
  std::vector<Step> steps;
  std::vector<Argument> arguments;
  std::vector<const int64_t *> dims;  // of the arguments of kernels that serve several sizes; they lie in `graph`
  std::vector<TensorPtr> constants;   // those that lie in an engine's memory included: the host does not read them
  std::vector<EnginePtr> spaces;      // engines with memory of their own, by number of the space less 1
  std::vector<size_t> started;        // by space less 1: copies to the host that go on beside later work
  std::vector<OutputCopy> copies;
  uint64_t arena_bytes = 0;
  uint64_t discarded_bytes = 0;   // of constants whose memory was given back
  MemoryPlan memory;              // kept for its blocks and figures; `values` is dropped
  std::vector<ValueName> values;  // names of the values that blocks refer to
  std::vector<Placed> placed;
  struct Seconds {  // that the stages took
    double place = 0, kernels = 0, memory = 0;
  } seconds;
  /// Not empty: this graph cannot run from one plan (control flow, shapes that depend on values), and why.
  std::string dynamic_reason;
  std::shared_ptr<const PlanSizes> sizes;  // not null: the plan serves other sizes, too
  /// Output that is input `input` with more behind it along `axis`, written as that where both lie in one memory that
  /// has room for it. All that read either of them take strides.
  struct Growth {
    int32_t input, output, axis;
  };
  std::vector<Growth> growths;
  bool is_static() const { return dynamic_reason.empty(); }
};
using PlanPtr = std::shared_ptr<const ExecPlan>;

struct PlanOptions {
  bool reuse_memory = true;
  /// Constants that every kernel reads in packed form only give their memory back as soon as the last of these kernels
  /// is made. Only for a graph that nobody else shares constants with and that no second plan is made of.
  bool discard_packed = false;
  const RegionKernels *regions = nullptr;  // of this graph; what is not there is made
  OpenKernels *open = nullptr;             // of the class of sizes that this graph is of
};
/// Why no plan serves a run of this graph: a node that chooses what runs, or a shape that values decide. Empty where
/// there may be one, as far as can be told without kernels.
std::string WhyDynamic(const Graph &graph);
/// In stages: places nodes on engines, makes their kernels and the copies between memories, plans memory. Throws
/// GE_UNSUPPORTED listing every node that no engine takes.
std::shared_ptr<ExecPlan> BuildPlan(GraphPtr graph, KernelFactory &kernels, const PlanOptions &options = {});

/// Pictures and data of a plan's arena: tensors over time.
std::string MemoryJson(const ExecPlan &plan);
std::string MemorySvg(const ExecPlan &plan);

}  // namespace gec
