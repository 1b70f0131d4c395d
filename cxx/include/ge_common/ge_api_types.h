// Forwards to ge_common/ge_common_api_types.h.
#ifndef INC_GE_COMMON_GE_API_TYPES_H_
#define INC_GE_COMMON_GE_API_TYPES_H_
#include "ge_common/ge_common_api_types.h"
#endif
