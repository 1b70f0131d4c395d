#include "core/ops/image_layout.h"

#include "core/ir/types.h"

namespace gec {
namespace {

bool HasImages(const IrDef &ir) {
  static const Symbol x("x"), data_format("data_format");
  return ir.FindInput(x) >= 0 && ir.FindAttr(data_format);
}

}  // namespace

const char *LayoutOf(const TensorDesc &desc) {
  const auto has_rank = [&](int32_t rank) { return desc.shape.has_rank() && desc.shape.rank() == rank; };
  switch (desc.format) {
    case C_FORMAT_NCHW:
    case C_FORMAT_NHWC:
      return has_rank(4) ? FormatName(desc.format) : nullptr;
    case C_FORMAT_NCDHW:
    case C_FORMAT_NDHWC:
      return has_rank(5) ? FormatName(desc.format) : nullptr;
    default:
      return nullptr;
  }
}

bool SaysLayout(const TensorDesc &desc) { return desc.format != C_FORMAT_ND && desc.format == desc.origin_format; }

int32_t ImagePort(const Node &node) {
  static const Symbol x("x");
  if (!HasImages(node.ir())) return -1;
  const int32_t port = node.InputRange(static_cast<size_t>(node.ir().FindInput(x))).first;
  return node.input(static_cast<size_t>(port)) ? port : -1;
}

bool IsConvolution(const IrDef &ir) {
  static const Symbol filter("filter");
  return HasImages(ir) && ir.FindInput(filter) >= 0;
}

}  // namespace gec
