// Status values of the session and compile functions.
#ifndef INC_GE_COMMON_GE_API_ERROR_CODES_H_
#define INC_GE_COMMON_GE_API_ERROR_CODES_H_

#include "ge_common/api_error_codes.h"
#include "ge_common/ge_error_codes.h"

namespace ge {
constexpr Status MEMALLOC_FAILED = 1343225856;
constexpr Status PARAM_INVALID = 1343225857;
constexpr Status PATH_INVALID = 1343225864;
constexpr Status UNSUPPORTED = 1343225956;
constexpr Status NOT_CHANGED = 1343242304;
constexpr Status GE_CLI_GE_NOT_INITIALIZED = 1343229963;
constexpr Status GE_SESSION_MANAGER_NOT_INIT = 1343238150;
constexpr Status GE_GRAPH_GRAPH_NOT_EXIST = 1343242242;
constexpr Status GE_GRAPH_GRAPH_ALREADY_EXIST = 1343242243;
constexpr Status GE_GRAPH_INFERSHAPE_FAILED = 1343242270;
constexpr Status GE_GRAPH_OPTIONS_INVALID = 1343242291;
constexpr Status GE_GRAPH_NOT_BUILT = 1343242295;
constexpr Status GE_GRAPH_REPEAT_OPERATION = 1343242306;
}  // namespace ge

#endif
