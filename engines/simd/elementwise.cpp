// Elementwise operators, alone or fused: a program of instructions run tile by tile, so that intermediates stay in L1.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "generated_walk.h"
#include "program.h"
#include "space.h"

namespace vec {
namespace {

constexpr int64_t kMaxRegisters = 48;
constexpr size_t kMaxStaged = 16;  // inputs that are spread out or converted tile by tile

// Which tile buffer each value lives in; values die after their last reader. An output is written to its buffer
// directly, unless it has to be converted at the end of the tile.
struct Registers {
  std::vector<int32_t> of_value;  // per instruction: buffer number, or -1 - output index
  int32_t count = 0;
};

Registers Allocate(const Program &p) {
  size_t n = p.code.size();
  std::vector<int32_t> last(n, -1), direct(n, -1);
  for (size_t i = 0; i < n; ++i)
    for (int32_t v : p.code[i].operands)
      if (v >= p.inputs) last[v - p.inputs] = static_cast<int32_t>(i);
  for (size_t o = 0; o < p.outputs.size(); ++o) {
    if (p.outputs[o] < p.inputs) continue;
    const int32_t index = p.outputs[o] - p.inputs;
    if (p.ConvertsOut(o)) last[index] = INT32_MAX;
    else if (direct[index] < 0) direct[index] = static_cast<int32_t>(o);
  }
  Registers r;
  r.of_value.resize(n);
  std::vector<int32_t> free;
  for (size_t i = 0; i < n; ++i) {
    // Operands that end here give their buffer back first: an instruction may write over what it reads.
    for (int k = 0; k < 3; ++k) {
      int32_t v = p.code[i].operands[k];
      if (v < p.inputs) continue;
      int32_t index = v - p.inputs;
      bool again = false;
      for (int j = 0; j < k; ++j) again |= p.code[i].operands[j] == v;
      if (!again && last[index] == static_cast<int32_t>(i) && r.of_value[index] >= 0) free.push_back(r.of_value[index]);
    }
    if (direct[i] >= 0) {
      r.of_value[i] = -1 - direct[i];
    } else if (!free.empty()) {
      r.of_value[i] = free.back();
      free.pop_back();
    } else {
      r.of_value[i] = r.count++;
    }
  }
  return r;
}

int64_t CostOf(int32_t opcode) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) \
  case number:                                                                          \
    return cost;
#include "ge/elementwise.def"
    default:
      return 1;
  }
}

bool IsPlain(const ByteForm &form) { return form.scale == 1 && form.zero == 0; }

bool PerChannel(const GeOpDesc &op) {
  std::string type = op.type;
  if (type == "BiasAdd") return std::strcmp(GeOpAttrString(&op, "data_format", "NHWC"), "NHWC") != 0;
  return type == "PRelu" || type == "BNInfer";
}

/// One instruction on a tensor that fits a tile, each operand dense or one value: nothing is left to decide when it
/// runs. In graphs of small tensors what a kernel costs besides its arithmetic is what counts.
class SmallKernel final : public Kernel {
 public:
  struct Call {
    const Table *table;
    int32_t opcode;
    uint32_t count;
    Operand operands[3];  // constants
    int16_t ports[3];     // -1: the constant
    bool one[3];          // the value at the port, for all elements
  };
  explicit SmallKernel(const Call &call) : call_(call) {}
  GeStatus Run(const GeKernelArgs &args) const override {
    Operand operands[3];
    for (int i = 0; i < 3; ++i) {
      operands[i] = call_.operands[i];
      if (call_.ports[i] < 0) continue;
      const float *data = static_cast<const float *>(args.inputs[call_.ports[i]]);
      if (call_.one[i]) operands[i].value = *data;
      else operands[i].data = data;
    }
    call_.table->apply(call_.opcode, static_cast<float *>(args.outputs[0]), operands[0], operands[1], operands[2],
                       call_.count);
    return GE_SUCCESS;
  }
  GeKernelRunFn direct() const override {
    return [](void *state, const GeKernelArgs *args) { return static_cast<const SmallKernel *>(state)->Run(*args); };
  }

