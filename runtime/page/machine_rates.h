// The best that the machine can do, measured: the roof of a roofline.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "ge/profile.h"

namespace gec {

struct MachineRates {
  std::vector<GeArithmeticRate> types;  // the first is fp32
  double bytes_per_second = 0;          // read from memory; 0: not measured
  std::string how_bytes;                // what was done, for a reader
  std::deque<std::string> texts;        // that `types` point to

  MachineRates() = default;
  MachineRates(MachineRates &&) = default;
  /// Null for a type that was not measured.
  const GeArithmeticRate *Of(int32_t data_type) const;
};

/// Of this many threads; measured once per process and number, and kept.
const MachineRates &RatesOf(int32_t threads);

}  // namespace gec
