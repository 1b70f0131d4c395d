/* Takes the place of ge/export.h in libesb.a (it is included before everything else): every name is hidden, so that a
 * shared library or program that froze the builder into itself neither exports it nor takes another copy's. */
#ifndef GE_EXPORT_H_
#define GE_EXPORT_H_

#ifdef __cplusplus
#define GE_EXTERN_C_BEGIN extern "C" {
#define GE_EXTERN_C_END }
#else
#define GE_EXTERN_C_BEGIN
#define GE_EXTERN_C_END
#endif
#define GE_API __attribute__((visibility("hidden")))

#endif
