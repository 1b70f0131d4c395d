// Times in reports and traces.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace gec {

/// Nanoseconds as microseconds with three decimals.
inline std::string Micros(uint64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%llu.%03u", static_cast<unsigned long long>(nanos / 1000),
                static_cast<unsigned>(nanos % 1000));
  return text;
}

}  // namespace gec
