// ge::Graph with all that its members need: the class is in graph/detail/graph_class.h.
#ifndef INC_GRAPH_GRAPH_H_
#define INC_GRAPH_GRAPH_H_

#include "graph/detail/graph_class.h"
#include "graph/detail/operator_assembler.h"
#include "graph/operator_factory.h"

#endif
