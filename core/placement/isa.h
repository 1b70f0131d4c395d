// The features of the processor as a set of GE_CPU_* bits, and the caps that GE_MAX_ISA names.
#pragma once

#include <cstdint>
#include <string>

#include "ge/engine.h"

namespace gec {

/// Features of this processor that its operating system supports.
uint64_t ProcessorFeatures();
/// The same, without what GE_MAX_ISA excludes; throws GE_OPTION_INVALID for a cap that does not exist.
uint64_t HostFeatures();

inline bool Offers(uint64_t features, uint64_t needed) { return (features & needed) == needed; }
/// The highest cap whose features are all there: "scalar", "avx2", "avx512" or "amx".
const char *IsaName(uint64_t features);
/// Names of features, "AVX2, FMA", in the order of their bits; "none" for an empty set.
std::string FeatureNames(uint64_t features);

}  // namespace gec
