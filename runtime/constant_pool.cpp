#include "runtime/constant_pool.h"

#include <algorithm>
#include <cstring>

namespace gec {
namespace {

constexpr uint64_t kShareFrom = 256;  // bytes; below this, a constant costs less than looking for its equal

uint64_t HashOf(const Buffer &buffer) {
  const auto mix = [](uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
  };
  constexpr uint64_t kSeed = 0x9e3779b97f4a7c15u;
  // Four chains, because each multiplication of one waits for the one before.
  uint64_t chains[] = {kSeed ^ buffer.size(), kSeed << 1, kSeed << 2, kSeed << 3};
  const char *at = static_cast<const char *>(buffer.data());
  uint64_t left = buffer.size();
  for (; left >= sizeof chains; at += sizeof chains, left -= sizeof chains) {
    uint64_t words[4];
    std::memcpy(words, at, sizeof words);
    for (int k = 0; k < 4; ++k) chains[k] = mix(chains[k], words[k]);
  }
  uint64_t hash = mix(mix(mix(chains[0], chains[1]), chains[2]), chains[3]);
  while (left > 0) {
    uint64_t word = 0;
    const uint64_t n = std::min<uint64_t>(left, sizeof word);
    std::memcpy(&word, at, n);
    hash = mix(hash, word);
    at += n;
    left -= n;
  }
  return hash;
}

}  // namespace

ConstantPool::Buffers ConstantPool::BuffersOf(const Graph &graph) {
  Buffers all;
  for (const Node *node : graph.Nodes()) {
    if (!IsConstType(node->type())) continue;
    if (TensorPtr t = ConstantOf({const_cast<Node *>(node), 0})) all.insert(t->buffer.get());
  }
  return all;
}

void ConstantPool::Share(Graph &special, const Buffers &shared) {
  static const Symbol kValue("value");
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
