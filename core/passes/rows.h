// Statistics along some dimensions of a tensor, as exporters write them: with the reduced dimensions kept, or dropped
// and put back by a reshape or a broadcast further on.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/editor.h"

namespace gec {

/// Recognises expressions from their results back to their operands; remembers the nodes it went through.
class RowWalk {
 public:
  /// Where somebody asks why rules do not match, the place is kept at which the walk had got farthest.
  explicit RowWalk(const PassContext &ctx) : is_asked_(ctx.why_not != nullptr) {}
  /// `e` is an operator of one of these types with `operands` inputs. The node counts as covered.
  bool Is(Endpoint e, std::initializer_list<std::string_view> types, size_t operands);
  /// The same behind any number of views and of broadcasts that repeat nothing. The operator comes back in *e.
  bool IsBehindViews(Endpoint *e, std::initializer_list<std::string_view> types, size_t operands);
  /// *x squared: Mul of it with itself, Square, Pow.
  bool Square(Endpoint e, Endpoint *x);
  /// A reduction of *x over known dimensions, sorted and counted from the front.
  bool Reduction(Endpoint e, std::string_view type, Endpoint *x, std::vector<int64_t> *axes);
  /// The mean of *x over these dimensions: ReduceMean, or ReduceSum divided by their extent.
  bool Mean(Endpoint e, Endpoint *x, std::vector<int64_t> *axes);

  /// Leaves a branch that did not fit: forgets what it covered.
  size_t Mark() const { return covered_.size(); }
  bool Back(size_t mark) {
    covered_.resize(mark);
    return false;
  }
  void Cover(Node *node) { covered_.push_back(node); }
  /// The walk ends here; false.
  bool Ends(Endpoint at, Mismatch kind, const std::string &expected, const std::string &actual);
  /// Says so to who asks.
  void TellMiss(PassContext &ctx, const char *rule, const Node *root) const;
  const std::vector<Node *> &covered() const { return covered_; }

 private:
  std::vector<Node *> covered_;
  const bool is_asked_;
  size_t farthest_ = 0;  // nodes covered then
  Refusal miss_;
};

/// `e` lies beside every row of x: its shape is x's with a 1 for each of the axes.
bool IsBesideRows(Endpoint e, Endpoint x, const std::vector<int64_t> &axes);

}  // namespace gec
