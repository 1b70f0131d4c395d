#include "release_date.h"

#include <cstdio>
#include <ctime>

namespace codegen {

bool IsReleaseDate(const std::string &text) {
  if (text.size() != 10) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  int year = std::stoi(text.substr(0, 4)), month = std::stoi(text.substr(5, 2)), day = std::stoi(text.substr(8, 2));
  return year >= 1900 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

std::string Today() {
  std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &local);
  return text;
}

// Days of the civil calendar: no time zone and no daylight saving in it.
int64_t DayNumber(const std::string &date) {
  int64_t year = std::stoi(date.substr(0, 4)), month = std::stoi(date.substr(5, 2)), day = std::stoi(date.substr(8, 2));
  year -= month <= 2;
  int64_t era = year / 400, in_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + day_of_year;
}

}  // namespace codegen
