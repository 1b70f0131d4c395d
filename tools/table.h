// Rows of text in aligned columns, made to fit the screen.
#pragma once

#include <string>
#include <vector>

#include "names.h"

namespace tool {

/// How a column that is too wide becomes narrower.
enum class Fit {
  kWhole,  // nothing: numbers, short words
  kName,   // what all names begin with is said once, above; then parts of the middle are left out
  kList,   // items separated by ", ": the last ones are counted only
  kText,   // broken into lines
};

struct Column {
  std::string title;
  Fit fit = Fit::kWhole;
  bool right = false;     // aligned
  bool optional = false;  // left out where the rest would not fit beside it, or nothing stands in it
  size_t least = 0;       // characters; 0: what suits the kind
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  /// In as many characters as the screen has, if that can be.
  std::string Text() const;
  std::string Text(size_t width) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string Fixed(double value, int digits);
std::string Bytes(double bytes);  // "1.5 MB"
/// "1 operator", "2 operators".
std::string Counted(size_t count, const std::string &what);

}  // namespace tool
