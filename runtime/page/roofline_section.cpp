// How far each kernel is from what the machine can do: operations per second over operations per byte.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/dump/svg_path.h"
#include "core/support/error.h"
#include "core/support/xml_text.h"
#include "runtime/page/sections.h"

namespace gec {
namespace {

constexpr double kChartLeft = 70, kChartTop = 16, kChartWidth = 860, kChartHeight = 380, kChartBottom = 44;  // pixels
constexpr size_t kMostPoints = 1500;

/// Kernels that cannot be told apart here.
struct Spot {
  const Profiler::Event *event;
  double ns = 0;
  size_t count = 0;
  double flops() const { return event->flops * static_cast<double>(count); }
  double intensity() const { return event->flops / static_cast<double>(event->bytes); }
  double rate() const { return flops() / ns * 1e9; }
};

struct Kernels {
  std::vector<Spot> spots;
  double shown_ns = 0, other_ns = 0;
  size_t shown = 0, others = 0;
};

Kernels Collect(const Profiler &run) {
  using Key = std::tuple<std::string, std::string, double, uint64_t>;
  std::map<Key, Spot> spots;
  Kernels all;
  for (const Profiler::Event &e : run.events()) {
    if (e.type.empty()) continue;
    const double ns = static_cast<double>(e.end - e.begin);
    if (e.flops <= 0 || e.bytes == 0 || ns <= 0 || !std::isfinite(e.flops)) {
      all.other_ns += ns;
      ++all.others;
      continue;
    }
    Spot &spot = spots[Key(e.type, e.engine + e.implementation, e.flops, e.bytes)];
    spot.event = &e;
    spot.ns += ns;
    ++spot.count;
    all.shown_ns += ns;
    ++all.shown;
  }
  for (const auto &[key, spot] : spots) all.spots.push_back(spot);
  std::stable_sort(all.spots.begin(), all.spots.end(), [](const Spot &a, const Spot &b) { return a.ns > b.ns; });
  if (all.spots.size() > kMostPoints) all.spots.resize(kMostPoints);
  return all;
}

/// Of fp32 and of the types that kernels computed in.
std::vector<const GeArithmeticRate *> Roofs(const Kernels &kernels, const MachineRates &rates) {
  std::vector<const GeArithmeticRate *> roofs;
  for (const GeArithmeticRate &each : rates.types)
    if (roofs.empty() || std::any_of(kernels.spots.begin(), kernels.spots.end(),
                                     [&](const Spot &spot) { return spot.event->flops_type == each.data_type; }))
      roofs.push_back(&each);
  return roofs;
}

/// Both scales are logarithmic and begin and end at powers of ten.
class Chart {
 public:
  Chart(const Kernels &kernels, const MachineRates &rates, const EngineColours &colours)
      : kernels_(kernels), rates_(rates), colours_(colours) {
    for (const GeArithmeticRate *each : Roofs(kernels, rates)) {
      Widen(each->flops, &low_y_, &high_y_);
      if (rates.bytes_per_second > 0) Widen(each->flops / rates.bytes_per_second, &low_x_, &high_x_);
    }
    for (const Spot &s : kernels.spots) {
      Widen(s.intensity(), &low_x_, &high_x_);
      Widen(s.rate(), &low_y_, &high_y_);
    }
  }

  std::string Text() const {
    return Str(
        "<div class=\"wide\" tabindex=\"0\"><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ge-picture\" "
        "role=\"img\" aria-label=\"roofline\" width=\"",
        PixelText(kChartLeft + kChartWidth + 20), "\" height=\"", PixelText(kChartTop + kChartHeight + kChartBottom),
        "\" viewBox=\"0 0 ", PixelText(kChartLeft + kChartWidth + 20), " ",
        PixelText(kChartTop + kChartHeight + kChartBottom), "\">\n", Grid(), AllRoofs(), Spots(), "</svg></div>\n");
  }

 private:
  static void Widen(double value, int *low, int *high) {
    if (value <= 0 || !std::isfinite(value)) return;
    *low = std::min(*low, static_cast<int>(std::floor(std::log10(value))));
    *high = std::max(*high, static_cast<int>(std::ceil(std::log10(value) + 1e-9)));
  }
  double X(double intensity) const {
    return kChartLeft + kChartWidth * (std::log10(intensity) - low_x_) / (high_x_ - low_x_);
  }
  double Y(double rate) const {
    return kChartTop + kChartHeight * (1 - (std::log10(rate) - low_y_) / (high_y_ - low_y_));
  }

