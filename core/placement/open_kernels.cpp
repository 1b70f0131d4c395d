#include "core/placement/open_kernels.h"

#include <algorithm>
#include <deque>
#include <map>

#include "core/support/log.h"

namespace gec {
namespace {

bool HasOpenExtent(const Node &node) {
  const auto open = [](const TensorDesc &desc) {
    const Shape::Dims &dims = desc.shape.dims();
    return desc.shape.has_rank() && std::any_of(dims.begin(), dims.end(), IsSymbolic);
  };
  for (size_t i = 0; i < node.input_count(); ++i)
    if (node.input(i) && open(node.input_desc(i))) return true;
  for (size_t i = 0; i < node.output_count(); ++i)
    if (open(node.output_desc(i))) return true;
  return false;
}

/// What GeOpenExtents says of a node; borrowed by get().
class Extents {
 public:
  Extents(const Node &node, const SymbolicFacts &facts) : facts_(facts) {
    for (size_t i = 0; i < node.input_count(); ++i) inputs_.push_back(Of(node.input_desc(i)));
    for (size_t i = 0; i < node.output_count(); ++i) outputs_.push_back(Of(node.output_desc(i)));
    given_ = {sizeof given_, inputs_.data(), outputs_.data()};
  }
  const GeOpenExtents &get() const { return given_; }

 private:
  const GeOpenExtent *Of(const TensorDesc &desc) {
    if (desc.shape.rank() <= 0) return nullptr;
    std::vector<GeOpenExtent> &extents = ports_.emplace_back();
    for (int64_t dim : desc.shape.dims()) {
      if (!IsSymbolic(dim)) {
        extents.push_back({dim, dim, -1, facts_.MultipleOf(dim)});
        continue;
      }
      const SymbolicDims::Range range = facts_.RangeOf(dim);
      const int32_t fresh = static_cast<int32_t>(numbers_.size());
      extents.push_back({range.low, range.high, numbers_.emplace(dim, fresh).first->second, facts_.MultipleOf(dim)});
    }
    return extents.data();
  }
  const SymbolicFacts &facts_;
  std::map<int64_t, int32_t> numbers_;
  std::deque<std::vector<GeOpenExtent>> ports_;
  std::vector<const GeOpenExtent *> inputs_, outputs_;
  GeOpenExtents given_{};
};

}  // namespace

OpenKernels::OpenKernels(const Graph &graph, const SymbolicDims &symbolic)
    : facts_(symbolic), entries_(graph.id_limit()) {
  for (const Node *node : graph.Nodes())
    if (NeedsKernel(*node) && HasOpenExtent(*node)) entries_[node->id()].general = node;
}

bool OpenKernels::Same(const Node &general, const Node &node) {
  return general.type() == node.type() && general.input_count() == node.input_count() &&
         general.output_count() == node.output_count() && general.name() == node.name();
}

const Node *OpenKernels::General(const Node &node) const {
  if (node.id() >= entries_.size() || !entries_[node.id()].general) return nullptr;
  const Node *general = entries_[node.id()].general;
  return Same(*general, node) ? general : nullptr;
}

bool OpenKernels::Has(const Node &node) const {
  if (!General(node)) return false;
  const TurnLock lock(turn_);
  const Entry &entry = entries_[node.id()];
  return entry.made && !entry.made->engine().hang();
}

KernelPtr OpenKernels::Find(const Node &node, const GeOpDesc &op, KernelFactory &kernels) {
  const Node *general = General(node);
  if (!general) return nullptr;
  Entry &entry = entries_[node.id()];
  const TurnLock lock(turn_);
  if (!entry.tried) {
    entry.made = Make(*general, node, op, kernels);
    entry.tried = true;
  }
  return entry.made && entry.made->engine().hang() ? nullptr : entry.made;
}

KernelPtr OpenKernels::Make(const Node &general, const Node &node, const GeOpDesc &op, KernelFactory &kernels) const {
  OpDescView view(general);
  // Constants lie where those of the plan do; what is constant at one size only is no constant here.
  for (size_t i = 0; i < view.inputs().size(); ++i) {
    GeTensorData &input = view.inputs()[i];
    if ((input.flags & GE_TENSOR_CONSTANT) == 0) continue;
    if ((op.inputs[i].flags & GE_TENSOR_CONSTANT) == 0 || op.inputs[i].size != input.size) return nullptr;
    input.data = op.inputs[i].data;
  }
  const Extents extents(general, facts_);
  try {
    return kernels.MakeOpen(node, op, *view.get(), extents.get());
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    Log(GE_LOG_WARNING, "each size gets a kernel of its own: ", e.what());
    return nullptr;
  }
}

size_t OpenKernels::count() const {
  const TurnLock lock(turn_);
  return static_cast<size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry &entry) { return entry.made != nullptr; }));
}

}  // namespace gec
