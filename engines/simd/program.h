// An elementwise operator, alone or fused, as a list of instructions over float32 values.
#pragma once

#include "ge/fused_program.h"
#include "kernel.h"

namespace vec {

constexpr int64_t kTile = 512;      // floats of an intermediate: 2 KiB
constexpr int64_t kShortRow = 128;  // shorter rows are worked on several at a time

struct Instruction {
  int32_t opcode = 0;
  int32_t dst = 0;
  int32_t operands[3] = {GE_FUSED_NONE, GE_FUSED_NONE, GE_FUSED_NONE};
};

/// How a value is stored outside the program, whose values are float32.
enum class Stored : uint8_t { kFloat, kTruth, kInt8, kUInt8 };
inline Stored StoredAs(int32_t type) {
  return type == C_DT_BOOL    ? Stored::kTruth
         : type == C_DT_INT8  ? Stored::kInt8
         : type == C_DT_UINT8 ? Stored::kUInt8
                              : Stored::kFloat;
}
inline bool IsByte(Stored stored) { return stored == Stored::kInt8 || stored == Stored::kUInt8; }

struct Program {
  int32_t inputs = 0;
  std::vector<Instruction> code;
  std::vector<float> constants;
  std::vector<int32_t> outputs;
  std::vector<int32_t> ports;                 // input k of the program is this input port of the node
  std::vector<Stored> stored_in, stored_out;  // empty: all are float32
  std::vector<ByteForm> form_in, form_out;    // of what is stored as bytes, filled in by TakeInQuantization
  int64_t taken_in = 0;                       // instructions that are part of reading and writing bytes now
  Stored In(size_t k) const { return stored_in.empty() ? Stored::kFloat : stored_in[k]; }
  Stored Out(size_t o) const { return stored_out.empty() ? Stored::kFloat : stored_out[o]; }
  bool ConvertsIn(size_t k) const { return In(k) != Stored::kFloat; }
  bool ConvertsOut(size_t o) const { return Out(o) != Stored::kFloat; }
};

/// The operator's program. Throws what Refuse throws where its attributes ask for what no program does.
Program FromOperator(const GeOpDesc &op);
/// Lets inputs and outputs of bytes be dequantised and quantised as they are read and written, in place of instructions
/// between constants. What the program computes stays the same to the last bit.
void TakeInQuantization(Program *program);
/// The kernel of a program that is x * factor + shift between two tensors of bytes, with a factor and a shift for each
/// slice of the last dimension or one for all; else null. The second serves all sizes, and refuses shapes of which that
/// is so at some sizes only.
std::unique_ptr<Kernel> MakeAffineBytes(const GeOpDesc &op, const Program &program, const Table *table);
std::unique_ptr<Kernel> MakeOpenAffineBytes(const GeOpDesc &op, const Program &program, const GeOpenExtents &extents,
                                            const Table *table);

}  // namespace vec
