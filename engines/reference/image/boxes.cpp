// Boxes in images: which of them to keep, and what is in them.
#include <algorithm>
#include <cmath>

#include "common/real_shape.h"
#include "conv/image.h"
#include "registry.h"

namespace reference {
namespace {

constexpr float kLargestBin = 4096;

struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

// Corners may come in any order; or centre and size.
Box ReadBox(const float *v, bool centre) {
  if (centre) return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

bool Overlaps(const Box &a, const Box &b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0 && width > 0) || !(a.area() > 0 && b.area() > 0)) return false;
  const float common = height * width;
  return common / (a.area() + b.area() - common) > threshold;
}

// A scalar input of any number type; `fallback` when it is absent.
struct Number {
  LoadFn<float> load = nullptr;
  size_t port = 0;
  float fallback = 0;
  float Read(const Call &call) const {
    float v = fallback;
    if (load) load(call.in(port), 0, 1, 1, &v);
    return v;
  }
};
Number NumberOf(const Node &node, int port, float fallback) {
  Number n;
  n.fallback = fallback;
  if (!node.has(port)) return n;
  if (node.in_count(port) != 1)
    Fail(GE_PARAM_INVALID, "%s: input %d has %lld values, expected 1", node.label().c_str(), port,
         (long long)node.in_count(port));
  n.load = Loader<float>(node.in_type(port));
  n.port = size_t(port);
  return n;
}

// For every image and class the boxes of highest score that do not overlap a better one: rows of image, class and box.
Kernel CreateNonMaxSuppression(const Node &node, const OpEntry &) {
  const Dims boxes = node.in_dims(0), scores = node.in_dims(1);
  if (boxes.n != 3 || boxes[2] != 4 || scores.n != 3 || scores[0] != boxes[0] || scores[2] != boxes[1])
    Fail(GE_PARAM_INVALID,
         "%s: boxes have shape %s and scores %s, expected [images, boxes, 4] and [images, classes, boxes]",
         node.label().c_str(), ToText(boxes).c_str(), ToText(scores).c_str());
  const int64_t images = boxes[0], classes = scores[1], count = boxes[1];
  const IntsInput most = node.has(2) ? node.IntsOf(2) : IntsInput();
  const Number iou = NumberOf(node, 3, 0), score = NumberOf(node, 4, -HUGE_VALF);
  const bool centre = node.Int("center_point_box", 0) != 0;
  const int64_t cap = node.Int("max_boxes_size", 0);
  const LoadFn<float> load_box = Loader<float>(node.in_type(0)), load_score = Loader<float>(node.in_type(1));
  const StoreFn<int64_t> store = Storer<int64_t>(node.out_type(0));
  Kernel kernel;
  kernel.flags = GE_KERNEL_DATA_DEPENDENT;
  auto AlignUp = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  const uint64_t boxes_at = kShapeBytes, scores_at = boxes_at + AlignUp(uint64_t(count) * sizeof(Box));
  const uint64_t order_at = scores_at + AlignUp(uint64_t(count) * sizeof(float));
  const uint64_t kept_at = order_at + AlignUp(uint64_t(count) * sizeof(int64_t));
  kernel.workspace = kept_at + AlignUp(uint64_t(count) * sizeof(int64_t));
  kernel.output_bytes = {uint64_t(images * classes * count) * 3 * ElementSize(node.out_type(0))};
  kernel.run = [=](const Call &call) {
    Box *box = call.workspace<Box>(boxes_at);
    float *value = call.workspace<float>(scores_at);
    int64_t *order = call.workspace<int64_t>(order_at), *kept = call.workspace<int64_t>(kept_at);
    const int64_t limit = most.connected() ? most.ReadOne(call) : count;
    const float overlap = iou.Read(call), least = score.Read(call);
    int64_t rows = 0;
    for (int64_t n = 0; n < images; ++n) {
      for (int64_t i = 0; i < count; ++i) {
        float v[4];
        load_box(call.in(0), (n * count + i) * 4, 1, 4, v);
        box[i] = ReadBox(v, centre);
      }
      for (int64_t c = 0; c < classes; ++c) {
        load_score(call.in(1), (n * classes + c) * count, 1, count, value);
        int64_t candidates = 0, taken = 0;
        for (int64_t i = 0; i < count; ++i)
          if (value[i] > least) order[candidates++] = i;
        std::sort(order, order + candidates,
                  [&](int64_t a, int64_t b) { return value[a] != value[b] ? value[a] > value[b] : a < b; });
        for (int64_t k = 0; k < candidates && taken < limit; ++k) {
          if (cap > 0 && rows == cap) break;
          const Box &next = box[order[k]];
          if (std::any_of(kept, kept + taken, [&](int64_t i) { return Overlaps(box[i], next, overlap); })) continue;
          kept[taken++] = order[k];
          const int64_t row[3] = {n, c, order[k]};
          store(row, 3, call.out(0), 3 * rows++, 1);
        }
      }
    }
    ReportShape(call, 0, {rows, 3});
  };
  return kernel;
}

// Where one sample lies between four pixels, and how much each counts.
struct Sample {
  int64_t at[4] = {};
  float weight[4] = {};
};

Sample SampleAt(const Image &x, float h, float w) {
  Sample s;
  if (h < -1 || h > float(x.h) || w < -1 || w > float(x.w)) return s;
  h = std::max(h, 0.0f);
  w = std::max(w, 0.0f);
  int64_t low_h = int64_t(h), low_w = int64_t(w), high_h = low_h + 1, high_w = low_w + 1;
  if (low_h >= x.h - 1) h = float(low_h = high_h = x.h - 1);
  if (low_w >= x.w - 1) w = float(low_w = high_w = x.w - 1);
  const float dh = h - float(low_h), dw = w - float(low_w);
  s = {{low_h * x.sh + low_w * x.sw, low_h * x.sh + high_w * x.sw, high_h * x.sh + low_w * x.sw,
        high_h * x.sh + high_w * x.sw},
       {(1 - dh) * (1 - dw), (1 - dh) * dw, dh * (1 - dw), dh * dw}};
  return s;
}

// A region in the image; as many samples as its bins have pixels unless told.
struct Region {
  float image, left, top, bin_w, bin_h;
  int64_t grid_w, grid_h;
};

// What RoiAlign knows of its node. rois: image, left, top, right, bottom. roi_end_mode 0: as given, at least one pixel;
// 2: centres of pixels count.
struct RoiAlign {
  std::string label;
  Image x, y;
  bool centres = false, largest = false;
  float scale = 1;
  int64_t samples = 2;
  LoadFn<float> load = nullptr, load_roi = nullptr;

