// The table of operators the importer knows: one function per operator and version range.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "parsers/onnx/node_context.h"

namespace gec::onnx {

using HandlerFn = void (*)(NodeContext &);

struct Handler {
  const char *domain;  // "" is ONNX's own
  const char *type;
  int64_t since;  // first opset this function serves; the entry with the greatest one not above the model's is taken
  HandlerFn fn;
};

/// A handler of an operator that moves elements, for types of which several share a byte, too.
template <HandlerFn kMove>
void MovesElements(NodeContext &c) {
  c.MoveWholeElements();
  kMove(c);
}

struct HandlerTable {
  const Handler *begin;
  const Handler *end;
};

// One table per family; each is defined in ops_<family>.cpp.
HandlerTable ElementwiseHandlers();
HandlerTable ActivationHandlers();
HandlerTable MathHandlers();
HandlerTable ShapeHandlers();
HandlerTable IndexHandlers();
HandlerTable ConvolutionHandlers();
HandlerTable PoolingHandlers();
HandlerTable SignalHandlers();
HandlerTable RegionHandlers();
HandlerTable LossHandlers();
HandlerTable NormalizationHandlers();
HandlerTable ResizeHandlers();
HandlerTable RecurrentHandlers();
HandlerTable ControlHandlers();
HandlerTable CreationHandlers();
HandlerTable QuantizationHandlers();
HandlerTable MicrosoftQuantizationHandlers();
HandlerTable QuantizedAttentionHandlers();
HandlerTable AttentionHandlers();
HandlerTable LowBitHandlers();
// ONNX Runtime's own domain.
HandlerTable ContribAttentionHandlers();
HandlerTable ContribGroupedHandlers();
HandlerTable ContribNormHandlers();
HandlerTable ContribMathHandlers();
HandlerTable ContribShapeHandlers();
HandlerTable SequenceHandlers();
HandlerTable TrainingHandlers();
HandlerTable StateSpaceHandlers();
HandlerTable FeatureHandlers();
HandlerTable LearnedHandlers();
HandlerTable TreeHandlers();
HandlerTable TextHandlers();

/// All of them, sorted by domain, type, version.
const std::vector<Handler> &AllHandlers();
/// Null when the operator is unknown or only newer versions are known; *known tells which.
const Handler *FindHandler(std::string_view domain, std::string_view type, int64_t opset, bool *known);
/// The handler of a node that has texts among its inputs, null for operators that take none. Its function is null where
/// the handler for numbers serves it, as the operator moves elements, or measures shapes only; `check` then refuses
/// what would compute.
struct TextHandler {
  const char *domain;
  const char *type;
  HandlerFn fn;
  bool measures = false;
  HandlerFn check = nullptr;
};
const TextHandler *FindTextHandler(std::string_view domain, std::string_view type);
/// Why an operator of ONNX has no handler; null for a type that ONNX does not have.
const char *WhyUnsupported(std::string_view domain, std::string_view type);

}  // namespace gec::onnx
