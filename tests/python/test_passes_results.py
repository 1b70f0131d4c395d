"""Replacements before inference, where no tensor is described yet, keep data types and shapes."""

import re

import numpy as np
import pytest
from pass_kit import STAGE, ReluPattern, chain, compile_types, function_pass, plain_options, types

import ge
from ge import passes
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Abs, Cast, If, MatMul, ReduceSum, Relu, Sigmoid
from ge.graph import DataType
from ge.transform import Sequential, get_pass, module_pass


def to(dtype):
    return lambda x: Cast(x, dst_type=dtype)


def register_replacing(make, decompose):
    """A pass that puts what `make` makes in the place of each Relu."""
    if decompose:

        class Replacing(passes.DecomposePass):
            def replacement(self, node):
                return chain(make)

        passes.register_decompose_pass(name="Replacing", stage=STAGE, op_types=["Relu"])(Replacing)
    else:

        class Replacing(ReluPattern):
            def replacement(self, inputs):
                return make(inputs[0])

        passes.register_fusion_pass(name="Replacing", stage=STAGE)(Replacing)


KEEPING = [Abs, lambda x: to(DataType.DT_FLOAT)(to(DataType.DT_FLOAT16)(x))]
CHANGING = [
    (to(DataType.DT_FLOAT16), "DT_FLOAT16 [4]"),
    (lambda x: ReduceSum(x, [0], keep_dims=True), "DT_FLOAT [1]"),
    (lambda x: ReduceSum(x, [0], keep_dims=False), "DT_FLOAT []"),
]


@pytest.mark.parametrize("make", KEEPING)
@pytest.mark.parametrize("decompose", [False, True])
def test_those_that_keep_types(registry, decompose, make):
    register_replacing(make, decompose)
    assert "Relu" not in compile_types(chain(Sigmoid, Relu, Sigmoid, Relu))


@pytest.mark.parametrize("make, got", CHANGING)
@pytest.mark.parametrize("decompose", [False, True])
def test_those_that_change_types_fail(registry, decompose, make, got):
    register_replacing(make, decompose)
    rule = "Relu" if decompose else "ReluPattern_relu_pattern"
    for graph, place in ((chain(Relu), "output 0 of graph 'g'"), (chain(Sigmoid, Relu, Abs), "output 0 of Abs '")):
        with pytest.raises(GeError) as caught:
            ge.load(graph, plain_options())
        text = str(caught.value)
        assert re.search(f"rule '{rule}' of pass 'Replacing' \\(first at Relu '", text), text
        assert place in text and f" is {got} with what was replaced, and DT_FLOAT [4] without" in text
        assert types(graph).count("Relu") == 1  # as it was


def test_in_subgraphs(registry):
    """Each body has a Relu. All are compared at once, behind the stage."""
    register_replacing(to(DataType.DT_FLOAT16), False)

    def body(name, operator):
        builder = GraphBuilder(name)
        return builder.build_and_reset([operator(Relu(builder.create_input(0)))])

    builder = GraphBuilder("g")
    x, condition = builder.create_input(0, name="x", shape=[4]), builder.create_input(1, name="c", shape=[])
    bodies = {"then_branch": body("then", Sigmoid), "else_branch": body("else", Abs)}
    graph = builder.build_and_reset(list(If(condition, [x], 1, **bodies)))
    with pytest.raises(GeError, match=r"of pass 'Replacing' \(first at Relu '.*is DT_FLOAT16 \[4\] with what was replaced"):
        ge.load(graph, plain_options())


@pytest.mark.parametrize("restoring", [False, True])
def test_passes_of_the_stage_are_seen_together(registry, restoring):
    """One lowers the type and another restores it; alone the first is refused, in a sequence too."""

    class Lowering(ReluPattern):
        def replacement(self, inputs):
            return to(DataType.DT_FLOAT16)(Abs(inputs[0]))

    class Restoring(passes.PatternFusionPass):
        @passes.pattern
        def cast(self, inputs):
            return to(DataType.DT_FLOAT16)(inputs[0])

        def replacement(self, inputs):
            return inputs[0]

    passes.register_fusion_pass(name="A", stage=STAGE)(Lowering)
    if restoring:
        passes.register_fusion_pass(name="B", stage=STAGE)(Restoring)
        assert compile_types(chain(Sigmoid, Relu)) == ["Abs", "Sigmoid"]
    else:
        with pytest.raises(GeError, match="of pass 'A'"):
            ge.load(chain(Sigmoid, Relu), plain_options())


def test_in_a_sequence(registry):
    class Late(ReluPattern):
        def replacement(self, inputs):
            return to(DataType.DT_FLOAT16)(inputs[0])

    passes.register_fusion_pass(name="Late", stage=passes.PassStage.AFTER_INFER_SHAPE)(Late)
    token = Sequential([get_pass("Late")], name="Both").register(STAGE)
    try:
        with pytest.raises(GeError, match="of pass 'Late'"):
            ge.load(chain(Relu), plain_options())
    finally:
        token.unregister()


