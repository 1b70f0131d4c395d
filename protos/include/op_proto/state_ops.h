// Variables, resources, placeholders and files of values.
#ifndef OP_PROTO_STATE_OPS_H_
#define OP_PROTO_STATE_OPS_H_

#include "graph/operator_reg.h"

#ifndef BUILTIN_OP_TRAITS  // the library reads it: ge/op_traits.h
#define BUILTIN_OP_TRAITS(type, ...)
#endif

namespace ge {

/// @family base

/// @brief Writes value into the variable ref and returns the variable.
/// @family math
REG_OP(Assign)
    .INPUT(ref, TensorType({BasicType(), DT_BOOL, DT_STRING}))
    .INPUT(value, TensorType({BasicType(), DT_BOOL, DT_STRING}))
    .OUTPUT(ref, TensorType({BasicType(), DT_BOOL, DT_STRING}))
    .ATTR(validate_shape, Bool, true)
    .ATTR(use_locking, Bool, false)
    .OP_END_FACTORY_REG(Assign)
BUILTIN_OP_TRAITS(Assign, GE_TRAIT_EFFECT)

/// @brief Adds value to the variable ref and returns the variable.
/// @family math
REG_OP(AssignAdd)
    .INPUT(ref, TensorType::BasicType())
    .INPUT(value, TensorType::BasicType())
    .OUTPUT(ref, TensorType::BasicType())
    .ATTR(use_locking, Bool, false)
    .OP_END_FACTORY_REG(AssignAdd)
BUILTIN_OP_TRAITS(AssignAdd, GE_TRAIT_EFFECT)

/// @brief Subtracts value from the variable var and returns the variable.
/// @family math
REG_OP(AssignSub)
    .INPUT(var, TensorType::NumberType())
    .INPUT(value, TensorType::NumberType())
    .OUTPUT(var, TensorType::NumberType())
    .ATTR(use_locking, Bool, false)
    .OP_END_FACTORY_REG(AssignSub)
BUILTIN_OP_TRAITS(AssignSub, GE_TRAIT_EFFECT)

/// @brief Stores a value in the variable that a resource handle names.
REG_OP(AssignVariableOp)
    .INPUT(resource, TensorType({DT_RESOURCE}))
    .INPUT(value, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64,
                              DT_BOOL, DT_DOUBLE}))
    .REQUIRED_ATTR(dtype, Type)
    .OP_END_FACTORY_REG(AssignVariableOp)
BUILTIN_OP_TRAITS(AssignVariableOp, GE_TRAIT_EFFECT)

/// @brief Reads the current value of the variable that a resource handle names.
REG_OP(ReadVariableOp)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(dtype, Int, DT_INT32)
    .OP_END_FACTORY_REG(ReadVariableOp)
BUILTIN_OP_TRAITS(ReadVariableOp, GE_TRAIT_EFFECT)

/// @brief Makes the resource handle of a variable of the given type and shape.
REG_OP(VarHandleOp)
    .OUTPUT(y, TensorType({DT_RESOURCE}))
    .ATTR(container, String, "")
    .ATTR(shared_name, String, "")
    .REQUIRED_ATTR(dtype, Type)
    .ATTR(shape, ListInt, ge::UNKNOWN_SHAPE)
    .OP_END_FACTORY_REG(VarHandleOp)
BUILTIN_OP_TRAITS(VarHandleOp, GE_TRAIT_EFFECT)

/// @brief Tells whether the variable of a resource handle has a value yet.
REG_OP(VarIsInitializedOp)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64, DT_UINT32,
                          DT_UINT64, DT_BOOL, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_BOOL}))
    .OP_END_FACTORY_REG(VarIsInitializedOp)
BUILTIN_OP_TRAITS(VarIsInitializedOp, GE_TRAIT_EFFECT)

