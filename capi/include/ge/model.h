/* Compile a graph into a model and run it.
 *
 * A GeModel is immutable and may be shared by any number of threads. Each thread runs through its own GeRunContext
 * (arena, argument arrays); contexts share the model's weights, plans and kernels.
 *
 * Threads that help a run belong to the thread that calls it, neither to the context nor to the model. With option
 * threads n the first run (or compile) of a calling thread that has work for more than one starts n - 1 of them; they
 * wait between runs, help with all contexts and models that this thread runs, and end with it. So contexts that one
 * thread runs share their helpers, and contexts that two threads run share none: m threads that run models of n threads
 * at the same time use m * n. With n = 1 the calling thread does everything. Option engine_time_limit gives each
 * context a thread of its own, which then is the calling thread of this text. */
#ifndef GE_MODEL_H_
#define GE_MODEL_H_

#include <stddef.h>

#include "ge/data.h"
#include "ge/graph.h"
#include "ge/status.h"

typedef struct GeOptions GeOptions;
typedef struct GeModel GeModel;
typedef struct GeRunContext GeRunContext;

GE_EXTERN_C_BEGIN

/* ---- options: string keys and values ---- */

/** Empty option set. Owner: caller destroys *out. Nulls: out. Threads: any. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeOptionsCreate(GeOptions **out);
/** Destroys an option set. Owner: consumes. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeOptionsDestroy(GeOptions *options);
/** Sets an option. Keys: threads (0 to 1024), precision, opt_level (0 to 3, see GePassTable.level), passes.disable,
 * engines.exclude, engines.path, max_plans, verify, dump_dir, progress, and GE's own ("ge.…"); docs/options.md lists
 * them with what each does here. An unknown key or a bad value is refused here, with near keys or the allowed values;
 * so is a value that would ask for results or files that are not there, with what to do instead. Of other values
 * without an effect there is one warning per option (GeWarningsTake, ge/registry.h). Owner: copied. Nulls: none
 * allowed. Threads: one. Errors: GE_OPTION_INVALID, GE_UNSUPPORTED (option, value, advice). Since: ABI 1. */
GE_API GeStatus GeOptionsSet(GeOptions *options, const char *key, const char *value);
/** The same for options of GE's programs, which may be of another version of GE: an unknown key is left out with a
 * warning that names key, value and near keys. An empty key is refused. Owner: copied. Nulls: none allowed. Threads:
 * one. Errors: those of GeOptionsSet. Since: ABI 1. */
GE_API GeStatus GeOptionsSetOrWarn(GeOptions *options, const char *key, const char *value);
/** Number of known options. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeOptionCount(void);
/** Option `index`, sorted by key: key, allowed values, default, what another value does ("acts", "nothing to do on a
 *  CPU", "not there: warns", "not there: refused"), description. Owner: texts are the library's. Nulls: any
 *  out-parameter may be null. Threads: any. Errors: GE_PARAM_INVALID (index). Since: ABI 1. */
GE_API GeStatus GeOptionAt(size_t index, const char **key, const char **values, const char **fallback,
                           const char **effect, const char **doc);

/* ---- compile ---- */

/** Compiles a graph; the graph is not changed. options may be null.
 *  Owner: caller destroys *out. Nulls: graph, out must not be null. Threads: graph's.
 *  Errors: GE_GRAPH_INVALID, GE_INFER_FAILED, GE_UNSUPPORTED (an operator no engine takes: engines and reasons),
 * GE_OPTION_INVALID, GE_OUT_OF_MEMORY, GE_FAILED (a pass failed, or passes cannot be loaded). Since: ABI 1. */
GE_API GeStatus GeCompile(const GeGraph *graph, const GeOptions *options, GeModel **out);
/** Imports and compiles an ONNX file, told by suffix or content, or a frozen TensorFlow graph (ge/tensorflow.h), told
 * by its content, or loads an offline model (ge/offline.h), too; options given here win over those that was built with.
 * Owner: caller destroys *out. Nulls: options may be null. Threads: any. Errors: those of GeCompile, GeOnnxImport and
 * GeTensorFlowImport. Since: ABI 1. */
GE_API GeStatus GeCompileFile(const char *path, const GeOptions *options, GeModel **out);
/** The same from memory; external data is resolved inside base_dir (null: refused). Owner: caller destroys *out; data
 * is not needed any more afterwards. Nulls: base_dir and options may be null. Threads: any. Errors: as GeCompileFile.
 * Since: ABI 1. */
