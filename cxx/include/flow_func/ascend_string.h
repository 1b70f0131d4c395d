// Texts in functions of data-flow graphs.
#ifndef FLOW_FUNC_ASCEND_STRING_H_
#define FLOW_FUNC_ASCEND_STRING_H_

#include "graph/ascend_string.h"

namespace FlowFunc {

using AscendString = ge::AscendString;

}  // namespace FlowFunc

#endif