def test_a_pass_may_replace_what_cannot_be_inferred(registry):
    """There is nothing to compare with, and the graph is better afterwards."""

    class Repairing(passes.DecomposePass):
        def replacement(self, node):
            return chain(Abs)

    passes.register_decompose_pass(name="Repairing", stage=STAGE, op_types=["MatMul"])(Repairing)
    graph = chain(lambda x: MatMul(x, x), shape=(2, 3))
    with pytest.raises(GeError, match="MatMul"):
        ge.load(graph, {**plain_options(), "passes.disable": "Repairing"})
    assert compile_types(graph) == ["Abs"]


def called_branches():
    """If whose branches do the same."""
    builder = GraphBuilder("root")
    x, condition = builder.create_input(0, name="x", shape=[4]), builder.create_input(1, name="c", shape=[])

    def body(name):
        inner = GraphBuilder(name)
        return inner.build_and_reset([Relu(inner.create_input(0))])

    return builder.build_and_reset(list(If(condition, [x], 1, then_branch=body("then"), else_branch=body("else"))))


def test_bodies_that_nobody_calls_any_more(registry):
    class NoIf(passes.DecomposePass):
        def replacement(self, node):
            builder = GraphBuilder("r")
            builder.create_input(0)
            return builder.build_and_reset([Relu(builder.create_input(1))])

    passes.register_decompose_pass(name="NoIf", stage=STAGE, op_types=["If"])(NoIf)
    assert compile_types(called_branches()) == ["Relu"]


def replace_by_hand(graph, context, make):
    """Each Relu of the graph by a SubgraphRewriter; how many."""
    done = 0
    for node in [n for n in graph.get_direct_nodes() if n.type == "Relu"]:
        boundary = passes.SubgraphBoundary()
        boundary.add_input(0, passes.SubgraphInput([(node, 0)]))
        boundary.add_output(0, passes.SubgraphOutput(node, 0))
        passes.SubgraphRewriter.replace(boundary, chain(make, shape=()), context=context)
        done += 1
    return done


def test_a_pass_that_edits_by_hand_answers_for_itself(registry):
    """It may change types; a rule that ran before is not blamed for that. What only replaces by hand is compared."""

    class Keeping(ReluPattern):
        def replacement(self, inputs):
            return Abs(inputs[0])

    def by_hand(graph, context):
        for node in graph.get_direct_nodes():
            if node.type == "Data":
                desc = node.get_output_desc(0)
                desc.set_data_type(DataType.DT_INT32)
                node.update_output_desc(0, desc)

    passes.register_fusion_pass(name="A", stage=STAGE)(Keeping)
    function_pass(by_hand, name="B")
    assert compile_types(chain(Relu)) == ["Abs"]
    passes.clear_registered_passes()

    class Changing(ReluPattern):
        def replacement(self, inputs):
            return to(DataType.DT_FLOAT16)(inputs[0])

    def remark(graph, context):
        for node in graph.get_direct_nodes():
            node.set_attr("_remark", "x")

    passes.register_fusion_pass(name="A", stage=STAGE)(Changing)
    function_pass(remark, name="B")
    with pytest.raises(GeError, match="rule 'ReluPattern_relu_pattern' of pass 'A' "):
        ge.load(chain(Relu), plain_options())
    passes.clear_registered_passes()
    function_pass(lambda graph, context: replace_by_hand(graph, context, to(DataType.DT_FLOAT16)) and None)
    with pytest.raises(GeError, match=r"rule 'SubgraphRewriter' of pass 'P' .*DT_FLOAT16 \[4\] with what was replaced"):
        ge.load(chain(Relu), plain_options())


@pytest.mark.parametrize("stage", list(passes.PassStage)[:4])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_pass_may_give_the_graph_other_outputs(stage, count):
    """Those that were there keep their names, the others are named by their nodes, and no two alike."""

    def other(mod, ctx):
        builder = GraphBuilder("g")
        x = builder.create_input(0, name="x", shape=[4])
        return builder.build_and_reset([Relu(x), *[Abs(x)] * (count - 1)])

    (before,) = ge.load(chain(Relu)).outputs
    with module_pass(other, opt_level=0, name="other").register(stage):
        compiled = ge.load(chain(Relu), plain_options())
    names = [port.name for port in compiled.outputs]
    assert len(names) == len(set(names)) == count and names[0] == before.name
    found = compiled.run({"x": np.float32([-1, 2, 3, 4])})
    assert found[names[0]].tolist() == [0, 2, 3, 4] and all(found[name].tolist() == [1, 2, 3, 4] for name in names[1:])


@pytest.mark.parametrize("kind", ["function", "base"])
def test_passes_that_leave_no_outputs(registry, kind):
    def cut(graph, context):
        (net,) = [n for n in graph.get_direct_nodes() if n.type == "NetOutput"]
        graph.remove_node(net)
        return 0

    if kind == "function":
        passes.register_custom_pass(name="Cut", stage=STAGE)(cut)
    else:
        run = {"run": lambda self, graph, context: cut(graph, context)}
        passes.register_fusion_pass(name="Cut", stage=STAGE)(type("Cut", (passes.FusionBasePass,), run))
    with pytest.raises(GeError, match="pass 'Cut'.*left graph 'g' without outputs"):
        ge.load(chain(Relu, Abs))