GE_API GeStatus GeCompileBuffer(const void *data, size_t size, const char *base_dir, const GeOptions *options,
                                GeModel **out);
/** Drops the caller's reference; contexts keep the model alive. Owner: consumes. Nulls: fine. Threads: any. Errors:
 * none. Since: ABI 1. */
GE_API void GeModelDestroy(GeModel *model);

/** Number of inputs. Owner: n/a. Nulls: a null model has 0. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeModelInputCount(const GeModel *model);
/** Number of outputs. Owner: n/a. Nulls: a null model has 0. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeModelOutputCount(const GeModel *model);
/** Name of an input (no two are the same: a second "x" is "x#2") and description (unknown dimensions are -1).
 *  Owner: pointers are the model's. Nulls: name and desc may be null. Threads: any. Errors: GE_PARAM_INVALID (index).
 *  Since: ABI 1. */
GE_API GeStatus GeModelGetInput(const GeModel *model, size_t index, const char **name, GeTensorData *desc);
/** Name and description of an output, as GeModelGetInput tells those of an input.
 *  Owner: pointers are the model's. Nulls: name and desc may be null. Threads: any. Errors: GE_PARAM_INVALID (index).
 *  Since: ABI 1. */
GE_API GeStatus GeModelGetOutput(const GeModel *model, size_t index, const char **name, GeTensorData *desc);

/** Initializers of the ONNX model that its graph lists as inputs, too: constants in this model, inputs behind the
 * others (in the order they are named) in one that is compiled from the same file or buffer with option
 * input_initializers. 0 for models of other graphs. Owner: n/a. Nulls: a null model has 0. Threads: any. Errors: none.
 * Since: ABI 1. */
GE_API size_t GeModelOverridableCount(const GeModel *model);
/** Name and description as an input would have it. Owner: pointers are the model's. Nulls: name and desc may be null.
 * Threads: any. Errors: GE_PARAM_INVALID (index). Since: ABI 1. */
GE_API GeStatus GeModelGetOverridable(const GeModel *model, size_t index, const char **name, GeTensorData *desc);

/** Where a node runs and why not elsewhere. The caller sets struct_size. */
typedef struct GePlacement {
  size_t struct_size;
  const char *node; /* name in the compiled graph */
  const char *type;
  const char *origins; /* original node names, comma separated */
  const char *engine;
  const char *implementation; /* kernel's own text; "" while no plan exists */
  const char *refusals;       /* one line "engine: reason" per engine asked before */
  double flops;               /* of the newest plan; 0 unknown */
} GePlacement;
/** Number of nodes of the newest plan, of the graph while there is none.
 *  Owner: n/a; texts that GeModelGetPlacement gave before end here. Nulls: a null model has 0. Threads: any. Errors:
 *  none. Since: ABI 1. */
GE_API size_t GeModelPlacementCount(const GeModel *model);
/** Where node `index` of those counted runs.
 *  Owner: texts are the model's, until the next call of GeModelPlacementCount. Nulls: none allowed. Threads: any.
 *  Errors: GE_PARAM_INVALID (index), GE_ABI_MISMATCH (struct_size). Since: ABI 1. */
GE_API GeStatus GeModelGetPlacement(const GeModel *model, size_t index, GePlacement *out);

/** The memory that the newest plan of a model needs, in bytes. The caller sets struct_size. */
typedef struct GeModelMemory {
  size_t struct_size;
  int32_t has_plan;         /* 0: no shapes are known yet; the numbers of a plan are 0 */
  int32_t is_static;        /* 1: one plan holds for every run, its shapes were known when the graph was compiled */
  uint64_t constant_bytes;  /* weights as the graph has them, each at a multiple of 64 bytes */
  uint64_t packed_bytes;    /* weights once more, as kernels read them, likewise */
  uint64_t arena_bytes;     /* tensors between nodes, one arena per run context */
  uint64_t live_peak_bytes; /* the least that an arena could have */
} GeModelMemory;
/** What the newest plan needs. Owner: out is the caller's, with struct_size set. Nulls: none allowed. Threads: any.
 *  Errors: GE_PARAM_INVALID, GE_ABI_MISMATCH (struct_size). Since: ABI 1. */
