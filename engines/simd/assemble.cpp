// Registers and machine code of generated programs. The code of a vector is a straight line, so registers are given in
// one pass over it: where none is free, the value whose next use is farthest leaves its own (Belady, 1966).
#include <algorithm>
#include <cstddef>
#include <map>

#include <xbyak/xbyak.h>

#include "generated.h"
#include "kernel.h"

namespace vec {
namespace {

constexpr int kNone = -1;
constexpr int kMaxSlots = 64;  // vectors on the stack

/// Which steps are computed where.
struct Parts {
  std::vector<bool> kept;          // computed before a row and read in it
  std::vector<int> before, along;  // steps that are computed before a row, and for each vector
};

bool IsMask(const VectorStep &step) { return step.op == VectorOp::kCompare; }

Parts Divide(const VectorCode &code, std::span<const RowAccess> access) {
  const size_t n = code.steps.size();
  Parts parts{std::vector<bool>(n), {}, {}};
  std::vector<bool> same(n), along(n), before(n);  // same: all along a row
  for (size_t i = 0; i < n; ++i) {
    const VectorStep &step = code.steps[i];
    same[i] = step.op != VectorOp::kInput || access[step.bits] != RowAccess::kDense;
    for (int32_t from : step.in)
      if (from >= 0 && !same[static_cast<size_t>(from)]) same[i] = false;
  }
  const auto reads = [&](size_t from) {
    const VectorStep &step = code.steps[from];
    if (!same[from]) along[from] = true;
    // A mask may lie in a register of a kind of its own, of which there are few.
    else if (IsMask(step)) along[from] = true;
    else if (step.op != VectorOp::kNumber) parts.kept[from] = before[from] = true;
  };
  for (int32_t output : code.outputs) reads(static_cast<size_t>(output));
  for (size_t i = n; i-- > 0;)
    for (int32_t in : code.steps[i].in) {
      if (in < 0) continue;
      if (along[i]) reads(static_cast<size_t>(in));
      if (before[i]) before[static_cast<size_t>(in)] = true;
    }
  for (size_t i = 0; i < n; ++i) {
    const VectorOp op = code.steps[i].op;
    if (before[i] && op != VectorOp::kNumber) parts.before.push_back(static_cast<int>(i));
    if (along[i] && op != VectorOp::kInput) parts.along.push_back(static_cast<int>(i));
  }
  return parts;
}

/// Where an operand is read: a register or memory.
struct Source {
  int reg = kNone;
  Xbyak::Address memory{0, false, Xbyak::RegExp()};
};

class Assembler final : public GeneratedRows, private Xbyak::CodeGenerator {
 public:
  Assembler(const VectorCode &code, std::span<const RowAccess> access, size_t lanes)
      : CodeGenerator(4096, Xbyak::AutoGrow),
        program_(code),
        access_(access),
        wide_(lanes == 16),
        width_(static_cast<int>(lanes * sizeof(float))),
        parts_(Divide(code, access)),
        home_(code.steps.size()) {
    if (access.size() + code.outputs.size() > Rows::kMaxPlaces) Refuse("too many inputs and outputs");
    GivePointers();
    GiveHomes();
    Function();
    readyRE();  // never writable and executable at once
    code_ = getCode<Code>();
    bytes_ = {getCode(), getSize()};
    program_ = {};
    access_ = {};
  }

 private:
  // ---- what lies where for good ----

  struct Home {
    int reg = kNone, slot = kNone;
  };

  void GivePointers() {
    const Xbyak::Reg64 free[] = {rsi, rbx, r8, r9, r10, r11, r12, r13, r14, r15};
    size_t given = 0;
    const size_t places = access_.size() + program_.outputs.size();
    pointers_.resize(places);
    for (size_t k = 0; k < places; ++k) {
      if (k < access_.size() && access_[k] != RowAccess::kDense) continue;
      if (given == std::size(free)) Refuse("more inputs and outputs than registers to point at them");
      pointers_[k] = free[given++];
    }
  }

