/* In the place of every handle of every function: a valid handle of another kind, a destroyed one, an address that no
 * handle can have. Refused, or, for a function without a status, taken for null; and everything as before. */
#include "tests/capi/every/fixture.h"

static void Wrong(const Case *c, int wrong, const char *what) {
  size_t pointers = strlen(c->pointers);
  for (int number = 1; number <= (int)pointers; ++number) {
    Fixture w = MakeFixture(c->needs);
    char *before = FixtureText(&w);
    GeClearLastError();
    w.wrong = wrong;
    GeStatus status = c->call(&w, number);
    w.wrong = WRONG_NULL;
    if (w.kind != KIND_OTHER) { /* else this argument is no handle */
      const char *message = GeLastErrorMessage();
      if (status != GE_SUCCESS) {
        if (status != GE_PARAM_INVALID && status != GE_BAD_STATE)
          fail_msg("%s (%s), pointer %d %s: %s: %s", c->function, c->variant, number, what, GeStatusName(status),
                   message);
        assert_int_equal(GeLastErrorCode(), status);
        assert_true(*message);
        int plain = w.kind < KIND_HOLDER; /* handles whose kind can be told */
        if (wrong == WRONG_KIND && plain && !strstr(message, "of another kind: a "))
          fail_msg("%s, pointer %d %s: the message is '%s'", c->function, number, what, message);
        if (wrong != WRONG_KIND && plain && !strstr(message, "valid"))
          fail_msg("%s, pointer %d %s: the message is '%s'", c->function, number, what, message);
      } else if (strchr(c->pointers, 'R') && c->pointers[number - 1] == 'R') {
        fail_msg("%s (%s), pointer %d %s: accepted", c->function, c->variant, number, what);
      }
      char *after = FixtureText(&w);
      if (strcmp(before, after) != 0)
        fail_msg("%s, pointer %d %s: state changed from\n%s\nto\n%s", c->function, number, what, before, after);
      free(after);
    }
    free(before);
    FreeFixture(&w);
  }
}

static void AnotherKind(const Case *c) { Wrong(c, WRONG_KIND, "of another kind"); }
static void NoAddress(const Case *c) { Wrong(c, WRONG_ADDRESS, "no address of a handle"); }

static void HandlesOfAnotherKind(void **state) {
  (void)state;
  assert_int_equal(ForEveryCase(AnotherKind), 0);
}
static void AddressesOfNoHandle(void **state) {
  (void)state;
  assert_int_equal(ForEveryCase(NoAddress), 0);
}
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which report the very look */
static void Destroyed(const Case *c) { Wrong(c, WRONG_DEAD, "destroyed"); }
static void DestroyedHandles(void **state) {
  (void)state;
  assert_int_equal(ForEveryCase(Destroyed), 0);
}
#endif

/* ---- valid handles of the right kind that do not belong together ---- */

static void OfAnotherGraph(void **state) {
  (void)state;
  Fixture w = MakeFixture(NEED_NET);
  GeNode *other = NULL, *relu = NULL;
  OK(GeGraphGetNode(w.sub, 0, &other));
  OK(GeGraphFindNode(w.net, "relu", &relu));
  char *before = FixtureText(&w);
  const int32_t port = 0;
  REFUSED(GE_PARAM_INVALID, "'inner'", GeGraphRemoveNode(w.graph, other));
  REFUSED(GE_PARAM_INVALID, "'inner'", GeGraphAddDataEdge(w.graph, other, 0, w.b, 1));
  REFUSED(GE_PARAM_INVALID, "'relu'", GeGraphAddDataEdge(w.graph, w.data, 0, relu, 0));
  REFUSED(GE_PARAM_INVALID, "'inner'", GeGraphAddDataEdge(w.graph, other, 0, relu, 0));
  REFUSED(GE_PARAM_INVALID, "'inner'", GeGraphAddControlEdge(w.graph, other, w.b));
  REFUSED(GE_PARAM_INVALID, "'relu'", GeGraphAddControlEdge(w.graph, w.b, relu));
  REFUSED(GE_NOT_FOUND, "'inner'", GeGraphRemoveEdge(w.graph, other, 0, w.b, 1));
  REFUSED(GE_PARAM_INVALID, "'relu'", GeGraphRemoveEdge(w.graph, w.data, -1, relu, -1));
  REFUSED(GE_PARAM_INVALID, "'inner'", GeGraphSetOutputs(w.graph, &other, &port, 1));
  EsCTensorHolder *holder = NULL;
  REFUSED(GE_PARAM_INVALID, "'inner'", GeEsHolderFromNode(w.builder, other, 0, &holder));
  assert_null(holder);
  char *after = FixtureText(&w);
  assert_string_equal(before, after);
  free(before);
  free(after);
  FreeFixture(&w);
}

