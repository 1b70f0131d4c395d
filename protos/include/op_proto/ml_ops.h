// Models that are no networks: trees, and looking up labels.
#ifndef OP_PROTO_ML_OPS_H_
#define OP_PROTO_ML_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family nn

/// @brief Sums up, for each row of features, what the leaves of decision trees that it reaches weigh.
/// A row of `nodes`: how it compares (0 to 5: <=, <, >=, >, ==, !=; 6: one of the members), the feature, where to go if that holds
/// and if not, whether NaN counts as holding, first member and last but one. A place below 0 is leaf -1 - place. A row of
/// `leaves`: first of its targets and weights, last but one. `aggregate`: 0 average, 1 sum, 2 least, 3 greatest.
REG_OP(TreeEnsemble)
    .INPUT(x, TensorType({DT_FLOAT, DT_DOUBLE, DT_FLOAT16, DT_INT32, DT_INT64}))
    .INPUT(roots, TensorType({DT_INT32}))
    .INPUT(nodes, TensorType({DT_INT32}))
    .INPUT(splits, TensorType({DT_FLOAT, DT_DOUBLE}))
    .INPUT(members, TensorType({DT_FLOAT, DT_DOUBLE}))
    .INPUT(leaves, TensorType({DT_INT32}))
    .INPUT(targets, TensorType({DT_INT32}))
    .INPUT(weights, TensorType({DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_DOUBLE}))
    .REQUIRED_ATTR(target_count, Int)
    .ATTR(aggregate, Int, 1)
    .OP_END_FACTORY_REG(TreeEnsemble)

/// @brief Tells for each number which of some keys it is, the last one of equal keys, and -1 for none. NaN is NaN.
REG_OP(FindKeys)
    .INPUT(x, TensorType({DT_FLOAT, DT_DOUBLE, DT_FLOAT16, DT_BF16, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                          DT_UINT32, DT_INT64, DT_UINT64, DT_BOOL}))
    .INPUT(keys, TensorType({DT_FLOAT, DT_DOUBLE, DT_FLOAT16, DT_BF16, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                             DT_UINT32, DT_INT64, DT_UINT64, DT_BOOL}))
    .OUTPUT(position, TensorType({DT_INT64}))
    .OP_END_FACTORY_REG(FindKeys)

/// @brief Probabilities of classes that fit those of each pair of classes (Wu, Lin and Weng's second method).
/// A row of `pairs` has the probability of the first of two classes against the second, for 0 and 1, 0 and 2, …, 1 and 2, ….
REG_OP(CoupleProbabilities)
    .INPUT(pairs, TensorType({DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_DOUBLE}))
    .REQUIRED_ATTR(classes, Int)
    .OP_END_FACTORY_REG(CoupleProbabilities)

}  // namespace ge

#endif
