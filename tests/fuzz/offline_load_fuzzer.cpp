// libFuzzer target of the reader of offline models (.om). Mutations keep what the header says of the bytes that follow
// true, their number and their checksum, or no mutation would get past it; a few are left damaged.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/serialize/offline_file.h"
#include "core/support/error.h"
#include "ge/model.h"
#include "ge/offline.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

constexpr size_t kHeader = 256, kEntry = 24;
// Places in the header, as docs/offline-models.md has them.
constexpr size_t kChecksum = 12, kChecksumBytes = 64, kLength = 76, kModelLength = 184;

// CRC-64 of the XZ format, written anew: with the reader's own a fault in it would stay unseen.
uint64_t Crc(const uint8_t *data, size_t size) {
  uint64_t crc = ~UINT64_C(0);
  for (size_t i = 0; i < size; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? UINT64_C(0xC96C5795D7870F42) : 0);
  }
  return ~crc;
}

void Repair(uint8_t *data, size_t size) {
  if (size < kHeader) return;
  const uint64_t rest = size - kHeader;
  const uint32_t short_rest = static_cast<uint32_t>(rest);
  std::memcpy(data + kLength, &short_rest, sizeof short_rest);
  std::memcpy(data + kModelLength, &rest, sizeof rest);
  std::array<char, kChecksumBytes> text{};
  std::memcpy(data + kChecksum, text.data(), text.size());
  std::snprintf(text.data(), text.size(), "crc64:%016llx", static_cast<unsigned long long>(Crc(data, size)));
  std::memcpy(data + kChecksum, text.data(), text.size());
}

/// Changes the content of one partition, and its size in the table. False where the bytes have no table.
bool MutatePartition(uint8_t *data, size_t *size, size_t most, unsigned seed) {
  uint32_t count = 0;
  if (*size < kHeader + 8) return false;
  std::memcpy(&count, data + kHeader, sizeof count);
  const size_t table = kHeader + 8;
  if (count == 0 || count > 64 || *size < table + count * kEntry) return false;
  size_t begin = table + count * kEntry, chosen = seed % count;
  uint64_t length = 0;
  for (size_t i = 0; i <= chosen; ++i) {
    begin += length;
    std::memcpy(&length, data + table + i * kEntry + 16, sizeof length);
    if (begin > *size || length > *size - begin) return false;
  }
  std::vector<uint8_t> part(data + begin, data + begin + length);
  const std::vector<uint8_t> behind(data + begin + length, data + *size);
  part.resize(length + (most - *size));
  const size_t mutated = LLVMFuzzerMutate(part.data(), length, part.size());
  std::copy(part.begin(), part.begin() + static_cast<ptrdiff_t>(mutated), data + begin);
  std::copy(behind.begin(), behind.end(), data + begin + mutated);
  const uint64_t now = mutated;
  std::memcpy(data + table + chosen * kEntry + 16, &now, sizeof now);
  *size = begin + mutated + behind.size();
  return true;
}

void Single(const void *data, size_t size) {
  try {
    const gec::OfflineModel model = gec::ReadOffline(data, size);
    GeOptions *options = nullptr;
    if (GeOptionsCreate(&options) == GE_SUCCESS)
      for (const auto &[key, value] : model.options) GeOptionsSet(options, key.c_str(), value.c_str());
    GeOptionsDestroy(options);
    model.graph->Verify();
    gec::OfflineBytes(model);
  } catch (const gec::Error &) {
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  const unsigned kind = seed % 16;
  if (size > most || kind < 4 || !MutatePartition(data, &size, most, seed / 16))
    size = LLVMFuzzerMutate(data, size, most);
  if (kind != 0) Repair(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t count = 0;
  Single(data, size);
  if (GeOfflineBundleCount(data, size, &count) != GE_SUCCESS) return 0;
  for (size_t i = 0; i < count; ++i) {
    const void *model = nullptr;
    size_t length = 0;
    if (GeOfflineBundleGet(data, size, i, &model, &length) == GE_SUCCESS) Single(model, length);
  }
  return 0;
}
