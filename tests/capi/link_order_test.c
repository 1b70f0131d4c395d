/* A program with libge.so before libes_all.so on its link line: the loader meets the library's own, weak EsAdd, EsSub,
 * EsMul and EsDiv first. */
#include "helpers.h"

#include "es_all_ops_c.h"

static void TheGeneratedOperatorsAreFound(void **state) {
  (void)state;
  EsCGraphBuilder *builder = EsCreateGraphBuilder("order");
  EsCTensorHolder *x = EsCreateGraphInput(builder, 0), *y = EsCreateGraphInput(builder, 1);
  EsCTensorHolder *(*const made[])(EsCTensorHolder *, EsCTensorHolder *) = {(void *)EsAdd, (void *)EsSub, (void *)EsMul,
                                                                            (void *)EsDiv};
  const char *const types[] = {"Add", "Sub", "Mul", "Div"};
  for (int i = 0; i < 4; ++i) {
    EsCTensorHolder *out = made[i](x, y);
    if (!out) fail_msg("%s: %s", types[i], GeLastErrorMessage());
    GeNode *node = NULL;
    OK(GeEsNodeGet(EsGetProducer(out), &node));
    assert_string_equal(GeNodeType(node), types[i]);
  }
  EsDestroyGraphBuilder(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(TheGeneratedOperatorsAreFound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
