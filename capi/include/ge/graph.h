/* Graphs: nodes, data and control edges, attributes, subgraphs, verification, dumps.
 *
 * A graph and everything reached through it is used by one thread at a time; a second one is refused while the first is
 * inside a call (see GeSetBusyHandler). A GeNode belongs to its graph: it is
 * borrowed, stays valid until the node is removed or the graph destroyed, and a removed node is refused with
 * GE_BAD_STATE while its graph lives. Ports are numbered in IR order with dynamic inputs and outputs expanded. */
#ifndef GE_GRAPH_H_
#define GE_GRAPH_H_

#include <stddef.h>

#include "ge/data.h"
#include "ge/op.h"
#include "ge/status.h"
#include "ge/tensor.h"

typedef struct GeGraph GeGraph;
typedef struct GeNode GeNode;

GE_EXTERN_C_BEGIN

/** Whether a thread shall try again to enter an object that another thread is inside; non-zero: yes. `attempt` counts
 *  from 0. Waits between two attempts as it likes; calls no other function of this library. */
typedef int32_t (*GeBusyFn)(void *user, uint32_t attempt);

/** What happens when a thread calls a function with a graph, node, builder, tensor of a builder, pattern, match,
 *  boundary or pass context while another thread is inside a call with the same one (of a graph: or with one of its
 *  subgraphs). Without a handler, the default, the call is refused: GE_BAD_STATE, both threads named; functions without
 *  a status return what they return for a null handle and leave the reason in the last error. With one, the call is
 *  tried again as long as the handler says so. Handing an object over between two calls needs nothing.
 *  Owner: `user` stays the caller's and must outlive the handler. Nulls: handler null restores the default. Threads:
 *  any; the handler is called by the thread that wants to enter. Errors: none. Since: ABI 1. */
GE_API void GeSetBusyHandler(GeBusyFn handler, void *user);

/* ---- graph ---- */

/** New empty graph. Owner: caller destroys *out. Nulls: name null means "graph". Threads: any.
 *  Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeGraphCreate(const char *name, GeGraph **out);
/** Drops the caller's reference; the graph dies with the last one.
 *  Owner: consumes. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeGraphDestroy(GeGraph *graph);
/** Another reference to the same graph. Owner: caller destroys *out. Nulls: none allowed. Threads: any.
 *  Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeGraphRetain(GeGraph *graph, GeGraph **out);
/** Deep copy; constants are shared. Owner: caller destroys *out. Nulls: none allowed (name null keeps the name).
 *  Threads: graph's. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeGraphClone(const GeGraph *graph, const char *name, GeGraph **out);
/** Puts a copy of another root graph's content, its subgraphs included, in the place of the graph's own; the name
 * stays. A subgraph takes nodes, outputs and attributes. Owner: other stays the caller's. Nulls: none allowed. Threads:
 * graphs'. Errors: GE_GRAPH_INVALID (other is a subgraph, or has subgraphs where graph is one), and the graph is then
 * as before. Since: ABI 1. */
GE_API GeStatus GeGraphTakeContent(GeGraph *graph, const GeGraph *other);
/** Name. Owner: the graph, until it is renamed. Nulls: null graph gives "". Threads: graph's. Errors: none. Since:
 * ABI 1. */
GE_API const char *GeGraphName(const GeGraph *graph);
/** Renames the graph. Owner: name is copied. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID. Since:
 *  ABI 1. */
GE_API GeStatus GeGraphSetName(GeGraph *graph, const char *name);

/** Number of nodes of this graph, subgraphs not counted.
 *  Owner: n/a. Nulls: a null graph has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeGraphNodeCount(const GeGraph *graph);
/** Node `index` of this graph in creation order.
 *  Owner: the node is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (index).
 *  Since: ABI 1. */
GE_API GeStatus GeGraphGetNode(GeGraph *graph, size_t index, GeNode **out);
/** Node by name; names may repeat, then the one made first.
 *  Owner: the node is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND, GE_PARAM_INVALID.
 * Since: ABI 1. */
GE_API GeStatus GeGraphFindNode(GeGraph *graph, const char *name, GeNode **out);

