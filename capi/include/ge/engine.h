/* The engine plug-in interface: one table of functions, one exported symbol (GeEngineQuery).
 *
 * An engine is a shared library that includes only these headers. It says which operators it supports and why not, and
 * turns a node with known shapes into a kernel: a function and its state. It may also take whole parts of a graph,
 * before operators are fused, and turn each into one kernel. The core decides placement, memory and order. Engines
 * never see C++ objects of the core; everything passes as plain data.
 *
 * Names of files: in a folder of engines (GE_ENGINE_DIR, option engines.path) a file is taken for an engine when it is
 * called libge_engine_NAME.so, NAME not empty; other files are left alone. In subfolders x86-64-v4 and x86-64-v3 lie
 * builds for processors with these features, under the same names. A file that is asked for by its own path
 * (GeEngineLoad, a file in engines.path) may have any name. What the engine is called is up to its table
 * (GeEngineTable.name).
 *
 * The functions of an engine return one of these, with the consequences below: GE_SUCCESS, or GE_UNSUPPORTED, or any
 * other status. "Fails with it" hands the status on to who compiles or runs, with the engine, the node and the message
 * that the engine gave to `fail`. An exception counts as GE_FAILED, std::bad_alloc as GE_OUT_OF_MEMORY.
 *
 * - open: others than GE_SUCCESS make GeEngineLoad and GeEngineRegister fail with it; after GE_OUT_OF_MEMORY it is
 * asked once more before that.
 * - check: GE_SUCCESS, it takes the node; GE_OUT_OF_MEMORY, the compile fails with it; any other, it does not take it.
 * - create_kernel: GE_UNSUPPORTED, the next engine is asked; any other, the compile fails with it.
 * - create_open_kernel: GE_OUT_OF_MEMORY, the compile fails with it; any other, create_kernel makes a kernel for each
 *   size, and unless it was GE_UNSUPPORTED there is a warning in the log.
 * - claim: GE_SUCCESS, also when it took nothing; any other, GE_UNSUPPORTED included, the compile fails with it.
 * - create_region: GE_UNSUPPORTED, its nodes are fused and placed like all others; any other, the compile fails with
 * it.
 * - optimize: GE_NOT_CHANGED, nothing was changed; GE_UNSUPPORTED, what was changed is undone; any other, it is undone
 *   and the compile fails with it.
 * - workspace_for: GE_OUT_OF_MEMORY, the call fails with it; any other, each size gets a plan of its own.
 * - run and the functions of GeMemorySpace: the run fails with it.
 *
 * Kernels for sizes that only a run tells are made in that run, or in GeRunContextPrepare: that call fails then,
 * instead of the compile, and the next one asks again. */
#ifndef GE_ENGINE_H_
#define GE_ENGINE_H_

#include <stddef.h>

#include "ge/data.h"
#include "ge/graph.h"
#include "ge/op.h"
#include "ge/status.h"
#include "ge/version.h"

/** Features of the processor beyond plain x86-64 (which has SSE2) that its operating system supports, one bit each. The
 * environment variable GE_MAX_ISA takes features away: scalar keeps none of them, avx2 those of x86-64-v3 and AVX-VNNI,
 * avx512 also those named AVX512, amx (and no cap) all. An engine asks for the bits it uses, not for a level. */
