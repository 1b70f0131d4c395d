"""Classes of passes: what class bodies may hold, the forms of hooks, expression style."""

import re

import pytest
from pass_kit import STAGE, ReluPattern, chain, compile_types, times

import ge
from ge import passes
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, Relu, Sigmoid, Split
from ge.passes._inputs import PatternInputs


def refused(base, text, **body):
    with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
        type("Cls", (base,), body)


@pytest.mark.parametrize(
    "base, instead",
    [
        (passes.PatternFusionPass, "PatternFusionPass execution path. Implement patterns()/replacement() instead."),
        (passes.DecomposePass, "DecomposePass execution path. Implement meet_requirements()/replacement() instead."),
    ],
)
def test_run_is_refused(base, instead):
    refused(base, f"Cls overrides run(), which is never invoked by the {instead}", run=lambda self, graph, context: None)


def test_pattern_methods_and_patterns_do_not_mix():
    text = "Cls cannot combine @pattern methods with patterns(). Use one style for declaring patterns."
    method = passes.pattern(lambda self, inputs: inputs[0])
    refused(passes.PatternFusionPass, text, patterns=lambda self: [], one=method)


@pytest.mark.parametrize(
    "function",
    [
        lambda self: None,
        lambda self, inputs, more: None,
        lambda self, inputs, *, more: None,
        lambda: None,
        lambda *args: None,
        lambda self, inputs, more=1: None,
    ],
)
def test_pattern_methods_of_other_forms_are_refused(function):
    passes.pattern(function)
    refused(passes.PatternFusionPass, "@pattern methods only support method(self, inputs)", one=function)


def test_pattern_returns_the_function():
    def function(self, inputs):
        pass

    assert passes.pattern(function) is function


BASES = [(passes.PatternFusionPass, "match_result"), (passes.DecomposePass, "node")]
WRONG = [
    lambda self: None,
    lambda self, a, b, c: None,
    lambda self, a, *, c: None,
    lambda *args: None,
    lambda self, **kwargs: None,
]


@pytest.mark.parametrize("function", WRONG)
@pytest.mark.parametrize("base, value", BASES)
def test_meet_requirements_of_other_forms_is_refused(base, value, function):
    text = f"meet_requirements only supports meet_requirements(self, {value}) or meet_requirements(self, {value}, context)"
    refused(base, text, meet_requirements=function)


@pytest.mark.parametrize("function", WRONG)
@pytest.mark.parametrize("base, value", BASES)
def test_replacement_of_other_forms_is_refused(base, value, function):
    text = f"replacement only supports replacement(self, {value}) or replacement(self, {value}, context)"
    refused(base, text, replacement=function)


@pytest.mark.parametrize(
    "function, text",
    [
        (
            lambda self, inputs, match, other: None,
            "Expression-style replacement with four arguments must use replacement(self, inputs, match_result, context)",
        ),
        (lambda self, inputs, a, b, c: None, None),
    ],
)
def test_expression_replacements_of_other_forms_are_refused(function, text):
    with pytest.raises(TypeError, match=re.escape(text or "Expression-style replacement only supports ")):
        type("Cls", (passes.PatternFusionPass,), {"replacement": function})


@pytest.mark.parametrize("hook", ["meet_requirements", "replacement"])
@pytest.mark.parametrize("base", [b for b, _ in BASES])
def test_hooks_get_what_their_form_asks_for(base, hook):
    seen = []
    one = type("One", (base,), {hook: lambda self, anything: seen.append((anything,))})()
    two = type("Two", (base,), {hook: lambda self, anything, ctx: seen.append((anything, ctx))})()
    more = type("More", (base,), {hook: lambda self, a, b=7, *rest, k=3, **named: seen.append((a, b))})()
    token = object()
    for target in (one, two, more):
        getattr(target, hook)("value", token)  # as the engine calls it
        getattr(target, hook)("value")
        getattr(target, hook)("value", context=token)
    assert seen == [("value",)] * 3 + [("value", token), ("value", None), ("value", token)] * 2


def test_a_subclass_calls_its_base():
    class Base(passes.PatternFusionPass):
        def meet_requirements(self, match_result, context):
            return [match_result, context]

    class Derived(Base):
        def meet_requirements(self, match):
            return super().meet_requirements(match, "context")

    assert Derived().meet_requirements(1) == [1, "context"]


def test_defaults():
    target = passes.PatternFusionPass()
    assert target.matcher_config is None and target.meet_requirements(None) is True
    with pytest.raises(NotImplementedError, match="^PatternFusionPass.patterns must be implemented$"):
        target.patterns()
    with pytest.raises(NotImplementedError, match="^PatternFusionPass.replacement must be implemented$"):
        target.replacement(None)
    with pytest.raises(NotImplementedError, match="^FusionBasePass.run must be implemented$"):
        passes.FusionBasePass().run(None, None)
    other = passes.DecomposePass()
    assert other.op_types is None and other.meet_requirements(None) is True
    with pytest.raises(NotImplementedError, match="^DecomposePass.replacement must be implemented$"):
        other.replacement(None)
    with pytest.raises(AttributeError):
        target.matcher_config = None


