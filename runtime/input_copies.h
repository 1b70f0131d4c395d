// Inputs of a run that kernels cannot use where the caller has them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ge/data.h"
#include "runtime/arena.h"
#include "runtime/model.h"

namespace gec {

/// Memory of a context that its last run gave out as an output.
struct LentMemory {
  const void *data = nullptr;
  uint64_t bytes = 0;
};

/// True where an element of this type may lie: kernels load and store elements at addresses that suit their size.
bool AlignedFor(int32_t data_type, const void *data);

/// Copies, in memory of the context, of inputs that have strides, whose address does not suit their elements, or that
/// lie in memory which this run may write to.
class InputCopies {
 public:
  /// Some input has to be copied.
  static bool Needed(const GeTensorData *inputs, size_t count, const std::vector<LentMemory> &lent);
  /// The inputs with those copied; their types and shapes were checked before. The array is valid until the next call.
  const GeTensorData *Make(const Model &model, const GeTensorData *inputs, const std::vector<LentMemory> &lent);
  /// Copies back to the caller's memory what the run changed in the copy of an input.
  void WriteBack(const Model &model, const GeTensorData *inputs) const;

 private:
  void Copy(const ModelPort &port, bool changed, const std::vector<LentMemory> &lent, size_t i);

  std::vector<GeTensorData> inputs_;
  std::vector<std::unique_ptr<Arena>> memory_;
};

}  // namespace gec
