// Checks that operators register: see register/op_check.h.
#ifndef INC_ASC_REGISTER_OP_CHECK_REGISTER_H_
#define INC_ASC_REGISTER_OP_CHECK_REGISTER_H_

#include "register/op_check.h"

#endif
