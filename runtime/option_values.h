// Reading the values of options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gec {

/// Parts without spaces around them; empty ones are left out.
std::vector<std::string> Split(std::string_view text, char separator);
bool ParseInt(const std::string &text, int64_t *out);
/// "name:1,3,-1,224;other:1~8,8", with or without brackets around dimensions; a range leaves its dimension open. Throws
/// GE_OPTION_INVALID that names option `key`.
std::vector<std::pair<std::string, std::vector<int64_t>>> InputShapes(std::string_view key, std::string text);

}  // namespace gec
