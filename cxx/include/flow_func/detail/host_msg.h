// Messages and tensors over those of the C interface.
#ifndef FLOW_FUNC_DETAIL_HOST_MSG_H_
#define FLOW_FUNC_DETAIL_HOST_MSG_H_

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "flow_func/flow_msg.h"
#include "ge/flow.h"
#include "ge/tensor.h"
#include "graph/detail/language.h"

namespace FlowFunc {
namespace detail {

/// Translates a status of the library into one of functions.
inline int32_t CodeOf(GeStatus status) {
  constexpr GeStatus kLargest = 9999999;
  if (status == GE_SUCCESS) return FLOW_FUNC_SUCCESS;
  if (status == GE_PARAM_INVALID) return FLOW_FUNC_ERR_PARAM_INVALID;
  if (status == GE_FLOW_TIMEOUT) return FLOW_FUNC_ERR_TIME_OUT_ERROR;
  if (status == GE_FLOW_NOT_ALIGNED) return FLOW_FUNC_ERR_DATA_ALIGN_FAILED;
  if (status == GE_UNSUPPORTED) return FLOW_FUNC_ERR_NOT_SUPPORT;
  if (status == GE_BAD_STATE) return FLOW_FUNC_STATUS_EXIT;
  return status <= kLargest ? static_cast<int32_t>(status) : FLOW_FUNC_FAILED;
}

class HostTensor : public Tensor {
 public:
  /// Takes the reference over.
  explicit HostTensor(GeTensor *handle) : handle_(handle) { Read(); }
  ~HostTensor() override { GeTensorDestroy(handle_); }
  HostTensor(const HostTensor &) = delete;
  HostTensor &operator=(const HostTensor &) = delete;

  const std::vector<int64_t> &GetShape() const override { return shape_; }
  TensorDataType GetDataType() const override { return static_cast<TensorDataType>(data_.data_type); }
  void *GetData() const override { return data_.data; }
  uint64_t GetDataSize() const override { return data_.size; }
  int64_t GetElementCnt() const override {
    int64_t count = 1;
    for (const int64_t dim : shape_) count *= dim;
    return count;
  }
  uint64_t GetDataBufferSize() const override { return data_.size; }
  int32_t Reshape(const std::vector<int64_t> &shape) override {
    GeTensorData desc = data_;
    desc.rank = desc.origin_rank = static_cast<int32_t>(shape.size());
    desc.dims = desc.origin_dims = shape.data();
    // Others may hold the tensor as it is: this becomes a second one of the same memory.
    GeTensor *made = nullptr, *keep = nullptr;
    GeStatus status = GeTensorRetain(handle_, &keep);
    if (status == GE_SUCCESS) status = GeTensorCreateBorrowed(&desc, &Release, keep, &made);
    if (status != GE_SUCCESS) {
      GeTensorDestroy(keep);
      return CodeOf(status);
    }
    GeTensorDestroy(ge::detail::Exchange(handle_, made));
    Read();
    return FLOW_FUNC_SUCCESS;
  }
  GeTensor *handle() const { return handle_; }

  /// Zeroed, at a multiple of `align`, a power of two. Null with the reason as last error.
  static GeTensor *Make(const std::vector<int64_t> &shape, TensorDataType type, uint32_t align) {
    GeTensorData desc{};
    desc.data_type = static_cast<int32_t>(type);
    desc.format = desc.origin_format = C_FORMAT_ND;
    desc.rank = desc.origin_rank = static_cast<int32_t>(shape.size());
    desc.dims = desc.origin_dims = shape.data();
    constexpr uint32_t kUsual = 64;
    GeTensor *made = nullptr;
    if (align == 0 || (align & (align - 1)) != 0) {
      (void)GeSetLastError(GE_PARAM_INVALID, "the alignment of a message is no power of two");
      return nullptr;
    }
    if (GeTensorCreate(&desc, &made) != GE_SUCCESS || align <= kUsual) return made;
    GeTensorData plain{};
    (void)GeTensorGetData(made, &plain);
    desc.size = plain.size;
    GeTensorDestroy(made);
    const size_t room = (static_cast<size_t>(desc.size) / align + 1) * align;
    if (posix_memalign(&desc.data, align, room) != 0) {
      (void)GeSetLastError(GE_OUT_OF_MEMORY, "there is no memory for a message");
      return nullptr;
    }
    std::memset(desc.data, 0, room);
    if (GeTensorCreateBorrowed(&desc, &std::free, desc.data, &made) == GE_SUCCESS) return made;
    std::free(desc.data);
    return nullptr;
  }

