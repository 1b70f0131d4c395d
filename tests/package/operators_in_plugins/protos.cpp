#include "graph/operator_reg.h"

#define BINARY(TYPE, Y)                    \
  REG_OP(TYPE)                             \
      .INPUT(x1, TensorType::NumberType()) \
      .INPUT(x2, TensorType::NumberType()) \
      .OUTPUT(Y, TensorType::NumberType()) \
      .OP_END_FACTORY_REG(TYPE)

namespace ge {
BINARY(Add, OUTPUT_NAME)
BINARY(Sub, OUTPUT_NAME)
BINARY(Mul, OUTPUT_NAME)
BINARY(Div, OUTPUT_NAME)
}  // namespace ge
