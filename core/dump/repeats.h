// Blocks of a sequence of nodes that are there several times, one right after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gec {

/// A node as the search for repeats sees it.
struct RepeatStep {
  struct Source {
    int32_t at;  // which step makes the value; negative: a constant, or nothing
    int32_t port;
  };
  uint64_t kind;  // the same for nodes that differ in name and sources only
  std::vector<Source> sources;
};

/// Steps [begin, begin + period * count): `count` blocks, each of which reads within itself, from the block before, and
/// from places before all of them, as the others do.
struct Repeat {
  size_t begin, period, count;
  std::vector<Repeat> inner;  // of the first block
  size_t end() const { return begin + period * count; }
};

/// Repeats by position; they do not meet. A source stands before the step that reads it; others are not looked at.
/// Where blocks could begin at several places, they begin where the fewest values pass.
std::vector<Repeat> FindRepeats(const std::vector<RepeatStep> &steps);

}  // namespace gec
