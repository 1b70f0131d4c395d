// Invented prototypes, one feature each, for the generator's golden files.
#include "graph/operator_reg.h"

namespace ge {

#define TINY_FLOAT TensorType({DT_FLOAT})

REG_OP(TinyNeg)
    .INPUT(x, TensorType::RealNumberType())
    .OUTPUT(y, TensorType::RealNumberType())
    .ATTR(k, Int, 3)
    .OP_END_FACTORY_REG(TinyNeg) OP_TRAITS(TinyNeg, GE_TRAIT_PURE | GE_TRAIT_FOLDABLE);

REG_OP(TinyPair).INPUT(a, "T").INPUT(b, "T").OUTPUT(y, "T").DATATYPE(T, TensorType::ALL()).OP_END_FACTORY_REG(TinyPair)

REG_OP(TinyBias).INPUT(x, TINY_FLOAT).OPTIONAL_INPUT(b, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).OP_END_FACTORY_REG(TinyBias)

REG_OP(TinyBiasR)
    .INPUT(x, TINY_FLOAT)
    .OPTIONAL_INPUT(b, TINY_FLOAT)
    .OUTPUT(y, TINY_FLOAT)
    .ATTR(t, Type, DT_FLOAT)
    .REQUIRED_ATTR(f, Bool)
    .OP_END_FACTORY_REG(TinyBiasR)

REG_OP(TinyOpt2).OPTIONAL_INPUT(a, TINY_FLOAT).OPTIONAL_INPUT(b, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).OP_END_FACTORY_REG(TinyOpt2)

REG_OP(TinyOpt1R).OPTIONAL_INPUT(a, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).REQUIRED_ATTR(f, Bool).OP_END_FACTORY_REG(TinyOpt1R)

// A required input after optional ones: none of them has a default.
REG_OP(TinyGap)
    .OPTIONAL_INPUT(a, TINY_FLOAT)
    .OPTIONAL_INPUT(b, TINY_FLOAT)
    .INPUT(c, TINY_FLOAT)
    .OUTPUT(y, TINY_FLOAT)
    .OP_END_FACTORY_REG(TinyGap)

REG_OP(TinyGen)
    .OUTPUT(y, TINY_FLOAT)
    .ATTR(li, ListInt, {1, 2})
    .ATTR(lb, ListBool, {true})
    .OP_END_FACTORY_REG(TinyGen)

REG_OP(TinyCat).DYNAMIC_INPUT(x, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).REQUIRED_ATTR(axis, Int).OP_END_FACTORY_REG(TinyCat)

REG_OP(TinyCut).INPUT(x, TINY_FLOAT).DYNAMIC_OUTPUT(y, TINY_FLOAT).OP_END_FACTORY_REG(TinyCut)

REG_OP(TinyMix)
    .INPUT(x, TINY_FLOAT)
    .DYNAMIC_INPUT(w, TINY_FLOAT)
    .OUTPUT(y, TINY_FLOAT)
    .DYNAMIC_OUTPUT(z, TINY_FLOAT)
    .OUTPUT(s, TINY_FLOAT)
    .ATTR(v, Tensor, Tensor())
    .OP_END_FACTORY_REG(TinyMix)

REG_OP(TinyBr)
    .INPUT(c, TensorType({DT_BOOL}))
    .DYNAMIC_INPUT(in, TensorType::ALL())
    .DYNAMIC_OUTPUT(out, TensorType::ALL())
    .GRAPH(t)
    .DYNAMIC_GRAPH(bs)
    .OP_END_FACTORY_REG(TinyBr)

REG_OP(TinyLst).INPUT(x, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).REQUIRED_ATTR(m, ListListInt).REQUIRED_ATTR(s, ListString).OP_END_FACTORY_REG(TinyLst)

REG_OP(TinyKw)
    .INPUT(for, TINY_FLOAT)
    .DYNAMIC_INPUT(case, TINY_FLOAT)
    .OUTPUT(break, TINY_FLOAT)
    .DYNAMIC_OUTPUT(if, TINY_FLOAT)
    .GRAPH(or)
    .ATTR(not, Int, 0)
    .OP_END_FACTORY_REG(TinyKw)

REG_OP(TinyDup).INPUT(x, TINY_FLOAT).DYNAMIC_OUTPUT(x, TINY_FLOAT).ATTR(x, Int, 1).OP_END_FACTORY_REG(TinyDup)

// Two runs of dynamic ports among single ones.
REG_OP(TinyRuns)
    .DYNAMIC_INPUT(a, TINY_FLOAT)
    .INPUT(b, TINY_FLOAT)
    .DYNAMIC_INPUT(c, TINY_FLOAT)
    .DYNAMIC_OUTPUT(p, TINY_FLOAT)
    .OUTPUT(q, TINY_FLOAT)
    .DYNAMIC_OUTPUT(r, TINY_FLOAT)
    .OP_END_FACTORY_REG(TinyRuns)

// No output: the result stands for the node.
REG_OP(TinySink).INPUT(x, TINY_FLOAT).OP_END_FACTORY_REG(TinySink)

// A subgraph without dynamic ports.
REG_OP(TinyBody).INPUT(x, TINY_FLOAT).OPTIONAL_INPUT(b, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).GRAPH(body).OP_END_FACTORY_REG(TinyBody)

// Every attribute type, required.
REG_OP(TinyMust)
    .INPUT(x, TINY_FLOAT)
    .OUTPUT(y, TINY_FLOAT)
    .REQUIRED_ATTR(i, Int)
    .REQUIRED_ATTR(f, Float)
    .REQUIRED_ATTR(b, Bool)
    .REQUIRED_ATTR(s, String)
    .REQUIRED_ATTR(t, Type)
    .REQUIRED_ATTR(v, Tensor)
    .REQUIRED_ATTR(li, ListInt)
    .REQUIRED_ATTR(lf, ListFloat)
    .REQUIRED_ATTR(lb, ListBool)
    .REQUIRED_ATTR(lt, ListType)
    .REQUIRED_ATTR(lli, ListListInt)
    .REQUIRED_ATTR(ls, ListString)
    .OP_END_FACTORY_REG(TinyMust)

// Every attribute type, with a default, mixed with required ones; defaults that are hard to write down.
REG_OP(TinyMay)
    .INPUT(x, TINY_FLOAT)
    .OUTPUT(y, TINY_FLOAT)
    .ATTR(i, Int, INT64_MIN)
    .ATTR(f, Float, 1e-8f)
    .REQUIRED_ATTR(must, Int)
    .ATTR(b, Bool, true)
    .ATTR(s, String, "a \"quoted\" \\ text\n /* ?\?/ */")
    .ATTR(t, Type, DT_INT64)
    .ATTR(v, Tensor, Tensor())
    .ATTR(li, ListInt, {10, -20})
    .ATTR(lf, ListFloat, {0.1f, 0.2f})
    .ATTR(lb, ListBool, {false, true})
    .ATTR(lt, ListType, {DT_FLOAT, DT_INT8})
    .ATTR(lli, ListListInt, {{1, 2}, {}, {3}})
    .ATTR(ls, ListString, {"a", "b"})
    .ATTR(none, ListInt, {})
    .ATTR(big, Float, std::numeric_limits<float>::infinity())
    .OP_END_FACTORY_REG(TinyMay)

// Words that only some of the languages reserve, and names that would meet one another.
REG_OP(TinyWords)
    .INPUT(restrict, TINY_FLOAT)
    .OPTIONAL_INPUT(lambda, TINY_FLOAT)
    .OPTIONAL_INPUT(owner_builder, TINY_FLOAT)
    .DYNAMIC_OUTPUT(default, TINY_FLOAT)
    .OUTPUT(self, TINY_FLOAT)
    .ATTR(len, ListInt, {})
    .ATTR(default_num, Int, 0)
    .ATTR(out_default_num, Int, 0)
    .ATTR(len_num, Int, 0)
    .OP_END_FACTORY_REG(TinyWords)

// A keyword of Python alone as an output, and the names that generated code uses for itself.
REG_OP(TinyLocals)
    .INPUT(builder, TINY_FLOAT)
    .INPUT(out, TINY_FLOAT)
    .INPUT(es_out_, TINY_FLOAT)
    .OPTIONAL_INPUT(es_builder_, TINY_FLOAT)
    .OUTPUT(lambda, TINY_FLOAT)
    .OUTPUT(es_call_, TINY_FLOAT)
    .DYNAMIC_OUTPUT(from, TINY_FLOAT)
    .ATTR(int64_t, Int, 0)
    .ATTR(es_attrs_, ListInt, {})
    .OP_END_FACTORY_REG(TinyLocals)

// Names of functions and types that generated code uses.
REG_OP(TinyHelpers)
    .INPUT(ResolveBuilder, TINY_FLOAT)
    .DYNAMIC_INPUT(TensorsToEsCTensorHolders, TINY_FLOAT)
    .INPUT(_es_builder, TINY_FLOAT)
    .OUTPUT(GeEsAddNode, TINY_FLOAT)
    .DYNAMIC_OUTPUT(_v, TINY_FLOAT)
    .ATTR(EsTinyHelpers, Int, 0)
    .ATTR(kSchema_TinyHelpers, Int, 0)
    .ATTR(_EsTinyHelpers, Int, 0)
    .ATTR(C_DataType, Type, DT_FLOAT)
    .ATTR(_len, ListInt, {1})
    .ATTR(__debug__, Bool, false)
    .OP_END_FACTORY_REG(TinyHelpers)

// Types without wrappers.
REG_OP(TinyBytes).INPUT(x, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).REQUIRED_ATTR(b, Bytes).OP_END_FACTORY_REG(TinyBytes)
REG_OP(TinyTensors).INPUT(x, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).REQUIRED_ATTR(b, ListTensor).OP_END_FACTORY_REG(TinyTensors)
REG_OP(Variable).INPUT(x, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).OP_END_FACTORY_REG(Variable)
REG_OP(Enter).INPUT(x, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).OP_END_FACTORY_REG(Enter)
REG_OP(Data).INPUT(x, TINY_FLOAT).OUTPUT(y, TINY_FLOAT).OP_END_FACTORY_REG(Data)

}  // namespace ge
