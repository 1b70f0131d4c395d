// Constants that several plans of a model work out again, kept once.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/ir/graph.h"

namespace gec {

/// A specialised graph folds what its shapes make known: position tables, masks, filters. For the next shapes most of
/// it comes out the same. The pool gives such constants the content of an equal one that is still in use, so that they
/// take memory once and are packed once. Not thread-safe.
class ConstantPool {
 public:
  /// Constants of `base` (the graph that all plans come from) are shared already and left alone.
  void Share(Graph &special, const Graph &base);

 private:
  std::unordered_multimap<uint64_t, std::weak_ptr<Buffer>> known_;  // by hash of the content
  size_t sweep_at_ = 256;  // entries of dead constants are dropped when the pool reaches this
};

}  // namespace gec
