#include "core/serialize/offline_file.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/serialize/air.h"
#include "core/support/error.h"

namespace gec {
namespace {

// The header and the table are little endian, as every processor this runs on is.
struct Header {
  uint32_t magic;
  uint32_t head_size;
  uint32_t version;
  char checksum[64];
  uint32_t length;
  uint8_t is_encrypt;
  uint8_t is_checksum;  // 0: verify
  uint8_t model_type;
  uint8_t gen_mode;
  char name[32];
  uint32_t ops;
  char user_info[32];
  uint32_t ir_version;
  uint32_t model_num;
  char platform[20];
  uint8_t platform_type;
  uint8_t padding[3];
  uint64_t model_length;
  uint8_t check_os_cpu;
  uint8_t is_dynamic;
  uint8_t reserved[62];
} __attribute__((packed));
static_assert(sizeof(Header) == 256);

struct Entry {
  uint32_t type;
  uint32_t padding;
  uint64_t offset;
  uint64_t size;
};
static_assert(sizeof(Entry) == 24);

constexpr uint32_t kMagic = 0x444F4D49;  // "IMOD"
constexpr uint32_t kFraming = 0x20000000;
constexpr uint32_t kVersion = 1;  // of what is in the partitions
constexpr char kPlatform[] = "OpenGE";
constexpr uint32_t kGraphPartition = 0, kOptionsPartition = 0x4F505453;  // "STPO"
constexpr uint32_t kMostPartitions = 8;

// CRC-64 of the XZ format.
constexpr std::array<uint64_t, 256> MakeCrcTable() {
  std::array<uint64_t, 256> table{};
  for (uint64_t i = 0; i < 256; ++i) {
    uint64_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xC96C5795D7870F42u : 0);
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint64_t, 256> kCrcTable = MakeCrcTable();

uint64_t Crc(uint64_t crc, const void *data, size_t size) {
  const auto *bytes = static_cast<const unsigned char *>(data);
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) crc = kCrcTable[(crc ^ bytes[i]) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

/// Of the header without its checksum, and of all that follows.
std::array<char, 64> Checksum(Header header, std::string_view rest) {
  std::memset(header.checksum, 0, sizeof header.checksum);
  const uint64_t crc = Crc(Crc(0, &header, sizeof header), rest.data(), rest.size());
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "crc64:%016llx", static_cast<unsigned long long>(crc));
  return text;
}

void PutNumber(std::string *out, uint32_t value) { out->append(reinterpret_cast<const char *>(&value), sizeof value); }
void PutText(std::string *out, std::string_view text) {
  PutNumber(out, static_cast<uint32_t>(text.size()));
  out->append(text);
}

/// Reads numbers and texts, and says when they end too early.
class Reader {
 public:
  Reader(std::string_view data, const char *what) : data_(data), what_(what) {}
  uint32_t Number() {
    uint32_t value = 0;
    std::memcpy(&value, Take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string Text() { return std::string(Take(Number())); }
  bool done() const { return data_.empty(); }

 private:
  std::string_view Take(size_t size) {
    if (data_.size() < size) Fail(GE_MODEL_INVALID, "offline model: its ", what_, " end too early");
    std::string_view part = data_.substr(0, size);
    data_.remove_prefix(size);
    return part;
  }
  std::string_view data_;
  const char *what_;
};

constexpr uint8_t kSingle = 0, kBundle = 5;  // model types
constexpr uint32_t kMostMembers = 4096;

struct Partition {
  uint32_t type;
  std::string_view content;
};

/// Checks everything that the header, the table and the checksum say.
std::vector<Partition> Split(const void *data, size_t size, uint8_t *model_type) {
  const std::string_view bytes(static_cast<const char *>(data), size);
  if (!IsOffline(data, size)) Fail(GE_MODEL_INVALID, "not an offline model: it does not begin with IMOD");
  Header header;
  if (size < sizeof header + 8)
    Fail(GE_MODEL_INVALID, "offline model: ", size, " bytes, the header alone has ", sizeof header);
  std::memcpy(&header, data, sizeof header);
  if (header.head_size != sizeof header)
    Fail(GE_MODEL_INVALID, "offline model: its header has ", header.head_size, " bytes, expected ", sizeof header);
  if (std::strncmp(header.platform, kPlatform, sizeof header.platform) != 0) {
    Fail(GE_UNSUPPORTED, "offline model: it is for platform '",
         std::string(header.platform, strnlen(header.platform, sizeof header.platform)), "', only those for '",
         kPlatform, "' can be read");
  }
  if (header.version != kFraming || header.ir_version == 0 || header.ir_version > kVersion) {
    Fail(GE_UNSUPPORTED, "offline model: it has version ", header.ir_version, " (framing ", header.version,
         "), this library reads versions 1 to ", kVersion);
  }
  const bool single = header.model_type == kSingle && header.model_num == 1;
  if (header.is_encrypt != 0 || !(single || header.model_type == kBundle))
    Fail(GE_UNSUPPORTED, "offline model: encrypted models and those of several graphs cannot be read");
  const std::string_view rest = bytes.substr(sizeof header);
  if (header.model_length != rest.size()) {
    Fail(GE_MODEL_INVALID, "offline model: ", rest.size(), " bytes follow its header, expected ", header.model_length);
  }
  if (Checksum(header, rest) != std::to_array(header.checksum))
    Fail(GE_MODEL_INVALID, "offline model: its checksum does not fit, it was damaged");
  uint32_t count = 0;
  std::memcpy(&count, rest.data(), sizeof count);
  const uint32_t most = single ? kMostPartitions : kMostMembers;
  const uint64_t table = 8 + uint64_t{count} * sizeof(Entry);
  if (count == 0 || count > most || table > rest.size())
    Fail(GE_MODEL_INVALID, "offline model: it has ", count, " partitions, allowed: 1 to ", most);
  std::string_view content = rest.substr(table);
  std::vector<Partition> parts;
  for (uint32_t i = 0; i < count; ++i) {
    Entry entry;
    std::memcpy(&entry, rest.data() + 8 + i * sizeof entry, sizeof entry);
    if (entry.size > content.size())
      Fail(GE_MODEL_INVALID, "offline model: partition ", i, " has ", entry.size, " bytes, ", content.size(),
           " are left");
    parts.push_back({entry.type, content.substr(0, entry.size)});
    content.remove_prefix(entry.size);
  }
  if (!content.empty()) Fail(GE_MODEL_INVALID, "offline model: ", content.size(), " bytes belong to no partition");
  *model_type = header.model_type;
  return parts;
}

struct Parts {
  std::string_view graph, options;
};

Parts SplitSingle(const void *data, size_t size) {
  uint8_t model_type = 0;
  const std::vector<Partition> all = Split(data, size, &model_type);
  if (model_type == kBundle)
    Fail(GE_UNSUPPORTED, "offline model: it is a bundle of ", all.size(), " models, which are loaded one by one");
  Parts parts;
  for (const Partition &part : all) {
    if (part.type == kGraphPartition) parts.graph = part.content;
    if (part.type == kOptionsPartition) parts.options = part.content;
  }
  if (parts.graph.empty()) Fail(GE_MODEL_INVALID, "offline model: it holds no graph");
  return parts;
}

/// Header, table and partitions.
std::string Assemble(Header header, const std::vector<Partition> &parts) {
  std::string rest;
  PutNumber(&rest, static_cast<uint32_t>(parts.size()));
  PutNumber(&rest, 0);
  uint64_t offset = 0;
  for (const Partition &part : parts) {
    const Entry entry{part.type, 0, offset, part.content.size()};
    rest.append(reinterpret_cast<const char *>(&entry), sizeof entry);
    offset += part.content.size();
  }
  for (const Partition &part : parts) rest += part.content;
  header.magic = kMagic;
  header.head_size = sizeof header;
  header.version = kFraming;
  header.length = static_cast<uint32_t>(rest.size());
  header.ir_version = kVersion;
  std::memcpy(header.platform, kPlatform, sizeof kPlatform);
  header.model_length = rest.size();
  std::memcpy(header.checksum, Checksum(header, rest).data(), sizeof header.checksum);
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) + rest;
}

}  // namespace

bool IsOffline(const void *data, size_t size) {
  uint32_t magic = 0;
  if (data == nullptr || size < sizeof magic) return false;
  std::memcpy(&magic, data, sizeof magic);
  return magic == kMagic;
}

bool IsOfflineFile(const std::string &path) {
  char begin[4] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(begin, sizeof begin) && IsOffline(begin, sizeof begin);
}

std::string OfflineBytes(const OfflineModel &model) {
  std::string options;
  PutNumber(&options, static_cast<uint32_t>(model.options.size()));
  for (const auto &[key, value] : model.options) {
    PutText(&options, key);
    PutText(&options, value);
  }
  const std::string graph = AirBytes(*model.graph);
  Header header{};
  std::strncpy(header.name, model.graph->name().c_str(), sizeof header.name - 1);
  header.model_num = 1;
  for (Node *node : model.graph->Inputs()) header.is_dynamic |= node->output_desc(0).known() ? 0 : 1;
  return Assemble(header, {{kGraphPartition, graph}, {kOptionsPartition, options}});
}

std::string BundleBytes(const std::vector<std::string_view> &models) {
  if (models.empty() || models.size() > kMostMembers)
    Fail(GE_PARAM_INVALID, "a bundle of ", models.size(), " models, allowed: 1 to ", kMostMembers);
  std::vector<Partition> parts;
  for (std::string_view model : models) {
    SplitSingle(model.data(), model.size());
    parts.push_back({kGraphPartition, model});
  }
  Header header{};
  header.model_type = kBundle;
  header.model_num = static_cast<uint32_t>(models.size());
  return Assemble(header, parts);
}

std::vector<std::string_view> BundleMembers(const void *data, size_t size) {
  uint8_t model_type = 0;
  const std::vector<Partition> parts = Split(data, size, &model_type);
  std::vector<std::string_view> members;
  for (const Partition &part : parts)
    if (model_type == kBundle) members.push_back(part.content);
  return members;
}

OfflineModel ReadOffline(const void *data, size_t size) {
  const Parts parts = SplitSingle(data, size);
  OfflineModel model;
  Reader options(parts.options, "options");
  for (uint32_t count = parts.options.empty() ? 0 : options.Number(); count > 0; --count) {
    std::string key = options.Text();
    model.options[std::move(key)] = options.Text();
  }
  if (!options.done()) Fail(GE_MODEL_INVALID, "offline model: bytes follow its options");
  model.graph = Graph::Create("offline");
  LoadAirBytes(*model.graph, parts.graph.data(), parts.graph.size());
  return model;
}

void CheckOffline(const void *data, size_t size) {
  const std::vector<std::string_view> members = BundleMembers(data, size);
  if (members.empty()) SplitSingle(data, size);
  for (std::string_view member : members) SplitSingle(member.data(), member.size());
}

}  // namespace gec
