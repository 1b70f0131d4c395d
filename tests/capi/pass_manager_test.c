/* Passes as objects, scopes and instruments from C: what runs, what instruments see, what comes back. */
#include "ge/pass_manager.h"

#include "tests/capi/small_graphs.h"

static char trace[1024];

static void Note(const char *who, const char *what, const char *pass) {
  const size_t used = strlen(trace);
  snprintf(trace + used, sizeof trace - used, "%s%s.%s%s%s", used ? " " : "", who, what, pass ? ":" : "",
           pass ? pass : "");
}

static const char *fails = ""; /* "a.before:x" */

static GeStatus Told(void *user, const char *what, const GePassInfo *info) {
  char text[64];
  snprintf(text, sizeof text, "%s.%s%s%s", (const char *)user, what, info ? ":" : "", info ? info->name : "");
  Note(user, what, info ? info->name : NULL);
  return strcmp(text, fails) == 0 ? GeSetLastError(GE_BAD_STATE, text) : GE_SUCCESS;
}
static GeStatus Enter(void *user) { return Told(user, "enter", NULL); }
static GeStatus Exit(void *user) { return Told(user, "exit", NULL); }
static GeStatus Should(void *user, GeGraph *graph, const GePassInfo *info, int32_t *run) {
  assert_non_null(graph);
  assert_int_equal(*run, 1);
  if (strcmp(info->name, "skipped") == 0) *run = 0;
  return Told(user, "should", info);
}
static GeStatus Before(void *user, GeGraph *graph, const GePassInfo *info) {
  assert_non_null(graph);
  return Told(user, "before", info);
}
static GeStatus After(void *user, GeGraph *graph, const GePassInfo *info) {
  assert_non_null(graph);
  return Told(user, "after", info);
}
static GeInstrument *Tracer(const char *name) {
  const GeInstrumentTable table = {sizeof table,          name, Enter, Exit, Should, Before, After, NULL,
                                   (void *)(intptr_t)name};
  GeInstrument *made = NULL;
  assert_int_equal(GeInstrumentMake(&table, &made), GE_SUCCESS);
  return made;
}

/* x -> relu, an output. */
static GeGraph *ReluGraph(void) {
  static const int32_t ports[] = {0};
  GeGraph *graph = NULL;
  OK(GeGraphCreate("relu", &graph));
  GeNode *outputs[] = {AddUnary(graph, "Relu", "relu", AddInput(graph, "x", 0, C_DT_FLOAT))};
  OK(GeGraphSetOutputs(graph, outputs, ports, 1));
  return graph;
}
static void AppendText(void *user, const char *text, size_t length) { strncat(user, text, length); }

static GeStatus RunNoted(void *user, GeGraph *graph, GePassContext *context) {
  assert_non_null(graph);
  assert_string_equal(GePassContextName(context), user);
  Note("run", user, NULL);
  return GE_NOT_CHANGED;
}
static GePass *Noting(const char *name, int32_t level) {
  GePassFunction function = {.struct_size = sizeof function, .name = name, .level = level, .run = RunNoted};
  function.user = (void *)(intptr_t)name;
  GePass *made = NULL;
  assert_int_equal(GePassMake(&function, &made), GE_SUCCESS);
  return made;
}

static GePassScope *Scope(int32_t level, const char *required, const char *disabled, GeInstrument *const *list,
                          size_t count) {
  GePassScopeParts parts = {.struct_size = sizeof parts, .level = level, .collect_diagnostics = 1};
  parts.required = &required;
  parts.required_count = required ? 1 : 0;
  parts.disabled = &disabled;
  parts.disabled_count = disabled ? 1 : 0;
  parts.instruments = list;
  parts.instrument_count = count;
  GePassScope *made = NULL;
  assert_int_equal(GePassScopeCreate(&parts, &made), GE_SUCCESS);
  return made;
}

/* Runs a sequence of "low" (level 1) and "high" (level 3) under the scope; what happened. */
static const char *Apply(GePassScope *scope, GeStatus expected) {
  trace[0] = '\0';
  GePass *list[] = {Noting("low", 1), Noting("high", 3)}, *both = NULL;
  assert_int_equal(GePassSequence("both", 0, list, 2, NULL, 0, &both), GE_SUCCESS);
  GeGraph *graph = ReluGraph();
  const GeStatus entered = scope ? GePassScopeEnter(scope) : GE_SUCCESS;
  GeStatus status = entered;
  if (entered == GE_SUCCESS) {
    status = GePassApply(both, graph);
    if (status == GE_NOT_CHANGED) status = GE_SUCCESS;
    const GeStatus left = scope ? GePassScopeExit(scope) : GE_SUCCESS;
    if (status == GE_SUCCESS) status = left;
  }
  assert_int_equal(status, expected);
  GeGraphDestroy(graph);
  GePassDestroy(both);
  GePassDestroy(list[0]);
  GePassDestroy(list[1]);
  return trace;
}

