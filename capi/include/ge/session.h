/* Sessions beyond add, compile and run (ge/model.h): states of graphs, asynchronous runs, runs on streams, memory that
 * a program brings, values that it watches, data-flow graphs, options in effect.
 *
 * A graph is added, then compiled, then loaded; a call that needs a later state brings the graph there, unless its
 * description says that it fails. A graph is run in one way only: by GeSessionRunGraph, by GeSessionRunGraphAsync, or
 * on streams; the first call decides. */
#ifndef GE_SESSION_H_
#define GE_SESSION_H_

#include "ge/flow.h"
#include "ge/model.h"
#include "ge/tensor.h"

#define GE_NOT_LOADED 1343242295u     /* status: the graph has to be compiled and loaded before */
#define GE_ALREADY_SET 1343242306u    /* status: what is set once was set before */
#define GE_RUN_MODE_MIXED 1343225867u /* status: the graph is run in another way already */

GE_EXTERN_C_BEGIN

typedef enum GeSessionGraphState {
  GE_SESSION_GRAPH_ADDED = 1,
  GE_SESSION_GRAPH_COMPILED = 2, /* a data-flow graph: started */
  GE_SESSION_GRAPH_LOADED = 3
} GeSessionGraphState;

/** Whether GeInitialize was called, and GeFinalize not since: 1 or 0.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API int32_t GeIsInitialized(void);

/** Number of a session in this process, from 0 on. Owner: n/a. Nulls: UINT64_MAX. Threads: any. Errors: none. Since:
 * ABI 1. */
GE_API uint64_t GeSessionId(const GeSessionHandle *session);

/** As GeSessionAddGraph without a copy: the graph is compiled as it is at its first compile, and let go of then.
 *  Owner: the session shares the graph until it is compiled or removed. Nulls: options may be null. Threads: any; the
 *  graph is not changed while it is compiled. Errors: GE_GRAPH_ALREADY_EXIST, GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeSessionAddSharedGraph(GeSessionHandle *session, uint32_t id, GeGraph *graph,
                                        const GeOptions *options);
/** Where the graph stands. Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_GRAPH_NOT_EXIST. Since: ABI 1. */
GE_API GeStatus GeSessionGetGraphState(GeSessionHandle *session, uint32_t id, GeSessionGraphState *state);
/** An option of the graph, else of its session, else of GeInitialize; null where nobody set it.
 *  Owner: the graph, until it is removed. Nulls: none allowed. Threads: any. Errors: GE_GRAPH_NOT_EXIST. Since: ABI 1.
 */
GE_API GeStatus GeSessionGetGraphOption(GeSessionHandle *session, uint32_t id, const char *key, const char **value);
/** The same for the graph that this thread compiles or runs through a session: what a kernel of the program asks while
 *  it is created or runs. Outside of that: options of GeInitialize.
 *  Owner: the graph, until it is removed; outside of one the library, until GeFinalize. Nulls: none allowed. Threads:
 *  any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeCurrentOption(const char *key, const char **value);

/** As GeSessionCompileGraph; type, format and shape of `inputs` replace those of the graph's inputs, by index. A graph
 *  that is compiled stays as it is.
 *  Owner: n/a. Nulls: inputs may be null with count 0. Threads: any. Errors: GE_GRAPH_NOT_EXIST, GE_PARAM_INVALID (too
 * few inputs), those of GeCompile. Since: ABI 1. */
GE_API GeStatus GeSessionCompileGraphFor(GeSessionHandle *session, uint32_t id, const GeTensorData *inputs,
                                         size_t input_count);
/** Compiles a graph that is run on streams and in no other way; a graph with variables is not for streams.
 *  Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_GRAPH_NOT_EXIST, GE_RUN_MODE_MIXED (run in another way
 *  already, or variables), those of GeCompile. Since: ABI 1. */
GE_API GeStatus GeSessionCompileGraphForStreams(GeSessionHandle *session, uint32_t id);
/** Compiles the graph if needed, and says that its memory is set (see GeSessionSetMemory).
 *  Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_GRAPH_NOT_EXIST, those of GeCompile. Since: ABI 1. */
