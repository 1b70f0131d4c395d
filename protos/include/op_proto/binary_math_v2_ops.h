// Sums with scale, fused multiplications, and further forms of binary functions.
#ifndef OP_PROTO_BINARY_MATH_V2_OPS_H_
#define OP_PROTO_BINARY_MATH_V2_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family math

/// @brief Scales x1 by alpha and adds x2.
/// @family base
REG_OP(Sxpy)
    .INPUT(x1, "T1")
    .INPUT(x2, "T2")
    .OPTIONAL_INPUT(alpha, "T3")
    .OUTPUT(y, "T4")
    .DATATYPE(T1, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_UINT8, DT_INT8, DT_UINT16, DT_INT16, DT_INT32,
                              DT_INT64, DT_COMPLEX64, DT_COMPLEX128, DT_BF16, DT_COMPLEX32}))
    .DATATYPE(T2, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_UINT8, DT_INT8, DT_UINT16, DT_INT16, DT_INT32,
                              DT_INT64, DT_COMPLEX64, DT_COMPLEX128, DT_BF16, DT_COMPLEX32}))
    .DATATYPE(T3, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_UINT8, DT_INT8, DT_UINT16, DT_INT16, DT_INT32,
                              DT_INT64, DT_COMPLEX64, DT_COMPLEX128, DT_BF16, DT_COMPLEX32}))
    .DATATYPE(T4, Promote({"T1", "T2", "T3"}))
    .OP_END_FACTORY_REG(Sxpy)

/// @brief Sum x1 + alpha * x2, with alpha as an input.
REG_OP(AxpyV2)
    .INPUT(x1, "T1")
    .INPUT(x2, "T2")
    .INPUT(alpha, "T3")
    .OUTPUT(y, "T4")
    .DATATYPE(T1, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16, DT_INT64, DT_UINT8, DT_INT8, DT_BOOL}))
    .DATATYPE(T2, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16, DT_INT64, DT_UINT8, DT_INT8, DT_BOOL}))
    .DATATYPE(T3, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16, DT_INT64, DT_UINT8, DT_INT8, DT_BOOL}))
    .DATATYPE(T4, Promote({"T1", "T2", "T3"}))
    .OP_END_FACTORY_REG(AxpyV2)

/// @brief Sum a * x + y, with a as an attribute.
REG_OP(AxpyV3)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(z, TensorType({DT_FLOAT, DT_FLOAT16}))
    .ATTR(a, Float, 1.0)
    .OP_END_FACTORY_REG(AxpyV3)

/// @brief Difference of two tensors, in the second form of the interface.
REG_OP(SubV2)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .OP_END_FACTORY_REG(SubV2)

/// @brief Product of two tensors, in the second form of the interface.
REG_OP(MulV2)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32}))
    .OP_END_FACTORY_REG(MulV2)

/// @brief Quotient of two tensors, in the second form of the interface.
REG_OP(DivV2)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .OP_END_FACTORY_REG(DivV2)

/// @brief Quotient of two tensors, rounded down, toward zero or not at all as mode says.
REG_OP(DivV3)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT16, DT_INT32, DT_BF16}))
    .ATTR(mode, Int, 0)
    .OP_END_FACTORY_REG(DivV3)

/// @brief Larger of two elements, in the second form of the interface.
REG_OP(MaximumV2)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32, DT_INT16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32, DT_INT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32, DT_INT16}))
    .OP_END_FACTORY_REG(MaximumV2)

/// @brief Product that is zero where x2 is zero, even against NaN and infinity.
REG_OP(MulNoNan)
    .INPUT(x1, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16}))
    .INPUT(x2, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16}))
    .OP_END_FACTORY_REG(MulNoNan)

/// @brief Raises each element of x1 to the power x2.
REG_OP(Pows)
    .INPUT(x1, "T")
    .INPUT(x2, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(Pows)

/// @brief Product x * log(1 + y) that is zero where x is zero.
REG_OP(Xlog1py)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128}))
    .INPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128}))
    .OUTPUT(z, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128}))
    .OP_END_FACTORY_REG(Xlog1py)

/// @brief Hurwitz zeta function of x and q.
REG_OP(Zeta)
    .INPUT(x, TensorType({DT_DOUBLE, DT_FLOAT}))
    .INPUT(q, TensorType({DT_DOUBLE, DT_FLOAT}))
    .OUTPUT(z, TensorType({DT_DOUBLE, DT_FLOAT}))
    .OP_END_FACTORY_REG(Zeta)

/// @brief Greatest common divisor of two integers.
REG_OP(Gcd)
    .INPUT(x1, "T1")
    .INPUT(x2, "T2")
    .OUTPUT(y, "T3")
    .DATATYPE(T1, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_UINT8, DT_INT8, DT_INT16, DT_INT32, DT_INT64}))
    .DATATYPE(T2, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_UINT8, DT_INT8, DT_INT16, DT_INT32, DT_INT64}))
    .DATATYPE(T3, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_UINT8, DT_INT8, DT_INT16, DT_INT32, DT_INT64}))
    .OP_END_FACTORY_REG(Gcd)

