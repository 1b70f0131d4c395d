// The common part of the classical models (ai.onnx.ml): labels of classes, and transforms of scores.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsers/onnx/formula.h"

namespace gec::onnx {

/// The classes of a classifier, by numbers or by texts.
struct ClassLabels {
  std::vector<int64_t> numbers;
  std::vector<std::string> texts;

  /// Those of attributes; refused when there are none or both.
  static ClassLabels Of(NodeContext &c, const char *numbers, const char *texts);
  size_t size() const { return texts.empty() ? numbers.size() : texts.size(); }
  /// The labels of classes by number, in the shape of `classes` (int64).
  Value At(NodeContext &c, Endpoint classes) const;
};

/// A constant of float32.
Endpoint Floats(NodeContext &c, const std::vector<float> &values, std::vector<int64_t> shape, const char *role);
/// A list of numbers that has to have so many.
void NeedCount(NodeContext &c, const char *name, size_t count, size_t wanted);
/// One row of features, or several, as several.
Endpoint RowsOf(NodeContext &c, Endpoint x);
/// Input 0 as rows of float32 features.
Endpoint Rows(NodeContext &c);
/// Values of attribute post_transform, in the order of its numbers.
inline constexpr std::string_view kTransforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
/// Scores after attribute post_transform, which works along the last axis.
Endpoint PostTransformed(NodeContext &c, Endpoint scores, const std::string &transform);
/// Scores of two classes from that of the second. `from_zero`: they are weights around 0, else probabilities.
Endpoint BothClasses(NodeContext &c, Endpoint score, const std::string &transform, bool from_zero);

}  // namespace gec::onnx
