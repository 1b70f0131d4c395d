/* libc_sec.so: the functions of securec.h as symbols, for programs and libraries that were built against a declaration
 * of them. */
#define SECUREC_API_ __attribute__((visibility("default")))
#include "securec.h"
