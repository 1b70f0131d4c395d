/* Patterns, matches, boundaries, rewriting, and GE's passes. */
#include "tests/capi/every/fixture.h"

static GeNode *NodeNamed(GeGraph *graph, const char *name) {
  GeNode *node = NULL;
  FaultDisarmed(OK(GeGraphFindNode(graph, name, &node)));
  return node;
}
static GeGraph *PatternGraph(const Fixture *w) {
  GeGraph *graph = NULL;
  FaultDisarmed({
    OK(GePatternRetainGraph(w->pattern, &graph));
    GeGraphDestroy(graph); /* the pattern keeps it */
    graph = NULL;
    OK(GePatternRetainGraph(w->pattern, &graph));
  });
  return graph;
}

STATUS(GePatternCreate, "RR", ALLOCATES, NEED_NET, GePatternCreate(P(1, w->net), O(2, w->out_pattern)))
DO(GePatternDestroy, "N", NEVER, NEED_PATTERN, {
  GePattern *pattern = w->pattern;
  if (!null) w->pattern = NULL;
  GePatternDestroy(P(1, pattern));
  return GE_SUCCESS;
})
STATUS(GePatternRetainGraph, "RR", ALLOCATES, NEED_PATTERN, GePatternRetainGraph(P(1, w->pattern), O(2, w->out_graph)))
DO(GePatternCapture, "RR", ALLOCATES, NEED_PATTERN, {
  GeGraph *graph = PatternGraph(w);
  GeStatus status = GePatternCapture(P(1, w->pattern), P(2, NodeNamed(graph, "any")), 0);
  GeGraphDestroy(graph);
  return status;
})
VALUE(GePatternCapturedCount, "N", NEVER, NEED_PATTERN, GePatternCapturedCount(P(1, w->pattern)) == (null ? 0 : 1))
DO(GePatternGetCaptured, "RR", NEVER, NEED_PATTERN, {
  GeNodeIo io;
  return GePatternGetCaptured(P(1, w->pattern), 0, P(2, &io));
})

/* ---- what else a pattern says ---- */

/* A pattern of its own, x + y, so that the fixture's stays as it is. */
typedef struct Sum {
  GePattern *pattern;
  GeGraph *graph;
  GeNode *x, *add, *other;
} Sum;
static GeNode *AnyNode(GeGraph *graph, const char *type, const char *name) {
  const GeNodeSpec spec = {.struct_size = sizeof spec, .type = type, .name = name};
  GeNode *node = NULL;
  OK(GeGraphAddNode(graph, &spec, &node));
  return node;
}
static Sum MakeSum(void) {
  Sum sum = {0};
  FaultDisarmed({
    const int32_t port = 0;
    OK(GeGraphCreate("sum", &sum.graph));
    sum.x = AnyNode(sum.graph, "Data", "x");
    sum.add = AnyNode(sum.graph, "Add", "add");
    sum.other = AnyNode(sum.graph, "Mul", "mul");
    for (int32_t i = 0; i < 2; ++i) {
      OK(GeGraphAddDataEdge(sum.graph, sum.x, 0, sum.add, i));
      OK(GeGraphAddDataEdge(sum.graph, sum.x, 0, sum.other, i));
    }
    OK(GeGraphSetOutputs(sum.graph, &sum.add, &port, 1));
    OK(GePatternCreate(sum.graph, &sum.pattern));
  });
  return sum;
}
static GeStatus Done(const Sum *sum, GeStatus status) {
  GePatternDestroy(sum->pattern);
  GeGraphDestroy(sum->graph);
  return status;
}

