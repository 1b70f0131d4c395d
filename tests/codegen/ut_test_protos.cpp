// The prototypes of module ut_test: one call form of Python wrappers each, and operators with the names of types and
// helpers that generated Python uses itself.
#include "graph/operator_reg.h"

namespace ge {

REG_OP(Add)
    .INPUT(x1, "T")
    .INPUT(x2, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType::ALL())
    .OP_END_FACTORY_REG(Add)

        REG_OP(Const)
    .OUTPUT(y, TensorType::ALL())
    .ATTR(value, Tensor, Tensor())
    .OP_END_FACTORY_REG(Const)

        REG_OP(While)
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .GRAPH(cond)
    .GRAPH(body)
    .ATTR(parallel_iterations, Int, 10)
    .OP_END_FACTORY_REG(While)

        REG_OP(phony_1i_1o)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(index, Int, 0)
    .OP_END_FACTORY_REG(phony_1i_1o)

        REG_OP(phony_1i1dyi_1o)
    .INPUT(x, TensorType::ALL())
    .DYNAMIC_INPUT(dx, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(phony_1i1dyi_1o)

        REG_OP(phony_1opi_1o)
    .OPTIONAL_INPUT(x1, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .ATTR(flag, Bool, true)
    .OP_END_FACTORY_REG(phony_1opi_1o)

        REG_OP(phony_3opi_1o)
    .OPTIONAL_INPUT(x1, TensorType::ALL())
    .OPTIONAL_INPUT(x2, TensorType::ALL())
    .OPTIONAL_INPUT(x3, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(phony_3opi_1o)

        REG_OP(phony_If)
    .INPUT(cond, TensorType::ALL())
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .GRAPH(then_branch)
    .GRAPH(else_branch)
    .OP_END_FACTORY_REG(phony_If)

        REG_OP(phony_req_attrs)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .REQUIRED_ATTR(req_data_type, Type)
    .REQUIRED_ATTR(req_list_data_type, ListType)
    .REQUIRED_ATTR(req_list_list_int, ListListInt)
    .REQUIRED_ATTR(req_tensor, Tensor)
    .REQUIRED_ATTR(req_list_string, ListString)
    .OP_END_FACTORY_REG(phony_req_attrs)

// Two inputs, a list, two outputs: annotations and bodies of these use most of what the names below hide.
#define NAMED(name)                            \
  REG_OP(name)                                 \
      .INPUT(a, TensorType::ALL())             \
      .INPUT(b, TensorType::ALL())             \
      .OUTPUT(y, TensorType::ALL())            \
      .DYNAMIC_OUTPUT(z, TensorType::ALL())    \
      .ATTR(li, ListInt, {1, 2})               \
      .ATTR(lt, ListType, {DT_FLOAT, DT_BOOL}) \
      .ATTR(s, String, "text")                 \
      .OP_END_FACTORY_REG(name)

        NAMED(List) NAMED(Optional) NAMED(Union) NAMED(Dict) NAMED(Any) NAMED(Graph) NAMED(Tensor) NAMED(DataType)
            NAMED(Format) NAMED(ctypes) NAMED(os) NAMED(len) NAMED(list) NAMED(dict) NAMED(str) NAMED(getattr)
                NAMED(globals) NAMED(TypeError) NAMED(OverflowError) NAMED(ImportError) NAMED(resolve_builder)
                    NAMED(convert_to_tensor_holder) NAMED(get_generated_lib) NAMED(EsCTensorHolderPtr)

}  // namespace ge
