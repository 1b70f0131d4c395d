/* Every exported function as a case: how it is called with everything valid, and with one pointer argument null. */
#ifndef GE_TESTS_CAPI_EVERY_FIXTURE_H_
#define GE_TESTS_CAPI_EVERY_FIXTURE_H_

#include "ge/engine.h"
#include "ge/flow.h"
#include "ge/log.h"
#include "ge/model.h"
#include "ge/offline.h"
#include "ge/op.h"
#include "ge/parser_plugin.h"
#include "ge/pass.h"
#include "ge/pass_library.h"
#include "ge/pattern.h"
#include "ge/profile.h"
#include "ge/scope_fusion.h"
#include "ge/state.h"
#include "ge/tensorflow.h"
#include "ge/version.h"
#include "tests/capi/every/fault.h"
#include "tests/capi/helpers.h"

/* What the calls work on. Freed as a whole, so that a case only writes what it made into a slot. */
typedef struct Fixture {
  GeGraph *graph, *sub; /* data -> a -> b, data -> call; a lone graph */
  GeNode *data, *a, *b, *call;
  EsCGraphBuilder *builder; /* with x as input 0 and output 0 */
  EsCTensorHolder *x, *y;
  GeGraph *built; /* the builder's graph, for comparing */
  GeTensor *tensor;
  EsCGraph *box; /* a built ES graph, for cases that ask for one */
  /* made only for cases that ask for them */
  GeGraph *net;       /* Data -> Relu -> NetOutput, float [2, 3] */
  GeOptions *options; /* one thread */
  GeModel *model;
  GeRunContext *context;
  GeState *state;           /* of the model: its input is the output before */
  GeSessionHandle *session; /* graph 1: compiled, graph 2: not */
  void *offline;            /* bytes of an offline model */
  size_t offline_size;
  GePattern *pattern; /* any -> Relu, which is captured */
  GeMatcher *matcher; /* of it in net */
  GeMatch *match;     /* net's Relu */
  GeBoundary *boundary;
  GeGraph *replacement; /* any -> Neg -> Relu */
  GePassContext *pass_context;
  GeFlow *flow; /* of the net */
  /* slots for what a case makes */
  GePattern *out_pattern;
  GeMatcher *out_matcher;
  GeMatch *out_match;
  GeBoundary *out_boundary;
  GePassContext *out_pass_context;
  GeFlow *out_flow;
  GeGraph *out_graph;
  GeTensor *out_tensor;
  GeNode *out_node;
  EsCGraph *out_box;
  EsCTensor *out_es_tensor;
  EsCGraphBuilder *out_builder;
  EsCTensorHolder *out_holder;
  GeModel *out_model;
  GeRunContext *out_context;
  GeState *out_state;
  GeSessionHandle *out_session;
  GeOptions *out_options;
  const GeOpSchema *out_schema;
  const GeOpTraits *out_traits;
  int wrong;      /* WRONG_*: what takes the place of the pointer under test */
  int kind;       /* KIND_* of the pointer whose place was taken */
  void *out_slot; /* the slot whose address was passed last, or null */
} Fixture;

enum { WRONG_NULL, WRONG_KIND, WRONG_DEAD, WRONG_ADDRESS };
enum {
  KIND_OTHER,
  KIND_GRAPH,
  KIND_TENSOR,
  KIND_NODE,
  KIND_MODEL,
  KIND_CONTEXT,
  KIND_STATE,
  KIND_OPTIONS,
  KIND_SESSION,
  KIND_BUILDER,
  KIND_HOLDER,
  KIND_ES_GRAPH,
  KIND_ES_TENSOR,
  KIND_ES_NODE
};
#define KIND(value)                          \
  _Generic((value), GeGraph *                \
           : KIND_GRAPH, GeTensor *          \
           : KIND_TENSOR, GeNode *           \
           : KIND_NODE, GeModel *            \
           : KIND_MODEL, GeRunContext *      \
           : KIND_CONTEXT, GeState *         \
           : KIND_STATE, GeOptions *         \
           : KIND_OPTIONS, GeSessionHandle * \
           : KIND_SESSION, EsCGraphBuilder * \
           : KIND_BUILDER, EsCTensorHolder * \
           : KIND_HOLDER, EsCGraph *         \
           : KIND_ES_GRAPH, EsCTensor *      \
           : KIND_ES_TENSOR, EsCNode *       \
           : KIND_ES_NODE, default           \
           : KIND_OTHER)

/* What a case asks for beyond the graphs */
#define NEED_NET 1
#define NEED_OPTIONS 2
#define NEED_MODEL (4 | NEED_NET | NEED_OPTIONS)
#define NEED_CONTEXT (8 | NEED_MODEL)
#define NEED_SESSION (16 | NEED_NET | NEED_OPTIONS)
#define NEED_BOX 32
#define NEED_PASS 64                   /* a pass "TestPass" is registered */
#define NEED_ENGINE 128                /* an engine "TestEngine" is registered */
#define NEED_AIR 256                   /* Temp("small.air") holds a saved graph */
#define NEED_ONNX 512                  /* Temp("small.onnx"), Temp("small.pbtxt") and Temp("bytes.bin") are there */
#define NEED_PROTOTYPE (1024 | KEEPS)  /* one that was not there before is registered */
#define NEED_OFFLINE (4096 | NEED_NET) /* an offline model of the net */
#define NEED_PATTERN (8192 | NEED_NET) /* all that has to do with patterns */
#define NEED_FLOW (16384 | NEED_NET | NEED_OPTIONS)
#define NEED_STATE (32768 | NEED_CONTEXT)
#define KEEPS 2048 /* what it makes stays for the life of the process */