GE_API GeStatus GeSessionLoad(GeSessionHandle *session, uint32_t id);
/** The same with options, as GE's LoadGraph takes them. They come too late for those that act: of each that is not as
 *  the graph has it there is a warning. Those without an effect were judged by GeOptionsSet.
 *  Owner: n/a. Nulls: options may be null. Threads: any. Errors: those of GeSessionLoad. Since: ABI 1. */
GE_API GeStatus GeSessionLoadWithOptions(GeSessionHandle *session, uint32_t id, const GeOptions *options);

/* ---- memory from outside ---- */

typedef enum GeSessionMemory {
  GE_SESSION_MEMORY_FEATURE = 0,     /* tensors between nodes: GeModelMemory.arena_bytes */
  GE_SESSION_MEMORY_REFRESHABLE = 1, /* the same; a graph takes one or the other */
  GE_SESSION_MEMORY_FIXED = 2,       /* no tensor has to stay where it is: kept and not used */
  GE_SESSION_MEMORY_CONST = 3        /* constants: GeModelMemory.constant_bytes + packed_bytes */
} GeSessionMemory;

/** Memory for a graph that is compiled, in the order of calls that GE asks for: fixed memory and memory for constants
 * are set once, before the graph is loaded; feature memory may be replaced between runs, which then wait for one
 * another. Owner: memory stays the caller's until it is replaced or the graph is removed, and runs have ended. Nulls:
 * session, memory. Threads: any. Errors: GE_BAD_STATE (order of calls), GE_ALREADY_SET (set before), GE_UNSUPPORTED
 *  (unknown shapes have no plan), GE_DATA_MISMATCH (too little), GE_PARAM_INVALID (not aligned to 64 bytes). Since: ABI
 *  1. */
GE_API GeStatus GeSessionSetMemory(GeSessionHandle *session, uint32_t id, GeSessionMemory kind, void *memory,
                                   uint64_t size);

/** Memory that a program provides for outputs of runs on a stream. Functions may be called from any thread. */
typedef struct GeStreamAllocator {
  size_t struct_size;
  void *user;
  /** At least `size` bytes, never 0; null: there is no memory. *block goes back with `release`. */
  void *(*allocate)(void *user, uint64_t size, void **block);
  void (*release)(void *user, void *block);
  void (*destroy)(void *user); /* no output is in its memory any more, and it is not registered; may be null */
} GeStreamAllocator;

/** From now on outputs of runs on the stream lie in memory of the allocator; the last one registered counts.
 *  Owner: the struct is copied; `user` is the session's from here on, until `destroy`. After an error it is not. Nulls:
 *  none allowed. Threads: any. Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GeSessionRegisterAllocator(GeSessionHandle *session, const void *stream,
                                           const GeStreamAllocator *allocator);
/** Takes the stream's allocator back: `destroy` is called when no output is in its memory any more.
 *  Owner: n/a. Nulls: session must not be null. Threads: any. Errors: GE_NOT_FOUND (none is registered for the stream).
 *  Since: ABI 1. */
GE_API GeStatus GeSessionUnregisterAllocator(GeSessionHandle *session, const void *stream);

/* ---- runs ---- */

/** What an asynchronous run came to; where it failed, the reason is the thread's last error and there are no outputs.
 *  Owner: outputs are the callee's, which destroys each. */
typedef void (*GeSessionRunDone)(void *user, GeStatus status, GeTensor *const *outputs, size_t output_count);
/** Queues a run and returns; the session's thread runs what is queued in order, and calls `done` (may be null) after
 * each. A run that is refused here is told to `done` too, before the call returns. GeSessionDestroy waits for what is
 * queued. Owner: inputs are retained until the run has ended and must not change meanwhile; `user` is the library's
 * from here on, whatever the call returns: `destroy` (may be null) is called after `done`. Nulls: inputs may be null
 * with count 0. Threads: any. Errors: GE_RUN_MODE_MIXED, GE_PARAM_INVALID, GE_OUT_OF_MEMORY; those of the run go to
 * `done`. Since: ABI 1. */
