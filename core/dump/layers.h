// Boxes in layers from top to bottom, and the lines between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gec {

struct Point {
  double x, y;
};

/// A drawing to be laid out: what it is made of, and where that comes to lie.
struct LayerDrawing {
  enum Place { kFree, kTop, kBottom };
  struct Box {
    double width, height;
    Place place = kFree;  // kTop: above all that are not, kBottom: below
    double x = 0, y = 0;  // upper left corner
    size_t layer = 0;
  };
  /// Lines that come from one place of a box share their way as long as they can.
  struct Line {
    size_t from, to;                  // boxes
    double from_at = -1, to_at = -1;  // where on their lower and upper side; negative: chosen
    std::vector<Point> points;        // from, then in and out of each layer on the way, then to
    bool backwards = false;           // drawn from `to` to `from`, since the graph has a cycle
    bool cut = false;                 // too long to be drawn: only the first and the last point say where it is
  };
  std::vector<Box> boxes;  // a line goes from an earlier box to a later one, or it is drawn backwards
  std::vector<Line> lines;
  double gap_x = 22, gap_y = 28;  // between boxes, between layers
  double width = 0, height = 0;   // of all
};

/// Fills in places, points and size. Boxes that read nothing come to lie right above the first that reads them.
void LayOut(LayerDrawing *drawing);

}  // namespace gec