#define GE_CPU_SSE3 (1ULL << 0)
#define GE_CPU_SSSE3 (1ULL << 1)
#define GE_CPU_SSE4_1 (1ULL << 2)
#define GE_CPU_SSE4_2 (1ULL << 3)
#define GE_CPU_POPCNT (1ULL << 4)
#define GE_CPU_MOVBE (1ULL << 5)
#define GE_CPU_LZCNT (1ULL << 6)
#define GE_CPU_BMI1 (1ULL << 7)
#define GE_CPU_BMI2 (1ULL << 8)
#define GE_CPU_AVX (1ULL << 9)
#define GE_CPU_F16C (1ULL << 10)
#define GE_CPU_FMA (1ULL << 11)
#define GE_CPU_AVX2 (1ULL << 12)
#define GE_CPU_AVX_VNNI (1ULL << 13)
#define GE_CPU_AVX512F (1ULL << 14)
#define GE_CPU_AVX512CD (1ULL << 15)
#define GE_CPU_AVX512BW (1ULL << 16)
#define GE_CPU_AVX512DQ (1ULL << 17)
#define GE_CPU_AVX512VL (1ULL << 18)
#define GE_CPU_AVX512_VNNI (1ULL << 19)
#define GE_CPU_AVX512_BF16 (1ULL << 20)
#define GE_CPU_AVX512_FP16 (1ULL << 21)
#define GE_CPU_AMX_TILE (1ULL << 22)
#define GE_CPU_AMX_INT8 (1ULL << 23)
#define GE_CPU_AMX_BF16 (1ULL << 24)

/** The levels that compilers call x86-64-v3 and x86-64-v4. */
#define GE_CPU_X86_64_V3                                                                                      \
  (GE_CPU_SSE3 | GE_CPU_SSSE3 | GE_CPU_SSE4_1 | GE_CPU_SSE4_2 | GE_CPU_POPCNT | GE_CPU_MOVBE | GE_CPU_LZCNT | \
   GE_CPU_BMI1 | GE_CPU_BMI2 | GE_CPU_AVX | GE_CPU_F16C | GE_CPU_FMA | GE_CPU_AVX2)
#define GE_CPU_X86_64_V4 \
  (GE_CPU_X86_64_V3 | GE_CPU_AVX512F | GE_CPU_AVX512CD | GE_CPU_AVX512BW | GE_CPU_AVX512DQ | GE_CPU_AVX512VL)

typedef void (*GeParallelFn)(void *arg, int64_t begin, int64_t end);
/** Fills `packed` (bytes as asked for) from the constant; returns a status. */
typedef GeStatus (*GePackFn)(void *arg, void *packed);
/** The same; the content is at `source`, which suits its elements and may be another address than the constant's. */
typedef GeStatus (*GePackFromFn)(void *arg, const void *source, void *packed);

/** The host's services for an engine. The table lives longer than the engine. Members that ABI 1 did not have are there
 * where GE_HAS says so; this holds for all structs that the host fills. */
typedef struct GeEngineHost {
  size_t struct_size;
  uint32_t engine_abi; /* GE_ENGINE_ABI_VERSION of the host */
  uint32_t reserved;   /* 0 */
  /** Sets the calling thread's last error and returns code. It is told where the call of the engine that is under way
   * fails; when that succeeds it is forgotten. */
  GeStatus (*fail)(GeStatus code, const char *message);
  void (*log)(int32_t level, const char *message); /* as GeLogMessage */
  /** Any function of the C ABI by name (for graph hooks), or null. */
  void *(*get_proc)(const char *name);
  uint64_t cpu_features; /* GE_CPU_* that this process may use */
  /** Brings a constant's content to its address (GE_TENSOR_DEFERRED), for an engine that has to look at it where it
   * makes a kernel. GE_OUT_OF_MEMORY: there is no room. */
  GeStatus (*fill_constant)(const void *data);
} GeEngineHost;

/** The host's services while a kernel is created and run. The table belongs to the model; valid until the kernel is
 * destroyed.
 */
