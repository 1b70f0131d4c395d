// Attributes of declarations, empty where the compiler has none.
#ifndef INC_GRAPH_COMPILER_DEF_H_
#define INC_GRAPH_COMPILER_DEF_H_

#if defined(__GNUC__)
#define WEAK_SYMBOL __attribute__((weak))
#define FORMAT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define GE_DEFAULT_VISIBILITY_ __attribute__((visibility("default")))
#else
#define WEAK_SYMBOL
#define FORMAT_PRINTF(f, a)
#define GE_DEFAULT_VISIBILITY_
#endif

#ifdef FUNC_VISIBILITY
#define GE_FUNC_VISIBILITY GE_DEFAULT_VISIBILITY_
#else
#define GE_FUNC_VISIBILITY
#endif
#ifdef HOST_VISIBILITY
#define GE_FUNC_HOST_VISIBILITY GE_DEFAULT_VISIBILITY_
#else
#define GE_FUNC_HOST_VISIBILITY
#endif
#ifdef DEV_VISIBILITY
#define GE_FUNC_DEV_VISIBILITY GE_DEFAULT_VISIBILITY_
#else
#define GE_FUNC_DEV_VISIBILITY
#endif

#endif
