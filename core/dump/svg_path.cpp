#include "core/dump/svg_path.h"

#include <cmath>
#include <cstdio>

#include "core/support/error.h"

namespace gec {

std::string PixelText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string out = text;
  if (out.size() > 2 && out.compare(out.size() - 2, 2, ".0") == 0) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

std::string PointText(double x, double y) { return PixelText(x) + " " + PixelText(y); }

/// A line through these points: straight through layers, bent between them.
std::string PathText(const std::vector<Point> &points, double tip) {
  std::string path = "M" + PointText(points[0].x, points[0].y);
  for (size_t i = 1; i < points.size(); ++i) {
    const Point a = points[i - 1];
    Point b = points[i];
    if (i + 1 == points.size()) b.y -= tip;
    if (std::abs(a.x - b.x) < 0.05) {
      path += "L" + PointText(b.x, b.y);
    } else {
      const double bend = (b.y - a.y) / 2;
      path += "C" + PointText(a.x, a.y + bend) + " " + PointText(b.x, b.y - bend) + " " + PointText(b.x, b.y);
    }
  }
  return path;
}

std::string ArrowText(Point tip) {
  const double back = tip.y - 6;
  return Str("<path class=\"tip\" d=\"M", PointText(tip.x - 3, back), "L", PointText(tip.x + 3, back), "L",
             PointText(tip.x, tip.y), "Z\"/>\n");
}

}  // namespace gec