GE_API GeStatus GeModelGetMemory(const GeModel *model, GeModelMemory *out);

#define GE_MODEL_REPORT \
  0 /* JSON: inputs, outputs, placement, passes (applied counts, time), memory, options in effect */
#define GE_MODEL_GRAPH 1 /* readable text of the compiled graph */
#define GE_MODEL_GRAPH_DOT 2
#define GE_MODEL_GRAPH_SVG 3
#define GE_MODEL_MEMORY_SVG 4 /* picture of the newest plan's arena: tensors over time */
#define GE_MODEL_MEMORY_JSON 5
/* JSON: which inputs and outputs are the tensors of one value that is no tensor itself (docs/python.md, "Values that
 * are no tensors"); empty lists where all are tensors */
#define GE_MODEL_VALUES 6
/** Writes a description of the model. Owner: n/a. Nulls: model and write must not be null. Threads: any. Errors:
 *  GE_PARAM_INVALID (what), GE_BAD_STATE (no plan yet). Since: ABI 1. */
GE_API GeStatus GeModelDescribe(const GeModel *model, int32_t what, GeTextFn write, void *user);

/** A copy of the optimised graph that the model runs: after all passes, with shapes as far as they are known; of a
 * model with a plan the newest plan's. Content of constants may be gone that kernels keep in another form. Owner:
 * caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeModelCloneGraph(const GeModel *model, GeGraph **out);

/** A copy of the graph as GeModelCloneGraph gives it, in which nodes say where they run: attribute "_engine",
 * "_implementation" (the kernel's own text), "_refusals" (one line "engine: reason" per engine asked before), "_memory"
 * (where outputs lie, unless it is the host's memory). A value that is copied from one memory to another passes a
 * TensorMove. While there is no plan, and for a model that no single plan can run, nodes have engine and refusals only.
 * Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since:
 * ABI 1. */
GE_API GeStatus GeModelClonePlacedGraph(const GeModel *model, GeGraph **out);

/* ---- run ---- */

/** A run context for one thread at a time. Owner: caller destroys *out, which keeps the model alive. Nulls: none
 * allowed. Threads: any. Errors: GE_PARAM_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeRunContextCreate(GeModel *model, GeRunContext **out);
/** Destroys a context, with the outputs that its memory holds. Owner: consumes. Nulls: fine. Threads: one per context.
 *  Errors: none. Since: ABI 1. */
GE_API void GeRunContextDestroy(GeRunContext *context);

/** Plans for these input shapes ahead of time and tells the output descriptions: data null, size the bytes that a
 * buffer needs. Output shapes that depend on data stay -1, and size 0. Nothing of out_descs is read. Of inputs, type,
 * rank and dims are. Owner: out_descs' pointers are the context's, until its next call. Nulls: arrays only when their
 * counts are 0. Threads: one per context. Errors: as GeRun. Since: ABI 1. */
GE_API GeStatus GeRunContextPrepare(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                                    GeTensorData *out_descs, size_t output_count);
/** Memory for the tensors between nodes (GeModelMemory.arena_bytes of the plan at hand), instead of memory of the
 * context; null with size 0: memory of the context again. Runs that need more fail with GE_OUT_OF_MEMORY. What shapes
 * depend on data has, and outputs without a buffer, stay in memory of the context. Owner: memory stays the caller's and
 * outlives its use. Nulls: context must not be null. Threads: one per context. Errors: GE_PARAM_INVALID (memory is not
 * aligned to 64 bytes, or null with a size). Since: ABI 1. */
GE_API GeStatus GeRunContextSetMemory(GeRunContext *context, void *memory, uint64_t size);
/** Runs once. inputs: in index order, data set, shapes complete. outputs: of each, only data and size are read, size
 * only with data: a caller's buffer of at least `size` bytes, or null, which is set to memory of the context, or of an
 * input that the graph changes where the output is its new value. All other members may hold anything; after a run that
 * succeeded each describes the output, with `size` the bytes it has; after one that failed the array is as it was, but
 * buffers may be written to. After the first run with a shape signature a static model does not allocate.
 *
 * How long it lasts: inputs, their dims included, are not read after the call. outputs[i].dims, origin_dims and content
 * in memory of the context live until the next call of this context or its end, whatever happens to the model's handle
 * and other contexts. data that still points to this memory in the next run asks for memory of the context again, so
 * the array may be used as it is; an input of the next run may lie in it as well (it is copied), unless the graph
 * changes that input.
 *
 * Errors: GE_DATA_MISMATCH (names input, got, expected; a buffer that is too small), GE_PARAM_INVALID,
 * GE_OUT_OF_MEMORY, whatever a kernel returned (with node name). Owner: buffers stay the caller's. Nulls: arrays only
 * when their counts are 0. Threads: one per context. Since: ABI 1. */
