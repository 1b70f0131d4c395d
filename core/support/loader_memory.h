// Tells a library that cannot be loaded for want of memory from one that is at fault itself.
#pragma once

#include <string>

namespace gec {

/// True when dlopen() of `file` failed because memory or address space ran out. `why` is dlerror()'s text or null;
/// errno has to be what dlopen() left, with zero before the call.
bool LoaderLacksMemory(const std::string &file, const char *why);

}  // namespace gec
