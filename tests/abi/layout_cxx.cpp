/* The same numbers for a C++ compiler. */
#include "layout.c"
