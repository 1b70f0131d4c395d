// The limits of the importer. A model beyond a limit is refused with a message that names limit and value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gec::onnx {

inline constexpr uint64_t kMaxFileBytes = (uint64_t{1} << 31) - 1;  // protobuf's own limit; more needs external data
inline constexpr uint64_t kMaxExternalBytes = uint64_t{1} << 40;
inline constexpr size_t kMaxGraphDepth = 64;  // nested subgraphs and functions
inline constexpr size_t kMaxNodes = 10'000'000;
inline constexpr size_t kMaxUnrolledNodes = 100'000;  // of a Loop with scan outputs
inline constexpr int64_t kMaxMaterialised = 1 << 20;  // elements of a matrix that the importer computes itself
inline constexpr uint64_t kBytesOfNode = 2048;        // about what a node takes until it is compiled
inline constexpr int64_t kMaxDim = int64_t{1} << 40;  // extent of one dimension
inline constexpr size_t kMaxProblems = 1000;          // listed; more are only counted
inline constexpr int64_t kNewestOpset = 28;

}  // namespace gec::onnx
