#include "parsers/onnx/onnx_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "core/support/error.h"
#include "core/support/memory.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

// Decoded blocks above this size are aligned for vector kernels, because tensors take them over.
constexpr size_t kAlignFrom = 1024;
constexpr size_t kFirstChunk = size_t{1} << 12, kLargestChunk = size_t{1} << 18;
// A copy goes in pieces, so that the file's pages and the copy are not in memory together.
constexpr uint64_t kCopyPiece = uint64_t{4} << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  void Reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }
  int Release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

}  // namespace

std::shared_ptr<MappedFile> MappedFile::Open(const std::string &path, uint64_t max_bytes) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a named pipe is refused, not waited for
  if (fd < 0) Fail(GE_PATH_INVALID, "cannot open '", path, "': ", strerror(errno));
  return FromDescriptor(fd, path, max_bytes);
}

namespace {

/// A file that was changed a moment ago may change again within one tick of the clock that its time is from: such a
/// file has none.
std::string IdentityOf(const struct stat &info) {
  constexpr int64_t kTick = 2;  // seconds
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - info.st_mtim.tv_sec < kTick || now.tv_sec - info.st_ctim.tv_sec < kTick) return "";
  return Str(info.st_dev, ":", info.st_ino, ":", info.st_size, ":", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, ":",
             info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec);
}

}  // namespace

std::shared_ptr<MappedFile> MappedFile::FromDescriptor(int raw, const std::string &path, uint64_t max_bytes) {
  Descriptor fd(raw);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) Fail(GE_PATH_INVALID, "cannot examine '", path, "': ", strerror(errno));
  if (S_ISDIR(info.st_mode)) Fail(GE_PATH_INVALID, "'", path, "' is a directory, expected a file");
  if (!S_ISREG(info.st_mode)) Fail(GE_PATH_INVALID, "'", path, "' is not a regular file");
  uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size > max_bytes) {
    Fail(GE_MODEL_INVALID, "'", path, "' has ", size, " bytes, more than the ", max_bytes,
         max_bytes == kMaxFileBytes ? " that the format allows in one file; store the weights as external data"
                                    : " that are accepted");
  }
  std::shared_ptr<MappedFile> file(new MappedFile);
  if (size != 0) {
    void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED && errno == ENOMEM) FailMemory(size, Str("the content of '", path, "'"));
    if (data == MAP_FAILED) Fail(GE_PATH_INVALID, "cannot map '", path, "': ", strerror(errno));
    file->data_ = static_cast<const uint8_t *>(data);
    file->size_ = size;
    file->identity_ = IdentityOf(info);
  }
  return file;
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<uint8_t *>(data_), size_);
}

