// Messages of data-flow graphs. They live in host memory.
#ifndef INC_EXTERNAL_GE_GE_DATA_FLOW_API_H_
#define INC_EXTERNAL_GE_GE_DATA_FLOW_API_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ge/status.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

enum class DataFlowFlag : uint32_t {
  EOS = 1,  // the last message of a stream
  SEG = 2,  // the last message of a segment
  DATA_FLOW_FLAG_EOS = EOS,
  DATA_FLOW_FLAG_SEG = SEG
};

enum class MsgType : uint16_t {
  TENSOR_DATA = 0,
  RAW_MSG = 1,
  USER_DEFINE_START = 1024,
  MSG_TYPE_TENSOR_DATA = TENSOR_DATA,
  MSG_TYPE_RAW_MSG = RAW_MSG,
  MSG_TYPE_USER_DEFINE_START = USER_DEFINE_START
};

/// Bytes of somebody else's.
struct RawData {
  const void *addr;
  size_t len;
};

/// Data that goes with the messages of one feed or fetch. For one thread at a time.
class DataFlowInfo {
 public:
  static constexpr size_t kMaxUserDataSize = 64;

  DataFlowInfo() = default;
  DataFlowInfo(const DataFlowInfo &) = delete;
  DataFlowInfo &operator=(const DataFlowInfo &) = delete;

  void SetStartTime(const uint64_t start_time) { start_time_ = start_time; }
  uint64_t GetStartTime() const { return start_time_; }
  void SetEndTime(const uint64_t end_time) { end_time_ = end_time; }
  uint64_t GetEndTime() const { return end_time_; }
  /// DataFlowFlag values.
  void SetFlowFlags(const uint32_t flow_flags) { flow_flags_ = flow_flags; }
  uint32_t GetFlowFlags() const { return flow_flags_; }
  void SetTransactionId(uint64_t transaction_id) { transaction_id_ = transaction_id; }
  uint64_t GetTransactionId() const { return transaction_id_; }

  /// Copies into or out of the 64 bytes that travel along; bytes that nobody set are 0. What does not fit is
  /// PARAM_INVALID.
  Status SetUserData(const void *data, size_t size, size_t offset = 0) {
    const Status status = Check("SetUserData", data, size, offset);
    if (status == SUCCESS) std::memcpy(user_data_ + offset, data, size);
    return status;
  }
  Status GetUserData(void *data, size_t size, size_t offset = 0) const {
    const Status status = Check("GetUserData", data, size, offset);
    if (status == SUCCESS) std::memcpy(data, user_data_ + offset, size);
    return status;
  }

 private:
  static Status Check(const char *call, const void *data, size_t size, size_t offset) {
    if (data != nullptr && size != 0 && offset <= kMaxUserDataSize && size <= kMaxUserDataSize - offset) return SUCCESS;
    const std::string what = data == nullptr ? "the pointer is null"
                                             : std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                                                   ", expected 1 to 64 bytes within 64";
    (void)GeSetLastError(GE_PARAM_INVALID, (std::string(call) + ": " + what).c_str());
    return PARAM_INVALID;
  }
  uint64_t start_time_ = 0, end_time_ = 0, transaction_id_ = 0;
  uint32_t flow_flags_ = 0;
  uint8_t user_data_[kMaxUserDataSize] = {};
};

class FlowMsg {
 public:
  FlowMsg() = default;
  virtual ~FlowMsg() = default;
  FlowMsg(const FlowMsg &) = delete;
  FlowMsg &operator=(const FlowMsg &) = delete;

