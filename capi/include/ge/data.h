/* Plain data that crosses the C ABI: tensors and attribute values described by structs, no callbacks.
 *
 * Layouts are frozen. Reserved members are zero. Pointers are borrowed: each function says for how long. */
#ifndef GE_DATA_H_
#define GE_DATA_H_

#include <stddef.h>
#include <stdint.h>

#include "ge/export.h"
#include "graph/c_types.h"

/** Rank of a tensor whose number of dimensions is not known; dims are null then. It is the only value that functions of
 * the C ABI hand out, in descriptions and as number of dimensions. */
#define GE_UNKNOWN_RANK (-1)
/** GE's way to say the same: one dimension, which is this. It is taken wherever dimensions are given. Only the C++ and
 * Python interfaces that GE has, where a shape is its dimensions and nothing else, hand it out. */
#define GE_UNKNOWN_RANK_DIM (-2)
/** A dimension whose extent is not known. */
#define GE_UNKNOWN_DIM (-1)
/** Highest rank the library accepts. */
#define GE_MAX_RANK 16

/** Numbers of a quantised tensor: real = scale * (stored - zero_point). */
#define GE_QUANT_NONE 0
#define GE_QUANT_PER_TENSOR 1 /* one scale */
#define GE_QUANT_PER_AXIS 2   /* one scale for each index of `axis` */
#define GE_QUANT_PER_BLOCK 3  /* one scale for each `block` neighbours along `axis`, others as in the tensor */

/** How the elements of a tensor lie and what they stand for, where that is not the plain case: dense, the last
 * dimension contiguous, and each element its own value. */
typedef struct GeTensorLayout {
  size_t struct_size;
  const int64_t *strides;     /* elements from one index to the next, per dimension, none negative; null: dense */
  int32_t quant_scheme;       /* GE_QUANT_* */
  int32_t quant_axis;         /* of PER_AXIS and PER_BLOCK */
  int64_t quant_block;        /* of PER_BLOCK */
  const float *scales;        /* `scale_count` */
  const int32_t *zero_points; /* likewise; null: all 0 */
  size_t scale_count;
} GeTensorLayout;

/** One tensor: type, layout, shape and, where known, its content.
 *  `dims` are the dimensions in `format` (for NC1HWC0 five: N, C1, H, W, C0); `origin_dims` those in `origin_format`
 *  (NCHW …). For plain layouts both are the same. Elements are dense, row major, little endian; sub-byte types are
 *  packed. A tensor of rank 0 has one element.
 *  `data` may be any address. Elements whose address is no multiple of their size (of 8 for larger ones) are copied by
 *  the run, or by the compile where they are a constant: that costs the copy and nothing else. */
typedef struct GeTensorData {
  int32_t data_type;     /* C_DataType; C_DT_UNDEFINED: not connected (an optional input that is absent) */
  int32_t format;        /* C_Format */
  int32_t origin_format; /* C_Format */
  int32_t rank;          /* number of dims, or GE_UNKNOWN_RANK */
  int32_t origin_rank;   /* number of origin_dims, or GE_UNKNOWN_RANK */
  uint32_t flags;        /* GE_TENSOR_* */
  const int64_t *dims;   /* rank values >= 0 or GE_UNKNOWN_DIM; not read, and null in answers, when rank <= 0 */
  const int64_t *origin_dims;
  void *data;                   /* content, or null when not known / not given */
  uint64_t size;                /* bytes at data; in answers without data: bytes that it would take, 0 not known */
  const int64_t *partial;       /* inference only: value of a small integer tensor that is only partly known, flattened;
                                   INT64_MIN marks an unknown element; null when nothing is known */
  const GeTensorLayout *layout; /* null: dense, not quantised */
  uint64_t reserved;            /* 0 */
} GeTensorData;

#define GE_TENSOR_CONSTANT 1u /* data never changes during the life of the model */
/** With GE_TENSOR_CONSTANT, to an engine with GE_ENGINE_DEFERS_CONSTANTS: `data` is the address of the content, which
 * is not there yet. GeKernelEnv.pack_constant reads it from where it lies; run finds it at `data` unless the kernel
 * reads packed forms only (GE_KERNEL_READS_PACKED). */
#define GE_TENSOR_DEFERRED 2u

/** One attribute value. Which members count depends on `type` (C_AttrValueType):
 *    VT_INT, VT_BOOL, VT_DATA_TYPE        -> i
 *    VT_FLOAT                             -> f (a float's value)
 *    VT_STRING                            -> s (zero-terminated), count = bytes without the zero
 *    VT_BYTES                             -> list (const uint8_t *), count
 *    VT_TENSOR                            -> tensor
 *    VT_LIST_INT                          -> list (const int64_t *), count
 *    VT_LIST_FLOAT                        -> list (const float *), count
 *    VT_LIST_BOOL                         -> list (const uint8_t *, 0 or 1), count
 *    VT_LIST_DATA_TYPE                    -> list (const int32_t *), count
 *    VT_LIST_STRING                       -> list (const char *const *), count
 *    VT_LIST_TENSOR                       -> list (const GeTensorData *const *), count
 *    VT_LIST_LIST_INT                     -> list (const int64_t *const *), count rows, inner_counts
 *    VT_LIST_LIST_FLOAT                   -> list (const float *const *), count rows, inner_counts */
typedef struct GeAttrData {
  const char *name;
  int32_t type;
  uint32_t reserved;
  int64_t i;
  double f;
  const char *s;
  const GeTensorData *tensor;
  const void *list;
  uint64_t count;
  const int64_t *inner_counts;
} GeAttrData;

GE_EXTERN_C_BEGIN

/** Bits of one element of a data type (4 for INT4, 32 for FLOAT …); 0 for types without a fixed size.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API uint32_t GeDataTypeBits(int32_t data_type);

/** Name of a data type ("DT_FLOAT"); "UNKNOWN" for a foreign value.
 *  Owner: static storage. Nulls: never null. Threads: any. Errors: none. Since: ABI 1. */
GE_API const char *GeDataTypeName(int32_t data_type);
/** Name of a format ("NCHW"); "UNKNOWN" for a foreign value.
 *  Owner: static storage. Nulls: never null. Threads: any. Errors: none. Since: ABI 1. */
GE_API const char *GeFormatName(int32_t format);

/** Data type of a name that GeDataTypeName writes; C_DT_UNDEFINED when unknown.
 *  Owner: n/a. Nulls: null counts as unknown. Threads: any. Errors: none. Since: ABI 1. */
GE_API int32_t GeDataTypeFromName(const char *name);
/** The data type that values of two types are computed in, as PyTorch and, for DT_UINT16 and DT_UINT32, NumPy
 *  have it: the wider of two floats or of two integers;
 *  an integer that holds both a signed and an unsigned one; floating point beside integers, complex beside both;
 * DT_FLOAT for DT_FLOAT16 beside DT_BF16; any number beside DT_BOOL. A type beside C_DT_UNDEFINED is itself.
 * C_DT_UNDEFINED where no type holds both: DT_UINT64 beside a signed integer, and types that are no numbers or narrower
 * than 8 bits beside another one. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API int32_t GePromoteDataTypes(int32_t a, int32_t b);
/** Format of a name that GeFormatName writes; C_FORMAT_RESERVED when unknown.
 *  Owner: n/a. Nulls: null counts as unknown. Threads: any. Errors: none. Since: ABI 1. */
GE_API int32_t GeFormatFromName(const char *name);

GE_EXTERN_C_END
#endif
