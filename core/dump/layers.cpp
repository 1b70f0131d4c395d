// As Sugiyama, Tagawa and Toda did it: layers by the longest way from above, order within layers by where neighbours
// are, and then places as near to their neighbours as the order allows.
#include "core/dump/layers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace gec {
namespace {

constexpr size_t kOrderSweeps = 12, kPlaceSweeps = 40;
constexpr double kWay = 9;            // pixels that a line needs that passes a layer
constexpr double kStraight = 8;       // how much more a line resists a bend than a box resists to be moved
constexpr size_t kMostLinks = 40000;  // more are not untangled: nobody follows them
constexpr size_t kMostWays = 100000;  // places in layers that lines pass

/// A box, or a place where lines pass a layer.
struct Slot {
  double width;
  size_t layer;
  size_t box;                    // none of the boxes: a way
  std::vector<size_t> up, down;  // slots of the neighbouring layers
  double x = 0;                  // the middle
  size_t place = 0;              // in its layer
};

class Layout {
 public:
  explicit Layout(LayerDrawing *drawing) : d_(*drawing) {}

  void Run() {
    if (d_.boxes.empty()) return;
    for (LayerDrawing::Line &line : d_.lines) {
      line.backwards = line.from > line.to;
      if (line.backwards) std::swap(line.from, line.to);
    }
    ChooseLayers();
    CutLongest();
    MakeSlots();
    Order();
    Place();
    Finish();
  }

 private:
  void ChooseLayers() {
    const size_t n = d_.boxes.size();
    std::vector<std::vector<size_t>> readers(n), sources(n);
    bool has_top = false;
    for (const LayerDrawing::Box &box : d_.boxes) has_top = has_top || box.place == LayerDrawing::kTop;
    for (const LayerDrawing::Line &line : d_.lines) {
      if (line.from == line.to) continue;
      readers[line.from].push_back(line.to);
      sources[line.to].push_back(line.from);
    }
    size_t last = 0;
    for (size_t i = 0; i < n; ++i) {
      LayerDrawing::Box &box = d_.boxes[i];
      box.layer = has_top && box.place != LayerDrawing::kTop ? 1 : 0;
      for (size_t from : sources[i]) box.layer = std::max(box.layer, d_.boxes[from].layer + 1);
      if (box.place != LayerDrawing::kBottom) last = std::max(last, box.layer);
    }
    // Down again to where they are read, unless more lines would become longer by that than shorter.
    for (size_t i = n; i-- > 0;) {
      LayerDrawing::Box &box = d_.boxes[i];
      if (box.place == LayerDrawing::kBottom) box.layer = last + 1;
      if (box.place != LayerDrawing::kFree || readers[i].empty() || sources[i].size() > readers[i].size()) continue;
      if (sources[i].size() == readers[i].size() && !sources[i].empty()) continue;
      size_t first = SIZE_MAX;
      for (size_t to : readers[i]) first = std::min(first, d_.boxes[to].layer);
      box.layer = std::max(box.layer, first - 1);
    }
  }

  /// Ways through more layers than anyone follows would take more memory than the graph: the longest are not drawn.
  void CutLongest() {
    std::vector<size_t> order(d_.lines.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto span = [&](size_t i) { return d_.boxes[d_.lines[i].to].layer - d_.boxes[d_.lines[i].from].layer; };
    std::map<size_t, size_t> trunk;  // by box: the longest way from it
    size_t all = 0;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return span(a) < span(b); });
    for (size_t i : order) {
      size_t &longest = trunk[d_.lines[i].from];
      const size_t more = span(i) - std::min(span(i), longest);
      if (more > 1 && all + more > kMostWays) {
        d_.lines[i].cut = true;
        continue;
      }
      all += more;
      longest += more;
    }
  }

  size_t AddSlot(double width, size_t layer, size_t box) {
    slots_.push_back({width, layer, box, {}, {}, 0, 0});
    if (rows_.size() <= layer) rows_.resize(layer + 1);
    slots_.back().place = rows_[layer].size();
    rows_[layer].push_back(slots_.size() - 1);
    return slots_.size() - 1;
  }

