// Code that is generated at run time for fused programs: all steps of a vector follow one another in registers, where
// loops of single instructions store and load every value between them.
#pragma once

#include <memory>
#include <span>

#include "vector_code.h"

namespace vec {

/// How an input moves along a row of the output.
enum class RowAccess : uint8_t {
  kDense,   // as the output does
  kOne,     // one value for the whole row
  kVector,  // one vector for the whole row, lane by lane
};

/// Rows of equal length, the output's one behind the other. The code counts it down and moves the places on.
struct Rows {
  static constexpr size_t kMaxPlaces = 24;
  struct Place {
    const void *at;  // of the first row
    int64_t step;    // bytes to the next one
  };
  int64_t count, bytes;      // of each row of the output
  Place places[kMaxPlaces];  // of inputs, then outputs
};

/// Thread-safe: code that several kernels share is not changed.
class GeneratedRows {
 public:
  virtual ~GeneratedRows() = default;
  using Code = void (*)(Rows *);
  void Run(Rows *rows) const { code_(rows); }
  std::span<const uint8_t> bytes() const { return bytes_; }  // the code and the numbers that it reads

 protected:
  Code code_ = nullptr;
  std::span<const uint8_t> bytes_;
};

/// Code for vectors of so many lanes: 8 (AVX2) or 16 (AVX-512). Null where an instruction has no formula to generate it
/// of, where loops of single instructions are faster, where there are more inputs, outputs or values than registers and
/// the stack have room for, or where the system lends no memory for code. Kernels of equal programs share it.
/// Thread-safe.
std::shared_ptr<const GeneratedRows> GenerateRows(const Program &program, std::span<const RowAccess> access,
                                                  size_t lanes);
/// The code without a program: throws what Refuse throws in place of giving null.
std::shared_ptr<const GeneratedRows> Assemble(const VectorCode &code, std::span<const RowAccess> access, size_t lanes);

}  // namespace vec
