// Release dates: YYYY-MM-DD.
#pragma once

#include <cstdint>
#include <string>

namespace codegen {

/// 4-2-2 digits, year 1900..9999, month 1..12, day 1..31.
bool IsReleaseDate(const std::string &text);
/// Today, local time.
std::string Today();
/// Days from a fixed day; differences count.
int64_t DayNumber(const std::string &date);

}  // namespace codegen
