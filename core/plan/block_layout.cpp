#include "core/plan/block_layout.h"

#include <algorithm>

namespace gec {
namespace {

/// Sizes often grow little by little, and a layout takes as long as a run of a small net. More than this would spread
/// values over pages that nothing touches.
uint64_t WithSlack(uint64_t bytes) {
  constexpr uint64_t kPage = 4096;
  const uint64_t wanted = bytes + bytes / 16 + std::min(bytes / 4, kPage);
  return (wanted + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace

BlockLayout::BlockLayout(const MemoryPlan &plan) : plan_(plan), blocks_(plan.blocks), arena_bytes_(plan.arena_bytes) {
  assigner_.Reserve(blocks_.size());
}

void BlockLayout::Reset() {
  blocks_ = plan_.blocks;
  arena_bytes_ = plan_.arena_bytes;
}

bool BlockLayout::Fit(const std::vector<uint64_t> &bytes) {
  const auto has_room = [](uint64_t wanted, const MemoryBlock &block) { return wanted <= block.bytes; };
  if (std::equal(bytes.begin(), bytes.end(), blocks_.begin(), has_room)) return false;
  uint64_t alone = 0, together = 0;
  for (size_t k = 0; k < blocks_.size(); ++k) {
    const uint64_t wanted = WithSlack(bytes[k]);
    alone += wanted;
    together += std::max(wanted, blocks_[k].bytes);
  }
  // Room for the sizes before as well, so that sizes which take turns do not move each other, unless it costs much.
  const bool keep = together <= alone + alone / 2;
  for (size_t k = 0; k < blocks_.size(); ++k) {
    const uint64_t wanted = WithSlack(bytes[k]);
    blocks_[k].bytes = keep ? std::max(wanted, blocks_[k].bytes) : wanted;
  }
  uint64_t live_peak = 0;
  arena_bytes_ = assigner_.Assign(&blocks_, plan_.reuse, &live_peak);
  return true;
}

}  // namespace gec
