/* Copying, joining, printing and reading into a destination whose size is told: the functions that programs of this
 * field take from their toolkit's libboundscheck, for C99 and C++. Everything is in this header and those it includes:
 * securec_wide.h for wide characters, securec_scan.h for reading. Nothing is linked.
 *
 * Functions that return errno_t leave a valid destination in a known state when they refuse, memory zeroed and strings
 * "":
 *   EOK: done
 *   EINVAL: the destination is null
 *   EINVAL_AND_RESET: the source is null; for strcat_s and strncat_s also: the destination is no string of destMax
 *     characters
 *   ERANGE: destMax is 0 or more than the maximum; the destination is untouched
 *   ERANGE_AND_RESET: the result does not fit into destMax characters; for strings that counts the final zero
 *   EOVERLAP_AND_RESET: source and destination overlap, where that is not allowed
 * The printing functions return the characters written without the final zero, or -1.
 *
 * Owner: all memory stays the caller's. Threads: any, like memcpy; no state is kept. Since: 0.1.0. */
#ifndef GE_SECUREC_H_
#define GE_SECUREC_H_

#include "securec_scan.h"
#include "securec_wide.h"
#include "utils/detail/securec_core.h"

#endif
