// Entropy coding of numbers.
#ifndef OP_PROTO_COMPRESSION_OPS_H_
#define OP_PROTO_COMPRESSION_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family math

/// @brief Splits numbers into mantissa and exponent and packs the exponents by entropy coding.
REG_OP(HansEncode)
    .INPUT(input_tensor, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(pdf, TensorType({DT_INT32}))
    .OUTPUT(pdf, TensorType({DT_INT32}))
    .OUTPUT(mantissa, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(fixed, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(var, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .ATTR(statistic, Bool, false)
    .ATTR(reshuff, Bool, false)
    .OP_END_FACTORY_REG(HansEncode)

/// @brief Restores numbers from their mantissas and entropy-coded exponents.
REG_OP(HansDecode)
    .INPUT(mantissa, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(fixed, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(var, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(pdf, TensorType({DT_INT32}))
    .OUTPUT(output, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .ATTR(reshuff, Bool, false)
    .OP_END_FACTORY_REG(HansDecode)

}  // namespace ge

#endif
