/* Tensors: reference-counted, their content shared and immutable once a graph holds them. */
#ifndef GE_TENSOR_H_
#define GE_TENSOR_H_

#include "ge/data.h"
#include "ge/status.h"

typedef struct GeTensor GeTensor;

/* Properties of C++ descriptions beside type, layout and shape (name, ranges of dimensions, placement, size …):
 * attribute GE_TENSOR_DETAILS of the port or tensor, a list of texts "key=value". GE_TENSOR_HAS_DETAILS in `flags` of a
 * description that was read tells that the attribute is there. */
#define GE_TENSOR_HAS_DETAILS 2u
#define GE_TENSOR_DETAILS "_desc"

GE_EXTERN_C_BEGIN

/** Creates a tensor that copies desc->data (when not null, desc->size bytes, which must be what type and shape need);
 *  without data an allocated, zeroed tensor.
 *  Owner: caller destroys *out. Nulls: desc, out must not be null. Threads: any.
 *  Errors: GE_PARAM_INVALID (type, negative or absurd dimension, size), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeTensorCreate(const GeTensorData *desc, GeTensor **out);

/** Creates a tensor over the caller's memory without a copy; `release(user)` is called once when the last reference is
 *  gone (null: the memory outlives the tensor). The memory may be any address, and is not written to by a graph or
 * model that holds the tensor. Owner: caller destroys *out; memory stays the caller's until release. Nulls: desc,
 * desc->data, out must not be null. Threads: release may run on any thread. Errors: as GeTensorCreate. Since: ABI 1. */
GE_API GeStatus GeTensorCreateBorrowed(const GeTensorData *desc, void (*release)(void *user), void *user,
                                       GeTensor **out);

/** Reads a raw little-endian file of at least the size that type and shape need (surplus is ignored).
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: any.
 *  Errors: GE_PATH_INVALID (missing, empty, too short: message names both sizes), GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeTensorCreateFromFile(const char *path, const GeTensorData *desc, GeTensor **out);

/** Another reference to the same tensor; content and description are shared.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeTensorRetain(GeTensor *tensor, GeTensor **out);

/** Drops one reference.
 *  Owner: consumes the reference. Nulls: null is fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeTensorDestroy(GeTensor *tensor);

/** Independent copy, content included.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeTensorClone(const GeTensor *tensor, GeTensor **out);

/** Description and content. data may be written through while no graph or model holds the tensor.
 *  Owner: the tensor; valid until it is changed or destroyed. Nulls: none allowed. Threads: readers may share.
 *  Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeTensorGetData(const GeTensor *tensor, GeTensorData *out);

/** Relabels the tensor; content is untouched. The shape's byte size must stay what the content has, unless the tensor
 * is empty. A tensor that a graph holds is refused with GE_BAD_STATE. Owner: n/a. Nulls: none allowed. Threads: one
 * writer. Errors: GE_PARAM_INVALID, GE_BAD_STATE. Since: ABI 1. */
GE_API GeStatus GeTensorSetDesc(GeTensor *tensor, const GeTensorData *desc);

/** Sets an attribute of the description: placement, rules for its dimensions and the like.
 *  Owner: value is copied. Nulls: none allowed. Threads: one writer. Errors: GE_PARAM_INVALID (unknown type, null
 *  list), GE_BAD_STATE (a graph or model holds the tensor). Since: ABI 1. */
GE_API GeStatus GeTensorSetAttr(GeTensor *tensor, const GeAttrData *value);
/** Reads an attribute of the description.
 *  Owner: *out's pointers are the tensor's, until the attribute is set again. Nulls: none allowed. Threads: readers may
 *  share. Errors: GE_PARAM_INVALID, GE_NOT_FOUND (not set). Since: ABI 1. */
GE_API GeStatus GeTensorGetAttr(const GeTensor *tensor, const char *name, GeAttrData *out);

/** Creates an empty tensor (no elements known, no data), GE's `Tensor()`.
 *  Owner: caller destroys *out. Nulls: out. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeTensorCreateEmpty(GeTensor **out);

/** Replaces the content, whatever its size, with a copy of `size` bytes; every reference sees it. The description
 * stays. Owner: n/a. Nulls: tensor must not be null; data only when size is 0. Threads: one writer. Errors:
 * GE_PARAM_INVALID, GE_BAD_STATE (a graph or model holds the tensor), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeTensorSetBytes(GeTensor *tensor, const void *data, uint64_t size);

/** As GeTensorSetBytes without a copy; release(user) is called once when the content is no longer referred to.
 *  Owner: memory stays the caller's until release; on failure release is not called. Nulls: tensor must not be null;
 *  data only when size is 0; release may be (the memory outlives the tensor). Threads: one writer; release may run on
 *  any thread. Errors: GE_PARAM_INVALID, GE_BAD_STATE (a graph or model holds the tensor). Since: ABI 1. */
GE_API GeStatus GeTensorSetBorrowedBytes(GeTensor *tensor, void *data, uint64_t size, void (*release)(void *user),
                                         void *user);

/** Moves the content into a new tensor that keeps it alive; the old one is empty afterwards.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: one writer. Errors: GE_PARAM_INVALID, GE_BAD_STATE.
 * Since: ABI 1. */
GE_API GeStatus GeTensorCreateMoved(GeTensor *tensor, GeTensor **out);

GE_EXTERN_C_END
#endif
