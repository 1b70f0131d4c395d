// The same header under the name without its folder.
#ifndef INC_REGISTER_CUSTOM_PASS_H_
#define INC_REGISTER_CUSTOM_PASS_H_
#include "register/register_custom_pass.h"
#endif