/// @brief Tells which elements are equal within an absolute and a relative tolerance.
REG_OP(IsClose)
    .INPUT(x1, TensorType({BasicType(), DT_BOOL, DT_BF16}))
    .INPUT(x2, TensorType({BasicType(), DT_BOOL, DT_BF16}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .ATTR(rtol, Float, 1e-05f)
    .ATTR(atol, Float, 1e-08f)
    .ATTR(equal_nan, Bool, false)
    .OP_END_FACTORY_REG(IsClose)

/// @brief Tells whether two tensors are equal in every element.
REG_OP(TensorEqual)
    .INPUT(input_x, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT64, DT_INT32, DT_INT8, DT_UINT8, DT_BOOL,
                                DT_BF16, DT_INT16, DT_UINT16, DT_UINT32, DT_UINT64}))
    .INPUT(input_y, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT64, DT_INT32, DT_INT8, DT_UINT8, DT_BOOL,
                                DT_BF16, DT_INT16, DT_UINT16, DT_UINT32, DT_UINT64}))
    .OUTPUT(output_z, TensorType({DT_BOOL}))
    .OP_END_FACTORY_REG(TensorEqual)

/// @brief Sums N tensors of equal shape into one buffer.
REG_OP(AccumulateNV2)
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_INT8, DT_UINT8}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_INT8, DT_UINT8}))
    .REQUIRED_ATTR(N, Int)
    .OP_END_FACTORY_REG(AccumulateNV2)

/// @brief Elementwise maximum of any number of tensors.
/// @family base
REG_OP(MaxN)
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_FLOAT64, DT_INT32, DT_INT64}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_FLOAT64, DT_INT32, DT_INT64}))
    .OP_END_FACTORY_REG(MaxN)

/// @brief Combines tensors elementwise by product, weighted sum or maximum.
REG_OP(Eltwise)
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .REQUIRED_ATTR(N, Int)
    .ATTR(mode, Int, 1)
    .ATTR(coeff, ListFloat, {})
    .OP_END_FACTORY_REG(Eltwise)

/// @brief Product of two tensors plus a third.
REG_OP(FusedMulAdd)
    .INPUT(x1, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .INPUT(x2, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .INPUT(x3, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .OP_END_FACTORY_REG(FusedMulAdd)

/// @brief Product of two tensors plus two more.
REG_OP(FusedMulAddAdd)
    .INPUT(x1, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .INPUT(x2, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .INPUT(x3, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .INPUT(x4, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32}))
    .OP_END_FACTORY_REG(FusedMulAddAdd)

/// @brief Product with a single value plus a tensor.
REG_OP(FusedMulAddN)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32, DT_INT16, DT_BF16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32, DT_INT16, DT_BF16}))
    .INPUT(x3, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32, DT_INT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT32, DT_INT16, DT_BF16}))
    .OP_END_FACTORY_REG(FusedMulAddN)

/// @brief Product with a single value plus a tensor, and half the squared norm of the first tensor.
REG_OP(FusedMulAddNL2loss)
    .INPUT(x1, TensorType::NumberType())
    .INPUT(x2, TensorType::NumberType())
    .INPUT(x3, TensorType::NumberType())
    .OUTPUT(y1, TensorType::NumberType())
    .OUTPUT(y2, TensorType::NumberType())
    .OP_END_FACTORY_REG(FusedMulAddNL2loss)

/// @brief Sums the products of N pairs of tensors.
REG_OP(MulAddn)
    .DYNAMIC_INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .DYNAMIC_INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(N, Int)
    .OP_END_FACTORY_REG(MulAddn)

/// @brief Adds blocks of channels that start at different offsets in two tensors.
REG_OP(StrideAdd)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .REQUIRED_ATTR(x1_c1_offset, Int)
    .REQUIRED_ATTR(x2_c1_offset, Int)
    .REQUIRED_ATTR(c1_len, Int)
    .OP_END_FACTORY_REG(StrideAdd)

/// @brief Adds a bias whose shape matches x from an axis on.
/// @family base
REG_OP(Bias)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .INPUT(bias, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .ATTR(axis, Int, 1)
    .ATTR(num_axes, Int, 1)
    .ATTR(bias_from_blob, Bool, true)
    .OP_END_FACTORY_REG(Bias)

/// @brief Turns sums of squares into the divisors that clipping by norm uses.
REG_OP(ClipByNormNoDivSum)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(greater_zeros, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(select_ones, TensorType({DT_FLOAT16, DT_FLOAT}))
    .INPUT(maximum_ones, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(ClipByNormNoDivSum)

}  // namespace ge

#endif
