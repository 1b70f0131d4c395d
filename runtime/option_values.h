// Reading the values of options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compile/pipeline.h"
#include "core/support/text_list.h"

namespace gec {

bool ParseInt(const std::string &text, int64_t *out);
/// "name:1,3,-1,224;other:1~8,8", with or without brackets around dimensions; a range (-1 as its end: no limit) leaves
/// its dimension open within bounds. Throws GE_OPTION_INVALID that names option `key`.
std::vector<InputShape> InputShapes(std::string_view key, std::string text);

}  // namespace gec
