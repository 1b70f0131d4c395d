// Regular expressions in RE2's words, matched in time that grows with the text: all ways to match are followed at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reference {

/// Characters that one step takes.
struct CharacterClass {
  std::vector<std::pair<uint32_t, uint32_t>> ranges;  // from lowest to highest, apart from each other, once it is done
  bool negated = false;
  void Sort();
  bool InRanges(uint32_t c) const;
  bool Has(uint32_t c) const { return InRanges(c) != negated; }
  bool operator<(const CharacterClass &o) const {
    return negated != o.negated ? negated < o.negated : ranges < o.ranges;
  }
};

/// A step of the program that an expression becomes.
struct RegexStep {
  enum Kind : uint8_t { kTake, kBoth, kGo, kBegin, kEnd, kLineBegin, kLineEnd, kWordEdge, kNoWordEdge, kDone };
  Kind kind;
  uint32_t a = 0, b = 0;  // kTake: class; kBoth: the two steps that follow; kGo: the one
};

class Regex {
 public:
  /// Throws what Fail of this folder throws, with `label` and what is wrong with the pattern.
  Regex(const std::string &label, std::string_view pattern);
  size_t steps() const { return program_.size(); }
  /// Different ones; steps share them.
  size_t classes() const { return classes_.size(); }
  /// Bytes that a match needs to work with.
  uint64_t workspace() const { return 4 * uint64_t(steps()) * sizeof(uint32_t); }
  bool FullMatch(std::string_view text, uint32_t *workspace) const;

 private:
  friend class RegexParser;
  struct Around {  // of a place in the text
    bool begin, end, line_before, line_after, word_before, word_after;
  };
  void Follow(uint32_t step, const Around &around, uint32_t mark, uint32_t *marks, uint32_t *list, uint32_t *count,
              uint32_t *stack) const;

  std::vector<RegexStep> program_;
  std::vector<CharacterClass> classes_;
};

}  // namespace reference
