/* GePassWhyNot: each kind of constraint that a rule of a program, or of the library, can fail on. */
#include "ge/pass_manager.h"
#include "ge/pattern.h"

#include "tests/capi/small_graphs.h"

static char told[16384]; /* by the call before */
static void AppendText(void *user, const char *text, size_t length) {
  strncat(user, text, length < sizeof told - strlen(user) - 1 ? length : 0);
}

/* ---- graphs: x and y of two floats, and operators by name ---- */

static GeNode *X(GeGraph *graph, int64_t index) {
  static const int64_t two[] = {2};
  GeNode *x = AddInput(graph, index ? "y" : "x", index, C_DT_FLOAT);
  const GeTensorData desc = FloatDesc(two, 1);
  OK(GeNodeSetOutputDesc(x, 0, &desc));
  return x;
}
static GeNode *AddBinary(GeGraph *graph, const char *type, const char *name, GeNode *a, GeNode *b) {
  GeNode *made = AddUnary(graph, type, name, a);
  OK(GeGraphAddDataEdge(graph, b, 0, made, 1));
  return made;
}
static GeNode *AddConstant(GeGraph *graph, float value) {
  static const int64_t one[] = {1};
  GeNode *made = AddOp(graph, "Const", "c");
  GeTensorData content = FloatDesc(one, 1);
  OK(GeNodeSetOutputDesc(made, 0, &content));
  content.data = &value;
  content.size = sizeof value;
  const GeAttrData attr = {.name = "value", .type = C_VT_TENSOR, .tensor = &content};
  OK(GeNodeSetAttr(made, &attr));
  return made;
}
static void Out(GeGraph *graph, GeNode *first, GeNode *second) {
  static const int32_t ports[] = {0, 0};
  GeNode *outputs[] = {first, second};
  OK(GeGraphSetOutputs(graph, outputs, ports, second ? 2 : 1));
}
static GeNode *Find(GeGraph *graph, const char *name) {
  GeNode *found = NULL;
  OK(GeGraphFindNode(graph, name, &found));
  return found;
}

static void ReluOfAbs(GeGraph *g) { Out(g, AddUnary(g, "Relu", "relu", AddUnary(g, "Abs", "abs", X(g, 0))), NULL); }
static void ReluOfNeg(GeGraph *g) { Out(g, AddUnary(g, "Relu", "relu", AddUnary(g, "Neg", "neg", X(g, 0))), NULL); }
static void Product(GeGraph *g) { Out(g, AddBinary(g, "MatMulV2", "mm", X(g, 0), X(g, 1)), NULL); }
static void ProductWithBias(GeGraph *g) {
  GeNode *x = X(g, 0), *mm = AddBinary(g, "MatMulV2", "mm", x, X(g, 1));
  OK(GeGraphAddDataEdge(g, x, 0, mm, 2));
  Out(g, mm, NULL);
}
static void GateOfItself(GeGraph *g) {
  GeNode *x = X(g, 0);
  Out(g, AddBinary(g, "Mul", "mul", x, AddUnary(g, "Relu", "relu", x)), NULL);
}
static void GateOfAnother(GeGraph *g) {
  GeNode *x = X(g, 0);
  Out(g, AddBinary(g, "Mul", "mul", x, AddUnary(g, "Relu", "relu", X(g, 1))), NULL);
}
static void TimesOne(GeGraph *g) { Out(g, AddBinary(g, "Mul", "mul", X(g, 0), AddConstant(g, 1)), NULL); }
static void TimesTwo(GeGraph *g) { Out(g, AddBinary(g, "Mul", "mul", X(g, 0), AddConstant(g, 2)), NULL); }
static void AbsWithTwoReaders(GeGraph *g) {
  GeNode *abs = AddUnary(g, "Abs", "abs", X(g, 0));
  Out(g, AddUnary(g, "Relu", "relu", abs), AddUnary(g, "Neg", "neg", abs));
}
static void TwoOutputs(GeGraph *g) {
  GeNode *abs = AddUnary(g, "Abs", "abs", X(g, 0));
  Out(g, AddUnary(g, "Relu", "relu", abs), AddBinary(g, "Add", "add", abs, X(g, 1)));
}
static void AroundTheMatch(GeGraph *g) {
  GeNode *abs = AddUnary(g, "Abs", "abs", X(g, 0)), *relu = AddUnary(g, "Relu", "relu", abs);
  Out(g, AddBinary(g, "Add", "add", abs, AddUnary(g, "Sigmoid", "sigmoid", relu)), NULL);
}
static void LeakyOfAbs(GeGraph *g) {
  GeNode *leaky = AddUnary(g, "LeakyRelu", "leaky", AddUnary(g, "Abs", "abs", X(g, 0)));
  const GeAttrData slope = {.name = "negative_slope", .type = C_VT_FLOAT, .f = 0.25F};
  OK(GeNodeSetAttr(leaky, &slope));
  Out(g, leaky, NULL);
}

