#include "core/passes/precision.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/support/error.h"
#include "core/support/text_list.h"

namespace gec {
namespace {

bool Named(const std::string &name, Precision *out) {
  const std::vector<std::string> names = Split(GE_PRECISIONS, '|');
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name) continue;
    *out = static_cast<Precision>(i);
    return true;
  }
  return false;
}

/// After a mismatch behind a star, the star takes one character more: no recursion, so no pattern is slow.
bool Fits(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') star = p++, taken = n;
    else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) ++p, ++n;
    else if (star != std::string_view::npos) p = star + 1, n = ++taken;
    else return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

constexpr const char *kNotesAttr = "_precision_notes";
constexpr std::array kTexts = {&PrecisionNote::node, &PrecisionNote::type, &PrecisionNote::asked, &PrecisionNote::ran,
                               &PrecisionNote::why};
constexpr std::array kNumbers = {&PrecisionNote::bytes, &PrecisionNote::before};
constexpr size_t kFields = kTexts.size() + kNumbers.size();

}  // namespace

std::string NameOf(Precision precision) { return Split(GE_PRECISIONS, '|')[static_cast<size_t>(precision)]; }

int64_t WeightBits(Precision precision) {
  switch (precision) {
    case Precision::kFp16Weights:
      return 16;
    case Precision::kInt8Weights:
      return 8;
    case Precision::kInt4Weights:
      return 4;
    default:
      return 0;
  }
}

std::vector<PrecisionRule> ReadPrecisionRules(std::string_view text) {
  std::vector<PrecisionRule> rules;
  for (const std::string &item : Split(text, ';')) {
    const size_t equal = item.rfind('=');
    PrecisionRule rule;
    if (equal != std::string::npos) rule.pattern = Trimmed(std::string_view(item).substr(0, equal));
    if (rule.pattern.empty())
      Fail(GE_OPTION_INVALID, "option precision.nodes has '", item, "', expected pattern=precision");
    const std::string value(Trimmed(std::string_view(item).substr(equal + 1)));
    if (!Named(value, &rule.precision)) {
      std::string allowed;
      for (const std::string &name : Split(GE_PRECISIONS, '|')) allowed += (allowed.empty() ? "" : ", ") + name;
      Fail(GE_OPTION_INVALID, "option precision.nodes asks for '", value, "' for '", rule.pattern,
           "', allowed: ", allowed);
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

PrecisionChoice::PrecisionChoice(const std::map<std::string, std::string, std::less<>> &options) {
  if (const auto at = options.find("precision"); at != options.end()) Named(at->second, &all);
  if (const auto at = options.find("precision.nodes"); at != options.end()) rules = ReadPrecisionRules(at->second);
  if (const auto at = options.find("precision.strict"); at != options.end()) strict = at->second == "1";
}

int PrecisionChoice::RuleFor(const Node &node) const {
  for (size_t i = 0; i < rules.size(); ++i) {
    bool fits = Fits(rules[i].pattern, node.name());
    for (const SharedText &origin : node.origins()) fits |= Fits(rules[i].pattern, origin.view());
    if (fits) return static_cast<int>(i);
  }
  return -1;
}

void AddPrecisionNotes(Graph &graph, const std::vector<PrecisionNote> &notes) {
  AttrValue::ListString all;
  if (const AttrValue *kept = graph.attrs().Find(Symbol(kNotesAttr)))
    if (const auto *list = kept->get_if<AttrValue::ListString>()) all = *list;
  for (const PrecisionNote &note : notes) {
    for (const auto field : kTexts) all.push_back(note.*field);
    for (const auto field : kNumbers) all.push_back(std::to_string(note.*field));
  }
  graph.SetGraphAttr(Symbol(kNotesAttr), AttrValue(std::move(all)));
}

std::vector<PrecisionNote> PrecisionNotes(const Graph &graph) {
  std::vector<PrecisionNote> notes;
  const AttrValue *kept = graph.attrs().Find(Symbol(kNotesAttr));
  const auto *list = kept ? kept->get_if<AttrValue::ListString>() : nullptr;
  if (!list) return notes;
  for (size_t i = 0; i + kFields <= list->size(); i += kFields) {
    auto at = list->begin() + static_cast<std::ptrdiff_t>(i);
    PrecisionNote note;
    for (const auto field : kTexts) note.*field = *at++;
    for (const auto field : kNumbers) note.*field = std::strtoull((at++)->c_str(), nullptr, 10);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace gec
