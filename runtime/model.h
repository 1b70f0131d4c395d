// A compiled model: the optimised graph, its kernels and plans. Immutable to its users, shared by any number of
// threads.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/compile/exec_plan.h"
#include "core/compile/islands.h"
#include "core/compile/pipeline.h"
#include "runtime/constant_pool.h"
#include "runtime/kernel_env.h"
#include "runtime/options.h"
#include "runtime/shape_class.h"
#include "runtime/variables.h"

namespace gec {

/// Types and shapes of a graph's inputs as one comparable list.
using Signature = std::vector<int64_t>;
Signature SignatureOf(const std::vector<TensorDesc> &descs);
struct SignatureHash {
  size_t operator()(const Signature &s) const;
};

struct ModelPort {
  std::string name;
  TensorDesc desc;  // unknown dimensions are -1
  Bounds bounds;    // of an input's dimensions; empty: none
};

/// How a model's hidden inputs and outputs, which follow its own, hang together with variables.
struct VariableBinding {
  struct Input {
    TensorDesc desc;
    bool flag;  // whether the variable has a value that was given
  };
  std::vector<Input> inputs;
  std::vector<size_t> read;  // number of the variable, by input
  struct Output {
    TensorDesc desc;  // not known: the run tells
    size_t at;        // which hidden output
  };
  std::vector<Output> outputs;
  std::vector<size_t> written;       // number of the variable, by `outputs`
  std::vector<std::string> writers;  // node that gives the value, for messages
  struct Ref {
    size_t at;     // which hidden output
    size_t input;  // RefData whose content it is
  };
  std::vector<Ref> refs;
  size_t output_count() const { return outputs.size() + refs.size(); }
  bool empty() const { return inputs.empty() && output_count() == 0; }
};

struct PlacementInfo {
  std::string node, type, origins, engine, implementation, refusals;
  double flops = 0;
};

class Model : public std::enable_shared_from_this<Model> {
 public:
  /// Of a copy of the graph. Variables are those of `variables`; without it the model has a store of its own. With a
  /// room constants lie there, which must outlive the model.
  static std::shared_ptr<Model> Compile(const Graph &graph, const Options &options, VariableStorePtr variables = {},
                                        ConstantMemoryPtr room = {});
  /// The two steps of Compile, for callers whose graph others may use while the copy is compiled.
  static GraphPtr CopyToCompile(const Graph &graph, const Options &options);
  static std::shared_ptr<Model> CompileCopy(GraphPtr copy, const Options &options, VariableStorePtr variables = {},
                                            ConstantMemoryPtr room = {});
  /// The graph becomes the model's: it is changed in place, and constants that no kernel reads any more after packing
  /// lose their content. Nobody else may use it or share its constants. `overridable` is what overridable() tells.
  static std::shared_ptr<Model> CompileOwned(GraphPtr graph, const Options &options,
                                             std::vector<ModelPort> overridable = {});
  /// A graph for an offline model: optimised as far as every machine would do it, with the names of its outputs and a
  /// mark that passes of programs have been there. Variables start with the values they have in `variables`, if any.
  static GraphPtr OptimizeOffline(const Graph &graph, const Options &options, const VariableStorePtr &variables = {});
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  const std::vector<ModelPort> &inputs() const { return inputs_; }
  const std::vector<ModelPort> &outputs() const { return outputs_; }
  /// Constants that can be inputs instead when the model is imported again.
  const std::vector<ModelPort> &overridable() const { return overridable_; }
  const VariableBinding &bound() const { return bound_; }
  VariableStore &variables() const { return *variables_; }  // where bound() is not empty
  const Settings &settings() const { return settings_; }
  const Options &options() const { return options_; }
  const PassReport &pass_report() const { return report_.passes; }
  KernelFactory &kernels() { return *kernels_; }
  const KernelEnv &env() const { return *env_; }

  /// The plan of a graph ("" is the root, else a subgraph's name) for these inputs; made on first use. A plan that is
  /// not static says that the graph has to be interpreted.
  PlanPtr PlanFor(const std::string &graph, const std::vector<TensorDesc> &inputs, const Signature &signature);
  GraphPtr CopyGraph(const std::string &graph);
  /// A copy of a graph for an interpreter, which changes descriptions while it runs: with islands, where PlanFor found
  /// that the graph has no plan.
  GraphPtr CopyToInterpret(const std::string &graph);
  /// The newest plan's graph with engines and copies; without a static plan the optimised graph with engines.
  GraphPtr PlacedGraph();
  /// Argument numbers that a graph's inputs read, in input order.
  std::vector<int64_t> ArgumentsOf(const std::string &graph);

  /// Where nodes run: of the newest plan of the root, before the first one of the optimised graph.
  std::vector<PlacementInfo> Placement() const;
  PlanPtr NewestPlan() const;  // of the root; null before the first
  std::string ReportJson() const;
  const Graph &graph() const { return *graph_; }
  size_t plan_count() const;
  std::string SizeClassesJson() const;
  std::string IslandsJson() const;

