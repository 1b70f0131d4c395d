// Points in space: neighbours, interpolation, distances.
#ifndef OP_PROTO_POINT_CLOUD_OPS_H_
#define OP_PROTO_POINT_CLOUD_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family image

/// @brief Finds for each centre up to sample_num points within a distance range.
/// @family math
REG_OP(BallQuery)
    .INPUT(xyz, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(center_xyz, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(idx, TensorType({DT_INT32}))
    .REQUIRED_ATTR(min_radius, Float)
    .REQUIRED_ATTR(max_radius, Float)
    .REQUIRED_ATTR(sample_num, Int)
    .OP_END_FACTORY_REG(BallQuery)

/// @brief Finds points near each centre, in batches of unequal size stacked together.
/// @family math
REG_OP(StackBallQuery)
    .INPUT(xyz, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(center_xyz, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(xyz_batch_cnt, TensorType({DT_INT32, DT_INT64}))
    .INPUT(center_xyz_batch_cnt, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(idx, TensorType({DT_INT32}))
    .REQUIRED_ATTR(max_radius, Float)
    .REQUIRED_ATTR(sample_num, Int)
    .OP_END_FACTORY_REG(StackBallQuery)

/// @brief Gathers the features of grouped points, in batches of unequal size stacked together.
REG_OP(StackGroupPoints)
    .INPUT(features, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(features_batch_cnt, TensorType({DT_INT32, DT_INT64}))
    .INPUT(indices, TensorType({DT_INT32, DT_INT64}))
    .INPUT(indices_batch_cnt, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(StackGroupPoints)

/// @brief Interpolates features from three neighbours with given weights.
REG_OP(ThreeInterpolate)
    .INPUT(features, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(idx, TensorType({DT_INT32, DT_INT64}))
    .INPUT(weight, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(ThreeInterpolate)

/// @brief Gradient of interpolation from three neighbours.
REG_OP(ThreeInterpolateBackward)
    .INPUT(grad_x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(idx, TensorType({DT_INT32, DT_INT64}))
    .INPUT(weight, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(grad_y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(m, Int)
    .OP_END_FACTORY_REG(ThreeInterpolateBackward)

/// @brief Squared distances from each point to the nearest point of the other set, both ways.
/// @family nn
REG_OP(ChamferDistance)
    .INPUT(xyz1, TensorType({DT_FLOAT, DT_BF16, DT_FLOAT16}))
    .INPUT(xyz2, TensorType({DT_FLOAT, DT_BF16, DT_FLOAT16}))
    .OUTPUT(dist1, TensorType({DT_FLOAT, DT_BF16, DT_FLOAT16}))
    .OUTPUT(dist2, TensorType({DT_FLOAT, DT_BF16, DT_FLOAT16}))
    .OUTPUT(idx1, TensorType({DT_INT32}))
    .OUTPUT(idx2, TensorType({DT_INT32}))
    .OP_END_FACTORY_REG(ChamferDistance)

/// @brief Gradient of the squared nearest distances between two point sets.
/// @family nn
REG_OP(ChamferDistanceGrad)
    .INPUT(xyz1, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(xyz2, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(idx1, TensorType({DT_INT32}))
    .INPUT(idx2, TensorType({DT_INT32}))
    .INPUT(grad_dist1, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(grad_dist2, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(grad_xyz1, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(grad_xyz2, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(ChamferDistanceGrad)

/// @brief Tells for each point in which polygons it lies.
REG_OP(PointsInPolygons)
    .INPUT(points, TensorType({DT_FLOAT}))
    .INPUT(polygons, TensorType({DT_FLOAT}))
    .OUTPUT(output, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(PointsInPolygons)

}  // namespace ge

#endif
