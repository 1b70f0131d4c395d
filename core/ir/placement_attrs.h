// Attributes by which nodes of a placed graph say where they run (core/compile/placed_graph.h). "_engine" beside them
// names the engine, as in a graph of a program.
#pragma once

namespace gec {

inline constexpr const char *kImplementationAttr = "_implementation";  // the kernel's own text; "view": no work
inline constexpr const char *kRefusalsAttr = "_refusals";              // why engines asked before did not take the node
inline constexpr const char *kMemoryAttr = "_memory";                  // where outputs lie, unless it is the host's

}  // namespace gec
