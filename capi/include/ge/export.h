/* Visibility and linkage of the C ABI. */
#ifndef GE_EXPORT_H_
#define GE_EXPORT_H_

#ifdef __cplusplus
#define GE_EXTERN_C_BEGIN extern "C" {
#define GE_EXTERN_C_END }
#else
#define GE_EXTERN_C_BEGIN
#define GE_EXTERN_C_END
#endif

#if defined(__GNUC__)
#define GE_API __attribute__((visibility("default")))
#else
#define GE_API
#endif

#endif