  virtual MsgType GetMsgType() const = 0;
  virtual void SetMsgType(MsgType msg_type) = 0;
  /// The message's own tensor, as long as the message lives; null where it holds none.
  virtual Tensor *GetTensor() const = 0;
  /// The message's own bytes, as long as the message lives; fails where it holds none.
  virtual Status GetRawData(void *&data_ptr, uint64_t &data_size) const = 0;
  virtual int32_t GetRetCode() const = 0;
  virtual void SetRetCode(int32_t ret_code) = 0;
  virtual void SetStartTime(uint64_t start_time) = 0;
  virtual uint64_t GetStartTime() const = 0;
  virtual void SetEndTime(uint64_t end_time) = 0;
  virtual uint64_t GetEndTime() const = 0;
  virtual void SetFlowFlags(uint32_t flags) = 0;
  virtual uint32_t GetFlowFlags() const = 0;
  virtual void SetTransactionId(uint64_t transaction_id) = 0;
  virtual uint64_t GetTransactionId() const = 0;
  virtual Status SetUserData(const void *data, size_t size, size_t offset = 0) = 0;
  virtual Status GetUserData(void *data, size_t size, size_t offset = 0) const = 0;
};
using FlowMsgPtr = std::shared_ptr<FlowMsg>;

namespace detail {

using FlowBytes = std::unique_ptr<uint8_t, void (*)(void *)>;

class HostFlowMsg : public FlowMsg {
 public:
  explicit HostFlowMsg(MsgType type) : type_(type), bytes_(nullptr, std::free) {}

  MsgType GetMsgType() const override { return type_; }
  void SetMsgType(MsgType msg_type) override { type_ = msg_type; }
  Tensor *GetTensor() const override { return tensor_.get(); }
  Status GetRawData(void *&data_ptr, uint64_t &data_size) const override {
    if (!HoldsRawData()) {
      (void)GeSetLastError(GE_BAD_STATE, "GetRawData: the message holds no raw data");
      return FAILED;
    }
    data_ptr = bytes_ != nullptr ? bytes_.get() : raw_->GetData();
    data_size = size_;
    return SUCCESS;
  }
  int32_t GetRetCode() const override { return ret_code_; }
  void SetRetCode(int32_t ret_code) override { ret_code_ = ret_code; }
  void SetStartTime(uint64_t start_time) override { info_.SetStartTime(start_time); }
  uint64_t GetStartTime() const override { return info_.GetStartTime(); }
  void SetEndTime(uint64_t end_time) override { info_.SetEndTime(end_time); }
  uint64_t GetEndTime() const override { return info_.GetEndTime(); }
  void SetFlowFlags(uint32_t flags) override { info_.SetFlowFlags(flags); }
  uint32_t GetFlowFlags() const override { return info_.GetFlowFlags(); }
  void SetTransactionId(uint64_t transaction_id) override { info_.SetTransactionId(transaction_id); }
  uint64_t GetTransactionId() const override { return info_.GetTransactionId(); }
  Status SetUserData(const void *data, size_t size, size_t offset = 0) override {
    return info_.SetUserData(data, size, offset);
  }
  Status GetUserData(void *data, size_t size, size_t offset = 0) const override {
    return info_.GetUserData(data, size, offset);
  }
  void Hold(const std::shared_ptr<Tensor> &tensor) { tensor_ = tensor; }
  void Hold(FlowBytes bytes, size_t size) {
    bytes_ = std::move(bytes);
    size_ = size;
  }
  void HoldRaw(const std::shared_ptr<Tensor> &raw) {
    raw_ = raw;
    size_ = raw->GetSize();
  }
  bool HoldsRawData() const { return bytes_ != nullptr || raw_ != nullptr; }

 private:
  MsgType type_;
  int32_t ret_code_ = 0;
  DataFlowInfo info_;
  std::shared_ptr<Tensor> tensor_, raw_;
  FlowBytes bytes_;
  size_t size_ = 0;
};

}  // namespace detail

