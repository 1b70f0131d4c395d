// ge::ccKernelType: kinds of kernels in the tasks of a model for a device.
#ifndef INC_FRAMEWORK_COMMON_TASKDOWN_COMMON_H_
#define INC_FRAMEWORK_COMMON_TASKDOWN_COMMON_H_

namespace ge {

enum class ccKernelType {
  CCE_AI_CORE = 0,
  CCE_AI_CPU = 1,
  TE = 2,
  CUSTOMIZED = 3,
  TE_AI_CORE = 4,
  TE_AI_CPU = 5,
  AI_CPU = 6,
  CUST_AI_CPU = 7,
  HOST_CPU = 8,
  INVALID = 10000
};

}  // namespace ge

#endif
