// Inference of the many operators whose outputs follow simple rules: each is described by a line of text.
#pragma once

#include "protos/infer/context.h"

namespace gec::infer {

/// One output after the other, separated by blanks: SHAPE, or SHAPE:TYPE. Before them, conditions that inputs must
/// meet.
///
/// SHAPE     2            dimensions of input 2 (inputs count as the prototype declares them)
///           2?           as many dimensions as input 2, of unknown extents
///           2*           for each instance of the dynamic input 2 an output with its dimensions
///           0+           all outputs that the node has, each like input 0
///           0&1&2        the inputs' dimensions broadcast
///           0_2          dimensions of input 0, with 1 in place of the last ones, which input 2 has
///           0~dim        dimensions of input 0, halved along the axis that attribute dim names; 0~-1: along the last
///           0{axes,keep} dimensions of input 0 reduced over the axes of an attribute, keeping them if attribute keep
///                        is set
///           =1           the values of input 1
///           (shape)      the values of attribute shape
///           [ITEM,ITEM]  a list of extents
///           s            scalar;  s*: a scalar for each instance of input 0
///           v            vector of unknown length
///           ?            unknown rank
///           SHAPE!       of a loss: SHAPE when attribute reduction is "none", else a scalar
///           %IF%A|B      SHAPE A if the condition holds, else SHAPE B; unknown rank while that is not known
/// ITEM      TERM, or several with operators, from left to right: * + -, / (must be exact), // (rounds down), ^
/// (divides
///           and rounds up), & (the smaller one)
///           0...         all dimensions of input 0;  0...!: all but the last;  0!...: all but the first
///           0<1..-1>     those from 1 up to, but without, -1; either may be left out
///           =1, (shape)  as many extents as the values of the input or attribute
/// TERM      8, ?         that number; unknown
///           0.1          dimension 1 of input 0; -1 is the last
///           #1, #1.2     the value of the scalar input 1; element 2 of input 1
///           @k, @k.2     value of attribute k; its element 2
///           r0, $0       number of dimensions, of elements of input 0
/// IF        2            the node has input 2
///           name         attribute name is true, or not 0
///           name=8       attribute name has that value (a number or a string);  name>8: is greater
///           r0=3         input 0 has 3 dimensions
///           f0=NHWC      format of input 0
///           t0=INT8      data type of input 0
/// TYPE      FLOAT …      that data type
///           1            type of input 1
///           ~1           type of input 1, of its parts if that is complex
///           @dtype       type that attribute dtype holds; that of input 0 when it holds DT_UNDEFINED
///           ^            the common type of x1, x2 and alpha
///           ?            not known
///           %IF%A|B      TYPE A or B
///           without one, the type of the first input that SHAPE names
/// CONDITION !0=4         input 0 has 4 dimensions;  !0=3..5: 3 to 5
///           !0~1~9       these inputs have the same shape, where it is known
///           !0:1         these inputs have the same data type
///           !0.1=1.0     two ITEMs have the same value, where both are known
/// A result that an unconnected optional input decides is unknown.
struct Described {
  const char *type;
  const char *outputs;
};

std::span<const Described> DescribedArrays();
std::span<const Described> DescribedMath();
std::span<const Described> DescribedNetworks();
std::span<const Described> DescribedTraining();
std::span<const Described> DescribedSpecial();

/// The text of an operator; null when it has none.
const char *DescriptionOf(const char *type);
/// The inference function of every operator that is described.
GeStatus InferDescribed(const GeInferContext *raw);

}  // namespace gec::infer