  /// Values that are computed before a row have registers as long as enough are left to work with.
  void GiveHomes() {
    free_ = wide_ ? 32 : kTailMask;
    const int working = wide_ ? 12 : 9;
    for (size_t i = 0; i < home_.size(); ++i) {
      if (!parts_.kept[i]) continue;
      if (free_ > working) home_[i].reg = --free_;
      else home_[i].slot = NewSlot();
    }
    home_slots_ = slots_;
  }

  int NewSlot() {
    if (slots_ == kMaxSlots) Refuse("more values than the stack has room for");
    return slots_++;
  }

  // ---- operands ----

  Xbyak::Xmm Vector(int reg) const { return wide_ ? Xbyak::Xmm(Xbyak::Zmm(reg)) : Xbyak::Xmm(Xbyak::Ymm(reg)); }
  Xbyak::Address Slot(int slot) { return ptr[rsp + slot * width_]; }
  static int PlaceAt(size_t k) { return static_cast<int>(offsetof(Rows, places) + k * sizeof(Rows::Place)); }
  Xbyak::Address Pointer(size_t k) { return ptr[rdi + PlaceAt(k)]; }
  Xbyak::Address Step(size_t k) { return ptr[rdi + PlaceAt(k) + static_cast<int>(offsetof(Rows::Place, step))]; }
  Xbyak::Address Number(uint32_t bits) { return ptr[rip + numbers_[bits]]; }
  template <class F>
  void With(const Source &source, F f) {
    if (source.reg != kNone) f(Vector(source.reg));
    else f(source.memory);
  }
  const VectorStep &At(int step) const { return program_.steps[static_cast<size_t>(step)]; }

  // ---- registers on the way along a straight line ----

  struct Line {
    std::vector<int> reg, slot;          // of each step
    std::vector<std::vector<int>> uses;  // places in the line, the last first
    std::vector<int> holds;              // of each register: the step
    std::vector<int> pinned;             // operands of the step at work
    int masks = 0;                       // registers k1 to k6 in use, a bit each
    bool tail = false;
    int at = 0;  // distance from the row's vector that rcx tells
  };

  void Begin(const std::vector<int> &steps, const std::vector<int32_t> &last) {
    const size_t n = program_.steps.size();
    line_.reg.assign(n, kNone);
    line_.slot.assign(n, kNone);
    line_.uses.assign(n, {});
    line_.holds.assign(static_cast<size_t>(free_), kNone);
    line_.masks = 0;
    slots_ = home_slots_;
    for (int32_t step : last) line_.uses[static_cast<size_t>(step)].push_back(static_cast<int>(steps.size()));
    for (size_t p = steps.size(); p-- > 0;)
      for (int32_t from : At(steps[p]).in)
        if (from >= 0) line_.uses[static_cast<size_t>(from)].push_back(static_cast<int>(p));
  }
  const Home &HomeOf(int step) const { return home_[static_cast<size_t>(step)]; }
  bool Moves(int step) const { return At(step).op == VectorOp::kInput && access_[At(step).bits] == RowAccess::kDense; }
  /// Can be read again where it came from.
  bool Lasts(int step) const {
    return At(step).op == VectorOp::kNumber || Moves(step) || HomeOf(step).slot != kNone ||
           line_.slot[static_cast<size_t>(step)] != kNone;
  }

