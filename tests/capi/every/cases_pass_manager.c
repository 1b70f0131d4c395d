/* Passes as objects, scopes and instruments. */
#include "ge/pass_manager.h"

#include "tests/capi/every/fixture.h"

static GeStatus RunNothing(void *user, GeGraph *graph, GePassContext *context) {
  (void)user;
  (void)graph;
  (void)context;
  return GE_NOT_CHANGED;
}
static int destroyed;
static void CountDestroy(void *user) { ++*(int *)user; }
static const char *const kRequired[] = {"DeadCode"};
static const GePassFunction kFunction = {sizeof kFunction, "Made", 1,          GE_PASS_MODULE, 0,         0,
                                         kRequired,        1,      RunNothing, CountDestroy,   &destroyed};

static GePass *SomePass(void) {
  GePass *pass = NULL;
  FaultDisarmed(OK(GePassMake(&kFunction, &pass)));
  return pass;
}
static GeInstrument *Timing(void) {
  GeInstrument *instrument = NULL;
  FaultDisarmed(OK(GeInstrumentFind("timing", NULL, &instrument)));
  return instrument;
}
static GePassScope *SomeScope(void) {
  GePassScope *scope = NULL;
  GeInstrument *timing = Timing();
  const GeConfigValue config = {"passes.max_rewrites", GE_CONFIG_INT, 0, 7, 0, NULL};
  const GePassScopeParts parts = {sizeof parts, 2, 1, kRequired, 1, kRequired, 1, &timing, 1, &config, 1, NULL};
  FaultDisarmed(OK(GePassScopeCreate(&parts, &scope)));
  GeInstrumentDestroy(timing);
  return scope;
}

DO(GePassFind, "RR", ALLOCATES, 0, {
  GePass *pass = NULL;
  GeStatus status = GePassFind(P(1, "DeadCode"), P(2, &pass));
  GePassDestroy(pass);
  return status;
})
DO(GePassMake, "RR+RRSNN", ALLOCATES, 0, {
  GePass *pass = NULL;
  GePassFunction function = kFunction;
  if (null == 3) function.name = NULL;
  if (null == 4) function.run = NULL;
  if (null == 5) function.required = NULL;
  if (null == 6) function.destroy = NULL;
  if (null == 7) function.user = NULL, function.destroy = NULL;
  const int before = destroyed;
  GeStatus status = GePassMake(P(1, &function), P(2, &pass));
  if (status == GE_SUCCESS) GePassDestroy(pass);
  assert_int_equal(destroyed, null == 1 || null == 6 || null == 7 ? before : before + 1);
  return status;
})
DO(GePassSequence, "RNNR", ALLOCATES, 0, {
  GePass *pass = SomePass(), *sequence = NULL;
  GePass *const list[] = {pass};
  GeStatus status = GePassSequence(P(1, "Both"), 0, null == 2 ? NULL : list, null == 2 ? 0 : 1,
                                   null == 3 ? NULL : kRequired, null == 3 ? 0 : 1, P(4, &sequence));
  GePassDestroy(sequence);
  GePassDestroy(pass);
  return status;
})
DO(GePassDestroy, "N", NEVER, 0, {
  GePass *pass = SomePass();
  GePassDestroy(P(1, pass));
  if (null) GePassDestroy(pass);
  return GE_SUCCESS;
})
DO(GePassGetInfo, "RR", ALLOCATES, 0, {
  GePass *pass = SomePass();
  GePassInfo info = {.struct_size = sizeof info};
  GeStatus status = GePassGetInfo(P(1, pass), P(2, &info));
  if (status == GE_SUCCESS) {
    assert_string_equal(info.name, "Made");
    assert_string_equal(info.required[0], "DeadCode");
  }
  GePassDestroy(pass);
  return status;
})
DO(GePassApply, "RR", ALLOCATES, 0, {
  GePass *pass = SomePass();
  GeStatus status = GePassApply(P(1, pass), P(2, w->graph));
  GePassDestroy(pass);
  if (status == GE_NOT_CHANGED) status = GE_SUCCESS;
  return status;
})
DO(GePassWhyNot, "RRNRN", ALLOCATES, NEED_NET, {
  GePass *pass = NULL;
  FaultDisarmed(OK(GePassFind("FuseMatMul", &pass)));
  GeStatus status = GePassWhyNot(P(1, pass), P(2, w->net), P(3, "relu"), null == 4 ? NULL : IgnoreText, P(5, w));
  GePassDestroy(pass);
  return status;
})
DO(GePassRegisterForStage, "RN", ALLOCATES, 0, {
  GePass *pass = SomePass();
  uint64_t token = 0;
  GeStatus status = GePassRegisterForStage(P(1, pass), GE_STAGE_AFTER_INFER_SHAPE, P(2, &token));
  if (status == GE_SUCCESS && null == 2) FaultDisarmed(OK(GePassUnregister("Made")));
  GeCustomPassUnregister(token);
  GePassDestroy(pass);
  return status;
})

