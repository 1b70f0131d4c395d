#include "ge/status.h"

#include "ge/session.h"

extern "C" const char *GeStatusName(GeStatus status) {
  switch (status) {
#define GE_NAME(code) \
  case code:          \
    return #code;
    GE_NAME(GE_SUCCESS)
    GE_NAME(GE_FAILED)
    GE_NAME(GE_PARAM_INVALID)
    GE_NAME(GE_OUT_OF_MEMORY)
    GE_NAME(GE_PATH_INVALID)
    GE_NAME(GE_UNSUPPORTED)
    GE_NAME(GE_NOT_CHANGED)
    GE_NAME(GE_NOT_INITIALIZED)
    GE_NAME(GE_GRAPH_NOT_EXIST)
    GE_NAME(GE_GRAPH_ALREADY_EXIST)
    GE_NAME(GE_NOT_LOADED)
    GE_NAME(GE_ALREADY_SET)
    GE_NAME(GE_RUN_MODE_MIXED)
    GE_NAME(GE_INFER_FAILED)
    GE_NAME(GE_OPTION_INVALID)
    GE_NAME(GE_GRAPH_INVALID)
    GE_NAME(GE_NOT_FOUND)
    GE_NAME(GE_BAD_STATE)
    GE_NAME(GE_ABI_MISMATCH)
    GE_NAME(GE_DATA_MISMATCH)
    GE_NAME(GE_MODEL_INVALID)
    GE_NAME(GE_CANCELLED)
    GE_NAME(GE_TIMEOUT)
#undef GE_NAME
    default:
      return "unknown status";
  }
}