  int Take() {
    for (int r = 0; r < free_; ++r)
      if (line_.holds[static_cast<size_t>(r)] == kNone) return r;
    int victim = kNone, farthest = -1;
    for (int r = 0; r < free_; ++r) {
      const int step = line_.holds[static_cast<size_t>(r)];
      if (std::count(line_.pinned.begin(), line_.pinned.end(), step)) continue;
      const std::vector<int> &uses = line_.uses[static_cast<size_t>(step)];
      const int next = uses.empty() ? INT32_MAX : uses.back();
      if (next > farthest) farthest = next, victim = r;
    }
    const int step = line_.holds[static_cast<size_t>(victim)];
    if (!Lasts(step)) {
      line_.slot[static_cast<size_t>(step)] = NewSlot();
      vmovups(Slot(line_.slot[static_cast<size_t>(step)]), Vector(victim));
    }
    Drop(step);
    return victim;
  }
  void Hold(int step, int reg) {
    line_.holds[static_cast<size_t>(reg)] = step;
    line_.reg[static_cast<size_t>(step)] = reg;
  }
  void Drop(int step) {
    const int reg = std::exchange(line_.reg[static_cast<size_t>(step)], kNone);
    if (reg != kNone) line_.holds[static_cast<size_t>(reg)] = kNone;
  }

  Source Read(int step) {
    if (HomeOf(step).reg != kNone) return {HomeOf(step).reg};
    if (line_.reg[static_cast<size_t>(step)] != kNone) return {line_.reg[static_cast<size_t>(step)]};
    // Nothing behind the end of a row is read, and a value that is read twice is loaded once.
    if (Moves(step) && (line_.tail || line_.uses[static_cast<size_t>(step)].size() > 1)) return {Load(step)};
    return {kNone, Memory(step)};
  }
  /// Of a value that lies in no register.
  Xbyak::Address Memory(int step) {
    const int slot = HomeOf(step).slot != kNone ? HomeOf(step).slot : line_.slot[static_cast<size_t>(step)];
    if (slot != kNone) return Slot(slot);
    return At(step).op == VectorOp::kNumber ? Number(At(step).bits) : Along(At(step).bits);
  }
  Xbyak::Address Along(size_t place) { return ptr[pointers_[place] + rcx + line_.at]; }
  int Load(int step) {
    const int reg = Take();
    Hold(step, reg);
    if (Moves(step) && line_.tail) {
      if (wide_) vmovups(Vector(reg) | k7 | T_z, Along(At(step).bits));
      else vmaskmovps(Vector(reg), Vector(kTailMask), Along(At(step).bits));
    } else {
      vmovups(Vector(reg), Memory(step));
    }
    return reg;
  }
  int Register(int step) {
    const Source source = Read(step);
    return source.reg != kNone ? source.reg : Load(step);
  }
  /// The last use was that by the step at work; its register may be written.
  bool Ends(int step, int place) const {
    const std::vector<int> &uses = line_.uses[static_cast<size_t>(step)];
    return HomeOf(step).reg == kNone && (uses.empty() || (uses.back() == place && uses.front() == place));
  }
  int Mask(int step) { return wide_ ? line_.reg[static_cast<size_t>(step)] : Register(step); }

  /// The step at work has read its operands: registers of those that end here may be written.
  void Retire(int step, int place) {
    for (int from : At(step).in) {
      if (from < 0) continue;
      std::vector<int> &uses = line_.uses[static_cast<size_t>(from)];
      while (!uses.empty() && uses.back() == place) uses.pop_back();
      if (!uses.empty()) continue;
      if (wide_ && IsMask(At(from))) line_.masks &= ~(1 << line_.reg[static_cast<size_t>(from)]);
      else Drop(from);
    }
  }
  void Made(int step, int reg) {
    const Home &home = HomeOf(step);
    if (home.reg != kNone) return vmovaps(Vector(home.reg), Vector(reg));
    if (home.slot != kNone) vmovups(Slot(home.slot), Vector(reg));
    if (!line_.uses[static_cast<size_t>(step)].empty()) Hold(step, reg);
  }

  // ---- steps ----

