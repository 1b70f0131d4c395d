/* Objects that all libraries of a process share by name: what headers keep in tables of their own, whatever visibility
 * the libraries that include them were compiled with. */
#ifndef GE_SHARED_H_
#define GE_SHARED_H_

#include "ge/status.h"

GE_EXTERN_C_BEGIN

/** Makes an object; null where it cannot. */
typedef void *(*GeMakeShared)(void);

/** The object of this name in this process. The first call for a name makes it, later ones give the same; a name whose
 *  object could not be made may be asked for again. Owner: the process keeps it until it ends, so code that the object
 *  calls into stays loaded. Nulls: none allowed. Threads: any; objects are made one at a time, and making one may ask
 *  for others. Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY (make gives null). Since: ABI 1. */
GE_API GeStatus GeSharedObject(const char *name, GeMakeShared make, void **out);

GE_EXTERN_C_END
#endif