typedef struct GeNodeSpec {
  size_t struct_size;
  const char *type;
  const char *name;            /* null: "<type>_<n>" */
  const GeOpSchema *schema;    /* null: the registered prototype of type; copied once per schema address */
  const int32_t *input_counts; /* instances per dynamic IR input, in order of the dynamic inputs; null: all 0 */
  size_t input_counts_size;
  const int32_t *output_counts;
  size_t output_counts_size;
} GeNodeSpec;

/** Adds a node without edges. Owner: the graph. Nulls: none allowed. Threads: graph's.
 *  Errors: GE_NOT_FOUND (no schema and no registered prototype; lists near names), GE_PARAM_INVALID (empty name,
 * negative count). Since: ABI 1. */
GE_API GeStatus GeGraphAddNode(GeGraph *graph, const GeNodeSpec *spec, GeNode **out);
/** Removes a node with all its edges. Errors: GE_PARAM_INVALID (foreign node), GE_BAD_STATE (removed already).
 *  Owner: the handle dies, unless it is retained (GeNodeHandleRetain). Nulls: none allowed. Threads: graph's. Since:
 * ABI 1. */
GE_API GeStatus GeGraphRemoveNode(GeGraph *graph, GeNode *node);
/** Data edge from an output port to an input port, which must be free.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port, foreign node), GE_BAD_STATE (port
 *  taken). Since: ABI 1. */
GE_API GeStatus GeGraphAddDataEdge(GeGraph *graph, GeNode *src, int32_t src_port, GeNode *dst, int32_t dst_port);
/** Control edge: dst runs after src. One that is there stays the only one.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (foreign node, src is
 *  dst). Since: ABI 1. */
GE_API GeStatus GeGraphAddControlEdge(GeGraph *graph, GeNode *src, GeNode *dst);
/** Removes an edge; src_port = dst_port = -1 a control edge.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND (no such edge), GE_PARAM_INVALID. Since:
 *  ABI 1. */
GE_API GeStatus GeGraphRemoveEdge(GeGraph *graph, GeNode *src, int32_t src_port, GeNode *dst, int32_t dst_port);

/** Sets the graph's outputs, in order; when a NetOutput node exists they become its inputs.
 *  Owner: nodes are the graph's. Nulls: nodes and ports only when count is 0. Threads: graph's. Errors:
 *  GE_PARAM_INVALID (port, foreign node), GE_GRAPH_INVALID (a NetOutput without one dynamic input). Since: ABI 1. */
GE_API GeStatus GeGraphSetOutputs(GeGraph *graph, GeNode *const *nodes, const int32_t *ports, size_t count);
/** Number of graph outputs; when a NetOutput node exists, of its inputs.
 *  Owner: n/a. Nulls: a null graph has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeGraphOutputCount(const GeGraph *graph);
/** Graph output `index`: node and output port. *node is null, and the call succeeds, for an input of a NetOutput node
 *  that is not connected.
 *  Owner: the node is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (index).
 *  Since: ABI 1. */
GE_API GeStatus GeGraphGetOutput(GeGraph *graph, size_t index, GeNode **node, int32_t *port);

/* ---- subgraphs: all belong to the root graph, by name ---- */

/** Adds a subgraph; the root takes its own reference.
 *  Owner: shared. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (the name is taken), GE_BAD_STATE
 *  (a subgraph of another root). Since: ABI 1. */
GE_API GeStatus GeGraphAddSubgraph(GeGraph *graph, GeGraph *subgraph);
/** Takes a subgraph out of the root, which drops its reference.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeGraphRemoveSubgraph(GeGraph *graph, const char *name);
/** Number of subgraphs. Owner: n/a. Nulls: a null graph has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeGraphSubgraphCount(const GeGraph *graph);
/** Another reference to subgraph `index`, in the order they were added.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (index).
 *  Since: ABI 1. */
GE_API GeStatus GeGraphRetainSubgraph(GeGraph *graph, size_t index, GeGraph **out);
/** Another reference to the subgraph of this name.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeGraphRetainSubgraphByName(GeGraph *graph, const char *name, GeGraph **out);

/** Where a subgraph is called: the node that has it, and another reference to that node's graph (the root, or another
 *  subgraph). Both null, and success, for a root and for a subgraph that no node has.
 *  Owner: caller destroys *caller; *node is that graph's. Nulls: none allowed. Threads: graph's. Errors:
 *  GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeGraphRetainCaller(GeGraph *graph, GeGraph **caller, GeNode **node);

/* ---- node ---- */