typedef struct GeKernelEnv {
  size_t struct_size;
  void *host;        /* pass back to the functions below */
  int32_t threads;   /* threads a kernel may use */
  uint32_t reserved; /* 0 */
  /** Splits [0, n) into ranges of at least `grain` and runs fn on each, on the model's threads; returns when all are
   * done. Work below one grain runs on the calling thread. Nested calls run serially. Never allocates. */
  void (*parallel_for)(void *host, int64_t n, int64_t grain, GeParallelFn fn, void *arg);
  /** Shared packed constants: the first call for (data, key) allocates `bytes` (64-byte aligned) and runs pack(arg,
   * buffer); later calls return the same memory. Freed with the model. Keyed by the address of the constant's data,
   * which is stable for the life of the model. */
  GeStatus (*packed_constant)(void *host, const void *data, const char *key, uint64_t bytes, GePackFn pack, void *arg,
                              const void **out);
  GeStatus (*fail)(GeStatus code, const char *message);
  uint64_t cpu_features; /* GE_CPU_* that kernels of this model may use */
  /** As packed_constant, for constants whose content may not be at their address yet (GE_TENSOR_DEFERRED): `pack` is
   * told where to read it. What it fills in must follow from the content, `key`, `bytes` and cpu_features alone: with
   * option weights.store it is kept in a file, and another process gets it from there without a call of `pack`. */
  GeStatus (*pack_constant)(void *host, const void *data, const char *key, uint64_t bytes, GePackFromFn pack, void *arg,
                            const void **out);
  /** Not 0: of kernels that can be made in several ways the fastest is wanted, which the engine finds by measuring them
   * (option tune). Results may differ by rounding, and beside values that are not finite. */
  int32_t tune;
  int32_t reserved2; /* 0 */
} GeKernelEnv;

/** Arguments of one kernel call. Pointers are in port order; an absent optional input is null. Buffers are aligned to
 * 64 bytes, except those in memory of the program's: graph inputs, outputs, and constants (GeTensorCreateBorrowed),
 * whose address is a multiple of the element's size, or of 8 where that is larger. */
typedef struct GeKernelArgs {
  size_t struct_size;
  const void *const *inputs;
  void *const *outputs;
  void *workspace;                           /* GeKernel.workspace_bytes, 64-byte aligned; content undefined */
  const struct GeKernelAllocator *allocator; /* with GE_KERNEL_ALLOCATES_OUTPUTS, else null */
  void *stream; /* what create_stream made, for an engine with memory of its own (GeMemorySpace); else null */
  /* The actual extents, one array per port, null for an absent one: for kernels of create_open_kernel, else null. */
  const int64_t *const *input_dims;
  const int64_t *const *output_dims;
  /* Distances in elements between neighbours along each dimension, one array per port, null for a dense one; null where
   * all are dense. They are those of a dense tensor that is longer along one axis. Only ports have them for which the
   * kernel said so: inputs in GeKernel.strided_inputs, outputs of a GE_ALIAS_EXTENDS. */
  const int64_t *const *input_strides;
  const int64_t *const *output_strides;
} GeKernelArgs;

/** Must not allocate, lock or call back into graph functions. Called from one thread per execution context, from
 * several contexts at once: `state` is read-only. */
typedef GeStatus (*GeKernelRunFn)(void *state, const GeKernelArgs *args);

/** A memory relation the planner may use. Output-of-input: output `output` may live inside input `input` at `offset`
 *  (reshape, split). Input-in-output: input `input` may be placed inside output `output` at `offset` (concat). If the
 * planner honours every alias of a kernel whose flag GE_KERNEL_VIEW is set, `run` is not called. When it honours only
 * some of them, `run` is called and finds input and output of those at the same address. A kernel whose aliases leave
 * an output (or bytes of it) out, or that has one of another kind as well, is no view: `run` is called. */
#define GE_ALIAS_OUTPUT_IN_INPUT 0
#define GE_ALIAS_INPUT_IN_OUTPUT 1
/** Elementwise in place: output may overwrite input (same offset and size); run is still called. */
#define GE_ALIAS_IN_PLACE 2
/** State: the output is the input (equal type and shape) with some of its elements replaced, as in an update of a
 * cache. Run is called either way. Where both lie at one address it writes what changes and leaves the rest alone;
 * elsewhere it copies the rest first. The memory may be the caller's: that of a RefData input whose old content nobody
 * reads later. So whatever can be refused (an index out of range) is to be refused before the first element is written.
 */
#define GE_ALIAS_STATE 3
/** Growth: the output is the input with further elements behind its own along one axis, which `offset` says, as where a
 * decoder's step appends to its cache. Run is called either way. Where both lie at one address, the memory has room for
 * more along that axis (GeKernelArgs.output_strides): run writes the further elements, and leaves those of the input
 * alone. Elsewhere it copies them first. The kernel takes strides for this input (GeKernel.strided_inputs). */