  void Link(size_t above, size_t below) {
    slots_[above].down.push_back(below);
    slots_[below].up.push_back(above);
    ++links_;
  }

  void MakeSlots() {
    for (size_t i = 0; i < d_.boxes.size(); ++i) AddSlot(d_.boxes[i].width, d_.boxes[i].layer, i);
    std::map<std::tuple<size_t, double, size_t>, size_t> trunks;  // box, place on its side, layer
    for (const LayerDrawing::Line &line : d_.lines) {
      std::vector<size_t> way = {line.from};
      if (line.cut) {
        way.push_back(line.to);
        ways_.push_back(std::move(way));
        continue;
      }
      for (size_t layer = d_.boxes[line.from].layer + 1; layer < d_.boxes[line.to].layer; ++layer) {
        const auto key = std::make_tuple(line.from, line.from_at, layer);
        auto found = trunks.find(key);
        if (found == trunks.end()) {
          found = trunks.emplace(key, AddSlot(kWay, layer, SIZE_MAX)).first;
          Link(way.back(), found->second);
        }
        way.push_back(found->second);
      }
      if (line.from != line.to) Link(way.back(), line.to);
      way.push_back(line.to);
      ways_.push_back(std::move(way));
    }
  }

  // ---- order within layers ----

  void Renumber(const std::vector<size_t> &row) {
    for (size_t i = 0; i < row.size(); ++i) slots_[row[i]].place = i;
  }

