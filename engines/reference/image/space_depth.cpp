// Moving blocks of pixels into channels and back.
#include <string_view>

#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

// The smaller-channel side is [n, c, h * b, w * b]; the other has the block's two indices in its channels.
Kernel CreateBlocks(const Node &node, const OpEntry &) {
  const bool to_space = std::string_view(node.type()) == "DepthToSpace";
  const bool last = node.String("data_format", "NHWC") == "NHWC";
  const bool channels_first = to_space && node.String("mode", "DCR") == "CRD";
  const int64_t b = node.Int("block_size", 1);
  const Dims x = node.in_dims(0), y = node.out_dims(0), &space = to_space ? y : x, &depth = to_space ? x : y;
  const int hc = last ? 1 : 2, cc = last ? 3 : 1;
  if (x.n != 4 || y.n != 4 || b < 1 || space[hc] != depth[hc] * b || space[hc + 1] != depth[hc + 1] * b ||
      depth[cc] != space[cc] * b * b || x[0] != y[0])
    Fail(GE_PARAM_INVALID, "%s: block_size %lld does not take %s to %s", node.label().c_str(), (long long)b,
         ToText(x).c_str(), ToText(y).c_str());
  const int64_t n = x[0], c = space[cc], h = depth[hc], w = depth[hc + 1];
  // Logical order: n, c, h, block row, w, block column.
  const Dims dims{n, c, h, b, w, b};
  Dims in_space, in_depth;
  if (last) {
    in_space = {h * b * w * b * c, 1, b * w * b * c, w * b * c, b * c, c};
    in_depth = channels_first ? Dims{h * w * c * b * b, b * b, w * c * b * b, b, c * b * b, 1}
                              : Dims{h * w * c * b * b, 1, w * c * b * b, b * c, c * b * b, c};
  } else {
    in_space = {c * h * b * w * b, h * b * w * b, b * w * b, w * b, b, 1};
    in_depth = channels_first ? Dims{c * b * b * h * w, b * b * h * w, w, b * h * w, 1, h * w}
                              : Dims{c * b * b * h * w, h * w, w, b * c * h * w, 1, c * h * w};
  }
  const size_t element = ElementSize(node.in_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    CopyStrided(call, call.in(0), to_space ? in_depth : in_space, call.out(0), to_space ? in_space : in_depth, dims,
                element);
  };
  return kernel;
}

void CheckBlocks(const Node &node) {
  std::string mode = node.String("mode", "DCR"), format = node.String("data_format", "NHWC");
  if (mode != "DCR" && mode != "CRD")
    Fail(GE_UNSUPPORTED, "%s: mode '%s' is unknown, expected DCR or CRD", node.label().c_str(), mode.c_str());
  if (format != "NHWC" && format != "NCHW")
    Fail(GE_UNSUPPORTED, "%s: data_format '%s' is not supported, expected NCHW or NHWC", node.label().c_str(),
         format.c_str());
}

const OpEntry kBlocks[] = {
    {"DepthToSpace", kMovable, &CreateBlocks, &CheckBlocks},
    {"SpaceToDepth", kMovable, &CreateBlocks, &CheckBlocks},
};

}  // namespace

OpTable SpaceDepthOps() { return TableOf(kBlocks); }

}  // namespace reference
