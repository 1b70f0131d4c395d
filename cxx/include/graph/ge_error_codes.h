// The old name of graph/error_codes.h.
#ifndef INC_GRAPH_GE_ERROR_CODES_H_
#define INC_GRAPH_GE_ERROR_CODES_H_
#pragma message("graph/ge_error_codes.h is deprecated: include graph/error_codes.h")
#include "graph/error_codes.h"
#endif