 private:
  Model() = default;
  static std::shared_ptr<Model> CompileGraph(GraphPtr graph, const Options &options, bool owned,
                                             VariableStorePtr variables, ConstantMemoryPtr room);
  /// On the calling thread, whatever the time limit of engines.
  static std::shared_ptr<Model> CompileHere(GraphPtr graph, const Options &options, bool owned,
                                            VariableStorePtr variables, ConstantMemoryPtr room);
  static GraphPtr OptimizeHere(GraphPtr graph, const Options &options, const VariableStorePtr &variables);
  /// Kernels go back to engines, which may hang then.
  static void Destroy(Model *model) noexcept;
  /// To the report: the stages of a plan that took these seconds in all.
  void AddPlanStages(const ExecPlan &plan, double seconds);
  void BindVariables(const GraphVariables &found, const std::vector<Endpoint> &outputs);
  const Graph &GraphNamed(const std::string &name) const;  // holding graph_mutex_
  /// Of a graph that has no plan with these inputs: finds its islands, once.
  void AddIslands(const std::string &graph, const std::vector<TensorDesc> &inputs);
  /// Makes the plans that the first run will need, as far as its shapes are certain.
  void PlanIslands(const std::string &graph);
  void PlaceGeneric();
  PlanPtr FindPlan(const std::string &graph, const Signature &signature);
  PlanPtr MakePlan(const std::string &graph, const std::vector<TensorDesc> &inputs);
  PlanPtr MakeStaticPlan(const std::string &graph, const std::vector<TensorDesc> &inputs);
  /// From a graph that only these inputs have.
  PlanPtr MakeExactPlan(const std::string &graph, const std::vector<TensorDesc> &inputs);
  /// From the graph of a class; null where these inputs need one of their own.
  PlanPtr MakeGeneralPlan(const ShapeClassPtr &sizes, const std::vector<TensorDesc> &inputs, std::string *why);
  /// One that was made for another size of the class, and serves this one. Null: there is none.
  PlanPtr FindServingPlan(const ShapeClassPtr &sizes, const std::vector<TensorDesc> &inputs);
  std::vector<TensorDesc> DeclaredInputs(const std::string &graph);
  ShapeClassPtr FindClass(const std::string &graph, const SizePattern &pattern);
  /// Makes the class of these sizes, if one graph can serve it as well as the exact plan serves them.
  void AddClass(const std::string &graph, const SizePattern &pattern, const std::vector<TensorDesc> &inputs,
                const ExecPlan &exact);

  struct PlanCache {
    struct Entry {
      Signature signature;
      PlanPtr plan;
    };
    std::list<Entry> entries;  // most recently used first
    std::unordered_map<Signature, std::list<Entry>::iterator, SignatureHash> index;
  };

  Options options_;
  Settings settings_;
  std::unique_ptr<KernelEnv> env_;  // kernels point into it: it goes last
  std::unique_ptr<KernelFactory> kernels_;
  VariableStorePtr variables_;
  VariableBinding bound_;
  GraphPtr graph_;         // optimised, shapes as far as known at compile time
  bool complete_ = false;  // graph_ needs no specialising
  RegionKernels regions_;  // of graph_
  bool owned_ = false;     // nobody else knows graph_'s constants
  CompileReport report_;
  PassScopePtr scope_;  // of the compile, for what runs compile later
  /// The newest graphs that were made for sizes of inputs, with what passes did for them.
  struct Specialization {
    const char *kind;  // exact: one size; class: all sizes of a kind
    std::string inputs;
    PassReport passes;
  };
  static constexpr size_t kMostSpecializations = 16;
  std::vector<Specialization> specializations_;  // guarded by mutex_
  void AddSpecialization(const char *kind, const std::vector<TensorDesc> &inputs, PassReport passes);
  std::vector<ModelPort> inputs_, outputs_, overridable_;
  struct GenericPlacement {
    std::string graph;  // "": the root
    PlacementInfo info;
  };
  std::vector<GenericPlacement> generic_placement_;
  mutable std::mutex graph_mutex_;              // of constants_ and islands_, and of graphs while they are copied
  std::map<std::string, IslandGraph> islands_;  // by graph; entries do not change
  ConstantPool constants_;                      // that specialising made
  mutable std::mutex mutex_;                    // the caches and newest_
  std::map<std::string, PlanCache> plans_;
  std::map<std::string, std::vector<ShapeClassPtr>> classes_;
  static constexpr size_t kMostServing = 4;
  std::map<const ShapeClass *, std::vector<PlanPtr>> serving_;  // plans of a class for several sizes, newest first
  /// Locked by the thread that builds the plan; others that want the same one wait for it.
  std::map<std::pair<std::string, Signature>, std::shared_ptr<Turn>> building_;
  PlanPtr newest_;
};
using ModelPtr = std::shared_ptr<Model>;

}  // namespace gec
