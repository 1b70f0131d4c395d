/* Macros that assert layouts and values. */
#ifndef GE_TESTS_ABI_LAYOUT_H_
#define GE_TESTS_ABI_LAYOUT_H_

#include <stddef.h>

#ifdef __cplusplus
#define CHECK(what, text) static_assert(what, text)
#else
#define CHECK(what, text) _Static_assert(what, text)
#endif
#define SIZE(type, bytes) CHECK(sizeof(type) == (bytes), "the size of " #type " changed")
#define AT(type, member, offset) CHECK(offsetof(type, member) == (offset), #type "." #member " moved")
#define VALUE(name, number) CHECK((int)(name) == (number), "the value of " #name " changed")

#endif
