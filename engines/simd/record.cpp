// Formulas are evaluated with vectors that note down what is done with them.
#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "formula_tags.h"
#include "vector_code.h"

namespace vec {
namespace {

constexpr uint32_t kSign = 0x80000000u;

/// The vectors that Formulas works with.
class Recorder {
 public:
  struct V {
    int32_t step;
  };
  struct M {
    int32_t step;
  };
  struct I {
    int32_t step;
  };
  V Input(size_t k) const { return {Note({VectorOp::kInput, static_cast<uint32_t>(k)})}; }
  V Set(float x) const { return {Number(std::bit_cast<uint32_t>(x))}; }
  V Add(V x, V y) const { return {Note({VectorOp::kAdd, 0, {x.step, y.step}})}; }
  V Sub(V x, V y) const { return {Note({VectorOp::kSub, 0, {x.step, y.step}})}; }
  V Mul(V x, V y) const { return {Note({VectorOp::kMul, 0, {x.step, y.step}})}; }
  V Div(V x, V y) const { return {Note({VectorOp::kDiv, 0, {x.step, y.step}})}; }
  V MulAdd(V x, V y, V z) const { return {Note({VectorOp::kMulAdd, 0, {x.step, y.step, z.step}})}; }
  V NegMulAdd(V x, V y, V z) const { return {Note({VectorOp::kNegMulAdd, 0, {x.step, y.step, z.step}})}; }
  V Max(V x, V y) const { return {Note({VectorOp::kMax, 0, {x.step, y.step}})}; }
  V Min(V x, V y) const { return {Note({VectorOp::kMin, 0, {x.step, y.step}})}; }
  V Sqrt(V x) const { return {Note({VectorOp::kSqrt, 0, {x.step}})}; }
  // Roundings that raise no flag: to even, down, up.
  V Round(V x) const { return {Note({VectorOp::kRound, 8, {x.step}})}; }
  V Floor(V x) const { return {Note({VectorOp::kRound, 9, {x.step}})}; }
  V Ceil(V x) const { return {Note({VectorOp::kRound, 10, {x.step}})}; }
  V Abs(V x) const { return {OfBits(VectorOp::kAnd, x.step, Number(~kSign))}; }
  V Neg(V x) const { return {OfBits(VectorOp::kXor, x.step, Number(kSign))}; }
  V CopySign(V size, V sign) const {
    const int32_t rest = OfBits(VectorOp::kAnd, size.step, Number(~kSign));
    return {OfBits(VectorOp::kOr, OfBits(VectorOp::kAnd, sign.step, Number(kSign)), rest)};
  }
  // Comparisons that are silent about NaN.
  M Eq(V x, V y) const { return Compare(0x00, x, y); }
  M Ne(V x, V y) const { return Compare(0x0C, x, y); }
  M Lt(V x, V y) const { return Compare(0x11, x, y); }
  M Le(V x, V y) const { return Compare(0x12, x, y); }
  M Gt(V x, V y) const { return Compare(0x1E, x, y); }
  M Ge(V x, V y) const { return Compare(0x1D, x, y); }
  M IsNaN(V x) const { return Compare(0x03, x, x); }
  V IfThenElse(M m, V x, V y) const { return {Note({VectorOp::kChoose, 0, {m.step, x.step, y.step}})}; }
  V IfThenElseZero(M m, V x) const { return {Note({VectorOp::kKeep, 0, {m.step, x.step}})}; }
  V IfThenZeroElse(M m, V x) const { return {Note({VectorOp::kDrop, 0, {m.step, x.step}})}; }
  I BitsOf(V x) const { return {x.step}; }
  V FloatOf(I x) const { return {x.step}; }
  I SetBits(int32_t x) const { return {Number(static_cast<uint32_t>(x))}; }
  I Add(I x, I y) const { return {Note({VectorOp::kAddInts, 0, {x.step, y.step}})}; }
  I Sub(I x, I y) const { return {Note({VectorOp::kSubInts, 0, {x.step, y.step}})}; }
  template <int kBits>
  I ShiftLeft(Bits<kBits>, I x) const {
    return {Note({VectorOp::kShiftLeft, kBits, {x.step}})};
  }
  template <int kBits>
  I ShiftRight(Bits<kBits>, I x) const {
    return {Note({VectorOp::kShiftRight, kBits, {x.step}})};
  }

  const std::vector<VectorStep> &steps() const { return steps_; }