  void Emit(int step, int place) {
    const VectorStep &s = At(step);
    line_.pinned.assign(s.in, s.in + 3);
    switch (s.op) {
      case VectorOp::kInput:
        return Spread(step);
      case VectorOp::kMulAdd:
      case VectorOp::kNegMulAdd:
        return MultiplyAdd(step, place);
      case VectorOp::kCompare:
        return Compare(step, place);
      case VectorOp::kChoose:
      case VectorOp::kKeep:
      case VectorOp::kDrop:
        return Blend(step, place);
      case VectorOp::kSqrt:
      case VectorOp::kRound:
      case VectorOp::kShiftLeft:
      case VectorOp::kShiftRight:
        return OfOne(step, place);
      default:
        return OfTwo(step, place);
    }
  }

  /// One value or one vector, for the whole row.
  void Spread(int step) {
    const size_t k = At(step).bits;
    const int to = Take();
    mov(rax, Pointer(k));
    if (access_[k] == RowAccess::kOne) vbroadcastss(Vector(to), ptr[rax]);
    else vmovups(Vector(to), ptr[rax]);
    Made(step, to);
  }

  void OfOne(int step, int place) {
    const VectorStep &s = At(step);
    const bool shift = s.op == VectorOp::kShiftLeft || s.op == VectorOp::kShiftRight;
    const Source x = shift ? Source{Register(s.in[0])} : Read(s.in[0]);
    Retire(step, place);
    const int to = Take();
    const Xbyak::Xmm y = Vector(to);
    const auto bits = static_cast<uint8_t>(s.bits);
    With(x, [&](const Xbyak::Operand &from) {
      if (s.op == VectorOp::kShiftLeft) vpslld(y, from, bits);
      else if (s.op == VectorOp::kShiftRight) vpsrad(y, from, bits);
      else if (s.op == VectorOp::kSqrt) vsqrtps(y, from);
      else if (wide_) vrndscaleps(y, from, bits);
      else vroundps(y, from, bits);
    });
    Made(step, to);
  }

  void OfTwo(int step, int place) {
    const VectorStep &s = At(step);
    int32_t a = s.in[0], b = s.in[1];
    const bool either = s.op != VectorOp::kSub && s.op != VectorOp::kDiv && s.op != VectorOp::kMax &&
                        s.op != VectorOp::kMin && s.op != VectorOp::kSubInts;
    if (either && Read(a).reg == kNone) std::swap(a, b);
    const Xbyak::Xmm x = Vector(Register(a));
    const Source from = Read(b);
    Retire(step, place);
    const int to = Take();
    const Xbyak::Xmm y = Vector(to);
    With(from, [&](const Xbyak::Operand &z) {
      switch (s.op) {
        case VectorOp::kAdd:
          return vaddps(y, x, z);
        case VectorOp::kSub:
          return vsubps(y, x, z);
        case VectorOp::kMul:
          return vmulps(y, x, z);
        case VectorOp::kDiv:
          return vdivps(y, x, z);
        case VectorOp::kMax:
          return vmaxps(y, x, z);
        case VectorOp::kMin:
          return vminps(y, x, z);
        case VectorOp::kAnd:
          return vandps(y, x, z);
        case VectorOp::kOr:
          return vorps(y, x, z);
        case VectorOp::kXor:
          return vxorps(y, x, z);
        case VectorOp::kAddInts:
          return vpaddd(y, x, z);
        default:
          return vpsubd(y, x, z);
      }
    });
    Made(step, to);
  }

