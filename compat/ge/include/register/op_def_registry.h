// The header of this name in asc/register.
#ifndef INC_REGISTER_OP_DEF_REGISTRY_H_
#define INC_REGISTER_OP_DEF_REGISTRY_H_

#include "asc/register/op_def_registry.h"

#endif
