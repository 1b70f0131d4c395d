/* Libraries and Python files with passes: their passes are registered while they are loaded. */
#ifndef GE_PASS_LIBRARY_H_
#define GE_PASS_LIBRARY_H_

#include "ge/status.h"

GE_EXTERN_C_BEGIN

/** Loads one library (dlopen), whose static objects register its passes, a Python file (.py), or a folder of Python
 *  files, which run in the interpreter of the process or one that option python.library of GeInitialize names. Loading
 *  is counted by path: again is fine.
 *  Owner: path is copied. Nulls: path null: all libraries <package
 * root>/vendors/<vendor>/custom_fusion_passes/<name>.so, as GeInitialize loads them. Threads: any. Errors: GE_FAILED
 * (E13029: cannot be loaded), GE_PARAM_INVALID (empty path). Since: ABI 1. */
GE_API GeStatus GePassLibraryLoad(const char *path);
/** Undoes one GePassLibraryLoad of the same path; the last one unloads the library, which takes its passes back.
 *  Owner: n/a. Nulls: path as there. Threads: any. Errors: GE_NOT_FOUND (it is not loaded). Since: ABI 1. */
GE_API GeStatus GePassLibraryUnload(const char *path);

GE_EXTERN_C_END
#endif
