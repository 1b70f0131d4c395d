/* What the cases of the consumers share. Each is compiled three times (struct_variants.py): against this release's
 * headers, against ones whose growing structs have a member more, and against ones that are cut to ABI 1. */
#ifndef GE_TESTS_ABI_STRUCT_CONSUMER_H_
#define GE_TESTS_ABI_STRUCT_CONSUMER_H_

#include "ge/engine.h"
#include "ge/es_node.h"
#include "ge/flow.h"
#include "ge/infer_details.h"
#include "ge/log.h"
#include "ge/model.h"
#include "ge/parser_plugin.h"
#include "ge/pass.h"
#include "ge/pass_manager.h"
#include "ge/pattern.h"
#include "ge/profile.h"
#include "ge/scope_fusion.h"
#include "ge/session.h"
#include "ge/state.h"
#include "ge/tensorflow.h"
#include "tests/capi/helpers.h"

/* Marks a struct as covered; test_struct_variants.py looks for it. */
#define CASE(Struct)

#ifdef GE_TEST_LONGER
/* What only these headers have. The library has no such member; who sets it hears so. */
#define FILLED_BY_LIBRARY(Struct, pointer) assert_false(GE_HAS(pointer, Struct, added))
#define SET_ADDED(value, to) ((value).added[1] = (to))
#define ADDED_IS_REFUSED(Struct, value, call)        \
  do {                                               \
    SET_ADDED(value, 1);                             \
    REFUSED(GE_ABI_MISMATCH, #Struct " has ", call); \
    SET_ADDED(value, 0);                             \
  } while (0)
#define ADDED_IS_ZERO(value) assert_int_equal((value).added[1], 0)
#else
#define FILLED_BY_LIBRARY(Struct, pointer) assert_true((pointer)->struct_size >= sizeof(Struct))
#define SET_ADDED(value, to) ((void)0)
#define ADDED_IS_REFUSED(Struct, value, call) ((void)0)
#define ADDED_IS_ZERO(value) ((void)0)
#endif

/* Sizes that no release has are refused by name and size. */
#define SIZE_IS_READ(Struct, value, call)                                                 \
  do {                                                                                    \
    const size_t size_ = (value).struct_size;                                             \
    (value).struct_size = 16;                                                             \
    REFUSED(GE_ABI_MISMATCH, #Struct ".struct_size is 16, the least is ", call);          \
    (value).struct_size = 0;                                                              \
    REFUSED(GE_ABI_MISMATCH, #Struct ".struct_size is 0, the least is ", call);           \
    (value).struct_size = 1 << 20;                                                        \
    REFUSED(GE_ABI_MISMATCH, #Struct ".struct_size is 1048576, this library has ", call); \
    (value).struct_size = size_;                                                          \
  } while (0)
#define GATE(Struct, value, call)          \
  do {                                     \
    SIZE_IS_READ(Struct, value, call);     \
    ADDED_IS_REFUSED(Struct, value, call); \
  } while (0)

/* A struct that the library fills: as far as the caller has room, and zeros where the library has nothing to say. */
#define FILLED_AS_FAR_AS_IT_FITS(Struct, value, call)     \
  do {                                                    \
    SIZE_IS_READ(Struct, value, call);                    \
    SET_ADDED(value, 7);                                  \
    OK(call);                                             \
    assert_int_equal((value).struct_size, sizeof(value)); \
    ADDED_IS_ZERO(value);                                 \
  } while (0)

#endif