void MappedFile::Forget(const uint8_t *at, uint64_t length) const {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(at) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(at) + length) / page * page;
  // Less is worth no call; and it is all given back with the file, where nothing of that is read later.
  constexpr uintptr_t kWorthACall = uintptr_t{64} << 10;
  if (begin + kWorthACall <= end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

namespace {

/// Copies [at, at + length) of the file, whose pages leave memory on the way.
std::shared_ptr<Buffer> CopyAndForget(const MappedFile *file, const uint8_t *at, uint64_t length) {
  if (!file || length < kCopyPiece) {
    std::shared_ptr<Buffer> buffer = Buffer::Copy(at, length);
    if (file) file->Forget(at, length);
    return buffer;
  }
  std::shared_ptr<Buffer> buffer = Buffer::AllocateUnset(length);
  for (uint64_t done = 0; done < length; done += kCopyPiece) {
    const uint64_t n = std::min(kCopyPiece, length - done);
    memcpy(static_cast<uint8_t *>(buffer->data()) + done, at + done, n);
    file->Forget(at + done, n);
  }
  return buffer;
}

/// A part of an encoded model, which outlives this: mapped from a file, or bytes of the caller's.
class FileContent final : public DeferredContent {
 public:
  FileContent(std::shared_ptr<const MappedFile> file, const ContentPart &part) : file_(std::move(file)), part_(part) {}
  void Write(void *to) const override {
    for (uint64_t done = 0; done < part_.size; done += kCopyPiece) {
      const uint64_t n = std::min(kCopyPiece, part_.size - done);
      memcpy(static_cast<uint8_t *>(to) + done, part_.data + done, n);
      if (file_) file_->Forget(part_.data + done, n);
    }
  }
  const void *InPlace() const override { return part_.data; }
  void Leave() const override {
    if (file_) file_->Forget(part_.data, part_.size);
  }
  std::string Identity() const override {
    return !file_ || file_->identity().empty()
               ? ""
               : Str(file_->identity(), "@", part_.data - file_->data(), "+", part_.size);
  }

 private:
  const std::shared_ptr<const MappedFile> file_;
  const ContentPart part_;
};

}  // namespace

std::unique_ptr<DecodedModel> DecodedModel::Decode(const uint8_t *data, uint64_t size,
                                                   std::shared_ptr<const MappedFile> file) {
  std::unique_ptr<DecodedModel> decoded(new DecodedModel);
  decoded->file_ = std::move(file);
  std::vector<uint8_t> stripped;
  if (CheckStructure(data, size) != 0) {
    stripped = StripContents(data, size, &decoded->parts_);
    data = stripped.data();
    size = stripped.size();
  }
  ProtobufCAllocator memory = {
      [](void *self, size_t bytes) { return static_cast<DecodedModel *>(self)->Allocate(bytes); },
      [](void *, void *) {},  // all of it goes with the model
      decoded.get()};
  decoded->model_ = onnx__model_proto__unpack(&memory, size, data);
  if (!decoded->model_ && decoded->missing_)
    Fail(GE_OUT_OF_MEMORY, "out of memory: ", decoded->missing_, " bytes for a part of an ONNX model of ", size,
         " bytes");
  if (!decoded->model_) Fail(GE_MODEL_INVALID, "not an ONNX model: the protobuf content cannot be decoded");
  return decoded;
}

DecodedModel::~DecodedModel() {
  for (void *block : blocks_) free(block);
}

/// Called by the decoder, which is C: null when there is no memory.
void *DecodedModel::Allocate(size_t bytes) noexcept try {
  if (bytes >= kAlignFrom) {
    void *block = nullptr;
    if (posix_memalign(&block, 64, bytes) != 0) throw std::bad_alloc();
    try {
      blocks_.insert(block);
    } catch (...) {
      free(block);
      throw;
    }
    return block;
  }
  bytes = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
  if (chunk_size_ - chunk_used_ < bytes) {
    const size_t size = std::max(kFirstChunk, std::min(kLargestChunk, 2 * chunk_size_));
    std::unique_ptr<uint8_t[]> chunk(new uint8_t[size]);
    chunks_.push_back(std::move(chunk));
    chunk_size_ = size;
    chunk_used_ = 0;
  }
  void *at = chunks_.back().get() + chunk_used_;
  chunk_used_ += bytes;
  return at;
} catch (const std::bad_alloc &) {
  missing_ = bytes;
  return nullptr;
}

std::shared_ptr<Buffer> DecodedModel::CopyPart(const ContentPart &part) const {
  constexpr uint64_t kDeferFrom =
      64 << 10;  // bytes; smaller ones are soon copied, and read by rules that look at values
  if (defer_ && part.size >= kDeferFrom) return Buffer::Defer(part.size, std::make_shared<FileContent>(file_, part));
  return CopyAndForget(file_.get(), part.data, part.size);
}

std::shared_ptr<Buffer> DecodedModel::TakeBlock(void *data, uint64_t bytes) {
  auto at = blocks_.find(data);
  if (at == blocks_.end()) return nullptr;
  auto buffer = Buffer::Borrow(
      data, bytes, [](void *block) { free(block); }, data);
  blocks_.erase(at);  // only now it has another owner
  return buffer;
}

std::shared_ptr<MappedFile> ExternalFiles::Open(const std::string &location) {
  auto found = files_.find(location);
  if (found != files_.end()) return found->second;
  auto refuse = [&](const char *why) { Fail(GE_PATH_INVALID, "external data '", location, "': ", why); };
  if (folder_.empty()) refuse("the model was given without a folder to look in");
  if (location.empty()) refuse("the location is empty");
  if (location[0] == '/') refuse("absolute paths are not allowed");
  Descriptor at(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0) {
    Fail(GE_PATH_INVALID, "external data '", location, "': cannot open folder '", folder_, "': ", strerror(errno));
  }
  for (size_t start = 0; start <= location.size();) {
    size_t slash = location.find('/', start);
    bool last = slash == std::string::npos;
    std::string part = location.substr(start, last ? std::string::npos : slash - start);
    if (part == "..") refuse("'..' is not allowed");
    if (!last && (part.empty() || part == ".")) {
      start = slash + 1;
      continue;
    }
    if (part.empty() || part == ".") refuse("it names a folder");
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY);
    int fd = openat(at.get(), part.c_str(), flags);
    if (fd < 0) {
      if (errno == ELOOP || (errno == ENOTDIR && !last)) refuse("links are not followed");
      Fail(GE_PATH_INVALID, "external data '", location, "': cannot open '", part, "': ", strerror(errno));
    }
    at.Reset(fd);
    if (last) {
      // A second name of the file may lie outside the folder.
      struct stat info;
      if (fstat(at.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink > 1)
        refuse("hard links are not followed");
      auto file = MappedFile::FromDescriptor(at.Release(), location, kMaxExternalBytes);
      files_[location] = file;
      return file;
    }
    start = slash + 1;
  }
  refuse("it names a folder");
  return nullptr;
}

std::shared_ptr<Buffer> ExternalFiles::Read(const std::string &location, uint64_t offset, uint64_t length) {
  auto file = Open(location);
  if (offset > file->size() || length > file->size() - offset) {
    Fail(GE_MODEL_INVALID, "external data '", location, "': bytes ", offset, " to ", offset, " + ", length,
         " lie beyond the end of the file, which has ", file->size(), " bytes");
  }
  const uint8_t *data = file->data() + offset;
  if (reinterpret_cast<uintptr_t>(data) % 64 != 0 || length < kAlignFrom)
    return CopyAndForget(file.get(), data, length);
  auto owner = std::make_unique<std::shared_ptr<MappedFile>>(file);
  auto buffer = Buffer::Borrow(
      const_cast<uint8_t *>(data), length, [](void *user) { delete static_cast<std::shared_ptr<MappedFile> *>(user); },
      owner.get());
  owner.release();
  return buffer;
}

}  // namespace gec::onnx
