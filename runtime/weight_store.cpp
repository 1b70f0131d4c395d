#include "runtime/weight_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/support/error.h"
#include "core/support/warnings.h"

namespace gec {
namespace {

constexpr char kMagic[8] = {'G', 'E', 'P', 'A', 'C', 'K', '\r', '\n'};
constexpr uint32_t kVersion = 1;
constexpr uint64_t kAlignment = 64;
constexpr uint64_t kMostIndex = uint64_t{256} << 20;  // bytes
constexpr int kMostWrites = 8;                        // of one model, whose runs may pack for ever new sizes

struct Header {
  char magic[8];
  uint32_t version, entries;
  uint64_t file_bytes, index_offset, index_bytes;
  ContentHash index_hash;
  ContentHash header_hash;  // of all before
};
static_assert(sizeof(Header) == 72);

ContentHash HashOfHeader(const Header &header) { return HashContent(&header, offsetof(Header, header_hash)); }

uint64_t RoundUp(uint64_t value) { return (value + kAlignment - 1) / kAlignment * kAlignment; }

class IndexWriter {
 public:
  void Number(uint64_t value) { text_.append(reinterpret_cast<const char *>(&value), sizeof value); }
  void Hash(const ContentHash &hash) {
    Number(hash.low);
    Number(hash.high);
  }
  void Text(const std::string &text) {
    Number(text.size());
    text_ += text;
  }
  const std::string &text() const { return text_; }

 private:
  std::string text_;
};

/// Refuses what reaches beyond the end.
class IndexReader {
 public:
  IndexReader(const char *at, uint64_t bytes) : at_(at), end_(at + bytes) {}
  uint64_t Number() {
    uint64_t value;
    std::memcpy(&value, Take(sizeof value), sizeof value);
    return value;
  }
  ContentHash Hash() {
    const uint64_t low = Number();
    return {low, Number()};
  }
  std::string Text() {
    const uint64_t bytes = Number();
    return std::string(Take(bytes), bytes);
  }

 private:
  const char *Take(uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(end_ - at_)) throw std::string("its index is cut off");
    const char *at = at_;
    at_ += bytes;
    return at;
  }
  const char *at_, *const end_;
};

/// A file beside the one that it replaces; gone unless it takes its place.
class Replacement {
 public:
  explicit Replacement(const std::string &path) : path_(path) {
    static std::atomic<uint64_t> number{0};
    temporary_ = Str(path, ".", getpid(), ".", number++, ".tmp");
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd_ < 0) Give("create");
  }
  ~Replacement() {
    if (fd_ >= 0) close(fd_);
    if (!placed_) unlink(temporary_.c_str());
  }
  Replacement(const Replacement &) = delete;
  Replacement &operator=(const Replacement &) = delete;
  void Append(const void *data, uint64_t bytes) {
    const char *at = static_cast<const char *>(data);
    while (bytes > 0) {
      const ssize_t n = write(fd_, at, std::min<uint64_t>(bytes, uint64_t{1} << 30));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) Give("write");
      at += n;
      bytes -= static_cast<uint64_t>(n);
    }
  }
  void Place() {
    if (fsync(fd_) != 0) Give("write");
    if (close(std::exchange(fd_, -1)) != 0) Give("write");
    if (rename(temporary_.c_str(), path_.c_str()) != 0) Give("rename");
    placed_ = true;
    const size_t slash = path_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
    const int entry = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (entry < 0) return;
    fsync(entry);
    close(entry);
  }

 private:
  [[noreturn]] void Give(const char *what) const {
    throw Str("cannot ", what, " '", temporary_, "': ", std::strerror(errno));
  }
  const std::string path_;
  std::string temporary_;
  int fd_ = -1;
  bool placed_ = false;
};

}  // namespace

struct WeightStore::Mapping {
  const char *data = nullptr;
  uint64_t bytes = 0;
  ~Mapping() {
    if (data) munmap(const_cast<char *>(data), bytes);
  }
};

WeightStore::WeightStore(std::string path, std::string made_by) : path_(std::move(path)), made_by_(std::move(made_by)) {
  state_.path = path_;
  try {
    Read();
  } catch (const std::string &why) {
    entries_.clear();
    mapping_ = nullptr;
    changed_ = true;
    state_.note = Str("'", path_, "' is made anew: ", why);
  }
}

