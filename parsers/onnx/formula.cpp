#include "parsers/onnx/formula.h"

#include <algorithm>

namespace gec::onnx {
namespace {

/// False: a run tells the values.
bool Known(NodeContext &c, Endpoint e, int64_t least, const char *what) {
  const TensorPtr value = ConstantOf(e);
  if (!value) return false;
  const std::vector<int64_t> values = value->Ints();
  const auto lowest = std::min_element(values.begin(), values.end());
  if (lowest != values.end() && *lowest < least)
    c.Refuse(Reason::kInvalidModel, Str(what, " is ", *lowest, ", at least ", least, " is needed"));
  return true;
}

}  // namespace

Endpoint Formula::AtLeast(Endpoint e, int64_t least, const char *what) {
  if (Known(c, e, least, what)) return e;
  // A gather takes no place that is not there: the second of one value.
  return Gather(Vector({e}), Where(Less(e, Int(least)), Int(1), Int(0)), 0);
}

Endpoint Formula::FromFront(Endpoint indices, const char *what) {
  if (Known(c, indices, 0, what)) return indices;
  // So far before the front that no extent makes it a place.
  return Where(Less(indices, Int(0)), Int(INT64_MIN / 4), indices);
}

}  // namespace gec::onnx
