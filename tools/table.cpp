#include "table.h"

#include <algorithm>
#include <cstdio>

namespace tool {
namespace {

// Characters, not bytes: names may be UTF-8.
size_t Width(const std::string &text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<std::string> header, std::vector<size_t> right_aligned) : right_(std::move(right_aligned)) {
  rows_.push_back(std::move(header));
}

std::string Table::Text() const {
  std::vector<size_t> widths(rows_[0].size(), 0);
  for (const auto &row : rows_)
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      std::string pad(widths[i] - Width(rows_[r][i]), ' ');
      bool right = std::find(right_.begin(), right_.end(), i) != right_.end();
      line += (i ? "  " : "") + (right ? pad + rows_[r][i] : rows_[r][i] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (r > 0) continue;
    for (size_t i = 0; i < widths.size(); ++i) text += (i ? "  " : "") + std::string(widths[i], '-');
    text += "\n";
  }
  return text;
}

std::string Fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string Bytes(double bytes) {
  const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return Fixed(bytes, unit ? 1 : 0) + " " + units[unit];
}

}  // namespace tool
