#include "graph/operator_reg.h"

namespace ge {
REG_OP(Add)
    .INPUT(x1, TensorType::NumberType())
    .INPUT(x2, TensorType::NumberType())
    .OUTPUT(y, TensorType::NumberType())
    .OP_END_FACTORY_REG(Add)
}  // namespace ge
