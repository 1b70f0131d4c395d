// The steps of a compile beside rewriting, as passes. All but one are essential. Each is true when it
// changed the graph.
#pragma once

#include "core/passes/pass.h"

namespace gec {

/// Edges, ports and attributes are whole; constants have their contents. Marks of an earlier compile are taken off.
bool VerifyGraph(Graph &root, PassContext &context);
/// Nodes follow the prototypes that are registered here: a program's may be of another version.
bool RecoverPrototypes(Graph &root, PassContext &context);
/// Inputs get the shapes of option ge.inputShape.
bool SetInputShapes(Graph &root, PassContext &context);
/// Nodes of built-in types that a program's own kernel computes are marked.
bool FindOwnKernels(Graph &root, PassContext &context);
/// Variables become inputs and outputs. Before calls are inlined: where a call stands decides when what it calls reads
/// and writes.
bool VariablesToPorts(Graph &root, PassContext &context);
/// Types and shapes of all nodes. Values that became known are folded where ConstantFolding may run, and what nothing
/// reads any more goes where DeadCode may run.
bool InferShapes(Graph &root, PassContext &context);
/// Types and layouts that a program left implicit are written out: no kernel takes mixed types, and kernels of
/// convolutions read their layout from an attribute. Operators with attributes for constant inputs become their
/// siblings.
bool WriteOutTypes(Graph &root, PassContext &context);
/// Finds out whether anything waits for shapes.
bool FindOpenShapes(Graph &root, PassContext &context);
/// Engines take parts of the graph.
bool PartitionGraph(Graph &root, PassContext &context);
/// Constants of products and tables in the precision that options allow.
bool LowerPrecision(Graph &root, PassContext &context);
bool LowerAttention(Graph &root, PassContext &context);
/// Engines change the graph for their own nodes, before and after the library's optimisation.
bool EnginesBefore(Graph &root, PassContext &context);
bool EnginesAfter(Graph &root, PassContext &context);

/// Runs the passes that programs registered for a stage.
template <int32_t kStage>
bool ProgramStage(Graph &root, PassContext &context);
/// The same; stream passes start from one stream, and one per label that users set.
bool StreamStage(Graph &root, PassContext &context);

/// True when engines may take parts of the graph.
bool MayHaveRegions(const PassContext &context);

}  // namespace gec