DO(GePatternSetCommutative, "RR", ALLOCATES, 0, {
  Sum s = MakeSum();
  return Done(&s, GePatternSetCommutative(P(1, s.pattern), P(2, s.add)));
})
DO(GePatternAddTypes, "RRR+R", ALLOCATES, 0, {
  Sum s = MakeSum();
  const char *types[] = {P(4, "Sub")};
  return Done(&s, GePatternAddTypes(P(1, s.pattern), P(2, s.add), P(3, types), 1));
})
DO(GePatternSetOptional, "RR", ALLOCATES, 0, {
  Sum s = MakeSum();
  return Done(&s, GePatternSetOptional(P(1, s.pattern), P(2, s.add), 1));
})
DO(GePatternSetDynamic, "RR", ALLOCATES, 0, {
  Sum s = MakeSum();
  return Done(&s, GePatternSetDynamic(P(1, s.pattern), P(2, s.add), 1));
})
DO(GePatternAddAlternative, "RRR", ALLOCATES, 0, {
  Sum s = MakeSum();
  return Done(&s, GePatternAddAlternative(P(1, s.pattern), P(2, s.add), P(3, s.other), 0));
})
DO(GePatternRequireDtypes, "RRR", ALLOCATES, 0, {
  Sum s = MakeSum();
  const int32_t types[] = {C_DT_FLOAT};
  return Done(&s, GePatternRequireDtypes(P(1, s.pattern), P(2, s.add), 0, P(3, types), 1));
})
DO(GePatternRequireShape, "RRR", ALLOCATES, 0, {
  Sum s = MakeSum();
  return Done(&s, GePatternRequireShape(P(1, s.pattern), P(2, s.add), 0, P(3, kDims), 2));
})
DO(GePatternRequireAttr, "RRR+R", ALLOCATES, 0, {
  Sum s = MakeSum();
  const GeAttrData value = {.name = P(4, "mode"), .type = C_VT_INT, .i = 1};
  return Done(&s, GePatternRequireAttr(P(1, s.pattern), P(2, s.add), P(3, &value)));
})
DO(GePatternRequireConstant, "RR", ALLOCATES, 0, {
  Sum s = MakeSum();
  return Done(&s, GePatternRequireConstant(P(1, s.pattern), P(2, s.x), 1, 0.1));
})

STATUS(GeMatcherCreate, "RRR", ALLOCATES, NEED_PATTERN,
       GeMatcherCreate(P(1, w->pattern), P(2, w->net), GE_MATCH_IR_ATTRS, O(3, w->out_matcher)))
STATUS(GeMatcherNext, "RR", ALLOCATES, NEED_PATTERN, GeMatcherNext(P(1, w->matcher), O(2, w->out_match)))
DO(GeMatcherDestroy, "N", NEVER, NEED_PATTERN, {
  GeMatcher *matcher = w->matcher;
  if (!null) w->matcher = NULL;
  GeMatcherDestroy(P(1, matcher));
  return GE_SUCCESS;
})
STATUS(GeMatchCreate, "RR", ALLOCATES, NEED_PATTERN, GeMatchCreate(P(1, w->pattern), O(2, w->out_match)))
STATUS(GeMatchClone, "RR", ALLOCATES, NEED_PATTERN, GeMatchClone(P(1, w->match), O(2, w->out_match)))
DO(GeMatchDestroy, "N", NEVER, NEED_PATTERN, {
  GeMatch *match = w->match;
  if (!null) w->match = NULL;
  GeMatchDestroy(P(1, match));
  return GE_SUCCESS;
})
DO(GeMatchAdd, "RRR+RR", ALLOCATES, NEED_PATTERN, {
  GeMatch *match = NULL;
  GeGraph *graph = PatternGraph(w);
  FaultDisarmed(OK(GeMatchCreate(w->pattern, &match)));
  GeNodeIo from = {P(4, NodeNamed(graph, "its_relu")), 0};
  GeNodeIo to = {P(5, NodeNamed(w->net, "relu")), 0};
  GeStatus status = GeMatchAdd(P(1, match), P(2, &from), P(3, &to));
  GeMatchDestroy(match);
  GeGraphDestroy(graph);
  return status;
})
DO(GeMatchGetNode, "RRR", NEVER, NEED_PATTERN, {
  GeGraph *graph = PatternGraph(w);
  GeStatus status = GeMatchGetNode(P(1, w->match), P(2, NodeNamed(graph, "its_relu")), O(3, w->out_node));
  GeGraphDestroy(graph);
  return status;
})
DO(GeMatchGetNodes, "RRR", ALLOCATES, NEED_PATTERN, {
  GeNode *nodes[2];
  size_t count = 2;
  GeStatus status = GeMatchGetNodes(P(1, w->match), P(2, nodes), P(3, &count));
  if (status == GE_SUCCESS) assert_int_equal(count, 1);
  return status;
})
DO(GeMatchGetCaptured, "RR", NEVER, NEED_PATTERN, {
  GeNodeIo io;
  return GeMatchGetCaptured(P(1, w->match), 0, P(2, &io));
})
STATUS(GeMatchRetainPatternGraph, "RR", ALLOCATES, NEED_PATTERN,
       GeMatchRetainPatternGraph(P(1, w->match), O(2, w->out_graph)))
STATUS(GeMatchCreateBoundary, "RR", ALLOCATES, NEED_PATTERN,
       GeMatchCreateBoundary(P(1, w->match), O(2, w->out_boundary)))
