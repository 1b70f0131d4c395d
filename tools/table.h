// Rows of text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace tool {

class Table {
 public:
  explicit Table(std::vector<std::string> header, std::vector<size_t> right_aligned = {});
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header is row 0
  std::vector<size_t> right_;
};

std::string Fixed(double value, int digits);
std::string Bytes(double bytes);  // "1.5 MB"

}  // namespace tool
