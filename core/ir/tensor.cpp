#include "core/ir/tensor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "core/ir/quantization.h"
#include "core/ir/types.h"
#include "core/support/abi_sizes.h"
#include "core/support/large_pages.h"
#include "core/support/memory.h"

namespace gec {
namespace {

Shape CheckedShape(const int64_t *dims, int32_t rank, const char *what) {
  if (rank < GE_UNKNOWN_RANK || rank > GE_MAX_RANK)
    Fail(GE_PARAM_INVALID, what, " is ", rank, ", expected ", GE_UNKNOWN_RANK, " to ", GE_MAX_RANK);
  if (Shape::SaysUnknownRank(dims, rank)) return Shape::UnknownRank();
  if (rank <= 0) return Shape();
  if (!dims) Fail(GE_PARAM_INVALID, what, " is ", rank, " but its dims are null");
  for (int32_t i = 0; i < rank; ++i) {
    if (dims[i] < GE_UNKNOWN_DIM)
      Fail(GE_PARAM_INVALID, "dimension ", i, " is ", dims[i], ", expected -1 or more (-2 alone: any rank)");
  }
  return Shape::From(dims, rank);
}

}  // namespace

TensorDesc TensorDesc::From(const GeTensorData &data) {
  if (data.reserved != 0) Fail(GE_PARAM_INVALID, "reserved of a GeTensorData is ", data.reserved, "; it must be 0");
  if (!IsDataTypeValue(data.data_type))
    Fail(GE_PARAM_INVALID, "data type ", data.data_type, " is unknown, there are 0 to ", C_DT_MAX - 1);
  if (!IsFormatValue(data.format))
    Fail(GE_PARAM_INVALID, "format ", data.format, " is unknown, there are 0 to ", C_FORMAT_END - 1);
  if (!IsFormatValue(data.origin_format)) {
    Fail(GE_PARAM_INVALID, "origin format ", data.origin_format, " is unknown, there are 0 to ", C_FORMAT_END - 1);
  }
  TensorDesc desc;
  desc.dtype = data.data_type;
  desc.format = data.format;
  desc.origin_format = data.origin_format;
  desc.shape = CheckedShape(data.dims, data.rank, "rank");
  // A caller who leaves the origin out means a plain layout.
  bool no_origin = !data.origin_dims && data.origin_rank <= 0;
  desc.origin_shape = no_origin ? desc.shape : CheckedShape(data.origin_dims, data.origin_rank, "origin rank");
  if (data.layout) {
    const GeTensorLayout layout = ReadStruct(*data.layout, "layout of a GeTensorData");
    if (layout.strides)
      Fail(GE_PARAM_INVALID, "layout of a GeTensorData has strides, which only inputs of a run may have");
    SetQuantization(&desc, layout);
  }
  return desc;
}

GeTensorData TensorDesc::View() const {
  GeTensorData data{};
  data.data_type = dtype;
  data.format = format;
  data.origin_format = origin_format;
  data.rank = shape.rank();
  data.origin_rank = origin_shape.rank();
  data.dims = data.rank > 0 ? shape.dims().data() : nullptr;
  data.origin_dims = data.origin_rank > 0 ? origin_shape.dims().data() : nullptr;
  return data;
}

std::shared_ptr<Buffer> Buffer::AllocateUnset(uint64_t bytes) {
  if (bytes > kMaxTensorBytes)
    Fail(GE_PARAM_INVALID, "a buffer of ", bytes, " bytes exceeds the limit of ", kMaxTensorBytes);
  CheckMemory(bytes, "a tensor");
  std::shared_ptr<Buffer> buffer(new Buffer);
  const size_t capacity = std::max<size_t>((static_cast<size_t>(bytes) + 63) / 64 * 64, 64);
  buffer->data_ = std::aligned_alloc(64, capacity);
  if (!buffer->data_) FailMemory(bytes, "a tensor");
  // Kernels may read whole vectors beyond the end.
  std::memset(static_cast<char *>(buffer->data_) + capacity - 64, 0, 64);
  buffer->size_ = bytes;
  buffer->release_ = [](void *data) { std::free(data); };
  buffer->user_ = buffer->data_;
  buffer->allocated_ = true;
  TookMemory(bytes);
  return buffer;
}

namespace {

/// Deferred buffers by address, and the lock of their contents.
struct DeferredBuffers {
  std::mutex mutex;
  std::atomic<size_t> count{0};
  std::unordered_map<const void *, std::weak_ptr<Buffer>> by_address;
};
DeferredBuffers &Deferred() {
  static DeferredBuffers *all = new DeferredBuffers();  // tensors may outlive every static object
  return *all;
}

constexpr uint64_t kHugeFrom = uint64_t{4} << 20;  // bytes that large pages are asked for: a touch of memory costs less

}  // namespace

std::shared_ptr<Buffer> Buffer::Defer(uint64_t bytes, std::shared_ptr<const DeferredContent> content) {
  if (bytes > kMaxTensorBytes)
    Fail(GE_PARAM_INVALID, "a buffer of ", bytes, " bytes exceeds the limit of ", kMaxTensorBytes);
  std::shared_ptr<Buffer> buffer(new Buffer);
  const size_t room = static_cast<size_t>(bytes) + 64;  // kernels may read whole vectors beyond the end
  void *memory = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) FailMemory(bytes, "a tensor");
  buffer->data_ = memory;
  buffer->size_ = bytes;
  buffer->mapped_ = room;
  buffer->content_ = std::move(content);
  buffer->is_deferred_.store(true, std::memory_order_release);
  DeferredBuffers &all = Deferred();
  const std::lock_guard lock(all.mutex);
  ++all.count;
  all.by_address.emplace(memory, buffer);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::AllocateLarge(uint64_t bytes) {
  constexpr uint64_t kPage = LargePages::kBytes;
  if (bytes > kMaxTensorBytes)
    Fail(GE_PARAM_INVALID, "a buffer of ", bytes, " bytes exceeds the limit of ", kMaxTensorBytes);
  CheckMemory(bytes, "a block of constants");
  const size_t room = static_cast<size_t>(bytes + kPage);  // so that a large page can begin at its begin
  void *memory = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) FailMemory(bytes, "a block of constants");
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->data_ = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage * kPage);
  buffer->size_ = bytes;
  buffer->mapping_ = memory;
  buffer->mapped_ = room;
  buffer->allocated_ = true;
  TookMemory(bytes);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::DeferredAt(const void *address) {
  DeferredBuffers &all = Deferred();
  if (all.count.load(std::memory_order_acquire) == 0) return nullptr;
  std::shared_ptr<Buffer> found;  // let go of after the lock, which its end takes
  const std::lock_guard lock(all.mutex);
  const auto at = all.by_address.find(address);
  if (at != all.by_address.end()) found = at->second.lock();
  return found && found->is_deferred_.load(std::memory_order_relaxed) ? found : nullptr;
}

