// Reductions, running sums, selections and sums over segments with attributes in place of constant inputs.
#ifndef OP_PROTO_ATTRIBUTE_FORM_MATH_OPS_H_
#define OP_PROTO_ATTRIBUTE_FORM_MATH_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_ATTRIBUTE_FORM  // the library reads it: core/ops/attribute_forms.h
#define BUILTIN_ATTRIBUTE_FORM(...)
#endif

namespace ge {

/// @family base

/// @brief Sum along axes that an attribute names.
REG_OP(ReduceSumD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(axes, ListInt)
    .ATTR(keep_dims, Bool, false)
    .OP_END_FACTORY_REG(ReduceSumD)
BUILTIN_ATTRIBUTE_FORM(ReduceSumD, ReduceSum)

/// @brief Mean along axes that an attribute names.
REG_OP(ReduceMeanD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(axes, ListInt)
    .ATTR(keep_dims, Bool, false)
    .ATTR(noop_with_empty_axes, Bool, true)
    .OP_END_FACTORY_REG(ReduceMeanD)
BUILTIN_ATTRIBUTE_FORM(ReduceMeanD, ReduceMean)

/// @brief Largest element along axes that an attribute names.
REG_OP(ReduceMaxD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(axes, ListInt)
    .ATTR(keep_dims, Bool, false)
    .OP_END_FACTORY_REG(ReduceMaxD)
BUILTIN_ATTRIBUTE_FORM(ReduceMaxD, ReduceMax)

/// @brief Smallest element along axes that an attribute names.
REG_OP(ReduceMinD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(axes, ListInt)
    .ATTR(keep_dims, Bool, false)
    .OP_END_FACTORY_REG(ReduceMinD)
BUILTIN_ATTRIBUTE_FORM(ReduceMinD, ReduceMin)

/// @brief Product along axes that an attribute names.
REG_OP(ReduceProdD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(axes, ListInt)
    .ATTR(keep_dims, Bool, false)
    .OP_END_FACTORY_REG(ReduceProdD)
BUILTIN_ATTRIBUTE_FORM(ReduceProdD, ReduceProd)

/// @brief True where all elements along axes that an attribute names are true.
REG_OP(ReduceAllD)
    .INPUT(x, TensorType({DT_BOOL}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .REQUIRED_ATTR(axes, ListInt)
    .ATTR(keep_dims, Bool, false)
    .OP_END_FACTORY_REG(ReduceAllD)
BUILTIN_ATTRIBUTE_FORM(ReduceAllD, ReduceAll)

/// @brief True where some element along axes that an attribute names is true.
REG_OP(ReduceAnyD)
    .INPUT(x, TensorType({DT_BOOL}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .REQUIRED_ATTR(axes, ListInt)
    .ATTR(keep_dims, Bool, false)
    .OP_END_FACTORY_REG(ReduceAnyD)
BUILTIN_ATTRIBUTE_FORM(ReduceAnyD, ReduceAny)

/// @brief Square root of the sum of squares along axes that an attribute names.
REG_OP(EuclideanNormD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .ATTR(axes, ListInt, {})
    .ATTR(keep_dims, Bool, false)
    .OP_END_FACTORY_REG(EuclideanNormD)
BUILTIN_ATTRIBUTE_FORM(EuclideanNormD, EuclideanNorm)

/// @brief Running sum along an axis that an attribute names.
REG_OP(CumsumD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(axis, Int)
    .ATTR(exclusive, Bool, false)
    .ATTR(reverse, Bool, false)
    .OP_END_FACTORY_REG(CumsumD)
BUILTIN_ATTRIBUTE_FORM(CumsumD, Cumsum)

/// @brief Running product along an axis that an attribute names.
REG_OP(CumprodD)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(axis, Int)
    .ATTR(exclusive, Bool, false)
    .ATTR(reverse, Bool, false)
    .OP_END_FACTORY_REG(CumprodD)
BUILTIN_ATTRIBUTE_FORM(CumprodD, Cumprod)

/// @brief Running log of the sum of exp along an axis that an attribute names.
REG_OP(CumulativeLogsumexpD)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(axis, Int)
    .ATTR(exclusive, Bool, false)
    .ATTR(reverse, Bool, false)
    .OP_END_FACTORY_REG(CumulativeLogsumexpD)
BUILTIN_ATTRIBUTE_FORM(CumulativeLogsumexpD, CumulativeLogsumexp)

/// @brief The k largest or smallest elements along an axis; k is an attribute and assist_seq is not read.
REG_OP(TopKD)
    .INPUT(x, TensorType::RealNumberType())
    .INPUT(assist_seq, TensorType({DT_FLOAT16}))
    .OUTPUT(values, TensorType::RealNumberType())
    .OUTPUT(indices, TensorType({DT_INT32}))
    .REQUIRED_ATTR(k, Int)
    .ATTR(sorted, Bool, true)
    .ATTR(dim, Int, -1)
    .ATTR(largest, Bool, true)
    .OP_END_FACTORY_REG(TopKD)
BUILTIN_ATTRIBUTE_FORM(TopKD, TopK)

/// @brief Whether the class of each row is among its k largest scores; k is an attribute.
REG_OP(InTopKD)
    .INPUT(x1, TensorType({DT_FLOAT}))
    .INPUT(x2, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType({DT_BOOL}))
    .REQUIRED_ATTR(k, Int)
    .OP_END_FACTORY_REG(InTopKD)
BUILTIN_ATTRIBUTE_FORM(InTopKD, InTopK)

/// @brief Sum of the rows of each segment; their number is an attribute.
REG_OP(UnsortedSegmentSumD)
    .INPUT(x, TensorType::NumberType())
    .INPUT(segment_ids, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(num_segments, Int)
    .OP_END_FACTORY_REG(UnsortedSegmentSumD)
BUILTIN_ATTRIBUTE_FORM(UnsortedSegmentSumD, UnsortedSegmentSum)

/// @brief Largest element of each segment; their number is an attribute.
REG_OP(UnsortedSegmentMaxD)
    .INPUT(x, TensorType::RealNumberType())
    .INPUT(segment_ids, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::RealNumberType())
    .REQUIRED_ATTR(num_segments, Int)
    .OP_END_FACTORY_REG(UnsortedSegmentMaxD)
BUILTIN_ATTRIBUTE_FORM(UnsortedSegmentMaxD, UnsortedSegmentMax)

/// @brief Smallest element of each segment; their number is an attribute.
REG_OP(UnsortedSegmentMinD)
    .INPUT(x, TensorType::RealNumberType())
    .INPUT(segment_ids, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::RealNumberType())
    .REQUIRED_ATTR(num_segments, Int)
    .OP_END_FACTORY_REG(UnsortedSegmentMinD)
BUILTIN_ATTRIBUTE_FORM(UnsortedSegmentMinD, UnsortedSegmentMin)

/// @brief Product of the rows of each segment; their number is an attribute.
REG_OP(UnsortedSegmentProdD)
    .INPUT(x, TensorType::NumberType())
    .INPUT(segment_ids, TensorType::IndexNumberType())
    .OUTPUT(y, TensorType::NumberType())
    .REQUIRED_ATTR(num_segments, Int)
    .OP_END_FACTORY_REG(UnsortedSegmentProdD)
BUILTIN_ATTRIBUTE_FORM(UnsortedSegmentProdD, UnsortedSegmentProd)

}  // namespace ge

#endif
