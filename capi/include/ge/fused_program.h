/* Instructions of the operator FusedElementwise: a chain of scalar operations that an engine runs as one loop.
 *
 * The attribute `program` is a flat list of instructions of GE_FUSED_WORDS integers: opcode, destination, operands a,
 * b, c. Values are numbered: 0 … inputs-1 are the node's inputs, inputs+k is the result of instruction k (destinations
 * are in that order), -1-i is constants[i]. GE_FUSED_NONE marks an operand that the instruction does not have. The
 * attribute `outputs` lists the values that leave the node, in output order. All values are float32; truth is 1 and 0.
 * Inputs are float32, bool, int8 or uint8 tensors. Outputs are float32, or what the attribute `output_types` lists: a
 * bool output is true where its value is not 0, an 8-bit one is the value rounded half to even and saturated, NaN the
 * least number.
 */
#ifndef GE_FUSED_PROGRAM_H_
#define GE_FUSED_PROGRAM_H_

#define GE_FUSED_WORDS 5
#define GE_FUSED_NONE (-2147483647 - 1)

/** The instructions; ge/elementwise.def says what each computes of its operands a, b, c. */
typedef enum GeFusedOpcode {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) GE_FUSED_##name = number,
#include "ge/elementwise.def"
} GeFusedOpcode;

/** How many operands an instruction has; 0: there is no such instruction. */
static inline int GeFusedOperands(int opcode) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) \
  case number:                                                                          \
    return operands;
#include "ge/elementwise.def"
    default:
      return 0;
  }
}

#endif
