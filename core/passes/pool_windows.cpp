#include "core/passes/pool_windows.h"

#include "core/passes/conv.h"

namespace gec {

bool ReadPoolSides(const Node &node, PoolSides *sides, Refusal *why) {
  static const Symbol ceil_mode("ceil_mode"), global("global_pooling"), divisor("divisor_override"),
      padding("padding_mode"), format("data_format");
  const auto declined = [&](const char *actual) {
    *why = {actual, "windows of images without padding"};
    return false;
  };
  if (node.String(format, "NCHW") != "NCHW") return declined("channels are last");
  if (node.Bool(global, false)) return declined("one window takes the whole image");
  const std::vector<int64_t> sizes = node.Ints("ksize"), steps = node.Ints("strides"), pads = node.Ints("pads");
  if (sizes.size() != 4 || steps.size() != 4 || sizes[0] != 1 || sizes[1] != 1)
    return declined("the windows are not those of images");
  if (!AllAre(pads, 0)) return declined("x is padded");
  if (node.String(padding, "CALCULATED") != "CALCULATED") return declined("padding is given by name");
  if (node.Int(divisor, 0) != 0) return declined("the divisor is given");
  if (node.Bool(ceil_mode, false)) return declined("the last window may be cut off");
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = sizes[2 + i], step = steps[2 + i];
    if (size < 1 || step < 1) return declined("a window or a stride is not positive");
    sides->size[i] = size, sides->step[i] = step;
  }
  return true;
}

}  // namespace gec
