// The parts of a report page: each is HTML that is well-formed XML as well.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/model.h"
#include "runtime/page/machine_rates.h"
#include "runtime/profiler.h"

namespace gec {

/// Classes of colours "c0" and so on by engine: the same in every part of a page.
using EngineColours = std::map<std::string, size_t>;

std::string GraphSection(const Graph &placed, EngineColours *colours);
std::string TimelineSection(const Profiler &run, const EngineColours &colours);
std::string TimesSection(const Profiler &run, const EngineColours &colours);
std::string MemorySection(const Model &model);
std::string RooflineSection(const Profiler &run, const MachineRates &rates, const EngineColours &colours);
std::string ReasonsSection(const Model &model, const EngineColours &colours);

/// "12.3 µs", "4.56 ms".
std::string TimeText(double nanoseconds);
/// "12.3 kB", "4.56 MB".
std::string BytesText(double bytes);
/// Three digits with a prefix: "4.56 G" of 4.56e9.
std::string ScaledText(double value);
std::string PercentText(double part);
/// The class of an engine's colour.
std::string ColourClass(const EngineColours &colours, const std::string &engine);

/// Rows of cells that are HTML. A column of numbers is set flush right.
class HtmlTable {
 public:
  struct Column {
    const char *title;
    bool number = false;
  };
  explicit HtmlTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void Add(const std::vector<std::string> &cells);
  bool empty() const { return rows_.empty(); }
  std::string Text() const;

 private:
  std::vector<Column> columns_;
  std::string rows_;
};

/// A small bar that shows a part of a whole.
std::string BarText(double part);
/// The summary shows at once, the content after a click.
std::string Folded(const std::string &summary, const std::string &content, bool open = false);

}  // namespace gec
