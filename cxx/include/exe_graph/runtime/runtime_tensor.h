// Forwards to exe_graph/runtime/tensor.h.
#ifndef INC_EXE_GRAPH_RUNTIME_RUNTIME_TENSOR_H_
#define INC_EXE_GRAPH_RUNTIME_RUNTIME_TENSOR_H_
#include "exe_graph/runtime/tensor.h"
#endif
