#include "core/passes/lines.h"

#include <algorithm>
#include <initializer_list>

namespace gec {
namespace {

/// How many dimensions lie behind the only one that a node takes out of an image, or puts into a sequence; -1 for
/// other nodes.
int64_t BehindOf(const Node &node, std::initializer_list<Symbol> by_input, Symbol by_attribute, Symbol attribute) {
  std::vector<int64_t> axes;
  if (node.known_type() == by_attribute) axes = node.Ints(attribute);
  else if (std::find(by_input.begin(), by_input.end(), node.known_type()) == by_input.end() || !IntsAt(node, 1, &axes))
    return -1;
  if (axes.size() != 1 || axes[0] < -kImageRank || axes[0] >= kImageRank) return -1;
  return kImageRank - 1 - (axes[0] < 0 ? axes[0] + kImageRank : axes[0]);
}

bool HasRank(const TensorDesc &desc, int32_t rank) { return desc.shape.has_rank() && desc.shape.rank() == rank; }

}  // namespace

Line ReadLine(Endpoint e) {
  static const Symbol by_input("SqueezeV3"), by_attribute("Squeeze"), axis("axis");
  if (!e || e.port != 0) return {};
  const int64_t behind = BehindOf(*e.node, {by_input}, by_attribute, axis);
  if (behind < 0 || !HasRank(DescOf(e), kImageRank - 1) || !e.node->input(0) ||
      !HasRank(DescOf(e.node->input(0)), kImageRank))
    return {};
  return {e.node->input(0), behind};
}

bool PutsIn(const Node &node, int64_t behind) {
  static const Symbol by_input("UnsqueezeV3"), by_attribute("Unsqueeze"), axes("axes"), expand("ExpandDims");
  return node.output_count() == 1 && HasRank(node.output_desc(0), kImageRank) &&
         BehindOf(node, {by_input, expand}, by_attribute, axes) == behind;
}

}  // namespace gec
