#include "core/passes/rows.h"

#include <algorithm>

#include "core/ops/traits.h"
#include "core/passes/why_not.h"

namespace gec {
namespace {

bool OneOf(Symbol type, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type.view()) != types.end();
}

std::vector<int64_t> WithoutOnes(const Shape &shape) {
  std::vector<int64_t> dims;
  std::copy_if(shape.dims().begin(), shape.dims().end(), std::back_inserter(dims), [](int64_t d) { return d != 1; });
  return dims;
}

/// The elements of its first input in their order, under another shape. A view may show the bytes as another type.
bool RepeatsNothing(const Node &node) {
  if (IsView(node)) return node.input(0) && DescOf(node.input(0)).dtype == node.output_desc(0).dtype;
  if (!OneOf(node.known_type(), {"Expand", "BroadcastTo"}) || !node.input(0)) return false;
  const Shape &from = DescOf(node.input(0)).shape, &to = node.output_desc(0).shape;
  return from.determined() && to.determined() && WithoutOnes(from) == WithoutOnes(to);
}

size_t Connected(const Node &node) {
  size_t count = 0;
  for (size_t i = 0; i < node.input_count(); ++i) count += static_cast<bool>(node.input(i));
  return count;
}

}  // namespace

bool RowWalk::Is(Endpoint e, std::initializer_list<std::string_view> types, size_t operands) {
  if (!e) return false;
  if (e.port != 0 || !OneOf(e.node->known_type(), types)) {
    if (!is_asked_) return false;
    std::string expected;
    for (std::string_view type : types) expected += (expected.empty() ? "" : " or ") + std::string(type);
    return Ends(e, Mismatch::kOperator, expected, e.node->type().str());
  }
  if (const size_t connected = Connected(*e.node); connected != operands)
    return Ends(e, Mismatch::kArity, Str(operands, " inputs"), Str(connected, " inputs"));
  Cover(e.node);
  return true;
}

bool RowWalk::Ends(Endpoint at, Mismatch kind, const std::string &expected, const std::string &actual) {
  if (!is_asked_ || covered_.size() < farthest_) return false;
  farthest_ = covered_.size();
  miss_ = Refusal(actual, expected, kind);
  miss_.node = at.node->Label();
  return false;
}

void RowWalk::TellMiss(PassContext &ctx, const char *rule, const Node *root) const {
  if (is_asked_ && farthest_ > 0) ctx.why_not->Missed(rule, root, miss_, farthest_);
}

bool RowWalk::IsBehindViews(Endpoint *e, std::initializer_list<std::string_view> types, size_t operands) {
  const size_t mark = Mark();
  Endpoint at = *e;
  while (at && at.port == 0 && RepeatsNothing(*at.node)) {
    Cover(at.node);
    at = at.node->input(0);
  }
  if (!Is(at, types, operands)) return Back(mark);
  *e = at;
  return true;
}

bool RowWalk::Square(Endpoint e, Endpoint *x) {
  const size_t mark = Mark();
  double power = 0;
  if (Is(e, {"Mul"}, 2)) {
    *x = e.node->input(0);
    return *x == e.node->input(1) || Back(mark);
  }
  if (Is(e, {"Square"}, 1)) {
    *x = e.node->input(0);
    return true;
  }
  if (Is(e, {"Pow"}, 2)) {
    *x = e.node->input(0);
    return (ScalarOf(e.node->input(1), &power) && power == 2) || Back(mark);
  }
  return false;
}

bool RowWalk::Reduction(Endpoint e, std::string_view type, Endpoint *x, std::vector<int64_t> *axes) {
  const size_t mark = Mark();
  std::vector<int64_t> found;
  if (!IsBehindViews(&e, {type}, 2) || !IntsAt(*e.node, 1, &found) || found.empty()) return Back(mark);
  const Shape &shape = DescOf(e.node->input(0)).shape;
  if (!shape.determined()) return Back(mark);
  for (int64_t &axis : found) {
    if (axis < 0) axis += shape.rank();
    if (axis < 0 || axis >= shape.rank() || shape[static_cast<size_t>(axis)] < 0) return Back(mark);
  }
  std::sort(found.begin(), found.end());
  if (std::adjacent_find(found.begin(), found.end()) != found.end()) return Back(mark);
  *x = e.node->input(0);
  *axes = std::move(found);
  return true;
}

bool RowWalk::Mean(Endpoint e, Endpoint *x, std::vector<int64_t> *axes) {
  const size_t mark = Mark();
  if (Reduction(e, "ReduceMean", x, axes)) return true;
  if (!IsBehindViews(&e, {"Mul", "RealDiv", "Div"}, 2)) return false;
  const bool product = e.node->known_type().view() == "Mul";
  for (size_t scalar : {1, 0}) {
    double factor = 0;
    if (scalar == 0 && !product) break;
    if (!ScalarOf(e.node->input(scalar), &factor) || !Reduction(e.node->input(1 - scalar), "ReduceSum", x, axes))
      continue;
    double extent = 1;
    for (int64_t axis : *axes) extent *= static_cast<double>(DescOf(*x).shape[static_cast<size_t>(axis)]);
    return Near(product ? factor * extent : factor / extent, 1) || Back(mark);
  }
  return Back(mark);
}

bool IsBesideRows(Endpoint e, Endpoint x, const std::vector<int64_t> &axes) {
  const Shape &have = DescOf(e).shape, &whole = DescOf(x).shape;
  if (!have.determined() || !whole.determined() || have.rank() != whole.rank()) return false;
  for (int64_t i = 0; i < whole.rank(); ++i) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), i);
    if (have[static_cast<size_t>(i)] != (reduced ? 1 : whole[static_cast<size_t>(i)])) return false;
  }
  return true;
}

}  // namespace gec
