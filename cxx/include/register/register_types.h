// How an operator is implemented, and the layouts of front ends.
#ifndef INC_REGISTER_REGISTER_TYPES_H_
#define INC_REGISTER_REGISTER_TYPES_H_

#include "graph/compiler_def.h"
#include "graph/error_codes.h"

#define FMK_FUNC_HOST_VISIBILITY GE_FUNC_HOST_VISIBILITY
#define FMK_FUNC_DEV_VISIBILITY GE_FUNC_DEV_VISIBILITY

namespace domi {

enum class ImplyType : unsigned int {
  BUILDIN = 0,
  BUILTIN = 0,
  TVM = 1,
  CUSTOM = 2,
  AI_CPU = 3,
  CCE = 4,
  GELOCAL = 5,
  HCCL = 6,
  INVALID = 0xFFFFFFFF,
};

enum domiTensorFormat_t {
  DOMI_TENSOR_NCHW = 0,
  DOMI_TENSOR_NHWC = 1,
  DOMI_TENSOR_ND = 2,
  DOMI_TENSOR_NC1HWC0 = 3,
  DOMI_TENSOR_FRACTAL_Z = 4,
  DOMI_TENSOR_NC1C0HWPAD = 5,
  DOMI_TENSOR_NHWC1C0 = 6,
  DOMI_TENSOR_FSR_NCHW = 7,
  DOMI_TENSOR_FRACTAL_DECONV = 8,
  DOMI_TENSOR_BN_WEIGHT = 9,
  DOMI_TENSOR_CHWN = 10,
  DOMI_TENSOR_FILTER_HWCK = 11,
  DOMI_TENSOR_NDHWC = 12,
  DOMI_TENSOR_NCDHW = 13,
  DOMI_TENSOR_DHWCN = 14,
  DOMI_TENSOR_DHWNC = 15,
  DOMI_TENSOR_RESERVED = 16,
};

}  // namespace domi

#endif
