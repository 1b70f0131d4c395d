// The best that the machine can do, measured: the roof of a roofline.
#pragma once

#include <cstdint>
#include <string>

namespace gec {

struct MachineRates {
  double flops = 0;                  // fp32 operations a second; 0: not measured
  double bytes_per_second = 0;       // read from memory; 0: not measured
  std::string how_flops, how_bytes;  // what was done, for a reader
};

/// Of this many threads; measured once per process and number, and kept.
const MachineRates &RatesOf(int32_t threads);

}  // namespace gec