GE_API GeStatus GeRun(GeRunContext *context, const GeTensorData *inputs, size_t input_count, GeTensorData *outputs,
                      size_t output_count);
/** As GeRun, recording one event per kernel; trace gets Chrome / Perfetto trace JSON (args: original names, engine,
 * shapes, bytes). Owner: as GeRun. Nulls: as GeRun; trace must not be null. Threads: one per context. Errors: as GeRun.
 * Since: ABI 1. */
GE_API GeStatus GeRunProfiled(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                              GeTensorData *outputs, size_t output_count, GeTextFn trace, void *user);
/** As GeRunProfiled, but writes one HTML page about the model and this run: the graph with the engine of each node, a
 * timeline, the memory plan, a roofline, and why engines were chosen or refused. The page holds all it needs: no
 * scripts, no network. The roofline needs the machine's rates, which the first page of a process measures (a fraction
 * of a second). Owner: as GeRun. Nulls: as GeRun; html must not be null. Threads: one per context. Errors: as GeRun.
 * Since: ABI 1. */
GE_API GeStatus GeRunReport(GeRunContext *context, const GeTensorData *inputs, size_t input_count,
                            GeTensorData *outputs, size_t output_count, GeTextFn html, void *user);

/* ---- GE sessions: graphs by id ---- */

/* Not GeSession: that is a class of namespace ge, and C++ programs say `using namespace ge`. */
typedef struct GeSessionHandle GeSessionHandle;
/** New session. Owner: caller destroys *out; options are copied. Nulls: options may be null. Threads: any. Errors:
 *  GE_OPTION_INVALID, GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeSessionCreate(const GeOptions *options, GeSessionHandle **out);
/** Destroys a session with its graphs and variables; models that were handed out stay. Owner: consumes. Nulls: fine.
 *  Threads: any, while no call of the session runs. Errors: none. Since: ABI 1. */
GE_API void GeSessionDestroy(GeSessionHandle *session);
/** Adds a copy of the graph. Owner: graph and options stay the caller's. Nulls: options may be null. Threads: any, and
 *  the graph's. Errors: GE_GRAPH_ALREADY_EXIST, GE_OPTION_INVALID, GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeSessionAddGraph(GeSessionHandle *session, uint32_t id, const GeGraph *graph,
                                  const GeOptions *options);
/** Removes a graph; runs at work finish. Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_GRAPH_NOT_EXIST.
 *  Since: ABI 1. */
GE_API GeStatus GeSessionRemoveGraph(GeSessionHandle *session, uint32_t id);
/** Compiles ahead of the first run; again is fine. Owner: n/a. Nulls: none allowed. Threads: any. Errors:
 *  GE_GRAPH_NOT_EXIST, those of GeCompile. Since: ABI 1. */
GE_API GeStatus GeSessionCompileGraph(GeSessionHandle *session, uint32_t id);
/** Another reference to the compiled model. Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors:
 *  GE_GRAPH_NOT_EXIST, GE_BAD_STATE (not compiled). Since: ABI 1. */
GE_API GeStatus GeSessionRetainModel(GeSessionHandle *session, uint32_t id, GeModel **out);
/** Memory as for GeRunContextSetMemory, for runs of a graph that is compiled. Runs in such memory wait for one another.
 * Owner: memory stays the caller's until it is replaced or the graph is removed, and runs have ended. Nulls: session
 * must not be null. Threads: any. Errors: GE_GRAPH_NOT_EXIST, GE_BAD_STATE (not compiled), GE_PARAM_INVALID. Since: ABI
 * 1. */
