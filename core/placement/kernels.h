// Placement of nodes on engines, and the kernels made there. The result of both is data a user can read.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/infer.h"
#include "core/ops/op_desc.h"
#include "core/placement/engine.h"
#include "core/placement/ge_engines.h"
#include "core/placement/turn.h"

namespace gec {

struct RegionMemory;

/// The engine that the program chose for the node in attribute "_engine", or in GE's "_specified_engine_name"; else "".
std::string_view WantedEngine(const Node &node);

/// False for nodes that the executors handle themselves: inputs, constants, the output list, control flow.
bool NeedsKernel(const Node &node);

struct NodePlacement {
  const Engine *engine = nullptr;  // null: none takes the node
  std::string refusals;            // one line "engine: reason" per engine asked before
};

/// A node placed for its kernel: what the kernel is shared under, and where it is to be made unless it is there
/// already.
struct KernelPlacement {
  NodePlacement at;
  bool shared = false;
  std::string key;   // of a shared kernel
  KernelPtr kernel;  // that one, where it lives
};

/// Asks engines in order for nodes and makes kernels. Equal nodes of a pure operator (equal KernelKey: everything but
/// the name) share a kernel while one of them lives, also across plans; nodes of other operators, and of an engine that
/// asks for names, share none. Thread-safe.
class KernelFactory {
 public:
  /// `excluded` engines are never asked, except by a node that names one (WantedEngine).
  KernelFactory(EngineList engines, ExcludedEngines excluded, const GeKernelEnv *env);

  /// engine is null when none takes the node.
  NodePlacement Place(const Node &node, const GeOpDesc &op) const;
  struct Made {
    KernelPtr kernel;  // null when no engine takes the node
    std::string refusals;
  };
  /// Description with known shapes: what the kernel is shared under, with the kernel where it lives. No engine is asked
  /// where the node is to run; Place does.
  KernelPlacement FindKernel(const Node &node, const GeOpDesc &op);
  /// Makes the kernel on the engine where the node is placed; where that one refuses after all, engines behind it are
  /// asked. Throws when an engine fails for another reason than refusing.
  Made Make(const Node &node, const GeOpDesc &op, KernelPlacement placed);
  /// Both in one.
  Made Make(const Node &node, const GeOpDesc &op);
  /// A view of a value in the engine's memory, as `made` shows it in the host's: the same, made by that engine, where
  /// it has such a view; else null.
  Made MakeViewOn(const EnginePtr &engine, const Node &node, const GeOpDesc &op, const Made &made);
  /// A kernel of an engine that takes what needs no work; null where none takes the node.
  KernelPtr MakeView(const Node &node, const GeOpDesc &op);
  /// The kernel of a region, made by the engine that took it; `call` is the node that calls it. All its shapes are
  /// known. Null when the engine refuses, is excluded or not loaded.
  Made MakeRegion(const Node &call);
  /// The same for many: `memory` is used again.
  Made MakeRegion(const Node &call, const Graph &region, RegionMemory *memory);
  /// The constant in the engine's memory: copied once while anybody uses it.
  TensorPtr ConstantIn(const EnginePtr &engine, const TensorPtr &constant);
  /// A kernel for all extents of `open`, which describes the node with -1 for those that only a run knows. Made by the
  /// engine that runs the node at the extents of `op`; null where that one makes no such kernels. One that takes what
  /// needs no work at those extents is left out where it makes none.
  KernelPtr MakeOpen(const Node &node, const GeOpDesc &op, const GeOpDesc &open, const GeOpenExtents &extents);
  /// Engines that take parts of graphs, and those that change graphs, in the order they are asked.
  EngineList ClaimingEngines() const;
  EngineList OptimizingEngines() const;

  const EngineList &engines() const { return engines_; }
  const GeKernelEnv &env() const { return *env_; }
  /// The first engine by cost, other than the reference, that would take this node; null: none.
  const Engine *FastTaker(const GeOpDesc &op) const;
  /// Why none of them takes it: each with its reason.
  std::string FastRefusals(const GeOpDesc &op) const;
  /// The least cost of the engines that FastTaker asks, but for those that take what needs no work.
  int32_t LeastCost() const;
  /// Channels per block of NC1HWC0 that the first engine by cost asks for which asks for any; 0: none does.
  int32_t ChannelBlock() const;
  /// An engine of the program's own operators would take this node of a built-in type, were it marked so.
  bool WouldRunOwn(const Node &node, const GeOpDesc &op) const;
  /// Whether there are such engines at all.
  bool has_own_engines() const;
  /// Computes nodes with known inputs on the reference engine, or on the one of the program's own operators that takes
  /// them; for folding and value propagation of nodes that may be folded.
  EvaluateFn Evaluator() const;

 private:
  template <class Try>
  void Walk(const Node &node, std::string *refusals, Try &&attempt, const Engine *from = nullptr) const;
  /// The reference and engines of the program's own operators are none of those that passes ask.
  bool Fast(const EnginePtr &engine) const;
  bool Excluded(const Engine &engine) const { return excluded_.count(engine.name()) != 0; }
  /// A view by that engine, which keeps these refusals; null where it has none.
  Made ViewBy(const EnginePtr &engine, const Node &node, const GeOpDesc &op, std::string refusals);
  /// The kernel that is shared under this key, where one lives.
  bool FindShared(const std::string &key, Made *made);
  void Share(std::string key, const Made &made);
  /// The engine of the program's own operators that takes the node, or null.
  EnginePtr OwnEngine(const Node &node, const GeOpDesc &op) const;
  /// An engine that makes a kernel for each single node takes this one.
  bool KernelOfItsOwn(const GeOpDesc &op) const;
  EngineList engines_;
  ExcludedEngines excluded_;
  const GeKernelEnv *env_;
  EnginePtr reference_;  // DNN_VM_HOST_CPU, or null
  struct Known {
    std::weak_ptr<const Kernel> kernel;
    std::string refusals;
  };
  std::mutex mutex_;  // of known_
  std::unordered_map<std::string, Known> known_;
  struct CopiedConstant {
    std::weak_ptr<const Tensor> copy;
    TensorPtr original;  // so that its address stays its own
  };
  Turn copying_;  // of copied_
  std::map<std::pair<const Engine *, const void *>, CopiedConstant> copied_;
  size_t sweep_copied_at_ = 64;  // entries of copies that are gone are dropped when the table reaches this
  size_t sweep_at_ = 1024;       // entries of dead kernels are dropped when the table reaches this
};

/// Collects nodes that no engine takes and throws one GE_UNSUPPORTED that lists them all.
class UnplacedNodes {
 public:
  void Add(const Node &node, const std::string &refusals);
  void ThrowIfAny() const;

 private:
  std::string text_;
  size_t count_ = 0;
};

inline constexpr std::string_view kReferenceEngine = "DNN_VM_HOST_CPU";

}  // namespace gec
