/* Passes as objects, scopes that say which of them run, and instruments that watch them.
 *
 * A pass is found by its name, made of a function, or a sequence of others. Applied, it runs on a root graph with its
 * subgraphs, and leaves the graph as it was when it fails. A scope holds what a program asks of passes; scopes nest on
 * a stack that each thread has, and a compile takes the scope of the thread that starts it. Only sequences and compiles
 * ask whether a pass may run: disabled, or off by a switch: no; required, or on: yes; else by its level. */
#ifndef GE_PASS_MANAGER_H_
#define GE_PASS_MANAGER_H_

#include <stddef.h>

#include "ge/graph.h"
#include "ge/pass.h"
#include "ge/status.h"

/** A pass. Threads may share it as long as its function allows that. */
typedef struct GePass GePass;
/** Levels, names, options and instruments for passes. One thread at a time. */
typedef struct GePassScope GePassScope;
/** Watches passes on each thread that runs some under a scope which has it. The library's own may be shared by threads:
 * what they gathered goes when a scope is entered while no other thread is inside one. */
typedef struct GeInstrument GeInstrument;

#define GE_PASS_MODULE 0    /* once, with the root graph */
#define GE_PASS_PER_GRAPH 1 /* once per graph of the tree; it may neither add nor remove graphs */

/** A pass that is made of a function. */
typedef struct GePassFunction {
  size_t struct_size;
  const char *name;
  int32_t level;  /* runs in sequences under a scope whose level is at least this */
  int32_t kind;   /* GE_PASS_MODULE, GE_PASS_PER_GRAPH */
  uint32_t flags; /* GE_PASS_TRACEABLE, or 0 */
  uint32_t reserved;
  const char *const *required; /* names of passes that run before it, whatever their level */
  size_t required_count;
  /** GE_SUCCESS: changed; GE_NOT_CHANGED; anything else: failed, the graph is put back as it was. */
  GeStatus (*run)(void *user, GeGraph *graph, GePassContext *context);
  void (*destroy)(void *user); /* called once, also when making the pass fails; may be null */
  void *user;
} GePassFunction;

#define GE_CONFIG_BOOL 0   /* GeConfigValue.integer, 0 or 1 */
#define GE_CONFIG_INT 1    /* GeConfigValue.integer */
#define GE_CONFIG_FLOAT 2  /* GeConfigValue.number; a whole number is one too */
#define GE_CONFIG_STRING 3 /* GeConfigValue.text */

/** An option of passes. */
typedef struct GeConfigValue {
  const char *key;
  int32_t type; /* GE_CONFIG_* */
  uint32_t reserved;
  int64_t integer;
  double number;
  const char *text;
} GeConfigValue;

/** A key that options of passes may have. The caller sets struct_size. */
typedef struct GeConfigKey {
  size_t struct_size;
  const char *name;
  int32_t type; /* GE_CONFIG_* */
  uint32_t reserved;
  const char *text; /* what it means, in a sentence */
} GeConfigKey;

/** The parts of a scope. */
typedef struct GePassScopeParts {
  size_t struct_size;
  int32_t level;               /* 0 or more; 2 is that of a thread without scopes */
  int32_t collect_diagnostics; /* 1: GePassScopeReport is kept */
  const char *const *required; /* names that run whatever their level */
  size_t required_count;
  const char *const *disabled; /* names that never run; stronger than required */
  size_t disabled_count;
  GeInstrument *const *instruments; /* in the order they are called */
  size_t instrument_count;
  const GeConfigValue *config;
  size_t config_count;
  const GePassScope *diagnostics_of; /* null, or a scope that collects: remarks go where its own go */
} GePassScopeParts;

/** A remark on a graph. */
typedef struct GeDiagnostic {
  size_t struct_size;
  int32_t severity; /* GE_LOG_ERROR, GE_LOG_WARNING, GE_LOG_INFO */
  uint32_t reserved;
  const char *node; /* "": the whole graph */
  const char *text;
} GeDiagnostic;

/** The functions of a program's own instrument. Every function may be null. What is not GE_SUCCESS goes on at once to
 *  whoever enters the scope or runs the pass, with the last error. */
typedef struct GeInstrumentTable {
  size_t struct_size;
  const char *name;
  GeStatus (*enter)(void *user);
  GeStatus (*exit)(void *user);
  /** *run is 1 at first; 0 leaves the pass out, unless the scope requires it. */
  GeStatus (*should_run)(void *user, GeGraph *graph, const GePassInfo *info, int32_t *run);
  GeStatus (*before)(void *user, GeGraph *graph, const GePassInfo *info);
  GeStatus (*after)(void *user, GeGraph *graph, const GePassInfo *info); /* only of a pass that ran and did not fail */
  void (*destroy)(void *user); /* called once, also when making the instrument fails; may be null */
  void *user;
} GeInstrumentTable;

