// Whole numbers of JSON files: a reader that takes any number would cut off fractions, and what does not fit is
// undefined.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>

#include "core/support/error.h"
#include "ge/status.h"

namespace gec {

/// Throws for anything but a whole number that `Number` holds; `what` says which.
template <class Number>
Number WholeNumber(const nlohmann::json &value, const char *what, GeStatus code = GE_PATH_INVALID) {
  constexpr auto kLeast = std::numeric_limits<Number>::min(), kMost = std::numeric_limits<Number>::max();
  const bool fits = value.is_number_unsigned()
                        ? value.get<uint64_t>() <= static_cast<uint64_t>(kMost)
                        : value.is_number_integer() && value.get<int64_t>() >= static_cast<int64_t>(kLeast);
  if (!fits) Fail(code, what, " is ", value.dump(), ", expected a whole number from ", kLeast, " to ", kMost);
  return value.get<Number>();
}

}  // namespace gec
