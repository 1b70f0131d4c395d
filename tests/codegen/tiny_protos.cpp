// Invented prototypes, one feature each, for the generator's golden files.
#include "graph/operator_reg.h"

namespace ge {

REG_OP(TinyNeg).INPUT(x, TensorType::RealNumberType()).OUTPUT(y, TensorType::RealNumberType()).ATTR(k, Int, 3).OP_END_FACTORY_REG(TinyNeg)

REG_OP(TinyPair).INPUT(a, "T").INPUT(b, "T").OUTPUT(y, "T").DATATYPE(T, TensorType::ALL()).OP_END_FACTORY_REG(TinyPair)

REG_OP(TinyBiasR)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(b, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(t, Type, DT_FLOAT)
    .REQUIRED_ATTR(f, Bool)
    .OP_END_FACTORY_REG(TinyBiasR)

REG_OP(TinyOpt2)
    .OPTIONAL_INPUT(a, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(b, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(TinyOpt2)

REG_OP(TinyGen)
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(li, ListInt, {1, 2})
    .ATTR(lb, ListBool, {true})
    .ATTR(lf, ListFloat, {0.5f, 1.25f})
    .ATTR(lt, ListType, {DT_FLOAT, DT_INT8})
    .ATTR(s, String, "fast")
    .ATTR(v, Tensor, Tensor())
    .OP_END_FACTORY_REG(TinyGen)

REG_OP(TinyMix)
    .INPUT(x, TensorType({DT_FLOAT}))
    .DYNAMIC_INPUT(w, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .DYNAMIC_OUTPUT(z, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(m, ListListInt)
    .REQUIRED_ATTR(n, ListString)
    .OP_END_FACTORY_REG(TinyMix)

REG_OP(TinyCut).INPUT(x, TensorType({DT_FLOAT})).DYNAMIC_OUTPUT(y, TensorType({DT_FLOAT})).OP_END_FACTORY_REG(TinyCut)

REG_OP(TinyBr)
    .INPUT(c, TensorType({DT_BOOL}))
    .DYNAMIC_INPUT(in, TensorType::ALL())
    .DYNAMIC_OUTPUT(out, TensorType::ALL())
    .GRAPH(t)
    .DYNAMIC_GRAPH(bs)
    .OP_END_FACTORY_REG(TinyBr)

REG_OP(TinyKw)
    .INPUT(for, TensorType({DT_FLOAT}))
    .DYNAMIC_INPUT(case, TensorType({DT_FLOAT}))
    .OUTPUT(break, TensorType({DT_FLOAT}))
    .DYNAMIC_OUTPUT(if, TensorType({DT_FLOAT}))
    .ATTR(not, Int, 0)
    .OP_END_FACTORY_REG(TinyKw)

REG_OP(TinyDup).INPUT(x, TensorType({DT_FLOAT})).OUTPUT(x, TensorType({DT_FLOAT})).ATTR(x, Int, 1).OP_END_FACTORY_REG(TinyDup)

REG_OP(TinyBytes).INPUT(x, TensorType({DT_FLOAT})).OUTPUT(y, TensorType({DT_FLOAT})).REQUIRED_ATTR(b, Bytes).OP_END_FACTORY_REG(TinyBytes)

}  // namespace ge
