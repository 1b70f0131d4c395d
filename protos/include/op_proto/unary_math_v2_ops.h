// Special functions, complex parts, bits, and further forms of unary functions.
#ifndef OP_PROTO_UNARY_MATH_V2_OPS_H_
#define OP_PROTO_UNARY_MATH_V2_OPS_H_

#include "graph/operator_reg.h"

namespace ge {

/// @family math

/// @brief Modified Bessel function of order zero, scaled by exp(-|x|).
REG_OP(BesselI0e)
    .INPUT(x, TensorType({FloatingDataType, DT_BF16}))
    .OUTPUT(y, TensorType({FloatingDataType, DT_BF16}))
    .OP_END_FACTORY_REG(BesselI0e)

/// @brief Modified Bessel function of order one, scaled by exp(-|x|).
REG_OP(BesselI1e)
    .INPUT(x, TensorType({FloatingDataType, DT_BF16}))
    .OUTPUT(y, TensorType({FloatingDataType, DT_BF16}))
    .OP_END_FACTORY_REG(BesselI1e)

/// @brief Dawson's integral of x.
REG_OP(Dawsn)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OP_END_FACTORY_REG(Dawsn)

/// @brief Exponential integral of x.
REG_OP(Expint)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OP_END_FACTORY_REG(Expint)

/// @brief Fresnel cosine integral of x.
REG_OP(FresnelCos)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OP_END_FACTORY_REG(FresnelCos)

/// @brief Fresnel sine integral of x.
REG_OP(FresnelSin)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OP_END_FACTORY_REG(FresnelSin)

/// @brief Spence's function, the dilogarithm of 1 - x.
REG_OP(Spence)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OP_END_FACTORY_REG(Spence)

/// @brief Quantile of the standard normal distribution.
REG_OP(Ndtri)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OP_END_FACTORY_REG(Ndtri)

/// @brief Inverse of the error function.
/// @family nn
REG_OP(Erfinv)
    .INPUT(input_x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(output_y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OP_END_FACTORY_REG(Erfinv)

/// @brief Normalised cardinal sine sin(pi x) / (pi x), one at zero.
REG_OP(Sinc)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}))
    .OP_END_FACTORY_REG(Sinc)

/// @brief Logarithm of x / (1 - x), with x kept eps away from zero and one.
/// @family nn
REG_OP(Logit)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .ATTR(eps, Float, -1.0)
    .OP_END_FACTORY_REG(Logit)

/// @brief Step function: zero below, one above, and the given value at zero.
/// @family nn
REG_OP(Heaviside)
    .INPUT(input, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .INPUT(values, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(output, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OP_END_FACTORY_REG(Heaviside)

/// @brief Argument of a complex number; pi or zero for real ones.
REG_OP(AngleV2)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_COMPLEX64, DT_BOOL, DT_UINT8, DT_INT8, DT_INT16, DT_INT32, DT_INT64,
                          DT_BF16}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16}))
    .OP_END_FACTORY_REG(AngleV2)