def test_a_constructor_that_does_not_call_its_base():
    class C(passes.PatternFusionPass):
        def __init__(self):
            pass

    with pytest.raises(AttributeError):
        C().matcher_config  # noqa: B018


# ---- inheriting ----


def names_of(target):
    return [p_name(p) for p in target.patterns()]


def p_name(pattern):
    from ge._native import ffi, lib, text
    from ge.graph.graph import Graph

    out = ffi.new("GeGraph **")
    assert lib.GePatternRetainGraph(pattern._handle, out) == 0
    return text(lib.GeGraphName(Graph._create_from(out[0])._handle))


class Two(passes.PatternFusionPass):
    @passes.pattern
    def b(self, inputs):
        return Relu(inputs[0])

    @passes.pattern
    def a(self, inputs):
        return Abs(inputs[0])


def test_patterns_come_in_the_order_of_their_definition():
    assert names_of(Two()) == ["Two_b_pattern", "Two_a_pattern"]


def test_a_subclass_with_own_methods_does_not_inherit_those_of_its_base():
    class Sub(Two):
        @passes.pattern
        def c(self, inputs):
            return Sigmoid(inputs[0])

    assert names_of(Sub()) == ["Sub_c_pattern"]


def test_a_subclass_without_methods_keeps_calling_those_of_its_base():
    class Sub(Two):
        def a(self, inputs):
            raise AssertionError("not called")

    assert names_of(Sub()) == ["Two_b_pattern", "Two_a_pattern"]


# ---- inputs of expressions ----


@pytest.fixture
def inputs():
    return PatternInputs(GraphBuilder("g"))


def test_inputs_are_made_on_demand(inputs):
    assert inputs.created() == []
    third = inputs[2]
    assert len(inputs.created()) == 3 and inputs.created()[2] is third and inputs[2] is third
    assert inputs[:2] == inputs.created()[:2] and inputs[1:5] == inputs.created()[1:5] and len(inputs.created()) == 5
    assert inputs[3:3] == [] and inputs[0:2:1] == inputs.created()[:2]
    assert third.get_owner_builder() is inputs[0].get_owner_builder()


@pytest.mark.parametrize(
    "index, kind, text",
    [
        ("0", TypeError, "PatternInputs index must be an integer or slice"),
        (1.0, TypeError, "PatternInputs index must be an integer or slice"),
        (None, TypeError, "PatternInputs index must be an integer or slice"),
        (-1, ValueError, "PatternInputs index must be non-negative"),
        (slice(None), ValueError, "PatternInputs slice must provide a stop index, for example inputs[:3]"),
        (slice(1, None), ValueError, "PatternInputs slice must provide a stop index, for example inputs[:3]"),
        (slice(0, 4, 2), ValueError, "PatternInputs slice step must be 1"),
        (slice(-1, 2), ValueError, "PatternInputs slice indices must be non-negative"),
        (slice(0, -2), ValueError, "PatternInputs slice indices must be non-negative"),
        (slice(3, 1), ValueError, "PatternInputs slice stop must be greater than or equal to start"),
        (slice("a", 2), TypeError, "PatternInputs index must be an integer or slice"),
        (10**9, ValueError, "PatternInputs index is 1000000000, expected at most 99999"),
    ],
)
def test_wrong_indexes(inputs, index, kind, text):
    with pytest.raises(kind, match=f"^{re.escape(text)}$"):
        inputs[index]
    assert inputs.created() == []


def test_inputs_cannot_be_iterated(inputs):
    text = "PatternInputs cannot be iterated because the input count is unknown; use inputs[:N]"
    with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
        list(inputs)
    with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
        _, _ = inputs


# ---- what expressions return ----


def pattern_of(result):
    return type("C", (passes.PatternFusionPass,), {"one": passes.pattern(lambda self, inputs: result(inputs))})()


def test_captures_are_inputs_and_then_outputs():
    x_y_and_result = pattern_of(lambda inputs: inputs[0] + inputs[1]).patterns()[0].get_captured_tensors()
    assert [t.node.type for t in x_y_and_result] == ["Data", "Data", "Add"]
    repeated = pattern_of(lambda inputs: [Relu(inputs[0]), inputs[0]]).patterns()[0].get_captured_tensors()
    assert [t.node.type for t in repeated] == ["Data", "Relu", "Data"]


def test_captures_use_output_0():
    def split(inputs):
        parts = Split(inputs[0].get_owner_builder().create_scalar_int32(0), inputs[0], num_split=2, y_num=2)
        return parts[1]

    captured = pattern_of(split).patterns()[0].get_captured_tensors()
    assert (captured[1].node.type, captured[1].index) == ("Split", 0)


def test_graphs_and_patterns_are_used_as_they_are():
    graph = chain(Relu)
    found = pattern_of(lambda inputs: graph).patterns()[0]
    assert found.get_captured_tensors() == [] and graph._handle is None
    own = passes.Pattern(chain(Relu))
    assert pattern_of(lambda inputs: own).patterns()[0] is own


