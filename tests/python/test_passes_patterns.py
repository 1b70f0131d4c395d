"""Patterns, matches and configurations of the matcher as objects of Python."""

import copy
import dataclasses
import re

import numpy as np
import pytest
from pass_kit import STAGE, ReluPattern, chain, compile_types, times

import ge
from ge import passes
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, LeakyRelu, Relu, Sigmoid, SplitD
from ge.passes.pattern import ensure_pattern

# ---- Pattern ----


@pytest.fixture
def parts():
    """(graph, x, result) of Relu(x); the tensors are of the graph's builder."""
    builder = GraphBuilder("p")
    x = builder.create_input(0, name="x")
    result = Relu(x)
    return builder.build_and_reset([result]), x, result


def test_node_io():
    io = passes.NodeIo("n")
    assert (io.node, io.index) == ("n", 0) and passes.NodeIo("n", 3).index == 3 and io == passes.NodeIo(node="n", index=0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        io.index = 1


@pytest.mark.parametrize("make", [passes.Pattern, passes.create_pattern, ensure_pattern])
def test_a_pattern_takes_its_graph_over(parts, make):
    graph, x, result = parts
    pattern = make(graph)
    assert isinstance(pattern, passes.Pattern) and pattern.is_valid()
    assert graph._handle is None and graph._owns_handle is False
    assert pattern.capture_tensor(x) is pattern
    pattern.capture_tensor(result, 0).capture_tensor(x)
    found = pattern.get_captured_tensors()
    assert [(t.node.type, t.index) for t in found] == [("Data", 0), ("Relu", 0), ("Data", 0)]


def test_sources_of_captures(parts):
    graph, x, result = parts
    node = [n for n in graph.get_direct_nodes() if n.type == "Relu"][0]
    pattern = passes.Pattern(graph)
    io = pattern.capture_tensor(node).get_captured_tensors()[0]
    other = dataclasses.make_dataclass("Other", ["node", "index"])(result, 0)
    pattern.capture_tensor(io).capture_tensor(other)
    assert [t.node.name for t in pattern.get_captured_tensors()] == [node.name] * 3


@pytest.mark.parametrize("source", [None, 5, "x", object()])
def test_what_cannot_be_captured(parts, source):
    with pytest.raises(TypeError, match="^capture_tensor expects a TensorHolder, a Node, or an object with node and index$"):
        passes.Pattern(parts[0]).capture_tensor(source)


@pytest.mark.parametrize("index", [1, -1, 2**70])
def test_captures_of_ports_that_are_not_there(parts, index):
    with pytest.raises(RuntimeError, match=f"^Failed to capture output {index} of a node$"):
        passes.Pattern(parts[0]).capture_tensor(parts[2], index)


def test_captures_of_another_graph(parts):
    pattern = passes.Pattern(chain(Abs))
    with pytest.raises(RuntimeError, match="^Failed to capture output 0 of a node$") as caught:
        pattern.capture_tensor(parts[2])
    assert "is of graph 'p'" in caught.value.reason


def test_handing_over_twice(parts):
    passes.Pattern(parts[0])
    with pytest.raises(RuntimeError, match="^Pattern graph handle is empty$"):
        passes.Pattern(parts[0])
    with pytest.raises(RuntimeError, match="^Graph object must carry _handle$"):
        passes.Pattern(object())


def test_release(parts):
    from ge._native import ffi, lib

    pattern = passes.Pattern(parts[0])
    address = pattern.release()
    assert isinstance(address, int) and address != 0 and pattern.is_valid() is False
    for use in (pattern.release, pattern.get_captured_tensors, lambda: pattern.capture_tensor(parts[1])):
        with pytest.raises(RuntimeError, match="^Pattern handle has been released$"):
            use()
    assert repr(pattern) == "<Pattern, released>"
    lib.GePatternDestroy(ffi.cast("GePattern *", address))


def test_ensure_pattern(parts):
    pattern = passes.Pattern(parts[0])
    assert ensure_pattern(pattern) is pattern
    for wrong in (None, 5, "x"):
        with pytest.raises(TypeError, match="^PatternFusionPass.patterns must return Pattern or Graph objects$"):
            ensure_pattern(wrong)


def test_create_replacement(parts):
    assert passes.create_replacement(parts[0]) is parts[0]
    for wrong in (None, 5, passes.Pattern(chain(Relu))):
        with pytest.raises(TypeError, match="^replacement graph must be a ge.graph.Graph$"):
            passes.create_replacement(wrong)


def test_patterns_are_not_copied(parts):
    pattern = passes.Pattern(parts[0])
    for copy_of in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match="^Pattern does not support "):
            copy_of(pattern)