  /// The processor adds to one of its three operands, only the last of which may lie in memory: 132, 213 and 231 say
  /// which two are multiplied, by their places.
  void MultiplyAdd(int step, int place) {
    int32_t a = At(step).in[0], b = At(step).in[1];
    const int32_t c = At(step).in[2];
    if (Read(a).reg == kNone || (Ends(b, place) && !Ends(a, place) && Read(b).reg != kNone)) std::swap(a, b);
    const int x = Register(a);
    const bool over_c = Read(c).reg != kNone && Ends(c, place), over_a = !over_c && Ends(a, place);
    Source y = Read(b), z = Read(c);
    if (over_a && y.reg == kNone && z.reg == kNone) z = {Register(c)};
    const bool negative = At(step).op == VectorOp::kNegMulAdd;
    Retire(step, place);
    if (over_a) {
      const Xbyak::Xmm to = Vector(x);
      if (y.reg == kNone) {
        if (negative) vfnmadd132ps(to, Vector(z.reg), y.memory);
        else vfmadd132ps(to, Vector(z.reg), y.memory);
      } else {
        With(z, [&](const Xbyak::Operand &from) {
          if (negative) vfnmadd213ps(to, Vector(y.reg), from);
          else vfmadd213ps(to, Vector(y.reg), from);
        });
      }
      return Made(step, x);
    }
    const int reg = over_c ? z.reg : Take();
    const Xbyak::Xmm to = Vector(reg);
    if (!over_c) With(z, [&](const Xbyak::Operand &from) { vmovups(to, from); });
    With(y, [&](const Xbyak::Operand &from) {
      if (negative) vfnmadd231ps(to, Vector(x), from);
      else vfmadd231ps(to, Vector(x), from);
    });
    Made(step, reg);
  }

  void Compare(int step, int place) {
    const VectorStep &s = At(step);
    const Xbyak::Xmm x = Vector(Register(s.in[0]));
    const Source y = Read(s.in[1]);
    const auto how = static_cast<uint8_t>(s.bits);
    Retire(step, place);
    if (!wide_) {
      const int to = Take();
      With(y, [&](const Xbyak::Operand &from) { vcmpps(Vector(to), x, from, how); });
      return Made(step, to);
    }
    const int mask = TakeMask();
    With(y, [&](const Xbyak::Operand &from) { vcmpps(Xbyak::Opmask(mask), x, from, how); });
    line_.reg[static_cast<size_t>(step)] = mask;
  }
  int TakeMask() {
    for (int k = 1; k < kTailK; ++k)
      if (!(line_.masks & 1 << k)) return line_.masks |= 1 << k, k;
    Refuse("more masks than registers for them");
  }

  void Blend(int step, int place) {
    const VectorStep &s = At(step);
    const int mask = Mask(s.in[0]);
    const Source x = Read(s.in[1]);
    const int other = s.op == VectorOp::kChoose ? Register(s.in[2]) : kNone;
    Retire(step, place);
    const int to = Take();
    const Xbyak::Xmm y = Vector(to);
    const Xbyak::Opmask k(wide_ ? mask : 0);
    if (wide_ && s.op == VectorOp::kDrop) knotw(k, k);
    With(x, [&](const Xbyak::Operand &from) {
      if (s.op == VectorOp::kChoose) {
        if (wide_) vblendmps(y | k, Vector(other), from);
        else vblendvps(y, Vector(other), from, Vector(mask));
      } else if (wide_) {
        vmovups(y | k | T_z, from);
      } else if (s.op == VectorOp::kKeep) {
        vandps(y, Vector(mask), from);
      } else {
        vandnps(y, Vector(mask), from);
      }
    });
    if (wide_ && s.op == VectorOp::kDrop) knotw(k, k);  // another step may read it
    Made(step, to);
  }

  // ---- the function ----

  void BeforeRow() {
    Begin(parts_.before, {});
    for (size_t p = 0; p < parts_.before.size(); ++p) Emit(parts_.before[p], static_cast<int>(p));
  }

  void AlongRow(int at, bool tail) {
    Begin(parts_.along, program_.outputs);
    line_.at = at;
    line_.tail = tail;
    for (size_t p = 0; p < parts_.along.size(); ++p) Emit(parts_.along[p], static_cast<int>(p));
    for (size_t o = 0; o < program_.outputs.size(); ++o) {
      line_.pinned.clear();
      const Xbyak::Xmm value = Vector(Register(program_.outputs[o]));
      const Xbyak::Address to = Along(access_.size() + o);
      if (!tail) vmovups(to, value);
      else if (wide_) vmovups(to | k7, value);
      else vmaskmovps(to, Vector(kTailMask), value);
    }
  }