/** Name. Owner: the graph. Nulls: a null node gives "". Threads: graph's. Errors: none. Since: ABI 1. */
GE_API const char *GeNodeName(const GeNode *node);
/** Operator type. Owner: the graph. Nulls: a null node gives "". Threads: graph's. Errors: none. Since: ABI 1. */
GE_API const char *GeNodeType(const GeNode *node);
/** Lets a node's handle outlive its graph: until GeNodeHandleDestroy the handle can be told, and once the node was
 *  removed or its graph destroyed every function refuses it (functions without a status give 0, null or ""). The graph
 *  is not kept alive. A removed node may be retained.
 *  Owner: the caller destroys a handle as often as it retained it. Nulls: none allowed. Threads: any. Errors:
 *  GE_PARAM_INVALID (no handle of a node). Since: ABI 1. */
GE_API GeStatus GeNodeHandleRetain(GeNode *node);
/** Gives back a handle that was retained; the node stays in its graph.
 *  Owner: consumes what one GeNodeHandleRetain gave. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeNodeHandleDestroy(GeNode *node);
/** Another reference to the graph that a node belongs to.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID, GE_BAD_STATE
 * (removed). Since: ABI 1. */
GE_API GeStatus GeNodeRetainGraph(GeNode *node, GeGraph **out);
/** Schema the node was built from. Owner: the library, until the process ends. Nulls: a null node gives null. Threads:
 *  graph's. Errors: none. Since: ABI 1. */
GE_API const GeOpSchema *GeNodeSchema(const GeNode *node);
/** Number of input ports. Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeNodeInputCount(const GeNode *node);
/** Number of output ports. Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeNodeOutputCount(const GeNode *node);
/** Instances of dynamic IR input `name`. Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND (the
 *  operator has no dynamic input of this name). Since: ABI 1. */
GE_API GeStatus GeNodeGetDynamicInputCount(const GeNode *node, const char *name, int32_t *out);
/** Instances of dynamic IR output `name`. Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND (the
 *  operator has no dynamic output of this name). Since: ABI 1. */
GE_API GeStatus GeNodeGetDynamicOutputCount(const GeNode *node, const char *name, int32_t *out);
/** Producer of an input port; *src is null (and the call succeeds) when unconnected.
 *  Owner: *src is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port). Since: ABI 1. */
GE_API GeStatus GeNodeGetInputSource(const GeNode *node, int32_t port, GeNode **src, int32_t *src_port);
/** Number of input ports that read an output port; 0 for a port that is not there.
 *  Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeNodeConsumerCount(const GeNode *node, int32_t port);
/** Consumer `index` of an output port: node and input port.
 *  Owner: *dst is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port, index).
 *  Since: ABI 1. */
GE_API GeStatus GeNodeGetConsumer(const GeNode *node, int32_t port, size_t index, GeNode **dst, int32_t *dst_port);
/** Number of control edges that come in. Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none.
 *  Since: ABI 1. */
GE_API size_t GeNodeControlInputCount(const GeNode *node);
/** Node that incoming control edge `index` comes from.
 *  Owner: *out is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (index).
 *  Since: ABI 1. */
GE_API GeStatus GeNodeGetControlInput(const GeNode *node, size_t index, GeNode **out);
/** Number of control edges that go out. Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none.
 *  Since: ABI 1. */
GE_API size_t GeNodeControlOutputCount(const GeNode *node);
/** Node that outgoing control edge `index` goes to.
 *  Owner: *out is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (index).
 *  Since: ABI 1. */
GE_API GeStatus GeNodeGetControlOutput(const GeNode *node, size_t index, GeNode **out);

/** Description of an input port: type, format, shapes; its producer's unless GeNodeSetInputDesc gave one. data is set
 *  where a constant feeds it.
 *  Owner: *out's pointers are the graph's, until the node or its producer changes; a layout is the library's, until the
 *  next description is asked for on this thread. Nulls: none allowed. Threads:
 *  graph's. Errors: GE_PARAM_INVALID (port). Since: ABI 1. */
