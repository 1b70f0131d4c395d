#include "graph/operator_reg.h"

namespace ge {
REG_OP(ProgramScale)
    .INPUT(x, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .ATTR(factor, Float, 2.0f)
    .OP_END_FACTORY_REG(ProgramScale)
}  // namespace ge
