#include "core/dump/short_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/support/xml_text.h"

namespace gec {
namespace {

bool Separates(char c) { return c == '/' || c == '.' || c == ':' || c == '_' || c == '-'; }

/// Where the text may be cut at or before `at`: not inside a letter.
size_t LetterBorder(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

size_t Common(std::string_view a, std::string_view b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

/// The longest beginning, up to a separator, that nine of ten different names have.
std::string PrefixOf(const std::vector<std::string> &names) {
  constexpr size_t kWorthwhile = 8;
  const std::set<std::string_view> different(names.begin(), names.end());
  const std::vector<std::string_view> sorted(different.begin(), different.end());
  if (sorted.size() < 3) return "";
  const size_t most = sorted.size() - sorted.size() / 10;
  std::string_view best;
  for (size_t i = 0; i + most <= sorted.size(); ++i) {  // names with one beginning are neighbours
    const std::string_view first = sorted[i], last = sorted[i + most - 1];
    size_t n = Common(first, last);
    if (n == first.size()) --n;  // something is left of every name
    while (n > 0 && !Separates(first[n - 1])) --n;
    if (n > best.size()) best = first.substr(0, n);
  }
  return best.size() < kWorthwhile ? "" : std::string(best);
}

/// Names whose ends agree: what is before the end, from where they differ, and then the end. Empty where not even that
/// fits.
std::string AroundDifference(const std::string &name, size_t differ, double width, double size) {
  const std::string_view text = name;
  size_t from = differ;
  while (from > 0 && differ - from < 12 && !Separates(text[from - 1])) --from;
  from = LetterBorder(text, from);
  const std::string head = from ? "…" : "";
  const double room = width - TextWidth(head, size);
  std::string middle = BeginningOf(text.substr(from), room * 0.6, size);
  if (middle.size() < 4) return "";
  return head + middle + EndOf(text.substr(from), room - TextWidth(middle, size), size).substr(std::string("…").size());
}

/// Different names that look alike when only their ends show.
void TellApart(const std::vector<std::string> &names, const std::vector<size_t> &group, double width, double size,
               std::vector<std::string> *shown) {
  std::set<std::string_view> whole;
  for (size_t i : group) whole.insert(names[i]);
  if (whole.size() < 2) return;
  size_t differ = std::string::npos;
  for (auto a = whole.begin(), b = std::next(a); b != whole.end(); ++a, ++b) differ = std::min(differ, Common(*a, *b));
  std::map<std::string, std::string_view> taken;
  bool fits = true;
  std::vector<std::string> cut;
  for (size_t i : group) {
    cut.push_back(AroundDifference(names[i], differ, width, size));
    const auto [at, fresh] = taken.emplace(cut.back(), names[i]);
    fits = fits && !cut.back().empty() && (fresh || at->second == names[i]);
  }
  for (size_t k = 0; k < group.size(); ++k) (*shown)[group[k]] = fits ? cut[k] : names[group[k]];
}

}  // namespace

ShortNames Shorten(const std::vector<std::string> &names, double width, double font_size) {
  ShortNames result;
  result.prefix = PrefixOf(names);
  std::vector<std::string> left;
  for (const std::string &name : names) {
    const bool has = !result.prefix.empty() && name.size() > result.prefix.size() &&
                     name.compare(0, result.prefix.size(), result.prefix) == 0;
    left.push_back(has ? "…" + name.substr(result.prefix.size()) : name);
  }
  std::map<std::string, std::vector<size_t>> alike;
  for (size_t i = 0; i < left.size(); ++i) {
    result.names.push_back(EndOf(left[i], width, font_size));
    alike[result.names[i]].push_back(i);
  }
  for (const auto &[text, group] : alike) {
    if (group.size() > 1) TellApart(left, group, width, font_size, &result.names);
  }
  return result;
}

}  // namespace gec
