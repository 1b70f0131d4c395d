// Arguments and results of tiling functions: descriptions of an operator's tensors, its compile information, and how a
// kernel is to be run. Values: they own what they hold, copies are independent. One thread per object.
#ifndef INC_REGISTER_OP_TILING_INFO_H_
#define INC_REGISTER_OP_TILING_INFO_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/tensor.h"
#include "register/op_compile_info_base.h"

namespace optiling {

using ByteBuffer = std::stringstream;

enum class TensorArgType {
  TA_NONE,
  TA_SINGLE,
  TA_LIST,
};

struct TeOpTensor {
  std::vector<int64_t> shape;
  std::vector<int64_t> ori_shape;
  std::string format;
  std::string ori_format;
  std::string dtype;
  std::map<std::string, std::string> attrs;
};

struct TeOpTensorArg {
  TensorArgType arg_type = TensorArgType::TA_NONE;
  std::vector<TeOpTensor> tensor;
};

/// How a kernel is to be run, as plain members.
struct OpRunInfo {
  uint32_t block_dim = 0;
  std::vector<int64_t> workspaces;
  ByteBuffer tiling_data;
  bool clear_atomic = false;
  uint64_t tiling_key = 0;
};

/// Attributes whose values a node has, as bytes, by name.
class TeOpVarAttrArgs {
 public:
  /// The bytes of an attribute that was put under this name and type; null with size 0 where there is none.
  const uint8_t *GetData(const std::string &name, const std::string &dtype, size_t &size) const {
    auto found = data_.find({name, dtype});
    size = found == data_.end() ? 0 : found->second.size();
    return found == data_.end() ? nullptr : found->second.data();
  }
  /// `data` is copied. Another value of the same name and type is replaced.
  void SetData(const std::string &name, const std::string &dtype, const void *data, size_t size) {
    const auto *bytes = static_cast<const uint8_t *>(data);
    data_[{name, dtype}] = bytes != nullptr ? std::vector<uint8_t>(bytes, bytes + size) : std::vector<uint8_t>();
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<uint8_t>> data_;
};

using TeOpAttrArgs = std::vector<std::string>;
/// Bytes, their number, and the tensor that holds them.
using TeConstTensorData = std::tuple<const uint8_t *, size_t, ge::Tensor>;

struct TeOpParas {
  std::vector<TeOpTensorArg> inputs;
  std::vector<TeOpTensorArg> outputs;
  std::map<std::string, TeConstTensorData> const_inputs;
  TeOpAttrArgs attrs;
  std::string op_type;
  TeOpVarAttrArgs var_attrs;
};

struct OpCompileInfo {
  std::string str;
  std::string key;
};

namespace utils {

/// How a kernel is to be run. Tiling data goes into memory of the object, or into memory that ResetAddrBase names.
class OpRunInfo {
 public:
  OpRunInfo() = default;
  OpRunInfo(const uint32_t &block_dim, const bool &clear_atomic, const uint64_t &tiling_key)
      : block_dim_(block_dim), clear_atomic_(clear_atomic), tiling_key_(tiling_key) {}
  /// The copy has the bytes of tiling data in memory of its own.
  OpRunInfo(const OpRunInfo &other) { *this = other; }
  OpRunInfo(OpRunInfo &&other) noexcept = default;
  OpRunInfo &operator=(const OpRunInfo &other) {
    if (this == &other) return *this;
    block_dim_ = other.block_dim_;
    clear_atomic_ = other.clear_atomic_;
    tiling_key_ = other.tiling_key_;
    tiling_cond_ = other.tiling_cond_;
    schedule_mode_ = other.schedule_mode_;
    workspaces_ = other.workspaces_;
    addr_base_ = nullptr;
    max_size_ = offset_ = 0;
    InternelSetTiling(other.GetAllTilingData());
    return *this;
  }
  OpRunInfo &operator=(OpRunInfo &&other) noexcept = default;
  ~OpRunInfo() = default;

  void SetBlockDim(const uint32_t &block_dim) { block_dim_ = block_dim; }
  uint32_t GetBlockDim() const { return block_dim_; }

  void AddWorkspace(const int64_t &workspace) { workspaces_.push_back(workspace); }
  size_t GetWorkspaceNum() const { return workspaces_.size(); }
  /// GRAPH_FAILED beyond the last one.
  ge::graphStatus GetWorkspace(const size_t &idx, int64_t &workspace) const {
    if (idx >= workspaces_.size()) return ge::GRAPH_FAILED;
    workspace = workspaces_[idx];
    return ge::GRAPH_SUCCESS;
  }
  void GetAllWorkspaces(std::vector<int64_t> &workspaces) const { workspaces = workspaces_; }
  const std::vector<int64_t> &GetAllWorkspaces() const { return workspaces_; }
  void SetWorkspaces(const std::vector<int64_t> &workspaces) { workspaces_ = workspaces; }
  void ResetWorkspace() { workspaces_.clear(); }