/// @brief A variable that keeps its value between runs, identified by container and shared name.
REG_OP(VariableV2)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64, DT_UINT32,
                          DT_UINT64, DT_BOOL, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64, DT_UINT32,
                           DT_UINT64, DT_BOOL, DT_DOUBLE}))
    .ATTR(index, Int, 0)
    .ATTR(value, Tensor, Tensor())
    .ATTR(container, String, "")
    .ATTR(shared_name, String, "")
    .OP_END_FACTORY_REG(VariableV2)
BUILTIN_OP_TRAITS(VariableV2, GE_TRAIT_EFFECT)

/// @brief A constant whose bytes lie at a given device address and are not copied into the graph.
REG_OP(ConstPlaceHolder)
    .OUTPUT(y, TensorType::ALL())
    .REQUIRED_ATTR(origin_shape, ListInt)
    .REQUIRED_ATTR(origin_format, Int)
    .REQUIRED_ATTR(storage_shape, ListInt)
    .REQUIRED_ATTR(storage_format, Int)
    .REQUIRED_ATTR(expand_dim_rules, String)
    .REQUIRED_ATTR(dtype, Type)
    .REQUIRED_ATTR(addr, Int)
    .REQUIRED_ATTR(size, Int)
    .ATTR(placement, Int, 1)
    .OP_END_FACTORY_REG(ConstPlaceHolder)

/// @brief A constant whose bytes are read from a file when the model is loaded.
REG_OP(FileConstant)
    .OUTPUT(y, TensorType::ALL())
    .ATTR(file_path, String, "")
    .ATTR(file_id, String, "")
    .REQUIRED_ATTR(shape, ListInt)
    .REQUIRED_ATTR(dtype, Type)
    .OP_END_FACTORY_REG(FileConstant)

/// @brief Stands in a partition for a tensor that another partition produces.
REG_OP(PlaceHolder)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(peerIndex, Int, 0)
    .ATTR(parentId, String, "")
    .ATTR(parentOpType, String, "")
    .ATTR(anchorIndex, Int, 0)
    .OP_END_FACTORY_REG(PlaceHolder)

/// @brief Marks in a partition a tensor that another partition consumes.
REG_OP(End)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(peerIndex, Int, 0)
    .ATTR(parentOpType, String, "")
    .OP_END_FACTORY_REG(End)

/// @brief Passes on the fed value, or x when nothing is fed.
REG_OP(PlaceholderWithDefault)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .REQUIRED_ATTR(shape, ListInt)
    .OP_END_FACTORY_REG(PlaceholderWithDefault)
BUILTIN_OP_TRAITS(PlaceholderWithDefault, GE_TRAIT_PURE | GE_TRAIT_FOLDABLE | GE_TRAIT_VIEW)

/// @brief A graph input that takes its tensors from a named queue.
REG_OP(QueueData)
    .OUTPUT(y, TensorType({DT_UINT8}))
    .ATTR(index, Int, 0)
    .ATTR(queue_name, String, "")
    .ATTR(output_types, ListType, {})
    .ATTR(output_shapes, ListListInt, {{}, {}})
    .OP_END_FACTORY_REG(QueueData)
BUILTIN_OP_TRAITS(QueueData, GE_TRAIT_RANDOM) // another element at each run; an unread one may go