GE_API GeStatus GeSessionRunGraphAsync(GeSessionHandle *session, uint32_t id, const GeTensor *const *inputs,
                                       size_t input_count, GeSessionRunDone done, void *user,
                                       void (*destroy)(void *user));

/** One run on a stream. */
typedef struct GeStreamRun {
  size_t struct_size;
  const void *stream;
  const GeTensor *const *inputs;
  size_t input_count;
  const GeTensorData *given; /* memory of the caller's for each output (data, size); null: the library provides it */
  size_t given_count;
  GeTensor **outputs;  /* room for output_count tensors */
  size_t output_count; /* in: room; out: number of outputs, also where the room was too small (GE_PARAM_INVALID) */
  int32_t loaded_only; /* 1: a graph that is not loaded is refused, 0: it is loaded */
  int32_t at_once;     /* out. 1: the run has ended when the call returns, as always on a CPU: there are no streams */
} GeStreamRun;

/** Runs a graph on a stream. On a CPU there are no streams: the run is over when the call returns, of which the first
 *  call in a process warns. Outputs are new tensors: over the memory given, else in memory of the stream's allocator
 *  where one is registered, else in their own; all of it is the host's.
 *  Owner: caller destroys each of outputs; memory given outlives them. Nulls: session, run. Threads: any. Errors:
 * GE_GRAPH_NOT_EXIST, GE_RUN_MODE_MIXED, GE_NOT_LOADED (loaded_only), GE_DATA_MISMATCH (memory given is too small,
 * number of outputs), GE_OUT_OF_MEMORY, those of GeSessionRunGraph. Since: ABI 1. */
GE_API GeStatus GeSessionRunGraphOnStream(GeSessionHandle *session, uint32_t id, GeStreamRun *run);

/** Values that a run tells: by names of Summary nodes, or of the variables that Save nodes read.
 *  Owner: values are the callee's, which destroys each; names are the library's. Errors: not 0 fails the run. */
typedef GeStatus (*GeSessionWatch)(void *user, uint32_t graph_id, const char *const *names, GeTensor *const *values,
                                   size_t count);
/** `watch` is called after every run of a graph with such nodes, in the thread of the run, before the run returns. Key:
 *  "Summary" or "Save". The last one registered counts.
 *  Owner: `user` is the session's from here on; `destroy` (may be null) is called when it is replaced, or the session
 * is gone. After an error it is not. Nulls: user, destroy. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeSessionRegisterWatch(GeSessionHandle *session, const char *key, GeSessionWatch watch, void *user,
                                       void (*destroy)(void *user));

/* ---- data-flow graphs (ge/flow.h): started when they are compiled, fed or fetched first ---- */

/** Numbers of inputs and outputs of the flow.
 *  Owner: n/a. Nulls: either number may be null. Threads: any. Errors: GE_GRAPH_NOT_EXIST, those of GeFlowCreate.
 * Since: ABI 1. */
GE_API GeStatus GeSessionFlowPorts(GeSessionHandle *session, uint32_t id, size_t *input_count, size_t *output_count);
/** As GeFlowFeed. A call that waits returns GE_BAD_STATE when the graph is removed meanwhile.
 *  Owner: as there. Nulls: as there. Threads: any. Errors: GE_GRAPH_NOT_EXIST, those of GeFlowCreate and GeFlowFeed.
 *  Since: ABI 1. */
GE_API GeStatus GeSessionFeedFlow(GeSessionHandle *session, uint32_t id, const uint32_t *indexes,
                                  const GeFlowMessage *messages, size_t count, int32_t timeout_ms);
/** As GeFlowFetch. A call that waits returns GE_BAD_STATE when the graph is removed meanwhile.
 *  Owner: as there: caller destroys the tensors. Nulls: as there. Threads: any. Errors: GE_GRAPH_NOT_EXIST, those of
 *  GeFlowCreate and GeFlowFetch. Since: ABI 1. */
GE_API GeStatus GeSessionFetchFlow(GeSessionHandle *session, uint32_t id, const uint32_t *indexes,
                                   GeFlowMessage *messages, size_t count, int32_t timeout_ms);

GE_EXTERN_C_END
#endif
