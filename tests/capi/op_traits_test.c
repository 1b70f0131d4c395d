/* What a program may say of its operators, and what is refused. */
#include "helpers.h"

#include "ge/fused_program.h"
#include "ge/op.h"

static GeOpTraits Of(uint64_t flags) {
  GeOpTraits traits = {sizeof traits, flags, GE_CONTROL_FLOW_NONE, 0};
  return traits;
}

static uint64_t FlagsOf(const char *type) {
  const GeOpTraits *found = NULL;
  OK(GeOpFindTraits(type, &found));
  assert_int_equal(found->struct_size, sizeof *found);
  return found->flags;
}

static void Refused(uint64_t flags, const char *text) {
  const GeOpTraits traits = Of(flags);
  REFUSED(GE_PARAM_INVALID, text, GeOpSetTraits("TraitsRefused", &traits));
  assert_non_null(strstr(GeLastErrorMessage(), "TraitsRefused"));
}

static void Contradictions(void **state) {
  (void)state;
  Refused(GE_TRAIT_PURE | GE_TRAIT_EFFECT, "PURE and EFFECT contradict");
  Refused(GE_TRAIT_PURE | GE_TRAIT_RANDOM, "PURE and RANDOM contradict");
  Refused(GE_TRAIT_RANDOM | GE_TRAIT_FOLDABLE, "RANDOM and FOLDABLE contradict");
  Refused(GE_TRAIT_EFFECT | GE_TRAIT_FOLDABLE, "EFFECT and FOLDABLE contradict");
  Refused(GE_TRAIT_EFFECT | GE_TRAIT_VIEW, "VIEW and EFFECT contradict");
  Refused(GE_TRAIT_RANDOM | GE_TRAIT_VIEW, "VIEW and RANDOM contradict");
  Refused(GE_TRAIT_PURE | GE_TRAIT_VIEW | GE_TRAIT_COMMUTATIVE, "VIEW and COMMUTATIVE contradict");
  Refused(GE_TRAIT_EFFECT | GE_TRAIT_COMMUTATIVE, "COMMUTATIVE and EFFECT contradict");
  Refused(GE_TRAIT_FOLDABLE, "FOLDABLE needs PURE");
  Refused(GE_TRAIT_COMMUTATIVE, "COMMUTATIVE needs PURE");
  Refused(GE_TRAIT_PURE | GE_TRAIT_FUSED, "FUSED needs ELEMENTWISE");
  Refused(GE_TRAIT_PURE | (uint64_t)1 << 40, "this library knows bits of");
  GeOpTraits traits = Of(GE_TRAIT_PURE | GE_TRAIT_ELEMENTWISE | GE_TRAIT_FUSED);
  traits.fused_opcode = 77;
  REFUSED(GE_PARAM_INVALID, "fused_opcode is 77", GeOpSetTraits("TraitsRefused", &traits));
  traits = Of(GE_TRAIT_PURE);
  traits.fused_opcode = GE_FUSED_NEG;
  REFUSED(GE_PARAM_INVALID, "without FUSED", GeOpSetTraits("TraitsRefused", &traits));
  traits = Of(GE_TRAIT_PURE);
  traits.control_flow = 9;
  REFUSED(GE_PARAM_INVALID, "control_flow is 9", GeOpSetTraits("TraitsRefused", &traits));
  traits = Of(GE_TRAIT_PURE);
  traits.struct_size = 8;
  REFUSED(GE_ABI_MISMATCH, "struct_size is 8", GeOpSetTraits("TraitsRefused", &traits));
  const GeOpTraits *found = NULL;
  REFUSED(GE_NOT_FOUND, "TraitsRefused", GeOpFindTraits("TraitsRefused", &found));
  assert_null(found);
}