/* What out of memory does to a call */
#define NEVER 0     /* it does not allocate */
#define ALLOCATES 1 /* it is refused with GE_OUT_OF_MEMORY, everything as before */
#define TOLERATES 2 /* it allocates, but does its work without, too */

typedef struct Case {
  const char *function;
  const char *variant; /* "" or what is special */
  /* A letter per pointer parameter, then after '+' per pointer inside what is passed:
   * R  null is refused with GE_PARAM_INVALID (data fed to a run: GE_DATA_MISMATCH) and a message that says what is null
   * S  the same, said in words of its own
   * N  null means something, the call succeeds (the case itself compares values) */
  const char *pointers;
  int memory; /* NEVER, ALLOCATES, TOLERATES */
  int needs;  /* NEED_* */
  /* null: 0, or the pointer (1, 2, …) that is null */
  GeStatus (*call)(Fixture *w, int null);
  struct Case *next;
} Case;

void AddCase(Case *c);
const Case *Cases(void);

/* Runs check(case) in a process of its own for every case, or for those of the function that the environment variable
 * GE_CASE names, so that a crash names the function too. Returns how many failed. */
int ForEveryCase(void (*check)(const Case *c));

Fixture MakeFixture(int needs);
void FreeFixture(Fixture *w);
/* What takes the place of a pointer of this kind; null where nothing else can. */
void *Instead(Fixture *w, int kind);
char *FixtureText(const Fixture *w); /* caller frees */
const char *Temp(const char *name);  /* path in the folder for files of this process; static storage, few at a time */
void MakeTemp(void);
void RemoveTemp(void);
/* An address that no call leaves in a slot, so that "set to null" shows. */
void *PassSlot(Fixture *w, void *slot);

#define CASE_NAMED(id, name, variant, pointers, memory, needs, ...)            \
  static GeStatus Call_##id(Fixture *w, int null) {                            \
    (void)w;                                                                   \
    (void)null;                                                                \
    __VA_ARGS__                                                                \
  }                                                                            \
  __attribute__((constructor)) static void Add_##id(void) {                    \
    static Case c = {name, variant, pointers, memory, needs, Call_##id, NULL}; \
    AddCase(&c);                                                               \
  }
/* STATUS: the expression is the status. HANDLE: a pointer, null with the reason in the last error. CODE: an ES status.
 * VALUE: a condition that must hold. VOID: a call without a result. DO: statements that return a status. */
#define DO(f, pointers, memory, needs, ...) CASE_NAMED(f, #f, "", pointers, memory, needs, __VA_ARGS__)
#define STATUS(f, pointers, memory, needs, ...) DO(f, pointers, memory, needs, return (__VA_ARGS__);)
#define HANDLE(f, pointers, memory, needs, ...) DO(f, pointers, memory, needs, return PointerStatus(__VA_ARGS__);)
#define VALUE(f, pointers, memory, needs, ...) \
  DO(f, pointers, memory, needs, assert_true(__VA_ARGS__); return GE_SUCCESS;)
#define VOID(f, pointers, memory, needs, ...) DO(f, pointers, memory, needs, (__VA_ARGS__); return GE_SUCCESS;)
/* A second way to call a function. */
#define VARIANT(f, id, variant, pointers, memory, needs, ...) \
  CASE_NAMED(f##_##id, #f, variant, pointers, memory, needs, __VA_ARGS__)

/* Argument k: what is valid, or the null (or other wrong handle) of the test. */
#define P(k, value) (null == (k) ? Instead(w, KIND(value)) : (value))
#define O(k, slot) (null == (k) ? NULL : PassSlot(w, &(slot)))

static inline GeStatus PointerStatus(const void *pointer) { return pointer ? GE_SUCCESS : GeLastErrorCode(); }
static inline void IgnoreText(void *user, const char *text, size_t length) {
  (void)user;
  (void)text;
  (void)length;
}

static const int64_t kDims[] = {2, 3};
static const float kValues[6] = {1, -2, 3, -4, 5, -6};
static inline GeTensorData FloatData(void) {
  GeTensorData d = FloatDesc(kDims, 2);
  d.data = (void *)(intptr_t)kValues;
  d.size = sizeof kValues;
  return d;
}

static inline void CheckRelu(const GeTensorData *out) {
  assert_int_equal(out->size, 24);
  for (int i = 0; i < 6; ++i) assert_true(((const float *)out->data)[i] == (kValues[i] > 0 ? kValues[i] : 0));
}

extern const unsigned char kSmallOnnx[];
extern const size_t kSmallOnnxSize;
/* The same as a TensorFlow graph, as text. */
extern const char kSmallTensorFlow[];
extern const size_t kSmallTensorFlowSize;
extern GePassTable kTestPass;
extern const GeEngineTable kTestEngine;

#endif
