#include "runtime/flow/batch.h"

#include <algorithm>
#include <cstring>

#include "core/ir/types.h"

namespace gec {
namespace {

using std::chrono::milliseconds;

}  // namespace

void FlowBatchSpec::Check() const {
  if (timeout < 0) Fail(GE_GRAPH_INVALID, "the timeout of a batch is ", timeout, " ms, expected 0 or more");
  if (dim < -1) Fail(GE_GRAPH_INVALID, "batch_dim is ", dim, ", expected -1 or more");
  if (kind == kCount && size < 1) Fail(GE_GRAPH_INVALID, "batch_size is ", size, ", expected 1 or more");
  if (kind == kCount && stride < 0) Fail(GE_GRAPH_INVALID, "slide_stride is ", stride, ", expected 0 or more");
  if (kind == kTime && window < 1 && window != -1)
    Fail(GE_GRAPH_INVALID, "time_window is ", window, " ms, expected 1 or more, or -1: until a stream or segment ends");
}

void FlowBatcher::Add(FlowMessage message, FlowTime now, std::deque<FlowParts> *ready) {
  if (spec_.kind == FlowBatchSpec::kNone || message.code != 0) {
    ready->push_back({std::move(message)});
    return;
  }
  const bool closes = message.closes(), data = message.tensor != nullptr;
  FlowMessage end = message;  // for a batch that is dropped
  end.tensor = nullptr;
  if (data && to_skip_ > 0) {
    --to_skip_;
  } else if (data) {
    if (fresh_++ == 0) since_ = now;
    pending_.push_back(std::move(message));
  } else if (!closes) {
    ready->push_back({std::move(message)});
    return;
  }
  const auto size = static_cast<size_t>(spec_.size);
  bool told = false;
  if (spec_.kind == FlowBatchSpec::kCount && pending_.size() == size) {
    told = true;
    ready->push_back(pending_);
    const int64_t stride = spec_.stride == 0 ? spec_.size : spec_.stride;
    const auto gone = static_cast<size_t>(std::min(stride, spec_.size));
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(gone));
    to_skip_ = stride - static_cast<int64_t>(gone);
    fresh_ = 0;
  }
  if (!closes) return;
  told |= fresh_ > 0 && Close(false, ready);
  pending_.clear();
  fresh_ = 0;
  to_skip_ = 0;
  if (!data || !told) ready->push_back({std::move(end)});
}

bool FlowBatcher::Close(bool by_time, std::deque<FlowParts> *ready) {
  const bool whole = spec_.kind == FlowBatchSpec::kTime && (by_time || spec_.window == -1);
  const bool drop = spec_.drop_remainder && !whole;
  if (!drop) ready->push_back(pending_);
  pending_.clear();
  fresh_ = 0;
  return !drop;
}

std::optional<FlowTime> FlowBatcher::Deadline() const {
  if (fresh_ == 0) return std::nullopt;
  int64_t wait = spec_.timeout;
  if (spec_.kind == FlowBatchSpec::kTime && spec_.window > 0)
    wait = wait == 0 ? spec_.window : std::min(wait, spec_.window);
  if (wait == 0) return std::nullopt;
  return since_ + milliseconds(wait);
}

void FlowBatcher::Expire(FlowTime now, std::deque<FlowParts> *ready) {
  const std::optional<FlowTime> due = Deadline();
  if (due && *due <= now) Close(true, ready);
}

FlowMessage Stack(const FlowBatchSpec &spec, FlowParts parts) {
  if (spec.kind == FlowBatchSpec::kNone || (parts.size() == 1 && !parts[0].tensor)) return std::move(parts.at(0));
  const TensorDesc &first = parts.at(0).tensor->desc;
  const bool new_dim = spec.kind == FlowBatchSpec::kCount || spec.dim == -1;
  const auto at = static_cast<size_t>(std::max<int64_t>(spec.dim, 0));
  const auto rank = static_cast<size_t>(first.shape.rank());
  if (at > rank || (at == rank && !new_dim))
    Fail(GE_DATA_MISMATCH, "batch_dim is ", spec.dim, ", a message has shape ", first.shape.str());
  const uint32_t bits = DataTypeBits(first.dtype);
  if (bits == 0 || bits % 8 != 0)
    Fail(GE_DATA_MISMATCH, "messages of ", DataTypeName(first.dtype), " cannot be put together");
  int64_t extent = 0;  // along the dimension
  for (const FlowMessage &part : parts) {
    Shape shape = part.tensor->desc.shape;
    const int64_t own = new_dim ? 1 : shape.rank() > static_cast<int32_t>(at) ? shape[at] : 0;
    if (!new_dim && shape.rank() == first.shape.rank()) shape[at] = first.shape[at];
    if (part.tensor->desc.dtype != first.dtype || shape != first.shape)
      Fail(GE_DATA_MISMATCH, "a batch has messages of ", DataTypeName(first.dtype), " ", first.shape.str(), " and ",
           DataTypeName(part.tensor->desc.dtype), " ", part.tensor->desc.shape.str());
    extent += own;
  }
  if (new_dim && spec.padding) extent = std::max(extent, spec.size);
  Shape::Dims dims;
  for (size_t i = 0; i < rank; ++i) {
    if (new_dim && i == at) dims.push_back(extent);
    dims.push_back(!new_dim && i == at ? extent : first.shape[i]);
  }
  if (new_dim && at == rank) dims.push_back(extent);
  TensorDesc desc(first.dtype, Shape(std::move(dims)), first.format);
  int64_t rows = 1;
  for (size_t i = 0; i < at; ++i) rows *= first.shape[i];
  auto tensor = std::make_shared<Tensor>(desc, Buffer::Allocate(desc.bytes()));
  const uint64_t row = rows == 0 ? 0 : desc.bytes() / static_cast<uint64_t>(rows);
  uint64_t column = 0;
  for (const FlowMessage &part : parts) {
    const uint64_t piece = rows == 0 ? 0 : part.tensor->bytes() / static_cast<uint64_t>(rows);
    for (int64_t r = 0; r < rows && piece > 0; ++r) {
      const auto index = static_cast<uint64_t>(r);
      std::memcpy(static_cast<uint8_t *>(tensor->buffer->data()) + index * row + column,
                  part.tensor->as<uint8_t>() + index * piece, piece);
    }
    column += piece;
  }
  FlowMessage message = HeadOf(parts);
  message.id = parts.back().id;
  message.type = parts[0].type;
  message.tensor = std::move(tensor);
  return message;
}

}  // namespace gec