#define GE_ALIAS_EXTENDS 4
typedef struct GeAlias {
  int32_t kind;
  int32_t input;
  int32_t output;
  int32_t reserved;
  uint64_t offset; /* bytes; of GE_ALIAS_EXTENDS the axis */
} GeAlias;

#define GE_KERNEL_VIEW 1u /* nothing to do when all aliases are honoured */
/** Output shapes depend on data (NonZero, Unique …): create_kernel sees -1 in the outputs' dims, sets output_bytes to
 * the room each output needs at most, and run leaves the real shapes at the start of the workspace: per output eight
 * int64_t, first the rank (at most 7), then the dims. workspace_bytes includes these 64 bytes per output. What the
 * outputs' descriptions know, rank and extents, the real shapes have as well; else the run fails. */
#define GE_KERNEL_DATA_DEPENDENT 2u

/** With GE_KERNEL_DATA_DEPENDENT, for kernels that cannot tell the sizes beforehand: output_bytes is not read, run gets
 * null for every output and takes memory from GeKernelArgs.allocator. An output that run allocated no memory for has no
 * elements. */
#define GE_KERNEL_ALLOCATES_OUTPUTS 8u
typedef struct GeKernelAllocator {
  size_t struct_size;
  void *host; /* pass back to allocate */
  /** 64-byte aligned memory that becomes the content of output `output`; a second call for the same output replaces
   * what the first one gave. Null: there is no memory, or no such output. May be called while run runs, by its thread.
   */
  void *(*allocate)(void *host, int32_t output, uint64_t bytes);
} GeKernelAllocator;

/** Constants for which create_kernel called packed_constant are read in their packed form only: when that holds for all
 * kernels that take a constant, the host may give its memory back. */
#define GE_KERNEL_READS_PACKED 4u

/** What create_kernel fills. struct_size is what the host knows; an engine that was compiled against longer headers
 * sets it to its own size, and may fill at most 256 bytes more than the host knows. */
typedef struct GeKernel {
  size_t struct_size;
  GeKernelRunFn run; /* must not be null (views copy when the planner could not alias) */
  void *state;
  void (*destroy)(void *state); /* may be null */
  const char *implementation;   /* for profiles: "onednn:brgconv:avx512_core"; lives as long as state */
  uint64_t workspace_bytes;
  uint32_t flags; /* GE_KERNEL_* */
  uint32_t alias_count;
  const GeAlias *aliases;       /* lives as long as state */
  double flops;                 /* estimate up to 1e30, 0 unknown */
  const uint64_t *output_bytes; /* GE_KERNEL_DATA_DEPENDENT only: one per output; lives as long as state */
  /** Of create_open_kernel only: the workspace that a run with these extents needs, in place of workspace_bytes. Null:
   * that one serves all extents. Called from several threads. Where it fails (but for lack of memory) or asks for more
   * than can be, each size gets a plan with kernels of create_kernel; a warning and the model's report say why. */
  GeStatus (*workspace_for)(void *state, const int64_t *const *input_dims, const int64_t *const *output_dims,
                            uint64_t *bytes);
  /** Bit i: run reads input i with the strides that GeKernelArgs.input_strides gives, if any. Inputs from 64 on are
   * dense. */
  uint64_t strided_inputs;
  int32_t flops_type; /* C_DataType whose arithmetic flops counts, C_DT_FLOAT unless said; with it reports compare */
} GeKernel;

/** What is known of an extent that only a run tells. */
typedef struct GeOpenExtent {
  int64_t low;      /* least value */
  int64_t high;     /* greatest value, or -1: no limit is known. Equal to low: the extent is known */
  int32_t symbol;   /* extents of one node with the same number are equal in every run; -1: of a known extent */
  int32_t multiple; /* the extent is a multiple of this number in every run; at least 1, which says nothing */
} GeOpenExtent;
/** The extents of all ports of a node: per port one for each dimension; null for ports without dimensions. */
typedef struct GeOpenExtents {
  size_t struct_size;
  const GeOpenExtent *const *inputs;
  const GeOpenExtent *const *outputs;
} GeOpenExtents;

