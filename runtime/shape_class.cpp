#include "runtime/shape_class.h"

#include <algorithm>

namespace gec {

SizePattern PatternOf(const std::vector<TensorDesc> &declared, const std::vector<TensorDesc> &inputs) {
  SizePattern pattern;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape &open = declared[i].shape;
    TensorDesc desc = inputs[i];
    pattern.key.push_back(desc.dtype);
    pattern.key.push_back(desc.format);
    pattern.key.push_back(desc.shape.rank());
    for (size_t d = 0; d < desc.shape.dims().size(); ++d) {
      int64_t &extent = desc.shape[d];
      if (extent > 1 && (!open.has_rank() || open.rank() != desc.shape.rank() || open[d] < 0)) {
        const auto known = std::find(pattern.extents.begin(), pattern.extents.end(), extent);
        const int64_t number = known - pattern.extents.begin();
        if (known == pattern.extents.end()) pattern.extents.push_back(extent);
        extent = SymbolicDim(number);
      }
      pattern.key.push_back(extent);
    }
    desc.origin_shape = desc.shape;
    pattern.inputs.push_back(std::move(desc));
  }
  return pattern;
}

std::string TextOf(const SizePattern &pattern, const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < pattern.inputs.size(); ++i) {
    text += i ? ", " : "";
    if (i < names.size()) text += names[i] + " ";
    text += pattern.inputs[i].shape.str();
  }
  return text;
}

}  // namespace gec
