// Rotary positions, key-value caches and attention blocks.
#ifndef OP_PROTO_TRANSFORMER_ROPE_OPS_H_
#define OP_PROTO_TRANSFORMER_ROPE_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family transformer

/// @brief Rotates query and key in place by the angles of their positions.
REG_OP(ApplyRotaryPosEmb)
    .INPUT(query, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .INPUT(key, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .INPUT(cos, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .INPUT(sin, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .OUTPUT(query, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .OUTPUT(key, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .ATTR(layout, Int, 1)
    .ATTR(rotary_mode, String, "half")
    .OP_END_FACTORY_REG(ApplyRotaryPosEmb)

/// @brief Rotates pairs of elements by angles given as cosine and sine.
REG_OP(RotaryPositionEmbedding)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .INPUT(cos, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .INPUT(sin, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .ATTR(mode, Int, 0)
    .OP_END_FACTORY_REG(RotaryPositionEmbedding)

/// @brief Gradients of rotation by position angles.
REG_OP(RotaryPositionEmbeddingGrad)
    .INPUT(dy, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .INPUT(cos, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .INPUT(sin, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .OPTIONAL_INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .OUTPUT(dx, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .OUTPUT(dcos, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .OUTPUT(dsin, TensorType({DT_FLOAT16, DT_FLOAT, DT_BFLOAT16}))
    .ATTR(mode, Int, 0)
    .OP_END_FACTORY_REG(RotaryPositionEmbeddingGrad)

/// @brief Rotates interleaved pairs of elements by angles given as cosine and sine.
REG_OP(InterleaveRope)
    .INPUT(x, TensorType({DT_FLOAT16, DT_BF16}))
    .INPUT(cos, TensorType({DT_FLOAT16, DT_BF16}))
    .INPUT(sin, TensorType({DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_BF16}))
    .OP_END_FACTORY_REG(InterleaveRope)

/// @brief Rotates query and key by angles looked up by position.
REG_OP(RopeWithSinCosCache)
    .INPUT(positions, TensorType({DT_INT32, DT_INT64}))
    .INPUT(queryIn, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT32}))
    .INPUT(keyIn, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT32}))
    .INPUT(cosSinCache, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT32}))
    .OUTPUT(queryOut, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT32}))
    .OUTPUT(keyOut, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT32}))
    .REQUIRED_ATTR(numQHeads, Int)
    .REQUIRED_ATTR(numKHeads, Int)
    .REQUIRED_ATTR(headSize, Int)
    .ATTR(mropeSection, ListInt, {0, 0, 0})
    .ATTR(qStride, Int, 0)
    .ATTR(kStride, Int, 0)
    .ATTR(isNeoxStyle, Bool, true)
    .OP_END_FACTORY_REG(RopeWithSinCosCache)

/// @brief Splits qkv, rotates query and key, and stores quantised key and value in the cache.
REG_OP(RopeQuantKvcache)
    .INPUT(qkv, TensorType({DT_FLOAT16}))
    .INPUT(cos, TensorType({DT_FLOAT16}))
    .INPUT(sin, TensorType({DT_FLOAT16}))
    .INPUT(quant_scale, TensorType({DT_FLOAT32}))
    .INPUT(quant_offset, TensorType({DT_INT32}))
    .INPUT(k_cache, TensorType({DT_INT8}))
    .INPUT(v_cache, TensorType({DT_INT8}))
    .INPUT(indice, TensorType({DT_INT32}))
    .OUTPUT(q, TensorType({DT_FLOAT16}))
    .OUTPUT(k, TensorType({DT_FLOAT16}))
    .OUTPUT(v, TensorType({DT_FLOAT16}))
    .OUTPUT(k_cache, TensorType({DT_INT8}))
    .OUTPUT(v_cache, TensorType({DT_INT8}))
    .ATTR(size_splits, ListInt, {})
    .ATTR(layout, String, "BSND")
    .ATTR(kv_output, Bool, false)
    .OP_END_FACTORY_REG(RopeQuantKvcache)

/// @brief Dequantises qkv, rotates query and key, and stores them quantised in the cache.
REG_OP(DequantRopeQuantKvcache)
    .INPUT(x, TensorType({DT_FLOAT16, DT_BF16, DT_INT32}))
    .INPUT(cos, TensorType({DT_FLOAT16, DT_BF16}))
    .INPUT(sin, TensorType({DT_FLOAT16, DT_BF16}))
    .INPUT(k_cache, TensorType({DT_INT8}))
    .INPUT(v_cache, TensorType({DT_INT8}))
    .INPUT(indices, TensorType({DT_INT32, DT_INT64}))
    .INPUT(scale_k, TensorType({DT_FLOAT32}))
    .INPUT(scale_v, TensorType({DT_FLOAT32}))
    .OPTIONAL_INPUT(offset_k, TensorType({DT_FLOAT32}))
    .OPTIONAL_INPUT(offset_v, TensorType({DT_FLOAT32}))
    .OPTIONAL_INPUT(weight_scale, TensorType({DT_FLOAT32}))
    .OPTIONAL_INPUT(activation_scale, TensorType({DT_FLOAT32}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT32, DT_BF16, DT_FLOAT16, DT_INT32}))
    .OUTPUT(q, TensorType({DT_FLOAT16, DT_BF16}))
    .OUTPUT(k, TensorType({DT_FLOAT16, DT_BF16}))
    .OUTPUT(v, TensorType({DT_FLOAT16, DT_BF16}))
    .OUTPUT(k_cache, TensorType({DT_INT8}))
    .OUTPUT(v_cache, TensorType({DT_INT8}))
    .REQUIRED_ATTR(size_splits, ListInt)
    .ATTR(quant_mode, String, "static")
    .ATTR(layout, String, "BSND")
    .ATTR(kv_output, Bool, false)
    .ATTR(cache_mode, String, "contiguous")
    .OP_END_FACTORY_REG(DequantRopeQuantKvcache)

/// @brief Moves positions, lengths and cache slots of running sequences on by one token.
/// @family nn
REG_OP(AdvanceStep)
    .INPUT(input_tokens, TensorType({DT_INT64}))
    .INPUT(sampled_token_ids, TensorType({DT_INT64}))
    .INPUT(input_positions, TensorType({DT_INT64}))
    .INPUT(seq_lens, TensorType({DT_INT64}))
    .INPUT(slot_mapping, TensorType({DT_INT64}))
    .INPUT(block_tables, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(spec_token, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(accepted_num, TensorType({DT_INT64}))
    .OUTPUT(input_tokens, TensorType({DT_INT64}))
    .OUTPUT(input_positions, TensorType({DT_INT64}))
    .OUTPUT(seq_lens, TensorType({DT_INT64}))
    .OUTPUT(slot_mapping, TensorType({DT_INT64}))
    .REQUIRED_ATTR(num_seqs, Int)
    .REQUIRED_ATTR(num_queries, Int)
    .REQUIRED_ATTR(block_size, Int)
    .OP_END_FACTORY_REG(AdvanceStep)

/// @brief Output projection of windowed attention with bias, roll and residual.
REG_OP(SwinAttentionFFN)
    .INPUT(x1, TensorType({DT_FLOAT16}))
    .INPUT(x2, TensorType({DT_FLOAT16}))
    .INPUT(bias, TensorType({DT_FLOAT16}))
    .OPTIONAL_INPUT(x3, TensorType({DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT16}))
    .ATTR(shifts, ListInt, {})
    .OP_END_FACTORY_REG(SwinAttentionFFN)

/// @brief Normalises windows of an image and projects them to query, key and value.
REG_OP(SwinTransformerLnQKV)
    .INPUT(x, TensorType({DT_FLOAT16}))
    .INPUT(gamma, TensorType({DT_FLOAT16}))
    .INPUT(beta, TensorType({DT_FLOAT16}))
    .INPUT(weight, TensorType({DT_FLOAT16}))
    .INPUT(bias, TensorType({DT_FLOAT16}))
    .OUTPUT(query_output, TensorType({DT_FLOAT16}))
    .OUTPUT(key_output, TensorType({DT_FLOAT16}))
    .OUTPUT(value_output, TensorType({DT_FLOAT16}))
    .REQUIRED_ATTR(head_num, Int)
    .REQUIRED_ATTR(head_dim, Int)
    .REQUIRED_ATTR(seq_length, Int)
    .ATTR(shifts, ListInt, {})
    .ATTR(epsilon, Float, 0.0000001f)
    .OP_END_FACTORY_REG(SwinTransformerLnQKV)

/// @brief Adds the bias to qkv, splits it into heads and scales the query.
/// @family math
REG_OP(TransformBiasRescaleQkv)
    .INPUT(qkv, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(qkv_bias, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(q, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(k, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(v, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .REQUIRED_ATTR(num_heads, Int)
    .OP_END_FACTORY_REG(TransformBiasRescaleQkv)

/// @brief Softmax of attention scores plus mask and relative position bias.
/// @family nn
REG_OP(MaskedSoftmaxWithRelPosBias)
    .INPUT(x, TensorType({DT_FLOAT16, DT_BFLOAT16, DT_FLOAT}))
    .OPTIONAL_INPUT(atten_mask, TensorType({DT_FLOAT16, DT_BFLOAT16, DT_FLOAT}))
    .INPUT(relative_pos_bias, TensorType({DT_FLOAT16, DT_BFLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_BFLOAT16, DT_FLOAT}))
    .ATTR(scale_value, Float, 1.0)
    .ATTR(inner_precision_mode, Int, 0)
    .OP_END_FACTORY_REG(MaskedSoftmaxWithRelPosBias)

/// @brief Encodes latent vectors by their nearest centroids into cache slots.
/// @family nn
REG_OP(TurboQuantCompressLatent)
    .INPUT(latent, TensorType({DT_FLOAT}))
    .INPUT(centroids, TensorType({DT_FLOAT}))
    .OUTPUT(slot, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(TurboQuantCompressLatent)

/// @brief Draws the next token from the k best within cumulative probability p.
/// @family nn
REG_OP(TopKTopPSample)
    .INPUT(logits, TensorType({DT_FLOAT16, DT_BF16}))
    .INPUT(top_k, TensorType({DT_INT32}))
    .INPUT(top_p, TensorType({DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(q, TensorType({DT_FLOAT}))
    .OUTPUT(logits_select_idx, TensorType({DT_INT64}))
    .OUTPUT(logits_top_kp_select, TensorType({DT_FLOAT}))
    .ATTR(eps, Float, 1E-8)
    .ATTR(is_need_logits, Bool, false)
    .ATTR(top_k_guess, Int, 32)
    .OP_END_FACTORY_REG(TopKTopPSample)

/// @brief Draws the next token by top-k, top-p and minimum probability, with sorted logits on request.
/// @family nn
REG_OP(TopKTopPSampleV2)
    .INPUT(logits, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .INPUT(top_k, TensorType({DT_INT32}))
    .INPUT(top_p, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OPTIONAL_INPUT(q, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(min_ps, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OUTPUT(logits_select_idx, TensorType({DT_INT64}))
    .OUTPUT(logits_top_kp_select, TensorType({DT_FLOAT}))
    .OUTPUT(logits_idx, TensorType({DT_INT64}))
    .OUTPUT(logits_sort_masked, TensorType({DT_FLOAT}))
    .ATTR(eps, Float, 1E-8)
    .ATTR(is_need_logits, Bool, false)
    .ATTR(top_k_guess, Int, 32)
    .ATTR(ks_max, Int, 1024)
    .ATTR(input_is_logits, Bool, true)
    .ATTR(is_need_sample_result, Bool, false)
    .OP_END_FACTORY_REG(TopKTopPSampleV2)

/// @brief Runs a small multilayer perceptron over each patch.
/// @family nn
REG_OP(FusedPatchMlp)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .INPUT(weights, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .INPUT(biases, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .REQUIRED_ATTR(num_layers, Int)
    .OP_END_FACTORY_REG(FusedPatchMlp)

}  // namespace ge

#endif
