// A hash of many bytes that is read at the speed of memory: for telling contents apart, not against those who forge.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace gec {

/// 128 bits.
struct ContentHash {
  uint64_t low = 0, high = 0;
  bool operator==(const ContentHash &other) const { return low == other.low && high == other.high; }
};

inline ContentHash HashContent(const void *data, uint64_t bytes) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u, kOther = 0xff51afd7ed558ccdu;
  const auto mix = [](uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * kOther;
    return hash ^ (hash >> 29);
  };
  // Chains of their own, because each multiplication of one waits for the one before.
  constexpr int kChains = 8;
  uint64_t chains[kChains];
  for (int k = 0; k < kChains; ++k) chains[k] = (bytes + static_cast<uint64_t>(k)) * kFactor;
  const char *at = static_cast<const char *>(data);
  uint64_t left = bytes;
  for (; left >= sizeof chains; at += sizeof chains, left -= sizeof chains) {
    uint64_t words[kChains];
    std::memcpy(words, at, sizeof words);
    for (int k = 0; k < kChains; ++k) chains[k] = mix(chains[k], words[k]);
  }
  for (; left > 0; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    const uint64_t n = left < sizeof word ? left : sizeof word;
    std::memcpy(&word, at, n);
    chains[left / sizeof word % kChains] = mix(chains[left / sizeof word % kChains], word ^ n);
    left -= n;
  }
  ContentHash hash{bytes, kFactor};
  for (int k = 0; k < kChains; ++k) {
    hash.low = mix(hash.low, chains[k]);
    hash.high = mix(hash.high + kFactor, chains[kChains - 1 - k]);
  }
  return hash;
}
inline ContentHash HashContent(std::string_view text) { return HashContent(text.data(), text.size()); }

}  // namespace gec