  /// By the mean place of neighbours on one side; those without stay where they are.
  void SortRow(std::vector<size_t> *row, bool by_upper) {
    std::vector<std::pair<double, size_t>> wanted;
    for (size_t s : *row) {
      const std::vector<size_t> &near = by_upper ? slots_[s].up : slots_[s].down;
      double sum = 0;
      for (size_t other : near) sum += Relative(other);
      wanted.emplace_back(near.empty() ? Relative(s) : sum / static_cast<double>(near.size()), s);
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    for (size_t i = 0; i < row->size(); ++i) (*row)[i] = wanted[i].second;
    Renumber(*row);
  }

  double Relative(size_t s) const {
    return (static_cast<double>(slots_[s].place) + 0.5) / static_cast<double>(rows_[slots_[s].layer].size());
  }

  size_t Crossings() const {
    size_t count = 0;
    for (size_t layer = 0; layer + 1 < rows_.size(); ++layer) {
      // Links in the order of their upper ends; how many of those before end further right, by a Fenwick tree.
      std::vector<size_t> tree(rows_[layer + 1].size() + 1);
      size_t before = 0;
      for (size_t s : rows_[layer]) {
        for (size_t to : slots_[s].down) {
          count += before;
          for (size_t i = slots_[to].place + 1; i > 0; i -= i & (~i + 1)) count -= tree[i];
        }
        for (size_t to : slots_[s].down) {
          for (size_t i = slots_[to].place + 1; i < tree.size(); i += i & (~i + 1)) ++tree[i];
          ++before;
        }
      }
    }
    return count;
  }

  void Order() {
    if (links_ > kMostLinks) return;
    std::vector<std::vector<size_t>> best = rows_;
    size_t fewest = Crossings();
    for (size_t sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
      if (sweep % 2 == 0) {
        for (size_t i = 1; i < rows_.size(); ++i) SortRow(&rows_[i], true);
      } else {
        for (size_t i = rows_.size() - 1; i-- > 0;) SortRow(&rows_[i], false);
      }
      const size_t now = Crossings();
      if (now < fewest) {
        fewest = now;
        best = rows_;
      }
    }
    rows_ = std::move(best);
    for (const std::vector<size_t> &row : rows_) Renumber(row);
  }

  // ---- places ----

  double Apart(size_t left, size_t right) const {
    const Slot &a = slots_[left], &b = slots_[right];
    const bool boxes = a.box != SIZE_MAX && b.box != SIZE_MAX;
    return (a.width + b.width) / 2 + (boxes ? d_.gap_x : kWay);
  }

  /// The places in order that are nearest to the wanted ones (least squares): neighbours that want to lie too near to
  /// one another, or in the wrong order, move as a group.
  void PlaceRow(const std::vector<size_t> &row, const std::vector<double> &wanted, const std::vector<double> &weight) {
    struct Group {
      double sum, weight;
      size_t count;
      double mean() const { return sum / weight; }
    };
    std::vector<Group> groups;
    std::vector<double> offset(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      if (i) offset[i] = offset[i - 1] + Apart(row[i - 1], row[i]);
      groups.push_back({(wanted[i] - offset[i]) * weight[i], weight[i], 1});
      while (groups.size() > 1 && groups[groups.size() - 2].mean() >= groups.back().mean()) {
        const Group last = groups.back();
        groups.pop_back();
        groups.back().sum += last.sum;
        groups.back().weight += last.weight;
        groups.back().count += last.count;
      }
    }
    size_t i = 0;
    for (const Group &group : groups)
      for (size_t k = 0; k < group.count; ++k, ++i) slots_[row[i]].x = group.mean() + offset[i];
  }

  /// Where a line that ends at `s` meets the neighbour: in its middle, or where the line is fixed.
  void Approach(const std::vector<size_t> &row, bool upper, bool lower) {
    std::vector<double> wanted, weight;
    for (size_t s : row) {
      double sum = 0, total = 0;
      const auto add = [&](const std::vector<size_t> &near) {
        for (size_t other : near) {
          const double w = Stiffness(s, other);
          sum += w * (slots_[other].x + ShiftOf(s, other));
          total += w;
        }
      };
      if (upper) add(slots_[s].up);
      if (lower) add(slots_[s].down);
      wanted.push_back(total > 0 ? sum / total : Beside(row, s));
      weight.push_back(std::max(total, 1e-3));
    }
    PlaceRow(row, wanted, weight);
  }

  /// Where one stands that no line holds: beside its neighbour in the layer.
  double Beside(const std::vector<size_t> &row, size_t s) const {
    const size_t place = slots_[s].place;
    if (place > 0) return slots_[row[place - 1]].x + Apart(row[place - 1], s);
    return row.size() > 1 ? slots_[row[1]].x - Apart(s, row[1]) : slots_[s].x;
  }

  /// How much two neighbours want to lie below one another: most along a way, and where each has nobody else.
  double Stiffness(size_t a, size_t b) const {
    const Slot &upper = slots_[slots_[a].layer < slots_[b].layer ? a : b];
    const Slot &lower = slots_[slots_[a].layer < slots_[b].layer ? b : a];
    if (upper.down.size() == 1 && lower.up.size() == 1) return kStraight;
    return upper.box == SIZE_MAX || lower.box == SIZE_MAX ? 0.5 : 1;
  }

  /// Lines may have fixed ends on wide boxes: how far from the middles the slot must stand from its neighbour.
  double ShiftOf(size_t s, size_t other) const {
    const auto found = shifts_.find({s, other});
    return found == shifts_.end() ? 0 : found->second;
  }

  void NoteShifts() {
    for (size_t i = 0; i < d_.lines.size(); ++i) {
      const LayerDrawing::Line &line = d_.lines[i];
      if (line.cut) continue;
      const std::vector<size_t> &way = ways_[i];
      const auto fixed = [&](size_t box, double at, size_t next) {
        if (at < 0) return;
        const double shift = at - d_.boxes[box].width / 2;
        shifts_[{next, box}] = shift;
        shifts_[{box, next}] = -shift;
      };
      fixed(line.from, line.from_at, way[1]);
      fixed(line.to, line.to_at, way[way.size() - 2]);
    }
  }

  void Place() {
    NoteShifts();
    for (const std::vector<size_t> &row : rows_) {
      double x = 0;
      for (size_t i = 0; i < row.size(); ++i) {
        if (i) x += Apart(row[i - 1], row[i]);
        slots_[row[i]].x = x;
      }
      for (size_t s : row) slots_[s].x -= x / 2;
    }
    const size_t sweeps = links_ > kMostLinks ? 2 : kPlaceSweeps;
    for (size_t sweep = 0; sweep < sweeps; ++sweep) {
      for (size_t i = 1; i < rows_.size(); ++i) Approach(rows_[i], true, false);
      for (size_t i = rows_.size() - 1; i-- > 0;) Approach(rows_[i], false, true);
      for (size_t i = 0; i < rows_.size(); ++i) Approach(rows_[i], true, true);
    }
  }

  // ---- what comes out ----

  void Finish() {
    double left = 1e300, right = -1e300;
    for (const Slot &s : slots_) {
      left = std::min(left, s.x - s.width / 2);
      right = std::max(right, s.x + s.width / 2);
    }
    d_.width = right - left;
    std::vector<double> top(rows_.size()), bottom(rows_.size());
    double y = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      double tallest = 0;
      for (size_t s : rows_[i]) {
        slots_[s].x -= left;
        if (slots_[s].box != SIZE_MAX) tallest = std::max(tallest, d_.boxes[slots_[s].box].height);
      }
      top[i] = y;
      bottom[i] = y + tallest;
      y += tallest + (i + 1 < rows_.size() ? d_.gap_y : 0);
    }
    d_.height = y;
    for (size_t i = 0; i < d_.boxes.size(); ++i) {
      d_.boxes[i].x = slots_[i].x - d_.boxes[i].width / 2;
      d_.boxes[i].y = top[d_.boxes[i].layer];
    }
    SpreadEnds();
    for (size_t i = 0; i < d_.lines.size(); ++i) Draw(&d_.lines[i], ways_[i], top, bottom);
  }