  std::string Grid() const {
    std::string out;
    for (int p = low_x_; p <= high_x_; ++p) {
      const double x = X(std::pow(10, p));
      const std::string number = p < 0 ? PixelTextOf(std::pow(10, p)) : ScaledText(std::pow(10, p));
      out += Str("<path class=\"grid\" d=\"M", PointText(x, kChartTop), "V", PixelText(kChartTop + kChartHeight),
                 "\"/><text x=\"", PixelText(x), "\" y=\"", PixelText(kChartTop + kChartHeight + 15), "\">", number,
                 "</text>\n");
    }
    for (int p = low_y_; p <= high_y_; ++p) {
      const double y = Y(std::pow(10, p));
      out += Str("<path class=\"grid\" d=\"M", PointText(kChartLeft, y), "H", PixelText(kChartLeft + kChartWidth),
                 "\"/><text class=\"r\" x=\"", PixelText(kChartLeft - 6), "\" y=\"", PixelText(y + 3), "\">",
                 p < 0 ? PixelTextOf(std::pow(10, p)) : ScaledText(std::pow(10, p)), "</text>\n");
    }
    return out + Str("<text class=\"m\" x=\"", PixelText(kChartLeft + kChartWidth / 2), "\" y=\"",
                     PixelText(kChartTop + kChartHeight + 34),
                     "\">operations per byte of inputs and outputs</text>\n<text class=\"m l\" x=\"4\" "
                     "y=\"10\">operations/s</text>\n");
  }

  static std::string PixelTextOf(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }

  std::string Roof(const GeArithmeticRate &of) const {
    if (of.flops <= 0) return "";
    const double left = std::pow(10, low_x_), right = std::pow(10, high_x_);
    std::string path;
    if (rates_.bytes_per_second > 0) {
      const double from = std::max(left, std::pow(10, low_y_) / rates_.bytes_per_second),
                   knee = std::clamp(of.flops / rates_.bytes_per_second, left, right);
      path = Str("M", PointText(X(from), Y(from * rates_.bytes_per_second)), "L", PointText(X(knee), Y(of.flops)), "H",
                 PixelText(X(right)));
    } else {
      path = Str("M", PointText(X(left), Y(of.flops)), "H", PixelText(X(right)));
    }
    return Str("<path class=\"roof\" d=\"", path, "\"/><text class=\"m r\" x=\"",
               PixelText(kChartLeft + kChartWidth - 4), "\" y=\"", PixelText(Y(of.flops) - 5), "\">",
               GeDataTypeName(of.data_type), " ", ScaledText(of.flops), "operations/s</text>\n");
  }
  std::string AllRoofs() const {
    std::string out;
    for (const GeArithmeticRate *each : Roofs(kernels_, rates_)) out += Roof(*each);
    return out;
  }

  std::string Spots() const {
    std::string out;
    for (const Spot &s : kernels_.spots) {
      const double radius = 3 + 14 * std::sqrt(s.ns / std::max(1.0, kernels_.shown_ns));
      const GeArithmeticRate *of = rates_.Of(s.event->flops_type);
      double roof = of ? of->flops : 0;
      if (rates_.bytes_per_second > 0) roof = std::min(roof, s.intensity() * rates_.bytes_per_second);
      std::string tip = Str(s.event->type, " ", s.event->name, "\n", s.event->engine, ": ", s.event->implementation,
                            "\n", s.count > 1 ? Str(s.count, " runs like this, ") : std::string(), TimeText(s.ns), "\n",
                            ScaledText(s.rate()), "operations/s");
      if (roof > 0) tip += ", " + PercentText(s.rate() / roof) + " of the roof";
      out += Str("<g class=\"n spot ", ColourClass(colours_, s.event->engine), "\"><title>", XmlText(tip),
                 "</title><circle cx=\"", PixelText(X(s.intensity())), "\" cy=\"", PixelText(Y(s.rate())), "\" r=\"",
                 PixelText(radius), "\"/></g>\n");
    }
    return out;
  }

  const Kernels &kernels_;
  const MachineRates &rates_;
  const EngineColours &colours_;
  int low_x_ = 0, high_x_ = 1, low_y_ = 9, high_y_ = 10;
};

}  // namespace

std::string RooflineSection(const Profiler &run, const MachineRates &rates, const EngineColours &colours) {
  const Kernels kernels = Collect(run);
  std::string out = "<p>The roof was measured on this machine when the page was made: ";
  for (const GeArithmeticRate *each : Roofs(kernels, rates)) {
    if (each != &rates.types.front()) out += ", ";
    out += Str(ScaledText(each->flops), "operations/s (", XmlText(each->how), ")");
  }
  out += rates.bytes_per_second > 0 ? Str(" and ", ScaledText(rates.bytes_per_second), "B/s (",
                                          XmlText(rates.how_bytes), "; the best of several).")
                                    : Str("; how fast memory is read was ", XmlText(rates.how_bytes), ".");
  out +=
      " It is what simple loops reach here, not what a data sheet says. Kernels whose inputs lie in a cache, those of "
      "fewer multiplications than are counted, and those of other memory, may stand above it, and so may many where "
      "other programs were busy while memory was read. "
      "Larger spots took more time.</p>\n";
  if (kernels.spots.empty()) out += "<p>No kernel of this run says how many operations it does.</p>\n";
  else out += Chart(kernels, rates, colours).Text();
  if (kernels.others)
    out += Str("<p class=\"note\">Not drawn: ", kernels.others, kernels.others == 1 ? " kernel" : " kernels",
               " without a count of operations, ", TimeText(kernels.other_ns), " of ",
               TimeText(kernels.other_ns + kernels.shown_ns), ".</p>\n");
  return out;
}

}  // namespace gec
