// Small parts of which the sections of a report page are made.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/support/error.h"
#include "runtime/page/sections.h"

namespace gec {
namespace {

std::string Digits(double value, const char *unit) {
  char text[48];
  const int after = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f%s", after, value, unit);
  return text;
}

}  // namespace

std::string TimeText(double nanoseconds) {
  if (nanoseconds < 1e3) return Digits(nanoseconds, " ns");
  if (nanoseconds < 1e6) return Digits(nanoseconds / 1e3, " µs");
  if (nanoseconds < 1e9) return Digits(nanoseconds / 1e6, " ms");
  return Digits(nanoseconds / 1e9, " s");
}

std::string ScaledText(double value) {
  static const char *const kPrefixes[] = {" ", " k", " M", " G", " T", " P"};
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++prefix;
  }
  return Digits(value, kPrefixes[prefix]);
}

std::string BytesText(double bytes) {
  if (bytes < 1000) return Str(static_cast<uint64_t>(bytes), " bytes");
  return ScaledText(bytes) + "B";
}

std::string PercentText(double part) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * part);
  return text;
}

std::string ColourClass(const EngineColours &colours, const std::string &engine) {
  const auto found = colours.find(engine);
  return found == colours.end() ? "none" : Str("c", found->second);
}

void HtmlTable::Add(const std::vector<std::string> &cells) {
  rows_ += "<tr>";
  for (size_t i = 0; i < columns_.size(); ++i)
    rows_ += Str(columns_[i].number ? "<td class=\"number\">" : "<td>", cells[i], "</td>");
  rows_ += "</tr>\n";
}

std::string HtmlTable::Text() const {
  std::string head;
  for (const Column &column : columns_)
    head += Str(column.number ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">", column.title, "</th>");
  return Str("<div class=\"wide\"><table>\n<thead><tr>", head, "</tr></thead>\n<tbody>\n", rows_,
             "</tbody></table></div>\n");
}

std::string BarText(double part) {
  char width[32];
  std::snprintf(width, sizeof width, "%.1f", 100 * std::clamp(part, 0.0, 1.0));
  return Str("<span class=\"bar\"><span style=\"width:", width, "%\"></span></span>");
}

std::string Folded(const std::string &summary, const std::string &content, bool open) {
  return Str(open ? "<details open=\"open\"><summary>" : "<details><summary>", summary, "</summary>\n", content,
             "</details>\n");
}

}  // namespace gec
