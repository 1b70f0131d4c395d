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

typedef enum GeFusedOpcode {
  /* binary: a, b */
  GE_FUSED_ADD = 0,
  GE_FUSED_SUB = 1,
  GE_FUSED_MUL = 2,
  GE_FUSED_DIV = 3,
  GE_FUSED_MAX = 4,
  GE_FUSED_MIN = 5,
  GE_FUSED_POW = 6,
  GE_FUSED_SQUARED_DIFFERENCE = 7,
  GE_FUSED_EQUAL = 8,
  GE_FUSED_LESS = 9,
  GE_FUSED_LESS_EQUAL = 10,
  GE_FUSED_PRELU = 11, /* a > 0 ? a : a * b */
  /* unary: a */
  GE_FUSED_NEG = 32,
  GE_FUSED_ABS = 33,
  GE_FUSED_EXP = 34,
  GE_FUSED_LOG = 35,
  GE_FUSED_SQRT = 36,
  GE_FUSED_RSQRT = 37,
  GE_FUSED_RECIPROCAL = 38,
  GE_FUSED_SQUARE = 39,
  GE_FUSED_TANH = 40,
  GE_FUSED_SIGMOID = 41,
  GE_FUSED_ERF = 42,
  GE_FUSED_RELU = 43,
  GE_FUSED_RELU6 = 44,
  GE_FUSED_SWISH = 45,
  GE_FUSED_GELU_ERF = 46,
  GE_FUSED_GELU_TANH = 47,
  GE_FUSED_HARD_SWISH = 48,
  GE_FUSED_SOFTPLUS = 49,
  GE_FUSED_FLOOR = 50,
  GE_FUSED_CEIL = 51,
  GE_FUSED_ROUND = 52, /* half to even */
  GE_FUSED_SIGN = 53,
  GE_FUSED_NOT = 54,
  GE_FUSED_MISH = 55,
  GE_FUSED_SIN = 56,
  GE_FUSED_COS = 57,
  GE_FUSED_SOFTSIGN = 58,
  /* ternary: a, b, c */
  GE_FUSED_CLIP = 96,         /* min(max(a, b), c) */
  GE_FUSED_SELECT = 97,       /* a != 0 ? b : c */
  GE_FUSED_FMA = 98,          /* a * b + c */
  GE_FUSED_LEAKY_RELU = 99,   /* a > 0 ? a : a * b; c unused */
  GE_FUSED_ELU = 100,         /* a > 0 ? a : b * (exp(a) - 1); c unused */
  GE_FUSED_HARD_SIGMOID = 101 /* min(max(a * b + c, 0), 1) */
} GeFusedOpcode;

#endif
