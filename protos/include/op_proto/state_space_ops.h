// Layers that carry a state from one part of a sequence to the next.
#ifndef OP_PROTO_STATE_SPACE_OPS_H_
#define OP_PROTO_STATE_SPACE_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family transformer

/// @brief Attention as a recurrence: a state for each key head takes in key times value and is read by queries.
/// With decay (logarithms, one for each head or for each of its keys) it fades first, with beta it takes in the difference to
/// what it holds for the key already.
REG_OP(LinearAttention)
    .INPUT(query, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(key, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(value, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(past_state, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(decay, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(beta, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(present_state, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(q_num_heads, Int)
    .REQUIRED_ATTR(kv_num_heads, Int)
    .ATTR(scale, Float, 0.0)
    .OP_END_FACTORY_REG(LinearAttention)

}  // namespace ge

#endif
