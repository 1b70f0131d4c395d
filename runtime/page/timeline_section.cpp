// The timeline as a picture, and the times as tables.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/dump/svg_path.h"
#include "core/support/error.h"
#include "core/support/xml_text.h"
#include "runtime/page/sections.h"

namespace gec {
namespace {

constexpr double kTimelineWidth = 1080, kLaneHeight = 26, kAxisHeight = 22;  // pixels
constexpr double kThin = 0.6;  // what is thinner is drawn together with its neighbours
constexpr size_t kSlowest = 20;

using Event = Profiler::Event;

bool IsKernel(const Event &e) { return !e.type.empty(); }

double Whole(const Profiler &run, uint64_t *start) {
  uint64_t first = UINT64_MAX, last = 0;
  for (const Event &e : run.events()) {
    first = std::min(first, e.begin);
    last = std::max(last, e.end);
  }
  *start = first;
  return std::max(1.0, static_cast<double>(last) - static_cast<double>(first));
}

/// A step of 1, 2 or 5 times a power of ten, about ten of them in the whole.
double TickStep(double whole) {
  const double power = std::pow(10, std::floor(std::log10(whole / 8)));
  for (double factor : {1.0, 2.0, 5.0})
    if (whole / (power * factor) <= 10) return power * factor;
  return power * 10;
}

/// Boxes of the events of one lane, in the order of time.
class Lane {
 public:
  Lane(double y, const EngineColours &colours) : y_(y), colours_(colours) {}

  void Add(const Event &e, double from, double to) {
    if (count_ && (to - from_ > kThin && (to - from > kThin || to_ - from_ > kThin))) Flush();
    if (!count_) from_ = from;
    to_ = to;
    last_ = &e;
    ++count_;
    busy_ += static_cast<double>(e.end - e.begin);
  }
  std::string Text() {
    Flush();
    return std::move(out_);
  }

 private:
  void Flush() {
    if (!count_) return;
    const std::string style = IsKernel(*last_) ? ColourClass(colours_, last_->engine) : "none";
    std::string tip = last_->name + "\n" + TimeText(busy_);
    if (IsKernel(*last_)) tip += Str("\n", last_->type, " on ", last_->engine, ": ", last_->implementation);
    if (count_ > 1) tip = Str(count_, " events, ", TimeText(busy_));
    const double width = std::max(to_ - from_, kThin);
    out_ += Str("<g class=\"n ", style, "\"><title>", XmlText(tip), "</title><rect x=\"", PixelText(from_), "\" y=\"",
                PixelText(y_), "\" width=\"", PixelText(width), "\" height=\"", PixelText(kLaneHeight - 5), "\"/>");
    if (count_ == 1 && width > 40)
      out_ += Str("<text class=\"m\" x=\"", PixelText(from_ + width / 2), "\" y=\"", PixelText(y_ + 14), "\">",
                  XmlText(EndOf(IsKernel(*last_) ? last_->type : last_->name, width - 6, 10)), "</text>");
    out_ += "</g>\n";
    count_ = 0;
    busy_ = 0;
  }