static void TheGate(void **state) {
  (void)state;
  const struct {
    int32_t level;
    const char *required, *disabled, *expected;
  } cases[] = {{2, NULL, NULL, "run.low"},   {3, NULL, NULL, "run.low run.high"},
               {0, NULL, NULL, ""},          {2, "high", NULL, "run.low run.high"},
               {3, NULL, "low", "run.high"}, {3, "low", "low", "run.high"}};
  assert_string_equal(Apply(NULL, GE_SUCCESS), "run.low");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    GePassScope *scope = Scope(cases[i].level, cases[i].required, cases[i].disabled, NULL, 0);
    assert_string_equal(Apply(scope, GE_SUCCESS), cases[i].expected);
    GePassScopeDestroy(scope);
  }
}

static void OrderOfInstruments(void **state) {
  (void)state;
  GeInstrument *list[] = {Tracer("a"), Tracer("b")};
  GePassScope *scope = Scope(2, NULL, NULL, list, 2);
  assert_string_equal(
      Apply(scope, GE_SUCCESS),
      "a.enter b.enter a.should:both b.should:both a.before:both b.before:both a.should:low b.should:low "
      "a.before:low b.before:low run.low a.after:low b.after:low a.after:both b.after:both a.exit b.exit");
  GePassScopeDestroy(scope);
  GeInstrumentDestroy(list[0]);
  GeInstrumentDestroy(list[1]);
}