 private:
  Call call_;
};

enum class Access : uint8_t { kDense, kOne, kMixed };  // as the output, one value, anything else

/// How the program goes through tensors of these extents. Borrows what it points to.
struct Walk {
  Space space;
  Access *access = nullptr;    // per input
  uint8_t *uniform = nullptr;  // per instruction: its value is the same all along a row, and computed once
  int64_t total = 0, inner = 0, outer = 0, tile = kTile;
  bool staged_rows = false;
  int64_t block = 0;                    // RepeatedBlock; tiles are whole rows of one
  std::optional<RowForm> form;          // of generated code that goes through the space itself
  const GeneratedRows *code = nullptr;  // of that, else of a tile; null: loops of single instructions
};

class ElementwiseKernel : public Kernel {
 public:
  /// `open` is null for a kernel of one size.
  ElementwiseKernel(const GeOpDesc &op, Program program, const Table *table, const GeOpenExtents *open)
      : table_(table), program_(std::move(program)), registers_(Allocate(program_)), cost_(program_.taken_in) {
    for (const Instruction &in : program_.code) cost_ += CostOf(in.opcode);
    const int64_t steps = program_.taken_in + static_cast<int64_t>(program_.code.size());
    outputs_ = op.output_count;
    for (size_t o = 0; o < outputs_; ++o) converts_ |= program_.ConvertsOut(o);
    for (size_t k = 0; k < program_.ports.size(); ++k) converts_ |= program_.ConvertsIn(k);
    implementation = steps > 1 ? "fused elementwise, " + std::to_string(steps) + " steps" : "elementwise";
    // One input of the output's own shape may be overwritten: every element is read before it is written.
    for (size_t k = 0; outputs_ == 1 && k < program_.ports.size(); ++k) {
      const int32_t port = program_.ports[k];
      if (HasShapeOfOutput(op, static_cast<size_t>(port), open) && op.inputs[port].data == nullptr &&
          program_.In(k) == program_.Out(0) && ReadBeforeOutput(k))
        aliases.push_back({GE_ALIAS_IN_PLACE, port, 0, 0, 0});
    }
    if (open) {
      CheckOpen(op);
      return;
    }
    const Dims out = DimsOf(op.outputs[0]);
    std::vector<Dims> inputs;
    for (int32_t port : program_.ports) inputs.push_back(DimsOf(op.inputs[port]));
    if (PerChannel(op))
      for (size_t k = 1; k < inputs.size(); ++k) inputs[k] = ChannelDims(inputs[0], inputs[k]);
    room_.resize(Space::RoomFor(inputs.size()));
    access_.resize(inputs.size());
    uniform_.resize(program_.code.size());
    const std::vector<Extents> extents(inputs.begin(), inputs.end());
    walk_ = WalkOf(out, extents, room_.data(), access_.data(), uniform_.data());
    flops = static_cast<double>(walk_.total) * static_cast<double>(steps);
  }

  /// The same as a SmallKernel where that is possible, else null.
  std::unique_ptr<Kernel> Small() const {
    if (program_.code.size() != 1 || outputs_ != 1 || program_.outputs[0] != program_.inputs || converts_ ||
        walk_.total == 0 || walk_.total > walk_.tile || walk_.total > Grain() || uniform_[0])
      return nullptr;
    const Instruction &in = program_.code[0];
    SmallKernel::Call call{table_, in.opcode, static_cast<uint32_t>(walk_.total), {}, {-1, -1, -1}, {}};
    for (size_t i = 0; i < 3; ++i) {
      const int32_t v = in.operands[i];
      if (v == GE_FUSED_NONE) continue;
      if (v < 0) {
        call.operands[i].value = program_.constants[static_cast<size_t>(-1 - v)];
        continue;
      }
      const Access access = access_[static_cast<size_t>(v)];
      const int32_t port = program_.ports[static_cast<size_t>(v)];
      if (access == Access::kMixed || port > INT16_MAX) return nullptr;
      call.ports[i] = static_cast<int16_t>(port);
      call.one[i] = access == Access::kOne;
    }
    auto small = std::make_unique<SmallKernel>(call);
    small->implementation = implementation;
    small->aliases = aliases;
    small->flops = flops;
    return small;
  }

