// Statuses of functions of data-flow graphs.
#ifndef FLOW_FUNC_FLOW_FUNC_DEFINES_H_
#define FLOW_FUNC_FLOW_FUNC_DEFINES_H_

#include <cstdint>

#define FLOW_FUNC_VISIBILITY __attribute__((visibility("default")))

namespace FlowFunc {

constexpr int32_t FLOW_FUNC_SUCCESS = 0;
constexpr int32_t FLOW_FUNC_ERR_PARAM_INVALID = 164000;
constexpr int32_t FLOW_FUNC_ERR_ATTR_NOT_EXITS = 164001;  // no such parameter
constexpr int32_t FLOW_FUNC_ERR_ATTR_TYPE_MISMATCH = 164002;
constexpr int32_t FLOW_FUNC_ERR_DATA_ALIGN_FAILED = 364000;
constexpr int32_t FLOW_FUNC_FAILED = 564000;
constexpr int32_t FLOW_FUNC_ERR_TIME_OUT_ERROR = 564001;
constexpr int32_t FLOW_FUNC_ERR_NOT_SUPPORT = 564002;
constexpr int32_t FLOW_FUNC_STATUS_REDEPLOYING = 564003;
constexpr int32_t FLOW_FUNC_STATUS_EXIT = 564004;  // the data-flow graph ends
/// Codes of a program's own.
constexpr int32_t FLOW_FUNC_ERR_USER_DEFINE_START = 9900000;
constexpr int32_t FLOW_FUNC_ERR_USER_DEFINE_END = 9999999;

}  // namespace FlowFunc

#endif
