/* The pass functions of the C ABI: contract, null, order, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include "ge/graph.h"
#include "ge/pass.h"

static int destroyed, runs;

static GeStatus Rename(void *user, GeGraph *graph) {
  ++runs;
  GeNode *node = NULL;
  GeStatus status = GeGraphFindNode(graph, "victim", &node);
  if (status != GE_SUCCESS) return GE_NOT_CHANGED;
  status = GeGraphRemoveNode(graph, node);
  if (status != GE_SUCCESS) return status;
  if (*(int *)user) return GeSetLastError(GE_UNSUPPORTED, "does not want to");
  return GE_SUCCESS;
}
static void Destroyed(void *user) {
  (void)user;
  ++destroyed;
}

static GeGraph *GraphWithVictim(void) {
  GeGraph *graph = NULL;
  GeNode *node = NULL;
  GeNodeSpec spec;
  assert_int_equal(GeGraphCreate("g", &graph), GE_SUCCESS);
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.type = "Data";
  spec.name = "victim";
  assert_int_equal(GeGraphAddNode(graph, &spec, &node), GE_SUCCESS);
  return graph;
}

static GePassTable Table(const char *name, int *fails) {
  GePassTable table;
  memset(&table, 0, sizeof table);
  table.struct_size = sizeof table;
  table.name = name;
  table.stage = GE_STAGE_AFTER_INFER_SHAPE;
  table.level = 1;
  table.run = Rename;
  table.destroy = Destroyed;
  table.user = fails;
  return table;
}

static void RegistersRunsAndUnregisters(void **state) {
  (void)state;
  int fails = 0;
  size_t before = GePassCount(), i;
  GePassInfo info = {.struct_size = sizeof info};
  int found = 0;
  GePassTable table = Table("RemoveVictim", &fails);
  GeGraph *graph = GraphWithVictim();
  destroyed = runs = 0;
  assert_int_equal(GePassRegister(&table), GE_SUCCESS);
  assert_int_equal(GePassCount(), before + 1);
  for (i = 0; i < GePassCount(); ++i) {
    assert_int_equal(GePassAt(i, &info), GE_SUCCESS);
    if (strcmp(info.name, "RemoveVictim") == 0) {
      found = 1;
      assert_int_equal(info.stage, GE_STAGE_AFTER_INFER_SHAPE);
      assert_int_equal(info.level, 1);
      assert_int_equal(info.builtin, 0);
    }
  }
  assert_true(found);
  assert_int_equal(GePassRun("RemoveVictim", graph), GE_SUCCESS);
  assert_int_equal(GeGraphNodeCount(graph), 0);
  assert_int_equal(GePassRun("RemoveVictim", graph), GE_NOT_CHANGED);
  assert_int_equal(runs, 2);
  assert_int_equal(GePassRegister(&table), GE_PARAM_INVALID); /* the name is taken */
  assert_int_equal(destroyed, 1);
  for (const char **name = (const char *[]){"DeadCode", "FoldConstant", NULL}; *name;
       ++name) { /* the library's two names */
    GePassTable other = table;
    other.name = *name;
    other.destroy = NULL;
    assert_int_equal(GePassRegister(&other), GE_PARAM_INVALID);
  }
  assert_int_equal(GePassUnregister("RemoveVictim"), GE_SUCCESS);
  assert_int_equal(destroyed, 2);
  assert_int_equal(GePassCount(), before);
  GeGraphDestroy(graph);
}

static void AFailingPassIsUndone(void **state) {
  (void)state;
  int fails = 1;
  GePassTable table = Table("FailingPass", &fails);
  GeGraph *graph = GraphWithVictim();
  assert_int_equal(GePassRegister(&table), GE_SUCCESS);
  assert_int_equal(GePassRun("FailingPass", graph), GE_UNSUPPORTED);
  assert_non_null(strstr(GeLastErrorMessage(), "FailingPass"));
  assert_non_null(strstr(GeLastErrorMessage(), "does not want to"));
  assert_int_equal(GeGraphNodeCount(graph), 1);
  assert_int_equal(GeGraphVerify(graph), GE_SUCCESS);
  assert_int_equal(GePassUnregister("FailingPass"), GE_SUCCESS);
  GeGraphDestroy(graph);
}

static void AnOutputWithoutItsNodeIsNamedAndUndone(void **state) {
  (void)state;
  int fails = 0;
  const int32_t port = 0;
  GeNode *node = NULL;
  GePassTable table = Table("RemovesAnOutput", &fails);
  GeGraph *graph = GraphWithVictim();
  assert_int_equal(GeGraphFindNode(graph, "victim", &node), GE_SUCCESS);
  assert_int_equal(GeGraphSetOutputs(graph, &node, &port, 1), GE_SUCCESS);
  assert_int_equal(GePassRegister(&table), GE_SUCCESS);
  assert_int_not_equal(GePassRun("RemovesAnOutput", graph), GE_SUCCESS);
  assert_non_null(strstr(GeLastErrorMessage(), "pass 'RemovesAnOutput'"));
  assert_non_null(strstr(GeLastErrorMessage(), "output 0 is not connected"));
  assert_int_equal(GeGraphNodeCount(graph), 1);
  assert_int_equal(GeGraphVerify(graph), GE_SUCCESS);
  assert_int_equal(GePassUnregister("RemovesAnOutput"), GE_SUCCESS);
  GeGraphDestroy(graph);
}

static void RefusesBadArguments(void **state) {
  (void)state;
  int fails = 0;
  GePassInfo info = {.struct_size = sizeof info};
  GePassTable table = Table("Unstaged", &fails);
  GeGraph *graph = GraphWithVictim();
  destroyed = 0;
  table.stage = 77;
  assert_int_equal(GePassRegister(&table), GE_PARAM_INVALID);
  table = Table(NULL, &fails);
  assert_int_equal(GePassRegister(&table), GE_PARAM_INVALID);
  table = Table("NoRun", &fails);
  table.run = NULL;
  assert_int_equal(GePassRegister(&table), GE_PARAM_INVALID);
  assert_int_equal(destroyed, 3);
  table = Table("Foreign", &fails);
  table.struct_size = 4;
  assert_int_equal(GePassRegister(&table), GE_ABI_MISMATCH);
  assert_int_equal(GePassRegister(NULL), GE_PARAM_INVALID);
  assert_int_equal(GePassUnregister(NULL), GE_PARAM_INVALID);
  assert_int_equal(GePassUnregister("Fusegelu"), GE_NOT_FOUND);
  assert_non_null(strstr(GeLastErrorMessage(), "FuseGelu"));
  assert_int_equal(GePassUnregister("FuseGelu"), GE_PARAM_INVALID); /* part of the library */
  assert_int_equal(GePassAt(GePassCount(), &info), GE_PARAM_INVALID);
  assert_int_equal(GePassAt(0, NULL), GE_PARAM_INVALID);
  assert_int_equal(GePassRun(NULL, graph), GE_PARAM_INVALID);
  assert_int_equal(GePassRun("FuseGelu", NULL), GE_PARAM_INVALID);
  assert_int_equal(GePassRun("NoSuchPass", graph), GE_NOT_FOUND);
  GeGraphDestroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(RegistersRunsAndUnregisters), cmocka_unit_test(AFailingPassIsUndone),
      cmocka_unit_test(AnOutputWithoutItsNodeIsNamedAndUndone), cmocka_unit_test(RefusesBadArguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
