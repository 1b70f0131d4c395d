// Everything that describes a data-flow graph.
#ifndef INC_EXTERNAL_FLOW_GRAPH_DATA_FLOW_H_
#define INC_EXTERNAL_FLOW_GRAPH_DATA_FLOW_H_

#include "flow_graph/flow_attr.h"
#include "flow_graph/flow_graph.h"
#include "flow_graph/process_point.h"

#endif
