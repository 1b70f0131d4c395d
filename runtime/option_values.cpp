#include "runtime/option_values.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/support/error.h"

namespace gec {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool ParseInt(const std::string &text, int64_t *out) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno == ERANGE) return false;
  *out = value;
  return true;
}

std::vector<std::pair<std::string, std::vector<int64_t>>> InputShapes(std::string_view key, std::string text) {
  for (char bracket : {'[', ']'}) text.erase(std::remove(text.begin(), text.end(), bracket), text.end());
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  for (const std::string &item : Split(text, ';')) {
    size_t colon = item.rfind(':');
    std::vector<int64_t> dims;
    bool good = colon != std::string::npos && colon != 0;
    if (good) {
      for (const std::string &dim : Split(std::string_view(item).substr(colon + 1), ',')) {
        int64_t value = 0;
        if (dim.find('~') != std::string::npos) {
          value = -1;
        } else if (!ParseInt(dim, &value) || value < -1) {
          good = false;
        }
        dims.push_back(value);
      }
    }
    if (!good)
      Fail(GE_OPTION_INVALID, "option ", std::string(key), ": '", item,
           "' is not of the form name:d0,d1,… with sizes or -1");
    shapes.emplace_back(item.substr(0, colon), std::move(dims));
  }
  return shapes;
}

}  // namespace gec