GE_API GeStatus GeNodeGetInputDesc(const GeNode *node, int32_t port, GeTensorData *out);
/** Description of an output port: type, format, shapes.
 *  Owner: *out's pointers are the graph's, until the node changes; a layout as of GeNodeGetInputDesc. Nulls: none
 * allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port). Since: ABI 1. */
GE_API GeStatus GeNodeGetOutputDesc(const GeNode *node, int32_t port, GeTensorData *out);
/** Gives an input port a description of its own: type, format, shapes; data is not read.
 *  Owner: copied. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port, type, format, dimensions).
 *  Since: ABI 1. */
GE_API GeStatus GeNodeSetInputDesc(GeNode *node, int32_t port, const GeTensorData *desc);
/** Sets the description of an output port, as GeNodeSetInputDesc does that of an input.
 *  Owner: copied. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port, type, format, dimensions).
 *  Since: ABI 1. */
GE_API GeStatus GeNodeSetOutputDesc(GeNode *node, int32_t port, const GeTensorData *desc);

/** Number of subgraphs that the node calls. Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none.
 *  Since: ABI 1. */
GE_API size_t GeNodeSubgraphCount(const GeNode *node);
/** Subgraph `index` of the node: IR name (for dynamic ones "<ir><i>") and graph name.
 *  Owner: texts are the graph's, until the node changes. Nulls: none allowed. Threads: graph's. Errors:
 *  GE_PARAM_INVALID (index). Since: ABI 1. */
GE_API GeStatus GeNodeGetSubgraphName(const GeNode *node, size_t index, const char **ir_name, const char **graph_name);
/** Attaches a subgraph under an IR name and adds it to the root.
 *  Owner: shared. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND (no such IR name), those of
 *  GeGraphAddSubgraph. Since: ABI 1. */
GE_API GeStatus GeNodeSetSubgraph(GeNode *node, const char *ir_name, GeGraph *subgraph);
/** Lineage: number of original nodes that this node stands for; 1, itself, where no pass touched it.
 *  Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeNodeOriginCount(const GeNode *node);
/** Name of original node `index`; null when out of range.
 *  Owner: the graph, until the node changes. Nulls: a null node gives null. Threads: graph's. Errors: none.
 *  Since: ABI 1. */
GE_API const char *GeNodeOrigin(const GeNode *node, size_t index);

/* ---- attributes: of nodes, graphs, input ports and output ports ---- */

/** Sets attribute value->name of a node. GeNodeSetAttrTensor shares a tensor's content instead of copying it.
 *  Owner: value is copied. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (unknown type, null list).
 *  Since: ABI 1. */
GE_API GeStatus GeNodeSetAttr(GeNode *node, const GeAttrData *value);
/** As GeNodeSetAttr for an attribute of the graph.
 *  Owner: value is copied. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (unknown type, null list).
 *  Since: ABI 1. */
GE_API GeStatus GeGraphSetAttr(GeGraph *graph, const GeAttrData *value);
/** As GeNodeSetAttr for an attribute of an input port.
 *  Owner: value is copied. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port, unknown type, null
 *  list). Since: ABI 1. */
GE_API GeStatus GeNodeSetInputAttr(GeNode *node, int32_t port, const GeAttrData *value);
/** As GeNodeSetAttr for an attribute of an output port.
 *  Owner: value is copied. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (port, unknown type, null
 *  list). Since: ABI 1. */
GE_API GeStatus GeNodeSetOutputAttr(GeNode *node, int32_t port, const GeAttrData *value);
/** Reads an attribute that was set. An optional attribute of a node that was left alone is not there: its default is in
 *  GeNodeSchema, and engines, inference and passes see it in GeOpDesc.
 *  Owner: *out's pointers are the graph's, until an attribute of the node changes. Nulls: none allowed. Threads:
 *  graph's. Errors: GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeNodeGetAttr(const GeNode *node, const char *name, GeAttrData *out);
/** Reads an attribute of the graph.
 *  Owner: *out's pointers are the graph's, until one of its attributes changes. Nulls: none allowed. Threads: graph's.
 *  Errors: GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeGraphGetAttr(const GeGraph *graph, const char *name, GeAttrData *out);
/** Reads an attribute that was set on an input port; those of its producer's output are not there.
 *  Owner: *out's pointers are the graph's, until an attribute of the port changes. Nulls: none allowed. Threads:
 *  graph's. Errors: GE_PARAM_INVALID (port), GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeNodeGetInputAttr(const GeNode *node, int32_t port, const char *name, GeAttrData *out);
/** Reads an attribute of an output port.
 *  Owner: *out's pointers are the graph's, until one of the port's attributes changes. Nulls: none allowed. Threads:
 *  graph's. Errors: GE_PARAM_INVALID (port), GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeNodeGetOutputAttr(const GeNode *node, int32_t port, const char *name, GeAttrData *out);
/** Number of attributes that are set on the node. Owner: n/a. Nulls: a null node has 0. Threads: graph's. Errors: none.
 *  Since: ABI 1. */
