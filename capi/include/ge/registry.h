/* Plain data that libraries of a process register by kind and name, and find by the same kind and name, whatever
 * visibility and kind of std::string they were compiled with.
 *
 * A value is GE_REGISTRY_VALUE_BYTES bytes, zero until somebody writes them: numbers, texts that live as long as the
 * process, and functions, as a C structure. A structure may grow at its end: what an older library did not write is
 * zero. Another layout is another kind ("IMPL_OP 2"), and so are functions whose parameters differ between libraries.
 */
#ifndef GE_REGISTRY_H_
#define GE_REGISTRY_H_

#include "ge/status.h"

#define GE_REGISTRY_VALUE_BYTES 512

GE_EXTERN_C_BEGIN

/** Writes a value. It must not call this interface. */
typedef void (*GeRegistryEdit)(void *user, void *value);

/** Calls `edit` with the value of this kind and name, which is made when it is not there. One edit of the process at a
 * time. Owner: the process keeps values until it ends; code that functions of a value are in stays loaded. Nulls: user
 * may be null. Threads: any. Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeRegistryChange(const char *kind, const char *name, GeRegistryEdit edit, void *user);
/** Copies the first `size` bytes of a value: zeros where there is none.
 *  Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID (size above GE_REGISTRY_VALUE_BYTES). Since:
 *  ABI 1. */
GE_API GeStatus GeRegistryRead(const char *kind, const char *name, void *value, size_t size);
/** Where the value lies, for as long as the process lives; null where there is none. Later edits change it there.
 *  Owner: the process. Nulls: none allowed. Threads: any, while nobody edits the value. Errors: GE_PARAM_INVALID.
 * Since: ABI 1. */
GE_API GeStatus GeRegistryFind(const char *kind, const char *name, const void **value);

/* ---- warnings of the process, until a program asks for them ---- */

/** Adds a line, unless the same is waiting, and logs it.
 *  Owner: copied. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeWarningAdd(const char *line);
/** Writes the lines that wait, one below the other, in one piece, and forgets them; writes nothing where there are
 * none. Owner: n/a. Nulls: user may be null. Threads: any. Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeWarningsTake(GeTextFn write, void *user);

GE_EXTERN_C_END
#endif