# ---- configuration ----


@pytest.mark.parametrize("values, attrs", [(False, False), (True, False), (False, True), (True, True)])
def test_configurations(values, attrs):
    builder = passes.PatternMatcherConfigBuilder()
    if values:
        assert builder.enable_const_value_match() is builder
    if attrs:
        assert builder.enable_ir_attr_match() is builder
    config = builder.build()
    assert isinstance(config, passes.PatternMatcherConfig)
    assert (config.is_enable_const_value_match(), config.is_enable_ir_attr_match()) == (values, attrs)
    assert passes.PatternFusionPass(config).matcher_config is config


def test_configurations_are_built():
    with pytest.raises(TypeError):
        passes.PatternMatcherConfig()


def leaky(slope):
    return lambda x: LeakyRelu(x, negative_slope=slope)


@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize(
    "method, wanted, other, replaced",
    [
        ("enable_const_value_match", times(2.0), times(3.0), "Mul"),
        ("enable_ir_attr_match", leaky(0.5), leaky(0.25), "LeakyRelu"),
    ],
)
def test_what_is_compared(registry, enabled, method, wanted, other, replaced):
    """On: only the equal one; off: both."""

    class C(passes.PatternFusionPass):
        def __init__(self):
            builder = passes.PatternMatcherConfigBuilder()
            super().__init__(getattr(builder, method)().build() if enabled else None)

        def patterns(self):
            return [chain(wanted)]

        def replacement(self, inputs):
            return Abs(inputs[0])

    passes.register_fusion_pass(name="N", stage=STAGE)(C)
    found = compile_types(chain(wanted, Sigmoid, other))
    assert found.count("Abs") == (1 if enabled else 2) and found.count(replaced) == (1 if enabled else 0)


@pytest.mark.parametrize("config", [5, "x", object()])
def test_a_configuration_of_another_type_fails_the_compile(registry, config):
    @passes.register_fusion_pass(name="N", stage=STAGE)
    class C(ReluPattern):
        def __init__(self):
            super().__init__(config)

    text = "no instance of the pass could be made: TypeError: PatternFusionPass.matcher_config must be "
    with pytest.raises(ge.GeError, match=text):
        ge.load(chain(Relu))


# ---- MatchResult ----


@pytest.fixture
def look(registry):
    """look(function, *operators): calls it with each match of Add(Relu(x), y); what the calls returned."""

    def run(function):
        results = []

        class C(passes.PatternFusionPass):
            @passes.pattern
            def add(self, inputs):
                return Add(Relu(inputs[0]), inputs[1])

            def meet_requirements(self, match_result, context):
                results.append(function(match_result, context))
                return False

        passes.clear_registered_passes()
        passes.register_fusion_pass(name="Look", stage=STAGE)(C)
        ge.load(chain(lambda x: Add(Relu(x), Abs(x))))
        return results

    return run


def test_matches_cannot_be_made():
    for cls in (passes.MatchResult, passes.PassContext):
        with pytest.raises(TypeError):
            cls()


def test_matched_nodes(look):
    assert look(lambda m, _: [n.type for n in m.get_matched_nodes()]) == [["Relu", "Add"]]


def test_matched_constants_count(registry):
    seen = []

    class C(passes.PatternFusionPass):
        def patterns(self):
            return [chain(times(1.0))]

        def meet_requirements(self, match_result):
            seen.append(sorted(n.type for n in match_result.get_matched_nodes()))
            return False

    passes.register_fusion_pass(name="N", stage=STAGE)(C)
    ge.load(chain(times(5.0)))
    assert seen == [["Const", "Mul"]]


def test_many_matched_nodes(registry):
    seen = []

    class C(passes.PatternFusionPass):
        def patterns(self):
            return [chain(*[Relu] * 40)]

        def meet_requirements(self, match_result):
            seen.append(len(match_result.get_matched_nodes()))
            return False

    passes.register_fusion_pass(name="N", stage=STAGE)(C)
    ge.load(chain(*[Relu] * 40))
    assert seen == [40]


def test_captured_tensors(look):
    def captured(match, _):
        found = [match.get_captured_tensor(i) for i in range(3)]
        assert all(isinstance(io, passes.NodeIo) for io in found)
        return [(io.node.type, io.index) for io in found]

    assert look(captured) == [[("Data", 0), ("Abs", 0), ("Add", 0)]]
    assert look(lambda m, _: m.get_captured_tensor(np.int64(1)).node.type) == ["Abs"]


