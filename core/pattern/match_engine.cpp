#include "core/pattern/match_engine.h"

#include <algorithm>

#include "core/ir/types.h"
#include "core/pattern/constraint.h"
#include "core/support/error.h"

namespace gec {

template <class Expected, class Actual>
bool MatchEngine::Fail(size_t slot, const Node *at, Mismatch kind, Expected &&expected, Actual &&actual) {
  if (observer_) {
    const auto matched = static_cast<size_t>(
        std::count_if(states_.begin(), states_.end(), [](const MatchState &state) { return bool(state.at); }));
    observer_->Failed(slot, program_->slots[slot].pattern, at, kind, expected(), actual(), matched);
  }
  return false;
}

void MatchEngine::Push(MatchOperand want, Endpoint at, const Node *reader) {
  goals_.push_back({want, at, head_, reader});
  head_ = static_cast<int32_t>(goals_.size()) - 1;
}

void MatchEngine::Choose(Choice::Kind kind, int32_t next, size_t what, int32_t port, Endpoint at) {
  choices_.push_back({kind, next, what, port, at, head_, goals_.size(), trail_.size(), candidates_.size(), output_});
}

void MatchEngine::Set(int slot, MatchState state) {
  MatchState &place = states_[static_cast<size_t>(slot)];
  if (!choices_.empty()) trail_.emplace_back(slot, place);
  place = state;
}

bool MatchEngine::Run(const MatchProgram &program, Node *root, MatchSearch *search) {
  program_ = &program;
  search_ = search;
  states_.assign(program.slots.size(), MatchState());
  goals_.clear();
  choices_.clear();
  trail_.clear();
  candidates_.clear();
  head_ = -1;
  output_ = 1;
  Push({program.outputs[0].slot, kOutputItself}, {root, 0}, nullptr);
  for (;;) {
    bool fine;
    if (head_ >= 0) {
      const Goal goal = goals_[static_cast<size_t>(head_)];
      head_ = goal.next;
      fine = Meet(goal);
    } else {
      if (output_ >= program.outputs.size() && (!search || search->Accept(states_))) return true;
      fine = output_ < program.outputs.size() && StartOutputs();
    }
    if (!fine && !Again()) return false;
  }
}

/// The next output, when nothing that has matched led to it.
bool MatchEngine::StartOutputs() {
  const size_t output = output_++;
  if (states_[static_cast<size_t>(program_->outputs[output].slot)].at) return true;
  const size_t first = candidates_.size();
  search_->Candidates(output, states_, &candidates_);
  Choose(Choice::kOutput, static_cast<int32_t>(first), output, -1, {});
  return false;  // the first candidate is the first choice
}

bool MatchEngine::Meet(const Goal &goal) {
  const auto number = static_cast<size_t>(goal.want.slot);
  const MatchSlot &slot = program_->slots[number];
  if (!goal.at)
    return Fail(
        number, goal.reader, Mismatch::kArity, [] { return "a connected input"; }, [] { return "none"; });
  const MatchState &have = states_[number];
  if (have.at) {
    const bool whole = have.missing || have.instead >= 0 || slot.kind == MatchSlot::kAny;
    const bool same = whole ? have.at == goal.at
                            : have.at.node == goal.at.node && (goal.want.port < 0 || goal.want.port == goal.at.port);
    return same || Fail(
                       number, goal.at.node, Mismatch::kPosition,
                       [&] { return Str("output ", std::max(goal.want.port, 0), " of ", have.at.node->Label()); },
                       [&] { return Str("output ", goal.at.port, " of ", goal.at.node->Label()); });
  }
  const size_t variants = slot.alternatives.size() + (slot.optional_input >= 0 ? 1 : 0);
  if (variants) Choose(Choice::kVariant, 0, number, goal.want.port, goal.at);
  return Enter(goal.want, goal.at, goal.reader);
}

bool MatchEngine::Enter(const MatchOperand &want, Endpoint at, const Node *reader) {
  (void)reader;
  const auto number = static_cast<size_t>(want.slot);
  const MatchSlot &slot = program_->slots[number];
  if (slot.kind == MatchSlot::kOp && want.port >= 0 && want.port != at.port)
    return Fail(
        number, at.node, Mismatch::kPosition, [&] { return Str("output ", want.port); },
        [&] { return Str("output ", at.port, " of ", at.node->Label()); });
  if (!Fits(number, at, want.port == kOutputItself)) return false;
  Set(want.slot, {at});
  if (slot.kind != MatchSlot::kOp) return true;
  if (slot.commutative && slot.inputs.size() >= 2) Choose(Choice::kSwap, 0, number, want.port, at);
  PushInputs(slot, *at.node, false);
  return true;
}

void MatchEngine::PushInputs(const MatchSlot &slot, const Node &node, bool swapped) {
  for (size_t i = slot.inputs.size(); i-- > 0;) {
    const size_t port = swapped && i < 2 ? 1 - i : i;
    if (slot.inputs[i].slot >= 0)
      Push(slot.inputs[i], port < node.input_count() ? node.input(port) : Endpoint(), &node);
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
          number, at.node, Mismatch::kOperator,
          [&] {
            std::string text;
            for (Symbol t : slot.types) text += (text.empty() ? "" : " or ") + t.str();
            return text;
          },
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
        [&] { return Str(port < node.input_count() && node.input(port) ? "connected" : "not connected"); });
  };
  for (size_t i = 0; i < count; ++i)
    if ((i < node.input_count() && node.input(i)) != (slot.inputs[i].slot >= 0)) return refuse(i);
  for (size_t i = count; !slot.more_inputs && i < node.input_count(); ++i)
    if (node.input(i)) return refuse(i);
  return true;
}

