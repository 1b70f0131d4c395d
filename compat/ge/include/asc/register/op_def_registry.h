// All that a file with an operator's definition includes: OpDef, OP_ADD, and what its functions are written with.
#ifndef INC_ASC_REGISTER_OP_DEF_REGISTRY_H_
#define INC_ASC_REGISTER_OP_DEF_REGISTRY_H_

#include "asc/register/op_config_registry.h"
#include "asc/register/op_def.h"
#include "asc/register/op_def_factory.h"
#include "register/op_impl_registry.h"

#endif