DO(GePassScopeCreate, "RR", ALLOCATES, 0, {
  GePassScope *scope = NULL;
  const GePassScopeParts parts = {.struct_size = sizeof parts, .level = 2};
  GeStatus status = GePassScopeCreate(P(1, &parts), P(2, &scope));
  GePassScopeDestroy(scope);
  return status;
})
DO(GePassScopeDestroy, "N", NEVER, 0, {
  GePassScope *scope = SomeScope();
  GePassScopeDestroy(P(1, scope));
  if (null) GePassScopeDestroy(scope);
  return GE_SUCCESS;
})
DO(GePassScopeCurrent, "R", ALLOCATES, 0, {
  GePassScope *scope = NULL;
  GeStatus status = GePassScopeCurrent(P(1, &scope));
  GePassScopeDestroy(scope);
  return status;
})
DO(GePassScopeEnter, "R", ALLOCATES, 0, {
  GePassScope *scope = SomeScope();
  GeStatus status = GePassScopeEnter(P(1, scope));
  if (status == GE_SUCCESS) FaultDisarmed(OK(GePassScopeExit(scope)));
  GePassScopeDestroy(scope);
  return status;
})
DO(GePassScopeExit, "R", ALLOCATES, 0, {
  GePassScope *scope = SomeScope();
  FaultDisarmed(OK(GePassScopeEnter(scope)));
  GeStatus status = GePassScopeExit(P(1, scope));
  if (null) FaultDisarmed(OK(GePassScopeExit(scope)));
  GePassScopeDestroy(scope);
  return status;
})
DO(GePassScopeOverrideInstruments, "RN", ALLOCATES, 0, {
  GePassScope *scope = SomeScope();
  GeInstrument *timing = Timing();
  GeInstrument *const list[] = {timing};
  GeStatus status = GePassScopeOverrideInstruments(P(1, scope), null == 2 ? NULL : list, null == 2 ? 0 : 1);
  GeInstrumentDestroy(timing);
  GePassScopeDestroy(scope);
  return status;
})
DO(GePassScopeIsCurrent, "N", NEVER, 0, {
  GePassScope *scope = SomeScope(), *first = NULL; /* a thread's stack of scopes is made on its first use */
  FaultDisarmed(OK(GePassScopeCurrent(&first)); GePassScopeDestroy(first));
  assert_int_equal(GePassScopeIsCurrent(P(1, scope)), 0);
  GePassScopeDestroy(scope);
  return GE_SUCCESS;
})
DO(GePassScopeLevel, "N", NEVER, 0, {
  GePassScope *scope = SomeScope();
  assert_int_equal(GePassScopeLevel(P(1, scope)), null ? -1 : 2);
  GePassScopeDestroy(scope);
  return GE_SUCCESS;
})
DO(GePassScopeName, "N", NEVER, 0, {
  GePassScope *scope = SomeScope();
  const char *name = GePassScopeName(P(1, scope), 1, 0);
  if (null) assert_null(name);
  else assert_string_equal(name, "DeadCode");
  assert_null(GePassScopeName(scope, 0, 1));
  GePassScopeDestroy(scope);
  return GE_SUCCESS;
})
DO(GePassScopeGetConfig, "RRR", NEVER, 0, {
  GePassScope *scope = SomeScope();
  GeConfigValue value;
  GeStatus status = GePassScopeGetConfig(P(1, scope), P(2, "passes.max_rewrites"), P(3, &value));
  if (status == GE_SUCCESS) assert_int_equal(value.integer, 7);
  GePassScopeDestroy(scope);
  return status;
})
STATUS(GePassScopeReport, "NR", ALLOCATES, 0,
       GePassScopeReport(GE_LOG_WARNING, P(1, "relu"), P(2, "a remark of more characters than a string holds itself")))