static GeGraph *Made(void (*build)(GeGraph *), const char *name) {
  GeGraph *graph = NULL;
  OK(GeGraphCreate(name, &graph));
  build(graph);
  return graph;
}

/* ---- a pass of one rule ---- */

typedef struct Rule {
  GePattern *pattern;
  uint32_t flags;
  int32_t (*meets)(void *user, GeMatch *match, GePassContext *context);
  GeStatus (*replace)(void *user, GeMatch *match, GePassContext *context, GeGraph **out);
} Rule;

static void Through(GeGraph *g) { Out(g, X(g, 0), NULL); }
static GeStatus PutThrough(void *user, GeMatch *match, GePassContext *context, GeGraph **out) {
  assert_true(user && match && context);
  *out = Made(Through, "through");
  return GE_SUCCESS;
}
static GeStatus RunRule(void *user, GeGraph *graph, GePassContext *context) {
  Rule *rule = user;
  const GeFusionHooks hooks = {.struct_size = sizeof hooks,
                               .meets = rule->meets,
                               .replace = rule->replace ? rule->replace : PutThrough,
                               .user = rule};
  return GeGraphFuse(graph, &rule->pattern, 1, rule->flags, &hooks, context);
}

/* Asks with a pattern and a graph; `say` adds demands. The answer is in `told`. */
static void AskWith(Rule rule, void (*pattern)(GeGraph *), void (*say)(GePattern *, GeGraph *),
                    void (*target)(GeGraph *), const char *node) {
  told[0] = '\0';
  GeGraph *of_pattern = Made(pattern, "Rule"), *graph = Made(target, "net"), *kept = NULL;
  OK(GePatternCreate(of_pattern, &rule.pattern));
  OK(GePatternRetainGraph(rule.pattern, &kept));
  if (say) say(rule.pattern, kept);
  const GePassFunction function = {.struct_size = sizeof function, .name = "Mine", .run = RunRule, .user = &rule};
  GePass *pass = NULL;
  OK(GePassMake(&function, &pass));
  OK(GePassWhyNot(pass, graph, node, AppendText, told));
  GePassDestroy(pass);
  GePatternDestroy(rule.pattern);
  GeGraphDestroy(kept);
  GeGraphDestroy(of_pattern);
  GeGraphDestroy(graph);
}

/* The only miss has this member. */
static void Has(const char *member, const char *value) {
  char text[512];
  snprintf(text, sizeof text, "\"%s\":\"%s\"", member, value);
  if (!strstr(told, text)) fail_msg("no %s in %s", text, told);
  const char *first = strstr(told, "\"rule\"");
  assert_non_null(first);
  if (strstr(first + 1, "\"rule\"")) fail_msg("several misses: %s", told);
}
static void HasAll(const char *constraint, const char *pattern_node, const char *node, const char *expected,
                   const char *actual) {
  Has("constraint", constraint);
  Has("pattern_node", pattern_node);
  Has("node", node);
  Has("expected", expected);
  Has("actual", actual);
}

/* ---- demands of patterns ---- */

static void SayHalf(GePattern *pattern, GeGraph *graph) {
  const int32_t half[] = {C_DT_FLOAT16};
  OK(GePatternRequireDtypes(pattern, Find(graph, "relu"), 0, half, 1));
}
static void SayThree(GePattern *pattern, GeGraph *graph) {
  const int64_t three[] = {3};
  OK(GePatternRequireShape(pattern, Find(graph, "relu"), 0, three, 1));
}
static void SaySlope(GePattern *pattern, GeGraph *graph) {
  const GeAttrData slope = {.name = "negative_slope", .type = C_VT_FLOAT, .f = 0.5F};
  OK(GePatternRequireAttr(pattern, Find(graph, "leaky"), &slope));
}
static void SayNearOne(GePattern *pattern, GeGraph *graph) {
  OK(GePatternRequireConstant(pattern, Find(graph, "c"), 1, 0.5));
}

