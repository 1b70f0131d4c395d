// Forwards to ge_common/ge_error_codes.h.
#ifndef INC_GE_GE_ERROR_CODES_H_
#define INC_GE_GE_ERROR_CODES_H_
#include "ge_common/ge_error_codes.h"
#endif