STATUS(GeMatchDescribe, "RRN", ALLOCATES, NEED_PATTERN, GeMatchDescribe(P(1, w->match), P(2, IgnoreText), P(3, w)))

STATUS(GeBoundaryCreate, "R", ALLOCATES, 0, GeBoundaryCreate(O(1, w->out_boundary)))
STATUS(GeBoundaryCreateOfNode, "RR", ALLOCATES, 0, GeBoundaryCreateOfNode(P(1, w->b), O(2, w->out_boundary)))
DO(GeBoundaryDestroy, "N", NEVER, NEED_PATTERN, {
  GeBoundary *boundary = w->boundary;
  if (!null) w->boundary = NULL;
  GeBoundaryDestroy(P(1, boundary));
  return GE_SUCCESS;
})
STATUS(GeBoundaryAddInput, "RR", ALLOCATES, NEED_PATTERN,
       GeBoundaryAddInput(P(1, w->boundary), 7, P(2, NodeNamed(w->net, "relu")), 0))
STATUS(GeBoundarySetOutput, "RR", ALLOCATES, NEED_PATTERN,
       GeBoundarySetOutput(P(1, w->boundary), 7, P(2, NodeNamed(w->net, "relu")), 0))
VALUE(GeBoundaryInputCount, "N", NEVER, NEED_PATTERN, GeBoundaryInputCount(P(1, w->boundary)) == (null ? 0 : 1))
VALUE(GeBoundaryOutputCount, "N", NEVER, NEED_PATTERN, GeBoundaryOutputCount(P(1, w->boundary)) == (null ? 0 : 1))
DO(GeBoundaryGetInput, "RRR", NEVER, NEED_PATTERN, {
  GeNodeIo ports[1];
  size_t count = 1;
  return GeBoundaryGetInput(P(1, w->boundary), 0, P(2, ports), P(3, &count));
})
DO(GeBoundaryGetOutput, "RR", NEVER, NEED_PATTERN, {
  GeNodeIo tensor;
  return GeBoundaryGetOutput(P(1, w->boundary), 0, P(2, &tensor));
})
DO(GeBoundaryGetNodes, "RRR", ALLOCATES, NEED_PATTERN, {
  GeNode *nodes[1];
  size_t count = 1;
  return GeBoundaryGetNodes(P(1, w->boundary), P(2, nodes), P(3, &count));
})

/* What was replaced is gone, so a second call is made on a fresh boundary. */
static GeStatus Replace(Fixture *w, const GeBoundary *boundary, const GeGraph *replacement, GePassContext *context) {
  GeStatus status = GeBoundaryReplace(boundary, replacement, context);
  GeNode *neg = NULL;
  size_t nodes = 0;
  FaultDisarmed({
    nodes = GeGraphNodeCount(w->net);
    GeGraphGetNode(w->net, nodes - 1, &neg);
    assert_int_equal(nodes, status == GE_SUCCESS ? 3 : 2);
  });
  return status;
}
DO(GeBoundaryReplace, "RRN", ALLOCATES, NEED_PATTERN,
   return Replace(w, P(1, w->boundary), P(2, w->replacement), P(3, w->pass_context));)
STATUS(GeBoundaryInfer, "RR", ALLOCATES, NEED_PATTERN, GeBoundaryInfer(P(1, w->boundary), P(2, w->replacement)))
DO(GeNodesCanFuse, "R+R", ALLOCATES, 0, {
  GeNode *nodes[] = {P(2, w->a)};
  return GeNodesCanFuse(P(1, nodes), 1);
})
DO(GeNodesReportFuse, "RRR+RR", ALLOCATES, NEED_PATTERN, {
  GeNode *before[] = {P(4, NodeNamed(w->net, "relu"))};
  GeNode *after[] = {P(5, NodeNamed(w->replacement, "neg"))};
  if (null == 3)
    return GeNodesReportFuse(before, 1, after, 1, NULL) == GE_BAD_STATE
               ? GeSetLastError(GE_PARAM_INVALID, "null: no pass runs")
               : GE_SUCCESS;
  return GeNodesReportFuse(P(1, before), 1, P(2, after), 1, w->pass_context);
})

