// The C++ face of the C tensor handle, for hand-written wrappers.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_EAGER_STYLE_GRAPH_BUILDER_ESC_TENSOR_HOLDER_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_EAGER_STYLE_GRAPH_BUILDER_ESC_TENSOR_HOLDER_H_

#include "es_c_graph_builder.h"
#include "ge/detail/es_c_tensor.h"

#endif
