// Operators between data types: casts, comparisons, logic, selection and integer arithmetic. Plain loops over typed
// spans; the compiler's vectors are enough, these operators wait for memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "space.h"

namespace vec {
namespace {

/// One run of n elements; step 0 repeats one element, 1 walks. Steps and pointers per input.
using RunFn = void (*)(void *out, const void *const *in, const int64_t *step, int64_t n);

// ivdep: an output may lie exactly on an input, element by element, and nowhere else.
template <class T, class R, class F>
void Unary(void *out, const void *const *in, const int64_t *step, int64_t n) {
  auto *x = static_cast<const T *>(in[0]);
  auto *y = static_cast<R *>(out);
  if (!step[0]) {
    std::fill_n(y, n, F::template Do<R>(x[0]));
    return;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = F::template Do<R>(x[i]);
}

template <class T, class R, class F>
void Binary(void *out, const void *const *in, const int64_t *step, int64_t n) {
  auto *a = static_cast<const T *>(in[0]), *b = static_cast<const T *>(in[1]);
  auto *y = static_cast<R *>(out);
  if (step[0] && step[1]) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(F::Do(a[i], b[i]));
  } else if (step[0]) {
    const T v = b[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(F::Do(a[i], v));
  } else if (step[1]) {
    const T v = a[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(F::Do(v, b[i]));
  } else {
    std::fill_n(y, n, static_cast<R>(F::Do(a[0], b[0])));
  }
}

template <class T>
void Select(void *out, const void *const *in, const int64_t *step, int64_t n) {
  auto *c = static_cast<const uint8_t *>(in[0]);
  auto *a = static_cast<const T *>(in[1]), *b = static_cast<const T *>(in[2]);
  auto *y = static_cast<T *>(out);
  if (!step[0]) {
    const T *from = c[0] ? a : b;
    if (step[c[0] ? 1 : 2]) std::memmove(y, from, static_cast<size_t>(n) * sizeof(T));
    else std::fill_n(y, n, *from);
  } else if (step[1] && step[2]) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T u = a[i], v = b[i];
      y[i] = c[i] ? u : v;
    }
  } else if (step[1]) {
    const T v = b[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T u = a[i];
      y[i] = c[i] ? u : v;
    }
  } else if (step[2]) {
    const T u = a[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T v = b[i];
      y[i] = c[i] ? u : v;
    }
  } else {
    const T u = a[0], v = b[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) y[i] = c[i] ? u : v;
  }
}

// Floating point to integer truncates and saturates, NaN becomes 0; integer to integer keeps the low bits.
struct Convert {
  template <class R, class T>
  static R Do(T x) {
    if constexpr (std::is_same_v<R, bool>) {
      return x != T(0);
    } else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<R>) {
      constexpr T low = static_cast<T>(std::numeric_limits<R>::min());
      // The first value above the range: exact in any floating-point type.
      constexpr T top = static_cast<T>(std::numeric_limits<R>::max() / 2 + 1) * T(2);
      const bool inside = x > low && x < top;
      const R value = static_cast<R>(inside ? x : T(0));
      return x >= top ? std::numeric_limits<R>::max() : x <= low ? std::numeric_limits<R>::min() : value;
    } else {
      return static_cast<R>(x);
    }
  }
};
/// The upper half of a float32.
struct Bf16 {
  uint16_t bits;
};
struct ToBf16 {
  /// Rounds to nearest, halves to even; NaNs stay NaNs and become quiet.
  template <class R>
  static R Do(float x) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
    return {static_cast<uint16_t>(((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded) >> 16)};
  }
};
struct FromBf16 {
  template <class R>
  static R Do(Bf16 x) {
    return __builtin_bit_cast(float, static_cast<uint32_t>(x.bits) << 16);
  }
};
struct Not {
  template <class R, class T>
  static R Do(T x) {
    return static_cast<R>(!x);
  }
};
struct EqualOp {
  template <class T>
  static bool Do(T a, T b) {
    return a == b;
  }
};
struct NotEqualOp {
  template <class T>
  static bool Do(T a, T b) {
    return a != b;
  }
};
struct LessOp {
  template <class T>
  static bool Do(T a, T b) {
    return a < b;
  }
};
struct LessEqualOp {
  template <class T>
  static bool Do(T a, T b) {
    return a <= b;
  }
};
struct GreaterOp {
  template <class T>
  static bool Do(T a, T b) {
    return a > b;
  }
};
struct GreaterEqualOp {
  template <class T>
  static bool Do(T a, T b) {
    return a >= b;
  }
};
struct AndOp {
  static uint8_t Do(uint8_t a, uint8_t b) { return (a != 0) & (b != 0); }
};
struct OrOp {
  static uint8_t Do(uint8_t a, uint8_t b) { return (a != 0) | (b != 0); }
};
// Integer arithmetic wraps around.
template <class T>
using Bits = std::make_unsigned_t<T>;
struct AddOp {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
  }
};
struct SubOp {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
  }
};
struct MulOp {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
  }
};
struct MaxOp {
  template <class T>
  static T Do(T a, T b) {
    return a > b ? a : b;
  }
};
struct MinOp {
  template <class T>
  static T Do(T a, T b) {
    return a < b ? a : b;
  }
};
// What a power of two leaves over, of negative numbers too: dividing takes ten times as long.
struct RestOp {
  template <class T>
  static T Do(T a, T b) {
    return a & (b - 1);
  }
};

