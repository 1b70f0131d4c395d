/* Data-flow graphs at run time: nodes that work side by side on a stream of messages.
 *
 * A flow graph is a graph of Data and FlowNode nodes (the C++ header flow_graph/flow_graph.h says how they are
 * written). Every process point of a node works in a thread of its own, with bounded queues in between. A graph without
 * FlowNodes runs as one point. Messages of one input arrive, and leave, in their order. */
#ifndef GE_FLOW_H_
#define GE_FLOW_H_

#include <stddef.h>

#include "ge/data.h"
#include "ge/graph.h"
#include "ge/model.h"
#include "ge/status.h"
#include "ge/tensor.h"

typedef struct GeFlow GeFlow;

#define GE_FLOW_TIMEOUT 545601u     /* nothing came, or no queue had room, in time */
#define GE_FLOW_RAISED 345103u      /* a function raised an exception */
#define GE_FLOW_NOT_ALIGNED 345104u /* inputs of one transaction did not come together */

#define GE_FLOW_EOS 1u /* the last message of a stream */
#define GE_FLOW_SEG 2u /* the last message of a segment */

#define GE_FLOW_TENSOR 0u     /* type of a message: a tensor */
#define GE_FLOW_RAW 1u        /* bytes: a tensor of uint8, one dimension */
#define GE_FLOW_USER 1024u    /* from here on: of the program */
#define GE_FLOW_USER_BYTES 64 /* bytes of a program's that travel with a message */

/** One message. Everything but the tensor is copied wherever it goes. In an array of messages struct_size is the same
 * in all of them. */
typedef struct GeFlowMessage {
  size_t struct_size;
  GeTensor *tensor;        /* null: no data */
  uint64_t transaction_id; /* 0 when it is fed: the next one of its inputs; messages of one feed get the same */
  uint64_t start_time;     /* of the program */
  uint64_t end_time;
  uint32_t flags; /* GE_FLOW_EOS, GE_FLOW_SEG */
  uint32_t type;
  int32_t ret_code; /* not 0: what failed on the way; there is no data then */
  uint32_t reserved;
  uint8_t user_data[GE_FLOW_USER_BYTES];
} GeFlowMessage;

/** The services for a function of a process point while it is created or processes. `self` goes back with every
 * call. Calls are for the thread that the function was called on. Their errors are in its last error. */
typedef struct GeFlowHost {
  size_t struct_size;
  void *self;
  const char *name;      /* of the process point */
  const char *work_path; /* folder of its library, "" where there is none */
  size_t input_count;    /* of the function; of the process point during `create` */
  size_t output_count;   /* of the process point */
  /** A parameter of the process point. Owner: *out is the host's. Errors: GE_NOT_FOUND. */
  GeStatus (*get_attr)(void *self, const char *name, GeAttrData *out);
  /** Sends a message; waits while queues are full. What the message leaves at 0 (transaction, times, flags, user data)
   * is taken from the inputs. Owner: the tensor is retained; it must not change any more. Errors: GE_PARAM_INVALID,
   * GE_BAD_STATE (the flow ends; not while processing). */
  GeStatus (*set_output)(void *self, size_t index, const GeFlowMessage *message);
  /** Runs the graph that the process point was given under `key`. Owner: caller destroys the outputs' tensors.
   * *output_count: room in, number out (GE_PARAM_INVALID, and no run, when too small). timeout_ms: -1 waits for ever;
   * only flow graphs take it into account. Errors: GE_NOT_FOUND (key), GE_FLOW_TIMEOUT, those of the graph. */
  GeStatus (*run_model)(void *self, const char *key, const GeFlowMessage *inputs, size_t input_count,
                        GeFlowMessage *outputs, size_t *output_count, int32_t timeout_ms);
  /** Functions that read their inputs themselves: the next message of an input. Owner: caller destroys the tensor.
   * Errors: GE_FLOW_TIMEOUT, GE_BAD_STATE (the flow ends; another kind of function), GE_PARAM_INVALID. */
  GeStatus (*dequeue)(void *self, size_t input, GeFlowMessage *out, int32_t timeout_ms);
  /** How many messages wait at an input, and how many can. */
  GeStatus (*queue_size)(void *self, size_t input, size_t *waiting, size_t *room);
  /** Tells every function of the flow, and the next fetch, which returns GE_FLOW_RAISED. Errors: GE_UNSUPPORTED (the
   * flow graph does not catch exceptions). */
  GeStatus (*raise)(void *self, int32_t code, uint64_t context);
  /** The next exception that another function raised. Errors: GE_NOT_FOUND (none). */
  GeStatus (*next_exception)(void *self, int32_t *code, uint64_t *context);
} GeFlowHost;

