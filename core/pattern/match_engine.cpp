#include "core/pattern/match_engine.h"

#include <algorithm>

#include "core/ir/types.h"
#include "core/pattern/constraint.h"
#include "core/support/error.h"

namespace gec {

template <class Expected, class Actual>
bool MatchEngine::Fail(size_t slot, const Node *at, Mismatch kind, Expected &&expected, Actual &&actual) {
  // Mostly nobody watches: making the texts stays out of the way of the search.
  const auto tell = [&]() __attribute__((noinline, cold)) {
    const auto matched = static_cast<size_t>(
        std::count_if(states_.begin(), states_.end(), [](const MatchState &state) { return bool(state.at); }));
    observer_->Failed(slot, program_->slots[slot].pattern, at, kind, expected(), actual(), matched);
  };
  if (observer_) tell();
  return false;
}

[[gnu::always_inline]] inline void MatchEngine::Push(MatchOperand want, Endpoint at, const Node *reader,
                                                     int32_t level) {
  goals_.push_back({want, at, head_, level, reader});
  head_ = static_cast<int32_t>(goals_.size()) - 1;
}

/// The level of goals that are there because of the choice.
int32_t MatchEngine::Choose(Choice::Kind kind, int32_t next, size_t what, int32_t port, Endpoint at, int32_t level) {
  choices_.push_back(
      {kind, next, what, port, at, head_, level, 0, goals_.size(), trail_.size(), candidates_.size(), output_});
  return static_cast<int32_t>(choices_.size());
}

[[gnu::always_inline]] inline void MatchEngine::Set(int slot, MatchState state) {
  MatchState &place = states_[static_cast<size_t>(slot)];
  if (!choices_.empty()) trail_.emplace_back(slot, place);
  place = state;
}

bool MatchEngine::Run(const MatchProgram &program, Node *root, MatchSearch *search) {
  // An observer is told where the search ends.
  if (!observer_ && !program.MayBeginAt(*root)) return false;
  program_ = &program;
  search_ = search;
  states_.assign(program.slots.size(), MatchState());
  if (levels_.size() < program.slots.size()) levels_.resize(program.slots.size());
  goals_.clear();
  choices_.clear();
  trail_.clear();
  candidates_.clear();
  head_ = -1;
  output_ = 1;
  if (steps_) {
    steps_ = 0;
    hopeless_.clear();
  }
  Push({program.outputs[0].slot, kOutputItself}, {root, 0}, nullptr, 0);
  for (;;) {
    bool fine;
    if (head_ >= 0) {
      const Goal goal = goals_[static_cast<size_t>(head_)];
      head_ = goal.next;
      fine = Meet(goal);
    } else if (output_ < program.outputs.size()) {
      fine = StartOutputs();
    } else {
      if (!search || search->Accept(states_)) return true;
      // Which of the choices another solution needs, nobody knows.
      const auto all = static_cast<int32_t>(choices_.size());
      conflict_ = {all, all - 1};
      fine = false;
    }
    if (!fine && (conflict_.level == 0 || !Again())) return false;
  }
}

/// The next output, when nothing that has matched led to it.
bool MatchEngine::StartOutputs() {
  const size_t output = output_++;
  if (states_[static_cast<size_t>(program_->outputs[output].slot)].at) return true;
  const size_t first = candidates_.size();
  search_->Candidates(output, states_, &candidates_);
  // Other nodes may come in question after any other choice.
  const auto all = static_cast<int32_t>(choices_.size());
  conflict_ = {Choose(Choice::kOutput, static_cast<int32_t>(first), output, -1, {}, all), all};
  return false;  // the first candidate is the first choice
}

bool MatchEngine::Meet(const Goal &goal) {
  const auto number = static_cast<size_t>(goal.want.slot);
  const MatchSlot &slot = program_->slots[number];
  conflict_ = {goal.level, 0};
  if (!goal.at)
    return Fail(
        number, goal.reader, Mismatch::kArity, [] { return "a connected input"; }, [] { return "none"; });
  const MatchState &have = states_[number];
  if (have.at) {
    const bool whole = have.missing || have.instead >= 0 || slot.kind == MatchSlot::kAny;
    const bool same = whole ? have.at == goal.at
                            : have.at.node == goal.at.node && (goal.want.port < 0 || goal.want.port == goal.at.port);
    if (same) return true;
    const int32_t bound = levels_[number];
    if (bound != goal.level) conflict_ = {std::max(bound, goal.level), std::min(bound, goal.level)};
    return Fail(
        number, goal.at.node, Mismatch::kPosition,
        [&] { return Str("output ", std::max(goal.want.port, 0), " of ", have.at.node->Label()); },
        [&] { return Str("output ", goal.at.port, " of ", goal.at.node->Label()); });
  }
  if (!hopeless_.empty() && hopeless_.count({number, goal.want.port, goal.at.node, goal.at.port})) return false;
  const size_t variants = slot.alternatives.size() + (slot.optional_input >= 0 ? 1 : 0);
  if (variants) conflict_.level = Choose(Choice::kVariant, 0, number, goal.want.port, goal.at, goal.level);
  return Enter(goal.want, goal.at, conflict_.level);
}

/// The node itself, not what may stand in its place.
bool MatchEngine::Enter(const MatchOperand &want, Endpoint at, int32_t level) {
  const auto number = static_cast<size_t>(want.slot);
  const MatchSlot &slot = program_->slots[number];
  if (slot.kind == MatchSlot::kOp && want.port >= 0 && want.port != at.port)
    return Fail(
        number, at.node, Mismatch::kPosition, [&] { return Str("output ", want.port); },
        [&] { return Str("output ", at.port, " of ", at.node->Label()); });
  if (!Fits(number, at, want.port == kOutputItself)) return false;
  Set(want.slot, {at});
  levels_[number] = level;
  if (slot.kind != MatchSlot::kOp) return true;
  if (slot.commutative && OrderMatters(slot, *at.node)) level = Choose(Choice::kSwap, 0, number, want.port, at, level);
  PushInputs(slot, *at.node, false, level);
  return true;
}

/// False: both operands are one and the same, in the pattern or in the graph.
bool MatchEngine::OrderMatters(const MatchSlot &slot, const Node &node) const {
  if (slot.inputs.size() < 2) return false;
  const MatchOperand &a = slot.inputs[0], &b = slot.inputs[1];
  if (a.slot == b.slot && a.port == b.port) return false;
  const int32_t x = MatchedInput(slot, node, 0), y = MatchedInput(slot, node, 1);
  return x < 0 || y < 0 || node.input(static_cast<size_t>(x)) != node.input(static_cast<size_t>(y));
}

void MatchEngine::PushInputs(const MatchSlot &slot, const Node &node, bool swapped, int32_t level) {
  for (size_t i = slot.inputs.size(); i-- > 0;) {
    if (slot.inputs[i].slot < 0) continue;
    const int32_t port = MatchedInput(slot, node, swapped && i < 2 ? 1 - i : i);
    Push(slot.inputs[i], port >= 0 ? node.input(static_cast<size_t>(port)) : Endpoint(), &node, level);
  }
}

bool MatchEngine::Fits(size_t number, Endpoint at, bool output) {
  const MatchSlot &slot = program_->slots[number];
  if (slot.kind == MatchSlot::kConst && !ConstantOf(at))
    return Fail(
        number, at.node, Mismatch::kConstant, [] { return "a constant"; }, [&] { return at.node->Label(); });
  // A slot of any tensor that is an output of the pattern stands for an input of the graph there.
  const bool typed = output ? !slot.types.empty() : slot.kind == MatchSlot::kOp && !slot.any_type;
  if (typed) {
    const Symbol type = slot.known_types ? at.node->known_type() : at.node->type();
    if (std::find(slot.types.begin(), slot.types.end(), type) == slot.types.end())
      return Fail(
          number, at.node, Mismatch::kOperator, [&] { return TypesText(slot.types); },
          [&] { return at.node->Label(); });
  }
  if (slot.kind == MatchSlot::kOp && !FitsInputs(number, *at.node)) return false;
  for (const MatchConstraint &test : slot.constraints)
    if (!Holds(number, test, at)) return false;
  return true;
}

bool MatchEngine::FitsInputs(size_t number, const Node &node) {
  const MatchSlot &slot = program_->slots[number];
  const size_t count = slot.inputs.size();
  auto refuse = [&](size_t port) {
    return Fail(
        number, &node, Mismatch::kArity,
        [&] { return Str("input ", port, slot.commutative ? " of two" : "", " as in the pattern"); },
        [&] { return port < node.input_count() && node.input(port) ? "connected" : "not connected"; });
  };
  if (slot.dynamic) return FitsDynamicInputs(number, node);
  for (size_t i = 0; i < count; ++i)
    if ((i < node.input_count() && node.input(i)) != (slot.inputs[i].slot >= 0)) return refuse(i);
  for (size_t i = count; !slot.more_inputs && i < node.input_count(); ++i)
    if (node.input(i)) return refuse(i);
  return true;
}

bool MatchEngine::FitsDynamicInputs(size_t number, const Node &node) {
  const MatchSlot &slot = program_->slots[number];
  auto refuse = [&](size_t input, bool connected) {
    return Fail(
        number, &node, Mismatch::kArity, [&] { return Str("input ", input, " as in the pattern"); },
        [&] { return connected ? "connected" : "not connected"; });
  };
  for (size_t i = 0; i < slot.inputs.size(); ++i) {
    const int32_t port = MatchedInput(slot, node, i);
    const bool connected = port >= 0 && node.input(static_cast<size_t>(port));
    if (connected != (slot.inputs[i].slot >= 0)) return refuse(i, connected);
  }
  for (size_t i = 0; !slot.more_inputs && i < node.input_count(); ++i)
    if (node.input(i) && IsSurplus(slot, node, i)) return refuse(i, true);
  return true;
}

bool MatchEngine::Holds(size_t number, const MatchConstraint &test, Endpoint at) {
  if (ConstraintHolds(test, at)) return true;
  return Fail(
      number, at.node, MismatchOf(test), [&] { return ExpectedOf(test); }, [&] { return ActualOf(test, at); });
}

/// Back to the newest choice that what failed depends on and that has a way left.
bool MatchEngine::Again() {
  while (conflict_.level > 0) {
    if (++steps_ > kMostSteps) TooLong();
    choices_.resize(static_cast<size_t>(conflict_.level));
    Choice &choice = choices_.back();
    choice.before = std::max(choice.before, conflict_.before);
    while (trail_.size() > choice.trail) {
      states_[static_cast<size_t>(trail_.back().first)] = trail_.back().second;
      trail_.pop_back();
    }
    goals_.resize(choice.goals);
    head_ = choice.head;
    candidates_.resize(choice.candidates);
    output_ = choice.outputs;
    if (Retry(choice)) return true;
    Exhausted(choice);
    choices_.pop_back();
  }
  return false;
}

/// Takes the next way of a choice. False: there is none.
bool MatchEngine::Retry(Choice &choice) {
  const auto level = static_cast<int32_t>(choices_.size());
  const MatchSlot *slot = choice.kind == Choice::kOutput ? nullptr : &program_->slots[choice.what];
  switch (choice.kind) {
    case Choice::kOutput: {
      if (static_cast<size_t>(choice.next) == choice.candidates) return false;
      Node *node = candidates_[static_cast<size_t>(choice.next++)];
      Push({program_->outputs[choice.what].slot, kOutputItself}, {node, 0}, nullptr, level);
      return true;
    }
    case Choice::kSwap: {
      if (choice.next++) return false;
      MatchState state = states_[choice.what];
      state.swapped = true;
      Set(static_cast<int>(choice.what), state);
      PushInputs(*slot, *choice.at.node, true, level);
      return true;
    }
    case Choice::kVariant:
      break;
  }
  const auto turn = static_cast<size_t>(choice.next++);
  const bool other = turn < slot->alternatives.size();
  if (turn >= slot->alternatives.size() + (slot->optional_input >= 0 ? 1 : 0)) return false;
  MatchState state{choice.at, !other, false, other ? static_cast<int32_t>(turn) : -1};
  Set(static_cast<int>(choice.what), state);
  levels_[choice.what] = level;
  MatchOperand want = other ? slot->alternatives[turn] : slot->inputs[static_cast<size_t>(slot->optional_input)];
  if (choice.port == kOutputItself) want.port = kOutputItself;
  Push(want, choice.at, nullptr, level);
  return true;
}

/// A choice without a way that works fails itself, and depends on what its ways depended on.
void MatchEngine::Exhausted(const Choice &choice) {
  constexpr int64_t kLong = 256;
  if (steps_ > kLong && choice.before == 0 && choice.kind != Choice::kOutput) {
    // It failed by itself. An order of operands is not all that there is to a slot for which others may stand.
    const MatchSlot &slot = program_->slots[choice.what];
    if (choice.kind == Choice::kVariant || (slot.alternatives.empty() && slot.optional_input < 0))
      hopeless_.insert({choice.what, choice.port, choice.at.node, choice.at.port});
  }
  const int32_t level = std::max(choice.level, choice.before);
  conflict_ = {level, std::min(choice.before, level - 1)};
}

void MatchEngine::TooLong() const {
  gec::Fail(GE_FAILED, "pattern '", program_->name, "' at ", goals_.front().at.node->Label(), ": the search tried ",
            kMostSteps, " ways, more than it may; do many operands come in either order?");
}

}  // namespace gec