 private:
  static void Release(void *tensor) { GeTensorDestroy(static_cast<GeTensor *>(tensor)); }
  void Read() {
    (void)GeTensorGetData(handle_, &data_);
    shape_.assign(data_.dims, data_.dims + (data_.rank > 0 ? data_.rank : 0));
  }
  GeTensor *handle_;
  GeTensorData data_{};
  std::vector<int64_t> shape_;
};

class HostMsg : public FlowMsg {
 public:
  explicit HostMsg(MsgType type) {
    message_.struct_size = sizeof message_;
    message_.type = static_cast<uint32_t>(type);
  }
  HostMsg(MsgType type, std::shared_ptr<Tensor> tensor) : HostMsg(type) { tensor_ = std::move(tensor); }
  /// Takes over the reference to the tensor.
  explicit HostMsg(const GeFlowMessage &message) : message_(message) {
    if (message.tensor != nullptr) tensor_ = std::make_shared<HostTensor>(message.tensor);
  }

  MsgType GetMsgType() const override { return static_cast<MsgType>(message_.type); }
  void SetMsgType(MsgType msgType) override { message_.type = static_cast<uint32_t>(msgType); }
  Tensor *GetTensor() const override { return message_.type == GE_FLOW_RAW ? nullptr : tensor_.get(); }
  const std::vector<Tensor *> GetTensorList() const override {
    Tensor *tensor = GetTensor();
    return tensor != nullptr ? std::vector<Tensor *>{tensor} : std::vector<Tensor *>{};
  }
  int32_t GetRawData(void *&dataPtr, uint64_t &dataSize) const override {
    if (tensor_ == nullptr) {
      (void)GeSetLastError(GE_BAD_STATE, "GetRawData: the message holds no data");
      return FLOW_FUNC_FAILED;
    }
    dataPtr = tensor_->GetData();
    dataSize = tensor_->GetDataSize();
    return FLOW_FUNC_SUCCESS;
  }
  int32_t GetRetCode() const override { return message_.ret_code; }
  void SetRetCode(int32_t retCode) override { message_.ret_code = retCode; }
  void SetStartTime(uint64_t startTime) override { message_.start_time = startTime; }
  uint64_t GetStartTime() const override { return message_.start_time; }
  void SetEndTime(uint64_t endTime) override { message_.end_time = endTime; }
  uint64_t GetEndTime() const override { return message_.end_time; }
  void SetFlowFlags(uint32_t flags) override { message_.flags = flags; }
  uint32_t GetFlowFlags() const override { return message_.flags; }
  void SetRouteLabel(uint32_t) override {}
  uint64_t GetTransactionId() const override { return message_.transaction_id; }
  void SetTransactionId(uint64_t transactionId) override { message_.transaction_id = transactionId; }

  /// As the C interface takes it: the tensor is the message's.
  GeFlowMessage View() const {
    GeFlowMessage view = message_;
    const auto *tensor = dynamic_cast<const HostTensor *>(tensor_.get());
    view.tensor = tensor != nullptr ? tensor->handle() : nullptr;
    return view;
  }
  const uint8_t *user_data() const { return message_.user_data; }

 private:
  GeFlowMessage message_{};
  std::shared_ptr<Tensor> tensor_;
};

/// Messages of a call, with references of their own.
inline std::vector<std::shared_ptr<FlowMsg>> MessagesOf(const GeFlowMessage *const *messages, size_t count) {
  std::vector<std::shared_ptr<FlowMsg>> out;
  for (size_t i = 0; i < count; ++i) {
    GeFlowMessage own{};
    std::memcpy(&own, messages[i], std::min(messages[i]->struct_size, sizeof own));  // the library's may be shorter
    own.struct_size = sizeof own;
    if (own.tensor != nullptr && GeTensorRetain(messages[i]->tensor, &own.tensor) != GE_SUCCESS) own.tensor = nullptr;
    out.push_back(std::make_shared<HostMsg>(own));
  }
  return out;
}

}  // namespace detail

/// Tensors in zeroed memory that starts at a multiple of `align`; null, with the reason as last error, for what cannot
/// be made.
class FlowBufferFactory {
 public:
  static std::shared_ptr<Tensor> AllocTensor(const std::vector<int64_t> &shape, TensorDataType dataType,
                                             uint32_t align = 512) {
    GeTensor *handle = detail::HostTensor::Make(shape, dataType, align);
    return handle != nullptr ? std::make_shared<detail::HostTensor>(handle) : nullptr;
  }
};

}  // namespace FlowFunc

#endif
