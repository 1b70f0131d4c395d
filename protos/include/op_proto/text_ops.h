// Texts as tensors: `bytes` (uint8, [n]) has for each text its length (8 bytes, the lowest first) and its UTF-8; `places` (int64)
// has, in the shape of the tensor of texts, where among them each starts. Several places may be the same.
#ifndef OP_PROTO_TEXT_OPS_H_
#define OP_PROTO_TEXT_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family base

/// @brief Joins texts of two tensors, which are broadcast.
REG_OP(TextConcat)
    .INPUT(places1, TensorType({DT_INT64}))
    .INPUT(bytes1, TensorType({DT_UINT8}))
    .INPUT(places2, TensorType({DT_INT64}))
    .INPUT(bytes2, TensorType({DT_UINT8}))
    .OUTPUT(places, TensorType({DT_INT64}))
    .OUTPUT(bytes, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(TextConcat)

/// @brief Tells where texts of two tensors, which are broadcast, are the same.
REG_OP(TextEqual)
    .INPUT(places1, TensorType({DT_INT64}))
    .INPUT(bytes1, TensorType({DT_UINT8}))
    .INPUT(places2, TensorType({DT_INT64}))
    .INPUT(bytes2, TensorType({DT_UINT8}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .OP_END_FACTORY_REG(TextEqual)

/// @brief Tells for each text which of some keys it is, the last one of equal keys, and -1 for none.
REG_OP(TextFind)
    .INPUT(places, TensorType({DT_INT64}))
    .INPUT(bytes, TensorType({DT_UINT8}))
    .OUTPUT(position, TensorType({DT_INT64}))
    .REQUIRED_ATTR(keys, ListString)
    .OP_END_FACTORY_REG(TextFind)

/// @brief Tells which texts a regular expression (RE2's) matches from their first character to their last.
REG_OP(TextFullMatch)
    .INPUT(places, TensorType({DT_INT64}))
    .INPUT(bytes, TensorType({DT_UINT8}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .REQUIRED_ATTR(pattern, String)
    .OP_END_FACTORY_REG(TextFullMatch)

/// @brief Takes stop words out of a list of texts and changes the case of the others. Of nothing left, one empty text.
REG_OP(TextNormalize)
    .INPUT(places, TensorType({DT_INT64}))
    .INPUT(bytes, TensorType({DT_UINT8}))
    .OUTPUT(kept_places, TensorType({DT_INT64}))
    .OUTPUT(kept_bytes, TensorType({DT_UINT8}))
    .ATTR(case_change, String, "NONE")
    .ATTR(case_sensitive, Bool, false)
    .ATTR(stop_words, ListString, {})
    .OP_END_FACTORY_REG(TextNormalize)

/// @brief Cuts texts at a delimiter, or where there is white space, into rows filled up with empty texts.
REG_OP(TextSplit)
    .INPUT(places, TensorType({DT_INT64}))
    .INPUT(bytes, TensorType({DT_UINT8}))
    .OUTPUT(part_places, TensorType({DT_INT64}))
    .OUTPUT(part_bytes, TensorType({DT_UINT8}))
    .OUTPUT(counts, TensorType({DT_INT64}))
    .ATTR(delimiter, String, "")
    .ATTR(max_split, Int, -1)
    .OP_END_FACTORY_REG(TextSplit)

/// @brief Writes numbers as texts.
REG_OP(TextOfNumbers)
    .INPUT(x, TensorType({DT_FLOAT, DT_DOUBLE, DT_FLOAT16, DT_BF16, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                          DT_UINT32, DT_INT64, DT_UINT64, DT_BOOL}))
    .OUTPUT(places, TensorType({DT_INT64}))
    .OUTPUT(bytes, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(TextOfNumbers)

/// @brief Reads the numbers that texts write.
REG_OP(NumbersOfText)
    .INPUT(places, TensorType({DT_INT64}))
    .INPUT(bytes, TensorType({DT_UINT8}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_DOUBLE, DT_FLOAT16, DT_BF16, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                           DT_UINT32, DT_INT64, DT_UINT64, DT_BOOL}))
    .REQUIRED_ATTR(dst_type, Int)
    .OP_END_FACTORY_REG(NumbersOfText)

}  // namespace ge

#endif