/// Messages and tensors in zeroed host memory that starts at a multiple of `align`, a power of two. Null, with the
/// reason as last error, for what cannot be made.
class FlowBufferFactory {
 public:
  static std::shared_ptr<Tensor> AllocTensor(const std::vector<int64_t> &shape, DataType data_type,
                                             uint32_t align = 512) {
    int64_t count = 1;
    for (const int64_t dim : shape)
      if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
        return Refuse(GE_PARAM_INVALID, "AllocTensor: dimension " + std::to_string(dim) + " is negative or too large");
    const int64_t size = GetSizeInBytes(count, data_type);
    if (size < 0)
      return Refuse(GE_PARAM_INVALID, "AllocTensor: " + std::to_string(count) + " elements of data type " +
                                          std::to_string(static_cast<int32_t>(data_type)) + " have no size in bytes");
    detail::FlowBytes bytes = Alloc(static_cast<size_t>(size), align);
    if (bytes == nullptr) return nullptr;
    auto tensor = std::make_shared<Tensor>(TensorDesc(Shape(shape), FORMAT_ND, data_type));
    auto release = [](uint8_t *data) { std::free(data); };
    if (tensor->SetData(bytes.get(), static_cast<size_t>(size), release) != GRAPH_SUCCESS) return nullptr;
    (void)bytes.release();
    return tensor;
  }
  static FlowMsgPtr AllocTensorMsg(const std::vector<int64_t> &shape, DataType data_type, uint32_t align = 512) {
    const std::shared_ptr<Tensor> tensor = AllocTensor(shape, data_type, align);
    if (tensor == nullptr) return nullptr;
    auto msg = std::make_shared<detail::HostFlowMsg>(MsgType::TENSOR_DATA);
    msg->Hold(tensor);
    return msg;
  }
  static FlowMsgPtr AllocRawDataMsg(size_t size, uint32_t align = 512) {
    detail::FlowBytes bytes = Alloc(size, align);
    if (bytes == nullptr) return nullptr;
    auto msg = std::make_shared<detail::HostFlowMsg>(MsgType::RAW_MSG);
    msg->Hold(std::move(bytes), size);
    return msg;
  }
  /// A message that says no more than its type.
  static FlowMsgPtr AllocEmptyDataMsg(MsgType type) { return std::make_shared<detail::HostFlowMsg>(type); }
  /// With a copy of the data.
  static FlowMsgPtr ToFlowMsg(const Tensor &tensor) {
    auto copy = std::make_shared<Tensor>(tensor.Clone());
    if (copy->handle() == nullptr) return nullptr;
    auto msg = std::make_shared<detail::HostFlowMsg>(MsgType::TENSOR_DATA);
    msg->Hold(copy);
    return msg;
  }
  static FlowMsgPtr ToFlowMsg(const RawData &raw_data) {
    if (raw_data.addr == nullptr) return Refuse(GE_PARAM_INVALID, "ToFlowMsg: the address of the raw data is null");
    const FlowMsgPtr msg = AllocRawDataMsg(raw_data.len);
    void *data = nullptr;
    uint64_t size = 0;
    if (msg != nullptr && msg->GetRawData(data, size) == SUCCESS) std::memcpy(data, raw_data.addr, raw_data.len);
    return msg;
  }

 private:
  static std::nullptr_t Refuse(GeStatus code, const std::string &text) {
    (void)GeSetLastError(code, text.c_str());
    return nullptr;
  }
  static detail::FlowBytes Alloc(size_t size, uint32_t align) {
    detail::FlowBytes none(nullptr, std::free);
    if (align == 0 || (align & (align - 1)) != 0) {
      Refuse(GE_PARAM_INVALID, "the alignment is " + std::to_string(align) + ", expected a power of two");
      return none;
    }
    void *memory = nullptr;
    const size_t least = align < sizeof(void *) ? sizeof(void *) : align;
    if (posix_memalign(&memory, least, size == 0 ? 1 : size) != 0) {
      Refuse(GE_OUT_OF_MEMORY, "there is no memory for a message of " + std::to_string(size) + " bytes");
      return none;
    }
    std::memset(memory, 0, size);
    return detail::FlowBytes(static_cast<uint8_t *>(memory), std::free);
  }
};

}  // namespace ge

#endif