/* Bits of GeKernel.flags and GeEngineTable.flags that are not named here are refused. */
#define GE_ENGINE_ATOMIC 0u
/** Puts nodes together that other engines would run one by one: asked for claims before all other engines, whatever its
 * cost. Its table has claim and create_region. */
#define GE_ENGINE_COMPOSITE 1u
/** Takes only nodes that need no work where it runs them (views): asked before all other engines, whatever its cost. */
#define GE_ENGINE_VIEWS 2u
/** Kernels may depend on the node's name or keep state for one node: check and create_kernel get the name, and no two
 * nodes share a kernel. Without it nodes that are equal but for their names share one, and GeOpDesc.name is "". */
#define GE_ENGINE_NAMES_NODES 4u
/** What it takes are operators of the program, even where the library has an operator of that type: no pass looks into
 * such a node, and what it is (ge/op_traits.h) only the program says. */
#define GE_ENGINE_OWN_OPERATORS 8u
/** Nodes that this engine would run may become parts of fused operators of the library (FusedElementwise, FusedConv2D
 * …), whichever engine takes those. Without it, nodes that this engine is the first by cost to take are left alone by
 * all rewrites of the library. */
#define GE_ENGINE_FUSIBLE 16u
/** Constants may come to check, claim and the makers of kernels without their content (GE_TENSOR_DEFERRED): the engine
 * reads large ones in the functions that it gives to GeKernelEnv.pack_constant, and in run. Without it every constant
 * has its content before the engine sees it, which costs a copy of weights that it packs. */
#define GE_ENGINE_DEFERS_CONSTANTS 32u

/** Output `from_port` of node `from` feeds input `to_port` of node `to`. Nodes are numbers of the view. In a region -1
 * as `from` is the outside: `from_port` is then the number of a region's input. */
typedef struct GeGraphEdge {
  int32_t from;
  int32_t from_port;
  int32_t to;
  int32_t to_port;
} GeGraphEdge;
/** An output of a node. */
typedef struct GeNodePort {
  int32_t node;
  int32_t port;
} GeNodePort;

/** A graph as plain data: what needs work, without inputs and constants. Constants are in the descriptions of the nodes
 * that read them, with their values (GE_TENSOR_CONSTANT), and have no edge. Valid during the call that it is passed to.
 */
typedef struct GeGraphView {
  size_t struct_size;
  const char *name;
  const GeOpDesc *const *nodes; /* producers before consumers; unknown extents are -1 */
  size_t node_count;
  const GeGraphEdge *edges; /* by consumer, then by its port */
  size_t edge_count;
  const GeNodePort *outputs; /* of the graph, those that nodes of the view compute */
  size_t output_count;
} GeGraphView;

/** Where an engine says what it takes. Valid during the call of claim. */
typedef struct GeClaims {
  size_t struct_size;
  void *host; /* pass back */
  /** Takes nodes, by their numbers in the view, to run them together. A set is cut into regions: nodes that edges
   * inside the set join, and that no path leads out of and back into. Nodes that may not be taken are left out in
   * silence: those that another engine claimed before or that the program gave to another one, control flow, effects,
   * and nodes that wait for others (control edges). GE_PARAM_INVALID: a number that is no node, or a node that this
   * engine took already; the compile then fails. */
  GeStatus (*take)(void *host, const int32_t *nodes, size_t count);
} GeClaims;

/** A region that create_region turns into one kernel. */
typedef struct GeRegion {
  size_t struct_size;
  const GeGraphView *graph;   /* its nodes, edges from outside included; outputs are those that others read */
  const GeTensorData *inputs; /* by number: GeKernelArgs.inputs; types and shapes, never values */
  size_t input_count;
  const GeTensorData *outputs; /* in the order of graph->outputs: GeKernelArgs.outputs */
  size_t output_count;
} GeRegion;