/// @brief Creates an array of tensors that can be written and read by index.
REG_OP(TensorArray)
    .INPUT(size, TensorType({DT_INT32}))
    .OUTPUT(handle, TensorType({DT_RESOURCE}))
    .OUTPUT(flow, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(dtype, Type)
    .ATTR(element_shape, ListInt, ge::UNKNOWN_RANK)
    .ATTR(dynamic_size, Bool, false)
    .ATTR(clear_after_read, Bool, true)
    .ATTR(identical_element_shapes, Bool, false)
    .ATTR(tensor_array_name, String, "")
    .OP_END_FACTORY_REG(TensorArray)
BUILTIN_OP_TRAITS(TensorArray, GE_TRAIT_EFFECT)

/// @brief Writes one tensor at an index of a tensor array.
REG_OP(TensorArrayWrite)
    .INPUT(handle, TensorType({DT_RESOURCE}))
    .INPUT(index, TensorType({DT_INT32}))
    .INPUT(value, TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32,
                              DT_INT64, DT_BOOL, DT_STRING, DT_COMPLEX64, DT_COMPLEX128}))
    .INPUT(flow_in, TensorType({DT_FLOAT}))
    .OUTPUT(flow_out, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(TensorArrayWrite)
BUILTIN_OP_TRAITS(TensorArrayWrite, GE_TRAIT_EFFECT)

/// @brief Passes x on and promises that it never changes from run to run.
REG_OP(GuaranteeConst)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(GuaranteeConst)
BUILTIN_OP_TRAITS(GuaranteeConst,
                  GE_TRAIT_PURE | GE_TRAIT_FOLDABLE | GE_TRAIT_VIEW | GE_TRAIT_ELEMENTWISE | GE_TRAIT_LAYOUT_AGNOSTIC)

/// @brief Copies x, so that later changes of x do not show in the copy.
REG_OP(Snapshot)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64, DT_UINT32,
                          DT_UINT64, DT_BOOL, DT_DOUBLE, DT_STRING}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64, DT_UINT32,
                           DT_UINT64, DT_BOOL, DT_DOUBLE, DT_STRING}))
    .OP_END_FACTORY_REG(Snapshot)
BUILTIN_OP_TRAITS(Snapshot,
                  GE_TRAIT_PURE | GE_TRAIT_FOLDABLE | GE_TRAIT_VIEW | GE_TRAIT_ELEMENTWISE | GE_TRAIT_LAYOUT_AGNOSTIC)

/// @brief Allocates the uninitialised result that parallel concatenation fills piece by piece.
REG_OP(_ParallelConcatStart)
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64, DT_UINT32,
                           DT_UINT64, DT_BOOL, DT_DOUBLE}))
    .ATTR(dtype, Type, DT_INT32)
    .ATTR(shape, ListInt, {})
    .OP_END_FACTORY_REG(_ParallelConcatStart)

/// @brief Allocates a tensor of a given shape, filled with zeros when init is set.
/// @family nn
REG_OP(Empty)
    .INPUT(shape, TensorType({DT_INT32}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_INT16, DT_UINT16, DT_UINT8, DT_INT32, DT_INT64, DT_UINT32,
                           DT_UINT64, DT_BOOL, DT_DOUBLE, DT_BF16, DT_STRING, DT_COMPLEX64, DT_COMPLEX128}))
    .ATTR(dtype, Int, DT_INT32)
    .ATTR(init, Bool, false)
    .OP_END_FACTORY_REG(Empty)

/// @brief Fills pieces of memory of given sizes with given values.
/// @family math
REG_OP(MemSet)
    .REQUIRED_ATTR(sizes, ListInt)
    .ATTR(dtypes, ListType, {})
    .ATTR(values_int, ListInt, {})
    .ATTR(values_float, ListFloat, {})
    .OP_END_FACTORY_REG(MemSet)
BUILTIN_OP_TRAITS(MemSet, GE_TRAIT_EFFECT)

/// @brief Fills existing tensors in place, each with a value of its own.
/// @family math
REG_OP(MemSetV2)
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8,
                                  DT_UINT16, DT_UINT32, DT_UINT64, DT_BOOL}))
    .DYNAMIC_OUTPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8,
                                   DT_UINT16, DT_UINT32, DT_UINT64, DT_BOOL}))
    .ATTR(values_int, ListInt, {})
    .ATTR(values_float, ListFloat, {})
    .OP_END_FACTORY_REG(MemSetV2)
BUILTIN_OP_TRAITS(MemSetV2, GE_TRAIT_EFFECT)

/// @brief Hands one tensor on to N consumers, each with a copy of its own.
REG_OP(Copy)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_UINT32, DT_INT64,
                          DT_UINT64}))
    .DYNAMIC_OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16, DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_INT32, DT_UINT32,
                                   DT_INT64, DT_UINT64}))
    .REQUIRED_ATTR(N, Int)
    .OP_END_FACTORY_REG(Copy)

}  // namespace ge

#endif
