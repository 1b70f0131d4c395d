// Joining tensors along an axis and cutting them apart. Along the outermost extent both are mere placement in memory.
#include <string_view>

#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

// The pieces of a tensor [outer, sum of lengths, inner].
struct Pieces {
  int64_t outer = 1, inner = 1, total = 0;  // total: sum of lengths
  std::vector<int64_t> lengths;
  size_t element = 1;
};

void CopyPiece(const Call &call, const Pieces &p, int64_t start, int64_t length, const void *whole, void *whole_out,
               const void *piece, void *piece_out) {
  Dims dims{p.outer, length * p.inner};
  Dims of_whole{p.total * p.inner, 1}, of_piece{length * p.inner, 1};
  if (piece_out)
    CopyStrided(call, Shift(whole, start * p.inner, p.element), of_whole, piece_out, of_piece, dims, p.element);
  else CopyStrided(call, piece, of_piece, Shift(whole_out, start * p.inner, p.element), of_whole, dims, p.element);
}

Kernel Join(const Pieces &pieces, int first_port) {
  Kernel kernel;
  if (pieces.outer == 1) {
    kernel.flags = GE_KERNEL_VIEW;
    int64_t at = 0;
    for (size_t i = 0; i < pieces.lengths.size(); ++i) {
      kernel.aliases.push_back(
          {GE_ALIAS_INPUT_IN_OUTPUT, first_port + int32_t(i), 0, 0, uint64_t(at * pieces.inner) * pieces.element});
      at += pieces.lengths[i];
    }
  }
  kernel.run = [=](const Call &call) {
    int64_t at = 0;
    for (size_t i = 0; i < pieces.lengths.size(); ++i) {
      const void *from = call.in(size_t(first_port) + i);
      const void *place = Shift(call.out(0), at * pieces.inner, pieces.element);
      if (pieces.lengths[i] && from != place)
        CopyPiece(call, pieces, at, pieces.lengths[i], nullptr, call.out(0), from, nullptr);
      at += pieces.lengths[i];
    }
  };
  return kernel;
}

Kernel SplitKernel(const Pieces &pieces, int whole_port) {
  Kernel kernel;
  if (pieces.outer == 1) {
    kernel.flags = GE_KERNEL_VIEW;
    int64_t at = 0;
    for (size_t i = 0; i < pieces.lengths.size(); ++i) {
      kernel.aliases.push_back(
          {GE_ALIAS_OUTPUT_IN_INPUT, whole_port, int32_t(i), 0, uint64_t(at * pieces.inner) * pieces.element});
      at += pieces.lengths[i];
    }
  }
  kernel.run = [=](const Call &call) {
    int64_t at = 0;
    for (size_t i = 0; i < pieces.lengths.size(); ++i) {
      const void *place = Shift(call.in(size_t(whole_port)), at * pieces.inner, pieces.element);
      if (pieces.lengths[i] && call.out(i) && call.out(i) != place)
        CopyPiece(call, pieces, at, pieces.lengths[i], call.in(size_t(whole_port)), nullptr, nullptr, call.out(i));
      at += pieces.lengths[i];
    }
  };
  return kernel;
}

// The axis is known now, or follows from the shapes: the only dimension in which whole and piece differ.
int AxisOf(const Node &node, const IntsInput &input, const Dims &whole, const Dims &piece) {
  if (input.known()) return NormalAxis(node, input.values()[0], whole.n);
  for (int i = 0; i < whole.n; ++i)
    if (whole[i] != piece[i]) return i;
  return 0;
}

void FinishPieces(const Node &node, const Dims &whole, int axis, Pieces *p) {
  p->outer = whole.count(0, axis);
  p->inner = whole.count(axis + 1, whole.n);
  p->total = whole[axis];
  int64_t sum = 0;
  for (int64_t length : p->lengths) sum += length;
  if (sum != p->total)
    Fail(GE_PARAM_INVALID, "%s: the pieces have %lld elements along axis %d, the whole has %lld", node.label().c_str(),
         (long long)sum, axis, (long long)p->total);
}

void CheckPiece(const Node &node, const Dims &whole, const Dims &piece, int axis, int port) {
  bool fits = whole.n == piece.n;
  for (int i = 0; fits && i < whole.n; ++i) fits = i == axis || whole[i] == piece[i];
  if (!fits)
    Fail(GE_PARAM_INVALID, "%s: piece %d has shape %s, which does not fit %s along axis %d", node.label().c_str(), port,
         ToText(piece).c_str(), ToText(whole).c_str(), axis);
}

