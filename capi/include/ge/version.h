/* Versions that answer different questions are kept apart: what was installed, whether a caller must be rebuilt,
 * and whether an engine plug-in fits. */
#ifndef GE_VERSION_H_
#define GE_VERSION_H_

#include <stdint.h>

#include "ge/export.h"

#define GE_VERSION_MAJOR 0
#define GE_VERSION_MINOR 1
#define GE_VERSION_PATCH 0
#define GE_VERSION_STRING "0.1.0"
#define GE_ABI_VERSION 1u        /* moves only when an existing caller would break */
#define GE_ENGINE_ABI_VERSION 1u /* moves only when an existing engine would break; structs grow without it */

GE_EXTERN_C_BEGIN

/** Version text of the loaded library, for example "0.1.0".
 *  Owner: static storage. Nulls: never null. Threads: any. Errors: none. Since: ABI 1. */
GE_API const char *GeVersionString(void);

/** C ABI number of the loaded library; compare with GE_ABI_VERSION of the headers.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API uint32_t GeAbiVersion(void);

GE_EXTERN_C_END
#endif