template <class F>
RunFn Compare(int32_t type) {
  switch (type) {
    case C_DT_FLOAT:
      return &Binary<float, uint8_t, F>;
    case C_DT_INT32:
      return &Binary<int32_t, uint8_t, F>;
    case C_DT_INT64:
      return &Binary<int64_t, uint8_t, F>;
    case C_DT_UINT8:
    case C_DT_BOOL:
      return &Binary<uint8_t, uint8_t, F>;
    case C_DT_INT8:
      return &Binary<int8_t, uint8_t, F>;
    default:
      return nullptr;
  }
}
template <class F>
RunFn Arithmetic(int32_t type) {
  if (type == C_DT_INT32) return &Binary<int32_t, int32_t, F>;
  if (type == C_DT_INT64) return &Binary<int64_t, int64_t, F>;
  return nullptr;
}
template <class T>
RunFn CastFrom(int32_t to) {
  switch (to) {
    case C_DT_FLOAT:
      return &Unary<T, float, Convert>;
    case C_DT_DOUBLE:
      return &Unary<T, double, Convert>;
    case C_DT_INT32:
      return &Unary<T, int32_t, Convert>;
    case C_DT_INT64:
      return &Unary<T, int64_t, Convert>;
    case C_DT_INT8:
      return &Unary<T, int8_t, Convert>;
    case C_DT_UINT8:
      return &Unary<T, uint8_t, Convert>;
    case C_DT_BOOL:
      return &Unary<T, bool, Convert>;
    default:
      return nullptr;
  }
}
RunFn Cast(int32_t from, int32_t to) {
  if (from == C_DT_FLOAT && to == C_DT_BF16) return &Unary<float, Bf16, ToBf16>;
  if (from == C_DT_BF16) return to == C_DT_FLOAT ? &Unary<Bf16, float, FromBf16> : nullptr;
  switch (from) {
    case C_DT_FLOAT:
      return CastFrom<float>(to);
    case C_DT_DOUBLE:
      return CastFrom<double>(to);
    case C_DT_INT32:
      return CastFrom<int32_t>(to);
    case C_DT_INT64:
      return CastFrom<int64_t>(to);
    case C_DT_INT8:
      return CastFrom<int8_t>(to);
    case C_DT_UINT8:
    case C_DT_BOOL:
      return CastFrom<uint8_t>(to);
    default:
      return nullptr;
  }
}

RunFn SelectOf(int32_t type) {
  switch (ElementBytes(type)) {
    case 1:
      return &Select<uint8_t>;
    case 2:
      return &Select<uint16_t>;
    case 4:
      return &Select<uint32_t>;
    case 8:
      return &Select<uint64_t>;
    default:
      return nullptr;
  }
}

struct Choice {
  size_t inputs = 0;
  RunFn run = nullptr;  // null: no kernel for these types
};

void NeedSame(const GeOpDesc &op, size_t a, size_t b) {
  if (op.input_count <= b || op.inputs[a].data_type != op.inputs[b].data_type)
    Refuse("data types of the inputs differ");
}
void NeedOutput(const GeOpDesc &op, int32_t expected) {
  const int32_t out = op.output_count ? op.outputs[0].data_type : C_DT_UNDEFINED;
  if (out != expected) Refuse(DataTypeName(out), " is not supported for the output");
}
int32_t TypeOf(const GeOpDesc &op) { return op.input_count ? op.inputs[0].data_type : C_DT_UNDEFINED; }

