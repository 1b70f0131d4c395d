// Fused attention and grouped products that programs for large language models call.
#ifndef OP_PROTO_TRANSFORMER_ATTENTION_OPS_H_
#define OP_PROTO_TRANSFORMER_ATTENTION_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family transformer

/// @brief Attention over whole prompts: softmax(scale * query @ key + mask) @ value, for many heads at once.
REG_OP(PromptFlashAttention)
    .INPUT(query, TensorType({DT_FLOAT16, DT_BF16, DT_INT8}))
    .INPUT(key, TensorType({DT_FLOAT16, DT_BF16, DT_INT8}))
    .INPUT(value, TensorType({DT_FLOAT16, DT_BF16, DT_INT8}))
    .OPTIONAL_INPUT(pse_shift, TensorType({DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(atten_mask, TensorType({DT_BOOL, DT_INT8, DT_UINT8, DT_FLOAT16}))
    .OPTIONAL_INPUT(actual_seq_lengths, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(actual_seq_lengths_kv, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(deq_scale1, TensorType({DT_UINT64, DT_FLOAT}))
    .OPTIONAL_INPUT(quant_scale1, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(deq_scale2, TensorType({DT_UINT64, DT_FLOAT}))
    .OPTIONAL_INPUT(quant_scale2, TensorType({DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(quant_offset2, TensorType({DT_FLOAT, DT_BF16}))
    .OUTPUT(attention_out, TensorType({DT_FLOAT16, DT_BF16, DT_INT8}))
    .REQUIRED_ATTR(num_heads, Int)
    .ATTR(scale_value, Float, 1.0)
    .ATTR(pre_tokens, Int, 214748647)
    .ATTR(next_tokens, Int, 0)
    .ATTR(input_layout, String, "BSH")
    .ATTR(num_key_value_heads, Int, 0)
    .ATTR(sparse_mode, Int, 0)
    .ATTR(inner_precise, Int, 1)
    .OP_END_FACTORY_REG(PromptFlashAttention)

/// @brief Multiplies rows by the weights of their expert and adds them up, weighted, in token order.
REG_OP(GroupedMatmulFinalizeRouting)
    .INPUT(x, TensorType({DT_INT8}))
    .INPUT(w, TensorType({DT_INT8, DT_INT4}))
    .OPTIONAL_INPUT(scale, TensorType({DT_FLOAT, DT_BF16, DT_INT64}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, DT_BF16}))
    .OPTIONAL_INPUT(pertoken_scale, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(group_list, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(shared_input, TensorType({DT_BF16}))
    .OPTIONAL_INPUT(logit, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(row_index, TensorType({DT_INT32, DT_INT64}))
    .OPTIONAL_INPUT(offset, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(dtype, Int, 0)
    .ATTR(shared_input_weight, Float, 1.0)
    .ATTR(shared_input_offset, Int, 0)
    .ATTR(transpose_x, Bool, false)
    .ATTR(transpose_w, Bool, false)
    .ATTR(output_bs, Int, 0)
    .ATTR(group_list_type, Int, 1)
    .OP_END_FACTORY_REG(GroupedMatmulFinalizeRouting)

}  // namespace ge

#endif