DO(GePassScopeDiagnosticCount, "N", NEVER, 0, {
  GePassScope *scope = SomeScope();
  assert_int_equal(GePassScopeDiagnosticCount(P(1, scope)), 0);
  GePassScopeDestroy(scope);
  return GE_SUCCESS;
})
DO(GePassScopeDiagnosticAt, "RR", ALLOCATES, 0, {
  GePassScope *scope = SomeScope();
  FaultDisarmed({
    OK(GePassScopeEnter(scope));
    OK(GePassScopeReport(GE_LOG_WARNING, "relu", "is alone"));
    OK(GePassScopeExit(scope));
  });
  GeDiagnostic found = {.struct_size = sizeof found};
  GeStatus status = GePassScopeDiagnosticAt(P(1, scope), 0, P(2, &found));
  if (status == GE_SUCCESS) assert_string_equal(found.text, "is alone");
  GePassScopeDestroy(scope);
  return status;
})
DO(GeConfigKeyRegister, "RN", ALLOCATES, KEEPS, static int made; /* a key that is known already needs no memory */
   char key[32]; snprintf(key, sizeof key, "test.a_key_with_a_long_name.%d", made);
   GeStatus status = GeConfigKeyRegister(P(1, key), 1, P(2, "a key that means something"));
   if (status == GE_SUCCESS)++ made; return status;)
DO(GeConfigKeyCount, "", ALLOCATES, 0, return GeConfigKeyCount() ? GE_SUCCESS : GeLastErrorCode();)
DO(GeConfigKeyAt, "R", ALLOCATES, 0, {
  GeConfigKey key = {.struct_size = sizeof key};
  return GeConfigKeyAt(0, P(1, &key));
})

DO(GeInstrumentMake, "RR+RNNNNNNN", ALLOCATES, 0, {
  GeInstrument *instrument = NULL;
  GeInstrumentTable table = {.struct_size = sizeof table, .name = "Mine", .destroy = CountDestroy, .user = &destroyed};
  if (null == 3) table.name = NULL;
  if (null == 9) table.destroy = NULL;
  const int before = destroyed;
  GeStatus status = GeInstrumentMake(P(1, &table), P(2, &instrument));
  GeInstrumentDestroy(instrument);
  assert_int_equal(destroyed, null == 1 || null == 9 ? before : before + 1);
  return status;
})
DO(GeInstrumentFind, "RNR", ALLOCATES, 0, {
  GeInstrument *instrument = NULL;
  GeStatus status = GeInstrumentFind(P(1, "print-after"), P(2, "DeadCode"), P(3, &instrument));
  GeInstrumentDestroy(instrument);
  return status;
})
DO(GeInstrumentRetain, "RR", ALLOCATES, 0, {
  GeInstrument *timing = Timing();
  GeInstrument *again = NULL;
  GeStatus status = GeInstrumentRetain(P(1, timing), P(2, &again));
  GeInstrumentDestroy(again);
  GeInstrumentDestroy(timing);
  return status;
})
DO(GeInstrumentDestroy, "N", NEVER, 0, {
  GeInstrument *timing = Timing();
  GeInstrumentDestroy(P(1, timing));
  if (null) GeInstrumentDestroy(timing);
  return GE_SUCCESS;
})
DO(GeInstrumentRender, "RRN", ALLOCATES, 0, {
  GeInstrument *timing = Timing();
  GeStatus status = GeInstrumentRender(P(1, timing), GE_INSTRUMENT_TEXT, null == 2 ? NULL : IgnoreText, P(3, w));
  GeInstrumentDestroy(timing);
  return status;
})
