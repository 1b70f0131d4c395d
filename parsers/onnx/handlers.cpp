#include "parsers/onnx/handlers.h"

#include <string.h>
#include <algorithm>
#include <iterator>

namespace gec::onnx {
namespace {

struct UnsupportedReason {
  const char *type;
  const char *why;
};
constexpr UnsupportedReason kUnsupportedReasons[] = {
    {"ImageDecoder", "decode images before the model"},
    {"MaxRoiPool", "no region pooling is available"},
    {"Multinomial", "no sampling by weights is available"},
};

bool Before(const Handler &a, const Handler &b) {
  if (int c = strcmp(a.domain, b.domain)) return c < 0;
  if (int c = strcmp(a.type, b.type)) return c < 0;
  return a.since < b.since;
}

}  // namespace

const std::vector<Handler> &AllHandlers() {
  static const std::vector<Handler> all = [] {
    std::vector<Handler> list;
    for (HandlerTable t : {ElementwiseHandlers(),
                           ActivationHandlers(),
                           MathHandlers(),
                           ShapeHandlers(),
                           IndexHandlers(),
                           ConvolutionHandlers(),
                           PoolingHandlers(),
                           SignalHandlers(),
                           RegionHandlers(),
                           LossHandlers(),
                           NormalizationHandlers(),
                           ResizeHandlers(),
                           RecurrentHandlers(),
                           ControlHandlers(),
                           CreationHandlers(),
                           QuantizationHandlers(),
                           MicrosoftQuantizationHandlers(),
                           QuantizedAttentionHandlers(),
                           AttentionHandlers(),
                           LowBitHandlers(),
                           ContribAttentionHandlers(),
                           ContribGroupedHandlers(),
                           ContribNormHandlers(),
                           ContribMathHandlers(),
                           ContribShapeHandlers(),
                           SequenceHandlers(),
                           TrainingHandlers(),
                           StateSpaceHandlers(),
                           FeatureHandlers(),
                           LearnedHandlers(),
                           TreeHandlers(),
                           TextHandlers()}) {
      // A table made of ge/elementwise.def has rows without a name in ONNX.
      std::copy_if(t.begin, t.end, std::back_inserter(list), [](const Handler &h) { return *h.type != '\0'; });
    }
    std::sort(list.begin(), list.end(), Before);
    return list;
  }();
  return all;
}

const Handler *FindHandler(std::string_view domain, std::string_view type, int64_t opset, bool *known) {
  const std::vector<Handler> &all = AllHandlers();
  auto it = std::lower_bound(all.begin(), all.end(), 0, [&](const Handler &h, int) {
    if (int c = std::string_view(h.domain).compare(domain)) return c < 0;
    return std::string_view(h.type).compare(type) < 0;
  });
  const Handler *best = nullptr;
  *known = false;
  for (; it != all.end() && domain == it->domain && type == it->type; ++it) {
    *known = true;
    if (it->since <= opset) best = &*it;
  }
  return best;
}

const char *WhyUnsupported(std::string_view domain, std::string_view type) {
  if (domain == "ai.onnx.ml" && (type == "DictVectorizer" || type == "ZipMap" || type == "CastMap"))
    return "values of map type are not supported";
  if (domain == "ai.onnx.training" || domain == "ai.onnx.preview.training")
    return "gradients are not supported; the optimisers of ai.onnx.preview.training are";
  if (!domain.empty()) return nullptr;
  for (const UnsupportedReason &e : kUnsupportedReasons) {
    if (type == e.type) return e.why;
  }
  return nullptr;
}

}  // namespace gec::onnx