#define GE_INSTRUMENT_TEXT 0
#define GE_INSTRUMENT_JSON 1

GE_EXTERN_C_BEGIN

/* ---- passes ---- */

/** A registered pass.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_NOT_FOUND (near names). Since: ABI 1. */
GE_API GeStatus GePassFind(const char *name, GePass **out);
/** A pass made of a function; nothing is registered.
 *  Owner: caller destroys *out; the library keeps user until the pass is gone. Nulls: function, name, run, out must not
 *  be null. Threads: any. Errors: GE_PARAM_INVALID (unknown kind or flag), GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GePassMake(const GePassFunction *function, GePass **out);
/** A pass that runs others in order: those that the scope lets run, each behind those that it requires.
 *  Owner: caller destroys *out; the passes are shared. Nulls: lists may be null when their count is 0. Threads: any.
 *  Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GePassSequence(const char *name, int32_t level, GePass *const *passes, size_t count,
                               const char *const *required, size_t required_count, GePass **out);
/** Gives one reference back. Owner: consumes. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GePassDestroy(GePass *pass);
/** The facts that a pass tells of itself.
 *  Owner: texts are the pass's. Nulls: none allowed. Threads: any. Errors: GE_ABI_MISMATCH (struct_size). Since: ABI 1.
 */
GE_API GeStatus GePassGetInfo(const GePass *pass, GePassInfo *out);
/** Runs the pass in place, under this thread's scope; a failure leaves the graph as it was. GE_NOT_CHANGED when it
 *  rewrote nothing.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (a subgraph), GE_NOT_FOUND (a pass that
 *  one requires), GE_BAD_STATE (passes that require one another), whatever the pass or an instrument returned. Since:
 *  ABI 1. */
GE_API GeStatus GePassApply(const GePass *pass, GeGraph *graph);
/** Why the rules of a pass do not match a graph: the pass runs on a copy, which is inferred before the first pass that
 *  belongs behind inference, also in a sequence. What is written is JSON, {"applied": {rule: count}, "misses":
 *  [{"rule", "root", "constraint", "pattern_node", "node", "expected", "actual", "traceback"}, …]}. A miss is the place
 *  at which a candidate ended, those first of which most had matched; constraint: operator, arity, position, dtype,
 *  shape, attribute, constant, reader, cycle, predicate (code said no: see GePassContextRefuse), or gate: the pass is
 *  disabled, off, above the level, waits for shapes, or an instrument does not let it run. Nothing applied and no
 *  misses: there is nothing to try. Owner: n/a. Nulls: node null or "": the nearest of each rule, else only what
 *  concerns nodes of this name, and gates. Threads: graph's. Errors: GE_PARAM_INVALID (a subgraph), GE_NOT_FOUND (no
 *  such node, near names), GE_INFER_FAILED, what the pass returned. Since: ABI 1. */
GE_API GeStatus GePassWhyNot(const GePass *pass, const GeGraph *graph, const char *node, GeTextFn write, void *user);
/** Makes later compiles run the pass in a stage. *token is what GeCustomPassUnregister takes.
 *  Owner: the library keeps a reference until then. Nulls: token may be null. Threads: any. Errors: GE_PARAM_INVALID
 *  (name taken, unknown stage). Since: ABI 1. */
GE_API GeStatus GePassRegisterForStage(const GePass *pass, int32_t stage, uint64_t *token);

/* ---- scopes ---- */

/** A scope, not entered yet.
 *  Owner: caller destroys *out; instruments are shared, texts are copied. Nulls: lists may be null when their count is
 * 0. Threads: any. Errors: GE_OPTION_INVALID (unknown key, wrong type, level), GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GePassScopeCreate(const GePassScopeParts *parts, GePassScope **out);
/** Gives one reference back; a scope that is entered stays so.
 *  Owner: consumes. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GePassScopeDestroy(GePassScope *scope);
/** This thread's innermost scope; the default one where none was entered.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GePassScopeCurrent(GePassScope **out);
/** Puts the scope on this thread's stack and enters its instruments in order. If one fails, those that had entered are
 *  left again, the scope loses all its instruments, and is not entered.
 *  Owner: n/a. Nulls: none allowed. Threads: any. Errors: what an instrument returned. Since: ABI 1. */
GE_API GeStatus GePassScopeEnter(GePassScope *scope);
/** Takes the scope off the stack and leaves its instruments in order. If one fails, the scope loses all of them and
 *  those behind it are not called; the scope is off the stack all the same.
 *  Owner: n/a. Nulls: none allowed. Threads: the one that entered it. Errors: GE_BAD_STATE (not the innermost scope of
 *  this thread), what an instrument returned. Since: ABI 1. */
