// Parameters of a function: what FunctionPp::SetInitParam set.
#ifndef FLOW_FUNC_ATTR_VALUE_H_
#define FLOW_FUNC_ATTR_VALUE_H_

#include <cstdint>
#include <vector>

#include "flow_func/ascend_string.h"
#include "flow_func/flow_func_defines.h"
#include "flow_func/tensor_data_type.h"
#include "ge/data.h"

namespace FlowFunc {

/// GetVal answers FLOW_FUNC_ERR_ATTR_TYPE_MISMATCH, and leaves `value` as it is, where the parameter has another type.
class AttrValue {
 public:
  explicit AttrValue(const GeAttrData &data) : type_(data.type), int_(data.i), float_(static_cast<float>(data.f)) {
    if (type_ == C_VT_STRING) texts_.emplace_back(data.s, data.count);
    for (uint64_t i = 0; i < data.count; ++i) {
      if (type_ == C_VT_LIST_STRING) texts_.emplace_back(static_cast<const char *const *>(data.list)[i]);
      if (type_ == C_VT_LIST_INT) ints_.push_back(static_cast<const int64_t *>(data.list)[i]);
      if (type_ == C_VT_LIST_BOOL) ints_.push_back(static_cast<const uint8_t *>(data.list)[i]);
      if (type_ == C_VT_LIST_DATA_TYPE) ints_.push_back(static_cast<const int32_t *>(data.list)[i]);
      if (type_ == C_VT_LIST_FLOAT) floats_.push_back(static_cast<const float *>(data.list)[i]);
      if (type_ != C_VT_LIST_LIST_INT) continue;
      const int64_t *row = static_cast<const int64_t *const *>(data.list)[i];
      rows_.emplace_back(row, row + data.inner_counts[i]);
    }
  }

  int32_t GetVal(AscendString &value) const {
    return Is(C_VT_STRING, [&] { value = texts_.front(); });
  }
  int32_t GetVal(std::vector<AscendString> &value) const {
    return Is(C_VT_LIST_STRING, [&] { value = texts_; });
  }
  int32_t GetVal(int64_t &value) const {
    return Is(C_VT_INT, [&] { value = int_; });
  }
  int32_t GetVal(std::vector<int64_t> &value) const {
    return Is(C_VT_LIST_INT, [&] { value = ints_; });
  }
  int32_t GetVal(std::vector<std::vector<int64_t>> &value) const {
    return Is(C_VT_LIST_LIST_INT, [&] { value = rows_; });
  }
  int32_t GetVal(float &value) const {
    return Is(C_VT_FLOAT, [&] { value = float_; });
  }
  int32_t GetVal(std::vector<float> &value) const {
    return Is(C_VT_LIST_FLOAT, [&] { value = floats_; });
  }
  int32_t GetVal(bool &value) const {
    return Is(C_VT_BOOL, [&] { value = int_ != 0; });
  }
  int32_t GetVal(std::vector<bool> &value) const {
    return Is(C_VT_LIST_BOOL, [&] { value.assign(ints_.begin(), ints_.end()); });
  }
  int32_t GetVal(TensorDataType &value) const {
    return Is(C_VT_DATA_TYPE, [&] { value = static_cast<TensorDataType>(int_); });
  }
  int32_t GetVal(std::vector<TensorDataType> &value) const {
    return Is(C_VT_LIST_DATA_TYPE, [&] {
      value.clear();
      for (const int64_t type : ints_) value.push_back(static_cast<TensorDataType>(type));
    });
  }

 private:
  template <class Read>
  int32_t Is(int32_t type, Read &&read) const {
    if (type_ != type) return FLOW_FUNC_ERR_ATTR_TYPE_MISMATCH;
    read();
    return FLOW_FUNC_SUCCESS;
  }
  int32_t type_;
  int64_t int_;
  float float_;
  std::vector<AscendString> texts_;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
  std::vector<std::vector<int64_t>> rows_;
};

}  // namespace FlowFunc

#endif
