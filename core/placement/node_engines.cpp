#include "core/placement/node_engines.h"

#include <exception>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "core/ops/infer_subgraphs.h"
#include "core/ops/traits.h"
#include "core/placement/call_watch.h"
#include "core/placement/regions.h"
#include "core/support/cancel.h"

namespace gec {

void VisitNodes(const std::vector<Node *> &nodes, const KernelFactory &kernels,
                const std::function<void(size_t k, Node &node, const GeOpDesc &op)> &visit) {
  struct Work {
    const std::vector<Node *> &nodes;
    const std::function<void(size_t k, Node &node, const GeOpDesc &op)> &visit;
    std::mutex mutex;
    size_t failed_at = SIZE_MAX;
    std::exception_ptr failure;
    CallWatch *const watch = CallWatch::Current();  // of the thread that all of them work for

    void Range(size_t begin, size_t end) noexcept {
      const CallWatch::Scope scope(watch);
      size_t k = begin;
      try {
        OpDescView view;
        for (; k < end; ++k) {
          CheckCancelled([&] { return "before " + nodes[k]->Label() + " is placed"; });  // on the calling thread
          view.Reset(*nodes[k]);
          visit(k, *nodes[k], *view.get());
        }
      } catch (...) {
        std::lock_guard lock(mutex);
        if (k < failed_at) {
          failed_at = k;
          failure = std::current_exception();
        }
      }
    }
  } work{nodes, visit, {}, SIZE_MAX, nullptr};
  constexpr int64_t kGrain = 512;  // nodes: some hundred microseconds
  const GeKernelEnv &env = kernels.env();
  env.parallel_for(
      env.host, static_cast<int64_t>(nodes.size()), kGrain,
      [](void *arg, int64_t begin, int64_t end) {
        static_cast<Work *>(arg)->Range(static_cast<size_t>(begin), static_cast<size_t>(end));
      },
      &work);
  if (work.failure) std::rethrow_exception(work.failure);
}

std::vector<KernelPlacement> PlaceNodes(const std::vector<Node *> &nodes, KernelFactory &kernels) {
  std::vector<KernelPlacement> placed(nodes.size());
  VisitNodes(nodes, kernels,
             [&](size_t k, Node &node, const GeOpDesc &op) { placed[k] = kernels.FindKernel(node, op); });
  // Engines are asked once for nodes alike.
  std::unordered_map<std::string_view, size_t> first;
  std::vector<size_t> like(nodes.size()), asked;
  std::vector<Node *> ask;
  for (size_t k = 0; k < nodes.size(); ++k) {
    like[k] = k;
    if (placed[k].kernel) continue;
    if (placed[k].shared) like[k] = first.emplace(placed[k].key, k).first->second;
    if (like[k] != k) continue;
    asked.push_back(k);
    ask.push_back(nodes[k]);
  }
  VisitNodes(ask, kernels,
             [&](size_t k, Node &node, const GeOpDesc &op) { placed[asked[k]].at = kernels.Place(node, op); });
  for (size_t k = 0; k < nodes.size(); ++k)
    if (like[k] != k) placed[k].at = placed[like[k]].at;
  return placed;
}

std::vector<NodeEngine> EnginesOfNodes(const Graph &root, const KernelFactory &kernels) {
  std::vector<NodeEngine> all;
  std::vector<Node *> asked;
  std::vector<size_t> at;  // of the asked ones in `all`
  const auto collect = [&](const Graph &graph) {
    for (Node *node : graph.Nodes()) {
      if (const Graph *region = RegionOf(*node)) all.push_back({node, RegionEngine(*region), ""});
      if (!NeedsKernel(*node)) continue;
      at.push_back(all.size());
      asked.push_back(node);
      all.push_back({node, "", ""});
    }
  };
  collect(root);
  for (const GraphPtr &graph : root.subgraphs())
    if (Infers(*graph) && !IsRegion(*graph)) collect(*graph);
  VisitNodes(asked, kernels, [&](size_t k, Node &node, const GeOpDesc &op) {
    NodePlacement placement = kernels.Place(node, op);
    NodeEngine &entry = all[at[k]];
    if (placement.engine) entry.engine = placement.engine->name();
    entry.refusals = std::move(placement.refusals);
  });
  return all;
}

}  // namespace gec
