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
  traits.fused_opcode = 0; /* zero-filled memory names no instruction */
  REFUSED(GE_PARAM_INVALID, "traits of TraitsRefused: fused_opcode is 0, FUSED needs one",
          GeOpSetTraits("TraitsRefused", &traits));
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

static void ControlFlowComputesNoElements(void **state) {
  (void)state;
  const uint64_t flags[] = {GE_TRAIT_PURE | GE_TRAIT_VIEW, GE_TRAIT_PURE | GE_TRAIT_FOLDABLE, GE_TRAIT_IN_PLACE,
                            GE_TRAIT_PURE | GE_TRAIT_COMMUTATIVE, GE_TRAIT_ELEMENTWISE};
  const char *names[] = {"VIEW", "FOLDABLE", "IN_PLACE", "COMMUTATIVE", "ELEMENTWISE"};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
    GeOpTraits traits = Of(flags[i]);
    traits.control_flow = GE_CONTROL_FLOW_CASE;
    REFUSED(GE_PARAM_INVALID, "control_flow 2 and", GeOpSetTraits("TraitsRefused", &traits));
    assert_non_null(strstr(GeLastErrorMessage(), names[i]));
  }
}

/* A prototype with these numbers of inputs and outputs, each "p0", "p1", … */
static GeOpSchema Ports(const char *type, size_t inputs, size_t outputs) {
  static const GeIrPort ports[] = {{"p0", GE_IR_REQUIRED, 0, "T"}, {"p1", GE_IR_REQUIRED, 0, "T"}},
                        results[] = {{"r0", GE_IR_REQUIRED, 0, "T"}};
  GeOpSchema schema = {0};
  schema.struct_size = sizeof schema;
  schema.type = type;
  schema.inputs = ports;
  schema.input_count = inputs;
  schema.outputs = results;
  schema.output_count = outputs;
  return schema;
}

/* Refused with the prototype, after it, and when it comes after the traits. */
static void Unfit(int number, GeOpTraits traits, size_t inputs, size_t outputs, const char *text) {
  char names[3][32];
  for (int i = 0; i < 3; ++i) snprintf(names[i], sizeof names[i], "TraitsUnfit%d_%d", number, i);
  GeOpSchema with = Ports(names[0], inputs, outputs), before = Ports(names[1], inputs, outputs),
             after = Ports(names[2], inputs, outputs);
  with.traits = &traits;
  REFUSED(GE_PARAM_INVALID, text, GeOpRegister(&with, NULL));
  assert_non_null(strstr(GeLastErrorMessage(), names[0]));
  with.traits = NULL;
  OK(GeOpRegister(&with, NULL)); /* nothing was registered */
  OK(GeOpRegister(&before, NULL));
  REFUSED(GE_PARAM_INVALID, text, GeOpSetTraits(names[1], &traits));
  OK(GeOpSetTraits(names[2], &traits));
  REFUSED(GE_PARAM_INVALID, text, GeOpRegister(&after, NULL));
  assert_non_null(strstr(GeLastErrorMessage(), names[2]));
}

static void TraitsThatDoNotFitThePrototype(void **state) {
  (void)state;
  Unfit(0, Of(GE_TRAIT_PURE | GE_TRAIT_COMMUTATIVE), 1, 1, "COMMUTATIVE needs 2 inputs, its prototype has 1");
  Unfit(1, Of(GE_TRAIT_PURE | GE_TRAIT_VIEW), 0, 1, "VIEW needs 1 input, its prototype has 0");
  Unfit(2, Of(GE_TRAIT_PURE | GE_TRAIT_IN_PLACE), 1, 0, "IN_PLACE needs 1 output, its prototype has 0");
  Unfit(3, Of(GE_TRAIT_PURE | GE_TRAIT_ELEMENTWISE), 0, 1, "ELEMENTWISE needs 1 input, its prototype has 0");
  GeOpTraits traits = Of(GE_TRAIT_PURE | GE_TRAIT_ELEMENTWISE | GE_TRAIT_FUSED);
  traits.fused_opcode = GE_FUSED_ADD;
  Unfit(4, traits, 1, 1, "FUSED with opcode 12 needs 2 inputs and 1 output, its prototype has 1 and 1");
  traits = Of(GE_TRAIT_PURE);
  traits.control_flow = GE_CONTROL_FLOW_IF;
  Unfit(5, traits, 2, 1, "control_flow 1 needs the subgraph 'then_branch', its prototype has 0");
  /* Of a type that the library has: its prototype is known. */
  traits = Of(GE_TRAIT_PURE | GE_TRAIT_COMMUTATIVE);
  REFUSED(GE_PARAM_INVALID, "traits of Neg: COMMUTATIVE needs 2 inputs", GeOpSetTraits("Neg", &traits));
}

/* An output with an input's name is that input, written over. */
static void WhatWritesItsInputIsNotPure(void **state) {
  (void)state;
  const char *const some[] = {"ApplyAdamD", "ScatterUpdate", "ScatterNdAdd",      "SliceWrite",
                              "SGD",        "ScatterAdd",    "StridedSliceAssign"};
  for (size_t i = 0; i < sizeof some / sizeof *some; ++i) assert_int_equal(FlagsOf(some[i]), GE_TRAIT_EFFECT);
  for (size_t i = 0; i < GeOpCount(); ++i) {
    const GeOpSchema *schema = GeOpAt(i);
    if (strncmp(schema->type, "Test", 4) == 0 || strncmp(schema->type, "Traits", 6) == 0) continue;
    for (size_t o = 0; o < schema->output_count; ++o) {
      for (size_t in = 0; in < schema->input_count; ++in) {
        if (strcmp(schema->outputs[o].name, schema->inputs[in].name) == 0 &&
            FlagsOf(schema->type) & (GE_TRAIT_PURE | GE_TRAIT_FOLDABLE))
          fail_msg("%s writes its input %s and is said to be pure", schema->type, schema->inputs[in].name);
      }
    }
  }
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
      cmocka_unit_test(ControlFlowComputesNoElements),
      cmocka_unit_test(TraitsThatDoNotFitThePrototype),
      cmocka_unit_test(WhatWritesItsInputIsNotPure),
      cmocka_unit_test(WhatWasSaidStays),
      cmocka_unit_test(BuiltInRows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
