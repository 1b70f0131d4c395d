// A program between quantised tensors begins with (byte - zero) * scale and ends with round(x / scale) + zero. Those
// instructions go where the bytes are converted anyway, so that no value passes through memory for them.
#include <algorithm>

#include "program.h"

namespace vec {
namespace {

class Quantization {
 public:
  explicit Quantization(Program *p)
      : p_(*p), gone_(p->code.size(), false), reads_(static_cast<size_t>(p->inputs) + p->code.size(), 0) {
    for (const Instruction &in : p_.code)
      for (int32_t v : in.operands) Count(v);
    for (int32_t v : p_.outputs) Count(v);
  }

  void Run() {
    for (Stored stored : p_.stored_in) p_.form_in.push_back({stored == Stored::kInt8});
    for (Stored stored : p_.stored_out) p_.form_out.push_back({stored == Stored::kInt8});
    for (size_t k = 0; k < p_.stored_in.size(); ++k)
      if (IsByte(p_.In(k))) TakeInput(static_cast<int32_t>(k));
    for (size_t o = 0; o < p_.outputs.size(); ++o)
      if (IsByte(p_.Out(o))) TakeOutput(o);
    Renumber();
  }

 private:
  void Count(int32_t v) {
    if (v >= 0) ++reads_[static_cast<size_t>(v)];
  }

  Instruction *Maker(int32_t v) {
    return v >= p_.inputs && !gone_[static_cast<size_t>(v - p_.inputs)] ? &p_.code[static_cast<size_t>(v - p_.inputs)]
                                                                        : nullptr;
  }
  bool IsConstant(int32_t v) const { return v < 0 && v != GE_FUSED_NONE; }
  float ConstantAt(int32_t v) const { return p_.constants[static_cast<size_t>(-1 - v)]; }
  int32_t Value(size_t instruction) const { return p_.inputs + static_cast<int32_t>(instruction); }
  bool IsReadOnce(int32_t v) const { return reads_[static_cast<size_t>(v)] == 1; }

  /// The instruction that alone reads `v`, as its first operand beside a constant.
  size_t OnlyReader(int32_t v, int32_t opcode) const {
    if (!IsReadOnce(v)) return kNone;
    for (size_t i = 0; i < p_.code.size(); ++i) {
      const Instruction &in = p_.code[i];
      if (!gone_[i] && in.operands[0] == v) return in.opcode == opcode && IsConstant(in.operands[1]) ? i : kNone;
    }
    return kNone;
  }
  /// The instruction is not computed any more: whoever reads its value reads `v`.
  void Drop(size_t instruction, int32_t v) {
    gone_[instruction] = true;
    const int32_t value = Value(instruction);
    for (Instruction &in : p_.code) std::replace(std::begin(in.operands), std::end(in.operands), value, v);
    std::replace(p_.outputs.begin(), p_.outputs.end(), value, v);
    reads_[static_cast<size_t>(v)] = reads_[static_cast<size_t>(value)];
  }

  void TakeInput(int32_t k) {
    const size_t first = OnlyReader(k, GE_FUSED_SUB);
    const size_t scaled = OnlyReader(first == kNone ? k : Value(first), GE_FUSED_MUL);
    if (scaled == kNone) return;
    ByteForm &form = p_.form_in[static_cast<size_t>(k)];
    form.scale = ConstantAt(p_.code[scaled].operands[1]);
    if (first != kNone) {
      form.zero = ConstantAt(p_.code[first].operands[1]);
      Drop(first, k);
    }
    Drop(scaled, k);
  }

  void TakeOutput(size_t o) {
    const auto is = [&](int32_t v, int32_t opcode, bool beside_constant) {
      const Instruction *in = Maker(v);
      return in && IsReadOnce(v) && in->opcode == opcode && (!beside_constant || IsConstant(in->operands[1]));
    };
    const int32_t sum = p_.outputs[o];
    int32_t quotient = sum;
    ByteForm form = p_.form_out[o];
    if (is(sum, GE_FUSED_ADD, true)) {
      const int32_t rounded = Maker(sum)->operands[0];
      if (!is(rounded, GE_FUSED_ROUND, false)) return;
      quotient = Maker(rounded)->operands[0];
      form.zero = ConstantAt(Maker(sum)->operands[1]);
    }
    if (!is(quotient, GE_FUSED_DIV, true) || Maker(quotient)->operands[0] < 0) return;
    form.scale = ConstantAt(Maker(quotient)->operands[1]);
    const int32_t x = Maker(quotient)->operands[0];
    if (sum != quotient) {
      gone_[static_cast<size_t>(Maker(sum)->operands[0] - p_.inputs)] = true;
      gone_[static_cast<size_t>(sum - p_.inputs)] = true;
    }
    gone_[static_cast<size_t>(quotient - p_.inputs)] = true;
    p_.outputs[o] = x;
    p_.form_out[o] = form;
  }

  void Renumber() {
    std::vector<int32_t> now(p_.code.size());
    std::vector<Instruction> kept;
    const auto moved = [&](int32_t v) { return v < p_.inputs ? v : now[static_cast<size_t>(v - p_.inputs)]; };
    for (size_t i = 0; i < p_.code.size(); ++i) {
      if (gone_[i]) continue;
      Instruction in = p_.code[i];
      now[i] = in.dst = p_.inputs + static_cast<int32_t>(kept.size());
      for (int32_t &v : in.operands) v = moved(v);
      kept.push_back(in);
    }
    for (int32_t &v : p_.outputs) v = moved(v);
    p_.taken_in = static_cast<int64_t>(p_.code.size() - kept.size());
    p_.code = std::move(kept);
  }

  static constexpr size_t kNone = SIZE_MAX;
  Program &p_;
  std::vector<bool> gone_;      // per instruction
  std::vector<int32_t> reads_;  // per value
};

}  // namespace

void TakeInQuantization(Program *program) {
  if (!program->stored_in.empty()) Quantization(program).Run();
}

}  // namespace vec
