// Every way in which a prototype may be written, as invented operators. The file is read twice: with the header that
// programs use and with the library's own table macros; both must record the same.
// How the text is laid out is what is tested.
// clang-format off
#include "graph/operator_reg.h"

#define FORM_TYPES TensorType({DT_FLOAT, DT_INT8})
#define FORM_ONE_MORE DT_BOOL

namespace ge {

REG_OP(FormComments)  // behind the name
    /* before an item */ .INPUT(x, /* inside an item */ TensorType({DT_FLOAT,  // behind a type
                                                                   DT_INT32}))
    // between items
    .OPTIONAL_INPUT(y, TensorType({ DT_FLOAT16 ,DT_BF16 }))  // .INPUT(not_me, TensorType({DT_FLOAT}))
    /* .ATTR(not_me_either, Int, 1) */
    .OUTPUT(z, TensorType({DT_FLOAT})) /* the end */
    .OP_END_FACTORY_REG(FormComments)

REG_OP(FormMacros)
    .INPUT(x, FORM_TYPES)
    .INPUT(y, TensorType({DT_FLOAT, FORM_ONE_MORE}))
    .OUTPUT(z, FORM_TYPES)
    .OP_END_FACTORY_REG(FormMacros)

REG_OP(FormSets)
    .INPUT(a, TensorType::ALL())
    .INPUT(b, TensorType::QuantifiedType())
    .INPUT(c, TensorType::OrdinaryType())
    .INPUT(d, TensorType::BasicType())
    .INPUT(e, TensorType::NumberType())
    .INPUT(f, TensorType::RealNumberType())
    .INPUT(g, TensorType::ComplexDataType())
    .INPUT(h, TensorType::IntegerDataType())
    .INPUT(i, TensorType::SignedDataType())
    .INPUT(j, TensorType::UnsignedDataType())
    .INPUT(k, TensorType::FloatingDataType())
    .INPUT(l, TensorType::IndexNumberType())
    .INPUT(m, TensorType::UnaryDataType())
    .INPUT(n, TensorType::FLOAT())
    .INPUT(o, DT_INT32)
    .INPUT(p, ge::TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType(DT_FLOAT))
    .OP_END_FACTORY_REG(FormSets)

REG_OP(FormSymbols)
    .INPUT(a, T)
    .DYNAMIC_INPUT(b, "TList")
    .OUTPUT(y, "TOut")
    .DATATYPE(T, TensorType({DT_FLOAT, DT_INT32}))
    .DATATYPE(TList, ListTensorType({DT_FLOAT}))
    .DATATYPE(TOut, Promote({"T", "TList"}))
    .OP_END_FACTORY_REG(FormSymbols)

REG_OP(FormDefaults)
    .ATTR(i, Int, -7)
    .ATTR(hex, Int, 0x10)
    .ATTR(of_type, Int, DT_INT8)
    .ATTR(f, Float, 0.5)
    .ATTR(from_int, Float, 2)
    .ATTR(small, Float, 1e-6f)
    .ATTR(b, Bool, true)
    .ATTR(s, String, "a, (b) \"c\"")
    .ATTR(t, Type, DT_BF16)
    .ATTR(tensor, Tensor, Tensor())
    .ATTR(li, ListInt, {1, -2, 3})
    .ATTR(none, ListInt, {})
    .ATTR(shape, ListInt, UNKNOWN_SHAPE)
    .ATTR(lf, ListFloat, {1.f / 4, 0.5})
    .ATTR(lb, ListBool, {true, false})
    .ATTR(ls, ListString, {"x", "y,z"})
    .ATTR(lt, ListType, {DT_FLOAT, DT_INT64})
    .ATTR(lli, ListListInt, {{1, 2}, {}})
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(FormDefaults)

REG_OP(FormRequired)
    .REQUIRED_ATTR(i, Int)
    .REQUIRED_ATTR(f, Float)
    .REQUIRED_ATTR(b, Bool)
    .REQUIRED_ATTR(s, String)
    .REQUIRED_ATTR(t, Type)
    .REQUIRED_ATTR(tensor, Tensor)
    .REQUIRED_ATTR(li, ListInt)
    .REQUIRED_ATTR(lf, ListFloat)
    .REQUIRED_ATTR(lb, ListBool)
    .REQUIRED_ATTR(ls, ListString)
    .REQUIRED_ATTR(lt, ListType)
    .REQUIRED_ATTR(lli, ListListInt)
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(FormRequired);

// A semicolon may follow, or not; the next prototype may stand on the same line; the order of kinds is free.
REG_OP(FormOrder).ATTR(k, Int, 1).OUTPUT(y, T).INPUT(x, T).REQUIRED_ATTR(r, Int).INPUT(w, T).INFER_SHAPE_AND_TYPE().OP_END_FACTORY_REG(FormOrder) REG_OP(FormNothing).OP_END_FACTORY_REG(FormNothing);

REG_OP(FormGraphs)
    .DYNAMIC_INPUT(in, TensorType::ALL())
    .DYNAMIC_OUTPUT(out, TensorType::ALL())
    .GRAPH(cond)
    .DYNAMIC_GRAPH(branches)
    .OP_END_FACTORY_REG(FormGraphs)

// Names are taken as they stand, keywords included, and may repeat among inputs, outputs and attributes.
REG_OP(FormNames)
    .INPUT(for, TensorType({DT_FLOAT}))
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(class, TensorType({DT_FLOAT}))
    .ATTR(x, Int, 1)
    .ATTR(not, Bool, false)
    .OP_END_FACTORY_REG(FormNames)

REG_FOR_ESB(FormGraphs).DynamicOutputNum("out", "in_num").InferableAttr("N", "in_num");

}  // namespace ge
