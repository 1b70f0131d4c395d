// The work of a fused program on one vector of values, as a list of machine operations: the form between the formulas
// and the code that is generated of them.
#pragma once

#include <optional>

#include "program.h"

namespace vec {

/// Operands are earlier steps. Masks come from kCompare only, and only kChoose, kKeep and kDrop read them, first.
enum class VectorOp : uint8_t {
  kInput,      // vector `bits` of the inputs
  kNumber,     // `bits` in each lane
  kAdd,        //
  kSub,        //
  kMul,        //
  kDiv,        //
  kMax,        // the second where one is NaN, as the processor has it
  kMin,        //
  kMulAdd,     // a * b + c, rounded once
  kNegMulAdd,  // c - a * b, rounded once
  kSqrt,       //
  kRound,      // `bits`: the processor's number of a rounding
  kAnd,        // of bits
  kOr,         //
  kXor,        //
  kAddInts,    // of 32 bits
  kSubInts,    //
  kShiftLeft,  // of integers, by `bits`
  kShiftRight,
  kCompare,  // `bits`: the processor's number of a comparison
  kChoose,   // a ? b : c
  kKeep,     // a ? b : 0
  kDrop,     // a ? 0 : b
};

struct VectorStep {
  VectorOp op;
  uint32_t bits = 0;
  int32_t in[3] = {-1, -1, -1};
  friend auto operator<=>(const VectorStep &, const VectorStep &) = default;
};

struct VectorCode {
  std::vector<VectorStep> steps;  // each of them once, and all are needed
  std::vector<int32_t> outputs;   // steps
};

/// The processor waits for one operation after the other longer than loops of single instructions take, in which the
/// vectors of a tile are independent: of long chains of functions.
bool LoopsAreFaster(const VectorCode &code, size_t instructions);

/// The code of a program of floats; none where an instruction has no formula that is made of these operations.
std::optional<VectorCode> Record(const Program &program);

}  // namespace vec
