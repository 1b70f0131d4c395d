#include "core/passes/follow_formats.h"

#include "core/ops/image_layout.h"

namespace gec {
namespace {

void FollowFormatsIn(Graph &graph) {
  static const Symbol data_format("data_format");
  for (Node *node : graph.Nodes()) {
    if (node->ir().own_kernel || !IsConvolution(node->ir())) continue;
    const int32_t port = ImagePort(*node);
    const char *layout = port < 0 ? nullptr : LayoutOf(node->input_desc(static_cast<size_t>(port)));
    if (layout && node->String(data_format) != layout) graph.SetAttr(node, data_format, AttrValue(std::string(layout)));
  }
}

}  // namespace

void FollowFormats(Graph &root) {
  FollowFormatsIn(root);
  for (const GraphPtr &sub : root.subgraphs()) FollowFormatsIn(*sub);
}

}  // namespace gec
