// From a graph as it was built to one that is ready for planning.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/compile/claims.h"
#include "core/ir/graph.h"
#include "core/ops/infer_details.h"
#include "core/passes/pass.h"
#include "core/placement/kernels.h"
#include "core/variables/variables.h"

namespace gec {

class SymbolicDims;

/// A program says this of the shape of the input of this name.
struct InputShape {
  std::string name;
  std::vector<int64_t> dims;
  Bounds bounds;  // of its dimensions; empty: it says none
};

struct CompileConfig {
  /// Levels, names, switches, instruments. Null: those of the thread.
  PassScopePtr scope;
  bool blocked_layouts = false;                             // NC1HWC0, where engines ask for it
  bool verify = false;                                      // check the graph after every pass
  std::string dump_dir;                                     // write the graph after each stage
  std::string reproducer;                                   // a file for the graph on which a pass fails
  std::vector<std::string> reproducer_arguments;            // of `ge opt`, which runs that file
  std::vector<std::string> reproducer_files;                // of passes
  std::vector<InputShape> input_shapes;                     // replace those of inputs
  std::function<void(const char *stage)> progress;          // may be empty
  std::map<std::string, std::string, std::less<>> options;  // for passes that ask
  VariableLookup variables;                                 // what other graphs know of variables; may be empty
  bool offline = false;                                     // for a machine that may have other engines
  bool regions = true;                                      // engines may take parts of the graph
};

struct StageTime {
  std::string name;
  double seconds = 0;
  int64_t changes = 0;
};
struct CompileReport {
  std::vector<StageTime> stages;
  PassReport passes;
  std::vector<RegionNote> regions;  // whose kernels were made or refused
};

/// An attribute of graphs that passes of programs have changed already; they do not run again.
inline constexpr const char *kOptimizedAttr = "_optimized";

/// A graph that is ready for planning.
struct Optimized {
  GraphPtr graph;
  /// Nothing waits for shapes. False where those of inputs are not known yet, or values decide about others: built-in
  /// passes that need shapes, and kernels of regions, wait for SpecializeGraph.
  bool complete = false;
  RegionKernels regions;  // made on the way, for the plan
  PassReport passes;      // of SpecializeGraph and its like; a compile's stand in its report
};

/// Verifies, infers and optimises the graph in place; `graph` belongs to the compile from here on.
Optimized OptimizeGraph(GraphPtr graph, KernelFactory &kernels, const CompileConfig &config, CompileReport *report);

/// A copy of an optimised graph that SpecializeGraph may have.
GraphPtr CopyToSpecialize(const Graph &graph);
/// Makes such a copy the graph for these inputs: shapes inferred anew, what became known is folded, and the built-in
/// passes run again, so that the result is what a graph with these shapes would have become.
Optimized SpecializeGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, KernelFactory &kernels,
                          const CompileConfig &config);
/// Makes such a copy the graph of a class of sizes: dimensions of `inputs` are numbers or symbolic
/// (core/ops/symbolic_dims.h), the built-in passes run on it once for all of them.
Optimized GeneralizeGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, SymbolicDims &symbolic,
                          KernelFactory &kernels, const CompileConfig &config);
/// Makes a copy of a class's graph the graph for these sizes, which fit the class: shapes are inferred and what
/// follows from them is folded, no other pass runs.
Optimized InstantiateGraph(GraphPtr copy, const std::vector<TensorDesc> &inputs, KernelFactory &kernels,
                           const CompileConfig &config);
/// Names by which a program knows the graph's inputs, in index order; none twice: the second "x" is "x#2". Variables,
/// which come last, are left out.
std::vector<std::string> InputNames(const Graph &graph);
/// Makes a name that an earlier one equals "<name>#2", "<name>#3", …
void NumberRepeats(std::vector<std::string> &names);
/// Every input's type and shape is known.
bool InputsKnown(const Graph &graph);

}  // namespace gec
