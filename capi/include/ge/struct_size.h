/* Structs that may grow begin with their size, so that a program and the library may be compiled against headers of
 * different releases (docs/abi.md): who fills a struct sets struct_size to sizeof of it. Members are only appended. */
#ifndef GE_STRUCT_SIZE_H_
#define GE_STRUCT_SIZE_H_

#include <stddef.h>

/** Bytes of a struct up to and including `member`. */
#define GE_SIZE_THROUGH(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
/** Whether *pointer, which the other side filled, has `member`: ask before a member is read that ABI 1 did not have. */
#define GE_HAS(pointer, type, member) ((pointer)->struct_size >= GE_SIZE_THROUGH(type, member))

#endif
