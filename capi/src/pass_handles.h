// Handles of patterns, matches, boundaries and pass contexts. Each knows the thread that is inside a call with it.
#pragma once

#include <vector>

#include "capi/src/handles.h"
#include "core/passes/pass.h"
#include "core/pattern/graph_match.h"
#include "ge/pattern.h"

struct GePattern {
  static constexpr uint64_t kMagic = 0x50617474726e4864;
  uint64_t magic = kMagic;
  gec::GraphPatternPtr pattern;
  mutable gec::ThreadOwner owner{};
  std::string What() const { return "a pattern of graph '" + pattern->graph->NameFromOutside() + "'"; }
};

struct GeMatcher {
  static constexpr uint64_t kMagic = 0x4d61746368724864;
  uint64_t magic = kMagic;
  gec::GraphPatternPtr pattern;
  gec::GraphPtr target;
  gec::GraphMatcher matcher;
  mutable gec::ThreadOwner owner{};
  std::string What() const { return "a matcher on graph '" + target->NameFromOutside() + "'"; }
};

struct GeMatch {
  static constexpr uint64_t kMagic = 0x4d617463684e6864;
  uint64_t magic = kMagic;
  gec::GraphMatch match;
  std::vector<gec::GraphPtr> graphs;  // whose nodes it names
  mutable gec::ThreadOwner owner{};
  bool is_lent = false;  // to a hook: destroying it does nothing
  std::string What() const { return "a match"; }
};

struct GeBoundary {
  static constexpr uint64_t kMagic = 0x426f756e64724864;
  uint64_t magic = kMagic;
  gec::Boundary boundary;
  std::vector<gec::GraphPtr> graphs;
  mutable gec::ThreadOwner owner{};
  std::string What() const { return "a boundary"; }
};

struct GePassContext {
  static constexpr uint64_t kMagic = 0x50617373437848ff;
  uint64_t magic = kMagic;
  gec::PassContext *context = nullptr;
  struct ByHand {
    gec::PassContext context;
    gec::PassRun run;
  };
  std::unique_ptr<ByHand> own;  // of one that a caller made
  mutable gec::ThreadOwner owner{};
  std::string What() const { return "a pass context"; }
};

namespace gec::api {

/// A handle for the duration of one callback. Whoever keeps it takes a reference of its own.
class BorrowedGraph {
 public:
  explicit BorrowedGraph(Graph &graph) : handle_(NewHandle(graph.shared_from_this())) {}
  ~BorrowedGraph() { Drop(handle_); }
  BorrowedGraph(const BorrowedGraph &) = delete;
  BorrowedGraph &operator=(const BorrowedGraph &) = delete;
  GeGraph *get() const { return handle_; }

 private:
  GeGraph *handle_;
};

/// The context behind a handle; for null that of the pass that runs on this thread. Throws GE_BAD_STATE without one.
PassContext &ContextOf(const GePassContext *handle, const char *function);
/// The same, but null without one.
PassContext *ContextOrNull(const GePassContext *handle, const char *function);

/// Enters graphs that a handle speaks of.
inline void Enter(const std::vector<GraphPtr> &graphs, const char *function) {
  for (const GraphPtr &graph : graphs) Enter(*graph, function);
}

/// The graph of a valid node is kept.
inline void Keep(std::vector<GraphPtr> &graphs, Node &node) {
  for (const GraphPtr &graph : graphs)
    if (graph.get() == &node.graph()) return;
  graphs.push_back(node.graph().shared_from_this());
}

}  // namespace gec::api
