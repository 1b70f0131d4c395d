// Sequences of tensors, packed: `values` has the elements' values one behind the other, `shapes` (int64, [n, 8]) a row for each
// element: its rank, then its extents, then ones.
#ifndef OP_PROTO_SEQUENCE_OPS_H_
#define OP_PROTO_SEQUENCE_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family base

/// @brief Packs tensors of one type, which may differ in rank and extents, as a sequence.
REG_OP(SequencePack)
    .DYNAMIC_INPUT(x, "T")
    .OUTPUT(values, "T")
    .OUTPUT(shapes, TensorType({DT_INT64}))
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(SequencePack)

/// @brief Takes one tensor out of a packed sequence; positions below zero count from its end.
REG_OP(SequenceAt)
    .INPUT(values, "T")
    .INPUT(shapes, TensorType({DT_INT64}))
    .INPUT(position, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(SequenceAt)

/// @brief Puts a tensor into a packed sequence in front of a position, or at its end.
REG_OP(SequenceInsert)
    .INPUT(values, "T")
    .INPUT(shapes, TensorType({DT_INT64}))
    .INPUT(x, "T")
    .OPTIONAL_INPUT(position, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(more_values, "T")
    .OUTPUT(more_shapes, TensorType({DT_INT64}))
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(SequenceInsert)

/// @brief Removes the tensor at a position from a packed sequence, the last one unless a position is given.
REG_OP(SequenceErase)
    .INPUT(values, "T")
    .INPUT(shapes, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(position, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(fewer_values, "T")
    .OUTPUT(fewer_shapes, TensorType({DT_INT64}))
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(SequenceErase)

/// @brief Cuts a tensor along an axis into a packed sequence: into slices of extent 1, of one extent, or of given extents.
REG_OP(SequenceSplit)
    .INPUT(x, "T")
    .OPTIONAL_INPUT(split, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(values, "T")
    .OUTPUT(shapes, TensorType({DT_INT64}))
    .ATTR(axis, Int, 0)
    .ATTR(keep_dims, Bool, true)
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(SequenceSplit)

/// @brief Joins the tensors of a packed sequence along an axis of theirs, or along a new one.
REG_OP(SequenceConcat)
    .INPUT(values, "T")
    .INPUT(shapes, TensorType({DT_INT64}))
    .OUTPUT(y, "T")
    .REQUIRED_ATTR(axis, Int)
    .ATTR(new_axis, Bool, false)
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(SequenceConcat)

/// @brief Tells how many tensors each of several packed sequences has, and refuses sequences of different lengths.
REG_OP(SequenceCommonLength)
    .DYNAMIC_INPUT(shapes, TensorType({DT_INT64}))
    .OUTPUT(length, TensorType({DT_INT64}))
    .OP_END_FACTORY_REG(SequenceCommonLength)

/// @brief Hands on what an optional value holds, and refuses one that is empty.
REG_OP(OptionalGet)
    .INPUT(there, TensorType({DT_BOOL}))
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(OptionalGet)

}  // namespace ge

#endif