GE_API size_t GeNodeAttrCount(const GeNode *node);
/** Attribute `index` of those set on the node, sorted by name.
 *  Owner: *out's pointers are the graph's, until an attribute of the node changes. Nulls: none allowed. Threads:
 *  graph's. Errors: GE_PARAM_INVALID (index). Since: ABI 1. */
GE_API GeStatus GeNodeGetAttrAt(const GeNode *node, size_t index, GeAttrData *out);
/** Removes an attribute that was set. Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND. Since:
 *  ABI 1. */
GE_API GeStatus GeNodeRemoveAttr(GeNode *node, const char *name);
/** Sets a VT_TENSOR attribute; content is shared and immutable from now on.
 *  Owner: shared. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeNodeSetAttrTensor(GeNode *node, const char *name, GeTensor *tensor);
/** Another reference to the tensor of a VT_TENSOR attribute.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND (not set, or no tensor).
 *  Since: ABI 1. */
GE_API GeStatus GeNodeRetainAttrTensor(const GeNode *node, const char *name, GeTensor **out);

/* ---- whole graph ---- */

/** Checks types, arity, acyclicity, dangling edges, subgraph mapping, and that constants hold a value of the type and
 * shape of their description, subgraphs included; the message names the first fault's node and rule.
 * Errors: GE_GRAPH_INVALID. Owner: n/a. Nulls: none allowed. Threads: graph's. Since: ABI 1. */
GE_API GeStatus GeGraphVerify(const GeGraph *graph);
/** Infers every node's output types and shapes; input_descs (may be null) replace the graph inputs' descriptions, in
 * index order. Owner: n/a. Nulls: graph must not be null. Threads: graph's. Errors: GE_INFER_FAILED with node and
 * reason; the graph is then as before. Since: ABI 1. */
GE_API GeStatus GeGraphInfer(GeGraph *graph, const GeTensorData *input_descs, size_t input_count);

#define GE_DUMP_ONNX 0     /* ONNX protobuf text */
#define GE_DUMP_TXT 1      /* GE protobuf text */
#define GE_DUMP_READABLE 2 /* GE readable text */
#define GE_DUMP_DOT 3      /* Graphviz */
#define GE_DUMP_SVG 4      /* picture */
/** Writes the graph as text. Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (format).
 *  Since: ABI 1. */
GE_API GeStatus GeGraphDump(const GeGraph *graph, int32_t format, GeTextFn write, void *user);
/** Writes a dump file with GE's name and folder rules; the path goes to write_path.
 *  Owner: n/a. Nulls: suffix and write_path may be null. Threads: graph's. Errors: GE_PATH_INVALID, GE_PARAM_INVALID
 *  (format). Since: ABI 1. */
GE_API GeStatus GeGraphDumpToFile(const GeGraph *graph, int32_t format, const char *suffix, GeTextFn write_path,
                                  void *user);
/** Saves the graph with weights in the AIR format (protobuf).
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PATH_INVALID, GE_GRAPH_INVALID (a node calls a graph
 *  that was removed). Since: ABI 1. */
GE_API GeStatus GeGraphSave(const GeGraph *graph, const char *path);
/** Loads what GeGraphSave wrote; replaces content and name.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PATH_INVALID, GE_MODEL_INVALID, GE_BAD_STATE (the
 *  graph is a subgraph). Since: ABI 1. */
GE_API GeStatus GeGraphLoad(GeGraph *graph, const char *path);

GE_EXTERN_C_END
#endif