/// @brief Magnitude of complex numbers.
REG_OP(ComplexAbs)
    .INPUT(x, TensorType({DT_COMPLEX32, DT_COMPLEX64, DT_COMPLEX128}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .ATTR(Tout, Type, DT_FLOAT)
    .OP_END_FACTORY_REG(ComplexAbs)

/// @brief Builds complex numbers from real and imaginary parts.
REG_OP(ComplexV2)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(ComplexV2)

/// @brief Complex conjugate of each element.
REG_OP(Conj)
    .INPUT(input, TensorType({DT_COMPLEX64, DT_COMPLEX128}))
    .OUTPUT(output, TensorType({DT_COMPLEX64, DT_COMPLEX128}))
    .OP_END_FACTORY_REG(Conj)

/// @brief Real part of each element.
REG_OP(Real)
    .INPUT(input, "TSrc")
    .OUTPUT(output, "Tout")
    .ATTR(Tout, Int, DT_FLOAT)
    .DATATYPE(TSrc, TensorType({DT_FLOAT16, DT_FLOAT, DT_COMPLEX32, DT_COMPLEX64, DT_COMPLEX128}))
    .DATATYPE(Tout, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OP_END_FACTORY_REG(Real)

/// @brief Smallest integer not below x, in the second form of the interface.
REG_OP(CeilV2)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(z, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(CeilV2)

/// @brief Tangent of x, in the second form of the interface.
REG_OP(TanV2)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(TanV2)

/// @brief Drops the fraction of x, in the second form of the interface.
REG_OP(TruncV2)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(TruncV2)

/// @brief Square of x, in the second form of the interface.
REG_OP(SquareV2)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(z, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(SquareV2)

/// @brief Flips every bit of x, in the second form of the interface.
REG_OP(InvertV2)
    .INPUT(x1, TensorType({DT_INT16, DT_UINT16}))
    .OUTPUT(y, TensorType({DT_INT16, DT_UINT16}))
    .OP_END_FACTORY_REG(InvertV2)

/// @brief Logarithm of one plus x, in the second form of the interface.
REG_OP(Log1pV2)
    .INPUT(x1, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OP_END_FACTORY_REG(Log1pV2)

/// @brief Tells which elements are minus infinity.
REG_OP(IsNegInf)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BFLOAT16}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .OP_END_FACTORY_REG(IsNegInf)

/// @brief Tells which elements are plus infinity.
REG_OP(IsPosInf)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_BFLOAT16}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .OP_END_FACTORY_REG(IsPosInf)

/// @brief Tells which elements have their sign bit set, minus zero included.
REG_OP(Signbit)
    .INPUT(x, TensorType::RealNumberType())
    .OUTPUT(y, TensorType({DT_BOOL}))
    .OP_END_FACTORY_REG(Signbit)

/// @brief Replaces NaN and infinities by given finite numbers.
REG_OP(NanToNum)
    .INPUT(x, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT}))
    .REQUIRED_ATTR(nan, Float)
    .REQUIRED_ATTR(posinf, Float)
    .REQUIRED_ATTR(neginf, Float)
    .OP_END_FACTORY_REG(NanToNum)

/// @brief Counts the bits that are set in each integer.
REG_OP(PopulationCount)
    .INPUT(x, TensorType::IntegerDataType())
    .OUTPUT(y, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(PopulationCount)

/// @brief Packs the signs of eight floating-point numbers into a byte.
REG_OP(SignBitsPack)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_UINT8}))
    .REQUIRED_ATTR(size, Int)
    .OP_END_FACTORY_REG(SignBitsPack)

/// @brief Expands packed sign bits into floating-point ones and minus ones.
REG_OP(SignBitsUnpack)
    .INPUT(x, TensorType({DT_UINT8}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(size, Int)
    .REQUIRED_ATTR(dtype, Type)
    .OP_END_FACTORY_REG(SignBitsUnpack)

/// @brief Compares with a threshold and packs eight results into a byte.
REG_OP(CompareAndBitpack)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_BOOL}))
    .INPUT(threshold, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_BOOL}))
    .OUTPUT(y, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(CompareAndBitpack)

/// @brief Converts packed 16-bit pixels of a camera into half-precision numbers.
REG_OP(AdaCast)
    .INPUT(x, "T1")
    .OUTPUT(y, "T2")
    .ATTR(pixel, Int, 65535)
    .DATATYPE(T1, TensorType({DT_UINT16}))
    .DATATYPE(T2, TensorType({DT_FLOAT16}))
    .OP_END_FACTORY_REG(AdaCast)

/// @brief Tells into which interval between sorted boundaries each element falls.
/// @family nn
REG_OP(Bucketize)
    .INPUT(x, TensorType({DT_INT32, DT_INT64, DT_DOUBLE, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_INT32, DT_INT64}))
    .REQUIRED_ATTR(boundaries, ListFloat)
    .ATTR(dtype, Type, DT_INT32)
    .ATTR(right, Bool, true)
    .OP_END_FACTORY_REG(Bucketize)

/// @brief Tells into which interval each element falls; the boundaries are an input.
/// @family nn
REG_OP(BucketizeV2)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8}))
    .INPUT(boundaries, TensorType({DT_FLOAT16, DT_FLOAT, DT_BF16, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8}))
    .OUTPUT(y, TensorType({DT_INT32, DT_INT64}))
    .ATTR(out_int32, Bool, false)
    .ATTR(right, Bool, false)
    .OP_END_FACTORY_REG(BucketizeV2)

}  // namespace ge

#endif