/** Directions of GeMemorySpace.copy. */
#define GE_COPY_TO_SPACE 0   /* from the host's memory to the engine's */
#define GE_COPY_FROM_SPACE 1 /* from the engine's memory to the host's */
#define GE_COPY_INSIDE 2     /* both ends are in the engine's memory */

/** Memory of an engine's own, which the host neither reads nor writes (a device's). Kernels of an engine that has it
 * find all inputs, outputs and the workspace there; the host plans one arena per space, and copies values where they
 * cross its border. Constants are copied once. Addresses are numbers to the host: it adds offsets to them, no more.
 *
 * Streams: work that is given to one stream is done in the order in which it was given. With streams, run and copy may
 * answer before their work is done; its errors are then told by synchronize. Without (the three functions are null),
 * both answer when it is done. Each context that runs a model makes one stream per engine, and a second one for copies
 * to the host if the engine has events. A stream may be null, as CUDA's default stream is: run gets it, synchronize
 * waits for it and tells its errors, and marks are recorded in it, as with any other; copies on it are done when copy
 * answers, after the work that was given to it before; destroy_stream is not called for it.
 *
 * Events: marks in a stream that the host or another stream of the engine waits for. With them the host goes on while a
 * copy to it is under way, and waits for that one copy when it needs the value. All five functions or none; they need
 * streams. */
typedef struct GeMemorySpace {
  size_t struct_size;
  const char *name;   /* in plans, profiles and messages: "cuda:0" */
  uint64_t alignment; /* of every buffer: a power of two, 64 to 65536 */
  /** At least one byte is asked for. GE_OUT_OF_MEMORY: there is none. Called from several threads. */
  GeStatus (*allocate)(void *engine, uint64_t bytes, void **memory);
  /** Nothing that was given to a stream uses the memory any more. */
  void (*release)(void *engine, void *memory);
  /** direction: GE_COPY_*. With GE_COPY_TO_SPACE `from` may change as soon as copy has answered; with
   * GE_COPY_FROM_SPACE `to` is filled when synchronize has answered. stream null: it is done when copy answers
   * (constants are copied so, whatever streams there are). */
  GeStatus (*copy)(void *engine, void *stream, void *to, const void *from, uint64_t bytes, int32_t direction);
  GeStatus (*create_stream)(void *engine, void **stream);
  /** All work of the stream is done. Not called for a null stream. */
  void (*destroy_stream)(void *engine, void *stream);
  /** Answers when all work of the stream is done: GE_SUCCESS, or what the first of it to fail failed with. */
  GeStatus (*synchronize)(void *engine, void *stream);
  GeStatus (*create_event)(void *engine, void **event);
  /** Nothing waits for it any more. */
  void (*destroy_event)(void *engine, void *event);
  /** The event is reached when all work is done that was given to the stream before. Recorded again it stands for the
   * later moment. */
  GeStatus (*record_event)(void *engine, void *stream, void *event);
  /** Answers when the event is reached: as synchronize, for the work before it. */
  GeStatus (*wait_event)(void *engine, void *event);
  /** Work that is given to the stream later begins when the event is reached, as it was recorded last. */
  GeStatus (*stream_wait_event)(void *engine, void *stream, void *event);
} GeMemorySpace;

/** Moments of GeEngineTable.optimize. */
#define GE_HOOK_BEFORE_OPTIMIZATION                                                                                   \
  0                                  /* shapes and types are inferred as far as they are known; nothing is claimed or \
                                        fused yet */
#define GE_HOOK_AFTER_OPTIMIZATION 1 /* of a graph whose shapes are known, before its kernels are made */

/** The table an engine exports. abi_version comes first, struct_size second, and stay so. A table may be shorter or
 * longer than the host's: what the engine lacks is not called, what the host does not know is passed over
 * (docs/abi.md). */
