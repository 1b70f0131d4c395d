#include "core/passes/follow_formats.h"

#include "core/ir/types.h"
#include "core/ops/traits.h"

namespace gec {
namespace {

/// "NCHW" of a tensor with four dimensions; null where the format is none that a program gives to images and volumes.
const char *LayoutOf(const TensorDesc &desc) {
  switch (desc.format) {
    case C_FORMAT_NCHW:
    case C_FORMAT_NHWC:
      return desc.shape.has_rank() && desc.shape.rank() == 4 ? FormatName(desc.format) : nullptr;
    case C_FORMAT_NCDHW:
    case C_FORMAT_NDHWC:
      return desc.shape.has_rank() && desc.shape.rank() == 5 ? FormatName(desc.format) : nullptr;
    default:
      return nullptr;
  }
}

void FollowFormatsIn(Graph &graph) {
  static const Symbol x("x"), filter("filter"), data_format("data_format");
  for (Node *node : graph.Nodes()) {
    const IrDef &ir = node->ir();
    // Convolutions are the operators with a filter and a layout.
    if (ir.own_kernel || !ir.FindAttr(data_format) || ir.FindInput(filter) < 0 || ir.FindInput(x) < 0) continue;
    const auto port = static_cast<size_t>(node->InputRange(static_cast<size_t>(ir.FindInput(x))).first);
    if (!node->input(port)) continue;
    const char *layout = LayoutOf(node->input_desc(port));
    if (layout && node->String(data_format) != layout) graph.SetAttr(node, data_format, AttrValue(std::string(layout)));
  }
}

}  // namespace

void FollowFormats(Graph &root) {
  FollowFormatsIn(root);
  for (const GraphPtr &sub : root.subgraphs()) FollowFormatsIn(*sub);
}

}  // namespace gec
