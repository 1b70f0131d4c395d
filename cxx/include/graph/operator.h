// ge::Operator with all that its members need: the class is in graph/detail/operator_class.h.
#ifndef INC_GRAPH_OPERATOR_H_
#define INC_GRAPH_OPERATOR_H_

#include "graph/detail/graph_class.h"
#include "graph/detail/operator_assembler.h"
#include "graph/detail/operator_class.h"
#include "graph/operator_factory.h"

#endif
