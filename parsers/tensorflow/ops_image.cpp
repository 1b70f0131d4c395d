// Images: TensorFlow's operators take them as NHWC where no attribute says otherwise.
#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/node_context.h"

namespace gec::tensorflow {
namespace {

constexpr int64_t kToFirst[] = {0, 3, 1, 2}, kToLast[] = {0, 2, 3, 1};

Endpoint ChannelsFirst(NodeContext &c, Endpoint x) {
  return c.Transpose(x, {std::begin(kToFirst), std::end(kToFirst)});
}
Endpoint ChannelsLast(NodeContext &c, Endpoint x) { return c.Transpose(x, {std::begin(kToLast), std::end(kToLast)}); }

void Resize(NodeContext &c) {
  const bool linear = c.op() == "ResizeBilinear";
  NewAttrs attrs = {{"align_corners", c.Bool("align_corners", false)},
                    {"half_pixel_centers", c.Bool("half_pixel_centers", false)},
                    {"data_format", "NHWC"}};
  if (linear) attrs.emplace_back("dtype", DataTypeValue{C_DT_FLOAT});
  c.Out(0, c.Op(linear ? "ResizeBilinearV2" : "ResizeNearestNeighborV2", {c.In(0), c.In(1)}, std::move(attrs)));
}

void LocalResponse(NodeContext &c) {
  const Endpoint y = c.Op("LRN", {ChannelsFirst(c, c.In(0))},
                          {{"depth_radius", c.Int("depth_radius", 5)},
                           {"bias", c.Float("bias", 1)},
                           {"alpha", c.Float("alpha", 1)},
                           {"beta", c.Float("beta", 0.5f)}});
  c.Out(0, ChannelsLast(c, y));
}

constexpr Handler kImageHandlers[] = {
    {"ResizeBilinear", Resize},
    {"ResizeNearestNeighbor", Resize},
    {"LRN", LocalResponse},
};

}  // namespace

HandlerTable ImageHandlers() { return {std::begin(kImageHandlers), std::end(kImageHandlers)}; }

}  // namespace gec::tensorflow
