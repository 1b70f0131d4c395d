// Embedding tables, their gradients and hash tables of embeddings.
#ifndef OP_PROTO_EMBEDDING_OPS_H_
#define OP_PROTO_EMBEDDING_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_OP_TRAITS  // the library reads it: ge/op_traits.h
#define BUILTIN_OP_TRAITS(type, ...)
#endif

namespace ge {

/// @family nn

/// @brief Looks up bags of rows and sums, averages or maximises each bag.
REG_OP(EmbeddingBag)
    .INPUT(weight, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .INPUT(indices, TensorType({DT_INT32, DT_INT64}))
    .OPTIONAL_INPUT(offsets, TensorType({DT_INT32, DT_INT64}))
    .OPTIONAL_INPUT(per_sample_weights, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OUTPUT(offset2bag, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(bag_size, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(max_indices, TensorType({DT_INT32, DT_INT64}))
    .ATTR(mode, String, "mean")
    .ATTR(scale_grad_by_freq, Bool, false)
    .ATTR(sparse, Bool, false)
    .ATTR(include_last_offset, Bool, false)
    .ATTR(padding_idx, Int, -1)
    .OP_END_FACTORY_REG(EmbeddingBag)

/// @brief Gradient of a table lookup: adds gradient rows by index.
REG_OP(EmbeddingDenseGrad)
    .INPUT(grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(indices, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .REQUIRED_ATTR(num_weights, Int)
    .ATTR(padding_idx, Int, -1)
    .ATTR(scale_grad_by_freq, Bool, false)
    .OP_END_FACTORY_REG(EmbeddingDenseGrad)

/// @brief Gradient of a table lookup from indices sorted beforehand.
REG_OP(EmbeddingDenseGradV2)
    .INPUT(grad, TensorType({DT_FLOAT32, DT_FLOAT16, DT_BF16}))
    .INPUT(sort_indices, TensorType({DT_INT32, DT_INT64}))
    .INPUT(pos_idx, TensorType({DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT32, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(num_weights, Int)
    .ATTR(padding_idx, Int, -1)
    .ATTR(scale_grad_by_freq, Bool, false)
    .OP_END_FACTORY_REG(EmbeddingDenseGradV2)

/// @brief Fills a hash table of embeddings with constant or random rows.
REG_OP(InitEmbeddingHashTable)
    .INPUT(table_handle, TensorType({DT_INT64}))
    .OPTIONAL_INPUT(sampled_values, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(bucket_size, Int)
    .REQUIRED_ATTR(embedding_dim, Int)
    .ATTR(initializer_mode, String, "random")
    .ATTR(constant_value, Float, 0.0)
    .OP_END_FACTORY_REG(InitEmbeddingHashTable)
BUILTIN_OP_TRAITS(InitEmbeddingHashTable, GE_TRAIT_EFFECT)

/// @brief Looks keys up in a hash table and inserts those that are missing.
REG_OP(EmbeddingHashTableLookupOrInsert)
    .INPUT(table_handle, TensorType({DT_INT64}))
    .INPUT(keys, TensorType({DT_INT64}))
    .OUTPUT(values, TensorType({DT_FLOAT32}))
    .REQUIRED_ATTR(bucket_size, Int)
    .REQUIRED_ATTR(embedding_dim, Int)
    .ATTR(filter_mode, String, "no_filter")
    .ATTR(filter_freq, Int, 0)
    .ATTR(default_key_or_value, Bool, false)
    .ATTR(default_key, Int, 0)
    .ATTR(default_value, Float, 0)
    .ATTR(filter_key_flag, Bool, false)
    .ATTR(filter_key, Int, -1)
    .OP_END_FACTORY_REG(EmbeddingHashTableLookupOrInsert)
BUILTIN_OP_TRAITS(EmbeddingHashTableLookupOrInsert, GE_TRAIT_EFFECT)

/// @brief One step of Adam with decoupled weight decay for rows of a hash table.
REG_OP(EmbeddingHashTableApplyAdamW)
    .INPUT(table_handle, TensorType({DT_INT64}))
    .INPUT(keys, TensorType({DT_INT64}))
    .INPUT(m, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(v, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(beta1_power, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(beta2_power, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(lr, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(weight_decay, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(beta1, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(beta2, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(epsilon, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(grad, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(max_grad_norm, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(m, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(v, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(beta1_power, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(beta2_power, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(max_grad_norm, TensorType({DT_FLOAT16, DT_FLOAT}))
    .REQUIRED_ATTR(embedding_dim, Int)
    .REQUIRED_ATTR(bucket_size, Int)
    .ATTR(amsgrad, Bool, false)
    .ATTR(maximize, Bool, false)
    .OP_END_FACTORY_REG(EmbeddingHashTableApplyAdamW)
BUILTIN_OP_TRAITS(EmbeddingHashTableApplyAdamW, GE_TRAIT_EFFECT)

/// @brief Writes keys, counters, filter flags and values of hash tables out.
REG_OP(EmbeddingHashTableExport)
    .INPUT(table_handles, TensorType({DT_INT64}))
    .INPUT(table_sizes, TensorType({DT_INT64}))
    .INPUT(embedding_dims, TensorType({DT_INT64}))
    .INPUT(bucket_sizes, TensorType({DT_INT64}))
    .DYNAMIC_OUTPUT(keys, TensorType({DT_INT64}))
    .DYNAMIC_OUTPUT(counters, TensorType({DT_UINT64}))
    .DYNAMIC_OUTPUT(filter_flags, TensorType({DT_UINT8}))
    .DYNAMIC_OUTPUT(values, TensorType({DT_FLOAT}))
    .ATTR(export_mode, String, "all")
    .ATTR(filtered_export_flag, Bool, false)
    .OP_END_FACTORY_REG(EmbeddingHashTableExport)
BUILTIN_OP_TRAITS(EmbeddingHashTableExport, GE_TRAIT_EFFECT)

/// @brief Reads keys, counters, filter flags and values into hash tables.
REG_OP(EmbeddingHashTableImport)
    .INPUT(table_handles, TensorType({DT_INT64}))
    .INPUT(embedding_dims, TensorType({DT_INT64}))
    .INPUT(bucket_sizes, TensorType({DT_INT64}))
    .DYNAMIC_INPUT(keys, TensorType({DT_INT64}))
    .DYNAMIC_INPUT(counters, TensorType({DT_UINT64}))
    .DYNAMIC_INPUT(filter_flags, TensorType({DT_UINT8}))
    .DYNAMIC_INPUT(values, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(EmbeddingHashTableImport)
BUILTIN_OP_TRAITS(EmbeddingHashTableImport, GE_TRAIT_EFFECT)

}  // namespace ge

#endif
