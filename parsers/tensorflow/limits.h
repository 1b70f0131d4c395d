// The limits of the importer. A model beyond a limit is refused with a message that names limit and value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gec::tensorflow {

inline constexpr uint64_t kMaxFileBytes = uint64_t{1} << 40;
inline constexpr size_t kMaxNodes = 2'000'000;                    // functions written out included
inline constexpr size_t kMaxDepth = 64;                           // functions that call functions
inline constexpr int64_t kMaxDim = int64_t{1} << 40;              // extent of one dimension
inline constexpr uint64_t kMaxRepeatedBytes = uint64_t{1} << 28;  // of a constant that is one value many times
inline constexpr size_t kMaxOutputs = 100'000;                    // of one node

}  // namespace gec::tensorflow