typedef struct GeEngineTable {
  uint32_t abi_version;
  uint32_t reserved;
  size_t struct_size;
  const char *name;    /* "AIcoreEngine" */
  const char *version; /* free text */
  int32_t cost;        /* any number; lower is asked first; GE's engines have 0 … 10 */
  uint32_t flags;      /* GE_ENGINE_* */
  /** Called once after loading. path: where the library was found ("" when linked in). options: "key=value" lines. */
  GeStatus (*open)(const GeEngineHost *host, const char *path, const char *options, void **engine);
  void (*close)(void *engine);
  /** GE_SUCCESS: the engine runs this node. GE_UNSUPPORTED: it does not, and reason (reason_capacity bytes,
   * zero-terminated) says why. Shapes may be unknown (-1): answer for the operator then. Called from several threads.
   */
  GeStatus (*check)(void *engine, const GeOpDesc *op, char *reason, size_t reason_capacity);
  /** Makes a kernel for a node whose shapes are all known and which check accepted. Constant inputs carry data.
   * Attribute and tensor pointers die with the call; the address of a constant's data (GE_TENSOR_CONSTANT) lives as
   * long as the model, its content too unless every kernel that reads it said GE_KERNEL_READS_PACKED. Called from
   * several threads. */
  GeStatus (*create_kernel)(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out);
  /** Looks at a whole graph before operators are fused, and takes what it wants to run together (GeClaims.take).
   * GE_SUCCESS, also when it takes nothing; any other status fails the compile with it. Asked
   * once per compile, after the program's own passes and after what is not needed has gone; composite engines first,
   * then by cost. Null: the engine is asked about single nodes only. Called from several threads, one graph each. */
  GeStatus (*claim)(void *engine, const GeGraphView *graph, const GeClaims *claims);
  /** Makes one kernel for a region that claim took, when all its shapes are known. GE_UNSUPPORTED: the engine does not
   * run it after all (the message given to `fail` says why); its nodes are then fused and placed like all others. With
   * any other status but GE_SUCCESS the compile, or the run that has these shapes, fails.
   * Nulls, lives, names and threads: as create_kernel. A region's kernel may have neither GE_KERNEL_VIEW nor
   * GE_KERNEL_DATA_DEPENDENT. Not null where claim is not. */
  GeStatus (*create_region)(void *engine, const GeRegion *region, const GeKernelEnv *env, GeKernel *out);
  /** Where its kernels compute; null: in the host's memory. Lives as long as the library is loaded. With memory of its
   * own no kernel may have GE_KERNEL_DATA_DEPENDENT. */
  const GeMemorySpace *memory;
  /** Changes the graph for the engine's own nodes, with the functions of ge/graph.h and ge/pattern.h (directly, or by
   * GeEngineHost.get_proc). hook: GE_HOOK_*. Engines are called as for claims; the second hook once for every plan
   * where shapes are open. GE_SUCCESS: it was changed. GE_NOT_CHANGED: it was not. GE_UNSUPPORTED: what was changed is
   * undone, and the compile goes on. With any other status, and where the changed graph is not valid, takes or gives
   * anything else (number, types, ranks and known extents of inputs and outputs), or lacks a node that another engine
   * claimed or the program gave to another engine, it is undone too and the compile fails. The
   * handle is the callee's until it returns. Null: the engine changes nothing. Called from several threads, one graph
   * each. */
  GeStatus (*optimize)(void *engine, GeGraph *graph, int32_t hook);
  /** Makes a kernel that serves all extents within bounds: those that only a run knows are -1 in `op`, `extents` tells
   * what is known of them, and run finds them in its arguments. Asked for nodes that this engine is to run, once for
   * all sizes; GE_UNSUPPORTED: create_kernel makes one for each size. Aliases hold for all extents, so only those with
   * offset 0 are used; GE_KERNEL_DATA_DEPENDENT is not allowed. The rest as create_kernel. May be null. */
  GeStatus (*create_open_kernel)(void *engine, const GeOpDesc *op, const GeOpenExtents *extents, const GeKernelEnv *env,
                                 GeKernel *out);
  /** Channels in a block of C_FORMAT_NC1HWC0, the layout that its convolutions are fastest in on a processor with these
   * GE_CPU_*: 2 to 1024, or 0 where it likes no blocks. Of the engines that a compile uses, the first by cost that
   * names a number decides for the graph; a node then gets blocks where an engine's check takes it so. Null: 0. Called
   * once per compile and size, from several threads. */
  int32_t (*channel_block)(void *engine, uint64_t cpu_features);
  /** Libraries that the engine opens when the first kernel needs them, beside those that it is linked with. *opened:
   * the names of those that are open, separated by ", "; "" where none is. The text is the engine's, valid until it is
   * closed. open not 0: opens all of them first (GeDoctor asks so); fails with what keeps it from that, and a kernel
   * that needs one is then refused by create_kernel. Null: there are none. Called from several threads. */
  GeStatus (*libraries)(void *engine, int32_t open, const char **opened);
} GeEngineTable;

