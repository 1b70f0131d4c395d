// Lines of pictures as SVG writes them.
#pragma once

#include <string>
#include <vector>

#include "core/dump/layers.h"

namespace gec {

/// A number as SVG has it, to a tenth of a pixel.
std::string PixelText(double value);
/// "x y".
std::string PointText(double x, double y);
/// A line through these points: straight through layers, bent between them. It ends `tip` pixels before the last point.
std::string PathText(const std::vector<Point> &points, double tip);
/// The tip of an arrow that points down.
std::string ArrowText(Point tip);

}  // namespace gec