  /// So many vectors at a time, as long as there are.
  void Vectors(int count) {
    Xbyak::Label again, none;
    lea(rax, ptr[rdx - count * width_]);
    cmp(rcx, rax);
    jg(none, T_NEAR);
    align(32);
    L(again);
    for (int k = 0; k < count; ++k) AlongRow(k * width_, false);
    add(rcx, count * width_);
    cmp(rcx, rax);
    jle(again, T_NEAR);
    L(none);
  }

  void Tail() {
    Xbyak::Label none;
    sub(rdx, rcx);
    jle(none, T_NEAR);
    if (wide_) {
      shr(rdx, 2);
      mov(eax, 0xffff);
      bzhi(eax, eax, edx);
      kmovw(k7, eax);
    } else {
      // A window of ones and zeros, so that as many ones are in it as values are left.
      lea(rax, ptr[rip + mask_]);
      sub(rax, rdx);
      vmovups(Vector(kTailMask), ptr[rax + width_]);
    }
    AlongRow(0, true);
    L(none);
  }

  void NextRow() {
    for (size_t k = 0; k < pointers_.size(); ++k) {
      if (pointers_[k].getIdx() != 0) {
        add(pointers_[k], Step(k));
      } else {
        mov(rax, Step(k));
        add(Pointer(k), rax);
      }
    }
  }

  void Function() {
    const Xbyak::Reg64 saved[] = {rbx, rbp, r12, r13, r14, r15};
    for (const Xbyak::Reg64 &reg : saved) push(reg);
    mov(rbp, rsp);
    and_(rsp, -64);
    sub(rsp, kMaxSlots * width_);
    for (size_t k = 0; k < pointers_.size(); ++k)
      if (pointers_[k].getIdx() != 0) mov(pointers_[k], Pointer(k));
    Xbyak::Label row;
    L(row);
    BeforeRow();
    mov(rdx, ptr[rdi + static_cast<int>(offsetof(Rows, bytes))]);
    xor_(ecx, ecx);
    // Of short programs several vectors, for the loop takes its time, too.
    const size_t steps = parts_.along.size();
    if (steps <= 24) Vectors(steps <= 6 ? 4 : 2);
    Vectors(1);
    Tail();
    NextRow();
    dec(qword[rdi + static_cast<int>(offsetof(Rows, count))]);
    jnz(row, T_NEAR);
    vzeroupper();
    mov(rsp, rbp);
    for (size_t k = std::size(saved); k-- > 0;) pop(saved[k]);
    ret();
    Data();
  }

  void Data() {
    align(64);
    for (auto &[bits, label] : numbers_) {
      L(label);
      for (int i = 0; i < width_; i += 4) dd(bits);
    }
    if (wide_) return;
    L(mask_);  // as many zeros as ones
    for (uint32_t ones : {~0u, 0u})
      for (int i = 0; i < width_; i += 4) dd(ones);
  }

  static constexpr int kTailMask = 15, kTailK = 7;  // registers that only the end of a row needs

  VectorCode program_;
  std::span<const RowAccess> access_;
  const bool wide_;
  const int width_;  // of a vector
  const Parts parts_;
  std::vector<Home> home_;
  std::vector<Xbyak::Reg64> pointers_;  // of places that move; else rax
  std::map<uint32_t, Xbyak::Label> numbers_;
  Xbyak::Label mask_;
  Line line_;
  int free_ = 0;                    // registers below are for values on the way
  int home_slots_ = 0, slots_ = 0;  // taken for good, and by the line at work as well
};

}  // namespace

std::shared_ptr<const GeneratedRows> Assemble(const VectorCode &code, std::span<const RowAccess> access, size_t lanes) {
  return std::make_shared<Assembler>(code, access, lanes);
}

}  // namespace vec