  /// Appends the bytes of a value, without padding.
  template <class T>
  void AddTilingData(const T &value) {
    AddTilingData(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  template <class T>
  void operator<<(const T &value) {
    AddTilingData(value);
  }
  /// Into memory from outside only what fits whole is written; GetAddrBase then tells that nothing more fits.
  void AddTilingData(const char *value, const size_t size) {
    if (value == nullptr) return;
    if (addr_base_ == nullptr) {
      (void)tiling_data_.write(value, static_cast<std::streamsize>(size));
      return;
    }
    if (size > max_size_ - offset_) {
      offset_ = max_size_;
      return;
    }
    std::memcpy(addr_base_ + offset_, value, size);
    offset_ += size;
  }
  /// Tiling data from now on goes to this memory of the caller, which outlives its use; null: into the object again.
  void ResetAddrBase(void *const addr_base, const uint64_t max_size) {
    addr_base_ = static_cast<char *>(addr_base);
    max_size_ = addr_base != nullptr ? max_size : 0;
    offset_ = 0;
  }
  /// Where the next bytes go and how many fit there; null with 0 while tiling data goes into the object.
  void *GetAddrBase(uint64_t &max_size) const {
    max_size = max_size_ - offset_;
    return addr_base_ != nullptr ? addr_base_ + offset_ : nullptr;
  }
  /// `size` bytes were written at the place that GetAddrBase told. More than fit there are not counted.
  void SetAddrBaseOffset(const uint64_t size) { offset_ += size < max_size_ - offset_ ? size : max_size_ - offset_; }

  void InternelSetTiling(const ByteBuffer &value) {
    addr_base_ = nullptr;
    max_size_ = offset_ = 0;
    tiling_data_ = ByteBuffer();
    const std::string bytes = value.str();
    (void)tiling_data_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  /// All tiling data, wherever it is.
  ByteBuffer &GetAllTilingData() {
    Collect();
    return tiling_data_;
  }
  const ByteBuffer &GetAllTilingData() const {
    Collect();
    return tiling_data_;
  }

  void SetClearAtomic(bool clear_atomic) { clear_atomic_ = clear_atomic; }
  bool GetClearAtomic() const { return clear_atomic_; }
  void SetTilingKey(const uint64_t &new_tiling_key) { tiling_key_ = new_tiling_key; }
  uint64_t GetTilingKey() const { return tiling_key_; }
  void SetTilingCond(const int32_t tiling_cond) { tiling_cond_ = tiling_cond; }
  int32_t GetTilingCond() const { return tiling_cond_; }
  void SetScheduleMode(const uint32_t schedule_mode) { schedule_mode_ = schedule_mode; }
  uint32_t GetScheduleMode() const { return schedule_mode_; }

 private:
  // A stream over memory from outside.
  void Collect() const {
    if (addr_base_ == nullptr) return;
    tiling_data_ = ByteBuffer();
    (void)tiling_data_.write(addr_base_, static_cast<std::streamsize>(offset_));
  }
  uint32_t block_dim_ = 0;
  bool clear_atomic_ = false;
  uint64_t tiling_key_ = 0;
  int32_t tiling_cond_ = -1;
  uint32_t schedule_mode_ = 0;
  std::vector<int64_t> workspaces_;
  mutable ByteBuffer tiling_data_;
  char *addr_base_ = nullptr;
  uint64_t max_size_ = 0, offset_ = 0;
};

/// The text that a kernel's compiler left for its tiling function, and a name for it.
class OpCompileInfo {
 public:
  OpCompileInfo() = default;
  OpCompileInfo(const ge::AscendString &key, const ge::AscendString &value) : key_(key), value_(value) {}
  OpCompileInfo(const std::string &key, const std::string &value) : key_(key.c_str()), value_(value.c_str()) {}
  OpCompileInfo(const char *key, const char *value) : key_(key), value_(value) {}

  void SetKey(const ge::AscendString &key) { key_ = key; }
  const ge::AscendString &GetKey() const { return key_; }
  void SetValue(const ge::AscendString &value) { value_ = value; }
  const ge::AscendString &GetValue() const { return value_; }

 private:
  ge::AscendString key_, value_;
};

}  // namespace utils

/// Appends the bytes of a value.
template <class T>
ByteBuffer &ByteBufferPut(ByteBuffer &buf, const T &value) {
  (void)buf.write(reinterpret_cast<const char *>(&value), static_cast<std::streamsize>(sizeof(value)));
  return buf;
}
inline ByteBuffer &ByteBufferPut(ByteBuffer &buf, const uint8_t *data, size_t data_len) {
  if (data != nullptr) (void)buf.write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(data_len));
  return buf;
}
/// Takes the next bytes; a buffer that has fewer is left failed, as streams are.
template <class T>
ByteBuffer &ByteBufferGet(ByteBuffer &buf, T &value) {
  (void)buf.read(reinterpret_cast<char *>(&value), static_cast<std::streamsize>(sizeof(value)));
  return buf;
}
/// Takes what is left, at most dest_len bytes; how many they were.
inline size_t ByteBufferGetAll(ByteBuffer &buf, char *dest, size_t dest_len) {
  if (dest == nullptr) return 0;
  (void)buf.read(dest, static_cast<std::streamsize>(dest_len));
  return static_cast<size_t>(buf.gcount());
}

}  // namespace optiling

#endif
