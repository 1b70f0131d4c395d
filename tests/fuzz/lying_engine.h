// An engine whose table, kernels and answers are decoded from bytes: any number, flag, list and size, and functions
// that are null, answer any status or do their work. Pointers are null or what C allows; the rest may be a lie.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bytes.h"
#include "ge/engine.h"

namespace fuzz {

/// Everything is decoded beforehand: the functions may be called from several threads.
struct Lies {
  explicit Lies(Bytes *bytes);
  GeStatus open, check, create_kernel, claim, create_region, optimize, create_open_kernel, workspace_for, run;
  GeStatus allocate, copy, stream, event;
  std::string takes;  // type of the operators that it takes; "": all
  GeKernel kernel = {};
  std::vector<GeAlias> aliases;
  std::vector<uint64_t> output_bytes;
  std::vector<int32_t> nodes;  // what claim takes
  int64_t shape[8];            // what run says that the output's shape is
  int32_t allocated_output;    // what run allocates
  uint64_t allocated_bytes;
  uint64_t workspace;  // what workspace_for answers
  bool no_memory;      // allocate says success and gives none
  bool null_stream;
  int32_t channels;  // channel_block
  const GeEngineHost *host = nullptr;
};

/// The table, in memory that ends where the table says it does.
class LyingEngine {
 public:
  LyingEngine(Bytes *bytes, Lies *lies);
  const GeEngineTable *table() const { return reinterpret_cast<const GeEngineTable *>(block_.get()); }
  const char *name() const { return name_; }

 private:
  const char *name_;
  std::string text_;
  GeMemorySpace memory_ = {};
  std::unique_ptr<uint8_t[]> block_;
};

/// A size of a struct: right most of the time, else shorter, longer or no size at all.
size_t StructSize(Bytes *bytes, size_t right);
GeStatus SomeStatus(Bytes *bytes);

/// A copy of `value` in memory of exactly as many bytes as its struct_size, at `member`, says; more where that is less
/// than what must be there to read struct_size. Sizes above 4096 are refused before anything behind is read.
template <class T>
std::unique_ptr<uint8_t[]> Exactly(const T &value, size_t size_through_struct_size, Bytes *bytes) {
  const size_t said = value.struct_size;
  const size_t room = said > 4096 ? sizeof(T) : std::max(said, size_through_struct_size);
  auto block = std::make_unique<uint8_t[]>(room);
  std::memcpy(block.get(), &value, std::min(room, sizeof(T)));
  if (room > sizeof(T) && bytes->Below(4) == 3) block[sizeof(T) + bytes->Below(room - sizeof(T))] = 1;
  return block;
}

}  // namespace fuzz