  /// A kernel of one size takes generated code where there is any.
  void Generate() {
    FindCode(&walk_);
    if (walk_.code) implementation += ", generated";
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (ranks_.empty()) {
      Run(args, walk_);
      return GE_SUCCESS;
    }
    int64_t room[Space::RoomFor(kMaxOpenInputs)];
    Access access[kMaxOpenInputs];
    uint8_t uniform[kMaxOpenSteps];
    Extents inputs[kMaxOpenInputs];
    for (size_t k = 0; k < program_.ports.size(); ++k) inputs[k] = {args.input_dims[program_.ports[k]], ranks_[k]};
    const Extents out(args.output_dims[0], ranks_.back());
    Walk walk = WalkOf(out, {inputs, program_.ports.size()}, room, access, uniform);
    FindCode(&walk);
    Run(args, walk);
    return GE_SUCCESS;
  }

 private:
  static constexpr int64_t kPiece = 4096;  // elements of a long row that a thread takes at a time
  // Of a kernel for all sizes, which finds its walk in each run.
  static constexpr size_t kMaxOpenInputs = 16, kMaxOpenSteps = 64;

  void CheckOpen(const GeOpDesc &op) {
    if (PerChannel(op)) Refuse("channels belong to one size");
    if (program_.ports.size() > kMaxOpenInputs || program_.code.size() > kMaxOpenSteps)
      Refuse("more than 16 inputs or 64 steps");
    for (int32_t port : program_.ports) ranks_.push_back(static_cast<size_t>(op.inputs[port].rank));
    ranks_.push_back(static_cast<size_t>(op.outputs[0].rank));
  }

  void Run(const GeKernelArgs &args, const Walk &w) const {
    if (w.total == 0) return;
    if (w.form) return RunRowByRow(args, w);
    const int64_t grain = Grain();
    if (w.block) {
      const int64_t pieces = (w.block + w.tile - 1) / w.tile;
      Parallel(w.total / w.block * pieces, std::max<int64_t>(1, grain / w.tile),
               [&](int64_t begin, int64_t end) { Repeated(args, w, begin, end, pieces); });
    } else if (w.staged_rows) {
      int64_t tiles = (w.total + w.tile - 1) / w.tile;
      Parallel(tiles, std::max<int64_t>(1, grain / w.tile),
               [&](int64_t begin, int64_t end) { Short(args, w, begin, end); });
    } else if (w.inner > 2 * w.tile || w.outer == 1) {
      int64_t tiles = (w.inner + w.tile - 1) / w.tile;
      Parallel(w.outer * tiles, std::max<int64_t>(1, grain / std::min(w.tile, w.inner)),
               [&](int64_t begin, int64_t end) { Long(args, w, begin, end, tiles); });
    } else {
      Parallel(w.outer, std::max<int64_t>(1, grain / w.inner),
               [&](int64_t begin, int64_t end) { Long(args, w, begin, end, 1); });
    }
  }

