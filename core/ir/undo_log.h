// What a transaction remembers: for every change a function that takes it back. They run in reverse order and must not
// throw: they only use room that the change left behind.
#pragma once

#include <functional>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

struct UndoLog {
  std::vector<std::function<void()>> records;
  std::vector<Node *> removed;     // released when the outermost transaction commits
  std::vector<GraphPtr> detached;  // former subgraphs, still recorded here

  void Push(std::function<void()> undo) { records.push_back(std::move(undo)); }
};

/// Room for one more element, growing geometrically.
template <class Vec>
void EnsureRoom(Vec &v) {
  if (v.size() == v.capacity()) v.reserve(v.size() * 2 + 4);
}

}  // namespace gec
