// Code that the kernel families of this engine share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ge/engine_kit.hpp"
#include "simd.h"

namespace vec {

using ge::kit::ConstantInts;
using ge::kit::Count;
using ge::kit::DataTypeName;
using ge::kit::Dims;
using ge::kit::DimsOf;
using ge::kit::ElementBytes;
using ge::kit::Fail;
using ge::kit::Kernel;
using ge::kit::NormalAxis;
using ge::kit::Present;
using ge::kit::Refuse;
using ge::kit::RequireFloat;

/// A kernel family: check throws what Refuse throws; create is called for known shapes only.
struct Family {
  void (*check)(const GeOpDesc &op);
  std::unique_ptr<Kernel> (*create)(const GeOpDesc &op, const Table *table);
  /// Of a kernel that serves all sizes.
  std::unique_ptr<Kernel> (*create_open)(const GeOpDesc &op, const GeOpenExtents &extents,
                                         const Table *table) = nullptr;
};
/// At every size; `open` is null where the extents are those of the only one.
bool HasShapeOfOutput(const GeOpDesc &op, size_t input, const GeOpenExtents *open);
/// The family of an operator, or null.
const Family *FindFamily(const GeOpDesc &op);

/// Elements of extents that a run tells.
inline int64_t Count(const int64_t *from, const int64_t *to) {
  int64_t count = 1;
  for (; from != to; ++from) count *= *from;
  return count;
}

/// Refuses what is not moved as bytes: strings, handles, halves of a byte.
void NeedMovable(const GeTensorData &t);
/// The axis that a constant input names; of blocked feature maps it counts the dimensions of NCHW.
int64_t AxisInput(const GeOpDesc &op, size_t port, size_t rank, const char *what);

/// Inputs [first, last) one behind the other along `axis`.
struct Joined {
  size_t first, last;
  int64_t axis;
};
/// Elements behind the axis fill less than a cache line. Those of an open extent are taken for more.
bool RowsAreShort(const GeTensorData &whole, size_t axis);
std::unique_ptr<Kernel> MakeConcat(const GeOpDesc &op, const Joined &joined, bool open);
/// Of channels in blocks; and where an input other than the last does not fill its last one.
bool JoinsChannels(const GeOpDesc &op, const Joined &joined);
bool JoinsLanes(const GeOpDesc &op, const Joined &joined);
void CheckConcatBlocks(const GeOpDesc &op, const Joined &joined);
std::unique_ptr<Kernel> MakeConcatBlocks(const GeOpDesc &op, const Joined &joined, bool open);

/// An input that is cut into the outputs along an axis.
struct Cut {
  size_t input, axis;
};
/// Of channels in blocks, whatever the other extents.
void CheckSplitBlocks(const GeOpDesc &op, const Cut &cut);
std::unique_ptr<Kernel> MakeOpenSplit(const GeOpDesc &op, const Cut &cut);
std::unique_ptr<Kernel> MakeOpenExpand(const GeOpDesc &op);

const Family &ElementwiseFamily();
bool IsElementwise(const char *type);  // of that family
const Family &SoftmaxFamily();
const Family &NormFamily();
const Family &GroupNormFamily();
const Family &LrnFamily();
const Family &ResizeFamily();
const Family &BlocksFamily();  // of pixels into channels and back
const Family &GridSampleFamily();
const Family &RoiAlignFamily();
const Family &NonMaxSuppressionFamily();
const Family &FillFamily();
const Family &UniqueFamily();
const Family &TopKFamily();
const Family &CumsumFamily();
const Family &GatherElementsFamily();
const Family &GatherNdFamily();
const Family &ScatterElementsFamily();
const Family &PadFamily();
const Family &ReduceFamily();
const Family &TransposeFamily();
const Family &CopyFamily();
const Family &GatherFamily();
const Family &ArgFamily();
/// Between floats and 8-bit integers.
const Family &QuantizeFamily();
/// Maximum pooling of 8-bit integers.
const Family &PoolBytesFamily();
/// Casts, comparisons, logic, selection, and arithmetic of integers.
bool IsTyped(const GeOpDesc &op);
const Family &TypedFamily();

}  // namespace vec