  /// Looks for generated code. Where rows are short and their inputs the same in all of them, to spread these out once
  /// is less work than to begin, and to end, each row anew.
  void FindCode(Walk *w) const {
    if (w->total == 0 || w->space.inputs + outputs_ > Rows::kMaxPlaces) return;
    if (!converts_) w->form = FormOfRows(w->space, table_->lanes);
    const auto lanes = static_cast<int64_t>(table_->lanes);
    const int64_t short_rows = w->inner % lanes == 0 ? 3 * lanes : 6 * lanes;
    if (w->form && w->block && !w->form->vectors && w->inner < short_rows) w->form.reset();
    RowAccess tile[Rows::kMaxPlaces];
    for (size_t k = 0; k < w->space.inputs; ++k) tile[k] = IsOne(*w, k) ? RowAccess::kOne : RowAccess::kDense;
    w->code = code_.Find(program_, {w->form ? w->form->access : tile, w->space.inputs}, table_->lanes);
    if (!w->code) w->form.reset();
  }
  /// An input is one value all along a tile.
  static bool IsOne(const Walk &w, size_t k) {
    return w.staged_rows ? w.access[k] == Access::kOne : w.space.step(k) == 0;
  }

  void RunRowByRow(const GeKernelArgs &args, const Walk &w) const {
    const RowForm &form = *w.form;
    RowData data;
    for (size_t k = 0; k < program_.ports.size(); ++k) data.inputs[k] = args.inputs[program_.ports[k]];
    std::copy_n(args.outputs, outputs_, data.outputs);
    data.output_count = outputs_;
    const int64_t pieces = form.rows < 64 ? (form.columns + kPiece - 1) / kPiece : 1, grain = Grain();
    if (pieces == 1) {
      Parallel(form.rows, std::max<int64_t>(1, grain / form.columns), [&](int64_t begin, int64_t end) {
        RunRows(*w.code, form, data, {begin, end}, {0, form.columns});
      });
      return;
    }
    Parallel(form.rows * pieces, std::max<int64_t>(1, grain / kPiece), [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t row = unit / pieces, from = unit % pieces * kPiece;
        RunRows(*w.code, form, data, {row, row + 1}, {from, std::min(form.columns, from + kPiece)});
      }
    });
  }

  int64_t Grain() const { return std::max<int64_t>(1, 65536 / cost_); }  // elements: about 20 us of work

  Walk WalkOf(Extents out, std::span<const Extents> inputs, int64_t *room, Access *access, uint8_t *uniform) const {
    Walk w;
    w.space = Collapse(out, inputs, room);
    w.access = access;
    w.uniform = uniform;
    w.total = Count(out.data(), out.data() + out.size());
    w.inner = w.space.inner();
    w.outer = w.inner ? w.total / w.inner : 0;
    Classify(&w);
    // Long tiles for short programs: what an instruction costs to start is shared by more elements.
    w.tile = registers_.count <= 2 ? 8 * kTile : registers_.count <= 8 ? 2 * kTile : kTile;
    if (w.staged_rows || converts_) w.tile = kTile;
    if (w.block) w.tile = std::min(w.tile - w.tile % w.inner, w.block);
    return w;
  }

  void Classify(Walk *w) const {
    int64_t dense[Space::kMaxRank] = {};
    const size_t rank = w->space.rank;
    dense[rank - 1] = 1;
    for (size_t i = rank; i-- > 1;) dense[i - 1] = dense[i] * w->space.dims[i];
    size_t mixed = 0;
    for (size_t k = 0; k < w->space.inputs; ++k) {
      const int64_t *s = w->space.strides(k);
      const Access a = std::count(s, s + rank, 0) == static_cast<int64_t>(rank) ? Access::kOne
                       : std::equal(s, s + rank, dense)                         ? Access::kDense
                                                                                : Access::kMixed;
      w->access[k] = a;
      mixed += a == Access::kMixed || (a == Access::kDense && program_.ConvertsIn(k));
    }
    w->staged_rows = w->outer > 1 && w->inner < kShortRow && mixed <= kMaxStaged;
    if (w->staged_rows) w->block = RepeatedBlock(*w);
    // Values that are the same all along a row are computed once.
    for (size_t i = 0; i < program_.code.size(); ++i) {
      bool uniform = registers_.of_value[i] >= 0;
      for (int32_t v : program_.code[i].operands) {
        if (v < 0) continue;
        if (v >= program_.inputs) uniform &= w->uniform[v - program_.inputs] != 0;
        else uniform &= IsOne(*w, static_cast<size_t>(v));
      }
      w->uniform[i] = uniform;
    }
  }

  /// Elements of rows that follow one another and for which inputs that are spread out have the same row; 0 where
  /// those are too few to be worth a loop of their own.
  static int64_t RepeatedBlock(const Walk &w) {
    int64_t rows = 1;
    for (size_t i = w.space.rank - 1; i-- > 0; rows *= w.space.dims[i])
      for (size_t k = 0; k < w.space.inputs; ++k)
        if (w.access[k] == Access::kMixed && w.space.strides(k)[i] != 0)
          return rows * w.inner < kTile / 2 ? 0 : rows * w.inner;
    return w.total;
  }

  // Within one tile the output is written by its instruction; nobody may read the input after that.
  bool ReadBeforeOutput(size_t input) const {
    if (program_.ConvertsOut(0)) return true;  // stored when all instructions are done
    int32_t out = program_.outputs[0] - program_.inputs;
    if (out < 0) return false;
    for (size_t i = static_cast<size_t>(out) + 1; i < program_.code.size(); ++i)
      for (int32_t v : program_.code[i].operands)
        if (v == static_cast<int32_t>(input)) return false;
    return true;
  }

  const float *Input(const GeKernelArgs &args, size_t k) const {
    return static_cast<const float *>(args.inputs[program_.ports[k]]);
  }
  // Element `at` of an input, and a run of them, as floats.
  float One(const GeKernelArgs &args, size_t k, int64_t at) const {
    float value;
    if (!program_.ConvertsIn(k)) return Input(args, k)[at];
    Convert(args, k, at, 1, &value);
    return value;
  }
  void Convert(const GeKernelArgs &args, size_t k, int64_t at, int64_t n, float *to) const {
    const auto *from = static_cast<const uint8_t *>(args.inputs[program_.ports[k]]) + at;
    if (IsByte(program_.In(k))) {
      const ByteForm form = program_.form_in[k];
      if (IsPlain(form)) table_->from_bytes(from, form.is_signed, to, static_cast<size_t>(n));
      else table_->dequantize(from, form.is_signed, to, static_cast<size_t>(n), form.scale, form.zero);
      return;
    }
    for (int64_t i = 0; i < n; ++i) to[i] = from[i] ? 1.0f : 0.0f;
  }

  // Units are pieces of rows: `pieces` a row.
  void Long(const GeKernelArgs &args, const Walk &w, int64_t begin, int64_t end, int64_t pieces) const {
    alignas(64) float buffers[kMaxRegisters * kTile];
    alignas(64) float staged[kMaxStaged * kTile];  // only tiles of kTile elements are converted
    Operand operands[RowWalk::kMaxInputs];
    size_t inputs = w.space.inputs;
    int64_t row = begin / pieces, piece = begin % pieces;
    RowWalk walk(w.space, row);
    for (int64_t unit = begin; unit < end; ++unit) {
      int64_t from = pieces > 1 ? piece * w.tile : 0, to = pieces > 1 ? std::min(w.inner, from + w.tile) : w.inner;
      for (int64_t at = from; at < to; at += w.tile) {
        const int64_t n = std::min(w.tile, to - at);
        float *staging_buffer = staged;
        for (size_t k = 0; k < inputs; ++k) {
          if (w.space.step(k) == 0) {
            operands[k].value = One(args, k, walk.offset(k));
          } else if (program_.ConvertsIn(k)) {
            Convert(args, k, walk.offset(k) + at, n, staging_buffer);
            operands[k].data = staging_buffer;
            staging_buffer += kTile;
          } else {
            operands[k].data = Input(args, k) + walk.offset(k) + at;
          }
        }
        Tile(args, w, operands, row * w.inner + at, static_cast<size_t>(n), buffers);
      }
      if (++piece == pieces) {
        piece = 0;
        ++row;
        walk.Next();
      }
    }
  }

  /// What rows of a broadcasting operand are spread out to.
  struct Spread {
    size_t input;
    float *to;
  };

  // Rows are short, and inputs that broadcast have the same row all through a block: they are spread out once for it.
  void Repeated(const GeKernelArgs &args, const Walk &w, int64_t begin, int64_t end, int64_t pieces) const {
    alignas(64) float buffers[kMaxRegisters * kTile];
    alignas(64) float staged[kMaxStaged * kTile];
    Operand operands[RowWalk::kMaxInputs];
    Spread spread[kMaxStaged];
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t at = unit % pieces * w.tile, base = unit / pieces * w.block + at,
                    n = std::min(w.tile, w.block - at);
      const size_t count = Stage(args, w, base, n, staged, operands, spread);
      if (at == 0 || unit == begin) {
        RowWalk walk(w.space, (base - at) / w.inner);
        SpreadOut(args, w, spread, count, 0, w.tile, &walk);
      }
      Tile(args, w, operands, base, static_cast<size_t>(n), buffers);
    }
  }

  // Rows are short: tiles run over them, and inputs that broadcast are spread out first.
  void Short(const GeKernelArgs &args, const Walk &w, int64_t begin, int64_t end) const {
    alignas(64) float buffers[kMaxRegisters * kTile];
    alignas(64) float staged[kMaxStaged * kTile];
    Operand operands[RowWalk::kMaxInputs];
    Spread spread[kMaxStaged];
    RowWalk walk(w.space, begin * w.tile / w.inner);
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t base = unit * w.tile, n = std::min(w.tile, w.total - base);
      const size_t count = Stage(args, w, base, n, staged, operands, spread);
      SpreadOut(args, w, spread, count, base % w.inner, n, &walk);
      Tile(args, w, operands, base, static_cast<size_t>(n), buffers);
    }
  }

  /// Operands of a tile; returns how many of them are to be spread out, always to the same places.
  size_t Stage(const GeKernelArgs &args, const Walk &w, int64_t base, int64_t n, float *staged, Operand *operands,
               Spread *spread) const {
    size_t count = 0, staging = 0;
    for (size_t k = 0; k < w.space.inputs; ++k) {
      if (w.access[k] == Access::kOne) {
        operands[k].value = One(args, k, 0);
      } else if (w.access[k] == Access::kDense && !program_.ConvertsIn(k)) {
        operands[k].data = Input(args, k) + base;
      } else {
        float *to = staged + staging++ * kTile;
        operands[k].data = to;
        if (w.access[k] == Access::kDense) Convert(args, k, base, n, to);
        else spread[count++] = {k, to};
      }
    }
    return count;
  }

  /// `n` elements from `column` of the row on at which the walk stands, which goes on to where they end.
  void SpreadOut(const GeKernelArgs &args, const Walk &w, const Spread *spread, size_t count, int64_t column, int64_t n,
                 RowWalk *walk) const {
    for (int64_t at = 0; at < n;) {
      const int64_t run = std::min(w.inner - column, n - at);
      for (const Spread *s = spread; s != spread + count; ++s) {
        const int64_t offset = walk->offset(s->input);
        if (w.space.step(s->input) == 0) std::fill_n(s->to + at, run, One(args, s->input, offset));
        else if (program_.ConvertsIn(s->input)) Convert(args, s->input, offset + column, run, s->to + at);
        else std::copy_n(Input(args, s->input) + offset + column, run, s->to + at);
      }
      at += run;
      column += run;
      if (column == w.inner) {
        column = 0;
        walk->Next();
      }
    }
  }

  void StoreBytes(const Operand &source, size_t o, uint8_t *out, size_t n) const {
    const ByteForm form = program_.form_out[o];
    const size_t values = source.data ? n : 1;
    const float *from = source.data ? source.data : &source.value;
    if (IsPlain(form)) table_->to_bytes(from, out, form.is_signed, values);
    else table_->quantize(from, out, form.is_signed, values, form.scale, form.zero);
    std::fill_n(out + values, n - values, out[0]);
  }

  /// What is stored in another form than that of floats.
  void Store(const GeKernelArgs &args, const Operand &source, size_t o, int64_t base, size_t n) const {
    uint8_t *out = static_cast<uint8_t *>(args.outputs[o]) + base;
    if (IsByte(program_.Out(o))) return StoreBytes(source, o, out, n);
    for (size_t i = 0; i < n; ++i) out[i] = (source.data ? source.data[i] : source.value) != 0;
  }

  /// All steps of a tile in generated code. What is stored in another form is a buffer of floats first.
  void GeneratedTile(const GeKernelArgs &args, const Walk &w, const Operand *inputs, int64_t base, size_t n,
                     float *buffers) const {
    Rows rows;
    rows.count = 1;
    rows.bytes = static_cast<int64_t>(n * sizeof(float));
    Rows::Place *place = rows.places;
    for (size_t k = 0; k < w.space.inputs; ++k) *place++ = {inputs[k].data ? inputs[k].data : &inputs[k].value, 0};
    for (size_t o = 0; o < outputs_; ++o)
      *place++ = {program_.ConvertsOut(o) ? buffers + o * kTile : static_cast<float *>(args.outputs[o]) + base, 0};
    w.code->Run(&rows);
    Operand made;
    for (size_t o = 0; o < outputs_; ++o) {
      if (!program_.ConvertsOut(o)) continue;
      made.data = buffers + o * kTile;
      Store(args, made, o, base, n);
    }
  }

  void Tile(const GeKernelArgs &args, const Walk &w, const Operand *inputs, int64_t base, size_t n,
            float *buffers) const {
    if (w.code) return GeneratedTile(args, w, inputs, base, n, buffers);
    auto operand = [&](int32_t v) {
      Operand o;
      if (v == GE_FUSED_NONE) return o;
      if (v < 0) {
        o.value = program_.constants[static_cast<size_t>(-1 - v)];
      } else if (v < program_.inputs) {
        return inputs[v];
      } else {
        size_t at = static_cast<size_t>(v - program_.inputs);
        int32_t r = registers_.of_value[at];
        if (r < 0) o.data = static_cast<const float *>(args.outputs[-1 - r]) + base;
        else if (w.uniform[at]) o.value = buffers[r * w.tile];
        else o.data = buffers + r * w.tile;
      }
      return o;
    };
    for (size_t i = 0; i < program_.code.size(); ++i) {
      const Instruction &in = program_.code[i];
      int32_t r = registers_.of_value[i];
      float *out = r >= 0 ? buffers + r * w.tile : static_cast<float *>(args.outputs[-1 - r]) + base;
      table_->apply(in.opcode, out, operand(in.operands[0]), operand(in.operands[1]), operand(in.operands[2]),
                    w.uniform[i] ? 1 : n);
    }
    // Outputs that are an input, or a value that another output already holds.
    for (size_t o = 0; o < outputs_; ++o) {
      int32_t v = program_.outputs[o];
      if (v >= program_.inputs &&
          registers_.of_value[static_cast<size_t>(v - program_.inputs)] == -1 - static_cast<int32_t>(o))
        continue;
      Operand source = operand(v);
      if (program_.ConvertsOut(o)) {
        Store(args, source, o, base, n);
        continue;
      }
      float *out = static_cast<float *>(args.outputs[o]) + base;
      if (source.data) std::memcpy(out, source.data, n * sizeof(float));
      else std::fill_n(out, n, source.value);
    }
  }

  const Table *table_;
  Program program_;
  Registers registers_;
  int64_t cost_;
  size_t outputs_ = 0;
  bool converts_ = false;  // bytes come or go
  RowCode code_;
  // Of a kernel for one size.
  std::vector<int64_t> room_;
  std::vector<Access> access_;
  std::vector<uint8_t> uniform_;
  Walk walk_;
  std::vector<size_t> ranks_;  // of the inputs and the output of a kernel for all sizes; else empty
};

