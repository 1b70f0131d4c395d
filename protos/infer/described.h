// Inference of the many operators whose outputs follow simple rules: each is described by a line of text.
#pragma once

#include "protos/infer/context.h"

namespace gec::infer {

/// One output after the other, separated by blanks: SHAPE, or SHAPE:TYPE.
///
/// SHAPE     2            dimensions of input 2 (inputs count as the prototype declares them)
///           2*           for each instance of the dynamic input 2 an output with its dimensions
///           0+           all outputs that the node has, each like input 0
///           0&1&2        the inputs' dimensions broadcast
///           0~dim        dimensions of input 0, halved along the axis that attribute dim names; 0~-1: along the last
///           0{axes,keep} dimensions of input 0 reduced over the axes of an attribute, keeping them if attribute keep
///           is set =1           the values of input 1 (shape)      the values of attribute shape [0.1,?,8,@k] a list
///           of: dimension 1 of input 0 (-1: the last), unknown, 8, value of attribute k;
///                        0... is all dimensions of input 0, 0...! all but the last, 0!... all but the first
///           s            scalar;  s*: a scalar for each instance of input 0
///           v            vector of unknown length
///           ?            unknown rank
///           SHAPE!       of a loss: SHAPE when attribute reduction is "none", else a scalar
/// TYPE      FLOAT …      that data type
///           1            type of input 1
///           @dtype       type that attribute dtype holds; that of input 0 when it holds DT_UNDEFINED
///           ?            not known
///           without one, the type of the first input that SHAPE names
/// What an unconnected optional input decides is unknown.
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