static void OfAnotherBuilder(void **state) {
  (void)state;
  Fixture w = MakeFixture(0);
  EsCGraphBuilder *other = EsCreateGraphBuilder("other");
  EsCTensorHolder *theirs = EsCreateGraphInput(other, 0);
  char *before = FixtureText(&w);
  REFUSED(GE_PARAM_INVALID, "another graph builder", EsAddControlEdge(w.x, &theirs, 1));
  const GeEsInput inputs[] = {{w.x, NULL, 0}, {theirs, NULL, 0}};
  GeEsCall call = {.struct_size = sizeof call, .schema = &kTestBinary, .inputs = inputs};
  EsCTensorHolder *out[1];
  REFUSED(GE_PARAM_INVALID, "another graph builder", GeEsAddNode(&call, out, NULL));
  assert_null(out[0]);
  char *after = FixtureText(&w);
  assert_string_equal(before, after);
  free(before);
  free(after);
  EsDestroyGraphBuilder(other);
  FreeFixture(&w);
}

/* A subgraph belongs to one root, and no graph is inside itself. */
static void SubgraphOfAnotherRoot(void **state) {
  (void)state;
  Fixture w = MakeFixture(NEED_NET);
  GeGraph *inner = NULL;
  OK(GeGraphRetainSubgraphByName(w.graph, "inner", &inner));
  char *before = FixtureText(&w);
  REFUSED(GE_BAD_STATE, "inner", GeGraphAddSubgraph(w.net, inner));
  REFUSED(GE_PARAM_INVALID, "world", GeGraphAddSubgraph(w.graph, w.graph));
  REFUSED(GE_PARAM_INVALID, "world", GeNodeSetSubgraph(w.call, "body", w.graph));
  char *after = FixtureText(&w);
  assert_string_equal(before, after);
  free(before);
  free(after);
  GeGraphDestroy(inner);
  FreeFixture(&w);
}

static void RemovedNode(void **state) {
  (void)state;
  Fixture w = MakeFixture(0);
  OK(GeGraphRemoveNode(w.graph, w.a));
  GeTensorData desc;
  REFUSED(GE_BAD_STATE, "removed", GeGraphRemoveNode(w.graph, w.a));
  REFUSED(GE_BAD_STATE, "removed", GeGraphAddDataEdge(w.graph, w.a, 0, w.b, 0));
  REFUSED(GE_BAD_STATE, "removed", GeNodeGetOutputDesc(w.a, 0, &desc));
  assert_string_equal(GeNodeName(w.a), "");
  FreeFixture(&w);
}

int main(void) {
  GeSetLogCallback(NULL, NULL, GE_LOG_OFF);
  MakeTemp();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(HandlesOfAnotherKind),
    cmocka_unit_test(AddressesOfNoHandle),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    cmocka_unit_test(DestroyedHandles),
#endif
    cmocka_unit_test(OfAnotherGraph),
    cmocka_unit_test(OfAnotherBuilder),
    cmocka_unit_test(SubgraphOfAnotherRoot),
    cmocka_unit_test(RemovedNode),
  };
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  RemoveTemp();
  return failures;
}
