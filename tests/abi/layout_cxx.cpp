/* The same numbers for a C++ compiler. */
#include "layout.c"
#include "layout_engine.c"