  /// Ends at one box lie side by side, in the order in which their lines come.
  void SpreadEnds() {
    std::vector<std::vector<size_t>> ends(d_.boxes.size());
    for (size_t i = 0; i < d_.lines.size(); ++i)
      if (d_.lines[i].to_at < 0) ends[d_.lines[i].to].push_back(i);
    for (size_t box = 0; box < ends.size(); ++box) {
      const auto from = [&](size_t line) {
        const std::vector<size_t> &way = ways_[line];
        const size_t s = way[way.size() - 2];
        return slots_[s].x +
               (way.size() == 2 && d_.lines[line].from_at >= 0 ? d_.lines[line].from_at - slots_[s].width / 2 : 0);
      };
      std::stable_sort(ends[box].begin(), ends[box].end(), [&](size_t a, size_t b) { return from(a) < from(b); });
      const double width = d_.boxes[box].width, count = static_cast<double>(ends[box].size());
      const double step = std::min(24.0, width * 0.8 / std::max(1.0, count - 1));
      for (size_t k = 0; k < ends[box].size(); ++k)
        d_.lines[ends[box][k]].to_at = width / 2 + step * (static_cast<double>(k) - (count - 1) / 2);
    }
  }

  void Draw(LayerDrawing::Line *line, const std::vector<size_t> &way, const std::vector<double> &top,
            const std::vector<double> &bottom) const {
    const LayerDrawing::Box &from = d_.boxes[line->from], &to = d_.boxes[line->to];
    const double from_x = from.x + (line->from_at < 0 ? from.width / 2 : line->from_at);
    line->points.push_back({from_x, from.y + from.height});
    line->points.push_back({from_x, bottom[from.layer]});
    for (size_t k = 1; k + 1 < way.size(); ++k) {
      const Slot &s = slots_[way[k]];
      line->points.push_back({s.x, top[s.layer]});
      line->points.push_back({s.x, bottom[s.layer]});
    }
    line->points.push_back({to.x + line->to_at, to.y});
  }

  LayerDrawing &d_;
  std::vector<Slot> slots_;  // those of boxes first
  std::vector<std::vector<size_t>> rows_;
  std::vector<std::vector<size_t>> ways_;  // slots of each line
  std::map<std::pair<size_t, size_t>, double> shifts_;
  size_t links_ = 0;
};

}  // namespace

void LayOut(LayerDrawing *drawing) { Layout(drawing).Run(); }

}  // namespace gec