void Check(const GeOpDesc &op) {
  Program p = FromOperator(op);
  if (p.ports.size() > RowWalk::kMaxInputs) Refuse("more than 64 inputs");
  for (int32_t port : p.ports) {
    if (static_cast<size_t>(port) >= op.input_count) Refuse("input " + std::to_string(port) + " is missing");
    if (p.stored_in.empty() || StoredAs(op.inputs[port].data_type) == Stored::kFloat)
      RequireFloat(op.inputs[port], "the inputs");
    if (!PerChannel(op)) NeedBroadcast(op.inputs[port], op.outputs[0]);
  }
  if (static_cast<size_t>(std::count(p.stored_in.begin(), p.stored_in.end(), Stored::kFloat)) + kMaxStaged <
      p.stored_in.size())
    Refuse("more than 16 inputs of bytes");
  for (size_t i = 0; i < op.output_count; ++i)
    if (p.stored_out.empty() || StoredAs(op.outputs[i].data_type) == Stored::kFloat)
      RequireFloat(op.outputs[i], "the outputs");
  if (Allocate(p).count > kMaxRegisters) Refuse("more than 48 values live at once");
  if (PerChannel(op)) {
    int32_t format = op.inputs[0].format;
    if (op.inputs[0].rank < 2) Refuse("rank is below 2 or unknown");
    if (format != C_FORMAT_ND && format != C_FORMAT_NCHW) Refuse("channels are not dimension 1");
    for (size_t k = 1; k < p.ports.size(); ++k)
      if (std::strcmp(op.type, "PRelu") != 0 && op.inputs[p.ports[k]].rank != 1) Refuse("parameters are not vectors");
    Dims x = DimsOf(op.inputs[0]);
    for (size_t k = 1; k < p.ports.size(); ++k) {
      Dims w = ChannelDims(x, DimsOf(op.inputs[p.ports[k]]));
      if (w.size() > x.size()) Refuse("a parameter has a higher rank than x");
      for (size_t i = 0; i < w.size(); ++i)
        if (w[w.size() - 1 - i] != 1 && w[w.size() - 1 - i] != x[x.size() - 1 - i])
          Refuse("a parameter does not fit the channels");
    }
  }
  for (size_t i = 1; i < op.output_count; ++i)
    if (DimsOf(op.outputs[i]) != DimsOf(op.outputs[0])) Refuse("outputs of different shapes");
}

std::unique_ptr<Kernel> Create(const GeOpDesc &op, const Table *table) {
  Program program = FromOperator(op);
  TakeInQuantization(&program);
  if (std::unique_ptr<Kernel> affine = MakeAffineBytes(op, program, table)) return affine;
  auto kernel = std::make_unique<ElementwiseKernel>(op, std::move(program), table, nullptr);
  if (std::unique_ptr<Kernel> small = kernel->Small()) return small;
  kernel->Generate();
  return kernel;
}

std::unique_ptr<Kernel> CreateOpen(const GeOpDesc &op, const GeOpenExtents &extents, const Table *table) {
  Program program = FromOperator(op);
  TakeInQuantization(&program);
  if (std::unique_ptr<Kernel> affine = MakeOpenAffineBytes(op, program, extents, table)) return affine;
  return std::make_unique<ElementwiseKernel>(op, std::move(program), table, &extents);
}

}  // namespace

const Family &ElementwiseFamily() {
  static const Family family = {&Check, &Create, &CreateOpen};
  return family;
}

}  // namespace vec