static void FailingInstruments(void **state) {
  (void)state;
  const struct {
    const char *fails, *expected;
  } cases[] = {
      {"b.enter", "a.enter b.enter a.exit"},
      {"a.exit",
       "a.enter b.enter a.should:both b.should:both a.before:both b.before:both a.should:low b.should:low a.before:low "
       "b.before:low run.low a.after:low b.after:low a.after:both b.after:both a.exit"},
      {"a.should:low",
       "a.enter b.enter a.should:both b.should:both a.before:both b.before:both a.should:low a.exit b.exit"},
      {"a.before:low",
       "a.enter b.enter a.should:both b.should:both a.before:both b.before:both a.should:low b.should:low a.before:low "
       "a.exit b.exit"},
      {"a.after:low",
       "a.enter b.enter a.should:both b.should:both a.before:both b.before:both a.should:low b.should:low a.before:low "
       "b.before:low run.low a.after:low a.exit b.exit"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    GeInstrument *list[] = {Tracer("a"), Tracer("b")};
    GePassScope *scope = Scope(2, NULL, NULL, list, 2);
    fails = cases[i].fails;
    assert_string_equal(Apply(scope, GE_BAD_STATE), cases[i].expected);
    fails = "";
    /* Instruments that failed while the scope was entered or left are gone; others stay. */
    const char *again = Apply(scope, GE_SUCCESS);
    if (i < 2) assert_string_equal(again, "run.low");
    else assert_non_null(strstr(again, "a.enter b.enter"));
    GePassScopeDestroy(scope);
    GeInstrumentDestroy(list[0]);
    GeInstrumentDestroy(list[1]);
  }
}

static void ScopesAreLeftInOrder(void **state) {
  (void)state;
  GePassScope *outer = Scope(1, NULL, NULL, NULL, 0), *inner = Scope(3, NULL, NULL, NULL, 0), *current = NULL;
  assert_int_equal(GePassScopeEnter(outer), GE_SUCCESS);
  assert_int_equal(GePassScopeEnter(inner), GE_SUCCESS);
  assert_int_equal(GePassScopeExit(outer), GE_BAD_STATE);
  assert_int_equal(GePassScopeCurrent(&current), GE_SUCCESS);
  assert_int_equal(GePassScopeLevel(current), 3);
  GePassScopeDestroy(current);
  assert_int_equal(GePassScopeExit(inner), GE_SUCCESS);
  assert_int_equal(GePassScopeExit(inner), GE_BAD_STATE);
  assert_int_equal(GePassScopeExit(outer), GE_SUCCESS);
  assert_int_equal(GePassScopeCurrent(&current), GE_SUCCESS);
  assert_int_equal(GePassScopeLevel(current), 2);
  GePassScopeDestroy(current);
  GePassScopeDestroy(outer);
  GePassScopeDestroy(inner);
}

static void ConfigIsRefused(void **state) {
  (void)state;
  const struct {
    GeConfigValue value;
    const char *part;
  } cases[] = {{{"passes.max_rewrite", GE_CONFIG_INT, 0, 1, 0, NULL}, "passes.max_rewrites"},
               {{"passes.max_rewrites", GE_CONFIG_STRING, 0, 0, 0, "1"}, "a whole number"},
               {{"passes.max_rewrites", GE_CONFIG_INT, 0, 0, 0, NULL}, "1 or more"},
               {{"passes.max_rewrites", 4, 0, 0, 0, NULL}, "type 4"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    GePassScopeParts parts = {.struct_size = sizeof parts, .level = 2, .config = &cases[i].value, .config_count = 1};
    GePassScope *made = NULL;
    assert_int_equal(GePassScopeCreate(&parts, &made), GE_OPTION_INVALID);
    assert_null(made);
    assert_non_null(strstr(GeLastErrorMessage(), cases[i].part));
  }
}

static void APassOnASubgraphIsRefused(void **state) {
  (void)state;
  GeGraph *root = ReluGraph(), *sub = ReluGraph();
  assert_int_equal(GeGraphSetName(sub, "body"), GE_SUCCESS);
  assert_int_equal(GeGraphAddSubgraph(root, sub), GE_SUCCESS);
  GePass *pass = NULL;
  assert_int_equal(GePassFind("DeadCode", &pass), GE_SUCCESS);
  assert_int_equal(GePassApply(pass, sub), GE_PARAM_INVALID);
  assert_non_null(strstr(GeLastErrorMessage(), "'body' is a subgraph"));
  assert_int_equal(GePassRun("DeadCode", sub), GE_PARAM_INVALID);
  GePassDestroy(pass);
  GeGraphDestroy(sub);
  GeGraphDestroy(root);
}

static void ARegisteredPassRunsInItsStage(void **state) {
  (void)state;
  GePass *pass = Noting("in_stage", 1);
  uint64_t token = 0;
  assert_int_equal(GePassRegisterForStage(pass, GE_STAGE_AFTER_INFER_SHAPE, &token), GE_SUCCESS);
  assert_int_equal(GePassRegisterForStage(pass, GE_STAGE_AFTER_INFER_SHAPE, NULL), GE_PARAM_INVALID);
  trace[0] = '\0';
  GeGraph *graph = ReluGraph();
  GeModel *model = NULL;
  GeOptions *options = NULL;
  OK(GeOptionsCreate(&options));
  GeInstrument *timing = NULL;
  assert_int_equal(GeInstrumentFind("timing", NULL, &timing), GE_SUCCESS);
  GePassScope *scope = Scope(2, NULL, "FuseGelu", &timing, 1);
  assert_int_equal(GePassScopeEnter(scope), GE_SUCCESS);
  assert_int_equal(GeCompile(graph, options, &model), GE_SUCCESS);
  assert_int_equal(GePassScopeExit(scope), GE_SUCCESS);
  assert_string_equal(trace, "run.in_stage");
  char text[16384] = "";
  assert_int_equal(GeInstrumentRender(timing, GE_INSTRUMENT_TEXT, AppendText, text), GE_SUCCESS);
  assert_non_null(strstr(text, "\nCompile "));
  assert_non_null(strstr(text, "\n      in_stage "));
  assert_non_null(strstr(text, " FuseMatMul "));
  assert_null(strstr(text, " FuseGelu "));
  GeModelDestroy(model);
  GeOptionsDestroy(options);
  GeGraphDestroy(graph);
  GeCustomPassUnregister(token);
  GePassScopeDestroy(scope);
  GeInstrumentDestroy(timing);
  GePassDestroy(pass);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TheGate),
      cmocka_unit_test(OrderOfInstruments),
      cmocka_unit_test(FailingInstruments),
      cmocka_unit_test(ScopesAreLeftInOrder),
      cmocka_unit_test(ConfigIsRefused),
      cmocka_unit_test(APassOnASubgraphIsRefused),
      cmocka_unit_test(ARegisteredPassRunsInItsStage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