static void ConstraintsThatAreData(void **state) {
  (void)state;
  const struct {
    void (*pattern)(GeGraph *);
    void (*say)(GePattern *, GeGraph *);
    void (*target)(GeGraph *);
    const char *asked, *constraint, *pattern_node, *node, *expected, *actual;
  } cases[] = {
      {ReluOfAbs, NULL, ReluOfNeg, NULL, "operator", "Abs 'abs'", "Neg 'neg'", "Abs", "Neg 'neg'"},
      {Product, NULL, ProductWithBias, NULL, "arity", "MatMulV2 'mm'", "MatMulV2 'mm'", "input 2 as in the pattern",
       "connected"},
      {GateOfItself, NULL, GateOfAnother, NULL, "position", "Data 'x'", "Data 'y'", "output 0 of Data 'x'",
       "output 0 of Data 'y'"},
      {ReluOfAbs, SayHalf, ReluOfAbs, NULL, "dtype", "Relu 'relu'", "Relu 'relu'", "DT_FLOAT16", "DT_FLOAT"},
      {ReluOfAbs, SayThree, ReluOfAbs, "relu", "shape", "Relu 'relu'", "Relu 'relu'", "[3]", "[2]"},
      {LeakyOfAbs, SaySlope, LeakyOfAbs, NULL, "attribute", "LeakyRelu 'leaky'", "LeakyRelu 'leaky'",
       "negative_slope = 0.500000", "0.250000"},
      {TimesOne, SayNearOne, TimesTwo, NULL, "constant", "Const 'c'", "Const 'c'", "a constant within 0.5 of 1",
       "element 0 is 2"},
      {ReluOfAbs, NULL, AbsWithTwoReaders, NULL, "reader", "Abs 'abs'", "Abs 'abs'", "readers inside the match only",
       "Neg 'neg'"},
      {TwoOutputs, NULL, AroundTheMatch, NULL, "cycle", "Relu 'relu'", "Relu 'relu'", "one node in place of the match",
       "it would lie on a cycle"},
  };
  const Rule rule = {.flags = 0};
  AskWith(rule, ReluOfAbs, NULL, ReluOfAbs, NULL);
  assert_string_equal(told, "{\"applied\":{\"Rule\":1},\"misses\":[]}");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    AskWith(rule, cases[i].pattern, cases[i].say, cases[i].target, cases[i].asked);
    HasAll(cases[i].constraint, cases[i].pattern_node, cases[i].node, cases[i].expected, cases[i].actual);
  }
}

/* ---- code ---- */

static int32_t No(void *user, GeMatch *match, GePassContext *context) {
  assert_true(user && match && context);
  return 0;
}
static int32_t answer;
static int32_t Reasoned(void *user, GeMatch *match, GePassContext *context) {
  const Rule *rule = user;
  GeGraph *of_pattern = NULL;
  assert_non_null(match);
  assert_int_equal(GePassContextWantsReasons(context), 1);
  OK(GePatternRetainGraph(rule->pattern, &of_pattern));
  const GeRefusal why = {.struct_size = sizeof why,
                         .expected = "IsEven",
                         .actual = "returned 3",
                         .traceback = "line 1",
                         .pattern_node = Find(of_pattern, "abs")};
  OK(GePassContextRefuse(context, &why));
  GeGraphDestroy(of_pattern);
  return answer;
}
static GeStatus MadeNothing(void *user, GeMatch *match, GePassContext *context, GeGraph **out) {
  assert_true(user && match && context && out);
  return GeSetLastError(GE_NOT_CHANGED, "it is a Monday");
}
static int32_t Fusable(void *user, GeMatch *match, GePassContext *context) {
  GeNode *nodes[8];
  size_t count = 8;
  assert_true(user && context);
  OK(GeMatchGetNodes(match, nodes, &count));
  return GeNodesCanFuse(nodes, 0) == GE_SUCCESS;
}