bool MatchEngine::Holds(size_t number, const MatchConstraint &test, Endpoint at) {
  if (ConstraintHolds(test, at)) return true;
  return Fail(
      number, at.node, MismatchOf(test), [&] { return ExpectedOf(test); }, [&] { return ActualOf(test, at); });
}

/// Back to the newest choice that has a way left.
bool MatchEngine::Again() {
  while (!choices_.empty()) {
    Choice &choice = choices_.back();
    while (trail_.size() > choice.trail) {
      states_[static_cast<size_t>(trail_.back().first)] = trail_.back().second;
      trail_.pop_back();
    }
    goals_.resize(choice.goals);
    head_ = choice.head;
    candidates_.resize(choice.candidates);
    output_ = choice.outputs;
    if (Retry(choice)) return true;
  }
  return false;
}

/// Takes the next way of a choice, which is gone when it was the last. False: the way fails at once.
bool MatchEngine::Retry(Choice &choice) {
  const Choice at = choice;
  const MatchSlot *slot = at.kind == Choice::kOutput ? nullptr : &program_->slots[at.what];
  switch (at.kind) {
    case Choice::kOutput: {
      if (static_cast<size_t>(at.next) == at.candidates) {
        candidates_.resize(at.candidates);
        choices_.pop_back();
        return false;
      }
      Node *node = candidates_[static_cast<size_t>(choice.next++)];
      Push({program_->outputs[at.what].slot, kOutputItself}, {node, 0}, nullptr);
      return true;
    }
    case Choice::kSwap: {
      choices_.pop_back();
      MatchState state = states_[at.what];
      state.swapped = true;
      Set(static_cast<int>(at.what), state);
      PushInputs(*slot, *at.at.node, true);
      return true;
    }
    case Choice::kVariant:
      break;
  }
  const auto turn = static_cast<size_t>(choice.next++);
  const bool other = turn < slot->alternatives.size();
  if (turn + 1 >= slot->alternatives.size() + (slot->optional_input >= 0 ? 1 : 0)) choices_.pop_back();
  MatchState state{at.at, !other, false, other ? static_cast<int32_t>(turn) : -1};
  Set(static_cast<int>(at.what), state);
  MatchOperand want = other ? slot->alternatives[turn] : slot->inputs[static_cast<size_t>(slot->optional_input)];
  if (at.port == kOutputItself) want.port = kOutputItself;
  Push(want, at.at, nullptr);
  return true;
}

}  // namespace gec
