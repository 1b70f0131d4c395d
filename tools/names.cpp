#include "names.h"

#include <algorithm>
#include <map>
#include <set>

namespace tool {
namespace {

// Steps of one character from a to b.
size_t Distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

// Half of the characters may be others, but not all.
bool Near(const std::string &said, const std::string &name) {
  const size_t steps = Distance(said, name);
  return steps <= std::max<size_t>(1, said.size() / 2) && steps < std::max(said.size(), name.size());
}

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The byte where character `index` begins.
size_t At(const std::string &text, size_t index) {
  size_t at = 0;
  for (; at < text.size() && (index > 0 || Continues(text[at])); ++at)
    if (!Continues(text[at])) --index;
  while (at < text.size() && Continues(text[at])) ++at;
  return at;
}

// The first `head` characters and as many of the last as make `width`.
std::string Elided(const std::string &name, size_t head, size_t width) {
  const size_t tail = width - 1 - head;
  return name.substr(0, At(name, head)) + "…" + name.substr(At(name, Width(name) - tail));
}

// The name without some of its parts between '/', side by side and never the last: "encoder/layers.0/…/Conv".
std::vector<std::string> PartsElided(const std::string &name) {
  constexpr size_t kMostParts = 24;
  std::vector<size_t> begins = {0};
  for (size_t at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1)) begins.push_back(at + 1);
  std::vector<std::string> forms;
  if (begins.size() > kMostParts) return forms;
  for (size_t from = 0; from < begins.size(); ++from)
    for (size_t to = from + 1; to < begins.size(); ++to)
      forms.push_back(name.substr(0, begins[from]) + "…/" + name.substr(begins[to]));
  return forms;
}

}  // namespace

size_t Width(const std::string &text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !Continues(c); }));
}

std::vector<std::string> NearNames(const std::string &said, std::vector<std::string> names) {
  auto part_of = [&](const std::string &name) {
    return said.size() > 2 && name.size() > 2 &&
           (name.find(said) != std::string::npos || said.find(name) != std::string::npos);
  };
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string &name) { return !part_of(name) && !Near(said, name); }),
              names.end());
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string &a, const std::string &b) { return Distance(said, a) < Distance(said, b); });
  if (names.size() > 3) names.resize(3);
  return names;
}

std::string NearText(const std::string &said, const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : NearNames(said, names)) text += (text.empty() ? "; the nearest are " : ", ") + name;
  return text;
}

std::string CommonPrefix(const std::vector<std::string> &names) {
  if (names.size() < 2) return "";
  std::string prefix = names[0];
  bool differ = false;
  for (const std::string &name : names) {
    const auto end = std::mismatch(prefix.begin(), prefix.end(), name.begin(), name.end()).first;
    prefix.erase(end, prefix.end());
    differ = differ || name != names[0];
  }
  const size_t boundary = prefix.find_last_of("/.:_");
  if (!differ || boundary == std::string::npos) return "";
  prefix.resize(boundary + 1);
  const bool more = std::all_of(names.begin(), names.end(), [&](const auto &n) { return n.size() > prefix.size(); });
  return more ? prefix : "";
}

std::vector<std::string> ShortNames(const std::vector<std::string> &names, size_t width) {
  std::map<std::string, std::string> shorts;
  std::set<std::string> used;
  // Of whole parts first, those that say nothing because no two names differ in them alone.
  const std::set<std::string> distinct(names.begin(), names.end());
  std::map<std::string, size_t> times;
  for (const std::string &name : distinct) {
    if (Width(name) <= width) continue;
    for (const std::string &form : PartsElided(name)) ++times[form];
  }
  for (const std::string &name : names)
    if (Width(name) <= width) used.insert(shorts[name] = name);
  for (const std::string &name : names) {
    if (shorts.count(name)) continue;
    std::string &chosen = shorts[name];
    for (const std::string &form : PartsElided(name))
      if (Width(form) <= width && Width(form) > Width(chosen) && times[form] == 1 && !used.count(form)) chosen = form;
    if (!chosen.empty()) {
      used.insert(chosen);
      continue;
    }
    chosen = name;
    // A third for the beginning where that tells the name apart; then other shares.
    for (size_t i = 0; width >= 4 && i + 1 < width; ++i) {
      const std::string form = Elided(name, (width / 3 + i) % (width - 1), width);
      if (!used.insert(form).second) continue;
      chosen = form;
      break;
    }
  }
  std::vector<std::string> result;
  for (const std::string &name : names) result.push_back(shorts[name]);
  return result;
}

}  // namespace tool
