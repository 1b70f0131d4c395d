// Checks, summaries, waiting and what devices report.
#ifndef OP_PROTO_DEBUG_OPS_H_
#define OP_PROTO_DEBUG_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_OP_TRAITS  // the library reads it: ge/op_traits.h
#define BUILTIN_OP_TRAITS(type, ...)
#endif

namespace ge {

/// @family math

/// @brief Stops the run and prints the data when the condition is false.
/// @family nn
REG_OP(Assert)
    .INPUT(input_condition, TensorType({DT_BOOL}))
    .DYNAMIC_INPUT(input_data, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32,
                                           DT_INT64, DT_UINT32, DT_UINT64, DT_BOOL, DT_DOUBLE, DT_STRING}))
    .ATTR(summarize, Int, 3)
    .OP_END_FACTORY_REG(Assert)
BUILTIN_OP_TRAITS(Assert, GE_TRAIT_EFFECT)

/// @brief Passes x on and fails with a message when it holds NaN or infinity.
/// @family base
REG_OP(CheckNumerics)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE}))
    .REQUIRED_ATTR(message, String)
    .OP_END_FACTORY_REG(CheckNumerics)
BUILTIN_OP_TRAITS(CheckNumerics, GE_TRAIT_EFFECT)

/// @brief Passes x on and fails when a gradient is asked through it.
/// @family base
REG_OP(PreventGradient)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(message, String, "")
    .OP_END_FACTORY_REG(PreventGradient)
BUILTIN_OP_TRAITS(PreventGradient,
                  GE_TRAIT_PURE | GE_TRAIT_FOLDABLE | GE_TRAIT_VIEW | GE_TRAIT_ELEMENTWISE | GE_TRAIT_LAYOUT_AGNOSTIC)

/// @brief Consumes a tensor for display; it computes nothing.
/// @family base
REG_OP(Summary)
    .INPUT(x, TensorType::ALL())
    .OP_END_FACTORY_REG(Summary)
BUILTIN_OP_TRAITS(Summary, GE_TRAIT_EFFECT)

/// @brief Computes a hash of each row of data by the named method.
/// @family base
REG_OP(Fingerprint)
    .INPUT(data, TensorType({DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                             DT_UINT32, DT_INT64, DT_UINT64, DT_BOOL}))
    .INPUT(method, TensorType({DT_STRING}))
    .OUTPUT(y, TensorType({DT_UINT8}))
    .OP_END_FACTORY_REG(Fingerprint)

/// @brief Counts how many elements of two tensors differ by more than a tolerance.
REG_OP(DataCompare)
    .INPUT(x1, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_INT8, DT_UINT8, DT_INT32}))
    .INPUT(x2, TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_INT8, DT_UINT8, DT_INT32}))
    .OUTPUT(num, TensorType({DT_FLOAT}))
    .ATTR(atol, Float, 1e-5f)
    .ATTR(rtol, Float, 1e-3f)
    .OP_END_FACTORY_REG(DataCompare)

/// @brief Allocates the status words in which a device reports floating-point overflow.
/// @family nn
REG_OP(NPUAllocFloatStatus)
    .OUTPUT(data, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(NPUAllocFloatStatus)
BUILTIN_OP_TRAITS(NPUAllocFloatStatus, GE_TRAIT_EFFECT)

/// @brief Sets a flag when any tensor of a list holds NaN or infinity.
REG_OP(NonFiniteCheck)
    .DYNAMIC_INPUT(tensor_list, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT}))
    .OUTPUT(found_flag, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(NonFiniteCheck)

/// @brief Hints the cache to prefetch, write back or drop the memory of src.
/// @family nn
REG_OP(Cmo)
    .INPUT(src, TensorType::NumberType())
    .REQUIRED_ATTR(max_size, Int)
    .ATTR(type, Int, 6)
    .ATTR(offset, Int, 0)
    .OP_END_FACTORY_REG(Cmo)
BUILTIN_OP_TRAITS(Cmo, GE_TRAIT_EFFECT)

/// @brief Keeps the device busy for a number of cycles.
/// @family nn
REG_OP(Sleep)
    .INPUT(cycles, TensorType({DT_INT64}))
    .OP_END_FACTORY_REG(Sleep)
BUILTIN_OP_TRAITS(Sleep, GE_TRAIT_EFFECT)

/// @brief Reads from the inputs the extents that are marked dynamic in shape_info.
REG_OP(GetDynamicDims)
    .DYNAMIC_INPUT(input, TensorType({DT_INT32, DT_INT64}))
    .OUTPUT(dims, TensorType({DT_INT32, DT_INT64}))
    .REQUIRED_ATTR(shape_info, ListInt)
    .REQUIRED_ATTR(N, Int)
    .OP_END_FACTORY_REG(GetDynamicDims)

/// @brief Sample operator of the vector engine: adds two tensors of equal shape.
REG_OP(AddExample)
    .INPUT(x1, TensorType({DT_FLOAT, DT_INT32}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_INT32}))
    .OP_END_FACTORY_REG(AddExample)

/// @brief Sample operator of the CPU engine of a device: adds two tensors of equal shape.
REG_OP(AddExampleAicpu)
    .INPUT(x1, TensorType({DT_FLOAT, DT_INT32}))
    .INPUT(x2, TensorType({DT_FLOAT, DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_INT32}))
    .OP_END_FACTORY_REG(AddExampleAicpu)

/// @brief Sample operator written with the C interface: adds two tensors of equal shape.
REG_OP(AddExampleCApi)
    .INPUT(x1, TensorType({DT_FLOAT}))
    .INPUT(x2, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(AddExampleCApi)

/// @brief Writes x to another buffer without changing its values.
REG_OP(TensorRedirect)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT8, DT_INT32, DT_UINT8, DT_INT64, DT_INT16, DT_UINT16, DT_UINT64,
                          DT_UINT32, DT_BF16}))
    .OUTPUT(output_x, TensorType({DT_FLOAT16, DT_FLOAT, DT_INT8, DT_INT32, DT_UINT8, DT_INT64, DT_INT16, DT_UINT16,
                                  DT_UINT64, DT_UINT32, DT_BF16}))
    .OP_END_FACTORY_REG(TensorRedirect)
BUILTIN_OP_TRAITS(TensorRedirect,
                  GE_TRAIT_PURE | GE_TRAIT_FOLDABLE | GE_TRAIT_VIEW | GE_TRAIT_ELEMENTWISE | GE_TRAIT_LAYOUT_AGNOSTIC)

}  // namespace ge

#endif