GE_API GeStatus GePassScopeExit(GePassScope *scope);
/** Leaves the present instruments and enters others in their place, as above.
 *  Owner: instruments are shared. Nulls: the list may be null when count is 0. Threads: scope's. Errors: what an
 *  instrument returned. Since: ABI 1. */
GE_API GeStatus GePassScopeOverrideInstruments(GePassScope *scope, GeInstrument *const *instruments, size_t count);
/** 1 when the scope is this thread's innermost. Owner: n/a. Nulls: null gives 0. Threads: any. Errors: none. Since:
 *  ABI 1. */
GE_API int32_t GePassScopeIsCurrent(const GePassScope *scope);
/** The scope's level. Owner: n/a. Nulls: null gives -1. Threads: scope's. Errors: none. Since: ABI 1. */
GE_API int32_t GePassScopeLevel(const GePassScope *scope);
/** Name `index` of those that are required (disabled 0) or disabled (1), sorted; null behind the last.
 *  Owner: the scope. Nulls: null gives null. Threads: scope's. Errors: none. Since: ABI 1. */
GE_API const char *GePassScopeName(const GePassScope *scope, int32_t disabled, size_t index);
/** The value that was set for a key.
 *  Owner: texts are the scope's. Nulls: none allowed. Threads: scope's. Errors: GE_NOT_FOUND (not set),
 *  GE_OPTION_INVALID (no such key). Since: ABI 1. */
GE_API GeStatus GePassScopeGetConfig(const GePassScope *scope, const char *key, GeConfigValue *out);
/** A remark for this thread's scope; it is dropped where that collects none.
 *  Owner: texts are copied. Nulls: node may be null. Threads: any. Errors: GE_PARAM_INVALID (severity). Since: ABI 1.
 */
GE_API GeStatus GePassScopeReport(int32_t severity, const char *node, const char *text);
/** Number of remarks. Owner: n/a. Nulls: null gives 0. Threads: scope's. Errors: none. Since: ABI 1. */
GE_API size_t GePassScopeDiagnosticCount(const GePassScope *scope);
/** Remark `index`, in the order of coming.
 *  Owner: texts are the scope's, until more came and the next is asked for. Nulls: none allowed. Threads: scope's.
 * Errors: GE_PARAM_INVALID (index), GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GePassScopeDiagnosticAt(const GePassScope *scope, size_t index, GeDiagnostic *out);

/** Makes a key known; the same with the same type again is fine.
 *  Owner: texts are copied. Nulls: text may be null. Threads: any. Errors: GE_PARAM_INVALID (empty, unknown type, known
 *  with another type). Since: ABI 1. */
GE_API GeStatus GeConfigKeyRegister(const char *key, int32_t type, const char *text);
/** Number of keys. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */
GE_API size_t GeConfigKeyCount(void);
/** Key `index`, by name.
 *  Owner: texts are the library's, for good. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID (index),
 *  GE_ABI_MISMATCH. Since: ABI 1. */
GE_API GeStatus GeConfigKeyAt(size_t index, GeConfigKey *out);

/* ---- instruments ---- */

/** An instrument of the program's own.
 *  Owner: caller destroys *out; the library keeps user until the instrument is gone. Nulls: table, name, out must not
 * be null. Threads: any; the functions are called by the thread that runs passes. Errors: GE_ABI_MISMATCH. Since:
 * ABI 1.
 */
GE_API GeStatus GeInstrumentMake(const GeInstrumentTable *table, GeInstrument **out);
/** One of the library's: "timing"; "memory" (peak and net bytes); "counter" (tried, matched, applied, declined by
 * rule); "print-before" and "print-after" (the graph as text on stdout; argument: names of passes with commas between,
 * "" for all); "dump" (the graph after each pass that changed it, as numbered files; argument: the folder). Owner:
 * caller destroys *out. Nulls: argument may be null. Threads: any. Errors: GE_NOT_FOUND (near names), GE_PARAM_INVALID
 * (argument), GE_PATH_INVALID. Since: ABI 1. */
GE_API GeStatus GeInstrumentFind(const char *name, const char *argument, GeInstrument **out);
/** Another reference. Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_PARAM_INVALID. Since:
 *  ABI 1. */
GE_API GeStatus GeInstrumentRetain(const GeInstrument *instrument, GeInstrument **out);
/** Gives one reference back. Owner: consumes. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */
GE_API void GeInstrumentDestroy(GeInstrument *instrument);
/** Writes all that the instrument gathered: GE_INSTRUMENT_TEXT for people, GE_INSTRUMENT_JSON for programs.
 *  Owner: n/a. Nulls: none allowed. Threads: instrument's. Errors: GE_PARAM_INVALID (form). Since: ABI 1. */
GE_API GeStatus GeInstrumentRender(const GeInstrument *instrument, int32_t form, GeTextFn write, void *user);

GE_EXTERN_C_END
#endif
