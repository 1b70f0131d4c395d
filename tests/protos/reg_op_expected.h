// What has to be recorded of each prototype in reg_op_forms.h.
#pragma once

struct ExpectedForm {
  const char *type, *text;
};

inline constexpr ExpectedForm kExpectedForms[] = {
    {"FormComments",
     "in x TensorType({DT_FLOAT, DT_INT32})\nin y? TensorType({ DT_FLOAT16 ,DT_BF16 })\nout z "
     "TensorType({DT_FLOAT})\n"},
    {"FormMacros", "in x FORM_TYPES\nin y TensorType({DT_FLOAT, FORM_ONE_MORE})\nout z FORM_TYPES\n"},
    {"FormSets",
     "in a TensorType::ALL()\nin b TensorType::QuantifiedType()\nin c TensorType::OrdinaryType()\n"
     "in d TensorType::BasicType()\nin e TensorType::NumberType()\nin f TensorType::RealNumberType()\n"
     "in g TensorType::ComplexDataType()\nin h TensorType::IntegerDataType()\nin i TensorType::SignedDataType()\n"
     "in j TensorType::UnsignedDataType()\nin k TensorType::FloatingDataType()\nin l TensorType::IndexNumberType()\n"
     "in m TensorType::UnaryDataType()\nin n TensorType::FLOAT()\nin o DT_INT32\nin p ge::TensorType({DT_FLOAT})\n"
     "out y TensorType(DT_FLOAT)\n"},
    {"FormSymbols",
     "in a T\nin b* TList\nout y TOut\nsymbol T TensorType({DT_FLOAT, DT_INT32})\n"
     "symbol TList ListTensorType({DT_FLOAT})\nsymbol TOut Promote({\"T\", \"TList\"})\n"},
    {"FormDefaults",
     "out y TensorType({DT_FLOAT})\nattr i:4 = -7\nattr hex:4 = 16\nattr of_type:4 = 2\nattr f:2 = 0.500000\n"
     "attr from_int:2 = 2.000000\nattr small:2 = 1.000000e-6\nattr b:3 = 1\nattr s:1 = 'a, (b) \"c\"'\nattr t:11 = 27\n"
     "attr tensor:6 = an empty tensor\nattr li:1004 = {1,-2,3}\nattr none:1004 = {}\nattr shape:1004 = {-1}\n"
     "attr lf:1002 = {0.250000,0.500000}\nattr lb:1003 = {1,0}\nattr ls:1001 = {'x','y,z'}\nattr lt:1011 = {0,9}\n"
     "attr lli:10 = {{1,2},{}}\n"},
    {"FormRequired",
     "out y TensorType({DT_FLOAT})\nattr i:4 required\nattr f:2 required\nattr b:3 required\nattr s:1 required\n"
     "attr t:11 required\nattr tensor:6 required\nattr li:1004 required\nattr lf:1002 required\nattr lb:1003 required\n"
     "attr ls:1001 required\nattr lt:1011 required\nattr lli:10 required\n"},
    {"FormOrder", "in x T\nin w T\nout y T\nattr k:4 = 1\nattr r:4 required\n"},
    {"FormNothing", ""},
    {"FormGraphs", "in in* TensorType::ALL()\nout out* TensorType::ALL()\ngraph cond\ngraph branches*\n"},
    {"FormNames",
     "in for TensorType({DT_FLOAT})\nin x TensorType({DT_FLOAT})\nout x TensorType({DT_FLOAT})\n"
     "out class TensorType({DT_FLOAT})\nattr x:4 = 1\nattr not:3 = 0\n"},
};
