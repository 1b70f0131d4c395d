#include "runtime/constant_pool.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace gec {
namespace {

constexpr uint64_t kShareFrom = 256;  // bytes; below this, a constant costs less than looking for its equal

uint64_t HashOf(const Buffer &buffer) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ buffer.size();
  const char *at = static_cast<const char *>(buffer.data());
  for (uint64_t left = buffer.size(); left > 0;) {
    uint64_t word = 0;
    const uint64_t n = std::min<uint64_t>(left, sizeof word);
    std::memcpy(&word, at, n);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
    at += n;
    left -= n;
  }
  return hash;
}

}  // namespace

void ConstantPool::Share(Graph &special, const Graph &base) {
  static const Symbol kValue("value");
  std::unordered_set<const Buffer *> shared;
  for (const Node *node : base.Nodes()) {
    if (!IsConstType(node->type())) continue;
    if (TensorPtr t = ConstantOf({const_cast<Node *>(node), 0})) shared.insert(t->buffer.get());
  }
  for (Node *node : special.Nodes()) {
    if (!IsConstType(node->type())) continue;
    TensorPtr tensor = ConstantOf({node, 0});
    if (!tensor || !tensor->buffer || tensor->bytes() < kShareFrom || shared.count(tensor->buffer.get())) continue;
    const uint64_t hash = HashOf(*tensor->buffer);
    std::shared_ptr<Buffer> equal;
    auto [begin, end] = known_.equal_range(hash);
    for (auto at = begin; at != end && !equal; ++at) {
      std::shared_ptr<Buffer> known = at->second.lock();
      if (known && known->size() == tensor->bytes() && !std::memcmp(known->data(), tensor->data(), known->size()))
        equal = std::move(known);
    }
    if (equal) {
      if (equal != tensor->buffer) {
        special.SetAttr(node, kValue, AttrValue(TensorPtr(std::make_shared<Tensor>(tensor->desc, std::move(equal)))));
      }
      continue;
    }
    if (known_.size() >= sweep_at_) {
      std::erase_if(known_, [](const auto &entry) { return entry.second.expired(); });
      sweep_at_ = std::max<size_t>(256, 2 * known_.size());
    }
    known_.emplace(hash, tensor->buffer);
  }
}

}  // namespace gec
