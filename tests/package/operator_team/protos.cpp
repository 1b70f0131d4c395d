// Operators of the team.
#include "graph/operator_reg.h"

namespace ge {
REG_OP(TeamScale)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(factor, Float, 2.0f)
    .OP_END_FACTORY_REG(TeamScale)

        REG_OP(TeamSplit)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(head, TensorType({DT_FLOAT}))
    .OUTPUT(tail, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(at, Int)
    .OP_END_FACTORY_REG(TeamSplit)

        REG_OP(TeamNever)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(TeamNever)
}  // namespace ge