std::shared_ptr<const DeferredContent> Buffer::deferred() const {
  if (!is_deferred_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(Deferred().mutex);
  return content_;
}

void Buffer::Fill() const {
  static std::recursive_mutex filling;  // one at a time; content may be computed from another one's
  const std::shared_ptr<const DeferredContent> content = deferred();
  if (!content) return;  // another thread has
  const std::lock_guard lock(filling);
  if (!is_deferred_.load(std::memory_order_acquire)) return;
  CheckMemory(size_, "a tensor");
  const size_t size = static_cast<size_t>(size_);
  if (size_ >= kHugeFrom) LargePages::Process().Take(data_, size, size);
  content->Write(data_);
  TookMemory(size_);
  const std::lock_guard contents(Deferred().mutex);
  allocated_ = true;
  content_ = nullptr;
  is_deferred_.store(false, std::memory_order_release);
}

void Buffer::Discard() {
  if (is_deferred_.load(std::memory_order_acquire)) {  // zeros, as if it had been filled
    const std::lock_guard lock(Deferred().mutex);
    content_ = nullptr;
    discarded_ = true;
    is_deferred_.store(false, std::memory_order_release);
    return;
  }
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data_) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data_) + size_) / page * page;
  if (!allocated_ || begin + 4 * page > end) return;
  if (madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED) != 0 || discarded_) return;
  discarded_ = true;
  GaveMemory(size_);
}

std::shared_ptr<Buffer> Buffer::Allocate(uint64_t bytes) {
  std::shared_ptr<Buffer> buffer = AllocateUnset(bytes);
  if (bytes) std::memset(buffer->data_, 0, static_cast<size_t>(bytes));
  return buffer;
}

std::shared_ptr<Buffer> Buffer::Copy(const void *data, uint64_t bytes) {
  std::shared_ptr<Buffer> buffer = AllocateUnset(bytes);
  if (bytes) std::memcpy(buffer->data_, data, static_cast<size_t>(bytes));
  return buffer;
}

std::shared_ptr<Buffer> Buffer::Borrow(void *data, uint64_t bytes, void (*release)(void *), void *user) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->data_ = data;
  buffer->size_ = bytes;
  buffer->release_ = release;
  buffer->user_ = user;
  return buffer;
}

Buffer::~Buffer() {
  if (mapping_) munmap(mapping_, mapped_);
  else if (mapped_ != 0) {
    DeferredBuffers &all = Deferred();
    const std::lock_guard lock(all.mutex);
    all.by_address.erase(data_);
    --all.count;
    munmap(data_, mapped_);
  }
  if (release_) release_(user_);
  if (allocated_ && !discarded_) GaveMemory(size_);
}

GeTensorData Tensor::View() const {
  GeTensorData view = desc.View();
  view.data = buffer ? buffer->data() : nullptr;
  view.size = bytes();
  if (buffer) view.flags = GE_TENSOR_CONSTANT;
  return view;
}

namespace {

template <class T>
std::vector<int64_t> Widen(const void *data, size_t count) {
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, static_cast<const char *>(data) + i * sizeof(T), sizeof(T));
    values[i] = static_cast<int64_t>(value);
  }
  return values;
}

}  // namespace

std::vector<int64_t> Tensor::Ints() const {
  if (!buffer) return {};
  size_t n = bytes();
  switch (desc.dtype) {
    case C_DT_INT8:
      return Widen<int8_t>(data(), n);
    case C_DT_UINT8:
    case C_DT_BOOL:
      return Widen<uint8_t>(data(), n);
    case C_DT_INT16:
      return Widen<int16_t>(data(), n / 2);
    case C_DT_UINT16:
      return Widen<uint16_t>(data(), n / 2);
    case C_DT_INT32:
      return Widen<int32_t>(data(), n / 4);
    case C_DT_UINT32:
      return Widen<uint32_t>(data(), n / 4);
    case C_DT_INT64:
    case C_DT_UINT64:
      return Widen<int64_t>(data(), n / 8);
    default:
      Fail(GE_PARAM_INVALID, "expected an integer tensor, got ", DataTypeName(desc.dtype));
  }
}

}  // namespace gec
