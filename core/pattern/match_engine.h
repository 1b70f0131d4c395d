// Matches an inner form against a graph: goals one after the other, and choices that are taken back.
#pragma once

#include <vector>

#include "core/pattern/match_program.h"

namespace gec {

/// The questions that a search asks its owner.
class MatchSearch {
 public:
  virtual ~MatchSearch() = default;
  /// Appends the nodes that output `output`, which nothing led to, may stand for.
  virtual void Candidates(size_t output, const std::vector<MatchState> &states, std::vector<Node *> *out) = 0;
  /// False: another solution, if there is one.
  virtual bool Accept(const std::vector<MatchState> &states) = 0;
};

/// Keeps its memory from one search to the next.
class MatchEngine {
 public:
  /// The first solution in which output 0 stands for `root`. `search` may be null for programs of one output.
  bool Run(const MatchProgram &program, Node *root, MatchSearch *search = nullptr);
  /// Of the solution, by slot.
  const std::vector<MatchState> &states() const { return states_; }
  void Observe(MatchObserver *observer) { observer_ = observer; }

 private:
  struct Goal {
    MatchOperand want;
    Endpoint at;
    int32_t next;
    const Node *reader;
  };
  struct Choice {
    enum Kind : uint8_t { kVariant, kSwap, kOutput };
    Kind kind;
    int32_t next;  // of the ways that are left
    size_t what;   // slot or output
    int32_t port;
    Endpoint at;
    int32_t head;
    size_t goals, trail, candidates, outputs;
  };
  using Test = MatchConstraint;
  static constexpr int32_t kOutputItself =
      -2;  // in the place of a port: a node that an output of the pattern stands for

  void Push(MatchOperand want, Endpoint at, const Node *reader);
  void Choose(Choice::Kind kind, int32_t next, size_t what, int32_t port, Endpoint at);
  void Set(int slot, MatchState state);
  bool Meet(const Goal &goal);
  bool Enter(const MatchOperand &want, Endpoint at, const Node *reader);
  bool Fits(size_t slot, Endpoint at, bool output);
  bool FitsInputs(size_t slot, const Node &node);
  bool Holds(size_t slot, const Test &test, Endpoint at);
  void PushInputs(const MatchSlot &slot, const Node &node, bool swapped);
  bool StartOutputs();
  bool Again();
  bool Retry(Choice &choice);
  template <class Expected, class Actual>
  bool Fail(size_t slot, const Node *at, Mismatch kind, Expected &&expected, Actual &&actual);

  const MatchProgram *program_ = nullptr;
  MatchSearch *search_ = nullptr;
  MatchObserver *observer_ = nullptr;
  std::vector<MatchState> states_;
  std::vector<Goal> goals_;
  int32_t head_ = -1;
  std::vector<Choice> choices_;
  std::vector<std::pair<int, MatchState>> trail_;
  std::vector<Node *> candidates_;
  size_t output_ = 0;  // those before have been started
};

}  // namespace gec
