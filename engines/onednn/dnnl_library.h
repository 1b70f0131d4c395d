// oneDNN's shared library, which is opened when it is first needed.
#pragma once

#include <string>

namespace onednn {

/// Opens it unless it is open, to use no more than this dnnl_cpu_isa_t. Empty, or why it cannot be used.
/// GE_DNNL_LIBRARY names another file to open.
std::string OpenLibrary(int cpu_isa);
/// Its name once it is open, else "".
const char *OpenedLibrary();

}  // namespace onednn