Choice ChooseCast(const GeOpDesc &op) {
  return {1, Cast(TypeOf(op), op.output_count ? op.outputs[0].data_type : C_DT_UNDEFINED)};
}
Choice ChooseNot(const GeOpDesc &op) {
  NeedOutput(op, C_DT_BOOL);
  return {1, TypeOf(op) == C_DT_BOOL ? &Unary<uint8_t, uint8_t, Not> : nullptr};
}
template <class F>
Choice ChooseLogic(const GeOpDesc &op) {
  NeedSame(op, 0, 1);
  NeedOutput(op, C_DT_BOOL);
  return {2, TypeOf(op) == C_DT_BOOL ? &Binary<uint8_t, uint8_t, F> : nullptr};
}
Choice ChooseSelect(const GeOpDesc &op) {
  if (TypeOf(op) != C_DT_BOOL) return {3, nullptr};
  NeedSame(op, 1, 2);
  NeedOutput(op, op.inputs[1].data_type);
  return {3, SelectOf(op.inputs[1].data_type)};
}
template <class F>
Choice ChooseComparison(const GeOpDesc &op) {
  NeedSame(op, 0, 1);
  NeedOutput(op, C_DT_BOOL);
  return {2, Compare<F>(TypeOf(op))};
}
template <class F>
Choice ChooseArithmetic(const GeOpDesc &op) {
  NeedSame(op, 0, 1);
  NeedOutput(op, TypeOf(op));
  return {2, Arithmetic<F>(TypeOf(op))};
}
Choice ChooseRest(const GeOpDesc &op) {
  NeedSame(op, 0, 1);
  NeedOutput(op, TypeOf(op));
  const std::vector<int64_t> by = ConstantInts(op.inputs[1], "x2");
  if (by.size() != 1 || by[0] < 1 || (by[0] & (by[0] - 1)) != 0) Refuse("x2 is not one power of two");
  return {2, Arithmetic<RestOp>(TypeOf(op))};
}

struct Row {
  const char *type;
  Choice (*choose)(const GeOpDesc &op);
  bool of_integers = false;  // floats have instructions (elementwise.cpp)
};
const Row kRows[] = {
    {"Cast", &ChooseCast},
    {"LogicalNot", &ChooseNot},
    {"LogicalAnd", &ChooseLogic<AndOp>},
    {"LogicalOr", &ChooseLogic<OrOp>},
    {"Select", &ChooseSelect},
    {"SelectV2", &ChooseSelect},
    {"Equal", &ChooseComparison<EqualOp>},
    {"NotEqual", &ChooseComparison<NotEqualOp>},
    {"Less", &ChooseComparison<LessOp>},
    {"Greater", &ChooseComparison<GreaterOp>},
    {"LessEqual", &ChooseComparison<LessEqualOp>},
    {"GreaterEqual", &ChooseComparison<GreaterEqualOp>},
    {"Add", &ChooseArithmetic<AddOp>, true},
    {"AddV2", &ChooseArithmetic<AddOp>, true},
    {"Sub", &ChooseArithmetic<SubOp>, true},
    {"Mul", &ChooseArithmetic<MulOp>, true},
    {"Maximum", &ChooseArithmetic<MaxOp>, true},
    {"Minimum", &ChooseArithmetic<MinOp>, true},
    {"FloorMod", &ChooseRest, true},
};
const Row *Find(const char *type) {
  for (const Row &row : kRows)
    if (std::strcmp(row.type, type) == 0) return &row;
  return nullptr;
}

Choice Choose(const GeOpDesc &op) {
  const Row *row = Find(op.type);
  return row ? row->choose(op) : Choice();
}

class TypedKernel : public Kernel {
 public:
  /// `open` is null for a kernel of one size.
  TypedKernel(const GeOpDesc &op, const GeOpenExtents *open) : choice_(Choose(op)), open_(open != nullptr) {
    out_bytes_ = ElementBytes(op.outputs[0].data_type);
    out_rank_ = static_cast<size_t>(op.outputs[0].rank);
    for (size_t k = 0; k < choice_.inputs; ++k) {
      ranks_[k] = static_cast<size_t>(op.inputs[k].rank);
      bytes_[k] = ElementBytes(op.inputs[k].data_type);
      if (HasShapeOfOutput(op, k, open) && bytes_[k] == out_bytes_ && op.inputs[k].data == nullptr)
        aliases.push_back({GE_ALIAS_IN_PLACE, static_cast<int32_t>(k), 0, 0, 0});
    }
    // A vector condition of Select chooses whole rows.
    rows_ = std::strcmp(op.type, "Select") == 0 && ranks_[0] == 1 && out_rank_ > 1;
    implementation = "typed elementwise";
    if (open) return;
    const Dims out = DimsOf(op.outputs[0]);
    std::vector<Dims> inputs;
    for (size_t k = 0; k < choice_.inputs; ++k) inputs.push_back(DimsOf(op.inputs[k]));
    const std::vector<Extents> extents(inputs.begin(), inputs.end());
    space_ = SpaceOf(out, extents.data(), room_);
    flops = static_cast<double>(Count(out));
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    if (!open_) {
      Run(args, space_);
      return GE_SUCCESS;
    }
    int64_t room[kRoom];
    Extents inputs[kMostInputs];
    for (size_t k = 0; k < choice_.inputs; ++k) inputs[k] = {args.input_dims[k], ranks_[k]};
    Run(args, SpaceOf({args.output_dims[0], out_rank_}, inputs, room));
    return GE_SUCCESS;
  }

