#include "table.h"

#include <algorithm>
#include <cstdio>

#include "screen.h"

namespace tool {
namespace {

constexpr size_t kGap = 2;

using Cells = std::vector<std::vector<std::string>>;  // by row

size_t Least(const Column &column) {
  if (column.least) return std::max(Width(column.title), column.least);
  const size_t least = column.fit == Fit::kText ? 24 : column.fit == Fit::kName ? 16 : 10;
  return std::max(Width(column.title), least);
}

size_t Total(const std::vector<size_t> &widths) {
  size_t total = widths.empty() ? 0 : kGap * (widths.size() - 1);
  for (size_t width : widths) total += width;
  return total;
}

std::vector<size_t> Natural(const std::vector<Column> &columns, const Cells &rows) {
  std::vector<size_t> widths;
  for (const Column &column : columns) widths.push_back(Width(column.title));
  for (const auto &row : rows)
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  return widths;
}

// Takes from the widest column that can give, until all fit; false when they do not.
bool Shrink(const std::vector<Column> &columns, size_t width, std::vector<size_t> *widths) {
  while (Total(*widths) > width) {
    size_t widest = columns.size();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].fit == Fit::kWhole || (*widths)[i] <= Least(columns[i])) continue;
      if (widest == columns.size() || (*widths)[i] > (*widths)[widest]) widest = i;
    }
    if (widest == columns.size()) return false;
    --(*widths)[widest];
  }
  return true;
}

std::vector<std::string> Items(const std::string &list) {
  std::vector<std::string> items;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(", ", at), list.size());
    items.push_back(list.substr(at, end - at));
    at = end + 2;
  }
  return items;
}

// Each cell as its lines.
std::vector<std::vector<std::string>> Lines(const Column &column, std::vector<std::string> cells, size_t width) {
  if (column.fit == Fit::kName) cells = ShortNames(cells, width);
  std::vector<std::vector<std::string>> lines;
  for (const std::string &cell : cells) {
    if (column.fit == Fit::kText) lines.push_back(Wrapped(cell, width));
    else if (column.fit == Fit::kList && Width(cell) > width) lines.push_back({ShortList(Items(cell), width)});
    else lines.push_back({cell});
  }
  return lines;
}

std::string Row(const std::vector<Column> &columns, const std::vector<size_t> &widths,
                const std::vector<std::string> &cells) {
  std::string line;
  for (size_t i = 0; i < widths.size(); ++i) {
    const std::string pad(widths[i] > Width(cells[i]) ? widths[i] - Width(cells[i]) : 0, ' ');
    line += std::string(i ? kGap : 0, ' ') + (columns[i].right ? pad + cells[i] : cells[i] + pad);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Leaves out what the names of a column agree in, and says so.
std::string TakePrefixes(const std::vector<Column> &columns, Cells *rows) {
  std::string said;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].fit != Fit::kName) continue;
    std::vector<std::string> names;
    for (const auto &row : *rows) names.push_back(row[i]);
    const std::string prefix = CommonPrefix(names);
    if (prefix.size() < 3) continue;
    said += "each " + columns[i].title + " begins with " + prefix + "\n";
    for (auto &row : *rows) row[i].erase(0, prefix.size());
  }
  return said;
}

// Leaves a column out.
void Leave(size_t index, std::vector<Column> *columns, Cells *rows) {
  const auto at = static_cast<std::ptrdiff_t>(index);
  columns->erase(columns->begin() + at);
  for (auto &row : *rows) row.erase(row.begin() + at);
}

}  // namespace

std::string Table::Text() const { return Text(ScreenWidth()); }

std::string Table::Text(size_t width) const {
  std::vector<Column> columns = columns_;
  Cells rows = rows_;
  std::string text;
  for (size_t i = columns.size(); i-- > 0;) {
    const bool empty = std::all_of(rows.begin(), rows.end(), [&](const auto &row) { return row[i].empty(); });
    if (empty && columns[i].optional) Leave(i, &columns, &rows);
  }
  std::vector<size_t> widths = Natural(columns, rows);
  if (Total(widths) > width) text = TakePrefixes(columns, &rows);
  for (widths = Natural(columns, rows); !Shrink(columns, width, &widths); widths = Natural(columns, rows)) {
    const auto last = std::find_if(columns.rbegin(), columns.rend(), [](const Column &c) { return c.optional; });
    if (last == columns.rend()) break;
    Leave(static_cast<size_t>(columns.rend() - last - 1), &columns, &rows);
  }
  std::vector<std::vector<std::vector<std::string>>> lines;  // by column, row, line
  for (size_t i = 0; i < columns.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto &row : rows) cells.push_back(row[i]);
    lines.push_back(Lines(columns[i], std::move(cells), widths[i]));
    widths[i] = Width(columns[i].title);  // what is left may need less
    for (const auto &cell : lines[i])
      for (const std::string &line : cell) widths[i] = std::max(widths[i], Width(line));
  }
  std::vector<std::string> cells, rule;
  for (size_t i = 0; i < columns.size(); ++i) {
    cells.push_back(columns[i].title);
    rule.emplace_back(widths[i], '-');
  }
  text += Row(columns, widths, cells) + Row(columns, widths, rule);
  for (size_t r = 0; r < rows.size(); ++r) {
    size_t height = 1;
    for (const auto &column : lines) height = std::max(height, column[r].size());
    for (size_t h = 0; h < height; ++h) {
      for (size_t i = 0; i < columns.size(); ++i) cells[i] = h < lines[i][r].size() ? lines[i][r][h] : "";
      text += Row(columns, widths, cells);
    }
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

std::string Counted(size_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace tool
