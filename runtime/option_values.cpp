#include "runtime/option_values.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/support/error.h"

namespace gec {

bool ParseInt(const std::string &text, int64_t *out) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno == ERANGE) return false;
  *out = value;
  return true;
}

namespace {

/// A number, -1, or a range; false for anything else.
bool ReadExtent(const std::string &text, InputShape *shape) {
  int64_t low = 0, high = 0;
  const size_t wave = text.find('~');
  if (wave == std::string::npos) {
    if (!ParseInt(text, &low) || low < -1) return false;
    shape->dims.push_back(low);
    shape->bounds.low.push_back(std::max<int64_t>(low, 0));
    shape->bounds.high.push_back(low);
    return true;
  }
  if (!ParseInt(text.substr(0, wave), &low) || !ParseInt(text.substr(wave + 1), &high)) return false;
  if (low < 0 || high < -1 || (high >= 0 && high < low)) return false;
  shape->dims.push_back(low == high ? low : -1);
  shape->bounds.low.push_back(low);
  shape->bounds.high.push_back(high);
  return true;
}

}  // namespace

std::vector<InputShape> InputShapes(std::string_view key, std::string text) {
  for (char bracket : {'[', ']'}) text.erase(std::remove(text.begin(), text.end(), bracket), text.end());
  std::vector<InputShape> shapes;
  for (const std::string &item : Split(text, ';')) {
    size_t colon = item.rfind(':');
    InputShape shape;
    bool good = colon != std::string::npos && colon != 0;
    if (good) {
      for (const std::string &dim : Split(std::string_view(item).substr(colon + 1), ',')) {
        good = good && ReadExtent(dim, &shape);
      }
    }
    if (!good)
      Fail(GE_OPTION_INVALID, "option ", std::string(key), ": '", item,
           "' is not of the form name:d0,d1,… with sizes, ranges (1~8) or -1");
    shape.name = item.substr(0, colon);
    if (item.find('~') == std::string::npos) shape.bounds = {};
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace gec