static void WhatWasSaidStays(void **state) {
  (void)state;
  const GeOpTraits pure = Of(GE_TRAIT_PURE), random = Of(GE_TRAIT_RANDOM);
  OK(GeOpSetTraits("TraitsSaid", &pure));
  OK(GeOpSetTraits("TraitsSaid", &pure));
  REFUSED(GE_PARAM_INVALID, "RANDOM after PURE", GeOpSetTraits("TraitsSaid", &random));
  assert_int_equal(FlagsOf("TraitsSaid"), GE_TRAIT_PURE);

  GeOpSchema schema = kTestUnary;
  schema.type = "TraitsInSchema";
  OK(GeOpRegister(&schema, NULL));
  assert_int_equal(FlagsOf("TraitsInSchema"), 0); /* a prototype alone says nothing */
  schema.traits = &random;
  OK(GeOpRegister(&schema, NULL));
  assert_int_equal(FlagsOf("TraitsInSchema"), GE_TRAIT_RANDOM);
  const GeOpTraits wrong = Of(GE_TRAIT_RANDOM | GE_TRAIT_FOLDABLE);
  schema.type = "TraitsWrongInSchema";
  schema.traits = &wrong;
  REFUSED(GE_PARAM_INVALID, "RANDOM and FOLDABLE", GeOpRegister(&schema, NULL));
  /* What was compiled against the headers before: no traits, and that is fine. */
  schema.struct_size = offsetof(GeOpSchema, traits);
  OK(GeOpRegister(&schema, NULL));
  assert_int_equal(FlagsOf("TraitsWrongInSchema"), 0);
}

static void BuiltInRows(void **state) {
  (void)state;
  const uint64_t plain = GE_TRAIT_PURE | GE_TRAIT_FOLDABLE;
  assert_int_equal(FlagsOf("MatMul"), plain);
  assert_int_equal(FlagsOf("L2Normalize"), plain);
  assert_int_equal(FlagsOf("NormalizeBatch"), plain);
  assert_int_equal(FlagsOf("NormalizeBBox"), plain);
  assert_int_equal(FlagsOf("DSAGenBitMask"), GE_TRAIT_RANDOM);
  assert_int_equal(FlagsOf("RandomUniform"), GE_TRAIT_RANDOM);
  assert_int_equal(FlagsOf("DropOutV3"), GE_TRAIT_RANDOM);
  assert_int_equal(FlagsOf("HcomAllReduce"), GE_TRAIT_EFFECT);
  assert_int_equal(FlagsOf("Assign"), GE_TRAIT_EFFECT);
  assert_true(FlagsOf("Add") & GE_TRAIT_COMMUTATIVE);
  assert_false(FlagsOf("Sub") & GE_TRAIT_COMMUTATIVE);
  assert_true(FlagsOf("Reshape") & GE_TRAIT_VIEW);
  const GeOpTraits *found = NULL;
  OK(GeOpFindTraits("Softsign", &found));
  assert_true(found->flags & GE_TRAIT_ELEMENTWISE && found->flags & GE_TRAIT_FUSED);
  assert_int_equal(found->fused_opcode, GE_FUSED_SOFTSIGN);
  OK(GeOpFindTraits("While", &found));
  assert_int_equal(found->control_flow, GE_CONTROL_FLOW_WHILE);
  /* Every built-in operator says whether it is pure, and nothing that contradicts itself. */
  for (size_t i = 0; i < GeOpCount(); ++i) {
    const GeOpSchema *schema = GeOpAt(i);
    if (!schema->traits || strncmp(schema->type, "Test", 4) == 0 || strncmp(schema->type, "Traits", 6) == 0) continue;
    assert_int_not_equal(schema->traits->flags & (GE_TRAIT_PURE | GE_TRAIT_RANDOM | GE_TRAIT_EFFECT), 0);
    if (schema->output_count == 0 && schema->graph_count == 0) assert_true(schema->traits->flags & GE_TRAIT_EFFECT);
    OK(GeOpSetTraits(schema->type, schema->traits)); /* repeating the row says nothing */
    assert_int_equal(schema->traits->control_flow != 0, schema->graph_count != 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Contradictions),
      cmocka_unit_test(WhatWasSaidStays),
      cmocka_unit_test(BuiltInRows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