static int32_t Meets(void *user, GeMatch *match, GePassContext *context) {
  GeMatchDestroy(match); /* it is lent: this does nothing */
  return user && match && context;
}
static GeStatus ReplaceMatch(void *user, GeMatch *match, GePassContext *context, GeGraph **out) {
  Fixture *w = user;
  assert_non_null(match);
  assert_non_null(context);
  return GeGraphRetain(w->replacement, out);
}
static int32_t MeetsNode(void *user, GeNode *node, GePassContext *context) { return user && node && context; }
static GeStatus ReplaceNode(void *user, GeNode *node, GePassContext *context, GeGraph **out) {
  Fixture *w = user;
  assert_non_null(node);
  assert_non_null(context);
  return GeGraphRetain(w->replacement, out);
}
/* The replacement holds what the pattern looks for: new nodes are candidates, so the copy is of another type. */
static void Calm(Fixture *w) {
  FaultDisarmed({
    GeNode *again = NULL;
    if (GeGraphFindNode(w->replacement, "again", &again) == GE_SUCCESS) {
      const int32_t port = 0;
      GeNode *neg = NULL;
      OK(GeGraphFindNode(w->replacement, "neg", &neg));
      OK(GeGraphSetOutputs(w->replacement, &neg, &port, 1));
      OK(GeGraphRemoveNode(w->replacement, again));
    }
  });
}
DO(GeGraphFuse, "RRRN+RNR", ALLOCATES, NEED_PATTERN, {
  Calm(w);
  GePattern *patterns[] = {P(5, w->pattern)};
  GeFusionHooks hooks = {sizeof hooks, Meets, ReplaceMatch, w};
  if (null == 6) hooks.meets = NULL;
  if (null == 7) hooks.replace = NULL;
  return GeGraphFuse(P(1, w->net), P(2, patterns), 1, 0, P(3, &hooks), P(4, w->pass_context));
})
VALUE(GeGraphMadeNodeCount, "N", NEVER, NEED_NET,
      GeGraphMadeNodeCount(P(1, w->net)) >= GeGraphNodeCount(w->net) || null)
DO(GePassLibraryLoad, "N", ALLOCATES, 0, {
  GeStatus status = GePassLibraryLoad(P(1, "/no/such/library.so"));
  if (status == GE_SUCCESS) OK(GePassLibraryUnload(NULL)); /* null: those of vendors, of which there are none */
  return status == GE_FAILED ? GE_SUCCESS : status;
})
DO(GePassLibraryUnload, "N", ALLOCATES, 0, {
  FaultDisarmed(OK(GePassLibraryLoad(NULL)));
  GeStatus status = GePassLibraryUnload(P(1, "/no/such/library.so"));
  if (!null) FaultDisarmed(OK(GePassLibraryUnload(NULL)));
  return status == GE_NOT_FOUND ? GE_SUCCESS : status;
})
DO(GeGraphRewrite, "RRRNNNN+RR", ALLOCATES, NEED_PATTERN, {
  Calm(w);
  GePattern *patterns[] = {P(8, w->pattern)};
  const GeGraph *replacements[] = {P(9, w->replacement)};
  const GeRewriteOptions options = {.struct_size = sizeof options, .max_rewrites = 3};
  const GeFusionHooks hooks = {.struct_size = sizeof hooks, .meets = Meets, .user = w};
  GeRewriteCounts counts = {.struct_size = sizeof counts};
  const GeStatus status = GeGraphRewrite(P(1, w->net), P(2, patterns), P(3, replacements), 1, P(4, &options),
                                         P(5, &hooks), P(6, w->pass_context), P(7, &counts));
  if (status == GE_SUCCESS && null != 7) assert_int_equal(counts.applied, 1);
  return status;
})
DO(GeGraphDecompose, "RRRN+RNR", ALLOCATES, NEED_PATTERN, {
  const char *types[] = {P(5, "Relu")};
  GeDecomposeHooks hooks = {sizeof hooks, MeetsNode, ReplaceNode, w};
  if (null == 6) hooks.meets = NULL;
  if (null == 7) hooks.replace = NULL;
  return GeGraphDecompose(P(1, w->net), P(2, types), 1, P(3, &hooks), P(4, w->pass_context));
})

/* ---- passes ---- */

static GeStatus RunPass(void *user, void *instance, GeGraph *graph, GePassContext *context) {
  (void)instance;
  return user && graph && context ? GE_SUCCESS : GE_FAILED;
}
static GeStatus CreateInstance(void *user, void **instance) {
  *instance = user;
  return GE_SUCCESS;
}
static void DestroyInstance(void *user, void *instance) { assert_ptr_equal(user, instance); }
static int destroyed;
static void DestroyPass(void *user) { ++*(int *)user; }
static const GeCustomPassTable kCustomPass = {sizeof(GeCustomPassTable),
                                              "CustomPass",
                                              GE_STAGE_AFTER_INFER_SHAPE,
                                              GE_PASS_FUSION,
                                              CreateInstance,
                                              RunPass,
                                              DestroyInstance,
                                              DestroyPass,
                                              &destroyed};

