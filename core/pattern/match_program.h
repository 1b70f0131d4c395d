// The inner form of patterns, whoever wrote them: slots that stand for a tensor or a node, and what holds for each.
//
// Two front ends make it: the library's own patterns (pattern.h) and patterns that are graphs (graph_match.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// The demand that did not hold where a match ended.
enum class Mismatch : uint8_t {
  kOperator,  // the type
  kArity,     // which inputs are connected
  kPosition,  // another output, or another node than the one that the slot stands for
  kDtype,
  kShape,
  kAttribute,
  kConstant,
  kPredicate,  // a condition that is code
  kReader,     // somebody outside reads an inner node
  kCycle,      // one node in place of the match would lie on one
};
/// "operator", "arity", …
const char *NameOf(Mismatch kind);
/// "Mul or Div".
std::string TypesText(const std::vector<Symbol> &types);

/// One thing that a slot demands, as data or as code.
struct MatchConstraint {
  enum Test : uint8_t {
    kPredicate,    // `predicate` holds
    kDtypes,       // one of `numbers`
    kShape,        // `numbers` are the extents; -1 allows any
    kAttr,         // attribute `name` is `value`
    kNear,         // every element of the constant lies within `tolerance` of `wanted`, relative and absolute
    kSameValue,    // equal to the pattern's constant, where that has a value
    kSameIrAttrs,  // prototype attributes equal those of the pattern's node
  };
  Test test = kPredicate;
  int32_t output = -1;  // of the node; -1: the tensor that was reached
  std::vector<int64_t> numbers;
  Symbol name;
  AttrValue value;
  double wanted = 0, tolerance = 0;
  std::function<bool(Endpoint)> predicate;
  std::string what;                      // the predicate asks for, in words
  Mismatch kind = Mismatch::kPredicate;  // where it does not hold
  const Node *like = nullptr;
};

/// A slot, and its output that is read; -1: whichever.
struct MatchOperand {
  int slot = -1;
  int32_t port = -1;
};

struct MatchSlot {
  enum Kind : uint8_t { kAny, kConst, kOp };
  Kind kind = kAny;
  bool commutative = false;                // operands 0 and 1 in either order
  bool more_inputs = false;                // inputs beyond those of the slot may be connected
  bool dynamic = false;                    // inputs of a dynamic port may be more or fewer than the pattern's node has
  bool any_type = false;                   // constraints say what matches
  bool known_types = false;                // types are those of the library's operators (Node::known_type)
  int optional_input = -1;                 // the node may be missing: its readers then read what this input reads
  std::vector<Symbol> types;               // one of these
  std::vector<MatchOperand> inputs;        // an empty one must not be connected
  std::vector<MatchOperand> alternatives;  // may stand in this one's place
  std::vector<MatchConstraint> constraints;
  const Node *pattern = nullptr;  // of a pattern that is a graph
};

/// The input of the node that operand `operand` of the slot stands for; -1: it has none. Inputs behind a dynamic port
/// are where the node has them, however many instances that port has.
int32_t MatchedDynamicInput(const MatchSlot &slot, const Node &node, size_t operand);
inline int32_t MatchedInput(const MatchSlot &slot, const Node &node, size_t operand) {
  if (slot.dynamic) return MatchedDynamicInput(slot, node, operand);
  return operand < node.input_count() ? static_cast<int32_t>(operand) : -1;
}
/// No operand of the slot stands for this input of the node.
bool IsSurplus(const MatchSlot &slot, const Node &node, size_t input);

struct MatchProgram {
  std::string name;  // of a pattern that is a graph, for messages
  std::vector<MatchSlot> slots;
  std::vector<MatchOperand> outputs;
  /// Types without which nothing can match; one of each entry.
  std::vector<std::vector<Symbol>> needed;
  /// Inputs of the first output's node that a node of certain types must feed, whatever else is chosen.
  struct Fed {
    size_t input;
    MatchOperand by;
  };
  std::vector<Fed> fed;
  /// Fills `needed` and `fed` from the slots that can neither be missing nor be replaced.
  void Prepare();
  bool Possible(const Graph &graph) const;
  /// False where a look at the inputs says that no match begins at the node: most nodes need no more than that.
  bool MayBeginAt(const Node &node) const;
};

/// For people, where parts of a pattern have no names: "Mul (part 7)".
std::string PartText(const MatchProgram &program, int slot);

/// The tensor that a slot stands for.
struct MatchState {
  Endpoint at;
  bool missing = false;  // an optional node that is not there: `at` is what its readers read
  bool swapped = false;  // operands in the other order
  int32_t instead = -1;  // the alternative that was taken
};

/// Told where a match ended. Costs nothing where none is set.
class MatchObserver {
 public:
  virtual ~MatchObserver() = default;
  /// `pattern` is null for the library's own patterns, which know a slot by its number; `at` may be null. `depth` slots
  /// had matched.
  virtual void Failed(size_t slot, const Node *pattern, const Node *at, Mismatch kind, const std::string &expected,
                      const std::string &actual, size_t depth) = 0;
};

}  // namespace gec