static void CodeThatSaysNo(void **state) {
  (void)state;
  AskWith((Rule){.meets = No}, ReluOfAbs, NULL, ReluOfAbs, NULL);
  HasAll("predicate", "Relu 'relu'", "Relu 'relu'", "hook 'meets' of the pass", "returned 0");
  AskWith((Rule){.meets = Reasoned}, ReluOfAbs, NULL, ReluOfAbs, NULL);
  HasAll("predicate", "Abs 'abs'", "Relu 'relu'", "IsEven", "returned 3");
  Has("traceback", "line 1");
  answer = 1; /* what it said before is of no account */
  AskWith((Rule){.meets = Reasoned}, ReluOfAbs, NULL, ReluOfAbs, NULL);
  answer = 0;
  assert_non_null(strstr(told, "\"misses\":[]"));
  AskWith((Rule){.replace = MadeNothing}, ReluOfAbs, NULL, ReluOfAbs, NULL);
  HasAll("predicate", "Relu 'relu'", "Relu 'relu'", "hook 'replace' of the pass", "it is a Monday");
  AskWith((Rule){.meets = Fusable}, ReluOfAbs, NULL, ReluOfAbs, NULL);
  HasAll("predicate", "Relu 'relu'", "Relu 'relu'", "hook 'meets' of the pass",
         "returned 0; can_fuse: there are no nodes");
}

static int32_t NoNode(void *user, GeNode *node, GePassContext *context) { return !user && !node && !context; }
static GeStatus NoGraph(void *user, GeNode *node, GePassContext *context, GeGraph **out) {
  (void)user, (void)node, (void)context, (void)out;
  return GE_FAILED;
}
static GeStatus RunDecomposition(void *user, GeGraph *graph, GePassContext *context) {
  static const char *const types[] = {"Abs"};
  const GeDecomposeHooks hooks = {.struct_size = sizeof hooks, .meets = NoNode, .replace = NoGraph, .user = user};
  return GeGraphDecompose(graph, types, 1, &hooks, context);
}
static GeStatus RunNothing(void *user, GeGraph *graph, GePassContext *context) {
  GeNode *relu = Find(graph, "relu");
  if (!user) return GE_NOT_CHANGED;
  const GeRefusal why = {.struct_size = sizeof why, .expected = "a wide node", .actual = "two elements", .node = relu};
  OK(GePassContextRefuse(context, &why));
  return GE_NOT_CHANGED;
}
/* Asks a pass of this function about relu(abs(x)). */
static void AskFunction(GeStatus (*run)(void *, GeGraph *, GePassContext *), void *user, const char *node) {
  told[0] = '\0';
  const GePassFunction function = {.struct_size = sizeof function, .name = "Mine", .run = run, .user = user};
  GePass *pass = NULL;
  GeGraph *graph = Made(ReluOfAbs, "net");
  OK(GePassMake(&function, &pass));
  OK(GePassWhyNot(pass, graph, node, AppendText, told));
  GePassDestroy(pass);
  GeGraphDestroy(graph);
}

static void PassesThatAreCode(void **state) {
  (void)state;
  int user = 0;
  AskFunction(RunDecomposition, &user, NULL);
  HasAll("predicate", "Abs", "Abs 'abs'", "hook 'meets' of the pass", "returned 0");
  AskFunction(RunDecomposition, &user, "relu");
  HasAll("operator", "Abs", "Relu 'relu'", "Abs", "Relu 'relu'");
  AskFunction(RunNothing, &user, "relu");
  HasAll("predicate", "Relu", "Relu 'relu'", "a wide node", "two elements");
  AskFunction(RunNothing, &user, "abs");
  HasAll("predicate", "Abs", "Abs 'abs'", "the code of pass 'Mine' rewrites Abs 'abs'",
         "it left it as it is and told nothing");
  AskFunction(RunNothing, NULL, NULL);
  HasAll("predicate", "", "", "the code of pass 'Mine' rewrites something", "it changed nothing and told nothing");
  /* Outside of WhyNot nobody asks. */
  GePassContext *context = NULL;
  OK(GePassContextCreate("ByHand", &context));
  assert_int_equal(GePassContextWantsReasons(context), 0);
  assert_int_equal(GePassContextWantsReasons(NULL), 0);
  GeRefusal why = {.struct_size = sizeof why, .expected = "a", .actual = "b"};
  OK(GePassContextRefuse(context, &why));
  REFUSED(GE_BAD_STATE, "no pass runs", GePassContextRefuse(NULL, &why));
  why.actual = NULL;
  REFUSED(GE_PARAM_INVALID, "why->actual", GePassContextRefuse(context, &why));
  GePassContextDestroy(context);
}

