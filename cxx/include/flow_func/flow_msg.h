// Messages that functions of data-flow graphs get and make. For one thread at a time.
#ifndef FLOW_FUNC_FLOW_MSG_H_
#define FLOW_FUNC_FLOW_MSG_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "flow_func/flow_func_defines.h"
#include "flow_func/tensor_data_type.h"

namespace FlowFunc {

enum class MsgType : uint16_t { MSG_TYPE_TENSOR_DATA = 0, MSG_TYPE_RAW_MSG = 1, MSG_TYPE_USER_DEFINE_START = 1024 };

enum class FlowFlag : uint32_t {
  FLOW_FLAG_EOS = 1,  // the last message of a stream
  FLOW_FLAG_SEG = 2   // the last message of a segment
};

class Tensor {
 public:
  virtual ~Tensor() = default;
  virtual const std::vector<int64_t> &GetShape() const = 0;
  virtual TensorDataType GetDataType() const = 0;
  /// Memory of an input may be another consumer's as well: it is to be read only.
  virtual void *GetData() const = 0;
  /// In bytes.
  virtual uint64_t GetDataSize() const = 0;
  virtual int64_t GetElementCnt() const = 0;
  virtual uint64_t GetDataBufferSize() const = 0;
  /// Another shape of as many elements.
  virtual int32_t Reshape(const std::vector<int64_t> &shape) = 0;
};

class FlowMsg {
 public:
  virtual ~FlowMsg() = default;
  virtual MsgType GetMsgType() const = 0;
  virtual void SetMsgType(MsgType msgType) = 0;
  /// As long as the message lives; null where it holds none.
  virtual Tensor *GetTensor() const = 0;
  virtual const std::vector<Tensor *> GetTensorList() const = 0;
  /// As long as the message lives; fails where it holds none.
  virtual int32_t GetRawData(void *&dataPtr, uint64_t &dataSize) const = 0;
  virtual int32_t GetRetCode() const = 0;
  virtual void SetRetCode(int32_t retCode) = 0;
  virtual void SetStartTime(uint64_t startTime) = 0;
  virtual uint64_t GetStartTime() const = 0;
  virtual void SetEndTime(uint64_t endTime) = 0;
  virtual uint64_t GetEndTime() const = 0;
  virtual void SetFlowFlags(uint32_t flags) = 0;
  virtual uint32_t GetFlowFlags() const = 0;
  /// Which instance of the next node gets the message: there is one of each, so it gets all.
  virtual void SetRouteLabel(uint32_t routeLabel) = 0;
  virtual uint64_t GetTransactionId() const = 0;
  /// 0, where it stays: that of the function's inputs.
  virtual void SetTransactionId(uint64_t transactionId) = 0;
};

}  // namespace FlowFunc

#endif
