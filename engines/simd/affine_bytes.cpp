// x * factor + shift between quantised tensors: what a batch normalisation between two quantised convolutions is. One
// pass from bytes to bytes, where a program would take four through buffers of floats.
#include <algorithm>

#include "program.h"
#include "space.h"

namespace vec {
namespace {

/// y = x * a + b as a list of two instructions, with x the one input of bytes.
struct Affine {
  int32_t x, factor, shift;  // inputs
};

bool ReadAffine(const Program &p, Affine *out) {
  if (p.code.size() != 2 || p.outputs.size() != 1 || p.outputs[0] != p.inputs + 1 || !IsByte(p.Out(0))) return false;
  const Instruction &product = p.code[0], &sum = p.code[1];
  if (product.opcode != GE_FUSED_MUL || sum.opcode != GE_FUSED_ADD) return false;
  const auto is_byte = [&](int32_t v) { return v >= 0 && v < p.inputs && IsByte(p.In(static_cast<size_t>(v))); };
  const auto is_float = [&](int32_t v) { return v >= 0 && v < p.inputs && !p.ConvertsIn(static_cast<size_t>(v)); };
  const int at = is_byte(product.operands[0]) ? 0 : 1, before = sum.operands[0] == product.dst ? 0 : 1;
  *out = {product.operands[at], product.operands[1 - at], sum.operands[1 - before]};
  return is_byte(out->x) && is_float(out->factor) && is_float(out->shift) && sum.operands[before] == product.dst;
}

class AffineBytesKernel final : public Kernel {
 public:
  /// `steps` of factor and shift along a row of `inner` elements: 0 or 1. total -1: as a run says.
  AffineBytesKernel(const GeOpDesc &op, const Program &program, const Affine &affine, const int64_t (&steps)[2],
                    int64_t inner, int64_t total, const Table *table)
      : table_(table),
        in_(program.form_in[static_cast<size_t>(affine.x)]),
        out_(program.form_out[0]),
        rank_(static_cast<size_t>(op.outputs[0].rank)),
        total_(total),
        inner_(inner) {
    const auto port = [&](int32_t input) { return program.ports[static_cast<size_t>(input)]; };
    x_ = port(affine.x);
    parameters_[0] = {port(affine.factor), steps[0]};
    parameters_[1] = {port(affine.shift), steps[1]};
    // Pieces of whole rows, or of a row when that is long and its parameters are one number each.
    const bool any_row = parameters_[0].step == 0 && parameters_[1].step == 0;
    piece_ = any_row ? kTile : inner_ < kShortRow ? kTile - kTile % inner_ : inner_;
    if (total >= 0) flops = 2.0 * static_cast<double>(total);
    implementation = "factor and shift of bytes";
    if (program.In(static_cast<size_t>(affine.x)) == program.Out(0))
      aliases.push_back({GE_ALIAS_IN_PLACE, x_, 0, 0, 0});
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    constexpr int64_t kGrain = 1 << 14;
    const int64_t *dims = total_ < 0 ? args.output_dims[0] : nullptr;
    const int64_t total = dims ? Count(dims, dims + rank_) : total_;
    const int64_t pieces = (total + piece_ - 1) / piece_;
    Parallel(pieces, std::max<int64_t>(1, kGrain / piece_), [&](int64_t begin, int64_t end) {
      alignas(64) float spread[2][kTile];
      const float *values[2];
      for (int i = 0; i < 2; ++i) values[i] = Values(args, parameters_[i], spread[i]);
      for (int64_t at = begin * piece_; at < std::min(total, end * piece_); at += piece_)
        table_->affine_bytes(static_cast<const uint8_t *>(args.inputs[x_]) + at, in_, values[0], values[1],
                             static_cast<uint8_t *>(args.outputs[0]) + at, out_,
                             static_cast<size_t>(std::min(piece_, total - at)));
    });
    return GE_SUCCESS;
  }

 private:
  struct Parameter {
    int32_t port;
    int64_t step;  // along a row: 0 or 1
  };

  /// A piece's worth of values; `spread` holds those that repeat.
  const float *Values(const GeKernelArgs &args, const Parameter &parameter, float *spread) const {
    const auto *from = static_cast<const float *>(args.inputs[parameter.port]);
    if (parameter.step == 0) {
      std::fill_n(spread, piece_, *from);
    } else if (inner_ >= kShortRow) {
      return from;
    } else {
      for (int64_t at = 0; at < piece_; at += inner_) std::copy_n(from, inner_, spread + at);
    }
    return spread;
  }

  const Table *table_;
  ByteForm in_, out_;
  int32_t x_ = 0;
  Parameter parameters_[2];
  const size_t rank_;
  int64_t total_, inner_, piece_ = 1;
};

}  // namespace

std::unique_ptr<Kernel> MakeAffineBytes(const GeOpDesc &op, const Program &program, const Table *table) {
  Affine affine;
  if (!ReadAffine(program, &affine)) return nullptr;
  const Dims out = DimsOf(op.outputs[0]);
  std::vector<Dims> inputs;
  for (int32_t port : program.ports) inputs.push_back(DimsOf(op.inputs[port]));
  if (inputs[static_cast<size_t>(affine.x)] != out || Count(out) == 0) return nullptr;
  std::vector<int64_t> room(Space::RoomFor(inputs.size()));
  const std::vector<Extents> extents(inputs.begin(), inputs.end());
  const Space space = Collapse(out, extents, room.data());
  const size_t factor = static_cast<size_t>(affine.factor), shift = static_cast<size_t>(affine.shift);
  for (size_t i = 0; i + 1 < space.rank; ++i)
    if (space.strides(factor)[i] != 0 || space.strides(shift)[i] != 0) return nullptr;
  // One is spread over a whole row.
  if (space.step(factor) != space.step(shift) && space.inner() > kTile) return nullptr;
  const int64_t steps[2] = {space.step(factor), space.step(shift)};
  return std::make_unique<AffineBytesKernel>(op, program, affine, steps, space.inner(), Count(out), table);
}

std::unique_ptr<Kernel> MakeOpenAffineBytes(const GeOpDesc &op, const Program &program, const GeOpenExtents &extents,
                                            const Table *table) {
  Affine affine;
  if (!ReadAffine(program, &affine)) return nullptr;
  const auto port = [&](int32_t input) { return static_cast<size_t>(program.ports[static_cast<size_t>(input)]); };
  const Dims y = DimsOf(op.outputs[0]);
  const int64_t inner = y.empty() ? 1 : y.back();
  if (!HasShapeOfOutput(op, port(affine.x), &extents)) Refuse("x broadcasts");
  int64_t steps[2];
  const int32_t inputs[] = {affine.factor, affine.shift};
  for (int i = 0; i < 2; ++i) {
    const Dims dims = DimsOf(op.inputs[port(inputs[i])]);
    const int64_t count = std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; }) ? -1 : Count(dims);
    if (count != 1 && (count < 0 || dims.back() != count || count != inner))
      Refuse("a factor or shift by other than the last dimension has a kernel for each size");
    steps[i] = count == 1 ? 0 : 1;
  }
  if (steps[0] != steps[1] && inner > kTile) Refuse("a long row has a kernel for each size");
  return std::make_unique<AffineBytesKernel>(op, program, affine, steps, std::max<int64_t>(1, inner), -1, table);
}

}  // namespace vec