  Region At(const Call &call, int64_t r) const {
    float roi[5];
    load_roi(call.in(1), r * 5, 1, 5, roi);
    const float offset = centres ? 0.5f : 0.0f;
    Region g{roi[0], roi[1] * scale - offset, roi[2] * scale - offset, 0, 0, samples, samples};
    g.bin_w = roi[3] * scale - offset - g.left;
    g.bin_h = roi[4] * scale - offset - g.top;
    if (!centres) {
      g.bin_w = std::max(g.bin_w, 1.0f);
      g.bin_h = std::max(g.bin_h, 1.0f);
    }
    g.bin_w /= float(y.w);
    g.bin_h /= float(y.h);
    if (!(std::abs(g.bin_w) <= kLargestBin && std::abs(g.bin_h) <= kLargestBin)) {
      Fail(GE_PARAM_INVALID, "%s: region %lld has bins of %g by %g pixels, the limit is %g", label.c_str(),
           (long long)r, double(g.bin_w), double(g.bin_h), double(kLargestBin));
    }
    if (samples <= 0) {
      g.grid_w = int64_t(std::ceil(g.bin_w));
      g.grid_h = int64_t(std::ceil(g.bin_h));
    }
    return g;
  }

  // The mean or the largest of the samples of one bin; `base`: where the region's channel begins.
  float Bin(const Call &call, const Region &g, int64_t base, int64_t oh, int64_t ow) const {
    float sum = 0, top_value = 0;
    bool any = false;
    for (int64_t i = 0; i < g.grid_h; ++i) {
      for (int64_t j = 0; j < g.grid_w; ++j) {
        const Sample s = SampleAt(x, g.top + (float(oh) + (float(i) + 0.5f) / float(g.grid_h)) * g.bin_h,
                                  g.left + (float(ow) + (float(j) + 0.5f) / float(g.grid_w)) * g.bin_w);
        float value[4];
        for (int k = 0; k < 4; ++k) {
          load(call.in(0), base + s.at[k], 1, 1, &value[k]);
          value[k] = s.weight[k] == 0 ? 0 : s.weight[k] * value[k];
        }
        sum += value[0] + value[1] + value[2] + value[3];
        const float high = std::max(std::max(value[0], value[1]), std::max(value[2], value[3]));
        top_value = any ? std::max(top_value, high) : high;
        any = true;
      }
    }
    return largest ? top_value : sum / float(std::max<int64_t>(g.grid_h * g.grid_w, 1));
  }
};

Kernel CreateRoiAlign(const Node &node, const OpEntry &) {
  const bool last = node.in(0).format == C_FORMAT_NHWC;
  const Image x = ImageOf(node, node.in_dims(0), last), y = ImageOf(node, node.out_dims(0), last);
  const Dims rois = node.in_dims(1);
  if (rois.n != 2 || rois[1] != 5 || y.n != rois[0] || y.c != x.c)
    Fail(GE_PARAM_INVALID, "%s: rois have shape %s, expected [%lld, 5]", node.label().c_str(), ToText(rois).c_str(),
         (long long)y.n);
  const RoiAlign roi{node.label(),
                     x,
                     y,
                     node.Int("roi_end_mode", 1) == 2,
                     node.String("pool_mode", "avg") == "max",
                     float(node.Float("spatial_scale", 1)),
                     node.Int("sample_num", 2),
                     Loader<float>(node.in_type(0)),
                     Loader<float>(node.in_type(1))};
  const StoreFn<float> store = Storer<float>(node.out_type(0));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (int64_t r = 0; r < y.n; ++r) {
      const float image = roi.At(call, r).image;
      if (!(image >= 0 && image < float(x.n)))
        Fail(GE_PARAM_INVALID, "%s: region %lld is in image %g, there are %lld", roi.label.c_str(), (long long)r,
             double(image), (long long)x.n);
    }
    call.Parallel(y.n * y.c, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t r = t / y.c, c = t % y.c;
        const Region g = roi.At(call, r);
        const int64_t base = int64_t(g.image) * x.sn + c * x.sc;
        for (int64_t oh = 0; oh < y.h; ++oh) {
          for (int64_t ow = 0; ow < y.w; ++ow) {
            const float result = roi.Bin(call, g, base, oh, ow);
            store(&result, 1, call.out(0), r * y.sn + c * y.sc + oh * y.sh + ow * y.sw, 1);
          }
        }
      }
    });
  };
  return kernel;
}

void CheckRoiAlign(const Node &node) {
  const int64_t mode = node.Int("roi_end_mode", 1);
  const std::string pool = node.String("pool_mode", "avg");
  if (mode != 0 && mode != 2)
    Fail(GE_UNSUPPORTED, "%s: roi_end_mode %lld is not supported, expected 0 or 2", node.label().c_str(),
         (long long)mode);
  if (pool != "avg" && pool != "max")
    Fail(GE_UNSUPPORTED, "%s: pool_mode '%s' is unknown, expected avg or max", node.label().c_str(), pool.c_str());
  if (node.has(2)) Fail(GE_UNSUPPORTED, "%s: rois_n is not supported", node.label().c_str());
}

const OpEntry kBoxes[] = {
    {"NonMaxSuppressionV6", kFloats32, &CreateNonMaxSuppression},
    {"ROIAlign", kFloats32, &CreateRoiAlign, &CheckRoiAlign},
};

}  // namespace

OpTable BoxOps() { return TableOf(kBoxes); }

}  // namespace reference
