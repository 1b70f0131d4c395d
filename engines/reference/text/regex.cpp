#include "text/regex.h"

#include <algorithm>
#include <map>

#include "text/text.h"
#include "text/unicode.h"

namespace reference {

void CharacterClass::Sort() {
  std::sort(ranges.begin(), ranges.end());
  size_t kept = 0;
  for (const auto &range : ranges) {
    if (kept > 0 && range.first <= ranges[kept - 1].second + 1)
      ranges[kept - 1].second = std::max(ranges[kept - 1].second, range.second);
    else ranges[kept++] = range;
  }
  ranges.resize(kept);
}

bool CharacterClass::InRanges(uint32_t c) const {
  const auto behind =
      std::upper_bound(ranges.begin(), ranges.end(), c, [](uint32_t x, const auto &range) { return x < range.first; });
  return behind != ranges.begin() && c <= std::prev(behind)->second;
}

namespace {

constexpr size_t kMaxSteps = 20'000, kMaxDepth = 200;
constexpr uint32_t kLast = 0x10FFFF, kMostTimes = 1000;  // RE2's limit of repetitions

bool IsWord(uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/// The classes that one letter behind a backslash names, or that are named in [:…:].
bool NamedClass(char letter, CharacterClass *out) {
  switch (letter | 32) {
    case 'd':
      out->ranges = {{'0', '9'}};
      break;
    case 's':
      out->ranges = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
      break;
    case 'w':
      out->ranges = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
      break;
    default:
      return false;
  }
  out->negated = letter < 'a';
  return true;
}

bool PosixClass(std::string_view name, CharacterClass *out) {
  static const std::pair<const char *, std::vector<std::pair<uint32_t, uint32_t>>> kClasses[] = {
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"ascii", {{0, 127}}},
      {"blank", {{'\t', '\t'}, {' ', ' '}}},
      {"cntrl", {{0, 31}, {127, 127}}},
      {"digit", {{'0', '9'}}},
      {"graph", {{'!', '~'}}},
      {"lower", {{'a', 'z'}}},
      {"print", {{' ', '~'}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"upper", {{'A', 'Z'}}},
      {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
  };
  for (const auto &[known, ranges] : kClasses) {
    if (name != known) continue;
    out->ranges = ranges;
    return true;
  }
  return false;
}

/// Adds the other cases of letters.
void AddCases(CharacterClass *c) {
  static const std::vector<std::vector<uint32_t>> kLetters = LettersByCase();
  CharacterClass more;
  for (const std::vector<uint32_t> &same : kLetters)
    if (std::any_of(same.begin(), same.end(), [&](uint32_t x) { return c->InRanges(x); }))
      for (uint32_t x : same) more.ranges.push_back({x, x});
  c->ranges.insert(c->ranges.end(), more.ranges.begin(), more.ranges.end());
}

/// The ranges between those of a class.
void Invert(CharacterClass *c) {
  c->Sort();
  std::vector<std::pair<uint32_t, uint32_t>> rest;
  uint32_t next = 0;
  for (const auto &[low, high] : c->ranges) {
    if (low > next) rest.push_back({next, low - 1});
    next = std::max(next, high + 1);
  }
  if (next <= kLast) rest.push_back({next, kLast});
  c->ranges = std::move(rest);
  c->negated = false;
}

}  // namespace

/// Writes the program of a pattern from left to right; what a repetition repeats is written again.
class RegexParser {
 public:
  RegexParser(Regex &regex, const std::string &label, std::string_view pattern)
      : r_(regex), label_(label), text_(pattern) {}

  void Run() {
    Alternatives(0);
    if (at_ != text_.size()) Bad("an unmatched )");
    Add({RegexStep::kDone});
  }

 private:
  [[noreturn]] void Bad(const char *what) const {
    Fail(GE_PARAM_INVALID, "%s: pattern '%.60s' has %s at character %zu", label_.c_str(),
         std::string(text_.substr(0, 60)).c_str(), what, at_);
  }
  bool More() const { return at_ < text_.size(); }
  bool Take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  uint32_t Next() const { return uint32_t(r_.program_.size()); }
  uint32_t Add(RegexStep step) {
    if (r_.program_.size() >= kMaxSteps) Bad("more steps than are supported");
    r_.program_.push_back(step);
    return Next() - 1;
  }
  void Class(CharacterClass c) {
    c.Sort();
    if (fold_) {
      AddCases(&c);
      c.Sort();
    }
    const auto [found, fresh] = numbers_.emplace(c, uint32_t(r_.classes_.size()));
    if (fresh) r_.classes_.push_back(std::move(c));
    Add({RegexStep::kTake, found->second});
  }
  /// Makes room for a step in front of the ones from `begin` on.
  void Insert(uint32_t begin, RegexStep step) {
    Add({RegexStep::kDone});
    for (uint32_t i = Next() - 1; i > begin; --i) {
      r_.program_[i] = r_.program_[i - 1];
      RegexStep &moved = r_.program_[i];
      if (moved.kind == RegexStep::kBoth || moved.kind == RegexStep::kGo) {
        if (moved.a >= begin) ++moved.a;
        if (moved.kind == RegexStep::kBoth && moved.b >= begin) ++moved.b;
      }
    }
    r_.program_[begin] = step;
  }

  void Alternatives(size_t depth) {
    if (depth > kMaxDepth) Bad("groups nested too deep");
    const uint32_t begin = Next();
    std::vector<uint32_t> ends;
    Sequence(depth);
    while (Take("|")) {
      Insert(begin, {RegexStep::kBoth, begin + 1, 0});
      for (uint32_t &end : ends) ++end;
      ends.push_back(Add({RegexStep::kGo}));
      r_.program_[begin].b = Next();
      // The steps behind the first alternative are now one alternative with it, followed by the next.
      Sequence(depth);
    }
    for (uint32_t end : ends) r_.program_[end].a = Next();
  }

  void Sequence(size_t depth) {
    while (true) {
      if (quoting_ ? Take("\\E") : Take("\\Q")) {
        quoting_ = !quoting_;
        continue;
      }
      if (!More() || (!quoting_ && (text_[at_] == '|' || text_[at_] == ')'))) return;
      const uint32_t begin = Next();
      const size_t from = at_;
      const bool quoted = quoting_;
      if (quoted) Literal();
      else Item(depth);
      if (quoting_ && Take("\\E")) quoting_ = false;
      while (!quoting_ && Take("\\Q\\E")) continue;
      if (!quoting_) Repeat(begin, {from, depth, quoted});
    }
  }

  void Item(size_t depth) {
    if (Take("(")) return Group(depth);
    if (Take("[")) return BracketClass();
    if (Take(".")) return Class({{{0, any_line_ ? '\n' : '\n' - 1}, {any_line_ ? '\n' : '\n' + 1, 0x1100FF}}, false});
    if (Take("^")) return void(Add({lines_ ? RegexStep::kLineBegin : RegexStep::kBegin}));
    if (Take("$")) return void(Add({lines_ ? RegexStep::kLineEnd : RegexStep::kEnd}));
    if (Take("\\A")) return void(Add({RegexStep::kBegin}));
    if (Take("\\z")) return void(Add({RegexStep::kEnd}));
    if (Take("\\b")) return void(Add({RegexStep::kWordEdge}));
    if (Take("\\B")) return void(Add({RegexStep::kNoWordEdge}));
    if (Repetition()) Bad("a repetition of nothing");
    if (Take("\\")) {
      CharacterClass c;
      if (More() && NamedClass(text_[at_], &c)) {
        ++at_;
        return Class(c);
      }
      const uint32_t one = Escaped();
      return Class({{{one, one}}, false});
    }
    Literal();
  }
  void Literal() {
    const uint32_t c = NextCharacter(text_, &at_);
    Class({{{c, c}}, false});
  }

  void Group(size_t depth) {
    const bool fold = fold_, any_line = any_line_, lines = lines_;
    if (Take("?")) {
      if (Take("P<") || Take("<")) {
        const size_t end = text_.find('>', at_);
        if (end == text_.npos || end == at_) Bad("a name without end");
        const std::string_view name = text_.substr(at_, end - at_);
        if (!std::all_of(name.begin(), name.end(), [](char c) { return IsWord(uint8_t(c)); }))
          Bad("a name with other characters than letters, digits and _");
        if (const auto [first, fresh] = names_.emplace(name, at_); !fresh && first->second != at_)
          Bad("a name that another group has");
        at_ = end + 1;
      } else if (Flags()) {  // (?i) holds to the end of the group around it
        if (Repetition()) Bad("a repetition of nothing");
        return;
      }
    }
    Alternatives(depth + 1);
    if (!Take(")")) Bad("a ( without )");
    fold_ = fold;
    any_line_ = any_line;
    lines_ = lines;
  }
  /// Behind "(?": flags up to a ":" or ")"; true for the latter.
  bool Flags() {
    bool on = true;
    while (More()) {
      const char c = text_[at_++];
      if (c == ':') return false;
      if (c == ')') return true;
      if (c == '-') on = false;
      else if (c == 'i') fold_ = on;
      else if (c == 's') any_line_ = on;
      else if (c == 'm') lines_ = on;
      else if (c != 'U') break;  // lazy or not, the same texts match
    }
    Bad("a kind of group that is not supported");
  }

  uint32_t Escaped() {
    if (!More()) Bad("a \\ at its end");
    const char c = text_[at_];
    static constexpr std::string_view kLetters = "afnrtv", kMeant = "\a\f\n\r\t\v";
    if (const size_t k = kLetters.find(c); k != kLetters.npos) {
      ++at_;
      return uint32_t(kMeant[k]);
    }
    if (Take("x{")) return Hex(text_.find('}', at_), 1);
    if (Take("x")) return Hex(at_ + 2, 0);
    const auto octal = [&] { return More() && text_[at_] >= '0' && text_[at_] <= '7'; };
    if (octal() && (c == '0' || (at_ + 1 < text_.size() && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '7'))) {
      uint32_t value = 0;
      for (int i = 0; i < 3 && octal(); ++i) value = value * 8 + uint32_t(text_[at_++] - '0');
      return value;
    }
    if ((IsWord(uint8_t(c)) && c != '_') || uint8_t(c) >= 0x80) Bad("an escape that is not supported");
    return NextCharacter(text_, &at_);
  }
  uint32_t Hex(size_t end, size_t behind) {
    uint32_t value = 0;
    if (end > text_.size() || end == at_ || end - at_ > 6) Bad("a \\x that is no number");
    for (; at_ < end; ++at_) {
      const size_t digit = std::string_view("0123456789abcdef")
                               .find(char(text_[at_] >= 'A' && text_[at_] <= 'F' ? text_[at_] + 32 : text_[at_]));
      if (digit == std::string_view::npos) Bad("a \\x that is no number");
      value = value * 16 + uint32_t(digit);
    }
    if (value > kLast) Bad("a \\x above 10FFFF");
    at_ += behind;
    return value;
  }

  /// Of a class that is written again for each copy only the first is read.
  void BracketClass() {
    const auto [found, fresh] = brackets_.emplace(std::make_pair(at_, fold_), std::make_pair(0u, size_t{0}));
    if (fresh) {
      Class(Brackets());
      found->second = {r_.program_.back().a, at_};
      return;
    }
    at_ = found->second.second;
    Add({RegexStep::kTake, found->second.first});
  }
  CharacterClass Brackets() {
    CharacterClass all;
    all.negated = Take("^");
    bool first = true;
    while (first || !Take("]")) {
      first = false;
      if (!More()) Bad("a [ without ]");
      CharacterClass some;
      if (Take("[:")) {
        const bool other = Take("^");
        const size_t end = text_.find(":]", at_);
        if (end == text_.npos || !PosixClass(text_.substr(at_, end - at_), &some)) Bad("a class that is not known");
        at_ = end + 2;
        if (other) Invert(&some);
      } else if (text_[at_] == '\\' && at_ + 1 < text_.size() && NamedClass(text_[at_ + 1], &some)) {
        at_ += 2;
        if (some.negated) Invert(&some);
      } else {
        const uint32_t low = One();
        uint32_t high = low;
        if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
          ++at_;
          high = One();
        }
        if (high < low) Bad("a range that ends before it starts");
        some.ranges = {{low, high}};
      }
      all.ranges.insert(all.ranges.end(), some.ranges.begin(), some.ranges.end());
    }
    return all;
  }
  uint32_t One() { return Take("\\") ? Escaped() : NextCharacter(text_, &at_); }

  /// Number of a {n,m}; false: it is none, and stands for itself.
  bool Times(uint32_t *least, uint32_t *most) {
    const size_t start = at_;
    const auto number = [&](uint32_t *out) {
      const size_t from = at_;
      *out = 0;
      while (More() && text_[at_] >= '0' && text_[at_] <= '9' && *out <= kMostTimes)
        *out = *out * 10 + uint32_t(text_[at_++] - '0');
      return at_ > from;
    };
    if (Take("{") && number(least)) {
      *most = *least;
      if (Take(",") && !number(most)) *most = UINT32_MAX;
      if (Take("}")) {
        if (*least > kMostTimes || (*most != UINT32_MAX && (*most > kMostTimes || *most < *least)))
          Bad("a number of repetitions that is not supported");
        return true;
      }
    }
    at_ = start;
    return false;
  }

  bool Repetition() {
    uint32_t least, most;
    return Take("*") || Take("+") || Take("?") || Times(&least, &most);
  }
  /// The part that a repetition repeats.
  struct Repeated {
    size_t from, depth;
    bool quoted;
  };

  void Repeat(uint32_t begin, const Repeated &what) {
    for (bool again = false;; again = true) {
      uint32_t least = 0, most = UINT32_MAX;
      if (Take("*")) least = 0;
      else if (Take("+")) least = 1;
      else if (Take("?")) most = 1;
      else if (!Times(&least, &most)) return;
      if (again) Bad("a repetition of a repetition");
      const size_t behind = at_;
      const bool lazy = Take("?");  // the same texts match
      const size_t end = lazy ? at_ : behind;
      Copies(begin, what, least, most);
      at_ = end;
    }
  }
  /// The steps from `begin` on are one copy of what text from `from` on says.
  void Copies(uint32_t begin, const Repeated &what, uint32_t least, uint32_t most) {
    const bool fold = fold_, any_line = any_line_, lines = lines_;
    const auto copy = [&] {
      if (++copies_ > kMaxSteps) Bad("more repetitions than are supported");  // of groups that have no step, too
      at_ = what.from;
      if (what.quoted) Literal();
      else Item(what.depth);
      fold_ = fold;
      any_line_ = any_line;
      lines_ = lines;
    };
    if (most == 0) {
      r_.program_.resize(begin);
      return;
    }
    if (least == 0) r_.program_.resize(begin);
    for (uint32_t i = 1; i < least; ++i) copy();
    if (most == UINT32_MAX) {
      const uint32_t loop = Add({RegexStep::kBoth, Next() + 1, 0});
      copy();
      Add({RegexStep::kGo, loop});
      r_.program_[loop].b = Next();
      return;
    }
    std::vector<uint32_t> exits;
    for (uint32_t i = least; i < most; ++i) {
      exits.push_back(Add({RegexStep::kBoth, Next() + 1, 0}));
      copy();
    }
    for (uint32_t exit : exits) r_.program_[exit].b = Next();
  }

  Regex &r_;
  const std::string &label_;
  std::string_view text_;
  size_t at_ = 0, copies_ = 0;
  bool fold_ = false, any_line_ = false, lines_ = false, quoting_ = false;
  std::map<CharacterClass, uint32_t> numbers_;                               // of classes
  std::map<std::pair<size_t, bool>, std::pair<uint32_t, size_t>> brackets_;  // place, case → class, end
  std::map<std::string_view, size_t> names_;                                 // of groups, and where they are
};

Regex::Regex(const std::string &label, std::string_view pattern) { RegexParser(*this, label, pattern).Run(); }

void Regex::Follow(uint32_t step, const Around &around, uint32_t mark, uint32_t *marks, uint32_t *list, uint32_t *count,
                   uint32_t *stack) const {
  uint32_t depth = 0;
  const auto push = [&](uint32_t next) {
    if (marks[next] == mark) return;
    marks[next] = mark;
    stack[depth++] = next;
  };
  push(step);
  while (depth > 0) {
    const uint32_t at = stack[--depth];
    const RegexStep &s = program_[at];
    const bool edge = around.word_before != around.word_after;
    switch (s.kind) {
      case RegexStep::kBoth:
        push(s.a);
        push(s.b);
        break;
      case RegexStep::kGo:
        push(s.a);
        break;
      case RegexStep::kBegin:
        if (around.begin) push(at + 1);
        break;
      case RegexStep::kEnd:
        if (around.end) push(at + 1);
        break;
      case RegexStep::kLineBegin:
        if (around.line_before) push(at + 1);
        break;
      case RegexStep::kLineEnd:
        if (around.line_after) push(at + 1);
        break;
      case RegexStep::kWordEdge:
        if (edge) push(at + 1);
        break;
      case RegexStep::kNoWordEdge:
        if (!edge) push(at + 1);
        break;
      default:
        list[(*count)++] = at;
    }
  }
}

bool Regex::FullMatch(std::string_view text, uint32_t *workspace) const {
  const size_t n = steps();
  uint32_t *now = workspace, *next = now + n, *marks = next + n, *stack = marks + n;
  std::fill(marks, marks + n, 0u);
  uint32_t count = 0, mark = 1;
  size_t at = 0;
  bool word = false, line = true;
  const auto around = [&] {
    size_t peek = at;
    const bool end = at == text.size();
    const uint32_t c = end ? '\n' : NextCharacter(text, &peek);
    return Around{at == 0, end, line, c == '\n', word, IsWord(c)};
  };
  Follow(0, around(), mark, marks, now, &count, stack);
  while (at < text.size() && count > 0) {
    const uint32_t c = NextCharacter(text, &at);
    word = IsWord(c);
    line = c == '\n';
    const Around behind = around();
    uint32_t more = 0;
    ++mark;
    if (mark == 0) {  // it has gone round
      std::fill(marks, marks + n, 0u);
      mark = 1;
    }
    for (uint32_t i = 0; i < count; ++i) {
      const RegexStep &s = program_[now[i]];
      if (s.kind == RegexStep::kTake && classes_[s.a].Has(c))
        Follow(now[i] + 1, behind, mark, marks, next, &more, stack);
    }
    std::swap(now, next);
    count = more;
  }
  if (at < text.size()) return false;
  return std::any_of(now, now + count, [&](uint32_t i) { return program_[i].kind == RegexStep::kDone; });
}

namespace {

Kernel CreateFullMatch(const Node &node, const OpEntry &) {
  auto regex = std::make_shared<const Regex>(node.label(), node.String("pattern", ""));
  const TextInput x(node, 0);
  Kernel kernel;
  kernel.workspace = regex->workspace();
  kernel.run = [=](const Call &call) {
    for (int64_t i = 0, n = x.count(); i < n; ++i)
      call.out<uint8_t>(0)[i] = regex->FullMatch(x.Read(call, i), call.workspace<uint32_t>());
  };
  return kernel;
}

const OpEntry kMatch[] = {{"TextFullMatch", TypeBit(C_DT_INT64), &CreateFullMatch}};

}  // namespace

OpTable TextMatchOps() { return TableOf(kMatch); }

}  // namespace reference