@pytest.mark.parametrize(
    "index, kind", [(3, RuntimeError), (2**70, RuntimeError), (-1, TypeError), ("0", TypeError), (None, TypeError)]
)
def test_captures_that_are_not_there(look, index, kind):
    def captured(match, _):
        with pytest.raises(kind) as caught:
            match.get_captured_tensor(index)
        return str(caught.value)

    text = look(captured)[0]
    assert kind is TypeError or text == "Failed to get captured tensor from MatchResult"


def test_texts_of_a_match(look):
    assert look(lambda m, _: m.get_pattern_graph_name()) == ["C_add_pattern"]
    assert "Relu" in look(lambda m, _: str(m))[0]


def test_a_match_expires_with_its_hook(look):
    match = look(lambda m, _: m)[0]
    for use in (
        match.get_matched_nodes,
        match.get_pattern_graph_name,
        lambda: match.get_captured_tensor(0),
        lambda: str(match),
    ):
        with pytest.raises(RuntimeError, match="^MatchResult handle has expired$"):
            use()
    assert repr(match) == "<MatchResult expired>"


def test_invalidate(look):
    def invalidated(match, _):
        match._invalidate()
        with pytest.raises(RuntimeError, match="^MatchResult handle has expired$"):
            match.get_matched_nodes()
        return True

    assert look(invalidated) == [True]


def test_nodes_outlive_their_match_until_the_run_ends(registry):
    nodes = []

    class C(ReluPattern):
        def meet_requirements(self, match_result):
            seen = [n.name for n in nodes]  # those of the match before
            nodes.append(match_result.get_matched_nodes()[0])
            assert len(seen) == len(nodes) - 1
            return False

    passes.register_fusion_pass(name="N", stage=STAGE)(C)
    ge.load(chain(Relu, Relu, Relu))
    assert len(nodes) == 3
    for node in nodes:
        with pytest.raises(RuntimeError, match="^graph handle has expired$"):
            node.name  # noqa: B018
    assert repr(nodes[0]) == "<Node, expired>"


# ---- PassContext ----


def test_context(look):
    def asked(_, context):
        assert context.get_error_message() == "" and context.get_pass_name() == "Look"
        context.set_pass_name("Other")
        context.set_error_message("why")
        with pytest.raises(RuntimeError, match=f"^{re.escape('Failed to get option value for key: no.such')}$"):
            context.get_option_value("no.such")
        return context.get_pass_name(), context.get_error_message(), repr(context)

    assert look(asked) == [("Other", "why", "<PassContext of 'Other'>")]


def test_options_of_the_compile(registry):
    seen = []

    @passes.register_fusion_pass(name="N", stage=STAGE)
    class C(passes.FusionBasePass):
        def run(self, graph, context):
            seen.append(context.get_option_value("threads"))

    ge.load(chain(Relu), {"threads": 1})
    assert seen == ["1"]


@pytest.mark.parametrize(
    "use",
    [
        lambda c: c.get_pass_name(),
        lambda c: c.set_pass_name("x"),
        lambda c: c.get_error_message(),
        lambda c: c.set_error_message("x"),
        lambda c: c.get_option_value("x"),
    ],
)
def test_a_context_expires_with_its_run(look, use):
    context = look(lambda _, c: c)[0]
    with pytest.raises(RuntimeError, match="^graph handle has expired$"):
        use(context)
    assert repr(context) == "<PassContext, expired>"


@pytest.mark.parametrize(
    "use", [lambda c: c.set_error_message(5), lambda c: c.set_pass_name(None), lambda c: c.get_option_value(1)]
)
def test_arguments_of_a_context_are_texts(look, use):
    def asked(_, context):
        with pytest.raises(TypeError, match="must be a string"):
            use(context)
        return True

    assert look(asked) == [True]


def test_parameters_of_a_context_are_positional(look):
    def asked(_, context):
        with pytest.raises(TypeError):
            context.set_error_message(message="x")
        return True

    assert look(asked) == [True]


def test_the_tensor_that_is_captured(registry):
    builder = GraphBuilder("pattern")
    outputs = SplitD(builder.create_input(0), 2, split_dim=0, num_split=2)
    pattern = passes.Pattern(builder.build_and_reset(list(outputs)))
    pattern.capture_tensor(outputs[1]).capture_tensor(outputs[1], 1)
    assert [io.index for io in pattern.get_captured_tensors()] == [0, 1]
    with pytest.raises(RuntimeError, match="Node handle is empty"):
        pattern.capture_tensor(passes.NodeIo(None, 0))
