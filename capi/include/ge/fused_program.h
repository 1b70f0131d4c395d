/* Instructions of the operator FusedElementwise: a chain of scalar operations that an engine runs as one loop.
 *
 * The attribute `program` is a flat list of instructions of GE_FUSED_WORDS integers: opcode, destination, operands a,
 * b, c. Values are numbered: 0 … inputs-1 are the node's inputs, inputs+k is the result of instruction k (destinations
 * are in that order), -1-i is constants[i]. GE_FUSED_NONE marks an operand that the instruction does not have. The
 * attribute `outputs` lists the values that leave the node, in output order. All values are float32; truth is 1 and 0.
 * Inputs are float32 or bool tensors. Outputs are float32, or what the attribute `output_types` lists: a bool output
 * is true where its value is not 0.
 */
#ifndef GE_FUSED_PROGRAM_H_
#define GE_FUSED_PROGRAM_H_

#define GE_FUSED_WORDS 5
#define GE_FUSED_NONE (-2147483647 - 1)

/** What an instruction does with its operands a, b, c; the rest is what the names say. ROUND: half to even. PRELU: a >
 * 0 ? a : a * b. CLIP: min(max(a, b), c). SELECT: a != 0 ? b : c. FMA: a * b + c. LEAKY_RELU: a > 0 ? a : a * b. ELU: a
 * > 0 ? a : b * (exp(a) - 1). HARD_SIGMOID: min(max(a * b + c, 0), 1). SQUARED_DIFFERENCE: (a - b) * (a - b). NOT: a ==
 * 0. MISH: a * tanh(log(1 + exp(a))). SOFTSIGN: a / (1 + |a|). */
typedef enum GeFusedOpcode {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula) GE_FUSED_##name = number,
#include "ge/elementwise.def"
} GeFusedOpcode;

/** How many operands an instruction has; 0: there is no such instruction. */
static inline int GeFusedOperands(int opcode) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula) \
  case number:                                                 \
    return operands;
#include "ge/elementwise.def"
    default:
      return 0;
  }
}

#endif