/* ---- gates ---- */

static GeStatus Should(void *user, GeGraph *graph, const GePassInfo *info, int32_t *run) {
  assert_true(user && graph);
  if (strcmp(info->name, user) == 0) *run = 0;
  return GE_SUCCESS;
}
static void Scoped(GePassScopeParts parts, GePass *pass, const GeGraph *graph) {
  GePassScope *scope = NULL;
  parts.struct_size = sizeof parts;
  OK(GePassScopeCreate(&parts, &scope));
  OK(GePassScopeEnter(scope));
  told[0] = '\0';
  OK(GePassWhyNot(pass, graph, "", AppendText, told));
  OK(GePassScopeExit(scope));
  GePassScopeDestroy(scope);
}

static void Gates(void **state) {
  (void)state;
  static char name[] = "DeadCode";
  const char *const names[] = {name};
  GePass *pass = NULL, *held = NULL;
  OK(GePassFind(name, &pass));
  OK(GePassSequence("holds", 0, &pass, 1, NULL, 0, &held));
  GeGraph *graph = Made(ReluOfAbs, "net");
  const GeInstrumentTable table = {
      .struct_size = sizeof table, .name = "Guard", .should_run = Should, .user = (void *)name};
  GeInstrument *guard = NULL;
  OK(GeInstrumentMake(&table, &guard));
  Scoped((GePassScopeParts){.level = 2, .instruments = &guard, .instrument_count = 1}, pass, graph);
  HasAll("gate", "", "", "instrument 'Guard' lets it run", "should_run of instrument 'Guard' returned False");
  Scoped((GePassScopeParts){.level = 2, .instruments = &guard, .instrument_count = 1}, held, graph);
  Has("rule", "DeadCode");
  Scoped((GePassScopeParts){.level = 2, .disabled = names, .disabled_count = 1}, held, graph);
  HasAll("gate", "", "", "the pass is not disabled", "disabled: the pass context has 'DeadCode' in disabled_pass");
  Scoped((GePassScopeParts){.level = 0}, held, graph);
  HasAll("gate", "", "", "opt_level 1 or more", "opt_level is 0");
  GeInstrumentDestroy(guard);
  GePassDestroy(held);
  GePassDestroy(pass);
  GeGraphDestroy(graph);
}

static void WrongArguments(void **state) {
  (void)state;
  GePass *pass = NULL;
  GeGraph *graph = Made(ReluOfAbs, "net"), *body = Made(ReluOfAbs, "body");
  REFUSED(GE_NOT_FOUND, "there is no pass 'DeadCod'; near names: DeadCode", GePassFind("DeadCod", &pass));
  OK(GePassFind("DeadCode", &pass));
  REFUSED(GE_PARAM_INVALID, "pass", GePassWhyNot(NULL, graph, NULL, AppendText, told));
  REFUSED(GE_PARAM_INVALID, "graph", GePassWhyNot(pass, NULL, NULL, AppendText, told));
  REFUSED(GE_PARAM_INVALID, "write", GePassWhyNot(pass, graph, NULL, NULL, told));
  REFUSED(GE_NOT_FOUND, "graph 'net' has no node 'rely'; near names: relu",
          GePassWhyNot(pass, graph, "rely", AppendText, told));
  OK(GeGraphAddSubgraph(graph, body));
  REFUSED(GE_PARAM_INVALID, "'body' is a subgraph", GePassWhyNot(pass, body, NULL, AppendText, told));
  GePassDestroy(pass);
  GeGraphDestroy(body);
  GeGraphDestroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ConstraintsThatAreData), cmocka_unit_test(CodeThatSaysNo),
                                     cmocka_unit_test(PassesThatAreCode), cmocka_unit_test(Gates),
                                     cmocka_unit_test(WrongArguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