 private:
  int32_t Number(uint32_t bits) const { return Note({VectorOp::kNumber, bits}); }
  M Compare(uint32_t how, V x, V y) const { return {Note({VectorOp::kCompare, how, {x.step, y.step}})}; }
  /// Signs of numbers are taken here and now.
  int32_t OfBits(VectorOp op, int32_t a, int32_t b) const {
    const VectorStep x = steps_[static_cast<size_t>(a)], y = steps_[static_cast<size_t>(b)];
    if (x.op != VectorOp::kNumber || y.op != VectorOp::kNumber) return Note({op, 0, {a, b}});
    return Number(op == VectorOp::kAnd ? x.bits & y.bits : op == VectorOp::kOr ? x.bits | y.bits : x.bits ^ y.bits);
  }
  int32_t Note(const VectorStep &step) const {
    const auto [place, fresh] = known_.emplace(step, static_cast<int32_t>(steps_.size()));
    if (fresh) steps_.push_back(step);
    return place->second;
  }
  // Formulas are functions of constant vectors: what they leave behind is not part of these.
  mutable std::vector<VectorStep> steps_;
  mutable std::map<VectorStep, int32_t> known_;
};

#define FORMULA inline
#include "formulas-inl.h"
#undef FORMULA
using Recording = Formulas<Recorder>;
using V = Recorder::V;

template <int32_t kOpcode, int kOperands>
std::optional<V> Do(const Recording &f, V x, V y, V z) {
  constexpr Opcode<kOpcode> opcode;
  if constexpr (kOpcode == GE_FUSED_POW) {
    const VectorStep &exponent = f.steps()[static_cast<size_t>(y.step)];
    const float e = std::bit_cast<float>(exponent.bits);
    if (exponent.op == VectorOp::kNumber && f.IsPlainPower(e)) return f.PlainPower(x, e);
  } else if constexpr (kOperands == 1) {
    if constexpr (requires { f.Do(opcode, x); }) return f.Do(opcode, x);
  } else if constexpr (kOperands == 2) {
    return f.Do(opcode, x, y);
  } else {
    return f.Do(opcode, x, y, z);
  }
  return std::nullopt;
}

std::optional<V> Do(const Recording &f, int32_t opcode, const V (&in)[3]) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) \
  case number:                                                                          \
    return Do<number, operands>(f, in[0], in[1], in[2]);
#include "ge/elementwise.def"
    default:
      return std::nullopt;
  }
}

/// Leaves out what no output needs.
VectorCode Needed(const std::vector<VectorStep> &steps, const std::vector<V> &outputs) {
  std::vector<int32_t> place(steps.size(), -1);
  for (const V &output : outputs) place[static_cast<size_t>(output.step)] = 0;
  for (size_t i = steps.size(); i-- > 0;)
    for (int32_t from : steps[i].in)
      if (place[i] >= 0 && from >= 0) place[static_cast<size_t>(from)] = 0;
  VectorCode code;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (place[i] < 0) continue;
    place[i] = static_cast<int32_t>(code.steps.size());
    VectorStep step = steps[i];
    for (int32_t &from : step.in)
      if (from >= 0) from = place[static_cast<size_t>(from)];
    code.steps.push_back(step);
  }
  for (const V &output : outputs) code.outputs.push_back(place[static_cast<size_t>(output.step)]);
  return code;
}

/// Cycles from the operands to the result; processors of the last ten years differ by one or two.
double Latency(VectorOp op) {
  switch (op) {
    case VectorOp::kInput:
    case VectorOp::kNumber:
      return 0;
    case VectorOp::kDiv:
    case VectorOp::kSqrt:
      return 12;
    case VectorOp::kAdd:
    case VectorOp::kSub:
    case VectorOp::kMul:
    case VectorOp::kMulAdd:
    case VectorOp::kNegMulAdd:
    case VectorOp::kRound:
      return 4;
    default:
      return 1.5;
  }
}

}  // namespace

// Fitted to chains of 1 to 100 instructions on a Zen 3 core, which looks some 170 of these operations ahead: so many
// vectors are at work at once as fit into these. Loops load and store in each instruction, two cycles, and do 1.3
// operations a cycle. What is nearly even stays with them.
bool LoopsAreFaster(const VectorCode &code, size_t instructions) {
  std::vector<double> end(code.steps.size());
  double longest = 0, operations = 0;
  for (size_t i = 0; i < end.size(); ++i) {
    const VectorStep &step = code.steps[i];
    for (int32_t from : step.in)
      if (from >= 0) end[i] = std::max(end[i], end[static_cast<size_t>(from)]);
    end[i] += Latency(step.op);
    longest = std::max(longest, end[i]);
    operations += step.op != VectorOp::kInput && step.op != VectorOp::kNumber;
  }
  const double at_once = std::max(1.0, 170 / std::max(1.0, operations));
  return longest / at_once > 0.85 * (operations / 1.3 + 2 * static_cast<double>(instructions));
}

std::optional<VectorCode> Record(const Program &program) {
  Recording f;
  std::vector<V> values;
  for (int32_t k = 0; k < program.inputs; ++k) values.push_back(f.Input(static_cast<size_t>(k)));
  for (const Instruction &instruction : program.code) {
    V in[3] = {{-1}, {-1}, {-1}};
    for (int k = 0; k < 3; ++k) {
      const int32_t v = instruction.operands[k];
      if (v == GE_FUSED_NONE) continue;
      in[k] = v < 0 ? f.Set(program.constants[static_cast<size_t>(-1 - v)]) : values[static_cast<size_t>(v)];
    }
    const std::optional<V> value = Do(f, instruction.opcode, in);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  std::vector<V> outputs;
  for (int32_t v : program.outputs) outputs.push_back(values[static_cast<size_t>(v)]);
  return Needed(f.steps(), outputs);
}

}  // namespace vec
