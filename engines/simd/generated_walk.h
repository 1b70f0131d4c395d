// How generated code goes through the iteration space of a program: rows of the innermost dimension, or of the two
// innermost where a vector of values belongs to many pixels (channels in blocks).
#pragma once

#include <atomic>

#include "generated.h"
#include "space.h"

namespace vec {

/// Borrows the numbers of the space that it is made of.
struct RowForm {
  int64_t columns = 0, rows = 0;  // elements of a row, and how many rows there are
  int64_t together = 1;           // rows that lie at equal distances
  Space outer;                    // without the dimensions of a row
  bool vectors = false;           // an input is one vector for many pixels
  RowAccess access[Rows::kMaxPlaces];
};
/// Of at most kMaxPlaces inputs. None where rows are shorter than what their beginning costs.
std::optional<RowForm> FormOfRows(const Space &space, size_t lanes);

/// Inputs and outputs of a run, in the program's order.
struct RowData {
  const void *inputs[Rows::kMaxPlaces];
  void *outputs[Rows::kMaxPlaces];
  size_t output_count;
};
struct Range {
  int64_t begin, end;
};
/// Columns of some rows; where a vector belongs to many pixels they begin with its first lane.
void RunRows(const GeneratedRows &code, const RowForm &form, const RowData &data, Range rows, Range columns);

/// The code of a program for each way in which its inputs move, made when it is first needed. Thread-safe.
class RowCode {
 public:
  ~RowCode();
  /// Null where there is none.
  const GeneratedRows *Find(const Program &program, std::span<const RowAccess> access, size_t lanes) const;

 private:
  struct Entry {
    uint64_t ways;
    std::shared_ptr<const GeneratedRows> code;
    const Entry *next;
  };
  mutable std::atomic<const Entry *> first_ = nullptr;
};

}  // namespace vec
