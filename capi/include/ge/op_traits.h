/* What an operator is, apart from its ports: whether it has effects, draws random numbers, works element by element.
 *
 * Built-in operators have a row of traits beside their prototypes. Operators of programs say theirs in
 * GeOpSchema.traits or by GeOpSetTraits. An operator of which nobody says anything is treated as one with effects: its
 * nodes are never merged, removed, computed at compile time or given a shared kernel. */
#ifndef GE_OP_TRAITS_H_
#define GE_OP_TRAITS_H_

#include <stddef.h>
#include <stdint.h>

/** The outputs follow from the inputs and the attributes, and nothing else happens: equal nodes become one and share a
 * kernel, which then sees no node name; a node that nobody reads is removed. */
#define GE_TRAIT_PURE 1u
/** The outputs are drawn anew: nodes are never merged or computed at compile time, but removed when nobody reads them.
 */
#define GE_TRAIT_RANDOM 2u
/** Something outside the graph is read or changed (a variable, a file, another rank): nodes stay as they are. */
#define GE_TRAIT_EFFECT 4u
/** Output 0 holds the bytes of input 0 in their order, under another shape or type. Needs PURE, an input and an output.
 */
#define GE_TRAIT_VIEW 8u
/** Every element of an output depends on the elements at its place of the broadcast inputs alone. */
#define GE_TRAIT_ELEMENTWISE 16u
/** GeOpTraits.fused_opcode is what the operator computes of float32 inputs, one for each operand of the instruction.
 * Needs PURE, ELEMENTWISE and the opcode. */
#define GE_TRAIT_FUSED 32u
/** Outputs have the layout (NCHW, NHWC, …) of the inputs. */
#define GE_TRAIT_LAYOUT_AGNOSTIC 64u
/** The first two inputs may change places. Needs PURE and two inputs. */
#define GE_TRAIT_COMMUTATIVE 128u
/** Output 0 may be written over an input of the same shape and type: each element is read before its place is written.
 */
#define GE_TRAIT_IN_PLACE 256u
/** May be computed when the model is compiled, once all inputs are constants. Needs PURE. */
#define GE_TRAIT_FOLDABLE 512u
/** The inputs may have different data types. The outputs have the one that GePromoteDataTypes finds for all of them,
 * and the compiler casts the inputs to it. Without this trait the same holds for the inputs that an output's type
 * symbol names in the prototype (`Promote({"T1", "T2"})`). Needs two inputs. */
#define GE_TRAIT_PROMOTES 1024u

/** Which subgraphs an operator runs, and how. The prototype has the subgraphs that are named here. Such an operator is
 * none that works on elements, is a view, is computed at compile time or writes over its input. */
typedef enum GeControlFlow {
  GE_CONTROL_FLOW_NONE = 0,
  GE_CONTROL_FLOW_IF = 1,    /* then_branch or else_branch */
  GE_CONTROL_FLOW_CASE = 2,  /* one of branches */
  GE_CONTROL_FLOW_WHILE = 3, /* body, as long as cond says so */
  GE_CONTROL_FLOW_FOR = 4,   /* body, for each value of a counter */
  GE_CONTROL_FLOW_CALL = 5   /* f */
} GeControlFlow;

typedef struct GeOpTraits {
  size_t struct_size;
  uint64_t flags;       /* GE_TRAIT_*; without PURE, RANDOM and EFFECT the operator is treated as one with effects */
  int32_t control_flow; /* GeControlFlow; effects of the subgraphs are effects of the node */
  int32_t fused_opcode; /* GeFusedOpcode with GE_TRAIT_FUSED, else 0, which is none */
} GeOpTraits;

#endif
