// Matches an inner form against a graph: goals one after the other, and choices that are taken back.
//
// A way that fails takes back no more than what it depends on: every goal knows the newest choice that it is there
// because of, and so does what a slot stands for. Choices in between, of other parts of the pattern, are not tried in
// their other ways, which would fail for the same reason.
#pragma once

#include <set>
#include <tuple>
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
  /// Ways that one search may try. Those of patterns that people write need few.
  static constexpr int64_t kMostSteps = 1'000'000;
  /// The first solution in which output 0 stands for `root`. `search` may be null for programs of one output. Throws
  /// GE_FAILED, naming the pattern, after kMostSteps.
  bool Run(const MatchProgram &program, Node *root, MatchSearch *search = nullptr);
  /// Of the solution, by slot.
  const std::vector<MatchState> &states() const { return states_; }
  void Observe(MatchObserver *observer) { observer_ = observer; }

 private:
  struct Goal {
    MatchOperand want;
    Endpoint at;
    int32_t next;
    int32_t level;  // it is there because of choice number `level` - 1, and of what that one is there because of
    const Node *reader;
  };
  /// The choices that a failure depends on: number `level` - 1 with those that it is there because of, and the first
  /// `before` of all.
  struct Conflict {
    int32_t level = 0, before = 0;
  };
  struct Choice {
    enum Kind : uint8_t { kVariant, kSwap, kOutput };
    Kind kind;
    int32_t next;  // of the ways that are left
    size_t what;   // slot or output
    int32_t port;
    Endpoint at;
    int32_t head;
    int32_t level;   // of the goal that it was made for
    int32_t before;  // what the ways that failed depended on besides
    size_t goals, trail, candidates, outputs;
  };
  /// A slot, the output of it that was read, and the tensor.
  using Pair = std::tuple<size_t, int32_t, const Node *, int32_t>;
  using Test = MatchConstraint;
  static constexpr int32_t kOutputItself =
      -2;  // in the place of a port: a node that an output of the pattern stands for

  void Push(MatchOperand want, Endpoint at, const Node *reader, int32_t level);
  int32_t Choose(Choice::Kind kind, int32_t next, size_t what, int32_t port, Endpoint at, int32_t level);
  void Set(int slot, MatchState state);
  bool Meet(const Goal &goal);
  bool Enter(const MatchOperand &want, Endpoint at, int32_t level);
  bool OrderMatters(const MatchSlot &slot, const Node &node) const;
  bool Fits(size_t slot, Endpoint at, bool output);
  bool FitsInputs(size_t slot, const Node &node);
  bool FitsDynamicInputs(size_t slot, const Node &node);
  bool Holds(size_t slot, const Test &test, Endpoint at);
  void PushInputs(const MatchSlot &slot, const Node &node, bool swapped, int32_t level);
  bool StartOutputs();
  bool Again();
  bool Retry(Choice &choice);
  void Exhausted(const Choice &choice);
  [[noreturn]] void TooLong() const;
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
  std::vector<int32_t> levels_;  // of the goals that slots were bound by; where nothing is bound, anything
  Conflict conflict_;            // of what failed last
  std::set<Pair> hopeless_;      // fail wherever they come, which a search that goes on for long remembers
  int64_t steps_ = 0;
  size_t output_ = 0;  // those before have been started
};

}  // namespace gec