GE_EXTERN_C_BEGIN

/** The symbol a plug-in exports: returns its table, or null when it needs a newer host than host_engine_abi.
 *  Owner: static storage of the plug-in. Nulls: may return null. Threads: called once. Errors: null. Since: ABI 1. */
typedef const GeEngineTable *(*GeEngineQueryFn)(uint32_t host_engine_abi);
#define GE_ENGINE_QUERY_SYMBOL "GeEngineQuery"

/** Loads an engine library and adds it to the process-wide registry; an engine of the same name is replaced for later
 *  compilations. The file may have any name. The refusal names path and what is wrong: no such file, no library for
 *  this processor, the loader's error, no symbol GeEngineQuery, both ABI versions, an incomplete table.
 *  Owner: library keeps it loaded until GeEngineUnload and the last model using it. Nulls: path must not be null;
 * options may be null. Threads: any. Errors: GE_PATH_INVALID, GE_ABI_MISMATCH, GE_PARAM_INVALID (incomplete table),
 * whatever open returned. Since: ABI 1. */
GE_API GeStatus GeEngineLoad(const char *path, const char *options);

/** Adds an engine that is linked into the program.
 *  Owner: table stays the caller's, valid until unload. Nulls: table must not be null. Threads: any. Errors: as
 *  GeEngineLoad. Since: ABI 1. */
GE_API GeStatus GeEngineRegister(const GeEngineTable *table, const char *options);

/** Removes an engine from the registry; models that use it keep it alive.
 *  Owner: n/a. Nulls: name must not be null. Threads: any. Errors: GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeEngineUnload(const char *name);

/** An engine as GeEngineAt tells of it. The caller sets struct_size. */
typedef struct GeEngineInfo {
  size_t struct_size;
  const char *name;
  const char *version;
  const char *path; /* "" when linked in */
  int32_t cost;
  uint32_t flags;
  const char *error;     /* "" when usable, else why loading failed or that it hangs */
  const char *libraries; /* that it has opened so far as kernels needed them (GeEngineTable.libraries); "": none */
} GeEngineInfo;

/** Number of engines known, failed ones included. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeEngineCount(void);
/** Engine `index` in order of cost, failed ones included.
 *  Owner: *out's texts are the library's, until the registry changes. Nulls: out must not be null. Threads: any.
 *  Errors: GE_PARAM_INVALID (index), GE_ABI_MISMATCH (struct_size). Since: ABI 1. */
GE_API GeStatus GeEngineAt(size_t index, GeEngineInfo *out);

/** Asks a usable engine whether it takes a node that looks like `op`, as placement does; shapes may be unknown.
 *  GE_SUCCESS: it does. GE_UNSUPPORTED: it does not, and the last error's message is its reason.
 *  Owner: n/a. Nulls: none allowed. Threads: any. Errors: GE_NOT_FOUND (no usable engine of that name), GE_UNSUPPORTED.
 *  Since: ABI 1. */
GE_API GeStatus GeEngineCheck(const char *name, const GeOpDesc *op);

GE_EXTERN_C_END
#endif