@pytest.mark.parametrize("make", [lambda: [chain(Relu)], lambda: (passes.Pattern(chain(Relu)),)])
def test_several_patterns_in_one_method_are_refused(make):
    with pytest.raises(TypeError, match="^A @pattern method supports a single pattern only. "):
        pattern_of(lambda inputs: make()).patterns()


NOTHING = [None, 5, "x", [], (), [None], {}]


@pytest.mark.parametrize("result", NOTHING)
def test_patterns_of_nothing_are_refused(result):
    text = "Expression-style patterns must return a TensorHolder or a non-empty list/tuple of TensorHolder"
    with pytest.raises(TypeError, match=f"^{text}$"):
        pattern_of(lambda inputs: result).patterns()


@pytest.mark.parametrize("result", [*NOTHING, "pattern"])
def test_replacements_of_nothing_are_refused(result):
    if result == "pattern":
        result = passes.Pattern(chain(Relu))
    cls = type("C", (passes.PatternFusionPass,), {"replacement": lambda self, inputs: result})
    text = "Expression-style replacement must return a TensorHolder or a non-empty list/tuple of TensorHolder"
    with pytest.raises(TypeError, match=f"^{text}$"):
        cls().replacement(None)


def test_replacements_are_graphs():
    class C(passes.PatternFusionPass):
        def replacement(self, inputs):
            return Relu(inputs[0]), inputs[0]

    graph = C().replacement(None)
    assert graph.name == "C_replacement"
    own = chain(Relu)
    cls = type("D", (passes.PatternFusionPass,), {"replacement": lambda self, inputs: own})
    assert cls().replacement(None) is own


def test_tensors_of_another_builder_are_refused():
    other = GraphBuilder("other").create_input(0)
    cls = type("C", (passes.PatternFusionPass,), {"replacement": lambda self, inputs: other})
    with pytest.raises(ValueError, match="different GraphBuilders"):
        cls().replacement(None)
    with pytest.raises(ValueError, match="different GraphBuilders"):
        pattern_of(lambda inputs: other).patterns()


@pytest.mark.parametrize("form", ["inputs", "context", "match", "both"])
def test_expression_forms(registry, form):
    seen = []

    def inputs_only(self, inputs):
        return inputs[0]

    def with_context(self, inputs, context):
        seen.append(type(context))
        return inputs[0]

    def with_match(self, inputs, found):
        seen.append(type(found))
        return inputs[0]

    def with_both(self, inputs, found, context):
        seen.extend((type(found), type(context)))
        return inputs[0]

    function = {"inputs": inputs_only, "context": with_context, "match": with_match, "both": with_both}[form]
    expected = {
        "inputs": [],
        "context": [passes.PassContext],
        "match": [passes.MatchResult],
        "both": [passes.MatchResult, passes.PassContext],
    }
    passes.register_fusion_pass(name="N", stage=STAGE)(type("C", (ReluPattern,), {"replacement": function}))
    assert compile_types(chain(Abs, Relu)) == ["Abs"]
    assert seen == expected[form]


def test_inputs_that_an_expression_does_not_use_are_made(registry):
    @passes.register_fusion_pass(name="N", stage=STAGE)
    class First(passes.PatternFusionPass):
        @passes.pattern
        def add(self, inputs):
            return Add(inputs[0], inputs[1])

        def replacement(self, inputs):
            return inputs[0]

    def add(x):
        return Add(x, Abs(x))

    assert compile_types(chain(add, Relu)) == ["Relu"] or compile_types(chain(add, Relu)) == ["Abs", "Relu"]
    assert passes.report()[0]["matches_applied"] == 1


def test_patterns_with_different_numbers_of_inputs(registry):
    @passes.register_fusion_pass(name="N", stage=STAGE)
    class First(passes.PatternFusionPass):
        @passes.pattern
        def add(self, inputs):
            return Add(inputs[0], inputs[1])

        @passes.pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, inputs):
            return inputs[0]

    assert compile_types(chain(lambda x: Add(x, x), Relu, Sigmoid)) == ["Sigmoid"]
    assert passes.report()[0]["matches_applied"] == 2


def test_the_program_of_the_documents(registry):
    @passes.register_fusion_pass(name="MulOne", stage=STAGE)
    class MulOne(passes.PatternFusionPass):
        def __init__(self):
            super().__init__(passes.PatternMatcherConfigBuilder().enable_const_value_match().build())

        @passes.pattern
        def mul(self, inputs):
            return inputs[0] * inputs[0].get_owner_builder().create_scalar_float(1.0)

        def meet_requirements(self, match):
            return match.get_captured_tensor(0).node.type != "Const"

        def replacement(self, inputs):
            return inputs[0]

    assert compile_types(chain(Relu, times(1.0), times(2.0))) == ["Const", "Mul", "Relu"]
    model = ge.load(chain(times(1.0)))
    assert model([1.0, 2.0, 3.0, 4.0]).tolist() == [1, 2, 3, 4]
