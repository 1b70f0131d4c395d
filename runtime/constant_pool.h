// Constants that several plans of a model work out again, kept once.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/graph.h"

namespace gec {

/// A specialised graph folds what its shapes make known: position tables, masks, filters. For the next shapes most of
/// it comes out the same. The pool gives such constants the content of an equal one that is still in use, so that they
/// take memory once and are packed once. Not thread-safe.
class ConstantPool {
 public:
  using Buffers = std::unordered_set<const Buffer *>;
  /// What the constants of a graph hold.
  static Buffers BuffersOf(const Graph &graph);
  /// Constants that hold one of `shared` (those of the graph that all plans come from) are left alone.
  void Share(Graph &special, const Buffers &shared);

 private:
  std::unordered_multimap<uint64_t, std::weak_ptr<Buffer>> known_;  // by hash of the content
  size_t sweep_at_ = 256;  // entries of dead constants are dropped when the pool reaches this
};

}  // namespace gec