Kernel CreateConcat(const Node &node, const OpEntry &) {
  const std::string_view type = node.type();
  const int first = type == "Concat" ? 1 : 0;
  const int count = node.inputs() - (type == "ConcatD" ? 0 : 1);
  Dims y = node.out_dims(0);
  int axis = type == "ConcatD" ? NormalAxis(node, node.Int("concat_dim", 0), y.n)
                               : AxisOf(node, node.IntsOf(type == "Concat" ? 0 : count), y, node.in_dims(first));
  Pieces pieces;
  pieces.element = ElementSize(node.out_type(0));
  for (int i = 0; i < count; ++i) {
    Dims x = node.in_dims(first + i);
    CheckPiece(node, y, x, axis, i);
    pieces.lengths.push_back(x[axis]);
  }
  FinishPieces(node, y, axis, &pieces);
  return Join(pieces, first);
}

Kernel CreateSplit(const Node &node, const OpEntry &) {
  const std::string_view type = node.type();
  const int whole = type == "Split" ? 1 : 0;
  Dims x = node.in_dims(whole);
  int axis = type == "SplitD" ? NormalAxis(node, node.Int("split_dim", 0), x.n)
                              : AxisOf(node, node.IntsOf(type == "Split" ? 0 : 2), x, node.out_dims(0));
  Pieces pieces;
  pieces.element = ElementSize(node.in_type(whole));
  for (int i = 0; i < node.outputs(); ++i) {
    Dims y = node.out_dims(i);
    CheckPiece(node, x, y, axis, i);
    pieces.lengths.push_back(y[axis]);
  }
  FinishPieces(node, x, axis, &pieces);
  return SplitKernel(pieces, whole);
}

Kernel CreatePack(const Node &node, const OpEntry &) {
  Dims x = node.in_dims(0), y = node.out_dims(0);
  int axis = NormalAxis(node, node.Int("axis", 0), x.n + 1);
  Pieces pieces;
  pieces.element = ElementSize(node.out_type(0));
  pieces.outer = x.count(0, axis);
  pieces.inner = x.count(axis, x.n);
  pieces.total = node.inputs();
  pieces.lengths.assign(size_t(node.inputs()), 1);
  for (int i = 0; i < node.inputs(); ++i)
    if (!(node.in_dims(i) == x))
      Fail(GE_PARAM_INVALID, "%s: input %d has shape %s, expected %s", node.label().c_str(), i,
           ToText(node.in_dims(i)).c_str(), ToText(x).c_str());
  if (y.count() != x.count() * node.inputs())
    Fail(GE_PARAM_INVALID, "%s: output has shape %s", node.label().c_str(), ToText(y).c_str());
  return Join(pieces, 0);
}

Kernel CreateUnpack(const Node &node, const OpEntry &) {
  Dims x = node.in_dims(0);
  int axis = NormalAxis(node, node.Int("axis", 0), x.n);
  if (x[axis] != node.outputs())
    Fail(GE_PARAM_INVALID, "%s: axis %d of %s does not have %d elements", node.label().c_str(), axis, ToText(x).c_str(),
         node.outputs());
  Pieces pieces;
  pieces.element = ElementSize(node.in_type(0));
  pieces.outer = x.count(0, axis);
  pieces.inner = x.count(axis + 1, x.n);
  pieces.total = x[axis];
  pieces.lengths.assign(size_t(node.outputs()), 1);
  return SplitKernel(pieces, 0);
}

const OpEntry kConcat[] = {
    {"Concat", kMovable, &CreateConcat, nullptr, nullptr, 1},
    {"ConcatD", kMovable, &CreateConcat},
    {"ConcatV2", kMovable, &CreateConcat},
    {"Split", kMovable, &CreateSplit, nullptr, nullptr, 1},
    {"SplitD", kMovable, &CreateSplit},
    {"SplitV", kMovable, &CreateSplit},
    {"Pack", kMovable, &CreatePack},
    {"Unpack", kMovable, &CreateUnpack},
};

}  // namespace

OpTable ConcatSplitOps() { return TableOf(kConcat); }

}  // namespace reference