  double y_, from_ = 0, to_ = 0, busy_ = 0;
  const EngineColours &colours_;
  const Event *last_ = nullptr;
  size_t count_ = 0;
  std::string out_;
};

/// Events by how deep they lie in others: a run around everything, a loop around its kernels.
std::vector<std::vector<const Event *>> ByDepth(const Profiler &run) {
  std::vector<const Event *> events;
  for (const Event &e : run.events()) events.push_back(&e);
  std::stable_sort(events.begin(), events.end(), [](const Event *a, const Event *b) {
    return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
  });
  std::vector<std::vector<const Event *>> lanes;
  for (const Event *e : events) {
    size_t depth = 0;
    while (depth < lanes.size() && lanes[depth].back()->end > e->begin) ++depth;
    if (depth == lanes.size()) lanes.emplace_back();
    lanes[depth].push_back(e);
  }
  return lanes;
}

std::string Axis(double whole, double height) {
  std::string out;
  const double step = TickStep(whole);
  for (double at = 0; at <= whole; at += step) {
    const double x = kTimelineWidth * at / whole;
    out +=
        Str("<path class=\"grid\" d=\"M", PointText(x, kAxisHeight - 4), "V", PixelText(height), "\"/><text class=\"",
            x > kTimelineWidth - 60 ? "r" : "l", "\" x=\"", PixelText(x > kTimelineWidth - 60 ? kTimelineWidth : x + 2),
            "\" y=\"12\">", at > 0 ? TimeText(at) : "0", "</text>\n");
  }
  return out;
}

}  // namespace

std::string TimelineSection(const Profiler &run, const EngineColours &colours) {
  uint64_t start = 0;
  const double whole = Whole(run, &start);
  const std::vector<std::vector<const Event *>> lanes = ByDepth(run);
  const double height = kAxisHeight + kLaneHeight * static_cast<double>(lanes.size());
  std::string out = Axis(whole, height);
  for (size_t i = 0; i < lanes.size(); ++i) {
    Lane lane(kAxisHeight + kLaneHeight * static_cast<double>(i), colours);
    for (const Event *e : lanes[i])
      lane.Add(*e, kTimelineWidth * static_cast<double>(e->begin - start) / whole,
               kTimelineWidth * static_cast<double>(e->end - start) / whole);
    out += lane.Text();
  }
  return Str(
      "<div class=\"wide\" tabindex=\"0\"><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ge-picture\" role=\"img\" "
      "aria-label=\"timeline\" width=\"",
      PixelText(kTimelineWidth), "\" height=\"", PixelText(height), "\" viewBox=\"0 0 ", PixelText(kTimelineWidth), " ",
      PixelText(height), "\">\n", out, "</svg></div>\n");
}

namespace {

struct Sum {
  const Event *event = nullptr;  // the first of them
  double ns = 0, flops = 0, bytes = 0;
  size_t count = 0;
  void Add(const Event &e) {
    if (!event) event = &e;
    ns += static_cast<double>(e.end - e.begin);
    flops += e.flops;
    bytes += static_cast<double>(e.bytes);
    ++count;
  }
};

std::vector<Sum> LongestFirst(const std::map<std::string, Sum> &sums) {
  std::vector<Sum> order;
  for (const auto &[key, sum] : sums) order.push_back(sum);
  std::stable_sort(order.begin(), order.end(), [](const Sum &a, const Sum &b) { return a.ns > b.ns; });
  return order;
}

std::string EngineCell(const EngineColours &colours, const std::string &name) {
  return Str("<span class=\"swatch ", ColourClass(colours, name), "\"></span>", XmlText(name));
}

std::string RateCell(double amount, double ns) { return ns > 0 && amount > 0 ? ScaledText(amount / ns * 1e9) : "–"; }

}  // namespace

std::string TimesSection(const Profiler &run, const EngineColours &colours) {
  std::map<std::string, Sum> kinds, nodes;
  double total = 0;
  for (const Event &e : run.events()) {
    if (!IsKernel(e)) continue;
    kinds[e.type + '\n' + e.engine + '\n' + e.implementation].Add(e);
    nodes[e.node + '\n' + e.name + '\n' + e.type].Add(e);
    total += static_cast<double>(e.end - e.begin);
  }
  if (kinds.empty()) return "<p>No kernel ran.</p>\n";
  total = std::max(total, 1.0);
  HtmlTable by_kind({{"operator"},
                     {"engine"},
                     {"implementation"},
                     {"runs", true},
                     {"time", true},
                     {"share", true},
                     {"part"},
                     {"operations/s", true},
                     {"bytes/s", true}});
  for (const Sum &sum : LongestFirst(kinds))
    by_kind.Add({XmlText(sum.event->type), EngineCell(colours, sum.event->engine), XmlText(sum.event->implementation),
                 std::to_string(sum.count), TimeText(sum.ns), PercentText(sum.ns / total), BarText(sum.ns / total),
                 RateCell(sum.flops, sum.ns), RateCell(sum.bytes, sum.ns)});
  std::vector<Sum> slowest = LongestFirst(nodes);
  slowest.resize(std::min(slowest.size(), kSlowest));
  HtmlTable by_node(
      {{"node"}, {"operator"}, {"engine"}, {"implementation"}, {"runs", true}, {"time", true}, {"share", true}});
  for (const Sum &sum : slowest)
    by_node.Add({XmlText(EndOf(sum.event->name, 420, 10)), XmlText(sum.event->type),
                 EngineCell(colours, sum.event->engine), XmlText(sum.event->implementation), std::to_string(sum.count),
                 TimeText(sum.ns), PercentText(sum.ns / total)});
  return Str(
      "<h3>By kind of kernel</h3>\n<p class=\"note\">Operations as kernels count them; bytes are all of inputs and "
      "outputs, "
      "of which some kernels read a part only, such as those that gather rows.</p>\n",
      by_kind.Text(), "<h3>Slowest nodes</h3>\n", by_node.Text());
}

}  // namespace gec