 private:
  static constexpr size_t kMostInputs = 3, kRoom = Space::RoomFor(kMostInputs);

  Space SpaceOf(Extents out, const Extents *given, int64_t *room) const {
    Extents inputs[kMostInputs];
    std::copy_n(given, choice_.inputs, inputs);
    int64_t rows[Space::kMaxRank] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (rows_ && inputs[0][0] == out[0]) {
      rows[0] = out[0];
      inputs[0] = {rows, out_rank_};
    }
    return Collapse(out, {inputs, choice_.inputs}, room);
  }

  void Run(const GeKernelArgs &args, const Space &space) const {
    constexpr int64_t kPiece = 1 << 14;
    const int64_t inner = space.inner(), outer = Count(space.dims, space.dims + space.rank - 1);
    if (inner == 0 || outer == 0) return;
    int64_t step[kMostInputs] = {};
    for (size_t k = 0; k < choice_.inputs; ++k) step[k] = space.step(k);
    const int64_t pieces = (inner + kPiece - 1) / kPiece;
    Parallel(outer * pieces, std::max<int64_t>(1, 65536 / std::min(inner, kPiece)), [&](int64_t begin, int64_t end) {
      int64_t row = begin / pieces, piece = begin % pieces;
      RowWalk walk(space, row);
      for (int64_t unit = begin; unit < end; ++unit) {
        int64_t at = piece * kPiece;
        const void *in[kMostInputs];
        for (size_t k = 0; k < choice_.inputs; ++k)
          in[k] = static_cast<const char *>(args.inputs[k]) + (walk.offset(k) + at * step[k]) * bytes_[k];
        choice_.run(static_cast<char *>(args.outputs[0]) + (row * inner + at) * out_bytes_, in, step,
                    std::min(kPiece, inner - at));
        if (++piece == pieces) {
          piece = 0;
          ++row;
          walk.Next();
        }
      }
    });
  }

  Choice choice_;
  const bool open_;
  bool rows_ = false;
  size_t ranks_[kMostInputs] = {}, out_rank_ = 0;
  int64_t bytes_[kMostInputs] = {}, out_bytes_ = 0;
  int64_t room_[kRoom];  // of a kernel for one size
  Space space_;
};

void Check(const GeOpDesc &op) {
  Choice choice = Choose(op);
  if (op.input_count < choice.inputs) Refuse("inputs are missing");
  if (!choice.run) {
    if (std::strcmp(op.type, "Cast") == 0)
      Refuse("no cast from ", DataTypeName(op.inputs[0].data_type), " to ", DataTypeName(op.outputs[0].data_type));
    Refuse(DataTypeName(op.inputs[0].data_type), " is not supported");
  }
  bool rows = std::strcmp(op.type, "Select") == 0;
  for (size_t k = rows ? 1 : 0; k < choice.inputs; ++k) NeedBroadcast(op.inputs[k], op.outputs[0]);
  if (rows && op.inputs[0].rank >= 0 && op.outputs[0].rank >= 0 &&
      !(op.inputs[0].rank == 1 && op.inputs[0].dims[0] == op.outputs[0].dims[0]))
    NeedBroadcast(op.inputs[0], op.outputs[0]);
}

std::unique_ptr<Kernel> Create(const GeOpDesc &op, const Table *) { return std::make_unique<TypedKernel>(op, nullptr); }
std::unique_ptr<Kernel> CreateOpen(const GeOpDesc &op, const GeOpenExtents &extents, const Table *) {
  return std::make_unique<TypedKernel>(op, &extents);
}

}  // namespace

bool IsTyped(const GeOpDesc &op) {
  const Row *row = Find(op.type);
  return row && (!row->of_integers || TypeOf(op) == C_DT_INT32 || TypeOf(op) == C_DT_INT64);
}
const Family &TypedFamily() {
  static const Family family = {&Check, &Create, &CreateOpen};
  return family;
}

}  // namespace vec