DO(GeCustomPassRegister, "RN+RNRNN", ALLOCATES, 0, {
  GeCustomPassTable table = kCustomPass;
  uint64_t token = 1;
  int before = destroyed;
  if (null == 2) table.name = "StaysForTheLifeOfTheProcess"; /* nobody can take it back */
  if (null == 3) table.name = NULL;
  if (null == 4) table.create = NULL;
  if (null == 5) table.run = NULL;
  if (null == 6) table.destroy_instance = NULL;
  if (null == 7) table.destroy = NULL;
  GeStatus status = GeCustomPassRegister(P(1, &table), P(2, &token));
  if (null == 2) return status;
  assert_int_equal(token != 0, status == GE_SUCCESS);
  if (status == GE_SUCCESS) GeCustomPassUnregister(token);
  assert_int_equal(destroyed, before + (null == 1 || null == 7 ? 0 : 1));
  return status;
})
DO(GeCustomPassUnregister, "", NEVER, 0, {
  GeCustomPassUnregister(0);
  GeCustomPassUnregister(UINT64_MAX);
  return GE_SUCCESS;
})
STATUS(GePassContextCreate, "RR", ALLOCATES, 0, GePassContextCreate(P(1, "ByHand"), O(2, w->out_pass_context)))
DO(GePassContextDestroy, "N", NEVER, NEED_PATTERN, {
  GePassContext *context = w->pass_context;
  if (!null) w->pass_context = NULL;
  GePassContextDestroy(P(1, context));
  return GE_SUCCESS;
})
DO(GePassContextName, "N", NEVER, NEED_PATTERN, {
  const char *name = GePassContextName(P(1, w->pass_context));
  assert_true(*name == 0 || strcmp(name, "ByHand") == 0);
  return GE_SUCCESS;
})
/* Nothing is set in a context that is made by hand. */
static GeStatus NotFoundIsFine(GeStatus status) { return status == GE_NOT_FOUND ? GE_SUCCESS : status; }
static GeStatus NoPassIsSaid(GeStatus status) {
  return status == GE_BAD_STATE ? GeSetLastError(GE_PARAM_INVALID, "null: no pass runs") : status;
}
DO(GePassContextGetOption, "RRR", ALLOCATES, NEED_PATTERN, {
  const char *value;
  return NoPassIsSaid(NotFoundIsFine(GePassContextGetOption(P(1, w->pass_context), P(2, "threads"), P(3, &value))));
})
STATUS(GePassContextSetError, "RR", ALLOCATES, NEED_PATTERN,
       NoPassIsSaid(GePassContextSetError(P(1, w->pass_context), P(2, "a reason that is longer than the object"))))
DO(GePassContextGetStream, "RRR", NEVER, NEED_PATTERN, {
  int64_t stream;
  return NoPassIsSaid(GePassContextGetStream(P(1, w->pass_context), P(2, w->a), P(3, &stream)));
})
STATUS(GePassContextSetStream, "RR", ALLOCATES, NEED_PATTERN,
       NoPassIsSaid(GePassContextSetStream(P(1, w->pass_context), P(2, w->a), 0)))
DO(GePassContextLastStream, "RR", NEVER, NEED_PATTERN, {
  int64_t last;
  return NoPassIsSaid(GePassContextLastStream(P(1, w->pass_context), 0, P(2, &last)));
})
DO(GePassContextWantsReasons, "N", NEVER, NEED_PATTERN, {
  assert_int_equal(GePassContextWantsReasons(P(1, w->pass_context)), 0);
  return GE_SUCCESS;
})
DO(GePassContextRefuse, "RR+RRNNN", NEVER, NEED_PATTERN, {
  GeRefusal why = {.struct_size = sizeof why, .expected = "IsEven", .actual = "returned 3", .traceback = "line 1"};
  if (null != 6) why.node = w->a;
  if (null != 7) why.pattern_node = w->b;
  if (null == 3) why.expected = NULL;
  if (null == 4) why.actual = NULL;
  if (null == 5) why.traceback = NULL;
  return NoPassIsSaid(GePassContextRefuse(P(1, w->pass_context), P(2, &why)));
})
