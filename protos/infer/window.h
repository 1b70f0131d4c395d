// Extents of convolution and pooling outputs.
#pragma once

#include "protos/infer/context.h"

namespace gec::infer {

/// Where the image axes are in a 4-D tensor.
struct ImageAxes {
  int64_t n = 0, c = 1, h = 2, w = 3;
};
/// By a data format attribute; refuses other names than NCHW and NHWC.
ImageAxes AxesOf(Context &c, const std::string &format);
/// The layout of a convolution: the format of input `x` where it is set (NCHW or NHWC for images, NCDHW or NDHWC for
/// volumes), else attribute data_format, or its default. Where they disagree the format counts, as in GE.
std::string ConvLayout(Context &c, size_t x, const char *fallback);
/// By the format of the first input; NCHW unless it says NHWC.
ImageAxes AxesOfInput(Context &c);

enum class Padding { kExplicit, kSame, kValid };

/// The value of an attribute: SAME or VALID.
Padding NamedPadding(Context &c, const char *attr);

struct Window {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  bool ceil_mode = false;
};
/// Output extent of a window that slides over `in`; -1 when unknown. `axis` ("height") is for messages.
int64_t SlideExtent(Context &c, int64_t in, const Window &window, Padding padding, const char *axis);

/// Extent of what a transposed window of this geometry makes of `in` positions, with `extra` ones behind; `where` names
/// the axis.
int64_t SpreadExtent(Context &c, int64_t in, const Window &window, int64_t extra, const std::string &where);

/// Of transposed convolutions of volumes: type and shape of the output.
void VolumeTransposed(Context &c, const char *default_format);

}  // namespace gec::infer