/** A function for process points. Callbacks may be called from any thread; those of one instance one at a time, unless
 * the function reads its inputs itself. They report reasons with GeSetLastError. */
typedef struct GeFlowFunction {
  size_t struct_size;
  const char *name;
  void *user;
  const void *family; /* functions of one process point with equal families share an instance */
  int32_t streams;    /* 1: the function reads its inputs itself (dequeue) whenever there is something to read */
  int32_t reserved;
  /** Makes an instance for a process point. May be null: the instance is null. */
  GeStatus (*create)(void *user, const GeFlowHost *host, void **instance);
  /** Works on one message of every input. 0, or a code that goes to the outputs that got nothing. */
  int32_t (*process)(void *user, void *instance, const GeFlowHost *host, const GeFlowMessage *const *inputs,
                     size_t input_count);
  void (*destroy)(void *user, void *instance); /* may be null */
} GeFlowFunction;

GE_EXTERN_C_BEGIN

/** Registers a function by its name. What a library registers while a flow loads it belongs to that library. The first
 *  of a name counts.
 *  Owner: texts are copied; `user` and the callbacks stay valid until the function is unregistered and the flows that
 *  use it are destroyed. *token (may be null) is for GeFlowFunctionUnregister. Nulls: function, its name and process
 *  must not be null. Threads: any. Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GeFlowFunctionRegister(const GeFlowFunction *function, uint64_t *token);
/** Takes a function back; flows that use it must be gone.
 *  Owner: n/a. Nulls: n/a; 0 and unknown tokens are fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeFlowFunctionUnregister(uint64_t token);

/** Compiles the graphs of a flow graph, finds (where asked for: builds) its functions, and starts its threads. The
 * graph is not changed. options (may be null) are those of GeCompile. Owner: caller destroys *out. Nulls: graph, out.
 * Threads: graph's. Errors: GE_GRAPH_INVALID, GE_NOT_FOUND (function), GE_PATH_INVALID (files of process points),
 * GE_UNSUPPORTED, those of GeCompile, what a function's `create` returned. Since: ABI 1. */
GE_API GeStatus GeFlowCreate(const GeGraph *graph, const GeOptions *options, GeFlow **out);
/** Ends everything: calls that wait return GE_BAD_STATE, messages on the way are dropped, later calls are refused.
 *  Does not wait for functions at work.
 *  Owner: n/a. Nulls: flow must not be null. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeFlowStop(GeFlow *flow);
/** Stops and waits until the threads have ended: functions at work finish first.
 *  Owner: consumes; no call may be at work (GeFlowStop ends those). Nulls: fine. Threads: any but the flow's own.
 *  Errors: none. Since: ABI 1. */
GE_API void GeFlowDestroy(GeFlow *flow);
/** Number of inputs. Owner: n/a. Nulls: a null flow has 0. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeFlowInputCount(const GeFlow *flow);
/** Number of outputs. Owner: n/a. Nulls: a null flow has 0. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeFlowOutputCount(const GeFlow *flow);

/** Feeds one message to each of the inputs listed (indexes null: to all, count is their number), all or none.
 *  Owner: tensors are retained, and must not change while they are on the way. Nulls: indexes may be null. Threads:
 * any. timeout_ms: how long to wait for room in the queues, -1: for ever. Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH,
 *  GE_FLOW_TIMEOUT, GE_BAD_STATE (stopped), GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeFlowFeed(GeFlow *flow, const uint32_t *indexes, const GeFlowMessage *messages, size_t count,
                           int32_t timeout_ms);
/** Takes the next message of each of the outputs listed (indexes null: of all), all or none. A message with a ret_code
 *  is taken as well: then the call returns the first such code, with its reason as last error, and messages are filled
 *  all the same. struct_size of each must be set.
 *  Owner: caller destroys the tensors. Nulls: indexes may be null. Threads: any. Errors: as GeFlowFeed, GE_FLOW_RAISED
 *  (nothing is taken), codes of functions and graphs. Since: ABI 1. */
GE_API GeStatus GeFlowFetch(GeFlow *flow, const uint32_t *indexes, GeFlowMessage *messages, size_t count,
                            int32_t timeout_ms);

GE_EXTERN_C_END
#endif