GE_API GeStatus GeSessionSetGraphMemory(GeSessionHandle *session, uint32_t id, void *memory, uint64_t size);
/** Memory for the constants of a graph that is compiled, GeModelMemory.constant_bytes + packed_bytes of it; the graph
 * is compiled anew for that. Null with size 0: memory of the model again. Owner: memory stays the caller's, until it is
 * replaced or the graph is removed, runs have ended and models (GeSessionRetainModel) are gone. Nulls: session must not
 * be null. Threads: any; not with GeSessionSetGraphMemory before it. Errors: GE_GRAPH_NOT_EXIST, GE_BAD_STATE (not
 * compiled, memory for tensors is set), GE_PARAM_INVALID (memory is not aligned to 64 bytes, or null with a size),
 * GE_OUT_OF_MEMORY (too little; the graph stays as it is). Since: ABI 1. */
GE_API GeStatus GeSessionSetConstMemory(GeSessionHandle *session, uint32_t id, void *memory, uint64_t size);
/** Compiles if needed and runs; outputs become new tensors. Owner: caller destroys each of outputs[0 .. *output_count).
 *  *output_count: capacity in, number out (GE_PARAM_INVALID when too small, with the number set).
 *  Nulls: arrays only when their counts are 0. Threads: any; runs of one graph id are independent. Errors:
 *  GE_GRAPH_NOT_EXIST, those of GeCompile and GeRun, GE_BAD_STATE (an input that the graph changes is held by a graph
 * or model). Since: ABI 1. */
GE_API GeStatus GeSessionRunGraph(GeSessionHandle *session, uint32_t id, const GeTensor *const *inputs,
                                  size_t input_count, GeTensor **outputs, size_t *output_count);

/** Process-wide start, GE's GEInitialize; again is fine. A second start leaves the first one's options as they are, and
 *  warns of each that it gives another value. Loads libraries of passes, and the passes in Python that the variable
 *  ASCEND_GE_PY_PASS_PATH lists; without a start the first compile loads these.
 *  Owner: options are copied. Nulls: options may be null. Threads: any; the caller holds no lock that code of a pass
 *  might wait for. Errors: GE_OPTION_INVALID, GE_OUT_OF_MEMORY, GE_FAILED (E13029: passes cannot be loaded).
 *  Since: ABI 1. */
GE_API GeStatus GeInitialize(const GeOptions *options);
/** Process-wide end, GE's GEFinalize; again, or without a start, is fine. The options of GeInitialize no longer hold,
 *  its libraries of passes are let go and passes in Python are taken back. Sessions may outlive it.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API GeStatus GeFinalize(void);

/* ---- parsers ---- */

/** Imports an ONNX file into a graph. All problems are reported at once: the last error lists them, and `report` (may
 * be null) receives them as JSON (node, operator, opset, reason, nearest). Owner: caller destroys *out. Nulls: path and
 * out must not be null. Threads: any. Errors: GE_PATH_INVALID, GE_MODEL_INVALID, GE_UNSUPPORTED. Since: ABI 1. */
GE_API GeStatus GeOnnxImport(const char *path, GeTextFn report, void *user, GeGraph **out);
/** The same from memory; external data is resolved inside base_dir (null: refused). Owner: caller destroys *out; data
 * is not needed any more afterwards. Nulls: data and out must not be null. Threads: any. Errors: as above but for
 *  GE_PATH_INVALID. Since: ABI 1. */
GE_API GeStatus GeOnnxImportBuffer(const void *data, size_t size, const char *base_dir, GeTextFn report, void *user,
                                   GeGraph **out);
/** One option of GE's parsers, applied to an imported graph: output (name), input_shape, input_data_names (order of the
 * inputs), ge.outputNodeName ("node:port;…" or output names), ge.INPUT_NODES_SET_FP16, is_input_adjust_hw_layout,
 * is_output_adjust_hw_layout, enable_scope_fusion_passes. Owner: n/a. Nulls: none allowed. Threads: one per graph.
 * Errors: GE_OPTION_INVALID (unknown key, bad value); the graph is then unchanged. Since: ABI 1. */
GE_API GeStatus GeGraphApplyParserOption(GeGraph *graph, const char *key, const char *value);
/** ONNX operators the importer knows, "domain:type since-opset" one per line. Owner: n/a. Nulls: write must not be
 * null. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeOnnxDescribe(GeTextFn write, void *user);

/** Diagnosis of this installation as text: version, ABI, processor features, engines found or failed, threads.
 *  Owner: n/a. Nulls: write must not be null. Threads: any. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeDoctor(GeTextFn write, void *user);

GE_EXTERN_C_END
#endif
