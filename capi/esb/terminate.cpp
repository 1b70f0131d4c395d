// The library's own exceptions never leave it; should one be thrown where none may, the program ends as after any other
// std::terminate. The C++ library's handler would also print the exception's type, which takes a demangler that is
// larger than the builder.
#include <cstdlib>

namespace __gnu_cxx {
void __verbose_terminate_handler();
void __verbose_terminate_handler() { std::abort(); }
}  // namespace __gnu_cxx