void WeightStore::Read() {
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    changed_ = true;
    if (errno != ENOENT) state_.note = Str("cannot open '", path_, "': ", std::strerror(errno));
    return;
  }
  const struct Closed {
    int fd;
    ~Closed() { close(fd); }
  } closed{fd};
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) throw std::string("it is not a regular file");
  const uint64_t bytes = static_cast<uint64_t>(info.st_size);
  Header header;
  if (bytes < sizeof header || pread(fd, &header, sizeof header, 0) != sizeof header)
    throw std::string("it is too short");
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) throw std::string("it is no store of packed weights");
  if (header.version != kVersion) throw Str("it has version ", header.version, ", this library writes ", kVersion);
  if (!(HashOfHeader(header) == header.header_hash)) throw std::string("its header is damaged");
  if (header.file_bytes != bytes) throw Str("it has ", bytes, " bytes and should have ", header.file_bytes);
  if (header.index_bytes > kMostIndex || header.index_offset > bytes ||
      header.index_bytes > bytes - header.index_offset)
    throw std::string("its index is cut off");
  std::string index(header.index_bytes, '\0');
  if (pread(fd, index.data(), index.size(), static_cast<off_t>(header.index_offset)) !=
      static_cast<ssize_t>(index.size()))
    throw std::string("its index cannot be read");
  if (!(HashContent(index) == header.index_hash)) throw std::string("its index is damaged");
  IndexReader reader(index.data(), index.size());
  if (reader.Text() != made_by_) throw std::string("another library, processor or set of options made it");
  std::multimap<std::string, Entry> entries;
  for (uint32_t i = 0; i < header.entries; ++i) {
    Entry entry;
    entry.content = reader.Hash();
    entry.identity = reader.Hash();
    entry.offset = reader.Number();
    entry.bytes = reader.Number();
    if (entry.offset % kAlignment != 0 || entry.offset > header.index_offset ||
        entry.bytes > header.index_offset - entry.offset)
      throw std::string("its index names bytes that it does not have");
    entries.emplace(reader.Text(), entry);
  }
  auto mapping = std::make_shared<Mapping>();
  void *data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) throw Str("it cannot be mapped: ", std::strerror(errno));
  mapping->data = static_cast<const char *>(data);
  mapping->bytes = bytes;
  mapping_ = std::move(mapping);
  entries_ = std::move(entries);
}

std::shared_ptr<Buffer> WeightStore::Use(const Entry &entry, const ContentHash &identity, const std::string &key) {
  auto holder = std::make_unique<std::shared_ptr<const Mapping>>(mapping_);
  std::shared_ptr<Buffer> buffer = Buffer::Borrow(
      const_cast<char *>(mapping_->data + entry.offset), entry.bytes,
      [](void *user) { delete static_cast<std::shared_ptr<const Mapping> *>(user); }, holder.get());
  holder.release();
  used_.push_back({entry.content, identity, key, buffer});
  ++state_.found;
  return buffer;
}

std::shared_ptr<Buffer> WeightStore::FindByIdentity(const ContentHash &identity, const std::string &key,
                                                    uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = entries_.equal_range(key);
  for (auto at = begin; at != end; ++at)
    if (at->second.identity == identity && at->second.bytes == bytes) return Use(at->second, identity, key);
  return nullptr;
}

std::shared_ptr<Buffer> WeightStore::FindByContent(const ContentHash &content, const ContentHash &identity,
                                                   const std::string &key, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = entries_.equal_range(key);
  for (auto at = begin; at != end; ++at) {
    if (!(at->second.content == content) || at->second.bytes != bytes) continue;
    changed_ |= !(identity == ContentHash()) && !(at->second.identity == identity);
    return Use(at->second, identity, key);
  }
  return nullptr;
}

void WeightStore::Add(Form form) {
  const std::lock_guard lock(mutex_);
  used_.push_back(std::move(form));
  ++state_.packed;
  changed_ = true;
}

void WeightStore::Write(const std::vector<Form> &forms) {
  // Those that a constant and its equal share lie there once.
  IndexWriter index;
  index.Text(made_by_);
  std::map<const void *, uint64_t> places;
  std::vector<const Buffer *> written;
  uint64_t offset = RoundUp(sizeof(Header));
  for (const Form &form : forms) {
    const auto [place, fresh] = places.emplace(form.buffer->data(), offset);
    if (fresh) {
      written.push_back(form.buffer.get());
      offset = RoundUp(offset + form.buffer->size() + kAlignment);  // whole vectors are read beyond the end
    }
    index.Hash(form.content);
    index.Hash(form.identity);
    index.Number(place->second);
    index.Number(form.buffer->size());
    index.Text(form.key);
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.entries = static_cast<uint32_t>(forms.size());
  header.index_offset = offset;
  header.index_bytes = index.text().size();
  header.file_bytes = offset + index.text().size();
  header.index_hash = HashContent(index.text());
  header.header_hash = HashOfHeader(header);

  Replacement file(path_);
  static const char kZeros[2 * kAlignment] = {};
  file.Append(&header, sizeof header);
  uint64_t at = sizeof header;
  const auto pad = [&](uint64_t to) {
    file.Append(kZeros, to - at);
    at = to;
  };
  pad(RoundUp(at));
  for (const Buffer *buffer : written) {
    file.Append(buffer->data(), buffer->size());
    at += buffer->size();
    pad(RoundUp(at + kAlignment));
  }
  file.Append(index.text().data(), index.text().size());
  file.Place();
}

void WeightStore::Save() noexcept try {
  std::vector<Form> forms;
  {
    const std::lock_guard lock(mutex_);
    if (!changed_ || used_.empty() || writes_ == kMostWrites) return;
    changed_ = false;
    ++writes_;
    forms = used_;
  }
  std::string note;
  try {
    Write(forms);
  } catch (const std::string &why) {
    note = Str("packed weights are not kept: ", why);
    WarnOnce(note);
  }
  const std::lock_guard lock(mutex_);
  if (note.empty()) state_.written = true;
  else state_.note = note;
} catch (const std::exception &) {  // no memory: the next process packs again
}

WeightStore::State WeightStore::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace gec
